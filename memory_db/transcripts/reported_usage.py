"""What Claude Code used beside the answers that its transcript holds: calls that compact a conversation, and others.

In: the totals that the client writes of a session now and then (`cost-state`), and the calls known of that session and
its subagents. Out: rows of `api_calls`, marked, that make up the difference. Invariants: it runs inside the caller's
transaction; the same totals and calls give the same rows, in whatever order their files were read; where totals and
calls speak of other models nothing is made up.
Source: transcripts of Claude Code 2.1.330, whose totals are those of a session since `startTime`, with its subagents,
over each time that it was resumed; a fork goes on with the totals of its original. 2.1.197 writes none.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from memory_db.transcripts.records import LARGEST_COUNT, Stored, count, moment, named
from memory_db.transcripts.sessions import lineage

MARK = "cost-state"
"""`request_uid` of rows that make up a difference, and the type of the record that it is to."""

TOKENS = ("input_tokens", "output_tokens", "cache_write_5m_tokens", "cache_write_1h_tokens", "cache_read_tokens")

NONE = [0] * len(TOKENS)

LARGEST_TOTAL = 10_000 * LARGEST_COUNT
"""Totals beyond this are not totals. Source: ten thousand calls of the largest count."""

VARIANT = re.compile(r"(?:\[[^\]]*\]|[-@]\d{8})+$")
"""What may stand behind a model's name in one place and not in the other: the size of its window, its date."""

Usage = dict[str, list[int]]
"""Tokens by model, in the order of TOKENS."""

SUMS = f"select model, {', '.join(f'sum({name})' for name in TOKENS)} from api_calls"

OWN = f"""
{SUMS} where session_id in (select id from sessions where id = :session or parent_session_id = :session)
    and request_uid <> '{MARK}' and created_at >= :started and created_at <= :until
group by model
"""

BEFORE = f"""
{SUMS} where session_id in
        (select s.id from sessions s join json_each(:line) l on l.value in (s.id, s.parent_session_id))
    and created_at >= :started and created_at <= :until
group by model
"""

SHARED_UNTIL = """
select max(e.created_at) from session_entries se join entries e on e.id = se.entry_id
where se.session_id = :session and e.session_id <> :session
"""

COMPACTION = """
select min(id) from entries where session_id = ? and kind = 'summary' and created_at = ?
"""

COLUMNS = ("message_uid", "model", *TOKENS, "entry_id", "created_at")

KNOWN = (
    f"select {', '.join(COLUMNS)} from api_calls where session_id = ? and request_uid = '{MARK}' order by message_uid"
)

FORGET = f"delete from api_calls where session_id = ? and request_uid = '{MARK}'"

INSERT = f"""
insert into api_calls (session_id, request_uid, {", ".join(COLUMNS)})
values (?, '{MARK}', {", ".join("?" * len(COLUMNS))})
"""


@dataclass(frozen=True, slots=True)
class Report:
    """The totals of a session at a moment; `compacted_at` is when it was compacted since the report before, if so."""

    session_uid: str
    at: str
    compacted_at: str | None
    started_at: str
    usage: Usage


@dataclass(slots=True)
class Reported(Stored):
    """What a file's reader keeps of totals: the reports in order, and which sessions were compacted since, when."""

    reported: list[list[Any]] = field(default_factory=list)
    compacted: dict[str, str] = field(default_factory=dict)

    def text(self) -> str:
        """The values as they are stored: without these two where they are empty, as in most files."""
        kept = {name: value for name, value in asdict(self).items() if value or name not in ("reported", "compacted")}
        return json.dumps(kept)

    def report(self, record: dict[str, Any], session_uid: str, at: str) -> None:
        """Keeps what a record tells: in place of its session's report before, unless a compaction came before that."""
        said = report_of(record)
        if said is None:
            return
        mine = [number for number, each in enumerate(self.reported) if each[0] == session_uid]
        if mine and self.reported[mine[-1]][2] is None:
            del self.reported[mine[-1]]
        self.reported.append([session_uid, at, self.compacted.pop(session_uid, None), *said])


def report_of(record: dict[str, Any]) -> tuple[str, Usage] | None:
    """Since when a record's totals count, and the totals; None where it tells none."""
    said, started = record.get("modelUsage"), moment(record.get("startTime"))
    if not isinstance(said, dict) or started is None:
        return None
    usage: Usage = {}
    for name, one in said.items():
        model = named(name)
        if model and isinstance(one, dict):
            hour, minutes, written = (
                count(one.get(f"cacheCreation{part}InputTokens"), LARGEST_TOTAL)
                for part in ("Ephemeral1h", "Ephemeral5m", "")
            )
            read, asked, said_tokens = (
                count(one.get(part), LARGEST_TOTAL) for part in ("cacheReadInputTokens", "inputTokens", "outputTokens")
            )
            usage[model] = [asked, said_tokens, max(minutes, written - hour), hour, read]
    return started, usage


def main_file(path: Path) -> Path | None:
    """The transcript of the session that a file is of; None where that is not told."""
    if not path.stem.startswith("agent-"):
        return path
    folders = path.parts
    if "subagents" not in folders[1:]:
        return None
    session = Path(*folders[: folders.index("subagents")])
    return session.with_name(f"{session.name}.jsonl")


def settle(db: sqlite3.Connection, path_of_main: str) -> None:
    """Makes the rows that a session's totals have and its calls have not. Must run inside a transaction."""
    row = db.execute("select cursor from sources where path = ?", [path_of_main]).fetchone()
    kept = json.loads(row["cursor"]).get("reported") if row and row["cursor"] else None
    by_session: dict[str, list[Report]] = {}
    for each in kept or ():
        by_session.setdefault(each[0], []).append(Report(*each))
    for uid, reports in by_session.items():
        found = db.execute("select id from sessions where uid = ?", [uid]).fetchone()
        if found:
            write(db, found["id"], list(rows_of(db, found["id"], reports)))


def write(db: sqlite3.Connection, session_id: int, rows: list[tuple[Any, ...]]) -> None:
    """Puts rows in the order of COLUMNS in the place of those that made up the difference so far."""
    rows.sort()
    if [tuple(row) for row in db.execute(KNOWN, [session_id])] != rows:
        db.execute(FORGET, [session_id])
        db.executemany(INSERT, [(session_id, *row) for row in rows])


def rows_of(db: sqlite3.Connection, session_id: int, reports: list[Report]) -> Iterator[tuple[Any, ...]]:
    """What is missing, by model and report, in the order of COLUMNS."""
    missing = [missing_at(db, session_id, report) for report in reports]
    told: Usage = {}
    for number, report in enumerate(reports):
        compacted_at = report.compacted_at
        entry = db.execute(COMPACTION, [session_id, compacted_at]).fetchone()[0] if compacted_at else None
        for model in missing[number]:
            # A later report is surer: what it does not miss was only written down late.
            least = [min(parts) for parts in zip(*(each.get(model, NONE) for each in missing[number:]), strict=True)]
            more = [max(0, new - old) for new, old in zip(least, told.get(model, NONE), strict=True)]
            if any(more):
                told[model] = added(told.get(model), more)
                capped = [min(each, LARGEST_COUNT) for each in more]
                uid = f"{report.session_uid}/{model}/{number}"
                yield (uid, model, *capped, entry, compacted_at or report.at)


def missing_at(db: sqlite3.Connection, session_id: int, report: Report) -> Usage:
    """What a report's totals have more than the calls until then, by model as the calls name it."""
    span = {"session": session_id, "started": report.started_at, "until": report.at}
    known = {row[0]: list(row)[1:] for row in db.execute(OWN, span)}
    line = lineage(db, session_id)[1:]
    shared_until = db.execute(SHARED_UNTIL, {"session": session_id}).fetchone()[0] if line else None
    if shared_until:
        before = {"line": json.dumps(line), "started": report.started_at, "until": shared_until}
        for row in db.execute(BEFORE, before):
            known[row[0]] = added(known.get(row[0]), list(row)[1:])
    names = {plain(model): model for model in known}
    totals: Usage = {}
    for model, counts in report.usage.items():
        name = names.get(plain(model), model.partition("[")[0])
        totals[name] = added(totals.get(name), counts)
    if not set(known) <= set(totals):
        return {}
    return {
        model: [max(0, all_ - own) for all_, own in zip(counts, known.get(model, NONE), strict=True)]
        for model, counts in totals.items()
    }


def added(some: list[int] | None, more: list[int]) -> list[int]:
    """Two rows of tokens added up."""
    return [one + other for one, other in zip(some or NONE, more, strict=True)]


def plain(model: str) -> str:
    """A model's name without what may stand behind it."""
    return VARIANT.sub("", model)
