"""What surrounds a sentence of a message, and what it counts for.

In: a sentence and its exchange. Out: points, and whether it may go with another sentence. Invariant: pure.
"""

from __future__ import annotations

import re
from collections.abc import Set
from dataclasses import dataclass

from memory_db.extract.rules.error_fixes import EDITING_TOOLS, SHELL_TOOLS, ActionRow, changed_lines, shortened
from memory_db.extract.rules.exchanges import Exchange
from memory_db.extract.rules.negative_cues import DOUBTS, VETOES
from memory_db.extract.rules.patterns import LEAD
from memory_db.extract.rules.prose import LEANS_BACK, ProseFinding, matching, spelt_out
from memory_db.extract.rules.run_as_told import is_run_as_told
from memory_db.extract.rules.task_words import TASKS
from memory_db.extract.rules.values_made import edits_made, in_smaller, is_made_of, was_made
from memory_db.text.acknowledging import is_acknowledgement
from memory_db.text.sentences import Sentence
from memory_db.text.taking_back import revokes, turns_round
from memory_db.text.terms import STOP_WORDS

REMARK, ANSWER, OBJECTION, VALUE, CHANGE, TURN, EXPLANATION, PLAIN = 3, 3, 2, 4, 2, 1, 3, 2
REVERSAL = 3
"""Points for what surrounds a sentence: a remark on a refused call, an answer to the agent's question, an objection to
what it did or proposed, a value that an edit takes up, a change of how things are, a later turn of a conversation,
words that explain what the agent saw or choose otherwise, a statement against which nothing speaks; the end of
something that was agreed.

Source: ours, by eye, on the sessions of the sample and the seen half of bench/data/sessions.
"""

TASK_WAIVED = 3
"""What a value that is taken up makes good for being worded as a task. Source: as many points as that doubt takes."""

MOST_ATTACHED_WORDS = 30
"""Words of the longest sentence that is only attached to another one."""

MOST_JOINED_WORDS = 70
"""Words of the longest group of sentences that becomes one candidate."""

TELLS_LITTLE = frozenset({"states a fact", "part of the system", "is kept so"})
"""Cues that any sentence about a system shows: alone they make no structure of it."""

BELONGS = -2
"""Doubts, in points, down to which a sentence may still be attached."""

OBJECTS = re.compile(
    r"^\W*(?:no|nope|nah|not|stop|wrong|wait|hold on|don't|never|hey|ugh|argh|whoa|"
    r"hm+(?!\W+(?:ok|okay|yes|yeah|right|fine|good|sure|nice|interesting)\b)|please don't|actually)\b|"
    r"\bnever\b|\binstead\b|\bnot (?:in|with|by|via|like|there|that|the|just|as|on|into|to|from|for)\b|, not\b|"
    r"\btoo (?:\w+)\b|\b(?:it is|it's|that's|we use) [\w-]+ here\b"
)
"""How somebody says that it is not to be so."""

UNFIT = (
    r"(?:is|are|was|were)(?: \w+)? (?:too (?:many|much|few|little|long|short|high|low|big|small|large|often|tight)|"
    r"not enough|overkill|silly|more than|less than|nonsense)\b"
)
"""What is said of a value that is not to stay."""

SETS_ANEW = re.compile(
    rf"{UNFIT}[^.?]*\b(?:make|set|take|use|put) (?:it|that|them|this|to|at|\d)|\d \w+ now\b|"
    r"\b(?:needs?|takes?|wants?|requires?) \d[^.?]*\bso (?:please )?(?:put|set|use|take|make it|"
    r"change it to) (?:that|it)\b|"
    r"\bwe (?:go|are going|come) (?:down|up|back) to \d"
)
"""How somebody sets a value in the place of one that they call unfit, which is no task to begin with."""

VALUE_SET = re.compile(
    r"\b(?:set|make(?! the (?:value |number )?\d)|(?:like|want|have|need) (?:it|them|that|this) (?:at|to be)|keep|"
    r"raise|lower|limit|cap|use|default|bump|increase|reduce|max|min|at most|at least|every|"
    r"after|put|take|(?:sits?|runs?|stands?|hangs?|listens?|lives?|wired|starts?|ends?) (?:\w+ )?(?:on|at|in|from)|"
    r"needs?|requires?|takes?|says?|is|are|=|to|than|of)\b.{0,40}?(?<![\w.])(\d[\d.,_]*)(?![\w]*[-/]\d)"
)
"""A number that something is set to."""

ACCORDINGLY = re.compile(r"\b(\w{4,}) (?:it |them )?accordingly\b")
"""What is to be changed, without its new value."""

VALUE_ALONE = re.compile(r"(?:^|[.!] )(\d[\d.]*)(?: ?[a-z]{1,8})?(?: it is)?(?: then)?\W*$|, (\d[\d.]*)(?=[?.!]|$)")
"""A value that is all a sentence says of what it sets, or the last that it says: "25 it is then", "a little, 20?"."""

IN_PLACE = re.compile(r"\b(?:sed|perl) (?:-\w+ )*-\w*i\b")
SUBSTITUTES = re.compile(r"\bs(?P<mark>[/#|,])(?:(?!(?P=mark)).)*(?P=mark)(?P<new>(?:(?!(?P=mark)).)*)(?P=mark)")
"""A command that changes files where they are, and what it puts in the place of what."""

NAMED = re.compile(
    r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+|\b[a-z][\w-]*(?:\.[\w-]+){2,}\b|\b[A-Z]{1,3}\d{1,3}\b|\b[a-z]{2,8}\d{1,3}\b"
)
"""Addresses, hosts and codes."""

CLOCK = re.compile(r"(?<![\d:.])([01]?\d|2[0-3]):([0-5]\d)(?![\d:])")
"""A time of day, which a schedule writes the other way round: "40 4" for 4:40."""

NUMBER_WORDS = {
    word: str(number)
    for number, word in enumerate(
        "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
        "eighteen nineteen twenty".split(),
        1,
    )
} | {"thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "seventy": "70", "eighty": "80", "ninety": "90"}

NUMBER_SET = re.compile(
    r"(?:(?:^|[,.] )(?=\w+(?:\W*$|[,.;!?]| (?:it is|then|is|are|days?|hours?|minutes?|seconds?|weeks?|months?|times|"
    r"attempts|tries|retries|workers|lines|rows)\b))|"
    r"\b(?:to|make it|make that|go on,?|yes,?|use|take|then|at|of|every|after|is|only) )("
    + "|".join(NUMBER_WORDS)
    + r")\b(?! (?:thing|more|of|commit|by|last))"
)

SPANS_OF_TIME = {"half an hour": "30", "a quarter of an hour": "15", "an hour": "60", "a day": "24"}
SPAN = re.compile("|".join(SPANS_OF_TIME))
"""Numbers in words, where something is set to them."""

CHANGED = re.compile(
    r"(?<!for )(?<!right )(?<!just )(?<!by )"
    r"\bnow\b(?! (?:what|let|add|the|can|do|please|we need|fix|make|put))|\bno longer\b|\bany ?more\b|"
    r"\b(?:has|have|is|are|we|i|"
    r"that|it|got|they|who|was)(?:'s|'ve)? (?:\w+ ){0,2}?(?:moved|changed|switched|left|gone|replaced|"
    r"renamed|dropped|"
    r"dead|retired|over|raised|split|merged)\b|^(?:\w+ ){0,4}(?:moved|changed|switched) |\bnew (?:address|"
    r"host|port|name|"
    r"url|owner|place|box|office)\b|\bback to\b|"
    r"\b(?:go|goes|going|went|come|comes) (?:down|up) to\b|\bgoes? to \w+ (?:now|from)|\bsince (?:we|the|last|"
    r"january|february|march|april|may|june|july|"
    r"august|september|october|november|december|\d)|\bfrom (?:now|next|then|this \w+ on|\d)|\bgave up\b|\binstead "
    r"of\b|\bas of\b|\b(?:that|it|this)(?:'s| is) (?:stale|outdated|out of date|obsolete)\b|"
    r"\b(?:went|moved|switched|changed|shifted|goes) (?:over )?to (?:mon|tues|wednes|thurs|fri|satur|sun)days?\b"
)
"""How somebody tells that something is no longer as it was."""

YOU_MAY = re.compile(r"\byou (?:may|can|could|are) ")
"""Leave that is given to the agent, mostly for the step at hand."""

EXPLAINS = re.compile(
    r"^\W*(?:(?:ah|oh|aha|right|yes|yeah|no|well|ok|okay|hm+)\b[\s,.!]*)*(?:that's|that is|that was|it's|those are|"
    r"they're|"
    r"that will be|that must be) (?:the|our|a|an|because|how|from|when|why|only|just|my|what)\b(?:\W+[\w'`]+){5,}"
)
"""How somebody tells the reason of what the agent saw."""

CHOOSES = re.compile(
    r"^\W*(?:then )?(?!(?:ok|do|go|commit|next|and|what|well|now|but|since|so|until|by)\b)(?!(?:in|off|out|on|up|"
    r"down|away|here|there) (?:it|we|i|they|you) (?:go|goes)\b)(?:[\w.:]+ ){1,3}then\W*$"
)
"""How somebody chooses otherwise than was proposed: "friday then"."""

IS_TASK = re.compile(
    LEAD
    + r"(?:(?:now|then|instead|also|and|next|first|great|thanks|perfect|cool|good|nice|go ahead and|lets|let's|just|"
    r"quickly|again|finally|please|for now|can you|could you)[,:]?\s+)*"
    r"(?!(?:look at|check|copy|take|open) [\w`./-]+[,;:] (?:that's|that is|it's|it is) (?:the|our|how)\b)"
    + TASKS
    + r"\b"
)
"""An order, but for one to look at what is to be followed."""

ACTS_ON_IT = re.compile(LEAD + TASKS + r" (?:it|them|that|those)\b(?! (?:to me|me)\b)")
"""An order whose object stands before it."""

ANOTHER_MATTER = re.compile(
    r"^\W*(?:(?:whatever|anyway|anyhow)\b(?:\W*$|[,.!])|(?:oh|ah),? (?:and|also|btw)\b|btw\b|by the way\b|"
    r"(?:and )?before i forget\b|(?:also,? )?(?:can|could) "
    r"you\b|(?:and )?(?:another|one more|different|other|next) (?:thing|topic|question|q|one)\b)"
)
"""How somebody comes to something else."""

SENDS = re.compile(LEAD + r"use (?:a |the )?(?:sub-?agents?|web)\b")
"""An order to look for something by way of a tool, whatever is to be found."""

WITH_CONDITION = re.compile(
    r"\b(?:when(?:ever)?|each time|every time|if) (?:i|we|you|there|somebody|it)\b|\b(?:always|never)\b"
)
"""What makes an order a rule."""

ON_TASK = re.compile(
    r"^(?:this one|that one|it)(?:'s| is)? (?:ok|fine|good)|^(?:go|done|next|ok|fine|commit|thx|thanks)\b|"
    r"\b(?:thx|thanks|lunch|coffee|bye|brb|ttyl|cya)\b[.!]*$|^(?:bye|brb|ttyl|cya|see you)\b|^(?:and |so |"
    r"then )?(?:off to \w|i'm (?:out|off|gone)\b)|"
    r"^that cost\b|^(?:in|into|put it in|also in) (?:the )?readme\b|"
    r"^(?:two|one|three|separate|single) commits?\b|^should be (?:written|documented)|third time|"
    r"^[\w.]+,? please\W*$|^i'll\b|^i will\b|^otherwise ok|^just leave"
)
"""Words on the work under way, which are never attached to a statement."""

SUBJECTLESS = re.compile(
    r"^(?:it|its|it's|that|that's|this|they|they're|those|these|he|she|he's|she's|hes|shes|them|"
    r"(?:runs|listens|sits|stands|hangs|comes) (?:on|at|in|behind|under|from|only|every|once|twice)|"
    r"there(?!'s (?:no|only)\b| (?:is|are) (?:no|only)\b)|goes|tried|stays?|needs|works|"
    r"same|both|neither|too|always a|or|because)\b"
)
"""How a text begins whose subject stands elsewhere."""

ONES = re.compile(
    r"^\W*(?:(?:the|all|only|and|but|so) )*(?!these\b|those\b|this\b)[a-z-]+ ones\b"
    r"(?! (?:that|which|who|with|without|in|on|of|from|for|under|you|we|i|they)\b)"
)
"""A subject that stands for a noun of another sentence: "real ones are 200 mb each"."""

ONE = re.compile(r"\b(?:with|without|has|have|needs?|gets?|got|uses?|wants?) one\W*$")
A_NOUN = re.compile(r"\ban? [a-z]")

ELLIPTIC = re.compile(
    r"^\W*(?:(?:yes|yeah|yep|no|ok|right|exactly|correct)\b[ ,.!]*)*(?:always|never|only) "
    r"(?:with|without|in|on|as|at|by|from|for|via|after|before|through|over)\b"
)
"""A rule whose verb stands in what it answers: "always with --public"."""

EXACT = re.compile(r"(?<!\w)--?[a-z]|`|\w_\w|\w\.\w")
"""Flags, code and names of files."""

CONTENT = re.compile(r"[A-Za-z][\w'-]+|\d[\w.]*|--?\w[\w-]*")


@dataclass(slots=True, frozen=True)
class MessageFinding:
    """A finding with its text; `start` and `end` count in the message.

    `core` is what says most of one that was joined from several, as it was before.
    """

    finding: ProseFinding
    text: str
    core: MessageFinding | None = None


def bonus_of(exchange: Exchange, sentence: Sentence, *, is_opening: bool) -> int:
    """Points for what surrounds a sentence."""
    lower = spelt_out(sentence.masked)
    if exchange.message.is_remark and is_opening:
        return REMARK
    points = 0 if exchange.is_first else TURN
    acted = exchange.action is not None or exchange.statement is not None
    if acted and OBJECTS.search(lower) and (is_opening or shares_words(exchange, lower)):
        points += OBJECTION
    if (not exchange.is_first or SETS_ANEW.search(lower)) and is_taken_up(exchange, lower):
        points += VALUE
    if turns_round(lower) and not YOU_MAY.search(lower):
        points += REVERSAL
    elif CHANGED.search(lower):
        points += CHANGE
    if is_run_as_told(exchange, lower):
        points += VALUE
    if not exchange.is_first and not IS_TASK.search(lower) and is_named_in_edit(exchange, sentence.text):
        points += VALUE
    if exchange.statement is not None and (EXPLAINS.match(lower) or CHOOSES.match(lower)):
        points += EXPLANATION
    return points


def is_for_now(exchange: Exchange, sentence: Sentence) -> bool:
    """Whether a sentence only tells what to do now; to set a value that is taken up, or to end a rule, is more."""
    lower = spelt_out(sentence.masked)
    is_made = is_taken_up(exchange, lower) or is_run_as_told(exchange, lower)
    if exchange.message.is_remark or revokes(lower) or is_made:
        return False
    return IS_TASK.search(lower) is not None


def is_taken_up(exchange: Exchange, lower: str) -> bool:
    """Whether an edit or a command that followed has a number that the sentence sets."""
    if is_made_of(exchange, lower):
        return True
    made = [new for action in exchange.followed if was_made(exchange, action) and (new := brought_in(action))]
    return any(holds(text, value) for value in values_of(lower) for text in made)


def is_in_edit(exchange: Exchange, lower: str) -> bool:
    """Whether an edit that followed has a number that a sentence sets, in the old lines or in the new ones."""
    made = [action.input for action in edits_made(exchange)]
    return any(holds(text, value) for value in values_of(lower) for text in made)


def brought_in(action: ActionRow) -> str:
    """What an edit, or a command that edits in place, brought in; the whole input where that does not say."""
    if action.tool in EDITING_TOOLS:
        before, after = changed_lines(action.input)
        return "\n".join(after) if before or after else action.input
    is_in_place = action.tool in SHELL_TOOLS and IN_PLACE.search(action.target) is not None
    return "\n".join(match["new"] for match in SUBSTITUTES.finditer(action.target)) if is_in_place else ""


def values_of(lower: str) -> list[str]:
    """The numbers that a sentence sets, in digits."""
    numbers = [match[1].strip(".,") for match in VALUE_SET.finditer(lower)]
    words = [NUMBER_WORDS[match[1]] for match in NUMBER_SET.finditer(lower)]
    spans = [SPANS_OF_TIME[phrase] for phrase in SPAN.findall(lower)]
    alone = [(match[1] or match[2]).strip(".,") for match in VALUE_ALONE.finditer(lower)]
    spans += in_smaller(lower, numbers)
    clock = [f"{int(minute)} {int(hour)}" for hour, minute in CLOCK.findall(lower)]
    return list(dict.fromkeys([*numbers, *words, *spans, *alone, *clock]))


def holds(text: str, value: str) -> bool:
    """Whether a number stands in a text, perhaps with zeros behind it, which another unit has."""
    if value.isalpha() and value.islower():
        return value in text.lower()
    return bool(value) and re.search(rf"(?<![\d.]){re.escape(value)}(?:_?0+)*(?![\d])", text) is not None


def taken_up_by(exchange: Exchange, text: str) -> str:
    """The edit that took up a number or a name which a text sets, in a few words; '' where none did."""
    values = [*values_of(spelt_out(text)), *names_of(text)]
    for action in edits_made(exchange):
        detail = change_with(action.input, values or words_of_change(text))
        if detail:
            return f"in `{action.target.split(chr(10))[0].rsplit('/', 1)[-1]}` {detail}"
    return ""


def words_of_change(text: str) -> list[str]:
    """The word by which an edit is known that a text asks for without a value: "it is doubled, chunk accordingly"."""
    asked = ACCORDINGLY.search(text.lower())
    return [asked[1]] if asked else []


def change_with(raw: str, values: list[str]) -> str:
    """The first line of an edit that brings in one of some values, with the line that it replaces."""
    before, after = changed_lines(raw)
    for line in after:
        name = re.match(r"\W*[\w.]+", line)
        same = [old for old in before if name and old.startswith(name[0])]
        same = same or (before if len(before) == len(after) == 1 else [])
        if any(holds(line, one) and not (same and one[0].isdigit() and holds(same[0], one)) for one in values):
            return f"`{shortened(same[0])}` became `{shortened(line)}`" if same else f"added `{shortened(line)}`"
    return ""


def is_named_in_edit(exchange: Exchange, text: str) -> bool:
    """Whether an edit that followed brings in a name which a sentence has."""
    made = [action.input for action in edits_made(exchange)]
    names = names_of(text)
    return any(change_with(each, names) for each in made) if names else False


def names_of(text: str) -> list[str]:
    """Addresses, hosts and codes of a text, such as `T1`: what an edit that takes it up repeats letter by letter."""
    return list(dict.fromkeys(NAMED.findall(text)))


def shares_words(exchange: Exchange, lower: str) -> bool:
    """Whether a sentence speaks of what the agent just said or did."""
    about = exchange.said_before.lower() + " " + (exchange.action.target.lower() if exchange.action else "")
    return any(word in about for word in content(lower) if len(word) > 2)


def content(masked: str) -> list[str]:
    """The words of a sentence that mean something by themselves."""
    return [word for word in CONTENT.findall(masked.lower()) if word not in STOP_WORDS and not is_acknowledgement(word)]


def tells(masked: str) -> bool:
    """Whether a sentence has two words that mean something, or a name that is exact."""
    if CHOOSES.match(masked.lower()):
        return True
    return len(content(masked)) > 1 or EXACT.search(masked) is not None


def may_attach(sentence: Sentence, waived: Set[str] = frozenset()) -> bool:
    """Whether a sentence that says too little by itself may go with one that says enough; `waived` doubts count not."""
    lower = spelt_out(sentence.masked)
    if len(lower.split()) > MOST_ATTACHED_WORDS or ON_TASK.search(lower) or lower.rstrip().endswith("?"):
        return False
    if ANOTHER_MATTER.match(lower):
        return False
    if any(matching(VETOES, lower, "user", False)) or is_acknowledgement(lower):
        return False
    if IS_TASK.search(lower):
        return WITH_CONDITION.search(lower) is not None
    if OF_THOSE.match(lower):
        waived = waived | {"about a person"}
    against = (cue.points for cue in matching(DOUBTS, lower, "user", False) if cue.name not in waived)
    return sum(against) >= BELONGS


OF_THOSE = re.compile(r"^\W*(?:those|these|they|that's|that is|this is)\b(?! (?:says?|said|wants?|asks?)\b)")
"""How a sentence begins that tells more of the things named before it, whoever it names besides."""


def misses_noun(lower: str) -> bool:
    """Whether "one" or "ones" stands for a noun that a sentence does not name."""
    one = ONE.search(lower)
    return ONES.match(lower) is not None or (one is not None and A_NOUN.search(lower, 0, one.start()) is None)


def leans_back(sentence: Sentence) -> bool:
    """Whether a sentence cannot be understood without the one before it."""
    lower = spelt_out(sentence.masked)
    if CHOOSES.match(lower) or re.match(r"so [\w']+ ", lower) or ACTS_ON_IT.match(lower):
        return True
    return LEANS_BACK.search(lower) is not None or SUBJECTLESS.match(lower) is not None or misses_noun(lower)
