"""What stands out of all that was considered: by how much, and what stays whatever else scores."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import Any

import pytest

from memory_db.recall.brief.allowed import BEHIND_BEST_LINE, BESIDE_QUESTION, NO_BETTER, OLDER, SHOWN_EARLIER
from memory_db.recall.brief.pairs import Pairs, newer_alone, newer_first
from memory_db.recall.brief.placement import Placement
from memory_db.recall.brief.standing import FIELD, keep_outstanding
from memory_db.recall.features import HitFeatures, QueryFeatures
from memory_db.recall.hits import Hit
from memory_db.recall.profiles import Profile
from memory_db.recall.search import Filters, Question, Recalled
from memory_db.records import replace

ASKED = Question("which port is it", least_evidence=0.23, least_for_rules=0.23, filters=Filters(other_projects=False))
UNASKED = replace(ASKED, is_unasked=True)
REST = [0.2] * FIELD
"""Scores of hits that answer nothing."""


def placed(score: float, position: int, *, memory: bool = True, **more: Any) -> Placement:
    features = HitFeatures(
        is_memory=memory, kind=more.get("kind", "domain"), age_days=1, half_life_days=30, same_project=True,
        lock_level=more.get("lock_level", "none"), path_match=more.get("path", 0.0),
        condition_cosine=more.get("condition"),
    )  # fmt: skip
    hit = Hit(position if memory else None, None if memory else position, features, (), score, position)
    shown = Placement(hit, evidence=more.get("evidence", 0.3), session_uid=more.get("session"))
    shown.text = more.get("text", "Postgres is on 5433.")
    shown.rank, shown.shown_reason = position, "score"
    return shown


def kept(
    lines: list[Placement], question: Question = UNASKED, *, rest: list[float] = REST, is_told_how: bool = False
) -> list[Placement]:
    others = [Hit(100 + place, None, lines[0].features, (), score, 50 + place) for place, score in enumerate(rest)]
    hits = sorted([*(each.hit for each in lines), *others], key=lambda hit: -hit.score)
    recalled = Recalled(question, Profile(1, "hook", 1, {}, 0.2), QueryFeatures((), 1.0, 1.0), hits)
    keep_outstanding(recalled, lines, is_told_how=is_told_how)
    left = [each for each in lines if each.rank]
    assert [each.rank for each in left] == list(range(1, 1 + len(left)))
    return left


def test_a_line_that_scores_as_the_rest_goes_and_says_why() -> None:
    line = placed(0.22, 1)
    assert not kept([line])
    assert (line.left_out_reason, line.shown_reason, line.lead) == (NO_BETTER, "", pytest.approx(0.02))
    assert kept([placed(0.24, 1)])


def test_what_is_told_in_the_place_of_an_older_memory_stands_out_as_that_does() -> None:
    best, newer = placed(0.5, 1), placed(0.21, 2)
    assert kept([best, newer]) == [best] and newer.left_out_reason == NO_BETTER
    newer = placed(0.21, 2)
    newer.older_score = 0.45
    assert kept([best, newer]) == [best, newer] and newer.lead == pytest.approx(0.25)


def test_an_entry_must_lead_by_more() -> None:
    assert kept([placed(0.29, 1)]) and not kept([placed(0.29, 1, memory=False)])
    assert kept([placed(0.31, 1, memory=False)])


def test_what_a_task_merely_resembles_must_lead_by_more_than_what_it_is_for() -> None:
    task = replace(UNASKED, query="make the machine a size bigger")
    assert not kept([placed(0.24, 1)], task) and kept([placed(0.26, 1)], task)
    assert kept([placed(0.24, 1, condition=0.8)], task)
    assert kept([placed(0.24, 1)], replace(UNASKED, query="error: no such table: readings")), "a failure asks why"


def test_beside_a_procedure_stands_what_is_clearly_met() -> None:
    assert kept([placed(0.24, 1)]) and not kept([placed(0.24, 1)], is_told_how=True)


def test_a_rule_that_is_not_the_best_memory_seldom_answers() -> None:
    best, rule = placed(0.26, 1, evidence=0.6), {"kind": "correction", "evidence": 0.5}
    assert kept([best, placed(0.25, 2, **rule)]) == [best]
    assert len(kept([best, placed(0.27, 2, **rule)])) == 2
    assert len(kept([placed(0.25, 1, **rule)])) == 1, "where nothing else does, it may"


def test_of_what_gives_a_value_with_as_much_evidence_the_best_score_stands_alone() -> None:
    one, other, beside = (placed(score, place) for place, score in enumerate((0.22, 0.21, 0.4), start=1))
    one.evidence, other.evidence, beside.evidence = 0.36, 0.37, 0.3
    one.features.gives_value = other.features.gives_value = True
    assert kept([one, other, beside]) == [one]
    assert (other.left_out_reason, beside.left_out_reason) == (NO_BETTER, BESIDE_QUESTION)


def test_what_stays_well_behind_the_best_line_goes() -> None:
    best, near, far = placed(0.5, 1), placed(0.45, 2), placed(0.4, 3)
    assert kept([best, near, far]) == [best, near]
    assert far.left_out_reason == BEHIND_BEST_LINE


def test_a_memory_of_the_same_session_may_stay_farther_behind() -> None:
    assert len(kept([placed(0.5, 1, session="a"), placed(0.4, 2, session="a")])) == 2
    assert len(kept([placed(0.5, 1, session="a"), placed(0.4, 2, session="a", memory=False)])) == 1


@pytest.mark.parametrize(
    "more",
    [
        {"lock_level": "user"},
        {"kind": "correction", "evidence": 0.5},
        {"path": 1.0},
    ],
    ids=["locked", "a rule clearly met", "its file is named"],
)
def test_what_binds_or_is_named_stays(more: dict[str, Any]) -> None:
    assert kept([placed(0.21, 1, **more)], replace(UNASKED, query="move the port to another file"))


def test_the_best_memory_stands_that_is_clear_of_all_others() -> None:
    """What was only said may score as much without being an answer."""
    best, other = placed(0.22, 1, evidence=0.4), placed(0.18, 2)
    assert kept([best, other]) == [best] and best.lead == pytest.approx(0.02) and best.lead < (best.lead_needed or 0.0)
    assert not kept([placed(0.22, 1, evidence=0.4), placed(0.20, 2)]), "another one is as near"
    assert not kept([placed(0.22, 1, evidence=0.3), placed(0.18, 2)]), "it brings little"
    assert not kept([placed(0.22, 1, evidence=0.4)]), "there is nothing to be clear of"
    rule = {"kind": "correction", "evidence": 0.4}
    assert not kept([placed(0.22, 1, **rule), placed(0.18, 2)], replace(UNASKED, query="which port is it?"))
    assert kept([placed(0.22, 1, **rule), placed(0.18, 2)], replace(UNASKED, query="move it to another port"))


def test_a_rule_that_is_clearly_met_is_no_answer_by_that() -> None:
    assert not kept([placed(0.21, 1, kind="correction", evidence=0.5)])


def test_what_a_tool_named_that_failed_must_stand_out() -> None:
    failed = replace(UNASKED, query="src/db.py:12: error: port is taken, what is it?")
    assert not kept([placed(0.21, 1, path=1.0)], failed) and kept([placed(0.22, 1, path=1.0)], failed)


def test_a_rule_that_is_met_by_what_it_is_for_stays_where_that_is_to_be_done() -> None:
    rule = {"kind": "correction", "evidence": 0.3, "condition": 0.6}
    assert kept([placed(0.21, 1, **rule)], replace(UNASKED, query="commit this, please"))
    assert not kept([placed(0.21, 1, **rule)], replace(UNASKED, query="what is a commit?")), "it answers nothing"


def test_a_rule_of_little_evidence_must_stand_out_as_well() -> None:
    assert not kept([placed(0.21, 1, kind="correction", evidence=0.3)])


@pytest.mark.parametrize("is_read_before", [False, True])
def test_what_shares_a_name_goes_where_a_memory_is_for_what_is_asked(is_read_before: bool) -> None:
    asked = replace(UNASKED, query="When would the bakers see the new figures?")
    named = placed(0.5, 1, text="The bakers write that the figure of 3 May is too low.")
    rollout = placed(0.21, 2, text="Nadia does the rollout every Tuesday.", condition=1.0)
    if is_read_before:
        rollout.rank, rollout.left_out_reason = None, SHOWN_EARLIER
    assert kept([named, rollout], asked) == ([] if is_read_before else [rollout])
    assert named.left_out_reason == BESIDE_QUESTION


def test_who_asks_gets_all_lines() -> None:
    lines = [placed(0.5, 1), placed(0.22, 2)]
    assert kept(lines, ASKED) == lines
    assert all(each.lead is None for each in lines)


def test_with_few_hits_nothing_is_compared() -> None:
    line = placed(0.22, 1)
    assert kept([line], rest=REST[2:]) and line.lead is None


def test_the_newer_of_two_comes_back_where_the_older_one_stays() -> None:
    first, older, newer = placed(0.5, 1), placed(0.45, 2), placed(0.3, 3)
    newer.rank, newer.left_out_reason = None, NO_BETTER
    newer_first([(older, newer)], [first, older, newer])
    assert (first.rank, newer.rank, older.rank) == (1, 2, 3) and newer.left_out_reason is None


def test_the_newer_of_two_stays_out_for_any_other_reason() -> None:
    older, newer = placed(0.45, 1), placed(0.3, 2)
    newer.rank, newer.left_out_reason = None, "over the token budget"
    newer_first([(older, newer)], [older, newer])
    assert (older.rank, newer.rank) == (1, None)


def pair(**of_newer: Any) -> tuple[Placement, Placement, Placement]:
    """A line, and two of which the later one may have replaced the earlier one."""
    first, older, newer = placed(0.5, 1), placed(0.45, 2), placed(0.3, 3)
    older.uid, newer.uid = "m01d", "m9e3"
    for name, value in of_newer.items():
        setattr(newer, name, value)
    return first, older, newer


@pytest.mark.parametrize(
    ("question", "evidence", "lock_level", "is_alone"),
    [(UNASKED, 0.2, "none", True), (UNASKED, 0.1, "none", False), (UNASKED, 0.2, "user", False),
     (ASKED, 0.2, "none", False)],
)  # fmt: skip
def test_a_prompt_that_meets_the_newer_of_two_itself_is_told_that_alone(
    question: Question, evidence: float, lock_level: str, *, is_alone: bool
) -> None:
    older, newer = placed(0.45, 1, lock_level=lock_level), placed(0.3, 2, evidence=evidence)
    (older.uid, older.created_at, older.perhaps_over), (newer.uid, newer.created_at) = (
        ("m01d", "1", "m9e3"),
        ("m9e3", "2"),
    )
    with closing(sqlite3.connect(":memory:")) as db:
        pairs = Pairs(db, question, [older, newer])
    assert (pairs.instead, pairs.beside) == (([(older, newer)], []) if is_alone else ([], [(older, newer)]))
    assert newer.evidence == older.evidence


@pytest.mark.parametrize(
    ("of_newer", "told"),
    [
        ({}, "perhaps in place of m01d"), ({"contradicted": "m01d"}, ""),
        ({"rank": None, "left_out_reason": NO_BETTER}, "perhaps in place of m01d"),
    ],
)  # fmt: skip
def test_the_newer_of_two_is_told_in_the_place_of_both(of_newer: dict[str, Any], told: str) -> None:
    first, older, newer = pair(**of_newer)
    newer_alone([(older, newer)], [first, older, newer])
    assert (first.rank, newer.rank, older.rank) == (1, 2, None)
    assert (older.left_out_reason, newer.left_out_reason) == (OLDER.format("m9e3"), None)
    assert (newer.replaced, newer.shown_reason) == (told, "score")


def test_of_two_neither_is_told_where_the_session_has_the_newer_one() -> None:
    first, older, newer = pair(rank=None, left_out_reason=SHOWN_EARLIER)
    newer_alone([(older, newer)], [older, newer, first])
    assert (first.rank, older.rank, newer.rank) == (1, None, None)
    assert newer.left_out_reason == SHOWN_EARLIER


def test_the_older_of_two_stays_where_the_newer_one_may_not_be_told() -> None:
    first, older, newer = pair(rank=None, left_out_reason="over the token budget")
    newer_alone([(older, newer)], [first, older, newer])
    assert (first.rank, older.rank, newer.rank) == (1, 2, None)


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 0, 2), (2, 1, 0)])
def test_of_a_row_of_changes_the_newest_alone_is_told(order: tuple[int, int, int]) -> None:
    row = [placed(0.45, 1), placed(0.4, 2), placed(0.35, 3)]
    for number, hit in enumerate(row):
        hit.uid, hit.created_at, hit.perhaps_over = f"m{number}", str(number), f"m{number + 1}" if number < 2 else ""
    hits = [row[place] for place in order]
    with closing(sqlite3.connect(":memory:")) as db:
        pairs = Pairs(db, UNASKED, hits)
    pairs.put_newer_first(hits, lambda hit: None)
    assert [hit.rank for hit in row] == [None, None, 1]


def test_what_a_prompt_goes_beyond_is_told_whatever_may_have_replaced_it() -> None:
    older, newer = placed(0.45, 1), placed(0.3, 2)
    (older.uid, older.created_at, older.perhaps_over), (newer.uid, newer.created_at) = (
        ("m01d", "1", "m9e3"),
        ("m9e3", "2"),
    )
    older.is_exceeded = True
    with closing(sqlite3.connect(":memory:")) as db:
        assert Pairs(db, UNASKED, [older, newer]).instead == []
