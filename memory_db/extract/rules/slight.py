"""Whether what somebody tells rests on too little to be kept: on what happened only once, or on few signs in mere talk.

In: a finding that answers nothing and that no edit took up, with its exchange. Out: yes or no. Invariant: pure.
"""

from __future__ import annotations

import re

from memory_db.extract.rules.discussed import is_set
from memory_db.extract.rules.exchanges import Exchange
from memory_db.extract.rules.happenings import happened
from memory_db.extract.rules.surroundings import EXACT, MessageFinding
from memory_db.extract.rules.where import holds_everywhere, is_scope_alone
from memory_db.text.attribute_values import settings_of
from memory_db.text.statements import answered, own_words
from memory_db.text.terms import PATH

FEW_CUES = 2
"""Signs of a finding that are too few where nothing was done around a message that takes up what the agent said, and
it orders, decides and limits nothing.

Source: bench/data/sessions, both halves; of 111 texts in the user's own words with at most as many signs 53 are of no
use or cannot be read alone, of 240 with more 63.
"""


OVER_LIST = re.compile(r" ?[:–—-]?[ \t]*\n[ \t]*(?:[-*•]|\d{1,2}[.)]) ")
"""What stands behind the line that a list stands under: where its items hold, and no rule itself."""


def is_slight(exchange: Exchange, made: MessageFinding) -> bool:
    """Whether a finding of a message says too little by itself."""
    text = made.text
    behind = exchange.message.prose[made.finding.end :]
    if is_scope_alone(text) or (OVER_LIST.match(behind) and holds_everywhere(made.finding.quote)):
        return True
    if exchange.message.is_remark or answered(text)[0] or own_words(text) != text:
        return False
    return happened(made.finding.quote) or (is_talk_only(exchange) and rests_on_little(exchange, made))


def is_talk_only(exchange: Exchange) -> bool:
    """Whether a message takes up what the agent said, and nothing was done before or behind it."""
    return exchange.statement is not None and exchange.action is None and not exchange.followed


def rests_on_little(exchange: Exchange, made: MessageFinding) -> bool:
    """Whether few signs speak for a finding that sets nothing, and neither code, a path nor a value."""
    is_exact = EXACT.search(made.text) is not None or PATH.search(made.text) is not None
    if len(made.finding.cues) > FEW_CUES or is_exact or settings_of(made.text.lower()).values:
        return False
    return not is_set(made.finding, exchange.message.prose, exchange.said_before)
