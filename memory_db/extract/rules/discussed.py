"""What is kept of a discussion: what orders, decides, forbids, limits, or sets the agent right, and nothing else.

In: one exchange and a finding in its message. Out: whether it is kept. Invariants: pure; where the agent did something,
and the user does not think aloud, all is.
"""

from __future__ import annotations

import re

from memory_db.extract.rules.answering import asked_before
from memory_db.extract.rules.discussion import is_musing, mostly_muses
from memory_db.extract.rules.exchanges import Exchange
from memory_db.extract.rules.language_cues import tables_for
from memory_db.extract.rules.order_cues import ORDERS
from memory_db.extract.rules.prose import ProseFinding, matching, spelt_out
from memory_db.extract.rules.surroundings import content
from memory_db.text.sentences import split

HISTORY = re.compile(
    r"\b(?:when|since|once|after|before|because|back when|until) (?:we|they|you) (?:\w+ )?(?:decided|agreed|settled)\b|"
    r"\b(?:back then|at the time|originally|years ago|historically|in the past|at some point)\b"
)
"""How somebody tells of what was decided once."""

UNSURE = re.compile(
    r"\b(?:would|could|might|may be|maybe|perhaps|probably|possibly|should probably|wouldn't|i think|in theory|"
    r"theoretically|hypothetically|ideally|presumably|what if|if we)\b"
)
"""Words of who does not say that it is so."""

CLAUSE = re.compile(r"(?:[,;:] |(?<=\w) [-–—] |\.\.+ )(?:(?:but|and|so|though) )*")
"""Where another part of a sentence begins."""

CORRECTS = re.compile(
    r"^\W*(?:(?:hm+|well|oh|ah|hey|sorry|actually)\b\W+)*(?:no|nope|nah|wrong|not quite|absolutely not|never)\b"
    r"(?!\W+(?:i\b|i'm|i've|we (?:didn't|haven't|weren't)|worries|problem|rush|need|idea|(?:that|it)(?:'s| is| makes) "
    r"(?:fine|ok|okay|clear|good|great|helpful|all|perfect|sense|it)\b|not (?:yet|really)))|"
    r"^\W*(?:(?:that|this|it)(?:'s| is| was)|[\w `'.()-]{2,40} (?:is|are))(?:n't| not)? (?:wrong|incorrect|"
    r"backwards|right(?= - | – |, ))\b"
)
"""How somebody sets right what the agent said."""

ASKS_ORDER = re.compile(
    r"\b(?:should|shall) (?:i|we|it|this|that|they|the|a|an)\b|\bdo you want\b|\bwant me to\b|\bwould you (?:like|"
    r"prefer)\b|\b(?:which|what|how (?:many|long|much|often)) [^?]*\b(?:do (?:we|you) (?:want|use|keep)|should|limit|"
    r"ceiling|rule|policy)\b|\bor (?:do|should|shall|keep|leave|just)\b[^?]*\?",
    re.IGNORECASE,
)
"""How an agent asks what it is to do, or what holds."""

ORDER_CUES = frozenset(
    {"forbids", "from now on", "must", "not allowed", "stop doing", "told before", "decided", "prefer",
     "everywhere I work", "not like that", "always or never"}
)  # fmt: skip
"""Cues of other languages than English by which words set something."""

CORRECTED_SENTENCES = 2
"""Sentences from the beginning of a message within which what it sets right stands. Source: ours."""

MOST_OF_A_STATEMENT = 20
"""Words of the longest message that is no talk for being in a discussion, if nothing in it is: who discusses goes on at
length. Source: ours; a message of a discussion has some fifty words."""

GOES_ON = re.compile(r"^\W*(?:so|then|and|but|yes|yeah|yep|exactly|right|true|ok|okay|definitely|absolutely|agreed)\b")
"""How somebody begins who takes up what was said."""

CONCLUDES = re.compile(
    r"^\W*(?:(?:ah|oh|aha|ok|okay|right|yes|yeah|got it|gotcha|i see|understood|hm+)\b\W+)*(?:and )?(?:so|then|meaning|"
    r"in other words|which means)\b"
)
"""How somebody says in their own words what was explained to them."""

FEWEST_RESTATED = 3
SHARE_RESTATED = 0.8
"""Words that mean something in the shortest sentence that says again what the agent said, and the share of them that
stand there. Source: ours."""


def is_kept(exchange: Exchange, prose: str, finding: ProseFinding) -> bool:
    """Whether a finding is more than talk: its exchange no discussion, or something set in it, and nothing restated."""
    if not exchange.is_discussed and not is_talk(exchange):
        return not restates(exchange, finding)
    question = asked_before(exchange)
    return is_set(finding, prose, question.question if question else "")


def is_talk(exchange: Exchange) -> bool:
    """Whether a message only talks with an agent that did nothing around it."""
    did = exchange.action is not None or bool(exchange.followed)
    is_answered = exchange.statement is not None or exchange.reply is not None
    return not did and is_answered and not exchange.message.is_remark and mostly_muses(exchange.message.prose)


def restates(exchange: Exchange, finding: ProseFinding) -> bool:
    """Whether every sentence of a finding only says again what the agent said right before."""
    if exchange.statement is None or exchange.message.is_remark or exchange.followed:
        return False
    there = set(content(exchange.said_before))
    said = split(finding.quote)
    return bool(said) and all(is_again(spelt_out(each.text), there) for each in said)


def is_again(lower: str, there: set[str]) -> bool:
    """Whether a sentence concludes something whose words were said already."""
    if CONCLUDES.match(lower) is None or sets(lower):
        return False
    words = [each for each in content(lower) if not each.isdigit()]
    return len(words) >= FEWEST_RESTATED and sum(each in there for each in words) >= SHARE_RESTATED * len(words)


def is_set(finding: ProseFinding, prose: str, asked: str) -> bool:
    """Whether a finding of a discussion sets something: it orders, decides, forbids, limits, or sets the agent right.

    `prose` is its whole message, `asked` what the agent asked before it.
    """
    if finding.rule == "answers a question" and tables_for(asked) is None:
        return ASKS_ORDER.search(asked) is not None and not is_musing(spelt_out(finding.quote))
    if tables_for(finding.quote) is not None:
        whole = [one for one in split(prose) if one.start < finding.end and finding.start < one.end]
        is_mused = all(is_musing(spelt_out(one.masked)) for one in whole)
        return not ORDER_CUES.isdisjoint(finding.cues) and not is_mused
    if is_statement(prose):
        return True
    sentences = [spelt_out(each.masked) for each in split(finding.quote)]
    if any(sets(lower) for lower in sentences):
        return True
    return sets_right(finding, prose) and not any(map(is_musing, sentences))


def sets_right(finding: ProseFinding, prose: str) -> bool:
    """Whether a finding stands where its message begins with setting the agent right, perhaps behind a first word."""
    opening = split(prose)[: CORRECTED_SENTENCES + 1]
    begun = [CORRECTS.match(spelt_out(one.masked)) is not None for one in opening[:CORRECTED_SENTENCES]]
    first = begun.index(True) if True in begun else -1
    return first >= 0 and any(finding.start < one.end for one in opening[first : first + CORRECTED_SENTENCES])


def is_statement(prose: str) -> bool:
    """Whether a message states something in a few words, and neither muses, asks nor takes up what was said."""
    lowers = [spelt_out(each.masked) for each in split(prose)]
    if sum(len(each.split()) for each in lowers) > MOST_OF_A_STATEMENT or any(map(UNSURE.search, lowers)):
        return False
    return not any(each.rstrip().endswith("?") or GOES_ON.match(each) or is_musing(each) for each in lowers)


def sets(lower: str) -> bool:
    """Whether a sentence orders, decides, forbids or limits, and neither guesses nor tells how it came about.

    What it begins with may be talk: "good point, but we never ship on fridays".
    """
    if lower.rstrip().endswith("?") or UNSURE.search(lower) or HISTORY.search(lower):
        return False
    said = [lower, *(lower[cut.end() :] for cut in CLAUSE.finditer(lower))]
    return any(any(matching(ORDERS, each, "user", False)) and not is_musing(each) for each in said)
