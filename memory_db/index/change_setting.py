"""Changing a setting, the same way for the command line and for pages: what it was, what it is.

In: a name and a text. Out: a `Changed`. Invariants: what a setting does not accept is refused before anything changes;
a setting put back to its default has no row.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from datetime import datetime

from memory_db.errors import InputError
from memory_db.index.build import full_name
from memory_db.models.consent import refuse_unseen_consent
from memory_db.models.embedders import NO_MODEL
from memory_db.store import settings
from memory_db.store.connection import ask_for_personal, transaction
from memory_db.store.setting import Value, read


@dataclass(frozen=True, slots=True)
class Changed:
    """A setting that was set; `before` is None where its row held what the setting does not accept."""

    name: str
    before: Value | None
    after: Value

    @property
    def said(self) -> str:
        """What became of it, in one line."""
        if self.before == self.after:
            return f"{self.name} is {self.after} already."
        return f"{self.name} = {self.after}, was {'unreadable' if self.before is None else self.before}."


def change(db: sqlite3.Connection, name: str, text: str, *, now: datetime) -> Changed:
    """Sets a setting from text.

    Raises: InputError if there is no such setting, it does not accept the text, or it is a consent that is given
    elsewhere; ModelError for a model not known.
    """
    setting = settings.find(name)
    with transaction(db):
        wanted = read(db, setting, text)
        if name == "embedding_model" and wanted != NO_MODEL:
            full_name(db, str(wanted))
        before = value_or_none(db, name)
        if wanted and not before:
            refuse_unseen_consent(name)
        return Changed(name, before, settings.put(db, name, text, now=now))


def reset(db: sqlite3.Connection, name: str) -> Changed:
    """Puts a setting back to its default. Raises: InputError if there is no such setting."""
    setting = settings.find(name)
    with transaction(db):
        before = value_or_none(db, name)
        db.execute("delete from settings where name = ?", [name])
    ask_for_personal(db)
    return Changed(name, before, setting.default)


def value_or_none(db: sqlite3.Connection, name: str) -> Value | None:
    """The value of a setting; None where somebody put into its row what it does not accept."""
    try:
        return settings.get(db, name)
    except InputError:
        return None
