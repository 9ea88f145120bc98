"""Every run of a hook, whatever came in and whatever state the file is in: exit 0, one row or line that says why."""

from __future__ import annotations

import json
import os
import re
import resource
import sqlite3
import subprocess
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner

from bench.hooks_at_once import copied_history, hooks_at_once, writing
from memory_db.cli import cli
from memory_db.hooks import run as hooks
from memory_db.index import build as index
from memory_db.knowledge.memories import add_memory
from memory_db.recall.brief import spool
from memory_db.store import settings
from memory_db.store.schema import open_database
from memory_db.transcripts.projects import resolve_project
from tests.support.hook_process import COMMAND, PATIENT, fire, without_runs
from tests.support.patience import WAIT_S

PAYLOADS = Path(__file__).parents[1] / "data" / "hook_payloads.jsonl"
RECORDED = [json.loads(line) for line in PAYLOADS.read_text().splitlines()]
NAMES = {event: hook for hook, event in hooks.EVENT_NAMES.items()}
BY_HOOK = {NAMES[each["hook_event_name"]]: each for each in RECORDED}
SECRET_WORD = "zanzibar"


@pytest.fixture
def sample_path(sample_file: Path, tmp_path: Path) -> Path:
    """A copy of the sample's file in which no hook has run yet."""
    return without_runs(sample_file, tmp_path)


def run(path: Path, hook: str, payload: bytes, *more: str, **named: object) -> subprocess.CompletedProcess[bytes]:
    return fire(hook, path, payload, *more, **named)


def runs_of(path: Path) -> list[tuple[str, str, str]]:
    """Outcome, error and reason of every run, those that wait in the spool included."""
    with closing(open_database(path, now=datetime.now(UTC))) as db:
        spool.take_in(db, path, now=datetime.now(UTC))
        return [
            tuple(row) for row in db.execute("select outcome, coalesce(error, ''), reason from hook_runs order by id")
        ]


def lines(path: Path) -> list[dict[str, object]]:
    file = Path(f"{path}.spool.jsonl")
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()] if file.exists() else []


def assert_silent(ended: subprocess.CompletedProcess[bytes]) -> None:
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, b"", b"")


def prompt(text: str, **more: object) -> bytes:
    values = {"prompt": text, "hook_event_name": "UserPromptSubmit", "cwd": "/home/sam/code/tidepool"}
    return json.dumps(values | more).encode()


@pytest.mark.parametrize("hook", list(hooks.HANDLERS))
def test_a_recorded_payload_of_every_event_is_one_row(sample_path: Path, hook: str) -> None:
    ended = run(sample_path, hook, json.dumps(BY_HOOK[hook]).encode())
    assert (ended.returncode, ended.stderr) == (0, b"")
    if ended.stdout:
        assert json.loads(ended.stdout)["hookSpecificOutput"]["hookEventName"] == hooks.EVENT_NAMES[hook]
    assert [row[0] for row in runs_of(sample_path)] in (["shown"], ["silent"], ["skipped"], ["done"])
    with closing(sqlite3.connect(sample_path)) as db:
        row = db.execute("select hook, session_uid, duration_ms > 0, recall_id, shown_tokens from hook_runs").fetchone()
        assert row[:3] == (hook, BY_HOOK[hook]["session_id"], 1)
        if row[3]:
            recalled = db.execute("select shown_tokens, session_uid from recalls where id = ?", [row[3]]).fetchone()
            assert recalled == (row[4], row[1])


BAD = [
    (b"", "no JSON"),
    (b"{", "none"),
    (b'{"prompt": "' + SECRET_WORD.encode(), "none"),
    (b'{"prompt": ' + b"[" * 100_000, "Recursion"),
    (b"[1, 2]", "no JSON"),
    (b"\xff\xfe\x00", "no JSON"),
    (b"a" * (hooks.MOST_BYTES + 1), "payload"),
    (b'{"hook_event_name": "Unheard"}', "another event"),
    (b'{"hook_event_name": 3}', "another event"),
    (b'{"hook_event_name": "UserPromptSubmit"}', "another event"),
]


@pytest.mark.parametrize("hook", ["session-start", "stop", "session-end", "pre-compact", "pre-tool-use"])
@pytest.mark.parametrize(("payload", "reason"), BAD)
@pytest.mark.slow
def test_bad_payloads_are_reported(sample_path: Path, hook: str, payload: bytes, reason: str) -> None:
    assert_silent(run(sample_path, hook, payload))
    rows = runs_of(sample_path)
    assert len(rows) == 1 and rows[0][0] == "failed"
    assert reason in rows[0][2] and SECRET_WORD not in rows[0][2]


@pytest.mark.parametrize("payload", [b"{}", b'{"prompt": 3}', b'{"prompt": null, "cwd": []}', b'{"session_id": "x"}'])
def test_a_payload_without_a_prompt_is_reported(sample_path: Path, payload: bytes) -> None:
    assert_silent(run(sample_path, "user-prompt", payload))
    assert runs_of(sample_path) == [("failed", "InputError", "The payload has no text called prompt.")]


def test_an_unknown_hook_is_reported(sample_path: Path) -> None:
    assert_silent(run(sample_path, "sub-agent-stop", b"{}"))
    assert runs_of(sample_path)[0][2].startswith("No hook 'sub-agent-stop'. There are: user-prompt,")


@pytest.mark.parametrize(
    ("text", "outcome", "reason"),
    [
        ("/clear", "skipped", "a slash command"),
        ("thanks!", "skipped", "an acknowledgement"),
        ("", "skipped", "an empty prompt"),
        ("<task-notification>add an index on readings</task-notification>", "skipped", "a notice of the client"),
        ("[Request interrupted by user]", "skipped", "a notice of the client"),
        ("?!", "silent", "no word in the prompt"),
        ("add an index on readings", "shown", ""),
    ],
)
def test_a_prompt_has_its_outcome_and_reason(sample_path: Path, text: str, outcome: str, reason: str) -> None:
    ended = run(sample_path, "user-prompt", prompt(text))
    assert bool(ended.stdout) == (outcome == "shown")
    assert runs_of(sample_path) == [(outcome, "", reason)]
    with closing(sqlite3.connect(sample_path)) as db:
        assert db.execute("select count(recall_id) from hook_runs").fetchone()[0] == (outcome == "shown")


@pytest.mark.slow
def test_the_same_topic_of_a_session_is_asked_once(sample_path: Path) -> None:
    asked = "which port does postgres use"
    for text, session in ((asked, "a"), (f"and {asked}?", "a"), (asked, "b")):
        run(sample_path, "user-prompt", prompt(text, session_id=session))
    assert [row[0] for row in runs_of(sample_path)] == ["shown", "skipped", "shown"]
    assert runs_of(sample_path)[1][2] == "the same topic as the last recall"


@pytest.mark.slow
def test_a_rule_comes_back_with_the_same_topic(sample_path: Path, now: datetime) -> None:
    with closing(open_database(sample_path, now=now)) as db:
        rule = add_memory(db, text="Never deploy to staging on Friday", kind="convention", scope="user", now=now)
        plain = add_memory(db, text="Deploy to staging takes ten minutes", kind="domain", scope="user", now=now)
    told_now = []
    for text in ("deploy to staging", "and deploy to staging?", "deploy to staging"):
        told_now.append(run(sample_path, "user-prompt", prompt(text, session_id="a", cwd="/x")).stdout.decode())
    assert rule in told_now[0] and plain in told_now[0]
    assert all(rule in text and plain not in text for text in told_now[1:])
    assert [row[2] for row in runs_of(sample_path)] == ["", *["the same topic as the last recall"] * 2]


LATER, TOOLS = "not the first prompt of the session", "prompt_briefs is tool"


@pytest.mark.slow
@pytest.mark.parametrize(("which", "told"), [
    ("every", [("shown", "", "port"), ("shown", "", "rule"), ("shown", "", "script")]),
    ("first", [("shown", "", "port"), ("shown", LATER, "rule"), ("skipped", LATER, "")]),
    ("tool", [("skipped", TOOLS, "")] * 3),
])  # fmt: skip
def test_which_prompts_are_told_memories_is_a_setting(
    sample_path: Path, now: datetime, which: str, told: list[tuple[str, str, str]]
) -> None:
    texts = {
        "rule": ("convention", "Never deploy to staging on Friday"),
        "script": ("domain", "We deploy to staging by /srv/shipit/run.sh"),
        "port": ("environment", "The ferret farm listens on port 7117"),
    }
    with closing(open_database(sample_path, now=now)) as db:
        settings.put(db, "prompt_briefs", which, now=now)
        names = {
            add_memory(db, text=text, kind=kind, scope="user", now=now): name for name, (kind, text) in texts.items()
        }
    said = []
    for text in ("which port does the ferret farm listen on?", "deploy to staging", "what calls /srv/shipit/run.sh?"):
        printed = run(sample_path, "user-prompt", prompt(text, session_id="a", cwd="/x")).stdout.decode()
        said.append("".join(name for uid, name in names.items() if uid in printed))
    ran = runs_of(sample_path)
    assert [(row[0], row[2], each) for row, each in zip(ran, said, strict=True)] == told


@pytest.mark.slow
def test_the_first_prompt_gets_the_deepest_brief(sample_path: Path, now: datetime) -> None:
    with closing(open_database(sample_path, now=now)) as db:
        for number in range(9):
            add_memory(db, text=f"Ferret cage {number} has bedding of straw", kind="domain", scope="user", now=now)
    for text in ("ferret cage bedding of straw", "straw for the cage of the new ferret baby girl"):
        run(sample_path, "user-prompt", prompt(text, session_id="a", cwd="/x"))
    with closing(sqlite3.connect(sample_path)) as db:
        counts = db.execute(
            "select count(h.id), r.context ->> 'limit' from recalls r left join hits h on h.recall_id = r.id"
            " and h.rank > 0 where r.session_uid = 'a' group by r.id order by r.id"
        ).fetchall()
    assert counts[0] == (4, 4) and counts[1][1] == 3 >= counts[1][0]


def test_an_agent_that_we_started_is_left_alone(sample_path: Path) -> None:
    assert_silent(
        run(sample_path, "user-prompt", prompt("add an index on readings"), env={**os.environ, hooks.OWN_AGENT: "1"})
    )
    assert_silent(run(sample_path, "stop", json.dumps({**BY_HOOK["stop"], "stop_hook_active": True}).encode()))
    assert runs_of(sample_path) == [
        ("skipped", "", "started by memory-db"),
        ("skipped", "", "a stop hook is active"),
    ]


@pytest.mark.slow
def test_a_pause_silences_what_it_is_for(sample_path: Path, now: datetime) -> None:
    with closing(open_database(sample_path, now=now)) as db:
        insert = (
            "insert into pauses (session_uid, project_id, created_by, created_at, ends_at) values (?, ?, 'me', ?, ?)"
        )
        db.execute(insert, ["a", None, "2026-01-01T00:00:00Z", None])
        db.execute(insert, [None, 1, "2026-01-01T00:00:00Z", None])
        db.execute(insert, [None, None, "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"])
        folder = db.execute("select canonical_path from projects where id = 1").fetchone()[0]
    for session, cwd in (("a", "/x"), ("b", folder), ("c", "/x")):
        run(sample_path, "user-prompt", prompt("may you commit and push for me?", session_id=session, cwd=cwd))
    assert [row[0::2] for row in runs_of(sample_path)] == [("skipped", "paused"), ("skipped", "paused"), ("shown", "")]


def test_a_held_out_session_is_shown_nothing(sample_path: Path, now: datetime) -> None:
    with closing(open_database(sample_path, now=now)) as db:
        db.execute("insert or replace into settings (name, value, changed_at) values ('holdout_share', '1', '')")
    assert_silent(run(sample_path, "user-prompt", prompt("add an index on readings", session_id="a")))
    assert runs_of(sample_path) == [("silent", "", "held out")]


def test_a_deadline_ends_a_run(sample_path: Path) -> None:
    assert_silent(run(sample_path, "user-prompt", prompt(f"{SECRET_WORD} deploy"), "--deadline-ms", "0.001"))
    assert runs_of(sample_path) == [("failed", "DeadlineError", "deadline")]
    with closing(sqlite3.connect(sample_path)) as db:
        assert db.execute("select count(recall_id) from hook_runs").fetchone()[0] == 0
        assert db.execute("select duration_ms from hook_runs").fetchone()[0] > 0


def test_a_file_that_cannot_be_written_is_left_alone(sample_path: Path) -> None:
    """Root writes whatever it likes, so the file is on a disk that is full: no byte may be added to any file."""

    def no_more_bytes() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

    before = sample_path.read_bytes()
    assert_silent(run(sample_path, "user-prompt", prompt("add an index on readings"), preexec_fn=no_more_bytes))
    assert sample_path.read_bytes() == before
    assert_silent(run(sample_path, "stop", b"{", preexec_fn=no_more_bytes))


def test_a_full_disk_is_reported_in_the_spool(sample_path: Path) -> None:
    """There is room for a line in the spool, none for the rows."""

    def few_bytes() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (3_000, 3_000))

    assert_silent(
        run(sample_path, "user-prompt", prompt(f"add an index on readings {SECRET_WORD}"), preexec_fn=few_bytes)
    )
    assert len(lines(sample_path)) == 1 and SECRET_WORD not in json.dumps(lines(sample_path))
    assert lines(sample_path)[0]["hook"] == "user-prompt"
    assert [row[0] for row in runs_of(sample_path)] == ["failed"]


def test_a_reader_that_went_away_is_no_trouble(sample_path: Path) -> None:
    command = [*COMMAND, "user-prompt", "-d", str(sample_path), *PATIENT]
    hook = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert hook.stdin and hook.stdout and hook.stderr
    hook.stdout.close()
    hook.stdin.write(prompt("add an index on readings"))
    hook.stdin.close()
    assert hook.wait(WAIT_S) == 0 and hook.stderr.read() == b""
    hook.stderr.close()
    assert [row[0] for row in runs_of(sample_path)] == ["shown"]


@pytest.mark.slow
def test_eight_hooks_at_once_while_others_write(sample_path: Path, tmp_path: Path) -> None:
    history = copied_history(tmp_path / "history", 2)
    ended = hooks_at_once(sample_path, writing(sample_path, history), rounds=2, deadline_ms=60_000)
    assert {(code, errors) for code, _, errors in ended} == {(0, b"")}
    rows = runs_of(sample_path)
    assert len(rows) == len(ended) >= 16
    assert sum(row[0] == "shown" for row in rows) == sum(bool(output) for _, output, _ in ended) > 0
    with closing(sqlite3.connect(sample_path)) as db:
        recalls, named = db.execute(
            "select count(*), count(distinct r.uid) from recalls r join hook_runs h on h.recall_id = r.id"
        ).fetchone()
        assert recalls == named == sum(row[0] in ("shown", "silent") for row in rows)
        assert db.execute("pragma integrity_check").fetchone()[0] == "ok"


def test_the_command_answers_as_the_hook(sample_path: Path) -> None:
    runner = CliRunner()
    shown = runner.invoke(
        cli, ["hook", "show", "user-prompt", "-d", str(sample_path)], input=prompt("add an index on readings")
    )
    assert shown.exit_code == 0 and "shown" in shown.stderr
    assert json.loads(shown.stdout)["hookSpecificOutput"]["hookEventName"] == "UserPromptSubmit"
    plain = runner.invoke(
        cli, ["hook", "show", "user-prompt", "-d", str(sample_path)], input="may you commit and push for me?"
    )
    assert plain.stdout.startswith("<memory-brief")
    bad = runner.invoke(cli, ["hook", "show", "stop", "-d", str(sample_path)], input="?")
    assert (bad.exit_code, bad.stdout) == (0, "") and bad.stderr.startswith("failed: The payload of stop")
    assert [row[0] for row in runs_of(sample_path)] == ["shown", "shown", "failed"]


def test_the_command_takes_a_project_by_name_or_path(sample_path: Path) -> None:
    def asked(project: str) -> str:
        arguments = ["-d", str(sample_path), "hook", "show", "user-prompt", "--project", project]
        result = CliRunner().invoke(cli, arguments, input="which port does postgres run on?")
        return re.sub(r"r[0-9a-f]{8}", "", result.stdout)

    assert "5433" in asked("tidepool")
    assert asked("tidepool") == asked("/home/sam/code/tidepool") != asked("/nowhere")


def test_a_plain_text_is_a_prompt_in_this_folder(
    db_path: Path, db: sqlite3.Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, now: datetime
) -> None:
    (tmp_path / "kiln" / "api").mkdir(parents=True)
    project = resolve_project(db, str(tmp_path / "kiln"), now=now)
    add_memory(db, text="The staging database of the kiln listens on port 5433.", kind="environment", scope="project",
               project_id=project, now=now)  # fmt: skip
    index.run(db, now=now)
    for folder, outcome in ((tmp_path, "silent"), (tmp_path / "kiln" / "api", "shown")):
        monkeypatch.chdir(folder)
        told = CliRunner().invoke(cli, ["hook", "show", "user-prompt", "-d", str(db_path)],
                                  input="which port does the staging database of the kiln listen on?")  # fmt: skip
        assert told.stderr.startswith(outcome), folder
