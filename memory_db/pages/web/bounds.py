"""What any SQL from the web may take: one text, one pattern, all rows together; its time is Datasette's own limit.

In: a connection that Datasette made. Out: the same, with bounds. Invariants: what goes over a bound ends with one line
of SQLite's or ours, as an error of that query alone; no function of SQL works for long between two looks at the clock;
the connections of our own pages, whose SQL nobody else writes, have none of this.
"""

from __future__ import annotations

import re
import sqlite3
import weakref
from collections.abc import Callable
from typing import Any

MOST_VALUE_BYTES = 4 * 2**20
"""The longest text or blob that SQL may make or read. Source: ours; `printf('%.*c', 900000000, 'a')` takes a gigabyte
and cannot be interrupted, and 4 MiB are over a hundred times the longest tool result that an agent keeps."""

MOST_PATTERN_BYTES = 300
"""The longest pattern of LIKE and GLOB, which take its length times the text's. Source: ours, longer than any error
line is searched by; with `MOST_VALUE_BYTES` the worst pattern takes about two seconds."""

MOST_ANSWER_BYTES = 64 * 2**20
"""All texts and blobs of one answer. Source: ours; a thousand rows, as many as Datasette gives, of 64 kB each."""

MOST_COLUMNS = 200
"""Columns of one answer; no table or view of ours has a quarter of it."""

LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: MOST_VALUE_BYTES,
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: MOST_PATTERN_BYTES,
    sqlite3.SQLITE_LIMIT_COLUMN: MOST_COLUMNS,
}

Values = tuple[Any, ...]
Rows = Callable[[Any, Values], Any]
"""How a connection makes a row: of a cursor and its values."""


def bound(db: sqlite3.Connection) -> None:
    """Sets the bounds of a connection, which keeps its way to make rows."""
    for limit, most in LIMITS.items():
        db.setlimit(limit, most)
    db.row_factory = counted(db.row_factory or plain)
    db.create_function("instr", 2, instr, deterministic=True)
    db.create_function("replace", 3, replace, deterministic=True)
    printf = printf_of(sqlite3.connect(":memory:", check_same_thread=False, factory=ClosedAtLast))
    for name in ("printf", "format"):
        db.create_function(name, -1, printf, deterministic=True)


class ClosedAtLast(sqlite3.Connection):
    """A connection that is closed when nobody holds it any more, as a function of another connection does."""

    def __del__(self) -> None:
        self.close()


def plain(_: sqlite3.Cursor, values: Values) -> Values:
    """A row as SQLite gives it."""
    return values


def counted(make: Rows) -> Rows:
    """The same way to make rows, until one answer has more bytes than `MOST_ANSWER_BYTES`."""
    answers: weakref.WeakKeyDictionary[sqlite3.Cursor, int] = weakref.WeakKeyDictionary()

    def row(cursor: sqlite3.Cursor, values: Values) -> Any:
        size = answers.get(cursor, 0) + sum(len(value) for value in values if isinstance(value, str | bytes))
        if size > MOST_ANSWER_BYTES:
            raise sqlite3.OperationalError(
                f"The answer has more than {MOST_ANSWER_BYTES >> 20} MB. Ask for fewer rows, or for parts of the texts."
            )
        answers[cursor] = size
        return make(cursor, values)

    return row


SIZES = re.compile(r"%[-+ 0#,!]*(\d+|\*)?(?:\.(\d+|\*))?")
"""Width and precision of a part of a format; `*` takes them from the values."""


def printf_of(db: sqlite3.Connection) -> Callable[..., Any]:
    """SQL's `printf`, by a connection that knows nothing else; what would be too long is not begun.

    SQLite's own counts up to a width of a thousand million for ten seconds before it finds the text too long, and
    cannot be interrupted.
    """

    db.text_factory = lambda text: text.decode("utf-8", "replace")

    def printf(*values: Any) -> Any:
        if not values:
            return None
        sizes = [int(size) for pair in SIZES.findall(as_text(values[0])) for size in pair if size.isdecimal()]
        if "*" in as_text(values[0]):
            sizes += [size_of(value) for value in values[1:]]
        if sum(sizes) > MOST_VALUE_BYTES:
            return " " * (MOST_VALUE_BYTES + 1)  # as in `replace`
        return db.execute(f"select printf({', '.join('?' * len(values))})", values).fetchone()[0]

    return printf


def size_of(value: Any) -> int:
    """A value as SQLite takes it for a width: a number at the beginning of a text counts too."""
    number = re.match(r"\s*[-+]?(\d+)(?:\.\d*)?(?:[eE][+]?(\d+))?", as_text(value)) if value is not None else None
    return int(number[1]) * 10 ** min(int(number[2] or 0), 20) if number else 0


def instr(text: Any, part: Any) -> int | None:
    """SQL's `instr`: where a part begins, from 1; 0 where it does not stand.

    SQLite's own takes the length of one times that of the other, hours for two long texts, and cannot be interrupted.
    """
    if text is None or part is None:
        return None
    if isinstance(text, bytes) and isinstance(part, bytes):
        return text.find(part) + 1
    return as_text(text).find(as_text(part)) + 1


def replace(text: Any, old: Any, new: Any) -> Any:
    """SQL's `replace`, for the same reason; what is too long is not made."""
    if text is None or old is None:
        return None
    if not as_text(old):
        return as_text(text) if isinstance(text, bytes) else text
    if new is None:
        return None
    text, old, new = as_text(text), as_text(old), as_text(new)
    if len(text) + text.count(old) * (len(new) - len(old)) > MOST_VALUE_BYTES:
        return " " * (MOST_VALUE_BYTES + 1)  # which SQLite refuses as too big; an exception would be printed
    return text.replace(old, new)


def as_text(value: Any) -> str:
    """A value as SQL casts it to text."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, float):
        return sqlite_number(value)
    return str(value)


def sqlite_number(value: float) -> str:
    """A real number as SQLite writes it: 15 digits, always a point, and no sign of zero."""
    digits, e, exponent = f"{value + 0.0:.15g}".replace("inf", "Inf").partition("e")
    return digits + ("" if "." in digits or "I" in digits else ".0") + e + exponent
