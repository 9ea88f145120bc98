"""What a candidate becomes does not depend on where one transaction of the gate ends and the next one begins."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bench.same_rows import ROWS
from memory_db.extract.rules import run as rules
from memory_db.gate import run as gate
from memory_db.sample.build import write_history
from memory_db.store import settings
from memory_db.store.schema import open_database
from memory_db.transcripts.importer import import_claude_code

NOW = datetime(2026, 11, 1, 12, 0, tzinfo=UTC)

FIT = "select model, duplicate, related, pairs, memories from likeness_thresholds"

COMPARED = ("decisions", "memories", "memory_versions", "memory_sources")


@pytest.fixture(scope="module")
def undecided(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with the candidates of the sample's transcripts, none of them decided on."""
    folder = tmp_path_factory.mktemp("undecided")
    write_history(folder / "history")
    with closing(open_database(folder / "memory.db", now=NOW)) as db:
        settings.put(db, "embedding_model", "none", now=NOW)
        import_claude_code(db, [folder / "history"], now=NOW)
        rules.extract(db, now=NOW)
    return folder / "memory.db"


@pytest.fixture(scope="module")
def at_once(undecided: Path) -> dict[str, list[tuple[object, ...]]]:
    """What they become in one batch, and the thresholds fitted to it."""
    found = decided(undecided, undecided.with_name("at-once.db"))
    assert any("near" in str(row) for row in found["decisions"]) and all(found.values())
    return found


def decided(undecided: Path, path: Path) -> dict[str, list[tuple[object, ...]]]:
    """The rows that the gate makes in a copy of the file."""
    with closing(open_database(Path(shutil.copy(undecided, path)), now=NOW)) as db:
        gate.run(db, now=NOW)
        return rows_of(db)


def rows_of(db: sqlite3.Connection) -> dict[str, list[tuple[object, ...]]]:
    """What is compared."""
    asked = {name: ROWS[name] for name in COMPARED} | {"thresholds": FIT}
    return {name: sorted((tuple(row) for row in db.execute(sql)), key=repr) for name, sql in asked.items()}


@pytest.mark.parametrize("batch", [1, 7])
@pytest.mark.slow
def test_batches_of_any_size_give_the_same_rows(
    batch: int,
    undecided: Path,
    at_once: dict[str, list[tuple[object, ...]]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(gate, "BATCH", batch)
    assert decided(undecided, tmp_path / "memory.db") == at_once


@pytest.mark.slow
def test_a_run_that_was_killed_before_its_thresholds_were_fitted_has_them_fitted_by_the_next(
    undecided: Path, at_once: dict[str, list[tuple[object, ...]]], tmp_path: Path
) -> None:
    def kill(stage: str, done: int, total: int | None) -> None:
        raise KeyboardInterrupt

    with closing(open_database(Path(shutil.copy(undecided, tmp_path / "memory.db")), now=NOW)) as db:
        with pytest.raises(KeyboardInterrupt):
            gate.run(db, now=NOW, progress=kill)
        assert rows_of(db) == at_once | {"thresholds": []}
        gate.run(db, now=NOW)
        assert rows_of(db) == at_once
