"""What memory saved is a range over named other ways, worked out by hand here, net of what memory cost."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from memory_db.models import savings
from tests.support.command import printed
from tests.support.spending_rows import (
    DAY,
    INPUT,
    OUTPUT,
    READ,
    WRITE_5M,
    add_call,
    add_entry,
    add_ferry,
    add_memory,
    add_model_call,
    add_price,
    add_recall,
    add_session,
    at,
)

FIRST_RATE = WRITE_5M + 2 * READ
"""The first brief of 100 tokens was written to the cache by the call that read it, and read again by two calls before
the session was compacted: 435,000 nanocents a token."""

BRIEFS_ONCE = 100 * INPUT + 50 * INPUT
BRIEFS_AGAIN = 100 * FIRST_RATE + 50 * INPUT
MODEL_CALLS = 40 * INPUT + 5 * OUTPUT


@pytest.fixture
def day(db: sqlite3.Connection) -> sqlite3.Connection:
    """Two old sessions of 1,000 and 500 tokens, and one that read two briefs made from them."""
    add_price(db)
    ferry = add_ferry(db)
    old, older = add_session(db, "old", ferry, 4000), add_session(db, "older", ferry, 1998)
    reader = add_session(db, "reader", ferry)
    entries = {row["session_id"]: row["id"] for row in db.execute("select id, session_id from entries")}
    own = add_entry(db, reader, "prompt", "words of this session", at("09:59:00"))
    both = add_memory(db, "both", ferry, [entries[old], entries[older], own])
    one = add_memory(db, "one", ferry, [entries[old]])
    other = add_memory(db, "other", ferry, [add_entry(db, add_session(db, "unused", ferry), "prompt", "y" * 9000, DAY)])
    add_recall(
        db, "hook", at("10:00:00"), 100, project_id=ferry, session_uid="reader", shown=(both,), left_out=(other,)
    )
    add_call(db, reader, at("10:00:05"), 10, 20, 200)
    add_call(db, reader, at("10:01:00"), 10, 20, 0, 0, 200)
    add_recall(db, "hook", at("10:02:00"), 50, project_id=ferry, session_uid="reader", session_id=reader, shown=(one,))
    add_call(db, reader, at("10:02:05"), 10, 20)
    add_entry(db, reader, "summary", "so far", at("10:03:00"))
    add_call(db, reader, at("10:04:00"), 10, 20)
    add_recall(db, "cli", at("10:05:00"), 900, project_id=ferry, shown=(other,))
    add_model_call(db, "extract", at("11:00:00"), (40, 5), session_id=old)
    add_model_call(db, "ask", at("11:01:00"), (9000, 9000), session_id=old)
    return db


def add_file(db: sqlite3.Connection, path: str, tokens: int, seen_at: str) -> None:
    db.execute(
        "insert into instruction_files (project_id, path, tokens, content_hash, seen_at) values (1, ?, ?, ?, ?)",
        [path, tokens, seen_at, seen_at],
    )


def nets(db: sqlite3.Connection) -> dict[str, tuple[int, int, int]]:
    return {
        way.counterfactual: (way.instead_tokens, way.net_nanocents, way.net_with_rereads_nanocents)
        for way in savings.ways(db)
    }


def test_every_way_is_what_was_worked_out_by_hand(day: sqlite3.Connection) -> None:
    assert (BRIEFS_ONCE, BRIEFS_AGAIN, MODEL_CALLS) == (45_000_000, 58_500_000, 19_500_000)
    add_file(day, "CLAUDE.md", 9000, at("08:00:00", "2026-09-01"))
    add_file(day, "CLAUDE.md", 300, at("08:00:00"))
    add_file(day, "CLAUDE.local.md", 100, at("08:00:00"))
    add_file(day, "CLAUDE.md", 7000, at("12:00:00"))
    assert nets(day) == {
        "nothing": (0, -64_500_000, -78_000_000),
        "instruction file": (400, 400 * INPUT - 64_500_000, 400 * FIRST_RATE - 78_000_000),
        "whole sessions": (1500, 1500 * INPUT - 64_500_000, 1500 * FIRST_RATE - 78_000_000),
    }
    assert savings.net_range(savings.ways(day)) == (-78_000_000, 652_500_000 - 78_000_000)


def test_the_view_adds_up_to_the_same(day: sqlite3.Connection) -> None:
    for row in day.execute("select * from savings"):
        assert (row["project"], row["day"], row["recalls"], row["shown_tokens"]) == ("ferry", DAY, 2, 150)
        assert (row["brief_nanocents"], row["brief_with_rereads_nanocents"]) == (BRIEFS_ONCE, BRIEFS_AGAIN)
        assert row["model_nanocents"] == MODEL_CALLS
        assert row["net_nanocents"] == row["instead_nanocents"] - BRIEFS_ONCE - MODEL_CALLS


def test_what_a_session_has_read_is_not_read_again(day: sqlite3.Connection) -> None:
    rows = day.execute("select recall_id, instead_tokens from recall_savings where counterfactual = 'whole sessions'")
    assert sorted(map(tuple, rows)) == [(1, 1500), (2, 0)]
    add_recall(day, "hook", at("15:00:00"), 10, project_id=1, session_uid="not imported yet", shown=(1,))
    rows = day.execute("select recall_id, instead_tokens from recall_savings where counterfactual = 'whole sessions'")
    assert sorted(map(tuple, rows))[2] == (4, 1500 + 7), "the words of the session that read it first count here"


def test_what_stands_for_the_instruction_file_is_named(day: sqlite3.Connection) -> None:
    named = (
        "select instead, instead_tokens from recall_savings where counterfactual = 'instruction file' and recall_id = 1"
    )
    assert tuple(day.execute(named).fetchone()) == ("none is known", 0)
    day.execute(
        "insert into portraits (kind, project_id, text, tokens, created_by, created_at) values"
        " ('playbook', 1, 'x', 70, 'test', ?)",
        [at("07:00:00")],
    )
    assert tuple(day.execute(named).fetchone()) == ("the project's playbook", 70)
    add_file(day, "CLAUDE.md", 500, at("23:00:00"))
    assert tuple(day.execute(named).fetchone()) == ("the instruction files seen in the project", 500)


def test_a_book_of_sessions_would_not_have_been_read_whole(db: sqlite3.Connection) -> None:
    add_price(db)
    ferry = add_ferry(db)
    add_call(db, add_session(db, "old", ferry, 900_000), at("09:00:00"), 1, 1)
    version = add_memory(db, "one", ferry, [1])
    add_recall(db, "hook", at("10:00:00"), 10, project_id=ferry, session_uid="reader", shown=(version,))
    assert nets(db)["whole sessions"][0] == 200_000


def test_without_a_price_there_is_no_figure(db: sqlite3.Connection) -> None:
    ferry = add_ferry(db)
    reader = add_session(db, "reader", ferry)
    add_call(db, reader, at("10:00:05"), 10, 20, model="a-model-nobody-prices")
    add_recall(db, "hook", at("10:00:00"), 100, project_id=ferry, session_uid="reader")
    assert savings.ways(db) == []
    assert [row["net_nanocents"] for row in db.execute("select * from savings")] == [None, None, None]
    add_price(db, "a-model-nobody-prices")
    assert nets(db)["nothing"] == (0, -100 * INPUT, -100 * INPUT)


def test_an_empty_file_says_that_there_is_no_data(db: sqlite3.Connection, db_path: Path) -> None:
    assert printed(db_path, "model", "savings").startswith("No data yet")
    assert json.loads(printed(db_path, "model", "savings", "--json")) == {
        "low_nanocents": None, "high_nanocents": None, "ways": [], "instruction_files": [],
    }  # fmt: skip


def test_the_command_shows_the_range_and_what_is_assumed(day: sqlite3.Connection, db_path: Path) -> None:
    output = printed(db_path, "model", "savings", "--project", "ferry", "--since", DAY)
    assert output.startswith("Memory saved between -$0.0008 and $0.0057, net")
    assert "2 briefs of 150 tokens ($0.0005 read once, $0.0006 with rereads by later calls)" in output
    assert "none is known (1 briefs, 0 tokens)" in output
    assert all(f"{name}: " in output for name in savings.ORDER)
    data = json.loads(printed(db_path, "model", "savings", "--json"))
    assert (data["low_nanocents"], data["high_nanocents"]) == (-78_000_000, 574_500_000)
    assert "No data yet" in printed(db_path, "model", "savings", "--since", "2026-10-06")


def test_an_instruction_file_that_nobody_saw_is_unknown_and_bounds_nothing(
    day: sqlite3.Connection, db_path: Path
) -> None:
    files = {way.counterfactual: way.is_known for way in savings.ways(day)}
    assert files == {"nothing": True, "instruction file": False, "whole sessions": True}
    with_file = [way for way in savings.ways(day) if way.counterfactual == "instruction file"]
    with pytest.raises(ValueError, match="empty"):
        savings.net_range(with_file)
    output = printed(db_path, "model", "savings").splitlines()
    (line,) = [each for each in output if each.startswith("instruction file ")]
    assert line.split()[2:] == ["unknown"] * 5
