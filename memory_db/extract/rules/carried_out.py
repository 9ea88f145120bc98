"""Whether words only ask for one thing, which the agent did at once: then it stands in the work, and is no rule.

In: an exchange and the words that are quoted of it. Out: yes or no. Invariants: pure; words that hold for more than
this once ("always", "because", "instead of") are kept, and so is a value that an edit took up.
"""

from __future__ import annotations

import re

from memory_db.extract.rules.exchanges import Exchange
from memory_db.extract.rules.mended import has_edit
from memory_db.extract.rules.patterns import LEAD
from memory_db.extract.rules.prose import READ_CHARACTERS, spelt_out
from memory_db.extract.rules.surroundings import WITH_CONDITION, is_taken_up
from memory_db.text.sentences import split

NUMBER = r"(?:\d+|an?|one|two|three|four|five|six|eight|ten|twelve|fifteen|twenty|a few|a couple of|some)"
OF_TEXT = r"(?:lines?|sentences?|words?|paragraphs?|pages?|bullets?)"

HOLDS = re.compile(
    r"\b(?:always|never|every|each|whenever|everywhere|from now on|in future|by default|because|instead of|rather than|"
    r"unless|otherwise|so that (?:no|every)|the rule|any ?more|no longer|prefer|everybody|everyone|nobody|allowed|"
    r"everything|anything|in (?:all|any)|for (?:all|any))\b"
)
"""Words by which a wish is more than one thing to build."""

WELL = re.compile(r"\b(?:decently|properly|gracefully|nicely|correctly|sensibly)\b(?: instead of \w+ing\b)?")
"""How something is to be done that says nothing of how: "answer this properly instead of falling over"."""

LIMITS = re.compile(r"\b(?:only|not|no|don't|must|mustn't|without|instead|all|both|since|as|until|stays?|keep)\b")
"""Words by which what is said of a thing is a rule for it."""

WISHES = re.compile(
    LEAD + r"(?:(?:now|then|next|also)[,:]? )*(?:i|we)(?:'d| would| should)?(?: also| still)? (?:want|need|like(?= to)|"
    r"have to have) (?:to (?:have|see|get) )?(?:an?|another|some|one|the (?:check|list|page|report|command|script))\b"
)
"""A wish for something that is to be built: "then we need a column for it"."""

THING = re.compile(
    LEAD + r"(?:an?|one|another) (?:(?:new|small|little|tiny|simple|short) )*(?:[\w/.-]+ )?(?:function|command|script|"
    r"flag|option|"
    r"button|helper|tool|method|endpoint|chart|switch)\b(?: (?:that|which|to|for|with)\b|,)"
)
"""What is to be built, by its sort and what it does: "a function that gets the line and returns the answer"."""

PRODUCT = re.compile(
    LEAD
    + r"(?:the |our |my )?(?:[\w./-]+ ){1,3}?(?:should|must|has to|needs to|ought to) (?:also |just |simply |then )*"
    r"(?:tell|say|show|print|warn|notice|report|answer|list|display|accept|offer|"
    r"be able to|be (?:noticed|shown|told|visible|printed|listed))\b"
)
"""What a part of the work is to do: "the page should show more"."""

LENGTH = re.compile(
    rf"^\W*(?:(?:about|at most|no more than|roughly|so|and) )*{NUMBER}(?:(?: or | to |-){NUMBER})? {OF_TEXT} "
    r"(?:is|are|will|would) (?:be )?(?:enough|plenty|fine|ok|okay|do)\W*$"
)
"""How long one text is to be."""

TEXT_WANTED = re.compile(
    LEAD
    + r"(?:now |then |next )*(?:i|we) (?:just |also |still )?need (?:an?|the) (?:\w+ )?(?:summary|text|e-?mail|mail|"
    r"note|draft|overview|paragraph|headline)\b|"
    rf"{LEAD}(?:now |then )?(?:i|we) (?:just |also )?need {NUMBER}(?: ?(?:-|–|or|to) ?{NUMBER})? {OF_TEXT} "
    r"(?:for|on|about|of)\b"
)
"""A text that somebody needs once: "i need 2-3 lines for the newsletter"."""

OFFERS_TEXT = re.compile(
    r"\b(?:shall|should|may|can|do you want me to|want me to)(?: i)? (?:also |now |then )?(?:write|draft|answer|"
    r"reply|send|word|compose|post)\b[^.?]{0,60}\?\W*$",
    re.IGNORECASE,
)
"""How an agent offers to write one text: "Shall I write the answer to the shop?"."""

IS_TEXT = re.compile(
    r"\b(?:answer|reply|e-?mail|mail|message|notes?|letter|text|summary|description|announcement|post|comment)\b",
    re.IGNORECASE,
)

TURNS_DOWN = re.compile(r"^\W*(?:no|nope|nah|don't|do not|never|i)\b", re.IGNORECASE)
"""How somebody says that they would rather not, or do it themselves."""

WRITES = re.compile(
    r"\b(?:write|draft|word|summari[sz]e|readme|mail|letter|notes?|text|summary|description|explain|announcement)\b"
)

GIVES_LEAVE = re.compile(
    LEAD + r"you (?:may|can) (?:now |also |already )?(?:delete|remove|drop|close|merge|commit|throw away) "
    r"(?:the|this|that|it|them)\b"
)
"""How somebody gives leave for one thing that is at hand: "you may delete the branch"."""

LEAVES = re.compile(
    LEAD
    + r"(?:leave|keep|skip|forget)\b(?: [\w-]+){0,2} (?:it|them|that|this|those|these|ones?)\b(?: as (?:it|they) (?:is|"
    r"are|was|were)| \w+){0,2}\W*$"
)
"""How an offer is turned down."""

OFFERS = re.compile(r"\b(?:i can|i could|i may|if you (?:like|want|wish|prefer)|happy to|let me know)\b", re.IGNORECASE)
"""How an agent offers to do more."""

MOST_TRAILING_WORDS = 3
"""Words of the longest remark behind a wish that belongs to it: "optional". Source: ours."""


def is_carried_out(exchange: Exchange, quote: str) -> bool:
    """Whether words of a message only ask for one thing that is done with it, by what they say and what followed."""
    if exchange.message.is_remark:
        return False
    told = [WELL.sub("", spelt_out(each.masked)) for each in split(quote)]
    if not told:  # a line of code alone
        return False
    while len(told) > 1 and len(told[-1].split()) <= MOST_TRAILING_WORDS and not HOLDS.search(told[-1]):
        told.pop()
    if THING.match(told[0]) and has_edit(exchange.followed):
        return LIMITS.search(told[0]) is None and not any(HOLDS.search(each) for each in told)
    if is_for_text(exchange) and not any(HOLDS.search(each) for each in told):
        return True
    if len(told) != 1 or HOLDS.search(told[0]):
        return False
    return is_text_wanted(exchange, told[0]) or turns_down(exchange, told[0]) or is_built(exchange, told[0])


def is_text_wanted(exchange: Exchange, lower: str) -> bool:
    """Whether a sentence asks for a text, or says how long the one is to be that its message asks for."""
    if TEXT_WANTED.match(lower):
        return True
    said = spelt_out(exchange.message.prose[:READ_CHARACTERS])
    return LENGTH.match(lower) is not None and WRITES.search(said) is not None and HOLDS.search(said) is None


def is_for_text(exchange: Exchange) -> bool:
    """Whether a message answers an offer to write one text, and so says how that one is to be."""
    offered = OFFERS_TEXT.search(exchange.said_before[-200:])
    if offered is None or IS_TEXT.search(offered[0]) is None:
        return False
    return TURNS_DOWN.match(exchange.message.prose) is None


def turns_down(exchange: Exchange, lower: str) -> bool:
    """Whether a sentence only turns down what the agent offered without asking."""
    said = exchange.said_before.rstrip("*_`) \n")
    return LEAVES.match(lower) is not None and not said.endswith("?") and OFFERS.search(said[-200:]) is not None


def is_built(exchange: Exchange, lower: str) -> bool:
    """Whether a sentence wishes for something that an edit made right then, and sets nothing of how it is to stay."""
    if GIVES_LEAVE.match(lower):
        return bool(exchange.followed) and not LIMITS.search(lower) and WITH_CONDITION.search(lower) is None
    is_wish = WISHES.match(lower) is not None or (PRODUCT.match(lower) is not None and not LIMITS.search(lower))
    sets_value = re.search(r"\d", lower) is not None or is_taken_up(exchange, lower)
    return is_wish and not sets_value and has_edit(exchange.followed)
