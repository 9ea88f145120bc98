"""Labelled questions: which entries and memories answer each, and which must not be shown for it.

In: a query set's name, questions, uids. Out: rows of `query_sets`, `labelled_queries`, `judgements`. A question
without any judgement of 1 is a negative one: nothing in the file answers it.

Invariant: labelling the same again changes no row, and what names an entry that is not in the file is counted.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from importlib.resources import files
from typing import Any

from memory_db.errors import InputError, NotFoundError
from memory_db.redact.clean import clean
from memory_db.store.connection import transaction
from memory_db.store.dates import normal_utc, utc_text
from memory_db.transcripts.projects import find_project

SAMPLE_SET = "sample"
"""The query set of the sample history."""

SAMPLE_READER = "independent reader"
"""Who judged the sample's queries: somebody who read the history and none of the code that ranks."""

RELEVANCE = {"relevant": 1, "must_not": 0}
"""What a list of uids in a line of labelled queries says of them."""


def load_sample_queries(db: sqlite3.Connection, *, now: datetime) -> dict[str, int]:
    """Labels the sample's questions; gives counts of queries, judgements, and of what could not be labelled.

    A question none of whose answers is in the file waits for a later run: it would pass for a negative one.
    """
    text = files("memory_db").joinpath("sample/queries.jsonl").read_text("utf-8")
    lines = [json.loads(line) for line in text.splitlines() if line.strip()]
    description = "Questions on the sample history with their answers, by a reader who did not see how recall ranks"
    return load_queries(db, SAMPLE_SET, lines, description=description, judged_by=SAMPLE_READER, now=now)


def load_queries(
    db: sqlite3.Connection,
    name: str,
    lines: Sequence[Mapping[str, Any]],
    *,
    description: str,
    judged_by: str,
    now: datetime,
) -> dict[str, int]:
    """Labels questions given as {id, query, project, asked_at, relevant, must_not, style}; gives counts.

    Raises: InputError for a line without one of these, or with a time that is none.
    """
    counts = Counter(queries=0, judgements=0, unknown_uids=0, unknown_projects=0, waiting_for_their_entries=0)
    with transaction(db):
        query_set_id = add_query_set(db, name, description=description, now=now)
        for line in lines:
            check_line(line)
            known = {column: item_ids(db, line[column]) for column in RELEVANCE}
            counts["unknown_uids"] += sum(len(set(line[column])) - len(known[column]) for column in RELEVANCE)
            if line["relevant"] and not known["relevant"]:
                counts["waiting_for_their_entries"] += 1
                continue
            project_id = find_project(db, line["project"]) if line["project"] else None
            counts["unknown_projects"] += line["project"] is not None and project_id is None
            asked_at = normal_utc(line["asked_at"])
            query_id = add_query(db, query_set_id, line["id"], line["query"], project_id, line["style"], asked_at)
            counts["queries"] += 1
            for column, relevance in RELEVANCE.items():
                for kind, item_id in known[column]:
                    judge(db, query_id, kind, item_id, relevance, judged_by=judged_by, now=now)
                    counts["judgements"] += 1
    return dict(counts)


def check_line(line: Mapping[str, Any]) -> None:
    """Raises: InputError if a line of labelled queries lacks a field."""
    missing = [name for name in ("id", "query", "project", "asked_at", "style", *RELEVANCE) if name not in line]
    if missing:
        raise InputError(f"The labelled query {line.get('id')!r} has no {', '.join(missing)}. Add what is missing.")


def add_query_set(db: sqlite3.Connection, name: str, *, description: str, now: datetime) -> int:
    """The id of the query set of that name, which is made if there is none."""
    db.execute(
        "insert or ignore into query_sets (name, description, created_at) values (?, ?, ?)",
        [name, description, utc_text(now)],
    )
    return query_set(db, name)


def query_set(db: sqlite3.Connection, name: str) -> int:
    """The id of a query set. Raises: NotFoundError."""
    row = db.execute("select id from query_sets where name = ?", [name]).fetchone()
    if row is None:
        names = ", ".join(row[0] for row in db.execute("select name from query_sets order by name"))
        raise NotFoundError(f"No query set {name!r}. There are: {names or 'none yet'}.")
    return int(row[0])


def add_query(
    db: sqlite3.Connection, query_set_id: int, uid: str, query: str, project_id: int | None, style: str, asked_at: str
) -> int:
    """The id of a labelled query, which is made, or changed to what is given; its text passes redaction first."""
    values = [clean(query)[0], project_id, style, asked_at]
    db.execute(
        "insert into labelled_queries (query_set_id, uid, query, project_id, style, asked_at) values (?, ?, ?, ?, ?, ?)"
        " on conflict (query_set_id, uid) do update set query = excluded.query, project_id = excluded.project_id,"
        " style = excluded.style, asked_at = excluded.asked_at"
        " where (query, project_id, style, asked_at) is not"
        " (excluded.query, excluded.project_id, excluded.style, excluded.asked_at)",
        [query_set_id, uid, *values],
    )
    row = db.execute("select id from labelled_queries where query_set_id = ? and uid = ?", [query_set_id, uid])
    return int(row.fetchone()[0])


def judge(
    db: sqlite3.Connection,
    labelled_query_id: int,
    kind: str,
    item_id: int,
    relevance: int,
    *,
    judged_by: str,
    now: datetime,
) -> None:
    """Notes whether a memory or an entry answers a labelled query; a later judgement replaces an earlier one.

    `kind` is `memory` or `entry`; `relevance` is 1, or 0 for what must not be shown.
    """
    column = {"memory": "memory_id", "entry": "entry_id"}[kind]
    db.execute(
        f"insert into judgements (labelled_query_id, {column}, relevance, judged_by, judged_at) values (?, ?, ?, ?, ?)"
        f" on conflict (labelled_query_id, {column}) do update set relevance = excluded.relevance,"
        " judged_by = excluded.judged_by, judged_at = excluded.judged_at where relevance <> excluded.relevance",
        [labelled_query_id, item_id, relevance, judged_by, utc_text(now)],
    )


def item_ids(db: sqlite3.Connection, uids: Sequence[str]) -> set[tuple[str, int]]:
    """(`entry` or `memory`, id) of those uids that the file knows."""
    wanted = json.dumps(list(uids))
    return {
        (kind, row[0])
        for kind, table in (("entry", "entries"), ("memory", "memories"))
        for row in db.execute(f"select id from {table} where uid in (select value from json_each(?))", [wanted])
    }
