"""Words that somebody asks about: "is this good advice: ...", which states nothing.

In: a text. Out: whether it asks what to think of the words that follow. Invariant: pure, linear in the length of the
text.

A hook loads this: the standard library alone.
"""

# ruff: noqa: E501  # a pattern a line

from __future__ import annotations

import re

from memory_db.records import later

ASKS = (
    r"\b(?:is (?:this|that|it|the following)|are (?:these|those)|does (?:this|that|it)|do you agree|would you (?:agree|say)|"
    r"what do you (?:think|make) of|how (?:true|good|bad) is|agree or disagree|true or false|thoughts on|opinions? on)\b"
    r"[^:.!?\n]{0,50}:",
    r"\b(?:ist (?:das|dies|folgendes)|stimmt (?:das|es|folgendes)|was hältst du von|was meinst du zu|taugt)\b[^:.!?\n]{0,50}:",
    r"(?:est-ce|\bc'est (?:vrai|un bon|une bonne)|que penses-tu|tu penses quoi|t'en penses quoi)[^:.!?\n]{0,50}:",
    r"(?:\bes (?:cierto|verdad|buen|buena)\b|qué (?:opinas|te parece|piensas))[^:.!?\n]{0,50}:",
    r"(?:\bé (?:verdade|bom|boa|um bom|uma boa)\b|o que (?:achas|você acha|acha))[^:.!?\n]{0,50}:",
    r"(?:\bè (?:vero|un buon|una buona)\b|cosa ne pensi|che ne pensi)[^:.!?\n]{0,50}:",
    r"(?:это (?:правда|хороший|верно|нормальный)|что (?:думаешь|скажешь))[^:.!?\n]{0,50}:",
    r"(?:czy to (?:prawda|dobr\w+)|co (?:myślisz|sądzisz))[^:.!?\n]{0,50}:",
    r"(?:这(?:个|条|样)?[^:：。\n]{0,10}(?:对吗|对不对|靠谱吗|怎么样)|你(?:怎么看|觉得))[^:：。\n]{0,10}[:：]",
    r"(?:この|これ)[^:：。\n]{0,20}(?:正しい|どう思|どう\?|どうです|いいと思)[^:：。\n]{0,15}[:：]",
)
"""How somebody asks what to think of the words that follow."""

ASKED = later("|".join(ASKS), re.IGNORECASE)


def is_asked_about(text: str) -> bool:
    """Whether a text asks what to think of words that stand in it."""
    return ASKED.search(text) is not None
