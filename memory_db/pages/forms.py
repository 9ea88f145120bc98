"""What a request sends, and a change that it makes: kept, or with `dry_run` done and taken back.

In: the fields of a form, of a query string or of a JSON body; a path. Out: values, or a connection to change the file
by. Invariants: a field that nobody knows, or a value that cannot be used, is refused in one line; a dry run leaves
every row as it was, and says what would happen.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from memory_db.errors import InputError
from memory_db.index import build as index
from memory_db.store.connection import connect, transaction

FORM_FIELDS = ("csrftoken",)
"""What Datasette's own forms carry besides what is asked."""


def check_known(fields: Fields, names: Iterable[str]) -> None:
    """Raises: InputError for a field that is none of the names: a filter that is misspelt must not count as none.

    A name that ends in * stands for all that begin so.
    """
    known = list(names)
    starts = tuple(name.removesuffix("*") for name in known if name.endswith("*"))
    for name in fields:
        if name not in (*known, *FORM_FIELDS) and not (starts and name.startswith(starts)):
            raise InputError(f"No field {name[:40]!r}. There are: {', '.join(known)}.")


def flag(fields: Fields, name: str, *, default: bool = False) -> bool:
    """A field that is true or false, as forms and JSON write it. Raises: InputError."""
    value = first(fields, name).lower()
    if value in ("1", "true", "yes", "on"):
        return True
    if value in ("0", "false", "no", "off"):
        return False
    if value:
        raise InputError(f"{name} {value[:40]!r} cannot be used. Give true or false.")
    return default


Fields = Mapping[str, Sequence[str]]


def first(fields: Fields, name: str) -> str:
    """The first value of a field, without spaces around it; empty if there is none."""
    values = fields.get(name) or ("",)
    return values[0] if name == "q" else values[0].strip()


DRY_RUN = "Dry run: nothing was changed."
"""What ends the line about a change that was taken back."""


@contextmanager
def changing(path: Path, *, dry_run: bool) -> Iterator[sqlite3.Connection]:
    """A connection inside one transaction, which a dry run takes back."""
    with closing(connect(path, write=True)) as db:
        if not dry_run:
            with transaction(db):
                yield db
            return
        db.execute("begin immediate")
        try:
            yield db
        finally:
            db.rollback()


def bring_index_up_to_date(path: Path, now: datetime, *, dry_run: bool) -> None:
    """Vectors of what is new, after the change is kept."""
    if not dry_run:
        with closing(connect(path, write=True)) as db:
            index.run(db, now=now, entries=False)


def undo_by(path: str, **fields: str | Sequence[str]) -> dict[str, Any]:
    """How a change is taken back: the path to post to (without .json), and its fields."""
    return {"path": path, "fields": {name: listed(value) for name, value in fields.items() if value}}


def offer(label: str, path: str, **fields: str) -> dict[str, Any]:
    """A button for what people often do next, in the same shape as `undo_by`, with its label."""
    return {**undo_by(path, **fields), "label": label}


def listed(value: str | Sequence[str]) -> list[str]:
    """One text or several, as a list."""
    return [value] if isinstance(value, str) else list(value)


def note_dry_run(said: str, dry_run: bool) -> str:
    """What was done in a sentence, or would be."""
    return f"{said} {DRY_RUN}" if dry_run else said


QUESTION_FIELDS = (
    "q", "project", "only_project", "scope", "since", "before", "as_of", "kind", "tag", "path", "profile", "limit",
    "budget",
)  # fmt: skip
"""What a question is made of."""
