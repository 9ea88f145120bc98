"""What the file said at a moment: a memory with all that belongs to it, and what was believed.

In: a file, uids, and moments as the file keeps them. Out: plain dicts. Invariants: nothing is written; time is the time
at which something was recorded here (when it was true stands beside it); what the file says now, it will say again for
this moment.
"""

from __future__ import annotations

import json
import re
import sqlite3
from typing import Any

from memory_db.errors import NotFoundError
from memory_db.knowledge.attributes import attributes_sql, sources_sql
from memory_db.knowledge.evidence_weights import EVIDENCE_WEIGHTS
from memory_db.knowledge.succession import no_memory
from memory_db.text.normalise import content_hash

VERSION_THEN = "v.recorded_from <= :moment and (v.recorded_to is null or v.recorded_to > :moment)"
"""Exactly one version of each memory that was recorded by then: one that held for no time is never met."""

COUNTED_THEN = "recorded_at <= :moment and (withdrawn_at is null or withdrawn_at > :moment)"

SUCCESSION_THEN = f"""
select o.uid, v.title, v.status, e.reason, e.created_by, e.created_at
from edges e join memories o on o.id = {{other}} join memory_versions v on v.memory_id = o.id and {VERSION_THEN}
where e.kind = 'supersedes' and {{own}} = :id and e.created_at <= :moment
    and (e.ended_at is null or e.ended_at > :moment)
order by e.created_at, e.id
"""

SOURCES_OF = """
select ms.quote, ms.created_at, e.uid as entry, e.role, e.kind, e.created_at as said_at, s.uid as session
from ({sources}) ms left join entries e on e.id = ms.entry_id left join sessions s on s.id = e.session_id
where ms.memory_id = :id order by ms.id
"""

BELIEFS = f"""
with held as (
    select v.memory_id, m.uid, v.kind, v.lock_level, m.origin, v.project_id
    from memory_versions v join memories m on m.id = v.memory_id where {VERSION_THEN} and {{which}}
),
counted as (
    select memory_id, total(weight_for) as weight_for, total(weight_against) as weight_against,
        sum(is_for) as evidence_for, sum(is_against) as evidence_against, sum(is_use) as times_used, max(said) as said
    from ({EVIDENCE_WEIGHTS}) where {COUNTED_THEN} and memory_id in (select memory_id from held) group by memory_id
),
tiered as (
    select h.*, case when lock_level = 'user' or origin = 'user' or said = 2 then 'explicit'
            when said = 1 then 'signals' else 'inferred' end as tier,
        coalesce(weight_for, 0) as weight_for, coalesce(weight_against, 0) as weight_against,
        coalesce(evidence_for, 0) as evidence_for, coalesce(evidence_against, 0) as evidence_against,
        coalesce(times_used, 0) as times_used
    from held h left join counted c on c.memory_id = h.memory_id
),
summed as (
    select t.*, k.prior_alpha * f.prior_factor as prior_alpha, k.prior_beta,
        k.prior_alpha * f.prior_factor + weight_for as alpha, k.prior_beta + weight_against as beta
    from tiered t join kinds k on k.name = t.kind join tiers f on f.name = t.tier
)
select memory_id, uid, kind, tier, prior_alpha, prior_beta, alpha, beta, alpha / (alpha + beta) as confidence,
    alpha * beta / ((alpha + beta) * (alpha + beta) * (alpha + beta + 1)) as variance, evidence_for, evidence_against,
    times_used
from summed order by memory_id
"""
"""As the view `beliefs`, with what was recorded by a moment. Priors are those of today: older ones are not kept."""

STEPPED_ASIDE = re.compile(r" \(withdrawn, \d+\)$")
"""How evidence that was withdrawn makes room for the same that counts again."""


def beliefs_as_of(db: sqlite3.Connection, moment: str, uid: str | None = None) -> dict[str, dict[str, Any]]:
    """What was believed at a moment, by uid: the columns of the view `beliefs`, of one memory or of all."""
    rows = db.execute(BELIEFS.format(which="true" if uid is None else "m.uid = :uid"), {"moment": moment, "uid": uid})
    return {row["uid"]: dict(row) for row in rows}


def memory_as_of(db: sqlite3.Connection, uid: str, moment: str) -> dict[str, Any]:
    """A memory with all that was known of it at a moment, in the form of `memories.get_memory`.

    Raises: NotFoundError for one that was not recorded by then.
    """
    asked: dict[str, Any] = {"uid": uid, "moment": moment}
    row = db.execute(
        "select m.*, p.name as project, p.canonical_path, v.id as version_id from memories m"
        f" join memory_versions v on v.memory_id = m.id and {VERSION_THEN}"
        " left join projects p on p.id = v.project_id where m.uid = :uid",
        asked,
    ).fetchone()
    if row is None:
        raise NotFoundError(not_yet(db, uid, moment))
    asked["id"] = row["id"]
    version = db.execute("select * from memory_versions where id = ?", [row["version_id"]]).fetchone()
    values: dict[str, Any] = {name: version[name] if name in version.keys() else row[name] for name in row.keys()}  # noqa: SIM118  # a Row
    del values["version_id"]
    values |= {"id": row["id"], "updated_at": version["recorded_from"], "content_hash": content_hash(version["text"])}

    def rows(sql: str) -> list[dict[str, Any]]:
        return [dict(found) for found in db.execute(sql, asked)]

    def part(name: str) -> list[str]:
        sql = f"select value from ({attributes_sql(name, moment)}) where memory_id = :id order by value"
        return [found["value"] for found in rows(sql)]

    versions = rows("select * from memory_versions where memory_id = :id and recorded_from <= :moment order by version")
    evidence = rows("select * from evidence where memory_id = :id and recorded_at <= :moment order by created_at, id")
    return values | {
        "keys": json.loads(values["keys"]),
        "paths": part("path"),
        "tags": part("tag"),
        "replaces": rows(SUCCESSION_THEN.format(other="e.to_memory_id", own="e.from_memory_id")),
        "replaced_by": rows(SUCCESSION_THEN.format(other="e.from_memory_id", own="e.to_memory_id")),
        "versions": [unended(each, "recorded_to", moment) for each in versions],
        "sources": rows(SOURCES_OF.format(sources=sources_sql(moment))),
        "evidence": [unended(each, "withdrawn_at", moment) for each in evidence],
        "belief": beliefs_as_of(db, moment, uid).get(uid),
    }


def not_yet(db: sqlite3.Connection, uid: str, moment: str) -> str:
    """Why a memory cannot be shown as of a moment, in words."""
    first = db.execute(
        "select min(v.recorded_from) from memory_versions v join memories m on m.id = v.memory_id where m.uid = ?",
        [uid],
    ).fetchone()[0]
    if first is None:
        return str(no_memory(uid))
    return f"Memory {uid} was not recorded by {moment}: that was at {first}. Name a later moment."


def unended(row: dict[str, Any], column: str, moment: str) -> dict[str, Any]:
    """A row without an end that came after the moment."""
    if row[column] is None or row[column] <= moment:
        return row
    open_again: dict[str, Any] = {column: None}
    if "source" in row:
        open_again["source"] = STEPPED_ASIDE.sub("", row["source"])
    return row | open_again
