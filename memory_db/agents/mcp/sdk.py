"""The reader's tools and resources for a server of the SDK, which answers over HTTP.

In: what gives the reader of a call. Out: tools and resources, added to a server; they are those of `definitions`.
Invariant: a tool runs in a thread of its own, so that a slow answer keeps nobody from cancelling it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Literal, TypeVar

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ResourceNotFoundError, ToolError
from mcp.types import ToolAnnotations
from pydantic import Field

from memory_db.agents.mcp import definitions
from memory_db.agents.mcp.tool_calls import HALF_A_CHARACTER
from memory_db.agents.reader.limits import DEFAULT_LIMIT, MOST_HITS
from memory_db.agents.reader.reader import Reader
from memory_db.errors import MemoryDBError

Access = Callable[[Context[Any, Any], bool], Awaitable[Reader]]
"""Gives the reader of a call, for reading or for writing. Raises: MemoryDBError where the caller may not."""

Answer = TypeVar("Answer")


def add_tools(server: MCPServer, access: Access, *, propose: bool = False) -> None:
    """recall, get and timeline; propose too, for a client that may ask a person for changes."""

    async def recall(
        ctx: Context[Any, Any],
        query: str,
        project: str = "",
        kind: str = "",
        limit: Annotated[int, Field(ge=1, le=MOST_HITS)] = DEFAULT_LIMIT,
    ) -> str:
        return await as_tool_result(access, ctx, lambda reader: reader.recall(query, project, kind, limit))

    async def get(ctx: Context[Any, Any], uids: list[str], offset: int = 0) -> str:
        return await as_tool_result(access, ctx, lambda reader: reader.get(uids, offset))

    async def timeline(
        ctx: Context[Any, Any], about: str = "", since: str = "", before: str = "", project: str = "", offset: int = 0
    ) -> str:
        return await as_tool_result(access, ctx, lambda reader: reader.timeline(about, since, before, project, offset))

    add_all(server, {"recall": recall, "get": get, "timeline": timeline})
    if propose:
        add_proposing(server, access)


def add_proposing(server: MCPServer, access: Access) -> None:
    """propose alone."""

    async def propose(
        ctx: Context[Any, Any],
        op: Literal["save", "deprecate", "relate", "tension"],
        text: str = "",
        uid: str = "",
        other: str = "",
        kind: str = "",
        reason: str = "",
        project: str = "",
    ) -> str:
        return await as_tool_result(
            access, ctx, lambda reader: reader.propose(op, text, uid, other, kind, reason, project), write=True
        )

    add_all(server, {"propose": propose})


def add_all(server: MCPServer, functions: dict[str, Callable[..., Any]]) -> None:
    """Functions as the tools that `definitions` has of their names."""
    for tool in definitions.tools(write=True):
        if tool["name"] in functions:
            server.add_tool(
                functions[tool["name"]],
                tool["name"],
                title=tool["title"],
                description=tool["description"],
                annotations=ToolAnnotations.model_validate(tool["annotations"]),
                structured_output=False,
            )


async def as_tool_result(
    access: Access, ctx: Context[Any, Any], call: Callable[[Reader], Answer], *, write: bool = False
) -> Answer:
    """What a call gives, run in a thread; what a model can mend becomes a tool error. Raises: ToolError."""
    try:
        reader = await access(ctx, write)
        return await asyncio.to_thread(call, reader)
    except MemoryDBError as error:
        raise ToolError(str(error)) from error
    except UnicodeEncodeError as error:
        raise ToolError(HALF_A_CHARACTER) from error


def add_resources(server: MCPServer, access: Access) -> None:
    """A memory and a session, which a person attaches by uid."""

    async def read(ctx: Context[Any, Any], sort: str, uid: str) -> str:
        try:
            reader = await access(ctx, False)
            return await asyncio.to_thread(reader.resource, sort, uid)
        except MemoryDBError as error:
            raise ResourceNotFoundError(str(error)) from error

    async def memory(uid: str, ctx: Context[Any, Any]) -> str:
        return await read(ctx, "memory", uid)

    async def session(uid: str, ctx: Context[Any, Any]) -> str:
        return await read(ctx, "session", uid)

    functions = {"memory": memory, "session": session}
    for each in definitions.TEMPLATES:
        add = server.resource(each["uriTemplate"], description=each["description"], mime_type=each["mimeType"])
        add(functions[each["name"]])
