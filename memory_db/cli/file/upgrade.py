"""The command that brings a file up to this version's schema, or says what that would do: file upgrade."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path

import click

from memory_db.cli.common import Command, chosen_path, print_json, writing
from memory_db.cli.options import reading_options
from memory_db.store.connection import SCHEMA_VERSION, check_schema, is_file, open_raw
from memory_db.store.migrations import purposes_after
from memory_db.store.missing import missing_file
from memory_db.store.schema import copy_before


@click.command(cls=Command)
@click.option("--check", "only_check", is_flag=True, help="Only say what would be done; exit code 1 if anything.")
@reading_options
def upgrade(only_check: bool, database: Path | None, as_json: bool) -> None:
    """Bring the file up to the schema of this version, after a copy of it."""
    path = chosen_path(database)
    version = schema_of(path)
    waiting = purposes_after(version)
    if waiting and not only_check:
        with writing(path, create=False):
            pass
    if as_json:
        migrated = bool(waiting) and not only_check
        print_json({"schema": version, "wanted": SCHEMA_VERSION, "migrations": waiting, "migrated": migrated})
    elif not waiting:
        click.echo(f"{path} has schema {version}, as this version wants. Nothing to do.")
    else:
        click.echo(f"{path} {'has' if only_check else 'had'} schema {version}; this version wants {SCHEMA_VERSION}.")
        for name, purpose in waiting.items():
            click.echo(f"  {name}  {purpose}")
        if only_check:
            click.echo("`memory-db file upgrade` does it in one transaction, after a copy beside the file:")
        else:
            click.echo("Done. The file as it was:")
        click.echo(f"  {copy_before(path, version)}")
    if waiting and only_check:
        sys.exit(1)


def schema_of(path: Path) -> int:
    """The schema of a file of ours, which is only read.

    Raises: MissingFileError, NotADatabaseError, NewerSchemaError.
    """
    if not is_file(path):
        raise missing_file(path)
    with closing(open_raw(path, write=False)) as db:
        return check_schema(db, path, may_be_older=True)
