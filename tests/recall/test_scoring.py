"""Scoring: signals between 0 and 1, a score that is a sum, presets that add up."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_db.recall import scoring
from memory_db.recall.features import HitFeatures, QueryFeatures
from memory_db.recall.measures import ceilings
from memory_db.recall.scoring import SIGNALS
from memory_db.store.presets import PRESETS
from memory_db.text.terms import idf

numbers = st.floats(allow_nan=False, allow_infinity=False, width=32)
positive = st.floats(min_value=0, max_value=1e6)

queries = st.builds(
    QueryFeatures,
    terms=st.just(("word",)),
    best_bm25_memories=positive,
    best_bm25_entries=positive,
)

hits = st.builds(
    HitFeatures,
    is_memory=st.booleans(),
    kind=st.sampled_from(["decision", "correction", "fix", "prompt"]),
    age_days=numbers,
    half_life_days=positive,
    bm25=numbers,
    context_bm25=numbers,
    session_keyword=numbers,
    cosine=st.none() | numbers,
    static_cosine=st.none() | numbers,
    same_project=st.none() | st.booleans(),
    meant_project=st.none() | st.just(True),
    user_scope=st.booleans(),
    path_match=numbers,
    importance=st.none() | st.integers(-3, 9),
    alpha=st.none() | positive,
    beta=st.none() | positive,
    times_shown=st.integers(0, 10_000),
    times_used=st.integers(0, 10_000),
    lock_level=st.sampled_from(["none", "promoted", "user"]),
    stated_by_user=st.booleans(),
)


@given(queries, hits)
@pytest.mark.slow
def test_every_signal_is_between_0_and_1(query: QueryFeatures, hit: HitFeatures) -> None:
    for name, value in scoring.signals(query, hit).items():
        assert 0.0 <= value <= 1.0, name


@given(queries, hits, st.sampled_from(sorted(PRESETS)))
@pytest.mark.slow
def test_a_score_is_between_0_and_1_and_the_same_however_it_is_computed(
    query: QueryFeatures, hit: HitFeatures, preset: str
) -> None:
    weights = PRESETS[preset].weights
    score = scoring.score(weights, scoring.signals(query, hit))
    assert -1e-9 <= score <= 1 + 1e-9
    assert score == scoring.score_of(weights, query, hit)


@given(queries, hits, st.floats(min_value=0, max_value=5000))
def test_older_is_never_fresher(query: QueryFeatures, hit: HitFeatures, days: float) -> None:
    older = HitFeatures(**{**hit.as_dict(), "age_days": max(0.0, hit.age_days) + days})
    for name in ("recency", "recency_memem", "recency_memlayer", "recency_agentmemory"):
        assert SIGNALS[name](query, older) <= SIGNALS[name](query, hit)


@given(queries, hits)
def test_features_survive_the_log(query: QueryFeatures, hit: HitFeatures) -> None:
    assert scoring.signals(query, HitFeatures(**hit.as_dict())) == scoring.signals(query, hit)


@given(hits)
@pytest.mark.slow
def test_a_signal_without_weight_counts_nothing(hit: HitFeatures) -> None:
    query = QueryFeatures(("word",), 10.0, 10.0)
    values = scoring.signals(query, hit)
    assert scoring.score({"keyword": 1.0}, values) == values["keyword"]
    assert scoring.score({"keyword": 1.0, "recency": 0.0}, values) == values["keyword"]


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_weights_of_a_preset_are_known_signals_and_sum_to_1(name: str) -> None:
    weights = PRESETS[name].weights
    assert set(weights) <= set(SIGNALS)
    assert all(weight > 0 for weight in weights.values())
    assert math.isclose(sum(weights.values()), 1.0, abs_tol=1e-9)
    assert PRESETS[name].description and PRESETS[name].source


def test_the_best_bm25_cannot_be_exceeded() -> None:
    by_hand = math.log((1000 - 10 + 0.5) / (10 + 0.5))
    assert ceilings.best_bm25([idf(1000, 10)]) == pytest.approx(by_hand * 2.2)
    assert ceilings.best_bm25([idf(10, 10)]) == pytest.approx(2.2e-6)
    assert ceilings.best_bm25([]) == 0.0


@pytest.mark.parametrize(
    ("name", "features", "expected"),
    [
        ("keyword", {"bm25": 5.0}, 0.5),
        ("keyword", {"bm25": 50.0}, 1.0),
        ("context_keyword", {"context_bm25": 2.5}, 0.25),
        ("semantic", {"cosine": -0.4}, 0.0),
        ("semantic", {"cosine": 0.4}, 0.4),
        ("recency", {"age_days": 90.0, "half_life_days": 90.0}, 0.5),
        ("recency_memem", {"age_days": 1.0}, 0.995**24),
        ("recency_memlayer", {"age_days": 60.0}, 0.25),
        ("usage", {"times_used": 3}, 0.5),
        ("usage_memem", {"times_shown": 20}, 1.0),
        ("importance", {"importance": 5}, 1.0),
        ("importance", {"importance": None}, 0.0),
        ("confidence", {"alpha": 9.0, "beta": 1.0}, 0.9),
        ("confidence", {}, 0.0),
        ("scope", {"same_project": True}, 1.0),
        ("scope", {"same_project": False}, 0.3),
        ("scope", {"same_project": False, "is_memory": False}, 0.0),
        ("scope", {"same_project": False, "meant_project": True}, 1.0),
        ("scope", {"same_project": False, "meant_project": True, "is_memory": False}, 0.4),
        ("scope", {"same_project": False, "user_scope": True}, 1.0),
        ("scope", {"same_project": None}, 1.0),
        ("lock", {"lock_level": "user"}, 1.0),
        ("type_agentmemory", {"kind": "convention"}, 1.0),
        ("source_agentmemory", {"stated_by_user": False}, 1 / 1.5),
        ("memory", {"is_memory": True}, 1.0),
    ],
)
def test_values_worked_out_by_hand(name: str, features: dict[str, object], expected: float) -> None:
    base: dict[str, object] = {"is_memory": True, "kind": "fix", "age_days": 0.0, "half_life_days": 30.0}
    hit = HitFeatures(**{**base, **features})  # type: ignore[arg-type]
    assert SIGNALS[name](QueryFeatures(("word",), 10.0, 10.0), hit) == pytest.approx(expected)
