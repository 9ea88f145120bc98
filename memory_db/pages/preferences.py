"""How the user wants things done, in three tiers: explicit, from signals, inferred; each with what speaks for it.

In: a connection that reads, the fields of the page. Out: a plain dict for the template and for JSON. Invariants: which
tier a preference is in, and how surely it is believed, is what the views `memory_tiers` and `beliefs` say; a preference
that something contradicts says so.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any
from urllib.parse import quote, urlencode

from memory_db.errors import InputError
from memory_db.pages.ask import project_id
from memory_db.pages.cache import rows
from memory_db.pages.draw import colours
from memory_db.pages.draw import filters as texts
from memory_db.pages.forms import Fields, first
from memory_db.store.connection import id_list

PATH = "/-/memory/preferences"

SHOWN = 12
"""Preferences of a tier that the page of all tiers has. Source: ours; three tiers of them are read in a minute."""

LISTED = 40
"""The same where one tier is asked for, a page at a time."""

MOST_CONSIDERED = 1_000
"""The newest preferences, among which the page chooses: more nobody reads, and the page is as fast in a large file."""

TEXT_CHARACTERS = 500
QUOTE_CHARACTERS = 300
PORTRAIT_CHARACTERS = 6_000

TIERS = {
    "explicit": "What you confirmed, locked or added yourself. It has priority.",
    "signals": "What you said while you worked: corrections, wishes, rules. You have not confirmed it since.",
    "inferred": "What an agent, a model or a rule inferred. You never said it: check these first.",
}

SPEAKERS = {"user": "you", "tool": "you, when you rejected a tool", "assistant": "the agent"}
"""Who said a preference, by the role of its entry: what a user says against the use of a tool stands in its result."""

CHOSEN = """
with preferred as materialized (
    select m.id from memories m
    where m.status = 'active' and (m.kind in ('preference', 'correction', 'behaviour')
        or m.kind = 'convention' and m.scope = 'user') {narrowed}
    order by m.valid_from desc limit :considered
),
given as materialized (
    select e.memory_id, sum(e.kind <> 'confirmed') as times_given, max(e.created_at) as last_given_at
    from preferred p cross join evidence e on e.memory_id = p.id and e.withdrawn_at is null
        and +e.kind in ('stated', 'repeated', 'confirmed')
    group by e.memory_id
),
known as materialized (select t.memory_id, t.tier from preferred p join memory_tiers t on t.memory_id = p.id),
placed as (
    select t.memory_id, t.tier, coalesce(g.times_given, 0) as times_given, g.last_given_at,
        count(*) over (partition by t.tier) as in_tier,
        row_number() over (partition by t.tier
            order by coalesce(g.times_given, 0) desc, g.last_given_at desc, t.memory_id desc) as place
    from known t left join given g on g.memory_id = t.memory_id
)
select memory_id, tier, times_given, last_given_at, in_tier from placed
where :tier in ('', tier) and place > :before and place <= :before + :most order by place
"""

HOLDS_IN = "and (m.scope = 'user' or m.project_id = :project)"

MEMORIES = """
select m.id, m.uid, m.kind, m.title, m.text, m.scope, m.lock_level, m.created_at, p.name as project, b.confidence,
    b.evidence_for, b.evidence_against, b.times_used, t.reason,
    (select max(e.created_at) from evidence e where e.memory_id = m.id and e.kind = 'confirmed'
        and e.withdrawn_at is null) as confirmed_at
from memories m join beliefs b on b.memory_id = m.id join memory_tiers t on t.memory_id = m.id
left join projects p on p.id = m.project_id where m.id in ({ids})
"""

QUOTES = """
select q.memory_id, min(q.id) as first_source, q.quote, e.uid as entry, e.role, e.created_at as said_at,
    s.uid as session
from memory_sources q left join entries e on e.id = q.entry_id left join sessions s on s.id = e.session_id
where q.memory_id in ({ids}) group by q.memory_id
"""

CONTRADICTED = """
select c.memory_id, o.uid, o.title, c.reason, o.id as other_id from contradictions c
join memories o on o.id = c.other_memory_id and o.status = 'active'
where c.state = 'open' and c.memory_id in ({ids})
union all
select c.other_memory_id, o.uid, o.title, c.reason, o.id from contradictions c
join memories o on o.id = c.memory_id and o.status = 'active'
where c.state = 'open' and c.other_memory_id in ({ids})
"""

PORTRAITS = """
select r.id, r.kind, p.name as project, r.created_at, substr(r.text, 1, :most) as text,
    (select count(*) from portrait_sources s where s.portrait_id = r.id) as sources,
    (select count(*) from portrait_sources s join memory_versions v on v.id = s.memory_version_id
        where s.portrait_id = r.id and v.recorded_to is not null) as changed
from portraits r left join projects p on p.id = r.project_id
where r.id in (select max(id) from portraits group by kind, project_id)
    and (:everywhere or r.kind = 'user' or r.project_id = :project)
order by r.kind desc, r.id desc limit :shown
"""

MOST_PORTRAITS = 6


def preferences(db: sqlite3.Connection, fields: Fields, now: datetime) -> dict[str, Any]:
    """The preferences by tier, with fields `project` (what holds there), `tier` and `page` (of a tier).

    Raises: InputError, NotFoundError.
    """
    asked, project = asked_of(db, fields)
    most = LISTED if asked["tier"] else SHOWN
    page = page_of(first(fields, "page"), is_listed=bool(asked["tier"]))
    chosen = placed(db, asked["tier"], project, before=(page - 1) * most, most=most)
    by_tier: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in full(db, chosen, now):
        by_tier[row["tier"]].append(row)
    counts = {row["tier"]: row["in_tier"] for row in chosen}
    pages = -(-counts.get(asked["tier"], 0) // most) if asked["tier"] else 1
    if page > 1 and not chosen:
        raise InputError(f"There is no page {page} of tier {asked['tier']}. Begin with page 1.")
    turning = {
        name: link(asked, page=number)
        for name, number in (("before", page - 1), ("after", page + 1))
        if 1 <= number <= pages
    }
    return {
        "asked": asked,
        "projects": [row[0] for row in db.execute("select distinct name from projects order by name")],
        "tiers": [
            {
                "name": name, "meaning": meaning, "count": counts.get(name, 0), "preferences": by_tier[name],
                "href": link(asked, tier=name),
            }
            for name, meaning in TIERS.items() if asked["tier"] in ("", name)
        ],
        "count": sum(counts.values()),
        "considered": MOST_CONSIDERED,
        "contradicted": sum(bool(row["contradicted_by"]) for each in by_tier.values() for row in each),
        "portraits": portraits(db, project, is_everywhere=not asked["project"]),
        "page": page, "pages": pages, "turning": turning,
        "json": link(asked).replace(PATH, f"{PATH}.json", 1), "csv": link(asked).replace(PATH, f"{PATH}.csv", 1),
        "every_tier": link(asked, tier=""),
        "here": link(asked, page=page),
    }  # fmt: skip


def in_full(db: sqlite3.Connection, fields: Fields, now: datetime) -> list[dict[str, Any]]:
    """Those of all tiers or of the field `tier`, in their order, with all their words.

    Raises: InputError, NotFoundError.
    """
    asked, project = asked_of(db, fields)
    tiers = [asked["tier"]] if asked["tier"] else list(TIERS)
    chosen = [row for tier in tiers for row in placed(db, tier, project, before=0, most=MOST_CONSIDERED)]
    return full(db, chosen, now, most_characters=None)


def asked_of(db: sqlite3.Connection, fields: Fields) -> tuple[dict[str, str], int | None]:
    """The fields `project` and `tier`, and the project's id, if one is named. Raises: InputError, NotFoundError."""
    asked = {name: first(fields, name) for name in ("project", "tier")}
    if asked["tier"] and asked["tier"] not in TIERS:
        raise InputError(f"No tier {asked['tier'][:40]!r}. There are: {', '.join(TIERS)}.")
    return asked, project_id(db, asked["project"])


def placed(db: sqlite3.Connection, tier: str, project: int | None, *, before: int, most: int) -> list[dict[str, Any]]:
    """Which preferences of a tier, or of each, come after the first `before`, at most `most` of a tier."""
    narrowed = HOLDS_IN if project is not None else ""
    values = {"project": project, "tier": tier, "most": most, "before": before, "considered": MOST_CONSIDERED}
    return rows(db, CHOSEN.format(narrowed=narrowed), values)


def page_of(text: str, *, is_listed: bool) -> int:
    """The page that is asked for, from 1; all tiers together have one. Raises: InputError."""
    if not text:
        return 1
    if not text.isascii() or not text.isdigit() or len(text) > 9 or int(text) < 1:
        raise InputError(f"No page {text[:20]!r}. Pages begin with 1.")
    if int(text) > 1 and not is_listed:
        raise InputError("Pages belong to one tier. Name it: ?tier=signals&page=2.")
    return int(text)


def full(
    db: sqlite3.Connection,
    chosen: Iterable[Mapping[str, Any]],
    now: datetime,
    most_characters: int | None = TEXT_CHARACTERS,
) -> list[dict[str, Any]]:
    """The chosen preferences in their order, with belief, quote and what contradicts them."""
    chosen = list(chosen)
    ids = id_list(row["memory_id"] for row in chosen)
    found = {row["id"]: row for row in rows(db, MEMORIES.format(ids=ids))}
    quotes = {row["memory_id"]: row for row in rows(db, QUOTES.format(ids=ids))}
    opposed: defaultdict[int, list[dict[str, Any]]] = defaultdict(list)
    for row in rows(db, CONTRADICTED.format(ids=ids)):
        opposed[row["memory_id"]].append({"uid": row["uid"], "title": row["title"][:120], "reason": row["reason"]})
    shown = []
    for each in chosen:
        memory = found[each["memory_id"]]
        text = memory.pop("text")
        last = each["last_given_at"] or memory["created_at"]
        shown.append(memory | {
            "tier": each["tier"], "times_given": each["times_given"], "last_given_at": last,
            "last_given_ago": texts.ago(last, now), "text": text[:most_characters],
            "is_cut": len(text) > len(text[:most_characters]), "quote": quoted(quotes.get(memory["id"])),
            "contradicted_by": opposed[memory["id"]][:5], "colour": colours.of_kind(memory["kind"]),
            "href": f"/-/memory/memories/{quote(memory['uid'], safe='')}",
        })  # fmt: skip
    return shown


def quoted(row: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """The words that a preference comes from, and where they were said; None where nobody said them."""
    if row is None or not row["quote"]:
        return None
    href = ""
    if row["session"] and row["entry"]:
        entry = quote(row["entry"], safe="")
        href = f"/-/memory/sessions/{quote(row['session'], safe='')}?entry={entry}#entry-{entry}"
    said_by = SPEAKERS.get(row["role"], row["role"])
    return {"text": row["quote"][:QUOTE_CHARACTERS], "said_by": said_by, "said_at": row["said_at"], "href": href}


def portraits(db: sqlite3.Connection, project: int | None, *, is_everywhere: bool) -> list[dict[str, Any]]:
    """The documents made from memories: of the user, and of the project or of all."""
    values = {"project": project, "everywhere": is_everywhere, "most": PORTRAIT_CHARACTERS, "shown": MOST_PORTRAITS}
    return rows(db, PORTRAITS, values)


def link(asked: Mapping[str, str], **changes: object) -> str:
    """The page with other values of some fields."""
    fields = {
        name: str(value) for name, value in {**asked, **changes}.items() if value and (name, value) != ("page", 1)
    }
    return PATH + (f"?{urlencode(fields)}" if fields else "")
