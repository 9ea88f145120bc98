"""A past question asked again, for a memory or an entry that its log has no row of.

In: the row of a recall with its profile, and what is missed. Out: `Again`: in plain words why it was not shown, and
its numbers where it was among what is considered. Invariants: nothing is written; the question is asked with its own
profile version, as of the moment at which it was asked. Where the log itself holds versions that were recorded after
that moment (a history that is played afterwards) the file of today is asked, and that is said.
"""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass
from datetime import datetime

from memory_db.errors import ModelError, QueryError
from memory_db.index import grams
from memory_db.knowledge.as_of import VERSION_THEN
from memory_db.knowledge.succession import describe_succession
from memory_db.recall.brief.log import shown_earlier
from memory_db.recall.brief.placement import Placement
from memory_db.recall.brief.procedures import shown_lines
from memory_db.recall.brief.select import choose
from memory_db.recall.filters import OUTDATED, RETIRED, FilterClause, day, entry_filter, memory_filter
from memory_db.recall.gather import NEAREST_BY_MODEL
from memory_db.recall.hits import Hit
from memory_db.recall.search import Question, Recalled, Semantic, checked, question_of, recall
from memory_db.records import replace
from memory_db.store.dates import parse_utc

KNOWN_LATER = """
select 1 from hits h join memory_versions v on v.id = h.memory_version_id
where h.recall_id = ? and v.recorded_from > ? limit 1
"""

VERSION_NOW = "v.recorded_to is null"

VERSION = """
select v.id, v.kind, v.status, v.valid_from as at, v.recorded_from as recorded, v.change_reason as why,
    p.name as project
from memory_versions v left join projects p on p.id = v.project_id where v.memory_id = :id and {then}
"""

FIRST = "select min(recorded_from) as recorded, min(valid_from) as said from memory_versions where memory_id = ?"

ENTRY = """
select e.id, e.kind, 'said' as status, e.created_at as at, e.created_at as recorded, e.created_at, '' as why,
    p.name as project
from entries e join sessions s on s.id = e.session_id left join projects p on p.id = s.project_id where e.id = ?
"""

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
    """What became of it: `outcome` in one word, `sentence` in full; `how` says what was asked again, if anything."""

    outcome: str
    sentence: str
    how: str = ""
    hit: Placement | None = None


def look_again(db: sqlite3.Connection, row: sqlite3.Row, missed: Missed, semantic: Semantic | None) -> Again:
    """Why something that the log of a recall has no row of was not shown.

    `outcome` is one of: not_known, retired, not_asked, no_question, superseded, left_out, shown, not_considered.
    """
    question = asked_again(row)
    is_exact = bool(row["as_of"]) or not db.execute(KNOWN_LATER, [row["id"], row["asked_at"]]).fetchone()
    moment = row["as_of"] or row["asked_at"]
    if is_exact:
        question = checked(replace(question, filters=replace(question.filters, as_of=moment)))
    hindered = hindrance(db, question, missed, moment, is_exact=is_exact)
    if hindered is not None:
        return hindered
    if not row["query"].strip():
        return Again("no_question", "nothing was asked: such a brief is put together from what is locked, preferred"
                     " and recent, and is not made again")  # fmt: skip
    try:
        recalled, how = asked(db, row, question, semantic)
    except QueryError as error:
        return Again("no_question", f"it cannot be asked again: {error}")
    how += f", as of {moment[:16].replace('T', ' ')}" if is_exact else ", of the file of today"
    found = [hit for hit in recalled.hits if is_it(db, hit, missed)]
    if found:
        return placed(db, row, recalled, found[0], how)
    replaced = describe_succession(db, missed.uid, moment if is_exact else row["as_of"])
    if missed.type == "memory" and replaced is not None:
        return Again("superseded", f"not shown: {replaced}; what meets it brings its successor", how)
    return Again("not_considered", f"not considered: {unmet(db, question, recalled, missed)}", how)


def asked_again(row: sqlite3.Row) -> Question:
    """The question of a logged recall."""
    columns = ("scope", "project_id", "session_id", "session_uid", "as_of")
    values = {name: row[name] for name in columns} | {"profile": f"{row['profile']}@{row['version']}"}
    return question_of(row["query"], json.loads(row["context"]) | values)


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


def is_it(db: sqlite3.Connection, hit: Hit, missed: Missed) -> bool:
    """Whether a hit is what is asked after, in whichever version."""
    if missed.type == "entry":
        return hit.entry_id == missed.id
    sql = "select 1 from memory_versions where id = ? and memory_id = ?"
    return db.execute(sql, [hit.memory_version_id, missed.id]).fetchone() is not None


def placed(db: sqlite3.Connection, row: sqlite3.Row, recalled: Recalled, met: Hit, how: str) -> Again:
    """Where it stands when everything is kept, with the reason why it is not shown."""
    moment: datetime = parse_utc(row["as_of"] or row["asked_at"])
    earlier = shown_earlier(db, recalled.question, row["surface"], before=(row["id"], row["asked_at"]))
    placed = choose(db, recalled, moment, len(recalled.hits), earlier, shown_lines(db, row["id"]))
    hit = next(each for each in placed if each.hit is met)
    place = f"position {hit.position} of {len(recalled.hits):,}"
    if hit.rank is not None:
        sentence = (
            f"not among what it kept; asked again, it is at {place} and would be shown: the file has changed since"
        )
        return Again("shown", sentence, how, hit)
    sentence = f"not among what it kept; asked again, it is at {place}: {hit.left_out_reason}"
    return Again("left_out", sentence, how, hit)


# ------------------------------------------------- what keeps a thing out before any score


def hindrance(
    db: sqlite3.Connection, question: Question, missed: Missed, moment: str, *, is_exact: bool
) -> Again | None:
    """What kept it from being considered whatever its words, if anything did: a clause of the question's filter."""
    among = {"memory": "memories", "entry": "entries"}[missed.type]
    if question.scope not in ("all", among):
        return Again("not_asked", f"not asked: the question was put to {question.scope} only")
    if missed.type == "entry":
        row = db.execute(ENTRY, [missed.id]).fetchone()
        born, verb, kind = row["created_at"], "said", row["kind"].replace("_", " ")
    else:
        first = db.execute(FIRST, [missed.id]).fetchone()
        born, verb = first["recorded" if is_exact else "said"], "recorded"
    if born > moment:
        return Again("not_known", f"not known yet: it was {verb} on {day(born)}, the question is as of {day(moment)}")
    if missed.type == "memory":
        then = VERSION_THEN if is_exact else VERSION_NOW
        row = db.execute(VERSION.format(then=then), {"id": missed.id, "moment": moment}).fetchone()
        kind = row["kind"]
    wanted = memory_filter(question) if missed.type == "memory" else entry_filter(question)
    # What is outdated is asked all the same: it leads to its successors.
    against = [clause for clause in wanted.against(db, row["id"]) if clause.name != OUTDATED]
    return kept_out(against[0], row, kind) if against else None


def kept_out(clause: FilterClause, row: sqlite3.Row, kind: str) -> Again:
    """What a clause says of the version or the entry that it keeps out."""
    project = f"project {row['project']}" if row["project"] else "no project"
    said = clause.words.format(wanted=clause.wanted, date=day(row["at"]), kind=kind, project=project,
                               status=row["status"], recorded=day(row["recorded"]))  # fmt: skip
    if clause.name != RETIRED:
        return Again("not_asked", f"not asked: {said}")
    return Again("retired", f"not shown: {said} ({row['why']})" if row["why"] else f"not shown: {said}")


def unmet(db: sqlite3.Connection, question: Question, recalled: Recalled, missed: Missed) -> str:
    """Why something that may be shown was not among what is considered."""
    if missed.type == "entry" and question.scope == "all" and recalled.question.scope == "memories":
        return "entries were not looked at, for a memory has most of the question's words"
    terms = recalled.query_features.terms
    shared = [term for term in terms if has_word(db, missed, term)]
    near = f"it is not among the {NEAREST_BY_MODEL} nearest by meaning"
    if shared:
        most = question.effort.most_memories if missed.type == "memory" else question.effort.most_entries
        words = ", ".join(shared[:WORDS_SHOWN])
        return f"it shares {words} with the question, but {most} others meet it better by words, and {near}"
    return f"it shares no word with the question ({', '.join(terms[:WORDS_SHOWN])}), and {near}"


def has_word(db: sqlite3.Connection, missed: Missed, term: str) -> bool:
    """Whether full text has a word, in any of its forms, for this memory or entry."""
    if missed.type == "entry":
        return bool(grams.holders(db, "entry_fts", term, str(missed.id)))
    current = f"select id from memory_versions where memory_id = {missed.id} and recorded_to is null"
    return bool(grams.holders(db, "memory_fts", term, current))
