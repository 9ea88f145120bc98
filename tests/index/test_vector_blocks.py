"""Vectors in memory: small, added to, and never other than what the file holds."""

from __future__ import annotations

import sqlite3
from datetime import datetime

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_db.index import semantic
from memory_db.index import vector_store as vector_blocks
from memory_db.index.build import make_collection
from memory_db.index.texts import ENTRIES
from memory_db.index.vector_store import Matrix, Vector, coded, sign_bits_of
from memory_db.models.embedders import MINILM

DIMENSIONS = 70


def unit_rows(count: int, seed: int = 0, dimensions: int = DIMENSIONS) -> Vector:
    rows = np.random.default_rng(seed).normal(size=(count, dimensions)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows


def matrix_of(rows: Vector, parts: int = 1) -> Matrix:
    matrix = Matrix()
    for places in np.array_split(np.arange(len(rows)), parts):
        if len(places):
            matrix = matrix.add([(places.astype(np.int64), *coded(rows[places]))])
    return matrix


def same(one: Matrix, other: Matrix) -> bool:
    """Whether two matrices hold the same numbers."""
    return len(one.blocks) == len(other.blocks) and all(
        np.array_equal(getattr(a, name), getattr(b, name))
        for a, b in zip(one.blocks, other.blocks, strict=True)
        for name in vector_blocks.Block.__slots__
    )


@given(count=st.integers(1, 60), parts=st.integers(1, 9), seed=st.integers(0, 99))
@settings(max_examples=60)
def test_however_rows_are_added_the_same_stands_there(count: int, parts: int, seed: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vector_blocks, "BLOCK", 16)
        rows = unit_rows(count, seed)
        assert same(matrix_of(rows), matrix_of(rows, parts))
        assert [len(block.ids) for block in matrix_of(rows, parts).blocks[:-1]] == [16] * ((count - 1) // 16)


def test_what_was_given_out_stays_as_it_was() -> None:
    rows = unit_rows(40)
    first = matrix_of(rows[:20])
    before = first.cosines(rows[0], range(20), 3)
    first.add([(np.arange(20, 40), *coded(rows[20:]))])
    assert first.cosines(rows[0], range(20), 3) == before
    assert len(first) == 20


@pytest.mark.parametrize("offset", [0.0, 0.3])
def test_the_nearest_of_many_are_found_by_their_signs(offset: float) -> None:
    """Also where all vectors lean one way, as those of many models do."""
    rows = unit_rows(6_000, dimensions=128) + np.float32(offset)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    matrix = matrix_of(rows)
    shares = []
    for seed in range(20):
        vector = rows[seed] + 0.02 * np.random.default_rng(seed).normal(size=128).astype(np.float32)
        vector /= np.linalg.norm(vector)
        exact = np.argsort(-(rows @ vector))[:10]
        found = matrix.cosines(vector, [], 10)
        assert len(found) == 10
        assert exact[0] in found
        shares.append(len(set(exact.tolist()) & set(found)) / 10)
    assert np.mean(shares) > 0.8
    places = matrix.candidates(rows[0])
    assert vector_blocks.LEAST_CANDIDATES <= sum(map(len, places)) < 4_000


def test_a_cosine_does_not_depend_on_what_else_is_kept() -> None:
    rows = unit_rows(500)
    alone = matrix_of(rows[:1]).cosines(rows[7], [0], 0)[0]
    assert matrix_of(rows).cosines(rows[7], [0], 0)[0] == pytest.approx(alone, abs=1e-6)
    assert matrix_of(rows).cosines(rows[7], [0], 75)[0] == pytest.approx(alone, abs=1e-6)


@given(scale=st.floats(1e-3, 1e3), seed=st.integers(0, 50))
@settings(max_examples=40)
def test_a_byte_a_number_is_near_the_vector_whatever_its_length(scale: float, seed: int) -> None:
    rows = unit_rows(5, seed, 384)
    codes, scales = coded(rows * np.float32(scale))
    assert codes.dtype == np.int8
    assert np.abs(codes * scales[:, None] - rows).max() < 0.002


def test_a_vector_of_zeros_is_like_nothing() -> None:
    matrix = Matrix().add([(np.array([1, 2]), *coded(np.array([[0, 0, 0], [1, 0, 0]], dtype=np.float32)))])
    assert matrix.cosines(np.array([1, 0, 0], dtype=np.float32), [1, 2], 0) == {1: 0.0, 2: pytest.approx(1.0)}


def test_signs_are_one_bit_a_number() -> None:
    rows = np.zeros((1, 65), dtype=np.float32)
    rows[0, [0, 64]] = 1
    assert [word.bit_count() for word in sign_bits_of(rows)[:, 0].tolist()] == [1, 1]


# ------------------------------------------------------- kept up with the file


def put(db: sqlite3.Connection, collection: int, ids: range, seed: int = 0) -> None:
    """Embeddings by chance for some ids."""
    db.executemany(
        "insert or replace into embeddings (collection_id, id, embedding, content_hash, updated)"
        " values (?, ?, ?, ?, 0)",
        [
            (collection, str(key), row.astype("<f4").tobytes(), (seed * 10**9 + key).to_bytes(16))
            for key, row in zip(ids, unit_rows(len(ids), seed + ids.start), strict=True)
        ],
    )


def read_anew(db: sqlite3.Connection, collection: int) -> semantic.Held:
    return semantic.read_rows(db, semantic.Held(semantic.Stamp(collection)))


def held(db: sqlite3.Connection) -> semantic.Held:
    return semantic._HELD[semantic.file_of(db), f"entries/{MINILM}"]


def test_new_rows_are_added_without_reading_the_others(db: sqlite3.Connection, now: datetime) -> None:
    collection = make_collection(db, ENTRIES, MINILM)
    put(db, collection, range(1, 101))
    index = semantic.EmbeddingIndex(db, MINILM)
    index.refresh()
    put(db, collection, range(101, 103))
    read: list[str] = []
    db.set_trace_callback(read.append)
    index.refresh()
    db.set_trace_callback(None)
    assert [line for line in read if "rowid >" in line] == [line for line in read if "rowid > 100" in line] and any(
        "rowid > 100" in line for line in read
    )
    assert len(held(db).matrix) == 102
    assert same(held(db).matrix, read_anew(db, collection).matrix)


@pytest.mark.parametrize(
    "changes",
    [
        ["delete from embeddings where id = '40'"],
        ["delete from embeddings where id = '100'"],
        ["delete from embeddings where id > '97'", "PUT 300 302"],
        ["delete from embeddings where id = '3'", "PUT 300 301"],
        ["delete from embeddings where id = '100'", "PUT 100 101"],
        ["PUT 100 101"],
        ["PUT 7 9"],
        ["delete from embeddings"],
        ["update embeddings set id = '900' where id = '50'", "PUT 300 301"],
    ],
)
def test_whatever_changed_the_matrix_is_what_the_file_holds(
    db: sqlite3.Connection, now: datetime, changes: list[str]
) -> None:
    collection = make_collection(db, ENTRIES, MINILM)
    put(db, collection, range(1, 101))
    index = semantic.EmbeddingIndex(db, MINILM)
    index.refresh()
    for change in changes:
        if change.startswith("PUT"):
            put(db, collection, range(*map(int, change.split()[1:])), seed=5)
        else:
            db.execute(change)
    index.refresh()
    assert same(held(db).matrix, read_anew(db, collection).matrix)
    assert held(db).stamp == semantic.collection_stamp(db, collection)


@given(
    pairs=st.lists(st.tuples(st.integers(1, 10**12), st.integers(-5, 10**12)), max_size=60, unique_by=lambda p: p[0]),
    cut=st.integers(0, 60),
)
@settings(max_examples=50)
def test_stamps_add_up_as_the_file_counts_them(pairs: list[tuple[int, int]], cut: int) -> None:
    db = sqlite3.connect(":memory:")
    db.execute("create table embeddings (collection_id integer, id text, embedding blob, content_hash blob)")
    pairs.sort()
    db.row_factory = sqlite3.Row
    db.executemany(
        "insert into embeddings (rowid, collection_id, id, embedding) values (?, 1, ?, x'0000803f')", pairs[:cut]
    )
    first = semantic.read_rows(db, semantic.Held(semantic.Stamp(1)))
    db.executemany(
        "insert into embeddings (rowid, collection_id, id, embedding) values (?, 1, ?, x'0000803f')", pairs[cut:]
    )
    assert semantic.read_rows(db, first).stamp == semantic.collection_stamp(db, 1)
    db.close()
