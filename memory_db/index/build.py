"""Vectors kept up to date: static ones for nearly all texts, full embeddings for what is worth a model's time.

In: memory versions and entries. Out: rows of `static_vectors`, of llm's
`collections` and `embeddings`, and of `token_signs`, which are made by the run
of the model that embeds a text. Full text is not made here: triggers keep it.

Invariants: a second run changes nothing. Each batch is committed, and what is
missing is found by looking, so that a killed run goes on where it stopped. An
embedding belongs to the text it was made from (by its hash), so that a text
that changed is embedded again. llm's collections hold what is known now, and
what was superseded, which leads to its successor: vectors of memory versions
that are no longer current are removed there, their static ones stay for
questions as of a date.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Sequence
from datetime import datetime

from memory_db.errors import ModelError
from memory_db.index import association, grams, llm_rows, mentions, procedures, signatures, static_many, token_signs
from memory_db.index.conditions import index_conditions
from memory_db.index.semantic import (
    SORTS,
    EmbeddingIndex,
    collection_id,
    collection_name,
    embedded_models,
    full_name,
    has_llm_tables,
    open_semantic,
)
from memory_db.index.texts import ENTRIES, MEMORIES, Sort, batches, hash_of, ids_of, texts_of
from memory_db.knowledge.graph import edges, entities
from memory_db.models.embedders import NO_MODEL, Embedder, load_embedder
from memory_db.store import jobs, settings
from memory_db.store.connection import transaction
from memory_db.text import static_vectors
from memory_db.transcripts import spans

__all__ = ["EMBED_ENTRIES", "EmbeddingIndex", "full_name", "open_semantic", "pending", "run"]

Progress = Callable[[str, int, int | None], None]

EMBED_ENTRIES = "embed-entries"
"""Kind of the job that embeds entries; its key is the model."""

STATIC_BATCH = 500
"""Texts between two commits: a tenth of a second's work."""

WRITTEN_AT_ONCE = 100
"""Rows between two looks whether others wait for the write lock: some ten milliseconds."""

FULL_BATCH = 128
"""Texts between two commits: a few seconds' work, which is what a kill can cost."""

PORTION = 2_000
"""Entries that a worker embeds in one go, well within a lease."""


def run(
    db: sqlite3.Connection, *, now: datetime, progress: Progress | None = None, entries: bool = True
) -> dict[str, int]:
    """Brings all vectors up to date: counts of rows made and removed, and of `entries_waiting` for a worker.

    Args:
        entries: embed entries at once; else they are left to the job that a worker carries out.

    Raises: ModelError if the embedding model cannot be used (static vectors are there all the same), InputError
    for a setting that holds what it does not accept.
    """
    counts: dict[str, int] = {
        "static_memories": make_static(db, MEMORIES, progress),
        "static_entries": make_static(db, ENTRIES, progress),
        "embedded_memories": 0,
        "embedded_entries": 0,
        "removed_embeddings": 0,
        "entries_waiting": 0,
    }
    counts["spans"] = spans.complete(db)
    counts |= grams.fill(db, progress)
    index_conditions(db)
    counts["entities_changed"] = entities.refresh(db, now=now)
    counts["ties_changed"] = association.refresh(db)
    signatures.refresh(db)
    drawn = edges.refresh(db, now=now)
    counts |= {name: drawn[name] for name in ("edges_drawn", "edges_ended")}
    counts["procedures_changed"] = procedures.refresh(db)
    counts["mentions_added"] = mentions.refresh(db, now=now)
    wanted = settings.get_text(db, "embedding_model")
    if wanted == NO_MODEL:
        return counts
    model = full_name(db, wanted)
    # In this order a new version with the text of the one before takes over its vector.
    counts["embedded_memories"] = embed(db, MEMORIES, model, pending(db, MEMORIES, model), now, progress)
    counts["removed_embeddings"] = remove_stale(db, model)
    if settings.get(db, "embed_entries"):
        waiting = pending(db, ENTRIES, model)
        if waiting:
            jobs.enqueue(db, EMBED_ENTRIES, model, {}, now)
        if waiting and entries:
            counts["embedded_entries"] = embed_at_once(db, model, waiting, now, progress)
        else:
            counts["entries_waiting"] = len(waiting)
    counts["removed_embeddings"] += retire_other_models(db, model)
    llm_rows.fill(db, model)
    token_signs.refresh(db, model, now, at_once=entries)
    return counts


# -------------------------------------------------------------- static vectors


def make_static(db: sqlite3.Connection, sort: Sort, progress: Progress | None) -> int:
    """Makes static vectors and signs of words that are missing or of another model; empty without a known word.

    Raises: ModelError if the file of word vectors is missing.
    """
    column = sort.static_column
    missing = ids_of(
        db,
        f"select t.id from ({sort.static_texts}) t left join static_vectors v on v.{column} = t.id"
        " where v.id is null or v.model <> ? or v.word_signs is null order by t.id",
        [static_vectors.MODEL_ID],
    )
    upsert = (
        f"insert into static_vectors ({column}, model, vector, word_signs)"
        f" values (?, '{static_vectors.MODEL_ID}', ?, ?) on conflict ({column})"
        " do update set model = excluded.model, vector = excluded.vector, word_signs = excluded.word_signs"
    )
    done = 0
    for batch in batches(missing, STATIC_BATCH):
        texts = texts_of(db, sort.static_texts, batch)
        made = static_many.vectors_and_signs(list(texts.values()))
        rows = [(key, vector, signs) for key, (vector, signs) in zip(texts, made, strict=True)]
        with transaction(db) as lock:
            for start in range(0, len(rows), WRITTEN_AT_ONCE):
                lock.let_others()
                db.executemany(upsert, rows[start : start + WRITTEN_AT_ONCE])
        done += len(batch)
        report(progress, f"static vectors of {sort.name}", done, len(missing))
    return len(missing)


# -------------------------------------------------------------- full embeddings


def pending(db: sqlite3.Connection, sort: Sort, model: str) -> list[int]:
    """Ids of texts without an embedding, or with one of another text; the newest first."""
    collection = collection_id(db, sort.name, model)
    if collection is None:
        return ids_of(db, f"select id from ({sort.texts_for(model)}) order by id desc")
    rows = db.execute(
        f"select t.id, t.text, e.content_hash from ({sort.texts_for(model)}) t left join embeddings e"
        " on e.collection_id = ? and e.id = cast(t.id as text) order by t.id desc",
        [collection],
    )
    return [row["id"] for row in rows if row["content_hash"] != hash_of(row["text"])]


def embed(
    db: sqlite3.Connection, sort: Sort, model: str, ids: Sequence[int], now: datetime, progress: Progress | None
) -> int:
    """Embeds texts and commits each batch: how many there were. Raises: ModelError."""
    if not ids:
        return 0
    embedder = load_embedder(model)
    collection = make_collection(db, sort, model)
    done = 0
    for batch in batches(ids, FULL_BATCH):
        texts = texts_of(db, sort.full_texts, batch)
        hashes = {key: hash_of(text) for key, text in texts.items()}
        vectors, signs = vectors_by_hash(db, embedder, {hashes[key]: text for key, text in texts.items()})
        made = [(key, signs[found]) for key, found in hashes.items() if found in signs]
        with transaction(db):
            token_signs.store(db, sort, model, made)
            db.executemany(
                "insert or replace into embeddings (collection_id, id, embedding, content_hash, updated)"
                " values (?, ?, ?, ?, ?)",
                [(collection, str(key), vectors[found], found, int(now.timestamp())) for key, found in hashes.items()],
            )
        done += len(batch)
        report(progress, f"embeddings of {sort.name} ({model})", done, len(ids))
    return done


def vectors_by_hash(
    db: sqlite3.Connection, embedder: Embedder, texts: dict[bytes, str]
) -> tuple[dict[bytes, bytes], dict[bytes, bytes]]:
    """The vector of each text, as llm keeps it, and the bits of its tokens where they are kept.

    What the model embedded before is not embedded again. Raises: ModelError.
    """
    marks = ", ".join("?" * len(texts))
    known = db.execute(
        "select e.content_hash, e.embedding from embeddings e join collections c on c.id = e.collection_id"
        f" where c.model = ? and e.content_hash in ({marks})",
        [embedder.model_id, *texts],
    )
    vectors = {row["content_hash"]: row["embedding"] for row in known}
    unknown = [key for key in texts if key not in vectors]
    signs = token_signs.known(db, embedder.model_id, list(vectors))
    if unknown:
        embedded, packed = token_signs.read(db, embedder, [texts[key] for key in unknown])
        vectors |= {key: row.astype("<f4").tobytes() for key, row in zip(unknown, embedded, strict=True)}
        signs |= dict(zip(unknown, packed, strict=False))
    return vectors, signs


def make_collection(db: sqlite3.Connection, sort: Sort, model: str) -> int:
    """The id of a collection, made with llm's tables where they are missing.

    Rows are ours to write: llm's own way would store the same, but by a transaction that it opens itself, and
    it skips a text that another id has. The words that llm shows are filled in by `llm_rows`.
    """
    if not has_llm_tables(db):
        from llm.embeddings_migrations import embeddings_migrations  # noqa: PLC0415  # start-up: a second, once a file

        from memory_db.store.llm_tables import make_tables  # noqa: PLC0415  # start-up: with the above

        make_tables(db, embeddings_migrations.apply)
    with transaction(db):
        db.execute(
            "insert or ignore into collections (name, model) values (?, ?)", [collection_name(sort.name, model), model]
        )
    found = collection_id(db, sort.name, model)
    if found is None:
        raise ModelError(f"llm's tables in this file cannot hold {model}. Run `llm embed-db collections` on it.")
    return found


def remove_stale(db: sqlite3.Connection, model: str) -> int:
    """Removes embeddings of what is not embedded any more: old versions, retired memories, forgotten entries."""
    removed = 0
    for sort in (MEMORIES, ENTRIES):
        collection = collection_id(db, sort.name, model)
        if collection is None:
            continue
        stale = [
            (collection, row["id"])
            for row in db.execute(
                f"select id from embeddings where collection_id = ?"
                f" and id not in (select cast(id as text) from ({sort.texts_for(model)}))",
                [collection],
            )
        ]
        with transaction(db) as lock:
            for key in stale:
                lock.let_others()
                db.execute("delete from embeddings where collection_id = ? and id = ?", key)
        removed += len(stale)
    return removed


def retire_other_models(db: sqlite3.Connection, model: str) -> int:
    """Removes the vectors of other models once all is embedded with this one; until then they answer."""
    others = [name for name in embedded_models(db) if name != model]
    sorts = (MEMORIES, ENTRIES) if settings.get(db, "embed_entries") else (MEMORIES,)
    if not others or any(pending(db, sort, model) for sort in sorts):
        return 0
    names = json.dumps([collection_name(sort, other) for sort in SORTS for other in others])
    ours = "(select id from collections where name in (select value from json_each(?)))"
    removed = 0
    some = f"select rowid from embeddings where collection_id in {ours} limit {WRITTEN_AT_ONCE}"
    with transaction(db) as lock:
        while gone := db.execute(f"delete from embeddings where rowid in ({some})", [names]).rowcount:
            removed += gone
            lock.let_others()
        db.execute("delete from collections where name in (select value from json_each(?))", [names])
    return removed


# --------------------------------------------------------------- entries as a job


@jobs.handles(EMBED_ENTRIES)
def embed_portion(db: sqlite3.Connection, job: jobs.Job, now: datetime, progress: Progress | None) -> bool:
    """Embeds one portion of the entries that wait for the job's model; True when none is left.

    A job for a model that is not wanted any more has nothing left. Raises: ModelError, InputError.
    """
    wanted = settings.get_text(db, "embedding_model")
    if wanted == NO_MODEL or not settings.get(db, "embed_entries") or full_name(db, wanted) != job.key:
        return True
    waiting = pending(db, ENTRIES, job.key)
    embed(db, ENTRIES, job.key, waiting[:PORTION], now, progress)
    llm_rows.fill(db, job.key)
    if len(waiting) > PORTION:
        return False
    retire_other_models(db, job.key)
    return True


def embed_at_once(
    db: sqlite3.Connection, model: str, ids: Sequence[int], now: datetime, progress: Progress | None
) -> int:
    """Carries out the job now, whoever holds it: who asked waits, and the same vector twice does no harm.

    Raises: ModelError, which the job keeps.
    """
    job = jobs.take(db, EMBED_ENTRIES, model, now)
    try:
        embedded = embed(db, ENTRIES, model, ids, now, progress)
    except ModelError as error:
        jobs.fail(db, job.id, str(error), now)
        raise
    jobs.finish(db, job.id, now)
    return embedded


def report(progress: Progress | None, what: str, done: int, total: int) -> None:
    """Tells how far it is, if somebody wants to know."""
    if progress:
        progress(what, done, total)
