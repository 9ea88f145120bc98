"""Remembering where a command writes what the file says, for commands that do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from memory_db.cli.common import chosen_path, moment
from memory_db.upkeep import exports


@contextmanager
def remembering(database: Path | None, target: Path, what: str) -> Iterator[None]:
    """Remembers what is written at a target; says so where that is not possible."""
    with exports.remembered(chosen_path(database), target, what, now=moment()) as problems:
        yield
    for problem in problems:
        click.echo(f"{target} is not remembered, so forgetting will not look into it: {problem}", err=True)
