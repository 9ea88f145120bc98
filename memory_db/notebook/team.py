"""A team's files in a notebook: the shards of a catalogue, one file alone, or eight invented developers.

In: a path or none. Out: `Team`, whose fleet `memory_db.fleet` asks. Invariants: files of the user are only read; the
files of the invented developers are made once, in the notebooks' cache.
"""

from __future__ import annotations

import atexit
import zlib
from contextlib import ExitStack, closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from memory_db.cli.extras import require
from memory_db.notebook.files import use
from memory_db.notebook.theme import enable_charts

require("fleet")

from memory_db.fleet import (
    Fleet,
    Shard,
    import_transcripts,
    open_engine,
    open_fleet,
)  # after it is sure that Dask is there
from memory_db.sample.file import SAMPLE_CACHE, SAMPLE_MOMENT, is_sample
from memory_db.sample.team import HISTORY, teams, write_team
from memory_db.store import settings
from memory_db.store.connection import connect
from memory_db.store.schema import open_database

CATALOGUES = (".yml", ".yaml")
"""How the name of a catalogue ends; any other path is that of one file."""

NOBODY = "me"
"""Whose a file is that no catalogue gives to anybody."""


@dataclass(frozen=True, slots=True)
class Team:
    """The fleet of a team, the team of each person as far as that is known, and the moment it is looked at."""

    fleet: Fleet
    teams: dict[str, str]
    now: datetime


def open_team(path: Path | str | None = None, *, scheduler: str = "synchronous") -> Team:
    """The team of a catalogue, or of one file; of eight invented developers for none, and for the sample's file.

    It stays open until the process ends. Raises: InputError, MissingFileError, DatabaseFileError.
    """
    enable_charts()
    stack = ExitStack()
    atexit.register(stack.close)
    chosen = Path(path).expanduser() if path else None
    if chosen and chosen.suffix in CATALOGUES:
        return Team(stack.enter_context(open_fleet(chosen, scheduler=scheduler)), {}, datetime.now(UTC))
    if chosen and not sample_at(chosen):
        engine = stack.enter_context(open_engine(scheduler))
        return Team(Fleet([Shard(0, str(chosen.resolve()), NOBODY)], engine), {}, datetime.now(UTC))
    catalogue = ensure_team(chosen.parent if chosen else SAMPLE_CACHE.expanduser())
    return Team(stack.enter_context(open_fleet(catalogue, scheduler=scheduler)), teams(), SAMPLE_MOMENT)


def sample_at(path: Path) -> bool:
    """Whether a file holds the sample history. Raises: DatabaseFileError."""
    return is_sample(use(connect(path)))


def ensure_team(folder: Path, *, now: datetime = SAMPLE_MOMENT) -> Path:
    """The catalogue of eight invented developers, whose files are made below a folder; files that are there stay."""
    own = folder / f"team-{zlib.crc32(HISTORY.read_bytes()):08x}"
    own.mkdir(parents=True, exist_ok=True)
    catalogue = write_team(own)
    with open_fleet(catalogue, scheduler="synchronous") as fleet:
        for shard in fleet.shards:
            with closing(open_database(Path(shard.address), now=now)) as db:
                settings.put(db, "embedding_model", "none", now=now)  # word vectors do, and take no time
        import_transcripts(fleet, now=now)
    return catalogue
