"""What each message of a client comes to: an answer at once, a job for a thread, or nothing.

In: lines of a client. Out: lines for it, each sent as soon as it is made. A request that carries its version
(2026-07-28) is answered by that alone; any other goes by the handshake that came before it. Invariants: every request
has one answer, whatever fails, but for one that the client cancelled; a line that says nothing is answered with what is
wrong with it, and the next one is read.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from memory_db import __version__
from memory_db.agents.mcp import apps, definitions, protocol
from memory_db.agents.mcp.protocol import INVALID_PARAMS, INVALID_REQUEST, ProtocolError, Request
from memory_db.agents.mcp.tool_calls import Form, called, read_resource
from memory_db.agents.mcp.workers import Workers
from memory_db.records import dataclass, field

TYPE_CHECKING = False  # as in typing, which takes several milliseconds to load
if TYPE_CHECKING:
    from typing import Any

    from memory_db.agents.reader.reader import Reader

    Reply = Callable[[dict[str, Any] | None], None]
    """Takes the answer to one message; None where there is none."""

CACHED_MS = 3_600_000
"""How long a client may keep a list. Source: ours; what a process offers never changes."""

CACHED = {"ttlMs": CACHED_MS, "cacheScope": "private"}
NOT_CACHED = {"ttlMs": 0, "cacheScope": "private"}

SERVER_INFO = {"name": definitions.NAME, "version": __version__}

BEGIN_FIRST = (
    "Nothing was agreed on: send initialize first, or say in params._meta by which version you ask"
    f" ({protocol.VERSION_KEY}: {protocol.STATELESS_VERSION})."
)


@dataclass(slots=True, frozen=True)
class Agreed:
    """What a request is answered by: a version of the protocol, and whether the client draws pages of a server."""

    version: str
    draws_pages: bool = False

    @property
    def is_stateless(self) -> bool:
        """Whether each request says by itself what it is answered by."""
        return self.version == protocol.STATELESS_VERSION

    def completed(self, result: dict[str, Any], caching: dict[str, Any] | None = None) -> dict[str, Any]:
        """A result with what this version asks of every one."""
        if not self.is_stateless:
            return result
        meta = {**result.get("_meta", {}), protocol.SERVER_KEY: SERVER_INFO}
        return {**result, **(caching or {}), "resultType": "complete", "_meta": meta}


@dataclass(slots=True, eq=False)
class Call:
    """A request that a thread answers, until the client does not want it any more."""

    is_cancelled: bool = False


@dataclass(slots=True, eq=False)
class Batch:
    """The answers to a list of messages, sent as one list when all are there."""

    missing: int
    send: Callable[[Any], None]
    answers: list[dict[str, Any]] = field(default_factory=list)

    def take(self, answer: dict[str, Any] | None) -> None:
        """One more answer, or that a message has none."""
        self.missing -= 1
        if answer is not None:
            self.answers.append(answer)
        if not self.missing and self.answers:
            self.send(self.answers)


class Dispatcher:
    """The server of one client."""

    def __init__(
        self, reader: Callable[[], Reader], send: Callable[[bytes], object], *, write: bool, structured: bool
    ) -> None:
        """`reader` gives what answers, when it is first needed; `send` takes lines, one at a time."""
        self.reader, self.structured = reader, structured
        self.tools = {each["name"]: each for each in definitions.tools(write=write, structured=structured)}
        self.workers = Workers()
        self.agreed: Agreed | None = None
        self._send, self._lock = send, threading.RLock()
        self._calls: dict[int | str, Call] = {}

    def receive(self, line: bytes) -> None:
        """Takes one line of the client."""
        if not line.strip():
            return
        try:
            value = protocol.parsed(line)
        except ProtocolError as error:
            self.send(protocol.error_of(None, error))
            return
        if isinstance(value, list):
            self.take_batch(value)
        else:
            self.take(value, self.send_one)

    def refuse(self, message: str) -> None:
        """Answers a line that could not be read."""
        self.send(protocol.error_of(None, ProtocolError(INVALID_REQUEST, message)))

    def send(self, message: Any) -> None:
        """Sends a message, or a list of them, as one line."""
        line = protocol.line_of(message)
        with self._lock:
            self._send(line)

    def send_one(self, message: dict[str, Any] | None) -> None:
        """Sends an answer, where there is one."""
        if message is not None:
            self.send(message)

    def take_batch(self, values: list[Any]) -> None:
        """Takes a list of messages, in versions that have them."""
        version = self.agreed.version if self.agreed else "no version yet"
        if version not in protocol.BATCH_VERSIONS:
            return self.refuse(f"A list of messages is not taken by {version}: send one message a line.")
        if not values:
            return self.refuse("The list of messages is empty.")
        batch = Batch(len(values), self.send)

        def reply(answer: dict[str, Any] | None) -> None:
            with self._lock:
                batch.take(answer)

        for value in values:
            self.take(value, reply)
        return None

    def take(self, value: Any, reply: Reply) -> None:
        """Takes one message; its answer, or that there is none, is given to `reply`."""
        request_id = None
        try:
            request = protocol.request_of(value)
            if request is None or request.id is None:
                if request is not None:
                    self.notified(request)
                reply(None)
                return
            request_id = request.id
            if request.method in SLOW:
                self.answer_later(request, self.agreed_of(request), reply)
            else:
                reply(protocol.answer_of(request_id, self.answered(request)))
        except ProtocolError as error:
            reply(protocol.error_of(request_id if request_id is not None else error.request_id, error))

    def notified(self, request: Request) -> None:
        """Takes a notification: of those that there are only one says something here, that an answer is not wanted."""
        if request.method == "notifications/cancelled":
            cancelled = request.params.get("requestId")
            with self._lock:
                if isinstance(cancelled, int | str) and (call := self._calls.get(cancelled)):
                    call.is_cancelled = True

    def agreed_of(self, request: Request) -> Agreed:
        """What a request is answered by. Raises: ProtocolError."""
        meta = request.params.get("_meta")
        if not (isinstance(meta, dict) and protocol.VERSION_KEY in meta):
            if self.agreed is None and request.method != "ping":
                raise ProtocolError(INVALID_PARAMS, BEGIN_FIRST)
            return self.agreed or Agreed(protocol.HANDSHAKE_VERSIONS[-1])
        version = meta[protocol.VERSION_KEY]
        if not isinstance(version, str):
            raise ProtocolError(INVALID_PARAMS, f"{protocol.VERSION_KEY} is a text.")
        if version != protocol.STATELESS_VERSION:
            supported = {"supported": [protocol.STATELESS_VERSION], "requested": version}
            raise ProtocolError(protocol.UNSUPPORTED_VERSION, "Unsupported protocol version", supported)
        if not isinstance(meta.get(protocol.CAPABILITIES_KEY), dict):
            raise ProtocolError(INVALID_PARAMS, f"params._meta lacks {protocol.CAPABILITIES_KEY}, an object.")
        return Agreed(version, apps.draws_pages(meta[protocol.CAPABILITIES_KEY]))

    def answered(self, request: Request) -> dict[str, Any]:
        """The result of what is answered at once. Raises: ProtocolError."""
        if request.method == "initialize":
            return self.initialized(request.params)
        agreed = self.agreed_of(request)
        match request.method:
            case "ping" if not agreed.is_stateless:
                return {}
            case "server/discover" if agreed.is_stateless:
                return agreed.completed(
                    {"supportedVersions": [protocol.STATELESS_VERSION], **self.offered(agreed)}, CACHED
                )
            case "tools/list":
                return agreed.completed({"tools": self.listed_tools(agreed)}, CACHED)
            case "resources/list":
                return agreed.completed({"resources": []}, CACHED)
            case "resources/templates/list":
                return agreed.completed({"resourceTemplates": definitions.TEMPLATES}, CACHED)
            case "prompts/list":  # asked by some clients unseen
                return agreed.completed({"prompts": []}, CACHED)
        raise ProtocolError(protocol.METHOD_NOT_FOUND, "Method not found", request.method)

    def initialized(self, params: dict[str, Any]) -> dict[str, Any]:
        """Agrees on a version: the one that is asked for, else the newest with a handshake. Raises: ProtocolError."""
        asked = params.get("protocolVersion")
        if not (isinstance(asked, str) and isinstance(params.get("capabilities"), dict)):
            raise ProtocolError(INVALID_PARAMS, "initialize names a protocolVersion, a text, and capabilities.")
        versions = protocol.HANDSHAKE_VERSIONS
        version = asked if asked in versions else versions[-1]
        self.agreed = Agreed(version, apps.draws_pages(params["capabilities"]))
        return {"protocolVersion": version, "serverInfo": SERVER_INFO, **self.offered(self.agreed)}

    def offered(self, agreed: Agreed) -> dict[str, Any]:
        """What a client is told of the server at the start."""
        pages: dict[str, Any] = {"extensions": {apps.EXTENSION: {}}} if agreed.draws_pages else {}
        return {"capabilities": {"tools": {}, "resources": {}, **pages}, "instructions": definitions.INSTRUCTIONS}

    def listed_tools(self, agreed: Agreed) -> list[dict[str, Any]]:
        """The tools; a recall says which page draws it, to a client that draws pages."""
        drawn = {"recall": apps.DRAWN_BY_PAGE} if agreed.draws_pages else {}
        return [{**tool, **drawn.get(name, {})} for name, tool in self.tools.items()]

    def answer_later(self, request: Request, agreed: Agreed, reply: Reply) -> None:
        """Has a thread answer a request. Raises: ProtocolError."""
        work = SLOW[request.method](self, request, agreed)
        call, request_id = Call(), request.id
        assert request_id is not None
        caching = NOT_CACHED if request.method == "resources/read" else None

        def job() -> None:
            answer = protocol.error_of(
                request_id, ProtocolError(protocol.INTERNAL_ERROR, "The server failed; its stderr says why.")
            )
            try:
                if not call.is_cancelled:
                    answer = protocol.answer_of(request_id, agreed.completed(work(), caching))
            except ProtocolError as error:
                answer = protocol.error_of(request_id, error)
            finally:
                with self._lock:
                    if self._calls.get(request_id) is call:
                        del self._calls[request_id]
                    is_wanted = not call.is_cancelled
                reply(answer if is_wanted else None)

        with self._lock:
            self._calls[request_id] = call
        self.workers.put(job)

    def tool_call(self, request: Request, agreed: Agreed) -> Callable[[], dict[str, Any]]:
        """What calls a tool. Raises: ProtocolError."""
        name, arguments = request.params.get("name"), request.params.get("arguments")
        if not isinstance(name, str) or not isinstance(arguments, dict | None):
            raise ProtocolError(INVALID_PARAMS, "tools/call names a tool (name) and its arguments, an object.")
        form = Form(self.structured, agreed.draws_pages)
        return lambda: called(self.reader, self.tools, name, arguments or {}, form)

    def resource_read(self, request: Request, agreed: Agreed) -> Callable[[], dict[str, Any]]:
        """What reads a resource. Raises: ProtocolError."""
        uri = request.params.get("uri")
        if not isinstance(uri, str):
            raise ProtocolError(INVALID_PARAMS, "resources/read names a resource (uri).")
        return lambda: read_resource(self.reader, uri)


SLOW: dict[str, Callable[[Dispatcher, Request, Agreed], Callable[[], dict[str, Any]]]] = {
    "tools/call": Dispatcher.tool_call,
    "resources/read": Dispatcher.resource_read,
}
"""Requests that a thread answers: what checks them, and gives what makes the answer."""
