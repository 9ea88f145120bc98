"""Examples of pages that show what a command prints: on the sample it prints that."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from memory_db.cli import cli

DOCS = Path(__file__).resolve().parents[2] / "docs"


def run(path: Path, line: str) -> str:
    done = CliRunner().invoke(cli, ["-d", str(path), *shlex.split(line, comments=True)[1:]], input="")
    assert done.exit_code == 0, f"{line}\n{done.output}"
    return done.output


def test_portraits_are_those_of_the_sample(sample_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    page = (DOCS / "portraits.md").read_text("utf-8")
    lines = [line for line in page.splitlines() if line.startswith("memory-db memory portrait") and "-m " not in line]
    assert len(lines) >= 4
    for line in lines:
        assert run(sample_path, f"{line} --yes" if "--write" in line else line)
    assert "# Playbook of quayside" in (tmp_path / "CLAUDE.md").read_text("utf-8")


def test_the_difference_is_the_one_that_is_shown(sample_path: Path) -> None:
    page = (DOCS / "time.md").read_text("utf-8")
    begin = page.index('    memory-db memory checkpoint "before the move"')
    checkpoint = page[begin:].splitlines()[0].strip()
    correct = next(line.strip() for line in page.splitlines() if line.startswith("    memory-db memory correct"))
    shown = page[page.index("    added: 1") :].split("\n\n")[0]
    run(sample_path, checkpoint)
    run(sample_path, correct)
    printed = [line.strip() for line in run(sample_path, 'memory-db memory diff "before the move"').splitlines()[1:]]
    for line, expected in zip([line.strip() for line in shown.splitlines()], printed, strict=True):
        start, _, end = line.partition(" ... ")
        assert expected.startswith(start) and expected.endswith(end), expected


def test_the_memory_that_is_locked_is_not_locked_yet(sample_path: Path) -> None:
    page = (DOCS / "getting-started.md").read_text("utf-8")
    lock = next(line.partition("#")[0].strip() for line in page.splitlines() if " memory lock " in line)
    assert "already" not in run(sample_path, lock)
