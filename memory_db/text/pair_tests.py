"""Names of tests of two texts by which other rooms tell what was found.

A hook loads this: the standard library alone.
"""

from __future__ import annotations

MOST_OF_ONE_WORD = 25
"""Words of the longest text that is over by one word which it shares with what is called over, and by nothing else.
Source: ours, on the seen half of the labelled sessions."""

IN_PART = "explicit_part"
"""A part of the earlier text is over; what else it says still holds."""
