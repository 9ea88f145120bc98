"""What other rows quote of a memory that loses words: values in the reasons and notes of pairs, decisions and changes.

In: a connection and a `ForgetTarget`, before anything is removed. Out: `Detail`s, to be taken out, and the pairs that
wait for a person and rest on what is gone. Invariant: a word that one of the memories still says stays.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from memory_db.store.connection import id_list
from memory_db.text.scrubbing import FORGOTTEN, SHORTEST
from memory_db.text.statements import NUMBERS, stem
from memory_db.text.terms import STOP_WORDS, WORD
from memory_db.upkeep.forget.target import ForgetTarget

OF_PAIRS: tuple[tuple[str, str, str, tuple[str, ...]], ...] = (
    ("contradictions", "memory_id", "other_memory_id", ("reason", "note")),
    ("proposals", "memory_id", "other_memory_id", ("text", "reason")),
    ("edges", "from_memory_id", "to_memory_id", ("reason",)),
)
"""Rows about two memories, or of a proposal about one: table, the two columns, and what they tell."""

OF_ONE: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("decisions", "memory_id = {id}", ("reason",)),
    ("evidence", "memory_id = {id}", ("note",)),
    ("hits", "memory_version_id in (select id from memory_versions where memory_id = {id})",
     ("left_out_reason", "shown_reason")),
    ("memory_versions", "memory_id = {id} and memory_id in (select id from memories where lock_level = 'none')",
     ("change_reason",)),
    ("memories", "id = {id} and lock_level = 'none'", ("change_reason",)),
)  # fmt: skip
"""Rows about one memory, which may tell by what it came or was replaced, and quote that: table, which, and what."""

WAITING = ("contradictions", "proposals")
"""Tables whose open rows go where they rest on a value that is gone: they do not stand any more."""

TOKEN = re.compile(r"[^\W_]+(?:[.:/@_-]+[^\W_]+)*")


@dataclass(frozen=True, slots=True)
class Detail:
    """A text that quotes words which its memories no longer say; `is_open` where the row waits for a person."""

    table: str
    column: str
    row_id: int
    lost: frozenset[str]
    is_open: bool

    @property
    def name(self) -> str:
        """The place, as `table.column`."""
        return f"{self.table}.{self.column}"

    def text(self, db: sqlite3.Connection) -> str | None:
        """What stands there now; None where the row is gone."""
        row = db.execute(f"select {self.column} from {self.table} where id = ?", [self.row_id]).fetchone()
        return None if row is None else str(row[0] or "")


def details_of(db: sqlite3.Connection, target: ForgetTarget) -> list[Detail]:
    """Every text about a memory that goes or loses words, or beside one, that quotes a word nobody says any more."""
    concerned = target.memory_ids | target.redacted_ids
    found: dict[tuple[str, str, int], Detail] = {}
    said: dict[int, str] = {}
    for memory_id in sorted(concerned):
        versions = db.execute("select text from memory_versions where memory_id = ?", [memory_id])
        before = forms_of("\n".join(row[0] for row in versions)) - forms_of(left_of(db, target, memory_id, said))
        for other_id in sorted({memory_id, *partners(db, memory_id)} - target.memory_ids):
            lost = before - forms_of(left_of(db, target, other_id, said))
            for each in quoting(db, memory_id, other_id, lost) if lost else ():
                found[each.table, each.column, each.row_id] = each
    return list(found.values())


def left_of(db: sqlite3.Connection, target: ForgetTarget, memory_id: int, known: dict[int, str]) -> str:
    """What a memory says once the target is forgotten."""
    if memory_id not in known:
        text = str(db.execute("select text from memories where id = ?", [memory_id]).fetchone()[0])
        known[memory_id] = "" if memory_id in target.memory_ids else target.passages.scrub(text)
    return known[memory_id]


def partners(db: sqlite3.Connection, memory_id: int) -> set[int]:
    """Memories that a row is about together with one."""
    found: set[int] = set()
    for table, one, other, _ in OF_PAIRS:
        for mine, its in ((one, other), (other, one)):
            rows = db.execute(f"select {its} from {table} where {mine} = ? and {its} is not null", [memory_id])
            found.update(int(row[0]) for row in rows)
    return found


def quoting(db: sqlite3.Connection, memory_id: int, other_id: int, lost: frozenset[str]) -> Iterator[Detail]:
    """The texts about two memories, or about one where both are the same, that quote one of some words."""
    for table, condition, columns in OF_ONE:
        yield from those_quoting(db, table, condition.format(id=other_id), columns, lost)
    for table, one, other, columns in OF_PAIRS:
        if memory_id != other_id:
            condition = (
                f"({one} = {memory_id} and {other} = {other_id} or {one} = {other_id} and {other} = {memory_id})"
            )
        else:
            condition = f"{one} = {memory_id} and {other} is null"
        yield from those_quoting(db, table, condition, columns, lost)


def those_quoting(
    db: sqlite3.Connection, table: str, condition: str, columns: Iterable[str], lost: frozenset[str]
) -> Iterator[Detail]:
    """The texts of some rows that quote one of some words."""
    for row in db.execute(f"select * from {table} where {condition}").fetchall():
        for column in columns:
            if row[column] and without(row[column], lost) != row[column]:
                yield Detail(table, column, int(row["id"]), lost, table in WAITING and row["state"] == "open")


def resting(details: Iterable[Detail]) -> dict[str, str]:
    """Ids, listed by table, of rows that wait for a person and rest on a value that is gone."""
    ids: dict[str, set[int]] = {table: set() for table in WAITING}
    for each in details:
        if each.is_open:
            ids[each.table].add(each.row_id)
    return {table: id_list(numbers) for table, numbers in ids.items()}


# ------------------------------------------------------------------------ words


def is_telling(word: str) -> bool:
    """Whether a word may be a value: it has a digit or a capital letter, or is long enough to mean something."""
    if any(map(str.isdigit, word)):
        return True
    return word.casefold() not in STOP_WORDS and (len(word) >= SHORTEST or word != word.lower())


def forms_of(text: str) -> frozenset[str]:
    """The telling words and values of a text as a reason may quote them: as words, stems, figures."""
    tokens = TOKEN.findall(text.replace(FORGOTTEN, " "))
    return frozenset(form for token in tokens for part in parts_of(token) for form in forms(part))


def parts_of(token: str) -> list[str]:
    """A word or value and its own parts, those that may be values."""
    return [part for part in dict.fromkeys([token, *WORD.findall(token)]) if is_telling(part)]


def forms(word: str) -> set[str]:
    """A word in small letters, its stem, and the figure that it is."""
    small = word.casefold()
    return {small, stem(small), *([NUMBERS[small]] if small in NUMBERS else [])}


def without(text: str, lost: frozenset[str]) -> str:
    """A text with `FORGOTTEN` in the place of each lost word."""

    def mark(match: re.Match[str]) -> str:
        return match[0] if all(forms(part).isdisjoint(lost) for part in parts_of(match[0])) else FORGOTTEN

    return FORGOTTEN.join(TOKEN.sub(mark, part) for part in text.split(FORGOTTEN))


# ------------------------------------------------------------------- taking out


def numbers_with(
    db: sqlite3.Connection, target: ForgetTarget, details: Iterable[Detail], places: Mapping[str, int]
) -> dict[str, int]:
    """How many texts lose something, by place: those that hold a copy, and others that quote a word and stay."""
    counts = dict(places)
    for each in details:
        text = each.text(db)
        if text is not None and not target.passages.repeats(text):
            counts[each.name] = counts.get(each.name, 0) + 1
    return dict(sorted(counts.items()))


def scrub_details(db: sqlite3.Connection, details: Iterable[Detail]) -> None:
    """Takes the lost words out of the rows that are still there."""
    for each in details:
        if (text := each.text(db)) is not None:
            db.execute(
                f"update {each.table} set {each.column} = ? where id = ?", [without(text, each.lost), each.row_id]
            )


def details_left(db: sqlite3.Connection, details: Iterable[Detail]) -> list[str]:
    """Rows, as `table.column row KEY`, that still quote a lost word."""
    return [
        f"{each.name} row {each.row_id}"
        for each in details
        if (text := each.text(db)) and without(text, each.lost) != text
    ]
