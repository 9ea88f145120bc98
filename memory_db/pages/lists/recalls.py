"""Recalls to browse: of a period or a session, of whom, by words, project, surface, and whether anything was shown.

In: a connection that reads, the fields of an address. Out: plain dicts, the same for the template, JSON and CSV.
Invariant: the numbers beside a choice count what it would list, with all else as it is chosen.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from memory_db.errors import InputError
from memory_db.pages import periods, weeks
from memory_db.pages.ask import project_id, whole
from memory_db.pages.cache import rows
from memory_db.pages.draw import filters as texts
from memory_db.pages.forms import Fields, first
from memory_db.store.periods import ALL as ALL_TIME
from memory_db.store.periods import BY_AGENTS, Period, period

RECALLS = """
select r.id, r.uid, r.query, r.surface, r.scope, r.abstained, r.considered_count, r.shown_tokens, r.asked_at,
    r.duration_ms, p.name as profile, p.version as profile_version, j.name as project,
    (select count(*) from hits h where h.recall_id = r.id and h.rank is not null) as shown,
    (select count(*) from query_sets s join labelled_queries q on q.query_set_id = s.id
        join judgements u on u.labelled_query_id = q.id
        where s.name = 'own' and q.query = r.query and q.project_id is r.project_id) as judged,
    (select s.uid from sessions s where s.id = r.session_id or s.uid = r.session_uid limit 1) as session_uid
from recalls r
join profiles p on p.id = r.profile_id
left join projects j on j.id = r.project_id
where {which} order by r.id desc limit :limit offset :offset
"""

OF_SESSION = "(r.session_uid = :session or r.session_id = (select id from sessions where uid = :session))"

WHO = {"agents": BY_AGENTS, "people": f"not ({BY_AGENTS})", "all": "true"}
"""Whose recalls are listed: those of agents, those that people asked from a page or a shell, all."""

OUTCOMES = {"shown": "not r.abstained", "silent": "r.abstained"}
"""What came of a recall, by the word of the field `outcome`."""

IN_PERIOD = "r.asked_at >= :since and r.asked_at < :until_now"
"""People ask of an old history too: theirs count up to now."""

COUNTED = """
select {agents} as is_by_agent, count(*) as recalls from recalls r where {which} group by 1
"""

SURFACES = "select distinct surface from recalls order by surface"

PROJECTS = """
select name from projects p where exists (select 1 from recalls r where r.project_id = p.id) order by name
"""

SHOWN_TOO = "(instr(lower(r.query), {word}) or instr(lower(coalesce(r.shown_text, '')), {word}))"
"""Whether a word is in the question, or in what was shown."""

SKIPPED = """
select reason, count(*) as prompts from hook_runs
where hook = 'user-prompt' and outcome = 'skipped' and {which} group by reason order by prompts desc, reason
"""

UNHOOKED = """
select count(*) from sessions s where s.parent_session_id is null and s.agent is null
    and exists (select 1 from entries e where e.session_id = s.id and e.created_at >= :since and e.created_at < :until)
    and not exists (select 1 from hook_runs h where h.session_uid = s.uid)
"""
"""Sessions of a period in which no hook ran, so that there is no recall of them."""

OF_HOOKED_SESSION = "session_uid = :session"

WHEN_HOOKED = "started_at >= :since and started_at < :until"

LISTED = 100
"""How many recalls a page of the list has."""

ALL = -1
"""A limit that is none, in SQL."""

MOST_WORDS = 10


def latest_recalls(
    db: sqlite3.Connection, now: datetime, *, limit: int, span: Period | None = None, who: str = "all"
) -> list[dict[str, Any]]:
    """The latest recalls, newest first: of a period, of whom `WHO` says."""
    which = [IN_PERIOD if span else "true", WHO[who]]
    return found(db, now, which, {"limit": limit, "offset": 0, **(weeks.bounds(span) if span else {})})


def found(
    db: sqlite3.Connection, now: datetime, which: Sequence[str], values: Mapping[str, object]
) -> list[dict[str, Any]]:
    """The recalls that all conditions hold for, newest first."""
    listing = rows(db, RECALLS.format(which=" and ".join(which)), values)
    for row in listing:
        row["ago"] = texts.ago(row["asked_at"], now)
    return listing


def listed(db: sqlite3.Connection, fields: Fields, now: datetime, *, most: int = LISTED) -> dict[str, Any]:
    """A page of the recalls of the field `period`, of whom the field `who` says: those of agents unless it is `people`
    or `all`; field `session` has the uid of a session, to see all of its own alone.

    Fields `q` (words of the question or of what was shown), `project`, `surface` and `outcome` narrow both; `page` is
    from 1. Raises: InputError, NotFoundError.
    """
    asked = asked_of(db, fields)
    span = None if asked["session"] else period(db, periods.word_in(fields), now)
    which, values = narrowed(db, asked)
    if span:
        which, values = [*which, IN_PERIOD], values | weeks.bounds(span)
    counts = counted(db, which, values)
    page = whole(first(fields, "page") or "1", "page", 10**9 - 1)
    pages = max(1, -(-counts[asked["who"]] // LISTED))
    if page > pages:
        raise InputError(f"There is no page {page} of these recalls. The last one is {pages}.")
    window = {"limit": most, "offset": 0 if most == ALL else (page - 1) * LISTED}
    return {
        "recalls": found(db, now, [*which, WHO[asked["who"]]], values | window),
        "asked": asked,
        "session": asked["session"],
        "who": asked["who"],
        "period": span.as_dict() if span else None,
        "counts": counts if span else None,
        "choices": {"surface": column(db, SURFACES), "project": column(db, PROJECTS), "outcome": list(OUTCOMES)},
        "skipped": skipped(db, asked, values) if asked["who"] != "people" else [],
        "unhooked": unhooked(db, asked, span),
        "total": counts[asked["who"]],
        "page": page,
        "pages": pages,
    }


def skipped(db: sqlite3.Connection, asked: Mapping[str, str], values: Mapping[str, object]) -> list[dict[str, Any]]:
    """The prompts of the session or the period for which a hook asked nothing, by reason; none where the list is
    narrowed, for they have no words and no project."""
    if is_narrowed(asked):
        return []
    return rows(db, SKIPPED.format(which=OF_HOOKED_SESSION if asked["session"] else WHEN_HOOKED), values)


def unhooked(db: sqlite3.Connection, asked: Mapping[str, str], span: Period | None) -> int:
    """How many sessions of a period had no hook, which is why they have no recall; 0 where the list is narrowed, of
    people or of all there is."""
    if span is None or span.word == ALL_TIME or asked["who"] == "people" or is_narrowed(asked):
        return 0
    return int(db.execute(UNHOOKED, weeks.bounds(span)).fetchone()[0])


def is_narrowed(asked: Mapping[str, str]) -> bool:
    """Whether words or a choice narrow the list."""
    return any(asked[name] for name in ("q", "project", "surface", "outcome"))


def asked_of(db: sqlite3.Connection, fields: Fields) -> dict[str, str]:
    """What narrows the list, checked; of a session the recalls of all are meant. Raises: InputError."""
    asked = {name: first(fields, name).strip() for name in ("q", "project", "surface", "outcome", "session", "who")}
    asked["who"] = "all" if asked["session"] else asked["who"] or "agents"
    if asked["who"] not in WHO:
        raise InputError(f"who={asked['who'][:40]!r} is nobody here. Choose {', '.join(WHO)}.")
    if asked["outcome"] and asked["outcome"] not in OUTCOMES:
        raise InputError(f"No outcome {asked['outcome'][:40]!r}. There are: {', '.join(OUTCOMES)}.")
    return asked


def narrowed(db: sqlite3.Connection, asked: Mapping[str, str]) -> tuple[list[str], dict[str, object]]:
    """The conditions of what is asked but for whose and when, and the values in them.

    Raises: InputError, NotFoundError.
    """
    which, values = ["true"], dict[str, object](asked)
    if asked["session"]:
        which.append(OF_SESSION)
    if asked["project"]:
        which.append("r.project_id = :project")
        values["project"] = project_id(db, asked["project"])
    if asked["surface"]:
        which.append("r.surface = :surface")
    if asked["outcome"]:
        which.append(OUTCOMES[asked["outcome"]])
    for number, word in enumerate(asked["q"].lower().split()[:MOST_WORDS]):
        which.append(SHOWN_TOO.format(word=f":word{number}"))
        values[f"word{number}"] = word
    return which, values


def counted(db: sqlite3.Connection, which: Sequence[str], values: Mapping[str, object]) -> dict[str, int]:
    """How many recalls the conditions hold for, by `WHO`."""
    sql = COUNTED.format(agents=BY_AGENTS, which=" and ".join(which))
    by = {bool(row["is_by_agent"]): int(row["recalls"]) for row in db.execute(sql, values)}
    agents, people = by.get(True, 0), by.get(False, 0)
    return {"agents": agents, "people": people, "all": agents + people}


def column(db: sqlite3.Connection, sql: str) -> list[str]:
    """The first column of a query."""
    return [row[0] for row in db.execute(sql)]
