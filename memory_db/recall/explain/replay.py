"""A past question asked again, for a memory or an entry that its log has no row of.

In: the row of a recall with its profile, and what is missed. Out: `Again`: in plain words why it was not shown, and its
numbers where it was among what is considered. Invariants: nothing is written; the question is asked with its own
profile version, as of the moment at which it was asked. Where the log itself holds versions that were recorded after
that moment (a history that is played afterwards) the file of today is asked, and that is said.
"""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory_db.errors import ModelError, QueryError
from memory_db.knowledge.as_of import VERSION_THEN
from memory_db.knowledge.belonging import holds_in
from memory_db.knowledge.succession import told_succession
from memory_db.recall.brief.log import shown_earlier
from memory_db.recall.brief.select import choose
from memory_db.recall.hits import ScoredHit
from memory_db.recall.search import NEAREST, Question, Recalled, Semantic, checked, recall
from memory_db.store.dates import Window, parse_utc

KNOWN_LATER = """
select 1 from hits h join memory_versions v on v.id = h.memory_version_id
where h.recall_id = ? and v.recorded_from > ? limit 1
"""

VERSION_NOW = "v.recorded_to is null"

VERSION = """
select v.*, p.name as project, m.created_at as made_at from memory_versions v join memories m on m.id = v.memory_id
left join projects p on p.id = v.project_id where v.memory_id = :id and {then}
"""

ENTRY = """
select e.*, s.project_id, p.name as project,
    exists (select 1 from entry_fts_docsize d where d.id = e.id) as is_searched
from entries e join sessions s on s.id = e.session_id left join projects p on p.id = s.project_id where e.id = ?
"""

TAGS = "select tag from tags where memory_id = ?"

WORDS_SHOWN = 8
"""Words of a question that an answer names at most."""


@dataclass(slots=True, frozen=True)
class Missed:
    """What is asked after: a memory (`id` is that of `memories`) or an entry."""

    type: str
    id: int
    uid: str


@dataclass(slots=True, frozen=True)
class Again:
    """What became of it: `outcome` in one word, `told` in a sentence; `how` says what was asked again, if anything."""

    outcome: str
    told: str
    how: str = ""
    hit: ScoredHit | None = None


def look_again(db: sqlite3.Connection, row: sqlite3.Row, missed: Missed, semantic: Semantic | None) -> Again:
    """Why something that the log of a recall has no row of was not shown.

    `outcome` is one of: not_known, retired, not_asked, no_question, superseded, left_out, shown, not_considered.
    """
    question = asked_again(row)
    is_exact = bool(row["as_of"]) or not db.execute(KNOWN_LATER, [row["id"], row["asked_at"]]).fetchone()
    moment = row["as_of"] or row["asked_at"]
    hindered = hindrance(db, question, missed, moment, is_exact=is_exact)
    if hindered is not None:
        return hindered
    if not row["query"].strip():
        return Again("no_question", "nothing was asked: such a brief is put together from what is locked, preferred"
                     " and recent, and is not made again")  # fmt: skip
    if is_exact:
        question = checked(question_as_of(question, moment))
    try:
        recalled, how = asked(db, row, question, semantic)
    except QueryError as error:
        return Again("no_question", f"it cannot be asked again: {error}")
    how += f", as of {moment[:16].replace('T', ' ')}" if is_exact else ", of the file of today"
    found = [hit for hit in recalled.hits if is_it(db, hit, missed)]
    if found:
        return placed(db, row, recalled, found[0], how)
    replaced = told_succession(db, missed.uid, moment if is_exact else row["as_of"])
    if missed.type == "memory" and replaced is not None:
        return Again("superseded", f"not shown: {replaced}; what meets it brings its successor", how)
    return Again("not_considered", f"not considered: {unmet(db, question, recalled, missed)}", how)


def asked_again(row: sqlite3.Row) -> Question:
    """The question of a logged recall."""
    context: dict[str, Any] = json.loads(row["context"])
    if context.get("window"):
        context["window"] = Window(**context["window"])
    for name in ("kinds", "tags", "paths"):
        context[name] = tuple(context.get(name, ()))
    return Question(
        query=row["query"],
        scope=row["scope"],
        profile=f"{row['profile']}@{row['version']}",
        project_id=row["project_id"],
        session_id=row["session_id"],
        session_uid=row["session_uid"],
        as_of=row["as_of"],
        **context,
    )


def question_as_of(question: Question, moment: str) -> Question:
    """The question, of the file as it was then."""
    return Question(**{name: getattr(question, name) for name in Question.__slots__} | {"as_of": moment})


def asked(
    db: sqlite3.Connection, row: sqlite3.Row, question: Question, semantic: Semantic | None
) -> tuple[Recalled, str]:
    """What the question brings, and how it was asked: without the full model, where that is not at hand any more.

    Raises: QueryError.
    """
    how = f"asked again with profile {row['profile']} {row['version']}"
    used = semantic if semantic and semantic.model == row["semantic_model"] else None
    now = parse_utc(row["asked_at"])
    try:
        recalled = recall(db, question, now=now, semantic=used)
    except ModelError:
        used, recalled = None, recall(db, question, now=now)
    if row["semantic_model"] and not used:
        how += f", without the model {row['semantic_model']}"
    return recalled, how


def is_it(db: sqlite3.Connection, hit: ScoredHit, missed: Missed) -> bool:
    """Whether a hit is what is asked after, in whichever version."""
    if missed.type == "entry":
        return hit.entry_id == missed.id
    sql = "select 1 from memory_versions where id = ? and memory_id = ?"
    return db.execute(sql, [hit.memory_version_id, missed.id]).fetchone() is not None


def placed(db: sqlite3.Connection, row: sqlite3.Row, recalled: Recalled, hit: ScoredHit, how: str) -> Again:
    """Where it stands when everything is kept, with the reason why it is not shown."""
    moment: datetime = parse_utc(row["as_of"] or row["asked_at"])
    earlier = shown_earlier(db, recalled.question, row["surface"], before=(row["id"], row["asked_at"]))
    choose(db, recalled, moment, len(recalled.hits), earlier)
    place = f"position {hit.position} of {len(recalled.hits):,}"
    if hit.rank is not None:
        told = f"not kept in the log; asked again it stands at {place} and would be shown: the file is not as it was"
        return Again("shown", told, how, hit)
    told = f"not kept in the log; asked again it stands at {place}: {hit.left_out_reason}"
    return Again("left_out", told, how, hit)


# ------------------------------------------------- what keeps a thing out before any score


def hindrance(
    db: sqlite3.Connection, question: Question, missed: Missed, moment: str, *, is_exact: bool
) -> Again | None:
    """What kept it from being considered whatever its words, if anything did."""
    among = {"memory": "memories", "entry": "entries"}[missed.type]
    if question.scope not in ("all", among):
        return Again("not_asked", f"not asked: the question was put to {question.scope} only")
    if missed.type == "entry":
        return entry_hindrance(db, question, missed, moment)
    first = db.execute(
        "select min(recorded_from) as recorded, min(valid_from) as said from memory_versions where memory_id = ?",
        [missed.id],
    ).fetchone()
    born = first["recorded"] if is_exact else first["said"]
    if born > moment:
        return Again("not_known", f"not known yet: it was recorded on {day(born)}, the question is as of {day(moment)}")
    then = VERSION_THEN if is_exact else VERSION_NOW
    version = db.execute(VERSION.format(then=then), {"id": missed.id, "moment": moment}).fetchone()
    if version["status"] not in ("active", "superseded"):
        told = f"not shown: it was {version['status']} since {day(version['recorded_from'])}"
        return Again("retired", f"{told} ({version['change_reason']})" if version["change_reason"] else told)
    kept_out = filtered(db, question, version, version["valid_from"])
    if kept_out is None and question.kinds and version["kind"] not in question.kinds:
        kept_out = f"only the kind {', '.join(question.kinds)} was asked for, and it is of kind {version['kind']}"
    tags = {row[0] for row in db.execute(TAGS, [missed.id])}
    if kept_out is None and question.tags and tags.isdisjoint(question.tags):
        kept_out = f"only the tag {', '.join(question.tags)} was asked for, which it has not"
    return Again("not_asked", f"not asked: {kept_out}") if kept_out else None


def entry_hindrance(db: sqlite3.Connection, question: Question, missed: Missed, moment: str) -> Again | None:
    """The same for an entry."""
    entry = db.execute(ENTRY, [missed.id]).fetchone()
    if entry["created_at"] > moment:
        told = f"not known yet: it was said on {day(entry['created_at'])}, the question is as of {day(moment)}"
        return Again("not_known", told)
    if not entry["is_searched"]:
        return Again("not_asked", f"not asked: an entry of kind {entry['kind'].replace('_', ' ')} like it is not"
                     " searched")  # fmt: skip
    if question.kinds or question.tags:
        return Again("not_asked", "not asked: a question for kinds or tags asks no entries")
    kept_out = filtered(db, question, entry, entry["created_at"])
    return Again("not_asked", f"not asked: {kept_out}") if kept_out else None


def filtered(db: sqlite3.Connection, question: Question, row: sqlite3.Row, date: str) -> str | None:
    """Which filter that memories and entries share leaves it out, if any does."""
    if question.since and date < question.since:
        return f"it is of {day(date)}, and the question asks from {day(question.since)} on"
    if question.before and date >= question.before:
        return f"it is of {day(date)}, and the question asks before {day(question.before)}"
    if not question.only_project:
        return None
    holds = row["project_id"] == question.project_id
    if not holds and "scope" in row.keys():  # noqa: SIM118  # a Row
        sql = f"select 1 from memory_versions v where v.id = ? and {holds_in('v')}".replace("?", ":id")
        holds = bool(db.execute(sql, {"id": row["id"], "project_id": question.project_id}).fetchone())
    belongs = f"belongs to project {row['project']}" if row["project"] else "belongs to no project"
    return None if holds else f"it {belongs}, and only another one was asked"


def unmet(db: sqlite3.Connection, question: Question, recalled: Recalled, missed: Missed) -> str:
    """Why something that may be shown was not among what is considered."""
    if missed.type == "entry" and question.scope == "all" and recalled.question.scope == "memories":
        return "entries were not looked at, for a memory has most of the question's words"
    terms = recalled.query_features.terms
    shared = [term for term in terms if has_word(db, missed, term)]
    near = f"it is not among the {NEAREST} nearest by meaning"
    if shared:
        most = question.most_memories if missed.type == "memory" else question.most_entries
        words = ", ".join(shared[:WORDS_SHOWN])
        return f"it shares {words} with the question, but {most} others meet it better by words, and {near}"
    return f"it shares no word with the question ({', '.join(terms[:WORDS_SHOWN])}), and {near}"


def has_word(db: sqlite3.Connection, missed: Missed, term: str) -> bool:
    """Whether full text has a word, in any of its forms, for this memory or entry."""
    table, wanted = "entry_fts", "?2"
    if missed.type == "memory":
        table, wanted = "memory_fts", "(select id from memory_versions where memory_id = ?2 and recorded_to is null)"
    sql = f"select 1 from {table} where {table} match ?1 and rowid = {wanted}"
    return db.execute(sql, [f'"{term}"', missed.id]).fetchone() is not None


def day(moment: str) -> str:
    """A moment to the minute, for people."""
    return moment[:16].replace("T", " ")
