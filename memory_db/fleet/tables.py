"""What is analysed of many files: five tables, as Parquet by day, and SQL over them.

    memories  recalls  hits  costs  judgements          each with `shard`, `person` and `day`

In: a fleet, and a query or a folder. Out: rows, or files `TABLE/day=YYYY-MM-DD/NUMBER.parquet`. Invariants: a query
only reads, and reads nothing but these tables; a shard's files of an export are written anew as a whole, each put in
its place once it is complete.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from memory_db.errors import InputError
from memory_db.fleet.catalogue import EVERYTHING, Scope, Shard
from memory_db.fleet.fleet import DEADLINE_S, Fleet, Missing
from memory_db.fleet.opened import Opened
from memory_db.store.connection import tuples

TEXT, WHOLE, NUMBER = pa.string(), pa.int64(), pa.float64()

NO_DAY = "unknown"
"""The day of rows without one."""


@dataclass(frozen=True, slots=True)
class Analysed:
    """One table: what it is asked of a shard, of which `moment` gives the day, and the types of its columns."""

    sql: str
    columns: Mapping[str, pa.DataType]
    moment: str


TABLES = {
    "memories": Analysed(
        "select m.uid, m.kind, m.scope, p.name as project, m.status, m.lock_level, m.importance, m.title, m.text,"
        " m.tokens, m.origin, b.confidence, m.valid_from, m.valid_to, m.created_at from memories m"
        " left join projects p on p.id = m.project_id left join beliefs b on b.memory_id = m.id order by m.id",
        {"uid": TEXT, "kind": TEXT, "scope": TEXT, "project": TEXT, "status": TEXT, "lock_level": TEXT,
         "importance": WHOLE, "title": TEXT, "text": TEXT, "tokens": WHOLE, "origin": TEXT, "confidence": NUMBER,
         "valid_from": TEXT, "valid_to": TEXT, "created_at": TEXT},
        "valid_from",
    ),
    "recalls": Analysed(
        "select r.uid, r.query, r.scope, r.surface, p.name as project, r.session_uid, r.considered_count, r.abstained,"
        " r.shown_tokens, r.duration_ms, r.asked_at from recalls r left join projects p on p.id = r.project_id"
        " order by r.id",
        {"uid": TEXT, "query": TEXT, "scope": TEXT, "surface": TEXT, "project": TEXT, "session_uid": TEXT,
         "considered_count": WHOLE, "abstained": WHOLE, "shown_tokens": WHOLE, "duration_ms": NUMBER, "asked_at": TEXT},
        "asked_at",
    ),
    "hits": Analysed(
        "select r.uid as recall_uid, m.uid as memory_uid, e.uid as entry_uid, h.position, h.rank, h.left_out_reason,"
        " h.logged_score, h.role, h.shown_tokens, h.signals, r.asked_at from hits h join recalls r on r.id ="
        " h.recall_id left join memory_versions v on v.id = h.memory_version_id left join memories m on m.id ="
        " v.memory_id left join entries e on e.id = h.entry_id order by h.id",
        {"recall_uid": TEXT, "memory_uid": TEXT, "entry_uid": TEXT, "position": WHOLE, "rank": WHOLE,
         "left_out_reason": TEXT, "logged_score": NUMBER, "role": TEXT, "shown_tokens": WHOLE, "signals": TEXT,
         "asked_at": TEXT},
        "asked_at",
    ),
    "costs": Analysed(
        "select p.name as project, s.uid as session_uid, c.model, c.input_tokens, c.output_tokens,"
        " c.cache_write_5m_tokens, c.cache_write_1h_tokens, c.cache_read_tokens, c.cost_nanocents, c.created_at"
        " from call_costs c left join projects p on p.id = c.project_id left join sessions s on s.id = c.session_id"
        " order by c.api_call_id",
        {"project": TEXT, "session_uid": TEXT, "model": TEXT, "input_tokens": WHOLE, "output_tokens": WHOLE,
         "cache_write_5m_tokens": WHOLE, "cache_write_1h_tokens": WHOLE, "cache_read_tokens": WHOLE,
         "cost_nanocents": WHOLE, "created_at": TEXT},
        "created_at",
    ),
    "judgements": Analysed(
        "select s.name as query_set, q.uid as query_uid, q.query, q.style, m.uid as memory_uid, e.uid as entry_uid,"
        " j.relevance, j.judged_by, j.judged_at from judgements j join labelled_queries q on q.id ="
        " j.labelled_query_id join query_sets s on s.id = q.query_set_id left join memories m on m.id = j.memory_id"
        " left join entries e on e.id = j.entry_id order by j.id",
        {"query_set": TEXT, "query_uid": TEXT, "query": TEXT, "style": TEXT, "memory_uid": TEXT, "entry_uid": TEXT,
         "relevance": WHOLE, "judged_by": TEXT, "judged_at": TEXT},
        "judged_at",
    ),
}  # fmt: skip
"""What is analysed, by the name of its table."""

BESIDE = {"shard": TEXT, "person": TEXT, "day": TEXT}
"""Columns that every table has beside its own."""


@dataclass(frozen=True, slots=True)
class FleetRows:
    """What a query gave, and which shards it was asked of."""

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]
    asked: tuple[Shard, ...]
    missing: tuple[Missing, ...]


def table_of(shard: Opened, name: str) -> pa.Table:
    """One table of a shard, as Arrow."""
    what = TABLES[name]
    rows = tuples(shard.db, what.sql, ())
    values = dict(zip(what.columns, zip(*rows, strict=True) if rows else [()] * len(what.columns), strict=True))
    days = [(moment or NO_DAY)[:10] for moment in values[what.moment]]
    beside = {"shard": [shard.shard.name] * len(rows), "person": [shard.shard.person] * len(rows), "day": days}
    schema = pa.schema([*what.columns.items(), *BESIDE.items()])
    return pa.table({name: list(column) for name, column in (values | beside).items()}, schema=schema)


def written(shard: Opened, names: Iterable[str]) -> dict[str, bytes]:
    """Tables of a shard as Parquet."""
    found = {}
    for name in names:
        sink = pa.BufferOutputStream()
        pq.write_table(table_of(shard, name), sink)
        found[name] = sink.getvalue().to_pybytes()
    return found


def checked(query: str) -> list[str]:
    """The tables that a query may name. Raises: InputError for one that does not only read."""
    try:
        statements = duckdb.extract_statements(query)
    except duckdb.Error as error:
        raise InputError(f"DuckDB cannot read the query: {one_line(error)}") from error
    kinds = [str(each.type).rpartition(".")[2] for each in statements]
    if kinds not in (["SELECT"], ["EXPLAIN"]):
        raise InputError(
            f"A query over a fleet only reads, one SELECT: this one has {', '.join(kinds) or 'nothing'}."
            f" There are the tables {', '.join(TABLES)}."
        )
    words = {word.casefold() for word in re.findall(r"\w+", query)}
    return [name for name in TABLES if name in words]


def one_line(error: Exception) -> str:
    """What DuckDB says, on one line."""
    return " ".join(str(error).split())[:300]


def sql(fleet: Fleet, query: str, *, scope: Scope = EVERYTHING, deadline_s: float = DEADLINE_S) -> FleetRows:
    """What a query gives over the tables of all shards of a scope, and who answered.

    Raises: InputError where it does not only read, or DuckDB refuses it; DatabaseFileError where no shard answers.
    """
    names = checked(query)
    told, asked, missing = fleet.answered(
        fleet.chosen(scope),
        lambda corpus: fleet.each([fleet.shards[number] for number in corpus.facts], written, lambda shard: (names,)),
        deadline_s,
    )
    with tempfile.TemporaryDirectory(prefix="memory-db-") as temporary:
        folder = Path(temporary)
        for number, tables in told.items():
            for name, content in tables.items():
                (folder / name).mkdir(exist_ok=True)
                (folder / name / f"{number}.parquet").write_bytes(content)
        columns, rows = selected(folder, names, query)
    return FleetRows(columns, rows, asked, missing)


def selected(folder: Path, names: Iterable[str], query: str) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
    """What DuckDB finds in the Parquet files of a folder, and of no other place. Raises: InputError."""
    with duckdb.connect() as db:
        for name in names:
            db.read_parquet(f"{folder / name}/**/*.parquet", hive_partitioning=False).create_view(name)
        db.execute(f"set allowed_directories = ['{folder}']")
        db.execute("set enable_external_access = false")
        db.execute("set lock_configuration = true")
        try:
            found = db.execute(query)
            return tuple(each[0] for each in found.description or ()), found.fetchall()
        except duckdb.Error as error:
            raise InputError(f"DuckDB refuses the query: {one_line(error)}") from error


def export(
    fleet: Fleet, folder: Path, *, scope: Scope = EVERYTHING, deadline_s: float = DEADLINE_S
) -> tuple[dict[str, int], tuple[Shard, ...], tuple[Missing, ...]]:
    """Writes the tables of all shards of a scope as Parquet by day; rows by table, who answered, and who did not.

    What an earlier export wrote of a shard that answers is replaced; what it wrote of others stays.
    Raises: InputError where the folder is none; DatabaseFileError where no shard answers.
    """
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is not a folder. Name one for the Parquet files.")
    told, asked, missing = fleet.answered(
        fleet.chosen(scope),
        lambda corpus: fleet.each(
            [fleet.shards[number] for number in corpus.facts], written, lambda shard: (tuple(TABLES),)
        ),
        deadline_s,
    )
    counts = dict.fromkeys(TABLES, 0)
    for number, tables in told.items():
        for name, content in tables.items():
            table = pq.read_table(pa.BufferReader(content))
            put(folder / name, number, table)
            counts[name] += table.num_rows
    return counts, asked, missing


def put(folder: Path, number: int, table: pa.Table) -> None:
    """Writes a shard's rows of one table, a file for each day, in the place of those of an earlier export."""
    with tempfile.TemporaryDirectory(prefix=".export-", dir=made(folder)) as temporary:
        new = {}
        for day in sorted(set(table.column("day").to_pylist())):
            new[f"day={day}"] = path = Path(temporary) / f"{day}.parquet"
            # The day is the name of the folder, as those who read Parquet expect it.
            pq.write_table(table.filter(pc.equal(table.column("day"), day)).drop_columns(["day"]), path)
        for old in folder.glob(f"day=*/{number}.parquet"):
            if old.parent.name not in new:
                old.unlink()
        for name, path in new.items():
            shutil.move(path, made(folder / name) / f"{number}.parquet")


def made(folder: Path) -> Path:
    """A folder, made where it was not there; what is in it is somebody's history, and nobody else's business."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder
