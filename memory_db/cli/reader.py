"""The command that answers agents: mcp."""

from __future__ import annotations

from pathlib import Path

import click

from memory_db.agents.mcp import server as mcp_server
from memory_db.cli.common import Command, chosen_path, database_option


@click.command(cls=Command)
@click.option("--write", is_flag=True, help="Let the agent propose changes (the tool propose); you decide in review.")
@database_option
def mcp(write: bool, database: Path | None) -> None:
    """Answer an agent over stdio: the tools recall, get and timeline.

    What belongs to other projects than the folder it is started in is told where the agent names the project or a uid;
    `memory-db settings mcp_other_projects` says otherwise. docs/mcp.md has the tools with what they cost.
    """
    mcp_server.serve(chosen_path(database), write=write)
