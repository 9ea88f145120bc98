"""What a later prompt brings by itself: a telling word, a name, a condition; and what its session said before."""

from __future__ import annotations

import sqlite3
from datetime import datetime, timedelta

import pytest

from memory_db.index import build as index
from memory_db.knowledge.memories import add_memory
from memory_db.knowledge.succession import supersede
from memory_db.recall.brief import brought
from memory_db.recall.brief.allowed import (
    FORGOTTEN_TOKENS,
    NOT_BROUGHT,
    SAID_HERE,
    TRANSCRIPT_BYTES_PER_TOKEN,
    is_about_ban,
)
from memory_db.recall.brief.select import Answer, ask
from memory_db.recall.evidence_of_hit import LEAST, STRONG
from memory_db.recall.search import Filters, Question
from memory_db.store.dates import utc_text
from memory_db.transcripts.projects import resolve_project
from tests.support.session_rows import WHEN, add_entry, add_session

ORCHARD = "The press at the orchard takes two crates at a time."
SIEVE = "Rinse the sieve with the cold tap before a batch."


@pytest.fixture
def orchard(db: sqlite3.Connection, now: datetime) -> int:
    """A project in which two crates are spoken of all the time, and a sieve once."""
    project = resolve_project(db, "/home/ada/src/orchard", now=now)
    for number in range(120):
        add(db, f"Two crates of row {number} went to barn {number} on day {number}.", now, project)
    for text in (ORCHARD, SIEVE):
        add(db, text, now, project)
    index.run(db, now=now)
    return project


def add(db: sqlite3.Connection, text: str, now: datetime, project: int, kind: str = "environment", **more: str) -> str:
    return add_memory(db, text=text, kind=kind, scope="project", project_id=project, now=now, origin="user",
                      changed_by="user", reason="said", **more)  # fmt: skip


def question(prompt: str, project: int, *, later: bool = True, session: str = "", size: int | None = None) -> Question:
    return Question(
        prompt, profile="hook", project_id=project, filters=Filters(other_projects=False), limit=3, threshold=0.0,
        least_evidence=LEAST * STRONG if later else LEAST, least_for_rules=LEAST, is_unasked=True,
        session_uid=session or None, session_bytes=size,
    )  # fmt: skip


def unbrought(answer: Answer) -> set[str]:
    return {hit.text for hit in answer.placed if hit.left_out_reason == NOT_BROUGHT}


def considered(db: sqlite3.Connection, prompt: str, project: int, now: datetime, *texts: str) -> set[str]:
    """Of some memories those that a later prompt does not bring."""
    answer = ask(db, question(prompt, project), surface="test", now=now, log=False)
    hits = [hit for hit in answer.placed if hit.text in texts]
    assert {hit.text for hit in hits} == set(texts)
    return {hit.text for hit in brought.not_brought(db, answer.recalled, hits)}


def test_a_word_that_is_said_all_the_time_brings_nothing(db: sqlite3.Connection, orchard: int, now: datetime) -> None:
    assert considered(db, "yes, two crates more", orchard, now, ORCHARD) == {ORCHARD}
    assert not considered(db, "paint the press with two crates of lime", orchard, now, ORCHARD)


def test_the_line_says_why_it_stayed_out_and_a_first_prompt_gets_it(
    db: sqlite3.Connection, orchard: int, now: datetime
) -> None:
    text = "Crates: two."
    add(db, text, now, orchard, kind="convention")
    index.run(db, now=now)
    later = ask(db, question("then two crates", orchard), surface="test", now=now)
    assert text in unbrought(later) and later.abstained
    logged = db.execute("select count(*) from hits where left_out_reason = ?", [NOT_BROUGHT]).fetchone()[0]
    assert logged == later.left_out[NOT_BROUGHT]
    first = ask(db, question("then two crates", orchard, later=False), surface="test", now=now)
    assert text in [hit.text for hit in first.shown]


def test_words_that_a_memory_is_put_by_bring_nothing(db: sqlite3.Connection, orchard: int, now: datetime) -> None:
    text = 'Asked "how many crates, one or two?", the user said: two.'
    add(db, text, now, orchard)
    index.run(db, now=now)
    assert considered(db, "the user of the barn asked for two crates", orchard, now, text) == {text}


def test_what_is_met_or_locked_is_brought_whatever_words_it_has(
    db: sqlite3.Connection, orchard: int, now: datetime
) -> None:
    met = "Two crates stay shut."
    add(db, met, now, orchard, kind="convention", condition="painting the roof")
    index.run(db, now=now)
    assert not considered(db, "paint the roof and the two crates", orchard, now, met)


def test_who_met_the_older_one_meets_what_came_after_it(db: sqlite3.Connection, orchard: int, now: datetime) -> None:
    old = add(db, "Marmalade is boiled for two hours.", now, orchard)
    new = add(db, "Two crates, three hours.", now, orchard)
    supersede(db, old, new, reason="changed", by="user", now=now)
    index.run(db, now=now)
    assert not considered(db, "boil the marmalade", orchard, now, "Two crates, three hours.")


def test_a_question_brings_what_is_near_to_it(db: sqlite3.Connection, orchard: int, now: datetime) -> None:
    """Its meaning counts, where that is clear; a task has none to be answered."""
    answer = ask(db, question("how many crates?", orchard), surface="test", now=now, log=False, keep=100)
    hit = next(hit for hit in answer.placed if hit.text == ORCHARD)
    hit.evidence = brought.BY_MEANING * LEAST
    assert not brought.not_brought(db, answer.recalled, [hit])
    hit.features.gives_value = True
    assert brought.not_brought(db, answer.recalled, [hit]) == [hit], "a number alone is no meaning"
    hit.evidence = 0.2
    answer.recalled.semantic_model = "a full model"
    assert not brought.not_brought(db, answer.recalled, [hit]), "a full model tells what is meant"


def test_in_a_young_file_every_word_tells(db: sqlite3.Connection, now: datetime) -> None:
    project = resolve_project(db, "/home/ada/src/barn", now=now)
    add(db, ORCHARD, now, project)
    index.run(db, now=now)
    assert not considered(db, "two crates more", project, now, ORCHARD)


@pytest.fixture
def said(db: sqlite3.Connection, orchard: int, now: datetime) -> tuple[str, str]:
    """A memory that a session said; its uid, and the name of the session."""
    session = add_session(db, orchard)
    entry = add_entry(db, session, "user", "prompt", "the marmalade copper kettle hangs behind the stove")
    uid = add(db, "The marmalade copper kettle hangs behind the stove.", now, orchard, created_at=WHEN)
    db.execute(
        "insert into memory_sources (memory_id, entry_id, quote, created_at)"
        " select id, ?, text, created_at from memories where uid = ?",
        [entry, uid],
    )
    index.run(db, now=now)
    return uid, f"session-{session}"


def kettle(db: sqlite3.Connection, project: int, now: datetime, session: str, size: int | None = None) -> Answer:
    asked = question("where does the marmalade copper kettle hang?", project, session=session, size=size)
    return ask(db, asked, surface="hook", now=now)


def test_what_this_session_said_is_not_told_to_it_again(
    db: sqlite3.Connection, orchard: int, now: datetime, said: tuple[str, str]
) -> None:
    uid, session = said
    answer = kettle(db, orchard, now, session)
    assert answer.abstained and {hit.uid: hit.left_out_reason for hit in answer.placed}[uid] == SAID_HERE
    assert [hit.uid for hit in kettle(db, orchard, now, "another session").shown] == [uid]
    db.execute(
        "insert into hook_runs (hook, started_at, outcome, session_uid) values ('pre-compact', ?, 'done', ?)",
        [utc_text(now), session],
    )
    assert [hit.uid for hit in kettle(db, orchard, now, session).shown] == [uid], "it is gone from the context"


def test_what_it_said_long_ago_may_be_told(
    db: sqlite3.Connection, orchard: int, now: datetime, said: tuple[str, str]
) -> None:
    uid, session = said
    long = FORGOTTEN_TOKENS * TRANSCRIPT_BYTES_PER_TOKEN
    assert kettle(db, orchard, now, session, size=long).abstained, "the first length that is known since"
    later = now + timedelta(minutes=1)
    assert kettle(db, orchard, later, session, size=2 * long - 1).abstained
    assert [hit.uid for hit in kettle(db, orchard, later, session, size=2 * long).shown] == [uid]


def test_a_ban_is_met_by_a_word_that_tells() -> None:
    rule, prompt = "Dont make me go and look.", "go on, nobody looks at it"
    assert is_about_ban(prompt, rule) and not is_about_ban(prompt, rule, {"nobody"})
    assert is_about_ban(prompt, rule, {"looks"})
