"""Procedures kept up to date: made again for each project in which commands were run, changed or forgotten since.

In: actions, already redacted. Out: rows of `procedures` and `procedure_actions`, and how far each project was read.
Invariants: a second run changes no row; a procedure keeps its uid for as long as its command does; only what an agent
ran in a person's own session counts, not what a subagent did.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping

from memory_db.knowledge.procedure_steps import Ran, steps_of
from memory_db.knowledge.procedures import Procedure, procedures_of, uid_of
from memory_db.store.connection import transaction

RULES_VERSION = 2
"""Raised when the rules that make procedures change, so that every project is read again."""

STATES = f"""
select s.project_id, '{RULES_VERSION} ' || count(*) || ' ' || max(a.id) || ' ' || count(a.is_error) || ' '
    || coalesce(sum(a.is_error), 0) || ' ' || coalesce(sum(length(a.target)), 0) || ' ' || (select count(*)
    from project_aliases p where p.project_id = s.project_id)
from sessions s join actions a on a.session_id = s.id
where s.project_id is not null and a.tool = 'Bash' group by s.project_id
"""
"""What there is to read in each project: any new, changed or emptied command changes the text. An index covers it."""

MADE = """
select d.project_id, count(*) || ' ' || sum(successes) || ' ' || sum(length(command)) || ' ' || (select count(*)
    from procedure_actions l join procedures p on p.id = l.procedure_id where p.project_id = d.project_id)
from procedures d group by d.project_id
"""
"""What there is of each project's procedures: what somebody took out by hand is made again."""

COMMANDS = """
select a.id, a.session_id, a.target, a.is_error, coalesce(a.excerpt, ''), a.created_at
from sessions s join actions a on a.session_id = s.id join entries e on e.id = a.entry_id
where s.project_id = ? and s.parent_session_id is null and a.tool = 'Bash' and e.is_sidechain = 0
    and a.is_error is not null and a.target is not null and length(a.target) < 1000
order by a.session_id, a.created_at, a.id
"""
"""Commands with a known end. One that fills its column was cut: it is data with a command in front."""

ROOTS = """
select canonical_path from projects where id = :project
union all select path from project_aliases where project_id = :project
"""

VALUES = (
    "command", "successes", "failures", "failures_since", "first_success_at", "last_success_at", "last_used_at",
    "recent_uses", "preceded_by", "preceded_count", "failed_before",
)  # fmt: skip
"""Columns of a procedure that follow from its actions."""

INSERT = f"""
insert into procedures (uid, project_id, purpose, normal_form, {", ".join(VALUES)})
values ({", ".join("?" * (4 + len(VALUES)))})
"""

UPDATE = f"update procedures set {', '.join(f'{name} = ?' for name in VALUES)} where id = ?"

PROGRESS = """
insert into procedure_progress (project_id, read_to) values (?, ?)
on conflict (project_id) do update set read_to = excluded.read_to
"""


def refresh(db: sqlite3.Connection) -> int:
    """Makes the procedures of every project in which something changed: how many were made, changed or removed."""
    there = dict(map(tuple, db.execute(STATES)))
    known = dict(map(tuple, db.execute("select project_id, read_to from procedure_progress")))
    made = made_of(db)
    changed = 0
    for project_id in sorted(there.keys() | known.keys()):
        if known.get(project_id) != f"{there.get(project_id)}, {made.get(project_id, '')}":
            changed += refresh_project(db, project_id, there.get(project_id))
    return changed


def made_of(db: sqlite3.Connection) -> dict[int, str]:
    """What there is of procedures, by project."""
    return dict(map(tuple, db.execute(MADE)))


def refresh_project(db: sqlite3.Connection, project_id: int, state: str | None) -> int:
    """The same of one project, in which there is nothing to read without a state. The lock is taken for writing alone.

    What changes while it is read has another state than the one that is noted, and so is read again.
    """
    roots = [row[0] for row in db.execute(ROOTS, {"project": project_id})]
    runs = (Ran(row[0], row[1], row[2], bool(row[3]), row[4], row[5]) for row in db.execute(COMMANDS, [project_id]))
    made = {(each.purpose, each.normal_form): each for each in procedures_of(steps_of(runs, roots))}
    with transaction(db):
        rows = db.execute("select * from procedures where project_id = ? order by id", [project_id]).fetchall()
        there = {(row["purpose"], row["normal_form"]): row for row in rows}
        gone = [row["id"] for key, row in there.items() if key not in made]
        db.executemany("delete from procedures where id = ?", [(each,) for each in gone])
        changed = len(gone)
        for key, procedure in made.items():
            changed += store(db, project_id, roots[0], procedure, there.get(key))
        if state is None:
            db.execute("delete from procedure_progress where project_id = ?", [project_id])
        else:
            db.execute(PROGRESS, [project_id, f"{state}, {made_of(db).get(project_id, '')}"])
    return changed


def store(
    db: sqlite3.Connection, project_id: int, path: str, procedure: Procedure, row: Mapping[str, object] | None
) -> bool:
    """Writes a procedure and what it rests on, as far as they are not so already; whether they were not."""
    values = [getattr(procedure, name) for name in VALUES[:-1]]
    values.append(json.dumps(procedure.failed_before, ensure_ascii=False))
    if row is None:
        head = [free_uid(db, path, procedure), project_id, procedure.purpose, procedure.normal_form]
        procedure_id = db.execute(INSERT, [*head, *values]).lastrowid
    else:
        procedure_id = int(str(row["id"]))
    links = "select action_id, position, outcome from procedure_actions where procedure_id = ?"
    known = {tuple(link) for link in db.execute(links, [procedure_id])}
    wanted = set(procedure.actions)
    is_same = row is not None and [row[name] for name in VALUES] == values
    if is_same and known == wanted:
        return False
    if row is not None and not is_same:
        db.execute(UPDATE, [*values, procedure_id])
    db.executemany(
        "delete from procedure_actions where procedure_id = ? and action_id = ? and position = ? and outcome = ?",
        [(procedure_id, *link) for link in sorted(known - wanted)],
    )
    db.executemany(
        "insert into procedure_actions (procedure_id, action_id, position, outcome) select ?, id, ?, ? from actions"
        " where id = ?",
        [(procedure_id, position, outcome, action_id) for action_id, position, outcome in sorted(wanted - known)],
    )
    return True


def free_uid(db: sqlite3.Connection, path: str, procedure: Procedure) -> str:
    """The uid of a procedure; another one where two should ever have the same."""
    uid, number = uid_of(path, procedure), 1
    while db.execute("select 1 from procedures where uid = ?", [uid]).fetchone():
        number += 1
        uid = uid_of(f"{path}#{number}", procedure)
    return uid
