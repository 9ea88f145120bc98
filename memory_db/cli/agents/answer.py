"""The command hook show, which answers one event as a hook does, for trying out.

Agents call `hook.py` itself, which starts several times as fast; the code behind is the same.
"""

from __future__ import annotations

import os
import sys
import time
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import click

from memory_db.cli.common import Command, chosen_path
from memory_db.cli.options import database_option
from memory_db.hooks import run as hooks
from memory_db.store.connection import connect_to_answer
from memory_db.transcripts.projects import find_project


@click.command(cls=Command)
@click.argument("name", type=click.Choice(list(hooks.HANDLERS)))
@click.option(
    "--project", default="", help="Name or path of where the agent works; else what the payload says, or this folder."
)
@database_option
def show(name: str, project: str, database: Path | None) -> None:
    """Show what an agent would read at an event, as its hook answers.

    NAME is the hook; the payload of its event (JSON) is read from stdin.

    A plain text is taken as a prompt in this folder. It is logged as any run of a hook; outcome and reason go to
    stderr.
    """
    path = chosen_path(database)
    run = hooks.HookRun(str(path), datetime.now(UTC), time.perf_counter(), name, folder_named(path, project))
    payload = sys.stdin.buffer.read(hooks.MOST_BYTES + 1)
    try:
        is_own = hooks.OWN_AGENT in os.environ
        _, starts_work = hooks.respond(run, payload, is_own=is_own, takes_text=True, show=hooks.show)
    except hooks.TROUBLES as error:
        click.echo(f"failed: {hooks.note_trouble(run, error)}", err=True)
        return
    else:
        hooks.finish(run, starts_work)
    finally:
        if run.db is not None:
            run.db.close()
    click.echo(f"{run.outcome}{': ' * bool(run.reason)}{run.reason}", err=True)


def folder_named(path: Path, project: str) -> str:
    """The folder of a project that was named, or the path as it was given; nothing where none was.

    Raises: InputError where several projects are meant.
    """
    if not project or not path.exists():
        return project
    with closing(connect_to_answer(path)[0]) as db:
        found = find_project(db, project)
        row = db.execute("select canonical_path from projects where id = ?", [found]).fetchone()
    return str(row[0]) if row else project
