"""Sessions to browse: by words in them, project, branch, agent, date, length and cost.

In: a file, the fields of an address. Out: a plain dict for the template and for JSON. Invariants: counts are those of
the view `session_summaries`, costs those of `call_costs`; what stands in an address is all that was chosen; nothing is
written.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote
from zoneinfo import ZoneInfo

from memory_db.errors import InputError
from memory_db.pages.cache import cached, pooled, rows
from memory_db.pages.draw import filters as texts
from memory_db.pages.forms import Fields, check_known, first, flag
from memory_db.pages.lists.facets import (
    MOST_OFFSET,
    MOST_ROWS,
    ON_A_PAGE,
    Facet,
    Order,
    Row,
    address_of,
    choices_of,
    listed,
    narrow,
    order_of,
    turning,
    values_of,
    whole_of,
)
from memory_db.pages.lists.memories import Asked, project_names
from memory_db.recall.checkpoints import read_start
from memory_db.sample import file as samples
from memory_db.store.connection import id_list, tuples
from memory_db.store.dates import parse_utc, utc_text
from memory_db.store.money import NANOCENTS_PER_USD
from memory_db.store.periods import DAY, EARLIEST, WEEK, midnight
from memory_db.store.settings import user_zone
from memory_db.text.terms import match_term, query_terms
from memory_db.transcripts.projects import project_named

PATH = "/-/memory/sessions"

ALL = """
with said as materialized (
    select session_id, count(*) as entries, min(created_at) as started_at, max(created_at) as ended_at
    from entries group by session_id
),
asked as materialized (
    select session_id, count(*) as prompts from entries where kind = 'prompt' and is_sidechain = 0 group by session_id
),
failed as materialized (select session_id, count(*) as errors from actions where is_error = 1 group by session_id),
spent as materialized (
    select session_id, sum(cost_nanocents) as cost_nanocents,
        sum(input_tokens + output_tokens + cache_write_5m_tokens + cache_write_1h_tokens + cache_read_tokens) as tokens
    from call_costs group by session_id
)
select s.id, s.project_id, s.format, coalesce(s.git_branch, ''), s.parent_session_id is not null or s.agent is not null,
    coalesce(t.entries, 0), coalesce(a.prompts, 0), coalesce(t.started_at, ''), coalesce(t.ended_at, ''),
    coalesce(f.errors, 0), c.cost_nanocents, coalesce(c.tokens, 0)
from sessions s
left join said t on t.session_id = s.id
left join asked a on a.session_id = s.id
left join failed f on f.session_id = s.id
left join spent c on c.session_id = s.id
order by s.id
"""
"""Every session with what it is narrowed and ordered by; of one that goes on from another, what is its own."""

(ID, PROJECT, AGENT, BRANCH, SORT, ENTRIES, PROMPTS, STARTED, ENDED, ERRORS, COST, TOKENS, DATE, LENGTH, SPENT) = range(
    15
)
"""Places in a row."""

DATES = {"7": "last 7 days", "30": "7 to 30 days", "90": "30 to 90 days", "365": "90 days to a year", "older": "older"}
"""When it ended, up to so many days ago, from the number before it on: whole days in UTC with today, as a period."""

LENGTHS = {"0": "up to 20 entries", "20": "20 to 100 entries", "100": "100 to 500 entries", "500": "over 500 entries"}
"""Entries from a number up to the next."""

COSTS = {"0": "less than $0.10", "0.1": "$0.10 to $1", "1": "$1 to $5", "5": "$5 and more", "unknown": "not known"}
"""US dollars from a number up to the next."""

SORTS = {"main": "of an agent", "subagent": "of its subagents"}

FACETS = (
    Facet("project", "Project", PROJECT),
    Facet("agent", "Agent", AGENT),
    Facet("part", "Whose", SORT, SORTS, "main"),
    Facet("branch", "Branch", BRANCH),
    Facet("date", "Date", DATE, DATES),
    Facet("length", "Length", LENGTH, LENGTHS),
    Facet("cost", "Cost", SPENT, COSTS),
)

ORDERS: Mapping[str, Order] = {
    "newest": ("last ended first", lambda row: (row[ENDED], row[ID]), True),
    "oldest": ("first begun first", lambda row: (row[STARTED], row[ID]), False),
    "relevance": ("most entries with the words first", None, True),
    "longest": ("most entries first", lambda row: (row[ENTRIES], row[ID]), True),
    "prompts": ("most prompts first", lambda row: (row[PROMPTS], row[ID]), True),
    "cost": ("most expensive first", lambda row: (row[COST] or 0, row[TOKENS], row[ID]), True),
    "errors": ("most tool errors first", lambda row: (row[ERRORS], row[ID]), True),
}
"""Orders by name: what each is called, the key of a row, and whether the greatest comes first."""

HEADING = 160
"""Characters of a heading."""

MOST_FOUND = 20_000
"""Entries with the words that are looked at, the last ones: a common word is in most of them."""

FOUND = """
select e.session_id, count(*), max(e.id)
from (select rowid as id from entry_fts where entry_fts match ? order by rowid desc limit ?) f
join entries e on e.id = f.id group by e.session_id
"""

LAST_FOUND = "select id, uid from entries where id in ({ids})"

EXCERPTS = """
select rowid, snippet(entry_fts, 0, '', '', '…', 24) from entry_fts where entry_fts match ? and rowid in ({ids})
"""
"""Of the last entry of each listed session that has the words, what stands around them."""

TITLED = "select id from sessions where title like ? escape '\\' or uid = ?"

DAYS = ("from", "to")
"""The first and the last day of a period, both counted: sessions in which something was said on them."""

SHOWN_ROWS = """
select s.id, s.uid, s.title, p.name as project, s.format as agent, s.git_branch, f.uid as parent, o.outcome,
    o.reason as outcome_reason,
    (select substr(e.text, 1, 300) from session_entries se join entries e on e.id = se.entry_id
        where se.session_id = s.id and e.kind = 'prompt' order by se.position limit 1) as first_prompt,
    (select count(distinct q.memory_id) from entries e join memory_sources q on q.entry_id = e.id
        where e.session_id = s.id) as memories
from sessions s left join projects p on p.id = s.project_id left join sessions f on f.id = s.parent_session_id
left join session_outcomes o on o.session_id = s.id where s.id in ({ids})
"""

KNOWN_FIELDS = (*(each.name for each in FACETS), "q", *DAYS, "since", "before", "sort", "limit", "offset", "facets")


def sessions(path: Path, fields: Fields, *, now: datetime) -> dict[str, Any]:
    """A portion of the sessions that match, with facets and addresses; `total` counts all that match.

    Without the field `part` those of subagents are left out. Raises: InputError, NotFoundError, DatabaseFileError.
    """
    check_known(fields, KNOWN_FIELDS)
    limit, offset = whole_of(fields, "limit", ON_A_PAGE, MOST_ROWS), whole_of(fields, "offset", 0, MOST_OFFSET)
    every = known(path, now)
    with pooled(path) as db:
        asked = asked_of(db, fields)
        base, counts = considered(db, every, fields, asked.words, now)
        narrowed = narrow(base, FACETS, asked.chosen)
        ordered = in_order(narrowed.rows, asked.order, counts)
        found = shown_rows(db, ordered[offset : offset + limit], counts, asked.words)
        is_sample = samples.is_sample(db)
        today = now.astimezone(user_zone(db)).date()

    def address(**changes: object) -> str:
        return address_of(PATH, asked.kept, changes)

    is_counted = flag(fields, "facets", default=True)
    return {
        "total": len(ordered), "limit": limit, "offset": offset, "sessions": found, "is_empty": not every,
        "q": asked.words, "sort": asked.order, "days": {name: first(fields, name) for name in DAYS},
        "weeks": weeks(fields, today, address),
        "sums": {
            "entries": sum(row[ENTRIES] for row in ordered), "prompts": sum(row[PROMPTS] for row in ordered),
            "cost_nanocents": sum(row[COST] or 0 for row in ordered), "tokens": sum(row[TOKENS] for row in ordered),
        },
        "facets": listed(FACETS, narrowed.counts, asked.chosen, address) if is_counted else [],
        "sorts": [{"value": name, "label": label, "href": address(sort=name)} for name, (label, _, _) in ORDERS.items()
                  if name != "relevance" or asked.words],
        "kept": [(name, value) for name, values in asked.kept.items() if name not in ("q", "sort") for value in values],
        "further": [{"name": name, "value": value, "href": address(**{name: ()})} for name in (*DAYS, "since", "before")
                    for value in asked.kept.get(name, ())],
        "turning": turning(address, len(ordered), limit, offset), "here": address(), "all": PATH,
        "sample": is_sample,
    }  # fmt: skip


def weeks(fields: Fields, today: date, address: Callable[..., str]) -> list[dict[str, Any]]:
    """The calendar weeks that one can go to: the last one, and those before and after one that is shown."""
    mondays = {"last week": today - timedelta(days=today.weekday()) - WEEK}
    if shown := week_shown(fields, today):
        mondays["week before"] = shown - WEEK
        if shown + WEEK <= today:
            mondays["week after"] = shown + WEEK
    return [{"label": label, "is_shown": monday == shown, "href": address(**days_of_week(monday))}
            for label, monday in mondays.items()]  # fmt: skip


def days_of_week(monday: date) -> dict[str, str]:
    """The fields that ask for the days from a Monday to its Sunday."""
    return dict(zip(DAYS, (monday.isoformat(), (monday + WEEK - DAY).isoformat()), strict=True))


def week_shown(fields: Fields, today: date) -> date | None:
    """The Monday of the calendar week that is asked for; None where it is other days, or days to come."""
    try:
        monday = date.fromisoformat(first(fields, "from"))
    except ValueError:
        return None
    is_week = EARLIEST.date() < monday <= today and monday.weekday() == 0
    return monday if is_week and first(fields, "to") == days_of_week(monday)["to"] else None


def known(path: Path, now: datetime) -> list[Row]:
    """Every session, with the bands that it is in; kept until somebody writes or the day ends."""
    today = utc_text(now)[:10]
    return cached(path, ("sessions to browse", today), lambda db: read_all(db, now), by_table=True)


def read_all(db: sqlite3.Connection, now: datetime) -> list[Row]:
    """The same from a connection."""
    names = project_names(db)
    ended = midnight(now) + timedelta(days=1)
    starts = [(days, utc_text(ended - timedelta(days=int(days)))) for days in DATES if days.isdigit()]
    found: list[Row] = []
    for row in tuples(db, ALL, ()):
        date = next((days for days, start in starts if row[ENDED] >= start), "older")
        length = next(least for least in reversed(LENGTHS) if row[ENTRIES] >= int(least))
        part = "subagent" if row[SORT] else "main"
        head = (row[ID], names.get(row[PROJECT]), row[AGENT], row[BRANCH] or None, part)
        found.append((*head, *row[ENTRIES:], date, length, band_of(row[COST])))
    return found


def band_of(cost_nanocents: int | None) -> str:
    """The band of `COSTS` that a cost is in."""
    if cost_nanocents is None:
        return "unknown"
    dollars = cost_nanocents / NANOCENTS_PER_USD
    return next(least for least in reversed(COSTS) if least != "unknown" and dollars >= float(least))


def asked_of(db: sqlite3.Connection, fields: Fields) -> Asked:
    """What is asked. Raises: InputError, NotFoundError."""
    words = first(fields, "q").strip()
    order = order_of(fields, ORDERS, "newest")
    if order == "relevance" and not words:
        raise InputError("The order relevance needs words to search for. Give q, or another order.")
    chosen = choices_of(fields, FACETS)
    if chosen["project"]:
        names = project_names(db)
        chosen["project"] = [names[project_named(db, name)] for name in chosen["project"]]
    kept: dict[str, Sequence[str]] = {"q": [words] if words else [], **chosen}
    kept |= {name: values_of(fields, name) for name in ("part", *DAYS, "since", "before", "limit", "facets")}
    kept["sort"] = [order] if first(fields, "sort") else []
    return Asked(chosen, words, order, {name: values for name, values in kept.items() if values})


def considered(
    db: sqlite3.Connection, every: list[Row], fields: Fields, words: str, now: datetime
) -> tuple[list[Row], dict[int, tuple[int, int]]]:
    """The rows that facets narrow; for words, how many entries of each session have them all, and the last of these.

    Raises: InputError.
    """
    counts: dict[int, tuple[int, int]] = {}
    base = every
    if words:
        expression = matching(words)
        counts = {row[0]: (row[1], row[2]) for row in tuples(db, FOUND, [expression, MOST_FOUND])}
        like = "%" + "".join(f"\\{each}" if each in "\\%_" else each for each in words) + "%"
        for (number,) in tuples(db, TITLED, [like, words]):
            counts.setdefault(number, (0, 0))
        base = [row for row in base if row[ID] in counts]
    zone = user_zone(db)
    if first_day := first(fields, "from"):
        start = read_start(first_day, now=now, zone=zone)
        base = [row for row in base if row[ENDED] >= start]
    if last_day := first(fields, "to"):
        end = end_of_day(last_day, now, zone)
        base = [row for row in base if row[STARTED] < end]
    if since := first(fields, "since"):
        start = read_start(since, now=now, zone=zone)
        base = [row for row in base if row[ENDED] >= start]
    if before := first(fields, "before"):
        end = read_start(before, now=now, zone=zone)
        base = [row for row in base if row[STARTED] < end]
    return base, counts


def matching(words: str) -> str:
    """Words as full text is asked for all of them. Raises: QueryError."""
    return " AND ".join(map(match_term, query_terms(words)))


def end_of_day(text: str, now: datetime, zone: ZoneInfo) -> str:
    """The moment at which a day ends where somebody is. Raises: InputError."""
    start = parse_utc(read_start(text, now=now, zone=zone)).astimezone(zone).replace(tzinfo=None)
    return utc_text((start + timedelta(days=1)).replace(tzinfo=zone))


def in_order(found: list[Row], order: str, counts: Mapping[int, tuple[int, int]]) -> list[Row]:
    """The rows in that order."""
    _, key, is_falling = ORDERS[order]
    return sorted(found, key=key or (lambda row: (counts[row[ID]][0], row[ENDED])), reverse=is_falling)


def shown_rows(
    db: sqlite3.Connection, portion: Sequence[Row], counts: Mapping[int, tuple[int, int]], words: str
) -> list[dict[str, Any]]:
    """What a list says of each session of a portion, in its order; `found` is how many entries have the words,
    `excerpt` what stands around them in the last."""
    by_id = {row["id"]: row for row in rows(db, SHOWN_ROWS.format(ids=id_list(row[ID] for row in portion)))}
    ids = id_list(counts[row[ID]][1] for row in portion if row[ID] in counts)
    last = {row["id"]: row["uid"] for row in rows(db, LAST_FOUND.format(ids=ids))}
    excerpts = dict(tuples(db, EXCERPTS.format(ids=ids), [matching(words)])) if words else {}
    found = []
    for row in portion:
        session = by_id.get(row[ID])
        if session is None:  # somebody forgot it a moment ago
            continue
        number, entry = counts.get(row[ID], (0, 0))
        heading = texts.heading(session["title"] or "", session["first_prompt"] or "")
        found.append(session | {
            "heading": texts.shortened(heading, HEADING) if heading != "…" else "",
            "entries": row[ENTRIES], "prompts": row[PROMPTS], "errors": row[ERRORS],
            "started_at": row[STARTED] or None, "ended_at": row[ENDED] or None,
            "duration_ms": duration_ms(row[STARTED], row[ENDED]), "cost_nanocents": row[COST], "tokens": row[TOKENS],
            "found": number if words else None, "found_entry": last.get(entry),
            "excerpt": " ".join(excerpts.get(entry, "").split()) or None,
            "there": f"{PATH}/{quote(session['uid'], safe='')}.json",
        })  # fmt: skip
    return found


def duration_ms(started_at: str, ended_at: str) -> int | None:
    """From the first entry to the last."""
    if not started_at:
        return None
    return round((parse_utc(ended_at) - parse_utc(started_at)).total_seconds() * 1000)
