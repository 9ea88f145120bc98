"""What is forgotten is in no procedure and in no line that told one."""

from __future__ import annotations

import sqlite3
from datetime import datetime
from pathlib import Path

import pytest

from memory_db.index import procedures
from memory_db.recall.brief.select import ask
from memory_db.recall.search import Question
from memory_db.upkeep.check import check
from memory_db.upkeep.forget import target as forgetting
from memory_db.upkeep.forget.preview import preview
from memory_db.upkeep.forget.run import forget

MIGRATE = "alembic upgrade head"


@pytest.fixture
def recall_id(sample_db: sqlite3.Connection, now: datetime) -> int:
    """A recall that told how migrations are run, asked outside of all sessions."""
    project = sample_db.execute("select id from projects where name = 'tidepool'").fetchone()[0]
    question = Question("how do we run the migrations", project_id=project, limit=1)
    answer = ask(sample_db, question, surface="cli", now=now)
    assert MIGRATE in answer.procedures[0].text
    return int(answer.recall_id or 0)


def behind(db: sqlite3.Connection) -> list[str]:
    """The sessions that the procedure rests on."""
    rows = db.execute(
        "select distinct s.uid from procedures p join procedure_actions l on l.procedure_id = p.id"
        " join actions a on a.id = l.action_id join sessions s on s.id = a.session_id where p.purpose = 'migrate'"
        " order by s.id"
    )
    return [row[0] for row in rows]


def shown(db: sqlite3.Connection, recall_id: int) -> str:
    return str(db.execute("select shown_text from recalls where id = ?", [recall_id]).fetchone()[0])


def successes(db: sqlite3.Connection) -> int | None:
    row = db.execute("select successes from procedures where purpose = 'migrate'").fetchone()
    return row and int(row[0])


@pytest.mark.slow
def test_a_session_takes_its_part_and_the_last_one_the_procedure(
    sample_db: sqlite3.Connection, sample_path: Path, now: datetime, recall_id: int
) -> None:
    uid = sample_db.execute("select uid from procedures where purpose = 'migrate'").fetchone()[0]
    before, sessions = successes(sample_db), behind(sample_db)
    assert len(sessions) > 2 and before == 4
    done = forget(sample_db, sample_path, forgetting.by_uid(sample_db, sessions[0]), now=now)
    assert done.left == [] and done.rows["procedures"] and done.rows["recall_procedures"]
    assert successes(sample_db) == 2  # the others say it by themselves
    assert sample_db.execute("select uid from procedures where purpose = 'migrate'").fetchone()[0] == uid
    assert f"[{uid}]" not in shown(sample_db, recall_id)
    assert check(sample_db, thorough=True) == []
    for session in sessions[1:]:
        assert forget(sample_db, sample_path, forgetting.by_uid(sample_db, session), now=now).left == []
    assert successes(sample_db) is None and procedures.refresh(sample_db) == 0


@pytest.mark.slow
def test_a_project_takes_all_of_its_own(
    sample_db: sqlite3.Connection, sample_path: Path, now: datetime, recall_id: int
) -> None:
    others = "select count(*) from project_procedures where project <> 'tidepool'"
    there = sample_db.execute(others).fetchone()[0]
    told = preview(sample_db, sample_path, forgetting.by_project(sample_db, "tidepool"))
    own = sample_db.execute("select count(*) from project_procedures where project = 'tidepool'").fetchone()[0]
    assert told.rows["procedures"] == own > 0
    done = forget(sample_db, sample_path, forgetting.by_project(sample_db, "tidepool"), now=now)
    assert done.left == [] and done.rows["procedures"] == own
    assert sample_db.execute(others).fetchone()[0] == there
    assert sample_db.execute("select count(*) from project_procedures where project = 'tidepool'").fetchone()[0] == 0
    assert check(sample_db, thorough=True) == []


@pytest.mark.slow
def test_words_go_from_commands_and_from_what_was_told(
    sample_db: sqlite3.Connection, sample_path: Path, now: datetime, recall_id: int
) -> None:
    done = forget(sample_db, sample_path, forgetting.by_words(sample_db, MIGRATE), now=now)
    assert done.left == [] and done.is_gone
    assert successes(sample_db) is None and MIGRATE not in shown(sample_db, recall_id)
    told = sample_db.execute("select text from recall_procedures").fetchall()
    assert not any(MIGRATE in row[0] for row in told)
    assert check(sample_db, thorough=True) == []
    assert MIGRATE.encode() not in sample_path.read_bytes()
