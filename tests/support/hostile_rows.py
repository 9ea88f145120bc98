"""A file in which every text is an attack, and one like it in which every text is harmless.

In: a path to a file that may be changed. Out: the same file, a payload at the end of each text that somebody wrote
(the columns that scan_places.py lists). Invariant: hostile and harmless payloads are as long as each other, line by
line, so that pages made of the two may differ in words alone.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

from memory_db.upkeep.scan_places import PLACES

MARK = "x-evil"
"""The element, and `data-x-evil` the attribute, that no page may have."""

HOSTILE = (
    f"<{MARK}>\"><{MARK} data-{MARK}=1>'><img src=x onerror=alert(2)>' data-{MARK}='1 \" data-{MARK}=\"1"
    " </textarea></script><script>alert(1)</script></title></details></div></style><!-- ]]>"
    " [m](javascript:alert(3)) ![x](http://evil.example/x.png) **b** `c`"
    " {{ 7 * 7191 }} {% raw %} {# c #} ${7*7191} \x1b[31mred\x1b]8;;http://evil.example\x07 \u202egnirts\u202c\u200b"
    "\ufeff &amp;lt;"
)

HARMLESS = "".join(character if character.isalnum() or character == " " else "x" for character in HOSTILE)

CONTROLS = "\x00\x07\x1b\u200b\u202c\u202e\ufeff"
"""Characters that no page may hold as they are."""


def fill(path: Path, payload: str) -> set[str]:
    """Puts the payload at the end of every text; gives the columns that took it.

    Columns whose values are checked keep them.
    """
    took = set()
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("pragma ignore_check_constraints = off")
        triggers = [row[0] for row in db.execute("select name from sqlite_master where type = 'trigger'")]
        for name in triggers:
            if not name.startswith(("memories_f", "entries_f")):
                db.execute(f'drop trigger "{name}"')
        for each in PLACES:
            for column, way in each.ways.items():
                try:
                    if way == "json":
                        fill_json(db, each.table, column, payload)
                    else:
                        db.execute(f"update {each.table} set {column} = {column} || ?", [" " + payload])
                    took.add(f"{each.table}.{column}")
                except sqlite3.IntegrityError:
                    continue
    return took


def fill_json(db: sqlite3.Connection, table: str, column: str, payload: str) -> None:
    """The same in every text of JSON; its names stay."""
    found = db.execute(f"select rowid, {column} from {table} where {column} is not null").fetchall()
    for row_id, text in found:
        value = json.dumps(filled(json.loads(text), payload), ensure_ascii=False)
        db.execute(f"update {table} set {column} = ? where rowid = ?", [value, row_id])


def filled(value: object, payload: str) -> object:
    """A value of JSON with the payload at the end of its texts."""
    if isinstance(value, str):
        return f"{value} {payload}"
    if isinstance(value, list):
        return [filled(each, payload) for each in value]
    if isinstance(value, dict):
        return {name: filled(each, payload) for name, each in value.items()}
    return value


def lengthen(path: Path, characters: int) -> None:
    """Makes the texts that somebody wrote as long as they may be, and names of projects as long as those of folders."""
    words = "a very long text, " * (characters // 18)
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        for table, columns in {
            "memories": ("title", "text", "context", "condition"), "entries": ("text",),
            "actions": ("target", "excerpt"), "runs": ("error",), "jobs": ("last_error",),
            "candidates": ("title", "text", "quote"), "memory_sources": ("quote",), "sessions": ("title",),
            "recalls": ("query", "shown_text"), "evidence": ("note",), "edges": ("reason",),
            "proposals": ("text", "reason"), "contradictions": ("note", "quote"),
        }.items():  # fmt: skip
            for column in columns:
                db.execute(f"update {table} set {column} = {column} || ? || rowid", [words])
        db.execute("update projects set name = substr(name || ? || rowid, 1, 255)", [words])
