"""The command that answers agents: mcp."""

from __future__ import annotations

from pathlib import Path

import click

from memory_db import mcp_reader
from memory_db.cli.common import Command, chosen_path, database_option


@click.command(cls=Command)
@database_option
def mcp(database: Path | None) -> None:
    """Answer an agent over stdio: the tools recall and get."""
    mcp_reader.serve(chosen_path(database))
