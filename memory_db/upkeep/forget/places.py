"""Where in the file copies of what is forgotten are sought, taken out, and sought again.

In: a connection and a `ForgetTarget`. Out: rows without the passages, and the rows that still hold one. Invariants:
taking out and looking again go by the same list of places; nothing of a locked memory is in it, but where the target is
that memory; what another session or memory says by itself is in it only for exact copies of the target's own words.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fnmatch import translate

from memory_db.store.connection import id_list
from memory_db.store.ordinary_tables import ordinary_tables
from memory_db.text.scrubbing import FORGOTTEN, SHORTEST, Passages, Phrases, cell_repeats, flat_text, scrubbed_cell
from memory_db.upkeep.forget.target import KEEPS, OF_MEMORY, Fate, ForgetTarget
from memory_db.upkeep.scan_places import EXEMPT, PLACES

SAID = (*OF_MEMORY, "entries", "actions", "sessions", "candidates", "procedures")
"""Tables of what was said and kept, which another session or memory may say by itself."""

OURS = frozenset(each.table for each in PLACES)

IS_EXEMPT = re.compile("|".join(map(translate, EXEMPT))).match
"""Whether a `table.column` is one of those of `EXEMPT`: asked once a pattern, it would take most of a search."""

COMPUTED = frozenset(
    (each.table, column) for each in PLACES for column, way in each.ways.items() if way == "json" and column != "input"
)
"""JSON that memory-db writes, whose numbers are figures and ids; the input of an action is an agent's."""

SAME_SESSIONS = "select id from sessions where id in (select session_id from entries where id in ({entries}))"

READ_FROM = {
    "entries": "id in ({entries})",
    "actions": "entry_id in ({entries}) or result_entry_id in ({entries})",
    "sessions": f"id in ({SAME_SESSIONS})",
    "model_calls": f"session_id in ({SAME_SESSIONS})",
    "recalls": f"session_id in ({SAME_SESSIONS})"
               f" or session_uid in (select uid from sessions where id in ({SAME_SESSIONS}))",
}  # fmt: skip
"""Rows that have the words a memory was read from: its entries, and what their sessions left behind. Tables of other
programs, such as llm's log, are looked through whole."""

OWN_RECALLS = f"session_uid is null or ({READ_FROM['recalls']})"
"""Recalls that no other session asked by itself."""

WHOLE_ROWS = {("recalls", "query"), ("labelled_queries", "query")}
"""Texts whose words stand in other columns of the row too, and in the scores of its hits: the row goes."""


MOST_ALIKE = 1_000
"""Rows that may become alike; what could not be written after as many is told by looking again."""


@dataclass(frozen=True, slots=True)
class Sought:
    """A column that is looked through: the rows where `where` holds, for `passages`."""

    table: str
    column: str
    where: str
    passages: Passages

    def rows(self, db: sqlite3.Connection, key: str) -> list[sqlite3.Row]:
        """The rows that hold a copy: the text, then the key."""
        found = db.execute(f'select "{self.column}", {key} from "{self.table}" where {self.where}')
        return [row for row in found if cell_repeats(self.passages, row[0], numbers_are_ours=self.numbers_are_ours)]

    @property
    def numbers_are_ours(self) -> bool:
        """Whether numbers in the JSON of the column are none that anybody said."""
        return (self.table, self.column) in COMPUTED


def sought_in(db: sqlite3.Connection, target: ForgetTarget) -> Iterator[Sought]:
    """Every column that may hold what is forgotten, with the rows and the passages that count there."""
    ours = "select id from memories where lock_level <> 'none' and id not in ({memories})"
    locked = ours.format(memories=id_list(target.memory_ids))
    entries = id_list(target.source_ids if target.is_everywhere else ())
    for table, column in text_columns(db):
        others = "true"
        if table in OF_MEMORY:
            others = f"{'id' if table == 'memories' else 'memory_id'} not in ({locked})"
        elif table == "recalls" and not target.is_everywhere:
            others = OWN_RECALLS.format(entries=id_list(target.entry_ids))
        elif table == "recall_procedures" and not target.is_everywhere:
            own = OWN_RECALLS.format(entries=id_list(target.entry_ids))
            others = f"recall_id in (select id from recalls where {own})"
        if target.is_everywhere or table not in SAID:
            yield Sought(table, column, others, target.passages if table in OURS else target.quoted)
        if table in READ_FROM and entries:
            yield Sought(table, column, READ_FROM[table].format(entries=entries), target.quoted)


def text_columns(db: sqlite3.Connection) -> Iterator[tuple[str, str]]:
    """Each table and column that may hold what somebody wrote, also in tables of other programs."""
    for table in ordinary_tables(db):
        for column, sort in db.execute("select name, type from pragma_table_info(?)", [table]):
            name = f"{table}.{column}"
            if sort.upper() == "TEXT" and not IS_EXEMPT(name):
                yield table, column


WITHOUT_ROWID = re.compile(r"\)[^)]*\bwithout\s+rowid\b[^)]*$", re.IGNORECASE)
"""The end of how a table was made whose rows have no number of SQLite's."""


def key_of(db: sqlite3.Connection, table: str) -> str:
    """The columns that tell a table's rows apart: `rowid`, or the primary key where there is none."""
    sql = db.execute("select sql from main.sqlite_master where type = 'table' and name = ?", [table]).fetchone()[0]
    if WITHOUT_ROWID.search(sql) is None:
        return "rowid"
    keys = db.execute("select name from pragma_table_info(?) where pk > 0 order by pk", [table])
    return ", ".join(f'"{row[0]}"' for row in keys)


def sought_with_keys(db: sqlite3.Connection, target: ForgetTarget) -> Iterator[tuple[Sought, str]]:
    """Every such column, with the columns that tell the rows of its table apart."""
    keys: dict[str, str] = {}
    for sought in sought_in(db, target):
        if sought.table not in keys:
            keys[sought.table] = key_of(db, sought.table)
        yield sought, keys[sought.table]


# ------------------------------------------------------------------- taking out


@dataclass(frozen=True, slots=True)
class Copies:
    """The rows of a place that hold a copy: each its text, then what tells it apart by the columns `key`."""

    sought: Sought
    key: str
    rows: list[sqlite3.Row]

    @property
    def name(self) -> str:
        """The place, as `table.column`."""
        return f"{self.sought.table}.{self.sought.column}"

    @property
    def goes_whole(self) -> bool:
        """Whether the rows are deleted and not rewritten."""
        return (self.sought.table, self.sought.column) in WHOLE_ROWS


def copies_in(db: sqlite3.Connection, target: ForgetTarget, without: Mapping[str, str] | None = None) -> list[Copies]:
    """Every row that holds a copy, place by place; not those for which the condition of their table holds."""
    found, gone = [], set()
    for sought, key in sought_with_keys(db, target):
        if condition := (without or {}).get(sought.table):
            sought = replace(sought, where=f"({sought.where}) and ({condition}) is not true")
        rows = [row for row in sought.rows(db, key) if (sought.table, *row[1:]) not in gone]
        if rows:
            found.append(Copies(sought, key, rows))
            gone |= {(sought.table, *row[1:]) for row in rows if found[-1].goes_whole}
    return found


def numbers_of(found: Iterable[Copies], briefs: Iterable[int]) -> dict[str, int]:
    """How many texts lose a copy, or a line that shows what goes, by `table.column`."""
    rows: dict[str, set[tuple[object, ...]]] = {}
    for each in found:
        if not each.goes_whole:
            rows.setdefault(each.name, set()).update(tuple(row[1:]) for row in each.rows)
    if shown := {(number,) for number in briefs}:
        rows.setdefault("recalls.shown_text", set()).update(shown)
    return {name: len(keys) for name, keys in sorted(rows.items())}


def whole_rows(found: Iterable[Copies]) -> dict[str, int]:
    """How many rows go since a copy is in one of their texts, by table."""
    rows: dict[str, set[tuple[object, ...]]] = {}
    for each in found:
        if each.goes_whole:
            rows.setdefault(each.sought.table, set()).update(tuple(row[1:]) for row in each.rows)
    return {table: len(keys) for table, keys in rows.items()}


def scrub_rows(db: sqlite3.Connection, found: Iterable[Copies]) -> None:
    """Takes the copies out of the rows that hold one; a row of `WHOLE_ROWS` goes."""
    for each in found:
        for row in each.rows:
            if each.goes_whole:
                delete_row(db, each.sought.table, row[1])
            else:
                put(db, each.sought, each.key, row)


def put(db: sqlite3.Connection, sought: Sought, key: str, row: sqlite3.Row) -> None:
    """Writes a text without the passages, unless it lost them by now, as what a memory says today does before its other
    versions. What becomes like another row, and must differ, is numbered."""
    where = " and ".join(f"{name} = ?" for name in key.split(", "))
    sql = f'update or ignore "{sought.table}" set "{sought.column}" = ? where {where}'
    now = db.execute(f'select "{sought.column}" from "{sought.table}" where {where}', row[1:]).fetchone()
    if now is None or not cell_repeats(sought.passages, now[0], numbers_are_ours=sought.numbers_are_ours):
        return
    new = scrubbed_cell(sought.passages, now[0], numbers_are_ours=sought.numbers_are_ours)
    for number in range(1, MOST_ALIKE):
        text = new if number == 1 else f"{new} ({number})"
        if db.execute(sql, [text, *row[1:]]).rowcount:
            return


def delete_row(db: sqlite3.Connection, table: str, rowid: int) -> None:
    """Deletes a recall, or a labelled question, with what refers to it."""
    if table == "recalls":
        delete_recalls(db, str(rowid))
    else:
        db.execute(f"delete from {table} where rowid = ?", [rowid])


def delete_recalls(db: sqlite3.Connection, ids: str) -> int:
    """Deletes recalls, listed or selected; labelled questions and evidence that refer to them stay. How many."""
    for table in ("labelled_queries", "evidence"):
        db.execute(f"update {table} set recall_id = null where recall_id in ({ids})")
    return db.execute(f"delete from recalls where id in ({ids})").rowcount


def asked_with(db: sqlite3.Connection, entry_ids: set[int]) -> list[int]:
    """Recalls that a session's hook asked with the words of one of these entries, or with a part of them."""
    entries = id_list(entry_ids)
    said: dict[str, list[str]] = {}
    for row in db.execute(
        f"select s.uid, e.text from entries e join sessions s on s.id = e.session_id where e.id in ({entries})"
    ):
        said.setdefault(row[0], []).append(flat_text(row[1]).casefold())
    found = []
    for row in db.execute(
        f"select id, session_uid, query from recalls where {READ_FROM['recalls']}".format(entries=entries)
    ):
        query = flat_text(row["query"]).casefold()
        if len(query) >= SHORTEST and any(query in text for text in said.get(row["session_uid"], ())):
            found.append(int(row["id"]))
    return found


def recalls_asking(db: sqlite3.Connection, target: ForgetTarget) -> list[int]:
    """Recalls that asked with a copy, whose rows go."""
    sought = (each for each in sought_in(db, target) if (each.table, each.column) == ("recalls", "query"))
    return [int(row[1]) for each in sought for row in each.rows(db, "rowid")]


def uids_shown(fates: Iterable[Fate]) -> set[str]:
    """The uids whose lines of briefs lose their text, as lines begin with them."""
    return {f"[{fate.uid}]" for fate in fates if fate.what != KEEPS}


def briefs_showing(db: sqlite3.Connection, marks: set[str]) -> list[int]:
    """Recalls whose brief has a line that begins with one of the marks."""
    rows = db.execute("select id, shown_text from recalls where shown_text is not null")
    return [row[0] for row in rows if without_lines(row[1], marks) != row[1]]


def scrub_shown(db: sqlite3.Connection, marks: set[str]) -> None:
    """Empties the lines of briefs that show what goes, also where its text was cut short."""
    for number in briefs_showing(db, marks):
        text = db.execute("select shown_text from recalls where id = ?", [number]).fetchone()[0]
        db.execute("update recalls set shown_text = ? where id = ?", [without_lines(text, marks), number])


def without_lines(text: str, marks: set[str]) -> str:
    """A brief, the lines that begin with one of the marks without their text."""
    return "\n".join(without_text(line, marks) for line in text.split("\n"))


def without_text(line: str, marks: set[str]) -> str:
    """A brief's line, without its text if it begins with one of the uids."""
    start, bracket, _ = line.partition("]")
    mark = f"{start.lstrip('- ')}{bracket}"
    return f"{start}{bracket} {FORGOTTEN}" if mark in marks and FORGOTTEN not in line else line


# ----------------------------------------------------------------- looking again


def traces_in_rows(db: sqlite3.Connection, target: ForgetTarget) -> list[str]:
    """Rows of the file, as `table.column row KEY`, that still hold a copy."""
    return sorted(
        {
            f"{sought.table}.{sought.column} row {'/'.join(map(str, row[1:]))}"
            for sought, key in sought_with_keys(db, target)
            for row in sought.rows(db, key)
        }
    )


ALIKE = (
    ("memory", "select id, uid, text from memories where id not in ({memories}) order by id"),
    ("entry", "select id, uid, text from entries where id not in ({entries}) order by id"),
    ("recall", "select id, uid, query from recalls order by id"),
)


def sharing(db: sqlite3.Connection, target: ForgetTarget) -> dict[str, list[str]]:
    """What will still share a phrase with the target, of which it holds no copy: uids of memories, entries, recalls."""
    if not (target.is_everywhere or len(target.entry_ids) == 1):
        return {}
    phrases = Phrases(target.texts | target.quotes)
    going = {"recall": {*asked_with(db, target.entry_ids), *recalls_asking(db, target)}}
    names = {"memories": id_list(target.memory_ids | target.locked_ids), "entries": id_list(target.entry_ids)}
    found: dict[str, list[str]] = {}
    for sort, sql in ALIKE:
        for number, uid, text in db.execute(sql.format(**names)):
            if not text or number in going.get(sort, ()) or not phrases.shared_by(text):
                continue
            lost = target.quoted if sort == "entry" and number in target.source_ids else target.passages
            if not target.is_everywhere or phrases.shared_by(lost.scrub(text)):
                found.setdefault(sort, []).append(uid)
    return found
