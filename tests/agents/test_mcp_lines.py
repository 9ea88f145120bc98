"""The MCP server's lines: each form of the protocol, what is no message, and what an agent waits for."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from contextlib import closing
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from memory_db.agents.mcp import definitions, protocol
from memory_db.agents.mcp.arguments import checked
from memory_db.agents.mcp.dispatch import Dispatcher
from memory_db.agents.mcp.stdio import lines
from memory_db.agents.mcp.workers import MOST_THREADS, Workers
from memory_db.agents.reader.client import COLD
from memory_db.agents.reader.reader import Reader
from memory_db.errors import InputError
from memory_db.knowledge.memories import add_memory
from memory_db.store.connection import connect
from memory_db.store.schema import open_database
from tests.support.mcp_client import answers_to
from tests.support.patience import WAIT_S

ENVELOPE = {protocol.VERSION_KEY: protocol.STATELESS_VERSION, protocol.CAPABILITIES_KEY: {}}

RECALL = {"name": "recall", "arguments": {"query": "port of the test database"}}


@pytest.fixture
def path(db_path: Path, now: datetime) -> Path:
    """A small file that nobody has open."""
    with closing(open_database(db_path, now=now)) as db:
        add_memory(db, text="The test database listens on port 5433.", kind="environment", scope="user", now=now)
    return db_path


@pytest.fixture
def reader(path: Path, now: datetime) -> Reader:
    return Reader(path, Path("/home/dev/shop"), lambda: now)


def asked(method: str, request_id: object = 1, **params: Any) -> dict[str, Any]:
    """A request as a client sends it that began with a handshake."""
    return {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}


def stateless(method: str, request_id: object = 1, **params: Any) -> dict[str, Any]:
    """A request that says by itself what it goes by."""
    return asked(method, request_id, **params, _meta=ENVELOPE)


def hello(version: str = "2025-11-25", request_id: object = 0) -> dict[str, Any]:
    return asked(
        "initialize", request_id, protocolVersion=version, capabilities={}, clientInfo={"name": "t", "version": "1"}
    )


def codes(answers: list[Any]) -> list[int]:
    return [answer["error"]["code"] for answer in answers]


# ------------------------------------------------------------ forms of the protocol


@pytest.mark.parametrize(
    ("wanted", "agreed"),
    [*((version, version) for version in protocol.HANDSHAKE_VERSIONS), ("1999-01-01", "2025-11-25")],
)
def test_a_handshake_agrees_on_a_version(reader: Reader, wanted: str, agreed: str) -> None:
    answers = answers_to(reader, [hello(wanted), asked("ping"), asked("tools/list", 2)])
    assert answers[0]["result"]["protocolVersion"] == agreed
    assert answers[1]["result"] == {} and set(answers[2]["result"]) == {"tools"}


def test_a_request_may_carry_its_version(reader: Reader) -> None:
    discovered, listed, called = answers_to(
        reader, [stateless("server/discover"), stateless("tools/list", "b"), stateless("tools/call", 3, **RECALL)]
    )
    assert discovered["result"]["supportedVersions"] == [protocol.STATELESS_VERSION]
    assert discovered["result"]["instructions"] == definitions.INSTRUCTIONS
    for answer in (discovered, listed, called):
        assert answer["result"]["resultType"] == "complete"
        assert answer["result"]["_meta"][protocol.SERVER_KEY]["name"] == "memory-db"
    assert listed["id"] == "b" and listed["result"]["ttlMs"] > 0
    assert "5433" in called["result"]["content"][0]["text"]


def test_what_was_not_agreed_on_is_refused(reader: Reader) -> None:
    other = {**ENVELOPE, protocol.VERSION_KEY: "2099-01-01"}
    half = {protocol.VERSION_KEY: protocol.STATELESS_VERSION}
    early, future, lacking, gone, unknown = answers_to(
        reader,
        [
            asked("tools/list"), asked("tools/list", _meta=other), asked("tools/list", _meta=half), stateless("ping"),
            stateless("no/such"),
        ],
    )  # fmt: skip
    assert "initialize first" in early["error"]["message"]
    assert future["error"]["data"] == {"supported": [protocol.STATELESS_VERSION], "requested": "2099-01-01"}
    assert protocol.CAPABILITIES_KEY in lacking["error"]["message"]
    assert codes([early, future, lacking, gone, unknown]) == [-32602, -32022, -32602, -32601, -32601]


def test_lists_of_messages_are_of_their_versions(reader: Reader) -> None:
    note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    batch = [asked("ping", 5), note, asked("tools/call", 6, **RECALL), 7, asked("no/such", 8)]
    _, empty, answers = answers_to(reader, [hello("2025-03-26"), [], [note], batch])
    assert sorted((answer["id"] or 0, "error" in answer) for answer in answers) == [
        (0, True), (5, False), (6, False), (8, True),
    ]  # fmt: skip
    assert codes([empty]) == [-32600]
    [_, refused] = answers_to(reader, [hello("2025-06-18"), batch])
    assert codes([refused]) == [-32600] and "one message a line" in refused["error"]["message"]


# ------------------------------------------------------------------ what is no message


@pytest.mark.parametrize(
    ("line", "code", "request_id"),
    [
        (b"not json", -32700, None),
        (b'{"jsonrpc": "2.0", "id": 3, "method": "ping"', -32700, None),
        (b'{"jsonrpc": "2.0", "id": NaN, "method": "ping"}', -32700, None),
        (b"[" * 100_000, -32700, None),
        (b"9" * 10_000, -32700, None),
        (b"5", -32600, None),
        (b'{"jsonrpc": "2.0", "id": 3}', -32600, 3),
        (b'{"id": "x", "method": "ping"}', -32600, "x"),
        (b'{"jsonrpc": "2.0", "id": null, "method": "ping"}', -32600, None),
        (b'{"jsonrpc": "2.0", "id": true, "method": "ping"}', -32600, None),
        (b'{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}', -32600, None),
        (b'{"jsonrpc": "2.0", "id": 4, "method": "ping", "params": []}', -32600, 4),
        (b'{"jsonrpc": "2.0", "id": 4, "method": "tools/call"}', -32602, 4),
        (b'{"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": {"name": 5}}', -32602, 4),
        (b'{"jsonrpc": "2.0", "id": 4, "method": "resources/read", "params": {"uri": "file:///etc"}}', -32602, 4),
        (
            b'{"jsonrpc": "2.0", "id": 4, "method": "resources/read", "params": {"uri": "memory://memory/a/b"}}',
            -32602,
            4,
        ),
        (b'{"jsonrpc": "2.0", "id": 4, "method": "initialize", "params": {}}', -32602, 4),
    ],
)
@pytest.mark.slow
def test_a_line_that_is_no_message_has_one_answer(
    reader: Reader, line: bytes, code: int, request_id: int | str | None
) -> None:
    answers = answers_to(reader, [hello(), line, asked("ping", 9)])
    [answer] = [each for each in answers if "error" in each]
    assert (answer["error"]["code"], answer["id"]) == (code, request_id)
    assert {each["id"] for each in answers if "result" in each} == {0, 9}


def test_what_asks_for_nothing_has_no_answer(reader: Reader) -> None:
    silent = [
        b"", b" \r\n", {"jsonrpc": "2.0", "method": "notifications/no/such"},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": [1]}},
        {"jsonrpc": "2.0", "id": 1, "result": {}}, {"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": "x"}},
    ]  # fmt: skip
    assert [answer["id"] for answer in answers_to(reader, [hello(), *silent, asked("ping", 9)])] == [0, 9]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
METHODS = st.sampled_from(["tools/call", "tools/list", "resources/read", "ping", "server/discover", "initialize", "x"])
MESSAGES = st.fixed_dictionaries(
    {"jsonrpc": st.just("2.0")},
    optional={
        "id": st.integers() | st.text(max_size=4) | JSON,
        "method": METHODS | JSON,
        "params": JSON
        | st.fixed_dictionaries(
            {"name": st.sampled_from(["recall", "get", "timeline", "propose"]) | JSON},
            optional={
                "arguments": JSON
                | st.fixed_dictionaries(
                    {}, optional=dict.fromkeys(["query", "uids", "about", "limit", "offset"], JSON)
                ),
                "uri": st.just("memory://memory/\ud800") | JSON,
                "_meta": st.just(ENVELOPE) | JSON,
            },
        ),
    },
)


@pytest.fixture(scope="module")
def odd_reader(tmp_path_factory: pytest.TempPathFactory) -> Reader:
    """A reader of an empty file, which any number of odd calls may be put to."""
    now = datetime(2026, 11, 1, 12, tzinfo=UTC)
    path = tmp_path_factory.mktemp("odd") / "odd.db"
    open_database(path, now=now).close()
    return Reader(path, None, lambda: now)


@pytest.mark.slow
@hypothesis_settings(max_examples=60)
@given(messages=st.lists(MESSAGES | JSON | st.binary(max_size=30), max_size=5))
def test_any_lines_have_their_answers(odd_reader: Reader, messages: list[Any]) -> None:
    failed: list[object] = []
    before, threading.excepthook = threading.excepthook, failed.append
    try:
        given_lines = [
            each.replace(b"\n", b" ") if isinstance(each, bytes) else json.dumps(each).encode() for each in messages
        ]
        answers = answers_to(odd_reader, [hello(), *given_lines, asked("ping", "last")])
    finally:
        threading.excepthook = before
    assert not failed and "last" in [answer["id"] for answer in answers]
    for message in messages:
        if isinstance(message, dict) and isinstance(message.get("id"), str) and "method" in message:
            assert message["id"] in [answer["id"] for answer in answers]
    assert all(("result" in answer) != ("error" in answer) for answer in answers)
    assert -32603 not in [answer.get("error", {}).get("code") for answer in answers]


def test_half_a_character_is_an_error_with_its_reason(reader: Reader) -> None:
    calls = [
        ("recall", {"query": "port", "project": "\ud800"}), ("get", {"uids": ["\ud800"]}),
        ("timeline", {"about": "\ud800"}),
    ]  # fmt: skip
    for name, arguments in calls:
        [answer] = answers_to(reader, [stateless("tools/call", name=name, arguments=arguments)])
        assert answer["result"]["isError"] and "half of a character" in answer["result"]["content"][0]["text"]


# ------------------------------------------------------------------------ arguments


@pytest.mark.parametrize(
    ("sent", "meant"),
    [
        ({"query": "x", "limit": "7"}, {"limit": 7}),
        ({"query": "x", "limit": 3.0, "kind": None, "junk": 1}, {"limit": 3, "kind": ""}),
        ({"query": "x"}, {"query": "x", "project": "", "kind": "", "limit": 5}),
    ],
)
def test_what_means_the_same_is_taken(sent: dict[str, Any], meant: dict[str, Any]) -> None:
    assert meant.items() <= checked(definitions.RECALL["inputSchema"], sent).items()


@pytest.mark.parametrize("uids", ["m1", ["m1"], '["m1"]'])
def test_one_uid_is_a_list_of_it(uids: object) -> None:
    assert checked(definitions.GET["inputSchema"], {"uids": uids}) == {"uids": ["m1"], "offset": 0}


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ({}, "query is required: a text"),
        ({"query": 5}, "query cannot be 5. Give a text"),
        ({"query": "x", "limit": True}, "limit cannot be true. Give a whole number from 1 to 50"),
        ({"query": "x", "limit": "9" * 400}, "999…"),
        ({"query": "x", "limit": float("inf")}, "limit cannot be Infinity"),
    ],
)
def test_what_cannot_be_taken_is_named(sent: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        checked(definitions.RECALL["inputSchema"], sent)


# ------------------------------------------------------------------------- threads


class Slow(Reader):
    """A reader that answers when it is told to, or fails as no reader should."""

    def get(self, uids: list[str], offset: int = 0) -> str:
        if uids == ["broken"]:
            raise ZeroDivisionError
        assert GO.wait(WAIT_S)
        return f"<{uids[0]}>"


GO = threading.Event()


@pytest.fixture
def slow(path: Path, now: datetime) -> tuple[Dispatcher, list[Any]]:
    """A server whose tool `get` waits, and what it has sent."""
    sent: list[Any] = []
    slow_reader = Slow(path, None, lambda: now)
    GO.clear()
    return Dispatcher(
        lambda: slow_reader, lambda line: sent.append(json.loads(line)), write=False, structured=False
    ), sent


def get(uid: str, request_id: object) -> bytes:
    return json.dumps(stateless("tools/call", request_id, name="get", arguments={"uids": uid})).encode()


def test_a_slow_answer_keeps_nobody_waiting_and_may_be_cancelled(slow: tuple[Dispatcher, list[Any]]) -> None:
    dispatcher, sent = slow
    for number in range(MOST_THREADS + 4):  # some wait for a thread
        dispatcher.receive(get(f"m{number}", number))
    dispatcher.receive(json.dumps(stateless("tools/list", "while")).encode())
    assert [answer["id"] for answer in sent] == ["while"]
    for cancelled in (1, MOST_THREADS + 3):
        note = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": cancelled}}
        dispatcher.receive(json.dumps(note).encode())
    GO.set()
    assert dispatcher.workers.finish(WAIT_S)
    assert {answer["id"] for answer in sent[1:]} == {*range(MOST_THREADS + 4)} - {1, MOST_THREADS + 3}


def test_a_tool_that_fails_is_answered_and_the_others_are_too(
    slow: tuple[Dispatcher, list[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    dispatcher, sent = slow
    failed: list[type[BaseException]] = []
    monkeypatch.setattr(threading, "excepthook", lambda hooked: failed.append(hooked.exc_type))
    GO.set()
    for number in range(2 * MOST_THREADS):
        dispatcher.receive(get("broken", number))
    dispatcher.receive(get("whole", "last"))
    assert dispatcher.workers.finish(WAIT_S)
    assert failed == [ZeroDivisionError] * 2 * MOST_THREADS
    assert codes([answer for answer in sent if answer["id"] != "last"]) == [-32603] * 2 * MOST_THREADS
    assert [answer["result"]["content"][0]["text"] for answer in sent if answer["id"] == "last"] == ["<whole>"]


def test_threads_come_with_the_first_job() -> None:
    workers = Workers()
    assert not workers.are_busy() and workers.finish(0)
    go = threading.Event()
    workers.put(lambda: assert_is(go.wait(WAIT_S)))
    assert workers.are_busy() and not workers.finish(0.01)
    go.set()
    assert workers.finish(WAIT_S) and not workers.are_busy()


def assert_is(holds: bool) -> None:
    assert holds


def test_a_line_that_is_too_long_is_passed_over_as_one() -> None:
    read = list(lines(BytesIO(b"short\n" + b"x" * 35 + b"\n\nrest"), 10))
    assert read == [b"short\n", None, b"\n", b"rest"]


# --------------------------------------------------------------------- as a process


def process(path: Path, *words: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "memory_db", "mcp", "-d", str(path), *words],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={**os.environ, "CLAUDE_CODE_SESSION_ID": "s1"},
    )  # fmt: skip


@pytest.mark.slow
def test_what_was_asked_is_answered_when_stdin_ends(path: Path) -> None:
    """The first recall does not wait for the model, says so, and is logged as what it is."""
    long = stateless("tools/list", 2, cursor="of the test database " * 50_000)
    said = b"\n".join(json.dumps(each).encode() for each in (hello(), asked("tools/call", 1, **RECALL), long))
    with process(path) as server:
        out, errors = server.communicate(said, timeout=WAIT_S)
    answers = {answer["id"]: answer["result"] for answer in map(json.loads, out.splitlines())}
    assert set(answers) == {0, 1, 2} and server.returncode == 0 and errors == b""
    assert "5433" in answers[1]["content"][0]["text"] and COLD in answers[1]["content"][0]["text"]
    with closing(connect(path)) as db:
        rows = db.execute(
            "select p.name, semantic_model, session_uid from recalls r join profiles p on p.id = r.profile_id"
        ).fetchall()
    assert [tuple(row) for row in rows] == [("hook", None, "s1")]


def test_a_server_ends_when_it_is_told_to(path: Path) -> None:
    with process(path) as server:
        assert server.stdin and server.stdout
        server.stdin.write(json.dumps(hello()).encode() + b"\n")
        server.stdin.flush()
        assert json.loads(server.stdout.readline())["id"] == 0
        server.send_signal(signal.SIGTERM)
        assert server.wait(WAIT_S) == -signal.SIGTERM


HEAVY = """
import sys
sys.argv = ["memory-db", "mcp", "-d", sys.argv[1]]
from memory_db.cli import main
try:
    main()
except SystemExit:
    pass
print([name for name in ("mcp", "pydantic", "numpy", "asyncio", "memory_db.recall") if name in sys.modules])
"""


def test_a_handshake_loads_nothing_that_it_does_not_need(path: Path) -> None:
    command = [sys.executable, "-c", HEAVY, str(path)]
    said = json.dumps(hello()).encode()
    done = subprocess.run(command, input=said, capture_output=True, timeout=WAIT_S, check=True)
    answer, loaded = done.stdout.splitlines()
    assert json.loads(answer)["id"] == 0 and loaded == b"[]"
