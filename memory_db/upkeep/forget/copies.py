"""Copies of the file that memory-db made, and the bytes of the file itself: what of a forgotten thing they still hold.

In: a path, a connection, a `ForgetTarget`. Out: places, each in a line. Invariants: a copy is opened to be read and is
never changed; it is deleted only if it holds what was forgotten, somebody asked for it, and a new verified copy stands.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from memory_db.errors import CorruptError, DatabaseFileError, InputError
from memory_db.recall.brief import spool
from memory_db.store import backup
from memory_db.store.connection import id_list
from memory_db.text.scrubbing import FORGOTTEN, LEAST, Passages, cell_repeats
from memory_db.upkeep import backups
from memory_db.upkeep.encrypted import readable
from memory_db.upkeep.forget import byte_search
from memory_db.upkeep.forget.places import COMPUTED, text_columns
from memory_db.upkeep.forget.target import ForgetTarget

MOST_BY_CHARACTER = 20
"""Passages up to which the bytes are searched for every stretch of them; of more, only each next stretch is sought."""


@dataclass(frozen=True, slots=True)
class Trail:
    """By what a copy is known to hold something, taken before the rows go: uids of memories and entries, and words."""

    memories: frozenset[str]
    entries: frozenset[str]
    sources: frozenset[str]
    kept: frozenset[str]
    passages: Passages
    quoted: Passages
    is_everywhere: bool


def trail_of(db: sqlite3.Connection, target: ForgetTarget) -> Trail:
    """What to look for in copies of the file."""

    def uids(table: str, ids: Iterable[int]) -> frozenset[str]:
        return frozenset(row[0] for row in db.execute(f"select uid from {table} where id in ({id_list(ids)})"))

    return Trail(
        uids("memories", target.memory_ids), uids("entries", target.entry_ids), uids("entries", target.source_ids),
        uids("memories", target.locked_ids), target.passages, target.quoted, target.is_everywhere,
    )  # fmt: skip


# ----------------------------------------------------------------------- copies


def copies_of(path: Path) -> list[Path]:
    """What memory-db copied of a file: in `backups/` beside it, before it changed the schema, or put another there."""
    folder = backup.folder_of(path)
    found = [each for each in folder.iterdir() if each.is_file()] if folder.is_dir() else []
    for made_before in ("schema", "restore"):
        found += path.parent.glob(f"{path.name}.before-{made_before}-*")
    found += path.parent.glob(f"{backup.plain_prefix(path)}*")  # what a killed command left
    return sorted(each for each in found if not each.name.endswith(backup.LOGS))


def copies_holding(db: sqlite3.Connection, path: Path, trail: Trail) -> dict[Path, str]:
    """The copies that still hold what is forgotten, or cannot be looked into, each with where it stands there.

    The connection is to the file as it is now; its settings say where the key of encrypted copies may be.
    """
    found, named = {}, backups.named_key_file(db)
    for copy in copies_of(path):
        try:
            with readable(copy, path, named) as plain:
                held = held_in_any(plain, trail)
        except (InputError, CorruptError) as error:
            held = f"is encrypted and cannot be looked into: {error}"
        if held:
            found[copy] = held
    log = litestream_log(path)
    if log.exists():
        found[log] = "pages that Litestream keeps, there and in its replica, which cannot be searched"
    return found


def litestream_log(path: Path) -> Path:
    """The folder in which Litestream keeps what it has not replicated yet."""
    return path.with_name(f".{path.name}-litestream")


def held_in_any(copy: Path, trail: Trail) -> str:
    """Where a copy that is not encrypted holds it, by table or, where it cannot be opened, by its bytes."""
    try:
        return held_in(copy, trail)
    except (sqlite3.Error, UnicodeDecodeError):
        return held_in_bytes(copy, trail)


def held_in(copy: Path, trail: Trail) -> str:
    """Where a copy, of whatever schema, holds it, by table; nothing where it does not.

    Raises: sqlite3.Error for what is no database.
    """
    log = copy.with_name(f"{copy.name}-wal")
    way = "mode=ro" if log.exists() and log.stat().st_size else "mode=ro&immutable=1"
    with closing(sqlite3.connect(f"{copy.resolve().as_uri()}?{way}", uri=True)) as db:
        db.row_factory = sqlite3.Row
        named = named_in(db, trail)
        if named or not trail.is_everywhere:
            return named
        counts: dict[str, int] = {}
        columns = list(text_columns(db))
        for table, column in columns:
            number = sum(1 for row in rows_with_uid(db, table, column) if holds(trail, (table, column), *row))
            if number:
                counts[table] = max(number, counts.get(table, 0))
    return ", ".join(f"{table} {number:,}" for table, number in sorted(counts.items()))


def named_in(db: sqlite3.Connection, trail: Trail) -> str:
    """How many of the memories and entries that go a copy has by their uids, which takes no search; else nothing."""
    held = []
    for table, uids, more in (
        ("memories", trail.memories, ""),
        ("entries", trail.entries, f" and text <> '{FORGOTTEN}'"),
    ):
        sql = f"select count(*) from {table} where uid in (select value from json_each(?)){more}"
        number = db.execute(sql, [json.dumps(sorted(uids))]).fetchone()[0]
        held += [f"{table} {number:,}"] if number else []
    return ", ".join(held)


def rows_with_uid(db: sqlite3.Connection, table: str, column: str) -> sqlite3.Cursor:
    """The texts of a column, each with the uid of the memory or entry whose it is."""
    own = {"memories": "uid", "entries": "uid"}
    names = {row[0] for row in db.execute("select name from pragma_table_info(?)", [table])}
    if table in own and own[table] in names:
        return db.execute(f'select "{column}", uid from "{table}"')
    if "memory_id" in names:
        return db.execute(f'select t."{column}", m.uid from "{table}" t left join memories m on m.id = t.memory_id')
    return db.execute(f'select "{column}", null from "{table}"')


def holds(trail: Trail, place: tuple[str, str], text: object, uid: str | None) -> bool:
    """Whether a cell of a copy holds what is forgotten; what a locked memory says stays everywhere."""
    if not isinstance(text, str) or not text:
        return False
    table = place[0]
    if uid is not None and table != "entries" and uid in trail.kept:
        return False
    if table == "entries" and uid in trail.sources:
        return trail.quoted.repeats(text)
    return cell_repeats(trail.passages, text, numbers_are_ours=place in COMPUTED)


def held_in_bytes(copy: Path, trail: Trail) -> str:
    """Where what cannot be opened holds whole passages, as far as its bytes tell."""
    try:
        (numbers,) = byte_search.pieces_held([copy], whole(trail.quoted))
    except OSError as error:
        return f"cannot be read: {error.strerror or error}"
    return f"{len(numbers)} passages in its bytes" if numbers else ""


def whole(passages: Passages) -> list[bytes]:
    """Passages as bytes, in the ways in which texts and JSON have them."""
    return [form.encode(errors="surrogatepass") for form in passages.within]


def delete_copies(
    db: sqlite3.Connection, path: Path, copies: Iterable[Path], *, now: datetime
) -> tuple[Path, list[Path]]:
    """Deletes copies once a new, verified one of the file as it is now stands; gives that one, and what is gone.

    Raises: InputError or CorruptError where the new one cannot be made; then nothing is deleted.
    """
    key = backups.key_by_settings(db, path)
    target = backups.next_target(path, now, key)
    while target.exists():
        target = target.with_name(f"{target.name.removesuffix(target.suffix)}-again{target.suffix}")
    made = backups.copy(db, target, key).path
    gone = []
    for copy in copies:
        if copy != litestream_log(path):  # it is Litestream's, and its replica is elsewhere
            backup.delete(copy)
            gone.append(copy)
    return made, gone


# ------------------------------------------------------------------------ bytes


def traces_in_bytes(db: sqlite3.Connection, path: Path, beside: Path, target: ForgetTarget) -> list[str]:
    """Files of the database that still hold pieces of a passage that no row of it says, and spools that hold one whole.

    What full text keeps are single stems, which no longer belong to any text.
    Raises: DatabaseFileError where they cannot be read.
    """
    passages = target.quoted if target.is_everywhere else target.passages
    step = 1 if len(passages.texts) < MOST_BY_CHARACTER else LEAST
    pieces = list(dict.fromkeys(part for text in passages.texts for part in parts(text, step)))
    files, spools = [path, path.with_name(f"{path.name}-wal")], spool.waiting(beside)
    left = []
    for held, names, sought in (
        (files, [each.name for each in files], [piece.encode(errors="surrogatepass") for piece in pieces]),
        (spools, [each.name for each in spools], whole(passages)),
    ):
        found = search(held, sought)
        if held is files:
            unsaid = set(not_said(db, {number for numbers in found for number in numbers}, pieces.__getitem__))
            found = [[number for number in numbers if number in unsaid] for numbers in found]
        left += [
            f"{name}: {len(numbers)} of {len(sought)} pieces of what was said"
            for name, numbers in zip(names, found, strict=True)
            if numbers
        ]
    return left


def search(files: list[Path], sought: list[bytes]) -> list[list[int]]:
    """Which pieces each file holds. Raises: DatabaseFileError."""
    try:
        return byte_search.pieces_held(files, sought)
    except OSError as error:
        raise DatabaseFileError(f"The rows are gone, but the bytes could not be searched: {error}") from error


def parts(text: str, step: int) -> list[str]:
    """Pieces of a passage by which a copy of a good part of it is known."""
    return [text[at : at + LEAST] for at in range(0, max(1, len(text) - LEAST + 1), step)]


def not_said(db: sqlite3.Connection, numbers: set[int], piece_of: Callable[[int], str]) -> set[int]:
    """Pieces that stand in no row: what stands in one was looked at there, and belongs to what it says."""
    left = set(numbers)
    cells = [("sqlite_master", "sql"), *text_columns(db)]
    for table, column in cells:
        if not left:
            break
        for row in db.execute(f'select "{column}" from "{table}"'):
            if isinstance(row[0], str):
                left -= {number for number in left if piece_of(number) in row[0]}
    return left
