"""The SDK's client of our server, in this process: each message goes through a line, as over stdio.

In: a reader, and how the server is started. Out: a client of the SDK that is connected, or what raw lines come to.
"""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any

import anyio
from mcp import Client
from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCMessage, jsonrpc_message_adapter

from memory_db.agents.mcp.dispatch import Dispatcher
from memory_db.agents.reader.reader import Reader

ANSWERED_WITHIN_S = 30


@asynccontextmanager
async def connected(
    reader: Reader, *, write: bool = False, structured: bool = False, mode: str = "auto"
) -> AsyncIterator[Client]:
    """A client; `mode` "auto" asks without a handshake, "legacy" begins with one."""
    async with Client(transport(reader, write=write, structured=structured), mode=mode) as client:
        yield client


@asynccontextmanager
async def transport(reader: Reader, *, write: bool, structured: bool) -> AsyncIterator[tuple[Any, Any]]:
    """The streams that the SDK's client speaks over, with our server at their other ends."""
    answer, answers = anyio.create_memory_object_stream[SessionMessage | Exception](math.inf)
    ask, asked = anyio.create_memory_object_stream[SessionMessage](math.inf)
    loop = asyncio.get_running_loop()

    def put(message: SessionMessage) -> None:
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            answer.send_nowait(message)

    def send(line: bytes) -> None:
        assert line.endswith(b"\n") and line.count(b"\n") == 1
        loop.call_soon_threadsafe(put, SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False)))

    dispatcher = Dispatcher(lambda: reader, send, write=write, structured=structured)

    async def pass_on() -> None:
        async for message in asked:
            dispatcher.receive(line_of(message.message))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(pass_on)
        yield answers, ask
        tasks.cancel_scope.cancel()
    await asyncio.to_thread(dispatcher.workers.finish, ANSWERED_WITHIN_S)
    for stream in (answer, answers, ask, asked):
        stream.close()


def line_of(message: JSONRPCMessage) -> bytes:
    """A message of the SDK as a line, half characters included, which the SDK itself cannot write."""
    return json.dumps(message.model_dump(mode="python", by_alias=True, exclude_unset=True)).encode() + b"\n"


def answers_to(
    reader: Reader, lines: Sequence[bytes | dict[str, Any] | list[Any]], *, write: bool = False
) -> list[Any]:
    """What the server sends to lines, given as such or as values of JSON, in the order in which it does."""
    sent: list[bytes] = []
    dispatcher = Dispatcher(lambda: reader, sent.append, write=write, structured=False)
    for line in lines:
        dispatcher.receive(line if isinstance(line, bytes) else json.dumps(line).encode())
    assert dispatcher.workers.finish(ANSWERED_WITHIN_S)
    return [json.loads(line) for line in sent]
