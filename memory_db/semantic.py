"""Likeness of meaning by a full embedding model, over vectors that `index` put into llm's tables.

In: a question's text and ids. Out: cosines. The vectors of a sort and model
are llm's collection `<sort>/<model>`, such as `memories/minilm-int8`; an
embedding's id there is the memory version's or the entry's id. They are held
as one matrix a sort, read once a process and again when rows changed.

Invariant: nothing here writes, and no model is loaded before a text must be
embedded. A new model answers only when all is embedded with it; until then
the one before does, for `index` removes the old vectors at that moment.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from memory_db import settings
from memory_db.embedders import MAX_CHARS, MINILM, MINILM_ALIAS, NO_MODEL, Vector, load_embedder
from memory_db.errors import ModelError

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


def full_name(db: sqlite3.Connection, name: str) -> str:
    """The name under which a model's vectors are kept: an alias means the model itself. Raises: ModelError."""
    if name in (MINILM, MINILM_ALIAS):
        return MINILM
    return name if name in embedded_models(db) else load_embedder(name).model_id


# ------------------------------------------------------------------- matrices


@dataclass(frozen=True, slots=True)
class Matrix:
    """All vectors of one collection, as unit rows: those of another length than the first are left out.

    `stamp` changes when rows do; `order` sorts `ids`.
    """

    stamp: tuple[object, ...]
    ids: NDArray[np.int64]
    order: NDArray[np.int64]
    rows: Vector
    asked: list[tuple[Vector, Vector]] = field(default_factory=list)

    def cosines(self, vector: Vector, ids: Sequence[int], nearest: int) -> dict[int, float]:
        """Cosine by id: of the ids given that are here, and of the `nearest` best."""
        if self.rows.shape[1] != len(vector) or not len(self.ids):
            return {}
        chosen = self.positions(ids)
        if nearest == 0 and not self.is_asked(vector) and len(chosen) < len(self.ids) // 8:
            few = self.rows[chosen] @ vector
            return dict(zip(self.ids[chosen].tolist(), few.astype(float).tolist(), strict=True))
        cosines = self.all_cosines(vector)
        if 0 < nearest < len(cosines):
            chosen = np.union1d(chosen, np.argpartition(cosines, -nearest)[-nearest:])
        elif nearest > 0:
            chosen = np.arange(len(cosines))
        return dict(zip(self.ids[chosen].tolist(), cosines[chosen].astype(float).tolist(), strict=True))

    def all_cosines(self, vector: Vector) -> Vector:
        """The cosine of every row, kept for the last question: a recall asks twice, first for the nearest."""
        if not self.is_asked(vector):
            self.asked[:] = [(vector, self.rows @ vector)]
        return self.asked[0][1]

    def is_asked(self, vector: Vector) -> bool:
        """Whether the last question was this one."""
        return bool(self.asked) and self.asked[0][0] is vector

    def positions(self, ids: Sequence[int]) -> NDArray[np.int64]:
        """Rows of the ids that are here."""
        wanted = np.asarray(ids, dtype=np.int64)
        places = np.searchsorted(self.ids, wanted, sorter=self.order)
        found: NDArray[np.int64] = self.order[np.minimum(places, len(self.ids) - 1)]
        return found[np.equal(self.ids[found], wanted)]


def table_stamp(db: sqlite3.Connection) -> tuple[object, ...]:
    """A value that changes when any embedding does, for less than a millisecond at any size.

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


def collection_stamp(db: sqlite3.Connection, collection: int) -> tuple[object, ...]:
    """A value that changes when the rows of one collection do, read from their index alone: 40 ms for 100,000."""
    row = db.execute(
        "select count(*), max(rowid), sum(rowid * (cast(id as integer) % 1000003)) from embeddings"
        " where collection_id = ?",
        [collection],
    ).fetchone()
    return (collection, *row)


def read_matrix(db: sqlite3.Connection, collection: int, stamp: tuple[object, ...]) -> Matrix:
    """Reads the vectors of a collection: 4 bytes a number, once."""
    count = int(str(stamp[1]))
    ids = np.zeros(count, dtype=np.int64)
    rows = np.zeros((count, 0), dtype=np.float32)
    filled = 0
    query = "select cast(id as integer), embedding from embeddings where collection_id = ? limit ?"
    for number, blob in db.execute(query, [collection, count]):
        if filled == 0:
            rows = np.zeros((count, len(blob) // 4), dtype=np.float32)
        if len(blob) == 4 * rows.shape[1]:
            ids[filled] = number
            rows[filled] = np.frombuffer(blob, dtype="<f4")
            filled += 1
    ids, rows = ids[:filled], rows[:filled]
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, None]
    rows /= np.where(lengths > 0, lengths, 1)
    return Matrix(stamp, ids, np.argsort(ids), rows)


_MATRICES: dict[tuple[str, str], Matrix] = {}


def file_of(db: sqlite3.Connection) -> str:
    """The path of the connection's file; a database in memory has none, and is told apart by its connection."""
    for row in db.execute("pragma database_list"):
        if row["name"] == "main":
            return row["file"] or f"memory:{id(db)}"
    return f"memory:{id(db)}"


# ------------------------------------------------------------------ the index


@lru_cache(maxsize=QUERIES_KEPT)
def query_vector(model: str, text: str) -> Vector:
    """The unit vector of a question. Raises: ModelError."""
    vector: Vector = load_embedder(model).embed([text])[0]
    length = float(np.linalg.norm(vector))
    if length:
        vector /= np.float32(length)
    return vector


class EmbeddingIndex:
    """Cosines between a question and everything embedded in one file with one model."""

    def __init__(self, db: sqlite3.Connection, model: str) -> None:
        self.db = db
        self.model = model
        self._file = file_of(db)
        self._seen_file: tuple[int, int] | None = None
        self._seen_table: tuple[object, ...] | None = None

    def embed_query(self, text: str) -> Vector:
        """The unit vector of a text, remembered for the last questions. Raises: ModelError."""
        return query_vector(self.model, text[:MAX_CHARS])

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
        memories, entries = (_MATRICES.get((self._file, collection_name(sort, self.model))) for sort in SORTS)
        return (
            memories.cosines(vector, memory_version_ids, nearest if "memories" in among else 0) if memories else {},
            entries.cosines(vector, entry_ids, nearest if "entries" in among else 0) if entries else {},
        )

    def refresh(self) -> None:
        """Reads again what changed; asks what costs least first, since each recall that is logged changes the file."""
        seen = (self.db.execute("pragma data_version").fetchone()[0], self.db.total_changes)
        if seen == self._seen_file:
            return
        self._seen_file = seen
        stamp = table_stamp(self.db)
        if stamp != self._seen_table:
            self._seen_table = stamp
            for sort in SORTS:
                self.refresh_sort(sort)

    def refresh_sort(self, sort: str) -> None:
        """Reads the vectors of one sort if they are not those in memory."""
        key = (self._file, collection_name(sort, self.model))
        collection = collection_id(self.db, sort, self.model)
        if collection is None:
            _MATRICES.pop(key, None)
            return
        stamp = collection_stamp(self.db, collection)
        held = _MATRICES.get(key)
        if held is None or held.stamp != stamp:
            _MATRICES[key] = read_matrix(self.db, collection, stamp)


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
    models = embedded_models(db)
    reason = f"nothing is embedded with {wanted} yet; run `memory-db index`"
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


def open_semantic(db: sqlite3.Connection) -> EmbeddingIndex | None:
    """The index that answers now, or None; `find_semantic` tells why. Raises: InputError."""
    return find_semantic(db).index
