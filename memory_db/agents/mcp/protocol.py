"""MCP as lines of JSON: what a line asks for, or what is wrong with it, and answers as lines.

In: bytes. Out: requests, or a `ProtocolError` that says how it is answered; answers as bytes. Invariant: an answer is
one line of ASCII, so that half of a character and a separator of lines pass as they were said.

The standard library alone: an agent waits for this at the start of its session.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from memory_db.errors import MemoryDBError
from memory_db.records import dataclass

TYPE_CHECKING = False  # as in typing, which takes several milliseconds to load
if TYPE_CHECKING:
    from typing import Any, NoReturn

HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""Versions that begin with `initialize`, oldest first. Source: the specification of MCP, as the three below."""

STATELESS_VERSION = "2026-07-28"
"""The version without a handshake: each request carries what was agreed on there."""

BATCH_VERSIONS = ("2024-11-05", "2025-03-26")
"""Versions in which a line may be a list of messages; 2025-06-18 took that out."""

META = "io.modelcontextprotocol/"
VERSION_KEY, CAPABILITIES_KEY, SERVER_KEY = f"{META}protocolVersion", f"{META}clientCapabilities", f"{META}serverInfo"
"""Keys of `_meta`: of a request what it goes by, of an answer who gave it."""

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
UNSUPPORTED_VERSION = -32022
"""Codes of errors. Source: JSON-RPC 2.0, the last one MCP 2026-07-28."""


class ProtocolError(MemoryDBError):
    """A message that is answered with an error: its code, and data for a program where there is some."""

    def __init__(self, code: int, message: str, data: Any = None, *, request_id: int | str | None = None) -> None:
        super().__init__(message)
        self.code, self.data, self.request_id = code, data, request_id


@dataclass(slots=True, frozen=True)
class Request:
    """What a client asks for; a notification, which gets no answer, has no id."""

    method: str
    params: dict[str, Any]
    id: int | str | None


def parsed(line: bytes) -> Any:
    """The value of a line. Raises: ProtocolError for what is no JSON."""
    try:
        return json.loads(line.decode("utf-8", "replace"), parse_constant=no_number)
    except (ValueError, RecursionError) as error:
        raise ProtocolError(PARSE_ERROR, f"The line is not JSON: {error}.") from error


def no_number(name: str) -> NoReturn:
    """Refuses what Python takes for a number and JSON does not. Raises: ValueError."""
    raise ValueError(f"{name} is no number of JSON")


def request_of(value: Any) -> Request | None:
    """A value as a request; None for an answer to one, since this server asks for nothing.

    Raises: ProtocolError with the id of what is no request, as far as it has one.
    """
    if not isinstance(value, dict):
        raise ProtocolError(INVALID_REQUEST, "A message is an object of JSON.")
    has_id, given = "id" in value, value.get("id")
    is_named = isinstance(given, int | str) and not isinstance(given, bool)
    request_id = given if is_named else None
    if value.get("jsonrpc") != "2.0":
        raise ProtocolError(INVALID_REQUEST, 'A message says "jsonrpc": "2.0".', request_id=request_id)
    if "method" not in value and ("result" in value or "error" in value):
        return None
    if has_id and not is_named:
        raise ProtocolError(INVALID_REQUEST, "The id of a request is a text or a whole number.")
    method, params = value.get("method"), value.get("params", {})
    if not isinstance(method, str):
        raise ProtocolError(INVALID_REQUEST, "A request names a method.", request_id=request_id)
    if not isinstance(params, dict):
        raise ProtocolError(INVALID_REQUEST, "The params of a request are an object.", request_id=request_id)
    return Request(method, params, request_id)


def answer_of(request_id: int | str | None, result: Mapping[str, Any]) -> dict[str, Any]:
    """A good answer."""
    return {"jsonrpc": "2.0", "id": request_id, "result": result}


def error_of(request_id: int | str | None, error: ProtocolError) -> dict[str, Any]:
    """An answer that says what is wrong."""
    said = {"code": error.code, "message": str(error)}
    return {"jsonrpc": "2.0", "id": request_id, "error": said if error.data is None else {**said, "data": error.data}}


def line_of(message: Any) -> bytes:
    """A message, or a list of them, as a line."""
    return json.dumps(message, separators=(",", ":")).encode("ascii") + b"\n"
