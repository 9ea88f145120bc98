"""Who only reads answers first and logs later: where another process writes, and on files of earlier schemas."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from memory_db.agents.claude_code.plugin import HOOK_TIMEOUT_S
from memory_db.cli import cli
from memory_db.hooks import clock as hook_clock
from memory_db.hooks import run as hooks
from memory_db.hooks.command_rules import add_rule
from memory_db.recall.brief import spool
from memory_db.store.connection import SCHEMA_VERSION
from memory_db.store.schema import open_database
from memory_db.store.spool_line import NOT_KEPT, SPOOL_BYTES, spool_answered
from tests.support.hook_process import SCRIPT, answered

FOLDER = "/home/sam/code/tidepool"
PATTERN = "git push --force*"
SECRET = "ghp_" + "a1B2c3D4" * 5
UID = re.compile(r'recall=\\?"(r[0-9a-f]{8})')
OLD_FILES = sorted((Path(__file__).parents[1] / "data").glob("schema*/*.db*"))

PAYLOADS: dict[str, dict[str, object]] = {
    "user-prompt": {"prompt": "how do we build an index on readings?"},
    "session-start": {"source": "startup"},
    "pre-tool-use": {"tool_name": "Bash", "tool_input": {"command": "git push --force origin"}},
}


@pytest.fixture
def sample_path(sample_file: Path, tmp_path: Path, now: datetime) -> Path:
    """A copy of the sample in which no hook has run, and a locked memory forbids a command."""
    path = Path(shutil.copy(sample_file, tmp_path / "sample.db"))
    with closing(open_database(path, now=now)) as db:
        db.execute("delete from hook_runs")
        db.execute("update recalls set surface = 'cli'")
        uid = db.execute("select uid from memories where lock_level = 'user' and status = 'active'").fetchone()[0]
        db.execute("update memories set scope = 'user', project_id = null where uid = ?", [uid])
        add_rule(db, uid, PATTERN, decision="deny", by="user", now=now)
    return path


@pytest.fixture
def locked(sample_path: Path) -> Iterator[sqlite3.Connection]:
    """Another process's transaction, as far as anybody else can tell."""
    with closing(sqlite3.connect(sample_path, isolation_level=None)) as other:
        other.execute("begin immediate")
        yield other


def payload(hook: str, **more: object) -> bytes:
    return json.dumps({"session_id": f"s-{hook}", "cwd": FOLDER, **PAYLOADS[hook], **more}).encode()


def run(path: Path, hook: str, content: bytes) -> str:
    return answered(hook, path, content).decode()


def respond(path: Path, hook: str, **more: object) -> tuple[dict[str, str], bool]:
    """The answer of a hook in this process, which starts no worker; and whether one would be started."""
    asked = hooks.HookRun(str(path), datetime.now(UTC), time.perf_counter(), hook, deadline_ms=30_000)
    text, starts_work = hooks.respond(asked, payload(hook, **more), is_own=False)
    asked.db and asked.db.close()
    return (json.loads(text)["hookSpecificOutput"] if text else {}), starts_work


def lines(path: Path) -> list[dict[str, object]]:
    file = Path(f"{path}.spool.jsonl")
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()] if file.exists() else []


def taken_in(path: Path) -> sqlite3.Connection:
    """A connection to the file once it is migrated and its spool taken in."""
    db = open_database(path, now=datetime.now(UTC))
    spool.take_in(db, path, now=datetime.now(UTC))
    return db


@pytest.mark.slow
def test_hooks_answer_while_another_process_writes(sample_path: Path, locked: sqlite3.Connection) -> None:
    found = {hook: run(sample_path, hook, payload(hook)) for hook in PAYLOADS}
    locked.rollback()
    assert all(found.values())
    assert json.loads(found["pre-tool-use"])["hookSpecificOutput"]["permissionDecision"] == "deny"
    uids = {hook: UID.search(found[hook])[1] for hook in ("user-prompt", "session-start")}  # type: ignore[index]
    assert [line["outcome"] for line in lines(sample_path)] == ["shown", "shown", "denied"]
    with closing(taken_in(sample_path)) as db:
        rows = db.execute(
            "select h.hook, h.outcome, h.session_uid, r.uid, r.shown_text, r.surface, h.shown_tokens = r.shown_tokens,"
            " (select count(*) from hits where recall_id = r.id and rank > 0) from hook_runs h"
            " left join recalls r on r.id = h.recall_id order by h.id"
        ).fetchall()
        scores = db.execute(
            "select score, logged_score from recall_scores where recall_id in (select recall_id from hook_runs)"
        ).fetchall()
    assert [tuple(row[:4]) for row in rows] == [
        ("user-prompt", "shown", "s-user-prompt", uids["user-prompt"]),
        ("session-start", "shown", "s-session-start", uids["session-start"]),
        ("pre-tool-use", "denied", "s-pre-tool-use", None),
    ]
    for row in rows[:2]:
        assert row["shown_text"] == json.loads(found[row["hook"]])["hookSpecificOutput"]["additionalContext"]
        assert row[6] == 1 and row[7] > 0
    assert rows[0]["surface"] == "hook"
    assert scores and all(score == pytest.approx(logged) for score, logged in scores)


@pytest.mark.slow
def test_a_hook_at_the_end_waits_for_a_writer_longer_than_one_that_answers(sample_path: Path, tmp_path: Path) -> None:
    transcript = tmp_path / "session.jsonl"
    transcript.write_text("{}\n", "utf-8")
    left = {"session_id": "s-end", "cwd": FOLDER, "transcript_path": str(transcript), "reason": "other"}
    run = hooks.HookRun(str(sample_path), datetime.now(UTC), time.perf_counter(), "session-end", deadline_ms=30_000)
    with closing(sqlite3.connect(sample_path, isolation_level=None, check_same_thread=False)) as writer:
        writer.execute("begin immediate")
        free = threading.Timer(2 * hook_clock.BUSY_MS / 1000, writer.rollback)
        free.start()
        hooks.respond(run, json.dumps(left).encode(), is_own=False)
        free.join()
    run.db and run.db.close()
    assert (run.outcome, run.reason) == ("done", "transcript due")


def test_a_hook_at_the_end_leaves_to_the_import_what_it_cannot_write(sample_path: Path, tmp_path: Path) -> None:
    transcript = tmp_path / "session.jsonl"
    transcript.write_text("{}\n", "utf-8")
    ends = {
        "session-end": {"reason": "other", "transcript_path": str(transcript)},
        "stop": {"last_assistant_message": "As [m64d2d541] says.", "stop_hook_active": False},
    }
    with closing(sqlite3.connect(sample_path, isolation_level=None)) as writer:
        writer.execute("begin immediate")
        for hook, more in ends.items():
            run = hooks.HookRun(str(sample_path), datetime.now(UTC), time.perf_counter(), hook, deadline_ms=30_000)
            hooks.respond(run, json.dumps({"session_id": "s-end", "cwd": FOLDER} | more).encode(), is_own=False)
            run.db and run.db.close()
            assert (run.outcome, run.reason) == ("skipped", hooks.BUSY)
        writer.rollback()
    with closing(open_database(sample_path, now=datetime.now(UTC))) as db:
        spool.take_in(db, sample_path, now=datetime.now(UTC))
        assert db.execute("select count(*) from hook_runs where reason = ?", [hooks.BUSY]).fetchone()[0] == 2


@pytest.mark.slow
def test_the_recall_of_a_brief_is_found_once_the_file_is_free(sample_path: Path, locked: sqlite3.Connection) -> None:
    uid = UID.search(run(sample_path, "user-prompt", payload("user-prompt")))[1]  # type: ignore[index]
    ask = ["-d", str(sample_path), "why", uid]
    assert CliRunner().invoke(cli, ask).exit_code == 1
    assert len(lines(sample_path)) == 1  # it waits as it was
    locked.rollback()
    result = CliRunner().invoke(cli, ask)
    assert result.exit_code == 0 and "how do we build an index on readings?" in result.stdout


@pytest.mark.slow
def test_reading_commands_answer_while_another_process_writes(sample_path: Path, locked: sqlite3.Connection) -> None:
    uids = []
    for command in (["recall", "postgres port"], ["brief", "postgres port"], ["brief", "--start"]):
        result = CliRunner().invoke(cli, ["-d", str(sample_path), *command, "--json"])
        assert result.exit_code == 0, result.output
        uids.append(json.loads(result.stdout)["recall"])
    known = locked.execute("select uid from recalls limit 1").fetchone()[0]
    assert CliRunner().invoke(cli, ["-d", str(sample_path), "why", known]).exit_code == 0
    locked.rollback()
    assert len(lines(sample_path)) == 3 == len(set(uids))
    with closing(taken_in(sample_path)) as db:
        found = db.execute(f"select uid from recalls where uid in ({', '.join('?' * 3)}) order by id", uids).fetchall()
        assert [row[0] for row in found] == uids
        assert db.execute("select count(*) from hook_runs").fetchone()[0] == 0


def test_secrets_of_a_prompt_reach_no_spool(sample_path: Path, locked: sqlite3.Connection) -> None:
    assert run(sample_path, "user-prompt", payload("user-prompt", prompt=f"add an index on readings with {SECRET}"))
    assert lines(sample_path) and SECRET not in Path(f"{sample_path}.spool.jsonl").read_text()
    locked.rollback()
    with closing(taken_in(sample_path)) as db:
        assert db.execute("select count(*) from scan_findings where place like 'recall r%'").fetchone()[0] > 0
        assert not any(SECRET in row[0] for row in db.execute("select query from recalls"))


def test_a_lot_that_was_drawn_on_a_busy_file_is_kept(sample_path: Path, now: datetime) -> None:
    with closing(open_database(sample_path, now=now)) as db:
        db.execute("insert or replace into settings (name, value, changed_at) values ('holdout_share', '1', '')")
    with closing(sqlite3.connect(sample_path, isolation_level=None)) as other:
        other.execute("begin immediate")
        assert respond(sample_path, "user-prompt") == ({}, False)
        other.rollback()
    with closing(taken_in(sample_path)) as db:
        assert [tuple(row) for row in db.execute("select session_uid, is_held_out, share from holdouts")] == [
            ("s-user-prompt", 1, 1.0)
        ]


# ---------------------------------------------------------------- the spool


def spooled_recall(path: Path) -> dict[str, object]:
    """The line of a prompt's run on a busy file."""
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("begin immediate")
        respond(path, "user-prompt")
        other.rollback()
    return lines(path)[0]


def test_a_line_that_is_read_twice_is_one_recall(sample_path: Path) -> None:
    spooled_recall(sample_path)
    taken = spool.renamed(spool.spool_path(sample_path), sample_path)
    content = taken.read_bytes()
    for count in (1, 0):
        taken.write_bytes(content)
        with closing(open_database(sample_path, now=datetime.now(UTC))) as db:
            assert spool.take_in(db, sample_path, now=datetime.now(UTC)) == {"lines": count, "malformed": 0}
            assert db.execute("select count(recall_id) from hook_runs").fetchone()[0] == 1
    alone = {"at": "2026-11-01T12:00:00Z", "recall": json.loads(content)["recall"]}
    spool.spool_path(sample_path).write_text(f"{json.dumps(alone)}\n")
    with closing(open_database(sample_path, now=datetime.now(UTC))) as db:
        assert spool.take_in(db, sample_path, now=datetime.now(UTC)) == {"lines": 0, "malformed": 0}


def test_hits_that_are_gone_and_a_name_that_is_taken_lose_no_recall(sample_path: Path) -> None:
    line = spooled_recall(sample_path)
    record: dict[str, dict[str, object] | list[list[object]]] = line["recall"]  # type: ignore[assignment]
    recall, hits = record["recall"], record["hits"]
    assert isinstance(recall, dict) and isinstance(hits, list)
    with closing(open_database(sample_path, now=datetime.now(UTC))) as db:
        recall |= {"uid": db.execute("select uid from recalls").fetchone()[0], "project_id": 9_999, "session_id": 9_999}
        hits[0][:2] = [9_999, None]
        spool.spool_path(sample_path).write_text(f"{json.dumps(line)}\n")
        assert spool.take_in(db, sample_path, now=datetime.now(UTC)) == {"lines": 1, "malformed": 0}
        row = db.execute(
            "select r.uid, r.project_id, (select count(*) from hits where recall_id = r.id) from recalls r"
            " join hook_runs h on h.recall_id = r.id"
        ).fetchone()
        assert row[0] != recall["uid"] and row[1] is None and row[2] == len(hits) - 1
        assert db.execute("pragma foreign_key_check").fetchall() == []


@pytest.fixture
def whole_line(sample_path: Path) -> str:
    """The line of a prompt's run, which is not in the spool any more."""
    line = json.dumps(spooled_recall(sample_path))
    spool.spool_path(sample_path).unlink()
    return line


@given(data=st.data())
@hypothesis_settings(max_examples=30)
@pytest.mark.slow
def test_a_line_with_any_value_changed_is_stored_or_kept(
    sample_path: Path, whole_line: str, data: st.DataObject
) -> None:
    line = json.loads(whole_line)
    places: list[tuple[object, object]] = [(line, name) for name in line]
    places += [(line["recall"], name) for name in ("recall", "hits", "findings")]
    places += [(line["recall"]["recall"], name) for name in line["recall"]["recall"]]
    places += [(line["recall"]["hits"][0], number) for number in range(11)]
    holder, name = data.draw(st.sampled_from(places))
    odd = st.sampled_from([None, [], {}, "", "x", -1, 2**70, 1e308, True, [[]], ["a", "b"], "\ud800", "\0"])
    holder[name] = data.draw(odd)  # type: ignore[index]
    spool.spool_path(sample_path).write_text(f"{json.dumps(line)}\n")
    with closing(open_database(sample_path, now=datetime.now(UTC))) as db:
        before = db.execute("select count(*) from hook_runs").fetchone()[0]
        counts = spool.take_in(db, sample_path, now=datetime.now(UTC))
        assert counts["lines"] == 1 == db.execute("select count(*) from hook_runs").fetchone()[0] - before
        assert spool.waiting(sample_path) == [] and not db.in_transaction
        assert db.execute("pragma foreign_key_check").fetchall() == []


def test_where_there_is_no_room_for_a_recall_the_run_is_reported(tmp_path: Path) -> None:
    path, file = str(tmp_path / "memory.db"), tmp_path / "memory.db.spool.jsonl"
    file.write_bytes(b"x" * (SPOOL_BYTES - 500))
    values = {"at": "2026-11-01T12:00:00Z", "hook": "user-prompt", "outcome": "shown", "reason": ""}
    assert spool_answered(path, values, {"hits": ["x" * 1_000]})
    assert json.loads(file.read_bytes()[SPOOL_BYTES - 500 :])["reason"] == NOT_KEPT
    assert not spool_answered(path, {"at": values["at"]}, {"hits": ["x" * 1_000]})


# ---------------------------------------------------------------- earlier schemas


def make_older(path: Path) -> None:
    """Takes away what the newest migrations added since agents are stopped by rules: the file is as in schema 9."""
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("drop view sister_projects")
        db.execute("alter table hook_runs drop column answered_by")
        db.execute("alter table static_vectors drop column word_signs")
        for table in (
            "exports",
            "forgotten",
            "spans",
            "span_progress",
            "audit_log",
            "api_tokens",
            "review_batches",
            "skipped_records",
            "memory_tie_progress",
            "tie_progress",
            "memory_ties",
            "prompt_ties",
            "prompt_vectors",
            "recall_procedures",
            "procedure_progress",
            "procedure_actions",
            "procedures",
            "gram_progress",
            "entry_gram_fts",
            "memory_gram_fts",
            "token_signs",
            "memory_now_fts",
            "project_mentions",
        ):
            db.execute(f"drop table {table}")
        db.execute("delete from signature_blocks where sort = 'prompts'")
        for index in ("decisions_waiting", "memory_versions_recorded", "entries_summaries", "model_calls_session",
                      "candidates_run", "memories_time", "edges_standing", "edges_by_hand",
                      "entries_prompts", "evidence_withdrawn"):  # fmt: skip
            db.execute(f"drop index if exists {index}")
        ours = "_sqlite_migrations where migration_set = 'memory_db' and name"
        left = db.execute(f"select count(*) from {ours} < 'm010'").fetchone()[0]
        assert left + 12 == SCHEMA_VERSION, "take away here what a newer migration added, too"
        db.execute(f"delete from {ours} >= 'm010'")
        db.execute("pragma user_version = 9")


@pytest.mark.slow
def test_an_earlier_schema_denies_and_answers(sample_path: Path) -> None:
    make_older(sample_path)
    denied, _ = respond(sample_path, "pre-tool-use")
    assert denied["permissionDecision"] == "deny"
    shown, _ = respond(sample_path, "user-prompt")
    assert shown["additionalContext"].startswith("<memory-brief")
    began, starts_work = respond(sample_path, "session-start")
    assert starts_work and "constraints:" in began["additionalContext"]
    found = [line for line in began["additionalContext"].splitlines() if "being migrated" in line]
    assert len(found) == 1 and "schema 9" in found[0] and str(SCHEMA_VERSION) in found[0]
    with closing(sqlite3.connect(sample_path)) as db:
        assert db.execute("pragma user_version").fetchone() == (9,)  # no hook migrates
    with closing(taken_in(sample_path)) as db:
        rows = db.execute("select outcome, recall_id is not null from hook_runs order by id").fetchall()
    assert [tuple(row) for row in rows] == [("denied", 0), ("shown", 1), ("shown", 1)]


@pytest.mark.slow
@pytest.mark.parametrize("command", [["work", "--once"], ["recall", "postgres port"]])
def test_the_worker_and_commands_that_ask_migrate(sample_path: Path, command: list[str]) -> None:
    make_older(sample_path)
    ended = CliRunner().invoke(cli, ["-d", str(sample_path), *command])
    assert ended.exit_code == 0, ended.output
    with closing(sqlite3.connect(sample_path)) as db:
        assert db.execute("pragma user_version").fetchone() == (SCHEMA_VERSION,)


@pytest.mark.parametrize("recorded", OLD_FILES, ids=lambda path: path.name)
def test_hooks_answer_files_as_they_were_made(recorded: Path, tmp_path: Path) -> None:
    if recorded.suffix not in (".gz", ".db"):
        pytest.skip("no file of a schema")
    path = tmp_path / "memory.db"
    path.write_bytes(gzip.decompress(recorded.read_bytes()) if recorded.suffix == ".gz" else recorded.read_bytes())
    with closing(sqlite3.connect(path)) as db:
        version = db.execute("pragma user_version").fetchone()[0]
    if version >= SCHEMA_VERSION:
        pytest.skip("not an earlier schema")
    for hook in PAYLOADS:
        found, starts_work = respond(path, hook)
        if hook == "session-start":
            assert starts_work
            assert "being migrated" in found.get("additionalContext", "") or lines(path)[-1]["reason"] == "paused"
    assert [line.get("error") for line in lines(path)] == [None] * len(PAYLOADS)
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("pragma user_version").fetchone()[0] == version


# ---------------------------------------------------------------- time


def test_an_answer_after_its_deadline_is_logged_as_late(sample_path: Path) -> None:
    long_ago = time.perf_counter() - 10
    asked = hooks.HookRun(str(sample_path), datetime.now(UTC), long_ago, "user-prompt", deadline_ms=300)
    text, _ = hooks.respond(asked, payload("user-prompt"), is_own=False)
    asked.db and asked.db.close()
    assert text and (asked.outcome, asked.reason) == ("shown", hook_clock.LATE)
    with closing(sqlite3.connect(sample_path)) as db:
        rows = db.execute("select outcome, reason, duration_ms > 10000 from hook_runs").fetchall()
    assert rows == [("shown", "late", 1)]


def test_a_run_has_more_time_by_the_clock_than_of_the_processor() -> None:
    deadline_ms = time.process_time() * 1000 + 5_000
    assert 0 < hook_clock.left_ms(deadline_ms, deadline_ms * 1.5) <= 5_000
    assert hook_clock.left_ms(deadline_ms, deadline_ms * hook_clock.LEAST_PATIENCE) <= 0
    assert hook_clock.left_ms(0.001, 0.0) < 0


@pytest.mark.parametrize("hook", hooks.HANDLERS)
@pytest.mark.parametrize("starting_ms", [0.0, 10.0, 35.0, 100.0, 10_000.0])
def test_the_agent_ends_no_hook_of_any_machine(hook: str, starting_ms: float) -> None:
    assert hook_clock.wait_ms(hook_clock.deadline_ms(hook, starting_ms)) < 1_000 * HOOK_TIMEOUT_S


def test_a_prompt_has_more_time_where_the_interpreter_took_long_to_start() -> None:
    times = [hook_clock.deadline_ms("user-prompt", starting_ms) for starting_ms in (0, 8, 20, 60, 100, 1_000)]
    assert times == [300, 300, 300, 900, 1_500, 2_000]
    assert [hook_clock.wait_ms(each) for each in times] == [3_000, 3_000, 3_000, 4_000, 4_000, 4_000]


AS_IF_SLOW = """
import runpy, sys, time
while time.process_time() < 0.35: pass
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def test_a_slow_machine_answers_prompts_too(sample_path: Path) -> None:
    """Its interpreter has used up the time of a fast machine when the first line runs."""
    run(sample_path, "user-prompt", payload("user-prompt", session_id="before"))  # whatever is to be compiled
    command = [sys.executable, "-I", "-S", "-c", AS_IF_SLOW, str(SCRIPT), "user-prompt", "-d", str(sample_path)]
    ended = subprocess.run(command, input=payload("user-prompt"), capture_output=True, check=True)
    assert ended.stderr == b"" and b"additionalContext" in ended.stdout
    with closing(sqlite3.connect(sample_path)) as db:
        assert db.execute("select outcome from hook_runs").fetchall() == [("shown",), ("shown",)]


def test_a_process_knows_when_it_was_started() -> None:
    """Before its first line, or with that where the machine does not tell."""
    program = (
        "import time; began = time.perf_counter(); import sys; sys.path.insert(0, sys.argv[1]);"
        " from memory_db.hooks.clock import started_at; print(began - started_at(began))"
    )
    root = str(SCRIPT.parent.parent)
    ended = subprocess.run([sys.executable, "-I", "-S", "-c", program, root], capture_output=True, check=True)
    assert 0 <= float(ended.stdout) < hook_clock.MOST_LOADING_S
