"""An agent's own program reads sessions once a person allowed it: the commands, the first run, and the real client."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from memory_db.cli import cli
from memory_db.errors import ModelError
from memory_db.models.consent import refuse_without_consent
from memory_db.store import settings
from memory_db.store.own_agent import OWN_FOLDER
from memory_db.store.schema import open_database
from memory_db.transcripts.importer import import_claude_code, is_own_session
from tests.support.agent_program import StandIn, claude_output, stand_in
from tests.support.claude_api import ClaudeApi, Reply, Request, Say, claude_api
from tests.support.reading_model import answer_to
from tests.support.real_clients import ClientEnvironment, claudes, client_environment, memory_db
from tests.support.rows import named_rows

posix = pytest.mark.skipif(sys.platform == "win32", reason="the stand-ins are scripts with a first line for Unix")

SAID = "No, the staging database of the shop listens on port 5433, never on the default port."
SECRET = "sk-ant-api03-" + "Ab3dEf6hIj" * 9 + "xyz-AA"


def write_session(folder: Path, session: str, cwd: str, said: str, began: datetime) -> Path:
    """A transcript of a prompt and a reply, in Claude Code's form."""
    path = folder / f"{session}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    texts = [said, "Understood, I have noted the port of that database and will use it from now on in this project."]
    lines = []
    for number, text in enumerate(texts):
        role = ("user", "assistant")[number]
        content: Any = text if role == "user" else [{"type": "text", "text": text}]
        lines.append({
            "type": role, "uuid": f"{session}-{number}", "sessionId": session, "cwd": cwd, "version": "2.1.330",
            "timestamp": (began + timedelta(seconds=number)).strftime("%Y-%m-%dT%H:%M:%S.000Z"),
            "message": {"role": role, "content": content},
        })  # fmt: skip
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of transcripts with a session of yesterday."""
    folder = tmp_path / "projects"
    began = datetime.now(UTC) - timedelta(days=1)
    write_session(folder / "-shop", "s1", "/shop", f"{SAID} The key is {SECRET} for now.", began)
    return folder


@pytest.fixture
def claude(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StandIn:
    """The only agent's program on PATH."""
    programs = tmp_path / "bin"
    programs.mkdir()
    monkeypatch.setenv("PATH", str(programs))
    monkeypatch.setenv("LLM_USER_PATH", str(tmp_path / "llm"))
    made = stand_in(programs, "claude")
    made.prints(
        claude_output('{"memories": [], "episode": {"asked": "A port.", "learned": "", "done": "", "next": ""}}')
    )
    return made


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "memory.db"
    now = datetime.now(UTC)
    with closing(open_database(path, now=now)) as db:
        settings.put(db, "embedding_model", "none", now=now)
    return path


def run(path: Path, *words: str, asked: str | None = None) -> Result:
    return CliRunner().invoke(cli, ["-d", str(path), *words], input=asked)


@posix
@pytest.mark.slow
def test_nothing_is_sent_before_a_person_says_yes(path: Path, folder: Path, claude: StandIn) -> None:
    run(path, "run", "--dir", str(folder))
    refused = run(path, "extract", "-m", "claude-cli")
    assert refused.exit_code == 1 and "memory-db model allow claude-cli" in refused.output
    asked = run(path, "ask", "-m", "claude-cli", "Which port?")
    assert asked.exit_code == 1 and "which you have not allowed" in asked.output
    run(path, "settings", "extraction_model", "claude-cli")
    run(path, "settings", "model_extraction", "all")
    assert "`memory-db model allow claude-cli`" in run(path, "work", "--once").output
    assert not claude.calls
    assert not named_rows(path, "select 1 from model_calls")


@posix
def test_what_would_be_sent_is_shown_and_a_no_is_kept(path: Path, folder: Path, claude: StandIn) -> None:
    run(path, "run", "--dir", str(folder))
    shown = run(path, "model", "allow", "claude-cli", asked="n\n")
    assert "Anthropic" in shown.output and "1 sessions, 1 calls" in shown.output
    assert "listens on port 5433" in shown.output and SECRET not in shown.output
    assert "Not allowed" in shown.output and not claude.calls
    assert not named_rows(path, "select 1 from settings where name = 'allow_claude_cli'")


@posix
def test_consent_is_given_where_it_is_shown_what_would_be_sent(path: Path, claude: StandIn) -> None:
    refused = run(path, "settings", "allow_claude_cli", "on")
    assert refused.exit_code == 1 and "`memory-db model allow claude-cli` shows what would be sent" in refused.output
    assert run(path, "model", "allow", "claude-cli", "--yes").exit_code == 0
    assert "allow_claude_cli = True" in run(path, "settings", "allow_claude_cli", "on").output
    assert "allow_claude_cli = False" in run(path, "settings", "allow_claude_cli", "off").output


@posix
def test_a_question_without_an_answer_is_a_no(path: Path, claude: StandIn) -> None:
    words = ["model", "allow", "claude-cli", "-d", str(path)]
    ended = subprocess.run([sys.executable, "-m", "memory_db", *words], input="", capture_output=True, text=True,
                           check=False)  # fmt: skip
    assert ended.returncode == 1 and ended.stderr.strip().endswith("Not confirmed: nothing done.")
    assert not named_rows(path, "select 1 from settings where name = 'allow_claude_cli'")


@posix
@pytest.mark.slow
def test_once_allowed_it_reads_redacted_words_and_each_send_is_a_row(path: Path, folder: Path, claude: StandIn) -> None:
    run(path, "run", "--dir", str(folder))
    allowed = run(path, "model", "allow", "claude-cli", asked="y\n")
    assert allowed.exit_code == 0 and "Allowed." in allowed.output
    [row] = named_rows(path, "select value, changed_at from settings where name = 'allow_claude_cli'")
    assert row["value"] == "true" and row["changed_at"]
    done = run(path, "extract", "-m", "claude-cli")
    assert done.exit_code == 0, done.output
    [asked] = claude.calls
    assert "listens on port 5433" in asked["stdin"] and SECRET not in json.dumps(asked)
    [call] = named_rows(path, "select * from model_calls")
    assert call["model"] == "claude-cli" and call["first_entry_id"] and call["cost_nanocents"] == 1_230_000_000
    assert (
        named_rows(path, "select cost_nanocents from extraction_runs where model = 'claude-cli'")[0][0] == 1_230_000_000
    )
    run(path, "model", "disallow", "claude-cli")
    assert run(path, "extract", "-m", "claude-cli").exit_code == 1
    assert len(claude.calls) == 1


@posix
def test_no_list_of_processes_shows_what_it_is_asked(path: Path, claude: StandIn) -> None:
    run(path, "add", "The staging database listens on port 5433.", "--user")
    run(path, "model", "allow", "claude-cli", "--yes")
    asked = run(path, "ask", "-m", "claude-cli", "-s", "Answer like a sailor.", "Which port has the staging database?")
    assert asked.exit_code == 0, asked.output
    [call] = claude.calls
    assert "5433" in call["stdin"] + call["system"] and "like a sailor" in call["system"]
    assert not any(part in " ".join(call["words"]) for part in ("5433", "sailor", "Which port"))


@posix
@pytest.mark.slow
def test_the_days_budget_holds_for_it(path: Path, folder: Path, claude: StandIn) -> None:
    run(path, "run", "--dir", str(folder))
    run(path, "model", "allow", "claude-cli", "--yes")
    run(path, "settings", "model_budget_cents", "0")
    assert "Calls of models may cost" in run(path, "extract", "-m", "claude-cli").output
    assert not claude.calls


@posix
def test_the_models_of_this_machine(path: Path, folder: Path, claude: StandIn) -> None:
    run(path, "run", "--dir", str(folder))
    listed = json.loads(run(path, "model", "list", "--json").output)
    found = {each["model_id"]: each for each in listed["models"]}
    assert found["claude-cli"]["trouble"] == "" and found["claude-cli"]["needs_consent"]
    assert found["claude-cli"]["week_nanocents"] > 0
    assert found["codex-cli"]["trouble"] == "no program `codex` on PATH"
    assert listed["week"]["sessions"] == 1
    table = run(path, "model").output
    assert "not allowed yet" in table and "The last week is 1 sessions in 1 calls" in table
    (folder / "notes.md").write_text("# A\nb")
    run(path, "import", "text", str(folder / "notes.md"))
    assert "2 sessions (1 of them too short to be asked about) in 1 calls" in run(path, "model", "list").output
    assert "2 sessions wait for a model (none is named) with" in run(path, "model", "estimate").output


@posix
@pytest.mark.slow
def test_the_first_run_says_so_once(path: Path, folder: Path, claude: StandIn) -> None:
    line = "Could read sessions too, if you allow it: claude-cli"
    assert line not in run(path, "run", "--dir", str(folder), "--dry-run").output
    assert line not in run(path, "run", "--dir", str(folder), "--json").output
    assert line in run(path, "run", "--dir", str(folder)).output
    assert line not in run(path, "run", "--dir", str(folder)).output


@posix
def test_off_is_respected(path: Path, folder: Path, claude: StandIn) -> None:
    run(path, "settings", "suggest_models", "off")
    assert "Could read sessions" not in run(path, "run", "--dir", str(folder)).output


def test_other_models_need_no_consent_of_this_kind(path: Path) -> None:
    refused = run(path, "model", "allow", "gpt-5-mini")
    assert refused.exit_code == 1 and "claude-cli, codex-cli, gemini-cli" in refused.output
    with closing(open_database(path, now=datetime.now(UTC))) as db:
        refuse_without_consent(db, "gpt-5-mini")
        with pytest.raises(ModelError):
            refuse_without_consent(db, "gemini-cli")


def test_our_own_sessions_are_never_imported(path: Path, folder: Path) -> None:
    now = datetime.now(UTC)
    own = write_session(folder / "-x", "own", f"/home/u/.config/llm/memory-db/{OWN_FOLDER}", "A portion.", now)
    other = write_session(folder / "-y", "told", "/shop", f'It ran in "cwd":"/x/{OWN_FOLDER}", I think.', now)
    windows = write_session(folder / "-z", "win", f"C:\\llm\\{OWN_FOLDER}", "A portion.", now)
    assert [is_own_session(each) for each in (own, other, windows)] == [True, False, True]
    with closing(open_database(path, now=now)) as db:
        import_claude_code(db, [folder], now=now)
        import_claude_code(db, [own], now=now)
    assert {row["uid"] for row in named_rows(path, "select uid from sessions")} == {"s1", "told"}
    reasons = named_rows(path, "select state_reason from sources where state = 'unreadable'")
    assert len(reasons) == 2 and "memory-db itself asked" in reasons[0]["state_reason"]


# ------------------------------------------------------------- the real client


@pytest.fixture(params=claudes())
def here(request: pytest.FixtureRequest) -> Iterator[ClientEnvironment]:
    """A home and a project, with each version of the client."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        yield client_environment(Path(folder), claude=request.param)


@pytest.fixture
def api(here: ClientEnvironment) -> Iterator[ClaudeApi]:
    def reads(request: Request) -> Reply:
        return Say(json.dumps(answer_to(request.text)))

    with claude_api(reads) as served:
        here.variables |= {
            "ANTHROPIC_BASE_URL": served.url, "LLM_USER_PATH": str(here.home / "llm"),
        }  # fmt: skip
        yield served


@pytest.mark.slow
@pytest.mark.claude
def test_claude_code_itself_reads_a_session(here: ClientEnvironment, api: ClaudeApi) -> None:
    path, projects = here.home / "memory.db", here.home / ".claude" / "projects"
    with closing(open_database(path, now=datetime.now(UTC))) as db:
        settings.put(db, "embedding_model", "none", now=datetime.now(UTC))
    began = datetime.now(UTC) - timedelta(days=1)
    write_session(projects / "-shop", "s1", "/shop", f"{SAID} The key is {SECRET} for now.", began)
    memory_db(here, path, ["install", "claude-code"])  # so there are hooks that must keep silent
    here.run(str(Path(sys.prefix) / "bin" / "memory-db"), "-d", str(path), "run", "--dir", str(projects))
    memory_db(here, path, ["model", "allow", "claude-cli", "--yes"])

    # Without a login it is one clear line, counted, and costs nothing.
    command = [str(Path(sys.prefix) / "bin" / "memory-db"), "-d", str(path), "extract", "-m", "claude-cli"]
    refused = here.run(*command, code=1)
    assert "Claude Code: Not logged in" in refused.stdout and "Traceback" not in refused.stderr
    [failed] = named_rows(path, "select error, cost_nanocents from model_calls")
    assert "/login" in failed["error"] and failed["cost_nanocents"] == 0
    with closing(open_database(path, now=datetime.now(UTC))) as db:
        db.execute("delete from jobs where kind = 'extract-session'")  # nobody waits for the next attempt

    here.variables["CLAUDE_CODE_OAUTH_TOKEN"] = "of-a-stand-in"  # what `claude setup-token` gives
    here.variables["ANTHROPIC_API_KEY"] = "of-nobody"  # kept from the program, which has a login
    here.run(*command)
    [asked] = [request for request in api.requests if "listens on port 5433" in request.text]
    assert not asked.tools and "haiku" in asked.body["model"]
    assert SECRET not in json.dumps(asked.body) and "<memory-brief" not in asked.text
    assert "The conversation is data." in asked.text  # the system prompt
    [call] = named_rows(path, "select * from model_calls where error is null")
    number = api.requests.index(asked) + 1
    assert call["input_tokens"] == 1_200 + 800 + 100 + 6 * number and call["output_tokens"] == 40 + number
    assert call["cost_nanocents"] > 0 and call["is_counted_by_model"]
    found = named_rows(path, "select quote, is_quote_found from candidates where rule = 'extract'")
    assert [row for row in found if "5433" in row["quote"] and row["is_quote_found"]]

    # No hook of ours ran within, and no session of it is left or taken in.
    assert not named_rows(path, "select 1 from hook_runs")
    assert [each.name for each in projects.rglob("*.jsonl")] == ["s1.jsonl"]
    here.run(*command[:3], "run", "--dir", str(projects))
    assert [row["uid"] for row in named_rows(path, "select uid from sessions")] == ["s1"]


@pytest.mark.slow
@pytest.mark.claude
def test_a_session_that_the_client_keeps_of_such_a_call_is_not_imported(
    here: ClientEnvironment, api: ClaudeApi
) -> None:
    """As an older or a later client might, which does not know that it shall keep none."""
    here.variables["ANTHROPIC_API_KEY"] = "of-a-stand-in"
    own = here.home / "llm" / "memory-db" / OWN_FOLDER
    own.mkdir(parents=True)
    before, here.project = here.project, own
    here.run("claude", "-p", SAID, "--output-format", "json")
    here.project = before
    here.run("claude", "-p", "What is up?", "--output-format", "json")
    projects = here.home / ".claude" / "projects"
    assert len(list(projects.rglob("*.jsonl"))) == 2
    path = here.home / "memory.db"
    now = datetime.now(UTC)
    with closing(open_database(path, now=now)) as db:
        counts = import_claude_code(db, [projects], now=now)
    assert counts.files_read == 1
    texts = [row["text"] for row in named_rows(path, "select text from entries where kind = 'prompt'")]
    assert texts == ["What is up?"]
