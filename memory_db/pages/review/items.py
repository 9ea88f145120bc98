"""One waiting item as a page shows it: what it says, why it waits, where it comes from, and what a decision would do.

In: rows of the queue. Out: plain dicts, each with one or two sides that can be read beside each other. Invariants:
nothing is written; what accepting a candidate would do is asked of the function that does it.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any

from memory_db.errors import InputError
from memory_db.gate.apply import CANDIDATE
from memory_db.gate.review import queue as review
from memory_db.pages.cache import rows
from memory_db.store.connection import id_list
from memory_db.text.names.citations import UID, uids_in

CANDIDATES = """
select c.id, c.kind, c.scope, c.text, c.quote, c.rule, c.condition, p.name as project, d.reason, d.memory_id,
    r.method || '@' || r.version as prompt, r.id as run, r.model, e.uid as entry, e.role,
    coalesce(e.created_at, c.created_at) as said_at, s.uid as session, s.title as session_title
from candidates c
join decisions d on d.id = (select max(id) from decisions where candidate_id = c.id)
join extraction_runs r on r.id = c.extraction_run_id
left join entries e on e.id = c.entry_id
left join sessions s on s.id = coalesce(c.session_id, e.session_id)
left join projects p on p.id = c.project_id
where c.id in ({ids})
"""

PROPOSALS = "select id, kind, memory_id, other_memory_id, text, reason, proposed_by from proposals where id in ({ids})"

PAIRS = """
select id, memory_id, other_memory_id, found_by, reason, score, note, quote, other_quote from contradictions
where id in ({ids})
"""

MEMORIES = """
select m.id, m.uid, m.kind, m.scope, m.status, m.lock_level, m.text, m.valid_from, p.name as project, b.confidence,
    b.evidence_for, b.evidence_against, q.quote, e.uid as entry, e.role, e.created_at as said_at, s.uid as session,
    s.title as session_title
from memories m
join beliefs b on b.memory_id = m.id
left join projects p on p.id = m.project_id
left join memory_sources q on q.id = (select max(id) from memory_sources where memory_id = m.id and quote <> '')
left join entries e on e.id = q.entry_id
left join sessions s on s.id = e.session_id
where m.id in ({ids})
"""

TEXTS_BY_UID = "select uid, text from memories where uid in (select value from json_each(?))"

TEXTS = {
    "c": "select id, text from candidates where id in ({ids})",
    "p": "select p.id, m.text from proposals p join memories m on m.id = p.memory_id where p.id in ({ids})",
    "x": "select c.id, m.text || ' / ' || o.text as text from contradictions c join memories m on m.id = c.memory_id"
    " join memories o on o.id = c.other_memory_id where c.id in ({ids})",
}

WOULD = {
    "add": "It becomes a new memory.",
    "merge": "{target} gets these words, with the quote.",
    "supersede": "It replaces {target}.",
    "contradicts": "It becomes a memory next to {target}, and you are asked to resolve the contradiction.",
    "duplicate": "It counts as one more source for {target}.",
}
"""What accepting a candidate would do, by the action."""

CHANGES = {
    "lock": "{memory} is locked by evidence: shown wherever it applies, changed by no machine.",
    "unlock": "{memory} loses the lock that evidence gave it.",
    "retire": "{memory} is retired: shown no more; it can be restored.",
    "merge": "{memory} gives way to {other}, which gets its quotes, files and evidence.",
    "supersede": "{other} takes the place of {memory}.",
    "relate": "{memory} is tied to {other}: {text}.",
    "suppress": "{memory} is held back for questions with the words: {text}",
    "rewrite": "{memory} gets the other words.",
}
"""What accepting a proposal would do, by its kind."""

RESOLVING = {
    "first": ("Keep the first", "{first} replaces {second}."),
    "second": ("Keep the second", "{second} replaces {first}."),
    "both": ("Both hold", "Nothing changes; you are not asked about this pair again."),
    "neither": ("Neither holds", "Both are retired."),
}
"""Each resolution of a contradiction: its button, and what it would do."""

DECLINING = "It is not kept, and you are not asked again."

LEAVING = "Nothing changes, and the same is not proposed again."

Row = dict[str, Any]


def cards(db: sqlite3.Connection, shown: Sequence[Row]) -> list[Row]:
    """Items of the queue with their sides, in the order given.

    Each has what its row has, and: reason; `sides`, one or two; `actions` (name, label, what it would do); `origin` of
    a candidate; `blocked`, why it cannot be accepted.
    """
    numbers = {letter: [number_of(row) for row in shown if row["item"][0] == letter] for letter in "cpx"}
    candidates = by_id(db, CANDIDATES, numbers["c"])
    proposed = by_id(db, PROPOSALS, numbers["p"])
    pairs = by_id(db, PAIRS, numbers["x"])
    near = {uid for row in candidates.values() if row["memory_id"] is None for uid in uids_in(row["reason"])}
    ids = [row["memory_id"] for row in candidates.values()]
    ids += [row[name] for row in (*proposed.values(), *pairs.values()) for name in ("memory_id", "other_memory_id")]
    ids += ids_of(db, near)
    known = by_id(db, MEMORIES, [number for number in ids if number is not None])
    by_uid = {row["uid"]: row for row in known.values()}
    found = []
    for row in shown:
        number = number_of(row)
        if row["item"][0] == "c":
            card = candidate_card(db, candidates[number], known, by_uid)
        elif row["item"][0] == "p":
            card = proposal_card(proposed[number], known)
        else:
            card = pair_card(pairs[number], known)
        found.append(row | card)
    return found


def number_of(row: Row) -> int:
    """The number of an item."""
    return int(row["item"][1:])


def by_id(db: sqlite3.Connection, sql: str, ids: Iterable[int]) -> dict[int, Row]:
    """The rows of a query over ids, by id."""
    return {row["id"]: row for row in rows(db, sql.format(ids=id_list(set(ids))))}


def ids_of(db: sqlite3.Connection, uids: Iterable[str]) -> list[int]:
    """The numbers of memories by their uids."""
    listed = json.dumps(sorted(uids))
    return [row[0] for row in db.execute("select id from memories where uid in (select value from json_each(?))",
                                         [listed])]  # fmt: skip


def candidate_card(db: sqlite3.Connection, row: Row, known: dict[int, Row], by_uid: dict[str, Row]) -> Row:
    """A candidate, beside the memory that the gate found near it."""
    near = known.get(row["memory_id"]) or next((by_uid[uid] for uid in uids_in(row["reason"]) if uid in by_uid), None)
    sides = [source_of(row) | {"label": "said", "text": row["text"]}]
    if near:
        sides.append(memory_side(near, "known already"))
    actions, blocked = [], ""
    candidate = db.execute(f"{CANDIDATE} where c.id = ?", [row["id"]]).fetchone()
    try:
        decision = review.meant(db, candidate)
    except InputError as reason:
        blocked = str(reason)
    else:
        target = known.get(decision.target or 0, {}).get("uid") or uid_of(db, decision.target)
        actions.append(action("accept", "Keep it", WOULD[decision.action].format(target=target)))
    actions.append(action("decline", "Turn it down", DECLINING))
    origin = {name: row[name] for name in ("prompt", "run", "model", "rule")}
    steers = "it reads like an attempt to steer an agent " if row["reason"].startswith("injection") else ""
    sentence = f"{steers}({row['reason']})" if steers else row["reason"]
    return {"reason": sentence, "sides": sides, "actions": actions, "blocked": blocked, "origin": origin}


def uid_of(db: sqlite3.Connection, memory_id: int | None) -> str:
    """The uid of a memory; empty for none."""
    row = db.execute("select uid from memories where id = ?", [memory_id]).fetchone()
    return str(row[0]) if row else ""


def proposal_card(row: Row, known: dict[int, Row]) -> Row:
    """A proposal, with the one or two memories that it would change."""
    memory, other = known[row["memory_id"]], known.get(row["other_memory_id"] or 0)
    is_about_words = row["kind"] == "rewrite"
    sides = [memory_side(memory, "would go" if other and row["kind"] in ("merge", "supersede") else "known")]
    if other:
        sides.append(memory_side(other, "would stay" if row["kind"] in ("merge", "supersede") else "known"))
    elif is_about_words:
        sides.append({"label": "would say", "uid": None, "text": row["text"], "quote": "", "says_more": False})
    text = row["text"].replace("_", " ") or "same topic"
    change = CHANGES[row["kind"]].format(memory=memory["uid"], other=other["uid"] if other else "", text=text)
    actions = [action("accept", "Do it", change), action("decline", "Leave it", LEAVING)]
    reason = f"{row['reason']} (proposed by {row['proposed_by']})"
    return {"reason": reason, "sides": sides, "actions": actions, "blocked": "", "origin": None}


FOUND_BY = {"opposed": "one rules out what the other says", "changed_value": "they give different values for the same"}
"""What tests of a pair found, in words."""


def pair_card(row: Row, known: dict[int, Row]) -> Row:
    """A contradiction, both memories beside each other with the words that they come from."""
    first, second = known[row["memory_id"]], known[row["other_memory_id"]]
    sides = [
        memory_side(first | {"quote": row["quote"]}, "first"),
        memory_side(second | {"quote": row["other_quote"]}, "second"),
    ]
    actions = [
        action(name, label, would.format(first=first["uid"], second=second["uid"]))
        for name, (label, would) in RESOLVING.items()
    ]
    note = f" Noted: {row['note']}" if row["note"] else ""
    found_by = FOUND_BY.get(row["found_by"], row["found_by"].replace("_", " "))
    reason = f"{found_by}: {row['reason']}.{note}"
    return {"reason": reason, "sides": sides, "actions": actions, "blocked": "", "origin": None}


def action(name: str, label: str, would: str) -> Row:
    """A button and what it would do; `changes` tells whether that touches what is known."""
    return {"name": name, "label": label, "would": would, "changes": name not in ("decline", "both")}


def source_of(row: Row) -> Row:
    """Where words stand: quote, who said them and when, entry and session."""
    names = ("quote", "role", "said_at", "entry", "session", "session_title", "kind", "project")
    return {"uid": None, **{name: row[name] for name in names}, "says_more": says_more(row["quote"] or "", row["text"])}


def says_more(quote: str, text: str) -> bool:
    """Whether a quote has other words than the text that was made of it."""
    return bool(quote) and plain(quote) not in plain(text)


def plain(text: str) -> str:
    """A text without case, marks at its ends and runs of spaces."""
    return " ".join(text.split()).casefold().strip(" .,:;!-\"'")


def memory_side(row: Row, label: str) -> Row:
    """A memory as one side: its words, where they come from, and its confidence."""
    belief = {name: row[name] for name in ("confidence", "evidence_for", "evidence_against")}
    return source_of(row) | {
        "label": label, "uid": row["uid"], "text": row["text"], "status": row["status"],
        "lock_level": row["lock_level"], "since": row["valid_from"], "belief": belief,
    }  # fmt: skip


def texts_of(db: sqlite3.Connection, items: Iterable[str]) -> dict[str, str]:
    """What items say, by their names; what was forgotten is left out."""
    names = list(items)
    uids = json.dumps([name for name in names if UID.fullmatch(name)])
    found = {row["uid"]: row["text"] for row in rows(db, TEXTS_BY_UID, [uids])}
    for letter, sql in TEXTS.items():
        numbers = [int(name[1:]) for name in names if name[0] == letter and name[1:].isdigit()]
        found |= {f"{letter}{row['id']}": row["text"] for row in rows(db, sql.format(ids=id_list(numbers)))}
    return found
