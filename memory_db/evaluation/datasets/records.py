"""What a data set consists of, whatever form it came in, and how its files are read.

Invariant: a line that is not what it should be is named by file and number, in one line.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from memory_db.errors import SourceError

ASKED_AFTER = timedelta(days=7)
"""How long after the last thing that was said a question is asked, where the data set names no moment."""

MOST_BYTES = 2_000_000_000
"""The largest file that is read: data sets are read into memory whole."""


@dataclass(frozen=True, slots=True)
class Turn:
    """Something said by a `user` or an `assistant`, which becomes an entry of a session."""

    uid: str
    session: str
    text: str
    created_at: str
    role: str = "user"


@dataclass(frozen=True, slots=True)
class Note:
    """Something known, which becomes a memory; `supersedes` is the uid of the note that it replaces.

    `is_retired`: it was known once and is out of use, with nothing in its place.
    """

    uid: str
    kind: str
    title: str
    text: str
    project: str | None
    tags: tuple[str, ...]
    paths: tuple[str, ...]
    importance: int
    created_at: str
    supersedes: str | None
    condition: str | None = None
    keys: tuple[str, ...] = ()
    is_retired: bool = False


@dataclass(frozen=True, slots=True)
class DatasetQuestion:
    """A question with the uids of what answers it and of what must not be shown for it.

    `decisive` are the words that its answer hangs on, where a brief must say them all to be of use.
    """

    uid: str
    query: str
    project: str | None
    asked_at: str
    relevant: tuple[str, ...]
    must_not: tuple[str, ...]
    style: str
    decisive: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Part:
    """What belongs into one file: one person's history, and the questions asked of it."""

    name: str
    questions: tuple[DatasetQuestion, ...]
    turns: tuple[Turn, ...] = ()
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class Dataset:
    """Parts, with the hash (SHA-256) of the files they were read from."""

    name: str
    form: str
    file_hash: str
    parts: tuple[Part, ...]
    left_out: dict[str, int] = field(default_factory=dict)


class Source:
    """The files of a data set by name: of a folder, of a zip archive, or one file alone. Keeps the hash of all read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._hash = hashlib.sha256()
        if not path.exists():
            raise SourceError(f"No file or folder {path}. Name one that is there.")
        self.is_zip = path.is_file() and zipfile.is_zipfile(path)

    @property
    def name(self) -> str:
        """The data set's name: that of its file or folder without what says the type."""
        return self.path.stem if self.path.is_file() else self.path.resolve().name

    def file_hash(self) -> str:
        """The hash of everything that was read so far."""
        return self._hash.hexdigest()

    def names(self, ending: str) -> list[str]:
        """The files whose path ends so, in the order of their names; those of a single file are itself."""
        try:
            if self.is_zip:
                with zipfile.ZipFile(self.path) as archive:
                    found = archive.namelist()
            elif self.path.is_dir():
                found = [str(path.relative_to(self.path)) for path in self.path.rglob("*") if path.is_file()]
            else:
                found = [self.path.name]
        except (OSError, zipfile.BadZipFile) as error:
            raise SourceError(f"{self.path} cannot be read: {error}. Check the file.") from error
        return sorted(name for name in found if f"/{name}".endswith(ending))

    def one(self, ending: str) -> str:
        """The one file whose path ends so. Raises: SourceError."""
        found = self.names(ending)
        if not found:
            raise SourceError(f"{self.path} has no {ending.lstrip('/')}. Check the format, or name another folder.")
        return min(found, key=len)

    def text(self, name: str) -> str:
        """A file's text. Raises: SourceError."""
        try:
            if self.is_zip:
                with zipfile.ZipFile(self.path) as archive:
                    check_size(name, archive.getinfo(name).file_size)
                    content = archive.read(name)
            else:
                path = self.path / name if self.path.is_dir() else self.path
                check_size(name, path.stat().st_size)
                content = path.read_bytes()
            self._hash.update(content)
            return content.decode("utf-8-sig")
        except (OSError, zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise SourceError(f"{name} of {self.path} cannot be read: {reason}. Check the file.") from error
        except UnicodeDecodeError as error:
            raise SourceError(f"{name} is not UTF-8 at byte {error.start}. Save it as UTF-8.") from error

    def lines(self, name: str) -> Iterator[Row]:
        """The objects of a file with one JSON object a line. Raises: SourceError."""
        for number, line in enumerate(self.text(name).split("\n"), start=1):
            if line.strip():
                place = f"{name} line {number}"
                yield Row(as_object(as_json(line, place), place), place)

    def items(self, ending: str) -> Iterator[Row]:
        """The objects of the one file whose path ends so, which is a list of them. Raises: SourceError."""
        name = self.one(f"/{ending}")
        for number, value in enumerate(as_list(as_json(self.text(name), name), name), start=1):
            place = f"{name} item {number}"
            yield Row(as_object(value, place), place)


@dataclass(frozen=True, slots=True)
class Row:
    """An object of a file, with the place to name when it lacks something."""

    values: Mapping[str, Any]
    place: str

    def text(self, name: str, default: str | None = None) -> str:
        """A text (a number counts as one). Raises: SourceError."""
        value = self.values.get(name)
        value = default if value is None else value
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise SourceError(f"{self.place} has no text {name!r}. Add it.")
        return str(value).encode("utf-8", "replace").decode("utf-8")

    def text_or_none(self, name: str) -> str | None:
        """A text, or None where there is none or an empty one. Raises: SourceError."""
        return self.text(name, "") or None

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of texts, empty where there is none. Raises: SourceError."""
        values = self.values.get(name)
        values = [] if values is None else values
        if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
            raise SourceError(f'{self.place} has a {name!r} that is no list of texts. Write it as ["..."].')
        return tuple(value.encode("utf-8", "replace").decode("utf-8") for value in values)

    def number(self, name: str, default: int) -> int:
        """A whole number. Raises: SourceError."""
        value = self.values.get(name, default)
        if isinstance(value, bool) or not isinstance(value, int):
            raise SourceError(f"{self.place} has a {name!r} that is no whole number.")
        return value


def check_size(name: str, size_bytes: int) -> None:
    """Raises: SourceError for a file that would fill the memory."""
    if size_bytes > MOST_BYTES:
        raise SourceError(f"{name} has {size_bytes:,} bytes, more than {MOST_BYTES:,}. Split it.")


def as_json(text: str, place: str) -> Any:
    """What a text says in JSON. Raises: SourceError."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise SourceError(f"{place} is not JSON: {error}.") from error


def as_list(value: Any, place: str) -> list[Any]:
    """A JSON list. Raises: SourceError."""
    if not isinstance(value, list):
        raise SourceError(f"{place} is no JSON list. Write it as [...].")
    return value


def as_object(value: Any, place: str) -> Mapping[str, Any]:
    """A JSON object. Raises: SourceError."""
    if not isinstance(value, dict):
        raise SourceError(f"{place} is no JSON object. Write it as {{...}}.")
    return value
