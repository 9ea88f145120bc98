"""The command `layer`: how near to a session's beginning a memory stands, and what each layer costs."""

from __future__ import annotations

from pathlib import Path

import click

from memory_db.cli.common import Command, moment, print_json, print_table, reading, writing
from memory_db.cli.options import changing_options
from memory_db.index import build as index
from memory_db.knowledge.locks import layer_of, set_layer
from memory_db.knowledge.succession import PERSON

AUTO = "auto"


@click.command(cls=Command)
@click.argument("uid", required=False)
@click.argument("wanted", metavar="[0|1|2|3|auto]", required=False, type=click.Choice(["0", "1", "2", "3", AUTO]))
@changing_options
def layer(uid: str | None, wanted: str | None, database: Path | None, dry_run: bool, as_json: bool) -> None:
    """Choose when memory UID is shown, or leave it to the rules.

    0 is always shown, 1 at a session's beginning, 2 when asked, 3 in the background. With a UID alone it shows
    where that memory is and why; without, what each layer costs.
    """
    if uid is None:
        with reading(database) as db:
            rows = [dict(row) for row in db.execute("select * from layer_costs order by project, layer")]
        if as_json:
            print_json(rows)
        else:
            print_table(list(rows[0]) if rows else [], (list(row.values()) for row in rows), empty="No memories yet.")
        return
    if wanted is None:
        with reading(database) as db:
            row = layer_of(db, uid)
    else:
        with writing(database, dry_run=dry_run, create=False) as db:
            set_layer(db, uid, None if wanted == AUTO else int(wanted), by=PERSON, now=moment())
            index.run(db, now=moment(), entries=False)
            row = layer_of(db, uid)
    if as_json:
        print_json({**dict(row), "dry_run": dry_run})
        return
    click.echo(f"{uid}: layer {row['layer']}, {row['reason']}{' (not kept: dry run)' if dry_run else ''}")


__all__ = ["layer"]
