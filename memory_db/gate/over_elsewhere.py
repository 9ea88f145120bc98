"""What the user says in one project that ends what a memory of another one says: it waits before them there.

In: a claim of the user that became a memory, and the memories of other projects. Out: a candidate of the other project
that waits. Invariants: only the user's own words count, and only what they themselves call over; without the other
project's name, or "both", the thing has to be a rare name that one project alone knows; nothing is replaced here.
"""

from __future__ import annotations

import re
import sqlite3
from dataclasses import dataclass
from hashlib import sha256

from memory_db.extract.files.facts import is_of_file
from memory_db.gate.asked_changes import KEEPS
from memory_db.gate.claims import A_PERSON, Claim, Decision
from memory_db.text.change_markers import marks
from memory_db.text.normalise import normalised
from memory_db.text.opposites import GROUP_OF
from memory_db.text.pair_tests import IN_PART
from memory_db.text.relations import PAST, SUPERSEDES, Relation, Statement, relation
from memory_db.text.statements import reading, stems
from memory_db.text.terms import match_any

BOTH = re.compile(
    r"\b(?:both|all(?: of)?(?: the| my| our| these)?|every) (?:two )?(?:projects?|repos?|repositor(?:y|ies))\b"
)
"""How a statement says that it holds in further projects."""

SAID = "explicit"
"""The test of relations by which a text says itself that something is over."""

MOST_KNOWN = 3
"""Memories elsewhere that may name what is over, for the name to be a rare one. Source: ours."""

FEWEST_CHARACTERS = 5
"""Characters of a name that is no word of every text. Source: ours."""

NAMING = f"""
select m.id, m.uid, m.kind, m.text, m.project_id, m.valid_from, p.name, p.canonical_path
from memory_fts f cross join memory_versions v on v.id = f.rowid
join memories m on m.id = v.memory_id join projects p on p.id = m.project_id
where memory_fts match :match and v.recorded_to is null and v.status = 'active' and v.scope = 'project'
    and m.project_id <> :project and m.lock_level = 'none'
order by f.rank limit {4 * MOST_KNOWN}
"""

COPY = """
insert or ignore into candidates (uid, extraction_run_id, entry_id, session_id, project_id, kind, scope, title, text,
    quote, keys, paths, tags, importance, rule, created_at, condition, is_quote_found)
select :uid, extraction_run_id, entry_id, session_id, :project, kind, scope, title, text,
    quote, keys, '[]', tags, importance, rule, created_at, condition, is_quote_found
from candidates where id = :candidate
"""
"""The candidate once more, as one of the other project, without the paths of its own."""

IS_ASKED = """
select 1 from decisions d join candidates c on c.id = d.candidate_id
where d.memory_id = :memory and d.action = 'propose' and c.project_id = :project and c.text = :text
"""


@dataclass(slots=True, frozen=True)
class Over:
    """A memory of another project that is over by a claim, and how the claim stands to it."""

    memory_id: int
    uid: str
    project_id: int
    path: str
    relation: Relation


def over_elsewhere(db: sqlite3.Connection, claim: Claim, decision: Decision) -> Over | None:
    """The memory of another project that a claim ends; None where that is not one project's alone."""
    is_told = claim.role == "user" and claim.scope == "project" and claim.kind not in PAST
    gone = marks(claim.text).gone if is_told and decision.action in KEEPS and not is_of_file(claim.rule) else ()
    words = tuple(dict.fromkeys(word for phrase in gone for word in re.findall(r"\w+", phrase)))
    if not words:
        return None
    rows = db.execute(NAMING, {"match": match_any(words), "project": claim.project_id}).fetchall()
    found = [over for row in rows if (over := ended(claim, row, gone, len(rows))) is not None]
    return found[0] if len({over.project_id for over in found}) == 1 else None


def ended(claim: Claim, row: sqlite3.Row, gone: tuple[str, ...], known: int) -> Over | None:
    """A memory of another project as over by a claim; None where it may well hold."""
    said = f" {normalised(claim.text)} "
    is_meant = f" {normalised(row['name'])} " in said or BOTH.search(claim.text.casefold()) is not None
    if not is_meant and (known > MOST_KNOWN or not is_rare(claim, row["text"], gone)):
        return None
    new = Statement(claim.text, claim.kind, "project", row["project_id"], claim.said_at, by_user=True)
    found = relation(new, Statement(row["text"], row["kind"], "project", row["project_id"], row["valid_from"]))
    is_later = not claim.said_at or claim.said_at >= row["valid_from"]
    if found is None or not is_later or found.test not in (SAID, IN_PART):
        return None
    return Over(row["id"], row["uid"], row["project_id"], row["canonical_path"], found)


def is_rare(claim: Claim, text: str, gone: tuple[str, ...]) -> bool:
    """Whether what is over is a name of its own, and both texts have to do with each other besides."""
    own = {word for phrase in gone for word in re.findall(r"\w+", phrase)}
    names = {word for word in own if len(word) >= FEWEST_CHARACTERS and not word.isdigit() and word not in GROUP_OF}
    besides = (reading(claim.text).terms & reading(text).terms) - frozenset(stems(" ".join(own)))
    return bool(besides) and any(re.search(rf"\b{re.escape(name)}\b", text.casefold()) for name in names)


def copied(db: sqlite3.Connection, candidate: sqlite3.Row, claim: Claim, over: Over) -> tuple[int, Decision] | None:
    """A claim as a candidate of the other project, and the decision that it waits; None where it does already."""
    asked = {"memory": over.memory_id, "project": over.project_id, "text": claim.text}
    if db.execute(IS_ASKED, asked).fetchone():
        return None
    uid = sha256(f"{candidate['uid']}\x1f{over.path}".encode()).hexdigest()
    cursor = db.execute(COPY, {"uid": uid, "project": over.project_id, "candidate": candidate["id"]})
    if not cursor.rowcount:
        return None
    would = "supersede" if over.relation.kind == SUPERSEDES else "contradicts"
    reason = f"said in another project, and {over.uid} may be over by it: it {over.relation.reason}"
    decision = Decision("propose", over.memory_id, reason, would, A_PERSON, relation=over.relation)
    return int(cursor.lastrowid or 0), decision
