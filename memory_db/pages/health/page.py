"""How well the file and what feeds it do: the doctor's lines, hooks, jobs, sources, recalls, copies, the file itself.

In: the path of a file in whatever state, a moment, the folders of transcripts. Out: plain dicts with a `status`: fine,
degraded or failing. Invariants: nothing is written; a damaged file is a status, not an error; what reads much of the
file is looked at only where everything is asked for.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

from memory_db.errors import InputError, MemoryDBError, NotFoundError
from memory_db.pages import periods, weeks
from memory_db.pages.cache import cached, rows
from memory_db.pages.draw import filters as texts
from memory_db.pages.draw.column_chart import MOST_DAYS
from memory_db.pages.forms import Fields, first
from memory_db.store import backup, settings
from memory_db.store.connection import SCHEMA_VERSION, connect
from memory_db.store.dates import utc_text
from memory_db.store.periods import Period, check_word, period
from memory_db.upkeep import retention
from memory_db.upkeep.doctor import EXAMINATIONS, QUICK
from memory_db.upkeep.doctor_report import STATUS, Advice, DoctorContext, Report, damage, failure_of, look

SPEEDS = """
with timed as (
    select hook, outcome, duration_ms, row_number() over (partition by hook order by duration_ms) as place,
        count(*) over (partition by hook) as runs
    from hook_runs where started_at >= :since and started_at < :until and duration_ms is not null
)
select hook, max(runs) as runs, round(min(case when place >= 0.5 * runs then duration_ms end), 1) as p50_ms,
    round(min(case when place >= 0.95 * runs then duration_ms end), 1) as p95_ms, round(max(duration_ms), 1) as max_ms,
    sum(outcome = 'shown') as shown, sum(outcome in ('silent', 'skipped')) as silent, sum(outcome = 'failed') as failed
from timed group by hook order by runs desc, hook
"""

REASONS = """
select hook, outcome, iif(instr(reason, ': '), substr(reason, 1, instr(reason, ': ') - 1), reason) as reason,
    count(*) as runs, round(avg(duration_ms), 1) as mean_ms, max(started_at) as last_at
from hook_runs where started_at >= :since and started_at < :until
group by hook, outcome, 3 order by runs desc, hook, reason limit 15
"""

SPEED_DAYS = """
with timed as (
    select substr(started_at, 1, 10) as day, duration_ms,
        row_number() over (partition by substr(started_at, 1, 10) order by duration_ms) as place,
        count(*) over (partition by substr(started_at, 1, 10)) as runs
    from hook_runs where hook = 'user-prompt' and outcome in ('shown', 'silent') and duration_ms is not null
        and started_at >= :since and started_at < :until
)
select day, max(runs) as runs, round(min(case when place >= 0.5 * runs then duration_ms end), 1) as p50_ms,
    round(min(case when place >= 0.95 * runs then duration_ms end), 1) as p95_ms
from timed group by day order by day
"""

FAILED = """
select hook, started_at, error, reason from hook_runs
where outcome = 'failed' and started_at >= :since and started_at < :until
order by started_at desc, id desc limit 10
"""

JOBS = """
select kind, state, count(*) as jobs, min(created_at) as oldest_at from jobs where state <> 'done' group by kind, state
"""
JOB = "select id, kind, key, state, attempts, last_error, created_at, changed_at from jobs where id = ?"
DEAD = "select job_id, kind, key, attempts, last_error, died_at from dead_jobs order by died_at desc limit 20"
WORKING = "select kind, key from jobs where state = 'running' and leased_until > ? order by changed_at desc"
LAST_WORK = "select max(changed_at) from jobs where state in ('done', 'due') and changed_at > created_at"

UNREADABLE = "select path, format, state_reason from sources where state = 'unreadable' order by id desc limit 10"

WOULD_AGE_MOST = 1_000
"""Up to how many hits a page counts that retention would let go; its dry run counts them all."""

AUDIT = "select actor, action, target, outcome, said, started_at from audit_log order by id desc limit 8"

SIZES = "select name, sum(pgsize) as bytes from dbstat where aggregate = 1 group by name order by bytes desc limit 20"

CHOICES = ("", "no", "yes")


def health(path: Path, fields: Fields, now: datetime, *, transcripts: Sequence[Path]) -> dict[str, Any]:
    """Everything that the health page shows; with the field `all` also what takes seconds to find out, with `job` the
    job of that number. `period` says of which days hooks and recalls are told.

    Raises: InputError, NotFoundError.
    """
    wanted, job, word = first(fields, "all"), first(fields, "job"), periods.word_in(fields)
    check_word(word, now)
    if wanted not in CHOICES:
        raise InputError(f"all {wanted[:40]!r} cannot be used. Leave it out, or give yes.")
    is_all = wanted == "yes"
    try:
        with closing(connect(path)) as db:
            context = DoctorContext(path, db, now, transcripts)
            report = look(context, EXAMINATIONS if is_all else QUICK)
            data: dict[str, Any] = {name: part(context) for name, part in AROUND.items()}
            data["everything"] = everything(db) if is_all else None
            data["job"] = job_numbered(db, job) if job else None
        data |= cached(
            path, ("health", word, now.replace(second=0, microsecond=0)), lambda db: of_file(path, db, now, word)
        )
    except NotFoundError:
        raise
    except MemoryDBError as error:
        report, data = Report([failure_of(error, path)]), {}
    except (sqlite3.Error, UnicodeDecodeError) as error:
        report, data = Report([damage(error, path)]), {}
    lines = [{"level": line.level, "what": line.what, "fix": line.fix} for line in worst_first(report.lines)]
    status = STATUS[report.verdict]
    return {"ok": status != "failing", "status": status, "is_all": is_all, "lines": lines, "is_readable": bool(data),
            **data}  # fmt: skip


def http_status(data: dict[str, Any]) -> int:
    """What a program that only looks at the status of the answer is told."""
    return 503 if data["status"] == "failing" else 200


def worst_first(lines: Sequence[Advice]) -> list[Advice]:
    """What wants something done before what is fine, each in the order in which it was looked at."""
    return sorted(lines, key=lambda line: ("failure", "warning", "note", "fine").index(line.level))


def hooks(context: DoctorContext, period: Period) -> dict[str, Any]:
    """How fast hooks were, why they showed or kept silent, and what failed, in a period."""
    span = weeks.bounds(period)
    days = rows(context.db, SPEED_DAYS, span)[-MOST_DAYS:]
    most = max((day["p95_ms"] for day in days), default=0.0)
    columns, _ = weeks.columns_of(period, [day["day"] for day in days])
    if len(columns) > MOST_DAYS or not set(columns) >= {day["day"] for day in days}:
        columns = [day["day"] for day in days]  # of years: the last days with any
    places = {day: place for place, day in enumerate(columns)}
    for day in days:
        day["place"] = places.get(day["day"], 0)
        day["p50_height"] = round(100 * day["p50_ms"] / most, 1) if most else 0
        day["p95_height"] = round(100 * day["p95_ms"] / most, 1) if most else 0
    return {
        "speeds": rows(context.db, SPEEDS, span),
        "reasons": rows(context.db, REASONS, span),
        "days": days,
        "chart_days": list(places),
        "most_ms": most,
        "failed": rows(context.db, FAILED, span),
    }


def jobs(context: DoctorContext) -> dict[str, Any]:
    """Work that waits, is being done, or was given up."""
    working = rows(context.db, WORKING, [utc_text(context.now)])
    last = context.db.execute(LAST_WORK).fetchone()[0]
    dead = context.db.execute("select count(*) from dead_jobs").fetchone()[0]
    return {
        "open": rows(context.db, JOBS),
        "dead": rows(context.db, DEAD),
        "dead_count": dead,
        "working": working,
        "last_worked": texts.ago(last, context.now),
    }


def job_numbered(db: sqlite3.Connection, number: str) -> dict[str, Any]:
    """One job, whatever its state. Raises: NotFoundError."""
    found = rows(db, JOB, [int(number)]) if number.isascii() and number.isdecimal() and len(number) < 19 else []
    if not found:
        raise NotFoundError(f"No job {number[:20]!r}. The table jobs lists them.")
    return found[0]


def sources(context: DoctorContext) -> dict[str, Any]:
    """What is read how far, and what could not be read."""
    return {
        "states": rows(context.db, "select * from source_health order by format, state"),
        "unreadable": rows(context.db, UNREADABLE),
        "problems": context.db.execute("select count(*) from source_problems").fetchone()[0],
    }


def copies(context: DoctorContext) -> dict[str, Any]:
    """The newest copy in the folder of backups; copies made elsewhere are not known."""
    folder = backup.folder_of(context.path)
    latest = backup.latest(context.path)
    found = None
    if latest:
        state = latest.stat()
        made = datetime.fromtimestamp(state.st_mtime, context.now.tzinfo)
        found = {"name": latest.name, "bytes": state.st_size, "made_at": utc_text(made),
                 "ago": texts.ago(utc_text(made), context.now)}  # fmt: skip
    return {"folder": str(folder), "latest": found}


def pruning(context: DoctorContext) -> dict[str, Any]:
    """How long unshown hits are kept, and how many would go; `would_age` is at most one more than is counted."""
    days = settings.get_integer(context.db, "hits_days")
    before = retention.oldest_kept(context.db, context.now)
    would = context.db.execute(f"select count(*) from ({retention.AGED})", [before, WOULD_AGE_MOST + 1]).fetchone()[0]
    last = context.db.execute("select max(started_at) from runs where stage = 'retention'").fetchone()[0]
    return {"hits_days": days, "would_age": would, "counted_to": WOULD_AGE_MOST, "last": texts.ago(last, context.now)}


def facts(context: DoctorContext) -> dict[str, Any]:
    """What the file is."""
    wal = context.path.with_name(context.path.name + "-wal")
    pages, free, size = (context.db.execute(f"pragma {name}").fetchone()[0] for name in
                         ("page_count", "freelist_count", "page_size"))  # fmt: skip
    return {
        "path": str(context.path),
        "bytes": context.path.stat().st_size,
        "wal_bytes": wal.stat().st_size if wal.exists() else 0,
        "free_bytes": free * size,
        "pages": pages,
        "schema": SCHEMA_VERSION,
        "sqlite": sqlite3.sqlite_version,
    }


def changed(context: DoctorContext) -> list[dict[str, Any]]:
    """What was changed through the server lately, by whom."""
    return rows(context.db, AUDIT)


PARTS: dict[str, Callable[[DoctorContext], Any]] = {
    "jobs": jobs, "sources": sources, "retention": pruning, "audit": changed,
}  # fmt: skip
"""Parts of the page that the file alone tells, by name; cached while nobody writes to it, for a minute at most."""

AROUND: dict[str, Callable[[DoctorContext], Any]] = {"backup": copies, "file_facts": facts}
"""Parts that what stands around the file tells."""


def of_file(path: Path, db: sqlite3.Connection, now: datetime, word: str) -> dict[str, Any]:
    """The parts that the file alone tells; of hooks and recalls what happened in a period."""
    context, span = DoctorContext(path, db, now, ()), period(db, word, now)
    timed = {"period": span.as_dict(), "hooks": hooks(context, span), "recalls": weeks.recalls(db, span)}
    return timed | {name: part(context) for name, part in PARTS.items()}


def everything(db: sqlite3.Connection) -> dict[str, Any]:
    """What takes long: recalls of all weeks, and how much room each table takes (None where SQLite cannot tell)."""
    weekly = rows(db, "select * from recall_health order by week desc, recalls desc limit 40")
    try:
        sizes = rows(db, SIZES)
    except sqlite3.OperationalError:
        sizes = None
    return {"weeks": weekly, "sizes": sizes}
