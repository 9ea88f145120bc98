"""What is kept of a discussion: what orders, decides, forbids, limits, or sets the agent right, and nothing else.

In: one exchange and a finding in its message. Out: whether it is kept. Invariants: pure; where the agent did something,
and the user does not think aloud, all is.
"""

from __future__ import annotations

import re

from memory_db.extract.rules.discussion import (
    UNSURE,
    asks_order,
    is_musing,
    lowers_of,
    mostly_muses,
    muses,
    sets,
    sets_right,
)
from memory_db.extract.rules.exchanges import Exchange
from memory_db.extract.rules.language_cues import tables_for
from memory_db.extract.rules.prose import ProseFinding, spelt_out
from memory_db.extract.rules.surroundings import content
from memory_db.text.sentences import split

ORDER_CUES = frozenset(
    {"forbids", "from now on", "must", "not allowed", "stop doing", "told before", "decided", "prefer",
     "everywhere I work", "not like that", "always or never"}
)  # fmt: skip
"""Cues of other languages than English by which words set something."""

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
    return is_set(finding, prose, exchange.said_before)


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


def is_set(finding: ProseFinding, prose: str, before: str) -> bool:
    """Whether a finding of a discussion sets something: it orders, decides, forbids, limits, or sets the agent right.

    `prose` is its whole message, `before` what the agent said before it.
    """
    if finding.rule == "answers a question" and tables_for(before) is None:
        return asks_order(before) and not muses(finding.quote)
    if tables_for(finding.quote) is not None:
        whole = [one for one in split(prose) if one.start < finding.end and finding.start < one.end]
        is_mused = all(is_musing(spelt_out(one.masked)) for one in whole)
        return not ORDER_CUES.isdisjoint(finding.cues) and not is_mused
    if is_statement(prose) or any(map(sets, lowers_of(finding.quote))):
        return True
    return (sets_right(prose) or (asks_order(before) and not muses(prose))) and not muses(finding.quote)


def is_statement(prose: str) -> bool:
    """Whether a message states something in a few words, and neither muses, asks nor takes up what was said."""
    lowers = [spelt_out(each.masked) for each in split(prose)]
    if sum(len(each.split()) for each in lowers) > MOST_OF_A_STATEMENT or any(map(UNSURE.search, lowers)):
        return False
    return not any(each.rstrip().endswith("?") or GOES_ON.match(each) or is_musing(each) for each in lowers)
