"""What a hit brings by itself: bounded, growing with each part, blind to what lifts all hits."""

from __future__ import annotations

import sqlite3
from datetime import datetime

from hypothesis import given
from hypothesis import strategies as st

from memory_db.knowledge.memories import add_memory
from memory_db.recall.brief.for_model import ask_for_model, why_silent
from memory_db.recall.evidence_of_hit import LEAST, evidence
from memory_db.recall.features import HitFeatures, QueryFeatures
from memory_db.recall.search import Question

SHARES = st.floats(0, 1, allow_nan=False)
COSINES = st.none() | st.floats(-1, 1, allow_nan=False)

OWN = {
    "bm25": st.floats(0, 30),
    "cosine": COSINES,
    "static_cosine": COSINES,
    "outdated_bm25": st.none() | st.floats(0, 30),
    "condition_bm25": st.none() | st.floats(0, 30),
    "condition_cosine": COSINES,
    "literal_share": st.none() | SHARES,
    "entity_share": st.none() | SHARES,
    "path_match": SHARES,
}
"""What belongs to a question and one text."""

OTHER = {
    "age_days": st.floats(0, 10_000),
    "context_bm25": st.floats(0, 30),
    "session_keyword": SHARES,
    "context_cosine": COSINES,
    "session_cosine": COSINES,
    "static_context_cosine": COSINES,
    "same_project": st.none() | st.booleans(),
    "user_scope": st.booleans(),
    "importance": st.none() | st.integers(1, 5),
    "alpha": st.none() | st.floats(0.1, 50),
    "times_used": st.integers(0, 50),
    "times_shown": st.integers(0, 50),
    "lock_level": st.sampled_from(["none", "promoted", "user"]),
}
"""What lifts all hits alike, or belongs to what stands around them."""


def query(known: float = 1.0) -> QueryFeatures:
    return QueryFeatures(("port",), 20.0, 20.0, known_words=known)


def hit(**numbers: object) -> HitFeatures:
    return HitFeatures(**{"is_memory": True, "kind": "domain", "age_days": 1.0, "half_life_days": 90.0, **numbers})  # type: ignore[arg-type]


@given(st.fixed_dictionaries(OWN), SHARES)
def test_evidence_is_a_share(own: dict[str, float], known: float) -> None:
    assert 0 <= evidence(query(known), hit(**own)) <= 1


@given(st.fixed_dictionaries(OWN), st.fixed_dictionaries(OTHER), SHARES)
def test_what_lifts_all_hits_is_none(own: dict[str, float], other: dict[str, object], known: float) -> None:
    assert evidence(query(known), hit(**own)) == evidence(query(known), hit(**(own | other)))


@given(st.fixed_dictionaries(OTHER), SHARES)
def test_nothing_of_its_own_is_no_evidence(other: dict[str, object], known: float) -> None:
    assert evidence(query(known), hit(**other)) == 0


@given(st.fixed_dictionaries(OWN), SHARES, SHARES)
def test_unknown_words_only_take_off(own: dict[str, float], one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert evidence(query(low), hit(**own)) <= evidence(query(high), hit(**own)) + 1e-12


@given(st.fixed_dictionaries(OWN), st.sampled_from(["bm25", "path_match"]), st.floats(0, 1))
def test_more_of_its_own_is_no_less(own: dict[str, float], name: str, more: float) -> None:
    assert evidence(query(), hit(**own)) <= evidence(query(), hit(**(own | {name: own[name] + more}))) + 1e-12


def test_a_file_that_is_named_or_a_condition_met_is_enough() -> None:
    assert evidence(query(0.0), hit(path_match=1.0)) >= LEAST > evidence(query(0.0), hit(path_match=0.5))
    assert evidence(query(0.0), hit(condition_cosine=0.9)) >= LEAST


def test_what_decided_is_logged_and_told(db: sqlite3.Connection, now: datetime) -> None:
    add_memory(db, text="The ferret cage is cleaned on Sunday", kind="decision", scope="user", now=now)
    add_memory(db, text="Berths are numbered from the harbour mouth", kind="domain", scope="user", now=now)
    shown = ask_for_model(db, Question("when is the ferret cage cleaned?"), surface="brief", now=now)
    assert len(shown.shown) == 1 and not why_silent(shown)
    logged = db.execute(
        "select json_extract(features, '$.evidence') from hits where recall_id = ? and rank = 1", [shown.recall_id]
    ).fetchone()[0]
    assert logged == round(shown.shown[0].evidence, 4) >= LEAST
    for prompt in ("thanks, looks good", "write a haiku about autumn", "what is the capital of France", "yes, sunday"):
        silent = ask_for_model(db, Question(prompt), surface="brief", now=now)
        assert silent.abstained and not silent.text, prompt
