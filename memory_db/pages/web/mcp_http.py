"""The MCP reader's tools for a Datasette that answers agents over HTTP through datasette-mcp.

In: a Datasette, the server of datasette-mcp, a clock. Out: the same tools and resources as over stdio. Invariant: each
call is checked against what the actor of its request may see or write.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from mcp.server.mcpserver import Context, MCPServer

from memory_db.agents.mcp.sdk import add_resources, add_tools
from memory_db.agents.reader.reader import Reader
from memory_db.errors import InputError
from memory_db.pages.web import api_tokens as tokens
from memory_db.pages.web import compat

NOT_HERE = "No memory-db file is served here that you may read. Ask whoever runs this server for access."

NOT_WRITING = (
    "You may read here, not propose. That takes an actor whom `may_write` of the plugin memory-db names: tell the user"
    " what you would keep instead."
)


def register(datasette: Any, server: MCPServer, clock: Callable[[], datetime]) -> None:
    """Adds our tools and resources to a server; propose too where `mcp_propose` of the plugin's settings is true."""

    async def access(ctx: Context[Any, Any], write: bool) -> Reader:
        actor = actor_of(ctx)
        database = compat.memory_database(datasette)
        if database is None or not await compat.may_see(datasette, actor, database.name):
            raise InputError(NOT_HERE)
        if write and not await compat.may_write(datasette, actor):
            raise InputError(NOT_WRITING)
        return Reader(Path(database.path), None, clock)

    settings = datasette.plugin_config("memory-db") or {}
    add_tools(server, access, propose=bool(settings.get("mcp_propose")))
    add_resources(server, access)


def actor_of(ctx: Context[Any, Any]) -> dict[str, Any] | None:
    """Who sent a request: the actor of its token of ours, or as Datasette knows them."""
    scope = getattr(ctx.request_context.request, "scope", None)
    actor = (scope.get(tokens.SCOPE) or scope.get("actor")) if isinstance(scope, dict) else None
    return actor if isinstance(actor, dict) else None
