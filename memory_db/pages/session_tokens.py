"""What a session cost in tokens: in all, by turn, and by the call that wrote an entry.

In: a connection that reads, a session's id, the ids of entries. Out: plain dicts. Invariants: what the transcript has
no usage for is not guessed; a call counts once, in the turn of the prompt before it.
"""

from __future__ import annotations

import json
import sqlite3
from typing import Any

DEAREST = 8
"""Turns that are listed, those with most tokens first."""

SUMS = """
count(*) as calls, sum(k.input_tokens) as fresh_tokens, sum(k.cache_read_tokens) as cache_read_tokens,
sum(k.cache_write_5m_tokens + k.cache_write_1h_tokens) as cache_write_tokens, sum(k.output_tokens) as output_tokens,
sum(k.input_tokens + k.cache_read_tokens + k.cache_write_5m_tokens + k.cache_write_1h_tokens) as input_tokens,
sum(k.cost_nanocents) as cost_nanocents, sum(k.cost_nanocents is null) as calls_without_price
"""

NUMBERS = (
    "calls", "fresh_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens", "input_tokens",
    "cost_nanocents", "calls_without_price",
)  # fmt: skip

TOTAL = f"select {SUMS} from call_costs k where k.session_id = ?"

TALK = """
select e.id, e.uid, e.kind = 'prompt' and e.is_sidechain = 0 as begins,
    iif(e.kind = 'prompt', substr(e.text, 1, 90), '') as prompt
from session_entries se cross join entries e on e.id = se.entry_id where se.session_id = ? order by se.position, e.id
"""

SPENT = f"""
select c.entry_id, {SUMS} from call_costs k cross join api_calls c on c.id = k.api_call_id
where k.session_id in (select e.session_id from session_entries se join entries e on e.id = se.entry_id
    where se.session_id = ?) and c.entry_id is not null
group by c.entry_id
"""
"""The calls of a session that goes on from another one belong to that: they are found by the entries they share."""

CALLS = f"""
select c.entry_id, k.model, {SUMS} from call_costs k join api_calls c on c.id = k.api_call_id
where k.session_id in (select session_id from entries where id in (select value from json_each(?1)))
    and c.entry_id in (select value from json_each(?1))
group by c.entry_id, k.model
"""


def total(db: sqlite3.Connection, session_id: int) -> dict[str, Any]:
    """The tokens of all calls of a session, by sort, with cost; `calls` is 0 where the transcript tells none."""
    return dict(db.execute(TOTAL, [session_id]).fetchone())


def turns(db: sqlite3.Connection, session_id: int) -> list[dict[str, Any]]:
    """The turns in order, each from a prompt to the next, with the sums of their calls; those without calls are not."""
    spent = {row["entry_id"]: dict(row) for row in db.execute(SPENT, [session_id])}
    if not spent:
        return []
    found: list[dict[str, Any]] = []
    for entry in db.execute(TALK, [session_id]):
        if entry["begins"]:
            begun = {"turn": len(found) + 1, "entry": entry["uid"], "entry_id": entry["id"], "prompt": entry["prompt"]}
            found.append(begun | dict.fromkeys(NUMBERS))
        if found and entry["id"] in spent:
            for name in NUMBERS:
                if (number := spent[entry["id"]][name]) is not None:
                    found[-1][name] = (found[-1][name] or 0) + number
    return [turn for turn in found if turn["calls"]]


def dearest(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The turns with most tokens, first the one with most."""
    return sorted(found, key=lambda turn: (-turn["input_tokens"] - turn["output_tokens"], turn["turn"]))[:DEAREST]


def calls(db: sqlite3.Connection, entry_ids: list[int]) -> dict[int, list[dict[str, Any]]]:
    """The calls that wrote entries, by entry and model."""
    found: dict[int, list[dict[str, Any]]] = {}
    for row in db.execute(CALLS, [json.dumps(entry_ids)]):
        told = dict(row)
        found.setdefault(told.pop("entry_id"), []).append(told)
    return found
