"""Names of tests of two texts by which other rooms tell what was found.

A hook loads this: the standard library alone.
"""

from __future__ import annotations

IN_PART = "explicit_part"
"""A part of the earlier text is over; what else it says still holds."""
