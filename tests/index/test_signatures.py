"""Signatures: the planes count as a plain loop does, and blocks follow the vectors they are made from."""

import sqlite3

from hypothesis import given
from hypothesis import strategies as st

from memory_db.index import signatures
from memory_db.index.signatures import SIGNS, STORED, counts, least, nearest, refresh
from memory_db.store.connection import transaction
from memory_db.text import static_vectors
from memory_db.text.static_vectors import DIMENSIONS, MODEL_ID, text_vector


def distance(one: bytes, other: bytes) -> int:
    """How many signs differ, the plain way."""
    signs = [[0 < number < 128 for number in vector] for vector in (one[:SIGNS], other[:SIGNS])]
    return sum(a != b for a, b in zip(*signs, strict=True))


@given(st.lists(st.integers(0, 2**40 - 1), max_size=70))
def test_planes_are_counted_like_a_loop(planes: list[int]) -> None:
    digits = counts(planes)
    for place in range(40):
        expected = sum(plane >> place & 1 for plane in planes)
        assert sum((digit >> place & 1) << weight for weight, digit in enumerate(digits)) == expected


@given(st.lists(st.integers(0, 30), min_size=1, max_size=60), st.integers(0, 60))
def test_the_least_are_chosen_without_parting_equals(values: list[int], most: int) -> None:
    digits = [sum((value >> weight & 1) << place for place, value in enumerate(values)) for weight in range(6)]
    chosen = least(digits, (1 << len(values)) - 1, most)
    picked = [value for place, value in enumerate(values) if chosen >> place & 1]
    others = [value for place, value in enumerate(values) if not chosen >> place & 1]
    assert len(picked) <= most
    assert not picked or not others or max(picked) < min(others)
    best = min(others, default=0)
    assert not others or len(picked) + others.count(best) > most


def stored(db: sqlite3.Connection, sort: str) -> dict[int, bytes]:
    table, column = STORED[sort]
    rows = db.execute(f"select {column}, vector from {table} where {column} is not null and length(vector) > 0")
    return {row[0]: row[1] for row in rows}


def test_the_nearest_are_those_of_a_plain_loop(sample_db: sqlite3.Connection) -> None:
    for query in ("release the service", "the tests take too long", "who is on call"):
        vector = text_vector(query)
        assert vector is not None
        for sort in STORED:
            vectors = stored(sample_db, sort)
            found = nearest(sample_db, sort, vector, 30)
            assert 0 < len(found) <= 30
            furthest = max(distance(vector, vectors[identifier]) for identifier in found)
            others = [distance(vector, each) for identifier, each in vectors.items() if identifier not in found]
            assert not others or furthest < min(others)


def test_blocks_follow_their_vectors(sample_db: sqlite3.Connection) -> None:
    assert refresh(sample_db) == 0
    with transaction(sample_db):
        gone = sample_db.execute("select entry_id from static_vectors where entry_id > 0 limit 1").fetchone()[0]
        sample_db.execute("delete from static_vectors where entry_id = ?", [gone])
    assert refresh(sample_db) == 1
    ids = b"".join(row[0] for row in sample_db.execute("select ids from signature_blocks where sort = 'entries'"))
    assert gone not in signatures.array("q", ids)
    with transaction(sample_db):
        sample_db.execute("delete from static_vectors where entry_id is not null")
    assert refresh(sample_db) == 1
    assert nearest(sample_db, "entries", bytes([1] * DIMENSIONS), 10) == []


def test_several_blocks_are_searched_as_one(db: sqlite3.Connection) -> None:
    texts = [f"note number {number} about {word}" for number in range(30) for word in ("tests", "deploying", "rain")]
    vectors = list(static_vectors.text_vectors(texts))
    found = signatures.packed([(number, vector) for number, vector in enumerate(vectors, start=1) if vector])
    parts = [(number, vector) for number, vector in enumerate(vectors, start=1) if vector]
    vector = text_vector("it is raining")
    assert vector is not None
    answers = []
    for blocks in ([found], [signatures.packed(parts[:37]), signatures.packed(parts[37:])]):
        with transaction(db):
            db.execute("delete from signature_blocks")
            for block, (ids, planes) in enumerate(blocks):
                db.execute(
                    "insert into signature_blocks (sort, block, model, vector_count, id_sum, ids, planes)"
                    " values ('memories', ?, ?, 0, 0, ?, ?)",
                    [block, MODEL_ID, ids, planes],
                )
        answers.append(nearest(db, "memories", vector, 20))
    assert answers[0] == answers[1] and answers[0]
