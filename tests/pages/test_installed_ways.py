"""Ways in from a wheel, in an environment that borrows our packages: our own command, and llm."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.pages.test_datasette_serve import environment_with_wheel
from tests.support.patience import WAIT_S

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel, and an environment that has it: made once for all tests here."""
    folder = tmp_path_factory.mktemp("installed")
    environment_with_wheel(folder)
    return folder


def said(place: Path, *command: str | Path) -> str:
    """What a command prints for a user who has nothing yet."""
    home = place / "home"
    home.mkdir(exist_ok=True)
    own = ("MEMORY_DB", "PYTHONPATH", "VIRTUAL_ENV")
    environment = {name: value for name, value in os.environ.items() if name not in own and not name.startswith("XDG_")}
    environment["HOME"] = str(home)
    done = subprocess.run(
        command, cwd=home, env=environment, capture_output=True, text=True, timeout=WAIT_S, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_console_script_brings_the_notebooks(place: Path) -> None:
    said(place, place / "venv" / "bin" / "memory-db", "notebook", "copy", "mine")
    assert (place / "home" / "mine" / "prepare.py").is_file()


def test_llm_has_the_same_commands_and_the_loader(place: Path) -> None:
    python = place / "venv" / "bin" / "python"
    ours = said(place, python, "-m", "memory_db", "--help").partition("\n")[2]
    assert said(place, python, "-m", "llm", "memory", "--help").partition("\n")[2] == ours
    assert "memory:" in said(place, python, "-m", "llm", "fragments", "loaders")
