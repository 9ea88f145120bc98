"""Which questions are answered by a change, and which by a ready question."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from memory_db.text.question_forms import FORMS, ReadyQuestion, asks_when, ready_question

READY = yaml.safe_load(Path("metadata.yml").read_text("utf-8"))["databases"]["memory"]["queries"]

ASKED = {
    "What did I correct most?": ("what_did_i_correct_most", {}),
    "how many corrections did I give": ("what_did_i_correct_most", {}),
    "Which files do we edit most?": ("which_files_are_hot", {}),
    "how many contradictions are open?": ("what_contradicts_what", {}),
    'what fixed the error "No module named greenlet"?': (
        "what_fixed_this_error", {"error": "No module named greenlet"},
    ),
    "What touched src/chart/Axis.ts?": ("what_touched_this_path", {"path": "src/chart/Axis.ts"}),
    "how often did we edit migrations/0001.py": ("what_touched_this_path", {"path": "migrations/0001.py"}),
    "what was known on 2026-10-01": ("what_was_known_on_this_day", {"day": "2026-10-01"}),
    "what changed between 2026-09-01 and 2026-10-01?": (
        "what_changed_between", {"first": "2026-09-01", "last": "2026-10-01"},
    ),
    "what has changed since 2026-09-01": ("what_changed_between", {"first": "2026-09-01"}),
    "which project cost the most": ("what_did_each_project_cost", {}),
    "how much did memory save?": ("what_did_memory_save", {}),
}  # fmt: skip

OTHER = [
    "how many calls per minute may one api key make before we refuse it?", "which node version do we use",
    "how many days do we keep staging logs", "which files hold the migrations", "what did I correct in the README",
    "what fixed the flaky test", "which project uses pnpm", "how do we run the tests", "what changed in node 24", "",
]  # fmt: skip


@pytest.mark.parametrize("text", ASKED)
def test_a_ready_question_is_known_by_its_form(text: str) -> None:
    name, parameters = ASKED[text]
    assert ready_question(text) == ReadyQuestion(name, parameters)


@pytest.mark.parametrize("text", OTHER)
def test_any_other_question_is_left_to_memory(text: str) -> None:
    assert ready_question(text) is None


def test_each_form_leads_to_a_question_that_is_there_with_the_parameters_it_takes() -> None:
    for name, pattern in FORMS:
        assert name in READY
        given_names = {part.split(">")[0].rstrip("2") for part in pattern.split("(?P<")[1:]}
        assert all(f":{each}" in READY[name]["sql"] for each in given_names), name


def test_when_something_changed_is_asked_in_few_forms() -> None:
    for text in (
        "Since when do we use pnpm?",
        "when did we switch to node 24",
        "remind me, when was the limit raised?",
    ):
        assert asks_when(text), text
    for text in ("which window is open when we deploy", "run it when you are done", "what port does postgres use"):
        assert not asks_when(text), text


@given(st.text(max_size=400))
def test_any_text_has_an_answer(text: str) -> None:
    found = ready_question(text)
    assert found is None or found.name in READY
    assert asks_when(text) in (True, False)
