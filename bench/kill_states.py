"""What a command must leave behind when it is killed, and what the same command makes of it afterwards.

In: a home before a command, and the same home after it was given once and twice without a kill. Out: faults, each with
what was found. Invariant: nothing is compared that differs between two clean runs.
"""

from __future__ import annotations

import json
import re
import sqlite3
import tempfile
from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from bench.same_rows import ROWS
from memory_db.store.connection import connect
from memory_db.upkeep.check import check

LOGS = frozenset(
    ("runs", "hook_runs", "recalls", "hits", "audit_log", "extraction_runs", "schema_objects", "_sqlite_migrations",
     "signature_blocks", "recall_procedures", "prices", "llm_migrations", "profiles", "checkpoints")
)  # fmt: skip
"""Tables of which a run that was killed may leave more rows, or the next one may make them; checkpoints of hooks are
named after their second."""

FILES = ("memory.db", "shard.db")
"""The files of a home whose rows are compared: its own, and where it has a fleet the other shard."""

MOMENT = re.compile(r"\d{8}-\d{6}")

Rows = dict[str, Counter[str]]


@dataclass(frozen=True, slots=True)
class State:
    """A home at one moment: rows by table, how many each table has, and the files beside the database."""

    rows: Rows
    counts: dict[str, int]
    files: dict[str, bytes]
    code: int = 0


def state_of(home: Path, code: int = 0) -> State:
    """What is in a home now; `code` is how the command ended."""
    found = State({}, {}, files_of(home), code)
    for path in databases(home):
        rows, counts = told_by(path)
        prefix = "" if path.name == FILES[0] else f"{path.name}: "
        found.rows.update({prefix + name: value for name, value in rows.items()})
        found.counts.update({prefix + name: value for name, value in counts.items()})
    return found


def databases(home: Path) -> list[Path]:
    """The files of a home whose rows are compared, as far as they are there."""
    return [home / name for name in FILES if (home / name).exists()]


def told_by(path: Path) -> tuple[Rows, dict[str, int]]:
    """The rows of a file by names, and how many each of its tables has."""
    with closing(sqlite3.connect(path, timeout=30)) as db:
        tables = [
            name for name, schema, sort in db.execute("select name, schema, type from pragma_table_list")
            if schema == "main" and sort == "table" and not name.startswith("sqlite_")
        ]  # fmt: skip
        counts = {name: int(db.execute(f"select count(*) from [{name}]").fetchone()[0]) for name in tables}
        return {name: counted(db, sql) for name, sql in ROWS.items()}, counts


def is_log(name: str) -> bool:
    """Whether a table is one of `LOGS`, of whichever file."""
    return name.rpartition(": ")[2] in LOGS


def counted(db: sqlite3.Connection, sql: str) -> Counter[str]:
    """How often each row of a query is there; none where its tables are not (an earlier schema)."""
    try:
        return Counter(repr(row) for row in db.execute(sql))
    except sqlite3.OperationalError:
        return Counter()


def files_of(home: Path) -> dict[str, bytes]:
    """The files of a home, but the database and what SQLite and a lock keep beside it; no name has a moment in it."""
    found: dict[str, bytes] = {}
    for path in sorted(home.rglob("*")):
        if path.is_file() and not is_beside(path, home):
            name = MOMENT.sub("MOMENT", str(path.relative_to(home)))
            found[name + "'" * sum(each.rstrip("'") == name for each in found)] = path.read_bytes()
    return found


def is_beside(path: Path, home: Path) -> bool:
    """Whether a file is the database, its log or a lock."""
    if path.name.endswith(("-wal", "-shm", "-journal", ".lock", ".import-lock")):
        return True
    return path.parent == home and path.name in (*FILES, "memory.db.worker", "memory.db.migrating")


@dataclass(frozen=True, slots=True)
class Clean:
    """A command without kills: the home before it, after it, again after it, and twice given.

    `indexed` are the last three with `run --only index` after them, `disagreements` what `file check` says then.
    """

    before: State
    once: State
    other_once: State
    twice: State
    indexed: tuple[State, State, State]
    disagreements: frozenset[str]

    def may_be(self, name: str) -> list[bytes]:
        """What a file of that name may hold."""
        return [
            each.files[name] for each in (self.before, self.once, self.other_once, self.twice) if name in each.files
        ]


def faults_after_kill(home: Path, clean: Clean) -> dict[str, str]:
    """What is wrong with a home in which a command was just killed, by sort of fault."""
    found: dict[str, str] = {}
    for path in databases(home):
        if trouble := broken(path):
            return {"files that do not open or are damaged": f"{path.name}: {trouble}"}
    if lost := rows_lost(state_of(home), clean):
        found["rows lost"] = lost
    if half := half_made(home, clean):
        found["half-made files under a final name"] = half
    return found


def broken(path: Path) -> str:
    """What SQLite finds wrong with a file; nothing where it is whole."""
    try:
        with closing(sqlite3.connect(path, timeout=30)) as db:
            said = db.execute("pragma integrity_check(3)").fetchall()
            dangling = db.execute("pragma foreign_key_check").fetchall()
    except sqlite3.Error as error:
        return str(error)
    return "" if said == [("ok",)] and not dangling else f"{said} {dangling[:3]}"


def broken_copy(data: bytes) -> str:
    """The same of a copy, looked at elsewhere: SQLite would leave its log beside it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "copy.db"
        path.write_bytes(data)
        return broken(path) or ("" if told_by(path)[1] else "a file without tables")


def rows_lost(now: State, clean: Clean) -> str:
    """The first rows that were there before, are there after a clean run, and are not there now."""
    for name, before in clean.before.rows.items():
        kept = before & clean.once.rows.get(name, Counter())
        if missing := kept - now.rows.get(name, Counter()):
            return f"{name}: {next(iter(missing))[:200]} and {missing.total() - 1} more"
    for name, count in clean.before.counts.items():
        if name.endswith("_progress"):  # what is looked at anew is taken away first
            continue
        least = min(count, clean.once.counts.get(name, 0), clean.twice.counts.get(name, 0))
        if now.counts.get(name, 0) < least:
            return f"{name}: {now.counts.get(name, 0)} rows of {least}"
    return ""


def half_made(home: Path, clean: Clean) -> str:
    """The first file that stands under the name of a finished one and is none."""
    for name, data in files_of(home).items():
        wanted = clean.may_be(name)
        if not wanted or data in wanted:
            continue
        if name.endswith(".db") or ".before-schema-" in name:
            if trouble := broken_copy(data):
                return f"{name}: {trouble}"
        elif not is_like(data, wanted):
            return f"{name}: {len(data)} bytes of {len(wanted[-1])}"
    return ""


def is_like(data: bytes, wanted: list[bytes]) -> bool:
    """Whether a file that says something else at each run (a moment, a uid) is as whole as the clean ones."""
    if len({len(each) for each in wanted}) == len(set(wanted)) == 1:
        return False  # it says the same each time
    try:
        shapes = [shape_of(json.loads(each)) for each in (data, *wanted)]
        return shapes[0] in shapes[1:]
    except ValueError:
        return data.count(b"\n") in {each.count(b"\n") for each in wanted} and data[-1:] == wanted[-1][-1:]


def shape_of(value: object) -> object:
    """A JSON value without what it says."""
    if isinstance(value, dict):
        return {name: shape_of(each) for name, each in value.items()}
    return [len(value)] if isinstance(value, list) else type(value).__name__


def disagreements(home: Path) -> frozenset[str]:
    """What `memory-db file check` finds in a home."""
    found: set[str] = set()
    for path in databases(home):
        with closing(connect(path, write=True)) as db:
            found |= {f"{path.name}: {each.what}: {each.where}: {each.detail}"[:300] for each in check(db)}
    return frozenset(found)


def faults_after_all(home: Path, clean: Clean, code: int) -> dict[str, str]:
    """What is wrong with a home in which a killed command was given again and has ended with a code.

    Rows that differ are told as those that the next index makes, as long as nobody has seen it make them.
    """
    found: dict[str, str] = {}
    if code not in (clean.once.code, clean.twice.code):
        found["same command again, ended otherwise"] = f"code {code}"
    elif why := differs(state_of(home), clean.once, clean.other_once, clean.twice):
        found[LEFT_TO_THE_INDEX] = why
    if half := half_made(home, clean):
        found["half-made files under a final name"] = half
    if more := disagreements(home) - clean.disagreements:
        found["file check, disagreements"] = next(iter(more))
    return found


LEFT_TO_THE_INDEX = "same command again, the rest by the next index"


def differs(now: State, once: State, other_once: State, twice: State) -> str:
    """Where the rows are neither those of one clean run nor of two; nothing where they are."""
    reasons = []
    for wanted, like in ((once, other_once), (twice, twice)):
        reason = ""
        for name, rows in wanted.rows.items():
            if missing := (rows & like.rows[name]) - now.rows.get(name, Counter()):
                reason = f"{name} lacks {next(iter(missing))[:200]} and {missing.total() - 1} more"
                break
        for name, count in wanted.counts.items():
            if not reason and not is_log(name) and now.counts.get(name) not in (count, like.counts.get(name)):
                reason = f"{name} has {now.counts.get(name)} rows, not {count}"
        if not reason:
            return ""
        reasons.append(reason)
    return reasons[0]


def left_over(home: Path, clean: Clean) -> list[str]:
    """Files that no clean run leaves: parts of what was being made, under names of their own."""
    return [name for name in files_of(home) if not clean.may_be(name)]
