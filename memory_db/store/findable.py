"""Which entries may be found: the one clause that pools, neighbours, briefs and pages ask by.

An entry is kept so that it can be found, because it carries somebody's words or a tool's result; `transcripts.client`
says which records do. What was taken in before that rule, and carries neither, was set aside: its row stays, since
others lead to it. The triggers of full text hold the same clause.

A hook loads this: the standard library alone.
"""

from __future__ import annotations

SET_ASIDE = "other"
"""The kind of entries that nothing finds."""


def findable(entry: str) -> str:
    """SQL that holds for the entries of this alias that may be found."""
    return f"{entry}.kind <> '{SET_ASIDE}'"
