"""Whether a fault that somebody reports was mended in the exchange that the report began: then it is over.

In: an exchange and the words that are quoted of it. Out: yes or no. Invariants: pure; words that say what shall be, or
tell of a thing of somebody else's that nobody here can mend, are kept; so is what was not mended for certain.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from memory_db.extract.rules.backing import ACCEPTS, DISAGREES, GOES_AHEAD, REJECTS, THANKS
from memory_db.extract.rules.error_fixes import EDITING_TOOLS, SHELL_TOOLS, ActionRow
from memory_db.extract.rules.exchanges import Exchange, prose_of
from memory_db.extract.rules.prose import READ_CHARACTERS, spelt_out
from memory_db.extract.rules.surroundings import IN_PLACE, IS_TASK, is_taken_up
from memory_db.text.acknowledging import is_acknowledgement
from memory_db.text.sentences import split

REPORTS = re.compile(
    r"\b(?:nonsense|rubbish|garbage|bogus|fails?|failing|crash(?:es|ed|ing)?|hangs?|freezes?|refuses?|rejects?|"
    r"drops?|loses?|lost|leaks?|misses|missing"
    r"|differs?|vanish(?:es)?|disappears?|breaks|broken|wrong|garbled|corrupt(?:s|ed)?|stuck|blank|twice"
    r"|upside down|cut off|too (?:many|few|short|long|late|early|low|high)|off by|falls (?:over|apart)|times out"
    r"|(?:does|do|did|is|are|was|has|have)(?:n't| not) (?:work|start|show|come|load|arrive|print|match|appear|open|save"
    r"|run|get|there|shown|found|sent|saved|read|updated|right)"
    r"|(?:can|could)(?:not| not|'t| never) be \w+ed|(?:is|are) never \w+(?:ed|nt?)"
    r"|(?:gets?|ha(?:s|ve)|shares?|shows?) the same"
    r"|(?:comes?|came|is|are) back|looks? (?:random|odd|strange|broken|garbled|ugly)|goes out twice"
    r"|won't (?:work|start|load|open|print|run|save)|no longer (?:works?|starts?|loads?|prints?|opens?|shows?|comes?)"
    r"|nothing (?:comes|came|goes|went|arrives?|arrived|happens|happened|gets|got|prints|shows)"
    r"|shows? (?:the )?(?:old|wrong|last|yesterday|nothing|only)|stops? (?:after|at|when|with))\b"
    r"|\bsince (?:yesterday|last|this|the (?:update|upgrade|move|change|release|new)|monday|tuesday|wednesday|thursday"
    r"|friday|saturday|sunday|today|\d)"
)
"""How somebody tells what goes wrong."""

SAYS_MORE = re.compile(
    r"\b(?:must|should|shall|always|so that(?![^.;!]*\b(?:cannot|can't|never|nobody|no longer|nothing)\b)"
    r"|(?<!can )(?<!could )(?<!is )(?<!are )never|please|don't|do not|from now on|because|otherwise|allowed|may"
    r"|ha(?:s|ve) to|needs? to|wants?|prefer|rule|we (?:use|keep|only)|instead|known|by design|on purpose|workaround"
    r"|sometimes|belongs?|upstream|vendors?|supplier|bank|provider|api|drivers?|firefox|safari|chrome|excel|windows|"
    r"android|ios"
    r"|their|they|she|he|her|his|means)\b|\b(?:everything|all of it)\b[^.;]*\b(?:breaks|fails|stops|dies) if\b|"
    r"\bsince [\w ]{2,20}? (?!it\b|that\b|this\b|we\b|i\b|you\b|they\b)[a-z]{2,} (?:drives|reviews|releases|"
    r"deploys|decides|handles|signs|sells)\b|(?<!\w)[\w-]+ = \w[^,=]*, [\w-]+ = |[`]|\b\w+\.(?:com|org|net|de|eu)\b"
)
"""Words of a rule, of a reason, or of what is somebody else's and stays as it is."""

MENDS = re.compile(
    r"\b(?:put (?:in |there )?the (?:right|correct|real|proper)|fix|repair|mend|sort (?:it|that|this) out|"
    r"correct (?:it|that|this)|look|check|find (?:it|out)"
    r"|see (?:why|what)|investigate|debug|solve|dig|rebuild|rewrite|redo|rework)\b"
)
"""A task that is no other than to mend what is reported."""

ASKS_HOW = re.compile(
    r"\bwhat (?:would|do|could|can) (?:you|we)\b|\bhow (?:would|could|should|can) (?:you|we|i)\b|\byour (?:proposal"
    r"|suggestion)|\bany (?:idea|suggestion)s?\b|\b(?:propose|suggest|find out|have a look|look into"
    r"|proposals?|suggestions?|ideas|options|can you see)\b"
    r"|\bwhy\b[^.!]*\?"
)
"""How somebody asks what can be done about a fault: what they choose next is to mend it."""

GOES_ON = re.compile(
    r"\b(?:works?|working|fine|better|gone|good|perfect|lovely|splendid|great|wonderful|nice|super|done|commit"
    r"|push it|that's it|that is it|next)\b"
)
"""How somebody goes on who has nothing more to say of it."""

STILL = re.compile(
    r"\bstill\b|\bagain\b|\bnot (?:yet|fixed|gone|better|it)\b|\bdoesn't\b|\bsame (?:error|thing|problem)\b"
)
"""How somebody says that it is not mended."""

SINCE_SAID = 200
"""Characters of the next words in which that is said. Source: ours."""


def is_mended(exchange: Exchange, quote: str) -> bool:
    """Whether a quote only reports a fault, which was mended for certain before the user came to something else."""
    if exchange.message.is_remark or not only_reports(exchange, quote) or is_taken_up(exchange, spelt_out(quote)):
        return False
    if has_edit(exchange.followed):
        return is_settled(exchange.followed, exchange.next_words)
    said = plain(exchange.next_words)
    is_asked = ASKS_HOW.search(spelt_out(exchange.message.prose)) is not None and not REJECTS.match(said)
    is_agreed = is_asked or GOES_AHEAD.match(said) or ACCEPTS.match(said)
    return bool(is_agreed) and has_edit(exchange.then) and is_settled(exchange.then, prose_of(exchange.after_next))


def reports_to_mend(exchange: Exchange, quote: str) -> bool:
    """Whether a quote only reports a fault, in a message that asks to mend it, whatever came of that."""
    if exchange.message.is_remark or not only_reports(exchange, quote):
        return False
    whole = [spelt_out(each.masked) for each in split(exchange.message.prose[:READ_CHARACTERS])]
    return any(MENDS.search(each) and IS_TASK.search(each) for each in whole)


def only_reports(exchange: Exchange, quote: str) -> bool:
    """Whether each sentence of a quote reports a fault, in a message that asks for nothing but to mend it."""
    told = [spelt_out(each.masked) for each in split(quote) if not is_acknowledgement(each.text)]
    if not told or not all(REPORTS.search(each) and not SAYS_MORE.search(each) for each in told):
        return False
    whole = [spelt_out(each.masked) for each in split(exchange.message.prose[:READ_CHARACTERS])]
    return not any(IS_TASK.search(each) and not MENDS.search(each) and not ASKS_HOW.search(each) for each in whole)


def has_edit(actions: Sequence[ActionRow]) -> bool:
    """Whether any of some actions edited a file."""
    return any(edits(action) and action.is_error is False for action in actions)


def edits(action: ActionRow) -> bool:
    """Whether an action changes a file: with a tool for that, or in place on the command line."""
    return action.tool in EDITING_TOOLS or (action.tool in SHELL_TOOLS and IN_PLACE.search(action.target) is not None)


def is_settled(actions: Sequence[ActionRow], said: str) -> bool:
    """Whether what followed an edit shows that it helped: a command that passed, or the user's next words."""
    words = plain(said)[:SINCE_SAID]
    lower = spelt_out(words)
    if REJECTS.match(words) or DISAGREES.search(words) or STILL.search(lower):
        return False
    last = max(place for place, action in enumerate(actions) if edits(action))
    after = [action for action in actions[last + 1 :] if action.tool in SHELL_TOOLS]
    if after and after[-1].is_error:
        return False
    return bool(after) or any(way.search(lower) for way in (ACCEPTS, THANKS, GOES_ON))


def plain(said: str) -> str:
    """A message without what was not typed."""
    return said.replace("\x00", " ").strip()
