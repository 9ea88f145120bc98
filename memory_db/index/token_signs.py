"""The bits of tokens kept up to date, and a job that makes what is missing.

In: the texts that are embedded. Out: rows of `token_signs`, mostly made by the run of the model that embeds a text;
what was embedded without them waits for a job.

Invariants: bits belong to the text that they were made of, for triggers remove them with it; each batch is committed
and what is missing is found by looking, the newest first, so that a killed job goes on where it stopped; where the
setting `interaction` is off, or another model embeds, there are none.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from datetime import datetime

from memory_db.index.interaction import COLUMN, packed
from memory_db.index.semantic import collection_id, full_name
from memory_db.index.texts import ENTRIES, MEMORIES, Sort, batches, ids_of, texts_of
from memory_db.models.embedders import MINILM, NO_MODEL, BuiltInEmbedder, Embedder, Vector, load_embedder
from memory_db.store import jobs, settings
from memory_db.store.connection import transaction

Progress = Callable[[str, int, int | None], None]

TOKEN_SIGNS = "token-signs"
"""Kind of the job that makes the bits of texts that were embedded without; its key is the model."""

BATCH = 64
"""Texts between two commits: a second or two of work, which is what a kill can cost."""

PORTION = 1_000
"""Texts of which a worker makes bits in one go, well within a lease."""

REMOVED_AT_ONCE = 100
"""Rows between two looks whether others wait for the write lock."""


def are_wanted(db: sqlite3.Connection, model: str) -> bool:
    """Whether bits are kept: the model gives tokens, and the setting is on. Raises: InputError."""
    return model == MINILM and bool(settings.get(db, "interaction"))


def read(db: sqlite3.Connection, embedder: Embedder, texts: Sequence[str]) -> tuple[Vector, list[bytes]]:
    """The vectors of texts and the bits of their tokens, by one run of the model; no bits where none are kept.

    Raises: ModelError.
    """
    if not isinstance(embedder, BuiltInEmbedder) or not are_wanted(db, embedder.model_id):
        return embedder.embed(texts), []
    vectors, tokens = embedder.embed_tokens(texts)
    return vectors, [packed(each) for each in tokens]


def known(db: sqlite3.Connection, model: str, hashes: Sequence[bytes]) -> dict[bytes, bytes]:
    """The bits of texts that other rows of the same text have, by hash."""
    found: dict[bytes, bytes] = {}
    for sort in (MEMORIES, ENTRIES) if hashes and are_wanted(db, model) else ():
        rows = db.execute(
            "select e.content_hash, s.signs from embeddings e"
            f" join token_signs s on s.{COLUMN[sort.name]} = cast(e.id as integer) and s.model = ?"
            f" where e.collection_id = ? and e.content_hash in ({', '.join('?' * len(hashes))})",
            [model, collection_id(db, sort.name, model), *hashes],
        )
        found |= {row["content_hash"]: row["signs"] for row in rows}
    return found


def store(db: sqlite3.Connection, sort: Sort, model: str, rows: Sequence[tuple[int, bytes]]) -> None:
    """Stores (id, bits) in place of what is there, in the transaction of who calls."""
    column = COLUMN[sort.name]
    db.executemany(
        f"insert into token_signs ({column}, model, signs) values (?, ?, ?)"
        f" on conflict ({column}) do update set model = excluded.model, signs = excluded.signs",
        [(key, model, signs) for key, signs in rows],
    )


def pending(db: sqlite3.Connection, sort: Sort, model: str, most: int = -1) -> list[int]:
    """Ids of texts that have no bits by that model, the newest first, at most so many."""
    column = COLUMN[sort.name]
    return ids_of(
        db,
        f"select id from ({sort.texts_for(model)}) where id not in"
        f" (select {column} from token_signs where {column} is not null and model = ?) order by id desc limit ?",
        [model, most],
    )


def waiting(db: sqlite3.Connection, model: str, most: int = -1) -> list[tuple[Sort, list[int]]]:
    """What is pending of each sort whose texts are embedded, memories first; at most so many of each."""
    sorts = (MEMORIES, ENTRIES) if settings.get(db, "embed_entries") else (MEMORIES,)
    return [(sort, pending(db, sort, model, most)) for sort in sorts]


def refresh(db: sqlite3.Connection, model: str, now: datetime, *, at_once: bool) -> None:
    """Removes bits that are not wanted, and leaves to a job what is missing of texts that were embedded before.

    A few are made `at_once` if who asked can wait. Raises: ModelError.
    """
    remove_stale(db, model)
    missing = waiting(db, model, BATCH + 1) if are_wanted(db, model) else []
    count = sum(len(ids) for _, ids in missing)
    if at_once and count <= BATCH:
        for sort, ids in missing:
            fill(db, sort, model, ids)
    elif count:
        jobs.enqueue(db, TOKEN_SIGNS, model, {}, now)


def complete(db: sqlite3.Connection, model: str, progress: Progress | None = None) -> None:
    """Makes at once what is missing: for who measures. Raises: ModelError."""
    for sort, ids in waiting(db, model) if are_wanted(db, model) else ():
        fill(db, sort, model, ids, progress)


def remove_stale(db: sqlite3.Connection, model: str) -> int:
    """Removes bits of what is to have none any more, or of another model: how many rows."""
    stale = "model <> :model" if are_wanted(db, model) else "true"
    gone = f"{stale} or memory_version_id not in (select id from ({MEMORIES.full_texts}))"
    removed = 0
    with transaction(db) as lock:
        some = f"select id from token_signs where {gone} limit {REMOVED_AT_ONCE}"
        while count := db.execute(f"delete from token_signs where id in ({some})", {"model": model}).rowcount:
            removed += count
            lock.let_others()
    return removed


def fill(db: sqlite3.Connection, sort: Sort, model: str, ids: Sequence[int], progress: Progress | None = None) -> None:
    """Makes the bits of texts and commits each batch. Raises: ModelError."""
    if not ids:
        return
    embedder = load_embedder(model)
    done = 0
    for batch in batches(ids, BATCH):
        texts = texts_of(db, sort.texts_for(model), batch)
        _, signs = read(db, embedder, list(texts.values()))
        with transaction(db):
            there = texts_of(db, sort.texts_for(model), batch)  # what changed meanwhile is found again
            rows = [(key, made) for key, made in zip(texts, signs, strict=False) if there.get(key) == texts[key]]
            store(db, sort, model, rows)
        done += len(batch)
        if progress:
            progress(f"tokens of {sort.name}", done, len(ids))


@jobs.handles(TOKEN_SIGNS)
def fill_portion(db: sqlite3.Connection, job: jobs.Job, now: datetime, progress: Progress | None) -> bool:
    """Makes one portion of the bits that are missing; True when none is left, or none are wanted any more.

    Raises: ModelError, InputError.
    """
    named = settings.get_text(db, "embedding_model")
    if named == NO_MODEL or full_name(db, named) != job.key or not are_wanted(db, job.key):
        return True
    room = PORTION
    for sort, ids in waiting(db, job.key, PORTION + 1):
        fill(db, sort, job.key, ids[:room], progress)
        if len(ids) > room:
            return False
        room -= len(ids)
    return True
