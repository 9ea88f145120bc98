"""The command that serves an agent over MCP.

A module of its own: an agent waits for it at the start of its session, so it loads no more than it needs.
"""

from __future__ import annotations

from pathlib import Path

import click

from memory_db.agents.mcp import server
from memory_db.cli.common import Command, chosen_path
from memory_db.cli.options import database_option


@click.command(cls=Command)
@click.option("--write", is_flag=True, help="Let the agent propose changes (the tool propose); you decide in review.")
@click.option("--structured", is_flag=True, help="Send a recall's answer as data too, for clients that are programs.")
@database_option
def mcp(write: bool, structured: bool, database: Path | None) -> None:
    """Serve an agent over MCP: the tools recall, get and timeline.

    What belongs to other projects than that of this folder is shown only where the agent names the project or a uid;
    `memory-db settings mcp_other_projects` says otherwise. docs/mcp.md has the tools with what they cost.
    """
    server.serve(chosen_path(database), write=write, structured=structured)
