"""Commands that bring the notebooks to the user: notebook copy, notebook lab."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import click

from memory_db.cli.common import Command, expanded
from memory_db.cli.extras import require
from memory_db.errors import InputError
from memory_db.pages.web.shelf import NOTEBOOKS

OWN_FOLDER = Path("memory-db-notebooks")
"""Where `lab` puts the notebooks that it opens: what is edited there is the user's."""

LAB_SETTINGS = Path(__file__).parent / "lab_settings"
"""Settings of JupyterLab that it begins with; those that a user made there come before them."""

QUIET_LAB = (
    f"--LabApp.app_settings_dir={LAB_SETTINGS}",
    "--LabApp.news_url=None",
    "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
)
"""JupyterLab asks no other host for news or updates, nor its user whether it may."""


@click.command(cls=Command)
@click.argument("folder", type=click.Path(path_type=Path))
def copy(folder: Path) -> None:
    """Copy the notebooks into a folder, unless that would overwrite a changed one."""
    target = expanded(folder)
    if changed := [path.name for path in shipped() if differs(path, target / path.name)]:
        raise InputError(
            f"{', '.join(changed)} in {target} would be overwritten. Name another folder, or move what you changed."
        )
    copied = copy_missing(target)
    click.echo(f"{copied} files copied to {target}." if copied else f"The notebooks are in {target} already.")


@click.command(cls=Command)
@click.argument("folder", type=click.Path(path_type=Path), default=OWN_FOLDER)
def lab(folder: Path) -> None:
    """Open the notebooks of a folder in JupyterLab; those that are missing are copied first."""
    require("notebooks")
    target = expanded(folder)
    copy_missing(target)
    done = subprocess.run([sys.executable, "-m", "jupyterlab", "--notebook-dir", str(target), *QUIET_LAB], check=False)
    sys.exit(min(abs(done.returncode), 1))


def shipped() -> list[Path]:
    """The notebooks as they come with the package, and what they import. Raises: InputError."""
    found = sorted(path for path in NOTEBOOKS.glob("*") if path.suffix in (".ipynb", ".py"))
    if not found:
        raise InputError(f"No notebooks in {NOTEBOOKS}. The package is not whole: install memory-db again.")
    return found


def differs(source: Path, target: Path) -> bool:
    """Whether something else stands where a file is to be copied."""
    return target.exists() and (not target.is_file() or target.read_bytes() != source.read_bytes())


def copy_missing(folder: Path) -> int:
    """Copies the notebooks that a folder does not have; how many. Raises: InputError."""
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is not a folder. Name one for the notebooks.")
    missing = [path for path in shipped() if not (folder / path.name).exists()]
    folder.mkdir(parents=True, exist_ok=True)
    for path in missing:
        (folder / path.name).write_bytes(path.read_bytes())
    return len(missing)
