"""Similarity by static word vectors: one cosine for many texts at once, and what stands around a text."""

from __future__ import annotations

import json
import sqlite3
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_db.index.signatures import STORED
from memory_db.recall import similarity
from memory_db.recall.brief.select import ask
from memory_db.recall.features import HitFeatures, QueryFeatures
from memory_db.recall.profiles import save_profile
from memory_db.recall.scoring import score, signals, static_context_semantic, static_session_semantic
from memory_db.recall.search import Question, look_up_cosines, recall
from memory_db.text import static_vectors

STATIC = ("static_semantic", "static_context_semantic", "static_session_semantic")


@given(st.text(min_size=1, max_size=40), st.lists(st.text(max_size=40), max_size=6))
@pytest.mark.slow
def test_many_cosines_are_those_of_each_alone(query: str, texts: list[str]) -> None:
    vectors = [vector for text in [*texts, "port", "never"] if (vector := static_vectors.text_vector(text))]
    numbers = static_vectors.numbers(static_vectors.text_vector(query) or vectors[0])
    assert static_vectors.cosines(numbers, vectors) == [static_vectors.cosine(numbers, each) for each in vectors]


def test_the_greatest_numbers_do_not_run_over() -> None:
    for number in (127, -127, -128):
        numbers = [number] * static_vectors.DIMENSIONS
        extremes = [bytes([each % 256]) * static_vectors.DIMENSIONS for each in (127, -128, 0, -1)]
        expected = [static_vectors.cosine(numbers, each) for each in extremes]
        assert static_vectors.cosines(numbers, extremes) == expected
    assert static_vectors.cosines([1] * static_vectors.DIMENSIONS, []) == []


def test_a_distinctive_word_draws_the_vector_of_a_question() -> None:
    port = static_vectors.numbers(static_vectors.text_vector("postgres") or b"")
    even = similarity.question_vector("postgres lunch", {"postgres": 1.0, "lunch": 1.0})
    drawn = similarity.question_vector("postgres lunch", {"postgres": 1.0}, {"postgres": 6.0, "lunch": 1.0})
    assert even and drawn
    assert static_vectors.cosine(port, drawn) > static_vectors.cosine(port, even)
    assert similarity.question_vector("\u2603") is None


@given(st.floats(-1, 1) | st.none())
def test_the_signals_of_what_stands_around_are_cosines_from_0(cosine: float | None) -> None:
    query = QueryFeatures(("word",), 1.0, 1.0)
    hit = HitFeatures(False, "reply", 0.0, 1.0, static_context_cosine=cosine, static_session_cosine=cosine)
    expected = max(0.0, cosine or 0.0)
    assert static_context_semantic(query, hit) == static_session_semantic(query, hit) == expected


def test_what_stands_around_is_looked_at_where_a_profile_weighs_only_that(
    sample_db: sqlite3.Connection, now: datetime
) -> None:
    question = "terraform state lock"
    hook = recall(sample_db, Question(question, scope="entries", profile="hook"), now=now)
    expected = {hit.entry_id: hit.features.static_context_cosine for hit in hook.hits}
    save_profile(sample_db, "around", {"static_context_semantic": 1.0}, description="", fitted_on="", now=now)
    found = recall(sample_db, Question(question, scope="entries", profile="around"), now=now)
    values = {hit.entry_id: hit.features.static_context_cosine for hit in found.hits}
    assert any(values.values())
    assert all(value == expected[entry] for entry, value in values.items() if entry in expected and value)


def test_the_log_of_such_a_recall_gives_its_scores(sample_db: sqlite3.Connection, now: datetime) -> None:
    answer = ask(sample_db, Question("terraform state lock", profile="hook"), surface="test", now=now)
    rows = sample_db.execute(
        "select s.score, s.logged_score, h.signals from recall_scores s join hits h on h.id = s.hit_id"
        " where s.recall_id = ?",
        [answer.recall_id],
    ).fetchall()
    assert rows and all(abs(row["score"] - row["logged_score"]) < 1e-9 for row in rows)
    for name in STATIC:
        values = [json.loads(row["signals"])[name] for row in rows]
        assert any(values) and all(0 <= value <= 1 for value in values)


def test_a_vector_that_comes_after_the_scores_stands_in_no_signal(sample_db: sqlite3.Connection, now: datetime) -> None:
    table = STORED["entries"][0]
    kept = sample_db.execute(f"select * from {table}").fetchall()
    sample_db.execute(f"delete from {table}")
    recalled = recall(sample_db, Question("terraform state lock", profile="hook"), now=now)
    places = ", ".join("?" * len(kept[0]))
    sample_db.executemany(f"insert into {table} values ({places})", [tuple(row) for row in kept])
    look_up_cosines(sample_db, recalled, recalled.hits)
    assert any(hit.entry_id is not None for hit in recalled.hits)
    for hit in recalled.hits:
        values = signals(recalled.query_features, hit.features)
        assert score(recalled.profile.weights, values) == pytest.approx(hit.score, abs=1e-9)
