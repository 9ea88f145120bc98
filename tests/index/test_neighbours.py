"""What is similar to a text, and from where on a similarity counts."""

from __future__ import annotations

import sqlite3
from datetime import datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_db.gate.claims import CosineLimits
from memory_db.gate.thresholds import (
    DEFAULT,
    HIGHEST_DUPLICATE,
    fitted_thresholds,
    limits_of,
    neighbour_similarity,
    refit,
)
from memory_db.index import build as index
from memory_db.index.neighbours import (
    EVERYWHERE,
    FullVectors,
    Nearest,
    StaticVectors,
    by_words,
    load,
    memory_text,
    open_vectors,
    rarest_terms,
)
from memory_db.knowledge.memories import add_memory
from memory_db.store import settings

TEXTS = (
    "The invoice exporter writes dates as day first.",
    "Deploys of the storefront go out on Tuesdays.",
    "We keep feature flags in the database, not in the environment.",
)


def add(db: sqlite3.Connection, text: str, now: datetime, project: int | None = 1) -> int:
    scope = "project" if project else "user"
    uid = add_memory(db, text=text, kind="convention", scope=scope, project_id=project, now=now)
    return int(db.execute("select id from memories where uid = ?", [uid]).fetchone()[0])


@pytest.fixture
def filled(db: sqlite3.Connection, now: datetime) -> sqlite3.Connection:
    for number, name in ((1, "shop"), (2, "depot")):
        db.execute("insert into projects (id, name, canonical_path, created_at) values (?, ?, ?, '2026-01-01')",
                   [number, name, f"/home/a/{name}"])  # fmt: skip
    for text in TEXTS:
        add(db, text, now)
    add(db, "The depot scanner speaks MQTT on port 1883.", now, 2)
    add(db, "I like short answers without a preamble.", now, None)
    return db


vectors_in = st.lists(
    st.tuples(st.integers(-1, 2), st.lists(st.floats(-1, 1, width=32), min_size=4, max_size=4)), min_size=1, max_size=30
)


@given(vectors_in, st.integers(0, 2), st.integers(1, 5))
@pytest.mark.slow
def test_the_nearest_are_those_that_a_plain_search_finds(
    rows: list[tuple[int, list[float]]], place: int, most: int
) -> None:
    nearest, known = Nearest(), np.zeros(0, dtype=np.float32)
    question = np.array([1, 0.5, -0.25, 0], dtype=np.float32)
    for number, (here, vector) in enumerate(rows):
        if number == len(rows) // 2:
            known = nearest.cosines(question[None, :])[0]
        nearest.add([number], [here], np.array([vector], dtype=np.float32))
    found = nearest.best(question, known, place, most)
    allowed = [number for number, (here, _) in enumerate(rows) if here in (place, 0)]
    plain = sorted((float(np.array(rows[n][1], dtype=np.float32) @ question) for n in allowed), reverse=True)[:most]
    assert len(found) == min(most, len(allowed)) and set(found) <= set(allowed)
    assert np.allclose(sorted(found.values(), reverse=True), plain, atol=1e-4)
    for number in list(found):
        nearest.drop(number)
    assert not set(found) & set(nearest.best(question, known, place, len(rows)))


def test_only_what_holds_here_and_now_is_near(filled: sqlite3.Connection, now: datetime) -> None:
    vectors = StaticVectors()
    memories = load(filled, vectors)
    asked = vectors.of(filled, ["The storefront is deployed on Tuesdays"])
    found = memories.best(asked[0], memories.cosines(asked)[0], 1, 3)
    assert next(iter(found)) == 2 and 4 not in found
    filled.execute("update memories set status = 'retired' where id = 2")
    assert 2 not in load(filled, vectors).rows


def test_rare_words_find_what_vectors_may_miss(filled: sqlite3.Connection) -> None:
    assert rarest_terms(filled, "the exporter and the database of unheardof things")[:2] == ("database", "exporter")
    assert "unheardof" in rarest_terms(filled, "unheardof exporter")
    assert by_words(filled, "our exporters wrote it", 1) == [1]
    assert by_words(filled, "the scanner", 1) == [] and by_words(filled, "the scanner", 2) == [4]
    assert by_words(filled, "answers", 2) == [5]
    assert by_words(filled, "?! and the", 1) == []


def test_stored_vectors_are_read_and_not_made_again(filled: sqlite3.Connection, now: datetime) -> None:
    before = load(filled, StaticVectors())
    index.run(filled, now=now, entries=False)
    for vectors in (StaticVectors(), FullVectors(filled, "minilm-int8")):
        assert len(vectors.stored(filled)) == 5
        after = load(filled, vectors)
        assert after.ids == before.ids
        rows = filled.execute("select title, text from memories order by id").fetchall()
        made = vectors.of(filled, [memory_text(row["title"], row["text"]) for row in rows])
        assert np.allclose(after.vectors[:5], made, atol=0.02)


def test_a_vector_that_was_kept_is_one_that_index_need_not_make(filled: sqlite3.Connection, now: datetime) -> None:
    index.run(filled, now=now, entries=False)
    vectors = FullVectors(filled, "minilm-int8")
    memory_id = add(filled, "The staging cluster has three nodes.", now)
    version = filled.execute("select id from memory_versions where memory_id = ?", [memory_id]).fetchone()[0]
    text = "The staging cluster has three nodes"
    vectors.keep(filled, version, text + ".", vectors.of(filled, [text + "."])[0], now)
    assert index.run(filled, now=now, entries=False)["embedded_memories"] == 0


def test_the_setting_chooses_the_vectors(filled: sqlite3.Connection, now: datetime) -> None:
    assert isinstance(open_vectors(filled), StaticVectors)
    settings.put(filled, "gate_vectors", "full", now=now)
    assert open_vectors(filled).name == "minilm-int8"
    settings.put(filled, "embedding_model", "none", now=now)
    assert isinstance(open_vectors(filled), StaticVectors)


@given(st.lists(st.floats(-1, 1), max_size=300))
def test_fitted_thresholds_are_in_order_and_bounded(elsewhere: list[float]) -> None:
    limits = fitted_thresholds(elsewhere)
    assert limits.related <= limits.duplicate <= HIGHEST_DUPLICATE
    if len(elsewhere) < 100:
        assert limits == DEFAULT
    else:
        assert sum(each > limits.duplicate for each in elsewhere) <= max(2, 0.01 * len(elsewhere))


def test_thresholds_are_fitted_once_the_file_is_large_and_a_setting_wins(
    filled: sqlite3.Connection, now: datetime
) -> None:
    vectors = StaticVectors()
    assert not refit(filled, vectors, load(filled, vectors), now=now)
    subjects = ("mail", "stock", "search", "login", "backup")
    for number in range(120):
        add(
            filled, f"The {subjects[number % 5]} job {number} keeps its queue in folder q{number}.", now, number % 2 + 1
        )
    memories = load(filled, vectors)
    assert refit(filled, vectors, memories, now=now)
    assert not refit(filled, vectors, memories, now=now)
    row = filled.execute("select * from likeness_thresholds").fetchone()
    assert (row["model"], row["pairs"], row["memories"]) == (vectors.name, 124, 125)
    assert limits_of(filled, vectors.name) == CosineLimits(row["duplicate"], row["related"])
    settings.put(filled, "gate_duplicate_likeness", "0.5", now=now)
    assert limits_of(filled, vectors.name) == CosineLimits(0.5, row["related"])
    assert limits_of(filled, "another model") == CosineLimits(0.5, DEFAULT.related)


def test_similarity_of_each_memory_to_the_nearest_one(filled: sqlite3.Connection) -> None:
    rows = neighbour_similarity(filled)
    assert {row.memory for row in rows} == {row[0] for row in filled.execute("select uid from memories")}
    assert all(-1 <= row.similarity <= 1.001 and row.memory != row.nearest for row in rows)
    assert any(not row.is_same_place for row in rows)


def test_what_was_kept_since_cosines_were_made_counts_as_it_is_now() -> None:
    one, other = np.float32([1, 0]), np.float32([0, 1])
    nearest = Nearest()
    nearest.add([1, 2], [EVERYWHERE, EVERYWHERE], np.stack([one, other]))
    known = nearest.cosines(one[None, :])[0]
    nearest.add([1, 3], [EVERYWHERE, EVERYWHERE], np.stack([other, one]))
    assert nearest.best(one, known, 1) == {3: 1.0, 1: 0.0, 2: 0.0}
    nearest.drop(3)
    nearest.drop(4)
    assert nearest.best(one, known, 1) == {1: 0.0, 2: 0.0} and 3 not in nearest.rows


def test_among_equals_the_lower_id_comes_first_in_whatever_order_they_came() -> None:
    vector = np.float32([0.6, 0.8])
    for order in ([1, 2, 3, 4], [4, 2, 1, 3]):
        nearest = Nearest()
        nearest.add(order, [EVERYWHERE] * 4, np.stack([vector] * 4))
        assert list(nearest.best(vector, nearest.cosines(vector[None, :])[0], 1, 2)) == [1, 2]
