"""What the home page tells: what is known and how it changed, how recalls do, what it costs, what wants a person.

In: the file's path, a moment. Out: plain dicts, the same for the template and for JSON.
Invariants: every number is a row or a view of the file; nothing here reads all entries, hits or texts, so that the
page is as fast for a large file as for a small one; a list is short and says where the whole one is.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from memory_db.models import savings
from memory_db.pages import corrections as all_corrections
from memory_db.pages import periods, weeks
from memory_db.pages.ask import suggestions
from memory_db.pages.cache import cached, pooled, rows
from memory_db.pages.corrections import GIVEN, HEADING, MOST_ON_HOME
from memory_db.pages.draw import colours
from memory_db.pages.draw import filters as texts
from memory_db.pages.forms import Fields
from memory_db.pages.lists.recalls import latest_recalls
from memory_db.pages.review.queue import review_summary
from memory_db.recall.brief import spool
from memory_db.sample import file as samples
from memory_db.store.periods import Period
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
    (select count(*) from memories where status = 'active') as memories,
    (select count(*) from memories where status = 'superseded') as superseded,
    (select count(*) from memories where status = 'retired') as retired,
    (select count(*) from recalls) as recalls,
    (select count(*) from source_problems) as problems
"""

KINDS = """
select kind as name, count(*) as memories from memories where status = 'active' group by kind order by 2 desc, 1
"""

DESCRIPTIONS = "select name, description from kinds"

PROJECTS = """
select p.id, s.sessions, coalesce(m.memories, 0) as memories, s.last_at
from projects p left join (
    select project_id, count(*) as memories from memories where status = 'active' group by project_id
) m on m.project_id = p.id
left join (
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

NOWHERE = "select count(*) from memories where status = 'active' and project_id is null"

NEWEST = f"""
select said_at, changed_at, what, uid, kind, project, title, text, changed_by, change_reason from ({weeks.SAID})
where what in ('added', 'corrected', 'superseded', 'retired', 'restored', 'reworded')
    and said_at >= :since and said_at < :until_now
order by said_at desc, memory_id desc limit :most
"""

STALE = "select count(distinct memory_id) as memories from stale_memories where why <> 'contradicted'"
"""How many memories may hold no longer; those that another contradicts are counted as pairs."""

SLOW = {"kinds": KINDS, "projects": PROJECTS, "corrections": GIVEN.format(most=MOST_ON_HOME), "stale": STALE}
"""What reads much of a large file, and tells nothing else tomorrow."""

Rows = Mapping[str, list[dict[str, Any]]]

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

MOST_NEWEST, MOST_RECALLS = 8, 5

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

    def kept(name: str, make: Callable[[sqlite3.Connection], T], *of: object) -> T:
        return cached(path, ("home", name, *of), make, by_table=True)

    span = weeks.known_period(path, word, now)
    slow = {name: kept(name, partial(rows, sql=sql)) for name, sql in SLOW.items()}
    recalled = kept("recalls", lambda db: weeks.recalls(db, span), span)
    changes = kept("changes", lambda db: weeks.changes(db, span), span)
    return {
        "period": span.as_dict(),
        "sample": samples.is_sample(db),
        "totals": kept("totals", lambda db: rows(db, TOTALS)[0]),
        "suggestions": suggestions(db, path),
        "known": known(db, now, slow),
        "changes": {**changes, "newest": newest(kept("newest", lambda db: newest_rows(db, span), span), now)},
        "corrections": corrections(db, now, slow),
        "sessions": latest_sessions(db, now),
        "recalls": {
            **recalled,
            "chart": chart(recalled["days"]),
            "latest": latest_recalls(db, now, limit=MOST_RECALLS, span=span, who="agents"),
        },
        "spending": {**kept("spending", lambda db: weeks.spending(db, span), span), "saved": saved(db)},
        "waiting": kept("waiting", review_summary, now.replace(second=0, microsecond=0)),
        "risks": risks(db, slow),
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


def known(db: sqlite3.Connection, now: datetime, slow: Rows) -> dict[str, Any]:
    """Memories by kind and by the project they come from; `nowhere` counts those that come from none."""
    kinds, meant = copies(slow["kinds"]), dict(map(tuple, db.execute(DESCRIPTIONS)))
    for kind in kinds:
        kind["description"] = meant.get(kind["name"], "")
        kind["colour"] = colours.of_kind(kind["name"])
    projects = copies(slow["projects"])
    for project in projects:
        project.update(db.execute(NAMED, [project["id"]]).fetchone())
        project["sessions"] = project["sessions"] or 0
        project["ago"] = texts.ago(project["last_at"], now)
    return {"kinds": kinds, "projects": projects, "nowhere": db.execute(NOWHERE).fetchone()[0]}


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


def newest_rows(db: sqlite3.Connection, span: Period) -> list[dict[str, Any]]:
    """The latest things that became of memories in the period, by when they were said, newest first."""
    return rows(db, NEWEST, {**weeks.bounds(span), "most": MOST_NEWEST})


def newest(found: list[dict[str, Any]], now: datetime) -> list[dict[str, Any]]:
    """The same with a heading for each, and how long ago it was."""
    return [
        {
            **{name: value for name, value in row.items() if name != "text"},
            "ago": texts.ago(row["said_at"], now),
            "heading": texts.heading(row["title"], row["text"]),
        }
        for row in found
    ]


def corrections(db: sqlite3.Connection, now: datetime, slow: Rows) -> dict[str, Any]:
    """The corrections given most often, with where each was given, and how many `different` there are."""
    return all_corrections.told(db, slow["corrections"], now)


def copies(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows to write into: those of the cache are not to be changed."""
    return [dict(row) for row in found]


def chart(days: list[dict[str, Any]]) -> dict[str, Any]:
    """The days as bars of a chart 100 high: for each its `shown` and `silent` height; `most` is what 100 stands for."""
    most = max((day["shown"] + day["silent"] for day in days), default=0)
    scale = 100 / most if most else 0.0
    bars = [{**day, "shown_height": round(day["shown"] * scale, 1), "silent_height": round(day["silent"] * scale, 1)}
            for day in days]  # fmt: skip
    return {"most": most, "bars": bars}


def risks(db: sqlite3.Connection, slow: Rows) -> dict[str, int]:
    """How much of each risk there is, also of none."""
    counts = {name: int(db.execute(sql).fetchone()[0]) for name, sql in RISKS.items()}
    return {**counts, "stale_memories": slow["stale"][0]["memories"]}


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
