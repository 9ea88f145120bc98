"""Every error of ours says in one line what is wrong."""

from __future__ import annotations

import inspect
import sqlite3
from pathlib import Path

import pytest

from memory_db import errors
from memory_db.cli.group import one_line
from memory_db.store.connection import explain

CLASSES = [value for value in vars(errors).values() if inspect.isclass(value)]


@pytest.mark.parametrize("error", CLASSES, ids=lambda error: error.__name__)
def test_every_error_is_in_the_family_and_in_the_list(error: type[Exception]) -> None:
    assert issubclass(error, errors.MemoryDBError)
    assert error.__name__ in (errors.__doc__ or "")
    assert error.__doc__


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("file is not a database", errors.NotADatabaseError),
        ("database is locked", errors.BusyError),
        ("database table is locked: entries", errors.BusyError),
        ("attempt to write a readonly database", errors.ReadOnlyError),
        ("database disk image is malformed", errors.CorruptError),
        ("database or disk is full", errors.DatabaseFileError),
        ("unable to open database file", errors.ReadOnlyError),
        ("something\nnew", errors.DatabaseFileError),
    ],
)
def test_what_sqlite_says_becomes_one_of_ours(said: str, expected: type[Exception]) -> None:
    explained = explain(sqlite3.OperationalError(said), Path("/somewhere/memory.db"))
    assert type(explained) is expected
    assert "/somewhere/memory.db" in str(explained)
    assert one_line(str(explained)).count("\n") == 0


def test_a_line_holds_nothing_that_a_terminal_obeys() -> None:
    assert one_line("a\nb\r\x1b[31mc\x00\u2028d\udcff") == "a b  [31mc  d "
