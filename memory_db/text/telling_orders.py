"""Orders that tell more than what to do now: what was tried in vain, and what was agreed to and put off.

In: words in lower case. Out: yes or no. Invariant: pure, and linear in the length of the words.
"""

from __future__ import annotations

import re

UNDOES = re.compile(
    r"\b(?:take|rip|throw|pull|leave|kick|strip)\b[^.;!?]{0,60}?\bout\b|\b(?:put|roll|turn|bring|set|switch)\b"
    r"[^.;!?]{0,60}?\bback\b|\bback (?:it|that|this) out\b|"
    r"\b(?:revert|undo|remove|delete|drop|get rid of|unset|disable|switch off)\b"
)
"""How somebody has a thing undone."""

IN_VAIN = re.compile(
    r"\b(?:red herring|dead end|blind alley|wrong track|false (?:trail|scent|lead)|wild goose chase)\b|"
    r"\b(?:it|that|this|they|those|which)(?:'s| is| was| were| are)? (?:only |just )?"
    r"(?:(?:did|does|do)(?:n't| not)|never|hardly) (?:really |even )?"
    r"(?:help|cure|solve|change (?:a thing|anything|much)"
    r"|make (?:a|any|much) difference|do (?:a thing|anything|any good)|pay off)(?:s|ed)?\b|"
    r"\b(?:it|that|this|they|those|which) (?:only |just )?(?:made (?:it|things|everything|matters) (?:only )?worse"
    r"|made no difference|changed nothing|helped nothing|cured nothing|was no (?:use|help|good)"
    r"|(?:brought|gained|bought) (?:us )?nothing)\b"
)
"""What came of a thing that was tried: nothing."""

AGREES = re.compile(
    r"^\W*(?:(?:ok|okay|yes|yep|yeah|right|good|great|fine|well|all right)[,.!\s]+)*"
    r"(?:(?:let's|let us|lets|we(?:'ll| will)|i(?:'d| would) like to|please) (?:do|have|take|go (?:with|for)|try) "
    r"(?:that|it|this|so|them)\b|(?:agreed|deal|sounds good)\b)"
)
"""How somebody takes what was proposed."""

PUTS_OFF = re.compile(
    r"\b(?:but|just|only|though) (?:not (?:now|today|yet|tonight|in this)|later|next (?:week|month|time|sprint|year)|"
    r"(?:on )?(?:an)?other (?:day|time|session|occasion)|in (?:an)?other session|"
    r"in (?:a|the) (?:new|next|later) (?:session|sprint|release|branch)|some other (?:day|time)|"
    r"after (?:the|my|our) \w+)\b"
)
"""Till when they leave it."""


def tells_failure(lower: str) -> bool:
    """Whether an order has a thing undone because it was tried in vain: who comes next need not try it again."""
    return UNDOES.search(lower) is not None and IN_VAIN.search(lower) is not None


def is_put_off(lower: str) -> bool:
    """Whether words take what was proposed, for another time: nobody does it now, so it stays to be known."""
    return AGREES.match(lower) is not None and PUTS_OFF.search(lower) is not None
