"""Every event but the prompt, through the real process, with payloads as an agent sends them."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from memory_db.evaluation import holdouts
from memory_db.hooks import command_rules, pauses
from memory_db.hooks import run as hooks
from memory_db.hooks.pauses import pause
from memory_db.knowledge.locks import lock, unlock
from memory_db.knowledge.memories import add_memory
from memory_db.recall import checkpoints as moments
from memory_db.store import settings
from memory_db.store.schema import open_database
from memory_db.transcripts.projects import resolve_project
from memory_db.transcripts.records import identifier
from tests.support.hook_process import answered
from tests.support.patience import wait_for
from tests.support.rows import rows

pytestmark = pytest.mark.slow

EVENTS = Path(__file__).parents[1] / "data" / "hook_events.jsonl"
SESSION = "5b0cf3f5-6d6e-4a52-9a4c-0d6f3c1c8a11"
FOLDER = "/home/sam/code/tidepool"
CONTEXT, DECISION = "additionalContext", "permissionDecision"


def event(name: str, home: Path, **changes: object) -> dict[str, Any]:
    """The first recorded payload of an event with these values, in a home of its own."""
    for line in EVENTS.read_text("utf-8").splitlines():
        values = json.loads(line.replace("HOME", str(home)))
        if values["hook_event_name"] == hooks.EVENT_NAMES[name] and all(
            values[key] == changes[key] for key in ("tool_name", "source") if key in changes
        ):
            return {**values, **changes}
    raise KeyError(name)


def run(name: str, path: Path, payload: dict[str, Any] | bytes) -> dict[str, Any]:
    """What a hook printed, in the agent's shape; {} where it printed nothing."""
    return context_of(
        name, answered(name, path, payload if isinstance(payload, bytes) else json.dumps(payload).encode())
    )


def context_of(name: str, output: bytes) -> dict[str, Any]:
    """The one object that an agent reads, which has nothing else beside it."""
    if not output:
        return {}
    values = json.loads(output)
    assert list(values) == ["hookSpecificOutput"]
    specific: dict[str, Any] = values["hookSpecificOutput"]
    assert specific.pop("hookEventName") == hooks.EVENT_NAMES[name]
    assert sorted(specific) in ([CONTEXT], [DECISION, f"{DECISION}Reason"])
    return specific


def last_run(path: Path) -> dict[str, Any]:
    with closing(sqlite3.connect(path)) as db:
        db.row_factory = sqlite3.Row
        return dict(db.execute("select * from hook_runs order by id desc").fetchone())


def outcome(path: Path) -> tuple[str, str]:
    row = last_run(path)
    return row["outcome"], row["reason"]


def wait_for_jobs(path: Path) -> None:
    """Until the worker that a hook started has done what was due, some transcript at least."""
    states = "select distinct state from jobs where kind = 'transcript'"
    wait_for("work is left", lambda: [state for (state,) in rows(path, states)] == ["done"], every_s=0.1)


@pytest.fixture
def ready(db_path: Path, now: datetime) -> Path:
    """A file with a project that needs no embedding model."""
    with closing(open_database(db_path, now=now)) as db:
        settings.put(db, "embedding_model", "none", now=now)
        resolve_project(db, FOLDER, now=now)
    return db_path


def write_transcript(
    home: Path, name: str = SESSION, text: str = "No. Always use pnpm for installing packages."
) -> Path:
    """A transcript where the agent keeps them."""
    path = home / ".claude" / "projects" / "-home-sam-code-tidepool" / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    entries = [
        {"type": role, "uuid": f"{name[:8]}-0000-4000-8000-00000000000{number}", "parentUuid": None, "sessionId": name,
         "cwd": FOLDER, "timestamp": f"2026-10-20T10:00:0{number}.000Z", "message": {"role": role, "content": said}}
        for number, (role, said) in enumerate((("user", text), ("assistant", "Understood.")))
    ]  # fmt: skip
    path.write_text("".join(f"{json.dumps(entry)}\n" for entry in entries), "utf-8")
    return path


def remember(path: Path, text: str, *, paths: tuple[str, ...] = (), locked: bool = False, **more: Any) -> str:
    now = datetime.now(UTC)
    with closing(open_database(path, now=now)) as db:
        project_id = resolve_project(db, FOLDER, now=now)
        values: dict[str, Any] = {"kind": "convention", "scope": "project", "project_id": project_id} | more
        uid = add_memory(db, text=text, paths=list(paths), now=now, **values)
        if locked:
            lock(db, uid, by="user", reason="test", now=now)
    return uid


def put(path: Path, name: str, value: str) -> None:
    with closing(open_database(path, now=datetime.now(UTC))) as db:
        settings.put(db, name, value, now=datetime.now(UTC))


# ---------------------------------------------------------- stop, end, compaction


def test_a_session_that_ends_is_taken_in_without_a_command(ready: Path, tmp_path: Path) -> None:
    path = write_transcript(tmp_path)
    assert run("session-end", ready, event("session-end", tmp_path)) == {}
    assert outcome(ready) == ("done", "transcript due")
    wait_for_jobs(ready)
    assert rows(ready, "select text from memories") == [("Always use pnpm for installing packages.",)]
    assert rows(ready, "select path, state from sources") == [(str(path), "read")]
    assert rows(ready, "select error from runs where error is not null") == []


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({}, "No transcript there"),
        ({"transcript_path": ""}, "no transcript in the payload"),
        ({"transcript_path": 7}, "no transcript in the payload"),
        ({"transcript_path": "/etc/passwd"}, "does not end in .jsonl"),
        ({"transcript_path": "../../x.jsonl"}, "No full path of a transcript"),
        ({"transcript_path": "/dev/null/x.jsonl"}, "No transcript there"),
    ],
)
def test_a_transcript_that_may_not_be_read_is_a_reason(
    ready: Path, tmp_path: Path, changes: dict[str, object], reason: str
) -> None:
    for name in ("session-end", "pre-compact"):
        assert run(name, ready, event(name, tmp_path, **changes)) == {}
        assert outcome(ready)[0] == "skipped" and reason in outcome(ready)[1]
    assert rows(ready, "select count(*) from jobs") == [(0,)]


def test_before_a_compaction_the_moment_is_named_and_the_transcript_taken_in(ready: Path, tmp_path: Path) -> None:
    write_transcript(tmp_path)
    assert run("pre-compact", ready, event("pre-compact", tmp_path)) == {}
    wait_for_jobs(ready)
    [(name, kind, note, by, at)] = rows(ready, "select name, kind, note, created_by, created_at from checkpoints")
    assert (kind, note, by) == ("pre-compact", "auto", "hook")
    assert name.startswith(f"pre-compact-{SESSION[:8]}-") and at[:10].replace("-", "") in name
    with closing(open_database(ready, now=datetime.now(UTC))) as db:
        assert moments.read_moment(db, name, now=datetime.now(UTC), zone=ZoneInfo("UTC")) == at


def test_a_reply_that_cites_what_was_shown_is_evidence(ready: Path, tmp_path: Path) -> None:
    uid = remember(ready, "Deploys to staging go through the blue pipeline.", kind="decision", locked=True)
    shown = run("user-prompt", ready, event("user-prompt", tmp_path, prompt="which pipeline deploys to staging?"))
    assert uid in shown[CONTEXT]
    for _ in range(2):
        assert run("stop", ready, event("stop", tmp_path, last_assistant_message=f"As [{uid}] says, blue.")) == {}
    assert rows(ready, "select count(*) from evidence where kind = 'cited'") == [(1,)]
    reasons = [row[0] for row in rows(ready, "select reason from hook_runs where hook = 'stop' order by id")]
    assert reasons == ["cited 1", "nothing cited"]


@pytest.mark.parametrize(
    ("changes", "expected_outcome"),
    [
        ({"stop_hook_active": True}, ("skipped", "a stop hook is active")),
        ({"last_assistant_message": None}, ("skipped", "no reply in the payload")),
        ({"last_assistant_message": "nothing of the kind"}, ("done", "nothing cited")),
    ],
)
def test_a_reply_without_citations_is_nothing(
    ready: Path, tmp_path: Path, changes: dict[str, object], expected_outcome: tuple[str, str]
) -> None:
    assert run("stop", ready, event("stop", tmp_path, **changes)) == {}
    assert outcome(ready) == expected_outcome


# ------------------------------------------------------------------------ start


def test_what_one_session_said_is_in_the_next_ones_brief(ready: Path, tmp_path: Path) -> None:
    """Nobody runs a command between them."""
    write_transcript(tmp_path)
    assert run("session-start", ready, event("session-start", tmp_path)) == {}
    assert run("session-end", ready, event("session-end", tmp_path)) == {}
    wait_for_jobs(ready)
    shown = run("session-start", ready, event("session-start", tmp_path, session_id="another"))
    assert "Always use pnpm for installing packages" in shown[CONTEXT]
    assert outcome(ready) == ("shown", "startup")
    [(surface, session)] = rows(ready, "select surface, session_uid from recalls order by id desc limit 1")
    assert (surface, session) == ("session-start", "another")


def test_a_start_sweeps_what_earlier_sessions_left(ready: Path, tmp_path: Path) -> None:
    """A session that was killed told nobody of its end; its own transcript has just begun."""
    write_transcript(tmp_path)
    crashed = write_transcript(
        tmp_path, "00000001-6d6e-4a52-9a4c-0d6f3c1c8a11", "No. Always run make lint before a push."
    )
    (crashed.parent / "link.jsonl").symlink_to(crashed)
    (crashed.parent / "notes.txt").write_text("no transcript")
    run("session-start", ready, event("session-start", tmp_path))
    assert rows(ready, "select key from jobs where kind = 'transcript'") == [(str(crashed),)]
    wait_for_jobs(ready)
    run("session-start", ready, event("session-start", tmp_path))
    assert rows(ready, "select count(*), min(state) from jobs where kind = 'transcript'") == [(1, "done")]
    with crashed.open("a") as file:
        file.write("\n")
    elsewhere = str(tmp_path / "elsewhere" / "x.jsonl")
    run("session-start", ready, event("session-start", tmp_path, transcript_path=elsewhere))
    assert rows(ready, "select count(*) from jobs where kind = 'transcript' and changed_at > created_at") == [(1,)]
    wait_for_jobs(ready)


def test_one_that_goes_on_is_swept_too(ready: Path, tmp_path: Path) -> None:
    path = write_transcript(tmp_path)
    run("session-start", ready, event("session-start", tmp_path, source="resume"))
    assert rows(ready, "select key from jobs where kind = 'transcript'") == [(str(path),)]
    wait_for_jobs(ready)


@pytest.mark.parametrize("source", ["startup", "resume", "clear", "compact"])
def test_every_source_of_a_start_gives_the_block(sample_path: Path, tmp_path: Path, source: str) -> None:
    shown = run("session-start", sample_path, event("session-start", tmp_path, source=source))
    assert shown[CONTEXT].startswith("<memory-brief") and shown[CONTEXT].endswith("</memory-brief>")
    row = last_run(sample_path)
    assert (row["outcome"], row["reason"]) == ("shown", source) and row["recall_id"] and row["shown_tokens"] > 0


@pytest.mark.parametrize("source", ["clear", "compact"])
def test_an_emptied_context_is_given_the_block_again(sample_path: Path, tmp_path: Path, source: str) -> None:
    """Also where the hook before the compaction left no row; and what prompts had shown may be shown again."""
    asked = event("user-prompt", tmp_path, prompt="which port does postgres use")
    first = run("session-start", sample_path, event("session-start", tmp_path))[CONTEXT]
    first_brief = run("user-prompt", sample_path, asked)[CONTEXT]
    assert run("session-start", sample_path, event("session-start", tmp_path, source="resume")) == {}
    again = run("session-start", sample_path, event("session-start", tmp_path, source=source))[CONTEXT]
    assert again.splitlines()[1:] == first.splitlines()[1:]
    assert run("user-prompt", sample_path, asked)[CONTEXT].splitlines()[1:] == first_brief.splitlines()[1:]


def test_no_secret_is_kept_of_what_names_an_event(sample_path: Path, tmp_path: Path) -> None:
    """A session's uid is kept as the importer keeps it, whatever stands there."""
    token = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"
    named = {"session_id": token, "cwd": FOLDER}
    run("session-start", sample_path, event("session-start", tmp_path) | named | {"source": token})
    run("user-prompt", sample_path, event("user-prompt", tmp_path) | named)
    run("stop", sample_path, event("stop", tmp_path) | named)
    found = rows(sample_path, "select session_uid, reason from hook_runs order by id desc limit 3")
    assert {uid for uid, _ in found} == {identifier(token)}
    assert all(token not in reason for _, reason in found)
    assert rows(sample_path, "select distinct session_uid from recalls where session_uid = ?", identifier(token))
    run("stop", sample_path.with_name("none.db"), event("stop", tmp_path) | named)
    assert token not in sample_path.with_name("none.db.spool.jsonl").read_text()
    for length in (2_000, 1_000_000):
        run("stop", sample_path, event("stop", tmp_path, session_id="x" * length))
        assert len(last_run(sample_path)["session_uid"]) == 32


def test_what_waits_for_review_is_reported_at_the_start(sample_path: Path, tmp_path: Path) -> None:
    waiting = rows(sample_path, "select coalesce(sum(waiting), 0) from review_waiting")[0][0]
    shown = run("session-start", sample_path, event("session-start", tmp_path))[CONTEXT]
    assert waiting and f"{waiting} " in "".join(line for line in shown.splitlines() if "review" in line)


def test_a_pause_keeps_the_block_back_but_not_the_sweep(sample_path: Path, tmp_path: Path, now: datetime) -> None:
    crashed = write_transcript(tmp_path, "00000001-6d6e-4a52-9a4c-0d6f3c1c8a11")
    with closing(open_database(sample_path, now=now)) as db:
        settings.put(db, "embedding_model", "none", now=now)
        pause(db, by="user", now=datetime.now(UTC))
    assert run("session-start", sample_path, event("session-start", tmp_path)) == {}
    assert outcome(sample_path) == ("skipped", "paused")
    assert (str(crashed),) in rows(sample_path, "select key from jobs where kind = 'transcript'")
    wait_for_jobs(sample_path)


def test_a_session_that_is_held_out_reads_what_is_locked_alone(sample_path: Path, tmp_path: Path) -> None:
    uid = remember(sample_path, "Never print customer names in logs.", locked=True, scope="user", project_id=None)
    put(sample_path, "holdout_share", "1")
    with closing(open_database(sample_path, now=datetime.now(UTC))) as db:
        assert holdouts.drawn(db, SESSION) == (True, (True, 1.0))
    shown = run("session-start", sample_path, event("session-start", tmp_path))[CONTEXT]
    assert uid in shown
    newest = "(select max(id) from recalls)"
    ranked = f"select count(*) from hits where rank is not null and recall_id = {newest}"
    locked = f"""{ranked} and memory_version_id in (select v.id from memory_versions v where v.lock_level = 'user')"""
    assert rows(sample_path, ranked) == rows(sample_path, locked)
    assert outcome(sample_path) == ("shown", "held out")
    held_out = f"select count(*) from hits where left_out_reason = 'held out' and recall_id = {newest}"
    counted = "select json_extract(left_out, '$.\"held out\"') from recalls order by id desc limit 1"
    assert rows(sample_path, counted) == rows(sample_path, held_out) != [(0,)]
    assert rows(sample_path, f"{held_out} and shown_reason is not null") == [(0,)]


NEWER = {
    "seconds_since_last_response": 1, "context_tokens": 1_954, "prompt_cache_likely_expired": True,
    "estimated_cache_write_usd": 0.0073, "effort": {"level": "medium"}, "agent_id": "ab12", "agent_type": "",
    "background_tasks": [{"id": "ab12", "type": "subagent", "status": "running"}], "session_crons": [],
}  # fmt: skip
"""What Claude Code 2.1.330 tells hooks and 2.1.197 does not, or not all of them."""


@pytest.mark.parametrize("name", ["session-start", "pre-tool-use", "stop", "session-end", "pre-compact"])
def test_what_a_newer_client_tells_beside_changes_nothing(ready: Path, tmp_path: Path, name: str) -> None:
    run(name, ready, event(name, tmp_path, **NEWER))
    [(outcome,)] = rows(ready, "select outcome from hook_runs")
    assert outcome != "failed"


@pytest.mark.parametrize("name", ["session-start", "pre-tool-use", "stop", "session-end", "pre-compact"])
@pytest.mark.parametrize(
    "payload",
    [b"", b"\0", b"nonsense", b"{", b"{}", b"[]", b"{" * 100_000,
     b'{"session_id": 1, "cwd": [], "transcript_path": {}}',
     b'{"tool_name": "Bash", "tool_input": "x", "source": 3, "session_id": null}', b'{"hook_event_name": "Other"}'],
    ids=range(10),
)  # fmt: skip
def test_garbage_is_answered_with_silence(ready: Path, name: str, payload: bytes) -> None:
    assert run(name, ready, payload) == {}
    assert rows(ready, "select count(*) from jobs where kind = 'transcript'") == [(0,)]


# ------------------------------------------------------------------------ tools


@pytest.fixture
def ruled(ready: Path) -> tuple[Path, str, int]:
    """A file where a locked memory forbids a command: the file, the memory, the rule."""
    uid = remember(ready, "Never force-push: it cost us a week.", locked=True)
    with closing(open_database(ready, now=datetime.now(UTC))) as db:
        rule_id = command_rules.add_rule(
            db, uid, "git push --force*", decision="deny", by="user", now=datetime.now(UTC)
        )
    return ready, uid, rule_id


def test_a_forbidden_command_is_denied_with_the_memory(ruled: tuple[Path, str, int], tmp_path: Path) -> None:
    path, uid, rule_id = ruled
    said = run("pre-tool-use", path, event("pre-tool-use", tmp_path, tool_name="Bash"))
    assert said == {
        "permissionDecision": "deny",
        "permissionDecisionReason": f"Memory {uid}, locked by the user, forbids `git push --force*`:"
        " Never force-push: it cost us a week.",
    }
    assert outcome(path) == ("denied", f"rule {rule_id} of {uid}: git push --force*")
    calm = event("pre-tool-use", tmp_path, tool_name="Bash", tool_input={"command": "git push origin main"})
    assert run("pre-tool-use", path, calm) == {}
    assert outcome(path) == ("silent", "no rule on this command")


def test_asking_is_weaker_than_denying(ruled: tuple[Path, str, int], tmp_path: Path) -> None:
    path, uid, _ = ruled
    with closing(open_database(path, now=datetime.now(UTC))) as db:
        for pattern in ("git push", "npm publish"):
            command_rules.add_rule(db, uid, pattern, decision="ask", by="user", now=datetime.now(UTC))
    asked = event("pre-tool-use", tmp_path, tool_name="Bash", tool_input={"command": "cd x && npm  publish --tag next"})
    assert run("pre-tool-use", path, asked)[DECISION] == "ask"
    assert outcome(path)[0] == "asked"
    assert run("pre-tool-use", path, event("pre-tool-use", tmp_path, tool_name="Bash"))[DECISION] == "deny"


def test_a_rule_holds_only_while_its_memory_does(ruled: tuple[Path, str, int], tmp_path: Path) -> None:
    path, uid, rule_id = ruled
    forced = event("pre-tool-use", tmp_path, tool_name="Bash")
    now = datetime.now(UTC)
    with closing(open_database(path, now=now)) as db:
        unlock(db, uid, by="user", reason="x", now=now)
        assert run("pre-tool-use", path, forced) == {}
        lock(db, uid, by="user", reason="x", now=now)
        assert run("pre-tool-use", path, forced)
        assert run("pre-tool-use", path, {**forced, "cwd": "/somewhere/else"}) == {}
        db.execute("update memories set status = 'retired' where uid = ?", [uid])
        assert run("pre-tool-use", path, forced) == {}
        db.execute("update memories set status = 'active' where uid = ?", [uid])
        assert command_rules.end_rule(db, rule_id, now=now)
        assert run("pre-tool-use", path, forced) == {}


def test_rules_hold_where_memory_keeps_silent(ruled: tuple[Path, str, int], tmp_path: Path) -> None:
    path, _, _ = ruled
    forced = event("pre-tool-use", tmp_path, tool_name="Bash")
    with closing(open_database(path, now=datetime.now(UTC))) as db:
        pause(db, by="user", now=datetime.now(UTC))
        assert run("pre-tool-use", path, forced)[DECISION] == "deny"
        pauses.end_pauses(db, now=datetime.now(UTC))
        settings.put(db, "holdout_share", "1", now=datetime.now(UTC))
        assert run("pre-tool-use", path, forced)[DECISION] == "deny"


def test_nothing_happens_where_it_was_turned_off(ruled: tuple[Path, str, int], tmp_path: Path) -> None:
    path, _, _ = ruled
    put(path, "pre_tool_use", "off")
    assert run("pre-tool-use", path, event("pre-tool-use", tmp_path, tool_name="Bash")) == {}
    assert outcome(path) == ("skipped", "pre_tool_use is off")


@pytest.mark.parametrize("bound_to", ["src/api/server.py", "./src/api/server.py", f"{FOLDER}/src/api/server.py"])
def test_a_memory_on_the_file_is_reported_once_unless_it_changed(ready: Path, tmp_path: Path, bound_to: str) -> None:
    uid = remember(ready, "The server module must not import the client.", kind="structure", paths=(bound_to,))
    remember(ready, "Another file is generated.", paths=("src/api/other.py",))
    touched = event("pre-tool-use", tmp_path, tool_name="Edit")
    said = run("pre-tool-use", ready, touched)[CONTEXT]
    assert uid in said and "must not import the client" in said and "Another file" not in said
    row = last_run(ready)
    assert (row["outcome"], row["reason"], row["session_uid"]) == ("shown", "", SESSION) and row["recall_id"]
    assert rows(ready, "select surface, session_uid from recalls") == [("pre-tool-use", SESSION)]
    assert run("pre-tool-use", ready, event("pre-tool-use", tmp_path, tool_name="NotebookEdit")) == {}
    assert outcome(ready) == ("silent", "shown in this session already")
    assert run("pre-tool-use", ready, {**touched, "session_id": "another"})
    with closing(open_database(ready, now=datetime.now(UTC))) as db:
        db.execute(
            "update memories set text = 'The server may import the client now.', changed_by = 'user',"
            " change_reason = 'x', updated_at = '2026-11-30T00:00:00.000Z' where uid = ?", [uid],
        )  # fmt: skip
    assert "may import the client now" in run("pre-tool-use", ready, touched)[CONTEXT]


def test_a_rule_on_the_file_is_reported_each_time(ready: Path, tmp_path: Path) -> None:
    rule = remember(ready, "Never import the client here.", kind="correction", paths=("src/api/server.py",))
    plain = remember(ready, "It starts in a second.", kind="structure", paths=("src/api/server.py",))
    touched = event("pre-tool-use", tmp_path, tool_name="Edit")
    first, second, third = (run("pre-tool-use", ready, touched)[CONTEXT] for _ in range(3))
    assert rule in first and plain in first
    assert all(rule in said and plain not in said for said in (second, third))


@pytest.mark.parametrize(
    "given",
    [{"file_path": ""}, {"file_path": 3}, {}, {"file_path": "/nowhere/x.py"}, {"file_path": "\0"},
     {"file_path": "a" * 9_000}],
    ids=range(6),
)  # fmt: skip
def test_a_file_without_memories_is_left_alone(ready: Path, tmp_path: Path, given: dict[str, object]) -> None:
    assert run("pre-tool-use", ready, event("pre-tool-use", tmp_path, tool_name="Edit", tool_input=given)) == {}
    assert rows(ready, "select count(*) from recalls") == [(0,)]


def test_the_brief_on_a_file_keeps_within_its_budget(ready: Path, tmp_path: Path) -> None:
    for number in range(30):
        remember(
            ready, f"Fact {number}: " + "the server keeps a long story of its ports " * 6, paths=("src/api/server.py",)
        )
    run("pre-tool-use", ready, event("pre-tool-use", tmp_path, tool_name="Edit"))
    assert 0 < last_run(ready)["shown_tokens"] <= 200


# ------------------------------------------------------------------- trouble


def test_a_busy_file_costs_the_agent_nothing(ready: Path, tmp_path: Path) -> None:
    write_transcript(tmp_path)
    with closing(sqlite3.connect(ready, isolation_level=None)) as other:
        other.execute("begin immediate")
        for name in ("session-end", "pre-compact", "session-start"):
            assert run(name, ready, event(name, tmp_path, session_id="b")) == {}
        # While nobody can take it in: a worker that a start called would, a moment later.
        lines = [json.loads(line) for line in Path(f"{ready}.spool.jsonl").read_text("utf-8").splitlines()]
        other.rollback()
    assert [line.get("error", line.get("outcome")) for line in lines] == ["skipped", "BusyError", "silent"]
    # The next start finds what this end could not leave.
    run("session-start", ready, event("session-start", tmp_path, session_id="c", transcript_path=str(
        tmp_path / ".claude" / "projects" / "-home-sam-code-tidepool" / "c.jsonl")))  # fmt: skip
    wait_for_jobs(ready)


def test_a_copy_that_cannot_be_written_is_left_alone(ready: Path, tmp_path: Path) -> None:
    missing = tmp_path / "gone" / "memory.db"
    for name in ("session-start", "stop", "session-end", "pre-compact", "pre-tool-use"):
        assert run(name, missing, event(name, tmp_path)) == {}
    assert not missing.parent.exists()
    corrupt = Path(shutil.copy(ready, tmp_path / "corrupt.db"))
    os.truncate(corrupt, 3_000)
    for name in ("session-start", "stop", "session-end", "pre-compact"):
        assert run(name, corrupt, event(name, tmp_path)) == {}


# --------------------------------------------------------------------- views


def test_views_tell_speed_and_reasons(db: sqlite3.Connection) -> None:
    for number in range(1, 21):
        db.execute(
            "insert into hook_runs (hook, started_at, duration_ms, outcome, reason) values ('stop', ?, ?, 'done', ?)",
            [f"2026-11-01T00:00:{number:02d}.000Z", float(number), "cited 1" if number > 18 else "nothing cited"],
        )
    for path in ("/a/b.jsonl", "/c.jsonl"):
        db.execute(
            "insert into hook_runs (hook, started_at, duration_ms, outcome, reason) values"
            " ('session-end', '2026-11-01', 2, 'skipped', ?)", [f"No transcript there (x): {path!r}. Name one."],
        )  # fmt: skip
    db.execute(
        "insert into hook_runs (hook, started_at, outcome, reason, error) values ('stop', '', 'failed', 'busy', 'X')"
    )
    speed = [tuple(row)[:6] for row in db.execute("select * from hook_speed where hook = 'stop' order by outcome")]
    assert speed == [("stop", "all", 20, 10.0, 19.0, 20.0), ("stop", "done", 20, 10.0, 19.0, 20.0)]
    reasons = [tuple(row)[:7] for row in db.execute("select * from hook_runs_by_reason order by hook, outcome, reason")]
    assert reasons == [
        ("session-end", "skipped", "No transcript there (x)", None, 2, 2.0, 2.0),
        ("stop", "done", "cited 1", None, 2, 19.0, 20.0),
        ("stop", "done", "nothing cited", None, 18, 9.0, 18.0),
        ("stop", "failed", "busy", "X", 1, None, None),
    ]


def test_a_view_shows_what_a_session_was_shown(ready: Path, tmp_path: Path) -> None:
    uid = remember(ready, "Deploys to staging go through the blue pipeline.", kind="decision", locked=True)
    run("user-prompt", ready, event("user-prompt", tmp_path, prompt="which pipeline deploys to staging?"))
    columns = "session_uid, surface, rank, memory_uid, is_cited"
    assert rows(ready, f"select {columns} from session_shown") == [(SESSION, "hook", 1, uid, 0)]
    run("stop", ready, event("stop", tmp_path, last_assistant_message=f"[{uid}]"))
    assert rows(ready, f"select {columns} from session_shown") == [(SESSION, "hook", 1, uid, 1)]
