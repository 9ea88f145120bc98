"""What llm shows of our embeddings: the uid by which each is read back, and the words that it was made of.

In: rows of llm's `embeddings`. Out: the same with `content` and `metadata`. Invariant: `content` is a copy of stored
text and no longer than a model reads; whoever takes words out of a text empties it here (`forget_words`), and the next
run of `index` fills it in again.

Ids stay numbers of our rows, which full text and signatures go by too; `memory-db memory get UID` reads the uid back.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable

from memory_db.index.semantic import collection_id, has_llm_tables
from memory_db.store.connection import transaction

MAX_CONTENT_CHARS = 1_000
"""How much of a text is copied. Source: MiniLM reads 256 tokens, some four characters each."""

WRITTEN_AT_ONCE = 500
"""Rows between two commits: some ten milliseconds."""

TEXTS = {
    "memories": "select v.id, m.uid, v.kind, case when instr(v.text, v.title) = 1 then v.text"
                " else v.title || char(10) || v.text end as text"
                " from memory_versions v join memories m on m.id = v.memory_id",
    "entries": "select id, uid, kind, text from entries",
}  # fmt: skip
"""The texts of a sort, with what names them."""

FILL = """
update embeddings set content = t.text, metadata = json_object('uid', t.uid, 'kind', t.kind)
from (select e.rowid as place, substr(t.text, 1, {most}) as text, t.uid, t.kind
      from embeddings e join ({texts}) t on t.id = cast(e.id as integer)
      where e.collection_id = ? and e.content is null limit {rows}) t
where embeddings.rowid = t.place
"""


def fill(db: sqlite3.Connection, model: str) -> int:
    """Fills in what llm shows of the rows that lack it: how many did. Raises: sqlite3.Error."""
    filled = 0
    for sort, texts in TEXTS.items():
        collection = collection_id(db, sort, model)
        sql = FILL.format(most=MAX_CONTENT_CHARS, texts=texts, rows=WRITTEN_AT_ONCE)
        changed = WRITTEN_AT_ONCE if collection is not None else 0
        while changed == WRITTEN_AT_ONCE:
            with transaction(db):
                changed = db.execute(sql, [collection]).rowcount
            filled += changed
    return filled


def forget_words(db: sqlite3.Connection, sort: str, ids: Iterable[int]) -> None:
    """Empties the copies of texts whose words changed, in the transaction of who calls."""
    if has_llm_tables(db):
        db.execute(
            "update embeddings set content = null where id in (select cast(value as text) from json_each(?))"
            " and collection_id in (select id from collections where name = ? || '/' || model)",
            [json.dumps(list(ids)), sort],
        )
