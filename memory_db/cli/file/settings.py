"""The command on settings: settings."""

from __future__ import annotations

from pathlib import Path

import click

from memory_db.cli.common import Command, moment, print_json, print_table, reading, writing
from memory_db.cli.options import changing_options
from memory_db.errors import InputError
from memory_db.index.change_setting import change, reset
from memory_db.store import settings as stored


@click.command(cls=Command, context_settings={"ignore_unknown_options": True})  # a value may be below 0
@click.argument("name", required=False)
@click.argument("value", required=False)
@click.option("--default", "to_default", is_flag=True, help="Put it back to its default.")
@changing_options
def settings(
    name: str | None, value: str | None, to_default: bool, database: Path | None, dry_run: bool, as_json: bool
) -> None:
    """List settings, show one, or change one."""
    if name is not None and value is not None:
        if to_default:
            raise InputError("Give a value, or --default, not both.")
        with writing(database, dry_run=dry_run) as db:
            done = change(db, name, value, now=moment())
            click.echo(f"{name} = {done.after}{' (not kept: dry run)' if dry_run else ''}")
        return
    if to_default:
        if name is None:
            raise InputError("Name the setting that should have its default again.")
        with writing(database, dry_run=dry_run) as db:
            click.echo(f"{reset(db, name).said}{' (not kept: dry run)' if dry_run else ''}")
        return
    with reading(database) as db:
        if name is not None:
            found = stored.get(db, name)
            print_json(found) if as_json else click.echo(found)
            return
        current = stored.all_settings(db)
    if as_json:
        print_json({each.setting.name: each.value for each in current})
    else:
        print_table(
            ("setting", "value", "default", "what it does"),
            [(e.setting.name, str(e.value), str(e.setting.default), e.setting.help) for e in current],
        )
