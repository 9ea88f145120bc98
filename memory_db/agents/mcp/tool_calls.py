"""A tool called, a resource read: what the reader answers, as results of the protocol.

In: what gives the reader, the name and arguments of a call, or an address. Out: a result. Invariant: what a model can
mend is an answer of the tool, marked as an error; nothing of it is an error of the protocol.

The standard library alone, until the reader is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from urllib.parse import unquote

from memory_db.agents.mcp import apps, definitions
from memory_db.agents.mcp.arguments import checked
from memory_db.agents.mcp.protocol import INVALID_PARAMS, ProtocolError
from memory_db.errors import InputError, MemoryDBError
from memory_db.records import dataclass

TYPE_CHECKING = False  # as in typing, which takes several milliseconds to load
if TYPE_CHECKING:
    from typing import Any

    from memory_db.agents.reader.reader import Reader

HALF_A_CHARACTER = "An argument holds half of a character, a lone surrogate. Give it as UTF-8 text."


@dataclass(slots=True, frozen=True)
class Form:
    """What a recall carries beside its text: its data, where it is `structured`; what a page draws, for a client that
    draws pages."""

    structured: bool
    draws_pages: bool


def called(
    reader: Callable[[], Reader],
    tools: Mapping[str, Mapping[str, Any]],
    name: str,
    given: Mapping[str, Any],
    form: Form,
) -> dict[str, Any]:
    """The result of a call."""
    try:
        if name not in tools:
            raise InputError(f"Unknown tool: {name[:60]}. There are {', '.join(tools)}.")
        arguments = checked(tools[name]["inputSchema"], given)
        if name == "recall" and (form.structured or form.draws_pages):
            text, data = reader().recall_with_data(**arguments)
            beside = {"structuredContent": data} if form.structured else {}
            drawn = {"_meta": {apps.DATA_KEY: apps.why(data)}} if form.draws_pages else {}
            return {**said(text), **beside, **drawn}
        return said(getattr(reader(), name)(**arguments))
    except MemoryDBError as error:
        return said(str(error), is_error=True)
    except UnicodeEncodeError:
        return said(HALF_A_CHARACTER, is_error=True)


def said(text: str, *, is_error: bool = False) -> dict[str, Any]:
    """A text as the result of a tool."""
    return {"content": [{"type": "text", "text": text}], "isError": is_error}


def read_resource(reader: Callable[[], Reader], uri: str) -> dict[str, Any]:
    """A memory or a session as a person attaches it, or the page that draws a recall. Raises: ProtocolError."""
    if uri == apps.PAGE_URI:
        return {"contents": [apps.page()]}
    for sort, beginning in definitions.RESOURCES.items():
        uid = uri.removeprefix(beginning)
        if uid != uri and "/" not in uid:
            try:
                text = reader().resource(sort, unquote(uid))
            except MemoryDBError as error:
                raise ProtocolError(INVALID_PARAMS, str(error), {"uri": uri}) from error
            except UnicodeEncodeError as error:
                raise ProtocolError(INVALID_PARAMS, HALF_A_CHARACTER, {"uri": uri}) from error
            return {"contents": [{"uri": uri, "mimeType": "text/plain", "text": text}]}
    raise ProtocolError(INVALID_PARAMS, f"Unknown resource: {uri[:200]}", {"uri": uri})
