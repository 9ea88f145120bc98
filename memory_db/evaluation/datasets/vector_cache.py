"""Embeddings kept between evaluations, so that the same data set is embedded once.

In: a path. Out: vectors by model and hash of text; texts themselves are not kept. Invariant: it can be deleted at any
time, and a cache that cannot be used is done without.
"""

from __future__ import annotations

import contextlib
import sqlite3
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from memory_db.index import build as index
from memory_db.index import token_signs
from memory_db.index.interaction import MOST_TOKENS
from memory_db.index.semantic import EmbeddingIndex, full_name
from memory_db.index.texts import ENTRIES, MEMORIES, batches, hash_of, texts_of
from memory_db.index.token_signs import Progress
from memory_db.models.embedders import MAX_CHARS, NO_MODEL, Vector
from memory_db.store.connection import transaction

LONG_AGO = int(datetime(2026, 1, 1, tzinfo=UTC).timestamp())
"""What a vector from the cache says of when it was made, in seconds: nobody asks."""

BATCH = 500
"""Texts looked up at once."""

TABLE = """
create table if not exists vectors (
    model text not null,
    content_hash blob not null,
    embedding blob not null,
    primary key (model, content_hash)
) strict, without rowid
"""


SIGNS_TABLE = """
create table if not exists token_signs (
    model text not null,
    content_hash blob not null,
    signs blob not null,
    primary key (model, content_hash)
) strict, without rowid
"""


class VectorCache:
    """A file of vectors and of bits of tokens by model and hash of text."""

    def __init__(self, path: Path) -> None:
        with contextlib.ExitStack() as stack:
            self.db = stack.enter_context(contextlib.closing(sqlite3.connect(path, isolation_level=None)))
            self.db.row_factory = sqlite3.Row
            self.db.execute(TABLE)
            self.db.execute(SIGNS_TABLE)
            stack.pop_all()  # it stays open

    def close(self) -> None:
        """Closes the file."""
        self.db.close()

    def known(self, model: str, hashes: list[bytes]) -> dict[bytes, bytes]:
        """Vectors by hash, of those that are here."""
        marks = ", ".join("?" * len(hashes))
        rows = self.db.execute(
            f"select content_hash, embedding from vectors where model = ? and content_hash in ({marks})",
            [model, *hashes],
        )
        return {row["content_hash"]: row["embedding"] for row in rows}

    def add(self, model: str, vectors: dict[bytes, bytes]) -> None:
        """Keeps vectors, until another process that writes is done or, after a while, not."""
        with contextlib.suppress(sqlite3.OperationalError), transaction(self.db):
            self.db.executemany(
                "insert or ignore into vectors values (?, ?, ?)", [(model, key, row) for key, row in vectors.items()]
            )

    def fill(self, db: sqlite3.Connection, name: str) -> None:
        """Gives a file the vectors of its texts that are here. Raises: ModelError."""
        if name == NO_MODEL:
            return
        model = full_name(db, name)
        for sort in (MEMORIES, ENTRIES):
            for batch in batches(index.pending(db, sort, model), BATCH):
                hashes = {key: hash_of(text) for key, text in texts_of(db, sort.full_texts, batch).items()}
                known = self.known(model, list(hashes.values()))
                if not known:
                    continue
                collection = index.make_collection(db, sort, model)
                with transaction(db):
                    db.executemany(
                        "insert or replace into embeddings (collection_id, id, embedding, content_hash, updated)"
                        " values (?, ?, ?, ?, ?)",
                        [(collection, str(key), known[found], found, LONG_AGO)
                         for key, found in hashes.items() if found in known],
                    )  # fmt: skip

    def complete_signs(self, db: sqlite3.Connection, name: str, progress: Progress | None = None) -> None:
        """Gives a file the bits of its texts' tokens: those that are here, and makes and keeps the rest.

        Raises: ModelError.
        """
        model = full_name(db, name)
        if not token_signs.are_wanted(db, model):
            return
        for sort, ids in token_signs.waiting(db, model):
            texts = texts_of(db, sort.full_texts, ids)
            hashes = {key: hash_of(text) for key, text in texts.items()}
            for batch in batches(list(hashes), BATCH):
                found = self.known_signs(model, [hashes[key] for key in batch])
                with transaction(db):
                    rows = [(key, found[hashes[key]]) for key in batch if hashes[key] in found]
                    token_signs.store(db, sort, model, rows)
        token_signs.complete(db, model, progress)
        self.keep_signs(db, model)

    def known_signs(self, model: str, hashes: list[bytes]) -> dict[bytes, bytes]:
        """Bits by hash, of those that are here."""
        marks = ", ".join("?" * len(hashes))
        rows = self.db.execute(
            f"select content_hash, signs from token_signs where model = ? and content_hash in ({marks})",
            [signs_name(model), *hashes],
        )
        return {row["content_hash"]: row["signs"] for row in rows}

    def keep_signs(self, db: sqlite3.Connection, model: str) -> None:
        """Keeps the bits of a file."""
        for sort in (MEMORIES, ENTRIES):
            rows = db.execute(
                f"select t.text, s.signs from token_signs s join ({sort.full_texts}) t on t.id = s.{sort.static_column}"
            )
            kept = [(signs_name(model), hash_of(row["text"]), row["signs"]) for row in rows]
            with contextlib.suppress(sqlite3.OperationalError), transaction(self.db):
                self.db.executemany("insert or ignore into token_signs values (?, ?, ?)", kept)

    def keep(self, db: sqlite3.Connection) -> None:
        """Keeps the vectors of a file."""
        if not db.execute("select 1 from sqlite_master where name = 'embeddings'").fetchone():
            return
        rows = db.execute(
            "select c.model, e.content_hash, e.embedding from embeddings e join collections c on c.id = e.collection_id"
        )
        found: dict[str, dict[bytes, bytes]] = {}
        for row in rows:
            found.setdefault(row["model"], {})[row["content_hash"]] = row["embedding"]
        for model, vectors in found.items():
            self.add(model, vectors)


def signs_name(model: str) -> str:
    """What the bits of a model's tokens are kept under: those of texts that were cut elsewhere are others."""
    return f"{model}, {MOST_TOKENS} tokens"


class CachedIndex(EmbeddingIndex):
    """An index that looks a question's vector up before it embeds it: for asking many that were asked before."""

    def __init__(self, db: sqlite3.Connection, model: str, cache: VectorCache) -> None:
        super().__init__(db, model)
        self.cache = cache

    def embed_query(self, text: str) -> Vector:
        """The unit vector of a question. Raises: ModelError."""
        key = hash_of(text[:MAX_CHARS])
        known = self.cache.known(self.model, [key]).get(key)
        if known is not None:
            vector = np.frombuffer(known, dtype="<f4").astype(np.float32)
            length = float(np.linalg.norm(vector))
            return vector / np.float32(length) if length else vector
        vector = super().embed_query(text)
        self.cache.add(self.model, {key: vector.astype("<f4").tobytes()})
        return vector


def open_cache(path: Path) -> VectorCache | None:
    """The cache at a path, made where there is none; one that is damaged is begun anew. None where none can be."""
    for _ in range(2):
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            path.touch(mode=0o600, exist_ok=True)
            return VectorCache(path)
        except sqlite3.OperationalError:
            return None
        except sqlite3.DatabaseError:
            path.unlink(missing_ok=True)
        except OSError:
            return None
    return None
