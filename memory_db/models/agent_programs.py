"""Agents' own programs as models: how each is asked in its print mode, and what of its output is the answer.

In: a question, and what a program printed. Out: a command line, and `AgentAnswer` or one clear line on what is wrong.
Invariants: pure but for a look at PATH; no llm is loaded; nothing that a program prints is taken on trust.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memory_db.errors import ModelError
from memory_db.store.money import NANOCENTS_PER_USD

OUTPUT_CHARACTERS = 2_000_000
"""More output of a program is not read: ten times the longest answer that is."""

MESSAGE_CHARACTERS = 300


class AgentProgramError(ModelError):
    """Why a program gave no answer. `cost_nanocents`: what it cost all the same; None where nobody knows."""

    def __init__(self, message: str, cost_nanocents: int | None = None) -> None:
        super().__init__(message)
        self.cost_nanocents = cost_nanocents


@dataclass(frozen=True, slots=True)
class AgentAnswer:
    """What a program answered: the text, what it says of tokens and cost (None where it does not), and its session."""

    text: str
    input_tokens: int | None
    output_tokens: int | None
    cost_nanocents: int | None
    session_uid: str
    model: str


@dataclass(frozen=True, slots=True)
class AgentProgram:
    """One agent's program.

    `command` gives the words of the command line for a model's name and the file of a system prompt (None for none);
    the prompt goes to stdin. `reads_system`: whether it takes such a file; else the system prompt comes before the
    prompt. `priced_as` is the model by whose price an estimate is made, empty where the program's choice is not known.
    """

    model_id: str
    program: str
    title: str
    provider: str
    default_model: str
    priced_as: str
    setting: str
    login: str
    reads_system: bool
    command: Callable[[str, Path | None], list[str]]
    read: Callable[[str], AgentAnswer]

    def path(self) -> str | None:
        """Where the program is; None where it is not on PATH."""
        return shutil.which(self.program)

    def trouble(self, message: str, cost_nanocents: int | None = 0) -> AgentProgramError:
        """What is wrong, with what to do where it is a login."""
        line = " ".join(message.split())[:MESSAGE_CHARACTERS].rstrip(".")
        advice = f" ({self.login})" if any(word in line.casefold() for word in LOGIN_WORDS) else ""
        return AgentProgramError(f"{self.title}: {line}{advice}", cost_nanocents)


LOGIN_WORDS = ("log in", "login", "logged in", "api key", "authenticat", "unauthorized", "401")


def claude_command(model: str, system: Path | None) -> list[str]:
    """Source: `claude --help` of 2.1.197 and 2.1.330 (`--system-prompt[-file]`). --safe-mode leaves out hooks,
    plugins, MCP servers, skills and CLAUDE.md, and keeps the login; --bare would not."""
    words = ["-p", "--output-format", "json", "--tools", "", "--safe-mode", "--strict-mcp-config"]
    words += ["--no-session-persistence", *(["--model", model] if model else [])]
    return [*words, "--system-prompt-file", str(system)] if system else words


def codex_command(model: str, system: Path | None) -> list[str]:
    """Source: OpenAI's documentation of `codex exec`. Its shell stays, in a sandbox that may write nothing."""
    words = ["exec", "--json", "--ephemeral", "--ignore-user-config", "--skip-git-repo-check", "--sandbox", "read-only"]
    return [*words, *(["--model", model] if model else []), "-"]


def gemini_command(model: str, system: Path | None) -> list[str]:
    """Source: Google's documentation of Gemini CLI's headless mode; it is in that mode where stdin is no terminal."""
    return ["--output-format", "json", "--extensions", "none", *(["--model", model] if model else [])]


def read_claude(output: str) -> AgentAnswer:
    """What `claude -p --output-format json` printed. Raises: AgentProgramError."""
    found = object_in(output)
    cost = nanocents(found.get("total_cost_usd"))
    if found.get("is_error") or not isinstance(found.get("result"), str):
        said = found.get("result") or found.get("errors") or found.get("subtype") or "an error without a word"
        raise AgentProgramError(said if isinstance(said, str) else json.dumps(said), cost)
    usage = mapping(found.get("usage"))
    names = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    return AgentAnswer(
        found["result"], total(usage, *names), total(usage, "output_tokens"), cost, str(found.get("session_id") or ""),
        ", ".join(mapping(found.get("modelUsage"))),
    )  # fmt: skip


def read_codex(output: str) -> AgentAnswer:
    """What `codex exec --json` printed: events, a line each. Raises: AgentProgramError."""
    events = list(objects_in_lines(output))
    texts = [mapping(event.get("item")) for event in events if event.get("type") == "item.completed"]
    said = [item.get("text") for item in texts if item.get("type") == "agent_message"]
    failed = [event for event in events if event.get("type") in ("turn.failed", "error")]
    answer = said[-1] if said else None
    if not isinstance(answer, str) or any(event["type"] == "turn.failed" for event in failed):
        raise AgentProgramError(codex_error(failed) or no_answer(output), None)
    usage = next((mapping(event.get("usage")) for event in events if event.get("type") == "turn.completed"), {})
    session = next((event.get("thread_id") for event in events if event.get("type") == "thread.started"), "")
    # Its input tokens count the cached ones too.
    return AgentAnswer(
        answer, total(usage, "input_tokens"), total(usage, "output_tokens"), None, str(session or ""), ""
    )


def codex_error(failed: list[dict[str, Any]]) -> str:
    """What the last event of trouble says."""
    if not failed:
        return ""
    said = mapping(failed[-1].get("error")).get("message") or failed[-1].get("message")
    return str(said or "an error without a word")


def read_gemini(output: str) -> AgentAnswer:
    """What `gemini --output-format json` printed. Raises: AgentProgramError."""
    found = object_in(output)
    if found.get("error") or not isinstance(found.get("response"), str):
        said = mapping(found.get("error")).get("message") or found.get("error")
        raise AgentProgramError(str(said or "an error without a word"), None)
    models = mapping(mapping(found.get("stats")).get("models"))
    tokens = [mapping(mapping(each).get("tokens")) for each in models.values()]
    counted = [(total(each, "prompt"), total(each, "candidates", "thoughts")) for each in tokens]
    read = [each for each, _ in counted if each is not None]
    written = [each for _, each in counted if each is not None]
    return AgentAnswer(
        found["response"], sum(read) if read else None, sum(written) if written else None, None,
        str(found.get("session_id") or ""), ", ".join(models),
    )  # fmt: skip


def object_in(output: str) -> dict[str, Any]:
    """The JSON object that a program printed, whatever it printed before it. Raises: AgentProgramError."""
    start = output.find("{")
    try:
        value = json.loads(output[start:OUTPUT_CHARACTERS]) if start >= 0 else None
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise AgentProgramError(no_answer(output), None)
    return value


def objects_in_lines(output: str) -> Iterator[dict[str, Any]]:
    """The JSON objects among the lines that a program printed."""
    for line in output[:OUTPUT_CHARACTERS].splitlines():
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            yield value


def no_answer(output: str) -> str:
    """What is said of output that is no answer; nothing of it is repeated, for it may be what was asked."""
    return f"it printed no JSON answer ({len(output):,} characters)" if output.strip() else "it printed nothing"


def mapping(value: object) -> dict[str, Any]:
    """A value that is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def total(usage: dict[str, Any], *names: str) -> int | None:
    """The sum of these counts; None where none of them is there."""
    counts = [usage[name] for name in names if type(usage.get(name)) is int and usage[name] >= 0]
    return sum(counts) if counts else None


def nanocents(usd: object) -> int | None:
    """An amount in US dollars as billionths of a cent; None for anything else."""
    is_amount = isinstance(usd, int | float) and not isinstance(usd, bool) and 0 <= usd < 1_000_000
    return round(usd * NANOCENTS_PER_USD) if is_amount and isinstance(usd, int | float) else None


PROGRAMS = (
    AgentProgram(
        "claude-cli", "claude", "Claude Code", "Anthropic", "haiku", "claude-haiku-4-5", "allow_claude_cli",
        "log in: start `claude` and type /login", True, claude_command, read_claude,
    ),
    AgentProgram(
        "codex-cli", "codex", "Codex", "OpenAI", "", "", "allow_codex_cli",
        "log in: `codex login`", False, codex_command, read_codex,
    ),
    AgentProgram(
        "gemini-cli", "gemini", "Gemini CLI", "Google", "gemini-2.5-flash", "gemini-2.5-flash", "allow_gemini_cli",
        "log in: start `gemini` once", False, gemini_command, read_gemini,
    ),
)  # fmt: skip
"""The programs there are. Source of the models: ours, the small one of each provider; Codex
has the one that its service chooses, since which it may use depends on the plan."""

BY_MODEL = {program.model_id: program for program in PROGRAMS}


def priced_as(model_id: str) -> str:
    """The model by whose price a model is estimated: itself, but for a program that asks another."""
    program = BY_MODEL.get(model_id)
    return program.priced_as if program and program.priced_as else model_id
