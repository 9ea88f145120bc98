"""One waiting item as a page shows it: what it says, why it waits, where it comes from, and what a decision would do.

In: rows of the queue. Out: plain dicts, each with one or two sides that can be read beside each other. Invariants:
nothing is written; what accepting a candidate would do is asked of the function that does it.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from memory_db.errors import InputError
from memory_db.gate.apply import CANDIDATE
from memory_db.gate.contradictions.in_words import found_in_words
from memory_db.gate.review import queue as review
from memory_db.pages.cache import rows
from memory_db.pages.draw.filters import shortened
from memory_db.store.connection import id_list
from memory_db.text.names.citations import UID, uids_in
from memory_db.text.relations import CONTRADICTS

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

PAIR_TEXTS = """
select c.id, m.text as first, o.text as second from contradictions c
join memories m on m.id = c.memory_id join memories o on o.id = c.other_memory_id where c.id in ({ids})
"""

WOULD = {
    "add": "It becomes a new memory.",
    "merge": "{target} gets these words, with the quote.",
    "supersede": "It replaces {target}.",
    "contradicts": "It becomes a memory next to {target}, and you are asked to resolve the contradiction.",
    "duplicate": "It counts as one more source for {target}.",
}
"""What accepting a candidate would do, by the action."""

HOLDS_AGAIN = "It holds again, as it was."

CHANGES = {
    "lock": "It is locked by evidence: shown wherever it applies, changed by no machine.",
    "unlock": "It loses the lock that evidence gave it.",
    "retire": "It is retired: shown no more; it can be restored.",
    "merge": "What would go is replaced; what would stay gets its quotes, files and evidence.",
    "supersede": "What would stay takes the place of what would go.",
    "relate": "The first is tied to the second: {text}.",
    "suppress": "It is held back for questions with the words: {text}",
    "rewrite": "It gets the new words.",
}
"""What accepting a proposal would do, by its kind; the sides are called as in `LABELS`."""

RESOLVING = {
    "first": ("Keep the first", "The first stays; the second counts as replaced."),
    "second": ("Keep the second", "The second stays; the first counts as replaced."),
    "both": ("Both hold", "Nothing changes; you are not asked about this pair again."),
    "neither": ("Neither holds", "Both are retired: shown no more; they can be restored."),
}
"""Each resolution of a contradiction: its button, and what it would do."""

CONTRADICTING = "The two contradict each other, and you are asked which holds."
"""What accepting a proposal to relate two memories would do, where they are said to contradict each other."""

LABELS = {
    "merge": ("would go", "would stay"),
    "supersede": ("would go", "would stay"),
    "relate": ("first", "second"),
}
"""What the two memories of a proposal are called, by its kind."""

SPOKEN = {
    "first": "the first",
    "second": "the second",
    "known": "the memory",
    "known already": "what is known already",
    "would go": "what would go",
    "would stay": "what would stay",
}
"""A side in the middle of a sentence, by its label."""

RESOLVED = {
    "first": "{first} stays, {second} counts as replaced",
    "second": "{second} stays, {first} counts as replaced",
    "both": "you are not asked about {first} and {second} again",
    "neither": "{first} and {second} are retired",
}
"""What a resolution of a contradiction did, with the words of both."""

ITEM_NAME = re.compile(r"^([cpx])\d+(?= )")

SORTS = {"c": "The candidate:", "p": "The proposal:", "x": "The contradiction:"}
"""What stands before what was decided, in the place of an item's letter and number."""

NEW = "new memory "
"""How a line of `describe` begins that tells of a memory that was made."""

TELLING = re.compile(rf"(?:({NEW.strip()}) m[0-9a-f]{{8,64}}|m[0-9a-f]{{8,64}} (now says))(?=: )")
"""A uid beside the words of its memory, which are not said twice."""

TITLE_CHARACTERS = 60
"""Characters of a memory's words in the place of its uid."""

DECLINING = "It is not kept, and you are not asked again."

LEAVING = "Nothing changes, and the same is not proposed again."

Row = dict[str, Any]


def cards(db: sqlite3.Connection, shown: Sequence[Row]) -> list[Row]:
    """Items of the queue with their sides, in the order given.

    Each has what its row has, and: `reason`, and the same as `why`, where a memory goes by the label of its side or by
    its words; `sides`, one or two; `actions` (name, label, what it would do); `origin` of a candidate; `blocked`, why
    it cannot be accepted.
    """
    numbers = {letter: [number_of(row) for row in shown if row["item"][0] == letter] for letter in "cpx"}
    candidates = by_id(db, CANDIDATES, numbers["c"])
    proposed = by_id(db, PROPOSALS, numbers["p"])
    pairs = by_id(db, PAIRS, numbers["x"])
    told = (row["reason"] for found in (candidates, proposed, pairs) for row in found.values())
    near = {uid for reason in told for uid in uids_in(reason)}
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
    for card in found:
        card["why"] = reason_in_words(card, by_uid)
    return found


def reason_in_words(card: Row, by_uid: Mapping[str, Row]) -> str:
    """The reason of an item, with the labels of its sides, or words, in the place of uids."""
    names = {uid: title(row["text"]) for uid, row in by_uid.items()}
    names |= {side["uid"]: SPOKEN[side["label"]] for side in card["sides"] if side["uid"]}
    line = named(card["reason"], names)
    return line[:1].upper() + line[1:] if UID.match(card["reason"]) else line


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
        is_shown = near is not None and near["id"] == decision.target
        target = SPOKEN["known already"] if is_shown else title(text_of(db, decision.target))
        would = HOLDS_AGAIN if decision.restores else WOULD[decision.action].format(target=target)
        actions.append(action("accept", "Keep it", would[0].upper() + would[1:]))
    actions.append(action("decline", "Turn it down", DECLINING))
    origin = {name: row[name] for name in ("prompt", "run", "model", "rule")}
    steers = "it reads like an attempt to steer an agent " if row["reason"].startswith("injection") else ""
    sentence = f"{steers}({row['reason']})" if steers else row["reason"]
    return {"reason": sentence, "sides": sides, "actions": actions, "blocked": blocked, "origin": origin}


def text_of(db: sqlite3.Connection, memory_id: int | None) -> str:
    """What a memory says; empty for none."""
    row = db.execute("select text from memories where id = ?", [memory_id]).fetchone()
    return str(row[0]) if row else ""


def proposal_card(row: Row, known: dict[int, Row]) -> Row:
    """A proposal, with the one or two memories that it would change."""
    memory, other = known[row["memory_id"]], known.get(row["other_memory_id"] or 0)
    labels = LABELS.get(row["kind"], ("known", "known"))
    sides = [memory_side(memory, labels[0])]
    if other:
        sides.append(memory_side(other, labels[1]))
    elif row["kind"] == "rewrite":
        sides.append({"label": "would say", "uid": None, "text": row["text"], "quote": "", "says_more": False})
    would = CHANGES[row["kind"]].format(text=row["text"].replace("_", " ") or "same topic")
    if row["kind"] == "relate" and row["text"] == CONTRADICTS:
        would = CONTRADICTING
    actions = [action("accept", "Do it", would), action("decline", "Leave it", LEAVING)]
    reason = f"{row['reason']} (proposed by {row['proposed_by']})"
    return {"reason": reason, "sides": sides, "actions": actions, "blocked": "", "origin": None}


def pair_card(row: Row, known: dict[int, Row]) -> Row:
    """A contradiction, both memories beside each other with the words that they come from."""
    first, second = known[row["memory_id"]], known[row["other_memory_id"]]
    sides = [
        memory_side(first | {"quote": row["quote"]}, "first"),
        memory_side(second | {"quote": row["other_quote"]}, "second"),
    ]
    times = [side["said_at"] or side["since"] for side in sides]
    for side, time, other in zip(sides, times, reversed(times), strict=True):
        side["order"] = "said later" if time > other else "said earlier" if time < other else ""
    actions = [action(name, label, would) for name, (label, would) in RESOLVING.items()]
    note = f" Noted: {row['note']}" if row["note"] else ""
    reason = f"{found_in_words(row, ' '.join(side['text'] for side in sides))}.{note}"
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


def in_words(db: sqlite3.Connection, *lines: str) -> list[str]:
    """Lines with the words of memories in the place of their uids, for the eyes alone: logs keep the uids.

    What was forgotten keeps its uid too. What one line calls new is called so in the others while it is not there.
    """
    texts = texts_of(db, dict.fromkeys(uid for line in lines for uid in UID.findall(line)))
    names = {uid: "the new memory" for line in lines if line.startswith(NEW) for uid in UID.findall(line)[:1]}
    names |= {uid: title(text) for uid, text in texts.items()}
    return [named(TELLING.sub(r"\1\2", ITEM_NAME.sub(lambda found: SORTS[found[1]], line)), names) for line in lines]


def resolved_in_words(db: sqlite3.Connection, number: int, resolution: str) -> str:
    """What the resolution of a contradiction did, with the words of both memories."""
    return all_resolved_in_words(db, [(f"x{number}", resolution)])[f"x{number}", resolution]


def all_resolved_in_words(db: sqlite3.Connection, resolved: Collection[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """The same of many contradictions, by their names and resolutions; what was forgotten is left out."""
    pairs = by_id(db, PAIR_TEXTS, [int(name[1:]) for name, _ in resolved])
    return {
        (name, resolution): RESOLVED[resolution].format(first=title(pair["first"]), second=title(pair["second"]))
        for name, resolution in resolved
        if (pair := pairs.get(int(name[1:])))
    }


def named(line: str, names: Mapping[str, str]) -> str:
    """A line with names in the place of the uids that have one."""
    return str(UID.sub(lambda found: names.get(found[0]) or found[0], line))


def title(text: str) -> str:
    """The beginning of what a memory says, quoted; empty for a text without words."""
    words = " ".join(text.split())
    return f"“{shortened(words, TITLE_CHARACTERS)}”" if words else ""
