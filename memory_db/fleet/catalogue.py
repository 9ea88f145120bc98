"""The catalogue of a fleet: which files belong to it, and whose texts of which projects or which month each has.

In: a YAML file. Out: `Shard`s in its order, checked. Invariants: what is wrong is said in one line that names the
shard; two shards that may hold the same rows are refused, for they would be counted twice; no shard is opened here.

    shards:
      - {address: anna.db, person: anna, transcripts: ~/.claude/projects}
      - {address: s3://team/ben-2026-09.db, person: ben, month: 2026-09}
      - {address: ben/tidepool.db, person: ben, projects: [tidepool]}
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

import yaml

from memory_db.errors import InputError, MissingFileError

FIELDS = ("address", "person", "project", "projects", "month", "transcripts")

MONTH = re.compile(r"\d{4}-(0[1-9]|1[0-2])")

IS_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*(::[a-z][a-z0-9+.-]*)*://", re.IGNORECASE)
"""What begins as an address of fsspec does; anything else is a path, from where the catalogue lies."""


@dataclass(frozen=True, slots=True)
class Shard:
    """One file of a fleet: where it is, whose it is, and which projects or which month it has; all of them unless said.

    `number` is its place in the catalogue, from 0; `transcripts` are folders that are imported into it.
    """

    number: int
    address: str
    person: str
    projects: tuple[str, ...] = ()
    month: str = ""
    transcripts: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """How an answer names it: the person, and what of theirs."""
        return "/".join([self.person, *filter(None, [",".join(self.projects), self.month])])

    @property
    def is_local(self) -> bool:
        """Whether it is a file that can be written."""
        return not IS_ADDRESS.match(self.address)


@dataclass(frozen=True, slots=True)
class Scope:
    """Which shards are asked: those of these persons, projects and months; all where nothing is named."""

    persons: tuple[str, ...] = ()
    projects: tuple[str, ...] = ()
    months: tuple[str, ...] = ()

    def lets_in(self, shard: Shard) -> bool:
        """Whether a shard may hold what is asked: one that does not say which projects it has may hold any."""
        return (
            (not self.persons or shard.person in self.persons)
            and (not self.projects or not shard.projects or bool({*self.projects} & {*shard.projects}))
            and (not self.months or not shard.month or shard.month in self.months)
        )


EVERYTHING = Scope()


def read_catalogue(path: Path) -> tuple[Shard, ...]:
    """The shards of a catalogue, in its order. Raises: MissingFileError, InputError."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise MissingFileError(
            f"No catalogue at {path}. Write one that lists the shards; see docs/fleet.md."
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"The catalogue {path} cannot be read: {error}. Write it as YAML in UTF-8.") from error
    try:
        found = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise InputError(
            f"The catalogue {path} is not YAML: {' '.join(str(error).split())}. Mend that line."
        ) from error
    rows = found.get("shards") if isinstance(found, dict) else None
    if not isinstance(rows, list) or not rows:
        raise InputError(f"The catalogue {path} lists no shards. Give it `shards:` with an address and a person each.")
    return checked([shard_of(path, number, row) for number, row in enumerate(rows)])


def shard_of(path: Path, number: int, row: Any) -> Shard:
    """One row of a catalogue. Raises: InputError."""
    where = f"Shard {number + 1} of {path}"
    if not isinstance(row, dict):
        raise InputError(f"{where} is no row of names and values. Give it an address and a person.")
    values = {str(name): value for name, value in row.items()}
    if unknown := sorted(values.keys() - set(FIELDS)):
        raise InputError(f"{where} has {unknown[0]!r}, which says nothing. There are: {', '.join(FIELDS)}.")
    for name in ("address", "person"):
        if not isinstance(values.get(name), str) or not values[name].strip():
            raise InputError(f"{where} has no {name}. Give one.")
    projects = values.get("projects", values.get("project", ()))
    projects = (projects,) if isinstance(projects, str) else projects
    if not isinstance(projects, list | tuple) or not all(isinstance(each, str) and each for each in projects):
        raise InputError(f"{where} has the projects {projects!r}. Give their names, as a list.")
    month = str(values.get("month") or "")
    if month and not MONTH.fullmatch(month):
        raise InputError(f"{where} has the month {month!r}. Give it as 2026-09.")
    address = values["address"].strip()
    if not IS_ADDRESS.match(address):
        address = str((path.parent / Path(address).expanduser()).resolve())
    return Shard(
        number, address.removeprefix("file://"), values["person"].strip(), tuple(projects), month,
        folders_of(path, where, values.get("transcripts", ())),
    )  # fmt: skip


def folders_of(path: Path, where: str, folders: Any) -> tuple[str, ...]:
    """Where a shard's transcripts lie, from where the catalogue does. Raises: InputError."""
    folders = (folders,) if isinstance(folders, str) else folders
    if not isinstance(folders, list | tuple) or not all(isinstance(each, str) and each for each in folders):
        raise InputError(f"{where} has the transcripts {folders!r}. Give a folder, or a list of them.")
    return tuple(str((path.parent / Path(folder).expanduser()).resolve()) for folder in folders)


def checked(shards: Sequence[Shard]) -> tuple[Shard, ...]:
    """The shards, if no two of them may hold the same rows. Raises: InputError."""
    for one, other in combinations(shards, 2):
        if one.address == other.address:
            raise InputError(f"{one.address} is listed twice, as {one.name} and {other.name}. Keep one of them.")
        if one.person == other.person and overlap(one, other):
            raise InputError(
                f"{one.address} and {other.address} are both of {one.person}, and may have the same rows."
                " Merge them (`memory-db file merge`), or say which projects or which month each has."
            )
    return tuple(shards)


def overlap(one: Shard, other: Shard) -> bool:
    """Whether two shards of one person may have the same rows: neither by project nor by month are they apart."""
    apart_by_project = one.projects and other.projects and not {*one.projects} & {*other.projects}
    apart_by_month = one.month and other.month and one.month != other.month
    return not (apart_by_project or apart_by_month)


def chosen(shards: Iterable[Shard], scope: Scope) -> tuple[Shard, ...]:
    """The shards of a scope. Raises: InputError where there is none."""
    listed = tuple(shards)
    for month in scope.months:
        if not MONTH.fullmatch(month):
            raise InputError(f"The month {month!r} cannot be read. Give it as 2026-09.")
    found = tuple(shard for shard in listed if scope.lets_in(shard))
    if not found:
        asked = ", ".join((*scope.persons, *scope.projects, *scope.months))
        raise InputError(f"No shard is of {asked}. There are: {', '.join(shard.name for shard in listed)}.")
    return found


def renumbered(shards: Iterable[Shard]) -> tuple[Shard, ...]:
    """Shards that are listed anew, each with its place."""
    return tuple(replace(shard, number=number) for number, shard in enumerate(shards))
