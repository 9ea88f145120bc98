"""Metrics against numbers worked by hand, and weights found again that were planted."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_db.errors import InputError
from memory_db.evaluation import abstention, tuning
from memory_db.evaluation import metrics as evaluate
from memory_db.evaluation import query_sets as judging
from memory_db.evaluation.metrics import COLUMN, Item, Labelled
from memory_db.recall.brief import select as brief
from memory_db.recall.profiles import scaled_weights
from memory_db.recall.question_dates import with_window
from memory_db.recall.scoring import SIGNALS, score
from memory_db.recall.search import Question
from memory_db.sample.file import SAMPLE_MOMENT, ensure_sample
from memory_db.store import settings as own_settings
from memory_db.store.dates import parse_utc
from memory_db.store.presets import PRESETS
from memory_db.store.schema import open_database
from memory_db.store.settings import user_zone

PLANTED = {"keyword": 0.5, "semantic": 0.3, "recency": 0.2}


def labelled(
    uid: str,
    rows: list[dict[str, float]],
    *,
    wanted: set[int] = frozenset(),  # type: ignore[assignment]
    barred: set[int] = frozenset(),  # type: ignore[assignment]
    reaches: list[set[Item]] | None = None,
    texts: list[int] | None = None,
    project_id: int = 1,
) -> Labelled:
    """A question whose hit number n is the entry n, unless `reaches` says more."""
    signals = np.zeros((len(rows), len(SIGNALS)))
    for number, row in enumerate(rows):
        for name, value in row.items():
            signals[number, COLUMN[name]] = value
    return Labelled(
        uid=uid,
        query=uid,
        project_id=project_id,
        style="question",
        signals=signals,
        texts=tuple(texts or range(len(rows))),
        reaches=tuple(map(frozenset, reaches or [{("entry", number)} for number in range(len(rows))])),
        wanted=frozenset(("entry", number) for number in wanted),
        barred=frozenset(("entry", number) for number in barred),
    )


def by_keyword(*values: float) -> list[dict[str, float]]:
    return [{"keyword": value} for value in values]


KEYWORD = {"keyword": 1.0}


# -------------------------------------------------------------------- metrics


def test_metrics_are_those_worked_by_hand() -> None:
    """Answers at the places 2, 4 and 12; a barred one at place 5."""
    rows = by_keyword(*(1 - number / 20 for number in range(12)))
    values = evaluate.measure([labelled("q", rows, wanted={1, 3, 11}, barred={4})], KEYWORD)
    gain = 1 / math.log2(3) + 1 / math.log2(5)
    best = 1 + 1 / math.log2(3) + 1 / math.log2(4)
    expected = {
        "recall@1": 0, "recall@5": 2 / 3, "recall@10": 2 / 3, "recall@20": 1, "recall@50": 1, "found@1": 0,
        "found@10": 1, "mrr": 1 / 2, "ndcg@10": gain / best, "must_not@5": 1, "ceiling": 1,
    }  # fmt: skip
    assert {name: pytest.approx(values[name][0]) for name in expected} == expected


def test_evidence_counts_while_its_line_fits() -> None:
    """Lines of 400 characters: the second ends at 800, the third at 1,200, the seventh beyond 2,500."""
    each = replace(
        labelled("q", by_keyword(*(1 - n / 20 for n in range(12))), wanted={1, 2, 6}), characters=(400,) * 12
    )
    values = evaluate.measure([each], KEYWORD)
    shares = {name: values[f"evidence@{name}"][0] for name in (1000, 2500, 4000)}
    assert shares == {1000: pytest.approx(1 / 3), 2500: pytest.approx(2 / 3), 4000: 1}


def test_the_ceiling_is_what_was_considered_at_all() -> None:
    values = evaluate.measure([labelled("q", by_keyword(0.5), wanted={0, 7})], KEYWORD)
    assert values["ceiling"][0] == values["recall@50"][0] == 0.5


def test_an_outdated_hit_is_seen_among_the_first_five() -> None:
    rows = by_keyword(*(1 - n / 20 for n in range(7)))
    fifth, sixth = (replace(labelled("q", rows, wanted={0}), outdated=frozenset([("entry", n)])) for n in (4, 5))
    assert [evaluate.measure([each], KEYWORD)["outdated@5"][0] for each in (fifth, sixth)] == [1, 0]
    assert math.isnan(evaluate.measure([labelled("q", rows, wanted={0})], KEYWORD)["outdated@5"][0])


def test_any_function_of_a_question_can_rank() -> None:
    each = labelled("q", by_keyword(0.9, 0.1), wanted={1})
    assert evaluate.measure([each], KEYWORD)["mrr"][0] == 0.5
    assert evaluate.measure([each], lambda one: -evaluate.scores(one, KEYWORD))["mrr"][0] == 1


def test_without_its_answers_a_question_scores_what_is_left() -> None:
    questions = [labelled("a", by_keyword(0.9, 0.4), wanted={0}), labelled("b", by_keyword(0.7), wanted={0})]
    assert abstention.best_without_answers(questions, KEYWORD).tolist() == [0.4, abstention.NO_HIT]


def test_what_is_not_barred_has_no_share_in_that_metric() -> None:
    values = evaluate.measure([labelled("q", by_keyword(1, 0.5), wanted={0})], KEYWORD)
    assert math.isnan(values["must_not@5"][0])
    assert evaluate.evaluate([labelled("q", by_keyword(1, 0.5), wanted={0})], KEYWORD)["must_not@5"].queries == 0


def test_a_memory_reaches_the_entry_it_was_made_from_which_is_then_passed_over() -> None:
    rows = [{"keyword": 0.9, "memory": 1.0}, {"keyword": 0.8}, {"keyword": 0.7}]
    reaches: list[set[Item]] = [{("memory", 5), ("entry", 1)}, {("entry", 1)}, {("entry", 2)}]
    each = labelled("q", rows, wanted={1, 2}, reaches=reaches)
    assert evaluate.shown(each, evaluate.scores(each, KEYWORD)) == [0, 2]
    assert evaluate.outcome(each, KEYWORD).places == (1, 2)


def test_one_hit_that_reaches_every_answer_is_no_better_than_best() -> None:
    reaches: list[set[Item]] = [{("memory", 5), ("entry", 1), ("entry", 2)}]
    each = labelled("q", [{"keyword": 0.9, "memory": 1.0}], wanted={1, 2}, reaches=reaches)
    assert evaluate.measure([each], KEYWORD)["ndcg@10"][0] == 1


def test_the_same_text_is_shown_once() -> None:
    each = labelled("q", by_keyword(0.9, 0.8, 0.7), texts=[4, 4, 5])
    assert evaluate.shown(each, evaluate.scores(each, KEYWORD)) == [0, 2]


def test_a_question_without_any_hit_is_answered_by_nothing() -> None:
    values = evaluate.measure([labelled("q", [], wanted={1})], KEYWORD)
    assert values["recall@10"][0] == values["mrr"][0] == values["ndcg@10"][0] == 0


def test_an_interval_holds_its_mean_and_comes_out_the_same() -> None:
    values = np.array([*np.linspace(0, 1, 41), math.nan])
    first = evaluate.estimate(values)
    assert first == evaluate.estimate(values)
    assert (first.value, first.queries) == (pytest.approx(0.5), 41)
    error = float(np.std(values[:-1])) / math.sqrt(41)
    assert first.low == pytest.approx(0.5 - 1.96 * error, abs=0.01)
    assert first.high == pytest.approx(0.5 + 1.96 * error, abs=0.01)
    assert evaluate.estimate(values, seed=1) != first


def test_a_difference_is_taken_question_by_question() -> None:
    each = labelled("q", [{"keyword": 0.9}, {"semantic": 0.9}], wanted={1})
    better = evaluate.compare([each], {"semantic": 1.0}, KEYWORD)
    assert better["mrr"].value == 0.5
    assert evaluate.compare([each], KEYWORD, KEYWORD)["mrr"].value == 0


def test_the_curve_and_the_threshold_of_abstaining() -> None:
    questions = [labelled(f"a{value}", by_keyword(value), wanted={0}) for value in (0.9, 0.6, 0.3)]
    questions += [labelled(f"n{value}", by_keyword(value)) for value in (0.5, 0.2)]
    curve = {at.threshold: (at.answerable, at.negative) for at in abstention.abstention_curve(questions, KEYWORD)}
    assert curve[0.0] == (1, 1)
    assert curve[0.5] == (pytest.approx(2 / 3), 0.5)
    assert curve[0.9] == (pytest.approx(1 / 3), 0)
    best = tuning.fit_threshold(questions, KEYWORD)
    assert (best.threshold, best.negative) == (0.6, 0)
    assert best.answerable == pytest.approx(2 / 3)


# --------------------------------------------------------------------- fitting


def planted(seed: int, questions: int = 60) -> list[Labelled]:
    """Questions whose answer is the hit that scores best under `PLANTED`, among hits drawn evenly."""
    draw = np.random.default_rng(seed)
    made = []
    for number in range(questions):
        rows = [{name: float(draw.random()) for name in (*PLANTED, "path", "usage")} for _ in range(20)]
        answer = max(range(20), key=lambda row: score(PLANTED, rows[row]))
        made.append(labelled(f"q{number}", rows, wanted={answer}))
    return made


def test_planted_weights_are_found_again() -> None:
    weights = tuning.fit(planted(1))
    assert weights["keyword"] > weights["semantic"] > weights["recency"] > weights.get("path", 0) + 0.05
    assert weights["keyword"] == pytest.approx(0.5, abs=0.08)
    held_out = planted(2)
    assert evaluate.evaluate(held_out, weights)["found@1"].value > 0.85
    assert evaluate.evaluate(held_out, KEYWORD)["found@1"].value < 0.6


def test_each_set_has_the_same_say_however_many_questions_it_has() -> None:
    one, other = planted(1), planted(3, questions=20)
    assert tuning.fit_jointly([one]) == tuning.fit(one)
    jointly = tuning.fit_jointly([one, other])
    repeated = tuning.fit_jointly([one, other * 3])
    for name in PLANTED:
        assert jointly[name] == pytest.approx(repeated[name], abs=1e-6)
    assert sum(jointly.values()) == pytest.approx(1)


def test_the_cost_changes_as_its_gradient_says() -> None:
    names = ("keyword", "semantic", "recency", "path")
    asked = tuning.lists(planted(4, questions=6), [evaluate.COLUMN[name] for name in names])
    weights, step = np.array([2.0, 1.0, 0.5, 0.1]), 1e-6
    _, gradient = tuning.cost(asked, weights, 0.01)
    for number in range(len(names)):
        ahead, behind = weights.copy(), weights.copy()
        ahead[number], behind[number] = weights[number] + step, weights[number] - step
        slope = (tuning.cost(asked, ahead, 0.01)[0] - tuning.cost(asked, behind, 0.01)[0]) / (2 * step)
        assert slope == pytest.approx(gradient[number], abs=1e-6)


def test_hits_far_behind_an_answer_change_nothing() -> None:
    near = [{"keyword": 0.9, "path": 0.1}, {"keyword": 0.8, "path": 0.9}]
    far = [{"keyword": 0.0, "path": 0.0}] * 30
    columns = [evaluate.COLUMN[name] for name in ("keyword", "path")]
    weights = np.array([20.0, 1.0])
    alone, among = (
        tuning.cost(tuning.lists([labelled("q", rows, wanted={0})], columns), weights, 0.0)[0]
        for rows in (near, near + far)
    )
    assert among == pytest.approx(alone, rel=1e-4)


def test_where_the_fit_begins_hardly_matters() -> None:
    there, elsewhere = tuning.fit(planted(1)), tuning.fit(planted(1), start={"path": 5.0})
    for name in PLANTED:
        assert there[name] == pytest.approx(elsewhere[name], abs=0.01)


def test_only_the_signals_that_are_named_get_a_weight() -> None:
    assert set(tuning.fit(planted(1), signals=["keyword", "path"])) <= {"keyword", "path"}


def test_signals_of_other_systems_are_not_fitted() -> None:
    assert "recency" in tuning.OWN_SIGNALS
    assert not {"recency_memem", "recency_memlayer", "type_agentmemory"} & set(tuning.OWN_SIGNALS)


@settings(max_examples=25)
@given(st.integers(0, 1000), st.floats(1e-4, 1.0))
@pytest.mark.slow
def test_fitted_weights_are_never_negative_and_sum_to_one(seed: int, l2: float) -> None:
    weights = tuning.fit(planted(seed, questions=4), l2=l2)
    assert all(weight > 0 for weight in weights.values())
    assert sum(weights.values()) == pytest.approx(1)
    assert scaled_weights(weights) == pytest.approx(weights)


@settings(max_examples=25)
@given(
    st.dictionaries(st.sampled_from(list(PLANTED)), st.floats(0.01, 1), min_size=1),
    st.sampled_from([0.125, 0.5, 4.0, 64.0]),
)
def test_scaled_weights_measure_the_same(weights: dict[str, float], factor: float) -> None:
    questions = planted(3, questions=5)
    scaled = {name: weight * factor for name, weight in weights.items()}
    ours, theirs = evaluate.measure(questions, weights), evaluate.measure(questions, scaled)
    for name in evaluate.METRICS:
        np.testing.assert_array_equal(ours[name], theirs[name])


def test_what_cannot_be_fitted_is_said() -> None:
    with pytest.raises(InputError, match="None of 1 questions has an answer"):
        tuning.fit([labelled("q", by_keyword(1, 0.5))])
    with pytest.raises(InputError, match="None of path separates answers"):
        tuning.fit([labelled("q", by_keyword(1, 0.5), wanted={0})], signals=["path"])


# ------------------------------------------------------------------- splitting


@given(st.sets(st.text(min_size=1, max_size=5), min_size=2, max_size=40), st.floats(0.1, 0.9))
def test_a_split_loses_nothing_and_comes_out_the_same(uids: set[str], share: float) -> None:
    questions = [labelled(uid, []) for uid in sorted(uids)]
    fit_part, test_part = tuning.split(questions, share=share)
    assert {each.uid for each in fit_part} | {each.uid for each in test_part} == uids
    assert len(fit_part) + len(test_part) == len(uids)
    assert test_part
    assert abs(len(fit_part) - share * len(uids)) <= 1
    again = tuning.split(list(reversed(questions)), share=share)
    assert [[each.uid for each in part] for part in again] == [[each.uid for each in p] for p in (fit_part, test_part)]


def test_folds_hold_every_question_once_and_keep_groups_whole() -> None:
    questions = [labelled(f"q{number}", [], project_id=number % 5) for number in range(20)]
    by_hash = tuning.folds(questions, count=3)
    assert sorted(number for fold in by_hash for number in fold) == list(range(20))
    assert {len(fold) for fold in by_hash} == {6, 7}
    by_project = tuning.folds(questions, by="project")
    assert [len({number % 5 for number in fold}) for fold in by_project] == [1] * 5
    with pytest.raises(InputError, match="6 folds cannot be made of 5 groups by project"):
        tuning.folds(questions, by="project", count=6)


def test_a_split_by_project_keeps_projects_whole() -> None:
    questions = [labelled(f"q{number}", [], project_id=number % 4) for number in range(20)]
    fit_part, test_part = tuning.split(questions, by="project")
    assert len(fit_part) == len(test_part) == 10
    assert not {each.project_id for each in fit_part} & {each.project_id for each in test_part}


@pytest.mark.parametrize(
    ("by", "share", "message"),
    [("week", 0.5, "by 'week'"), ("hash", 1.0, "share of 1.0"), ("project", 0.5, "1 group by project")],
)
def test_a_split_that_cannot_be_is_refused(by: str, share: float, message: str) -> None:
    with pytest.raises(InputError, match=message):
        tuning.split([labelled("a", []), labelled("b", [])], by=by, share=share)


# ------------------------------------------------------- against the real thing


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    """The sample history with its questions, without a full embedding model."""
    folder = tmp_path_factory.mktemp("tuning")
    with closing(open_database(folder / "sample.db", now=SAMPLE_MOMENT)) as db:
        own_settings.put(db, "embedding_model", "none", now=SAMPLE_MOMENT)
    with closing(open_database(ensure_sample(folder), now=SAMPLE_MOMENT)) as db:
        yield db


@pytest.fixture(scope="module")
def collected(sample: sqlite3.Connection) -> list[Labelled]:
    return evaluate.collect(sample, judging.SAMPLE_SET)


@pytest.mark.slow
def test_every_question_of_the_sample_is_labelled(collected: list[Labelled]) -> None:
    assert len(collected) == 146
    assert sum(each.is_negative for each in collected) == 19
    assert all(each.project_id or each.uid for each in collected)
    assert {each.style for each in collected if each.is_negative} == {"negative"}


@pytest.mark.slow
def test_what_answers_a_question_is_known_without_asking_it(
    sample: sqlite3.Connection, collected: list[Labelled]
) -> None:
    names = ("uid", "query", "project_id", "style", "wanted", "barred", "is_negative")
    unasked = evaluate.unasked(sample, judging.SAMPLE_SET)
    assert [[getattr(each, name) for name in names] for each in unasked] == [
        [getattr(each, name) for name in names] for each in collected
    ]


@pytest.mark.slow
def test_scores_are_those_of_scoring_to_the_last_bit(collected: list[Labelled]) -> None:
    for each in collected[:5]:
        for preset in PRESETS.values():
            expected = [score(preset.weights, dict(zip(SIGNALS, row, strict=True))) for row in each.signals.tolist()]
            assert evaluate.scores(each, preset.weights).tolist() == expected


@pytest.mark.slow
def test_what_is_measured_is_what_a_brief_shows(sample: sqlite3.Connection, collected: list[Labelled]) -> None:
    asked = dict(sample.execute("select uid, asked_at from labelled_queries").fetchall())
    memory_ids = dict(sample.execute("select id, memory_id from memory_versions").fetchall())
    for each in collected[::6]:
        moment = parse_utc(asked[each.uid])
        question = with_window(sample, Question(each.query, project_id=each.project_id), moment, user_zone(sample))
        answer = brief.ask(sample, question, surface="test", now=moment, log=False)
        rows = evaluate.shown(each, evaluate.scores(each, answer.profile.weights), limit=10)
        if answer.profile.threshold == 0:
            expected = [evaluate.reached_by(hit, memory_ids) for hit in answer.shown]
            assert [each.reaches[row] for row in rows] == expected, each.uid


@pytest.mark.slow
def test_nothing_is_logged_by_measuring(sample: sqlite3.Connection, collected: list[Labelled]) -> None:
    assert collected
    surfaces = {row[0] for row in sample.execute("select distinct surface from recalls")}
    assert surfaces == {"hook", "session-start"}, "what the sample's day logged, and nothing else"


@pytest.mark.slow
def test_making_the_sample_again_labels_nothing_anew(sample: sqlite3.Connection) -> None:
    before = sample.execute("select count(*), max(id) from judgements").fetchone()
    changes = sample.total_changes
    judging.load_sample_queries(sample, now=SAMPLE_MOMENT)
    assert sample.total_changes == changes
    assert tuple(sample.execute("select count(*), max(id) from judgements").fetchone()) == tuple(before)
