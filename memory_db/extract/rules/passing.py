"""Whether words of the user were over with their exchange: an order put right at once, a thing that was made upon it,
an offer turned down, a name that was changed, what they take back in the same breath.

In: an exchange and the words that are quoted of it, or what stands behind them. Out: yes or no. Invariants: pure; words
that hold for more than this once are kept.
"""

from __future__ import annotations

import re

from memory_db.extract.rules.backing import REJECTS
from memory_db.extract.rules.carried_out import HOLDS, LIMITS, MOST_TRAILING_WORDS, OFFERS, WISHES
from memory_db.extract.rules.error_fixes import changed_lines
from memory_db.extract.rules.exchanges import Exchange
from memory_db.extract.rules.mended import edits, has_edit
from memory_db.extract.rules.patterns import LEAD
from memory_db.extract.rules.prose import READ_CHARACTERS, spelt_out
from memory_db.extract.rules.questions import EXCLAIMS
from memory_db.extract.rules.surroundings import IS_TASK
from memory_db.text.sentences import split

FOR_EACH = re.compile(r"\bfor (?:every|each|any|all) \w+")
"""What a thing is wished for, which makes no rule of the wish: "a line in the log for every card"."""

ORDERED_LAST = re.compile(
    r"^(?:[^.;:]|\.(?=\d)){3,60}, (?:please )?(?:put|add|write|stick|enter|note|drop) (?:it |them |that )?(?:in|into|"
    r"on|to|under|down)\b"
)
"""A thing with the order behind it: "the school ticket, 7.20, put in prices"."""

THING = re.compile(
    LEAD + r"(?:(?:an?|one|another|the) )?(?:(?:new|small|little|tiny|quick|simple|short) )*(?:[\w/.-]+ )?(?:function|"
    r"command|script|helper|tool|endpoint|page|display|footnote|line|job|entry|chart|button|flag)\b"
    r"(?P<what>(?: (?:that|which|to|for|on|at|with) [^,;:.]*)?)(?:$|[,:.] ?)"
)
"""What is to be made, by its sort: "little script that clears what is old, tools/clean.py"."""

SAYS_OF_IT = re.compile(
    r"\b(?:must|never|always|should|shall|ha(?:s|ve) to|needs? to|only|without|may|can(?:not|'t)?|is|are|because|"
    r"from now on)\b"
)
"""Words by which what seems to tell what a thing is for says something of it: "a script that deletes must ask"."""

YOU_CHOOSE = re.compile(r"^\W*(?:and )?you (?:pick|choose|decide|say)\b|^\W*(?:and )?put (?:it )?(?:in|into|under)\b")
"""What is left to the agent, or where the thing goes."""

BAD_NAME = re.compile(
    r"\b(?:is|are|was|'s) (?:such )?an? (?:really |very |pretty )?(?:stupid|silly|dumb|bad|odd|ugly|misleading|wrong|"
    r"terrible|horrible|awful|confusing|strange|weird) name\b"
)
"""How somebody finds fault with a name, for it to be changed."""

OF_NAMES = re.compile(r"\b(?:always|never|every|each|all|from now on|call(?:s|ed)?|means?|because|don't|do not|must)\b")
"""Words by which what is said of a name holds for others, or says what it means."""

DECLINES = re.compile(
    r"^\W*(?:(?:oh|ah|hm+|well|ok|uff|oof)\b[\s,.!]*)*(?:nah|nope|no(?:,? (?:thanks?|thank you|thx))?|rather not|"
    r"leave it|"
    r"not (?:now|needed|worth it))\b",
    re.IGNORECASE,
)
"""How an offer is turned down."""

REASONS_WITH = re.compile(
    r"\b(?:we|our|us|never|always|don't|do not|must|only|nothing|nobody|allowed|because|since|here|repo|project|"
    r"without|in this (?:thing|tool|app|code|codebase|lib|library|crate|service|one))\b"
)
"""Words by which the reason for turning something down says how things are."""

OFFERED_WITHIN = 200
"""Characters at a reply's end in which an offer stands. Source: ours; as long as two sentences."""

MOST_DECLINING_WORDS = 14
"""Words of the longest sentence that only turns something down. Source: ours."""

TAKES_BACK = re.compile(
    r"^[\s.,;!:–—-]*(?:(?:no|nah|hm+|ok|oh|ah|well|or|but|actually)\b[\s,.!]*)*(?:forget (?:it|that)|never ?mind|"
    r"scra(?:p|tch) that|ignore that|i take (?:it|that) back|(?:no|just|only) (?:joking|kidding)|jk|kidding|"
    r"forget(?=\W*$))(?=\s*(?:[.,;:!?)\n–—-]|$))",
    re.IGNORECASE,
)
"""How somebody takes back what they just said."""


def is_over_with_it(exchange: Exchange, quote: str) -> bool:
    """Whether words of a message are over with what was done upon them."""
    if exchange.message.is_remark:
        return False
    lower = spelt_out(quote)
    if BAD_NAME.search(lower) and OF_NAMES.search(lower) is None:
        return bool(exchange.followed)
    return is_made(exchange, quote) or is_put_right(exchange, lower) or is_declined(exchange, quote, lower)


def is_put_right(exchange: Exchange, lower: str) -> bool:
    """Whether an order or a wish was carried out otherwise than the user meant, so that they had it changed at once."""
    lower = FOR_EACH.sub("", lower)
    is_order = any(way.match(lower) for way in (IS_TASK, WISHES, ORDERED_LAST))
    if not is_order or HOLDS.search(lower) or not REJECTS.match(EXCLAIMS.sub("", exchange.next_words)):
        return False
    written = {line for action in exchange.followed if edits(action) for line in changed_lines(action.input)[1]}
    taken = {line for action in exchange.then if edits(action) for line in changed_lines(action.input)[0]}
    return any(gone in line for gone in taken for line in written)


def is_made(exchange: Exchange, quote: str) -> bool:
    """Whether a quote only tells what is to be made, and an edit followed."""
    told = [spelt_out(each.masked) for each in split(quote)]
    thing = THING.match(told[0]) if told else None
    if thing is None or SAYS_OF_IT.search(thing["what"]):
        return False
    rest = [told[0][: thing.start("what")] + told[0][thing.end("what") :], *told[1:]]
    if any(LIMITS.search(each) or HOLDS.search(each) for each in rest):
        return False
    return has_edit(exchange.followed) and all(
        len(each.split()) <= MOST_TRAILING_WORDS or YOU_CHOOSE.match(each) for each in told[1:]
    )


def is_declined(exchange: Exchange, quote: str, lower: str) -> bool:
    """Whether a quote is no more than why the user wants nothing of what the agent offered."""
    said = exchange.said_before.rstrip("*_`) \n")
    if said.endswith("?") or OFFERS.search(said[-OFFERED_WITHIN:]) is None:
        return False
    prose = exchange.message.prose[:READ_CHARACTERS].strip()
    declines = DECLINES.match(prose)
    is_first = declines is not None and prose.find(quote) <= declines.end() + 2
    return is_first and len(lower.split()) <= MOST_DECLINING_WORDS and REASONS_WITH.search(lower) is None


def is_taken_back(quote: str, behind: str) -> bool:
    """Whether words end with taking themselves back, or what follows does: "the list as a table. forget it"."""
    ends_so = any(TAKES_BACK.match(each.text) for each in split(quote)[1:])
    return ends_so or TAKES_BACK.match(behind) is not None
