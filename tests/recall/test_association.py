"""Memories that earlier prompts lead to, though they share no word or meaning with a question."""

from __future__ import annotations

import json
import sqlite3
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner

from memory_db.cli import cli
from memory_db.index import build as index
from memory_db.knowledge.memories import add_memory
from memory_db.recall.brief.select import ask
from memory_db.recall.features import HitFeatures, QueryFeatures
from memory_db.recall.measures import association
from memory_db.recall.profiles import save_profile
from memory_db.recall.scoring import SIGNALS
from memory_db.recall.search import HOOK_EFFORT, Filters, Hit, Question, recall
from memory_db.records import replace
from memory_db.upkeep.forget.run import forget
from memory_db.upkeep.forget.target import by_uid
from tests.support.session_rows import add_project, add_session

RULE = "Whatever leaves the house carries the licence line."
ASKED = "put a download button beside the balance report"
ROOT = "/home/sam/code/tidepool"


def work(db: sqlite3.Connection, session: int, at: str, prompt: str, *targets: str) -> int:
    """A prompt of a moment, and the files that were changed for it; the prompt's entry."""
    number = db.execute("select count(*) from entries").fetchone()[0]
    add = "insert into entries (uid, session_id, role, kind, text, created_at) values (?, ?, ?, ?, ?, ?)"
    entry = db.execute(add, [f"said-{number}", session, "user", "prompt", prompt, at]).lastrowid
    db.execute("insert into session_entries values (?, ?, ?)", [session, entry, number])
    for place, target in enumerate(targets):
        call = db.execute(add, [f"call-{number}-{place}", session, "assistant", "tool_call", "Edit", at]).lastrowid
        db.execute(
            "insert into actions (uid, entry_id, session_id, tool, target, input, is_error, created_at)"
            " values (?, ?, ?, 'Edit', ?, '{}', 0, ?)",
            [f"act-{number}-{place}", call, session, f"{ROOT}/{target}", at],
        )
    return int(entry or 0)


@pytest.fixture
def project(db: sqlite3.Connection, now: datetime) -> int:
    """Work in a project with a rule for a folder, and other rules that are nearer by their words."""
    project = add_project(db, ROOT)
    first, second, third = (add_session(db, project) for _ in range(3))
    work(db, first, "2026-10-01T09:00:00Z", "add a button that saves the balance report", "src/export/xlsx.py")
    work(db, second, "2026-10-02T09:00:00Z", "why is the login slow", "src/login.py")
    work(db, third, "2026-10-03T09:00:00Z", "rotate the keys of the relay", "src/keys.py")
    add_memory(
        db, text=RULE, kind="convention", scope="project", project_id=project, paths=["src/export/*.py"], now=now
    )
    for number in range(30):
        text = f"The balance report number {number} has a button in the corner."
        add_memory(db, text=text, kind="domain", scope="project", project_id=project, now=now)
    index.run(db, now=now)
    return project


def hit_of(db: sqlite3.Connection, question: Question, now: datetime) -> Hit | None:
    """The rule among the hits of a question."""
    (version,) = db.execute("select id from memory_versions where text = ?", [RULE]).fetchone()
    hits = recall(db, question, now=now).hits
    return next((hit for hit in hits if hit.memory_version_id == version), None)


@pytest.mark.parametrize("hook", [False, True])
def test_an_earlier_prompt_brings_the_rule_of_what_it_came_to(
    db: sqlite3.Connection, project: int, now: datetime, hook: bool
) -> None:
    question = Question(ASKED, project_id=project)
    if hook:
        question = replace(question, profile="hook", effort=HOOK_EFFORT)
    hit = hit_of(db, question, now)
    assert hit is not None and hit.features.association and hit.features.bm25 == 0
    (entry,) = hit.features.association_prompts or ()
    assert db.execute("select text from entries where id = ?", [entry]).fetchone()[0].startswith("add a button")


def test_what_only_earlier_prompts_bring_says_so(db: sqlite3.Connection, project: int, now: datetime) -> None:
    weights = {"keyword": 0.8, "association": 0.2}
    save_profile(db, "without-vectors", weights, description="", fitted_on="", now=now)
    question = Question(ASKED, project_id=project, profile="without-vectors", limit=50)
    hit = hit_of(db, question, now)
    assert hit is not None and hit.features.found_by == "association"
    answer = ask(db, question, surface="test", now=now)
    shown = next(each for each in answer.shown if each.text == RULE)
    assert shown.shown_reason == "found by association"


def test_without_history_it_is_nothing(db: sqlite3.Connection, now: datetime) -> None:
    project = add_project(db, ROOT)
    add_memory(db, text=RULE, kind="convention", scope="project", project_id=project, now=now)
    index.run(db, now=now)
    hit = hit_of(db, Question("which line do files carry", project_id=project), now)
    assert hit is not None and hit.features.association is None
    assert SIGNALS["association"](QueryFeatures((), 0.0, 0.0), hit.features) == 0


def test_prompts_of_the_moment_and_later_ones_count_nothing(
    db: sqlite3.Connection, project: int, now: datetime
) -> None:
    then = datetime.fromisoformat("2026-10-01T09:00:30+00:00")
    hit = hit_of(db, Question(ASKED, project_id=project), then)
    assert hit is None or not hit.features.association
    hit = hit_of(db, Question(ASKED, project_id=project), then + timedelta(minutes=1))
    assert hit is not None and hit.features.association


def test_what_was_known_earlier_is_asked_without_it(db: sqlite3.Connection, project: int, now: datetime) -> None:
    hit = hit_of(db, Question(ASKED, project_id=project, filters=Filters(as_of="2026-12-01")), now)
    assert hit is None or hit.features.association is None


def test_it_fades_with_age(db: sqlite3.Connection, project: int, now: datetime) -> None:
    question = Question(ASKED, project_id=project)
    fresh, old = hit_of(db, question, now), hit_of(db, question, now + timedelta(days=association.HALF_LIFE_DAYS))
    assert fresh is not None and old is not None
    assert (old.features.association or 0) == pytest.approx((fresh.features.association or 0) / 2, rel=1e-4)


def test_what_every_session_comes_to_tells_next_to_nothing(db: sqlite3.Connection, project: int, now: datetime) -> None:
    rare = hit_of(db, Question(ASKED, project_id=project), now)
    for day in range(4, 24):
        other = add_session(db, project)
        work(db, other, f"2026-10-{day:02}T09:00:00Z", f"task number {day} of the relay", "src/export/xlsx.py")
    index.run(db, now=now)
    common = hit_of(db, Question(ASKED, project_id=project), now)
    assert rare is not None and common is not None
    assert (common.features.association or 0) < 0.2 * (rare.features.association or 0)


def test_the_signal_is_a_share_that_few_prompts_cannot_fill() -> None:
    hit = HitFeatures(is_memory=True, kind="fix", age_days=1, half_life_days=90, association=0.5)
    one = SIGNALS["association"](QueryFeatures((), 0.0, 0.0, alike_prompts=0.5), hit)
    many = SIGNALS["association"](QueryFeatures((), 0.0, 0.0, alike_prompts=2.0), hit)
    assert 0 < many < one < 1


def test_the_prompts_behind_it_are_told(db: sqlite3.Connection, project: int, db_path: Path) -> None:
    asked = ["-d", str(db_path), "recall", ASKED, "--limit", "40"]
    found = json.loads(CliRunner().invoke(cli, [*asked, "--json"]).output)
    (hit,) = [each for each in found["hits"] if each["text"] == RULE]
    (prompt,) = hit["earlier_prompts"]
    assert prompt["text"] == "add a button that saves the balance report"
    assert prompt["through"] == ["folder src/export"]
    words = CliRunner().invoke(cli, [*asked, "--explain"]).output
    told = f"earlier prompt of 2026-10-01: {prompt['text']} (came to folder src/export)"
    assert told in words
    why = CliRunner().invoke(cli, ["-d", str(db_path), "why", found["recall_uid"], hit["uid"]])
    assert why.exit_code == 0, why.output
    assert told in why.output


@pytest.mark.slow
def test_a_prompt_that_is_forgotten_leads_nowhere(
    db: sqlite3.Connection, db_path: Path, project: int, now: datetime
) -> None:
    uid = db.execute("select uid from entries where text like 'add a button%'").fetchone()[0]
    forget(db, db_path, by_uid(db, uid), now=now)
    index.run(db, now=now)
    hit = hit_of(db, Question(ASKED, project_id=project), now)
    assert hit is None or not hit.features.association
