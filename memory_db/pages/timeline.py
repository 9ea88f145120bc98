"""Memories over time: a streamgraph by kind, project or scope, and what is in the span, day by day.

In: a connection that reads, the fields of the page. Out: a plain dict for the template and for JSON. Invariants: a
memory stands at the day since which it holds (in UTC), once; what was taken out of use is not counted; what the bins
count and what the list holds is the same.
"""

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Mapping
from datetime import date
from itertools import groupby
from typing import Any
from urllib.parse import quote, urlencode

from memory_db.errors import InputError, NotFoundError
from memory_db.pages.ask import project_id
from memory_db.pages.cache import rows
from memory_db.pages.draw import colours, streamgraph
from memory_db.pages.forms import Fields, first
from memory_db.recall.explain.timeline import around
from memory_db.store.connection import id_list

PATH = "/-/memory/timeline"

LISTED = 50
"""Memories that a page lists. Source: ours; with their titles cut they take a fifth of the 150 kB a page may have."""

BY = {"kind": "m.kind", "project": "iif(m.scope = 'user', null, m.project_id)", "scope": "m.scope"}
"""What a layer of the streamgraph can be, and the column that says it."""

MOST_LAYERS = 12
"""Projects with a layer of their own; the others share one."""

OTHERS = "others"

TITLE_CHARACTERS = 160

END_OF_DAY = "T99"
"""Sorts after every time of a day, and before the day that follows."""

ENDS = """
select (select m.valid_from from memories m where {where} order by m.valid_from limit 1) as first,
    (select m.valid_from from memories m where {where} order by m.valid_from desc limit 1) as last
"""

COUNTS = """
select {column} as layer, count(*) as memories from memories m
where {where} and m.valid_from >= :bin_first and m.valid_from < :bin_after group by 1
"""
"""One bin: an index leads to its days, and few rows are to be sorted at a time."""

LIST = """
select m.id, m.uid, m.kind, m.scope, m.title, m.status, m.valid_from, m.valid_to, p.name as project
from memories m left join projects p on p.id = m.project_id where {where}
order by m.valid_from desc, m.id desc limit :limit offset :offset
"""

SAID_IN = """
select q.memory_id, min(q.id) as first_source, s.uid as session, e.uid as entry
from memory_sources q join entries e on e.id = q.entry_id join sessions s on s.id = e.session_id
where q.memory_id in ({ids}) group by q.memory_id
"""

LARGEST = """
select project_id, count(*) as memories from memories where project_id is not null and status <> 'retired'
group by project_id order by memories desc, project_id limit :most
"""

SESSIONS = """
select substr(began_at, 1, 10) as day, count(*) as happened from (
    select (select min(e.created_at) from entries e where e.session_id = s.id) as began_at
    from sessions s where :project is null or s.project_id = :project)
where began_at >= :first and began_at < :after group by 1
"""

MOST_SESSIONS = 1_000
"""Sessions whose beginnings are looked up; of more than these the picture shows none, since each is a look-up."""

COUNT_SESSIONS = "select count(*) from sessions s where :project is null or s.project_id = :project"

RECALLS = """
select substr(r.asked_at, 1, 10) as day, count(*) as happened from recalls r
where r.asked_at >= :first and r.asked_at < :after {project} group by 1
"""

SQL = """select substr(valid_from, 1, 7) as month, kind, count(*) as memories
from memories where status <> 'retired'
group by month, kind order by month desc, memories desc"""
"""The same question in SQL, as the page offers it."""


def timeline(db: sqlite3.Connection, fields: Fields) -> dict[str, Any]:
    """The streamgraph and the list, with fields `by`, `project`, `kind`, `scope`, `from`, `to` (days), `page`,
    `around`.

    Raises: InputError, NotFoundError.
    """
    asked = read_fields(db, fields)
    choices = {
        "by": list(BY),
        "projects": [row[0] for row in db.execute("select distinct name from projects order by name")],
        "kinds": [row[0] for row in db.execute("select name from kinds order by name")],
    }
    data: dict[str, Any] = {"asked": asked, "choices": choices, "around": [], "river": None, "sql": SQL}
    data["links"] = links(asked)
    if asked["around"]:
        data["around"] = [moment.as_dict() | {"href": moment_link(moment)} for moment in around(db, asked["around"])]
    where, values = condition(db, asked)
    ends = db.execute(ENDS.format(where=where), values).fetchone()
    if ends["first"] is None:
        return data | {"count": 0, "days": [], "page": 1, "pages": 1, "is_empty": is_empty(db)}
    count, streamgraph = drawn(db, asked, where, values, day_of(ends["first"]), day_of(ends["last"]))
    pages = max(1, -(-count // LISTED))
    page = page_of(first(fields, "page") or "1", pages)
    found = listed(db, where, values, page)
    days = [
        {"day": day, "memories": list(each)} for day, each in groupby(found, key=lambda row: row["valid_from"][:10])
    ]
    turning = {
        name: link(asked, page=str(number))
        for name, number in (("newer", page - 1), ("older", page + 1))
        if 1 <= number <= pages
    }
    return data | {
        "river": streamgraph, "count": count, "days": days, "page": page, "pages": pages, "turning": turning,
        "is_empty": False,
    }  # fmt: skip


def read_fields(db: sqlite3.Connection, fields: Fields) -> dict[str, str]:
    """The fields as given, checked. Raises: InputError, NotFoundError."""
    asked = {name: first(fields, name) for name in ("by", "project", "kind", "scope", "from", "to", "around")}
    asked["by"] = asked["by"] or "kind"
    if asked["by"] not in BY:
        raise InputError(f"The timeline cannot be split by {asked['by'][:40]!r}. Take one of {', '.join(BY)}.")
    if asked["scope"] and asked["scope"] not in colours.SCOPES:
        raise InputError(f"No scope {asked['scope'][:40]!r}. There are: project, user.")
    if asked["kind"] and not db.execute("select 1 from kinds where name = ?", [asked["kind"]]).fetchone():
        raise NotFoundError(f"No kind {asked['kind'][:40]!r}. The table kinds lists them.")
    span = [read_day(asked[name], name) for name in ("from", "to")]
    if span[0] and span[1] and span[0] > span[1]:
        raise InputError(f"The span from {span[0]} to {span[1]} is empty. Give a later end, or an earlier start.")
    return asked


def read_day(text: str, name: str) -> date | None:
    """A day of the form, None where none is given. Raises: InputError."""
    try:
        return date.fromisoformat(text) if text else None
    except ValueError as error:
        raise InputError(f"{name} {text[:40]!r} is no day. Write it as 2026-03-01.") from error


def after(day: date) -> str:
    """What every stored time of a day, and of none that follows, comes before."""
    return day.isoformat() + END_OF_DAY


def day_of(text: str) -> date:
    """The day of a stored time."""
    return date.fromisoformat(text[:10])


def page_of(text: str, pages: int) -> int:
    """The page that is asked for, from 1. Raises: InputError."""
    if not text.isascii() or not text.isdigit() or len(text) > 9 or not 1 <= int(text) <= pages:
        raise InputError(f"No page {text[:20]!r}. The list has pages 1 to {pages}.")
    return int(text)


def condition(db: sqlite3.Connection, asked: Mapping[str, str]) -> tuple[str, dict[str, object]]:
    """Which memories are meant, as SQL with its values. Raises: NotFoundError."""
    parts, values = ["m.status <> 'retired'"], dict[str, object]()
    if asked["project"]:
        parts.append("m.scope = 'project' and m.project_id = :project")
        values["project"] = project_id(db, asked["project"])
    for name in ("kind", "scope"):
        if asked[name]:
            parts.append(f"m.{name} = :{name}")
            values[name] = asked[name]
    if asked["from"]:
        parts.append("m.valid_from >= :first")
        values["first"] = read_day(asked["from"], "from").isoformat()  # type: ignore[union-attr]
    if asked["to"]:
        parts.append("m.valid_from < :after")
        values["after"] = read_day(asked["to"], "to").isoformat() + END_OF_DAY  # type: ignore[union-attr]
    return " and ".join(parts), values


def is_empty(db: sqlite3.Connection) -> bool:
    """Whether the file has no memory at all."""
    return db.execute("select 1 from memories limit 1").fetchone() is None


def drawn(
    db: sqlite3.Connection, asked: Mapping[str, str], where: str, values: dict[str, object], start: date, end: date
) -> tuple[int, dict[str, Any]]:
    """How many memories there are in all, and the streamgraph of them with its legend, bins and ticks."""
    start, end = read_day(asked["from"], "from") or start, read_day(asked["to"], "to") or end
    step, bins = streamgraph.bins_between(start, end)
    sql = COUNTS.format(where=where, column=BY[asked["by"]])
    by_bin: list[Counter[Any]] = [
        Counter(dict(db.execute(sql, {**values, "bin_first": each.first.isoformat(), "bin_after": after(each.last)})
            .fetchall())) for each in bins
    ]  # fmt: skip
    layers = layers_of(db, asked["by"], sum(by_bin, Counter()))
    keys = [layer["key"] for layer in layers]
    counts = [[sum(each[one] for one in layer["of"]) for layer in layers] for each in by_bin]
    for layer, path in zip(layers, streamgraph.paths(counts), strict=True):
        layer |= {"path": path, "href": layer_link(asked, layer)}
        del layer["of"]
    ticks = happened(db, values.get("project"), bins)
    total = sum(map(sum, counts))
    return total, {
        "step": step, "width": len(bins) * streamgraph.BIN_WIDTH, "bin_width": streamgraph.BIN_WIDTH,
        "height": streamgraph.HEIGHT,
        "first": start.isoformat(), "last": end.isoformat(), "layers": layers, "labels": axis(bins),
        "widest": max(map(sum, counts)), "most": {name: max(each, default=0) for name, each in ticks.items()},
        "bins": [
            {
                "first": each.first.isoformat(), "last": each.last.isoformat(), "label": each.label, "total": sum(row),
                "x": place * streamgraph.BIN_WIDTH,
                "counts": {key: count for key, count in zip(keys, row, strict=True) if count},
                "sessions": ticks["sessions"][place], "recalls": ticks["recalls"][place],
                "href": link(asked, **{"from": max(start, each.first), "to": min(end, each.last)}),
                "sessions_href": f"/-/memory/sessions?from={each.first.isoformat()}&to={each.last.isoformat()}",
            }
            for place, (each, row) in enumerate(zip(bins, counts, strict=True))
        ],
    }  # fmt: skip


def place_of(day: date, bins: list[streamgraph.Bin]) -> int:
    """Which bin a day is in; what lies outside counts for the nearest."""
    low, high = 0, len(bins) - 1
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if day <= bins[middle].last else (middle + 1, high)
    return low


def layers_of(db: sqlite3.Connection, by: str, totals: Counter[Any]) -> list[dict[str, Any]]:
    """The layers from top to bottom: key, label, colour, count, and the values of the column that they are `of`."""
    if by == "project":
        return project_layers(db, totals)
    known = {"kind": colours.KINDS, "scope": colours.SCOPES}[by]
    labels = {"project": "of one project", "user": "in every project"} if by == "scope" else {}
    keys = [*(key for key in known if totals[key]), *sorted(set(totals) - set(known))]
    return [
        {
            "key": key, "label": labels.get(key, key), "colour": known.get(key, colours.OTHERS), "count": totals[key],
            "of": [key],
        }
        for key in keys
    ]  # fmt: skip


def project_layers(db: sqlite3.Connection, totals: Counter[Any]) -> list[dict[str, Any]]:
    """The projects with the most memories by the order of their ids, then the others together, then the user's."""
    largest = [row["project_id"] for row in db.execute(LARGEST, {"most": len(colours.PROJECTS)})]
    paint = colours.of_projects(largest)
    names = dict(db.execute("select id, name from projects").fetchall())
    own = sorted(each for each, _ in totals.most_common(MOST_LAYERS) if each is not None)
    rest = [each for each in totals if each is not None and each not in own]
    found = [
        {
            "key": f"project-{each}", "label": names.get(each, f"project {each}"), "project": names.get(each),
            "colour": paint.get(each, colours.OTHERS), "count": totals[each], "of": [each],
        }
        for each in own
    ]  # fmt: skip
    for key, label, colour, of in (
        (OTHERS, f"{len(rest)} more projects", colours.OTHERS, rest),
        ("user", "every project", colours.EVERYWHERE, [None] if None in totals else []),
    ):
        if of:
            count = sum(totals[each] for each in of)
            found.append({"key": key, "label": label, "colour": colour, "count": count, "of": of})
    return found


def happened(db: sqlite3.Connection, project: object, bins: list[streamgraph.Bin]) -> dict[str, list[int]]:
    """How many sessions began and how many recalls were asked in each bin; no sessions where they are too many."""
    values = {
        "first": bins[0].first.isoformat(), "after": after(bins[-1].last), "project": project,
    }  # fmt: skip
    narrowed = "and r.project_id = :project" if project is not None else ""
    has_few = db.execute(COUNT_SESSIONS, {"project": project}).fetchone()[0] <= MOST_SESSIONS
    found: dict[str, list[int]] = {}
    for name, sql in (("sessions", SESSIONS if has_few else ""), ("recalls", RECALLS.format(project=narrowed))):
        found[name] = [0] * len(bins)
        for row in db.execute(sql, values) if sql else ():
            found[name][place_of(day_of(row["day"]), bins)] += row["happened"]
    return found


AXIS_LABELS = 7


def axis(bins: list[streamgraph.Bin]) -> list[dict[str, Any]]:
    """Labels under the streamgraph: text, and its place as a share of the width, in the middle of its bin."""
    apart = max(1, -(-len(bins) // AXIS_LABELS))
    return [
        {"label": bins[place].label, "share": round((place + 0.5) / len(bins), 4)}
        for place in range(apart // 2, len(bins), apart)
    ]


def listed(db: sqlite3.Connection, where: str, values: dict[str, object], page: int) -> list[dict[str, Any]]:
    """The memories of one page of the list, newest first, each with the session that it comes from."""
    found = rows(db, LIST.format(where=where), {**values, "limit": LISTED, "offset": (page - 1) * LISTED})
    said_in = {row["memory_id"]: row for row in db.execute(SAID_IN.format(ids=id_list(row["id"] for row in found)))}
    for row in found:
        source = said_in.get(row.pop("id"))
        row |= {
            "title": row["title"][:TITLE_CHARACTERS], "colour": colours.of_kind(row["kind"]),
            "session": source["session"] if source else None, "entry": source["entry"] if source else None,
        }  # fmt: skip
    return found


def link(asked: Mapping[str, str], **changes: object) -> str:
    """The page with other values of some fields; an empty value leaves a field out."""
    wanted = {**asked, **changes}
    fields = {name: str(value) for name, value in wanted.items() if value and (name, value) != ("by", "kind")}
    return PATH + (f"?{urlencode(fields)}" if fields else "")


def links(asked: Mapping[str, str]) -> dict[str, str]:
    """The page split by something else, without what stands around something, and as JSON."""
    as_json = link(asked).replace(PATH, f"{PATH}.json", 1)
    return {**{by: link(asked, by=by) for by in BY}, "without_around": link(asked, around=""), "json": as_json}


def layer_link(asked: Mapping[str, str], layer: Mapping[str, Any]) -> str | None:
    """Where a layer of the legend leads: to itself alone, or back to all where it is alone already."""
    by = asked["by"]
    value = layer.get("project") if by == "project" else layer["key"]
    return link(asked, **{by: "" if asked[by] == value else value}) if value else None


def moment_link(moment: Any) -> str:
    """The page of what stands around something in time."""
    if moment.sort in ("memory", "change"):
        return f"/-/memory/memories/{quote(moment.uid, safe='')}"
    if moment.sort == "session":
        return f"/-/memory/sessions/{quote(moment.uid, safe='')}"
    return link(defaultdict(str), around=moment.uid)
