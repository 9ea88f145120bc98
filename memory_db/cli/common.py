"""What commands share: the file, the moment, dry runs, progress and tables."""

from __future__ import annotations

import json
import os
import sqlite3
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from memory_db.errors import InputError, OlderSchemaError
from memory_db.store.connection import connect, connect_to_answer, is_file, open_raw
from memory_db.text.one_line import printable as printable

if TYPE_CHECKING:
    from memory_db.recall.brief.select import Answer


class Command(click.Command):
    """A command whose texts are text, and whose paths are other files than the database.

    Only paths may be bytes that are no UTF-8: some files are called so.
    """

    def invoke(self, ctx: click.Context) -> object:
        for name, value in ctx.params.items():
            for text in value if isinstance(value, tuple) else (value,):
                if isinstance(text, str) and not is_utf8(text):
                    raise InputError(f"The bytes given for {name} are not UTF-8. Give them as UTF-8 text.")
        refuse_database(ctx)
        return super().invoke(ctx)


def is_utf8(text: str) -> bool:
    """Whether a text from the command line was valid UTF-8: the bytes of one that was not became surrogates."""
    return not any("\ud800" <= character <= "\udfff" for character in text)


def moment() -> datetime:
    """The present, which only surfaces read."""
    return datetime.now(UTC)


def chosen_path(database: Path | None) -> Path:
    """The file that a command works on: its own option, the nearest group's, $MEMORY_DB, or the default place."""
    context = click.get_current_context()
    given = database or group_database(context)
    path = expanded(given or Path(os.environ.get("MEMORY_DB") or "~/.memory-db/memory.db"))
    note_used(context, path)
    return path


def is_named(database: Path | None) -> bool:
    """Whether the command line itself says with -d which file a command works on."""
    return bool(database or group_database(click.get_current_context()))


def expanded(path: Path) -> Path:
    """A path with the home folder in the place of ~. Raises: InputError."""
    try:
        return path.expanduser()
    except RuntimeError as error:
        raise InputError(f"There is no home folder for {path}. Name the path in full.") from error


def group_database(context: click.Context) -> Path | None:
    """The -d given to the nearest group; the whole command line is not the root when it runs as `llm memory`."""
    while context.parent is not None:
        context = context.parent
        if isinstance(context.obj, dict) and context.obj.get("database"):
            return Path(context.obj["database"])
    return None


def note_used(context: click.Context, path: Path) -> None:
    """Tells the group which file it is, for the words of an error."""
    while context.parent is not None:
        context = context.parent
        if isinstance(context.obj, dict):
            context.obj["used"] = path


def refuse_database(ctx: click.Context) -> None:
    """Refuses the database where another file is due: who opens and closes it plainly loses SQLite's locks on it.

    Source: "How To Corrupt An SQLite Database File", 2.2, https://sqlite.org/howtocorrupt.html.
    Raises: InputError.
    """
    paths = [param.name for param in ctx.command.params if isinstance(param.type, click.Path)]
    given = [each for name in paths if name not in (None, "database") for each in values_of(ctx.params.get(name))]
    if not given:
        return
    real = os.path.realpath(chosen_path(ctx.params.get("database")))
    for each in given:
        if os.path.realpath(each) in (real, f"{real}-wal", f"{real}-shm"):
            raise InputError(f"{each} is the database itself. Name another file, or another database with -d.")


def values_of(value: object) -> tuple[str | Path, ...]:
    """The values of a parameter that may be given several times."""
    return tuple(each for each in (value if isinstance(value, tuple) else (value,)) if isinstance(each, str | Path))


@contextmanager
def reading(database: Path | None) -> Iterator[sqlite3.Connection]:
    """A read-only connection to the chosen file."""
    with closing(connect(chosen_path(database))) as db:
        yield db


@contextmanager
def answering(database: Path | None) -> Iterator[sqlite3.Connection]:
    """A read-only connection to the chosen file, which is migrated first where it is of an earlier schema."""
    path = chosen_path(database)
    try:
        db = connect(path)
    except OlderSchemaError:
        with writing(path):
            pass
        db = connect(path)
    with closing(db):
        yield db


@contextmanager
def logged_after(database: Path | None, answer: Answer, *, surface: str, now: datetime, no_log: bool) -> Iterator[None]:
    """Logs an answer once it was printed, also where its reader has gone; where that cannot be done, says so."""
    try:
        yield
    finally:
        if not no_log:
            log_asked(chosen_path(database), answer, surface, now)


def log_asked(path: Path, answer: Answer, surface: str, now: datetime) -> None:
    """Logs an answer that was printed already; where that is not possible anywhere, says so."""
    from memory_db.recall.brief.answer_log import log_answer, take_in_now  # noqa: PLC0415  # start-up: readers without a log

    if why := log_answer(path, answer, surface=surface, now=now):
        click.echo(f"This recall was not logged: {why}", err=True)
    take_in_now(path, now=now)


def take_in_answered(database: Path | None) -> None:
    """Takes in what was answered a moment ago and waits beside the file, so that it can be asked about."""
    from memory_db.recall.brief.answer_log import take_in_now  # noqa: PLC0415  # start-up: as above

    take_in_now(chosen_path(database), now=moment())


PATIENCE_MS = 30_000
"""How long a command that writes waits for its turn. Source: ours; `python -m bench soak`, where at a load of 16 on two
cores three of 417 commands had waited for 5 s in vain."""


@contextmanager
def writing(database: Path | None, *, dry_run: bool = False, create: bool = True) -> Iterator[sqlite3.Connection]:
    """A connection for writing to the chosen file, or, for a dry run, to a copy that is thrown away."""
    from memory_db.store.schema import open_database  # noqa: PLC0415  # start-up: loads pandas, which readers never need

    path = chosen_path(database)
    if not create:
        connect_to_answer(path)[0].close()
    with (
        working_copy(path) if dry_run else unchanged(path) as used,
        closing(open_database(used, now=moment())) as db,
    ):
        db.execute(f"pragma busy_timeout = {PATIENCE_MS}")
        if not dry_run:
            take_in_spool(db, path)
        yield db


def take_in_spool(db: sqlite3.Connection, path: Path) -> None:
    """Takes in what hooks left beside the file; where that cannot be read `doctor` says so, and the work goes on."""
    from memory_db.recall.brief import spool  # noqa: PLC0415  # start-up: what answers a question, for those who ask none

    try:
        spool.take_in(db, path, now=moment())
    except OSError as error:
        click.echo(f"The spool of {path} cannot be taken in: {error.strerror}.", err=True)


@contextmanager
def unchanged(path: Path) -> Iterator[Path]:
    """The file itself."""
    yield path


@contextmanager
def working_copy(path: Path) -> Iterator[Path]:
    """A copy of the file in a private temporary folder (nothing when there is no file yet)."""
    from memory_db.store.schema import version_to_migrate  # noqa: PLC0415  # start-up: as above

    with tempfile.TemporaryDirectory(prefix="memory-db-") as folder:
        copy = Path(folder) / path.name
        if is_file(path):
            with closing(open_raw(path, write=False)) as source, closing(sqlite3.connect(copy)) as target:
                version_to_migrate(source, path)
                source.backup(target)
        yield copy


# ---------------------------------------------------------------- printing


class Progress:
    """Shows on stderr, when it is a terminal, how far a stage has come."""

    def __init__(self) -> None:
        self.last_seconds = 0.0
        self.shown = False

    def __call__(self, what: str, done: int, total: int | None) -> None:
        now_seconds = time.monotonic()
        if not sys.stderr.isatty() or now_seconds - self.last_seconds < 0.1:
            return
        self.last_seconds, self.shown = now_seconds, True
        count = f"{done:,} of {total:,}" if total else f"{done:,}"
        click.echo(f"\r\033[K{what}: {count}", err=True, nl=False)

    def clear(self) -> None:
        """Removes the line of progress."""
        if self.shown:
            click.echo("\r\033[K", err=True, nl=False)
            self.shown = False


def print_json(value: object) -> None:
    """Prints a value as JSON, readable."""
    click.echo(json.dumps(value, indent=2, ensure_ascii=False, default=str))


def print_table(columns: Sequence[str], rows: Iterable[Sequence[object]], *, empty: str = "Nothing.") -> None:
    """Prints rows under their columns; numbers to the right; control characters made visible."""
    cells = [[cell_text(value) for value in row] for row in rows]
    if not cells:
        click.echo(empty)
        return
    from tabulate import tabulate  # noqa: PLC0415  # start-up: not every command prints a table

    sides = ["right" if all(map(is_number, column)) else "left" for column in zip(*cells, strict=True)]
    click.echo(tabulate([columns, *cells], tablefmt="plain", colalign=sides, disable_numparse=True))


def cell_text(value: object) -> str:
    """A value as a table shows it: rounded floats, thousands, one line, at most 80 characters."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, int):
        return f"{value:,}"
    return printable(str(value), 80)


def is_number(text: str) -> bool:
    """Whether a cell reads as a number."""
    return text == "" or text.replace(",", "").replace(".", "").lstrip("-").isdigit()
