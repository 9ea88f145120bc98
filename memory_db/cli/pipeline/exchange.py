"""The command that takes in what another program asked a model: import exchange."""

from __future__ import annotations

import sqlite3
import sys
from pathlib import Path

import click

from memory_db.cli.common import Command, moment, print_json, printable, writing
from memory_db.cli.options import (
    changing_options,
    own_project_option,
)
from memory_db.errors import InputError
from memory_db.transcripts import exchanges
from memory_db.transcripts.exchanges import MOST_CHARACTERS, Captured, Exchange
from memory_db.transcripts.projects import project_named

MOST_BYTES = 4 * MOST_CHARACTERS
"""What is read of stdin or a file: the longest text, whatever its characters."""


def read_text(name: str, what: str) -> str:
    """The text of a file, or of stdin where the name is `-`. Raises: InputError for one that is too large."""
    with click.open_file(name, "rb") as stream:
        data = bytes(stream.read(MOST_BYTES + 1))
    if len(data) > MOST_BYTES:
        raise InputError(f"The {what} has more than {MOST_BYTES:,} bytes. Give the part that matters.")
    return data.decode("utf-8-sig", "replace")


def folder_of(db: sqlite3.Connection, project: str | None) -> str:
    """The folder that a conversation belongs to: that of the project that was named, else this one."""
    if project is None:
        return str(Path.cwd())
    row = db.execute("select canonical_path from projects where id = ?", [project_named(db, project)]).fetchone()
    return str(row["canonical_path"])


@click.command(cls=Command)
@click.option("--prompt", "prompt_file", type=click.Path(), help="File with the prompt; - is stdin.")
@click.option("--response", "response_file", type=click.Path(), help="File with the response; - is stdin.")
@click.option("-m", "--model", "model_name", help="The model that answered.")
@click.option("--session", "session_uid", help="The conversation it belongs to; else it is one of its own.")
@own_project_option
@changing_options
def exchange(
    prompt_file: str | None, response_file: str | None, model_name: str | None, session_uid: str | None,
    project: str | None, database: Path | None, dry_run: bool, as_json: bool,
) -> None:  # fmt: skip
    """Import one question and its answer from another program.

    From two files, or as a JSON object on stdin: prompt, response, and if known model, session, cwd, title, said_at,
    answered_at. The same exchange given again changes nothing.
    """
    given = exchange_given(prompt_file, response_file)
    with writing(database, dry_run=dry_run) as db:
        cwd = folder_of(db, project) if project else given.cwd or str(Path.cwd())
        taken = Exchange(
            given.prompt, given.response, model_name or given.model, session_uid or given.session_uid, cwd,
            given.title, given.said_at, given.answered_at,
        )  # fmt: skip
        captured = exchanges.capture(db, taken, now=moment())
    if as_json:
        print_json({**captured.as_dict(), "dry_run": dry_run})
    else:
        click.echo(f"{captured_line(captured)}{' (not kept: dry run)' if dry_run else ''}")


def captured_line(captured: Captured) -> str:
    """What came of a capture, in a line."""
    added = f"{captured.entries_added} entries added" if captured.entries_added else "known already"
    hidden = f"; {captured.findings} findings of redaction" if captured.findings else ""
    return f"session {printable(captured.session_uid, 80)}: {added}{hidden}"


def exchange_given(prompt_file: str | None, response_file: str | None) -> Exchange:
    """The exchange of two files, or of the JSON on stdin. Raises: InputError."""
    if bool(prompt_file) != bool(response_file) or (prompt_file == response_file == "-"):
        raise InputError("Give both --prompt FILE and --response FILE (one of them may be -), or JSON on stdin.")
    if prompt_file and response_file:
        return Exchange(read_text(prompt_file, "prompt"), read_text(response_file, "response"))
    if sys.stdin is None or sys.stdin.isatty():
        raise InputError("Nothing is piped in. Give a JSON object with prompt and response, or the files of both.")
    return exchanges.read_exchange(read_text("-", "exchange"))
