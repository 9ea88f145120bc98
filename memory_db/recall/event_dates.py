"""The event that a question measures time by: "before we moved to pnpm", "since the switch to uv".

In: a question. Out: the memory or entry that tells of the event, and when it was. Invariant: what tells of it holds
every distinctive word of the clause and a word of change, or is a decision; where nothing does, there is no event, and
nothing is guessed.
"""

from __future__ import annotations

import re
import sqlite3
from dataclasses import dataclass
from datetime import datetime

from memory_db.recall.question import Question
from memory_db.redact.clean import clean
from memory_db.store.dates import normal_utc, utc_text
from memory_db.text.terms import STOP_WORDS, WORD

CHANGES = tuple(
    "move switch migrate replace adopt introduce upgrade rename remove drop convert rewrite retire deprecate split"
    " merge change add port disable enable start stop".split()
)
"""Verbs of change; full text compares stems, so that moved, moving and migration are found by these too."""

CHANGED = (
    "moved|switched|migrated|replaced|adopted|introduced|upgraded|renamed|removed|dropped|converted|rewrote|retired"
    "|deprecated|split|merged|changed|added|ported|disabled|enabled|started|stopped|went"
)
"""The verbs as told of the past: "when we add a user" tells of no event."""

REST = r"(?:(?!\b(?:what|where|which|who|why|how|did|does|do|is|was|were|should|can)\b)[^?.,;:!\n])*"
"""What still belongs to the clause: up to a stop, or to where the question itself begins."""

CLAUSE = re.compile(
    r"\b(?:(?P<bound>before|after|since|until)\s+(?P<clause>"
    rf"(?:we|i|they|you|it|the|our|this|[\w-]+)\s+(?:[\w-]+\s+){{0,4}}?(?:{CHANGED})\b{REST}"
    r"|(?:the|our)\s+(?:move|switch|migration|upgrade|change|rewrite|port|conversion|rename|split)"
    rf"\s+(?:to|from|of|into|onto)\b{REST}"
    rf"|(?:moving|switching|migrating|upgrading)\s+(?:to|from|off)\b{REST})"
    rf"|(?P<at>when|once)\s+(?P<done>(?:we|i|they)\s+(?:{CHANGED})\b{REST}))",
    re.IGNORECASE,
)

SAID_OF_CHANGE = frozenset(
    f"{' '.join(CHANGES)} {CHANGED.replace('|', ' ')} went moving switching migrating upgrading migration upgrade"
    " conversion using use everything project repo code".split()
)
"""Words of a clause that do not tell what changed."""

MOST_WORDS = 4
"""Distinctive words of a clause that are asked for. Source: ours; what follows is seldom still the event."""

MEMORIES = """
select m.uid, v.valid_from
from memory_fts f cross join memory_versions v on v.id = f.rowid join memories m on m.id = v.memory_id
where memory_fts match :match and v.valid_from <= :moment and v.status in ('active', 'superseded')
    and (:as_of is null or v.recorded_from <= :as_of) and (v.recorded_to is null or v.recorded_to > :as_of)
    and (:project is null or v.project_id is null or v.project_id = :project or v.scope = 'user')
    and (:of_decisions = 0 or v.kind in ('decision', 'convention'))
order by v.project_id is not :project, f.rank, v.valid_from limit 1
"""

ENTRIES = """
select e.uid, e.created_at
from entry_fts f cross join entries e on e.id = f.rowid join sessions s on s.id = e.session_id
where entry_fts match :match and e.created_at <= :moment and e.kind in ('prompt', 'reply', 'summary')
    and (:project is null or s.project_id is null or s.project_id = :project) and instr(e.text, '?') = 0
order by e.created_at limit 1
"""
"""The first entry that tells of it: later ones look back at it."""


@dataclass(frozen=True, slots=True)
class DatedEvent:
    """What a clause speaks of: the uid of what tells of it, when it was, how the question is bound to it."""

    uid: str
    happened_at: str
    bound: str
    words: str


def find_event(db: sqlite3.Connection, question: Question, moment: datetime) -> DatedEvent | None:
    """The event that a question measures time by, as far as the file knows of it at that moment."""
    found = CLAUSE.search(question.query[:1_000])
    if found is None:
        return None
    words = [word for word in WORD.findall((found["clause"] or found["done"]).casefold())
             if word not in STOP_WORDS and word not in SAID_OF_CHANGE][:MOST_WORDS]  # fmt: skip
    if not words:
        return None
    distinctive = " AND ".join(f'"{word}"' for word in words)
    of_change = f"{distinctive} AND ({' OR '.join(CHANGES)})"
    as_of = question.filters.as_of and normal_utc(question.filters.as_of)
    asked: dict[str, object] = {"moment": utc_text(moment), "as_of": as_of, "project": question.project_id}
    for sql, match, of_decisions in ((MEMORIES, of_change, 0), (MEMORIES, distinctive, 1), (ENTRIES, of_change, 0)):
        row = db.execute(sql, {**asked, "match": match, "of_decisions": of_decisions}).fetchone()
        if row:
            return DatedEvent(row[0], row[1], (found["bound"] or "when").lower(), clean(found.group().strip())[0])
    return None
