"""What answers a question before its hits: the change, the newest memory, or that nothing is known."""

from __future__ import annotations

import sqlite3
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest

from memory_db.index import build as index
from memory_db.knowledge.memories import add_memory
from memory_db.recall.brief import select as brief
from memory_db.recall.first_answer import LEAST_CHANCE, FirstAnswer, asked_before, first_answer
from memory_db.recall.question_dates import with_window
from memory_db.recall.search import Question
from memory_db.records import replace
from tests.conftest import NOW


def answered(db: sqlite3.Connection, query: str) -> FirstAnswer:
    return first_answer(db, brief.ask(db, Question(query), surface="datasette", now=NOW, log=False))


def test_a_change_is_told_with_what_held_until_when(sample_db: sqlite3.Connection) -> None:
    told = answered(sample_db, "since when do we keep staging logs for 14 days")
    assert told.sort == "change"
    assert [each.what for each in told.clauses] == ["held", "held", "holds"]
    assert [each.until and each.until[:10] for each in told.clauses] == ["2026-09-25", "2026-10-31", None]
    assert [each.until for each in told.clauses[:-1]] == [each.since for each in told.clauses[1:]]
    assert told.clauses[-1].text.endswith("it's 30 days from now on.")


def test_what_contradicts_a_statement_is_told_beside_it(sample_db: sqlite3.Connection) -> None:
    told = answered(sample_db, "since when do we convert readings when they are ingested")
    assert [each.what for each in told.clauses] == ["holds", "contradicted"]
    assert "ingested" in told.clauses[0].text and "on output" in told.clauses[1].text


def test_a_value_holds_from_the_day_on_which_it_was_set(sample_db: sqlite3.Connection) -> None:
    told = answered(sample_db, "since when is the public api limit 120 requests a minute")
    assert [(each.what, each.until and each.until[:10]) for each in told.clauses] == [
        ("held", "2026-09-22"), ("held", "2026-10-31"), ("holds", None),
    ]  # fmt: skip
    assert all(said in clause.text for said, clause in zip(("is 60", "to 120", "is 240"), told.clauses, strict=True))


@pytest.mark.parametrize(
    "query", ["when did we switch from npm to pnpm", "what port does postgres use", "since when is the api limit 120"]
)
def test_each_clause_has_a_quote_that_was_said(sample_db: sqlite3.Connection, query: str) -> None:
    told = answered(sample_db, query)
    assert told.clauses
    notes = {note.number: note for note in told.footnotes}
    for clause in told.clauses:
        [note] = [notes[number] for number in clause.notes]
        assert note.memory_uid in (clause.uid, None)
        [text] = sample_db.execute("select text from entries where uid = ?", [note.entry_uid]).fetchone()
        assert note.quote.rstrip("…") in text


def test_the_newest_of_two_that_answer_is_the_answer(sample_db: sqlite3.Connection) -> None:
    told = answered(sample_db, "which node version are we on")
    assert told.sort == "memory"
    assert "node 24" in told.clauses[0].text


@pytest.mark.parametrize("query", ["when do backups run", "at what time do the backups run"])
def test_what_was_said_answers_where_a_memory_only_shares_a_word(db: sqlite3.Connection, query: str) -> None:
    add_memory(db, text="Always run `npm run lint` before you commit.", kind="convention", scope="user", now=NOW)
    db.execute("insert into sessions (id, uid, format) values (1, 's1', 'text')")
    db.execute(
        "insert into entries (id, uid, session_id, role, kind, text, created_at) values"
        " (1, 'e1', 1, 'user', 'document', 'Major version is 16. Backups run at 02:30 UTC.', '2026-10-01T08:00:00Z')"
    )
    index.run(db, now=NOW)
    semantic = index.open_semantic(db)
    found = brief.ask(db, Question(query), surface="cli", now=NOW, semantic=semantic, log=False)
    told = first_answer(db, found, semantic)
    assert [(clause.what, clause.uid) for clause in told.clauses] == [("said", "e1")]


def test_a_question_for_a_value_is_answered_by_what_has_one(db: sqlite3.Connection) -> None:
    raw, thinned = "Raw gauge readings stay as the gauge sent them.", "Gauge readings are kept raw for 24 months."
    others = [f"The {name} page is cached by caddy." for name in ("harbour", "wiki", "admin", "map", "key", "login")]
    for text in (raw, thinned, *others):
        add_memory(db, text=text, kind="convention", scope="user", now=NOW)
    told = {query: answered(db, query).clauses[0].text for query in (
        "for how long do raw gauge readings stay?", "do raw gauge readings stay?",
    )}  # fmt: skip
    assert list(told.values()) == [thinned, raw]


def test_a_prompt_that_is_the_question_is_no_answer(sample_db: sqlite3.Connection) -> None:
    [said] = sample_db.execute("select text from entries where kind = 'prompt' and text = 'backoff?'").fetchone()
    sample_db.execute("update entries set text = 'Backoff.' where text = ?", [said])  # nothing tells that it asks
    told = answered(sample_db, "backoff")
    assert "Backoff." not in [each.text for each in told.clauses]
    found = brief.ask(sample_db, Question("backoff"), surface="datasette", now=NOW, log=False).shown
    assert [hit.text for hit in found if asked_before(hit, " “BACKOFF?” ")] == ["Backoff."]
    assert not [hit for hit in found if asked_before(hit, "backoff of deliveries")]


def test_where_nothing_is_known_that_is_said_and_what_is_near(sample_db: sqlite3.Connection) -> None:
    told = answered(sample_db, "what is the capital of France")
    assert told.sort == "nothing"
    assert 1 <= len(told.clauses) <= 3 and {each.what for each in told.clauses} == {"near"}


def test_what_somebody_asked_for_is_no_answer(sample_db: sqlite3.Connection) -> None:
    told = answered(sample_db, "did we ever settle on hashicorp vault or stay with what we have?")
    assert "what if we used vault? just thinking aloud" not in [each.text for each in told.clauses]


def test_what_was_only_said_is_no_answer_where_the_hits_are_unlikely_to_answer(sample_db: sqlite3.Connection) -> None:
    asked = Question("what's the period of the M2 constituent?")
    answer = brief.ask(sample_db, asked, surface="datasette", now=NOW, log=False)
    likely = first_answer(sample_db, answer)
    assert (likely.sort, likely.clauses[0].what) == ("memory", "said")
    verdict = answer.recalled.verdict
    assert verdict is not None and verdict.chance >= LEAST_CHANCE
    answer.recalled.verdict = replace(verdict, chance=LEAST_CHANCE - 0.01)
    unlikely = first_answer(sample_db, answer)
    assert unlikely.sort == "nothing" and likely.clauses[0].uid in {each.uid for each in unlikely.clauses}


@pytest.mark.parametrize("query", ["which node version are we on", "what's the period of the M2 constituent?"])
def test_what_is_forgotten_before_it_is_told_is_not_told(sample_db: sqlite3.Connection, query: str) -> None:
    answer = brief.ask(sample_db, Question(query), surface="datasette", now=NOW, log=False)
    sample_db.execute("pragma foreign_keys = off")
    for table in ("memory_versions", "entries"):
        sample_db.execute(f"delete from {table}")
    told = first_answer(sample_db, answer)
    assert (told.clauses, told.footnotes) == ([], [])


def test_a_ready_question_is_named(sample_db: sqlite3.Connection) -> None:
    told = answered(sample_db, "Which files do we edit most?")
    assert told.as_dict()["ready"] == {"name": "which_files_are_hot", "parameters": {}}


def test_an_empty_file_says_nothing(db: sqlite3.Connection) -> None:
    told = answered(db, "when did we move to node 24")
    assert (told.sort, told.clauses, told.footnotes) == ("nothing", [], [])


@pytest.mark.parametrize(
    "query",
    [
        "What did the agent do on Tuesday, 13 October?",
        "what was done on 2026-10-13",
        "what did we work on between 13 and 14 October",
        "What happened on 13 October 2026?",
    ],
)
def test_what_was_done_on_a_day_is_told_by_its_sessions_and_claims_nothing(
    sample_db: sqlite3.Connection, query: str
) -> None:
    question = with_window(sample_db, Question(query), NOW, ZoneInfo("UTC"))
    told = first_answer(sample_db, brief.ask(sample_db, question, surface="datasette", now=NOW, log=False))
    assert (told.sort, told.clauses) == ("sessions", [])
    assert [each["project"] for each in told.sessions] == ["quayside"]
    assert told.sessions[0]["began_at"].startswith("2026-10-13")


def test_what_was_done_on_a_day_without_sessions_is_no_answer(sample_db: sqlite3.Connection) -> None:
    question = with_window(sample_db, Question("what did we do on 3 May 2026"), NOW, ZoneInfo("UTC"))
    told = first_answer(sample_db, brief.ask(sample_db, question, surface="datasette", now=NOW, log=False))
    assert (told.sort, told.clauses, told.sessions) == ("sessions", [], [])
    assert len(told.nearest) == 1, "the sample begins after it"


def test_a_day_without_sessions_leads_to_the_ones_before_and_after_it(sample_db: sqlite3.Connection) -> None:
    days = [row[0] for row in sample_db.execute(
        "select distinct substr(e.created_at, 1, 10) from entries e join sessions s on s.id = e.session_id"
        " where s.parent_session_id is null and s.agent is null order by 1")]  # fmt: skip
    before, after = next((one, other) for one, other in pairwise(days) if one < "2026-10-14" < other)
    question = with_window(sample_db, Question("what did we do on 14 October 2026"), NOW, ZoneInfo("UTC"))
    told = first_answer(sample_db, brief.ask(sample_db, question, surface="datasette", now=NOW, log=False))
    assert told.sessions == [] and [each["began_at"][:10] for each in told.nearest] == [before, after]
    assert told.as_dict()["nearest"] == told.nearest


def test_what_was_said_of_a_day_is_asked_of_memory(sample_db: sqlite3.Connection) -> None:
    question = with_window(sample_db, Question("what port did postgres use in October 2026"), NOW, ZoneInfo("UTC"))
    told = first_answer(sample_db, brief.ask(sample_db, question, surface="datasette", now=NOW, log=False))
    assert told.sort in ("memory", "nothing")
