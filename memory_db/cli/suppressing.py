"""The command `suppress`: what must not be recalled for a sort of question."""

from __future__ import annotations

from pathlib import Path

import click

from memory_db.cli.common import Command, moment, print_json, print_table, reading, writing
from memory_db.cli.options import WORDS, changing_options
from memory_db.errors import InputError
from memory_db.knowledge import suppressions
from memory_db.knowledge.succession import PERSON


@click.command(cls=Command)
@click.argument("uid", required=False)
@click.option("--for", "pattern", metavar="WORDS", help="Questions that have all these words, in whatever form.")
@click.option("--reason", type=WORDS, help="Why, as it is kept and shown.")
@click.option("--list", "is_list", is_flag=True, help="List what is suppressed, and what was.")
@click.option(
    "--end", "ended", type=click.IntRange(1, 2**63 - 1), metavar="ID", help="End the suppression of this number."
)
@changing_options
def suppress(
    uid: str | None,
    pattern: str | None,
    reason: str | None,
    is_list: bool,
    ended: int | None,
    database: Path | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Hold memory UID back from some questions.

    It stays among the hits of such a recall, not shown, with the reason; every other question may bring it.
    """
    if is_list or (uid is None and ended is None):
        with reading(database) as db:
            rows = suppressions.list_suppressions(db)
        print_suppressions(rows, as_json=as_json)
        return
    note = " (not kept: dry run)" if dry_run else ""
    with writing(database, dry_run=dry_run, create=False) as db:
        if ended is not None:
            was_held = suppressions.end_suppression(db, ended, now=moment())
            data: dict[str, object] = {"id": ended, "ended": was_held, "dry_run": dry_run}
            line = f"Suppression {ended} {'ends' if was_held else 'had ended already'}{note}."
        else:
            if not pattern or not reason:
                raise InputError(
                    f"Which questions, and why? `memory-db memory suppress {uid} --for WORDS --reason WHY`."
                )
            number = suppressions.suppress(db, str(uid), pattern, reason=reason, by=PERSON, now=moment())
            data = {"id": number, "uid": uid, "pattern": pattern, "dry_run": dry_run}
            line = f"Suppression {number}: {uid} is held back for questions with {pattern!r}{note}."
    print_json(data) if as_json else click.echo(line)


def print_suppressions(rows: list[dict[str, object]], *, as_json: bool) -> None:
    """Prints suppressions, one a line."""
    if as_json:
        print_json(rows)
        return
    names = ("id", "uid", "pattern", "reason", "created_at", "ended_at", "title")
    print_table(
        ("id", "memory", "for", "reason", "since", "until", "what it says"),
        [[row[name] for name in names] for row in rows],
        empty="Nothing is suppressed.",
    )


__all__ = ["suppress"]
