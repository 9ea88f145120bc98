"""Spending by source: what adds up, what is a share, and what stands out."""

from __future__ import annotations

import json
import sqlite3
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_db.models import daily_budget as spending
from memory_db.recall.brief.select import ask
from memory_db.recall.brief.session_start import block
from memory_db.recall.search import Question
from memory_db.store import settings
from memory_db.store.money import NANOCENTS_PER_USD, dollars
from memory_db.store.schema import wanted_objects
from memory_db.upkeep.doctor import doctor
from tests.support.command import printed
from tests.support.spending_rows import (
    DAY,
    INPUT,
    MODEL,
    OUTPUT,
    READ,
    WRITE_1H,
    add_call,
    add_ferry,
    add_model_call,
    add_price,
    add_recall,
    add_session,
    at,
)

VIEWS = [name for name, (kind, _) in wanted_objects().items() if kind == "view"]


@pytest.fixture
def spent(db: sqlite3.Connection) -> sqlite3.Connection:
    """One session with a subagent, two briefs and one call of the reader; an extraction; a question with `ask`."""
    add_price(db)
    ferry = add_ferry(db)
    session = add_session(db, "s", ferry)
    add_recall(db, "session-start", at("10:00:00"), 200, project_id=ferry, session_uid="s")
    add_recall(db, "hook", at("10:00:01"), 100, project_id=ferry, session_uid="s")
    add_call(db, session, at("10:00:05"), 10, 20, 0, 400, 0)
    add_recall(db, "mcp", at("10:00:30"), 30, project_id=ferry)
    add_call(db, session, at("10:01:00"), 10, 20, 0, 0, 400)
    add_call(db, add_session(db, "s/agent", ferry, parent_id=session), at("10:01:30"), 7, 3)
    add_model_call(db, "extract", at("11:00:00"), (1000, 100), session_id=session)
    add_model_call(db, "judge", at("11:00:00"), (10, 1))
    talk = add_session(db, "talk", ferry)
    add_recall(db, "ask", at("12:00:00"), 50, project_id=ferry, session_uid="talk")
    add_model_call(db, "ask", at("12:00:03"), (80, 40), session_id=talk)
    add_recall(db, "cli", at("12:10:00"), 5000, project_id=ferry)
    return db


CALLS = 2 * (10 * INPUT + 20 * OUTPUT) + 400 * WRITE_1H + 400 * READ
SUBAGENT = 7 * INPUT + 3 * OUTPUT


def test_sources_are_apart_and_shares_are_not_added(spent: sqlite3.Connection) -> None:
    rows = spent.execute(
        "select part_of, source, calls, cost_nanocents, cost_with_rereads_nanocents from cost_by_source"
    ).fetchall()
    own = {row["source"]: (row["calls"], row["cost_nanocents"]) for row in rows if not row["part_of"]}
    assert own == {
        "session": (2, CALLS),
        "subagent": (1, SUBAGENT),
        "extraction": (1, 1000 * INPUT + 100 * OUTPUT),
        "judge": (1, 10 * INPUT + OUTPUT),
        "ask": (1, 80 * INPUT + 40 * OUTPUT),
    }
    shares = {(row["part_of"], row["source"]): tuple(row)[3:] for row in rows if row["part_of"]}
    assert shares == {
        ("session", "brief: session-start"): (200 * INPUT, 200 * (WRITE_1H + READ)),
        ("session", "brief: hook"): (100 * INPUT, 100 * (WRITE_1H + READ)),
        ("session", "brief: mcp"): (30 * INPUT, 30 * INPUT),
        ("ask", "brief: ask"): (50 * INPUT, 50 * INPUT),
    }


def test_the_model_of_a_brief_is_named(spent: sqlite3.Connection) -> None:
    rows = spent.execute("select surface, model, model_source from brief_costs order by recall_id").fetchall()
    assert {row["model"] for row in rows} == {MODEL}
    read_by = [row["model_source"] for row in rows]
    assert read_by == [
        "the call that read it",
        "the call that read it",
        "used most in this file",
        "the call that read it",
    ]
    add_recall(spent, "hook", at("23:00:00"), 10, session_uid="s")
    last = spent.execute("select model_source, later_calls from brief_costs order by recall_id desc").fetchone()
    assert tuple(last) == ("its session", 0)


def test_the_command_adds_up_by_source(spent: sqlite3.Connection, db_path: Path) -> None:
    rows = json.loads(printed(db_path, "cost", "--by", "source", "--json"))
    assert {row["source"]: row["part_of"] for row in rows}["brief: hook"] == "session"
    total = sum(row["cost_nanocents"] for row in rows if not row["part_of"])
    by_day = json.loads(printed(db_path, "cost", "--json"))
    assert [row["project"] for row in by_day] == [None, "ferry"]
    assert sum(row["cost_nanocents"] for row in by_day) == total == CALLS + SUBAGENT + 1090 * INPUT + 141 * OUTPUT
    whole = printed(db_path, "cost", "--by", "day", "--project", "ferry")
    assert f"{DAY}  " in whole
    assert "Part of session: brief: hook, 1 briefs of 100 tokens, $0.0003 read once, $0.0006 with" in whole


def test_a_model_without_a_price_is_reported(db: sqlite3.Connection, db_path: Path) -> None:
    add_call(db, add_session(db, "s", add_ferry(db)), at("10:00:00"), 10, 20, model="a-model-nobody-prices")
    output = printed(db_path, "cost")
    assert "unknown" in output
    assert "1 calls are of models without a known price" in output
    assert "`memory-db model price set MODEL --input USD --output USD`" in output
    assert "(a-model-nobody-prices)" in output
    printed(db_path, "model", "price", "set", "a-model-nobody-prices", "--input", "1", "--output", "2")
    assert "without a known price" not in printed(db_path, "cost")


# ------------------------------------------------------------------------- money


def test_money_is_whole_nanocents_everywhere(sample_db: sqlite3.Connection, now: datetime) -> None:
    for surface in ("hook", "mcp"):
        ask(sample_db, Question("how do we run the migrations"), surface=surface, now=now)
    add_model_call(sample_db, "extract", at("11:00:00"), (10, 10), cost_nanocents=7)
    tables = [row[0] for row in sample_db.execute("select name from sqlite_master where type = 'table'")]
    seen = set()
    for name in (*tables, *VIEWS):
        for column in sample_db.execute(f"pragma table_info([{name}])").fetchall():
            assert "usd" not in column["name"] and "dollar" not in column["name"], (name, column["name"])
            if column["name"].endswith("nanocents") or "nanocents" in column["name"]:
                seen.add(name)
                assert name in VIEWS or column["type"] == "INTEGER", (name, column["name"])
                kinds = sample_db.execute(f"select distinct typeof([{column['name']}]) from [{name}]").fetchall()
                assert {kind[0] for kind in kinds} <= {"integer", "null"}, (name, column["name"])
    assert {"prices", "model_calls", "call_costs", "brief_costs", "savings", "recall_savings", "cost_by_source"} <= seen
    assert sample_db.execute("select count(*) from savings where net_nanocents is not null").fetchone()[0]


@pytest.mark.parametrize(
    ("nanocents", "places", "text"),
    [(None, 4, "unknown"), (0, 4, "$0.0000"), (123_456_789_012, 4, "$1.2346"), (-1_000_000_000, 2, "-$0.01"),
     (-1, 2, "$0.00"), (5 * NANOCENTS_PER_USD * 10**6, 2, "$5,000,000.00"), (99_500_000_000, 2, "$1.00")],
)  # fmt: skip
def test_dollars(nanocents: int | None, places: int, text: str) -> None:
    assert dollars(nanocents, places) == text


@given(st.integers(-(2**70), 2**70), st.integers(1, 6))
def test_dollars_are_exact_to_the_last_place(nanocents: int, places: int) -> None:
    shown = int(dollars(nanocents, places).replace("$", "").replace(",", "").replace(".", ""))
    assert abs(shown * NANOCENTS_PER_USD - nanocents * 10**places) * 2 <= NANOCENTS_PER_USD


# ----------------------------------------------------------------- what stands out


def add_day(db: sqlite3.Connection, session_id: int, number: int, output_tokens: int) -> None:
    add_call(db, session_id, at("10:00:00", f"2026-09-{number:02d}"), 0, output_tokens)


def test_a_day_far_above_the_median_stands_out(db: sqlite3.Connection) -> None:
    add_price(db)
    session = add_session(db, "s", add_ferry(db))
    for number, tokens in enumerate((100_000, 100_000, 200_000, 90_000, 9_000_000, 120_000, 310_000), start=1):
        add_day(db, session, number, tokens)
    rows = db.execute(
        "select subject, usual_nanocents, compared_with from cost_anomalies where level = 'day'"
    ).fetchall()
    assert rows == [], "the fifth day has four before it, the seventh is not above three times the median"
    add_day(db, session, 8, 400_000)
    rows = db.execute("select * from cost_anomalies where level = 'day'").fetchall()
    assert [(row["subject"], row["usual_nanocents"], row["compared_with"]) for row in rows] == [
        ("2026-09-08", 120_000 * OUTPUT, 7)
    ]
    assert rows[0]["times_the_usual"] == 3.3


def test_sessions_and_calls_stand_out(db: sqlite3.Connection) -> None:
    add_price(db)
    ferry = add_ferry(db)
    for number in range(1, 22):
        add_day(db, add_session(db, f"s{number}", ferry), number, 1000 if number < 21 else 5_000)
    assert db.execute("select * from cost_anomalies").fetchall() == [], "below the floor nothing stands out"
    costly = add_session(db, "costly", ferry)
    call = add_call(db, add_session(db, "costly/agent", ferry, parent_id=costly), at("10:00:00"), 0, 100_000)
    found = {row["level"]: row for row in db.execute("select * from cost_anomalies")}
    assert found["session"]["subject"] == "costly", "a subagent's calls are its session's"
    assert (found["call"]["subject"], found["call"]["usual_nanocents"]) == (str(call), 1000 * OUTPUT)
    assert found["day"]["project"] is None


def test_a_brief_over_its_budget_is_listed(db: sqlite3.Connection) -> None:
    add_recall(db, "hook", at("10:00:00"), 100, context='{"budget_tokens": 100}')
    add_recall(db, "hook", at("10:00:00"), 101, context='{"budget_tokens": 100}')
    add_recall(db, "hook", at("10:00:00"), 999, context='{"budget_tokens": null}')
    assert [tuple(row)[5:] for row in db.execute("select * from brief_overruns")] == [(100, 101)]


# ------------------------------------------------------------------------- budget


def test_a_new_session_is_told_the_days_budget(sample_db: sqlite3.Connection, now: datetime) -> None:
    later = now + timedelta(days=40)

    def start_brief() -> str:
        return str(block(sample_db, 1, "a new session", now=later).text)

    session = sample_db.execute("select id from sessions limit 1").fetchone()[0]
    add_price(sample_db)
    add_call(sample_db, session, at("10:00:00", later.date().isoformat()), 0, 100_000)
    assert start_brief() and "daily_cost_cents" not in start_brief()
    settings.put(sample_db, "daily_cost_cents", "100", now=now)
    assert "Agents have cost $1.50 today (UTC, what is imported), more than the $1.00" in start_brief()


def test_the_days_budget_is_reported(db: sqlite3.Connection, db_path: Path, now: datetime) -> None:
    add_price(db)
    session = add_session(db, "s", add_ferry(db))
    today = now.date().isoformat()
    add_call(db, session, at("10:00:00", (now - timedelta(days=1)).date().isoformat()), 0, 900_000)
    add_call(db, session, at("10:00:00", today), 0, 46_000)
    add_call(db, session, at("11:00:00", today), 1, 1, model="a-model-nobody-prices")
    assert spending.spent_on(db, today) == (69_000_000_000, 1)
    assert spending.budget_line(db, now=now) == ""
    settings.put(db, "daily_cost_cents", "100", now=now)
    assert spending.budget_line(db, now=now) == "", "69 % is not told yet"
    settings.put(db, "daily_cost_cents", "80", now=now)
    assert "$0.69 today (UTC, what is imported), 86 % of the $0.80" in spending.budget_line(db, now=now)
    settings.put(db, "daily_cost_cents", "60", now=now)
    line = spending.budget_line(db, now=now)
    assert "more than the $0.60 that daily_cost_cents allows, 1 calls without a price not counted" in line
    found = {line.what: line.level for line in doctor(db_path, now=now, transcripts=[]).lines}
    assert found[line] == "warning"
    assert found["1 calls are of models without a known price, such as a-model-nobody-prices"] == "note"
    settings.put(db, "daily_cost_cents", "69", now=now)
    assert "all of the $0.69" in spending.budget_line(db, now=now)
    db.execute("update settings set value = 'so' where name = 'daily_cost_cents'")
    assert spending.budget_line(db, now=now) == ""
