"""Commands that fill the file, from transcripts, the sample or texts."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from memory_db.sample.build import write_history
from tests.support.command import run, scalar


@pytest.mark.slow
def test_stage_by_stage_from_transcripts(home: Path) -> None:
    path, history = home / "memory.db", home / "history"
    write_history(history)
    run("-d", str(path), "settings", "embedding_model", "none")
    imported = json.loads(run("-d", str(path), "import", "claude-code", "--dir", str(history), "--json").stdout)
    assert imported["counts"]["sessions"] > 10
    stages = json.loads(run("-d", str(path), "extract", "--json").stdout)["stages"]
    assert [stage["stage"] for stage in stages] == ["extract", "gate"]
    assert "static memories" in run("-d", str(path), "run", "--only", "index").stderr
    again = run("-d", str(path), "run", "--dir", str(history))
    assert again.stderr.count("nothing new") >= 2
    assert scalar(path, "select count(*) from memories") == scalar(path, "select count(*) from static_vectors"
                                                                   " where memory_version_id is not null")  # fmt: skip


@pytest.mark.slow
def test_the_default_folder_is_read(home: Path) -> None:
    write_history(home / ".claude" / "projects")
    run("settings", "embedding_model", "none")
    answer = json.loads(run("run", "--json").stdout)
    assert [stage["stage"] for stage in answer["stages"]] == [
        "import",
        "extract",
        "gate",
        "index",
        "contradictions",
        "feedback",
    ]
    assert answer["database"] == str(home / ".memory-db" / "memory.db")


@pytest.mark.slow
def test_the_sample_never_touches_the_users_file(home: Path, sample_file: Path) -> None:
    run("settings", "recall_limit", "5")
    own = home / ".memory-db" / "memory.db"
    before = own.read_bytes()
    with closing(sqlite3.connect(sample_file)) as made, closing(sqlite3.connect(own.with_name("sample.db"))) as copy:
        made.backup(copy)
    answer = json.loads(run("run", "--sample", "--json").stdout)
    assert answer["database"] == str(own.with_name("sample.db"))
    assert own.read_bytes() == before


def test_the_sample_is_made_in_the_file_that_is_named(home: Path, tmp_path: Path, sample_file: Path) -> None:
    named = tmp_path / "memory.db"
    with closing(sqlite3.connect(sample_file)) as made, closing(sqlite3.connect(named)) as copy:
        made.backup(copy)
    ended = run("-d", str(named), "run", "--sample")
    assert f"memory-db serve -d {named}" in ended.stderr
    assert {path.name for path in tmp_path.iterdir() if path.is_dir()} >= {"memory-history"}
    assert not named.with_name("sample.db").exists()


def test_the_sample_never_goes_into_a_history_of_ones_own(home: Path, tmp_path: Path) -> None:
    notes = tmp_path / "notes.md"
    notes.write_text("# Airships\n\nThe zeppelin lands at gate nine.\n")
    own = tmp_path / "memory.db"
    run("-d", str(own), "import", "text", str(notes))
    assert "Name another file for the sample with -d" in run("-d", str(own), "run", "--sample", code=1).stderr


def test_text_that_was_imported_is_found(sample: Path, tmp_path: Path) -> None:
    notes = tmp_path / "notes.md"
    notes.write_text("# Airships\n\nThe zeppelin lands at gate nine.\n")
    run("-d", str(sample), "import", "text", str(notes))
    assert "gate nine" in run("-d", str(sample), "recall", "zeppelin").stdout
