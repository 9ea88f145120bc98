"""Vectors and spans that come with their texts, so that no model has to read them again.

In: texts that came. Out: their rows of `static_vectors`, `token_signs`, `condition_vectors`, `prompt_vectors` and
`spans`, and of llm's embeddings. Invariant: a vector comes with the text it was made of, and with no other; what is
missing then the index makes.
"""

from __future__ import annotations

import sqlite3

from memory_db.index.semantic import SORTS, has_llm_tables
from memory_db.upkeep.merge.rows import OTHER, Counts

OF_VERSIONS = ("static_vectors", "condition_vectors", "token_signs")

OF_ENTRIES = ("static_vectors", "prompt_vectors", "token_signs", "spans")

REFERENCES = ("id", "memory_version_id", "entry_id")
"""Columns of these tables that are numbers; all others are what was made of a text."""

MAPS = {"memories": "memory_versions", "entries": "entries"}
"""The table whose rows each of `SORTS` embeds."""


def bring_vectors(db: sqlite3.Connection, counts: Counts) -> None:
    """Brings what was made of texts that are new here."""
    for tables, column, parent in (
        (OF_VERSIONS, "memory_version_id", "memory_versions"), (OF_ENTRIES, "entry_id", "entries"),
    ):  # fmt: skip
        for table in tables:
            columns = [row[1] for row in db.execute(f"pragma table_info({table})") if row[1] not in REFERENCES]
            added = db.execute(
                f"insert or ignore into main.{table} ({column}, {', '.join(columns)})"
                f" select p.own_id, {', '.join('o.' + name for name in columns)}"
                f" from temp.map_{parent} p join {OTHER}.{table} o on o.{column} = p.other_id where p.is_new = 1"
            ).rowcount
            counts.add(table, new=added)
    if has_embeddings(db):
        make_llm_tables(db)
        bring_embeddings(db, counts)


def make_llm_tables(db: sqlite3.Connection) -> None:
    """Makes llm's tables for embeddings where this file has none yet."""
    if has_llm_tables(db):
        return
    from llm.embeddings_migrations import embeddings_migrations  # noqa: PLC0415  # start-up: a second, once a file

    from memory_db.store.llm_tables import make_tables  # noqa: PLC0415  # start-up: with the above

    make_tables(db, embeddings_migrations.apply)


def has_embeddings(db: sqlite3.Connection) -> bool:
    """Whether the other file has embeddings."""
    sql = f"select count(*) from {OTHER}.sqlite_master where type = 'table' and name in ('embeddings', 'collections')"
    return bool(db.execute(sql).fetchone()[0] == 2)


def bring_embeddings(db: sqlite3.Connection, counts: Counts) -> None:
    """Brings llm's embeddings of texts that are new here, of collections of ours."""
    for sort in SORTS:
        db.execute(
            f"insert or ignore into main.collections (name, model) select name, model from {OTHER}.collections"
            " where name = ? || '/' || model",
            [sort],
        )
        added = db.execute(
            "insert or ignore into main.embeddings (collection_id, id, embedding, content_hash, updated)"
            " select m.id, cast(p.own_id as text), o.embedding, o.content_hash, o.updated"
            f" from {OTHER}.collections c join main.collections m on m.name = c.name"
            f" join {OTHER}.embeddings o on o.collection_id = c.id"
            f" join temp.map_{MAPS[sort]} p on p.other_id = cast(o.id as integer) and p.is_new = 1"
            " where c.name = ? || '/' || c.model",
            [sort],
        ).rowcount
        counts.add("embeddings", new=added)
