"""What an item that was undone still needs in order to wait, and batches of which something was undone by itself.

In: names of items, numbers of decisions. Out: a line for a person; the marks in `review_batches`. Invariant: a batch
says of each of its items whether that is undone, by whatever command it was.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection
from datetime import datetime

from memory_db.store.dates import utc_text

OUT_OF_USE = """
select m.uid, m.status from memories m join (
    select 'p' || id as item, memory_id, other_memory_id from proposals
    union all select 'x' || id, memory_id, other_memory_id from contradictions
) pair on m.id in (pair.memory_id, pair.other_memory_id)
where pair.item = ? and m.status <> 'active'
order by m.id limit 1
"""

CHANGED_BY = """
select b.id from review_batches b, json_each(b.items) item
left join decisions d on d.id = json_extract(item.value, '$.decision')
left join proposals p on 'p' || p.id = json_extract(item.value, '$.item')
left join contradictions c on 'x' || c.id = json_extract(item.value, '$.item')
where not json_extract(item.value, '$.undone')
    and exists (select 1 from json_each(coalesce(d.effects, p.effects, c.effects, '{}'), '$.changed') where key = ?)
order by b.id desc limit 1
"""

NOT_UNDONE = "select id, items from review_batches where undone_at is null order by id desc"


def held_back_by(db: sqlite3.Connection, item: str) -> str:
    """Why an open proposal or contradiction does not wait: which memory is out of use, and how it comes back.

    Empty where it waits.
    """
    if db.execute("select 1 from review_queue where item = ?", [item]).fetchone():
        return ""
    row = db.execute(OUT_OF_USE, [item]).fetchone()
    if row is None:
        return ""
    batch = db.execute(CHANGED_BY, [row["uid"]]).fetchone()
    if batch:
        how = f"`memory-db review undo {batch['id']}`"
    elif row["status"] == "retired":
        how = f"`memory-db memory restore {row['uid']}`"
    else:
        how = f"`memory-db memory get {row['uid']}` shows what replaced it"
    return f"waits only when memory {row['uid']}, which is {row['status']}, holds again: {how}"


def note_undone(db: sqlite3.Connection, names: Collection[str], decisions: Collection[int], *, now: datetime) -> None:
    """Marks what was undone by itself in the newest batch that it was decided in. Within a transaction of the caller.

    A candidate goes by the number of its decision, all else by its name.
    """
    left = {*names, *decisions}
    for row in db.execute(NOT_UNDONE).fetchall() if left else ():
        items = json.loads(row["items"])
        mine = [each for each in items if not each["undone"] and (each["decision"] or each["item"]) in left]
        for each in mine:
            each["undone"] = True
            left.discard(each["decision"] or each["item"])
        if mine:
            done_at = utc_text(now) if all(each["undone"] for each in items) else None
            values = [json.dumps(items), done_at, row["id"]]
            db.execute("update review_batches set items = ?, undone_at = ? where id = ?", values)
