"""What the home page tells: what is known and how it changed, how recalls do, what it costs, what wants a person.

In: the file's path, a moment. Out: plain dicts, the same for the template and for JSON.
Invariants: every number is a row or a view of the file; nothing here reads all entries, hits or texts, so that the
page is as fast for a large file as for a small one; a list is short and says where the whole one is.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from memory_db.models import savings
from memory_db.pages import corrections as all_corrections
from memory_db.pages import periods, weeks
from memory_db.pages.ask import suggestions
from memory_db.pages.cache import cached, pooled, rows
from memory_db.pages.corrections import HEADING, MOST_ON_HOME
from memory_db.pages.draw import colours
from memory_db.pages.draw import filters as texts
from memory_db.pages.forms import Fields
from memory_db.pages.kept.stale import stale_memories
from memory_db.pages.lists.recalls import latest_recalls
from memory_db.pages.review.queue import review_summary
from memory_db.pages.table_marks import Since
from memory_db.recall.brief import spool
from memory_db.sample import file as samples
from memory_db.upkeep import history
from memory_db.upkeep.doctor import QUICK
from memory_db.upkeep.doctor_report import STATUS, DoctorContext, look

T = TypeVar("T")

TOTALS = """
select (select count(*) from projects) as projects,
    (select count(*) from sessions where parent_session_id is null and agent is null) as sessions,
    (select count(*) from sessions where parent_session_id is not null or agent is not null) as subagent_sessions,
    (select count(*) from entries) as entries,
    (select count(*) from candidates) as candidates,
    (select count(*) from recalls) as recalls,
    (select count(*) from source_problems) as problems
"""

MEMORIES = """
select project_id, kind, status, count(*) as memories from memories group by project_id, kind, status
"""

DESCRIPTIONS = "select name, description from kinds"

PROJECTS = """
select p.id, coalesce(s.sessions, 0) as sessions, s.last_at
from projects p left join (
    select s.project_id, sum(s.parent_session_id is null and s.agent is null) as sessions,
        max((select max(e.created_at) from entries e where e.session_id = s.id)) as last_at
    from sessions s group by s.project_id
) s on s.project_id = p.id
order by s.last_at desc nulls last, p.name limit 8
"""
"""The projects that were worked in last; subagents' sessions are not counted, as the list of sessions has it."""

NAMED = "select name, canonical_path from projects where id = ?"

SESSIONS = f"""
select s.uid, p.name as project, {HEADING}
from (select * from sessions where parent_session_id is null and agent is null order by id desc limit 40) s
left join projects p on p.id = s.project_id order by last_at desc nulls last limit 3
"""
"""The latest sessions, of those that were read last."""

Rows = list[dict[str, Any]]

BRIEFS = "select count(*) from (select 1 from recalls where shown_tokens > 0 limit ?)"

MOST_BRIEFS = 100
"""Up to so many briefs the page sums up what memory saved: the views take some milliseconds for each."""

RUNS = """
select r.stage, r.started_at, r.duration_ms, r.error
from runs r where r.id in (select max(id) from runs group by stage) order by r.started_at desc
"""

RISKS = {
    "at_risk_transcripts": "select count(*) from at_risk_transcripts",
    "dead_jobs": "select count(*) from jobs where state = 'dead'",
    "conflicts": "select count(*) from conflicts where state = 'open'",
    "unreadable_sources": "select count(*) from sources where state = 'unreadable'",
}
"""What may go wrong while nobody looks, by the view or table that lists it."""

MOST_RECALLS = 5

TOTAL_OF = {"memories": "active", "superseded": "superseded", "retired": "retired"}
"""By the name of a total the status that it counts."""

FIRST_QUESTIONS = (
    "what_did_i_correct_most", "which_errors_keep_coming_back", "what_was_known_but_not_shown", "is_memory_obeyed",
    "what_do_i_prefer", "which_memories_are_junk",
)  # fmt: skip
"""Canned queries that the page shows first; the others are behind one click."""


def home(path: Path, fields: Fields, now: datetime) -> dict[str, Any]:
    """Everything that the home page shows, of the days that the field `period` chooses.

    All is cached for a minute while nobody writes to the file, and what takes long until a table that it reads changes.
    Raises: InputError, DatabaseFileError.
    """
    word = periods.word_in(fields)
    key = ("home", word, now.replace(second=0, microsecond=0))
    data = cached(path, key, lambda db: of_file(db, path, now, word))
    with pooled(path) as db:
        doctor = verdict(db, path, now)
    return {**data, "doctor": doctor, "risks": {**data["risks"], "spool_lines": spool_lines(path)}}


def of_file(db: sqlite3.Connection, path: Path, now: datetime, word: str) -> dict[str, Any]:
    """What of the page the file and the time tell, of the period that a word names. Raises: InputError."""

    def kept(
        name: str,
        make: Callable[[sqlite3.Connection], T],
        *of: object,
        onward: Callable[[sqlite3.Connection, T, Since], T | None] | None = None,
    ) -> T:
        return cached(path, ("home", name, *of), make, by_table=True, onward=onward)

    span = weeks.known_period(path, word, now)
    counted = kept("memories", partial(rows, sql=MEMORIES))
    projects = kept("projects", partial(rows, sql=PROJECTS))
    given = all_corrections.most_given(path, MOST_ON_HOME)
    recalled = kept("recalls", lambda db: weeks.recalls(db, span), span, onward=partial(weeks.recalls_on, period=span))
    spent = kept("spending", partial(weeks.spending, period=span), span, onward=partial(weeks.spending_on, period=span))
    said = kept("changes", partial(weeks.said_in, period=span), span, onward=partial(weeks.said_on, period=span))
    changes = weeks.changes(db, said)
    return {
        "period": span.as_dict(),
        "sample": samples.is_sample(db),
        "totals": kept("totals", lambda db: rows(db, TOTALS)[0]) | memory_totals(counted),
        "suggestions": suggestions(db, path),
        "known": known(db, now, counted, projects),
        "changes": {**{name: changes[name] for name in ("counts", "total")}, "newest": newest(changes["latest"], now)},
        "corrections": all_corrections.told(db, given, now),
        "sessions": latest_sessions(db, now),
        "recalls": {
            **recalled,
            "chart": chart(recalled["days"]),
            "latest": latest_recalls(db, now, limit=MOST_RECALLS, span=span, who="agents"),
        },
        "spending": {**spent, "saved": saved(db)},
        "waiting": kept("waiting", review_summary, now.replace(second=0, microsecond=0)),
        "risks": {**risks(db), "stale_memories": len(stale_memories(path))},
        "fresh": fresh(db, now),
        "reading": reading(db),
        "first_questions": list(FIRST_QUESTIONS),
    }


def reading(db: sqlite3.Connection) -> dict[str, Any] | None:
    """How far a long history is read that a worker reads; None where none is."""
    so_far = history.progress_of(db)
    if so_far is None:
        return None
    return {
        "done_bytes": so_far.done_bytes,
        "total_bytes": so_far.total_bytes,
        "bytes_per_s": round(so_far.bytes_per_s),
        "left_s": so_far.left_s,
        "is_paused": so_far.is_paused,
    }


def verdict(db: sqlite3.Connection, path: Path, now: datetime) -> dict[str, Any]:
    """What the doctor finds at a glance: `status`, the lines that something should be done about, worst first, and how
    many `notes` there are besides."""
    report = look(DoctorContext(path, db, now, ()), QUICK)
    lines = [line for level in ("failure", "warning") for line in report.lines if line.level == level]
    return {
        "status": STATUS[report.verdict],
        "notes": sum(line.level == "note" for line in report.lines),
        "lines": [{"level": line.level, "what": line.what, "fix": line.fix} for line in lines],
        "looked_at": len(report.lines),
    }


def memory_totals(counted: Rows) -> dict[str, int]:
    """How many memories are in use, superseded and retired, of rows of `MEMORIES`."""
    found = sums_of(counted, "status")
    return {name: found[status] for name, status in TOTAL_OF.items()}


def sums_of(counted: Rows, name: str) -> Counter[Any]:
    """How many memories there are by one column of `MEMORIES`."""
    found: Counter[Any] = Counter()
    for row in counted:
        found[row[name]] += row["memories"]
    return found


def known(db: sqlite3.Connection, now: datetime, counted: Rows, latest: Rows) -> dict[str, Any]:
    """Memories in use by kind and by the project they come from; `nowhere` counts those that come from none."""
    active, meant = [row for row in counted if row["status"] == "active"], dict(map(tuple, db.execute(DESCRIPTIONS)))
    kinds = [
        {"name": name, "memories": count, "description": meant.get(name, ""), "colour": colours.of_kind(name)}
        for name, count in sorted(sums_of(active, "kind").items(), key=lambda each: (-each[1], each[0]))
    ]
    of_project = sums_of(active, "project_id")
    projects = [
        {**row, **dict(db.execute(NAMED, [row["id"]]).fetchone()), "memories": of_project[row["id"]],
         "ago": texts.ago(row["last_at"], now)}
        for row in latest
    ]  # fmt: skip
    return {"kinds": kinds, "projects": projects, "nowhere": of_project[None]}


def latest_sessions(db: sqlite3.Connection, now: datetime) -> list[dict[str, Any]]:
    """The sessions that went on last."""
    found = rows(db, SESSIONS)
    for row in found:
        row["ago"] = texts.ago(row["last_at"], now)
    return found


def saved(db: sqlite3.Connection) -> dict[str, int] | None:
    """The range of what memory saved, in nanocents; None where it is not known, or takes long to find out.

    The page on economics tells it for every file, and against what.
    """
    if db.execute(BRIEFS, [MOST_BRIEFS + 1]).fetchone()[0] > MOST_BRIEFS:
        return None
    found = savings.ways(db)
    if not found:
        return None
    low, high = savings.net_range(found)
    return {"low_nanocents": low, "high_nanocents": high}


def newest(found: list[dict[str, Any]], now: datetime) -> list[dict[str, Any]]:
    """The latest changes of memories, with a heading for each and how long ago it was."""
    return [
        {
            **{name: value for name, value in row.items() if name != "text"},
            "ago": texts.ago(row["said_at"], now),
            "heading": texts.heading(row["title"], row["text"]),
        }
        for row in found
    ]


def chart(days: list[dict[str, Any]]) -> dict[str, Any]:
    """The days as bars of a chart 100 high: for each its `shown` and `silent` height; `most` is what 100 stands for."""
    most = max((day["shown"] + day["silent"] for day in days), default=0)
    scale = 100 / most if most else 0.0
    bars = [{**day, "shown_height": round(day["shown"] * scale, 1), "silent_height": round(day["silent"] * scale, 1)}
            for day in days]  # fmt: skip
    return {"most": most, "bars": bars}


def risks(db: sqlite3.Connection) -> dict[str, int]:
    """How much of each risk there is, also of none."""
    return {name: int(db.execute(sql).fetchone()[0]) for name, sql in RISKS.items()}


def spool_lines(path: Path) -> int:
    """Lines of hooks that wait beside the file; those that cannot be read are told by the doctor."""
    try:
        return sum(left.read_bytes().count(b"\n") for left in spool.waiting(path))
    except OSError:
        return 0


def fresh(db: sqlite3.Connection, now: datetime) -> dict[str, Any]:
    """When each stage ran last, and how much of the sources is read."""
    runs = rows(db, RUNS)
    for run in runs:
        run["ago"] = texts.ago(run["started_at"], now)
    return {"runs": runs, "sources": rows(db, "select * from source_health order by format, state")}
