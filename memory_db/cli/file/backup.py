"""The command that copies the file: backup."""

from __future__ import annotations

from pathlib import Path

import click

from memory_db.cli.common import Command, chosen_path, expanded, moment, print_json, reading
from memory_db.cli.options import reading_options
from memory_db.errors import InputError, NotFoundError
from memory_db.store.backup import Copy, back_up, folder_of, latest, new_target, verified
from memory_db.store.connection import connect
from memory_db.store.keeping import keep_in
from memory_db.upkeep.backups import Rotated, rotate, would_rotate


@click.command(cls=Command)
@click.argument("target", required=False, type=click.Path(path_type=Path))
@click.option("--verify", "only_verify", is_flag=True, help="Make no copy: verify the one at TARGET, else the newest.")
@click.option(
    "--keep",
    metavar="7d,4w,12m",
    help="Then delete what need not be kept: all but the newest copy of each of so many days, weeks, months.",
)
@click.option("--dry-run", is_flag=True, help="Write nothing: say what would be made and deleted.")
@reading_options
def backup(
    target: Path | None, only_verify: bool, keep: str | None, dry_run: bool, database: Path | None, as_json: bool
) -> None:  # fmt: skip
    """Copy the file to TARGET and verify the copy.

    Without TARGET the copy stands in the folder backups beside the file, named by the moment. No file is overwritten.
    With --keep older copies there go once the new one is verified, and those made before a change of the schema; files
    of other origin stay. The worker does the same once a day, by the setting backup_keep.
    """
    path = chosen_path(database)
    if only_verify and (keep or dry_run):
        raise InputError("--verify only reads. Leave out --keep and --dry-run, or --verify.")
    if keep is not None and target:
        raise InputError("--keep goes with copies in the folder backups. Leave out TARGET, or --keep.")
    if only_verify:
        print_done(Rotated(verified(to_verify(path, target))), as_json)
    elif keep is not None:
        kept = keep_in(keep)
        with reading(database) as db:
            done = would_rotate(path, kept, now=moment()) if dry_run else rotate(db, path, kept, now=moment())
        print_done(done, as_json)
    elif dry_run:
        connect(path).close()
        print_done(Rotated(None), as_json, expanded(target) if target else folder_of(path))
    else:
        with reading(database) as db:
            print_done(Rotated(back_up(db, expanded(target) if target else new_target(path, moment()))), as_json)


def to_verify(path: Path, target: Path | None) -> Path:
    """The copy that was named, else the newest one. Raises: NotFoundError."""
    wanted = target or latest(path)
    if wanted is None:
        raise NotFoundError(f"There is no backup in {folder_of(path)}. Make one first: `memory-db file backup`.")
    return expanded(wanted)


def print_done(done: Rotated, as_json: bool, place: Path | None = None) -> None:
    """What was made and deleted, or, where nothing was made, would be."""
    if as_json:
        print_json({**copy_json(done.made), "deleted": {str(copy): why for copy, why in done.deleted.items()},
                    "is_dry_run": done.made is None})  # fmt: skip
        return
    if done.made:
        click.echo(f"{done.made.path}: verified, {done.made.rows:,} rows of {done.made.tables:,} tables.")
    elif place:
        click.echo(f"Would make a verified copy: {place}.")
    for copy, why in done.deleted.items():
        click.echo(f"{'Deleted' if done.made else 'Would delete'} {copy}: {why}.")
    if done.kept:
        click.echo(f"{done.kept:,} copies {'are' if done.made else 'would be'} kept.")


def copy_json(copy: Copy | None) -> dict[str, object]:
    """A copy as JSON; nothing where none was made."""
    if copy is None:
        return {}
    return {"path": str(copy.path), "bytes": copy.bytes, "tables": copy.tables, "rows": copy.rows}
