"""Transcripts into the shards of a fleet, many shards at once, one writer each.

In: a fleet whose catalogue says where a shard's transcripts lie. Out: counts, shard by shard, and why one was left.
Invariants: a shard is written by one process at a time, for which a lock lies beside it; everything goes by names that
do not depend on who reads, so a worker that is killed loses nothing, and whoever goes on repeats nothing; a second
import changes no row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from filelock import FileLock, Timeout

from memory_db.errors import BusyError, InputError, MemoryDBError
from memory_db.fleet.catalogue import EVERYTHING, Scope, Shard
from memory_db.fleet.engine import Step
from memory_db.fleet.fleet import Fleet, Missing
from memory_db.fleet.opened import Trouble
from memory_db.store.schema import open_database
from memory_db.upkeep import pipeline

PORTION = 200
"""Transcripts between two lines of progress. Source: ours; some seconds of work."""

LOCK_S = 60
"""How long another writer of the shard is waited for: after a worker died its lock is free at once."""

Progress = Callable[[str, int, int | None], None]


@dataclass(slots=True)
class Imported:
    """What an import did: transcripts read and counts by shard, and which shards were left, with the reason."""

    files: dict[str, int] = field(default_factory=dict)
    counts: dict[str, dict[str, int]] = field(default_factory=dict)
    missing: list[Missing] = field(default_factory=list)


def transcripts_of(shard: Shard) -> list[Path]:
    """The transcripts of a shard, in order, each with those of its subagents. Raises: InputError."""
    found: list[Path] = []
    for folder in map(Path, shard.transcripts):
        if not folder.is_dir():
            raise InputError(f"{shard.name} has its transcripts in {folder}, which is no folder. Mend the catalogue.")
        found += [path for path in folder.rglob("*.jsonl") if "subagents" not in path.relative_to(folder).parts]
    return sorted(found)


def read_portion(shard: Shard, paths: Sequence[Path], now: datetime, *, is_last: bool) -> dict[str, int] | Trouble:
    """Reads some transcripts into a shard, and with the last ones takes everything through the pipeline."""
    try:
        return written(shard, paths, now, is_last=is_last)
    except MemoryDBError as error:
        return Trouble(str(error))
    except OSError as error:
        return Trouble(f"{shard.address}: {error.strerror or error}. See whether it can be written.")


def written(shard: Shard, paths: Sequence[Path], now: datetime, *, is_last: bool) -> dict[str, int]:
    """The same. Raises: MemoryDBError, OSError."""
    path = Path(shard.address)
    path.parent.mkdir(parents=True, exist_ok=True)
    counts: Counter[str] = Counter()
    try:
        with FileLock(f"{path}.import-lock", timeout=LOCK_S), closing(open_database(path, now=now)) as db:
            read = [each for path in paths for each in (path, path.with_suffix("") / "subagents") if each.exists()]
            if paths:
                stage = pipeline.run_stage(
                    db, pipeline.IMPORT, lambda: pipeline.import_claude_code(db, read, now=now), now=now
                )
                counts.update(stage.counts)
            if is_last:
                for name in pipeline.STAGES[1:]:
                    for stage in pipeline.run(db, [], now=now, only=name):
                        counts.update({f"{name}_{what}": count for what, count in stage.counts.items()})
            db.execute("pragma wal_checkpoint(truncate)")
    except Timeout as error:
        raise BusyError(f"{path} is written by another import. Run the command again when that is done.") from error
    return dict(counts)


def steps(shard: Shard, paths: Sequence[Path], now: datetime) -> Iterator[Step]:
    """A shard's transcripts portion by portion; with the last of them comes the rest of the pipeline."""
    for start in range(0, max(1, len(paths)), PORTION):
        portion = paths[start : start + PORTION]
        is_last = start + PORTION >= len(paths)
        yield read_portion, (shard, portion, now), {"is_last": is_last}, len(portion)


def import_transcripts(
    fleet: Fleet, *, now: datetime, scope: Scope = EVERYTHING, progress: Progress | None = None
) -> Imported:
    """Reads what is new of the transcripts of all shards of a scope.

    A shard that is not there yet is made. Raises: InputError where no shard says where its transcripts lie.
    """
    shards = [shard for shard in fleet.chosen(scope) if shard.transcripts]
    if not shards:
        raise InputError("No shard of the catalogue says where its transcripts lie. Give some `transcripts: FOLDER`.")
    done = Imported()
    waiting: dict[Shard, list[Path]] = {}
    for shard in shards:
        if not shard.is_local:
            done.missing.append(Missing(shard, f"{shard.address} is not on this machine, so nothing is written there."))
            continue
        try:
            paths = transcripts_of(shard)
        except InputError as error:
            done.missing.append(Missing(shard, str(error)))
            continue
        waiting[shard] = paths
        done.files[shard.name], done.counts[shard.name] = len(paths), {}
    total, read = sum(done.files.values()), 0

    def told(shard: Shard, count: int, result: dict[str, int] | Trouble) -> bool:
        nonlocal read
        if isinstance(result, Trouble):
            done.missing.append(Missing(shard, result.reason))
            return False
        done.counts[shard.name] = dict(Counter(done.counts[shard.name]) + Counter(result))
        read += count
        if progress:
            progress("transcripts", read, total)
        return True

    fleet.engine.chains({shard: steps(shard, paths, now) for shard, paths in waiting.items()}, told)
    for shard in shards:
        fleet.forget(shard.number)
    return done
