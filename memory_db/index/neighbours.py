"""Memories that a new text stands near: by its rarest words, and by its vector.

In: texts with the place where they hold. Out: ids with cosines, the nearest first. Invariants: what was kept a moment
ago is found like what was kept last year; a text has one vector, which `index` finds again where the text becomes a
memory; the same rows in the same order give the same neighbours.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from memory_db.errors import ModelError
from memory_db.index import build as index
from memory_db.index import static_many
from memory_db.index.semantic import collection_id, full_name, has_llm_tables
from memory_db.index.texts import MEMORIES, MEMORY_TEXT, hash_of
from memory_db.knowledge.succession import LAST_SAID
from memory_db.models.embedders import NO_MODEL, Vector, load_embedder
from memory_db.store import settings
from memory_db.store.connection import tuples
from memory_db.text import static_vectors
from memory_db.text.terms import STOP_WORDS, WORD, match_any

NEAREST = 5
"""Neighbours by words and by vector each. Source: among 2,500 other texts the three that are nearest by vector have the
partner of every labelled pair."""

MOST_TERMS = 4
MOST_HOLDERS = 400
"""Rare words that are asked for at most, and in how many memories they may stand together: more says little more, and
each costs a microsecond."""

READ_CHARACTERS = 4_000

COSINE_DIGITS = 6
"""A cosine is rounded to so many digits: those after them depend on how many vectors were multiplied at once."""

EVERYWHERE = 0
"""The place of what holds wherever the user works; else it is the number of a project."""

NOWHERE = -1

BY_WORDS = """
select memory_id from (
    select v.memory_id, v.status, row_number() over (partition by v.status order by f.rank, v.memory_id) as place
    from memory_fts f cross join memory_versions v on v.id = f.rowid
    where memory_fts match :match and v.recorded_to is null and v.status in ('active', 'superseded')
        and (v.scope = 'user' or v.project_id = :project)
)
where place <= :nearest order by status, place
"""

CURRENT = f"""
select v.id, v.memory_id, v.scope, v.project_id, {MEMORY_TEXT} from memory_versions v
where v.recorded_to is null and v.status = 'active' order by v.memory_id
"""

HOLDERS = """
select (select count(*) from (select 1 from memory_fts where memory_fts match word.value limit ?))
from json_each(?) word order by word.key
"""

ROWS = f"""
select id, uid, kind, scope, project_id, text, status, lock_level, valid_from, valid_to, {LAST_SAID} as last_said_at
from memories m where id in (select value from json_each(?))
"""


def memory_text(title: str, text: str) -> str:
    """What is embedded of a memory: its text, with its title before it where the text does not begin so."""
    return text if text.startswith(title.rstrip("…")) else f"{title}\n{text}"


def place_of(scope: str, project_id: int | None) -> int:
    """Where something holds, as a number."""
    return EVERYWHERE if scope == "user" else project_id or EVERYWHERE


# ------------------------------------------------------------------ vectors


class Vectors(Protocol):
    """A way of turning texts into vectors, which finds again what is stored of memories."""

    name: str

    def of(self, db: sqlite3.Connection, texts: Sequence[str]) -> Vector:
        """One unit row a text; a text that says nothing has zeros. Raises: ModelError."""

    def stored(self, db: sqlite3.Connection) -> dict[int, bytes]:
        """What the file has, by version of a memory, as `read` takes it."""

    def read(self, stored: Sequence[bytes]) -> Vector:
        """Stored vectors as unit rows."""

    def keep(self, db: sqlite3.Connection, version_id: int, text: str, vector: Vector, now: datetime) -> None:
        """Stores the vector of a memory, so that `index` need not make it again."""


class StaticVectors:
    """The mean of word vectors: a fifth of a millisecond a text."""

    name = static_vectors.MODEL_ID

    def of(self, db: sqlite3.Connection, texts: Sequence[str]) -> Vector:
        return self.read(static_many.vectors_of(texts))

    def stored(self, db: sqlite3.Connection) -> dict[int, bytes]:
        rows = db.execute(
            "select memory_version_id, vector from static_vectors where memory_version_id is not null and model = ?",
            [self.name],
        )
        return {row[0]: row[1] for row in rows}

    def read(self, stored: Sequence[bytes]) -> Vector:
        none = bytes(static_vectors.DIMENSIONS)
        joined = b"".join(vector or none for vector in stored)
        return units(np.frombuffer(joined, dtype=np.int8).reshape(-1, static_vectors.DIMENSIONS).astype(np.float32))

    def keep(self, db: sqlite3.Connection, version_id: int, text: str, vector: Vector, now: datetime) -> None:
        """`index` makes static vectors as fast as they could be stored here."""


class FullVectors:
    """The embedding model of the file: thousands of times the work, and the same that `index` does for a memory."""

    def __init__(self, db: sqlite3.Connection, model: str) -> None:
        self.name = model
        self._embedder = load_embedder(model)

    def of(self, db: sqlite3.Connection, texts: Sequence[str]) -> Vector:
        hashes = [hash_of(text) for text in texts]
        wanted = dict(zip(hashes, texts, strict=True))
        if has_llm_tables(db):
            found: Mapping[bytes, bytes] = index.vectors_by_hash(db, self._embedder, wanted)[0]
        else:
            rows = self._embedder.embed(list(wanted.values()))
            found = {key: row.astype("<f4").tobytes() for key, row in zip(wanted, rows, strict=True)}
        return self.read([found[key] for key in hashes])

    def stored(self, db: sqlite3.Connection) -> dict[int, bytes]:
        collection = collection_id(db, MEMORIES.name, self.name)
        if collection is None:
            return {}
        rows = db.execute("select cast(id as integer), embedding from embeddings where collection_id = ?", [collection])
        return {row[0]: row[1] for row in rows}

    def read(self, stored: Sequence[bytes]) -> Vector:
        length = max(map(len, stored), default=0)
        joined = b"".join(vector if len(vector) == length else bytes(length) for vector in stored)
        return units(np.frombuffer(joined, dtype="<f4").reshape(len(stored), length // 4).astype(np.float32))

    def keep(self, db: sqlite3.Connection, version_id: int, text: str, vector: Vector, now: datetime) -> None:
        collection = index.make_collection(db, MEMORIES, self.name)
        db.execute(
            "insert or replace into embeddings (collection_id, id, embedding, content_hash, updated)"
            " values (?, ?, ?, ?, ?)",
            [collection, str(version_id), vector.astype("<f4").tobytes(), hash_of(text), int(now.timestamp())],
        )


def units(rows: Vector) -> Vector:
    """Rows of length 1; a row of zeros stays one."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    found: Vector = (rows / np.where(lengths > 0, lengths, 1)).astype(np.float32)
    return found


def open_vectors(db: sqlite3.Connection) -> Vectors:
    """The vectors that the settings ask for; static ones where the model is turned off or cannot be used.

    Raises: InputError for a setting that holds what it does not accept.
    """
    wanted = settings.get_text(db, "embedding_model")
    if settings.get_text(db, "gate_vectors") == "full" and wanted != NO_MODEL:
        try:
            return FullVectors(db, full_name(db, wanted))
        except ModelError:
            return StaticVectors()  # the run goes on; `doctor` and `index` say what the model lacks
    return StaticVectors()


# ----------------------------------------------------------------- what is near


@dataclass(slots=True)
class Nearest:
    """Rows of vectors in memory, each with an id and a place, to which more may be added. Twice the room it needs."""

    ids: list[int] = field(default_factory=list)
    rows: dict[int, int] = field(default_factory=dict)
    vectors: Vector = field(default_factory=lambda: np.zeros((0, 0), dtype=np.float32))
    places: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    def add(self, ids: Sequence[int], places: Sequence[int], vectors: Vector) -> None:
        """Takes rows in; an id that is here gets a new row, since cosines with its old vector are known already."""
        for identifier, place, vector in zip(ids, places, vectors, strict=True):
            self.drop(identifier)
            row = self.rows[identifier] = len(self.ids)
            self.ids.append(identifier)
            self.make_room(len(vector), len(ids))
            self.vectors[row], self.places[row] = vector, place

    def make_room(self, dimensions: int, coming: int) -> None:
        """Doubles the room where the last row does not fit."""
        if len(self.ids) > len(self.vectors):
            room = max(64, 2 * len(self.ids), len(self.ids) + coming)
            vectors = np.zeros((room, dimensions), dtype=np.float32)
            places = np.full(room, NOWHERE, dtype=np.int64)
            if len(self.vectors):
                vectors[: len(self.vectors)], places[: len(self.places)] = self.vectors, self.places
            self.vectors, self.places = vectors, places

    def drop(self, identifier: int) -> None:
        """Takes an id out of every place, where it is in one."""
        row = self.rows.pop(identifier, None)
        if row is not None:
            self.places[row] = NOWHERE

    def cosines(self, vectors: Vector) -> Vector:
        """Cosines with every row that is here now, one row for each vector given."""
        if not self.ids:
            return np.zeros((len(vectors), 0), dtype=np.float32)
        found: Vector = vectors @ self.vectors[: len(self.ids)].T
        return found

    def best(self, vector: Vector, known: Vector, place: int, most: int = NEAREST) -> dict[int, float]:
        """Cosine by id of the nearest in a place, and of those that hold everywhere; the nearest first.

        `known` are cosines that were made when there were fewer rows. Among equals the lower id comes first.
        """
        count = len(self.ids)
        if not count:
            return {}
        newer = self.vectors[len(known) : count] @ vector
        cosines = np.round(np.concatenate([known, newer]) if len(newer) else known, COSINE_DIGITS)
        here = self.places[:count]
        rows = np.flatnonzero((here == place) | (here == EVERYWHERE))
        if len(rows) > most:
            rows = rows[cosines[rows] >= np.partition(cosines[rows], -most)[-most]]
        ordered = sorted(rows.tolist(), key=lambda row: (-float(cosines[row]), self.ids[row]))[:most]
        return {self.ids[row]: float(cosines[row]) for row in ordered}


def load(db: sqlite3.Connection, vectors: Vectors) -> Nearest:
    """The vectors of all memories that hold; what is not stored is made. Raises: ModelError."""
    rows = db.execute(CURRENT).fetchall()
    stored = vectors.stored(db)
    missing = {row["id"]: row["text"] for row in rows if row["id"] not in stored}
    made = dict(zip(missing, vectors.of(db, list(missing.values())), strict=True)) if missing else {}
    known = [row for row in rows if row["id"] in stored]
    nearest = Nearest()
    if known:
        read = vectors.read([stored[row["id"]] for row in known])
        nearest.add([row["memory_id"] for row in known], [place(row) for row in known], read)
    for row in rows:
        if row["id"] in made:
            nearest.add([row["memory_id"]], [place(row)], made[row["id"]][None, :])
    return nearest


def place(row: sqlite3.Row) -> int:
    """Where a version of a memory holds."""
    return place_of(row["scope"], row["project_id"])


# ------------------------------------------------------------------- by words


def holders_of(db: sqlite3.Connection, words: Iterable[str]) -> list[int]:
    """In how many versions of memories each word stands, counted as the file is now and no further than it matters."""
    asked = json.dumps([match_any((word,)) for word in words])
    return [row[0] for row in tuples(db, HOLDERS, [MOST_HOLDERS + 1, asked])]


def rarest_terms(db: sqlite3.Connection, text: str) -> tuple[str, ...]:
    """The distinctive words of a text that the fewest memories have, the rarest first; then the longest that none has.

    The latter cost nothing. Nothing is counted beforehand: a run that was killed and goes on finds what it would have.
    """
    words = dict.fromkeys(word for word in WORD.findall(text[:READ_CHARACTERS].casefold()) if word not in STOP_WORDS)
    found = dict(zip(words, holders_of(db, words), strict=True))
    chosen: list[str] = []
    holders = 0
    for word in sorted((word for word in found if found[word]), key=lambda word: (found[word], word))[:MOST_TERMS]:
        holders += found[word]
        if not chosen or holders <= MOST_HOLDERS:
            chosen.append(word)
    unknown = sorted((word for word in found if not found[word]), key=lambda word: (-len(word), word))
    return (*chosen, *unknown[:MOST_TERMS])


def by_words(db: sqlite3.Connection, text: str, project_id: int | None) -> list[int]:
    """Ids of memories in a project, or that hold everywhere, which share the text's rarest words; the best first.

    Those that hold come first, then those that another one replaced.
    """
    terms = rarest_terms(db, text)
    if not terms:
        return []
    asked = {"match": match_any(terms), "project": project_id, "nearest": NEAREST}
    return [row[0] for row in tuples(db, BY_WORDS, asked)]


def rows_of(db: sqlite3.Connection, ids: Iterable[int]) -> dict[int, sqlite3.Row]:
    """Rows of memories by id."""
    return {row["id"]: row for row in db.execute(ROWS, [json.dumps(list(ids))])}
