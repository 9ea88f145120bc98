"""What waits for a person, as a page shows it: counts, ages, and a page of items.

In: a connection that reads, the fields of a request. Out: plain dicts for the template and for JSON. Invariants: what
waits is what the view `review_queue` has; nothing is decided here.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from statistics import median
from typing import Any
from urllib.parse import urlencode

from memory_db.errors import NotFoundError
from memory_db.gate.review import batches as review_batches
from memory_db.pages.ask import whole
from memory_db.pages.cache import rows
from memory_db.pages.forms import Fields, first
from memory_db.pages.review.items import RESOLVED, all_resolved_in_words, cards, texts_of
from memory_db.sample import file as samples
from memory_db.store.dates import parse_utc

SORTS = {
    "contradiction": ("contradictions", "two memories that cannot both be true"),
    "duplicate": ("duplicates", "memories that say the same"),
    "proposal": ("proposals", "changes to what is known"),
    "candidate": ("candidates", "what the gate is not sure of"),
    "quarantined": ("quarantined", "texts that look like an attack"),
    "sighting": ("mentioned once", "becomes a memory by itself when you say it again; you can decide now"),
}
"""What waits, by sort: its name and what it is."""

SIGHTING = "sighting"
"""The sort of what waits for a second sighting, not for a person."""

ON_A_PAGE = 50

FILTERS = ("sort", "kind", "project", "age", "prompt", "run")
"""Fields that narrow what is listed."""

AGES = ((1, "today"), (7, "1 to 7 days"), (30, "7 to 30 days"), (90, "30 to 90 days"), (1e9, "over 90 days"))
"""Up to how many days, and what that is called."""

LISTED = """
select item, case when waits_for <> 'a person' then 'sighting' when sort = 'proposal' and kind = 'merge'
    then 'duplicate' else sort end as sort, kind, project, waiting_since, age_days, other_uid
from review_queue
"""

SUMMARY = f"""
select sort, count(*) as waiting, min(waiting_since) as oldest_since, max(age_days) as oldest_age_days
from ({LISTED}) group by sort order by sort
"""

ORIGINS = """
select 'c' || c.id as item, r.method || '@' || r.version as prompt, r.id as run
from decisions d join candidates c on c.id = d.candidate_id join extraction_runs r on r.id = c.extraction_run_id
where d.action in ('propose', 'quarantine')
    and not exists (select 1 from decisions l where l.candidate_id = d.candidate_id and l.id > d.id)
"""
"""Where the candidates that wait come from."""


def review_summary(db: sqlite3.Connection) -> dict[str, Any]:
    """How much waits for a person: `waiting`, `sorts` (each with its number and its oldest), `oldest_age_days`.

    `sightings` counts candidates that wait for a second sighting, which nobody needs to decide on.
    """
    found = rows(db, SUMMARY)
    sorts = [row for row in found if row["sort"] != SIGHTING]
    waiting = sum(row["waiting"] for row in sorts)
    return {
        "waiting": waiting,
        "sorts": sorts,
        "oldest_age_days": max((row["oldest_age_days"] for row in sorts), default=None),
        "sightings": sum(row["waiting"] for row in found) - waiting,
    }


def queue(db: sqlite3.Connection, fields: Fields, now: datetime) -> dict[str, Any]:
    """One page of what waits, with counts by sort, the age of the queue, what can be chosen, and what was decided.

    `waiting` is how many wait for a person, as on the home page; `sightings` are beside them, and listed where their
    sort is asked for. The field `item` opens the page on which that one stands.
    Raises: InputError, NotFoundError for a field that names what there is not.
    """
    waits = listed(db, now)
    sorts = sorts_of(waits)
    sightings = sum(each["waiting"] for each in sorts if each["sort"] == SIGHTING)
    chosen = chosen_of(fields)
    matching = narrowed(waits, chosen)
    pages = max(1, -(-len(matching) // ON_A_PAGE))
    asked = whole(first(fields, "page") or "1", "page", 10**9 - 1)
    page = page_of(matching, first(fields, "item")) or min(pages, asked)  # deciding makes pages fewer
    shown = matching[(page - 1) * ON_A_PAGE : page * ON_A_PAGE]
    return {
        "sample": samples.is_sample(db),
        "waiting": len(waits) - sightings,
        "sightings": sightings,
        "sorts": sorts,
        "age": age_of(narrowed(waits, chosen | {"age": ""})),
        "chosen": chosen,
        "choices": choices(narrowed(waits, {"sort": chosen["sort"]})),
        "matching": len(matching),
        "most_at_once": review_batches.MOST_ITEMS,
        "page": page,
        "pages": pages,
        "query": urlencode({name: value for name, value in chosen.items() if value}),
        "items": cards(db, shown),
        "lately": lately(db),
        "done": done_of(db, fields),
    }


def page_of(matching: Sequence[Mapping[str, Any]], item: str) -> int | None:
    """The page on which an item stands that a link names; None where it does not wait, or no longer."""
    places = (place for place, row in enumerate(matching) if row["item"] == item)
    place = next(places, None)
    return None if place is None else place // ON_A_PAGE + 1


def listed(db: sqlite3.Connection, now: datetime) -> list[dict[str, Any]]:
    """All that waits, in few words: a person's first, then the oldest; duplicates of one memory stand together.

    Each: item, sort (of `SORTS`), kind, project, waiting_since, age_days, other_uid, prompt, run; `together` is how
    many duplicates of the same memory wait.
    """
    origins = {row["item"]: row for row in rows(db, ORIGINS)}
    found = rows(db, LISTED)
    for row in found:
        origin = origins.get(row["item"], {})
        row["prompt"], row["run"] = origin.get("prompt"), origin.get("run")
        row["age_days"] = max(0.0, (now - parse_utc(row["waiting_since"])).total_seconds() / 86400)
    together = Counter(row["other_uid"] for row in found if row["sort"] == "duplicate")
    oldest: dict[str | None, str] = {}
    for row in found:
        row["together"] = together[row["other_uid"]] if row["sort"] == "duplicate" else 1
        if row["sort"] == "duplicate":
            since = oldest.get(row["other_uid"], row["waiting_since"])
            oldest[row["other_uid"]] = min(since, row["waiting_since"])

    def place(row: dict[str, Any]) -> tuple[object, ...]:
        is_duplicate = row["sort"] == "duplicate"
        since = oldest[row["other_uid"]] if is_duplicate else row["waiting_since"]
        return row["sort"] == SIGHTING, since, str(row["other_uid"]) if is_duplicate else "", row["item"]

    return sorted(found, key=place)


def in_full(db: sqlite3.Connection, fields: Fields, now: datetime) -> list[dict[str, Any]]:
    """What waits and matches the fields, all of it, with the columns of `review_queue` and where it comes from.

    Raises: InputError, NotFoundError.
    """
    told = {row["item"]: row for row in rows(db, "select * from review_queue")}
    return [told[row["item"]] | row for row in narrowed(listed(db, now), chosen_of(fields))]


def chosen_of(fields: Fields) -> dict[str, str]:
    """What is asked to be listed. Raises: InputError, NotFoundError."""
    chosen = {name: first(fields, name) for name in FILTERS}
    if chosen["sort"] and chosen["sort"] not in SORTS:
        raise NotFoundError(f"No type of item {chosen['sort'][:40]!r}. There are: {', '.join(SORTS)}.")
    for name, most in (("age", 100_000), ("run", 10**9)):
        if chosen[name]:
            chosen[name] = str(whole(chosen[name], name, most - 1))
    return chosen


def narrowed(waits: Iterable[dict[str, Any]], chosen: Mapping[str, str]) -> list[dict[str, Any]]:
    """The items that match what was chosen: of no sort named, what waits for a person; `age` is the least number of
    days."""
    least = float(chosen.get("age") or 0)
    exact = {name: value for name, value in chosen.items() if value and name != "age"}
    return [
        row
        for row in waits
        if row["age_days"] >= least
        and all(str(row[name]) == value for name, value in exact.items())
        and ("sort" in exact or row["sort"] != SIGHTING)
    ]


def items_of(db: sqlite3.Connection, fields: Fields, now: datetime) -> list[str]:
    """The items that a request means: those it names, or with the field `all` every one that its filters match.

    Raises: InputError, NotFoundError.
    """
    named = [item for name in ("item", "items") for item in fields.get(name, ()) if item]
    if first(fields, "all") and not named:
        return [row["item"] for row in narrowed(listed(db, now), chosen_of(fields))]
    return list(dict.fromkeys(named))


def sorts_of(waits: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each sort with how many wait and how long the oldest does; those of which none waits too."""
    counts = Counter(row["sort"] for row in waits)
    return [
        {"sort": sort, "name": name, "meaning": meaning, "waiting": counts[sort],
         "oldest_age_days": max((row["age_days"] for row in waits if row["sort"] == sort), default=None)}
        for sort, (name, meaning) in SORTS.items()
    ]  # fmt: skip


def age_of(waits: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The age of a queue in days: oldest, median, how many over 7 and over 30, and a bar of `AGES`."""
    ages = [row["age_days"] for row in waits]
    bar, start, below = [], 0.0, 0.0
    for colour, (most, name) in zip(("0", "1", "2", "3", "4"), AGES, strict=True):
        count = sum(below <= age < most for age in ages)
        width = 1000 * count / len(ages) if ages else 0.0
        bar.append({"name": name, "count": count, "x": round(start, 1), "width": round(width, 1), "shade": colour})
        start, below = start + width, most
    return {
        "count": len(ages),
        "oldest_days": max(ages, default=None),
        "median_days": median(ages) if ages else None,
        "over_7": sum(age >= 7 for age in ages),
        "over_30": sum(age >= 30 for age in ages),
        "bar": bar,
    }


def choices(waits: Sequence[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """What can be chosen of each filter, with how many wait there, the most first."""
    found = {}
    for name in ("kind", "project", "prompt", "run"):
        counts = Counter(row[name] for row in waits if row[name] is not None)
        found[name] = [{"value": str(value), "count": count} for value, count in counts.most_common(50)]
    return found


def lately(db: sqlite3.Connection) -> list[dict[str, Any]]:
    """What was decided last, with the first words of some of the items."""
    batches = review_batches.lately(db)
    decided = [(each["item"], each["did"]) for batch in batches for each in batch["items"][:3]]
    texts = texts_of(db, (item for item, _ in decided))
    resolved = all_resolved_in_words(db, [each for each in decided if each[1] in RESOLVED])
    for batch in batches:
        batch["count"] = batch["memories"] or len(batch["items"])
        batch["left"] = sum(not each["undone"] for each in batch["items"]) if batch["items"] else batch["memories"]
        batch["examples"] = [
            {
                "item": each["item"],
                "did": each["did"],
                "text": resolved.get((each["item"], each["did"])) or texts.get(each["item"], "(forgotten)"),
            }
            for each in batch["items"][:3]
        ]
    return batches


def done_of(db: sqlite3.Connection, fields: Fields) -> str:
    """The batch that was just decided, to be undone at once; empty where none was, or it is undone."""
    name = first(fields, "done")
    if not name:
        return ""
    number = whole(name, "done", 10**9 - 1)
    row = db.execute("select 1 from review_batches where id = ? and undone_at is null", [number]).fetchone()
    return str(number) if row else ""


__all__ = ["items_of", "queue", "review_summary"]
