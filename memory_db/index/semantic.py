"""Similarity of meaning by a full embedding model, over vectors that `index` put into llm's tables.

In: a question's text and ids. Out: cosines. The vectors of a sort and model
are llm's collection `<sort>/<model>`, such as `memories/minilm-int8`; an
embedding's id there is the memory version's or the entry's id. They are held
as one matrix a sort, small (see `vector_store.py`), read once a process; rows
that are new are added to it, and all is read again when rows are gone.

Invariant: nothing here writes, and no model is loaded before a text must be
embedded. A new model answers only when all is embedded with it; until then
the one before does, for `index` removes the old vectors at that moment.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import numpy as np

from memory_db.errors import ModelError
from memory_db.index.interaction import AskedTokens, asked_tokens, met_words, similarities, stored_signs
from memory_db.index.vector_store import BLOCK, Matrix, Portion, coded
from memory_db.models.embedders import (
    MAX_CHARS,
    MINILM,
    MINILM_ALIAS,
    NO_MODEL,
    BuiltInEmbedder,
    Vector,
    load_embedder,
)
from memory_db.store import settings

SORTS = ("memories", "entries")

QUERIES_KEPT = 64
"""Vectors of the last questions kept in memory, about 2 kB each."""


# ------------------------------------------------------------ llm's collections


def collection_name(sort: str, model: str) -> str:
    """What llm calls the vectors of a sort by a model."""
    return f"{sort}/{model}"


def has_llm_tables(db: sqlite3.Connection) -> bool:
    """Whether llm's tables for embeddings are there, in a form that keeps hashes of content."""
    return bool(db.execute("select 1 from pragma_table_info('embeddings') where name = 'content_hash'").fetchone())


def collection_id(db: sqlite3.Connection, sort: str, model: str) -> int | None:
    """The id of a collection, or None if there is none."""
    if not has_llm_tables(db):
        return None
    row = db.execute("select id from collections where name = ?", [collection_name(sort, model)]).fetchone()
    return None if row is None else int(row["id"])


def embedded_models(db: sqlite3.Connection) -> dict[str, int]:
    """Models with vectors of ours in the file, each with their number, most first."""
    if not has_llm_tables(db):
        return {}
    rows = db.execute(
        "select c.model, count(e.id) as vectors from collections c join embeddings e on e.collection_id = c.id"
        " where c.name in (? || '/' || c.model, ? || '/' || c.model) group by c.model order by vectors desc, c.model",
        SORTS,
    )
    return {row["model"]: row["vectors"] for row in rows}


def present_models(db: sqlite3.Connection) -> list[str]:
    """The models of `embedded_models`, in its order; their vectors are counted only where there are several models."""
    if not has_llm_tables(db):
        return []
    rows = db.execute(
        "select distinct c.model from collections c where c.name in (? || '/' || c.model, ? || '/' || c.model)"
        " and exists (select 1 from embeddings e where e.collection_id = c.id)",
        SORTS,
    ).fetchall()
    return [row["model"] for row in rows] if len(rows) < 2 else list(embedded_models(db))


def full_name(db: sqlite3.Connection, name: str) -> str:
    """The name under which a model's vectors are kept: an alias means the model itself. Raises: ModelError."""
    if name in (MINILM, MINILM_ALIAS):
        return MINILM
    return name if name in present_models(db) else load_embedder(name).model_id


# ------------------------------------------------------------------- matrices

PRIME = 1_000_003
"""What rows are counted by (see `Stamp`): a sum of billions of them stays a whole number of 64 bits."""

READ_AT_ONCE = 2_048
"""Vectors read between two conversions: a few megabytes, whatever the size of the file."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """Which rows of `embeddings` are meant: another set of them has, for all practical purposes, another stamp.

    `newest` is the highest rowid, with the hash of its content; `total` adds up a number made of each row's rowid and
    id. So the stamp of some rows and of rows added to them is known without asking again.
    """

    collection: int
    count: int = 0
    newest: int = 0
    total: int = 0
    newest_hash: bytes = b""

    def and_then(self, newer: Stamp) -> Stamp:
        """The stamp of these rows and newer ones together."""
        count, total = self.count + newer.count, self.total + newer.total
        return Stamp(self.collection, count, newer.newest, total, newer.newest_hash)


@dataclass(frozen=True, slots=True)
class Held:
    """The vectors of one collection in memory, and which rows they are."""

    stamp: Stamp
    matrix: Matrix = field(default_factory=Matrix)


def table_stamp(db: sqlite3.Connection) -> tuple[object, ...]:
    """A value that changes when any embedding does: 3 ms for 300,000, all of it the count.

    A vector written anew is a new row with a higher rowid, since llm and `index` both use `insert or replace`; where
    the newest row was removed first and its rowid used again, its id or its hash tells.
    """
    if not has_llm_tables(db):
        return ()
    return tuple(
        db.execute(
            "select (select count(*) from embeddings), rowid, collection_id, id, content_hash from embeddings"
            " where rowid = (select max(rowid) from embeddings)"
        ).fetchone()
        or ()
    )


def collection_stamp(db: sqlite3.Connection, collection: int) -> Stamp:
    """The stamp of all rows of a collection, read from their index alone: 30 ms for 100,000."""
    count, newest, total = db.execute(
        f"select count(*), max(rowid), sum(rowid % {PRIME} * (cast(id as integer) % {PRIME}) % {PRIME})"
        " from embeddings where collection_id = ?",
        [collection],
    ).fetchone()
    if not count:
        return Stamp(collection)
    last = db.execute("select content_hash from embeddings where rowid = ?", [newest]).fetchone()
    return Stamp(collection, count, newest, total, bytes(last[0] or b"") if last else b"")


def read_rows(db: sqlite3.Connection, held: Held) -> Held:
    """What is held with the rows that are newer, as far as they are as long as the first.

    By rowid, so that the file is read from front to back, and each portion is made small before the next one is read.
    """
    stamp, matrix = held.stamp, held.matrix
    rows = db.execute(
        "select rowid, cast(id as integer), embedding, content_hash from embeddings"
        " where rowid > ? and +collection_id = ? order by rowid",
        [stamp.newest, stamp.collection],
    )
    dimensions = matrix.dimensions
    kept: list[Portion] = []
    while portion := rows.fetchmany(READ_AT_ONCE):
        rowids, ids = (np.array(column, dtype=np.int64) for column in list(zip(*portion, strict=True))[:2])
        total = int(np.fmod(np.fmod(rowids, PRIME) * np.fmod(ids, PRIME), PRIME).sum())  # fmod: signs as in SQLite
        newest_hash = bytes(portion[-1][3] or b"")
        stamp = stamp.and_then(Stamp(stamp.collection, len(portion), int(rowids[-1]), total, newest_hash))
        dimensions = dimensions or len(portion[0][2]) // 4
        fits = [len(row[2]) == 4 * dimensions > 0 for row in portion]
        if any(fits):
            joined = b"".join(row[2] for row, fit in zip(portion, fits, strict=True) if fit)
            vectors = np.frombuffer(joined, dtype="<f4").reshape(-1, dimensions)
            kept.append((ids[np.array(fits)], *coded(vectors)))
        if len(kept) * READ_AT_ONCE >= BLOCK:
            matrix, kept = matrix.add(kept), []
    return Held(stamp, matrix.add(kept))


_HELD: dict[tuple[str, str], Held] = {}
_HELD_AT: dict[tuple[str, str], tuple[object, ...]] = {}
"""Of a file and model, the table's stamp at which `_HELD` was last like the file."""

_HELD_LOCK = threading.Lock()
"""Held while what is in memory is compared with the file: a server's threads do it one at a time."""


def file_of(db: sqlite3.Connection) -> str:
    """The path of the connection's file; a database in memory has none, and is told apart by its connection."""
    for row in db.execute("pragma database_list"):
        if row["name"] == "main":
            return row["file"] or f"memory:{id(db)}"
    return f"memory:{id(db)}"


# ------------------------------------------------------------------ the index


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """A question as a model reads it, in one run: its unit vector, and its tokens where the model gives them."""

    vector: Vector
    tokens: AskedTokens | None


@lru_cache(maxsize=QUERIES_KEPT)
def asked_of(model: str, text: str) -> Asked:
    """A question as a model reads it. Raises: ModelError."""
    embedder, tokens = load_embedder(model), None
    if isinstance(embedder, BuiltInEmbedder):
        vectors, found = embedder.embed_tokens([text])
        tokens = asked_tokens(text, found[0])
    else:
        vectors = embedder.embed([text])
    vector: Vector = vectors[0]
    length = float(np.linalg.norm(vector))
    if length:
        vector /= np.float32(length)
    return Asked(vector, tokens)


class EmbeddingIndex:
    """Cosines between a question and everything embedded in one file with one model."""

    def __init__(self, db: sqlite3.Connection, model: str) -> None:
        self.db = db
        self.model = model
        self._file = file_of(db)
        self._seen_file: tuple[int, int] | None = None

    def asked(self, text: str) -> Asked:
        """A question as the model reads it, remembered for the last ones. Raises: ModelError."""
        return asked_of(self.model, text[:MAX_CHARS])

    def embed_query(self, text: str) -> Vector:
        """The unit vector of a text. Raises: ModelError."""
        return self.asked(text).vector

    def search(
        self,
        query: str,
        memory_version_ids: Sequence[int],
        entry_ids: Sequence[int],
        nearest: int,
        among: Sequence[str] = SORTS,
    ) -> tuple[dict[int, float], dict[int, float]]:
        """Cosine by memory version and by entry: of all ids given that have vectors, and of the `nearest` best `among`.

        Raises: ModelError.
        """
        vector = self.embed_query(query)
        self.refresh()
        memories, entries = (_HELD.get((self._file, collection_name(sort, self.model))) for sort in SORTS)
        return (
            memories.matrix.cosines(vector, memory_version_ids, nearest if "memories" in among else 0)
            if memories
            else {},
            entries.matrix.cosines(vector, entry_ids, nearest if "entries" in among else 0) if entries else {},
        )

    def has_tokens(self) -> bool:
        """Whether texts of the file can be compared token by token. Raises: InputError."""
        if self.model != MINILM or not settings.get(self.db, "interaction"):
            return False
        return self.db.execute("select 1 from token_signs where model = ?", [self.model]).fetchone() is not None

    def interactions(self, query: str, weights: Mapping[str, float], sort: str, ids: Iterable[int]) -> dict[int, float]:
        """How well the tokens of texts meet those of a question, by id, of those that have bits of tokens in the file.

        `weights` has the idf of the question's words. Nothing where the setting `interaction` is off, or the model
        gives no tokens. Raises: ModelError, InputError.
        """
        if self.model != MINILM or not settings.get(self.db, "interaction"):
            return {}
        rows = stored_signs(self.db, sort, self.model, ids)
        tokens = self.asked(query).tokens if rows else None
        return similarities(tokens, weights, rows) if tokens else {}

    def words_met(self, query: str, ids: Mapping[str, Iterable[int]]) -> dict[str, float]:
        """How well each word of a question is met in any of these texts, by sort; nothing where there are no tokens.

        Raises: ModelError, InputError.
        """
        if not self.has_tokens():
            return {}
        rows = [row for sort, wanted in ids.items() for row in stored_signs(self.db, sort, self.model, wanted)]
        tokens = self.asked(query).tokens if rows else None
        return met_words(tokens, rows) if tokens else {}

    def size_bytes(self) -> int:
        """How much memory the vectors of this file and model take in this process."""
        held = (_HELD.get((self._file, collection_name(sort, self.model))) for sort in SORTS)
        return sum(each.matrix.size_bytes for each in held if each)

    def refresh(self) -> None:
        """Reads again what changed; asks what costs least first, since each recall that is logged changes the file."""
        seen = (self.db.execute("pragma data_version").fetchone()[0], self.db.total_changes)
        if seen == self._seen_file:
            return
        self._seen_file = seen
        stamp, key = (self.inode(), *table_stamp(self.db)), (self._file, self.model)
        if stamp != _HELD_AT.get(key):
            with _HELD_LOCK:
                _HELD_AT.pop(key, None)
                for sort in SORTS:
                    self.refresh_sort(sort)
                _HELD_AT[key] = stamp

    def inode(self) -> int:
        """Which file it is, whatever its path; a database in memory is told apart by who asks."""
        try:
            return Path(self._file).stat().st_ino
        except OSError:
            return id(self)

    def refresh_sort(self, sort: str) -> None:
        """Reads the vectors of one sort that are new, or all of them where others are gone or came back."""
        key = (self._file, collection_name(sort, self.model))
        collection = collection_id(self.db, sort, self.model)
        if collection is None:
            _HELD.pop(key, None)
            return
        stamp = collection_stamp(self.db, collection)
        held = _HELD.get(key)
        if held is not None and held.stamp == stamp:
            return
        if held is not None and held.stamp.collection == collection and held.stamp.count < stamp.count:
            held = read_rows(self.db, held)
        if held is None or held.stamp != stamp:
            held = read_rows(self.db, Held(Stamp(collection)))
        _HELD[key] = held


@dataclass(frozen=True, slots=True)
class Opened:
    """The index to ask, or None and the reason in words."""

    index: EmbeddingIndex | None
    reason: str


def find_semantic(db: sqlite3.Connection) -> Opened:
    """The index that answers now, or why there is none: turned off, nothing embedded, no usable model.

    Raises: InputError if the setting `embedding_model` holds what it does not accept.
    """
    wanted = settings.get_text(db, "embedding_model")
    if wanted == NO_MODEL:
        return Opened(None, "full embeddings are turned off (setting embedding_model)")
    models = present_models(db)
    reason = f"nothing is embedded with {wanted} yet; run `memory-db run --only index`"
    if models:
        try:
            wanted = full_name(db, wanted)
        except ModelError as error:
            reason = str(error)
    for model in sorted(models, key=lambda model: model == wanted):  # an older model first, while it is there
        try:
            load_embedder(model)
        except ModelError as error:
            reason = str(error)
            continue
        return Opened(EmbeddingIndex(db, model), "" if model == wanted else f"{wanted} is not complete yet")
    return Opened(None, reason)


def warm(db: sqlite3.Connection) -> None:
    """Loads what each question needs, the model and the vectors, so that the first one need not wait for it.

    Raises: ModelError, InputError.
    """
    index = open_semantic(db)
    if index is not None:
        index.embed_query("warm")
        index.refresh()


def open_semantic(db: sqlite3.Connection) -> EmbeddingIndex | None:
    """The index that answers now, or None; `find_semantic` tells why. Raises: InputError."""
    return find_semantic(db).index
