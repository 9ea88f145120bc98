"""The command that answers one event as a hook does, for trying out: hook.

Agents call `hook.py` itself, which starts several times as fast; the code behind is the same.
"""

from __future__ import annotations

import os
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import click

from memory_db import hooks
from memory_db.cli.common import Command, chosen_path, database_option


@click.command(cls=Command)
@click.argument("name", type=click.Choice(list(hooks.HANDLERS)))
@click.option("--project", default="", help="Where the agent works; else what the payload says in cwd.")
@database_option
def hook(name: str, project: str, database: Path | None) -> None:
    """What an agent would read at an event, as its hook answers.

    NAME is the hook; the payload of its event (JSON) is read from stdin.

    A plain text is taken as a prompt. It is logged as any run of a hook; outcome and reason go to stderr.
    """
    run = hooks.Run(str(chosen_path(database)), datetime.now(UTC), time.perf_counter(), name, project)
    payload = sys.stdin.buffer.read(hooks.MOST_BYTES + 1)
    try:
        text, starts_work = hooks.respond(run, payload, is_own=hooks.OWN_AGENT in os.environ, takes_text=True)
    except hooks.TROUBLES as error:
        click.echo(f"failed: {hooks.tell_trouble(run, error)}", err=True)
        return
    hooks.finish(run, text, starts_work)
    click.echo(f"{run.outcome}{': ' * bool(run.reason)}{run.reason}", err=True)
