"""A stand-in for the model behind Claude Code: it answers /v1/messages on loopback by a script, and keeps what it saw.

In: a function from a request to what the model says. Out: the requests, as the client sent them. Invariant: it listens
on 127.0.0.1 alone, and nothing of it reaches another host.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Say:
    """The model says a text and ends its turn."""

    text: str


@dataclass(frozen=True, slots=True)
class Use:
    """The model calls a tool."""

    tool: str
    arguments: Json


Reply = Say | Use
Script = Callable[["Request"], Reply]

OUTPUT_TOKENS = 40


def usage_of(number: int) -> Json:
    """What the answer of that number used, before its output: no two answers the same, so that none can stand for
    another."""
    return {
        "input_tokens": 1_200 + number, "cache_read_input_tokens": 800 + 3 * number,
        "cache_creation_input_tokens": 100 + 2 * number, "output_tokens": 1,
        "cache_creation": {"ephemeral_5m_input_tokens": 60, "ephemeral_1h_input_tokens": 40 + 2 * number},
    }  # fmt: skip


def output_of(number: int) -> int:
    """How many tokens the answer of that number has."""
    return OUTPUT_TOKENS + number


@dataclass(frozen=True, slots=True)
class Request:
    """What a client asked for."""

    body: Json

    @property
    def tools(self) -> list[str]:
        """The names of the tools offered."""
        return [str(tool.get("name")) for tool in self.body.get("tools", [])]

    @property
    def text(self) -> str:
        """Everything that the model would read: the system prompt, then the messages."""
        return "\n".join([*texts(self.body.get("system", "")), *texts(self.body.get("messages", []))])

    @property
    def results(self) -> list[str]:
        """The texts of tool results, in order."""
        return [
            "\n".join(texts(block.get("content", "")))
            for message in self.body.get("messages", [])
            if isinstance(message.get("content"), list)
            for block in message["content"]
            if block.get("type") == "tool_result"
        ]


def texts(content: Any) -> Iterator[str]:
    """Every text in a content, however deep."""
    if isinstance(content, str):
        yield content
    elif isinstance(content, list):
        for part in content:
            yield from texts(part)
    elif isinstance(content, dict):
        for key in ("text", "content"):
            yield from texts(content.get(key, []))


@dataclass(slots=True)
class ClaudeApi:
    """What is served, and what was asked."""

    script: Script
    requests: list[Request] = field(default_factory=list)
    url: str = ""
    lock: threading.Lock = field(default_factory=threading.Lock)

    def answer(self, request: Request) -> tuple[int, Reply]:
        """Keeps a request and says what the model replies, with the number of the request."""
        with self.lock:
            self.requests.append(request)
            return len(self.requests), self.script(request)

    def seen(self, words: str) -> list[Request]:
        """The requests in which the model would read these words."""
        return [request for request in self.requests if words in request.text]


@contextmanager
def claude_api(script: Script) -> Iterator[ClaudeApi]:
    """Serves a script until the block ends."""
    api = ClaudeApi(script)

    class Handler(AnswerHandler):
        served = api

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        api.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield api
        finally:
            server.shutdown()
            thread.join()


class AnswerHandler(BaseHTTPRequestHandler):
    """Speaks as much of the Messages API as a client needs, streamed or whole."""

    protocol_version = "HTTP/1.1"
    served: ClaudeApi

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""

    def do_HEAD(self) -> None:
        self.send("application/json", b"")

    def do_GET(self) -> None:
        self.send("application/json", b"{}")

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}")
        if "/v1/messages" not in self.path:
            self.send("application/json", b"{}")
        elif "count_tokens" in self.path:
            self.send("application/json", b'{"input_tokens": 10}')
        else:
            number, reply = self.served.answer(Request(body))
            events = list(events_of(number, reply, str(body.get("model"))))
            if body.get("stream"):
                self.send("text/event-stream", streamed(events))
            else:
                self.send("application/json", json.dumps(whole(events)).encode())

    def send(self, content_type: str, body: bytes) -> None:
        self.send_response(200)
        self.send_header("content-type", content_type)
        self.send_header("content-length", str(len(body)))
        self.send_header("request-id", "req_of_a_stand_in")
        self.end_headers()
        self.wfile.write(body)


def events_of(number: int, reply: Reply, model: str) -> Iterator[Json]:
    """The events of one answer, in the order in which they are streamed."""
    message = {
        "id": f"msg_{number:04}", "type": "message", "role": "assistant", "model": model, "content": [],
        "stop_reason": None, "stop_sequence": None, "usage": usage_of(number),
    }  # fmt: skip
    yield {"type": "message_start", "message": message}
    if isinstance(reply, Say):
        block: Json = {"type": "text", "text": ""}
        delta: Json = {"type": "text_delta", "text": reply.text}
    else:
        block = {"type": "tool_use", "id": f"toolu_{number:04}", "name": reply.tool, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(reply.arguments)}
    yield {"type": "content_block_start", "index": 0, "content_block": block}
    yield {"type": "content_block_delta", "index": 0, "delta": delta}
    yield {"type": "content_block_stop", "index": 0}
    ended = {"stop_reason": "end_turn" if isinstance(reply, Say) else "tool_use", "stop_sequence": None}
    yield {"type": "message_delta", "delta": ended, "usage": {"output_tokens": output_of(number)}}
    yield {"type": "message_stop"}


def streamed(events: Sequence[Json]) -> bytes:
    """Events as a client that streams reads them."""
    return "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events).encode()


def whole(events: Sequence[Json]) -> Json:
    """The same answer for a client that does not stream."""
    message: Json = dict(events[0]["message"])
    block: Json = dict(events[1]["content_block"])
    delta = events[2]["delta"]
    if block["type"] == "text":
        block["text"] = delta["text"]
    else:
        block["input"] = json.loads(delta["partial_json"])
    usage = {**message["usage"], **events[4]["usage"]}
    return {**message, "content": [block], "usage": usage, **events[4]["delta"]}
