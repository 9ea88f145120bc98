"""Fuzzed requests over MCP, arguments of the command line, and requests over HTTP.

In: the chance. Out: what came of one input, and what is wrong with that. Invariants: an error is an answer, never a
traceback; what is refused changes no row but those of logs.
"""

from __future__ import annotations

import http.client
import json
import os
import random
import shutil
import socket
import sqlite3
import subprocess
import sys
import threading
import urllib.parse
from collections.abc import Iterator
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
from click.testing import CliRunner

from bench.fuzz_sources import Tried
from bench.kill_states import LOGS
from bench.mutations import damaged_bytes, odd_json, odd_text
from memory_db.agents.mcp import protocol
from memory_db.agents.mcp.dispatch import Dispatcher
from memory_db.agents.reader.reader import Reader
from memory_db.cli import cli
from memory_db.pages.web import serve as serving
from memory_db.pages.web.routes import ROUTES

COLD_EVERY = 100
"""Inputs of which one goes to a process of its own."""

RENEWED_EVERY = 250

LEFT_OUT = frozenset(("serve", "demo", "mcp", "evaluate", "tune", "lab"))
"""Commands that wait for somebody, or measure for minutes."""


NOTED = frozenset(("sources", "source_problems", "skipped_records"))
"""Where an import that is refused keeps what it found, and why it was not read."""


class Unchanged:
    """Whether a file has other rows than a moment ago, apart from logs."""

    def __init__(self, path: Path) -> None:
        self.db = sqlite3.connect(path, timeout=60)
        self.version, self.rows = self.seen(), self.counted()

    def seen(self) -> int:
        """A number that changes with every commit of somebody else."""
        return int(self.db.execute("pragma data_version").fetchone()[0])

    def counted(self) -> dict[str, tuple[int, int | None]]:
        """How many rows each table has, and its highest row id."""
        names = [
            name for (name,) in self.db.execute("select name from sqlite_master where type = 'table'")
            if name not in LOGS and "_fts" not in name and not name.startswith("sqlite_")
        ]  # fmt: skip
        with_id = {
            name for (name,) in self.db.execute("select name from pragma_table_list where not wr and schema = 'main'")
        }
        return {
            name: self.db.execute(
                f"select count(*), {'max(rowid)' if name in with_id else 'null'} from [{name}]"
            ).fetchone()
            for name in names
        }

    def since(self, *, refused: bool, may: frozenset[str] = frozenset()) -> str:
        """What a refused input changed, beyond the tables that it may; from now on the file as it is now counts."""
        if (version := self.seen()) == self.version:
            return ""
        before, self.version, self.rows = self.rows, version, self.counted()
        changed = [name for name in self.rows if self.rows[name] != before.get(name) and name not in may]
        return f"refused, but changed {', '.join(changed)}" if refused and changed else ""


META = {protocol.VERSION_KEY: protocol.STATELESS_VERSION, protocol.CAPABILITIES_KEY: {}}
"""What a request of a client carries that begins with no handshake."""

SHARES_OF = {"project": 0.1, "kind": 0.2, "since": 0.3, "before": 0.3, "limit": 0.2, "offset": 0.2}
"""How often a call has an argument that alone may make it an error."""


class Mcp:
    """Calls of every tool over the server in this process; some lines of JSON-RPC to one over stdio."""

    name = "mcp"

    def __init__(self, folder: Path, sample: Path) -> None:
        self.path, self.number = folder / "mcp.db", 0
        shutil.copy(sample, self.path)
        self.reader = Reader(self.path, Path("/home/sam/code/tidepool"), lambda: datetime.now(UTC))
        with closing(sqlite3.connect(self.path)) as db:
            self.uids = [
                row[0] for row in db.execute("select uid from memories union select uid from sessions limit 60")
            ]
        self.sent: list[bytes] = []
        self.dispatcher = Dispatcher(lambda: self.reader, self.sent.append, write=True, structured=False)
        self.troubles: list[str] = []
        threading.excepthook = lambda failed: self.troubles.append(f"{failed.exc_type.__name__}: {failed.exc_value}")

    def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """What the server answers to a call. Raises: ValueError for what is no JSON."""
        request = {"jsonrpc": "2.0", "id": self.number, "method": "tools/call"}
        params = {"name": tool, "arguments": arguments, "_meta": META}
        self.dispatcher.receive(json.dumps({**request, "params": params}, allow_nan=False).encode())
        assert self.dispatcher.workers.finish(60)
        answer: dict[str, Any] = json.loads(self.sent.pop())
        return answer

    def close(self) -> None:
        """Gives errors of threads back to Python."""
        threading.excepthook = threading.__excepthook__

    def value(self, chance: random.Random) -> Any:
        """An argument: an odd text, a uid that is there, or seldom a value of another type."""
        if chance.random() < 0.05:
            return chance.choice((odd_json(chance), [chance.choice(self.uids)]))
        return chance.choice((odd_text(chance), odd_text(chance), chance.choice(self.uids), ""))

    def one(self, chance: random.Random) -> Tried:
        """One call."""
        self.number += 1
        if self.number % COLD_EVERY == 0:
            return self.over_stdio(chance)
        tool = chance.choice(("recall", "get", "timeline", "propose", "recall", "get", "timeline", odd_text(chance)))
        names = {
            "recall": ("query", "project", "kind", "limit"), "get": ("uids", "offset"),
            "timeline": ("about", "since", "before", "project", "offset"),
            "propose": ("op", "text", "uid", "other", "kind", "reason", "project"),
        }.get(tool, ("query",))  # fmt: skip
        arguments = {name: self.value(chance) for name in names if chance.random() < SHARES_OF.get(name, 0.7)}
        if tool == "recall" and chance.random() < 0.8:
            arguments |= {"query": odd_text(chance), "limit": chance.choice((5, 1, 20)), "kind": "", "project": ""}
        if tool == "get" and chance.random() < 0.6:
            arguments = {"uids": [str(self.value(chance)) for _ in range(chance.randint(0, 4))]}
        if chance.random() < 0.8:
            arguments.pop("offset", None)
        if tool == "propose" and chance.random() < 0.7:
            arguments["op"] = chance.choice(("save", "deprecate", "relate", "tension"))
        given = json.dumps([tool, arguments]).encode()
        self.troubles.clear()
        try:
            answer = self.call(tool, arguments)
        except ValueError as error:  # what no client can send
            return Tried(given, f"not sent: {type(error).__name__}")
        fault = "; ".join(self.troubles[:1])
        if "error" in answer:
            return Tried(given, "protocol error", fault or f"of a call that says what it asks: {answer['error']}")
        return Tried(given, "error" if answer["result"]["isError"] else "answered", fault)

    def over_stdio(self, chance: random.Random) -> Tried:
        """Lines to a process of its own, good and bad ones, the last of which it must answer."""
        begin = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "fuzz", "version": "0"}}}  # fmt: skip
        call = {
            "jsonrpc": "2.0",
            "id": 2,
            "method": "tools/call",
            "params": {"name": "recall", "arguments": {"query": "x"}},
        }
        bad = [damaged_bytes(json.dumps(call).encode(), chance).replace(b"\n", b" ") for _ in range(10)]
        bad += [json.dumps({**call, "id": odd_json(chance, 1), "params": odd_json(chance)}).encode() for _ in range(10)]
        last = {"jsonrpc": "2.0", "id": 99_999, "method": "tools/list", "params": {}}
        lines = [json.dumps(begin).encode(), b'{"jsonrpc": "2.0", "method": "notifications/initialized"}', *bad,
                 json.dumps(last).encode()]  # fmt: skip
        given = b"\n".join(lines) + b"\n"
        command = [sys.executable, "-m", "memory_db", "-d", str(self.path), "mcp"]
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as process:
            assert process.stdin and process.stdout and process.stderr
            process.stdin.write(given)
            process.stdin.flush()
            is_answered = any(b'"id":99999' in line.replace(b" ", b"") for line in iter(process.stdout.readline, b""))
            # The answer to the last line is the sign that all others were read; it need not come last.
            with suppress(OSError):
                process.stdin.close()
            errors = process.stderr.read()
        fault = "" if is_answered else "the server ended before the last line"
        return Tried(given, "over stdio", fault or ("traceback" if b"Traceback" in errors else ""))


def commands(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Every command with the words that name it."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command is None or name in LEFT_OUT:
            continue
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))
        yield (*path, name), command


class CommandLine:
    """Arguments of every command but those that wait or measure, in this process; some in one of its own."""

    name = "cli"

    def __init__(self, folder: Path, sample: Path) -> None:
        self.folder, self.sample, self.number = folder / "cli", sample, 0
        self.folder.mkdir()
        self.path = self.folder / "memory.db"
        self.commands = list(commands(cli))
        self.unchanged: Unchanged | None = None
        self.before = Path.cwd()
        with closing(sqlite3.connect(sample)) as db:
            self.uids = [row[0] for row in db.execute("select uid from memories limit 40")]
            self.uids += [row[0] for row in db.execute("select name from projects")]

    def close(self) -> None:
        """Goes back to where it was."""
        os.chdir(self.before)
        if self.unchanged:
            self.unchanged.db.close()

    def renewed(self) -> Unchanged:
        """The file, made anew every so often, for commands change it."""
        if self.unchanged is None or self.number % RENEWED_EVERY == 0:
            os.chdir(self.before)
            self.close()
            shutil.rmtree(self.folder)
            self.folder.mkdir()
            os.chdir(self.folder)
            shutil.copy(self.sample, self.path)
            (self.folder / "notes.md").write_text("# Loom\n\n60 cm", "utf-8")
            CliRunner().invoke(cli, ["-d", str(self.path), "settings", "embedding_model", "none"])
            self.unchanged = Unchanged(self.path)
        return self.unchanged

    def value(self, chance: random.Random, parameter: click.Parameter) -> str:
        """A value: odd, one that is there, or one of the choices."""
        kind = parameter.type
        # Not the file itself: who opens and closes it takes the locks of SQLite away from this whole process.
        if isinstance(kind, click.Path):
            return chance.choice(("notes.md", "new-file", "no/such/place", ".", "", "x" * 300))
        good = list(map(str, getattr(kind, "choices", ()))) or [chance.choice(self.uids), "1", "5", "2026-10-01"]
        return chance.choice((odd_text(chance), chance.choice(good), chance.choice(good)))

    def words(self, chance: random.Random) -> list[str]:
        """The words of a command, most of its arguments and some of its options."""
        path, command = chance.choice(self.commands)
        words = list(path)
        for parameter in command.params:
            if isinstance(parameter, click.Argument):
                number = chance.choice((0, 1, 1, 1, 2)) if parameter.nargs in (1, -1) else parameter.nargs
                words += [self.value(chance, parameter) for _ in range(number)]
            elif parameter.name not in ("database", "help", "folders") and chance.random() < 0.3:
                words.append(chance.choice(parameter.opts))
                if not getattr(parameter, "is_flag", False):
                    words.append(self.value(chance, parameter))
        if chance.random() < 0.1:
            words.insert(chance.randrange(len(words) + 1), odd_text(chance))
        # No process is ever given a NUL; bytes that are no text come as lone surrogates of another sort.
        return [word.replace("\x00", "").replace("\ud800", "\udce9") for word in words]

    def one(self, chance: random.Random) -> Tried:
        """One command line."""
        unchanged = self.renewed()
        self.number += 1
        words = self.words(chance)
        piped = chance.choice((b"", b"y\n", odd_text(chance).encode(errors="replace"), chance.randbytes(30)))
        given = json.dumps(words).encode() + b"\n" + piped
        if self.number % COLD_EVERY == 0:
            command = [sys.executable, "-m", "memory_db", "-d", str(self.path), *words]
            done = subprocess.run(
                [word.encode(errors="surrogateescape") for word in command], input=piped, capture_output=True,
                check=False, timeout=300, cwd=self.folder,
            )  # fmt: skip
            code, errors, trouble = done.returncode, done.stderr.decode(errors="replace"), ""
        else:
            result = CliRunner().invoke(cli, ["-d", str(self.path), *words], input=piped, prog_name="memory-db")
            code, errors = result.exit_code, result.stderr
            error = result.exception
            trouble = "" if error is None or isinstance(error, SystemExit) else f"{type(error).__name__}: {error}"
        fault = f"traceback: {trouble or errors[-300:]}" if trouble or "Traceback (most" in errors else ""
        if not fault and code not in (0, 1, 2):
            fault = f"exit code {code}"
        refused = code != 0 and "Error: " in errors and words[:1] != ["ask"]  # its call that failed is logged
        changed = unchanged.since(refused=refused, may=NOTED if words[:1] == ["import"] else frozenset())
        return Tried(given, "refused" if refused else f"code {code}", fault or changed)


class Http:
    """Requests to a running server: every page with odd values, other methods and bodies, and bytes that are none."""

    name = "http"

    def __init__(self, folder: Path, sample: Path) -> None:
        self.path, self.number = folder / "http.db", 0
        shutil.copy(sample, self.path)
        made = CliRunner().invoke(cli, ["-d", str(self.path), "file", "tokens", "add", "fuzz"])
        self.token = made.output.splitlines()[0].strip()
        self.running = serving.running(self.path)
        self.served = self.running.__enter__()
        self.unchanged = Unchanged(self.path)
        with closing(sqlite3.connect(self.path)) as db:
            self.uids = [
                row[0] for row in db.execute("select uid from memories union select uid from sessions limit 60")
            ]

    def close(self) -> None:
        """Stops the server."""
        self.unchanged.db.close()
        self.running.__exit__(None, None, None)

    def one(self, chance: random.Random) -> Tried:
        """One request."""
        self.number += 1
        if chance.random() < 0.1:
            return self.raw(chance)
        route = chance.choice(ROUTES)
        parts = [self.part(each, chance) for each in route.path.split("/")]
        names = ("q", "query", "uid", "project", "since", "before", "kind", "limit", "page", "profile", "text", "_next",
                 "as_of", "offset", "sort", "run", "state", "threshold", "weights", odd_text(chance))  # fmt: skip
        asked = {chance.choice(names): odd_text(chance) for _ in range(chance.randint(0, 4))}
        target = "/".join(parts) + ("?" + urllib.parse.urlencode(asked, errors="replace") if asked else "")
        if chance.random() < 0.1:
            table = urllib.parse.quote(
                chance.choice((odd_text(chance), "memories", "entries")), safe="", errors="replace"
            )
            asked = {"sql": odd_text(chance), "_search": odd_text(chance)}
            target = f"/{self.path.stem}/{table}?{urllib.parse.urlencode(asked, errors='replace')}"
        method = chance.choice((*route.methods, *route.methods, "GET", "POST", "PUT", "DELETE", "HEAD", "PATCH"))
        headers = {"authorization": f"Bearer {self.token}"} if chance.random() < 0.9 else {}
        body = b""
        if method in ("POST", "PUT", "PATCH"):
            fields = {chance.choice(names): odd_text(chance) for _ in range(3)}
            if chance.random() < 0.7:
                values = {**fields, "text": odd_text(chance), "uid": chance.choice(self.uids), "more": odd_json(chance)}
                body = json.dumps(chance.choice((values, odd_json(chance)))).encode()
                headers["content-type"] = "application/json"
            else:
                body = urllib.parse.urlencode(fields, errors="replace").encode()
                headers["content-type"] = "application/x-www-form-urlencoded"
            body = damaged_bytes(body, chance) if chance.random() < 0.2 else body
        given = f"{method} {target}\n".encode() + body
        try:
            connection = http.client.HTTPConnection("127.0.0.1", self.served.port, timeout=60)
            with closing(connection):
                connection.request(method, target, body, headers)
                answer = connection.getresponse()
                text = answer.read()
        except (http.client.HTTPException, OSError) as error:
            return Tried(given, "no answer", f"no answer: {type(error).__name__}: {error}")
        if answer.status >= 500 and target.startswith(f"/{self.path.stem}/"):
            return Tried(given, "status 5xx of Datasette's own pages")
        fault = f"status {answer.status}: {text[:200]!r}" if answer.status >= 500 else ""
        if answer.status >= 400 and b"Traceback (most recent" in text:  # a page may show one that somebody told of
            fault = "traceback"
        changed = self.unchanged.since(refused=answer.status >= 400)
        return Tried(given, f"status {answer.status // 100}xx", fault or changed)

    def part(self, part: str, chance: random.Random) -> str:
        """A part of a path: the variable ones odd, or a uid that is there."""
        if part.isupper() or "<" in part or (part and chance.random() < 0.02):
            return urllib.parse.quote(
                chance.choice((odd_text(chance)[:300], chance.choice(self.uids))), safe="", errors="replace"
            )
        return part.replace(".FORM", chance.choice((".json", ".md", ".x")))

    def raw(self, chance: random.Random) -> Tried:
        """Bytes that are no request; the server must answer the next one."""
        request = b"GET /-/memory HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\nX-Odd: \xff\r\n\r\nhello"
        given = damaged_bytes(request, chance)
        with suppress(OSError), socket.create_connection(("127.0.0.1", self.served.port), timeout=5) as connection:
            connection.sendall(given)
            connection.shutdown(socket.SHUT_WR)
            connection.settimeout(2)
            connection.recv(4096)
        is_there = self.served.server.started and not self.served.server.should_exit
        return Tried(given, "bytes", "" if is_there else "the server ended")
