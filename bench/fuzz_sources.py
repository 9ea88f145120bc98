"""Fuzzed files for the importers, and fuzzed payloads for hooks, by the functions behind the commands.

In: the chance. Out: what came of one input, and what is wrong with that. Invariants: a file is imported whole, whatever
is in it, and what follows its damage is read; of a hook nothing escapes that its process does not expect.
"""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import sqlite_utils
from click.testing import CliRunner
from llm.migrations import migrate

import memory_db
from bench.mutations import damaged_bytes, mutated, mutated_line, odd_json, odd_text
from memory_db.cli import cli
from memory_db.errors import InputError, SourceError
from memory_db.hooks import run as hooks
from memory_db.store.schema import open_database
from memory_db.transcripts.importer import (
    ImportCounts,
    import_claude_ai,
    import_claude_code,
    import_llm_logs,
    import_text,
)

NOW = datetime(2026, 11, 1, 12, 0, tzinfo=UTC)

CLOCKS = (*[NOW] * 7, datetime(1970, 1, 1, tzinfo=UTC), datetime(2038, 1, 19, 3, 14, 8, tzinfo=UTC),
          datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC))  # fmt: skip
"""What the clock may say: mostly the truth."""

DATA = Path(__file__).parent.parent / "tests" / "data"

STILL_READ = "Still read at the end."

RENEWED_EVERY = 150
"""Inputs after which a file is made anew: a full one is slow, and one that never fills tells less."""

RUN_EVERY = 75
"""Imports after which the whole pipeline goes over the file: rules, gate and index meet what is odd too."""

COLD_EVERY = 40
"""Payloads of which one goes to a process of its own."""


@dataclass(frozen=True, slots=True)
class Tried:
    """One input: what it was, what came of it, and what is wrong with that (nothing where all is well)."""

    given: bytes
    outcome: str
    fault: str = ""


def conversation(number: int) -> dict[str, Any]:
    """A conversation of an export."""
    return {
        "uuid": f"11111111-0000-4000-8000-{number:012}", "name": "Weaving", "created_at": "2026-02-01T10:00:00Z",
        "chat_messages": [
            {"uuid": f"a{number}", "sender": "human", "text": "How wide?", "created_at": "2026-02-01T10:00:01Z",
             "attachments": [{"file_name": "loom.txt", "extracted_content": "60 cm"}], "files": [{"x": 1}]},
            {"uuid": f"b{number}", "sender": "assistant", "text": "old", "content": [
                {"type": "thinking", "thinking": "60"}, {"type": "text", "text": "60 cm."},
                {"type": "tool_use", "id": "t1", "name": "search", "input": {"query": "width"}},
                {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "60"}]}]},
        ],
    }  # fmt: skip


class Imports:
    """Whole files of every format, by the function of its command; every so often the pipeline by the command."""

    name = "import"

    def __init__(self, folder: Path) -> None:
        self.folder, self.number = folder / "imports", 0
        self.folder.mkdir()
        self.lines = [
            line for path in sorted((DATA / "transcripts").glob("*.jsonl")) for line in path.read_bytes().splitlines()
            if line.strip()
        ]  # fmt: skip
        self.empty, self.empty_log = self.folder / "empty.db", self.folder / "empty-log.db"
        with closing(open_database(self.empty, now=NOW)):
            CliRunner().invoke(cli, ["-d", str(self.empty), "settings", "embedding_model", "none"])
        log = sqlite_utils.Database(self.empty_log)
        migrate(log)
        log.close()
        self.path = self.folder / "memory.db"
        self.db: sqlite3.Connection | None = None

    def close(self) -> None:
        """Closes the file."""
        if self.db:
            self.db.close()

    def connection(self) -> sqlite3.Connection:
        """A connection to a file that is not too full."""
        if self.db is None or self.number % RENEWED_EVERY == 0:
            self.close()
            for beside in self.folder.glob("memory.db*"):
                beside.unlink()
            shutil.copy(self.empty, self.path)
            shutil.rmtree(self.folder / "in", ignore_errors=True)
            self.db = open_database(self.path, now=NOW)
        self.number += 1
        return self.db

    def one(self, chance: random.Random) -> Tried:
        """One file of a format by chance."""
        db = self.connection()
        make = chance.choice((self.transcript, self.transcript, self.export, self.log, self.document))
        place = self.folder / "in" / f"{self.number:07}"
        place.mkdir(parents=True)
        path, read, must_stay = make(place, chance)
        tried = self.imported(db, path, read, must_stay)
        if not tried.fault and self.number % RUN_EVERY == 0:
            return self.whole_run(tried)
        return tried

    def imported(self, db: sqlite3.Connection, path: Path, read: Callable[[], ImportCounts], must_stay: bool) -> Tried:
        """What an import makes of a file."""
        given = path.read_bytes()
        try:
            counts = read()
        except (SourceError, InputError) as error:
            said = str(error)
            return Tried(given, "refused", "stopped: " + said if must_stay else "" if said.isprintable() else "lines")
        except sqlite3.Error as error:
            return Tried(given, "stopped", f"stopped: {type(error).__name__}: {error}")
        parts = (counts.entries_added, counts.entries_known, counts.lines_skipped, counts.lines_unreadable)
        if sum(parts) != counts.lines and path.suffix != ".md":
            return Tried(given, "read", f"lines not accounted for: {parts} of {counts.lines}")
        if (
            must_stay
            and not db.execute("select 1 from entries where text like ?", [f"%{STILL_READ} {self.number}%"]).fetchone()
        ):
            return Tried(given, "read", "stopped: what follows the damage was not read")
        return Tried(given, "read in part" if counts.lines_unreadable or counts.problems else "read")

    def whole_run(self, tried: Tried) -> Tried:
        """The pipeline over all that was imported since the file was made."""
        done = CliRunner().invoke(cli, ["-d", str(self.path), "run", "--dir", str(self.folder / "in")])
        if done.exit_code != 0 or (done.exception and not isinstance(done.exception, SystemExit)):
            return Tried(tried.given, "run", f"run stopped: {done.exception!r} {done.output[-300:]}")
        return tried

    def transcript(self, place: Path, chance: random.Random) -> tuple[Path, Callable[[], ImportCounts], bool]:
        """A transcript of Claude Code: damaged lines, then a good one."""
        path = place / f"session-{self.number}.jsonl"
        lines = [mutated_line(chance.choice(self.lines), chance) for _ in range(chance.randint(1, 25))]
        if chance.random() < 0.15:
            lines.append(json.dumps(odd_json(chance, 4)).encode())
        if chance.random() < 0.1:
            lines = [damaged_bytes(b" ".join(lines), chance).replace(b"\n", b" ").replace(b"\r", b" ")]
        last = {"type": "user", "uuid": f"last-{self.number}", "sessionId": f"s{self.number}",
                "timestamp": "2026-03-01T10:00:00Z",
                "message": {"role": "user", "content": f"{STILL_READ} {self.number}"}}  # fmt: skip
        path.write_bytes(b"\n".join([*lines, json.dumps(last).encode()]) + b"\n")
        now = chance.choice(CLOCKS)
        return path, lambda: import_claude_code(self.db, [path], now=now), True

    def export(self, place: Path, chance: random.Random) -> tuple[Path, Callable[[], ImportCounts], bool]:
        """An export of claude.ai: of damaged conversations, or damaged as bytes; sometimes zipped."""
        path = place / "conversations.json"
        last = {
            "uuid": f"last{self.number}",
            "chat_messages": [{"sender": "human", "text": f"{STILL_READ} {self.number}"}],
        }
        data = json.dumps([*(mutated(conversation(each), chance, 0.15) for each in range(6)), last]).encode()
        is_broken = chance.random() < 0.25
        path.write_bytes(damaged_bytes(data, chance) if is_broken else data)
        if chance.random() < 0.2:
            zipped = place / "export.zip"
            with zipfile.ZipFile(zipped, "w") as archive:
                archive.write(path, chance.choice(("conversations.json", "data/conversations.json", "other.json")))
            if chance.random() < 0.5:
                zipped.write_bytes(damaged_bytes(zipped.read_bytes(), chance))
            path, is_broken = zipped, True
        now = chance.choice(CLOCKS)
        return path, lambda: import_claude_ai(self.db, path, now=now), not is_broken

    def log(self, place: Path, chance: random.Random) -> tuple[Path, Callable[[], ImportCounts], bool]:
        """A log of llm with odd values, sometimes damaged as a file."""
        path = place / "logs.db"
        log = sqlite_utils.Database(shutil.copy(self.empty_log, path))
        log.execute("pragma synchronous = off")
        for number in range(8):

            def odd(value: object) -> object:
                """What a column of SQLite may hold in place of a text."""
                return chance.choice(
                    (value, value, None, 7, 2.5, b"\xff\x00", "{", odd_text(chance).replace("\ud800", ""))
                )

            log.table("responses").insert({"id": f"{self.number}-{number}", "model": odd("scripted"),
                "prompt": odd("How?"), "response": odd("So."), "datetime_utc": odd("2026-05-01T00:00:00"),
                "conversation_id": odd("c1"), "prompt_json": odd("{}"),
                "input_tokens": chance.choice((1, None, 2**62, -1))})  # fmt: skip
        log.table("responses").insert({"id": f"zz{self.number}", "model": "scripted",
                                       "prompt": f"{STILL_READ} {self.number}", "response": "Yes."})  # fmt: skip
        log.close()
        is_broken = chance.random() < 0.25
        if is_broken:
            path.write_bytes(damaged_bytes(path.read_bytes(), chance))
        now = chance.choice(CLOCKS)
        return path, lambda: import_llm_logs(self.db, path, now=now), not is_broken

    def document(self, place: Path, chance: random.Random) -> tuple[Path, Callable[[], ImportCounts], bool]:
        """A Markdown file: odd texts, or bytes that are none."""
        path = place / f"notes-{self.number}.md"
        pieces = [odd_text(chance) for _ in range(chance.randint(1, 12))]
        data = "\n\n".join([f"# {piece}" if chance.random() < 0.3 else piece for piece in pieces]).encode(
            errors="replace"
        )
        is_broken = chance.random() < 0.3
        data = damaged_bytes(data, chance) if is_broken else data
        data = data.replace(b"\x00", b"")
        path.write_bytes(data + f"\n\n# End\n\n{STILL_READ} {self.number}\n".encode())
        now = chance.choice(CLOCKS)
        return path, lambda: import_text(self.db, [path], now=now), False


class Hooks:
    """Payloads of every event, by the function behind the hook's process; some by that process."""

    name = "hooks"

    def __init__(self, folder: Path, sample: Path) -> None:
        self.folder, self.sample, self.number = folder / "hooks", sample, 0
        self.folder.mkdir()
        self.path = self.folder / "memory.db"
        self.payloads = [json.loads(line) for line in (DATA / "hook_payloads.jsonl").read_text("utf-8").splitlines()]
        self.payloads += [json.loads(line) for line in (DATA / "hook_events.jsonl").read_text("utf-8").splitlines()]

    def close(self) -> None:
        """Nothing stays open."""

    def payload(self, hook: str, chance: random.Random) -> bytes:
        """A payload: damaged in its shape, of odd values, of other shape, or as bytes; seldom that of another hook."""
        own = [each for each in self.payloads if each["hook_event_name"] == hooks.EVENT_NAMES[hook]]
        good = chance.choice(self.payloads if chance.random() < 0.1 else own)
        way = chance.random()
        if way < 0.35:
            return json.dumps(mutated(good, chance, 0.06)).encode()
        if way < 0.75:
            changed = {**good, chance.choice(tuple(good)): chance.choice((odd_text(chance), odd_json(chance)))}
            if "prompt" in good and chance.random() < 0.7:
                changed["prompt"] = " ".join(odd_text(chance)[:2_000] for _ in range(chance.randint(1, 3)))
            if isinstance(good.get("tool_input"), dict) and chance.random() < 0.7:
                changed["tool_input"] = {
                    **good["tool_input"],
                    "command": odd_text(chance),
                    "file_path": odd_text(chance),
                }
            return json.dumps(changed).encode()
        if way < 0.85:
            return json.dumps(odd_json(chance, 4)).encode()
        if way < 0.86:
            return b"[" * chance.choice((900, 100_000))
        return damaged_bytes(json.dumps(good).encode(), chance)

    def one(self, chance: random.Random) -> Tried:
        """One payload for a hook by chance."""
        if self.number % (RENEWED_EVERY * 4) == 0:
            for beside in self.folder.glob("memory.db*"):
                beside.unlink()
            shutil.copy(self.sample, self.path)
        self.number += 1
        hook = chance.choice(tuple(hooks.HANDLERS))
        given = self.payload(hook, chance)
        if self.number % COLD_EVERY == 0:
            return self.cold(hook, given)
        run = hooks.HookRun(str(self.path), chance.choice(CLOCKS), time.perf_counter(), hook)
        try:
            hooks.respond(run, given, is_own=False, show=told)
        except hooks.TROUBLES as error:
            hooks.note_trouble(run, error)
            return Tried(hook.encode() + b"\n" + given, f"failed: {type(error).__name__}")
        finally:
            if run.db:
                run.db.close()
        return Tried(hook.encode() + b"\n" + given, run.outcome)

    def cold(self, hook: str, given: bytes) -> Tried:
        """The same in a process of its own, which must end with 0 and complain of nothing."""
        script = Path(memory_db.__file__).with_name("hook.py")
        command = [sys.executable, "-I", "-S", str(script), "stop" if hook in ("session-end", "pre-compact") else hook]
        done = subprocess.run(
            [*command, "-d", str(self.path)], input=given, capture_output=True, check=False, timeout=60
        )
        fault = "" if (done.returncode, done.stderr) == (0, b"") else f"code {done.returncode}: {done.stderr[-300:]!r}"
        return Tried(hook.encode() + b"\n" + given, "cold: answered" if done.stdout else "cold: silent", fault)


def told(text: str) -> object:
    """What an agent would read must be text that can be written."""
    return text.encode()
