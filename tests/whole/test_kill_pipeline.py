"""The whole pipeline, rules and a model, killed fifty times at moments by chance: the same rows as one clean run.

Only what logs runs may differ. What is killed is the command under way; the same command is then given again, as the
one line that it would have printed says. Sessions whose worker died three times are taken up again by --retry-dead.
"""

from __future__ import annotations

import random
import signal
import sqlite3
import time
from collections import Counter
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bench.same_rows import ROWS as SAME_ROWS
from memory_db.store.schema import open_database
from memory_db.upkeep.check import check
from tests.support.forked import Forked
from tests.support.patience import WAIT_S
from tests.whole.test_kill import SEED, history, without_model

__all__ = ["history"]

KILLS = 50

PAUSE_S = 0.6
"""How long an answer takes: long enough that most kills hit a call."""

MODEL_ROWS = {
    "extraction_progress": "select s.uid, p.method, p.version, p.entry_count, p.skip_reason from extraction_progress p"
    " join sessions s on s.id = p.session_id",
    "model_calls": "select s.uid, c.purpose, c.attempt, c.model, f.uid, l.uid, c.answer, c.error, c.input_tokens,"
    " c.output_tokens from model_calls c join sessions s on s.id = c.session_id"
    " left join entries f on f.id = c.first_entry_id left join entries l on l.id = c.last_entry_id",
    "llm's log": "select count(*) from model_calls c join turns t on t.id = c.turn_uid",
    "candidates by model": "select c.uid, s.uid, r.method, r.version, r.model, c.title, c.keys, c.paths, c.tags,"
    " c.importance, c.is_quote_found from candidates c join extraction_runs r on r.id = c.extraction_run_id"
    " left join sessions s on s.id = c.session_id",
    "edges": "select f.uid, t.uid, e.kind, e.reason, e.ended_at is null from edges e"
    " join memories f on f.id = e.from_memory_id join memories t on t.id = e.to_memory_id",
    "contradictions": "select f.uid, t.uid, c.found_by, c.quote, c.other_quote, c.state from contradictions c"
    " join memories f on f.id = c.memory_id join memories t on t.id = c.other_memory_id",
    "memory_entities": "select m.uid, n.kind, n.name, x.mentions from memory_entities x"
    " join memories m on m.id = x.memory_id join entities n on n.id = x.entity_id",
}
ROWS = {name: sql for name, sql in (SAME_ROWS | MODEL_ROWS).items() if name != "embeddings"}


def rows_of(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """Everything worth comparing, in an order of its own."""
    with closing(sqlite3.connect(path)) as db:
        return {name: sorted(db.execute(sql).fetchall(), key=repr) for name, sql in ROWS.items()}


def is_contradiction(name: str, row: tuple[object, ...]) -> bool:
    """Whether a row is a pair that contradicts each other: such a pair is looked for among what stands nearest at that
    time, so a run that was killed and goes on looks again, among fewer, and may find one more.
    """
    return name == "contradictions" or (name == "edges" and row[2] == "contradicts")


def commands(history: Path) -> list[list[str]]:
    """The pipeline: import, rules, gate and index; then the model, gate and index."""
    return [
        ["run", "--dir", str(history)],
        ["extract", "-m", "reader", "--workers", "2", "--retry-dead"],
    ]


def start(database: Path, arguments: list[str], pause_s: float) -> Forked:
    """One command, under way."""
    return Forked(["-d", str(database), *arguments], database.parent, pause_s=pause_s)


def finish(process: Forked) -> None:
    """A command to its end."""
    code, errors = process.ended(WAIT_S)
    assert code == 0, errors


def kill_by_chance(process: Forked, database: Path, chance: random.Random) -> bool:
    """Kills a command some time after it first wrote; whether it was not done before."""
    with closing(sqlite3.connect(f"{database.as_uri()}?mode=ro", uri=True, timeout=30)) as db:
        before = version_of(db)
        while process.poll() is None and version_of(db) == before:
            time.sleep(0.003)
    time.sleep(chance.uniform(0, 0.3 if chance.random() < 0.5 else 2.5))
    process.send_signal(signal.SIGKILL)
    code, errors = process.ended(WAIT_S)
    assert code in (0, -signal.SIGKILL), errors
    return code != 0


def version_of(db: sqlite3.Connection) -> int:
    """A number that changes with every commit of somebody else."""
    return int(db.execute("pragma data_version").fetchone()[0])


@pytest.mark.slow
def test_fifty_kills_give_the_rows_of_one_clean_run(tmp_path: Path, history: Path, empty_file: Path) -> None:
    undisturbed = without_model(tmp_path / "clean.db", empty_file)
    for arguments in commands(history):
        finish(start(undisturbed, arguments, 0))
    clean = rows_of(undisturbed)
    assert all(clean[name] for name in ("model_calls", "candidates by model", "llm's log", "entries", "memories"))
    assert any(row[2] == "extract" for row in clean["candidates by model"])

    chance = random.Random(SEED)
    kills = files = 0
    while kills < KILLS:
        files += 1
        database = without_model(tmp_path / f"memory{files}.db", empty_file)
        for arguments in commands(history):
            while kills < KILLS:
                killed = kill_by_chance(start(database, arguments, PAUSE_S), database, chance)
                kills += killed
                if not killed:
                    break
            else:
                finish(start(database, arguments, 0))
        found = rows_of(database)
        for name, rows in clean.items():
            shown = f"{name} after {kills} kills: {sorted(set(found[name]) ^ set(rows), key=repr)[:4]}"
            more = Counter(found[name]) - Counter(rows)
            assert not Counter(rows) - Counter(found[name]), shown
            assert all(is_contradiction(name, row) for row in more), shown
        with closing(open_database(database, now=datetime.now(UTC))) as db:
            assert check(db, thorough=True) == []
    assert files <= 5, "ten kills and more for each file"
