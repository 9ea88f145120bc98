"""Which texts get which vectors: memories and entries, as queries that give `id` and `text`.

In: a database. Out: ids and texts, and the hash of a text. Invariant: the
same query decides what is embedded, what is missing and what is stale.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memory_db.index.semantic import SORTS
from memory_db.models.embedders import MAX_CHARS
from memory_db.text.static_vectors import MAX_TEXT_CHARS

MIN_CHARS = 20
"""Shorter entries ("yes", "go on") say nothing without what they answer."""


@dataclass(frozen=True, slots=True)
class Sort:
    """Memories or entries: which texts get which vectors, as queries that give `id` and `text`."""

    name: str
    static_column: str
    static_texts: str
    full_texts: str


MEMORY_TEXT = "case when instr(text, title) = 1 then text else title || char(10) || text end as text"

MEMORIES = Sort(
    name=SORTS[0],
    static_column="memory_version_id",
    static_texts=f"select id, {MEMORY_TEXT} from memory_versions where recorded_to is null",
    full_texts=f"select id, {MEMORY_TEXT} from memory_versions where recorded_to is null and status <> 'retired'",
)

# Static vectors: whatever holds prose, and failed results, since errors are what people search for. The output of
# tools that worked is listings, files and numbers: the mean of their words means nothing.
# Full embeddings cost a thousand times as much: only what was said, and not the prompts that an agent gave another.
ENTRIES = Sort(
    name=SORTS[1],
    static_column="entry_id",
    static_texts=(
        f"select id, substr(text, 1, {MAX_TEXT_CHARS}) as text from entries"
        " where kind in ('prompt', 'reply', 'summary', 'document', 'thinking')"
        " or (kind = 'tool_result' and id in (select result_entry_id from actions where is_error = 1))"
    ),
    full_texts=(
        f"select id, substr(text, 1, {MAX_CHARS}) as text from entries"
        " where kind in ('prompt', 'reply', 'summary', 'document') and not (is_sidechain and kind = 'prompt')"
        f" and length(trim(text, ' ' || char(9, 10, 13))) >= {MIN_CHARS}"
    ),
)


def hash_of(text: str) -> bytes:
    """The hash by which llm tells contents apart. Source: llm's Collection.content_hash, MD5 of UTF-8."""
    return hashlib.md5(text.encode("utf-8", "replace"), usedforsecurity=False).digest()


def ids_of(db: sqlite3.Connection, query: str, arguments: Sequence[object] = ()) -> list[int]:
    """The first column of a query's rows."""
    return [row[0] for row in db.execute(query, arguments)]


def texts_of(db: sqlite3.Connection, query: str, ids: Sequence[int]) -> dict[int, str]:
    """Texts by id, of those ids that the query still gives."""
    rows = db.execute(f"select id, text from ({query}) where id in (select value from json_each(?))", [json.dumps(ids)])
    return {row["id"]: row["text"] for row in rows}


def batches(ids: Sequence[int], size: int) -> Iterator[Sequence[int]]:
    """The ids in slices of that size."""
    for start in range(0, len(ids), size):
        yield ids[start : start + size]
