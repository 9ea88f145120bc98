"""Of which project later words of a message are that turned to another project before: until it comes back, of that."""

from __future__ import annotations

import json
import sqlite3
from datetime import datetime

import pytest

from memory_db.extract.rules import run as rules
from memory_db.extract.rules.addressed import addressed_to
from memory_db.transcripts.projects import resolve_project
from tests.support.session_rows import add_entry, add_project, add_session

HOME, OTHER = "/home/sam/src/buildbox", "/home/sam/src/lockerd"

TURNED = "for lockerd: it deploys wednesdays only now"


def filed(db: sqlite3.Connection, now: datetime, said: str, quote: str) -> str:
    """The name of the project that a quote of a message is of."""
    home, other = (resolve_project(db, path, now=now) for path in (HOME, OTHER))
    assert quote in said
    found = addressed_to(db, quote, home, said)
    assert found in (None, other)
    return "buildbox" if found is None else "lockerd"


@pytest.mark.parametrize(
    "later",
    [
        "and here we use tabs from now on",
        "in here we use tabs from now on",
        "in this repo we use tabs from now on",
        "we use tabs in this project",
        "back here we use tabs",
        "as for us here, we use tabs",
        "buildbox uses tabs from now on",
        "ok, now to the page: tabs from now on",
        "so now we use tabs",
        "anyway, tabs from now on",
        "thanks for the list, tabs from now on",
    ],
)
def test_a_later_sentence_that_comes_back_is_of_the_project_that_it_is_said_in(
    db: sqlite3.Connection, now: datetime, later: str
) -> None:
    assert filed(db, now, f"{TURNED}. {later}", later) == "buildbox"
    assert filed(db, now, f"{TURNED}. they moved the freeze too. {later}", later) == "buildbox"
    assert filed(db, now, f"{TURNED}. {later}. tests lie beside the code", "tests lie beside the code") == "buildbox"


@pytest.mark.parametrize(
    "later",
    [
        "they also moved the freeze to monday",
        "the freeze is on mondays, like here",
        "the freeze is on mondays, not in this repo",
        "the freeze is on mondays from here on",
        "and now they freeze on mondays",
        "it gets its list from buildbox on mondays",
        "here's the rule: freeze on mondays",
        "the freeze is on mondays anyway",
    ],
)
def test_one_that_goes_on_is_of_the_other_project(db: sqlite3.Connection, now: datetime, later: str) -> None:
    assert filed(db, now, f"{TURNED}. {later}", later) == "lockerd"


def test_the_sentence_that_turns_away_never_comes_back_itself(db: sqlite3.Connection, now: datetime) -> None:
    said = "mail from ops. for lockerd: it deploys wednesdays only now, here it is mondays"
    assert filed(db, now, said, "for lockerd: it deploys wednesdays only now, here it is mondays") == "lockerd"
    said = "for lockerd: this is new here, it deploys wednesdays only now. it ends at noon"
    assert filed(db, now, said, "it ends at noon") == "lockerd"


@pytest.mark.parametrize(
    ("paragraph", "expected"),
    [
        ("tabs from now on", "buildbox"),
        ("the list gets a column for the week", "buildbox"),
        ("and the freeze is on mondays", "lockerd"),
        ("also there is a freeze on mondays", "lockerd"),
        ("it freezes on mondays", "lockerd"),
        ("they freeze on mondays", "lockerd"),
        ("the freeze of lockerd is on mondays", "lockerd"),
        ("and here tabs from now on", "buildbox"),
    ],
)
def test_a_new_paragraph_comes_back_unless_it_goes_on(
    db: sqlite3.Connection, now: datetime, paragraph: str, expected: str
) -> None:
    assert filed(db, now, f"{TURNED}.\n\n{paragraph}", paragraph) == expected
    is_here = paragraph.startswith("and here")
    assert filed(db, now, f"{TURNED}.\n{paragraph}", paragraph) == ("buildbox" if is_here else "lockerd")


def test_who_turns_away_again_is_in_the_other_project_again(db: sqlite3.Connection, now: datetime) -> None:
    said = f"{TURNED}. here we use tabs. and for lockerd: the freeze is on mondays. it ends at noon"
    assert filed(db, now, said, "it ends at noon") == "lockerd"


def test_words_behind_what_is_not_for_here_come_back_too(db: sqlite3.Connection, now: datetime) -> None:
    said = "not for here, for lockerd: it deploys wednesdays only now. in this repo we use tabs"
    assert filed(db, now, said, "it deploys wednesdays only now") == "lockerd"
    assert filed(db, now, said, "in this repo we use tabs") == "buildbox"


def kept(db: sqlite3.Connection, now: datetime, said: str) -> dict[str, sqlite3.Row]:
    """What the rules find in a message that is said in `HOME`, by its text, with the name of its project."""
    home, _ = add_project(db, HOME), add_project(db, OTHER)
    session = add_session(db, home)
    add_entry(db, session, "user", "prompt", said)
    rules.extract(db, now=now)
    return {
        row["text"]: row
        for row in db.execute("select c.*, p.name as project from candidates c join projects p on p.id = c.project_id")
    }


def test_the_rules_file_each_sentence_with_its_own_project(db: sqlite3.Connection, now: datetime) -> None:
    found = kept(db, now, f"{TURNED}. and here we use tabs from now on.")
    assert {row["project"]: text for text, row in found.items()} == {
        "lockerd": "For lockerd: it deploys wednesdays only now.",
        "buildbox": "Here we use tabs from now on.",
    }


def test_paths_are_seen_from_the_project_that_they_are_filed_with(db: sqlite3.Connection, now: datetime) -> None:
    said = f"for lockerd: never edit {OTHER}/ops/slots.py by hand, always go through {HOME}/jobs/deploy.sh."
    (row,) = kept(db, now, said).values()
    assert row["project"] == "lockerd"
    assert json.loads(row["paths"]) == ["ops/slots.py", f"{HOME}/jobs/deploy.sh"]
