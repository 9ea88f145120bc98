"""When nothing is shown: files without their answers, words that a file has not, thresholds."""

from __future__ import annotations

import sqlite3
from datetime import datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_db.evaluation import abstention, tuning
from memory_db.evaluation import metrics as evaluate
from memory_db.evaluation import query_sets as judging
from memory_db.evaluation.deletion import held_out
from memory_db.evaluation.metrics import COLUMN, Labelled
from memory_db.recall import scoring
from memory_db.recall.measures import ceilings
from memory_db.recall.scoring import SIGNALS
from memory_db.recall.search import Question, recall
from memory_db.store.presets import PRESETS

TABLES = ("memories", "memory_versions", "memory_sources", "entries", "session_entries", "actions", "edges")


def everything(db: sqlite3.Connection) -> list[list[tuple[object, ...]]]:
    """Every row of what recall reads, and what full text says of two words."""
    rows = [[tuple(row) for row in db.execute(f"select * from {table} order by 1, 2")] for table in TABLES]
    for text in ("memory_fts", "entry_fts"):
        found = db.execute(f"select rowid, rank from {text} where {text} match 'postgres or index' order by rowid")
        rows.append([tuple(row) for row in found])
    return rows


def question(uid: str, best: float, *, answers: bool, gone: float | None = None) -> Labelled:
    """A question with one hit of that keyword signal, which answers it or not."""
    signals = np.zeros((1, len(SIGNALS)))
    signals[0, COLUMN["keyword"]] = best
    item = ("entry", 1)
    return Labelled(
        uid=uid, query="q", project_id=None, style="", signals=signals, texts=(0,), reaches=(frozenset([item]),),
        wanted=frozenset([item]) if answers else frozenset(), barred=frozenset(),
        without=question(uid, gone, answers=False) if gone is not None else None,
    )  # fmt: skip


def test_what_is_held_out_is_gone_and_comes_back(sample_db: sqlite3.Connection) -> None:
    memory_id, entry_id = sample_db.execute(
        "select memory_id, entry_id from memory_sources where entry_id is not null order by id limit 1"
    ).fetchone()
    before = everything(sample_db)
    with held_out(sample_db, [("entry", entry_id)]):
        assert not sample_db.execute("select 1 from entries where id = ?", [entry_id]).fetchone()
        assert not sample_db.execute("select 1 from memories where id = ?", [memory_id]).fetchone()
        assert not sample_db.execute("select 1 from memory_versions where memory_id = ?", [memory_id]).fetchone()
        assert not sample_db.execute("select 1 from entry_fts_docsize where id = ?", [entry_id]).fetchone()
        assert everything(sample_db) != before
    assert everything(sample_db) == before
    assert sample_db.execute("pragma foreign_keys").fetchone()[0] == 1
    assert not sample_db.in_transaction


def test_it_comes_back_where_asking_fails(sample_db: sqlite3.Connection) -> None:
    before = everything(sample_db)
    with pytest.raises(ZeroDivisionError), held_out(sample_db, [("entry", 1), ("memory", 1)]):
        raise ZeroDivisionError
    assert everything(sample_db) == before


@pytest.mark.slow
def test_a_question_asked_without_its_answers_finds_none_of_them(sample_db: sqlite3.Connection) -> None:
    few = "select id from labelled_queries order by uid limit 12"
    sample_db.execute(f"delete from labelled_queries where id not in ({few})")
    changes = [tuple(row) for row in sample_db.execute("select count(*), max(id) from entries")]
    asked = evaluate.collect(sample_db, judging.SAMPLE_SET, deleted=True)
    assert any(each.wanted for each in asked)
    for each in asked:
        assert (each.without is None) == each.is_negative
        if each.without:
            assert not each.without.relevant().any()
    assert changes == [tuple(row) for row in sample_db.execute("select count(*), max(id) from entries")]


def test_what_was_asked_without_answers_counts_before_what_is_left_of_the_rest() -> None:
    asked = [question("a", 0.9, answers=True, gone=0.4), question("b", 0.8, answers=True)]
    assert abstention.best_without_answers(asked, {"keyword": 1.0}).tolist() == [0.4, abstention.NO_HIT]


def test_words_that_the_file_has_not_lower_every_score_alike(sample_db: sqlite3.Connection, now: datetime) -> None:
    known = recall(sample_db, Question("postgres index"), now=now)
    foreign = recall(sample_db, Question("postgres index zzyzxquark"), now=now)
    assert known.query_features.known_words == pytest.approx(1)
    assert 0 < foreign.query_features.known_words < 0.8
    assert {scoring.known_words(foreign.query_features, hit.features) for hit in foreign.hits} == {
        foreign.query_features.known_words
    }


def test_the_share_of_known_words() -> None:
    assert ceilings.known_share(100, {"one": 0}) == 0
    assert ceilings.known_share(100, {}) == 0
    assert ceilings.known_share(100, {"one": 5}) == 1
    assert 0 < ceilings.known_share(100, {"one": 5, "other": 0}) < 0.5
    assert ceilings.known_share(100, {"one": 1, "other": 0}) > ceilings.known_share(100, {"one": 40, "other": 0})


@given(st.sampled_from(sorted(PRESETS)), st.floats(0, 0.5), st.integers(0, 1000))
def test_its_weight_changes_no_order(preset: str, share: float, seed: int) -> None:
    drawn = np.random.default_rng(seed).random((20, len(SIGNALS))).round(2)
    drawn[:, COLUMN["known_words"]] = 0.3
    weights = tuning.with_known_words(PRESETS[preset].weights, share)
    assert sum(weights.values()) == pytest.approx(1)
    before = drawn @ np.array([PRESETS[preset].weights.get(name, 0.0) for name in SIGNALS])
    after = drawn @ np.array([weights.get(name, 0.0) for name in SIGNALS])
    order = np.argsort(-before)
    assert (np.diff(after[order]) <= 1e-12).all()


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=40), st.floats(0, 0.9))
@pytest.mark.slow
def test_a_fitted_threshold_lets_no_more_negatives_through(asked: list[tuple[float, bool]], most: float) -> None:
    labelled = [question(str(n), best, answers=answers) for n, (best, answers) in enumerate(asked)]
    at = tuning.fit_threshold(labelled, {"keyword": 1.0}, most_negatives=most)
    negatives = [best for best, answers in asked if not answers]
    if not negatives:
        assert at.threshold == 0
    elif at.threshold < max(best for best, _ in asked):
        assert sum(best >= at.threshold for best in negatives) <= most * len(negatives) + 1e-9


def test_deleted_answers_are_negatives_where_that_is_wanted() -> None:
    labelled = [question(str(n), 0.5 + n / 20, answers=True, gone=0.3 + n / 20) for n in range(10)]
    assert tuning.fit_threshold(labelled, {"keyword": 1.0}).threshold == 0
    at = tuning.fit_threshold(labelled, {"keyword": 1.0}, deleted=True)
    assert at.threshold > 0.3
    assert at.negative <= abstention.MOST_NEGATIVES
