"""The gate goes by when something was said, whatever order the words come in."""

from __future__ import annotations

import itertools
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from memory_db.errors import ConflictError
from memory_db.gate import revert as reverting
from memory_db.gate import run as gate
from memory_db.gate.contradictions import pairs as contradictions
from memory_db.gate.review import queue as review
from memory_db.knowledge import memories, retire
from memory_db.store import settings
from memory_db.store.schema import open_database

GROWING = (
    "Run the linter before each commit.",
    "Run the linter before each commit, with the strict profile.",
    "Run the linter before each commit, with the strict profile and warnings as errors.",
)
"""Each says more than the one before."""

REPLACED = (
    "We use npm for the web client.",
    "We moved from npm to pnpm for the web client.",
    "We moved from pnpm to bun for the web client.",
)
"""Each replaces the one before."""

OPPOSED = ("Indent SQL files with tabs.", "Never indent SQL files with tabs.")

LESS, MORE, MOST = GROWING
NPM, PNPM, BUN = REPLACED


def start(path: Path, now: datetime) -> sqlite3.Connection:
    """A project, a session with a prompt a month, and a run of rules."""
    db = open_database(path, now=now)
    db.execute("insert into projects (id, name, canonical_path, created_at) values (1, 'shop', '/home/a', '2026')")
    db.execute("insert into sessions (id, uid, format, project_id) values (1, 's1', 'claude-code', 1)")
    for month in range(1, 10):
        db.execute(
            "insert into entries (id, uid, session_id, role, kind, text, created_at)"
            " values (?, ?, 1, 'user', 'prompt', 'x', ?)",
            [month, f"e{month}", said_in(month)],
        )
        db.execute("insert into session_entries values (1, ?, ?)", [month, month])
    db.execute("insert into extraction_runs (id, method, version, started_at) values (1, 'rules', '1', '2026-11-01')")
    return db


def said_in(month: int) -> str:
    return f"2026-0{month}-01T09:00:00.000Z"


@pytest.fixture
def history(tmp_path: Path, now: datetime) -> object:
    with closing(start(tmp_path / "memory.db", now)) as db:
        yield db


def arrive(db: sqlite3.Connection, text: str, month: int, now: datetime) -> dict[str, int]:
    """A statement of that month is read now, and decided on by itself."""
    uid = f"{month} {text}"
    db.execute(
        "insert into candidates (uid, extraction_run_id, entry_id, session_id, project_id, kind, scope, title, text,"
        " quote, keys, paths, tags, importance, rule, created_at) values (?, 1, ?, 1, 1, 'convention', 'project', ?,"
        " ?, ?, '[]', '[]', '[]', 3, 'we do', ?)",
        [uid, month, text[:80], text, text, said_in(month)],
    )
    return gate.run(db, now=now)


def active(db: sqlite3.Connection) -> list[str]:
    return [row[0] for row in db.execute("select text from memories where status = 'active' order by id")]


def decision(db: sqlite3.Connection, text: str) -> tuple[str, str]:
    row = db.execute(
        "select s.action, s.reason from candidate_states s join candidates c on c.uid = s.uid where c.text = ?", [text]
    ).fetchone()
    return row["action"], row["reason"]


@hypothesis_settings(max_examples=20)
@given(
    months=st.permutations((2, 4, 9)),
    order=st.permutations((0, 1, 2)),
    again=st.lists(st.integers(0, 2), max_size=2),
)
@pytest.mark.slow
def test_statements_in_any_order_end_in_the_newest_text(
    tmp_path_factory: pytest.TempPathFactory, now: datetime, months: list[int], order: list[int], again: list[int]
) -> None:
    with closing(start(tmp_path_factory.mktemp("order") / "memory.db", now)) as db:
        for number in order:
            arrive(db, GROWING[number], months[number], now)
        newest = GROWING[months.index(9)]
        assert active(db) == [newest]
        quotes = {row[0] for row in db.execute("select quote from memory_sources")}
        assert quotes == set(GROWING), "whatever came in is a quote of the memory"
        for number in again:
            db.execute("update candidates set uid = uid || ' before'")
            arrive(db, GROWING[number], months[number], now)
        assert active(db) == [newest]


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_replacements_in_any_order_end_in_the_newest_text(
    history: sqlite3.Connection, now: datetime, order: Sequence[int]
) -> None:
    for number in order:
        arrive(history, REPLACED[number], (2, 4, 9)[number], now)
    assert active(history) == [BUN]
    rows = history.execute("select text, status, valid_from, valid_to from memories order by valid_from").fetchall()
    assert [row["text"] for row in rows] == list(REPLACED), "what is over is kept with the time in which it held"
    assert [row["valid_from"] for row in rows] == [said_in(2), said_in(4), said_in(9)]
    assert rows[0]["valid_to"] in (said_in(4), said_in(9)) and rows[1]["valid_to"] == said_in(9)


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_what_cannot_both_hold_waits_for_a_person_in_either_order(
    history: sqlite3.Connection, now: datetime, order: Sequence[int]
) -> None:
    for number in order:
        arrive(history, OPPOSED[number], (4, 9)[number], now)
    assert sorted(active(history)) == sorted(OPPOSED)
    assert history.execute("select count(*) from contradictions where state = 'open'").fetchone()[0] == 1


def test_an_april_text_that_says_more_leaves_that_of_september(history: sqlite3.Connection, now: datetime) -> None:
    arrive(history, LESS, 9, now)
    before = history.execute("select text, valid_from, updated_at from memories").fetchone()[:]
    assert arrive(history, MORE, 4, now)["duplicate"] == 1
    assert history.execute("select text, valid_from, updated_at from memories").fetchone()[:] == before
    assert "was said later, and its words hold" in decision(history, MORE)[1]
    evidence = history.execute("select kind, direction, created_at from evidence order by id").fetchall()
    assert [tuple(row) for row in evidence][1] == ("repeated", "for", said_in(4))


def test_what_was_said_again_since_is_as_new_as_its_newest_statement(
    history: sqlite3.Connection, now: datetime
) -> None:
    arrive(history, LESS, 2, now)
    arrive(history, LESS, 9, now)
    assert arrive(history, MORE, 4, now)["duplicate"] == 1
    assert active(history) == [LESS], "it was said in September as well"


def test_the_agents_shorter_words_do_not_take_the_place_of_the_users(
    history: sqlite3.Connection, now: datetime
) -> None:
    arrive(history, MORE, 4, now)
    history.execute("update entries set role = 'assistant' where id = 9")
    assert arrive(history, LESS, 9, now)["duplicate"] == 1
    assert active(history) == [MORE]


def test_later_words_that_say_no_more_are_taken_back_exactly(history: sqlite3.Connection, now: datetime) -> None:
    arrive(history, MORE, 4, now)
    arrive(history, LESS, 9, now)
    assert active(history) == [LESS] and "the later words" in decision(history, LESS)[1]
    number = history.execute("select max(id) from decisions").fetchone()[0]
    reverting.revert(history, number, now=now)
    assert active(history) == [MORE]


def test_what_was_closed_at_once_is_reverted_and_restored(history: sqlite3.Connection, now: datetime) -> None:
    arrive(history, PNPM, 9, now)
    arrive(history, NPM, 4, now)
    row = history.execute("select id, uid, status from memories where text = ?", [NPM]).fetchone()
    number = history.execute("select max(id) from decisions").fetchone()[0]
    assert (row["status"], active(history)) == ("superseded", [PNPM])
    reverting.revert(history, number, now=now)
    assert retire.restore(history, row["uid"], by="person", reason="it holds", now=now) == "active"
    assert history.execute("select valid_to from memories where uid = ?", [row["uid"]]).fetchone()[0] is None


def test_what_was_closed_at_once_and_said_again_holds_once_that_is_reverted(
    history: sqlite3.Connection, now: datetime
) -> None:
    arrive(history, PNPM, 9, now)
    arrive(history, NPM, 4, now)
    number = history.execute("select max(id) from decisions").fetchone()[0]
    uid = history.execute("select uid from memories where text = ?", [NPM]).fetchone()[0]
    history.execute(
        "insert into memory_sources (memory_id, entry_id, quote, created_at)"
        " select id, 3, text, '2026-03-01' from memories where uid = ?", [uid],
    )  # fmt: skip
    assert f"{uid} stays: others said it too" in reverting.revert(history, number, now=now)
    assert active(history) == [PNPM, NPM]


def test_what_was_closed_at_once_and_replaced_since_is_not_reverted(history: sqlite3.Connection, now: datetime) -> None:
    arrive(history, PNPM, 9, now)
    arrive(history, NPM, 4, now)
    number = history.execute("select max(id) from decisions").fetchone()[0]
    uid = history.execute("select uid from memories where text = ?", [NPM]).fetchone()[0]
    other = memories.add_memory(
        history, text="The web client is built by nix.", kind="convention", scope="project", project_id=1, now=now
    )
    history.execute(
        "insert into edges (from_memory_id, to_memory_id, kind, reason, created_by, created_at) values"
        " ((select id from memories where uid = ?), (select id from memories where uid = ?), 'supersedes', 'x', 'user',"
        " '2026-09-02')", [other, uid],
    )  # fmt: skip
    with pytest.raises(ConflictError, match="superseded since"):
        reverting.revert(history, number, now=now)


def test_later_words_beyond_what_a_run_may_rewrite_are_evidence(history: sqlite3.Connection, now: datetime) -> None:
    settings.put(history, "gate_most_destructive", "0", now=now)
    arrive(history, MORE, 4, now)
    counts = arrive(history, LESS, 9, now)
    assert (counts["duplicate"], counts["propose"]) == (1, 0)
    assert active(history) == [MORE]


def test_a_person_who_accepts_older_words_gives_them_as_evidence(history: sqlite3.Connection, now: datetime) -> None:
    arrive(history, LESS, 2, now)
    settings.put(history, "gate_most_destructive", "0", now=now)
    assert arrive(history, MORE, 4, now)["propose"] == 1
    arrive(history, LESS, 9, now)
    number = history.execute("select id from candidates where text = ?", [MORE]).fetchone()[0]
    assert review.accept(history, f"c{number}", now=now)["action"] == "duplicate"
    assert active(history) == [LESS]


def test_what_was_over_elsewhere_is_no_history_here(history: sqlite3.Connection, now: datetime) -> None:
    arrive(history, PNPM, 9, now)
    history.execute("update candidates set scope = 'user'")
    history.execute(
        "insert into candidates (uid, extraction_run_id, entry_id, session_id, project_id, kind, scope, title, text,"
        " quote, keys, paths, tags, importance, rule, created_at) values ('old', 1, 4, 1, 1, 'convention', 'user', 'x',"
        " ?, ?, '[]', '[]', '[]', 3, 'we do', ?)",
        [NPM, NPM, said_in(4)],
    )
    gate.run(history, now=now)
    assert active(history) == [PNPM, NPM], "it holds in every project, and only one of them left it"


def test_a_memory_said_again_supersedes_what_was_said_in_between(history: sqlite3.Connection, now: datetime) -> None:
    for text, month in ((PNPM, 2), (NPM, 4)):
        memories.add_memory(
            history, text=text, kind="convention", scope="project", project_id=1, now=now, created_at=said_in(month)
        )
    arrive(history, PNPM, 9, now)
    counts = contradictions.find(history, now=now)
    row = history.execute("select m.text from proposals p join memories m on m.id = p.memory_id").fetchone()
    assert counts["proposals"] == 1 and row["text"] == NPM, "the newest statement is that it is over"
