"""What forgetting something would take, before it is done.

In: a connection that reads, and a `ForgetTarget`. Out: `ForgetPreview`. Invariants: nothing is written; the rows are
those that the statements of `forget.STEPS` meet and those that go with them, and the places are those that `forget`
rewrites.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from memory_db.index.semantic import has_llm_tables
from memory_db.upkeep.forget.copies import copies_holding, trail_of
from memory_db.upkeep.forget.details import Detail, details_of, numbers_with
from memory_db.upkeep.forget.exported import exports_holding
from memory_db.upkeep.forget.outside import files_outside
from memory_db.upkeep.forget.places import briefs_showing, copies_in, numbers_of, sharing, uids_shown, whole_rows
from memory_db.upkeep.forget.run import RECALLS, STEPS, VERSIONS, embedded, names_of, vectorised
from memory_db.upkeep.forget.target import Fate, ForgetTarget, fates_of

STATEMENT = re.compile(r"(?:delete from|update) (\w+) (?:set .*? )?where (.*)", re.DOTALL)

CASCADES = """
select t.name, f."from" from main.sqlite_master t join pragma_foreign_key_list(t.name) f
where t.type = 'table' and f."table" = ? and f.on_delete = 'CASCADE' order by 1, 2
"""

GOING = {"memories": "{memories}", "memory_versions": VERSIONS, "recalls": RECALLS}
"""Tables whose rows take others with them, and which of their rows go."""

LEFT_ALONE = "select entity_id from memory_entities"
"""What keeps an entity; before anything is deleted, only the links of other memories do."""


@dataclass(slots=True)
class ForgetPreview:
    """What would go: `rows` by table, `places` (texts that hold a copy) by table and column; `outside` would stay.

    `fates` has each memory and entry with what would happen to it, `memories` the uids of all memories that would go;
    `passages` is how many passages would be looked for, `copies` and `exports` which files hold it, `sharing` what only
    shares a phrase with it and would not be touched.
    """

    what: str
    memories: list[str]
    fates: list[Fate]
    passages: int
    rows: dict[str, int]
    places: dict[str, int]
    copies: list[str]
    exports: list[str]
    sharing: dict[str, list[str]]
    outside: list[str]

    def as_dict(self) -> dict[str, Any]:
        """The preview as JSON has it."""
        return asdict(self)


def preview(db: sqlite3.Connection, path: Path, target: ForgetTarget) -> ForgetPreview:
    """What forgetting a target would take from a file."""
    names = names_of(db, target)
    met = {table: f"({') or ('.join(each)})" for table, each in conditions(db, names).items()}
    fates = fates_of(db, target)
    if has_llm_tables(db):
        met["embeddings"] = f"({embedded(vectorised(db, target, fates))})"
    rows = {table: counted(db, table, condition) for table, condition in met.items()}
    uids = db.execute(f"select uid from memories where id in ({names['memories']}) order by id")
    going = {row[0] for row in db.execute(f"select id from recalls where {met['recalls']}")}
    shown = [number for number in briefs_showing(db, uids_shown(fates)) if number not in going]
    found = copies_in(db, target, without=met)
    rows |= whole_rows(found)
    details = [each for each in details_of(db, target) if not (each.table in met and going_too(db, each, met))]
    trail = trail_of(db, target)
    holding = copies_holding(db, path, trail)
    exports, missing = exports_holding(db, path, trail)
    return ForgetPreview(
        what=target.what,
        memories=[str(row[0]) for row in uids],
        fates=fates,
        passages=len(target.passages.texts),
        rows={table: number for table, number in sorted(rows.items()) if number},
        places=numbers_with(db, target, details, numbers_of(found, shown)),
        copies=[f"{copy} ({held})" for copy, held in holding.items()],
        exports=[each.line for each in exports],
        sharing=sharing(db, target),
        outside=files_outside(db, target) + ([missing] if missing else []),
    )


def going_too(db: sqlite3.Connection, detail: Detail, met: Mapping[str, str]) -> bool:
    """Whether the row of a detail would go as a whole."""
    return counted(db, detail.table, f"id = {detail.row_id} and ({met[detail.table]})") > 0


def conditions(db: sqlite3.Connection, names: dict[str, str]) -> dict[str, list[str]]:
    """By table, the conditions that a row meets which would go or be emptied."""
    found: dict[str, list[str]] = {"recalls": [RECALLS.partition(" where ")[2].format(**names)]}
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
