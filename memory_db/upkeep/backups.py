"""Copies that come and go: a new verified one, and then those that it makes superfluous.

In: a file, a moment, and which copies are kept. Out: the new copy, and what was deleted, each with why. Invariants:
nothing is deleted unless a new copy of this moment was read from end to end; only what memory-db made is deleted, and
of that no copy that is not whole, for it may be all that is left of its day.
"""

from __future__ import annotations

import re
import shutil
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from memory_db.errors import DatabaseFileError, InputError
from memory_db.store import backup, encryption_key, settings
from memory_db.store.dates import utc_text
from memory_db.store.encryption import Key
from memory_db.store.keeping import OFF, Keep, keep_in
from memory_db.upkeep.encrypted import encrypt_copy, key_to_use

SETTING, ENCRYPT, KEY_FILE, STAGE = "backup_keep", "backup_encrypt", "encryption_key_file", "backup"

EVERY = timedelta(days=1)
"""How often the worker makes a copy."""

HALF_DONE = timedelta(days=1)
"""Age from which what a copy left half-way cannot be one that is being made."""

ROOM = 3
"""Times its size that a file must find free before it is copied unasked. Source: ours; the doctor warns from 2 on."""

BEFORE_SCHEMA = re.compile(r"\.before-schema-[0-9]+-from-[0-9]+")
"""How a copy is named that was made before a change of the schema, after the name of its file."""

HAS_ROWS = "select exists (select 1 from entries) or exists (select 1 from memories)"
IS_SAMPLE = "select 1 from settings where name = 'sample' and value = 'true'"
LATELY = "select 1 from runs where stage = ? and started_at > ?"


@dataclass(frozen=True, slots=True)
class Rotated:
    """A new copy, None where only told; what was or would be deleted, with why; how many copies stay."""

    made: backup.Copy | None
    deleted: dict[Path, str] = field(default_factory=dict)
    kept: int = 0


# --------------------------------------------------------------------- a copy


def named_key_file(db: sqlite3.Connection, option: Path | None = None) -> Path | None:
    """The key file that an option names, or else the settings. Raises: InputError."""
    return encryption_key.named_file(option, settings.get_text(db, KEY_FILE))


def key_by_settings(db: sqlite3.Connection, path: Path) -> Key | None:
    """The key for copies where the settings want them encrypted; else None.

    Raises: InputError where there is none: copies are not made readable for want of a key.
    """
    return key_to_use(path, named_key_file(db)) if settings.get(db, ENCRYPT) else None


def copy(db: sqlite3.Connection, target: Path, key: Key | None) -> backup.Copy:
    """A verified copy at a new place, encrypted where there is a key. Raises: InputError, CorruptError."""
    return backup.back_up(db, target, encrypt=encrypt_copy(key) if key else None)


def next_target(path: Path, now: datetime, key: Key | None) -> Path:
    """A place in the folder of backups for a copy of this moment. Raises: InputError."""
    return backup.new_target(path, now, backup.ENCRYPTED if key else backup.PLAIN)


# ------------------------------------------------------------------ rotation


def rotate(db: sqlite3.Connection, path: Path, keep: Keep, *, now: datetime, key: Key | None = None) -> Rotated:
    """Makes a verified copy in the folder of backups, then deletes those that need not be kept.

    With a key it is encrypted.
    With a key it is encrypted.
    Raises: InputError or CorruptError where the copy cannot be made; then nothing is deleted. OSError.
    """
    made = copy(db, next_target(path, now, key), key)
    going = superfluous(path, keep, now=now, made=made.path)
    for each in going:
        backup.delete(each)
    return Rotated(made, going, len(backup.made_here(path)))


def would_rotate(path: Path, keep: Keep, *, now: datetime) -> Rotated:
    """What `rotate` would delete; nothing is written."""
    going = superfluous(path, keep, now=now)
    return Rotated(None, going, len(set(backup.made_here(path)) - set(going)) + 1)


def superfluous(path: Path, keep: Keep, *, now: datetime, made: Path | None = None) -> dict[Path, str]:
    """What may go once there is a verified copy of this moment, each with why."""
    copies = {each: moment for each in backup.made_here(path) if (moment := backup.moment_of(each.name, path))}
    whole = {each: moment for each, moment in copies.items() if each == made or backup.is_whole(each)}
    kept = keep.kept([*whole.values(), now.astimezone(UTC).replace(microsecond=0)])
    going = {
        each: f"newer copies are kept for each period of {keep.text}"
        for each, moment in whole.items()
        if moment not in kept and each != made
    }
    for each in before_schema(path):
        if modified_at(each) < now:
            going[each] = "a verified copy is newer than the change of the schema"
    for each in half_done(path):
        if modified_at(each) < now - HALF_DONE:
            going[each] = "a copy that was stopped half-way"
    return going


def before_schema(path: Path) -> list[Path]:
    """Copies of a file that were made before its schema changed."""
    return sorted(
        each
        for each in path.parent.iterdir()
        if each.name.startswith(path.name)
        and BEFORE_SCHEMA.fullmatch(each.name.removeprefix(path.name))
        and not each.is_symlink()
        and each.is_file()
        and backup.is_ours(each)
    )


def half_done(path: Path) -> Iterator[Path]:
    """What is left of copies that were never finished."""
    folder = backup.folder_of(path)
    for each in sorted(folder.iterdir()) if folder.is_dir() else ():
        if each.suffix == backup.PARTIAL and backup.moment_of(each.stem, path) and each.is_file():
            yield each
    for each in sorted(path.parent.iterdir()):
        if each.name.startswith(backup.plain_prefix(path)) and each.is_file() and not each.name.endswith(backup.LOGS):
            yield each


def modified_at(path: Path) -> datetime:
    """When a file was last written."""
    return datetime.fromtimestamp(path.stat().st_mtime, UTC)


# ---------------------------------------------------------------- by the clock


def is_due(db: sqlite3.Connection, path: Path, *, now: datetime) -> bool:
    """Whether the settings want copies, there is something to lose, and the last one was made or tried a day ago.

    The sample can be made again at any time.
    """
    if settings.get_text(db, SETTING) == OFF or db.execute(IS_SAMPLE).fetchone():
        return False
    if not db.execute(HAS_ROWS).fetchone()[0] or db.execute(LATELY, [STAGE, utc_text(now - EVERY)]).fetchone():
        return False
    last = last_moment(path)
    return last is None or not now - EVERY < last <= now


def last_moment(path: Path) -> datetime | None:
    """When the newest whole copy in the folder of backups was made and verified; None where there is none."""
    whole = [each for each in backup.made_here(path) if backup.is_whole(each)]
    return backup.moment_of(whole[-1].name, path) if whole else None


def run(db: sqlite3.Connection, path: Path, *, now: datetime) -> dict[str, int]:
    """Makes the copy of the day and deletes what the settings do not keep: counts `copies_made`, `copies_deleted`.

    Raises: DatabaseFileError, which says why there is none.
    """
    keep = keep_in(settings.get_text(db, SETTING), f"{SETTING} cannot be")
    size, free = path.stat().st_size, shutil.disk_usage(path.resolve().parent).free
    if free < ROOM * size:
        raise DatabaseFileError(
            f"No room for a copy of {path}: {free // 2**20:,} MB are free, {ROOM} times its {size // 2**20:,} MB are"
            f" wanted. Free some space, or turn copies off: `memory-db settings {SETTING} {OFF}`."
        )
    try:
        done = rotate(db, path, keep, now=now, key=key_by_settings(db, path))
    except InputError as error:
        raise DatabaseFileError(str(error)) from error
    except OSError as error:
        raise DatabaseFileError(f"{error.filename} cannot be used: {error.strerror}. Make it writable.") from error
    return {"copies_made": 1, "copies_deleted": len(done.deleted)}
