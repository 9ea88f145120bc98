"""Names of tests of two texts by which other rooms tell what was found.

A hook loads this: the standard library alone.
"""

from __future__ import annotations

SAME_CLAIMS = "same_claims"
"""Every claim of the newer text stands in the earlier one."""

SAME_TEXT = ("same_words", "same_content", SAME_CLAIMS)
"""Two texts of which one says nothing that the other does not."""

TELLS_OF_CHANGE, TURNS_ROUND = "tells of a change, and both ", "turns round what is said of "
OTHERWISE = " is otherwise by now"
"""How reasons begin, or end, by which one text may be over by another, though they name nothing that is.

Source: the sessions of `python -m bench remembering`, memories of fixes left out: of these reasons 10 of 36 are so, of
those that name what is over 15 of 26.
"""

MAY_CHANGE = "may change what is known"
"""The rule by which a candidate is found that is kept only where it changes a memory."""

IN_PART = "explicit_part"
"""A part of the earlier text is over; what else it says still holds."""


def is_vague(reason: str) -> bool:
    """Whether a reason names nothing that is over."""
    return reason.startswith((TELLS_OF_CHANGE, TURNS_ROUND)) or reason.endswith(OTHERWISE)
