"""Memories to browse: by words, by what they are, how surely they are believed, how old they are and what came of them.

In: a file, the fields of an address. Out: a plain dict for the template and for JSON. Invariants: confidence, tier and
use are what the views `beliefs`, `memory_tiers` and `memory_usage` say; what stands in an address is all that was
chosen; nothing is written.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from heapq import nlargest, nsmallest
from operator import itemgetter
from pathlib import Path
from typing import Any
from urllib.parse import quote

from memory_db.errors import InputError, NotFoundError
from memory_db.pages.api.reading import LIST_FIELDS, conditions_of, wanted_memories
from memory_db.pages.cache import cached, pooled, rows
from memory_db.pages.draw import colours
from memory_db.pages.draw import filters as texts
from memory_db.pages.forms import Fields, check_known, first, flag
from memory_db.pages.lists.facets import (
    ANY,
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
from memory_db.pages.lists.shown import Showings, count_shown
from memory_db.pages.review.queue import done_of
from memory_db.pages.table_marks import Since
from memory_db.sample import file as samples
from memory_db.store.connection import id_list, tuples
from memory_db.store.dates import utc_text
from memory_db.text.terms import match_term, query_terms
from memory_db.transcripts.projects import project_named

PATH = "/-/memory/memories"

READ_ALL = """
with weighed as materialized (
    select memory_id, sum(weight_for) as weight_for, sum(weight_against) as weight_against, max(said) as said,
        sum(is_use) as times_used
    from evidence_weights where withdrawn_at is null{and_of_memory} group by memory_id
),
heard as materialized (
    select memory_id, entry_id, min(id) from memory_sources where true{and_of_memory} group by memory_id
)
select m.id, m.kind, m.project_id, m.scope, m.status, m.importance, m.created_at, m.valid_from, p.tier,
    (p.prior_alpha + coalesce(w.weight_for, 0)) / (p.prior_alpha + p.prior_beta + coalesce(w.weight_for, 0)
        + coalesce(w.weight_against, 0)) as confidence,
    0, coalesce(w.times_used, 0), {session}
from memories m
left join weighed w on w.memory_id = m.id
join priors p on p.kind = m.kind
    and p.said = iif(m.lock_level = 'user' or m.origin = 'user', 2, coalesce(w.said, 0))
left join heard h on h.memory_id = m.id
{entries}
where true{and_of_id}
order by m.id
"""
"""Every memory with what it is narrowed and ordered by but for how often it was shown: the views, read once for all
instead of once for each."""

WITH_SESSION = {"session": "e.session_id", "entries": "left join entries e on e.id = h.entry_id"}
WITHOUT_SESSION = {"session": "iif(h.entry_id is null, null, 0)", "entries": ""}
"""Which session a memory was said in; where all sessions are of one agent, it is enough to know that one was."""

(
    ID, KIND, PROJECT, SCOPE, STATUS, IMPORTANCE, CREATED, SINCE, TIER, CONFIDENCE, SHOWN, USED, AGENT, BAND, AGE, USE,
    IMPORTANCE_BAND,
) = range(17)  # fmt: skip
"""Places in a row."""

BANDS = {"0.9": ".90 and more", "0.7": ".70 to .90", "0.5": ".50 to .70", "0": "less than .50"}
"""Confidence from a number up to the one before it."""

AGES = {"7": "last 7 days", "30": "7 to 30 days", "90": "30 to 90 days", "365": "90 days to a year", "older": "older"}
"""Age up to so many days, from the number before it on."""

IMPORTANCES = {"5": "5, most", "4": "4", "3": "3, as usual", "2": "2", "1": "1, least"}

USES = {"used": "used or cited", "shown": "shown to agents, not used", "never": "never shown to an agent"}

TRUST = {"explicit": "you confirmed, locked or added it", "signals": "you said it", "inferred": "inferred"}

FACETS = (
    Facet("project", "Project", PROJECT),
    Facet("kind", "Kind", KIND),
    Facet("status", "Status", STATUS, {"active": "in use", "superseded": "replaced", "retired": "retired"}, "active"),
    Facet("scope", "Applies to", SCOPE, {"project": "its project", "user": "every project"}),
    Facet("confidence", "Confidence", BAND, BANDS),
    Facet("trust", "Trust", TIER, TRUST),
    Facet("use", "Use", USE, USES),
    Facet("age", "Age", AGE, AGES),
    Facet("importance", "Importance", IMPORTANCE_BAND, IMPORTANCES),
    Facet("agent", "Agent", AGENT),
)

ORDERS: Mapping[str, Order] = {
    "newest": ("last added first", itemgetter(CREATED, ID), True),
    "oldest": ("first added first", itemgetter(CREATED, ID), False),
    "relevance": ("best match first", None, False),
    "confidence": ("surest first", itemgetter(CONFIDENCE, ID), True),
    "unsure": ("least sure first", itemgetter(CONFIDENCE, ID), False),
    "shown": ("most often shown to agents first", itemgetter(SHOWN, ID), True),
    "used": ("most often used first", itemgetter(USED, SHOWN, ID), True),
    "importance": ("most important first", itemgetter(IMPORTANCE, CONFIDENCE, ID), True),
}
"""Orders by name: what each is called, the key of a row, and whether the greatest comes first."""

FOUND = """
select v.memory_id from memory_fts f join memory_versions v on v.id = f.rowid and v.recorded_to is null
where memory_fts match ? order by f.rank, v.memory_id
"""

FILTERED = "select m.id from memories m where {conditions}"

SHOWN_ROWS = """
select m.id, m.uid, m.title, m.text, m.kind, m.scope, p.name as project, m.status, m.lock_level, m.importance,
    m.origin, m.valid_from, m.created_at, m.updated_at,
    (select json_group_array(t.tag) from tags t where t.memory_id = m.id) as tags
from memories m left join projects p on p.id = m.project_id where m.id in ({ids})
"""

SORTED_WHOLE = 8
"""How many times more rows than are wanted are still sorted whole: picking the first ones takes longer then."""

FURTHER = ("tag", "origin", "locked", "stale", "since", "before")
"""Fields that narrow the list and are no facets."""

WHY_STALE = """
select uid, group_concat(reason, '; ') as reasons from stale_memories where why <> 'contradicted' group by uid
"""
"""What each memory is listed for where only those are asked for that may be out of date."""

KNOWN_FIELDS = (
    *LIST_FIELDS, "q", "confidence", "age", "importance", "use", "trust", "agent", "stale", "sort", "facets", "done",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Asked:
    """What an address asks of a list: values of facets as rows have them, words, the order, and what stands in it."""

    chosen: dict[str, list[str]]
    words: str
    order: str
    kept: dict[str, Sequence[str]]


def memories(path: Path, fields: Fields, *, now: datetime, usual: int = ON_A_PAGE) -> dict[str, Any]:
    """A portion of the memories that match, with facets and addresses; `usual` is how many where no limit is given.

    `total` counts all that match. With `facets=0` none are counted.
    Raises: InputError, NotFoundError, DatabaseFileError.
    """
    check_known(fields, KNOWN_FIELDS)
    limit, offset = whole_of(fields, "limit", usual, MOST_ROWS), whole_of(fields, "offset", 0, MOST_OFFSET)
    every = known(path, now)
    with pooled(path) as db:
        names = project_names(db)
        asked = asked_of(db, fields, names)
        base, places = considered(db, every, fields, asked, now)
        narrowed = narrow(base, FACETS, asked.chosen)
        total = len(narrowed.rows)
        found = shown_rows(db, in_order(narrowed.rows, asked.order, places, first=offset + limit)[offset:])
        if "stale" in asked.kept:
            reasons = dict(tuples(db, WHY_STALE, ()))
            found = [{**row, "why_stale": reasons.get(row["uid"], "")} for row in found]
        is_sample = samples.is_sample(db)
        choices = {"kinds": [row["name"] for row in db.execute("select name from kinds order by name")],
                   "projects": sorted(names.values())}  # fmt: skip
        done = done_of(db, fields)

    def address(**changes: object) -> str:
        return address_of(PATH, asked.kept, changes)

    is_counted = flag(fields, "facets", default=True)
    return {
        "total": total, "limit": limit, "offset": offset, "memories": found, "is_empty": not every,
        "q": asked.words, "sort": asked.order,
        "facets": listed(FACETS, narrowed.counts, asked.chosen, address) if is_counted else [],
        "sorts": [{"value": name, "label": label, "href": address(sort=name)} for name, (label, _, _) in ORDERS.items()
                  if name != "relevance" or asked.words],
        "kept": [(name, value) for name, values in asked.kept.items() if name not in ("q", "sort") for value in values],
        "further": [{"name": name, "value": value, "href": address(**{name: ()})} for name in FURTHER
                    for value in asked.kept.get(name, ())],
        "turning": turning(address, total, limit, offset), "here": address(), "all": PATH,
        "sample": is_sample, "choices": choices if is_counted else {}, "done": done,
    }  # fmt: skip


def known(path: Path, now: datetime) -> list[Row]:
    """Every memory, with the bands that it is in; kept until somebody writes or the day ends."""
    today = utc_text(now)[:10]
    make, onward = partial(read_all, now=now), partial(read_on, now=now)
    every = cached(path, ("memories to browse", today), make, by_table=True, onward=onward)
    before = WITH_TIMES.get(path)
    count_on = partial(count_shown, before=before.showings if before else None)
    showings = cached(path, ("times shown",), count_on, by_table=True)
    if before is None or before.every is not every or before.showings is not showings:
        before = WITH_TIMES[path] = Counted(every, showings, counted(every, showings, before))
    return before.rows


@dataclass(frozen=True, slots=True)
class Counted:
    """The list of a file with how often each memory was shown, and the two answers that it was made of."""

    every: list[Row]
    showings: Showings
    rows: list[Row]


WITH_TIMES: dict[Path, Counted] = {}


def counted(every: list[Row], showings: Showings, before: Counted | None) -> list[Row]:
    """Each memory's row with how often it was shown; what was so before is taken as it was."""
    is_same = before is not None and showings is before.showings
    if before is None or not (is_same or showings.counts_on(before.showings)):
        return [with_times(row, showings.times.get(row[ID], 0)) for row in every]
    added = {} if is_same else showings.added
    rows = [was if row is old and row[ID] not in added else with_times(row, showings.times.get(row[ID], 0))
            for row, old, was in zip(every, before.every, before.rows, strict=False)]  # fmt: skip
    return rows + [with_times(row, showings.times.get(row[ID], 0)) for row in every[len(rows) :]]


def read_on(db: sqlite3.Connection, every: list[Row], since: Since, *, now: datetime) -> list[Row] | None:
    """The same as `read_all`, where only some memories have to be read."""
    changed = since.memories(db)
    return None if changed is None else renewed(every, read_all(db, now, of=changed))


def renewed(every: list[Row], rows: list[Row]) -> list[Row]:
    """The list with these rows in the place of those of the same memories; new ones stand at its end."""
    new = {row[ID]: row for row in rows}
    found = [new.pop(row[ID], row) for row in every]
    return found + sorted(new.values(), key=itemgetter(ID))


def with_times(row: Row, times: int) -> Row:
    """A memory's row with how often it was shown."""
    use = "used" if row[USED] else "shown" if times else "never"
    return (*row[:SHOWN], times, *row[SHOWN + 1 : USE], use, *row[USE + 1 :])


def read_all(db: sqlite3.Connection, now: datetime, *, of: Iterable[int] | None = None) -> list[Row]:
    """The same from a connection, as if none had been shown; `of` some memories, or of all."""
    agents = dict(tuples(db, "select id, format from sessions", ()))
    formats = set(agents.values())
    if len(formats) == 1:
        agents = {0: formats.pop()}
    ids = None if of is None else id_list(of)
    some = {"and_of_memory": "", "and_of_id": ""} if ids is None else {
        "and_of_memory": f" and memory_id in ({ids})", "and_of_id": f" and m.id in ({ids})"}  # fmt: skip
    sql = READ_ALL.format(**(WITHOUT_SESSION if 0 in agents else WITH_SESSION), **some)
    names = project_names(db)
    starts = [(days, utc_text(now - timedelta(days=int(days)))) for days in AGES if days.isdigit()]
    found: list[Row] = []
    for row in tuples(db, sql, ()):
        age = next((days for days, start in starts if row[SINCE] >= start), "older")
        band = next(least for least in BANDS if row[CONFIDENCE] >= float(least))
        head = (*row[:PROJECT], names.get(row[PROJECT]), *row[PROJECT + 1 : AGENT])
        found.append((*head, agents.get(row[AGENT]), band, age, "", str(row[IMPORTANCE])))
    return found


def project_names(db: sqlite3.Connection) -> dict[int, str]:
    """What each project is called in an address: its name, or its path where several have that name."""
    found = db.execute("select id, name, canonical_path, count(*) over (partition by name) as alike from projects")
    return {row["id"]: row["name"] if row["alike"] == 1 else row["canonical_path"] for row in found}


def asked_of(db: sqlite3.Connection, fields: Fields, names: Mapping[int, str]) -> Asked:
    """What is asked. Raises: InputError, NotFoundError."""
    words = first(fields, "q").strip()
    order = order_of(fields, ORDERS, "relevance" if words else "newest")
    if order == "relevance" and not words:
        raise InputError("The order relevance needs words to search for. Give q, or another order.")
    chosen = choices_of(fields, FACETS)
    chosen["project"] = [names[project_named(db, name)] for name in chosen["project"]]
    check_kinds(db, chosen["kind"])
    kept: dict[str, Sequence[str]] = {"q": [words] if words else [], **chosen}
    kept |= {name: values_of(fields, name) for name in ("status", *FURTHER, "limit", "facets")}
    kept["sort"] = [order] if first(fields, "sort") else []
    return Asked(chosen, words, order, {name: values for name, values in kept.items() if values})


def check_kinds(db: sqlite3.Connection, kinds: Iterable[str]) -> None:
    """Raises: NotFoundError for a kind that there is not."""
    there = [row["name"] for row in db.execute("select name from kinds order by name")]
    for kind in kinds:
        if kind not in there:
            raise NotFoundError(f"No kind {kind[:80]!r}. There are: {', '.join(there)}.")


def considered(
    db: sqlite3.Connection, every: list[Row], fields: Fields, asked: Asked, now: datetime
) -> tuple[list[Row], dict[int, int]]:
    """The rows that facets narrow, and for words the place of each by how well it matches. Raises: InputError."""
    places: dict[int, int] = {}
    base = every
    if asked.words:
        expression = f"{{title text keys}} : ({' AND '.join(map(match_term, query_terms(asked.words)))})"
        places = {row[0]: place for place, row in enumerate(tuples(db, FOUND, [expression]))}
        if (named := db.execute("select id from memories where uid = ?", [asked.words]).fetchone()) is not None:
            places[named["id"]] = -1
        base = [row for row in base if row[ID] in places]
    wanted = wanted_memories(db, {"status": [ANY], **{name: fields.get(name, ()) for name in FURTHER}}, now=now)
    if wanted:
        ids = {row[0] for row in tuples(db, FILTERED.format(conditions=conditions_of(wanted)), wanted)}
        base = [row for row in base if row[ID] in ids]
    return base, places


def in_order(found: list[Row], order: str, places: Mapping[int, int], *, first: int | None = None) -> list[Row]:
    """The rows in that order, the `first` ones or all."""
    _, key, is_falling = ORDERS[order]
    by = key or (lambda row: places[row[ID]])
    if first is not None and SORTED_WHOLE * first < len(found):
        return nlargest(first, found, key=by) if is_falling else nsmallest(first, found, key=by)
    return sorted(found, key=by, reverse=is_falling)[:first]


def shown_rows(db: sqlite3.Connection, portion: Sequence[Row]) -> list[dict[str, Any]]:
    """What a list says of each memory of a portion, in its order."""
    by_id = {row["id"]: row for row in rows(db, SHOWN_ROWS.format(ids=id_list(row[ID] for row in portion)))}
    found = []
    for row in portion:
        memory = by_id.get(row[ID])
        if memory is None:  # somebody forgot it a moment ago
            continue
        memory["tags"] = sorted(json.loads(memory["tags"]))
        memory["heading"] = texts.heading(memory["title"], memory["text"])
        found.append(memory | {
            "confidence": round(row[CONFIDENCE], 3), "trust": row[TIER], "times_shown": row[SHOWN],
            "times_used": row[USED], "agent": row[AGENT], "colour": colours.of_kind(memory["kind"]),
            "there": f"{PATH}/{quote(memory['uid'], safe='')}.json",
        })  # fmt: skip
    return found


def matching_uids(path: Path, fields: Fields, *, now: datetime) -> list[str]:
    """The uids of all memories that an address lists, in its order. Raises: InputError, NotFoundError."""
    every = known(path, now)
    with pooled(path) as db:
        asked = asked_of(db, fields, project_names(db))
        base, places = considered(db, every, fields, asked, now)
        ordered = in_order(narrow(base, FACETS, asked.chosen).rows, asked.order, places)
        uids = dict(tuples(db, "select id, uid from memories", ()))
    return [uids[row[ID]] for row in ordered if row[ID] in uids]
