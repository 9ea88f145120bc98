"""Every reading command with --json, every changing one with --dry-run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command import run

READING = (
    ["recall", "port", "--no-log"],
    ["recall", "port"],
    ["profile", "list"],
    ["profile", "show", "default"],
    ["settings"],
    ["settings", "recall_limit"],
    ["cost"],
    ["cost", "--by", "model", "--project", "tidepool", "--since", "2026-09-01"],
    ["file", "check"],
    ["doctor"],
)


@pytest.mark.parametrize("command", READING, ids=" ".join)
def test_json_of_reading(command: list[str], sample: Path) -> None:
    assert json.loads(run("-d", str(sample), *command, "--json").stdout) not in ({}, None)
    assert run("-d", str(sample), *command).stdout != ""


CHANGING = (
    ["run", "--dir", "{history}"],
    ["import", "claude-code", "--dir", "{history}"],
    ["import", "text", "{notes}"],
    ["extract"],
    ["run", "--only", "index"],
    ["run", "--only", "index", "--memories-only"],
    ["add", "The zeppelin lands at gate nine", "--user"],
    ["profile", "save", "mine", "--set", "keyword=0.5"],
    ["profile", "save", "default", "--threshold", "0.2"],
    ["settings", "recall_limit", "5"],
)


@pytest.mark.parametrize("command", CHANGING, ids=" ".join)
@pytest.mark.slow
def test_a_dry_run_changes_nothing_and_the_same_command_without_it_works(
    command: list[str], sample: Path, tmp_path: Path
) -> None:
    notes = tmp_path / "notes.md"
    notes.write_text("# Airships\n\nThe zeppelin lands at gate nine.\n")
    (tmp_path / "history").mkdir()
    filled = [word.format(history=tmp_path / "history", notes=notes) for word in command]
    before = sample.read_bytes()
    run("-d", str(sample), *filled, "--dry-run")
    assert sample.read_bytes() == before
    run("-d", str(sample), *filled)
    assert sample.read_bytes() != before
    new = tmp_path / "new.db"
    if command[0] in ("import", "add", "settings"):
        run("-d", str(new), *filled, "--dry-run")
        assert not new.exists()


@pytest.mark.slow
def test_a_dry_run_says_so(sample: Path) -> None:
    assert "dry run" in run("-d", str(sample), "settings", "recall_limit", "5", "--dry-run").stdout
    assert "dry run" in run("-d", str(sample), "add", "A zeppelin", "--user", "--dry-run").stdout
    assert json.loads(run("-d", str(sample), "add", "A zeppelin", "--user", "--dry-run", "--json").stdout)["dry_run"]
