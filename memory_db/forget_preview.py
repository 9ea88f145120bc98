"""What forgetting something would take, before it is done.

In: a connection that reads, and a `Target`. Out: `Preview`. Invariants: nothing is written; the rows are those that the
statements of `forget.STEPS` meet and those that go with them, and the places are the texts that would be scrubbed.
"""

from __future__ import annotations

import re
import sqlite3
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from memory_db.forget import RECALLS, SAID, STEPS, VERSIONS, copies_beside, names_of, text_columns
from memory_db.forgetting import Target, paths_of

STATEMENT = re.compile(r"(?:delete from|update) (\w+) (?:set .*? )?where (.*)", re.DOTALL)

CASCADES = """
select t.name, f."from" from pragma_table_list t join pragma_foreign_key_list(t.name) f
where t.schema = 'main' and t.type = 'table' and f."table" = ? and f.on_delete = 'CASCADE' order by 1, 2
"""

GOING = {"memories": "{memories}", "memory_versions": VERSIONS, "recalls": RECALLS}
"""Tables whose rows take others with them, and which of their rows go."""

LEFT_ALONE = "select entity_id from memory_entities"
"""What keeps an entity; before anything is deleted, only the links of other memories do."""


@dataclass(slots=True)
class Preview:
    """What would go: `rows` by table, `places` (texts that repeat it) by table and column; `outside` would stay.

    `passages` is how many passages would be looked for, `memories` the uids of all memories that would go.
    """

    what: str
    memories: list[str]
    passages: int
    rows: dict[str, int]
    places: dict[str, int]
    outside: list[str]

    def as_dict(self) -> dict[str, Any]:
        """The preview as JSON has it."""
        return asdict(self)


def preview(db: sqlite3.Connection, path: Path, target: Target) -> Preview:
    """What forgetting a target would take from a file."""
    names = names_of(db, target)
    met = {table: f"({') or ('.join(each)})" for table, each in conditions(db, names).items()}
    rows = {table: counted(db, table, condition) for table, condition in met.items()}
    said_in = f"select entry_id from memory_sources where memory_id in ({names['memories']}) and entry_id is not null"
    entries = target.entry_ids | {int(row[0]) for row in db.execute(said_in)}
    uids = db.execute(f"select uid from memories where id in ({names['memories']}) order by id")
    return Preview(
        what=target.what,
        memories=[str(row[0]) for row in uids],
        passages=len(target.passages.texts),
        rows={table: number for table, number in sorted(rows.items()) if number},
        places=repetitions(db, target, met),
        outside=[*paths_of(db, entries), *copies_beside(path)],
    )


def conditions(db: sqlite3.Connection, names: dict[str, str]) -> dict[str, list[str]]:
    """By table, the conditions that a row meets which would go or be emptied."""
    found: dict[str, list[str]] = {}
    for table, statement in STEPS:
        matched = STATEMENT.match(statement)
        if matched and matched[1] == table:
            condition = matched[2]
            if LEFT_ALONE in condition:
                condition = condition.replace(LEFT_ALONE, LEFT_ALONE + " where memory_id not in ({memories})")
            found.setdefault(table, []).append(condition.format(**names))
    for gone, ids in GOING.items():
        for table, column in db.execute(CASCADES, [gone]):
            found.setdefault(table, []).append(f'"{column}" in ({ids.format(**names)})')
    return found


def counted(db: sqlite3.Connection, table: str, condition: str) -> int:
    """How many rows of a table meet a condition."""
    return int(db.execute(f'select count(*) from "{table}" where {condition}').fetchone()[0])


def repetitions(db: sqlite3.Connection, target: Target, met: dict[str, str]) -> dict[str, int]:
    """How many texts of rows that stay repeat a passage, by `table.column`."""
    passages, found = target.passages, {}
    for table, column in text_columns(db, () if target.is_everywhere else SAID):
        stays = f"({met[table]}) is not true" if table in met else "true"
        texts = db.execute(f'select "{column}" from "{table}" where {stays}')
        number = sum(isinstance(row[0], str) and passages.repeats(row[0]) for row in texts)
        if number:
            found[f"{table}.{column}"] = number
    return found
