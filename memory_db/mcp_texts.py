"""What `get` tells a model of a uid: a memory, an entry, a session or a recall as plain text.

In: a connection and a uid. Out: a text that is the same at every call while
the rows are, so that it can be read page by page.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from typing import Any

from memory_db.lookup import look_up

Row = Mapping[str, Any]

LINE_CHARACTERS = 240
"""How much of an entry or hit stands in a list; its own uid gives the rest."""


def text_of(db: sqlite3.Connection, uid: str) -> str:
    """Everything worth reading about what a uid names.

    Raises: NotFoundError.
    """
    found = look_up(db, uid)
    return "\n".join(line for line in WRITERS[found["type"]](found) if line)


def memory_lines(row: Row) -> list[str]:
    """A memory: its text, how far it is believed, and the words that it comes from."""
    belief = row["belief"]
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
        f"[{row['uid']}] {row['kind']} of {row['project'] or 'any project'}: {row['title']}",
        row["text"],
        f"applies {row['condition']}" if row["condition"] else "",
        "; ".join(fact for fact in facts if fact),
        listed("files", row["paths"]),
        listed("tags", row["tags"]),
        f"version {len(row['versions'])}: {row['change_reason']}" if len(row["versions"]) > 1 else "",
        *(source_line(source) for source in row["sources"]),
    ]


def source_line(source: Row) -> str:
    """A quote with the entry that it stands in."""
    where = f" [{source['entry']}] {source['role']}, {day(source['said_at'])}" if source["entry"] else ""
    return f'from{where}: "{source["quote"]}"'


def entry_lines(row: Row) -> list[str]:
    """An entry: its text, what it did, and what was made of it."""
    return [
        f"[{row['uid']}] {row['role']} {row['kind']}, {row['project'] or 'no project'}, {row['created_at']},"
        f" session [{row['session']}]",
        row["text"],
        *(
            f"did {action['tool']} {action['target'] or ''}{' (failed)' if action['is_error'] else ''}"
            for action in row["actions"]
        ),
        *(f"made into [{memory['uid']}] {memory['title']}" for memory in row["memories"]),
    ]


def session_lines(row: Row) -> list[str]:
    """A session: its entries in order, each cut to a line."""
    return [
        f"[{row['uid']}] session of {row['project'] or 'no project'}, {row['started_at']} to {row['ended_at']},"
        f" {row['entries']} entries: {row['title'] or 'no title'}",
        *(f"- [{entry['uid']}] {entry['role']} {entry['kind']}: {cut(entry['text'])}" for entry in row["entry_list"]),
    ]


def recall_lines(row: Row) -> list[str]:
    """A recall: what was asked, what was shown, and why the rest was not."""
    left_out = ", ".join(f"{count} {reason}" for reason, count in row["left_out"].items())
    return [
        f"[{row['recall']}] recall of {row['asked_at']}, profile {row['profile']}: {row['query']}",
        f"{row['shown_count']} shown of {row['considered_count']} considered",
        f"left out: {left_out}" if left_out else "",
        *(
            f"{hit['rank']}. [{hit['uid']}] score {hit['score']:.3f} ({hit['strongest']}): {cut(hit['text'])}"
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


def cut(text: str) -> str:
    """The beginning of a text, on one line."""
    line = " ".join(text.split())
    return line if len(line) <= LINE_CHARACTERS else line[: LINE_CHARACTERS - 1].rstrip() + "…"


def day(moment: str) -> str:
    """The day of a stored time."""
    return moment[:10]
