"""A session as it was said: its entries a page at a time, in the margin what came of each, and what it cost in tokens.

In: a connection that reads, a session's uid, a page. Out: a plain dict for the template and for JSON. Invariants: an
entry stands where its session had it, and everything that names it (a memory's quote, a hit, a recall) can lead to it;
what the transcript has no usage for is not guessed; a call counts once, in the turn of the prompt before it.
"""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from typing import Any

from memory_db.errors import InputError, NotFoundError
from memory_db.pages.cache import rows
from memory_db.pages.draw.markdown import markdown
from memory_db.pages.forms import Fields, first
from memory_db.pages.trace import outline as trace
from memory_db.pages.trace import shown
from memory_db.store.findable import findable
from memory_db.text.provenance import whole_provenance

ENTRIES_A_PAGE = 30
"""Source: ours; thirty entries of up to `TEXT_CHARACTERS` characters stay below 150 kB with frame and outline."""

TEXT_CHARACTERS = 2_400
"""How much of one entry a page has; the row has all of it."""

TOOL_CHARACTERS = 800
"""The same for what a tool was given or gave back, which is mostly of no interest."""

MARKED_DOWN = ("reply", "summary", "document")
"""Kinds of entries that are written in Markdown."""

TOOLS = ("tool_call", "tool_result")

SESSION = """
select u.*, s.project_id, s.cwd, s.agent_version, p.canonical_path, o.outcome, o.score as outcome_score,
    o.reason as outcome_reason, c.uid as continued_from, f.uid as parent,
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
where se.session_id = :session and {findable("e")}
"""

PLACE = f"""
{COUNT} and (se.position, e.id) < (select t.position, t.entry_id from session_entries t join entries n on n.id =
    t.entry_id where t.session_id = :session and n.uid = :entry)
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

SPANS = """
select entry_id, start, stop, provenance from spans where entry_id in (select value from json_each(?))
order by entry_id, start
"""

RESULT_TOOLS = """
select result_entry_id, min(tool) as tool from actions
where result_entry_id in (select value from json_each(?)) group by result_entry_id
"""

RECALLS = """
select r.id, r.uid, r.query, r.surface, r.asked_at, r.abstained, r.shown_tokens,
    (select count(*) from hits h where h.recall_id = r.id and h.rank is not null) as shown
from recalls r where (r.session_id = :id or r.session_uid = :uid) and (:first is null or r.asked_at >= :first)
    and (:last is null or r.asked_at < :last) order by r.asked_at, r.id
"""


HOOKED = """
select count(*) as hooks, min(started_at) as first_at, max(started_at) as last_at from hook_runs where session_uid = ?
"""

SKIPPED = """
select reason, count(*) as prompts from hook_runs
where session_uid = ? and hook = 'user-prompt' and outcome = 'skipped' group by reason order by prompts desc, reason
"""

FIRST_SESSION = """
select e.uid as entry, s.uid as session from entries e join sessions s on s.id = e.session_id
where e.uid = :key or e.id = cast(:key as integer) and :key not glob '*[^0-9]*' order by e.uid = :key desc limit 1
"""


def session(db: sqlite3.Connection, uid: str, fields: Fields) -> dict[str, Any]:
    """One page of a session; field `page` says which, `entry` or `turn` what it has to show; `q` searches in it.

    `is_read` is false of one that so far only its hooks told of: that has `recalls`, and no entries.
    Raises: NotFoundError, InputError.
    """
    # The id is looked up first: the view is of one session only where its number is known.
    named = db.execute("select id from sessions where uid = ?", [uid]).fetchone()
    known = rows(db, SESSION, [named["id"]]) if named else []
    if not known:
        return unread(db, uid)
    about = known[0]
    count = int(db.execute(COUNT, {"session": about["session_id"]}).fetchone()[0])
    pages = max(1, -(-count // ENTRIES_A_PAGE))
    found = turns(db, about["session_id"])
    outlined = trace.outline(db, about["session_id"], found)
    page = page_asked(db, about["session_id"], fields, pages, outlined)
    entries = rows(db, ENTRIES, [about["session_id"], ENTRIES_A_PAGE, (page - 1) * ENTRIES_A_PAGE])
    add_margin(db, entries)
    add_provenance(db, entries)
    add_markdown(entries)
    add_tokens(db, entries, found)
    add_recalls(db, about, entries, is_first=page == 1, is_last=page == pages)
    shown.add_shown(db, entries)
    words = "".join(fields.get("q", [])[:1]).strip()
    starts = {turn["entry"]: turn["turn"] for turn in outlined}
    for entry in entries:
        entry["begins_turn"] = starts.get(entry["uid"])
    return {"session": about, "entries": entries, "count": count, "page": page, "pages": pages, "is_read": True} | {
        "usage": (usage := total(db, about["session_id"])),
        "shared_calls": max(0, sum(turn["calls"] for turn in found) - usage["calls"]),
        "turns": len(found),
        "dearest": dearest(found),
        "outline": trace.drawn(outlined, len(entries), (page - 1) * ENTRIES_A_PAGE, first(fields, "turn")),
        "summary": trace.summary(db, about["session_id"]),
        "around": trace.neighbours(db, about),
        "q": words,
        "found": shown.found_in(db, about["session_id"], words) if words else None,
        "hooks": db.execute(HOOKED, [uid]).fetchone()["hooks"],
        "skipped": rows(db, SKIPPED, [uid]),
    }


def unread(db: sqlite3.Connection, uid: str) -> dict[str, Any]:
    """What hooks left of a session whose conversation is not read in, as that of one that still runs: its recalls.

    Raises: NotFoundError.
    """
    recalls = rows(db, RECALLS, {"id": None, "uid": uid, "first": None, "last": None})
    hooked = dict(db.execute(HOOKED, [uid]).fetchone())
    if not recalls and not hooked["hooks"]:
        raise NotFoundError(f"No session {uid[:80]!r}. The table session_summaries lists them.")
    return {"session": {"uid": uid, "title": None, **hooked}, "entries": [], "count": 0, "is_read": False,
            "recalls": recalls}  # fmt: skip


def around_entry(db: sqlite3.Connection, key: str) -> dict[str, Any]:
    """The page that shows an entry, by its uid or number, of the session that had it first; `shown_entry` is its uid.

    Raises: NotFoundError.
    """
    found = db.execute(FIRST_SESSION, {"key": key}).fetchone()
    if found is None:
        raise NotFoundError(f"No entry {key[:80]!r}. The table entries lists them.")
    return {**session(db, found["session"], {"entry": [found["entry"]]}), "shown_entry": found["entry"]}


def page_asked(
    db: sqlite3.Connection, session_id: int, fields: Fields, pages: int, outlined: list[dict[str, Any]]
) -> int:
    """The page that is asked for, from 1. Raises: InputError, NotFoundError."""
    if name := "".join(fields.get("turn", [])[:1]):
        turn = int(name) if name.isascii() and name.isdigit() and len(name) < 10 else 0
        if not 1 <= turn <= len(outlined):
            raise NotFoundError(f"The session has no turn {name[:20]!r}. It has {len(outlined)}.")
        return min(pages, (int(outlined[turn - 1]["number"]) - 1) // ENTRIES_A_PAGE + 1)
    if entry := "".join(fields.get("entry", [])[:1]):
        if db.execute(HAS, [session_id, entry]).fetchone() is None:
            raise NotFoundError(f"The session has no entry {entry[:80]!r}. Leave it out to see the session.")
        before = int(db.execute(PLACE, {"session": session_id, "entry": entry}).fetchone()[0])
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


def add_provenance(db: sqlite3.Connection, entries: list[dict[str, Any]]) -> None:
    """Gives each entry its text in parts, each with whose words it is: `text.provenance` names the ways."""
    ids = json.dumps([entry["id"] for entry in entries])
    tools = {row["result_entry_id"]: row["tool"] for row in db.execute(RESULT_TOOLS, [ids])}
    spans: dict[int, list[sqlite3.Row]] = defaultdict(list)
    for row in db.execute(SPANS, [ids]):
        spans[row["entry_id"]].append(row)
    for entry in entries:
        text, whole = entry["text"], whole_provenance(entry["role"], entry["kind"], tools.get(entry["id"], ""))
        entry["parts"] = [
            {"text": text[span["start"] : span["stop"]], "provenance": span["provenance"]}
            for span in spans[entry["id"]]
            if span["start"] < len(text)
        ] or [{"text": text, "provenance": whole}]


def add_markdown(entries: list[dict[str, Any]]) -> None:
    """Gives what an agent wrote as Markdown also as markup, for the page; what a person typed stays as it is."""
    for entry in entries:
        is_one = len(entry["parts"]) == 1 and entry["kind"] in MARKED_DOWN and entry["role"] == "assistant"
        entry["marked_up"] = markdown(entry["text"]) if is_one else None


def add_tokens(db: sqlite3.Connection, entries: list[dict[str, Any]], turns: list[dict[str, Any]]) -> None:
    """Gives each entry the calls that wrote it, and each prompt the sums of the turn that it began."""
    written = calls(db, [entry["id"] for entry in entries])
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
where k.session_id in (select session_id from entries where id in (select value from json_each(:entries)))
    and c.entry_id in (select value from json_each(:entries))
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
    for row in db.execute(CALLS, {"entries": json.dumps(entry_ids)}):
        call = dict(row)
        found.setdefault(call.pop("entry_id"), []).append(call)
    return found
