"""Sizes of files in words.

In: bytes. Out: text for people, the same in the terminal and on pages.
"""

from __future__ import annotations


def size(count: int | None) -> str:
    """Bytes in decimal units."""
    value = float(count or 0)
    for unit in ("bytes", "kB", "MB"):
        if value < 1000:
            return f"{value:.0f} {unit}" if unit == "bytes" else f"{value:.1f} {unit}"
        value /= 1000
    return f"{value:,.1f} GB"
