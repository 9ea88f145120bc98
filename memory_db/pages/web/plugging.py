"""Gives a Datasette that serves a memory-db file our plugins and what metadata.yml says, without flags.

In: a Datasette that is being made. Out: the same, with the plugins of the shelf and the metadata of its file.
Invariants: one that serves no file of ours is left as it was; what its own metadata says comes before ours; a plugin
that `--plugins-dir` brings as well is there once.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from memory_db.pages.web import compat
from memory_db.pages.web.shelf import DATABASE, METADATA, PLUGINS, described


def plug(datasette: Any) -> None:
    """Brings in the plugins, and the metadata of the file, where the Datasette serves one of ours."""
    name = compat.memory_name(datasette)
    if name is None:
        return
    for path in sorted(PLUGINS.glob("*.py")):
        compat.register(path)
    compat.describe(datasette, described_as(name))


def described_as(name: str, metadata: Path = METADATA) -> dict[str, Any]:
    """metadata.yml with its database under another name."""
    found = described(metadata)
    found["databases"][name] = found["databases"].pop(DATABASE)
    return found
