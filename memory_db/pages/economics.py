"""What agents and memory cost, and what memory saved: the rows behind the economics page.

In: a file, a span of days and perhaps a project. Out: plain dicts, the same for the template and for JSON. Invariants:
every sum is that of `memory-db cost` and `memory-db model savings` for the same span; money is whole nanocents; what
briefs cost is a share of sessions and never added to them.
What is summed by whom: `models/totals.py` and `models/savings.py`; the views are in `store/views/` (cost, spending,
savings, feedback, extraction).
"""

from __future__ import annotations

import shlex
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from memory_db.errors import InputError
from memory_db.models import daily_budget as spending
from memory_db.models import savings, usage
from memory_db.models import totals as costs
from memory_db.models.savings import Saved
from memory_db.pages import periods
from memory_db.pages.cache import cached, pooled, rows
from memory_db.pages.draw import column_chart as columns
from memory_db.pages.draw import range_chart as ranges
from memory_db.pages.forms import Fields
from memory_db.pages.kept.recalls import prompts_on, saved_on, spent_on
from memory_db.pages.kept.wasted import waste, waste_on, wasted
from memory_db.pages.table_marks import Since
from memory_db.store.dates import normal_utc, utc_text
from memory_db.store.narrowed import narrowed
from memory_db.store.periods import ALL, BY_AGENTS, period
from memory_db.transcripts.project_names import project_name

T = TypeVar("T")

DAYS = {"7": 7, "30": 30, "90": 90, "all": None}
"""Days of the field `days`, which older links have; None for all there is."""

LISTED = 20
"""Rows of a list by project or model; the view has the others."""

FEW = 10
"""Rows of a list that is only the worst of something."""

DETAIL = ("project", "day", "model", "source", "part_of")

ANOMALIES = """
select level, subject, project, began_at, cost_nanocents, usual_nanocents, times_the_usual, compared_with
from cost_anomalies
where (:project is null or project = :project) and (:since is null or substr(began_at, 1, 10) >= :since)
    and (:until is null or substr(began_at, 1, 10) <= :until)
order by cost_nanocents desc, level, subject
"""

TITLE = "select title from memories where uid = ?"

PROMPTS = """
select prompt, version, model, runs, calls, failed_calls, input_tokens, output_tokens, cost_nanocents, candidates,
    kept, cost_nanocents_per_kept, times_shown, times_cited
from prompt_yield where model is not null
order by prompt, cast(version as integer) desc, version desc, model limit :most
"""

BY_MODELS = {
    "extraction_runs": "model is not null",
    "candidates": "extraction_run_id in (select id from main.extraction_runs where model is not null)",
}
"""What the yield of prompts rests on; of rules, which found most candidates, nothing is shown."""

OVERRUNS = """
select count(*) from brief_overruns
where recall_id > :after and (:project is null or project = :project) and (:since is null or asked_at >= :since)
    and (:until is null or asked_at < :until || '~')
"""

UNCOUNTED = """
select count(*) as compactions from uncounted_compactions
where (:project is null or project = :project) and (:since is null or substr(created_at, 1, 10) >= :since)
    and (:until is null or substr(created_at, 1, 10) <= :until)
"""


@dataclass(frozen=True, slots=True)
class Span:
    """The days that are looked at, both counted (None: no bound), the word that chose them, if one did, and a name.

    Of a calendar week there are the words of the one before and of the one after, if that has begun; where nothing
    happened in it, the week and the day of what happened last. `lasting_word` names the same days later too.
    """

    since: str | None
    until: str | None
    chosen: str
    name: str
    is_current: bool = True
    week_before: str | None = None
    week_after: str | None = None
    active_week: str | None = None
    active_week_name: str | None = None
    last_active_day: str | None = None
    lasting_word: str = ""


def economics(path: Path, fields: Fields, *, now: datetime) -> dict[str, Any]:
    """All of the page, from the query string; each part that takes long is kept until a table that it reads changes.

    Raises: InputError, NotFoundError, DatabaseFileError.
    """
    with pooled(path) as db:
        span = span_of(db, fields, now)
        wanted = one(fields, "project")
        project = project_name(db, wanted) if wanted else None
    minute = utc_text(now)[:16]
    return cached(path, ("economics", span, project, minute), lambda _: in_parts(path, span, project, now, minute))


def in_parts(path: Path, span: Span, project: str | None, now: datetime, minute: str) -> dict[str, Any]:
    """The same for a span and a project's name, or None for all; what rests on the time is of its `minute`.

    Raises: DatabaseFileError.
    """
    chosen = {"project": project, "since": span.since, "until": span.until}

    def kept(
        name: str,
        make: Callable[[sqlite3.Connection], T],
        *of: object,
        onward: Callable[[sqlite3.Connection, T, Since], T | None] | None = None,
    ) -> T:
        return cached(path, ("economics", name, *of), make, by_table=True, onward=onward)

    def more_overruns(db: sqlite3.Connection, before: int, since: Since) -> int | None:
        only_recalls = since.changed() == {"recalls"}
        return before + overruns(db, chosen, after=since.last("recalls")) if only_recalls else None

    odd = kept("anomalies", lambda db: rows(db, ANOMALIES, chosen), *chosen.values())
    marked = tuple(row["subject"] for row in odd if row["level"] == "day")
    return {
        "span": {"since": span.since, "until": span.until, "chosen": span.chosen, "name": span.name},
        "is_current": span.is_current,
        "week_before": span.week_before,
        "week_after": span.week_after,
        "active_week": span.active_week,
        "active_week_name": span.active_week_name,
        "last_active_day": span.last_active_day,
        "lasting_word": span.lasting_word,
        "project": project,
        **kept("spent", lambda db: spent(db, chosen, marked), *chosen.values(), marked,
               onward=partial(spent_on, chosen=chosen)),
        **kept("used", lambda db: used(db, chosen, now), *chosen.values(), minute),
        "savings": told(kept("savings", lambda db: savings.saved(db, **chosen), *chosen.values(),
                             onward=partial(saved_on, chosen=chosen))),
        "anomalies": odd[:FEW],
        "anomaly_count": len(odd),
        **wasted(kept("waste", partial(waste, chosen=chosen), *chosen.values(),
                      onward=partial(waste_on, chosen=chosen)), FEW, partial(title_of, path)),
        "prompts": kept("prompts", prompts, onward=prompts_on),
        "overruns": kept("overruns", lambda db: overruns(db, chosen), *chosen.values(), onward=more_overruns),
        **kept("counts", lambda db: counts(db, chosen, now), *chosen.values(), minute),
    }  # fmt: skip


# ------------------------------------------------------------------ what is asked


def span_of(db: sqlite3.Connection, fields: Fields, now: datetime) -> Span:
    """The span that the query string names: `period`, or `from` and `to`, or `days`.

    Raises: InputError.
    """
    since, until = day_of(fields, "from"), day_of(fields, "to")
    if since and until and until < since:
        raise InputError(f"The span ends on {until}, before it begins on {since}. Swap `from` and `to`.")
    if since or until:
        named = [since and f"from {since}", until and f"to {until}"]
        return Span(since, until, "", " ".join(each for each in named if each))
    if word := one(fields, "days"):
        if word not in DAYS:
            raise InputError(f"days={word[:40]!r} is no span here. Choose {', '.join(DAYS)}, or give `period`.")
        days = DAYS[word]
        first_day = None if days is None else utc_text(now - timedelta(days=days - 1))[:10]
        lasting = f"{first_day}..{utc_text(now)[:10]}" if first_day else ALL
        return Span(first_day, None, word, f"since {first_day}" if first_day else "all time", lasting_word=lasting)
    chosen = period(db, periods.word_in(fields), now)
    last = None if chosen.is_current else chosen.last_day
    return Span(
        chosen.first_day, last, chosen.word, chosen.name, chosen.is_current, chosen.week_before, chosen.week_after,
        chosen.active_week, chosen.active_week_name, chosen.last_active_day, chosen.lasting_word,
    )  # fmt: skip


def day_of(fields: Fields, name: str) -> str | None:
    """A day of the query string, or None. Raises: InputError."""
    text = one(fields, name)
    return normal_utc(text)[:10] if text else None


def one(fields: Fields, name: str) -> str:
    """The last value of a field, without blanks around it."""
    return (fields.get(name) or [""])[-1].strip()


# ----------------------------------------------------------------- what is shown


def spent(db: sqlite3.Connection, chosen: dict[str, str | None], marked: Iterable[str]) -> dict[str, Any]:
    """What agents and memory cost, by what a reader may ask for; `marked` are days that cost far more than usual."""
    project, since, until = chosen["project"], chosen["since"], chosen["until"]
    found = costs.sums(db, DETAIL, project=project, since=since, until=until)
    whole = [row for row in found if not row["part_of"]]
    by_day = costs.added(whole, ("day", "source"))
    by_model = sorted(costs.added(whole, ("model",)), key=dearest)
    by_project = sorted(costs.added(whole, ("project",)), key=dearest)
    return {
        "total": total(whole),
        "by_source": costs.added(whole, ("source",)),
        "shares": costs.added([row for row in found if row["part_of"]], ("part_of", "source")),
        "by_day": by_day,
        "by_project": by_project[:LISTED],
        "projects_left": max(0, len(by_project) - LISTED),
        "by_model": by_model[:LISTED],
        "models_left": max(0, len(by_model) - LISTED),
        "without_price": without_price(by_model),
        "chart": columns.chart(by_day, since, until, marked),
    }


def used(db: sqlite3.Connection, chosen: dict[str, str | None], now: datetime) -> dict[str, Any]:
    """What agents used by session, by five-hour block, by agent and model, and what the cache was worth."""
    sessions, blocks = usage.by_session(db, **chosen, most=FEW), usage.by_block(db, **chosen, now=now)
    return {
        "by_session": sessions,
        "session_count": sessions[0]["of"] if sessions else 0,
        "by_block": blocks[:FEW],
        "block_count": len(blocks),
        "by_agent": usage.by_agent(db, **chosen),
        "cache": usage.cache_worth(db, **chosen),
    }


def dearest(row: dict[str, Any]) -> tuple[int, int]:
    """What costs most first, then what was called most."""
    return (-(row["cost_nanocents"] or 0), -row["calls"])


def total(whole: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """All that adds up, with the share of what was read that came from a cache (None where nothing was read)."""
    found = costs.added(whole, ())
    if not found:
        return {}
    (row,) = found
    read = sum(row[name] for name in costs.TOKEN_COLUMNS if name != "output_tokens")
    return {**row, "read_tokens": read, "cache_share": row["cache_read_tokens"] / read if read else None}


def without_price(by_model: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Models of which calls have no known price, each with the command that gives it one."""
    return [
        {"model": row["model"], "calls": row["calls_without_price"],
         "command": f"memory-db model price set {shlex.quote(row['model'])} --input N --output N"}
        for row in by_model if row["calls_without_price"]
    ]  # fmt: skip


def told(found: Saved) -> dict[str, Any]:
    """What `memory-db model savings` tells, and what memory cost and saved on one scale."""
    data = savings.as_dict(found.ways, found.instead)
    return {**data, "chart": ranges.chart(cost_and_saved(data["ways"]))}


def cost_and_saved(ways: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """What memory cost, and what it saved against each other way that would have cost something, as ranges from what
    is read once to what is read again by later calls."""
    if not ways:
        return []
    first = ways[0]

    def row(name: str, sort: str, one: int, other: int) -> dict[str, Any]:
        return {"name": name, "sort": sort, "low_nanocents": min(one, other), "high_nanocents": max(one, other)}

    found = [
        row("briefs", "cost", -first["brief_nanocents"], -first["brief_with_rereads_nanocents"]),
        row("memory's model calls", "cost", -first["model_nanocents"], -first["model_nanocents"]),
    ]
    for way in ways:
        if not way["instead_nanocents"] and not way["instead_with_rereads_nanocents"]:
            continue
        name = f"against {way['counterfactual']}"
        found.append(row(name, "saved", way["net_nanocents"], way["net_with_rereads_nanocents"]))
    return found


def budget(db: sqlite3.Connection, now: datetime) -> dict[str, Any]:
    """What a day may cost (0: no limit is set), and what agents have cost today."""
    spent, unpriced = spending.spent_on(db, utc_text(now)[:10])
    return {
        "setting": spending.SETTING,
        "daily_nanocents": spending.daily_budget(db),
        "today_nanocents": spent,
        "today_without_price": unpriced,
        "line": spending.budget_line(db, now=now),
    }


def counts(db: sqlite3.Connection, chosen: dict[str, str | None], now: datetime) -> dict[str, Any]:
    """Whether any usage and any brief is known, the projects to choose from, the budget, and how many compactions are
    not counted."""
    return {
        "has_usage": bool(db.execute("select exists (select 1 from api_calls)").fetchone()[0]),
        "has_briefs": bool(db.execute(f"select exists (select 1 from recalls where {BY_AGENTS})").fetchone()[0]),
        "projects": [row["name"] for row in db.execute("select distinct name from projects order by name")],
        "budget": budget(db, now),
        "uncounted_compactions": rows(db, UNCOUNTED, chosen)[0]["compactions"],
    }


def overruns(db: sqlite3.Connection, chosen: dict[str, str | None], *, after: int = 0) -> int:
    """How many briefs were longer than they might be, of the recalls after one."""
    return int(db.execute(OVERRUNS, {**chosen, "after": after}).fetchone()[0])


def prompts(db: sqlite3.Connection) -> list[dict[str, Any]]:
    """What came of each version of a prompt with each model."""
    begin = narrowed(db, ("extraction_costs", "prompt_memories", "prompt_yield"), BY_MODELS)
    return rows(db, begin + PROMPTS, {"most": LISTED})


def title_of(path: Path, uid: str) -> str:
    """What a memory is called."""
    with pooled(path) as db:
        return str(db.execute(TITLE, [uid]).fetchone()[0])
