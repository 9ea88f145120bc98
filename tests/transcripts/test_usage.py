"""What an agent used is counted once, whatever order, file or session its records are found in."""

from __future__ import annotations

import json
import shutil
import sqlite3
import tempfile
from collections import defaultdict
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_db.models.tokens import ensure_prices, models_seen
from memory_db.store.schema import open_database
from memory_db.transcripts.importer import import_claude_code

DATA = Path(__file__).parents[1] / "data"
SHARED = Path(__file__).parents[3] / "shared" / "data" / "transcripts"
NOW = datetime(2026, 11, 1, 12, 0, tzinfo=UTC)

SONNET = "claude-sonnet-4-5-20250929"
"""3 and 15 US dollars for a million tokens; 3.75 and 6 written to a cache, 0.30 read from one."""

HAIKU = "claude-haiku-4-5-20251001"
"""1 and 5 US dollars for a million tokens; 1.25 written to the five-minute cache."""

ONE = 10 * 300_000 + 120 * 1_500_000 + 400 * 375_000 + 600 * 600_000 + 2000 * 30_000
"""Three growing records with a split cache write: 753,000,000 nanocents."""

TWO = 4 * 300_000 + 50 * 1_500_000 + 300 * 375_000 + 3000 * 30_000
"""Two records without a request's id, across midnight, no split: 278,700,000 nanocents."""

THREE = 6 * 300_000 + 30 * 1_500_000 + 500 * 600_000 + 3300 * 30_000
"""A call of the resumed session, written for an hour only: 445,800,000 nanocents."""

FOUR = 100 * 100_000 + 20 * 500_000 + 1000 * 125_000
"""A call of a subagent: 145,000,000 nanocents."""


def lay_out(folder: Path) -> Path:
    """The fixtures as an agent keeps them."""
    project = folder / "-home-sam-code-ferry"
    names = {"usage_session": "7d1f0a52-0000-4000-8000-0000000000a1",
             "usage_resumed": "7d1f0a52-0000-4000-8000-0000000000a2",
             "usage_odd": "7d1f0a52-0000-4000-8000-0000000000a3"}  # fmt: skip
    subagents = project / names["usage_session"] / "subagents"
    subagents.mkdir(parents=True)
    for source, name in names.items():
        shutil.copy(DATA / f"{source}.jsonl", project / f"{name}.jsonl")
    shutil.copy(DATA / "usage_subagent.jsonl", subagents / "agent-ab12.jsonl")
    return folder


@pytest.fixture
def used(db: sqlite3.Connection, tmp_path: Path) -> sqlite3.Connection:
    import_claude_code(db, [lay_out(tmp_path / "projects")], now=NOW)
    ensure_prices(db, models_seen(db), now=NOW)
    return db


def test_the_sums_are_those_worked_out_by_hand(used: sqlite3.Connection) -> None:
    assert (ONE, TWO, THREE, FOUR) == (753_000_000, 278_700_000, 445_800_000, 145_000_000)
    rows = used.execute("select day, model, calls, cost_nanocents, calls_without_price from token_ledger").fetchall()
    assert sorted(map(tuple, rows), key=str) == [
        ("2026-05-04", HAIKU, 1, FOUR, 0),
        ("2026-05-04", SONNET, 2, ONE + TWO, 0),
        ("2026-05-05", SONNET, 1, THREE, 0),
        ("2026-05-06", "a-model-nobody-prices", 1, None, 1),
        ("2026-05-06", SONNET, 2, 100 * 30_000 + 7 * 1_500_000, 0),
    ]


def test_cache_writes_are_apart(used: sqlite3.Connection) -> None:
    written = "select cache_write_5m_tokens, cache_write_1h_tokens from api_calls where message_uid = ?"
    for message, expected in (("one", (400, 600)), ("two", (300, 0)), ("three", (0, 500)), ("four", (1000, 0))):
        assert tuple(used.execute(written, [f"msg_usage_{message}"]).fetchone()) == expected


def test_a_resumed_session_and_a_subagent_are_sessions_with_calls_of_their_own(used: sqlite3.Connection) -> None:
    rows = used.execute(
        "select s.uid, group_concat(substr(c.message_uid, 11), ' ') from sessions s join api_calls c"
        " on c.session_id = s.id where s.uid not like '%a3' group by s.id order by s.uid"
    )
    first = "7d1f0a52-0000-4000-8000-0000000000a"
    assert list(map(tuple, rows)) == [(f"{first}1", "one two"), (f"{first}1/ab12", "four"), (f"{first}2", "three")]


def test_what_an_agent_says_in_a_models_place_costs_nothing(used: sqlite3.Connection) -> None:
    assert not used.execute("select 1 from api_calls where model like '<%' or message_uid like '%failed'").fetchone()


def test_the_rest_of_a_split_write_is_for_five_minutes(db: sqlite3.Connection, tmp_path: Path) -> None:
    usage = {"cache_creation_input_tokens": 100, "cache_creation": {"ephemeral_1h_input_tokens": 30}}
    put(tmp_path, "s1", [record(0, "m1", "r1", "2026-05-04T09:00:00.000Z", usage)])
    import_claude_code(db, [tmp_path], now=NOW)
    found = db.execute("select cache_write_5m_tokens, cache_write_1h_tokens from api_calls").fetchone()
    assert tuple(found) == (70, 30)


@pytest.mark.parametrize("order", [("r1", ""), ("", "r1")])
def test_a_record_without_request_is_of_the_request_that_another_names(
    db: sqlite3.Connection, tmp_path: Path, order: tuple[str, str]
) -> None:
    for number, request in enumerate(order):
        usage = {"input_tokens": 3, "output_tokens": 9}
        put(tmp_path, f"s{number}", [record(number, "m1", request, "2026-05-04T09:00:00.000Z", usage)])
        import_claude_code(db, [tmp_path], now=NOW)
        import_claude_code(db, [tmp_path], now=NOW)
    assert [tuple(row) for row in db.execute("select request_uid, output_tokens from api_calls")] == [("r1", 9)]


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared samples are not here")
def test_samples_of_other_tools_are_counted(db: sqlite3.Connection, tmp_path: Path) -> None:
    project = tmp_path / "projects" / "p"
    project.mkdir(parents=True)
    for source in SHARED.glob("*.jsonl"):
        shutil.copy(source, project / source.name)
    import_claude_code(db, [tmp_path / "projects"], now=NOW)
    assert not db.execute("select 1 from sources where state <> 'read'").fetchone()
    rows = db.execute(
        "select substr(message_uid, 1, instr(message_uid || '-', '-') + 4) as whose, count(*), sum(input_tokens),"
        " sum(output_tokens), sum(cache_write_5m_tokens), sum(cache_read_tokens) from api_calls"
        " where message_uid like 'msg-alpha-%' or message_uid like 'msg-beta-%' group by substr(message_uid, 1, 8)"
    )
    assert [tuple(row)[1:] for row in rows] == [(3, 600, 250, 75, 70), (2, 130, 60, 15, 40)]


# ------------------------------------------------------------- any order, any split


def record(number: int, message: str, request: str, at: str, usage: dict[str, Any]) -> dict[str, Any]:
    """One record of an answer."""
    return {
        "type": "assistant", "uuid": f"u{number}", "timestamp": at, **({"requestId": request} if request else {}),
        "message": {"role": "assistant", "id": message, "model": SONNET, "content": "words", "usage": usage},
    }  # fmt: skip


def put(folder: Path, session: str, records: list[dict[str, Any]]) -> None:
    """A transcript of these records."""
    (folder / "p").mkdir(exist_ok=True)
    lines = [json.dumps({**each, "sessionId": session}) + "\n" for each in records]
    (folder / "p" / f"{session}.jsonl").write_text("".join(lines), "utf-8")


COUNTS = ("output_tokens", "input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
numbers = st.integers(0, 9)
series = st.lists(
    st.tuples(
        st.sampled_from(["m1", "m2"]), st.sampled_from(["r1", "r2", ""]),
        st.sampled_from(["2026-05-04T23:59:59.000Z", "2026-05-05T00:00:01.000Z"]),
        st.tuples(numbers, numbers, numbers, numbers),
    ),
    min_size=1, max_size=9,
)  # fmt: skip


def expected(records: list[tuple[str, str, str, tuple[int, ...]]]) -> dict[str, tuple[int, ...]]:
    """What the records of a series add up to, by day, worked out without a database."""
    named = {message for message, request, _, _ in records if request}
    calls: dict[tuple[str, str], list[tuple[str, tuple[int, ...]]]] = defaultdict(list)
    for message, request, at, counts in records:
        if request or message not in named:
            calls[message, request].append((at, counts))
    sums: dict[str, tuple[int, ...]] = {}
    for found in calls.values():
        day, largest = min(found)[0][:10], max(counts for _, counts in found)
        sums[day] = tuple(map(sum, zip(sums.get(day, (0, 0, 0, 0)), largest, strict=True)))
    return sums


@given(series, st.data())
@settings(max_examples=30)
@pytest.mark.slow
def test_any_order_and_any_split_gives_the_same_sums(
    records: list[tuple[str, str, str, tuple[int, ...]]], choice: st.DataObject
) -> None:
    shuffled = choice.draw(st.permutations(records))
    cuts = sorted(choice.draw(st.lists(st.integers(0, len(records)), max_size=2)))
    with tempfile.TemporaryDirectory() as folder, closing(open_database(Path(folder) / "m.db", now=NOW)) as db:
        projects = Path(folder) / "projects"
        projects.mkdir()
        for part, (start, end) in enumerate(zip([0, *cuts], [*cuts, len(records)], strict=True)):
            found = [
                record(start + at, *each[:3], dict(zip(COUNTS, each[3], strict=True)))
                for at, each in enumerate(shuffled[start:end])
            ]
            put(projects, f"s{part}", found)
            import_claude_code(db, [projects], now=NOW)
        rows = db.execute(
            "select substr(created_at, 1, 10), sum(output_tokens), sum(input_tokens), sum(cache_write_5m_tokens),"
            " sum(cache_read_tokens) from api_calls group by 1"
        )
        assert {row[0]: tuple(row)[1:] for row in rows} == expected(records)
