"""Weights that a person sets on a page: tried on a question, and saved as a profile.

In: a profile, hits in the shape that pages show, and the fields of a request. Out: weights that sum to 1, the data of a
panel of sliders, answers under other weights, what was saved. Invariants: what was not touched stays exactly the
profile's; the panel carries signals, and what else than its place left a hit out, so that whoever moves a slider needs
the sum of weights and signals and nothing else; trying writes nothing; a name that is taken gets a new version only
where the sender says so.
"""

from __future__ import annotations

import math
import sqlite3
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from memory_db.errors import InputError
from memory_db.hooks import run as hooks
from memory_db.pages import weights
from memory_db.pages.draw import stacked_bar as bars
from memory_db.pages.draw.filters import shortened, visible
from memory_db.pages.forms import QUESTION_FIELDS, Fields, changing, check_known, first, flag, note_dry_run, offer
from memory_db.recall import profiles
from memory_db.recall.brief import select as brief
from memory_db.recall.brief.allowed import BY_SCORE, READ_BEFORE, SAME_TEXT, repeated_uid
from memory_db.recall.brief.log import moment_of
from memory_db.recall.profiles import scaled_weights
from memory_db.recall.scoring import SIGNALS
from memory_db.recall.search import Profile, Question, Semantic, load_profile, look_up_cosines, recall, score
from memory_db.redact.clean import clean
from memory_db.store import settings

if TYPE_CHECKING:
    from memory_db.recall.corpus import Corpus

PREFIX = "w."
"""A field `w.keyword` is the weight of the signal `keyword`."""

MOST_WEIGHT = 100.0
"""Weights are scaled to sum 1 anyway."""

DIGITS = 6
"""Of a signal in a panel: a score is then right to 0.000001, and pages show three decimals."""


MOST_LISTED = 40
"""Shown hits of a past recall that its page lists."""


@dataclass(frozen=True, slots=True)
class Tried:
    """Weights (they sum to 1) and a threshold that differ from those of a profile."""

    weights: Mapping[str, float]
    threshold: float


def tried(fields: Mapping[str, Sequence[str]], profile: Profile) -> Tried | None:
    """What the fields `w.SIGNAL` and `threshold` change of a profile; None where they change nothing.

    A signal that is not named keeps its weight. Raises: InputError.
    """
    weights = {**profile.weights}
    for field, values in fields.items():
        if field.startswith(PREFIX) and values:
            name = field.removeprefix(PREFIX)
            if name not in SIGNALS:
                raise InputError(f"No signal {visible(name)[:60]!r}. There are: {', '.join(SIGNALS)}.")
            weights[name] = number(values[0], field, MOST_WEIGHT, weights.get(name, 0.0))
    threshold = number((fields.get("threshold") or [""])[0], "threshold", 1.0, profile.threshold)
    weights = {name: weight for name, weight in weights.items() if weight > 0}
    if weights == dict(profile.weights):
        return None if threshold == profile.threshold else Tried(dict(profile.weights), threshold)
    scaled = {
        name: weight for name, weight in scaled_weights(weights).items() if weight > 0
    }  # too small to be told from 0
    return Tried(scaled, threshold)


def number(text: str, name: str, most: float, known: float) -> float:
    """The number in a field; `known` where it is empty or says what the page showed for it. Raises: InputError."""
    text = text.strip()
    if text in ("", written(known)):
        return known
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value <= most:
        raise InputError(f"{name} {visible(text)[:40]!r} cannot be used. Give a number from 0 to {most:g}.")
    return value


def written(weight: float) -> str:
    """A weight as its field shows it."""
    return f"{weight:.3g}"


def panel(
    profile: Mapping[str, Any],
    hits: Sequence[Mapping[str, Any]],
    *,
    limit: int,
    asks: Mapping[str, object],
    base: Profile | None = None,
) -> dict[str, Any]:
    """What the sliders of a page need: `signals` and `more` (those without weight) in the order of a bar, and `data`.

    `profile` has name, version, weights and threshold; `hits` are all hits that the page lists; `limit` is how many are
    shown at most; `asks` are the fields that ask the same question again; `base` is the profile itself where the
    weights are tried ones.
    """
    weights, threshold = profile["weights"], profile["threshold"]
    names = sorted(SIGNALS.keys() | weights.keys(), key=lambda name: (bars.order(name), name))
    listed = [slider(name, weights.get(name, 0.0)) for name in names]
    return {
        "profile": profile["name"],
        "version": profile["version"],
        "threshold": written(threshold),
        "is_tried": base is not None,
        "asks": [(name, str(value)) for name, value in asks.items() if value not in (None, "")],
        "signals": [each for each in listed if each["weight"] > 0],
        "more": [each for each in listed if not each["weight"] > 0],
        "data": {
            "signals": names,
            "colours": [bars.colour(name) for name in names],
            "weights": [weights.get(name, 0.0) for name in names],
            "threshold": threshold,
            "limit": limit,
            "scale": bars.scale_for(hit["score"] for hit in hits),
            "reasons": list(BY_SCORE),
            "hits": hits_data(hits, names),
        },
    }


def panel_of_recall(why: Mapping[str, Any]) -> dict[str, Any] | None:
    """The panel for a recall of the past, from what its page shows; None where nothing was asked in words."""
    recall = why["recall"]
    hits = [*why["hits"][:MOST_LISTED], *why["others"][: why["listed_others"]]]
    if not recall["query"].strip() or not hits:
        return None
    profile = {"name": recall["profile"], "version": recall["profile_version"], "weights": recall["weights"]}
    return panel(
        profile | {"threshold": recall["threshold"]},
        hits,
        limit=int(recall["context"].get("limit") or max(1, len(why["hits"]))),
        asks={
            "q": recall["query"][:2000],  # a longer one makes no address
            "project": recall["project"],
            "scope": recall["scope"],
            "profile": f"{recall['profile']}@{recall['profile_version']}",
            "recall": recall["id"],
        },
    )


def slider(name: str, weight: float) -> dict[str, Any]:
    """One signal with its weight, as its slider shows it."""
    return {
        "signal": name,
        "colour": bars.colour(name),
        "weight": weight,
        "written": written(weight),
        "meaning": bars.meaning(name),
    }


def hits_data(hits: Sequence[Mapping[str, Any]], names: Sequence[str]) -> list[list[object]]:
    """Each hit as [id of its element, its position, its rank or 0, why it was left out, whether by a rule, hits that it
    repeats, signals].

    They stand in the order that hits with the same score have. What a rule left out stays out, whatever the weights.
    A hit repeats others by their place in this list: it is left out only while one of those is shown. What repeats a
    hit that was shown earlier in the session stays out by rule, since no weights change that.
    """
    ordered = sorted(hits, key=tie_order)
    places = {hit["uid"]: place for place, hit in enumerate(ordered)}
    repeats: list[set[int]] = [set() for _ in ordered]
    for place, hit in enumerate(ordered):
        reason = hit["left_out_reason"] or ""
        other = places.get(repeated_uid(reason))
        if other is not None and ordered[other]["left_out_reason"] not in READ_BEFORE:
            repeats[place].add(other)
            if reason.startswith(SAME_TEXT.format("")):
                repeats[other].add(place)
    made: list[list[object]] = []
    for hit, repeated in zip(ordered, repeats, strict=True):
        reason = hit["left_out_reason"] or ""
        is_ruled_out = int(bool(reason) and reason not in BY_SCORE and not repeated)
        values = [short(hit["signals"].get(name, 0.0)) for name in names]
        outcome = [hit["rank"] or 0, shortened(visible(reason), 100), is_ruled_out]
        made.append([f"{hit['type']}-{visible(hit['uid'])}", hit["position"], *outcome, sorted(repeated), values])
    return made


def tie_order(hit: Mapping[str, Any]) -> tuple[float, str, int]:
    """The order of hits with the same score, as `recall.put_in_order` has it."""
    return (-hit["features"].get("bm25", 0.0), hit["type"], hit["memory_version_id"] or hit["entry_id"] or 0)


def short(value: float) -> float | int:
    """A signal in few characters."""
    return int(value) if value in (0, 1) else float(f"{value:.{DIGITS}g}")


PROMPT_HOOK = "user-prompt"
"""The hook that takes prompts."""


@dataclass(frozen=True, slots=True)
class HookPreview:
    """What the hook would do at a prompt: its outcome with the reason for silence, and what it would print.

    `answer` is None where the prompt needs no recall. A recall's uid in the text is the one of a recall not logged.
    """

    outcome: str
    reason: str
    output: str
    answer: brief.Answer | None


def ask_with(
    db: sqlite3.Connection, question: Question, own: Tried, *, now: datetime, semantic: Semantic | None,
    corpus: Corpus | None = None,
) -> brief.Answer:  # fmt: skip
    """The answer to a question whose hits, found as its profile finds them, are ranked by other weights.

    Raises: QueryError, InputError, NotFoundError.
    """
    started = time.perf_counter()
    query, findings = clean(question.query)
    paths = tuple(clean(path)[0] for path in question.paths)
    recalled = recall(db, replace(question, query=query, paths=paths), now=now, semantic=semantic, corpus=corpus)
    recalled.profile = replace(recalled.profile, weights=own.weights, threshold=own.threshold)
    look_up_cosines(db, recalled, recalled.hits)
    recalled.hits = score(recalled.profile, recalled.query_features, recalled.hits)
    moment = moment_of(recalled.question, now)
    answer = brief.answer_of(recalled, brief.choose(db, recalled, moment), moment, started)
    answer.findings = findings
    return answer


def as_hook(db: sqlite3.Connection, path: str, prompt: str, project_id: int | None, *, now: datetime) -> HookPreview:
    """What the hook would do at a prompt in a project's folder, in a session that has asked nothing yet.

    Raises: InputError, sqlite3.Error.
    """
    row = db.execute("select canonical_path from projects where id = ?", [project_id]).fetchone()
    folder = str(row[0] or "") if row else ""
    event = hooks.HookEvent(PROMPT_HOOK, cwd=folder, values={"prompt": prompt})
    run = hooks.HookRun(path, now, time.perf_counter(), hook=PROMPT_HOOK)
    outcome = hooks.outcome_of(db, event, run, is_own=False)
    return HookPreview(outcome.outcome, outcome.reason, hooks.printed(event, outcome, is_json=True), outcome.answer)


ABOUT = ("q", "project", "scope")
"""Fields of the question that the weights were tried on: the page that compares asks it again."""


SAVE_FIELDS = ("name", "based_on", "w.*", "threshold", "new_version", "dry_run", "recall", *QUESTION_FIELDS)


def save(path: Path, fields: Fields, *, saved_by: str, now: datetime) -> dict[str, Any]:
    """Saves weights as a profile; gives `name`, `version`, `profile` (both, as a link names it), its weights and
    threshold, and `there`: where its effect can be seen beside the profile that it was made from.

    Fields: `name`, `based_on` (a profile, perhaps with its version), `w.SIGNAL`, `threshold`, `new_version` where the
    name may be taken, `dry_run`, and `recall` or a question with its project.
    Raises: InputError, NotFoundError, DatabaseFileError.
    """
    check_known(fields, SAVE_FIELDS)
    dry_run, name = flag(fields, "dry_run"), first(fields, "name")
    with changing(path, dry_run=dry_run) as db:
        base = load_profile(db, first(fields, "based_on") or settings.get_text(db, "default_profile"))
        own = weights.tried(fields, base) or weights.Tried(base.weights, base.threshold)
        refuse_taken(db, name, is_version=bool(first(fields, "new_version")))
        version = profiles.save_profile(
            db, name, own.weights, threshold=own.threshold, now=now, fitted_on="nothing: set by hand on a page",
            description=f"Made on the page by {saved_by}, from {base.name} {base.version}",
        )  # fmt: skip
        saved = load_profile(db, f"{name}@{version}")
        is_default = saved.name in BY_THEMSELVES or saved.name == settings.get_text(db, "default_profile")
    called = f"{saved.name}@{saved.version}"
    there = "/-/memory/compare" + ("" if dry_run else "?" + urlencode(effect(fields, base, called)))
    chosen = {} if is_default or dry_run else {
        "offer": offer("Make default", "/-/memory/settings", name="default_profile", value=saved.name, next=there)
    }  # fmt: skip
    return {
        "ok": True,
        "name": saved.name,
        "version": saved.version,
        "profile": called,
        "based_on": f"{base.name}@{base.version}",
        "weights": dict(saved.weights),
        "threshold": saved.threshold,
        "dry_run": dry_run,
        "said": note_dry_run(f"Profile {visible(name)} {version} is saved. Used by {used_by(saved)}.", dry_run),
        "there": there,
        **chosen,
    }


def refuse_taken(db: sqlite3.Connection, name: str, *, is_version: bool) -> None:
    """Raises: InputError for no name, and for one that a profile has unless a new version of it is meant."""
    if not name:
        raise InputError("A profile needs a name. Use letters, digits, - and _.")
    if not is_version and db.execute("select 1 from profiles where name = ?", [name]).fetchone():
        raise InputError(
            f"There is a profile {visible(name)[:60]!r} already. Choose another name, or a new version of it."
        )


BY_THEMSELVES = {"hook": "the hook, from the next prompt on", "default": "whoever asks without naming a profile"}
"""Profiles that are used without being chosen, and by whom."""


def used_by(saved: Profile) -> str:
    """Who asks by a profile, in a few words."""
    return BY_THEMSELVES.get(
        saved.name, f"whoever names it; `memory-db settings default_profile {saved.name}` makes it the one for all"
    )


def effect(fields: Fields, base: Profile, called: str) -> list[tuple[str, str]]:
    """The fields of the page that compares: the same recall or question, the old profile and the new one."""
    recall = first(fields, "recall")
    about = [("recall", recall)] if recall else [(each, first(fields, each)) for each in ABOUT]
    compared = dict.fromkeys((f"{base.name}@{base.version}", called))
    return [(name, value) for name, value in about if value] + [("profile", each) for each in compared]
