"""What a hook leaves to another process: transcripts that are taken in, once, whoever starts and dies when."""

from __future__ import annotations

import json
import os
import plistlib
import shlex
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner

from memory_db.cli import cli
from memory_db.errors import SourceError
from memory_db.hooks import background
from memory_db.hooks.run import OWN_AGENT
from memory_db.store import jobs
from memory_db.store.schema import open_database
from memory_db.upkeep import transcript_jobs
from memory_db.upkeep.worker import Worker, is_work_left, only_worker, work
from tests.support.patience import WAIT_S, wait_for

CORRECTION = "Always use pnpm for installing packages."


def line(session: str, role: str, text: str, number: int) -> str:
    """One line of a transcript, as Claude Code writes it."""
    at = f"2026-10-20T10:{number // 60 % 60:02d}:{number % 60:02d}.000Z"
    entry = {
        "type": role, "uuid": f"{session[:8]}-0000-4000-8000-{number:012d}", "parentUuid": None, "sessionId": session,
        "cwd": "/home/me/proj", "timestamp": at, "version": "2.1.197",
        "message": {"role": role, "content": text},
    }  # fmt: skip
    return json.dumps(entry) + "\n"


def transcript(folder: Path, number: int = 1, text: str = f"No. {CORRECTION}") -> Path:
    """A transcript of one question and its reply."""
    path = folder / f"{number:08d}-2222-4333-8444-555555555555.jsonl"
    path.write_text(line(path.stem, "user", text, 1) + line(path.stem, "assistant", "Understood.", 2), "utf-8")
    return path


def job(db: sqlite3.Connection, path: Path) -> sqlite3.Row:
    found = db.execute("select * from jobs where kind = 'transcript' and key = ?", [str(path)]).fetchone()
    assert isinstance(found, sqlite3.Row)
    return found


def no_embeddings(path: Path, now: datetime) -> None:
    with closing(open_database(path, now=now)) as db:
        db.execute("insert or replace into settings values ('embedding_model', '\"none\"', ?)", [now.isoformat()])


def worker(path: Path) -> subprocess.Popen[str]:
    """`memory-db work --once`, under way."""
    command = [sys.executable, "-m", "memory_db", "-d", str(path), "work", "--once"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finished(process: subprocess.Popen[str]) -> str:
    """What an ended worker told."""
    out, errors = process.communicate(timeout=WAIT_S)
    assert process.returncode == 0, errors
    assert "Traceback" not in out + errors
    return errors


def test_a_transcript_is_due_once_and_again_when_it_was_done(
    db: sqlite3.Connection, tmp_path: Path, now: datetime
) -> None:
    path = transcript(tmp_path)
    assert background.enqueue_transcript(db, str(path), path.stem, now=now) is True
    assert background.enqueue_transcript(db, str(path), path.stem, now=now) is False
    assert json.loads(job(db, path)["payload"])["session_uid"] == path.stem
    assert jobs.work_once(db, now=now)["done"] == 1
    assert job(db, path)["state"] == "done"
    assert [row["text"] for row in db.execute("select text from memories")] == [CORRECTION]
    assert background.enqueue_transcript(db, str(path), path.stem, now=now) is True
    assert jobs.work_once(db, now=now)["done"] == 1
    assert db.execute("select count(*) from entries").fetchone()[0] == 2


def test_what_grows_while_it_is_taken_in_is_due_again(db: sqlite3.Connection, tmp_path: Path, now: datetime) -> None:
    path = transcript(tmp_path)
    background.enqueue_transcript(db, str(path), path.stem, now=now)
    leased = jobs.lease(db, now)
    assert leased is not None
    with path.open("a") as file:
        file.write(line(path.stem, "user", "And one more thing.", 3))
    assert background.enqueue_transcript(db, str(path), path.stem, now=now) is True
    assert job(db, path)["state"] == "running"
    assert jobs.complete(db, leased, now) is False
    assert job(db, path)["state"] == "due"
    assert jobs.work_once(db, now=now)["done"] == 1


def test_what_was_given_up_is_due_again_when_the_file_changed(
    db: sqlite3.Connection, tmp_path: Path, now: datetime
) -> None:
    path = transcript(tmp_path)
    background.enqueue_transcript(db, str(path), path.stem, now=now)
    db.execute("update jobs set state = 'dead', attempts = 3, last_error = 'x'")
    assert background.enqueue_transcript(db, str(path), path.stem, now=now) is False
    assert job(db, path)["state"] == "dead"
    path.write_text(path.read_text("utf-8") + "\n", "utf-8")
    assert background.enqueue_transcript(db, str(path), path.stem, now=now) is True
    assert (job(db, path)["state"], job(db, path)["attempts"]) == ("due", 0)


def test_what_is_no_transcript_of_the_user_is_refused(
    db: sqlite3.Connection, db_path: Path, tmp_path: Path, now: datetime
) -> None:
    real = transcript(tmp_path)
    link, folder, pipe = tmp_path / "link.jsonl", tmp_path / "folder.jsonl", tmp_path / "pipe.jsonl"
    link.symlink_to(real)
    folder.mkdir()
    os.mkfifo(pipe)
    huge = tmp_path / "huge.jsonl"
    huge.touch()
    os.truncate(huge, background.MOST_BYTES + 1)
    spool = tmp_path / f"{db_path.name}.spool.jsonl"
    spool.touch()
    secret = tmp_path / ("ghp_" + "a1B2" * 9 + ".jsonl")
    secret.touch()
    reasons = {
        str(tmp_path / "gone.jsonl"): "No transcript there",
        "relative.jsonl": "No full path of a transcript",
        "": "No full path of a transcript",
        str(tmp_path / "a\0b.jsonl"): "No full path of a transcript",
        str(tmp_path / "a\nb.jsonl"): "No full path of a transcript",
        "/" + "a/" * 3_000 + "b.jsonl": "No full path of a transcript",
        "/etc/passwd": "does not end in .jsonl",
        str(db_path): "does not end in .jsonl",
        str(link): "A link, a folder or a device",
        str(folder): "A link, a folder or a device",
        str(pipe): "A link, a folder or a device",
        str(huge): "Too large to be taken in",
        str(spool): "of memory-db itself",
        str(secret): "looks like a secret",
    }
    for path, reason in reasons.items():
        with pytest.raises(SourceError, match=reason) as raised:
            background.enqueue_transcript(db, path, "s", now=now)
        assert "a1B2" not in str(raised.value) and "\n" not in str(raised.value)
    assert db.execute("select count(*) from jobs").fetchone()[0] == 0


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_what_may_not_be_read_is_a_failed_job(db: sqlite3.Connection, tmp_path: Path, now: datetime) -> None:
    path = transcript(tmp_path)
    background.enqueue_transcript(db, str(path), path.stem, now=now)
    path.chmod(0)
    assert jobs.work_once(db, now=now)["failed"] == 1
    assert "cannot be read" in job(db, path)["last_error"]


def test_one_that_is_gone_costs_the_others_nothing(db: sqlite3.Connection, tmp_path: Path, now: datetime) -> None:
    paths = [transcript(tmp_path, number) for number in range(1, 4)]
    for path in paths:
        background.enqueue_transcript(db, str(path), path.stem, now=now)
    paths[1].unlink()
    assert jobs.work_once(db, now=now)["done"] == 1
    assert [job(db, path)["state"] for path in paths] == ["done", "due", "done"]
    assert "No transcript there" in job(db, paths[1])["last_error"]
    stages = [row["stage"] for row in db.execute("select stage from runs order by id")]
    assert stages == ["import", "extract", "gate", "index", "contradictions", "feedback"]


def test_a_portion_is_bounded(
    db: sqlite3.Connection, tmp_path: Path, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transcript_jobs, "AT_ONCE", 2)
    for number in range(1, 4):
        background.enqueue_transcript(db, str(transcript(tmp_path, number)), "s", now=now)
    assert jobs.work_once(db, now=now)["done"] == 1
    states = [row["state"] for row in db.execute("select state from jobs where kind = 'transcript' order by id")]
    assert states == ["done", "done", "due"]


def test_subagents_come_with_their_session(db: sqlite3.Connection, tmp_path: Path, now: datetime) -> None:
    path = transcript(tmp_path)
    folder = path.with_suffix("") / "subagents"
    folder.mkdir(parents=True)
    own = line(path.stem, "user", "Look for the port.", 7).replace("{", '{"isSidechain": true, "agentId": "a1", ', 1)
    (folder / "agent-a1.jsonl").write_text(own, "utf-8")
    (folder / "agent-link.jsonl").symlink_to("/etc/passwd")
    background.enqueue_transcript(db, str(path), path.stem, now=now)
    assert jobs.work_once(db, now=now)["done"] == 1
    assert [Path(row["path"]).name for row in db.execute("select path from sources order by path")] == [
        path.name, "agent-a1.jsonl",
    ]  # fmt: skip


@pytest.mark.slow
def test_workers_that_start_at_once_leave_nothing_undone(db_path: Path, tmp_path: Path, now: datetime) -> None:
    no_embeddings(db_path, now)
    paths = [transcript(tmp_path, number, f"Always run make check{number} before a push.") for number in range(1, 5)]
    started = []
    for path in paths:
        with closing(open_database(db_path, now=now)) as db:
            background.enqueue_transcript(db, str(path), path.stem, now=now)
        started.append(worker(db_path))
    found = [finished(process) for process in started]
    assert any("A worker is busy" in each for each in found)
    with closing(open_database(db_path, now=now)) as db:
        assert {job(db, path)["state"] for path in paths} == {"done"}
        assert db.execute("select count(*) from entries").fetchone()[0] == 8


@pytest.mark.slow
def test_a_job_that_comes_while_the_lock_is_held_is_seen_after_it(db_path: Path, tmp_path: Path, now: datetime) -> None:
    no_embeddings(db_path, now)
    path = transcript(tmp_path)
    with only_worker(db_path):
        with closing(open_database(db_path, now=now)) as db:
            background.enqueue_transcript(db, str(path), path.stem, now=now)
        assert "A worker is busy" in finished(worker(db_path))
    assert is_work_left(db_path, now=now)
    assert is_work_left(db_path, now=now, kind=background.TRANSCRIPT)
    finished(worker(db_path))
    assert not is_work_left(db_path, now=now + timedelta(days=1))


@pytest.mark.slow
def test_transcripts_that_keep_coming_leave_others_their_turn(db_path: Path, tmp_path: Path, now: datetime) -> None:
    """Whenever a worker looks at its clock another transcript waits, and a minute is over."""
    no_embeddings(db_path, now)
    with closing(open_database(db_path, now=now)) as db:
        came = 0

        def clock() -> datetime:
            nonlocal came
            came += 1
            path = transcript(tmp_path, came)
            background.enqueue_transcript(db, str(path), path.stem, now=now + came * timedelta(minutes=1))
            return now + came * timedelta(minutes=1)

        done = work(Worker(db_path, db, clock, threading.Event()), once=True)
        names = [stage.name for stage in done.stages]
        assert names[0] == "transcripts" and "jobs" in names[1:]
        taken = done.stages[0].counts["done"]
        assert 1 <= taken <= 5 and done.failures == 0 and is_work_left(db_path, now=clock())


@pytest.mark.slow
def test_a_killed_worker_leaves_its_transcripts_due_and_repeats_nothing(
    db_path: Path, tmp_path: Path, now: datetime
) -> None:
    no_embeddings(db_path, now)
    path = transcript(tmp_path)
    remarks = (line(path.stem, "user", f"Remark {number} on the tides.", number) for number in range(3, 8_003))
    with path.open("a") as file:
        file.writelines(remarks)
    with closing(open_database(db_path, now=now)) as db:
        background.enqueue_transcript(db, str(path), path.stem, now=now)
        process = worker(db_path)
        while process.poll() is None and not db.execute("select 1 from entries limit 1").fetchone():
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=WAIT_S)
        assert job(db, path)["state"] == "running"
        finished(worker(db_path))
        assert (job(db, path)["state"], job(db, path)["attempts"]) == ("done", 0)
        assert [row["text"] for row in db.execute("select text from memories")] == [CORRECTION]
        assert db.execute("select count(*) from entries").fetchone()[0] == 8_002


@pytest.mark.slow
def test_the_started_worker_is_a_process_of_its_own(
    db_path: Path, tmp_path: Path, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    no_embeddings(db_path, now)
    asked: list[dict[str, object]] = []
    real = subprocess.Popen

    def noted(command: list[str], **options: object) -> object:
        asked.append(options)
        return real(command, **options)  # type: ignore[call-overload]

    path = transcript(tmp_path)
    with closing(open_database(db_path, now=now)) as db:
        background.enqueue_transcript(db, str(path), path.stem, now=now)
        monkeypatch.setattr(subprocess, "Popen", noted)
        background.start_worker(str(db_path))
        wait_for("the job is not done", lambda: job(db, path)["state"] == "done", every_s=0.1)
    assert asked[0]["start_new_session"] is True and asked[0]["close_fds"] is True
    assert isinstance(asked[0]["env"], dict) and OWN_AGENT in asked[0]["env"]


# ------------------------------------------------------------------- a timer


def timer_commands(home: Path) -> list[list[str]]:
    """What each printed timer starts, read as its scheduler reads it."""
    found = []
    for name in ("systemd", "launchd", "cron"):
        printed = CliRunner(env={**fresh(home), "MEMORY_DB": None}).invoke(cli, ["install", "--schedule", name]).output
        if name == "systemd":
            (started,) = (each for each in printed.splitlines() if each.startswith("ExecStart="))
            line = started.removeprefix("ExecStart=").replace("%%", "%").replace("$$", "$")
            found.append(shlex.split(line))
        elif name == "launchd":
            found.append(plistlib.loads(printed.encode())["ProgramArguments"])
        else:
            found.append(shlex.split(printed.splitlines()[-1].removeprefix("17 * * * * ").replace("\\%", "%")))
    return found


def fresh(home: Path) -> dict[str, str]:
    """What a scheduler gives: a home and a path, nothing of ours."""
    return {"HOME": str(home), "PATH": os.defpath}


@pytest.mark.slow
def test_the_command_of_every_printed_timer_takes_in_what_is_new(tmp_path: Path) -> None:
    home = tmp_path / "home"
    project = home / ".claude" / "projects" / "-home-me-proj"
    project.mkdir(parents=True)
    command, *others = timer_commands(home)
    assert others == [command, command]
    transcript(project)
    for number in (1, 2):
        result = subprocess.run(command, env=fresh(home), cwd="/", capture_output=True, text=True)
        assert result.returncode == 0, result.stderr
        with closing(sqlite3.connect(home / ".memory-db" / "memory.db")) as db:
            said = {row[0] for row in db.execute("select text from entries where role = 'user'")}
            assert len(said) == number and f"No. {CORRECTION}" in said
            assert db.execute("select 1 from memories where text = ?", [CORRECTION]).fetchone()
            assert db.execute("select count(*) from embeddings").fetchone()[0] > 0
        transcript(project, 2, "The port of the tests is 5433.")


@pytest.mark.slow
def test_a_timer_with_nothing_to_read_says_where_it_looked(tmp_path: Path, now: datetime) -> None:
    (command, *_) = timer_commands(tmp_path)
    result = subprocess.run(command, env=fresh(tmp_path), capture_output=True, text=True)
    assert result.returncode == 1 and result.stderr.startswith("Error: No transcripts at ~/.claude/projects.")
    assert list(tmp_path.iterdir()) == []
    path = tmp_path / ".memory-db" / "memory.db"
    path.parent.mkdir()
    no_embeddings(path, now)
    result = subprocess.run([*command, "--json"], env=fresh(tmp_path), capture_output=True, text=True)
    assert result.returncode == 0 and result.stderr == "No transcripts at ~/.claude/projects.\n"
    assert [stage["stage"] for stage in json.loads(result.stdout)["stages"]].count("import") == 1
