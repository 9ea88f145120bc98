"""The uids of memories that a text names."""

from __future__ import annotations

from memory_db.records import later

UID = later(r"(?<![0-9A-Za-z_])m[0-9a-f]{8,64}(?![0-9A-Za-z_])")
"""A memory's uid where it stands alone."""


MOST_UIDS = 200
"""Uids of one reply that are looked at."""


def uids_in(text: str) -> list[str]:
    """The uids that a text names, each once, in order."""
    return list(dict.fromkeys(UID.findall(text)))[:MOST_UIDS]
