"""Two runs of the gate at the same time: a hook's and a person's."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from memory_db.extract.rules import run as rules
from memory_db.gate import run as gate
from memory_db.sample.build import write_history
from memory_db.store import settings
from memory_db.store.schema import open_database
from memory_db.transcripts.importer import import_claude_code

NOW = datetime(2026, 11, 1, 12, 0, tzinfo=UTC)

DIALOGUE = """start: 2026-10-30T09:00:00Z
cwd: /home/ada/code/till
version: 2.1.330
turns:
- user: never push to main here, always open a pull request
- say: Understood.
- user: we use uv for packages in this project, not pip
- say: Understood.
"""


def undecided(folder: Path) -> Path:
    """A file with candidates that nobody has decided on."""
    (folder / "day.yaml").write_text(DIALOGUE, "utf-8")
    write_history(folder / "history", [folder / "day.yaml"])
    with closing(open_database(folder / "memory.db", now=NOW)) as db:
        settings.put(db, "embedding_model", "none", now=NOW)
        import_claude_code(db, [folder / "history"], now=NOW)
        rules.extract(db, now=NOW)
    return folder / "memory.db"


def rows(db: sqlite3.Connection) -> tuple[list[tuple[object, ...]], ...]:
    """Decisions, and the reasons to believe what they made."""
    asked = ("select candidate_id, action from decisions order by id", "select kind, weight from evidence order by id")
    return tuple([tuple(row) for row in db.execute(sql)] for sql in asked)


def test_a_candidate_that_another_run_decided_on_meanwhile_is_not_decided_on_again(tmp_path: Path) -> None:
    path = undecided(tmp_path)
    with closing(open_database(Path(shutil.copy(path, tmp_path / "alone.db")), now=NOW)) as db:
        gate.run(db, now=NOW)
        alone = rows(db)
    with closing(open_database(path, now=NOW)) as db, closing(open_database(path, now=NOW)) as other:
        read: list[str] = []

        def run_another(sql: str) -> None:
            """Lets the other run decide on everything once this one has read what there is to decide."""
            if "from candidates" in sql:
                read.append(sql)
            elif read and sql == "begin immediate":
                read.clear()
                db.set_trace_callback(None)
                assert sum(gate.run(other, now=NOW).values()) == len(alone[0])

        db.set_trace_callback(run_another)
        counts = gate.run(db, now=NOW)
        assert sum(counts.values()) == 0
        assert rows(db) == alone and len(alone[0]) >= 2
