"""One question under several profiles, side by side, and how each does over a query set.

In: a path and the fields as lists of text. Out: a dict for the template and for JSON. Invariants: the question is asked
once, or not at all where a recall logged it; every profile scores the same signals by `scoring.score`, and what is
passed over is passed over as in `brief.choose`. Nothing is logged. `measured` tells of many questions.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from memory_db.errors import InputError, ModelError, NotFoundError
from memory_db.evaluation import measuring
from memory_db.evaluation import query_sets as judging
from memory_db.evaluation.measuring import profile_name
from memory_db.hooks.background import start_worker
from memory_db.index.semantic import find_semantic
from memory_db.knowledge.suppressions import held_back
from memory_db.pages import ask, evaluations, measured, periods, recalls
from memory_db.pages.cache import pooled, rows
from memory_db.pages.draw import filters as texts
from memory_db.pages.draw import marks
from memory_db.pages.draw.filters import plural
from memory_db.pages.forms import Fields, changing, check_known, first, flag, note_dry_run
from memory_db.pages.kept.corpus import KeptCorpus
from memory_db.recall import scoring
from memory_db.recall.answer import hit_data
from memory_db.recall.brief import select as brief
from memory_db.recall.brief.placement import Placement, keep_all
from memory_db.recall.question_dates import with_window
from memory_db.recall.search import Profile, load_profile, recall
from memory_db.redact.clean import clean
from memory_db.sample import file as samples
from memory_db.store import settings
from memory_db.store.periods import period
from memory_db.store.presets import PRESETS
from memory_db.store.settings import user_zone

USUAL = ("default", "keyword_only", "memem", "memlayer", "claude_memory", "agentmemory")
"""Profiles that are compared unless others are named: ours, plain full text, and the formulas of other systems."""

OWN_PROFILES = 2
"""Profiles that were fitted or set by hand, the newest, which are compared besides the usual ones."""

MOST_PROFILES = 8
"""Profiles that fit side by side."""

MOST_PLACES = 20
"""Places that a side shows at most."""

KEPT = ("type", "uid", "heading", "kind", "project", "session_uid", "entry_id", "created_at", "age_days", "verdict")
"""What a side needs of a hit."""

SETS = """
select s.name, s.description, count(q.id) as questions
from query_sets s left join labelled_queries q on q.query_set_id = s.id group by s.id order by s.name
"""

SOURCES = """
select h.id as hit_id, q.entry_id from hits h
join memory_versions v on v.id = h.memory_version_id join memory_sources q on q.memory_id = v.memory_id
where h.recall_id = ? and q.entry_id is not null
"""


def compare(path: Path, fields: Fields, *, now: datetime, waits: bool = True) -> dict[str, Any]:
    """The compare page: what can be chosen, the sides of a question (`sides`), totals over a set (`totals`), and what
    would have changed in past briefs (`replay`), and what evaluations measured (`data_sets`).

    Fields: `profile` (several), and `recall` (number or uid) or `q` with what the explorer takes; `set`; `replay` (a
    period). Unless it `waits`, what takes long and is not kept is left to a job, or for a set to the field `measure`.
    Raises: InputError, NotFoundError, DatabaseFileError.
    """
    with pooled(path) as db:
        profiles = chosen(db, [name for name in fields.get("profile", ()) if name])
        data: dict[str, Any] = {
            "sample": samples.is_sample(db),
            "default_profile": settings.get_text(db, "default_profile"),
            "choices": {**ask.choices(db), "sets": rows(db, SETS)},
            "asked": {
                **ask.asked(db, fields),
                "profiles": [profile_name(each) for each in profiles],
                "recall": first(fields, "recall"),
                "set": first(fields, "set"),
                "replay": first(fields, "replay"),
                "period": periods.word_in(fields),
            },
            "profiles": [described(db, profile) for profile in profiles],
            "ticks": ticks(db, profiles),
            "sides": None,
            "totals": None,
            "replay": None,
            "data_sets": evaluations.data_sets(db),
        }
        if data["asked"]["recall"]:
            data["sides"] = sides_of_recall(db, data["asked"]["recall"], profiles)
            data["asked"]["q"] = data["sides"]["query"]
        elif data["asked"]["q"].strip():
            data["sides"] = sides_of_question(db, path, fields, profiles, now=now)
        if data["asked"]["set"]:
            waits_for_set = waits or bool(first(fields, "measure"))
            data["totals"] = measured.totals(db, path, data["asked"]["set"], profiles, waits=waits_for_set)
        elif not any(data["asked"][name] for name in ("recall", "q", "replay")):
            data["totals"] = of_largest_set(db, path, data["choices"]["sets"], profiles)
        if data["asked"]["replay"]:
            data["replay"] = measured.past(db, path, data["asked"]["replay"], profiles, now=now, waits=waits)
        return data


def of_largest_set(
    db: sqlite3.Connection, path: Path, sets: Sequence[Mapping[str, Any]], profiles: Sequence[Profile]
) -> dict[str, Any] | None:
    """What is kept of the profiles over the query set with most questions, for a page that is asked nothing; None of
    a file without questions."""
    largest = max((each for each in sets if each["questions"]), key=lambda each: each["questions"], default=None)
    if largest is None:
        return None
    return measured.totals(db, path, largest["name"], profiles, waits=False, measures=False)


def chosen(db: sqlite3.Connection, names: Sequence[str]) -> list[Profile]:
    """The profiles to compare, each once, in the order given; else the usual ones, and the newest of the user's own.

    Raises: InputError, NotFoundError.
    """
    known = [row[0] for row in db.execute("select name from newest_profiles order by id desc")]
    own = [name for name in known if name not in PRESETS][:OWN_PROFILES]
    wanted = dict.fromkeys(names or [*(name for name in USUAL if name in known), *reversed(own)])
    if len(wanted) > MOST_PROFILES:
        raise InputError(f"{len(wanted)} profiles do not fit side by side. Choose at most {MOST_PROFILES}.")
    return [load_profile(db, name) for name in wanted]


MEASURE_FIELDS = ("set", "replay", "profile", "dry_run")


def measure(path: Path, fields: Fields, *, now: datetime) -> dict[str, Any]:
    """Has a worker, which is started, measure profiles on the query set `set`, or replay the briefs of the period
    `replay`; with `dry_run` only says so.

    Raises: InputError, NotFoundError, DatabaseFileError.
    """
    check_known(fields, MEASURE_FIELDS)
    dry_run, name, word = flag(fields, "dry_run"), first(fields, "set"), first(fields, "replay")
    if bool(name) == bool(word):
        raise InputError("Measure what? Send a query set as `set`, or a period such as 7 as `replay`.")
    with changing(path, dry_run=dry_run) as db:
        profiles = chosen(db, [each for each in fields.get("profile", ()) if each])
        if name:
            judging.query_set(db, name)
            measuring.enqueue_totals(db, name, profiles, now=now)
        else:
            span = period(db, word, now)
            measuring.enqueue_replay(db, profiles, since=span.since, until=span.until, now=now)
    if not dry_run:
        start_worker(str(path))
    there = urlencode([("set", name)] if name else [("replay", word)])
    there += "".join("&" + urlencode([("profile", profile_name(each))]) for each in profiles)
    said = f"{plural(len(profiles), 'profile')} being measured" + (f" on {name}." if name else " on past briefs.")
    return {"ok": True, "profiles": [profile_name(each) for each in profiles], "dry_run": dry_run,
            "said": note_dry_run(said, dry_run), "there": f"/-/memory/compare?{there}"}  # fmt: skip


def ticks(db: sqlite3.Connection, profiles: Sequence[Profile]) -> list[dict[str, Any]]:
    """The boxes of the form: the newest version of each profile, and older ones that are compared."""
    compared = {profile.id for profile in profiles}
    newest = rows(db, "select id, name, version, description, leaves_out from newest_profiles order by id")
    older = compared - {row["id"] for row in newest}
    boxes = [row | {"value": row["name"], "label": row["name"], "ticked": row["id"] in compared} for row in newest]
    for profile in profiles:
        if profile.id in older:
            label = f"{profile.name} {profile.version}"
            boxes.append(
                {"value": profile_name(profile), "label": label, "description": "", "leaves_out": None, "ticked": True}
            )
    return boxes


def described(db: sqlite3.Connection, profile: Profile) -> dict[str, Any]:
    """A profile as the head of a side."""
    row = db.execute("select description, leaves_out from profiles where id = ?", [profile.id]).fetchone()
    return {
        "id": profile.id,
        "name": profile.name,
        "version": profile.version,
        "weights": dict(profile.weights),
        "threshold": profile.threshold,
        "description": row["description"],
        "leaves_out": row["leaves_out"],
    }


# ------------------------------------------------------------------------ sides


def sides_of_recall(db: sqlite3.Connection, key: str, profiles: Sequence[Profile]) -> dict[str, Any]:
    """A logged recall under every profile: nothing is asked again, so only its logged hits are ranked."""
    found = rows(db, recalls.RECALL, {"recall": key})
    if not found:
        raise NotFoundError(f"No recall {key[:80]!r}. The latest ones are listed at /-/memory/recalls.")
    logged = found[0]
    sources: dict[int, set[int]] = {}
    for row in db.execute(SOURCES, [logged["id"]]):
        sources.setdefault(row["hit_id"], set()).add(row["entry_id"])
    asked = {"recall": logged["id"], "most": recalls.MOST_RANKED}
    hits = [recalls.logged_hit(row, {}) for row in rows(db, recalls.HITS, asked)]
    for hit in hits:
        hit["sources"], hit["order"] = sources.get(hit["hit_id"], set()), (hit["position"],)
    shown_count = sum(hit["rank"] is not None for hit in hits)
    sides = sides_of(hits, profiles, limit=min(MOST_PLACES, max(10, shown_count)))
    marks.mark(db, sides["hits"], logged["query"], logged["project_id"])
    return finished(sides, query=logged["query"], recall_id=logged["id"], considered_count=logged["considered_count"])


def sides_of_question(
    db: sqlite3.Connection, path: Path, fields: Fields, profiles: Sequence[Profile], *, now: datetime
) -> dict[str, Any]:
    """A new question under every profile: asked once, with all signals of every hit considered."""
    question = ask.question_from(db, {**fields, "profile": [profile_name(profiles[0])]}, now)
    question = with_window(db, replace(question, query=clean(question.query)[0]), now, user_zone(db))
    found, corpus = find_semantic(db), KeptCorpus(db, path)
    reason = found.reason
    try:
        recalled = recall(db, question, now=now, semantic=found.index, corpus=corpus)
    except ModelError as error:
        reason = str(error)
        recalled = recall(db, question, now=now, corpus=corpus)
    barred = held_back(db, question.query, now)
    placed = [
        Placement(hit) for hit in recalled.hits if (hit.type, hit.memory_version_id or hit.entry_id or 0) not in barred
    ]
    brief.fill_in(db, placed)
    keep_all(db, recalled, placed)
    hits = [{**hit_data(hit)} for hit in placed]
    for data, hit in zip(hits, placed, strict=True):
        data["sources"] = hit.source_entry_ids
        data["order"] = (-hit.features.bm25, hit.type, hit.memory_version_id or hit.entry_id or 0)
    sides = sides_of(hits, profiles, limit=min(MOST_PLACES, question.limit))
    marks.mark(db, sides["hits"], question.query, question.project_id)
    semantic = {"model": recalled.semantic_model, "reason": reason}
    return finished(sides, query=question.query, recall_id=None, considered_count=len(hits), semantic=semantic)


def sides_of(hits: Sequence[dict[str, Any]], profiles: Sequence[Profile], *, limit: int) -> dict[str, Any]:
    """What each profile shows: `rows` by place with a cell for each profile, `hits` numbered as a reader meets them.

    `was` of a cell is the hit's place in the first profile.
    """
    scored = [[scoring.score(profile.weights, hit["signals"]) for hit in hits] for profile in profiles]
    columns = [shown(hits, scores, profile.threshold, limit) for scores, profile in zip(scored, profiles, strict=True)]
    numbers: dict[int, int] = {}
    rows = []
    for place in range(max(map(len, columns), default=0)):
        cells: list[dict[str, Any] | None] = []
        for scores, column in zip(scored, columns, strict=True):
            row = column[place] if place < len(column) else None
            if row is None:
                cells.append(None)
                continue
            number = numbers.setdefault(row, len(numbers) + 1)
            was = columns[0].index(row) + 1 if row in columns[0] else None
            cells.append({"hit": number, "score": scores[row], "was": was})
        rows.append({"place": place + 1, "cells": cells})
    met = []
    for row, number in numbers.items():
        hit = hits[row]
        hit["heading"] = texts.heading(hit["title"] if hit["type"] == "memory" else "", hit["text"])
        hit["number"] = number
        hit["places"] = [column.index(row) + 1 if row in column else None for column in columns]
        met.append(hit)
    return {"limit": limit, "rows": rows, "hits": met, "shown": [len(column) for column in columns]}


def shown(hits: Sequence[Mapping[str, Any]], scores: Sequence[float], threshold: float, limit: int) -> list[int]:
    """Which hits a profile shows, best first: not what says the same, and not the source of a shown memory."""
    picked: list[int] = []
    said: set[str] = set()
    sources: set[int] = set()
    for row in sorted(range(len(hits)), key=lambda row: (-scores[row], hits[row]["order"])):
        if len(picked) == limit or scores[row] < threshold:
            break
        text = " ".join(hits[row]["text"].casefold().split())
        if text in said or hits[row]["entry_id"] in sources:
            continue
        picked.append(row)
        said.add(text)
        sources.update(hits[row]["sources"])
    return picked


def finished(sides: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Sides with what only one profile shows, what is judged, and without what no side needs."""
    hits = []
    for hit in sides["hits"]:
        showing = [place for place, found in enumerate(hit["places"]) if found]
        is_only = len(showing) == 1 and len(hit["places"]) > 1
        named = {name: hit[name] for name in KEPT}
        hits.append(
            {"number": hit["number"], **named, "places": hit["places"], "only": showing[0] if is_only else None}
        )
    judged_relevant = [count_relevant(hits, side) for side in range(len(sides["shown"]))]
    known = sum(hit["verdict"] is not None for hit in hits)
    return {**more, **sides, "hits": hits, "judged": known, "relevant": judged_relevant}


def count_relevant(hits: Iterable[Mapping[str, Any]], side: int) -> int:
    """How many hits that were judged relevant a side shows."""
    return sum(bool(hit["places"][side] and hit["verdict"] and hit["verdict"]["relevance"]) for hit in hits)
