"""An import is incremental, survives being killed, and loses no line."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_db.errors import SourceError
from memory_db.sample.build import write_history
from memory_db.store.schema import open_database
from memory_db.transcripts.importer import ReadLimits, find_transcripts, import_claude_code
from memory_db.transcripts.lines import TIMESTAMP
from tests.support.transcript_rows import assistant, everything, rows, user, write_jsonl

NOW = datetime(2026, 11, 1, 12, 0, tzinfo=UTC)
SMALL = ReadLimits(line_bytes=2000, batch_bytes=600, batch_lines=3)
PROPERTY = settings(max_examples=25)


class Killed(BaseException):
    """What a test raises in place of a signal."""


@contextmanager
def fresh() -> Iterator[tuple[sqlite3.Connection, Path]]:
    """A database and a folder of transcripts."""
    with tempfile.TemporaryDirectory() as folder:
        db = open_database(Path(folder) / "memory.db", now=NOW)
        try:
            (Path(folder) / "projects" / "p").mkdir(parents=True)
            yield db, Path(folder) / "projects"
        finally:
            db.close()


def put(path: Path, data: bytes) -> None:
    """A file that always has the same time, so that records without one are the same in every test."""
    path.write_bytes(data)
    os.utime(path, (1_777_777_777, 1_777_777_777))


def states(db: sqlite3.Connection) -> dict[str, tuple[str, str | None]]:
    """The state of each source, by name."""
    return {Path(row["path"]).name: (row["state"], row["state_reason"]) for row in db.execute("select * from sources")}


@pytest.mark.slow
def test_a_second_run_changes_nothing(db: sqlite3.Connection, tmp_path: Path) -> None:
    paths = write_history(tmp_path / "projects")
    first = import_claude_code(db, [tmp_path / "projects"], now=NOW)
    before = everything(db)
    second = import_claude_code(db, [tmp_path / "projects"], now=datetime(2027, 1, 1, tzinfo=UTC))
    assert everything(db) == before
    assert (first.files_read, second.files_unchanged) == (len(paths), len(paths))
    assert second.entries_added == second.lines == 0


@pytest.mark.slow
def test_the_sample_history(db: sqlite3.Connection, tmp_path: Path) -> None:
    write_history(tmp_path / "projects")
    counts = import_claude_code(db, [tmp_path / "projects"], now=NOW)
    assert counts.lines == counts.entries_added + counts.entries_known + counts.lines_skipped + counts.lines_unreadable
    linked = db.execute("select count(*) from sessions where continued_from_id is not null").fetchone()[0]
    assert linked == 2
    assert db.execute("select count(*) from actions where result_entry_id is null").fetchone()[0] == 0
    assert db.execute("select count(*) from sessions where project_id is null").fetchone()[0] == 0
    assert [row[0] for row in db.execute("pragma foreign_key_check")] == []
    db.execute("insert into entry_fts(entry_fts) values ('integrity-check')")


def test_a_grown_file_gives_only_what_is_new(db: sqlite3.Connection, tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "p" / "s1.jsonl", [user("a", "one")])
    import_claude_code(db, [tmp_path], now=NOW)
    with path.open("a") as handle:
        handle.write(json.dumps(assistant("b", "two")) + "\n")
    counts = import_claude_code(db, [tmp_path], now=NOW)
    assert (counts.lines, counts.entries_added, counts.entries_known) == (1, 1, 0)
    assert [row["position"] for row in rows(db, "entries")["entries"]] == [1, 2]


def test_a_cut_last_line_waits(db: sqlite3.Connection, tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "p" / "s1.jsonl", [user("a", "one")])
    line = json.dumps(user("b", "two"))
    with path.open("a") as handle:
        handle.write(line[:40])
    counts = import_claude_code(db, [tmp_path], now=NOW)
    assert (counts.entries_added, states(db)["s1.jsonl"]) == (1, ("partial", "the last line is not finished"))
    before = everything(db)
    assert import_claude_code(db, [tmp_path], now=NOW).files_unchanged == 1
    assert everything(db) == before
    with path.open("a") as handle:
        handle.write(line[40:] + "\n")
    counts = import_claude_code(db, [tmp_path], now=NOW)
    assert (counts.entries_added, counts.problems, states(db)["s1.jsonl"]) == (1, 0, ("read", None))


def test_a_whole_last_line_without_its_end_is_taken(db: sqlite3.Connection, tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "p" / "s1.jsonl", [user("a", "one")])
    with path.open("a") as handle:
        handle.write(json.dumps(user("b", "two")))
    assert import_claude_code(db, [tmp_path], now=NOW).entries_added == 2
    with path.open("a") as handle:
        handle.write("\r\n" + json.dumps(user("c", "three")) + "\n")
    assert import_claude_code(db, [tmp_path], now=NOW).entries_added == 1
    assert [row["position"] for row in rows(db, "entries")["entries"]] == [1, 2, 3]


@pytest.mark.parametrize("kept", [0, 1])
def test_a_rewritten_file_is_read_again(db: sqlite3.Connection, tmp_path: Path, kept: int) -> None:
    records = [user("a", "one"), user("b", "two"), user("c", "three")]
    path = write_jsonl(tmp_path / "p" / "s1.jsonl", records)
    import_claude_code(db, [tmp_path], now=NOW)
    write_jsonl(path, [*records[:kept], user("d", "four"), user("e", "five, which is longer than all that was there")])
    counts = import_claude_code(db, [tmp_path], now=NOW)
    assert (counts.files_rewritten, counts.entries_added, counts.entries_known) == (1, 2, kept)
    assert {row["uid"] for row in rows(db, "entries")["entries"]} == {"a", "b", "c", "d", "e"}
    assert rows(db, "problems")["problems"][0]["reason"].startswith("rewritten: ")
    assert import_claude_code(db, [tmp_path], now=NOW).files_rewritten == 0


def test_a_touched_file_is_not_read_again(db: sqlite3.Connection, tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "p" / "s1.jsonl", [user("a", "one")])
    import_claude_code(db, [tmp_path], now=NOW)
    os.utime(path, (1, 1))
    counts = import_claude_code(db, [tmp_path], now=NOW)
    assert (counts.lines, counts.files_rewritten) == (0, 0)


def test_missing_and_unreadable_files(db: sqlite3.Connection, tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "p" / "s1.jsonl", [user("a", "one")])
    other = write_jsonl(tmp_path.parent / f"{tmp_path.name}-other" / "p" / "s2.jsonl", [user("b", "two", "s2")])
    (tmp_path / "p" / "deep" / "er").mkdir(parents=True)
    (tmp_path / "p" / "deep" / "er" / "x.jsonl").write_text("{}")
    (tmp_path / "p" / "export.json").write_text("{}")
    (tmp_path / "p" / "gone.jsonl").symlink_to(tmp_path / "nowhere")
    (tmp_path / "p" / "folder.jsonl").mkdir()
    import_claude_code(db, [tmp_path, other.parents[1]], now=NOW)
    path.unlink()
    counts = import_claude_code(db, [tmp_path], now=NOW)
    assert counts.files_missing == 1
    found = states(db)
    assert found["s1.jsonl"][0] == "missing"
    assert found["s2.jsonl"][0] == "read"
    assert {name for name, (state, _) in found.items() if state == "unreadable"} == {
        "x.jsonl", "export.json", "gone.jsonl", "folder.jsonl",
    }  # fmt: skip
    before = everything(db)
    assert import_claude_code(db, [tmp_path], now=NOW).files_missing == 0
    assert everything(db) == before
    write_jsonl(path, [user("a", "one")])
    import_claude_code(db, [tmp_path], now=NOW)
    assert states(db)["s1.jsonl"][0] == "read"
    assert db.execute("select count(*) from entries").fetchone()[0] == 2


def test_a_folder_that_is_not_there(db: sqlite3.Connection, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="No folder"):
        import_claude_code(db, [tmp_path / "none"], now=NOW)


def test_subagents_in_both_layouts(db: sqlite3.Connection, tmp_path: Path) -> None:
    write_jsonl(tmp_path / "p" / "s1.jsonl", [user("a", "ask", cwd="/w/x")])
    side = {"isSidechain": True}
    write_jsonl(tmp_path / "p" / "s1" / "subagents" / "agent-aa11.jsonl", [user("b", "new", agentId="aa11", **side)])
    write_jsonl(tmp_path / "p" / "agent-bb22.jsonl", [user("c", "old", **side)])
    assert len(find_transcripts([tmp_path])) == 3
    import_claude_code(db, [tmp_path], now=NOW)
    found = {row["uid"]: row for row in rows(db, "sessions")["sessions"]}
    assert set(found) == {"s1", "s1/aa11", "s1/bb22"}
    assert found["s1/aa11"]["parent"] == found["s1/bb22"]["parent"] == "s1"
    assert found["s1/aa11"]["project"] == "/w/x"


def test_an_agent_without_a_session_has_one_below_the_last_named_also_where_reading_goes_on(
    db: sqlite3.Connection, tmp_path: Path
) -> None:
    path = tmp_path / "p" / "s0.jsonl"
    stray = {name: value for name, value in user("b", "aside").items() if name != "sessionId"}
    records = [user("a", "ask", "s1", cwd="/w/x"), {**stray, "isSidechain": True, "agentId": "g1", "cwd": "/w/x"}]
    for known in (1, 2):
        write_jsonl(path, records[:known])
        import_claude_code(db, [tmp_path], now=NOW)
    parts = rows(db, "sessions", "entries")
    assert [(row["uid"], row["parent"], row["agent"]) for row in parts["sessions"]] == [
        ("s1", None, None), ("s1/g1", "s1", "g1")]  # fmt: skip
    with fresh() as (whole, folder):
        write_jsonl(folder / "p" / "s0.jsonl", records)
        import_claude_code(whole, [folder], now=NOW)
        assert rows(whole, "sessions", "entries") == parts


def test_a_resumed_session_shares_entries(db: sqlite3.Connection, tmp_path: Path) -> None:
    calls = [{"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "make"}}]
    answer = [{"type": "tool_result", "tool_use_id": "t1", "content": "made"}]
    old = [user("a", "one", "first"), assistant("b", calls, "first")]
    copy = [{**record, "sessionId": "again"} for record in old]
    later = {"timestamp": "2026-03-02T10:00:00.000Z"}
    write_jsonl(tmp_path / "p" / "zzz.jsonl", old)
    write_jsonl(tmp_path / "p" / "aaa.jsonl", [*copy, user("c", answer, "again", **later)])
    counts = import_claude_code(db, [tmp_path], now=NOW)
    assert (counts.entries_added, counts.entries_known) == (3, 2)
    found = {row["uid"]: row for row in rows(db, "sessions")["sessions"]}
    assert (found["again"]["continued_from"], found["first"]["continued_from"]) == ("first", None)
    assert [row["entry"] for row in rows(db, "shared")["shared"]] == ["a", "b"]
    action = rows(db, "actions")["actions"][0]
    assert (action["session"], action["result"], action["excerpt"]) == ("first", "c", "made")


def test_a_fork_says_where_it_comes_from(db: sqlite3.Connection, tmp_path: Path) -> None:
    fork = {"forkedFrom": {"sessionId": "first", "messageUuid": "a"}}
    write_jsonl(tmp_path / "p" / "aaa.jsonl", [user("a", "one", "fork", **fork)])
    write_jsonl(tmp_path / "p" / "zzz.jsonl", [user("a", "one", "first"), user("b", "two", "first")])
    import_claude_code(db, [tmp_path], now=NOW)
    assert {row["uid"]: row["session"] for row in rows(db, "entries")["entries"]} == {"a": "first", "b": "first"}
    assert rows(db, "sessions")["sessions"][1]["continued_from"] == "first"


def test_the_same_uid_with_other_words_is_another_entry(db: sqlite3.Connection, tmp_path: Path) -> None:
    write_jsonl(tmp_path / "p" / "s1.jsonl", [user("m", "one", "s1"), user("m", "two", "s1"), user("m", "three", "s1")])
    write_jsonl(tmp_path / "p" / "s2.jsonl", [user("m", "four", "s2"), user("m", "one", "s2")])
    import_claude_code(db, [tmp_path], now=NOW)
    found = {row["uid"]: row["text"] for row in rows(db, "entries")["entries"]}
    assert (found["m"], found["m@s1"], found["m@s2"]) == ("one", "two", "four")
    assert sorted(found.values()) == ["four", "one", "three", "two"]
    before = everything(db)
    db.execute("update sources set read_bytes = 0, read_lines = 0, head_hash = null, cursor = null, size_bytes = 0")
    assert import_claude_code(db, [tmp_path], now=NOW).entries_added == 0
    assert everything(db)["entries"] == before["entries"]


def test_lines_too_long_are_passed_over(db: sqlite3.Connection, tmp_path: Path) -> None:
    write_jsonl(tmp_path / "p" / "s1.jsonl", [user("a", "x" * 9000), user("b", "short"), user("c", "y" * 5000)])
    counts = import_claude_code(db, [tmp_path], now=NOW, limits=SMALL)
    assert (counts.entries_added, counts.lines_unreadable) == (1, 2)
    problems = rows(db, "problems")["problems"]
    assert [row["line"] for row in problems] == [1, 3]
    assert "longer than what is read" in problems[0]["reason"]


@pytest.mark.slow
def test_a_line_of_20_megabytes(db: sqlite3.Connection, tmp_path: Path) -> None:
    write_jsonl(tmp_path / "p" / "s1.jsonl", [user("a", "word " * 4_000_000), user("b", "short")])
    counts = import_claude_code(db, [tmp_path], now=NOW)
    assert (counts.entries_added, counts.problems) == (2, 0)


def test_invalid_bytes_are_replaced_and_said(db: sqlite3.Connection, tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    line = json.dumps(user("a", "caf\u00e9 ol\u00e9"), ensure_ascii=False).encode("latin-1")
    (tmp_path / "p" / "s1.jsonl").write_bytes(b"\xef\xbb\xbf{}\n" + line + b"\n\x80\xff\n")
    counts = import_claude_code(db, [tmp_path], now=NOW)
    assert rows(db, "entries")["entries"][0]["text"] == "caf\ufffd ol\ufffd"
    assert "invalid UTF-8" in rows(db, "problems")["problems"][1]["reason"]
    assert (counts.entries_added, counts.lines_unreadable) == (1, 2)


def test_order_of_timestamps() -> None:
    assert TIMESTAMP.search(b'{"timestamp" : "2026-01-01T00:00:00Z"}')


scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip
uids = st.sampled_from(["u1", "u2", "u3", "u4", "u5"])
call_ids = st.sampled_from(["t1", "t2", "t3"])
blocks = st.one_of(
    st.builds(lambda text: {"type": "text", "text": text}, st.text(max_size=20) | scalars),
    st.builds(lambda uid, value: {"type": "tool_use", "id": uid, "name": "Bash", "input": value}, call_ids, values),
    st.builds(lambda uid, value, bad: {"type": "tool_result", "tool_use_id": uid, "content": value, "is_error": bad},
              call_ids, values, scalars),
    st.just({"type": "image", "source": {"type": "base64", "data": "aGk="}}),
    values,
)  # fmt: skip
usages = st.fixed_dictionaries({"output_tokens": scalars | st.integers(0, 50), "input_tokens": st.integers(0, 9)})
messages = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant"]), "content": st.lists(blocks, max_size=3) | values},
    optional={"id": st.sampled_from(["m1", "m2"]), "model": st.sampled_from(["claude-x", "<synthetic>"]) | scalars,
              "usage": usages | values},
)  # fmt: skip
types = st.sampled_from(["user", "assistant", "system", "summary", "attachment", "queue-operation", "ai-title",
                         "custom-title", "progress", "other"])  # fmt: skip
records = st.fixed_dictionaries(
    {"type": types | scalars},
    optional={
        "uuid": uids | scalars,
        "sessionId": st.sampled_from(["s1", "s2"]) | scalars,
        "timestamp": st.sampled_from(["2026-03-01T10:00:00.000Z", "2026-03-01T11:00:00+01:00"]) | scalars,
        "message": messages | values,
        "content": values,
        "summary": values,
        "aiTitle": st.text(max_size=8),
        "customTitle": st.text(max_size=8),
        "attachment": values,
        "isSidechain": st.booleans(),
        "agentId": st.sampled_from(["g1", "g2"]),
        "cwd": st.sampled_from(["/w/x", "/w/x/sub", "/tmp", ""]) | scalars,
        "forkedFrom": values,
        "toolUseResult": values,
    },
)
garbage = st.binary(max_size=20).map(lambda data: b"!" + data.replace(b"\n", b""))
lines = st.one_of(
    records.map(lambda record: json.dumps(record).encode()),
    values.map(lambda value: json.dumps(value).encode()),
    garbage,
    st.just(b""),
)
transcripts = st.lists(lines, max_size=12).map(lambda found: b"".join(line + b"\n" for line in found))


@given(transcripts)
@PROPERTY
@pytest.mark.slow
def test_any_lines_are_accounted_for(data: bytes) -> None:
    with fresh() as (db, folder):
        put(folder / "p" / "s1.jsonl", data)
        counts = import_claude_code(db, [folder], now=NOW, limits=SMALL)
        parts = (counts.entries_added, counts.entries_known, counts.lines_skipped, counts.lines_unreadable)
        assert sum(parts) == counts.lines == data.count(b"\n")
        assert db.execute("select count(distinct line) from source_problems").fetchone()[0] >= counts.lines_unreadable
        assert db.execute("select count(*) from entries").fetchone()[0] == counts.entries_added
        assert db.execute("pragma foreign_key_check").fetchall() == []
        assert db.execute("select count(*) from actions where not json_valid(input)").fetchone()[0] == 0
        before = everything(db)
        import_claude_code(db, [folder], now=NOW, limits=SMALL)
        assert everything(db) == before


@pytest.mark.slow
@given(transcripts, st.data())
@PROPERTY
def test_a_file_in_two_parts_is_the_same_file(data: bytes, choice: st.DataObject) -> None:
    cut = choice.draw(st.integers(0, len(data)))
    with fresh() as (whole, folder):
        put(folder / "p" / "s1.jsonl", data)
        import_claude_code(whole, [folder], now=NOW)
        expected = rows(whole)
    with fresh() as (parts, folder):
        for end in (cut, len(data)):
            put(folder / "p" / "s1.jsonl", data[:end])
            import_claude_code(parts, [folder], now=NOW, limits=SMALL)
        found = rows(parts)
    for result in (expected, found):  # how far a line end was read is no content
        for row in result["sources"]:
            row.pop("read_bytes")
    assert found == expected


@pytest.mark.slow
@given(st.lists(transcripts, min_size=1, max_size=3), st.lists(st.integers(1, 4), max_size=4))
@PROPERTY
def test_a_killed_import_goes_on_where_it_was(files: list[bytes], kills: list[int]) -> None:
    def fill(folder: Path) -> None:
        for number, data in enumerate(files):
            put(folder / "p" / f"s{number}.jsonl", data)

    with fresh() as (clean, folder):
        fill(folder)
        import_claude_code(clean, [folder], now=NOW, limits=SMALL)
        expected = rows(clean)
    with fresh() as (killed, folder):
        fill(folder)
        for after in kills:
            steps = iter(range(after))

            def progress(what: str, done: int, total: int | None, steps: Iterator[int] = steps) -> None:
                if next(steps, None) is None:
                    raise Killed

            try:
                import_claude_code(killed, [folder], now=NOW, limits=SMALL, progress=progress)
            except Killed:
                continue
        import_claude_code(killed, [folder], now=NOW, limits=SMALL)
        assert rows(killed) == expected


@pytest.mark.slow
def test_a_kill_within_a_transaction_leaves_nothing_of_it(tmp_path: Path) -> None:
    write_history(tmp_path / "projects")
    clean = open_database(tmp_path / "clean.db", now=NOW)
    import_claude_code(clean, [tmp_path / "projects"], now=NOW)
    killed = open_database(tmp_path / "killed.db", now=NOW)
    for steps in (60, 400, 1500):
        left = [steps]

        def stop(left: list[int] = left) -> int:
            left[0] -= 1
            return int(left[0] < 0)

        killed.set_progress_handler(stop, 100)
        with pytest.raises(sqlite3.OperationalError, match="interrupted"):
            import_claude_code(killed, [tmp_path / "projects"], now=NOW, limits=SMALL)
        killed.set_progress_handler(None, 0)
    import_claude_code(killed, [tmp_path / "projects"], now=NOW, limits=SMALL)
    found = rows(killed)
    assert found == rows(clean)
    clean.close()
    killed.close()


def test_shared_data_is_taken_without_a_word_lost(db: sqlite3.Connection, tmp_path: Path) -> None:
    data = Path(__file__).parents[1] / "data" / "transcripts"
    shutil.copytree(data, tmp_path / "projects" / "sample")
    counts = import_claude_code(db, [tmp_path / "projects"], now=NOW)
    golden = len(list(data.glob("*.json")))
    assert counts.files_unreadable == golden
    assert counts.files_read == len(list(data.glob("*.jsonl")))
    unreadable: list[Any] = [state for state in states(db).values() if state[0] == "unreadable"]
    assert {reason for _, reason in unreadable} == {"a JSON file, not a transcript of JSON lines"}
