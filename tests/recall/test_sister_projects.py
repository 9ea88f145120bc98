"""What a prompt is told of a project that belongs together with its own: a fact that its own has nothing on."""

from __future__ import annotations

import sqlite3
from datetime import datetime

import pytest

from memory_db.index import build as index
from memory_db.knowledge.memories import add_memory
from memory_db.pages.recalls import why as explained
from memory_db.recall.brief.allowed import KNOWN_HERE, NOTHING_ASKED, OTHER_PROJECT
from memory_db.recall.brief.select import Answer, ask
from memory_db.recall.evidence_of_hit import LEAST, STRONG
from memory_db.recall.search import HOOK_EFFORT, Filters, Question
from memory_db.transcripts.projects import resolve_project
from tests.support.session_rows import add_entry, add_session

OF_BOARD = (
    "8080 on that box belongs to the freezer monitor, so the wall page goes to port 8127.",
    "Not red and green, Tomas on the evening shift cannot tell them apart.",
    "The page never writes anything.",
    "A row says its plate first.",
    "Old plates leave the page after a week.",
)
OF_TALLY = (
    "Round where something gets printed.",
    "Made up plates live in tests/data.",
    "Inga cites the raw files by checksum.",
    "A saturated well stays in the report.",
    "Everything here is measured in duplicate.",
    "The reader writes one file for each plate.",
    "The blank is taken off before the mean.",
    "Reports are read on the screen.",
)
ADDRESS = "Inga wants the wall page on her own machine. what do i send her, the address i mean"


@pytest.fixture
def tally(db: sqlite3.Connection, now: datetime) -> int:
    """The project that asks; another one has the facts, and a session of it names this one."""
    here = resolve_project(db, "/home/ada/src/tallyhouse", now=now)
    board = resolve_project(db, "/home/ada/src/wallboard", now=now)
    for project, texts in ((here, OF_TALLY), (board, OF_BOARD)):
        for text in texts:
            add(db, text, now, project)
    add_entry(db, add_session(db, board), "user", "prompt", "the wall shows what tallyhouse writes")
    index.run(db, now=now)
    return here


def add(db: sqlite3.Connection, text: str, now: datetime, project: int) -> str:
    return add_memory(db, text=text, kind="environment", scope="project", project_id=project, now=now, origin="user",
                      changed_by="user", reason="said")  # fmt: skip


def told(db: sqlite3.Connection, prompt: str, project: int, now: datetime) -> Answer:
    question = Question(
        prompt, profile="hook", project_id=project, filters=Filters(other_projects=False), limit=3, threshold=0.0,
        budget_tokens=200, least_evidence=LEAST * STRONG, least_for_rules=LEAST, is_unasked=True, effort=HOOK_EFFORT,
    )  # fmt: skip
    return ask(db, question, surface="hook", now=now)


def test_a_prompt_is_told_what_the_sister_alone_knows_and_of_which_project(
    db: sqlite3.Connection, tally: int, now: datetime
) -> None:
    answer = told(db, ADDRESS, tally, now)
    assert [hit.project for hit in answer.shown] == ["wallboard"]
    assert "8127" in answer.text and "wallboard, " in answer.text
    why = next(hit["why"] for hit in explained(db, str(answer.recall_uid))["hits"] if hit["project"] == "wallboard")
    assert "sister project wallboard" in why and "a memory of a sister project needs 0.23" in why, why


def test_without_a_tie_nothing_is_told(db: sqlite3.Connection, tally: int, now: datetime) -> None:
    db.execute("delete from project_mentions")
    answer = told(db, ADDRESS, tally, now)
    assert answer.abstained
    assert OTHER_PROJECT in answer.left_out or not answer.shown


def test_what_the_project_itself_knows_goes_before(db: sqlite3.Connection, tally: int, now: datetime) -> None:
    add(db, "The address of the wall page is http://wall.example:8127.", now, tally)
    index.run(db, now=now)
    answer = told(db, ADDRESS, tally, now)
    assert {hit.project for hit in answer.shown} == {"tallyhouse"}
    assert KNOWN_HERE in answer.left_out


@pytest.mark.parametrize(
    "prompt", ["send her the wall page, then commit", "the wall page is at the usual address, fine"]
)
def test_who_asks_for_nothing_is_told_nothing_of_it(
    db: sqlite3.Connection, tally: int, now: datetime, prompt: str
) -> None:
    assert all(hit.project != "wallboard" for hit in told(db, prompt, tally, now).shown)


def test_a_person_who_asks_gets_the_same_scores_as_without_it(
    db: sqlite3.Connection, tally: int, now: datetime
) -> None:
    """Sisters are for prompts: whoever asks sees all projects anyway."""
    asked = Question("which port has the wall page?", project_id=tally)

    def scores() -> list[tuple[int | None, float]]:
        hits = ask(db, asked, surface="test", now=now, log=False).recalled.hits
        return [(hit.memory_version_id, hit.score) for hit in hits]

    before = scores()
    db.execute("delete from project_mentions")
    assert before == scores()


@pytest.mark.parametrize(
    "prompt",
    [
        "put the port of the wall page into the readme",
        "should we send inga the wall page with its port?",
        "same port as for the wall page, the wall page of the board",
        "i mean the port of the wall page, the one of the freezer monitor or what",
        "which port is the wall page on?",
        "let the script use the port that the page on the wall has",
    ],
)
def test_who_speaks_of_the_sister_or_asks_whether_is_told_what_it_knows(
    db: sqlite3.Connection, tally: int, now: datetime, prompt: str
) -> None:
    assert "8127" in told(db, prompt, tally, now).text


def test_what_is_much_nearer_there_is_told_beside_what_is_known_here(
    db: sqlite3.Connection, tally: int, now: datetime
) -> None:
    add(db, "Inga reads the page of the plates on paper.", now, tally)
    index.run(db, now=now)
    assert "8127" in told(db, ADDRESS, tally, now).text


@pytest.mark.parametrize(
    "prompt",
    ["which day is easter next year?", "how does a freezer work?", "what is a page of a b-tree, and how long is it?"],
)
def test_a_question_of_the_world_is_told_nothing_of_it(
    db: sqlite3.Connection, tally: int, now: datetime, prompt: str
) -> None:
    assert told(db, prompt, tally, now).abstained


def test_what_was_only_said_is_told_to_who_asks_alone(db: sqlite3.Connection, tally: int, now: datetime) -> None:
    session = add_session(db, tally)
    add_entry(db, session, "user", "prompt", "why does the kiln report print zeros for the crucible?")
    add_entry(db, session, "assistant", "reply", "The crucible of the kiln report is read before the scale settles.")
    index.run(db, now=now)
    assert "crucible" in told(db, "what was it with the crucible in the kiln report?", tally, now).text
    task = told(db, "print the crucible of the kiln report with two digits", tally, now)
    assert "crucible" not in task.text and NOTHING_ASKED in task.left_out
