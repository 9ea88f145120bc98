"""`make install` with the Python that is there: too old a one is a line, and no half of an environment is kept."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

PYTHON = """\
#!{real}
import shutil, sys
from pathlib import Path
sys.version_info = ({version}, 2, "final", 0)
words = sys.argv[1:]
if words[:1] == ["-c"]:
    exec(words[1])
elif words[:2] == ["-m", "venv"]:
    Path(words[2], "bin").mkdir(parents=True)
    shutil.copy(__file__, Path(words[2], "bin", "python"))
    {venv}
elif words[:2] == ["-m", "pip"]:
    {pip}
"""
"""Says that it is of a version; an environment that it makes holds itself, and its pip installs nothing."""

LINE = "memory-db needs Python 3.11 or newer; python3 is {}. Name one that is: make PYTHON=/usr/bin/python3.12"


def stub(path: Path, version: str, *, venv: str = "pass", pip: str = "pass") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(PYTHON.format(real=sys.executable, version=version.replace(".", ", "), venv=venv, pip=pip), "utf-8")
    path.chmod(0o755)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with the Makefile and what it reads, and `bin`, where alone programs are looked for."""
    for name in ("Makefile", "requirements.txt", "constraints.txt", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / "bin").mkdir()
    for name in ("sh", "make", "rm", "touch", "test"):
        if found := shutil.which(name):
            (tmp_path / "bin" / name).symlink_to(found)
    return tmp_path


def make(project: Path) -> subprocess.CompletedProcess[str]:
    path = project / "bin"
    words = [str(path / "make"), "install"]
    return subprocess.run(words, cwd=project, env={"PATH": str(path)}, capture_output=True, text=True)


@pytest.mark.parametrize("version", ["2.7", "3.9", "3.10"])
def test_a_python_that_is_too_old_is_a_line(project: Path, version: str) -> None:
    stub(project / "bin" / "python3", version)
    done = make(project)
    assert done.returncode != 0
    assert done.stdout == "" and [each for each in done.stderr.splitlines() if not each.startswith("make: ")] == [
        LINE.format(version)
    ]
    assert not (project / ".venv").exists()


def test_no_python_is_a_line_too(project: Path) -> None:
    done = make(project)
    assert done.returncode != 0 and LINE.format("not there") in done.stderr.splitlines()
    assert not (project / ".venv").exists()


@pytest.mark.parametrize("there", ["nothing", "no python", "a python that is gone", "no pip", "too old"])
def test_what_is_half_made_is_made_again(project: Path, there: str) -> None:
    python = project / ".venv" / "bin" / "python"
    left = project / ".venv" / "left"
    if there != "nothing":
        python.parent.mkdir(parents=True)
        left.touch()
    if there == "a python that is gone":
        python.symlink_to(project / "gone")
    elif there == "no pip":
        stub(python, "3.11", pip="sys.exit(1)")
    elif there == "too old":
        stub(python, "3.9")
    stub(project / "bin" / "python3", "3.11")
    done = make(project)
    assert done.returncode == 0, done.stderr
    assert (project / ".venv" / "installed").exists() and not left.exists()


def test_an_environment_that_works_is_kept(project: Path) -> None:
    stub(project / ".venv" / "bin" / "python", "3.13")
    (project / ".venv" / "left").touch()
    assert make(project).returncode == 0, "no python3 is needed for it"
    assert (project / ".venv" / "left").exists()


def test_an_environment_that_cannot_be_made_is_not_left(project: Path) -> None:
    stub(project / "bin" / "python3", "3.11", venv="sys.exit(1)")
    assert make(project).returncode != 0
    assert not (project / ".venv").exists()


UV = """
    if words[-1] == "uv":
        uv = Path(sys.argv[0]).with_name("uv")
        uv.write_text({text!r})
        uv.chmod(0o755)
    elif "requirements.txt" in words:
        Path("by-pip").touch()"""


@pytest.mark.parametrize(("text", "by_pip"), [("touch by-uv", False), ("exit 2", True)])
def test_packages_are_installed_by_uv_and_by_pip_where_that_fails(project: Path, text: str, by_pip: bool) -> None:
    stub(project / "bin" / "python3", "3.11", pip=UV.format(text=f"#!{project}/bin/sh\n{text}\n"))
    assert make(project).returncode == 0
    assert (project / "by-uv").exists() is not by_pip
    assert (project / "by-pip").exists() is by_pip


@pytest.mark.slow
def test_an_install_that_fails_goes_on_the_next_time(project: Path) -> None:
    fails = "sys.exit('install' in words and not Path('network').exists())"
    stub(project / "bin" / "python3", "3.11", pip=fails)
    assert make(project).returncode != 0
    assert not (project / ".venv" / "installed").exists()
    (project / "network").touch()
    assert make(project).returncode == 0
    assert (project / ".venv" / "installed").exists()


# ------------------------------------------------------- what targets select

SELECTIONS = re.findall(r"-m pytest -m (\"[^\"]+\"|\w+)(.*)", (ROOT / "Makefile").read_text("utf-8"))


def collected(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)


def test_targets_select_tests_by_mark() -> None:
    declared = {each.partition(":")[0] for each in tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
                ["tool"]["pytest"]["ini_options"]["markers"]}  # fmt: skip
    assert len(SELECTIONS) >= 5
    for selection, more in SELECTIONS:
        assert set(re.findall(r"\w+", selection)) - {"and", "or", "not"} <= declared, selection
        assert ".py" not in more, "by mark, not by file"


@pytest.mark.slow
@pytest.mark.parametrize(("path", "selection"), [("tests/pages/test_sign_in.py", "pages and not pinned_datasette"),
                                                 ("tests/docs/test_notebooks.py", "notebooks")])  # fmt: skip
def test_what_a_target_selects_is_there(path: str, selection: str) -> None:
    done = collected("-m", selection, path)  # one file of its folder: to load the others takes a quarter of a minute
    assert done.returncode == 0 and ": " in done.stdout


@pytest.mark.slow
def test_a_selection_without_a_test_fails() -> None:
    assert collected("-m", "notebooks", "tests/whole/test_errors.py").returncode != 0


@pytest.mark.slow
def test_what_there_is_no_time_for_is_named() -> None:
    command = [sys.executable, "-m", "pytest", "-n", "2", "--minutes", "0", "tests/whole/test_errors.py"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0
    begun, left = re.search(r"^(?:(\d+) passed, )?(\d+) skipped", done.stdout, re.M).groups()  # type: ignore[union-attr]
    assert begun is None
    assert f"{left} tests were not begun: the time of this run was over" in done.stdout
    assert f"{left:>5} of tests/whole/test_errors.py" in done.stdout
