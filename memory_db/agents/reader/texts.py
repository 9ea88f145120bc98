"""What `get` tells a model of a uid: a memory, an entry, a session or a recall as plain text.

In: a connection and a uid. Out: a text that is the same at every call while the rows are, so that it can be read page
by page. Invariants: what no longer holds says so first; a text that gives an agent orders is withheld, with the reason
and how a person reads it, for whoever wrote a README or a web page must not speak through memory.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from typing import Any

from memory_db.recall.explain.lookup import look_up
from memory_db.redact.clean import find_injection

Row = Mapping[str, Any]

LINE_CHARACTERS = 240
"""How much of an entry or hit stands in a list; its own uid gives the rest."""


def text_of(db: sqlite3.Connection, uid: str) -> str:
    """Everything worth reading about what a uid names.

    Raises: NotFoundError.
    """
    found = look_up(db, uid)
    return "\n".join(line for line in WRITERS[found["type"]](found) if line)


def readable(text: str, uid: str) -> str:
    """A text as a model may read it, or why it is withheld."""
    steering = find_injection(text)
    if not steering:
        return text
    return (
        f"(withheld: it tries to steer an agent, rule {steering[0].rule};"
        f" a person reads it with `memory-db memory get {uid}`)"
    )


def gone_line(row: Row) -> str:
    """That a memory no longer holds, since when and why, and what holds in its place; nothing for one that holds."""
    if row["status"] == "active":
        return ""
    if row["status"] == "superseded":
        heirs = ", ".join(f"[{heir['uid']}] {readable(heir['title'], heir['uid'])}" for heir in row["replaced_by"])
        until = f" since {day(row['valid_to'])}" if row["valid_to"] else ""
        return f"NO LONGER TRUE{until}: replaced by {heirs or 'another memory'}. Go by that one."
    reason = readable(row["change_reason"], row["uid"])
    return f"RETIRED on {day(row['updated_at'])}: {reason}. It holds no longer: do not act on it."


def memory_lines(row: Row) -> list[str]:
    """A memory: whether it holds, its text, how far it is believed, and the words that it comes from."""
    belief, uid = row["belief"], row["uid"]
    until = f" to {day(row['valid_to'])}" if row["valid_to"] else ""
    sure = (
        f"confidence {belief['confidence']:.2f} ({belief['evidence_for']} for, {belief['evidence_against']} against)"
        if belief
        else ""
    )
    locked = f"locked: {row['lock_level']}" if row["lock_level"] != "none" else ""
    valid = f"valid from {day(row['valid_from'])}{until}"
    facts = [row["status"], f"importance {row['importance']}", sure, locked, valid]
    return [
        gone_line(row),
        f"[{uid}] {row['kind']} of {row['project'] or 'any project'}: {readable(row['title'], uid)}",
        readable(row["text"], uid),
        readable(f"applies {row['condition']}", uid) if row["condition"] else "",
        "; ".join(fact for fact in facts if fact),
        readable(listed("files", row["paths"]), uid),
        readable(listed("tags", row["tags"]), uid),
        readable(f"version {len(row['versions'])}: {row['change_reason']}", uid) if len(row["versions"]) > 1 else "",
        *(f"replaced [{old['uid']}] {readable(old['title'], old['uid'])}" for old in row["replaces"]),
        *(source_line(source) for source in row["sources"]),
    ]


def source_line(source: Row) -> str:
    """A quote with the entry that it stands in."""
    where = f" [{source['entry']}] {source['role']}, {day(source['said_at'])}" if source["entry"] else ""
    quote = readable(source["quote"], source["entry"] or "of the memory")
    return f'from{where}: "{quote}"'


def entry_lines(row: Row) -> list[str]:
    """An entry: its text, what it did, and what was made of it."""
    return [
        f"[{row['uid']}] {row['role']} {row['kind']}, {row['project'] or 'no project'}, {row['created_at']},"
        f" session [{row['session']}]",
        readable(row["text"], row["uid"]),
        *(
            readable(
                f"did {action['tool']} {action['target'] or ''}{' (failed)' if action['is_error'] else ''}", row["uid"]
            )
            for action in row["actions"]
        ),
        *(f"made into [{memory['uid']}] {readable(memory['title'], memory['uid'])}" for memory in row["memories"]),
    ]


def session_lines(row: Row) -> list[str]:
    """A session: its entries in order, each cut to a line."""
    return [
        f"[{row['uid']}] session of {row['project'] or 'no project'}, {row['started_at']} to {row['ended_at']},"
        f" {row['entries']} entries: {readable(row['title'] or 'no title', row['uid'])}",
        *(
            f"- [{entry['uid']}] {entry['role']} {entry['kind']}: {readable(cut(entry['text']), entry['uid'])}"
            for entry in row["entry_list"]
        ),
    ]


def recall_lines(row: Row) -> list[str]:
    """A recall: what was asked, what was shown, and why the rest was not."""
    left_out = ", ".join(f"{count} {reason}" for reason, count in row["left_out"].items())
    return [
        f"[{row['recall']}] recall of {row['asked_at']}, profile {row['profile']}: {readable(row['query'], row['recall'])}",
        f"{row['shown_count']} shown of {row['considered_count']} considered",
        f"left out: {left_out}" if left_out else "",
        *(
            f"{hit['rank']}. [{hit['uid']}] score {hit['score']:.3f} ({hit['strongest']}):"
            f" {readable(cut(hit['text']), hit['uid'])}"
            for hit in row["hits"]
            if hit["rank"] is not None
        ),
    ]


WRITERS: dict[str, Callable[[Row], list[str]]] = {
    "memory": memory_lines,
    "entry": entry_lines,
    "session": session_lines,
    "recall": recall_lines,
}
"""How each type that `look_up` finds is told."""


def listed(name: str, values: list[str]) -> str:
    """A line of values, or nothing."""
    return f"{name}: {', '.join(values)}" if values else ""


def cut(text: str, characters: int = LINE_CHARACTERS) -> str:
    """The beginning of a text, on one line."""
    line = " ".join(text.split())
    return line if len(line) <= characters else line[: characters - 1].rstrip() + "…"


def day(moment: str) -> str:
    """The day of a stored time."""
    return moment[:10]
