"""Memories of a linked project hold where it is linked, and nowhere else."""

from __future__ import annotations

import json
import sqlite3
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner

from memory_db.cli import cli
from memory_db.errors import InputError
from memory_db.knowledge.memories import add_memory
from memory_db.recall.brief.select import ask
from memory_db.recall.search import Question, question_of
from memory_db.store.dates import utc_text
from memory_db.transcripts import projects
from memory_db.transcripts.projects import make_project, merge_projects
from memory_db.upkeep.check import check

HERE, LINKED, ELSEWHERE, EVERYWHERE = "here", "linked", "elsewhere", "everywhere"


@pytest.fixture
def ids(db: sqlite3.Connection, now: datetime) -> dict[str, int]:
    """Three projects, each with a memory, and one memory of the user; the second is linked to the first."""
    found = {name: make_project(db, f"/home/d/{name}", None, now) for name in (HERE, LINKED, ELSEWHERE)}
    for name, project in found.items():
        add_memory(
            db, text=f"Ports are listed in the file of {name}.", kind="convention", scope="project",
            project_id=project, now=now,
        )  # fmt: skip
    add_memory(db, text=f"Ports are kept {EVERYWHERE}.", kind="convention", scope="user", now=now)
    assert projects.link_projects(db, found[HERE], found[LINKED], by="user", now=now)
    return found


def shown(db: sqlite3.Connection, now: datetime, **asked: object) -> set[str]:
    """Which of the four memories are shown."""
    answer = ask(db, question_of("ports", asked), surface="test", now=now)
    return {hit.text.rstrip(".").split()[-1] for hit in answer.shown}


NARROW = ({"only_project": True}, {"other_projects": False})


@pytest.mark.parametrize("narrow", NARROW)
def test_a_linked_project_holds_where_it_is_linked(
    db: sqlite3.Connection, now: datetime, ids: dict[str, int], narrow: dict[str, bool]
) -> None:
    assert shown(db, now, project_id=ids[HERE], **narrow) == {HERE, LINKED, EVERYWHERE}
    assert shown(db, now, project_id=ids[LINKED], **narrow) == {LINKED, EVERYWHERE}
    assert shown(db, now, project_id=ids[ELSEWHERE], **narrow) == {ELSEWHERE, EVERYWHERE}
    assert shown(db, now, project_id=ids[HERE]) == {HERE, LINKED, ELSEWHERE, EVERYWHERE}


@pytest.mark.parametrize("narrow", NARROW)
def test_links_of_links_do_not_follow(
    db: sqlite3.Connection, now: datetime, ids: dict[str, int], narrow: dict[str, bool]
) -> None:
    projects.link_projects(db, ids[LINKED], ids[ELSEWHERE], by="user", now=now)
    assert ELSEWHERE not in shown(db, now, project_id=ids[HERE], **narrow)
    assert ELSEWHERE in shown(db, now, project_id=ids[LINKED], **narrow)


@pytest.mark.parametrize("narrow", NARROW)
def test_a_question_as_of_a_date_knows_the_links_of_then(
    db: sqlite3.Connection, now: datetime, ids: dict[str, int], narrow: dict[str, bool]
) -> None:
    later = now + timedelta(days=2)
    projects.link_projects(db, ids[HERE], ids[ELSEWHERE], by="user", now=later)
    then = utc_text(now + timedelta(days=1))
    assert ELSEWHERE not in shown(db, later, project_id=ids[HERE], as_of=then, **narrow)
    assert ELSEWHERE in shown(db, later, project_id=ids[HERE], **narrow)


def test_the_own_project_goes_before_a_linked_one(db: sqlite3.Connection, now: datetime, ids: dict[str, int]) -> None:
    answer = ask(db, Question("ports", project_id=ids[HERE]), surface="test", now=now)
    scope = {hit.text.rstrip(".").split()[-1]: hit.signals["scope"] for hit in answer.shown}
    assert scope == {HERE: 1.0, EVERYWHERE: 1.0, LINKED: 0.8, ELSEWHERE: 0.3}
    assert check(db) == []


def test_unlinking_and_linking_twice(db: sqlite3.Connection, now: datetime, ids: dict[str, int]) -> None:
    assert not projects.link_projects(db, ids[HERE], ids[LINKED], by="user", now=now)
    assert projects.unlink_projects(db, ids[HERE], ids[LINKED])
    assert not projects.unlink_projects(db, ids[HERE], ids[LINKED])
    assert shown(db, now, project_id=ids[HERE], other_projects=False) == {HERE, EVERYWHERE}
    with pytest.raises(InputError, match="itself"):
        projects.link_projects(db, ids[HERE], ids[HERE], by="user", now=now)


def test_projects_that_become_one_keep_their_links(db: sqlite3.Connection, now: datetime, ids: dict[str, int]) -> None:
    projects.link_projects(db, ids[ELSEWHERE], ids[HERE], by="user", now=now)
    merge_projects(db, ids[HERE], ids[ELSEWHERE])
    rows = [tuple(row) for row in db.execute("select project_id, linked_project_id from project_links")]
    assert rows == [(ids[HERE], ids[LINKED])]
    merge_projects(db, ids[LINKED], ids[HERE])
    assert db.execute("select count(*) from project_links").fetchone()[0] == 0


def test_the_command(db: sqlite3.Connection, db_path: Path, ids: dict[str, int]) -> None:
    def run(*words: str) -> str:
        done = CliRunner().invoke(cli, ["projects", *words, "-d", str(db_path)])
        assert done.exit_code == 0, done.output
        return done.output

    assert json.loads(run("link", HERE, ELSEWHERE, "--json"))["is_new"] is True
    listed = {row["name"]: row for row in json.loads(run("--json"))}
    assert listed[HERE]["linked"].split(", ") == [LINKED, ELSEWHERE] and listed[HERE]["linked_memories"] == 2
    assert "no longer hold" in run("unlink", HERE, ELSEWHERE)
    assert LINKED in run() and "was not linked" in run("unlink", HERE, ELSEWHERE)
