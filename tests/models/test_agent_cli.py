"""Agents' own programs as models: how they are called, what is read of their output, and what goes wrong."""

from __future__ import annotations

import json
import sqlite3
import sys
from datetime import datetime
from pathlib import Path

import llm
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_db.errors import ModelError
from memory_db.models.agent_cli import AgentModel
from memory_db.models.agent_programs import BY_MODEL, PROGRAMS, AgentProgramError, priced_as
from memory_db.models.budget import health
from memory_db.models.calls import About, ModelPrompt, ask, call, find_model
from memory_db.store.own_agent import OWN_AGENT, OWN_FOLDER
from tests.support.agent_program import StandIn, claude_output, codex_output, gemini_output, stand_in

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the stand-ins are scripts with a first line for Unix")

OUTPUTS = {"claude-cli": claude_output, "codex-cli": codex_output, "gemini-cli": gemini_output}
TOKENS = {"claude-cli": (1_000, 40), "codex-cli": (800, 50), "gemini-cli": (700, 65)}
QUESTION = ModelPrompt(
    lambda text: ("Rules of the house.", f"Begin.\n{text}"), "the words", "memory-db: entries 1 to 2"
)
LOG_IN = "Not logged in · Please run /login"


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that alone is PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setenv("LLM_USER_PATH", str(tmp_path / "llm"))
    return folder


@pytest.fixture
def claude(path: Path) -> StandIn:
    return stand_in(path, "claude")


def only_call(db: sqlite3.Connection) -> sqlite3.Row:
    (row,) = db.execute("select * from model_calls").fetchall()
    return row


@pytest.mark.parametrize("model_id", OUTPUTS)
def test_a_program_answers(db: sqlite3.Connection, now: datetime, path: Path, model_id: str) -> None:
    program = stand_in(path, BY_MODEL[model_id].program)
    program.prints(OUTPUTS[model_id]('{"memories": []}'))
    called = ask(db, find_model(model_id), QUESTION, About("extract"), now=now)
    assert called.text == '{"memories": []}'
    row = only_call(db)
    assert (row["input_tokens"], row["output_tokens"], row["is_counted_by_model"]) == (*TOKENS[model_id], 1)
    turn = db.execute("select model, input_tokens, output_tokens from turns").fetchone()
    assert tuple(turn) == (model_id, *TOKENS[model_id])
    [asked] = program.calls
    assert "the words" in asked["stdin"] and "Rules of the house." in asked["stdin"] + asked["system"]
    in_list_of_processes = " ".join(asked["words"])
    assert "the words" not in in_list_of_processes and "Rules of the house." not in in_list_of_processes
    assert not list(Path(asked["folder"]).glob("system-*"))
    assert asked["environment"][OWN_AGENT] == "1"
    assert Path(asked["folder"]).name == OWN_FOLDER


def test_the_cost_is_the_programs_own(db: sqlite3.Connection, now: datetime, claude: StandIn) -> None:
    claude.prints(claude_output("{}", cost_usd=0.0123))
    ask(db, find_model("claude-cli"), QUESTION, About("extract"), now=now)
    assert only_call(db)["cost_nanocents"] == 1_230_000_000
    details = json.loads(db.execute("select token_details from turns").fetchone()[0])
    assert details["session_uid"] == "5e55"


def test_claude_is_asked_for_json_without_tools_or_hooks(claude: StandIn) -> None:
    claude.prints(claude_output("{}"))
    call(find_model("claude-cli"), QUESTION)
    [asked] = claude.calls
    words = asked["words"]
    assert words[:3] == ["-p", "--output-format", "json"]
    assert words[words.index("--tools") + 1] == "" and words[words.index("--model") + 1] == "haiku"
    assert {"--safe-mode", "--strict-mcp-config", "--no-session-persistence"} <= {*words}


def test_the_model_of_a_program_can_be_named(claude: StandIn) -> None:
    claude.prints(claude_output("{}"))
    find_model("claude-cli").prompt("Hello", model="sonnet").text()
    assert "sonnet" in claude.calls[0]["words"]


def test_a_conversation_is_told_again(claude: StandIn) -> None:
    claude.prints(claude_output("The port is 5433."))
    talk = find_model("claude-cli").conversation()
    talk.prompt("Which port?").text()
    talk.prompt("And the host?").text()
    assert claude.calls[1]["stdin"] == "Asked before: Which port?\n\nAnswered: The port is 5433.\n\nAnd the host?"


@pytest.mark.parametrize(
    ("output", "errors", "code", "says"),
    [
        (claude_output(LOG_IN, is_error=True, cost_usd=0), "", 1, f"Claude Code: {LOG_IN} (log in: start `claude`"),
        (claude_output("API Error: 429 rate_limit_error", is_error=True), "", 1, "429 rate_limit_error"),
        (claude_output("x", is_error=True, result=None, subtype="error_max_turns"), "", 1, "error_max_turns"),
        ("", "", 0, "it printed nothing"),
        ('{"result": "cut o', "", 0, "it printed no JSON answer (17 characters)"),
        ("[]", "", 0, "it printed no JSON answer"),
        ("", "error: unknown option '--safe-mode'\nmore", 1, "ended with code 1: error: unknown option '--safe-mode'"),
    ],
)
def test_trouble_is_one_clear_line_and_a_row(
    db: sqlite3.Connection, now: datetime, claude: StandIn, output: str, errors: str, code: int, says: str
) -> None:
    claude.prints(output, errors=errors, code=code)
    with pytest.raises(ModelError) as raised:
        ask(db, find_model("claude-cli"), QUESTION, About("extract"), now=now)
    assert says in str(raised.value) and "\n" not in str(raised.value)
    assert says.split("(")[0].strip() in only_call(db)["error"]


def test_what_failed_may_have_cost(db: sqlite3.Connection, now: datetime, claude: StandIn) -> None:
    claude.prints(claude_output("Overloaded", is_error=True, cost_usd=0.5), code=1)
    with pytest.raises(ModelError):
        ask(db, find_model("claude-cli"), QUESTION, About("extract"), now=now)
    assert only_call(db)["cost_nanocents"] == 50_000_000_000


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.model_id)
def test_a_missing_program(path: Path, program: object) -> None:
    model = AgentModel(program)  # type: ignore[arg-type]
    with pytest.raises(llm.ModelError, match=rf"no program `{model.program.program}` on PATH"):
        model.prompt("Hello").text()


@pytest.mark.slow
def test_a_program_that_never_answers_is_ended(claude: StandIn, tmp_path: Path) -> None:
    claude.prints(claude_output("late"), pause_s=3_600)
    called = call(find_model("claude-cli"), QUESTION, deadline_s=1)
    assert called.error and "no answer within 1 seconds (the setting model_timeout_s)" in called.error
    assert called.cost_nanocents is None


@pytest.mark.slow
def test_five_failures_open_the_breaker(db: sqlite3.Connection, now: datetime, claude: StandIn) -> None:
    claude.prints(claude_output("rate limited", is_error=True), code=1)
    for _ in range(5):
        with pytest.raises(ModelError):
            ask(db, find_model("claude-cli"), QUESTION, About("extract"), now=now)
    assert health(db, "claude-cli").is_open(now)


def test_codex_and_gemini_say_what_failed() -> None:
    failed = '{"type": "turn.failed", "error": {"message": "usage limit reached"}}'
    with pytest.raises(AgentProgramError, match="usage limit reached"):
        BY_MODEL["codex-cli"].read(codex_output("half an answer") + failed)
    with pytest.raises(AgentProgramError, match="quota"):
        BY_MODEL["gemini-cli"].read('{"error": {"type": "ApiError", "message": "quota exceeded", "code": 429}}')


@given(
    output=st.one_of(
        st.text(), st.recursive(st.none() | st.integers() | st.text(), lambda x: st.lists(x) | st.dictionaries(
            st.sampled_from(["result", "usage", "total_cost_usd", "response", "stats", "item", "type", "error"]),
            x)).map(json.dumps),
    )
)  # fmt: skip
@pytest.mark.slow
def test_whatever_a_program_prints_is_an_answer_or_a_line(output: str) -> None:
    for program in PROGRAMS:
        try:
            answer = program.read(output)
        except AgentProgramError as error:
            assert str(error)
        else:
            assert isinstance(answer.text, str)


def test_estimates_go_by_the_price_of_the_model_that_is_asked() -> None:
    assert priced_as("claude-cli") == "claude-haiku-4-5"
    assert priced_as("codex-cli") == "codex-cli"
    assert priced_as("gpt-5-mini") == "gpt-5-mini"
