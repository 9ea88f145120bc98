"""Commands that copy the file and put a copy in its place: backup, restore."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import click

from memory_db.cli.common import Command, chosen_path, expanded, moment, print_json, reading
from memory_db.cli.file.encryption import key_file_option, key_or_new, named
from memory_db.cli.file.remembering import remembering
from memory_db.cli.options import reading_options
from memory_db.errors import InputError, NotFoundError
from memory_db.store import settings
from memory_db.store.backup import Copy, folder_of, latest, verified
from memory_db.store.keeping import keep_in
from memory_db.upkeep.backups import ENCRYPT, Rotated, copy, next_target, rotate, would_rotate
from memory_db.upkeep.encrypted import readable
from memory_db.upkeep.exports import COPY
from memory_db.upkeep.restoring import restore as put_back


@click.command(cls=Command)
@click.argument("target", required=False, type=click.Path(path_type=Path))
@click.option("--verify", "only_verify", is_flag=True, help="Make no copy: verify the one at TARGET, else the newest.")
@click.option(
    "--keep",
    metavar="7d,4w,12m",
    help="Then delete what need not be kept: all but the newest copy of each of so many days, weeks, months.",
)
@click.option(
    "--encrypt/--no-encrypt",
    "is_encrypting",
    default=None,
    help="Encrypt the copy, or not; else as the setting backup_encrypt says.",
)
@key_file_option
@click.option("--dry-run", is_flag=True, help="Write nothing: say what would be made and deleted.")
@reading_options
def backup(
    target: Path | None, only_verify: bool, keep: str | None, is_encrypting: bool | None, key_file: Path | None,
    dry_run: bool, database: Path | None, as_json: bool,
) -> None:  # fmt: skip
    """Copy the file to TARGET and verify the copy.

    Without TARGET the copy stands in the folder backups beside the file, named by the moment. No file is overwritten.
    With --keep older copies there go once the new one is verified, and those made before a change of the schema; files
    of other origin stay. The worker does the same once a day, by the setting backup_keep. `memory-db file restore`
    is the way back.
    """
    path = chosen_path(database)
    if only_verify and (keep or dry_run or is_encrypting is not None):
        raise InputError("--verify only reads. Leave out --keep, --encrypt and --dry-run, or --verify.")
    if keep is not None and target:
        raise InputError("--keep goes with copies in the folder backups. Leave out TARGET, or --keep.")
    kept = keep_in(keep) if keep is not None else None
    if only_verify:
        print_done(Rotated(verified_copy(path, to_verify(path, target), key_file)), as_json)
        return
    with reading(database) as db:
        place = expanded(target) if target else None
        if dry_run:
            done = would_rotate(path, kept, now=moment()) if kept else Rotated(None)
            print_done(done, as_json, place or folder_of(path))
            return
        wants = settings.get(db, ENCRYPT) if is_encrypting is None else is_encrypting
        key = key_or_new(path, named(path, key_file)) if wants else None
        if kept:
            done = rotate(db, path, kept, now=moment(), key=key)
        else:
            with remembering(database, place, COPY) if place else nullcontext():
                done = Rotated(copy(db, place or next_target(path, moment(), key), key))
    print_done(done, as_json)


def verified_copy(path: Path, wanted: Path, key_file: Path | None) -> Copy:
    """What a copy holds, read from end to end, encrypted or not. Raises: InputError, CorruptError, MissingFileError."""
    with readable(wanted, path, named(path, key_file)) as plain:
        found = verified(plain)
    return Copy(wanted, wanted.stat().st_size, found.tables, found.rows)


def to_verify(path: Path, target: Path | None) -> Path:
    """The copy that was named, else the newest one. Raises: NotFoundError."""
    wanted = target or latest(path)
    if wanted is None:
        raise NotFoundError(f"There is no backup in {folder_of(path)}. Make one first: `memory-db file backup`.")
    return expanded(wanted)


@click.command(cls=Command)
@click.argument("source", metavar="[COPY]", required=False, type=click.Path(path_type=Path))
@click.option("--replace", is_flag=True, help="Put a file that stands there aside, under another name.")
@key_file_option
@click.option("--dry-run", is_flag=True, help="Only verify the copy, and say what would be done.")
@reading_options
def restore(
    source: Path | None, replace: bool, key_file: Path | None, dry_run: bool, database: Path | None, as_json: bool
) -> None:  # fmt: skip
    """Put COPY, or else the newest copy, in the place of the file.

    The copy is verified first, and stays; encrypted ones are decrypted. A file that stands there is put aside with
    --replace, and never deleted. Stop what uses it before: the server, agents.
    """
    path = chosen_path(database)
    wanted = to_verify(path, source)
    done = put_back(
        wanted, path, now=moment(), key_file=named(path, key_file), replace=replace, dry_run=dry_run
    )  # fmt: skip
    if as_json:
        print_json({**copy_json(done.found), "from": str(wanted), "aside": str(done.aside) if done.aside else None,
                    "is_dry_run": dry_run})  # fmt: skip
        return
    if done.aside:
        click.echo(f"{'Would put aside' if dry_run else 'Put aside'} what stood there: {done.aside}.")
    rows = f"{done.found.rows:,} rows of {done.found.tables:,} tables"
    click.echo(f"{path}: {'would be' if dry_run else 'is'} as it was in {wanted}, {rows}, verified.")


def print_done(done: Rotated, as_json: bool, place: Path | None = None) -> None:
    """What was made and deleted, or, where nothing was made, would be."""
    if as_json:
        print_json({**copy_json(done.made), "deleted": {str(each): why for each, why in done.deleted.items()},
                    "is_dry_run": done.made is None})  # fmt: skip
        return
    if done.made:
        click.echo(f"{done.made.path}: verified, {done.made.rows:,} rows of {done.made.tables:,} tables.")
    elif place:
        click.echo(f"Would make a verified copy: {place}.")
    for each, why in done.deleted.items():
        click.echo(f"{'Deleted' if done.made else 'Would delete'} {each}: {why}.")
    if done.kept:
        click.echo(f"{done.kept:,} copies {'are' if done.made else 'would be'} kept.")


def copy_json(made: Copy | None) -> dict[str, object]:
    """A copy as JSON; nothing where none was made."""
    if made is None:
        return {}
    return {"path": str(made.path), "bytes": made.bytes, "tables": made.tables, "rows": made.rows}
