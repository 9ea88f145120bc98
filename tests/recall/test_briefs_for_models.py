"""What goes to a model obeys the threshold of hooks; what a person asks shows all hits."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from memory_db.agents.llm.fragments import NOTHING, brief_for
from memory_db.agents.reader.reader import Reader
from memory_db.cli.group import cli
from memory_db.index.build import open_semantic
from memory_db.knowledge.memories import add_memory
from memory_db.pages.api import reading as api
from memory_db.recall import profiles
from memory_db.recall.brief import allowed
from memory_db.recall.brief import select as brief
from memory_db.recall.brief.abstain import least_score
from memory_db.recall.brief.for_model import ask_for_model, why_silent
from memory_db.recall.question_dates import with_window
from memory_db.recall.search import Profile, Question, load_profile
from memory_db.store.dates import parse_utc
from memory_db.store.presets import PRESETS
from memory_db.store.settings import user_zone
from tests.support.in_process import served
from tests.support.talking_model import TalkingModel

HAIKU = "Write a haiku about autumn"
REAL = "how do we run the migrations"

LABELLED = """
select * from labelled_queries q
where exists (select 1 from judgements j where j.labelled_query_id = q.id and j.relevance = 1) order by uid
"""


@pytest.fixture
def folder(sample_db: sqlite3.Connection) -> str:
    """Where the sample's first project works."""
    return str(sample_db.execute("select canonical_path from projects order by id limit 1").fetchone()[0])


def asked(db: sqlite3.Connection, text: str, now: datetime, project_id: int | None = 1, **more: Any) -> brief.Answer:
    question = with_window(db, Question(text, project_id=project_id, **more), now, user_zone(db))
    return ask_for_model(db, question, surface="brief", now=now, semantic=open_semantic(db), log=False)


@pytest.mark.parametrize("project_id", [None, 1, 2, 3])
def test_a_haiku_brings_no_brief_and_a_real_question_does(
    sample_db: sqlite3.Connection, now: datetime, project_id: int | None
) -> None:
    silent = asked(sample_db, HAIKU, now, project_id)
    assert silent.abstained and not silent.text
    assert set(silent.left_out) <= {allowed.LITTLE_EVIDENCE, allowed.BELOW_THRESHOLD}
    assert why_silent(silent)
    assert asked(sample_db, REAL, now, project_id).shown


@pytest.mark.slow
@pytest.mark.parametrize("with_model", [True, False])
def test_labelled_questions_still_get_briefs(sample_db: sqlite3.Connection, with_model: bool) -> None:
    semantic = open_semantic(sample_db) if with_model else None
    rows = sample_db.execute(LABELLED).fetchall()
    shown = 0
    for row in rows:
        moment = parse_utc(row["asked_at"])
        question = Question(row["query"], project_id=row["project_id"])
        question = with_window(sample_db, question, moment, user_zone(sample_db))
        answer = ask_for_model(sample_db, question, surface="brief", now=moment, semantic=semantic, log=False)
        shown += bool(answer.shown)
    assert len(rows) > 120 and shown / len(rows) > 0.8


def test_a_person_sees_every_hit(sample_path: Path, sample_db: sqlite3.Connection, now: datetime) -> None:
    assert len(brief.ask(sample_db, Question(HAIKU), surface="cli", now=now, log=False).shown) == 10
    result = CliRunner().invoke(cli, ["recall", HAIKU, "--no-log", "-d", str(sample_path), "--json"])
    assert len(json.loads(result.stdout)["hits"]) == 10


def test_the_command_brief_says_why_it_is_silent(sample_path: Path) -> None:
    run = CliRunner().invoke
    silent = run(cli, ["brief", HAIKU, "--project", "tidepool", "-d", str(sample_path)])
    assert silent.exit_code == 0 and silent.stdout.startswith("Nothing in memory answers this: ")
    assert "by its words or its meaning" in silent.stdout and "memory-db recall" in silent.stdout


def test_a_person_learns_where_nothing_reached_a_threshold(
    sample_path: Path, sample_db: sqlite3.Connection, now: datetime
) -> None:
    profiles.save_profile(
        sample_db, "strict", {"keyword": 1.0}, threshold=0.99, description="mine", fitted_on="by hand", now=now
    )
    result = CliRunner().invoke(cli, ["recall", REAL, "--profile", "strict", "-d", str(sample_path)])
    assert "nothing reached the threshold of strict, 0.99" in result.stdout


@pytest.mark.slow
def test_an_agent_over_mcp_and_a_fragment_of_llm_are_told_nothing(
    sample_path: Path, folder: str, now: datetime
) -> None:
    reader = Reader(sample_path, Path(folder), lambda: now)
    assert "Nothing in memory answers this" in (text := reader.recall(HAIKU)) and "- [" not in text
    assert "- [" in reader.recall(REAL)
    assert "Nothing on this topic" in reader.timeline(HAIKU)
    text, _ = brief_for(reader, HAIKU)
    assert NOTHING in text and "- [" not in text
    assert "- [" in brief_for(reader, REAL)[0]


@pytest.mark.slow
def test_a_brief_over_http_is_empty(sample_path: Path, now: datetime) -> None:
    async def asked_over_http() -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
        async with served(sample_path) as server:
            paths = (f"brief.json?q={HAIKU}", f"brief.json?project=tidepool&q={REAL}", f"recall.json?q={HAIKU}")
            return tuple([(await server.client.get(f"/-/memory/{path}")).json() for path in paths])  # type: ignore[return-value]

    silent, real, person = asyncio.run(asked_over_http())
    assert silent["abstained"] and not silent["text"]
    assert set(silent["left_out"]) <= {allowed.LITTLE_EVIDENCE, allowed.BELOW_THRESHOLD}
    assert real["text"] and len(person["answer"]["hits"]) == 10
    assert api.brief(sample_path, {"q": [HAIKU]}, now=now, log=False)["abstained"]


def test_what_a_model_was_not_told_is_logged_and_told_again(
    sample_db: sqlite3.Connection, sample_path: Path, now: datetime
) -> None:
    question = Question("What is the capital of France?", project_id=1)
    answer = ask_for_model(sample_db, question, surface="brief", now=now)
    row = sample_db.execute("select context, abstained from recalls where id = ?", [answer.recall_id]).fetchone()
    least = json.loads(row["context"])["threshold"]
    assert 0 < least < 0.25
    hit = next(hit for hit in answer.hits if hit.left_out_reason == allowed.BELOW_THRESHOLD)
    result = CliRunner().invoke(cli, ["why", str(answer.recall_uid), "--not", hit.uid, "-d", str(sample_path)])
    assert f"is below {least:.3f}, under which nothing is shown" in result.stdout


def test_the_threshold_is_that_of_the_files_own_hook_profile(sample_db: sqlite3.Connection, now: datetime) -> None:
    assert asked(sample_db, REAL, now).shown
    hook = load_profile(sample_db, "hook")
    profiles.save_profile(
        sample_db, "hook", hook.weights, threshold=0.99, description="mine", fitted_on="by hand", now=now
    )
    answer = asked(sample_db, REAL, now)
    assert not answer.shown and "no hit reached" in why_silent(answer)


def test_a_threshold_goes_with_the_weights_that_can_count() -> None:
    profile = Profile(1, "default", 1, PRESETS["default"].weights, 0.0)
    assert least_score(profile, 0.25, has_model=True, has_window=True) == pytest.approx(0.25)
    assert least_score(profile, 0.25, has_model=True, has_window=False) == pytest.approx(0.2275)
    without_tokens = least_score(profile, 0.25, has_model=True, has_window=False, has_tokens=False)
    assert without_tokens == pytest.approx(0.1625)
    assert least_score(profile, 0.25, has_model=False, has_window=False) == pytest.approx(0.13)
    hook = Profile(1, "hook", 1, PRESETS["hook"].weights, 0.25)
    assert least_score(hook, 0.25, has_model=False, has_window=False) == pytest.approx(0.25)


@pytest.mark.slow
def test_ask_sends_no_brief_where_nothing_is_near(sample_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = TalkingModel(["Leaves."])
    monkeypatch.setattr("memory_db.cli.recall.ask.find_model", lambda name: model)
    done = CliRunner().invoke(cli, ["ask", "-m", "talking", HAIKU, "-d", str(sample_path)])
    assert done.exit_code == 0, done.output
    assert "<memory-brief" not in str(model.asked[0]) and "sent without a brief" in done.stderr
    done = CliRunner().invoke(cli, ["ask", "-m", "talking", REAL, "-d", str(sample_path)])
    assert done.exit_code == 0, done.output
    assert "<memory-brief" in str(model.asked[1])


@pytest.mark.parametrize(("question", "is_shown"), [("the test database", True), ("tempest haiku sonnet", False)])
def test_a_word_that_every_text_has_is_known(
    db: sqlite3.Connection, now: datetime, question: str, is_shown: bool
) -> None:
    for number in range(3):
        text = f"The test database of shop {number} is gone."
        add_memory(db, text=text, kind="issue", scope="user", now=now)
    answer = ask_for_model(db, Question(question), surface="brief", now=now, log=False)
    assert bool(answer.shown) == is_shown
