"""What a model would not keep of that which rules made of a conversation, counted against those memories.

In: the doubts of an answer. Out: rows of `evidence` of the kind `doubted`. Invariants: one a memory and model, however
often it reads; a dry run counts nothing; a doubt changes no memory by itself: the gate decides what becomes of it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from datetime import datetime

from memory_db.extract.model.answers import WHY_DOUBTED, Doubt
from memory_db.extract.model.chunks import Chunk
from memory_db.knowledge.evidence import add_evidence
from memory_db.knowledge.succession import PERSON
from memory_db.redact.clean import clean

DOUBTED = "doubted"
"""The kind of evidence."""

BY_MODEL = "model "
"""How the source of a model's doubt begins; the name of its prompt and its own follow."""

EMPTY = WHY_DOUBTED["empty"]
"""What is doubted for its words alone: right, and not to be understood by itself."""

UNTOUCHED = f"""m.status = 'active' and m.origin = 'rules' and m.kind <> 'episode' and m.lock_level = 'none'
    and (select count(*) from memory_sources s where s.memory_id = m.id) = 1
    and not exists (select 1 from memory_versions v where v.memory_id = m.id and v.changed_by = '{PERSON}')
    and not exists (select 1 from memory_versions v where v.memory_id = m.id and v.text <> m.text)
    and not exists (select 1 from evidence e where e.memory_id = m.id and e.withdrawn_at is null
        and e.kind not in ('stated', 'backed', 'ignored', '{DOUBTED}'))
    and not exists (select 1 from edges g
        where m.id in (g.from_memory_id, g.to_memory_id) and g.created_by = '{PERSON}')
    and not exists (select 1 from proposals p where m.id in (p.memory_id, p.other_memory_id) and p.state <> 'open')
    and not exists (select 1 from contradictions x where m.id in (x.memory_id, x.other_memory_id)
        and x.state = 'resolved')"""
"""Which memories `m` rules made of one quote, with nothing since that bears them out: no person, no second sighting,
no other words, and nothing that came of them."""

MEMORY = """
select m.id, min(s.entry_id) as entry_id from memories m join memory_sources s on s.memory_id = m.id
where m.uid = ? and m.status = 'active' group by m.id
"""

IS_DRY_RUN = "select is_dry_run from extraction_runs where id = ?"


def note_doubts(
    db: sqlite3.Connection, portion: Chunk, doubts: Sequence[Doubt], method: str, run_id: int, *, now: datetime
) -> int:
    """Counts the doubts of an answer, as those of the prompt and model `method`; how many were new."""
    if db.execute(IS_DRY_RUN, [run_id]).fetchone()["is_dry_run"]:
        return 0
    source, new = clean(BY_MODEL + method)[0], 0
    for doubt in doubts:
        row = db.execute(MEMORY, [doubt.uid]).fetchone()
        if row is not None:
            new += add_evidence(
                db, row["id"], DOUBTED, None, None, source, created_at=portion.said[-1].created_at, now=now,
                entry_id=row["entry_id"], note=WHY_DOUBTED[doubt.why],
            )  # fmt: skip
    return new
