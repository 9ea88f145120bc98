"""A question asked on a page: the form's fields in, the answer as plain data out.

In: a path and the fields as lists of text. Out: a dict for the template and
for JSON. Invariant: a field that cannot be used is refused with one line that
names it; a question is logged only where the caller says so, and never under
weights of one's own or as a prompt to the hook.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from memory_db.errors import InputError, ModelError, NotFoundError
from memory_db.index.semantic import find_semantic
from memory_db.pages import recalls, weights
from memory_db.pages.cache import cached, pooled, rows
from memory_db.pages.draw import marks
from memory_db.pages.draw import stacked_bar as bars
from memory_db.pages.forms import Fields, first
from memory_db.pages.kept.corpus import KeptCorpus
from memory_db.pages.table_marks import Since
from memory_db.recall.answer import answer_data
from memory_db.recall.brief import select as brief
from memory_db.recall.brief.allowed import COUNTED_REASONS
from memory_db.recall.brief.answer_log import log_answer
from memory_db.recall.brief.log import name_recall
from memory_db.recall.brief.procedures import MOST_EVERYWHERE, WORKED, facts_of, procedure_lines
from memory_db.recall.checkpoints import read_moment
from memory_db.recall.explain import association
from memory_db.recall.explain.why_shown import why_shown
from memory_db.recall.first_answer import asked_before, first_answer
from memory_db.recall.question_dates import with_window
from memory_db.recall.search import SCOPES, Filters, Profile, Question, load_profile
from memory_db.records import replace
from memory_db.sample import file as samples
from memory_db.store import settings
from memory_db.store.connection import LOG_BUSY_MS, one_state
from memory_db.store.settings import user_zone
from memory_db.transcripts.projects import project_named

SURFACE = "datasette"

MOST_HITS = 100
"""How many hits can be asked for."""

MOST_CARDS, MOST_DRAWN, MOST_OTHERS = 10, 20, 20
"""Hits that a page draws: in full, in all, and of those left out. JSON has them all.

Source: with these a page of the sample, and one of texts as long as texts get, stays under 150 kB.
"""


EXISTS = "select exists (select 1 from memories) or exists (select 1 from entries)"

HOOK = "hook"
"""The value of the field `as` that asks what the hook would do."""


def explore(path: Path, fields: Fields, *, now: datetime, log: bool) -> dict[str, Any]:
    """The explorer: what can be chosen, what was asked, and the answer if anything was.

    Fields, besides those of a question: `w.SIGNAL` and `threshold` (weights of one's own), `as` (`hook`), and a second
    `profile` to set beside the first. `tried` says that the weights are one's own; `hook` what the hook would do;
    `first` is what answers before the hits;
    `panel` is what the sliders need; `is_empty` that there is nothing to find yet.
    Raises: InputError, NotFoundError, DatabaseFileError.
    """
    with pooled(path) as db:
        data: dict[str, Any] = {"choices": choices(db), "asked": asked(db, fields), "answer": None, "logged": False}
        data |= {"tried": False, "hook": None, "semantic": None, "panel": None, "procedures": [], "first": None}
        data["sample"] = samples.is_sample(db)
        data["suggestions"] = [] if data["asked"]["q"].strip() else suggestions(db, path)
        data["is_empty"] = not db.execute(EXISTS).fetchone()[0]
        how = data["asked"]["as"]
        if how not in ("", HOOK):
            raise InputError(f"as {how[:40]!r} cannot be used. Leave it out, or give {HOOK}.")
        profile = load_profile(db, HOOK if how else data["asked"]["profile"])
        own = weights.tried(fields, profile)
        if how and own:
            raise InputError("The hook asks by its own profile. Leave out the weights, or leave out `as`.")
        if not data["asked"]["q"].strip():
            return data
        if how:
            return data | preview(db, path, data["asked"], now)
        question = with_window(db, question_from(db, fields, now), now, user_zone(db))
        if own:
            with one_state(db):
                answer, data["semantic"] = asked_with(db, path, question, own, now=now)
                return data | {"tried": True} | render_answer(db, answer, data["asked"], now, base=profile)
    with pooled(path) as db, one_state(db):  # what answers is not forgotten before it is told
        answer, data["semantic"] = ask(db, path, question, now=now)
        if log:
            name_recall(db, answer, now=now)
            opening = partial(pooled, path, write=True, busy_ms=LOG_BUSY_MS)
            data["logged"] = not log_answer(path, answer, surface=SURFACE, now=now, opening=opening)
        data["procedures"] = how_it_is_done(db, question, now)
        data["first"] = None if data["procedures"] else answered_first(db, answer)
        return data | render_answer(db, answer, data["asked"], now)


def how_it_is_done(db: sqlite3.Connection, question: Question, now: datetime) -> list[dict[str, str]]:
    """The procedures that a question asks for: in its project, or in each where it names none, the last used first."""
    named = "select id, name from projects where id = ?"
    projects = db.execute(*((WORKED,) if question.project_id is None else (named, [question.project_id])))
    found = [
        {"uid": each.uid, "command": each.command, "facts": facts_of(each), "project": row["name"]}
        for row in projects.fetchall()
        for each in procedure_lines(db, replace(question, project_id=row["id"]), SURFACE, now)
    ]
    return found[:MOST_EVERYWHERE]


def answered_first(db: sqlite3.Connection, answer: brief.Answer) -> dict[str, Any]:
    """What answers a question before its hits, as JSON has it."""
    try:
        return first_answer(db, answer, find_semantic(db).index).as_dict()
    except ModelError:
        return first_answer(db, answer).as_dict()


def render_answer(
    db: sqlite3.Connection, answer: brief.Answer, given: dict[str, Any], now: datetime, base: Profile | None = None
) -> dict[str, Any]:
    """An answer for the page: its hits with what was said and is believed of them, and the panel of sliders."""
    data = page_data(answer, now)
    hits = [*data["hits"], *data["others"]]
    question = answer.question
    features = answer.recalled.query_features
    of_question = {name: getattr(features, name) for name in ("terms", "worth", "variants", "corrected")}
    unasked = {"is_unasked": True} if question.is_unasked else {}
    told = {"query": question.query, "project": given["project"], "context": unasked, "features": of_question}
    for hit, placed in zip(data["hits"], answer.shown, strict=True):
        hit["asked_before"] = asked_before(placed, question.query)
    marks.add_rests_on(db, data["hits"], answer.shown, question)
    for hit in data["hits"][:MOST_DRAWN]:
        hit["why"] = why_shown(db, told, hit)
    judging = marks.mark(db, hits, question.query, question.project_id, answer.recall_id)
    marks.add_beliefs(db, hits)
    asks = {name: value for name, value in given.items() if isinstance(value, str) and name not in ("as", "beside")}
    listed = [*data["hits"][:MOST_DRAWN], *data["listed"]]
    panel = weights.panel(
        data["profile"], listed, limit=question.limit, asks=asks | {"profile": answer.profile.name}, base=base
    )
    return {"answer": data, "asked": given | {"q": question.query}, "judging": judging, "panel": panel}


def preview(db: sqlite3.Connection, path: Path, given: dict[str, Any], now: datetime) -> dict[str, Any]:
    """What the hook would do with the words as a prompt, and the hits it would choose from.

    Raises: InputError, NotFoundError.
    """
    found = weights.as_hook(db, str(path), given["q"], project_id(db, given["project"]), now=now)
    hook = {"outcome": found.outcome, "reason": found.reason, "output": found.output, "text": "", "tokens": 0}
    if found.answer is None:
        return {"hook": hook}
    best = max((hit.score for hit in found.answer.hits), default=None)
    hook |= {"text": found.answer.text, "tokens": found.answer.tokens, "best_score": best}
    return {"hook": hook, "semantic": {"model": None, "reason": "a hook loads no model"}} | render_answer(
        db, found.answer, given, now
    )


def ask(
    db: sqlite3.Connection, path: Path, question: Question, *, now: datetime
) -> tuple[brief.Answer, dict[str, str | None]]:
    """The answer, not logged yet, and which full model helped or why none did: an answer by words beats none.

    Raises: InputError, NotFoundError.
    """
    asking = partial(brief.ask, db, question, surface=SURFACE, now=now, log=False, corpus=KeptCorpus(db, path))
    return with_model(db, asking)


def asked_with(
    db: sqlite3.Connection, path: Path, question: Question, own: weights.Tried, *, now: datetime
) -> tuple[brief.Answer, dict[str, str | None]]:
    """The same under weights of one's own. Raises: InputError, NotFoundError."""
    return with_model(db, partial(weights.ask_with, db, question, own, now=now, corpus=KeptCorpus(db, path)))


def with_model(
    db: sqlite3.Connection, asking: Callable[..., brief.Answer]
) -> tuple[brief.Answer, dict[str, str | None]]:
    """What asking gives with the full model's help, or without it where it cannot help, and which or why."""
    found = find_semantic(db)
    try:
        model = found.index.model if found.index else None
        answer, helped = asking(semantic=found.index), {"model": model, "reason": found.reason}
    except ModelError as error:
        answer, helped = asking(semantic=None), {"model": None, "reason": str(error)}
    association.add_earlier_prompts(db, answer.shown)
    return answer, helped


def choices(db: sqlite3.Connection) -> dict[str, Any]:
    """What the form offers: scopes, projects, kinds and the newest profiles."""
    return {
        "scopes": list(SCOPES),
        "projects": [row["name"] for row in db.execute("select distinct name from projects order by name")],
        "kinds": [row["name"] for row in db.execute("select name from kinds order by name")],
        "profiles": rows(db, "select name, version, description from newest_profiles order by id"),
    }


def asked(db: sqlite3.Connection, fields: Fields) -> dict[str, Any]:
    """The fields as given, or the file's own settings where nothing was given; they fill the form again."""
    single = {name: first(fields, name) for name in ("q", "project", "since", "before", "as_of", "as")}
    return {
        **single,
        "scope": first(fields, "scope") or "all",
        "profile": first(fields, "profile") or settings.get_text(db, "default_profile"),
        "beside": next((value for value in fields.get("profile", ())[1:] if value), ""),
        "limit": first(fields, "limit") or str(settings.get_integer(db, "recall_limit")),
        "budget": first(fields, "budget"),
        "only_project": bool(first(fields, "only_project")),
        "kinds": [value for value in fields.get("kind", ()) if value],
        "tags": [value for value in fields.get("tag", ()) if value],
        "paths": [value for value in fields.get("path", ()) if value],
    }


def question_from(db: sqlite3.Connection, fields: Fields, now: datetime) -> Question:
    """The question that the fields ask.

    Raises: InputError, NotFoundError.
    """
    given = asked(db, fields)
    known = [row["name"] for row in db.execute("select name from kinds order by name")]
    for kind in given["kinds"]:
        if kind not in known:
            raise NotFoundError(f"No kind {kind[:80]!r}. There are: {', '.join(known)}.")
    budget = given["budget"]
    return Question(
        query=given["q"],
        scope=given["scope"],
        profile=given["profile"],
        project_id=project_id(db, given["project"]),
        filters=Filters(
            only_project=given["only_project"],
            since=given["since"] or None,
            before=given["before"] or None,
            as_of=read_moment(db, given["as_of"], now=now, zone=user_zone(db)) if given["as_of"] else None,
            kinds=tuple(given["kinds"]),
            tags=tuple(given["tags"]),
        ),
        paths=tuple(given["paths"]),
        limit=whole(given["limit"], "limit", MOST_HITS),
        budget_tokens=whole(budget, "budget", 1_000_000) if budget else None,
    )


def project_id(db: sqlite3.Connection, name: str) -> int | None:
    """The project of that name or path; None for no name.

    Raises: NotFoundError; InputError where several are meant.
    """
    return project_named(db, name) if name else None


def whole(text: str, name: str, most: int) -> int:
    """A whole number from 1 to the most allowed.

    Raises: InputError.
    """
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0
    if not 1 <= number <= most:
        raise InputError(f"{name} {text[:40]!r} cannot be used. Give a whole number from 1 to {most}.")
    return number


def page_data(answer: brief.Answer, now: datetime) -> dict[str, Any]:
    """An answer as all programs get it, and what a page draws besides: a bar for every hit, and which are listed."""
    data: dict[str, Any] = {**answer_data(answer, now)}
    hits, weighing = [*data["hits"], *data["others"]], data["profile"]["weights"]
    recalls.add_looks(hits, weighing)
    return data | {
        "legend": bars.legend(weighing),
        "scale": bars.scale_for(hit["score"] for hit in hits),
        "listed": listed(data["others"]),
        "drawn": {"in_full": MOST_CARDS, "in_all": MOST_DRAWN},
        "sql": recalls.SIGNALS_SQL,
    }


def listed(others: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Of the hits left out those that a page lists, in their order: the best, and what a rule left out before them."""
    by_rule = [hit for hit in others if hit["left_out_reason"] not in COUNTED_REASONS][: MOST_OTHERS // 2]
    chosen = {hit["position"] for hit in by_rule}
    rest = [hit for hit in others if hit["position"] not in chosen][: MOST_OTHERS - len(by_rule)]
    return sorted(by_rule + rest, key=lambda hit: hit["position"])


MOST_SUGGESTED = 4

SAMPLE_QUESTIONS = """
select q.query from labelled_queries q join query_sets s on s.id = q.query_set_id
where s.name = 'sample' and exists (select 1 from judgements j where j.labelled_query_id = q.id and j.relevance = 1)
order by q.id limit ?
"""

SUBJECTS = """
with counted as materialized (
    select entity_id, count(*) as memories from memory_entities
    where memory_id not in (select id from memories where status <> 'active') group by entity_id
)
select e.name from counted c cross join entities e on e.id = c.entity_id
where e.kind <> 'file' and length(e.name) between 3 and 40 order by c.memories desc, e.name limit ?
"""


def suggestions(db: sqlite3.Connection, path: Path) -> list[str]:
    """The sample's own questions, else one about each frequent subject of what is known.

    None that somebody asked: a log of questions keeps words that were asked after, also those that were forgotten.
    """
    if samples.is_sample(db) and (found := [row[0] for row in db.execute(SAMPLE_QUESTIONS, [MOST_SUGGESTED])]):
        return found
    make = partial(rows, sql=SUBJECTS, arguments=[MOST_SUGGESTED])
    subjects = cached(path, ("subjects",), make, by_table=True, onward=still_frequent)
    return [f"What do we know about {row['name']}?" for row in subjects]


def still_frequent(db: sqlite3.Connection, subjects: list[dict[str, Any]], since: Since) -> list[dict[str, Any]] | None:
    """The subjects as they were, where memories were added to: what was frequent a moment ago will do to ask about."""
    return None if since.memories(db) is None else subjects or None
