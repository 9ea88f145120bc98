"""Claude Code itself, with our plugin installed by our own command, against a stand-in for the model on loopback."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memory_db.agents.claude_code.plugin import PLUGIN, SERVER
from memory_db.index import build as index
from memory_db.knowledge.memories import add_memory
from memory_db.store import settings
from memory_db.store.schema import open_database
from memory_db.transcripts.projects import resolve_project
from tests.support.claude_api import ClaudeApi, Reply, Request, Say, Use, claude_api
from tests.support.patience import wait_for
from tests.support.real_clients import ClientEnvironment, claudes, client_environment, give_time, memory_db
from tests.support.rows import named_rows

pytestmark = [pytest.mark.slow, pytest.mark.claude]

TOOL_PREFIX = f"mcp__plugin_{PLUGIN}_{SERVER}__"
"""How Claude Code names the tools of that server, as its --allowedTools wants them. Source: seen in the requests of
Claude Code 2.1.197 and 2.1.330."""

FACT = "The test database of the shop listens on port 5433."
QUESTION = "Which port does the test database of the shop listen on?"
CORRECTION = "No, the test database of the shop listens on port 5434 now."
UID = re.compile(r"\[m[0-9a-f]{8}\]")


@pytest.fixture(params=claudes())
def here(request: pytest.FixtureRequest) -> Iterator[ClientEnvironment]:
    """A home and a project, with each version of the client; in a folder whose name leaves room for a socket's."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        yield client_environment(Path(folder), claude=request.param)


@pytest.fixture
def path(here: ClientEnvironment) -> Path:
    """A file with one memory, and no model to load."""
    path = here.home / "my memory.db"
    now = datetime.now(UTC)
    with closing(open_database(path, now=now)) as db:
        settings.put(db, "embedding_model", "none", now=now)
        project_id = resolve_project(db, str(here.project), now=now)
        add_memory(db, text=FACT, kind="environment", scope="project", project_id=project_id, now=now)
        index.run(db, now=now)
    return path


@pytest.fixture
def installed(here: ClientEnvironment, path: Path) -> Path:
    """The folder of the plugin, put there by our own command."""
    data = json.loads(memory_db(here, path, ["install", "claude-code", "--json"]))
    return Path(data["folder"])


@pytest.fixture
def patient(installed: Path) -> Path:
    """The same, with hooks that have the time which a slow machine needs."""
    give_time(installed)
    return installed


@pytest.fixture
def api(here: ClientEnvironment) -> Iterator[ClaudeApi]:
    """The stand-in: it asks our tool once where it may, then cites a memory that it was given."""
    with claude_api(asks_memory) as served:
        here.variables |= {"ANTHROPIC_API_KEY": "of-a-stand-in", "ANTHROPIC_BASE_URL": served.url}
        yield served


def asks_memory(request: Request) -> Reply:
    tool = f"{TOOL_PREFIX}recall"
    if tool in request.tools and not request.results and CORRECTION not in request.text:
        return Use(tool, {"query": QUESTION})
    shown = UID.search(request.text)
    return Say(f"As {shown[0]} says." if shown else "Understood.")


def ask(here: ClientEnvironment, prompt: str, *words: str) -> dict[str, Any]:
    """One `claude -p`, and what it gave back."""
    allowed = ["--allowedTools", f"{TOOL_PREFIX}recall"]
    done = here.run("claude", "-p", prompt, "--output-format", "json", *allowed, *words)
    answer = json.loads(done.stdout)
    assert isinstance(answer, dict) and not answer["is_error"], done.stdout
    return answer


def test_the_plugin_is_valid_and_its_server_answers(here: ClientEnvironment, path: Path, installed: Path) -> None:
    told = here.run("claude", "plugin", "validate", "--strict", str(installed)).stdout
    assert "Validation passed" in told and "warning" not in told
    listed = here.run("claude", "plugin", "list").stdout
    assert "mem@skills-dir" in listed and "loaded" in listed
    servers = here.run("claude", "mcp", "list").stdout
    [line] = [line for line in servers.splitlines() if line.startswith("plugin:mem:memory: ")]
    assert line.endswith("✔ Connected")
    memory_db(here, path, ["uninstall", "claude-code"])
    assert "mem@skills-dir" not in here.run("claude", "plugin", "list").stdout


def test_a_reader_that_is_warm_answers_the_prompt(
    here: ClientEnvironment, path: Path, patient: Path, api: ClaudeApi
) -> None:
    """As where another session of the person runs, whose reader has the model."""
    now = datetime.now(UTC)
    with closing(open_database(path, now=now)) as db:
        settings.put(db, "embedding_model", "minilm-int8", now=now)
        index.run(db, now=now)
    command = [sys.executable, "-I", "-m", "memory_db", "mcp", "-d", str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, env=here.environment()) as reader:
        try:
            socket = here.home / ".cache" / "memory-db" / "warm" / "hook.sock"
            wait_for("no reader is warm", lambda: [1] if socket.exists() else [])
            ask(here, QUESTION)
        finally:
            reader.kill()
    asked = next(request for request in api.requests if request.tools and not request.results)
    shown = named_rows(path, "select uid, surface from recalls where surface <> 'mcp' order by id")
    assert [row["surface"] for row in shown] == ["session-start", "hook"]
    assert [asked.text.count(f'<memory-brief recall="{row["uid"]}"') for row in shown] == [1, 0]
    assert asked.text.count(FACT) == 1, "the session began with it"
    [run] = named_rows(path, "select outcome, answered_by from hook_runs where hook = 'user-prompt'")
    assert (run["outcome"], run["answered_by"]) == ("silent", "warm"), tuple(run)
    assert not named_rows(path, "select 1 from hook_runs where outcome = 'failed'")


def test_the_validator_shows_a_broken_plugin(here: ClientEnvironment, installed: Path) -> None:
    hooks = installed / "hooks" / "hooks.json"
    hooks.write_text(hooks.read_text().replace('"SessionStart"', '"SessionBegin"'))
    assert "SessionBegin" in here.run("claude", "plugin", "validate", "--strict", str(installed), code=1).stdout


def test_the_server_can_be_added_by_hand(here: ClientEnvironment, path: Path) -> None:
    words = [sys.executable, "-I", "-m", "memory_db", "mcp", "-d", str(path)]
    here.run("claude", "mcp", "add", "--scope", "user", "memory", "--", *words)
    assert "✔ Connected" in here.run("claude", "mcp", "list").stdout
    here.run("claude", "mcp", "remove", "--scope", "user", "memory")
    here.run("claude", "mcp", "add", "--scope", "user", "broken", "--", "/bin/false")
    assert "✘ Failed to connect" in here.run("claude", "mcp", "list").stdout


def test_data_beside_the_text_would_stand_in_its_place(here: ClientEnvironment, path: Path) -> None:
    """Why no agent is sent data unasked: its model is given that alone, and pays for it."""
    tool = "mcp__memory__recall"

    def asks_once(request: Request) -> Reply:
        if not request.results and tool not in request.tools and "ToolSearch" in request.tools:
            return Use("ToolSearch", {"query": f"select:{tool}"})
        is_new = tool in request.tools and not any(texts_of(request))
        return Use(tool, {"query": QUESTION}) if is_new else Say("Understood.")

    def texts_of(request: Request) -> list[str]:
        """What our tool answered: what finds tools answers with references, and no text."""
        return [result for result in request.results if result]

    given = []
    here.variables["MCP_CONNECTION_NONBLOCKING"] = "0"
    for words in ((), ("--structured",)):
        served = [sys.executable, "-I", "-m", "memory_db", "mcp", *words, "-d", str(path)]
        here.run("claude", "mcp", "add", "--scope", "user", "memory", "--", *served)
        with claude_api(asks_once) as api:
            here.variables |= {"ANTHROPIC_API_KEY": "of-a-stand-in", "ANTHROPIC_BASE_URL": api.url}
            ask(here, QUESTION, tool)
            given += [result for request in api.requests for result in texts_of(request)]
        here.run("claude", "mcp", "remove", "--scope", "user", "memory")
    text, data = given
    assert text.startswith("<memory-brief") and not data.startswith("<memory-brief")
    assert "get(uids)" in text and "get(uids)" not in data
    assert json.loads(data)["hits"] and len(data) > 2 * len(text)


def test_a_correction_of_one_session_is_in_the_brief_of_the_next(
    here: ClientEnvironment, path: Path, patient: Path, api: ClaudeApi
) -> None:
    here.variables["MCP_CONNECTION_NONBLOCKING"] = "0"  # wait for the server: the stand-in asks it at once
    first = ask(here, QUESTION)

    # The session's first brief stood in the first request, before the model said anything.
    [begin, *_, end] = [request for request in api.requests if request.tools]
    [uid] = [row["uid"] for row in named_rows(path, "select uid from memories")]
    assert not begin.results
    assert FACT in begin.text and uid in begin.text and "<memory-brief" in begin.text

    # Our tool was called, with its result in the next request.
    [result] = end.results
    assert FACT in result and result.startswith("<memory-brief")
    assert {row["surface"] for row in named_rows(path, "select surface from recalls")} >= {"hook", "mcp"}

    # No command of a person's costs tokens in a session that does not use it.
    assert "mem:lock" not in begin.text

    # Each hook ran once, in this session, and none failed.
    ran = named_rows(path, "select hook, outcome, reason, session_uid from hook_runs order by id")
    assert [row["hook"] for row in ran] == ["session-start", "user-prompt", "stop", "session-end"], [*map(tuple, ran)]
    assert {row["session_uid"] for row in ran} == {first["session_id"]}
    outcomes = {row["hook"]: row["outcome"] for row in ran}
    assert (outcomes["session-start"], outcomes["user-prompt"]) == ("shown", "silent"), "the session began with it"
    assert not [row["reason"] for row in ran if row["outcome"] == "failed"]

    # The reply cited the memory that the brief had shown, which counts for it.
    cited = wait_for("no citation", lambda: named_rows(path, "select * from evidence where kind = 'cited'"))
    assert (cited[0]["direction"], cited[0]["recall_id"] is not None) == ("for", True)

    # The transcript is taken in by the detached worker, without our own words in it.
    session = first["session_id"]
    wait_for("no session was taken in", lambda: named_rows(path, "select 1 from sessions where uid = ?", session))
    texts = [row["text"] for row in named_rows(path, "select text from entries where kind in ('prompt', 'reply')")]
    assert QUESTION in texts
    assert not [text for text in texts if "<memory-brief" in text]

    # A correction in the same session becomes a memory, and nobody runs a command.
    ask(here, CORRECTION, "--resume", session)
    new = wait_for(
        "the correction was not found", lambda: named_rows(path, "select uid from memories where text like '%5434%'")
    )

    idle = "select 1 where not exists (select 1 from jobs where state in ('due', 'running'))"
    wait_for("work is left", lambda: named_rows(path, idle))

    # The next session's prompt brings it.
    seen = len(api.requests)
    second = ask(here, QUESTION)
    assert second["session_id"] != session
    asked = next(request for request in api.requests[seen:] if request.tools and not request.results)
    assert new[0]["uid"] in asked.text and "5434" in asked.text
    assert named_rows(path, "select status from memories where uid = ?", uid)[0]["status"] == "superseded"
    assert not named_rows(path, "select 1 from hook_runs where outcome = 'failed'")


def test_commands_of_a_person(here: ClientEnvironment, path: Path, patient: Path, api: ClaudeApi) -> None:
    [uid] = [row["uid"] for row in named_rows(path, "select uid from memories")]
    hurt = here.project / "hurt"
    ask(here, f"/mem:lock {uid}")
    assert [request for request in api.requests if f'<memory-brief command="lock">\n{uid}' in request.text]
    assert named_rows(path, "select lock_level from memories")[0]["lock_level"] == "user"
    ask(here, f"/mem:recall $(touch '{hurt}'); touch '{hurt}' `touch '{hurt}'`")
    assert not hurt.exists()
    seen = len(api.requests)
    assert "memory-db review" in ask(here, "/mem:review")["result"]
    assert len(api.requests) == seen, "what only a person reads asks no model"


def test_a_project_of_its_own_once_it_is_trusted(here: ClientEnvironment, path: Path, api: ClaudeApi) -> None:
    memory_db(here, path, ["install", "claude-code", "--project", "--folder", str(here.project)])
    give_time(here.project / ".claude" / "skills" / "mem")
    ask(here, QUESTION)
    assert not api.seen(FACT), "a project that nobody trusts yet runs nothing"
    (here.home / ".claude.json").write_text(
        json.dumps({"projects": {str(here.project): {"hasTrustDialogAccepted": True}}})
    )
    ask(here, QUESTION)
    assert api.seen(FACT)


def test_without_a_database_the_agent_notices_nothing(
    here: ClientEnvironment, path: Path, patient: Path, api: ClaudeApi
) -> None:
    for each in path.parent.glob("my memory.db*"):
        each.unlink()
    assert ask(here, QUESTION)["result"] == "Understood."
    assert not api.seen("<memory-brief")
    assert not path.exists()


def test_no_brief_of_a_day_holds_what_the_client_shows_its_model(
    here: ClientEnvironment, path: Path, patient: Path, api: ClaudeApi
) -> None:
    """Each prompt is asked of all that was taken in of those before it, with words that the client uses too."""
    (here.project / "CLAUDE.md").write_text("Use the environment of the shop for every tool.\n")
    session = ask(here, QUESTION)["session_id"]
    idle = "select 1 where not exists (select 1 from jobs where state in ('due', 'running'))"
    for prompt in (
        "Which tools and skills run in this environment?",
        "What is the system prompt of the shop?",
        CORRECTION,
    ):
        wait_for("no session was taken in", lambda: named_rows(path, "select 1 from sessions"))
        wait_for("work is left", lambda: named_rows(path, idle))
        ask(here, prompt, "--resume", session)
    wait_for("work is left", lambda: named_rows(path, idle))
    shown = [row["shown_text"] for row in named_rows(path, "select shown_text from recalls")]
    assert any(shown)
    assert not [text for text in shown if '{"' in text or "CLAUDE.md" in text]
    kinds = {row["kind"] for row in named_rows(path, "select kind from entries")}
    assert kinds <= {"prompt", "reply", "tool_call", "tool_result", "queue", "attachment", "notice"}
    assert not named_rows(path, "select 1 from entries where text like '{%'")
    assert named_rows(path, "select 1 from skipped_records where type = 'attachment skill_listing'")
