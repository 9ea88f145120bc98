"""The sample's day: transcripts that grow as an agent's do, hooks asked where the agent asks them."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

from memory_db.sample import live
from memory_db.text.names.citations import uids_in

Call = tuple[str, dict[str, Any], datetime]


def played(folder: Path, brief: str = "", **options: Any) -> tuple[list[Call], list[Path]]:
    """What hooks were asked on that day, and the transcripts."""
    calls: list[Call] = []

    def hook(name: str, payload: dict[str, Any], at: datetime) -> str:
        calls.append((name, payload, at))
        return brief if name == "user-prompt" else ""

    return calls, [live.play(dialogue, folder, hook, **options) for dialogue in live.day_sessions()]


def records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_hooks_are_asked_at_each_event_with_what_the_agent_says(tmp_path: Path) -> None:
    calls, (morning, evening) = played(tmp_path)
    asked = Counter((payload["session_id"], name) for name, payload, _ in calls)
    assert asked[morning.stem, "user-prompt"] == asked[morning.stem, "stop"] == 20
    assert asked[evening.stem, "user-prompt"] == asked[evening.stem, "stop"] == 4
    for path in (morning, evening):
        assert asked[path.stem, "session-start"] == asked[path.stem, "session-end"] == 1
    assert all(payload["hook_event_name"] == live.EVENTS[name] for name, payload, _ in calls)
    assert all(payload["transcript_path"].endswith(f"{payload['session_id']}.jsonl") for _, payload, _ in calls)
    prompts = [payload["prompt"] for name, payload, _ in calls if name == "user-prompt"]
    assert prompts[1] == "ok" and "/mem:review" in prompts and len(set(prompts)) == len(prompts)


def test_a_transcript_is_the_same_bytes_each_time_and_keeps_what_hooks_gave(tmp_path: Path) -> None:
    _, silent = played(tmp_path / "silent")
    _, again = played(tmp_path / "again")
    assert [path.read_bytes() for path in silent] == [path.read_bytes() for path in again]
    _, found = played(tmp_path / "told", brief="<memory-brief>\n- x\n</memory-brief>")
    given = [each["attachment"]["content"] for each in records(found[0]) if each["type"] == "attachment"]
    assert given == [["<memory-brief>\n- x\n</memory-brief>"]] * 20


def test_times_are_the_clocks_where_there_is_one(tmp_path: Path) -> None:
    start = datetime(2030, 1, 1, tzinfo=UTC)
    calls, paths = played(tmp_path, clock=lambda: start)
    stamps = [record["timestamp"] for record in records(paths[0]) if "uuid" in record]
    assert all(earlier <= later for earlier, later in pairwise(stamps))
    assert all(start <= at < start + timedelta(seconds=1) for _, _, at in calls)


def test_every_memory_that_the_day_names_was_shown_on_it(sample_db: sqlite3.Connection) -> None:
    said = "\n".join(path.read_text("utf-8") for path in Path(live.__file__).with_name("day").glob("*.yaml"))
    named = uids_in(said)
    shown = {row[0] for row in sample_db.execute(SHOWN)}
    assert named and set(named) <= shown


SHOWN = """
select m.uid from hits h join memory_versions v on v.id = h.memory_version_id join memories m on m.id = v.memory_id
where h.rank is not null
"""
