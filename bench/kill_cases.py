"""The commands that are killed: what each is given, what it begins with, which files it makes.

In: a home folder. Out: `CASES`, and the homes that they begin with. Invariant: every command that writes is among them,
but those that wait for somebody (serve, mcp) and those that are one of these under another name.
"""

from __future__ import annotations

import gzip
import json
import os
import shutil
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import click

from memory_db.cli import cli
from memory_db.sample.build import SESSIONS, write_history
from memory_db.store import settings
from memory_db.store.connection import connect
from memory_db.store.schema import open_database

HISTORIES = 8
"""Sessions of the sample that a home has: enough for every table, few enough for a thousand runs."""

OLD_FILES = Path(__file__).parent.parent / "tests" / "data" / "schemas"

FORGETTABLE = "The beacon of the harbour blinks every seven seconds."

CORRECTED = "The ferry leaves from quay four."

EXPORT = [
    {
        "uuid": f"11111111-0000-4000-8000-00000000000{number}", "name": "Weaving", "created_at": "2026-02-01T10:00:00Z",
        "chat_messages": [
            {"uuid": f"a{number}{part}", "sender": "human" if part % 2 else "assistant",
             "text": f"The loom number {number} is {part} cm wide.", "created_at": "2026-02-01T10:00:01Z"}
            for part in range(40)
        ],
    }
    for number in range(8)
]  # fmt: skip
"""An export of claude.ai."""


@dataclass(frozen=True, slots=True)
class KillCase:
    """One command: its name among the figures, its words, the home it begins with, and what comes on stdin.

    Words may hold {memory}, {other}, {waiting} (an item of the review), {decision}, {home}. `is_hook`: a cold
    process of its own.
    """

    name: str
    words: tuple[str, ...]
    begins: str = "full"
    piped: str = ""
    is_hook: bool = False


def case(name: str, words: str, begins: str = "full", piped: str = "", *, is_hook: bool = False) -> KillCase:
    """A case whose words hold no blanks but those written as +."""
    return KillCase(name, tuple(word.replace("+", " ") for word in words.split()), begins, piped, is_hook)


def payload(event: str, **values: object) -> str:
    """What an agent writes to a hook."""
    return json.dumps({"session_id": "5b0cf3f5-6d6e-4a52-9a4c-0d6f3c1c8a11", "cwd": "/home/sam/code/tidepool",
                       "hook_event_name": event, **values})  # fmt: skip


ONE = "{home}/history/-home-sam-code-tidepool/one.jsonl"
"""A transcript that hooks name."""

CASES = (
    case("run", "run --dir {home}/history", "new"),
    case("import claude-code", "import claude-code --dir {home}/history", "new"),
    case("import claude-ai", "import claude-ai {home}/conversations.json", "new"),
    case("import text", "import text {home}/notes", "new"),
    case("import llm-logs", "import llm-logs {home}/logs.db", "new"),
    case("import exchange", "import exchange --prompt {home}/notes/one.md --response {home}/notes/two.md"),
    case("extract", "extract", "imported"),
    case("gate", "run --only gate", "extracted"),
    case("index", "run --only index", "gated"),
    case("work", "work --once", "due"),
    case("add", "add The+harbour+crane+lifts+nine+tonnes. --user --tag harbour --path crane.py"),
    case("correct", "memory correct The+ferry+leaves+from+quay+six. --replaces {other} --reason moved"),
    case("supersede", "memory supersede {memory} {other} --reason moved"),
    case("retire", "memory retire {memory} --note old"),
    case("lock", "memory lock {memory}"),
    case("confirm", "memory confirm {memory} --note seen"),
    case("layer", "memory layer {memory} 1"),
    case("suppress", "memory suppress {memory} --for harbour+beacon --reason loud"),
    case("checkpoint", "memory checkpoint before-the-storm"),
    case("forget a memory", "memory forget {memory} --yes"),
    case("forget words", "memory forget --words blinks+every+seven+seconds --yes"),
    case("forget a project", "memory forget --project lanternfish --yes"),
    case("forget with backups", "memory forget {memory} --backups --yes", "backed"),
    case("portrait", "memory portrait tidepool --write {home}/CLAUDE.md --yes"),
    case("review accept", "review accept {waiting}"),
    case("review decline", "review decline {waiting}"),
    case("onboard", "project onboard {home}/repository"),
    case("project ignore", "project ignore lanternfish"),
    case("project link", "project link tidepool lanternfish"),
    case("project merge", "project merge lanternfish tidepool"),
    case("settings", "settings recall_limit 7"),
    case("profile save", "profile save mine --from default --set keyword=0.5"),
    case("pause", "hook pause --for 1h"),
    case("rule", "hook rule add {memory} rm+-rf --deny", "locked"),
    case("unlock", "memory unlock {memory}", "locked"),
    case("restore", "memory restore {memory}", "retired"),
    case("review revert", "review revert {decision}"),
    case("recall", "recall which+port+does+postgres+use"),
    case("scan", "file scan --thorough"),
    case("prune", "file prune"),
    case("tokens", "file tokens add laptop"),
    case("merge", "file merge {home}/other.db", "two"),
    case("fleet import", "file fleet import {home}/team.yml --scheduler synchronous", "team"),
    case("backup", "file backup {home}/copy.db"),
    case("export a file", "export --output {home}/memories.json"),
    case("export a folder", "export --folder {home}/exported"),
    case("install", "install claude-code --pre-tool-use"),
    case("uninstall", "uninstall claude-code", "installed"),
    case("migration from schema 1", "settings recall_limit 7", "old 01"),
    case("migration from schema 7", "settings recall_limit 7", "old 07"),
    case("migration from schema 13", "settings recall_limit 7", "old 13"),
    case("hook at a prompt", "user-prompt", piped=payload("UserPromptSubmit", prompt="which port does postgres use?"),
         is_hook=True),
    case("hook at a start", "session-start", piped=payload("SessionStart", source="startup"), is_hook=True),
    case("hook at a reply", "stop", piped=payload("Stop", last_assistant_message="By [{memory}] it blinks."),
         is_hook=True),
    case("hook at an end", "hook show session-end",
         piped=payload("SessionEnd", reason="other", transcript_path=ONE)),
    case("hook before compaction", "hook show pre-compact",
         piped=payload("PreCompact", trigger="auto", transcript_path=ONE)),
)  # fmt: skip


def run_here(home: Path, *words: str) -> None:
    """A command in this process, which must end well."""
    with click.Context(cli) as context:
        context.obj = {}
        cli.main(["-d", str(home / "memory.db"), *words], standalone_mode=False, obj={})


def make_homes(home: Path, kept: Path) -> None:
    """Makes every home that a case begins with, always at `home`, for files know paths; each is kept under its name."""
    home.mkdir(parents=True)
    os.environ["HOME"] = str(home)
    make_sources(home)
    run_here(home, "settings", "embedding_model", "none")
    keep(home, kept, "new")
    make_team(home)
    keep(home, kept, "team")
    again(home, kept, "new")
    run_here(home, "import", "claude-code", "--dir", str(home / "history"))
    keep(home, kept, "imported")
    run_here(home, "extract")
    keep(home, kept, "extracted")
    run_here(home, "run", "--only", "gate")
    keep(home, kept, "gated")
    run_here(home, "run", "--dir", str(home / "history"))
    run_here(home, "add", FORGETTABLE, "--user")
    run_here(home, "add", CORRECTED, "--user")
    keep(home, kept, "full")
    run_here(home, "install", "claude-code")
    keep(home, kept, "installed")
    again(home, kept, "full")
    run_here(home, "file", "backup")
    keep(home, kept, "backed")
    again(home, kept, "full")
    make_other(home)
    keep(home, kept, "two")
    for command in ("lock", "retire"):
        again(home, kept, "full")
        run_here(home, "memory", command, uid_of(home, FORGETTABLE))
        keep(home, kept, f"{command.removesuffix('e')}ed")
    again(home, kept, "full")
    make_due(home)
    keep(home, kept, "due")
    for number in ("01", "07", "13"):
        again(home, kept, "new")
        packed = next(path for path in sorted(OLD_FILES.glob("*.db.gz")) if path.name.startswith(number))
        for beside in home.glob("memory.db*"):
            beside.unlink()
        (home / "memory.db").write_bytes(gzip.decompress(packed.read_bytes()))
        keep(home, kept, f"old {number}")


def make_sources(home: Path) -> None:
    """What is imported: transcripts, an export, notes, a log of llm; and a repository."""
    dialogues = sorted(SESSIONS.glob("*.yaml"))[:HISTORIES]
    write_history(home / "history", dialogues)
    first = next((home / "history" / "-home-sam-code-tidepool").glob("*.jsonl"))
    shutil.copy(first, first.with_name("one.jsonl"))
    (home / "conversations.json").write_text(json.dumps(EXPORT), "utf-8")
    (home / "notes").mkdir()
    for number, name in enumerate(("one", "two", "three", "four"), start=1):
        pieces = "\n\n".join(f"# Part {part}\n\nThe mast {number}.{part} is {part} m high." for part in range(30))
        (home / "notes" / f"{name}.md").write_text(pieces, "utf-8")
    repositories = Path(__file__).parent.parent / "tests" / "data" / "repositories"
    shutil.copytree(repositories / "tern", home / "repository")
    (home / "repository" / ".git").mkdir(exist_ok=True)
    (home / "tmp").mkdir()
    (home / "CLAUDE.md").write_text("# Ours\n\nNever change this line.\n", "utf-8")
    make_log(home / "logs.db")


def make_log(path: Path) -> None:
    """A log of llm with forty answers."""
    import llm.migrations  # noqa: PLC0415  # a bench is loaded by name; llm takes a second
    import sqlite_utils  # noqa: PLC0415

    log = sqlite_utils.Database(path)
    llm.migrations.migrate(log)
    for number in range(40):
        log.table("responses").insert({"id": f"r{number:02}", "model": "scripted", "prompt": f"How high is {number}?",
                                       "response": f"It is {number} m high."})  # fmt: skip
    log.close()


def make_other(home: Path) -> None:
    """The file of another machine: other sessions, the same memories, one corrected on both and one forgotten there."""
    own, other = home / "memory.db", home / "other.db"
    dialogues = sorted(SESSIONS.glob("*.yaml"))[HISTORIES - 3 : HISTORIES + 3]
    write_history(home / "other", dialogues)
    aside = own.with_name("aside.db")
    own.rename(aside)
    run_here(home, "settings", "embedding_model", "none")
    run_here(home, "run", "--dir", str(home / "other"))
    for text in (FORGETTABLE, CORRECTED):
        run_here(home, "add", text, "--user")
    run_here(home, "memory", "correct", "The ferry leaves from quay nine.", "--replaces", uid_of(home, CORRECTED),
             "--reason", "moved")  # fmt: skip
    run_here(home, "memory", "forget", uid_of(home, FORGETTABLE), "--yes")
    with closing(sqlite3.connect(own)) as db:
        db.execute("pragma wal_checkpoint(truncate)")
    own.rename(other)
    aside.rename(own)
    run_here(home, "memory", "correct", "The ferry leaves from quay six.", "--replaces", uid_of(home, CORRECTED),
             "--reason", "moved")  # fmt: skip


def make_team(home: Path) -> None:
    """Two shards and where the transcripts of each lie: its own file, and one of another person."""
    write_history(home / "other", sorted(SESSIONS.glob("*.yaml"))[HISTORIES : HISTORIES + 3])
    with closing(open_database(home / "shard.db", now=datetime.now(UTC))) as db:
        settings.put(db, "embedding_model", "none", now=datetime.now(UTC))
        db.execute("pragma wal_checkpoint(truncate)")
    (home / "team.yml").write_text(
        "shards:\n  - {address: memory.db, person: sam, transcripts: history}\n"
        "  - {address: shard.db, person: kim, transcripts: other}\n", "utf-8"
    )  # fmt: skip


def make_due(home: Path) -> None:
    """Work that waits: a transcript that a hook named, with lines that are new."""
    path = home / "history" / "-home-sam-code-tidepool" / "one.jsonl"
    began = datetime(2026, 11, 2, tzinfo=UTC)
    with path.open("a", encoding="utf-8") as file:
        for number in range(60):
            at = (began + timedelta(minutes=number)).isoformat()
            file.write(json.dumps({
                "type": "user", "uuid": f"due-{number}", "sessionId": "due", "timestamp": at,
                "cwd": "/home/sam/code/tidepool",
                "message": {"role": "user", "content": f"We decided: gauge {number} listens on port {7000 + number}"},
            }) + "\n")  # fmt: skip
    from memory_db.hooks.background import enqueue_transcript  # noqa: PLC0415  # as above

    with closing(connect(home / "memory.db", write=True)) as db:
        enqueue_transcript(db, str(path), "due", now=datetime.now(UTC))


def keep(home: Path, kept: Path, name: str) -> None:
    """Keeps a home as it is now. No process has its file open, so the file is all there is."""
    with closing(sqlite3.connect(home / "memory.db")) as db:
        db.execute("pragma wal_checkpoint(truncate)")
    shutil.copytree(home, kept / name, symlinks=True)


def again(home: Path, kept: Path, name: str) -> None:
    """Puts a home back as it was kept."""
    shutil.rmtree(home)
    shutil.copytree(kept / name, home, symlinks=True)


def filled(given: KillCase, home: Path) -> KillCase:
    """A case whose words name what is in its file."""
    names = {"home": str(home)}
    if not given.begins.startswith("old"):
        names |= {"memory": uid_of(home, FORGETTABLE), "other": uid_of(home, CORRECTED)}
        names["waiting"] = first(home, "select item from review_queue where item like 'c%' limit 1")
        names["decision"] = first(home, "select id from decisions where action = 'add' order by id limit 1")
    return KillCase(
        given.name,
        tuple(fill(word, names) for word in given.words),
        given.begins,
        fill(given.piped, names),
        given.is_hook,
    )


def uid_of(home: Path, text: str) -> str:
    """The uid of the memory that says this; empty where none does."""
    return first(home, "select uid from memories where text = ?", text)


def first(home: Path, sql: str, *values: object) -> str:
    """The first value that a query gives, empty where it gives none."""
    with closing(sqlite3.connect(home / "memory.db")) as db:
        row = db.execute(sql, values).fetchone()
    return str(row[0]) if row else ""


def fill(text: str, names: dict[str, str]) -> str:
    """A text with the values of {names}; other braces stay."""
    for name, value in names.items():
        text = text.replace(f"{{{name}}}", value)
    return text
