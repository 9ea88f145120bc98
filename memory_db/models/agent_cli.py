"""Models of llm that ask an agent's own program: no key of yours, only the login that the agent has.

In: a prompt of llm. Out: the program's answer, with the tokens and the cost that it tells. Invariants: the program
works in a folder of its own, with our hooks off and without tools as far as it lets itself be told; the prompt is given
on stdin and the system prompt in a file that goes with the call, so that no list of processes shows them; the program
and what it started end at the deadline.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import llm
from pydantic import Field

from memory_db.models.agent_programs import PROGRAMS, AgentAnswer, AgentProgram, AgentProgramError
from memory_db.store.own_agent import OWN_AGENT, OWN_FOLDER

TIMEOUT_S = 300
"""Seconds that a program may take where nobody says. Source: that of any model, `memory_db.models.calls.DEADLINE_S`."""

GEMINI_SETTINGS = {"tools": {"core": ["none"]}, "mcp": {"allowed": ["none"]}, "hooksConfig": {"enabled": False}}
"""No tool, no MCP server, no hook. Source: Google's documentation of Gemini CLI's settings."""


class AgentCallError(llm.ModelError, click.ClickException):
    """A program gave no answer: one line. `cost_nanocents`: what that cost; None where nobody knows."""

    def __init__(self, message: str, cost_nanocents: int | None) -> None:
        click.ClickException.__init__(self, message)
        self.cost_nanocents = cost_nanocents


class AgentModel(llm.Model):
    """An agent's program, asked once for each prompt."""

    can_stream = False

    class Options(llm.Options):
        """What may be set with `-o`."""

        model: str | None = Field(description="The model that the program shall use", default=None, max_length=100)
        timeout_s: int = Field(description="Seconds that it may take", default=TIMEOUT_S, ge=1, le=3_600)

    def __init__(self, program: AgentProgram) -> None:
        self.model_id, self.program = program.model_id, program

    def execute(self, prompt: Any, stream: bool, response: Any, conversation: Any) -> Iterator[str]:
        """The answer as one piece. Raises: AgentCallError."""
        folder = Path(llm.user_dir()) / "memory-db" / OWN_FOLDER  # type: ignore[no-untyped-call]
        system, asked = prompt.system or "", "\n\n".join([*said_before(conversation), prompt.prompt or ""])
        if not self.program.reads_system:
            system, asked = "", "\n\n".join(part for part in (system, asked) if part)
        model = prompt.options.model or self.program.default_model
        try:
            found = ask_program(self.program, model, system, asked, folder, prompt.options.timeout_s)
        except AgentProgramError as error:
            raise AgentCallError(str(error), error.cost_nanocents) from error
        details = {"cost_nanocents": found.cost_nanocents, "session_uid": found.session_uid, "model": found.model}
        response.set_usage(
            input=found.input_tokens, output=found.output_tokens,
            details={name: value for name, value in details.items() if value not in (None, "")},
        )  # fmt: skip
        yield found.text


def said_before(conversation: Any) -> Iterator[str]:
    """The earlier questions and answers of a conversation of llm, for a program that keeps no session."""
    for response in conversation.responses if conversation else ():
        yield f"Asked before: {response.prompt.prompt}"
        yield f"Answered: {response.text()}"


def ask_program(
    program: AgentProgram, model: str, system: str, prompt: str, folder: Path, timeout_s: float
) -> AgentAnswer:
    """A program's answer to one prompt. Raises: AgentProgramError with one clear line."""
    path = program.path()
    if path is None:
        raise program.trouble(f"no program `{program.program}` on PATH. Install it, or choose another model")
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with system_file(folder, system) as kept:
        return answered(program, [path, *program.command(model, kept)], prompt, folder, timeout_s)


@contextlib.contextmanager
def system_file(folder: Path, system: str) -> Iterator[Path | None]:
    """A file with the system prompt that only its user can read, there for as long as the call; None for none."""
    if not system:
        yield None
        return
    number, name = tempfile.mkstemp(prefix="system-", suffix=".txt", dir=folder)
    try:
        with os.fdopen(number, "w", encoding="utf-8", errors="replace", newline="") as file:
            file.write(system)
        yield Path(name)
    finally:
        Path(name).unlink(missing_ok=True)


def answered(
    program: AgentProgram, words: list[str], prompt: str, folder: Path, timeout_s: float
) -> AgentAnswer:  # fmt: skip
    """What a program answers that is called with these words. Raises: AgentProgramError with one clear line."""
    try:
        process = subprocess.Popen(
            words, cwd=folder, env=environment(folder), stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", errors="replace",
            start_new_session=True,  # Ctrl-C lets the call under way end
        )  # fmt: skip
    except OSError as error:
        raise program.trouble(f"{words[0]} cannot be started ({error.strerror})") from error
    with process:
        try:
            output, trouble = process.communicate(prompt.encode("utf-8", "replace").decode(), timeout=timeout_s)
        except subprocess.TimeoutExpired as error:
            raise program.trouble(
                f"no answer within {timeout_s:g} seconds (the setting model_timeout_s)", None
            ) from error
        finally:
            end(process)
    try:
        return program.read(output)
    except AgentProgramError as error:
        said = str(error)
        if error.cost_nanocents is None and process.returncode:
            first = next((line for line in trouble.splitlines() if line.strip()), "") or said
            raise program.trouble(f"it ended with code {process.returncode}: {first}", None) from error
        raise program.trouble(said, error.cost_nanocents) from error


def end(process: subprocess.Popen[str]) -> None:
    """Ends a program that still runs, and what it started, whether it has ended itself or not."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    elif process.poll() is None:  # Windows
        process.kill()


def environment(folder: Path) -> dict[str, str]:
    """What a program is given: this process's own, our hooks off, no thinking that is paid for, no tools."""
    settings, text = folder / "gemini-settings.json", json.dumps(GEMINI_SETTINGS)
    if not settings.is_file() or settings.read_text("utf-8") != text:
        settings.write_text(text, "utf-8")
    own = {OWN_AGENT: "1", "MAX_THINKING_TOKENS": "0", "GEMINI_CLI_SYSTEM_SETTINGS_PATH": str(settings)}
    # Set where an agent runs us: the one that we start is not a part of it.
    # With a key of ours in its environment it would bill that key, and not the login that it has.
    left_out = ("CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY")
    return {**{name: value for name, value in os.environ.items() if name not in left_out}, **own}  # noqa: TID251  # what a child is given


def agent_models() -> list[AgentModel]:
    """A model for each program, whether it is on this machine or not."""
    return [AgentModel(program) for program in PROGRAMS]
