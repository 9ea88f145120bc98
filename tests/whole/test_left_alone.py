"""A project that a person wants left alone: what was known of it before reaches no agent and no model."""

from __future__ import annotations

import sqlite3
from datetime import datetime
from pathlib import Path

import pytest

from memory_db.agents.reader.reader import Reader
from memory_db.errors import InputError, ModelError
from memory_db.gate.contradictions import judge
from memory_db.recall.brief.allowed import LEFT_ALONE
from memory_db.recall.brief.for_model import ask_for_model
from memory_db.recall.brief.select import Answer
from memory_db.recall.search import Question
from memory_db.transcripts.ignoring import ignore, unignore
from memory_db.transcripts.projects import project_named
from memory_db.upkeep.portraits.polish import refuse_ignored
from memory_db.upkeep.portraits.render import render


@pytest.fixture
def folder(sample_db: sqlite3.Connection) -> str:
    """Where the work on tidepool was done."""
    found = sample_db.execute("select canonical_path from projects where name = 'tidepool'").fetchone()
    return str(found["canonical_path"])


def asked_from_elsewhere(db: sqlite3.Connection, now: datetime) -> Answer:
    other = db.execute("select id from projects where name <> 'tidepool' order by id").fetchone()["id"]
    question = Question("in tidepool, which port does postgres use", project_id=other, scope="memories")
    return ask_for_model(db, question, surface="test", now=now, log=False)


def test_a_reader_that_works_there_is_told_nothing(
    sample_db: sqlite3.Connection, sample_path: Path, folder: str, now: datetime
) -> None:
    reader = Reader(sample_path, Path(folder), lambda: now)
    assert "5433" in reader.recall("which port does postgres use")
    ignore(sample_db, folder, now=now)
    for call in (
        lambda: reader.recall("which port does postgres use"),
        lambda: reader.get(["m4cef8e1f"]),
        lambda: reader.timeline("postgres"),
    ):
        with pytest.raises(InputError, match="This folder is ignored"):
            call()
    unignore(sample_db, folder, now=now)
    assert "5433" in reader.recall("which port does postgres use")


def test_its_memories_stand_in_no_brief_that_is_asked_for_elsewhere(
    sample_db: sqlite3.Connection, folder: str, now: datetime
) -> None:
    assert "5433" in asked_from_elsewhere(sample_db, now).text
    ignore(sample_db, folder, now=now)
    answer = asked_from_elsewhere(sample_db, now)
    assert "5433" not in answer.text and answer.left_out[LEFT_ALONE] > 0
    assert all(hit.project != "tidepool" or hit.features.user_scope for hit in answer.shown)


def test_no_model_judges_or_rewrites_what_is_known_of_it(
    sample_db: sqlite3.Connection, folder: str, now: datetime
) -> None:
    of_project = [
        row for row in sample_db.execute(judge.WAITING) if sample_db.execute(
            "select 1 from memories m join projects p on p.id = m.project_id where m.uid = ? and p.name = 'tidepool'",
            [row["first_uid"]],
        ).fetchone()
    ]  # fmt: skip
    assert of_project and not any(judge.is_left_alone(sample_db, row) for row in of_project)
    portrait = render(sample_db, project_named(sample_db, "tidepool"))
    refuse_ignored(sample_db, portrait)
    ignore(sample_db, folder, now=now)
    assert all(judge.is_left_alone(sample_db, row) for row in of_project)
    with pytest.raises(ModelError, match="tidepool is ignored"):
        refuse_ignored(sample_db, portrait)
