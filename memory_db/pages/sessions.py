"""A session as it was said: its entries a page at a time, and in the margin what came of each.

In: a connection that reads, a session's uid, a page. Out: a plain dict for the template and for JSON. Invariant: an
entry stands where its session had it, and everything that names it (a memory's quote, a hit, a recall) can lead to it.
"""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from typing import Any

from memory_db.errors import InputError, NotFoundError
from memory_db.pages import session_tokens
from memory_db.pages.reading import rows
from memory_db.store.findable import findable

ENTRIES_A_PAGE = 40
"""Source: ours; forty entries of up to `TEXT_CHARACTERS` characters stay below 150 kB with their frame."""

TEXT_CHARACTERS = 2_400
"""How much of one entry a page has; the row has all of it."""

TOOL_CHARACTERS = 800
"""The same for what a tool was given or gave back, which is mostly of no interest."""

TOOLS = ("tool_call", "tool_result")

SESSION = """
select u.*, s.cwd, s.agent_version, p.canonical_path, o.outcome, o.score as outcome_score, o.reason as outcome_reason,
    c.uid as continued_from, f.uid as parent,
    (select count(*) from recalls r where r.session_id = s.id or r.session_uid = s.uid) as recalls
from session_summaries u join sessions s on s.id = u.session_id
left join projects p on p.id = s.project_id
left join session_outcomes o on o.session_id = s.id
left join sessions c on c.id = s.continued_from_id
left join sessions f on f.id = s.parent_session_id
where u.session_id = ?
"""

ENTRIES = f"""
select e.id, e.uid, e.role, e.kind, e.is_sidechain, e.model, e.text, e.image_count, e.created_at, se.position,
    row_number() over (order by se.position, e.id) as number
from session_entries se join entries e on e.id = se.entry_id
where se.session_id = ? and {findable("e")} order by se.position, e.id limit ? offset ?
"""

COUNT = f"""
select count(*) from session_entries se join entries e on e.id = se.entry_id
where se.session_id = ? and {findable("e")}
"""

PLACE = f"""
{COUNT} and (se.position, e.id) < (select t.position, t.entry_id from session_entries t join entries n on n.id =
    t.entry_id where t.session_id = ?1 and n.uid = ?2)
"""

HAS = """
select 1 from session_entries se join entries e on e.id = se.entry_id where se.session_id = ? and e.uid = ?
"""

MADE = """
select q.entry_id, m.uid, m.title, m.kind, m.status, q.quote from memory_sources q join memories m on m.id = q.memory_id
where q.entry_id in (select value from json_each(?)) order by q.id
"""

ACTIONS = """
select entry_id, result_entry_id, tool, target, is_error from actions
where entry_id in (select value from json_each(?)) order by id
"""

CITED = """
select v.entry_id, v.kind, v.direction, m.uid, m.title from evidence v join memories m on m.id = v.memory_id
where v.entry_id in (select value from json_each(?)) and v.kind not in ('stated', 'repeated') and v.withdrawn_at is null
order by v.id
"""

RECALLS = """
select r.id, r.uid, r.query, r.surface, r.asked_at, r.abstained, r.shown_tokens,
    (select count(*) from hits h where h.recall_id = r.id and h.rank is not null) as shown
from recalls r where (r.session_id = :id or r.session_uid = :uid) and (:first is null or r.asked_at >= :first)
    and (:last is null or r.asked_at < :last) order by r.asked_at, r.id
"""


def session(db: sqlite3.Connection, uid: str, fields: dict[str, list[str]]) -> dict[str, Any]:
    """One page of a session; field `page` says which, or `entry` names one that it has to show.

    Raises: NotFoundError, InputError.
    """
    # The id is looked up first: the view is of one session only where its number is known.
    named = db.execute("select id from sessions where uid = ?", [uid]).fetchone()
    known = rows(db, SESSION, [named["id"]]) if named else []
    if not known:
        raise NotFoundError(f"No session {uid[:80]!r}. The table session_summaries lists them.")
    about = known[0]
    count = int(db.execute(COUNT, [about["session_id"]]).fetchone()[0])
    pages = max(1, -(-count // ENTRIES_A_PAGE))
    page = page_asked(db, about["session_id"], fields, pages)
    entries = rows(db, ENTRIES, [about["session_id"], ENTRIES_A_PAGE, (page - 1) * ENTRIES_A_PAGE])
    add_margin(db, entries)
    found = session_tokens.turns(db, about["session_id"])
    add_tokens(db, entries, found)
    add_recalls(db, about, entries, is_first=page == 1, is_last=page == pages)
    return {"session": about, "entries": entries, "count": count, "page": page, "pages": pages} | {
        "usage": (usage := session_tokens.total(db, about["session_id"])),
        "shared_calls": max(0, sum(turn["calls"] for turn in found) - usage["calls"]),
        "turns": len(found),
        "dearest": session_tokens.dearest(found),
    }


def page_asked(db: sqlite3.Connection, session_id: int, fields: dict[str, list[str]], pages: int) -> int:
    """The page that is asked for, from 1. Raises: InputError, NotFoundError."""
    if entry := "".join(fields.get("entry", [])[:1]):
        if db.execute(HAS, [session_id, entry]).fetchone() is None:
            raise NotFoundError(f"The session has no entry {entry[:80]!r}. Leave it out to see the session.")
        before = int(db.execute(PLACE, [session_id, entry]).fetchone()[0])
        return min(pages, before // ENTRIES_A_PAGE + 1)
    text = "".join(fields.get("page", [])[:1]) or "1"
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= pages:
        raise InputError(f"No page {text[:20]!r}. The session has pages 1 to {pages}.")
    return int(text)


def add_margin(db: sqlite3.Connection, entries: list[dict[str, Any]]) -> None:
    """Gives each entry what belongs to it: memories, tools, evidence; and cuts its text."""
    ids = json.dumps([entry["id"] for entry in entries])
    by_name: dict[str, dict[int, list[dict[str, Any]]]] = {}
    for name, sql in (("memories", MADE), ("actions", ACTIONS), ("evidence", CITED)):
        grouped: dict[int, list[dict[str, Any]]] = defaultdict(list)
        for row in rows(db, sql, [ids]):
            grouped[row.pop("entry_id")].append(row)
        by_name[name] = grouped
    for entry in entries:
        for name, grouped in by_name.items():
            entry[name] = grouped.get(entry["id"], [])
        entry["is_tool"] = entry["kind"] in TOOLS
        entry["characters"] = len(entry["text"])
        entry["text"] = entry["text"][: TOOL_CHARACTERS if entry["is_tool"] else TEXT_CHARACTERS]


def add_tokens(db: sqlite3.Connection, entries: list[dict[str, Any]], turns: list[dict[str, Any]]) -> None:
    """Gives each entry the calls that wrote it, and each prompt the sums of the turn that it began."""
    written = session_tokens.calls(db, [entry["id"] for entry in entries])
    begun = {turn["entry_id"]: turn for turn in turns}
    for entry in entries:
        entry["calls"] = written.get(entry["id"], [])
        entry["turn"] = begun.get(entry["id"])


def add_recalls(
    db: sqlite3.Connection, about: dict[str, Any], entries: list[dict[str, Any]], *, is_first: bool, is_last: bool
) -> None:
    """Puts each recall of the session under the last entry before it, and those before all under the first."""
    for entry in entries:
        entry["recalls"] = []
    if not entries:
        return
    span = {
        "id": about["session_id"],
        "uid": about["uid"],
        "first": None if is_first else entries[0]["created_at"],
        "last": None if is_last else entries[-1]["created_at"],
    }
    for recall in rows(db, RECALLS, span):
        before = [entry for entry in entries if entry["created_at"] <= recall["asked_at"]]
        (before[-1] if before else entries[0])["recalls"].append(recall)
