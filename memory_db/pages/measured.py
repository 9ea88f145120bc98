"""What the compare page tells of many questions and many briefs: totals over a query set, and briefs of the past.

In: connections that read, profiles. Out: plain dicts. Invariants: the figures are those that `runs.figures_of_set` and
`replay.replay` give the command line, kept by a job or made here where a program waits; nothing is written.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from memory_db.errors import InputError
from memory_db.evaluation import measuring
from memory_db.evaluation import query_sets as judging
from memory_db.evaluation.contest import Options, contender
from memory_db.evaluation.measuring import Kept, profile_name
from memory_db.evaluation.replay import FIGURES, replay
from memory_db.evaluation.runs import figures_of_set
from memory_db.pages.cache import cached, rows
from memory_db.pages.draw import filters as texts
from memory_db.recall.search import Profile
from memory_db.store import settings
from memory_db.store.periods import Period, period

MOST_AT_ONCE = 20
"""Questions that a page measures before it is drawn; it is drawn first where there are more, and says what it does."""

MOST_QUESTIONS = 400
"""Questions of a set that a page waits for; a job and the command line take any number."""

TOTALS = ("recall@5", "recall@10", "mrr")
"""Metrics over a query set, as `outcomes.METRICS` has them."""

DIFFERENCE = "recall@10"
"""Metric by which the profiles are set off against the first one."""

FEWEST, FEW = 10, 50
"""Questions with an answer below which no verdict is given, and below which the page warns that they are few.

Source: ours; the first as for the sessions of a replay. Resampling few questions gives intervals that are too narrow.
"""

LISTED = 30
"""Changed briefs that the page lists of a profile, the newest."""

ANSWERABLE = """
select count(*) as questions, sum(exists (select 1 from judgements j where j.labelled_query_id = q.id and j.relevance))
    as answerable from labelled_queries q where q.query_set_id = ?
"""

ASKED = """
select r.uid, r.query, r.surface, j.name as project from recalls r left join projects j on j.id = r.project_id
where r.uid in (select value from json_each(?))
"""

MEMORIES = "select uid, title, text from memories where uid in (select value from json_each(?))"

ENTRIES = "select uid, '' as title, text from entries where uid in (select value from json_each(?))"

# ----------------------------------------------------------------------- totals


def totals(
    db: sqlite3.Connection, path: Path, name: str, profiles: Sequence[Profile], *, waits: bool, measures: bool = True
) -> dict[str, Any]:
    """How each profile does over a query set, with 95 % intervals, and how much better than the first it is.

    Kept by a job or by the command line, or cached; `is_current` is false of what was kept of an earlier state of the
    file, which is shown where nobody waits. Unless it `measures`, what is not kept is `pending`.
    Raises: NotFoundError, InputError for a set too large for a page.
    """
    counts = db.execute(ANSWERABLE, [judging.query_set(db, name)]).fetchone()
    count = counts["questions"]
    head = {"set": name, "questions": count, "metrics": list(TOTALS), "difference": DIFFERENCE, "pending": False,
            "progress": measuring.progress_of(db, measuring.of_set(name, profiles)), "measured_at": None,
            "is_current": True}  # fmt: skip
    kept = measuring.kept_totals(db, name, profiles)
    is_current = all(each.is_current for each in (kept or {}).values())
    makes_now = measures and (waits or count <= MOST_AT_ONCE)
    if kept and (is_current or not makes_now):
        head["is_current"] = is_current
        figures: Mapping[int, Mapping[str, Any]] = {key: each.figures for key, each in kept.items()}
        head["measured_at"] = min(each.measured_at for each in kept.values())
    elif not makes_now:
        return head | {"pending": True}
    elif count > MOST_QUESTIONS:
        raise InputError(
            f"The query set {name!r} has {count:,} questions, a page waits for {MOST_QUESTIONS}."
            f" Run `memory-db evaluate --own --set {name}` or notebook 06."
        )
    else:
        figures = measured_now(path, name, profiles)
    answerable = figures[profiles[0].id].get("queries", counts["answerable"] or 0)
    lines = [row_of_totals(profile, figures[profile.id]) for profile in profiles]
    names = [f"{profile.name} {profile.version}" for profile in profiles]
    for called, line in zip(names, lines, strict=True):
        line["verdict"] = verdict(called, line["difference"], against=names[0], of=answerable)
    if head["is_current"]:
        head["progress"] = None
    default = settings.get_text(db, "default_profile")
    return head | {"answerable": answerable, "profiles": lines, "in_short": in_short(lines, default),
                   "warning": few_questions(answerable)}  # fmt: skip


def in_short(lines: Sequence[Mapping[str, Any]], default: str) -> str:
    """Which profile to take, in a sentence: one that is better beyond chance, else the first; and whether the default
    is worse. Empty where too few questions tell."""
    found = [line for line in lines if line["verdict"]]
    if not found or any(line["verdict"]["what"] == "too few" for line in found):
        return ""
    first = quoted(lines[0], lines)
    better = [(line["difference"]["value"], quoted(line, lines)) for line in found if is_said(line, "better")]
    worse = [quoted(line, lines) for line in found if line["profile"] == default and is_said(line, "worse")]
    warning = f" In use now is {worse[0]}, which is worse than {first} beyond chance." if worse else ""
    if better:
        return f"The profile named {max(better)[1]} finds most, and is better than {first} beyond chance.{warning}"
    do = "Keep" if lines[0]["profile"] == default else "Take"
    return f"{do} the profile named {first}: no other is better beyond chance.{warning}"


def is_said(line: Mapping[str, Any], what: str) -> bool:
    """Whether the verdict on a profile is that."""
    return bool(line["verdict"]["what"] == what)


def quoted(line: Mapping[str, Any], lines: Sequence[Mapping[str, Any]]) -> str:
    """What a profile is called in a sentence: its name, with the version where another of its name is measured."""
    is_alone = sum(each["profile"] == line["profile"] for each in lines) == 1
    return f"“{line['profile']}”" if is_alone else f"“{line['profile']}” {line['version']}"


def measured_now(path: Path, name: str, profiles: Sequence[Profile]) -> Mapping[int, Mapping[str, Any]]:
    """The figures of each profile, by its id, measured while somebody waits."""
    contenders = [contender(profile_name(profile), profile) for profile in profiles]
    options = Options(baseline=contenders[0].name)

    def measured(reading: sqlite3.Connection) -> dict[str, dict[str, Any]]:
        return figures_of_set(reading, name, contenders, options=options)[0].profiles

    found = cached(path, ("totals", name, *(each.name for each in contenders)), measured)
    return {profile.id: found[profile_name(profile)] for profile in profiles}


def row_of_totals(profile: Profile, figures: Mapping[str, Any]) -> dict[str, Any]:
    """A profile's line: its metrics, and its difference to the first profile."""
    difference = figures.get("difference", {}).get(DIFFERENCE)
    return {
        "profile": profile.name,
        "version": profile.version,
        **{metric: mean_with_interval(figures.get(metric)) for metric in TOTALS},
        "difference": mean_with_interval(difference),
    }


def mean_with_interval(figure: Mapping[str, float] | None) -> dict[str, float] | None:
    """A mean with its interval as the page shows it; None where nothing was measured."""
    return {"value": figure["mean"], "low": figure["low"], "high": figure["high"]} if figure else None


def verdict(name: str, difference: Mapping[str, float] | None, *, against: str, of: int) -> dict[str, str] | None:
    """Whether a profile does better than another over `of` questions: `what` (better, worse, chance, too few), and
    `told`, a sentence with the numbers. None where nothing was measured."""
    if difference is None:
        return None
    if of < FEWEST:
        return {"what": "too few", "told": f"Too few questions to say whether {name} is better than {against}: {of}."}
    value, low, high = (difference[each] for each in ("value", "low", "high"))
    exact = abs(value) * of
    count = round(exact)
    about = "" if abs(exact - count) < NEARLY_WHOLE else "about "
    more = f"{about}{count:,} {'more' if value > 0 else 'fewer'}" if count else "as many"
    what = "better" if low > 0 else "worse" if high < 0 else "chance"
    told = f"{name} finds the answer among the first 10 hits in {more} of the {of:,} questions"
    told += f" {'than' if count else 'as'} {against}"
    return {"what": what, "told": f"{told}: {MEANS[what]} (interval {low:+.3f} to {high:+.3f})."}


NEARLY_WHOLE = 0.05
"""How near to a whole number of questions a difference is that is told as one: a question may have several answers."""

MEANS = {"better": "better beyond chance", "worse": "worse beyond chance", "chance": "that may be chance"}
"""What an interval says of a difference."""


def few_questions(count: int) -> str:
    """What a small number of questions with an answer means for the figures; empty for a large one."""
    if 0 < count < FEWEST:
        return f"Too few questions to say which profile is better: {count}. Judge the hits of more."
    if 0 < count < FEW:
        return f"Only {count} questions: one answer more or less moves a share by {100 / count:.0f} points."
    return ""


# ------------------------------------------------------------------- past briefs


def past(
    db: sqlite3.Connection, path: Path, word: str, profiles: Sequence[Profile], *, now: datetime, waits: bool
) -> dict[str, Any]:
    """What would have changed in the briefs of a period under each profile.

    `profiles` are those that are measured, `progress` tells of a job that is under way. A program that `waits` is
    given all of them. Raises: InputError.
    """
    span = period(db, word, now)
    bounds = {"since": span.since, "until": span.until}
    kept = [(profile, measuring.kept_replay(db, profile, **bounds)) for profile in profiles]
    if waits:
        kept = [(profile, each if each and each.is_current else replayed_now(path, profile, span))
                for profile, each in kept]  # fmt: skip
    found = [replayed(db, profile, each) for profile, each in kept if each]
    return {
        "period": span.as_dict(),
        "figures": dict(FIGURES),
        "profiles": found,
        "missing": [profile_name(profile) for profile, each in kept if not each],
        "is_current": all(each["is_current"] for each in found),
        "progress": measuring.progress_of(db, measuring.of_briefs(profiles, **bounds)),
    }


def replayed_now(path: Path, profile: Profile, span: Period) -> Kept:
    """A replay that is made while a program waits."""

    def made(reading: sqlite3.Connection) -> Kept:
        return Kept(replay(reading, profile, since=span.since, until=span.until).as_dict(), "", True)

    return cached(path, ("replay", profile.id, span), made)


def replayed(db: sqlite3.Connection, profile: Profile, kept: Kept) -> dict[str, Any]:
    """A profile's replay as the page shows it: its figures, and the first changed briefs with their words."""
    changes = kept.figures["changes"][:LISTED]
    asked = {row["uid"]: row for row in rows(db, ASKED, [json_of(each["recall_uid"] for each in changes)])}
    moved = [line for each in changes for side in ("gone", "come") for line in each[side]]
    told = {}
    for sql, sort in ((MEMORIES, "memory"), (ENTRIES, "entry")):
        for row in rows(db, sql, [json_of(line["uid"] for line in moved if line["type"] == sort)]):
            told[sort, row["uid"]] = texts.heading(row["title"], row["text"])
    return {
        **{name: value for name, value in kept.figures.items() if name != "changes"},
        "version": profile.version,
        "measured_at": kept.measured_at,
        "is_current": kept.is_current,
        "changed": int(kept.figures["figures"]["changed"]["count"]),
        "changes": [
            {**each, **{name: asked[each["recall_uid"]][name] for name in ("query", "surface", "project")},
             **{side: [{**line, "heading": told.get((line["type"], line["uid"]), "")} for line in each[side]]
                for side in ("gone", "come")}}
            for each in changes if each["recall_uid"] in asked
        ],
    }  # fmt: skip


def json_of(values: Iterable[str]) -> str:
    """Texts as a list for `json_each`."""
    return json.dumps(list(values))
