"""The earlier prompts behind a hit: which ones were like the question, and what they came to that it is bound to.

In: the features of hits, as they were measured or logged. Out: plain dicts. Invariant: read anew from the sessions;
what was forgotten since is gone here too.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from typing import Any, TypedDict

from memory_db.index.association import names_between
from memory_db.recall.brief.placement import Placement

MOST_CHARACTERS = 90
"""Characters of a prompt that are shown."""

MOST_NAMES = 4
"""Of what a prompt and a memory have in common, how much is shown."""

PROMPT = """
select e.uid, s.uid as session_uid, e.created_at, e.text from entries e join sessions s on s.id = e.session_id
where e.id = ?
"""


class EarlierPrompt(TypedDict):
    """An earlier prompt that was like the question."""

    uid: str
    """Its entry's uid"""
    session_uid: str
    """Its session"""
    created_at: str
    """When it was said"""
    text: str
    """Its beginning"""
    through: list[str]
    """What it came to that the memory is bound to, the strongest first"""


def earlier_prompts(
    db: sqlite3.Connection, features: Mapping[str, Any], memory_version_id: int | None
) -> list[EarlierPrompt]:
    """The prompts behind a hit, the weightiest first; none of a hit that no earlier prompt leads to."""
    row = db.execute("select memory_id from memory_versions where id = ?", [memory_version_id]).fetchone()
    found: list[EarlierPrompt] = []
    for entry_id in features.get("association_prompts") or () if row else ():
        if (prompt := db.execute(PROMPT, [entry_id]).fetchone()) is not None:
            through = names_between(db, entry_id, row[0])[:MOST_NAMES]
            text = " ".join(prompt["text"].split())[:MOST_CHARACTERS]
            found.append({**dict(prompt), "text": text, "through": through})  # type: ignore[typeddict-item]
    return found


def add_earlier_prompts(db: sqlite3.Connection, hits: Iterable[Placement]) -> None:
    """Gives hits that are shown the earlier prompts behind them."""
    for hit in hits:
        if hit.features.association:
            hit.earlier_prompts = earlier_prompts(db, hit.features.as_dict(), hit.memory_version_id)


def describe(prompts: Iterable[Mapping[str, Any]]) -> list[str]:
    """The prompts in words, a line each."""
    return [
        f"earlier prompt of {each['created_at'][:10]}: {each['text']}"
        + (f" (came to {', '.join(each['through'])})" if each["through"] else "")
        for each in prompts
    ]
