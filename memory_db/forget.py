"""Forgetting for good: no row, no copy and no byte of it is left, and that is looked up rather than believed.

In: a `Target`. Out: `Forgotten`: what went from where, and what was still found afterwards, which must be nothing.
Invariants: the rows go in one transaction, or none does; an entry keeps its uid and place with nothing said, so that
reading its transcript again does not bring it back; the log tells that something was forgotten and never what.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from fnmatch import fnmatch
from pathlib import Path

from memory_db import byte_search, index, signatures, spool
from memory_db.connection import id_list, transaction
from memory_db.dates import utc_text
from memory_db.errors import DatabaseFileError
from memory_db.forgetting import Target, paths_of
from memory_db.scan_places import EXEMPT
from memory_db.scrubbing import FORGOTTEN, LEAST, Passages
from memory_db.semantic import SORTS, embedded_models, has_llm_tables

SAID = ("entries", "actions", "sessions", "candidates", "memories", "memory_versions", "memory_sources")
"""Tables of what was said and kept, which another session or memory may say by itself."""

MOST_BY_CHARACTER = 20
"""Passages up to which the bytes are searched for every stretch of them; of more, only each next stretch is sought."""

VERSIONS = "select id from memory_versions where memory_id in ({memories})"

CANDIDATES = """
select id from candidates where entry_id in ({entries}) or session_id in ({sessions})
    or id in (select candidate_id from memory_sources where memory_id in ({memories}))
    or id in (select candidate_id from decisions where memory_id in ({memories}))
"""

RECALLS = "select id from recalls where session_id in ({sessions})"

STEPS: tuple[tuple[str, str], ...] = (
    ("recalls", f"update labelled_queries set recall_id = null where recall_id in ({RECALLS})"),
    ("recalls", f"delete from recalls where id in ({RECALLS})"),
    ("hits", f"delete from hits where memory_version_id in ({VERSIONS}) or entry_id in ({{entries}})"),
    ("portraits", "delete from portraits where id in (select portrait_id from portrait_sources"
                  f" where memory_version_id in ({VERSIONS}))"),
    ("candidates", "update memory_sources set candidate_id = null where candidate_id in ({candidates})"),
    ("decisions", "delete from decisions where candidate_id in ({candidates}) or memory_id in ({memories})"),
    ("candidates", "delete from candidates where id in ({candidates})"),
    ("memories", "delete from memories where id in ({memories})"),
    ("memory_sources", "delete from memory_sources where entry_id in ({entries})"),
    ("memory_sources", "delete from removed_parts where part = 'source'"
                       " and json_extract(value, '$.entry_id') in ({entries})"),
    ("evidence", "update evidence set note = null, withdrawn_at = coalesce(withdrawn_at, :now)"
                 " where entry_id in ({entries})"),
    ("weak_labels", "delete from weak_labels where entry_id in ({entries})"),
    ("actions", "update actions set target = null, input = '{{}}', excerpt = null"
                " where entry_id in ({entries}) or result_entry_id in ({entries})"),
    ("model_calls", "update model_calls set answer = '', left_out = '[]' where session_id in ({sessions})"
                    " or exists (select 1 from entries e where e.id in ({entries})"
                    " and e.session_id = model_calls.session_id"
                    " and e.id between model_calls.first_entry_id and model_calls.last_entry_id)"),
    ("entries", "update entries set text = :forgotten where id in ({entries})"),
    ("sessions", "update sessions set title = :forgotten, git_branch = null"
                 " where id in ({sessions}) and title is not null"),
    ("entities", "delete from entities where id not in (select entity_id from memory_entities)"),
)  # fmt: skip
"""What happens to the rows, in an order that foreign keys allow: the table it counts for, and the statement."""


@dataclass(slots=True)
class Forgotten:
    """What went.

    `rows`: rows that were deleted or emptied, by table. `repetitions`: texts elsewhere that had a part taken out, by
    `table.column`. `left`: places where a passage was still found afterwards. `outside`: files that memory-db did not
    write or does not open, which may still hold it.
    """

    what: str
    rows: dict[str, int] = field(default_factory=dict)
    repetitions: dict[str, int] = field(default_factory=dict)
    left: list[str] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)
    passages: int = 0


def forget(db: sqlite3.Connection, path: Path, target: Target, *, now: datetime) -> Forgotten:
    """Removes a target from a file and from every derived place, rewrites the file, and looks whether it is gone.

    Raises: sqlite3.Error where another process keeps the file; what was removed by then is removed, and
    `finish` does the rest.
    """
    passages = target.passages
    done = Forgotten(target.what, passages=len(passages.texts), outside=paths_of(db, target.entry_ids))
    db.execute("pragma secure_delete = on")
    with transaction(db):
        done.rows = remove_rows(db, target, now)
        done.repetitions = scrub_rows(db, passages, () if target.is_everywhere else SAID)
        counts = {name.replace(".", " "): number for name, number in (done.rows | done.repetitions).items()}
        db.execute(
            "insert into runs (stage, started_at, duration_ms, counts) values ('forget', ?, 0, ?)",
            [utc_text(now), json.dumps(counts)],
        )
    finish(db)
    done.left = [*traces_in_rows(db, passages, target), *traces_in_bytes(db, path, passages, target)]
    done.outside += copies_beside(path)
    return done


def remove_rows(db: sqlite3.Connection, target: Target, now: datetime) -> dict[str, int]:
    """Deletes or empties the rows of a target; how many, by table."""
    names = names_of(db, target)
    counts: Counter[str] = Counter()
    close_chains(db, names["memories"], utc_text(now))
    remove_vectors(db, names)
    for table, statement in STEPS:
        values = {"now": utc_text(now), "forgotten": FORGOTTEN}
        done = db.execute(statement.format(**names), {k: v for k, v in values.items() if f":{k}" in statement})
        if statement.startswith((f"delete from {table} ", f"update {table} ")):
            counts[table] += done.rowcount
    return {table: number for table, number in counts.items() if number}


def names_of(db: sqlite3.Connection, target: Target) -> dict[str, str]:
    """What the statements of `STEPS` are filled in with: ids, listed."""
    names = {
        "memories": id_list(target.memory_ids),
        "entries": id_list(target.entry_ids),
        "sessions": id_list(target.session_ids),
    }
    return names | {"candidates": id_list(row[0] for row in db.execute(CANDIDATES.format(**names)))}


def close_chains(db: sqlite3.Connection, memories: str, now: str) -> None:
    """Lets what a forgotten memory replaced be replaced by what replaced that, or else retires it: it holds no more."""
    while db.execute(JOIN_CHAIN.format(memories=memories), {"now": now}).rowcount:
        pass
    db.execute(RETIRE_ORPHANS.format(memories=memories), {"now": now})


JOIN_CHAIN = """
insert or ignore into edges (from_memory_id, to_memory_id, kind, score, reason, created_by, created_at)
select n.from_memory_id, o.to_memory_id, 'supersedes', o.score, 'what stood between was forgotten', 'user', :now
from edges o join edges n on n.to_memory_id = o.from_memory_id and n.kind = 'supersedes' and n.ended_at is null
where o.kind = 'supersedes' and o.ended_at is null and o.from_memory_id in ({memories})
"""
"""An edge from each successor of a forgotten memory to what that had replaced."""

RETIRE_ORPHANS = """
update memories set status = 'retired', changed_by = 'user', updated_at = :now,
    change_reason = 'what replaced it was forgotten'
where status = 'superseded' and id not in ({memories})
    and id in (select to_memory_id from edges where kind = 'supersedes' and from_memory_id in ({memories}))
    and not exists (select 1 from edges e where e.to_memory_id = memories.id and e.kind = 'supersedes'
        and e.ended_at is null and e.from_memory_id not in ({memories}))
"""


def remove_vectors(db: sqlite3.Connection, names: dict[str, str]) -> None:
    """Removes the vectors of what goes from llm's collections: of a vector, words can be guessed."""
    if not has_llm_tables(db):
        return
    keys = {"memories": VERSIONS.format(**names), "entries": names["entries"]}
    for sort in SORTS:
        db.execute(
            f"delete from embeddings where id in (select cast(value as text) from ({as_values(db, keys[sort])}))"
            " and collection_id in (select id from collections where name = ? || '/' || model)",
            [sort],
        )


def as_values(db: sqlite3.Connection, ids: str) -> str:
    """Ids, listed or selected, as a query of one column `value`."""
    listed = id_list(row[0] for row in db.execute(ids)) if ids.lstrip().startswith("select") else ids
    return f"select value from json_each('[{listed}]')"


# ----------------------------------------------------------- repetitions


def text_columns(db: sqlite3.Connection, without: tuple[str, ...] = ()) -> Iterator[tuple[str, str]]:
    """Each table and column that may hold what somebody wrote, also in tables of other programs."""
    tables = [
        row["name"]
        for row in db.execute(
            "select name from pragma_table_list where type = 'table' and schema = 'main'"
            " and name not like 'sqlite\\_%' escape '\\' order by name"
        )
        if row["name"] not in without
    ]
    for table in tables:
        for column in db.execute("select name, type from pragma_table_info(?)", [table]):
            name = f"{table}.{column['name']}"
            if column["type"].upper() == "TEXT" and not any(fnmatch(name, pattern) for pattern in EXEMPT):
                yield table, column["name"]


def scrub_rows(db: sqlite3.Connection, passages: Passages, without: tuple[str, ...]) -> dict[str, int]:
    """Takes the passages out of every text that repeats them; how many texts, by `table.column`."""
    counts: dict[str, int] = {}
    for table, column in text_columns(db, without):
        key = key_of(db, table)
        found = [
            row
            for row in db.execute(f'select "{column}", {key} from "{table}"').fetchall()
            if isinstance(row[0], str) and passages.repeats(row[0])
        ]
        if not found:
            continue
        where = " and ".join(f"{name} = ?" for name in key.split(", "))
        if (table, column) in (("recalls", "query"), ("labelled_queries", "query")):
            # Its words stand in its features too, and in the scores of its hits.
            db.executemany(f"delete from {table} where {where}", [row[1:] for row in found])
        else:
            db.executemany(
                f'update "{table}" set "{column}" = ? where {where}',
                [(scrubbed_cell(passages, row[0]), *row[1:]) for row in found],
            )
        counts[f"{table}.{column}"] = len(found)
    return counts


def key_of(db: sqlite3.Connection, table: str) -> str:
    """The columns that tell a table's rows apart: `rowid`, or the primary key where there is none."""
    has_rowid = db.execute("select wr from pragma_table_list where name = ?", [table]).fetchone()[0] == 0
    keys = db.execute("select name from pragma_table_info(?) where pk > 0 order by pk", [table])
    return "rowid" if has_rowid else ", ".join(f'"{row[0]}"' for row in keys)


def scrubbed_cell(passages: Passages, text: str) -> str:
    """A cell without the passages; JSON stays JSON."""
    if text[:1] in "[{":
        with suppress(ValueError, RecursionError):
            return json.dumps(scrubbed_value(passages, json.loads(text)), ensure_ascii=False)
    return passages.scrub(text)


def scrubbed_value(passages: Passages, value: object) -> object:
    """A value of JSON whose texts have lost the passages."""
    if isinstance(value, str):
        return passages.scrub(value)
    if isinstance(value, list):
        return [scrubbed_value(passages, each) for each in value]
    if isinstance(value, dict):
        return {passages.scrub(key): scrubbed_value(passages, each) for key, each in value.items()}
    return value


# ----------------------------------------------------------- no byte left


def finish(db: sqlite3.Connection) -> None:
    """Rewrites full text and the file, so that no free page and no log keeps what was deleted.

    Raises: sqlite3.Error.
    """
    for table in ("entry_fts", "memory_fts"):
        db.execute(f"insert into {table} ({table}) values ('optimize')")
    for model in embedded_models(db):
        index.remove_stale(db, model)
    signatures.refresh(db)
    db.execute("vacuum")
    db.execute("pragma wal_checkpoint(truncate)")


def traces_in_rows(db: sqlite3.Connection, passages: Passages, target: Target) -> list[str]:
    """Places of the file, `table.column`, where a passage is still found."""
    without = () if target.is_everywhere else SAID
    return [
        f"{table}.{column}"
        for table, column in text_columns(db, without)
        if any(
            isinstance(row[0], str) and passages.repeats(row[0])
            for row in db.execute(f'select "{column}" from "{table}"')
        )
    ]


def traces_in_bytes(db: sqlite3.Connection, path: Path, passages: Passages, target: Target) -> list[str]:
    """Files of the database that still hold the bytes of a passage, each with how many passages it holds.

    Of a session only passages count that nobody else said. What full text keeps are single stems, which no longer
    belong to any text.

    Raises: DatabaseFileError where they cannot be read.
    """
    said = [] if target.is_everywhere else [row[0] for row in db.execute("select text from entries")]
    step = 1 if target.is_everywhere and len(passages.texts) < MOST_BY_CHARACTER else LEAST
    pieces = dict.fromkeys(part for text in passages.texts for part in parts(text, step))
    sought = [part.encode() for part in pieces if not any(part in each for each in said)]
    files = [path, path.with_name(f"{path.name}-wal"), *spool.waiting(path)]
    try:
        counts = byte_search.count_held(files, sought)
    except OSError as error:
        raise DatabaseFileError(f"The rows are gone, but the bytes could not be searched: {error}") from error
    return [
        f"{each.name}: {number} of {len(sought)} pieces of what was said"
        for each, number in zip(files, counts, strict=True)
        if number
    ]


def parts(text: str, step: int) -> list[str]:
    """Pieces of a passage by which a copy of a good part of it is known."""
    return [text[at : at + LEAST] for at in range(0, max(1, len(text) - LEAST + 1), step)]


def copies_beside(path: Path) -> list[str]:
    """Copies of the file that memory-db made beside it before it changed the schema."""
    return sorted(str(each) for each in path.parent.glob(f"{path.name}.before-schema-*"))
