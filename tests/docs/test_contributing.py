"""The recipes of CONTRIBUTING.md: each is carried out in a copy of the project, and what it adds works there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.patience import WAIT_S

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
RECIPES = dict(re.findall(r"^## (Add [^\n]+)\n(.*?)(?=^## |\Z)", TEXT, re.M | re.S))

STEP = re.compile(
    r"^(?:(?P<verb>Write|Add at the end of|Add to) `(?P<path>[^`]+)`(?:, below `(?P<line>[^`]+)`)?|Then):\n\n"
    r"```\w+\n(?P<text>.*?)^```$",
    re.M | re.S,
)
"""One step of a recipe: a file, an addition to one, or commands."""

WORKS = {
    "Add a signal": r"\btoday\b",
    "Add a reader": r"\b1 passed\b",
    "Add a page": r"\b1 passed\b",
    "Add a command": r"^uid +tokens +title$",
    "Add a notebook": r"^12_how_long_are_memories\.ipynb$",
}
"""What the commands of a recipe print when it works."""

CLEAN = (".*_cache", ".hypothesis", ".venv*", ".git", ".ci", "site", "screenshots")


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A copy of the project, with this environment as its own; what is compiled already need not be again."""
    copy = Path(shutil.copytree(ROOT, tmp_path / "clone", ignore=shutil.ignore_patterns(*CLEAN)))
    (copy / ".venv").symlink_to(sys.prefix, target_is_directory=True)
    return copy


def follow(clone: Path, step: re.Match[str], environment: dict[str, str]) -> str:
    """Does one step; what its commands print."""
    if step["path"] is None:
        return "".join(shell(clone, line, environment) for line in step["text"].splitlines())
    path = clone / step["path"]
    if step["verb"] == "Write":
        assert not path.exists(), f"{step['path']} is there already"
        path.write_text(step["text"], "utf-8")
        return ""
    text = path.read_text("utf-8")
    if step["line"]:
        assert text.count(f"{step['line']}\n") == 1, f"{step['path']} has no line {step['line']!r}, or several"
        text = text.replace(f"{step['line']}\n", f"{step['line']}\n{step['text']}")
    else:
        text = f"{text.rstrip()}\n\n\n{step['text']}"
    path.write_text(text, "utf-8")
    return ""


def shell(clone: Path, line: str, environment: dict[str, str]) -> str:
    """What a line prints in the copy, which must end well. Nothing is installed for it."""
    line = line.replace("make ", "make -o install ")
    done = subprocess.run(
        ["sh", "-c", line], cwd=clone, env=environment, capture_output=True, text=True, timeout=WAIT_S
    )
    assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def test_every_recipe_is_known() -> None:
    assert list(RECIPES) == list(WORKS)
    for name, recipe in RECIPES.items():
        assert len(STEP.findall(recipe)) == recipe.count("```") // 2, f"{name}: every block is a step"


@pytest.mark.slow
@pytest.mark.parametrize("name", WORKS)
def test_a_recipe_works(name: str, clone: Path, sample_file: Path, sample_path: Path, tmp_path: Path) -> None:
    environment = {
        **{key: value for key, value in os.environ.items() if not key.startswith(("PYTEST", "COV"))},
        "PATH": f"{Path(sys.prefix, 'bin')}:{os.environ['PATH']}",
        "PYTHONPATH": str(clone),
        "HOME": str(tmp_path / "home"),
        "MEMORY_DB": str(sample_path),
        "SAMPLE_MADE": str(sample_file.parent),
    }
    Path(environment["HOME"]).mkdir()
    written = [step["path"] for step in STEP.finditer(RECIPES[name]) if str(step["path"]).endswith(".py")]
    printed = "".join(follow(clone, step, environment) for step in STEP.finditer(RECIPES[name]))
    assert re.search(WORKS[name], printed, re.M), printed
    shell(clone, f"ruff check {' '.join(written)} && ruff format --check {' '.join(written)}", environment)
