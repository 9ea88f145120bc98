"""What the user says in two projects, and so wants wherever they work.

In: a claim of the user that is new to its project, and the memories of other projects. Out: a `Decision` that makes the
memory of the other project hold everywhere, or the decision as it was. Invariants: only the user's own words count, in
both projects; a text with a value that belongs to a project (a path, link, version, port) stays where it is; a
memory that a person locked is left alone; nothing is changed here.
"""

from __future__ import annotations

import sqlite3

from memory_db.gate.claims import USERS_KINDS, Claim, Decision
from memory_db.index.neighbours import NEAREST, rarest_terms
from memory_db.text.normalise import normalised
from memory_db.text.relations import DUPLICATE, Statement, relation
from memory_db.text.statements import reading
from memory_db.text.terms import match_any

GREATEST_NUMBER = 99
"""A number without a unit above this is taken for a port, an id or a year. Source: ours; "two spaces" is none."""

ELSEWHERE = f"""
select m.id, m.uid, m.kind, m.text, m.valid_from, p.name, p.canonical_path
from memory_fts f cross join memory_versions v on v.id = f.rowid
join memories m on m.id = v.memory_id join projects p on p.id = m.project_id
where memory_fts match :match and v.recorded_to is null and v.status = 'active' and v.scope = 'project'
    and m.project_id <> :project and m.lock_level = 'none' and m.origin in ('rules', 'model')
    and m.kind in ({", ".join(f"'{kind}'" for kind in USERS_KINDS)})
    and exists (select 1 from memory_sources s join entries e on e.id = s.entry_id
        where s.memory_id = m.id and e.kind = 'prompt' and e.role = 'user')
order by f.rank limit {4 * NEAREST}
"""
"""Memories of other projects in the user's words, the nearest first. Source of the number: ours; a statement is seldom
known in more projects than one, since the second sighting makes it hold everywhere."""

NAME = "select name from projects where id = ?"


def everywhere(db: sqlite3.Connection, claim: Claim, decision: Decision) -> Decision:
    """What is decided on a claim that the user made in another project too; else the decision that was made."""
    if decision.action != "add" or not may_hold_everywhere(db, claim):
        return decision
    terms = rarest_terms(db, claim.text)
    asked = {"match": match_any(terms), "project": claim.project_id}
    new = Statement(claim.text, claim.kind, "user", None, claim.said_at, by_user=True)
    for row in db.execute(ELSEWHERE, asked) if terms else ():
        found = relation(new, Statement(row["text"], row["kind"], "user", None, row["valid_from"]))
        if found is None or found.kind != DUPLICATE or is_bound(row["text"], row["name"]):
            continue
        reason = f"said in two projects, here and as {row['uid']} in {row['name']}: it holds everywhere; {found.reason}"
        return Decision("duplicate", row["id"], reason, relation=found, widens=True)
    return decision


def may_hold_everywhere(db: sqlite3.Connection, claim: Claim) -> bool:
    """Whether a claim is of what the user wants, in their words, and of nothing that belongs to its project."""
    if claim.role != "user" or claim.scope != "project" or claim.kind not in USERS_KINDS:
        return False
    row = db.execute(NAME, [claim.project_id]).fetchone()
    return row is not None and not is_bound(claim.text, row["name"])


def is_bound(text: str, project: str) -> bool:
    """Whether a text names its project, or a value that belongs to one."""
    if project and f" {normalised(project)} " in f" {normalised(text)} ":
        return True
    values = reading(text).values
    return any(not value.isdecimal() or (sort == "" and int(value) > GREATEST_NUMBER) for sort, value in values)
