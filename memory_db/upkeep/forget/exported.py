"""What files that were written for others still hold of a forgotten thing, and taking it out of them.

In: a connection to the file, a `Trail`. Out: places, each in a line. Invariants: a file that is not as it was written
is told and never changed; nor is a copy of the whole file, or a block in a file of the user's; a file is written anew
whole or not at all, with its mode and under its key.
"""

from __future__ import annotations

import html
import json
import os
import re
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memory_db.errors import CorruptError, InputError
from memory_db.store import backup, encryption
from memory_db.store.connection import transaction
from memory_db.text.scrubbing import FORGOTTEN, flat_text, scrubbed_value
from memory_db.upkeep import backups
from memory_db.upkeep.encrypted import key_for, readable
from memory_db.upkeep.export import as_json
from memory_db.upkeep.exports import COPY, MEMORIES, PORTRAIT, SITE, Export, digest_of, files_of, known
from memory_db.upkeep.forget.copies import Trail, held_in_any

SQLITE = b"SQLite format 3\x00"

LINE_UID = re.compile(r"\[(m[0-9a-f]{8,})\] \(\w+, ")
"""How a line of the Markdown list names its memory."""

HEAD_UID = re.compile(r"\A---\nuid: (m[0-9a-f]{8,})\n")
"""How a Markdown file of a folder names its memory."""

EMPTIED = re.compile(
    rf"^- {re.escape(FORGOTTEN)} \[m[0-9a-f]{{8,}}\] \(|\A---\n.*?\n---\n\n{re.escape(FORGOTTEN)}\n", re.DOTALL
)
"""A memory of Markdown whose whole text was taken out."""

SAID = "\n## Said\n"
"""Below which a Markdown file of a memory quotes what it was read from."""

DO = {
    MEMORIES: "`--exports` takes it out",
    COPY: "a copy of the whole file: make a new one and delete it",
    PORTRAIT: "a block of yours: `memory-db memory portrait` writes it anew",
    SITE: "pages as files: delete them, and write them anew with `memory-db export --site`",
}
"""What to do with a file that holds it; what is of no other kind is to be deleted."""


@dataclass(frozen=True, slots=True)
class Held:
    """An export that holds it: where, and whether it is as it was written."""

    export: Export
    where: str
    is_unchanged: bool

    @property
    def can_be_cleaned(self) -> bool:
        """Whether what is forgotten can be taken out of it."""
        return self.is_unchanged and self.export.what == MEMORIES

    @property
    def line(self) -> str:
        """It in a line, with what to do."""
        do = DO.get(self.export.what, "delete it")
        if self.export.what == MEMORIES and not self.is_unchanged:
            do = "it was changed since it was written, so take it out or delete it yourself"
        return f"{self.export.path} ({self.where}; {do})"


def exports_holding(db: sqlite3.Connection, path: Path, trail: Trail) -> tuple[list[Held], str]:
    """The remembered files that hold it or cannot be looked into; and, in a line, those that are no longer there."""
    found, missing = [], []
    for export in known(db):
        if not export.path.exists():
            missing.append(f"{export.path} ({export.written_at[:10]})")
            continue
        try:
            where = held_in_export(db, path, export, trail)
            is_unchanged = digest_of(export.path) == export.sha256
        except (InputError, CorruptError, OSError) as error:
            where, is_unchanged = f"cannot be looked into: {error}", False
        if where:
            found.append(Held(export, where, is_unchanged))
    gone = f"exports that are no longer where they were written, and wherever they went: {', '.join(missing)}"
    return found, gone if missing else ""


def held_in_export(db: sqlite3.Connection, path: Path, export: Export, trail: Trail) -> str:
    """Where an export holds it; nothing where it does not. Raises: InputError, CorruptError, OSError."""
    named = backups.named_key_file(db)
    number = 0
    for each in files_of(export.path):
        with readable(each, path, named) as plain:
            if backup.head_of(plain).startswith(SQLITE):
                if held := held_in_any(plain, trail):
                    return held
                continue
            text = plain.read_bytes().decode("utf-8", "replace")
        if export.what == SITE:
            number += page_holds(text, trail)
            continue
        number += sum(record.holds(trail) for record in records_of(text))
    noun = "page" if export.what == SITE else "memory"
    return f"{number:,} {noun if number == 1 else PLURAL[noun]}" if number else ""


PLURAL = {"page": "pages", "memory": "memories"}

MARKUP = re.compile(r"<(script|style)\b.*?</\1>|<[^>]*>", re.DOTALL)
"""What of a page is no text."""


def page_holds(text: str, trail: Trail) -> bool:
    """Whether a page names a memory that goes, or says what is forgotten."""
    said = " ".join(html.unescape(MARKUP.sub(" ", text)).split())
    return any(uid in text for uid in trail.memories) or Record(None, said).holds(trail)


# ---------------------------------------------------------------------- records


@dataclass(slots=True)
class Record:
    """A memory in an export: its uid, where it has one, and its value of JSON or its text."""

    uid: str | None
    value: Any

    def holds(self, trail: Trail) -> bool:
        """Whether it holds what is forgotten; what a locked memory says stays everywhere."""
        if self.uid is not None and self.uid in trail.memories:
            return True
        if self.uid is not None and self.uid in trail.kept:
            return False
        return bool(self.without(trail) != self.value)

    def without(self, trail: Trail) -> Any:
        """Its value without what is forgotten: whole quotes of entries that go, and passages."""
        value = self.value
        if isinstance(value, dict) and isinstance(value.get("sources"), list):
            value = {**value, "sources": [quoted for each in value["sources"] if (quoted := source_left(each, trail))]}
        elif isinstance(value, str):
            said, heading, quotes = value.partition(SAID)
            value = said + heading + trail.quoted.scrub(quotes)
        return scrubbed_value(trail.passages, value) if trail.is_everywhere else value


def source_left(source: Any, trail: Trail) -> Any:
    """What is left of a quote; nothing of one whose entry is forgotten."""
    if not isinstance(source, dict):
        return source
    if source.get("entry") in trail.entries:
        return None
    return scrubbed_value(trail.quoted, source) if source.get("entry") in trail.sources else source


def records_of(text: str) -> Iterator[Record]:
    """The memories of an export: of a JSON array, of lines of Markdown, or a text as a whole."""
    with suppress(ValueError, RecursionError):
        value = json.loads(text)
        if isinstance(value, list):
            for each in value:
                yield Record(each.get("uid") if isinstance(each, dict) else None, each)
            return
    if head := HEAD_UID.match(text):
        yield Record(head[1], text)
        return
    for line in text.splitlines(keepends=True):
        named = LINE_UID.search(line)
        yield Record(named[1] if named else None, line)


# --------------------------------------------------------------------- cleaning


def clean_exports(db: sqlite3.Connection, path: Path, held: list[Held], trail: Trail) -> list[Path]:
    """Takes what is forgotten out of exports that are as they were written; which those are.

    Raises: InputError, CorruptError, OSError.
    """
    cleaned = []
    for each in held:
        if each.can_be_cleaned:
            for file in files_of(each.export.path):
                clean_file(db, path, file, trail)
            with transaction(db):
                db.execute("update exports set sha256 = ? where id = ?", [digest_of(each.export.path), each.export.id])
            cleaned.append(each.export.path)
    return cleaned


def clean_file(db: sqlite3.Connection, path: Path, file: Path, trail: Trail) -> None:
    """Writes a file anew without what is forgotten; one of a folder goes with its memory.

    Raises: InputError, CorruptError, OSError.
    """
    named = backups.named_key_file(db)
    with readable(file, path, named) as plain:
        text = plain.read_bytes().decode("utf-8", "replace")
    records = list(records_of(text))
    if not any(record.holds(trail) for record in records):
        return
    left = [left_of(record, trail) for record in records]
    if HEAD_UID.match(text) and says_nothing(left[0]):
        file.unlink()
        return
    left = [each for each in left if not says_nothing(each)]
    is_json = any(isinstance(each, dict) for each in left) or text.startswith("[\n")
    write_anew(file, "".join(as_json(iter(left)) if is_json else left), path, named)


def left_of(record: Record, trail: Trail) -> Any:
    """What is left of a memory; nothing of one that goes."""
    if record.uid is not None and record.uid in trail.memories:
        return None
    return record.value if record.uid is not None and record.uid in trail.kept else record.without(trail)


def says_nothing(value: Any) -> bool:
    """Whether nothing is left of a memory, in any of the forms: its whole text was forgotten."""
    if isinstance(value, dict):
        return flat_text(str(value.get("text"))) == FORGOTTEN
    return value is None or (isinstance(value, str) and EMPTIED.search(value) is not None)


def write_anew(file: Path, text: str, path: Path, named: Path | None) -> None:
    """Puts a text in the place of a file, with its mode, and encrypted as it was. Raises: InputError, OSError."""
    handle, partial = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    try:
        data = text.encode("utf-8", "surrogatepass")
        with os.fdopen(handle, "w+b") as out:
            if encryption.is_encrypted(backup.head_of(file)):
                encryption.encrypt(iter([data]), out, key_for(file, path, named))
            else:
                out.write(data)
        shutil.copymode(file, partial)
        Path(partial).replace(file)
    finally:
        Path(partial).unlink(missing_ok=True)
