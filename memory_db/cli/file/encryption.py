"""Commands about keys and what is encrypted: key, decrypt."""

from __future__ import annotations

import sqlite3
from contextlib import closing, nullcontext
from pathlib import Path

import click

from memory_db.cli.common import Command, chosen_path, expanded, print_json
from memory_db.cli.file.remembering import remembering
from memory_db.cli.options import reading_options
from memory_db.errors import ConflictError, DatabaseFileError
from memory_db.store import encryption, encryption_key
from memory_db.store.connection import connect, is_file
from memory_db.store.encryption import Key
from memory_db.upkeep.backups import named_key_file
from memory_db.upkeep.encrypted import decrypt_file, key_for, key_to_use
from memory_db.upkeep.exports import DECRYPTED

key_file_option = click.option(
    "--key-file", type=click.Path(path_type=Path), help="A file of mode 0600 with the key, instead of the keyring."
)


def named(path: Path, option: Path | None) -> Path | None:
    """The key file of the option, else of the settings, as far as the file can be read."""
    if option is not None:
        return expanded(option)
    try:
        with closing(connect(path)) as db:
            return named_key_file(db)
    except (DatabaseFileError, sqlite3.Error):
        return None


def key_or_new(path: Path, key_file: Path | None) -> Key:
    """The key to encrypt with, which is made where there is none; that is said. Raises: InputError."""
    encryption.primitives()
    for key in encryption_key.keys(path, key_file):
        return key
    key = encryption_key.make(path, key_file)
    click.echo(
        f"Made the key {key.id}, in {key.where}. Keep a copy of it elsewhere: without it nothing encrypted can be read"
        " again. `memory-db file key --show` prints it.",
        err=True,
    )
    return key


@click.command(cls=Command)
@click.option("--make", "is_making", is_flag=True, help="Make one, if there is none.")
@click.option("--show", "is_showing", is_flag=True, help="Print the key itself, to be kept elsewhere.")
@key_file_option
@reading_options
def key(is_making: bool, is_showing: bool, key_file: Path | None, database: Path | None, as_json: bool) -> None:
    """Say where the key of encrypted copies is, and which one.

    It is in the file that --key-file or the setting encryption_key_file names; else in the keyring of the system; else,
    where there is no keyring, in a file beside the database.
    """
    path = chosen_path(database)
    place = named(path, key_file)
    if is_making:
        for there in encryption_key.keys(path, place):
            raise ConflictError(f"There is the key {there.id} already, in {there.where}. Name a new file: --key-file.")
    found = key_or_new(path, place) if is_making else key_to_use(path, place)
    text = encryption_key.text_of(found)
    if as_json:
        print_json({"id": found.id, "where": found.where, **({"key": text} if is_showing else {})})
    else:
        click.echo(text if is_showing else f"The key {found.id} is in {found.where}.")


@click.command(cls=Command)
@click.argument("source", type=click.Path(path_type=Path))
@click.argument("target", type=click.Path(path_type=Path))
@key_file_option
@reading_options
def decrypt(source: Path, target: Path, key_file: Path | None, database: Path | None, as_json: bool) -> None:
    """Write what SOURCE holds, an encrypted copy or export, to TARGET.

    TARGET is a new file that only you may read. It takes its name once all of SOURCE is known to be as it was written.
    """
    path = chosen_path(database)
    given, wanted = expanded(source), expanded(target)
    key = key_for(given, path, named(path, key_file))
    with remembering(database, wanted, DECRYPTED) if is_file(path) else nullcontext():
        length = decrypt_file(given, wanted, key)
    if as_json:
        print_json({"path": str(wanted), "bytes": length})
    else:
        click.echo(f"{wanted}: {length:,} bytes, as they were encrypted.")
