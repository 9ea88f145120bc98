"""Why a recall showed a hit, in one sentence."""

from __future__ import annotations

import sqlite3
from datetime import datetime
from typing import Any

import pytest

from memory_db.index import build as index
from memory_db.knowledge.memories import add_memory
from memory_db.pages.recalls import why
from memory_db.recall.brief.select import ask
from memory_db.recall.explain.reasons import made_of, stays_because
from memory_db.recall.explain.why_shown import (
    AS_IT_BEGAN,
    LAYERS,
    LEAST_LED,
    as_it_began,
    enough,
    quoted,
    shared,
    where,
    with_decimals,
)
from memory_db.recall.question import question_of
from memory_db.transcripts.projects import resolve_project

FEATURES: dict[str, Any] = {"same_project": False, "user_scope": False}


def hit(**features: Any) -> dict[str, Any]:
    return {"type": "memory", "memory_version_id": 1, "entry_id": None, "project": "moorings", "kind": "convention",
            "text": "", "shown_reason": "score", "features": {**FEATURES, **features}, "signals": {}}  # fmt: skip


ASKED = {"query": "lets move", "project": "choirbook", "features": {"terms": []}, "context": {"is_unasked": True}}


@pytest.mark.parametrize(
    ("features", "said"),
    [
        ({"meant_project": True}, "let in because the words of the prompt point to project moorings"),
        ({"meant_project": True, "same_project": True}, "is of moorings, which the prompt names"),
        ({"same_project": True}, "is of moorings, where it was asked"),
        ({"user_scope": True}, "holds in every project"),
        ({"linked_project": True}, "is of moorings, which is linked to choirbook"),
        ({"same_project": None}, "is of moorings, and all projects were asked"),
        ({}, "is of another project, moorings, and this way of asking is told of all projects"),
    ],
)
def test_it_says_which_project_and_why_another_was_let_in(features: dict[str, Any], said: str) -> None:
    assert where(ASKED, hit(**features)).endswith(said)


def test_it_names_words_meaning_files_and_names_that_are_shared(db: sqlite3.Connection, now: datetime) -> None:
    add_memory(db, text="Postgres moved to port 5433", kind="convention", scope="user", now=now)
    met = hit(static_cosine=0.25) | {"text": "Postgres has another port"}
    asked = ASKED | {"features": {"terms": ["zebra", "postgres", "move"], "worth": {"postgres": 3.0, "move": 1.0}}}
    assert shared(db, asked, met) == (
        "has the word “postgres” of the prompt, has the word “move” in its keys or in what was said around it"
        " and is like the prompt in meaning (0.25, where 1 is the same)"
    )
    met["signals"] = {"path": 1.0, "entity": 0.5, "association": LEAST_LED / 2}
    said = shared(db, asked, met)
    assert "names a file in play" in said and "the same file, command" in said and "came to before" not in said
    assert shared(db, ASKED, hit(static_cosine=0.25)).endswith("and shares no word with the prompt")
    assert shared(db, ASKED, hit()) == "scored best, though it shares no word with it"


def test_a_word_met_in_another_form_is_shown_in_both() -> None:
    assert quoted(["packager", "asks"], "The mold package: it asks for it") == (
        "the words “packager” (as “package”) and “asks”"
    )
    assert quoted(["packager"], "nothing of the kind, so around it") == "the word “packager”"


def test_a_number_with_a_point_is_told_whole_where_the_text_has_it() -> None:
    words, query = ["14", "python", "3"], "which Python, 3.13 or 3.14?"
    assert with_decimals(words, query, "CI runs on Python 3.14.") == ["3.14", "python"]
    assert with_decimals(words, query, "Python: 3 jobs of 14") == words


def test_a_line_that_does_not_stand_out_says_why_it_is_shown() -> None:
    rule, low = {"kind": "convention", "same_project": True, "is_memory": True}, {"lead": -0.02}
    assert stays_because({**rule, **low}, has_model=False) == "it is a rule that the prompt clearly meets"
    assert stays_because({**rule, **low, "lock_level": "user"}, has_model=False) == "it is locked by you"
    assert stays_because({**rule, **low, "kind": "domain"}, has_model=False) == "the prompt names it"
    giving = {**low, "kind": "domain", "gives_value": True}
    assert stays_because({**rule, **giving}, has_model=False) == "it gives what the prompt asks for"
    assert stays_because({**rule, "lead": 0.04, "lead_needed": 0.07}, has_model=True)
    assert stays_because({**rule, "lead": 0.1}, has_model=True) == stays_because(rule, has_model=True) == ""


def test_it_says_what_a_line_unasked_for_had_to_bring() -> None:
    asked = {"features": {}, "context": {"least_evidence": 0.345, "least_for_rules": 0.23}}
    assert "0.36 of evidence of its own, where a memory of another project needs" in enough(asked, hit(evidence=0.36))
    assert "a convention, which binds the agent, needs 0.23" in enough(asked, hit(evidence=0.3, user_scope=True))
    assert enough(asked | {"context": {}}, hit(evidence=0.3)) == ""


def test_it_says_that_a_line_of_little_evidence_stands_far_out() -> None:
    asked = {"features": {}, "context": {"least_evidence": 0.24, "least_for_rules": 0.3, "is_unasked": True}}
    assert "little evidence" in enough(asked, hit(evidence=0.2, lead=0.126, same_project=True))
    assert enough(asked, hit(evidence=0.2, lead=0.05, same_project=True)) == ""


def test_it_says_what_evidence_is_made_of_where_the_log_gives_it() -> None:
    asked = {"terms": ["port"], "best_bm25_memories": 4.0, "best_bm25_entries": 4.0, "known_words": 1.0}
    features = {"is_memory": True, "kind": "fix", "age_days": 1.0, "half_life_days": 9.0, "bm25": 2.0, "cosine": 0.4}
    assert made_of(asked, features | {"evidence": 0.65}) == " (meaning 0.40, words 0.25)"
    assert made_of(asked | {"known_words": 0.0}, features | {"evidence": 0.65}) == " (meaning 0.40, words 0.25)"
    assert made_of(asked, features | {"evidence": 0.2}) == made_of({}, features) == "", "the numbers disagree"


def test_every_shown_hit_of_a_logged_recall_has_its_sentence(db: sqlite3.Connection, now: datetime) -> None:
    here = resolve_project(db, "/home/ada/shop", now=now)
    add_memory(db, text="Deploy to staging with the blue script", kind="convention", scope="project",
               project_id=here, now=now)  # fmt: skip
    index.run(db, now=now)
    question = question_of("how to deploy to staging", {"profile": "keyword_only", "scope": "memories"})
    recall = ask(db, question, surface="test", now=now).recall_uid
    found = why(db, str(recall))
    assert [each["why"] for each in found["hits"]] == [
        "Shown because it has the words “deploy” and “staging” of the question and is like the question in meaning"
        f" ({found['hits'][0]['features']['static_cosine']:.2f}, where 1 is the same);"
        " is of shop, and all projects were asked."
    ]
    assert all(each["why"] is None for each in found["others"])


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        ("layer 0: importance of 5", "its importance is 5, the most (layer 0: told first)"),
        ("layer 1: importance of 4", "its importance is 4 (layer 1: told where there is room)"),
        ("preference, signals", "it is a preference that you said"),
        ("recent; no room in full", "it is among the newest decisions and episodes, by its title alone, as its text "
         "found no room"),
        ("score", "of the rest it scores best"),
        ("", "of the rest it scores best"),
    ],
)  # fmt: skip
def test_why_something_was_told_as_a_session_began_is_no_code(reason: str, said: str) -> None:
    assert as_it_began(reason) == said


def test_every_reason_of_a_session_start_has_words(sample_db: sqlite3.Connection) -> None:
    layers = {row["reason"] for row in sample_db.execute("select distinct reason from layers where layer < 2")}
    assert layers and layers <= set(LAYERS)
    logged = "select distinct shown_reason from hits h join recalls r on r.id = h.recall_id where r.query = ''"
    reasons = {row[0].partition(";")[0] for row in sample_db.execute(logged) if row[0]}
    assert {each for each in reasons if not each.startswith("layer ")} <= {*AS_IT_BEGAN, "score"}
