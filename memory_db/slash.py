"""Answers the commands that a person types in Claude Code: `python -I -m memory_db.slash -d FILE`.

In: the payload of a UserPromptExpansion event on stdin, with what was typed after the command as one text.
Out: the answer of the same command of `memory-db`: as context of that prompt, or to the person alone. Invariants: what
was typed is data from end to end, no shell and no option parser reads it; what waits for a decision, such as attacks
put aside, never reaches the model; it ends with 0, and prints nothing for any other command.
"""

from __future__ import annotations

import io
import json
import os
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import click

from memory_db.agents.claude_code.plugin import COMMAND_EVENT, FOR_THE_PERSON, IN_TERMINAL, PLUGIN
from memory_db.cli.group import cli
from memory_db.errors import MemoryDBError
from memory_db.recall.brief.render import inert
from memory_db.store.connection import connect

ANSWER_CHARACTERS = 8_000
"""A longer answer is cut: it goes into the agent's context. Source: ours, about 2,000 tokens."""

MOST_BYTES = 1_000_000

BRIEF = "<memory-brief"

LAST_RECALL = """
select uid from recalls where session_uid = ? or (session_uid is null and surface = 'brief') order by id desc limit 1
"""
"""The last recall of a session, or of the command that `recall` below runs, which belongs to none."""

Arguments = list[str]


def recall(typed: str, session: str) -> Arguments:
    """Ask a question. What the session was shown already is shown again: the person wants the whole answer."""
    return ["brief", "--", typed]


def why(typed: str, session: str) -> Arguments:
    """Explain a recall, or one hit of it."""
    return ["why", "--", *typed.split()]


def correct(typed: str, session: str) -> Arguments:
    """Put a text in the place of the memory whose uid is the first word."""
    uid, _, text = typed.partition(" ")
    return ["memory", "correct", f"--replaces={uid}", "--reason=corrected with /mem:correct", "--", text.strip()]


def lock(typed: str, session: str) -> Arguments:
    """Lock a memory."""
    return ["memory", "lock", "--note=locked with /mem:lock", "--", typed]


def review(typed: str, session: str) -> Arguments:
    """List what waits."""
    return ["review"]


def pause(typed: str, session: str) -> Arguments:
    """Show nothing more in this session, for the time that is named, or no longer so."""
    more = ["--end"] if typed == "end" else [f"--for={typed}"] if typed else []
    return ["hook", "pause", f"--session={session}", *more]


COMMANDS: dict[str, tuple[Callable[[str, str], Arguments], str]] = {
    "recall": (recall, "QUESTION"),
    "why": (why, "RECALL"),
    "correct": (correct, "UID TEXT"),
    "lock": (lock, "UID"),
    "review": (review, ""),
    "pause": (pause, ""),
}
"""What each command runs, and what it cannot do without."""


def answer(payload: object, database: str | None) -> dict[str, Any] | None:
    """What goes back to the agent; None for a payload that is not one of our commands."""
    if not isinstance(payload, dict) or payload.get("hook_event_name") != COMMAND_EVENT:
        return None
    prefix, _, name = str(payload.get("command_name", "")).partition(":")
    if prefix != PLUGIN or name not in COMMANDS:
        return None
    typed = " ".join(str(payload.get("command_args") or "").split())
    session = str(payload.get("session_id") or "")
    if name == "why" and not typed:
        typed = last_recall(database, session)
    arguments_of, needs = COMMANDS[name]
    if len(typed.split()) < len(needs.split()):
        text = f"Nothing was done: type /{PLUGIN}:{name} {needs}."
    else:
        text = run(arguments_of(typed, session), database)
    # Importers leave out what stands in such a block: the transcript keeps the answer, memory must not feed on it.
    context = text if text.startswith(BRIEF) else f'{BRIEF} command="{name}">\n{inert(text)}\n</memory-brief>'
    if name in FOR_THE_PERSON:
        # The agent ends the prompt here and shows the reason: no model reads it, and nothing is paid.
        return {"decision": "block", "reason": f"memory-db {IN_TERMINAL.get(name, name)}\n{context}"}
    return {"hookSpecificOutput": {"hookEventName": COMMAND_EVENT, "additionalContext": context}}


def last_recall(database: str | None, session: str) -> str:
    """The uid of the last recall as a session knows it; empty where there is none, or no file to look into."""
    if database is None:
        return ""
    try:
        with closing(connect(Path(database))) as db:
            row = db.execute(LAST_RECALL, [session]).fetchone()
    except (MemoryDBError, sqlite3.Error):
        return ""
    return str(row["uid"]) if row else ""


def run(arguments: Arguments, database: str | None) -> str:
    """What a command of `memory-db` prints, or the one line by which it says what is wrong."""
    output = io.StringIO()
    given = ["-d", database] if database else []
    try:
        with redirect_stdout(output), redirect_stderr(output):
            cli.main([*given, *arguments], prog_name="memory-db", standalone_mode=False)
    except click.ClickException as error:
        return f"{output.getvalue()}Error: {error.format_message()}".strip()
    except (click.Abort, SystemExit):
        pass
    text = output.getvalue().strip() or "Done."
    return text if len(text) <= ANSWER_CHARACTERS else f"{text[:ANSWER_CHARACTERS]}\n(cut; the rest in a terminal)"


def main(arguments: Arguments) -> None:
    """Reads a payload and prints the answer. `-d FILE` names the file."""
    database = arguments[1] if len(arguments) == 2 and arguments[0] == "-d" else None
    try:
        payload = json.loads(sys.stdin.buffer.read(MOST_BYTES))
    except (ValueError, RecursionError):
        return
    output = answer(payload, database)
    if output is not None:
        print(json.dumps(output))


def start() -> None:
    """Answers as the program `memory-db-slash`, for the file that MEMORY_DB names, else the usual one."""
    main(["-d", str(Path(os.environ.get("MEMORY_DB") or "~/.memory-db/memory.db").expanduser())])


if __name__ == "__main__":
    main(sys.argv[1:])
