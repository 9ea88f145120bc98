"""What `evaluate --replay` prints: the briefs of the past under other weights."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from memory_db.cli.common import Progress, answering, moment, print_json, print_table
from memory_db.evaluation import replay as past
from memory_db.recall.search import load_profile
from memory_db.store.dates import parse_utc
from memory_db.store.periods import DEFAULT, period

SHOWN_CHANGES = 10
"""Changed briefs that are listed; --json has all."""

COUNTS = ("lines", "tokens")
"""Figures that are no shares."""


def replay_past(database: Path | None, names: Sequence[str], since: str | None, *, as_json: bool) -> None:
    """Compares the briefs of a period under each profile with what was chosen then.

    Raises: NotFoundError, InputError.
    """
    progress = Progress()
    with answering(database) as db:
        span = period(db, since or DEFAULT, moment())
        found = [
            past.replay(db, load_profile(db, name), since=span.since, until=span.until, progress=progress)
            for name in dict.fromkeys(names or ("default",))
        ]
    progress.clear()
    if as_json:
        print_json({"period": span.as_dict(), "profiles": [each.as_dict() for each in found]})
        return
    for each in found:
        print_replayed(each, span.name)


def print_replayed(found: past.Replayed, span: str) -> None:
    """Prints the figures of one profile, and the first of the briefs that would have been others."""
    left_out = "".join(f"; {count:,} left out: {reason}" for reason, count in found.left_out.items())
    click.echo(
        f"{found.profile} {found.profile_version}, {span}: {found.briefs:,} briefs of {found.sessions:,} sessions"
        f"{left_out}"
    )
    if not found.briefs:
        click.echo("No brief was shown or kept back in these days. Name an earlier one with --since.")
        return
    rows = [(meaning, amount(name, found.figures[name]), found.figures[name].of) for name, meaning in
            past.FIGURES.items()]  # fmt: skip
    print_table(("figure", "value, 95 % interval", "of"), rows)
    for change in found.changes[:SHOWN_CHANGES]:
        gone = [f"-{line.uid}{f' ({line.sign})' if line.sign else ''}" for line in change.gone]
        come = [f"+{line.uid}{f' ({line.sign})' if line.sign else ''}" for line in change.come]
        click.echo(f"{change.recall_uid} {parse_utc(change.asked_at):%Y-%m-%d %H:%M}: {' '.join(gone + come)}")
    if len(found.changes) > SHOWN_CHANGES:
        click.echo(f"and {len(found.changes) - SHOWN_CHANGES:,} more (--json).")


def amount(name: str, found: past.Figure) -> str:
    """A figure with its interval in words."""
    if found.value is None:
        return "nothing to tell"
    written = "{:+.2f}" if name in COUNTS else "{:.3f}"
    value = written.format(found.value)
    if found.low is None or found.high is None:
        return f"{value} (too few for an interval)"
    return f"{value} ({written.format(found.low)} to {written.format(found.high)})"
