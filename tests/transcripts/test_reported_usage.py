"""What a client says that a session used, set against the calls that its transcript holds. All records are invented."""

from __future__ import annotations

import json
import sqlite3
import tempfile
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_db.store.schema import open_database
from memory_db.transcripts.importer import import_claude_code
from memory_db.upkeep import doctor
from memory_db.upkeep.doctor import DoctorContext

NOW = datetime(2026, 11, 1, 12, 0, tzinfo=UTC)
SONNET, HAIKU = "claude-sonnet-4-5-20250929", "claude-haiku-4-5-20251001"
DAY = "2026-05-04"
MAIN = "7d1f0a52-0000-4000-8000-0000000000b1"
FORK = "7d1f0a52-0000-4000-8000-0000000000b2"

Record = dict[str, Any]


def at(second: int) -> str:
    """A moment of the day."""
    return f"{DAY}T09:{second // 60:02}:{second % 60:02}.000Z"


def started(second: int) -> int:
    """The same as the client writes when it counts from."""
    return int(datetime.fromisoformat(at(second)).timestamp() * 1000)


def call(second: int, number: int, output: int, *, model: str = SONNET) -> Record:
    """An answer with its usage."""
    usage = {"input_tokens": 10, "output_tokens": output, "cache_read_input_tokens": 100,
             "cache_creation_input_tokens": 7, "cache_creation": {"ephemeral_1h_input_tokens": 3}}  # fmt: skip
    message = {"role": "assistant", "id": f"msg_{number}", "model": model, "content": "Woven.", "usage": usage}
    return {"type": "assistant", "uuid": f"u{number}", "requestId": "r", "timestamp": at(second), "message": message}


def compacted(second: int) -> Record:
    """Where a conversation was compacted."""
    return {"type": "system", "subtype": "compact_boundary", "uuid": f"c{second}", "timestamp": at(second),
            "content": "Conversation compacted", "compactMetadata": {"trigger": "manual"}}  # fmt: skip


def totals(since: int, *outputs: int, model: str = SONNET, **more: object) -> Record:
    """What the client says when these calls were made, each of so many tokens of output."""
    calls = len(outputs)
    usage = {"inputTokens": 10 * calls, "outputTokens": sum(outputs), "cacheReadInputTokens": 100 * calls,
             "cacheCreationInputTokens": 7 * calls, "cacheCreationEphemeral5mInputTokens": 4 * calls,
             "cacheCreationEphemeral1hInputTokens": 3 * calls, "costUSD": 0.5}  # fmt: skip
    return {"type": "cost-state", "startTime": started(since), "modelUsage": {model: usage}, **more}


def put(folder: Path, session: str, records: list[Record], *, agent: str = "") -> None:
    """A transcript of these records."""
    path = folder / "p" / f"{session}/subagents/agent-{agent}.jsonl" if agent else folder / "p" / f"{session}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps({**each, "sessionId": session, **({"agentId": agent} if agent else {})}) for each in records]
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")


def made_up(db: sqlite3.Connection) -> list[tuple[Any, ...]]:
    """The calls that only the totals tell of: session, model, tokens, the entry, when."""
    return [
        tuple(row)
        for row in db.execute(
            "select s.uid, c.model, c.input_tokens, c.output_tokens, c.cache_write_5m_tokens, c.cache_write_1h_tokens,"
            " c.cache_read_tokens, e.uid, c.created_at from api_calls c join sessions s on s.id = c.session_id"
            " left join entries e on e.id = c.entry_id where c.request_uid = 'cost-state' order by c.created_at, s.uid"
        )
    ]


def uncounted(db: sqlite3.Connection) -> int:
    found: int = db.execute("select count(*) from uncounted_compactions").fetchone()[0]
    return found


COMPACTION = (MAIN, SONNET, 10, 40, 4, 3, 100, "c30", at(30))
"""The call of forty tokens that compacts at second 30."""


def test_the_call_that_compacts_is_counted_where_it_was_made(db: sqlite3.Connection, tmp_path: Path) -> None:
    put(tmp_path, MAIN, [call(1, 1, 5), totals(0, 5), compacted(30), totals(0, 5, 40), call(60, 2, 6)])
    import_claude_code(db, [tmp_path], now=NOW)
    assert made_up(db) == [COMPACTION]
    assert uncounted(db) == 0
    import_claude_code(db, [tmp_path], now=NOW)
    assert made_up(db) == [COMPACTION]


@pytest.mark.parametrize("first", ["main", "subagent"])
def test_a_subagent_is_part_of_its_sessions_totals(db: sqlite3.Connection, tmp_path: Path, first: str) -> None:
    main = [call(1, 1, 5), compacted(30), totals(0, 5, 9, 40)]
    for name in (first, "main", "subagent"):
        if name == "main":
            put(tmp_path, MAIN, main)
        else:
            put(tmp_path, MAIN, [call(9, 7, 9)], agent="ab12")
        import_claude_code(db, [tmp_path], now=NOW)
    assert made_up(db) == [COMPACTION]


@pytest.mark.parametrize("last", [50, 90])
def test_a_fork_goes_on_with_the_totals_of_its_original(db: sqlite3.Connection, tmp_path: Path, last: int) -> None:
    """Whichever of the two goes on longer, and is so taken for the fork: what they share is counted once."""
    shared = [call(1, 1, 5), compacted(30)]
    put(tmp_path, MAIN, [*shared, totals(0, 5, 40), call(last, 3, 8), totals(0, 5, 40, 8)])
    put(tmp_path, FORK, [*shared, call(60, 2, 6), totals(0, 5, 40, 6), compacted(70), totals(0, 5, 40, 6, 50)])
    import_claude_code(db, [tmp_path], now=NOW)
    (owner, *compaction), *rest = made_up(db)
    assert (owner, compaction) == (MAIN if last < 70 else FORK, list(COMPACTION[1:]))
    assert rest == [(FORK, SONNET, 10, 50, 4, 3, 100, "c70", at(70))]


def test_what_an_earlier_client_used_is_in_no_totals(db: sqlite3.Connection, tmp_path: Path) -> None:
    put(tmp_path, MAIN, [call(1, 1, 5), compacted(2), call(20, 2, 6), compacted(30), totals(10, 6, 40)])
    import_claude_code(db, [tmp_path], now=NOW)
    assert made_up(db) == [COMPACTION]


@pytest.mark.parametrize("name", [f"{SONNET}[1m]", "claude-sonnet-4-5", "claude-sonnet-4-5[1m]"])
def test_a_model_is_the_same_by_any_of_its_names(db: sqlite3.Connection, tmp_path: Path, name: str) -> None:
    put(tmp_path, MAIN, [call(1, 1, 5), compacted(30), totals(0, 5, 40, model=name)])
    import_claude_code(db, [tmp_path], now=NOW)
    assert made_up(db) == [COMPACTION]


@pytest.mark.parametrize(
    "said",
    [
        totals(0, 5, 40, model=HAIKU),
        totals(0, 5, 40, startTime=None),
        totals(0, 5, 40, modelUsage=[]),
        totals(0, 5, 40, modelUsage={SONNET: {"inputTokens": -1, "outputTokens": "many"}}),
        totals(0, 5, 40, modelUsage={SONNET: None}),
    ],
)
def test_nothing_is_made_up_of_totals_that_cannot_be_set_against_the_calls(
    db: sqlite3.Connection, tmp_path: Path, said: Record
) -> None:
    put(tmp_path, MAIN, [call(1, 1, 5), compacted(30), said])
    counts = import_claude_code(db, [tmp_path], now=NOW)
    assert (made_up(db), counts.lines_unreadable) == ([], 0)
    assert uncounted(db) == 1


def test_totals_of_a_long_session_are_no_mistake(db: sqlite3.Connection, tmp_path: Path) -> None:
    usage = {"inputTokens": 10, "outputTokens": 45, "cacheReadInputTokens": 900_000_100}
    read = {"input_tokens": 10, "output_tokens": 5, "cache_read_input_tokens": 90_000_000}
    calls = [call(second, second, 5) for second in range(1, 11)]
    for each in calls:
        each["message"]["usage"] = read
    usage |= {"inputTokens": 110, "outputTokens": 90}
    put(tmp_path, MAIN, [*calls, compacted(30), totals(0, modelUsage={SONNET: usage})])
    import_claude_code(db, [tmp_path], now=NOW)
    assert made_up(db) == [(MAIN, SONNET, 10, 40, 0, 0, 100, "c30", at(30))]


def test_a_compaction_without_totals_is_told_as_missing(db: sqlite3.Connection, db_path: Path, tmp_path: Path) -> None:
    put(tmp_path, MAIN, [call(1, 1, 5), compacted(30), call(60, 2, 6)])
    import_claude_code(db, [tmp_path], now=NOW)
    assert uncounted(db) == 1
    said = [line.what for line in doctor.money(DoctorContext(db_path, db, NOW, ()))]
    assert [line for line in said if line.startswith("The cost of 1 compaction is in no sum")]


# ------------------------------------------------------------------- any day, any split

steps = st.lists(st.sampled_from(["call", "subagent", "compact", "totals"]), max_size=12)


@pytest.mark.slow
@given(steps, st.integers(0, 12), st.booleans())
@settings(max_examples=40)
def test_all_calls_of_any_day_add_up_to_the_last_totals(day: list[str], cut: int, subagent_first: bool) -> None:
    main: list[Record] = []
    agent: list[Record] = []
    outputs: list[int] = []
    until_totals = 0
    for number, step in enumerate([*day, "totals"], 1):
        if step == "totals":
            main.append(totals(0, *outputs))
            until_totals = sum(outputs)
        elif step == "compact":
            main.append(compacted(number))
            outputs.append(1000 * number)
        else:
            (main if step == "call" else agent).append(call(number, number, number))
            if step == "subagent":
                main.append({"type": "user", "uuid": f"p{number}", "timestamp": at(number), "message": "Go on."})
            outputs.append(number)
    with tempfile.TemporaryDirectory() as folder, closing(open_database(Path(folder) / "m.db", now=NOW)) as db:
        projects = Path(folder) / "projects"
        for end in (cut, len(main)):
            if subagent_first or end == len(main):
                put(projects, MAIN, agent, agent="ab12")
            put(projects, MAIN, main[:end])
            import_claude_code(db, [projects], now=NOW)
        assert db.execute("select coalesce(sum(output_tokens), 0) from api_calls").fetchone()[0] == until_totals
        compactions = [row[8] for row in made_up(db)]
        assert compactions == sorted(set(compactions))
        assert uncounted(db) == 0
