"""The command that shows the pages without a history of one's own: demo."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from memory_db.cli.common import Command, expanded
from memory_db.pages.web import serve as serving
from memory_db.sample.file import ensure_sample

SCREENS = ("DISPLAY", "WAYLAND_DISPLAY")
"""What says on Linux and the BSDs that there is a screen for a browser."""


@click.command(cls=Command)
@click.option("--no-browser", is_flag=True, help="Only print the address.")
@click.option("--port", type=click.IntRange(0, 65535), default=8001, show_default=True, help="0 takes any free one.")
def demo(no_browser: bool, port: int) -> None:
    """Browse a sample history, which is kept in a cache of its own."""
    folder = demo_folder()
    if not (folder / "sample.db").exists():
        click.echo("Making the sample history, which takes some ten seconds ...", err=True)
    path = ensure_sample(folder)
    serving.serve(path, port=port, open_browser=not no_browser and has_screen(), say=say_address)


def demo_folder() -> Path:
    """Where the demo keeps its file: in the user's cache, apart from the notebooks' sample."""
    given = os.environ.get("XDG_CACHE_HOME", "")
    # The specification of base directories has a relative path ignored.
    cache = Path(given) if Path(given).is_absolute() else expanded(Path("~/.cache"))
    return cache / "memory-db" / "demo"


def has_screen() -> bool:
    """Whether a browser could be shown: one for text would take over the terminal."""
    return sys.platform in ("darwin", "win32") or any(os.environ.get(name) for name in SCREENS)


def say_address(text: str) -> None:
    """Prints the line with the address; whatever else the server says goes to stderr, or is left out."""
    line = text.partition("\n")[0]
    click.echo(line, err=not line.startswith("Open "))
