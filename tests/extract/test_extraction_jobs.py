"""Sessions read by a model as jobs: threads, budget, breaker, three failures, draining, settings, the worker."""

from __future__ import annotations

import json
import os
import plistlib
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import llm.cli
import pytest
from click.testing import CliRunner, Result

from memory_db.agents.claude_code import snippets
from memory_db.cli import cli
from memory_db.errors import ModelError
from memory_db.extract import INTERRUPTED
from memory_db.extract.model.estimate import GUESSED_OUTPUT, estimate
from memory_db.extract.model.jobs import (
    EXTRACT_SESSION,
    SETTLE,
    allowed,
    enqueue_sessions,
    waiting,
    waiting_by_settings,
)
from memory_db.extract.model.prompts import load_prompt
from memory_db.extract.model.runs import ExtractionOrder, ExtractionResult, read_sessions
from memory_db.models.budget import health
from memory_db.store import jobs, settings
from memory_db.store.connection import connect
from memory_db.store.dates import utc_text
from memory_db.upkeep import doctor, pipeline
from memory_db.upkeep.worker import Worker, WorkerBusyError, only_worker, work
from tests.support.patience import WAIT_S
from tests.support.reading_model import ReadingModel, registered

pytestmark = pytest.mark.slow

READER = Path(__file__).parents[1] / "support" / "reading_model.py"
PROMPT = load_prompt("extract")
CENT = 1_000_000_000


def add_session(db: sqlite3.Connection, name: str, began: datetime, messages: int = 4) -> None:
    """A session of a user and an agent who say something else each time."""
    with db:
        db.execute("begin")
        db.execute(
            "insert or ignore into projects (id, name, canonical_path, created_at) values (1, 'shop', '/shop', ?)",
            [utc_text(began)],
        )
        session = db.execute(
            "insert into sessions (uid, format, project_id) values (?, 'claude-code', 1)", [name]
        ).lastrowid
        for number in range(messages):
            role = "assistant" if number % 2 else "user"
            text = f"In part {number} of {name} the server listens on port {4000 + number} and nowhere else, as agreed."
            entry = db.execute(
                "insert into entries (uid, session_id, role, kind, text, created_at) values (?, ?, ?, ?, ?, ?)",
                [f"{name}-{number}", session, role, "reply" if number % 2 else "prompt", text,
                 utc_text(began + timedelta(seconds=number))],
            ).lastrowid  # fmt: skip
            db.execute(
                "insert into session_entries (session_id, entry_id, position) values (?, ?, ?)",
                [session, entry, number],
            )


def add_sessions(db: sqlite3.Connection, count: int, now: datetime, messages: int = 4) -> None:
    for number in range(count):
        add_session(db, f"session-{number}", now - timedelta(days=1, hours=number), messages)


def read(
    db: sqlite3.Connection, db_path: Path, model: llm.Model, now: datetime, *, workers: int = 1,
    budget: int | None = None, dry: bool = False, stop: threading.Event | None = None,
) -> ExtractionResult:  # fmt: skip
    """Everything that waits, read at one moment."""
    order = ExtractionOrder(PROMPT, model, waiting(db, PROMPT, model.model_id), workers, budget, dry)
    return read_sessions(db_path, order, clock=lambda: now, stop=stop or threading.Event())


def found(db: sqlite3.Connection) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in db.execute("select uid, text, quote from candidates order by uid")]


def one(db: sqlite3.Connection, sql: str, *values: object) -> Any:
    return db.execute(sql, values).fetchone()[0]


def price(db: sqlite3.Connection, model: str = "reader") -> None:
    """A cent for a thousand tokens, read or written."""
    db.execute(
        "insert into prices (model, input_nanocents, output_nanocents, cache_write_5m_nanocents,"
        " cache_write_1h_nanocents, cache_read_nanocents, source, valid_from)"
        " values (?, 1000000, 1000000, 0, 0, 0, 'test', '1970-01-01T00:00:00.000Z')",
        [model],
    )


# ------------------------------------------------------------------ reading


def test_every_session_is_read_once(db: sqlite3.Connection, db_path: Path, now: datetime) -> None:
    add_sessions(db, 3, now)
    model = ReadingModel()
    outcome = read(db, db_path, model, now)
    assert (outcome.sessions, outcome.calls, outcome.left, outcome.stopped) == (3, 3, 0, "")
    assert outcome.candidates == len(found(db)) == 3 * 2 + 3  # what the user said, and the episodes
    run = db.execute("select * from extraction_costs").fetchone()
    assert (run["prompt"], run["model"], run["sessions"], run["calls"], run["candidates"]) == (
        "extract", "reader", 3, 3, 9,
    )  # fmt: skip
    assert run["finished_at"] == utc_text(now) and run["error"] is None
    assert one(db, "select count(*) from jobs where state = 'done'") == 3
    assert one(db, "select count(*) from unread_sessions") == 0
    again = read(db, db_path, model, now)
    assert (again.run_id, again.calls, model.asked) == (None, 0, 3)


def test_only_what_was_said_since_is_read(db: sqlite3.Connection, db_path: Path, now: datetime) -> None:
    add_sessions(db, 1, now)
    read(db, db_path, ReadingModel(), now)
    entry = db.execute(
        "insert into entries (uid, session_id, role, kind, text, created_at)"
        " values ('late', 1, 'user', 'prompt', 'Deploys happen on Tuesdays and never on Fridays.', ?)",
        [utc_text(now)],
    ).lastrowid
    db.execute("insert into session_entries (session_id, entry_id, position) values (1, ?, 99)", [entry])
    db.commit()
    before = found(db)
    assert read(db, db_path, ReadingModel(), now).entries == 1
    new = set(found(db)) - set(before)
    assert {text for _, text, _ in new if "Tuesdays" in text}


def test_workers_call_at_once_and_lose_no_row(db: sqlite3.Connection, db_path: Path, now: datetime) -> None:
    add_sessions(db, 12, now, messages=8)
    model = ReadingModel(pause_s=0.05)
    model.portion_tokens = 150  # type: ignore[attr-defined]
    outcome = read(db, db_path, model, now, workers=4)
    assert outcome.sessions == 12 and outcome.portions == model.asked > 12
    assert 1 < model.at_once <= 4
    assert one(db, "select count(*) from model_calls") == model.asked
    with_four = found(db)
    for table in ("candidates", "model_calls", "extraction_progress", "jobs"):
        db.execute(f"delete from {table}")
    db.commit()
    alone = ReadingModel()
    alone.portion_tokens = 150  # type: ignore[attr-defined]
    read(db, db_path, alone, now)
    assert found(db) == with_four and alone.at_once == 1


def test_a_portion_is_a_lease(db: sqlite3.Connection, db_path: Path, now: datetime) -> None:
    add_sessions(db, 1, now, messages=12)
    stop = threading.Event()

    class Stopping(ReadingModel):
        portion_tokens = 150

        def execute(self, *asked: Any, **named: Any) -> Any:
            stop.set()
            return super().execute(*asked, **named)

    model = Stopping()
    outcome = read(db, db_path, model, now, stop=stop)
    assert outcome.drained and (outcome.portions, outcome.sessions, outcome.left) == (1, 0, 1)
    job = db.execute("select * from jobs").fetchone()
    assert (job["state"], job["attempts"]) == ("due", 0)
    assert 0 < one(db, "select entry_count from extraction_progress") < 12
    assert "signal" in one(db, "select error from extraction_runs")


def test_what_a_killed_worker_left_is_taken_up(db: sqlite3.Connection, db_path: Path, now: datetime) -> None:
    add_sessions(db, 1, now)
    enqueue_sessions(db, PROMPT, "reader", waiting(db, PROMPT, "reader"), now=now)
    assert jobs.lease(db, now, kind=EXTRACT_SESSION)
    db.execute(
        "insert into extraction_runs (method, version, model, started_at) values ('extract', 'x', 'reader', ?)",
        [utc_text(now)],
    )
    db.commit()
    assert read(db, db_path, ReadingModel(), now + timedelta(seconds=1)).sessions == 1
    assert [tuple(row) for row in db.execute("select id, error from extraction_runs")] == [(1, INTERRUPTED), (2, None)]


# ------------------------------------------------------- failures and breaker


def test_five_failures_in_a_row_open_the_breaker(db: sqlite3.Connection, db_path: Path, now: datetime) -> None:
    add_sessions(db, 8, now)
    model = ReadingModel(failures=6)
    outcome = read(db, db_path, model, now)
    assert (model.asked, outcome.failed, outcome.left, outcome.is_broken) == (5, 5, 8, True)
    assert "5 calls of reader in a row failed" in outcome.stopped and "out of order" in outcome.stopped
    row = db.execute("select * from model_health").fetchone()
    assert (row["failures_in_row"], row["is_open"]) == (5, 1)
    assert row["open_until"] == utc_text(now + timedelta(minutes=15))
    assert any("reader" in line.what and "left alone" in line.what for line in examined(db_path, now))

    assert read(db, db_path, model, now + timedelta(minutes=14)).calls == 0 and model.asked == 5
    later = now + timedelta(minutes=16)
    assert read(db, db_path, model, later).is_broken and model.asked == 6, "one try, which fails"
    model.pause_s = 0.02
    recovered = read(db, db_path, model, later + timedelta(minutes=16), workers=4)
    assert (recovered.sessions, recovered.left, recovered.stopped) == (8, 0, "")
    assert health(db, "reader").failures_in_row == 0


def test_a_model_on_trial_is_asked_one_by_one(db: sqlite3.Connection, db_path: Path, now: datetime) -> None:
    add_sessions(db, 8, now)
    model = ReadingModel(failures=5)
    read(db, db_path, model, now)
    model.failures, model.at_once, model.pause_s = 1, 0, 0.05
    assert read(db, db_path, model, now + timedelta(minutes=16), workers=8).is_broken
    assert (model.asked, model.at_once) == (6, 1)


def test_three_failures_make_a_session_dead_until_it_is_put_back(
    db: sqlite3.Connection, db_path: Path, now: datetime
) -> None:
    add_sessions(db, 3, now)
    model = ReadingModel(fails_on="session-1 ")
    outcomes = [read(db, db_path, model, now + timedelta(minutes=10 * number)) for number in range(4)]
    assert [(outcome.sessions, outcome.failed, outcome.dead) for outcome in outcomes] == [
        (2, 1, 0), (0, 1, 0), (0, 0, 1), (0, 0, 1),
    ]  # fmt: skip
    dead = db.execute("select * from dead_jobs").fetchone()
    assert dead["key"] == "extract reader session-1" and "out of order" in dead["last_error"]
    assert model.asked == 5
    assert any(line.level == "warning" and "--retry-dead" in line.fix for line in examined(db_path, now))
    with registered(ReadingModel()):
        refused = command(db_path, "extract", "-m", "reader", "--retry-dead", "99")
        assert refused.exit_code == 1 and "no dead job 99" in refused.output
        done = command(db_path, "extract", "-m", "reader", "--retry-dead", str(dead["job_id"]))
    assert done.exit_code == 0, done.output
    assert one(db, "select count(*) from dead_jobs") == 0 and one(db, "select count(*) from unread_sessions") == 0


def test_all_dead_sessions_are_put_back_at_once(db: sqlite3.Connection, db_path: Path, now: datetime) -> None:
    add_sessions(db, 2, now)
    with registered(ReadingModel()):
        enqueue_sessions(db, PROMPT, "reader", waiting(db, PROMPT, "reader"), now=now)
        db.execute("update jobs set state = 'dead', attempts = 3")
        db.commit()
        held = command(db_path, "extract", "-m", "reader")
        assert held.exit_code == 1 and "2 sessions were given up" in held.output
        assert command(db_path, "extract", "-m", "reader", "--retry-dead").exit_code == 0
    assert one(db, "select count(*) from jobs where state = 'done'") == 2


def test_a_portion_and_its_job_are_stored_together(db: sqlite3.Connection, db_path: Path, now: datetime) -> None:
    add_sessions(db, 1, now)
    db.execute(
        "create trigger killed before update on jobs when new.state = 'done' begin select raise(abort, 'killed'); end"
    )
    with pytest.raises(sqlite3.IntegrityError, match="killed"):
        read(db, db_path, ReadingModel(), now)
    assert one(db, "select count(*) from extraction_progress where method like 'extract%'") == 0
    assert one(db, "select count(*) from model_calls") == 0
    db.execute("drop trigger killed")
    assert read(db, db_path, ReadingModel(), now + timedelta(hours=1)).sessions == 1
    assert one(db, "select state from jobs") == "done"


def test_a_dead_job_whose_session_is_read_is_done_when_the_dead_are_put_back(
    db: sqlite3.Connection, db_path: Path, now: datetime
) -> None:
    add_sessions(db, 1, now)
    assert read(db, db_path, ReadingModel(), now).sessions == 1
    db.execute("update jobs set state = 'dead', attempts = 3")
    db.commit()
    with registered(ReadingModel()):
        assert command(db_path, "extract", "-m", "reader", "--retry-dead").exit_code == 0
    assert one(db, "select state from jobs") == "done"


def examined(db_path: Path, now: datetime) -> list[doctor.Line]:
    return doctor.doctor(db_path, transcripts=[], now=now).lines


# ------------------------------------------------------------------- budget


@pytest.mark.parametrize("workers", [1, 4])
@pytest.mark.parametrize("cents", [0, 3, 20, 28])
def test_the_days_budget_is_never_gone_over(
    db: sqlite3.Connection, db_path: Path, now: datetime, cents: int, workers: int
) -> None:
    add_sessions(db, 16, now)
    price(db)
    settings.put(db, "model_budget_cents", str(cents), now=now)
    model = ReadingModel(tokens=(1_800, 200), pause_s=0.01)  # two cents each
    outcome = read(db, db_path, model, now, workers=workers)
    assert one(db, "select coalesce(sum(cost_nanocents), 0) from model_calls") == model.asked * 2 * CENT <= cents * CENT
    assert outcome.left == 16 - model.asked > 0
    assert f"${cents / 100:,.4f} a day" in outcome.stopped and "the next may cost" in outcome.stopped
    assert one(db, "select count(*) from jobs where state = 'due' and attempts = 0") == outcome.left
    assert read(db, db_path, model, now, workers=workers).calls == 0, "the day is not over"
    if cents == 28:
        assert model.asked > 5
        assert read(db, db_path, model, now + timedelta(days=1), workers=workers).left == 0


def test_a_run_has_a_budget_of_its_own(db: sqlite3.Connection, db_path: Path, now: datetime) -> None:
    add_sessions(db, 6, now)
    price(db)
    settings.put(db, "model_budget_cents", "1000", now=now)
    model = ReadingModel(tokens=(1_800, 200))
    outcome = read(db, db_path, model, now, budget=24 * CENT)
    assert 0 < model.asked * 2 <= 24 and outcome.left
    assert "This run may cost $0.2400" in outcome.stopped and "--budget" in outcome.stopped
    assert one(db, "select cost_nanocents from extraction_costs") == model.asked * 2 * CENT


def test_calls_without_a_price_count_nothing_and_are_reported(
    db: sqlite3.Connection, db_path: Path, now: datetime
) -> None:
    add_sessions(db, 2, now)
    settings.put(db, "model_budget_cents", "0", now=now)
    db.commit()
    with registered(ReadingModel()):
        done = command(db_path, "extract", "-m", "reader", "--budget", "0")
    assert done.exit_code == 0 and "No price of reader is known" in done.output
    assert one(db, "select calls_without_price from extraction_costs") == 2


# ----------------------------------------------------------------- estimate


def test_an_estimate_is_what_comes(db: sqlite3.Connection, db_path: Path, now: datetime) -> None:
    add_sessions(db, 7, now)
    add_session(db, "short", now, messages=1)
    price(db)
    before = "\n".join(db.iterdump())
    guess = estimate(db, PROMPT, "reader", waiting(db, PROMPT, "reader"), now=now)
    assert "\n".join(db.iterdump()) == before
    assert (guess.sessions, guess.too_short, guess.calls) == (8, 1, 7)
    assert (guess.output_tokens_low, guess.output_tokens, guess.output_tokens_high) == tuple(
        7 * each for each in GUESSED_OUTPUT
    )
    settings.put(db, "model_budget_cents", "10000", now=now)
    model = ReadingModel()
    read(db, db_path, model, now)
    spent = db.execute("select * from extraction_costs").fetchone()
    assert spent["calls"] == guess.calls
    assert spent["input_tokens"] <= guess.input_tokens <= 3 * spent["input_tokens"]
    assert guess.cost_low_nanocents is not None and guess.cost_high_nanocents is not None
    assert guess.cost_low_nanocents / 3 <= spent["cost_nanocents"] <= guess.cost_high_nanocents
    add_session(db, "one-more", now)
    learned = estimate(db, PROMPT, "reader", waiting(db, PROMPT, "reader"), now=now)
    assert learned.calls == 1 and learned.output_source == "7 answers of reader in this file"
    assert learned.output_tokens_low <= learned.output_tokens <= learned.output_tokens_high < GUESSED_OUTPUT[2]


def test_estimate_asks_nothing(db: sqlite3.Connection, db_path: Path, now: datetime) -> None:
    add_sessions(db, 2, now)
    model = ReadingModel()
    with registered(model):
        shown = command(db_path, "model", "estimate", "-m", "reader")
        values = json.loads(command(db_path, "model", "estimate", "-m", "reader", "--json").output)
    assert shown.exit_code == 0 and "2 calls" in shown.output and "No price is known" in shown.output
    assert (values["calls"], values["cost_nanocents"], model.asked) == (2, None, 0)
    known = json.loads(command(db_path, "model", "estimate", "-m", "gpt-4o", "--json").output)
    assert 0 < known["cost_low_nanocents"] < known["cost_nanocents"] < known["cost_high_nanocents"]
    assert command(db_path, "model", "estimate").exit_code == 0


# ----------------------------------------------------------------- settings


def test_nothing_is_read_unless_the_user_said_so(db: sqlite3.Connection, db_path: Path, now: datetime) -> None:
    add_sessions(db, 2, now)
    model = ReadingModel()
    with registered(model):
        assert allowed(db) is None
        assert not work_now(db, db_path, now).outcomes
        settings.put(db, "model_extraction", "all", now=now)
        assert allowed(db) is None, "no model is named"
        settings.put(db, "extraction_model", "reader", now=now)
        stages = [stage.name for stage in pipeline.run(db, [], now=now)]
        assert stages[-1] == "enqueue" and model.asked == 0
        assert one(db, "select count(*) from jobs where state = 'due'") == 2
        worked = work_now(db, db_path, now)
        assert (worked.outcomes[0].sessions, model.asked, worked.failures) == (2, 2, 0)
        assert one(db, "select count(*) from memories where origin = 'model'") > 0
        assert one(db, "select count(*) from candidates c where not exists (select 1 from decisions d"
                       " where d.candidate_id = c.id)") == 0  # fmt: skip
        assert not work_now(db, db_path, now).outcomes and model.asked == 2


def work_now(db: sqlite3.Connection, db_path: Path, now: datetime, *, once: bool = False) -> Any:
    settings.put(db, "embedding_model", "none", now=now)
    with only_worker(db_path):
        return work(Worker(db_path, db, lambda: now, threading.Event()), once=once)


def test_new_sessions_are_those_that_began_since_it_was_turned_on(db: sqlite3.Connection, now: datetime) -> None:
    settings.put(db, "extraction_model", "reader", now=now)
    settings.put(db, "model_extraction", "new", now=now)
    add_session(db, "before", now - timedelta(seconds=1))
    add_session(db, "after", now + timedelta(hours=1))
    add_session(db, "under-way", now + timedelta(hours=5) - SETTLE)
    later = now + timedelta(hours=5)
    assert [each.uid for each in waiting_by_settings(db, PROMPT, "reader", now=later)] == ["after"]
    settled = later + timedelta(minutes=1)
    assert [each.uid for each in waiting_by_settings(db, PROMPT, "reader", now=settled)] == ["under-way", "after"]
    settings.put(db, "model_extraction", "all", now=later)
    assert len(waiting_by_settings(db, PROMPT, "reader", now=settled)) == 3
    settings.put(db, "model_extraction", "off", now=later)
    assert waiting_by_settings(db, PROMPT, "reader", now=settled) == []


def test_an_edited_prompt_makes_a_worker_read_nothing_again(
    db: sqlite3.Connection, db_path: Path, now: datetime
) -> None:
    add_sessions(db, 2, now)
    read(db, db_path, ReadingModel(), now)
    db.execute("update extraction_progress set version = 'older'")
    db.commit()
    settings.put(db, "extraction_model", "reader", now=now)
    settings.put(db, "model_extraction", "all", now=now)
    assert waiting_by_settings(db, PROMPT, "reader", now=now) == []
    assert len(waiting(db, PROMPT, "reader")) == 2


# ------------------------------------------------------------- command line


def command(db_path: Path, *arguments: str) -> Result:
    return CliRunner().invoke(cli, ["-d", str(db_path), *arguments], prog_name="memory-db")


def test_a_dry_run_stores_candidates_and_makes_no_memory(db: sqlite3.Connection, db_path: Path, now: datetime) -> None:
    add_sessions(db, 2, now)
    settings.put(db, "embedding_model", "none", now=now)
    with registered(ReadingModel()):
        done = command(db_path, "extract", "-m", "reader", "--dry-run", "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["candidates"] == len(found(db)) > 0
    assert one(db, "select count(*) from memories") == 0
    assert one(db, "select is_dry_run from extraction_runs") == 1
    states = db.execute("select distinct action, substr(reason, 1, 8) from candidate_states").fetchall()
    assert ("propose", "dry run;") in [tuple(row) for row in states]


def test_trouble_with_a_model_is_one_line(
    db: sqlite3.Connection, db_path: Path, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LLM_USER_PATH", str(db_path.parent))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    add_sessions(db, 1, now)
    for arguments, said in (
        (["extract", "-m", "no-such-model"], "llm knows no model 'no-such-model'"),
        (["model", "estimate", "-m", "no-such-model"], "llm knows no model 'no-such-model'"),
        (["extract", "-m", "gpt-4o"], "gpt-4o has no key. Set it with `llm keys set openai`."),
        (["extract", "--limit", "3"], "go with a model"),
        (["extract", "-m", "gpt-4o", "--retry-dead", "x"], "'x' is no number of a job"),
    ):
        done = command(db_path, *arguments)
        assert done.exit_code == 1 and said in done.output and done.output.count("\n") == 1, done.output
    assert one(db, "select count(*) from jobs where state <> 'due'") == 0


def test_llm_memory_extract_is_the_same_command(db: sqlite3.Connection, db_path: Path, now: datetime) -> None:
    add_sessions(db, 3, now)
    settings.put(db, "embedding_model", "none", now=now)
    with registered(ReadingModel()):
        done = CliRunner().invoke(
            llm.cli.cli, ["memory", "-d", str(db_path), "extract", "-m", "reader", "--limit", "2", "--workers", "2"]
        )
    assert done.exit_code == 0, done.output
    assert "Read 2 sessions with reader." in done.output
    assert one(db, "select count(*) from unread_sessions") == 1
    yielded = db.execute("select * from prompt_yield where model = 'reader'").fetchone()
    assert yielded["sessions"] == yielded["calls"] == 2
    parts = ("kept", "duplicates", "rejected", "quarantined", "pending")
    assert yielded["candidates"] == sum(yielded[part] for part in parts) == len(found(db))


def test_one_worker_at_a_time(db: sqlite3.Connection, db_path: Path, now: datetime) -> None:
    add_sessions(db, 1, now)
    with registered(ReadingModel()), only_worker(db_path):
        with pytest.raises(WorkerBusyError, match=f"process {os.getpid()}"), only_worker(db_path):
            pass
        second = command(db_path, "work", "--once")
        assert second.exit_code == 0 and "A worker is busy" in second.output
        refused = command(db_path, "extract", "-m", "reader")
        assert refused.exit_code == 1 and "A worker is busy" in refused.output
    with only_worker(db_path):
        assert db_path.with_name(db_path.name + ".worker").stat().st_mode & 0o777 == 0o600


def test_a_worker_goes_on_until_nothing_is_due(
    db: sqlite3.Connection, db_path: Path, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = [3]

    def count(db: sqlite3.Connection, job: jobs.Job, now: datetime, progress: jobs.Progress | None) -> bool:
        if left[0] == 1:
            raise ModelError("no more")
        left[0] -= 1
        return False

    monkeypatch.setitem(jobs.HANDLERS, "count", count)
    jobs.enqueue(db, "count", "a", {}, now)
    worked = work_now(db, db_path, now)
    assert worked.failures == 1 and left == [1]
    assert one(db, "select last_error from jobs where kind = 'count'") == "no more"
    assert not work_now(db, db_path, now).failures, "it rests"


COMMAND = ["/opt/a b/python", "-m", "memory_db", "-d", '/data/50% "$HOME"/m.db', "work", "--once"]


def test_schedules_keep_every_argument_whole() -> None:
    service = snippets.schedule("systemd", COMMAND)
    assert 'ExecStart="/opt/a b/python" "-m" "memory_db" "-d" "/data/50%% \\"$$HOME\\"/m.db" "work" "--once"' in service
    assert "[Timer]" in service
    agent = plistlib.loads(snippets.schedule("launchd", COMMAND).encode())
    assert agent["ProgramArguments"] == COMMAND and agent["StartInterval"] == 3_600
    line = snippets.schedule("cron", COMMAND).splitlines()[-1]
    assert line.startswith("17 * * * * ") and "50\\%" in line
    printed = subprocess.run(
        ["sh", "-c", "for each in " + line.removeprefix("17 * * * * ").replace("\\%", "%") + '; do echo "$each"; done'],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert printed.stdout.splitlines() == COMMAND


def test_install_prints_and_writes_nothing(db: sqlite3.Connection, db_path: Path) -> None:
    before = sorted(db_path.parent.iterdir())
    for name in snippets.SCHEDULERS:
        shown = command(db_path, "install", "--schedule", name)
        assert shown.exit_code == 0 and sys.executable in shown.output and str(db_path) in shown.output
    assert command(db_path, "install", "--schedule").exit_code == 0
    assert "--schedule" in command(db_path, "install").output
    assert sorted(db_path.parent.iterdir()) == before
    assert {snippets.usual_scheduler(each) for each in ("linux", "darwin", "freebsd14")} == set(snippets.SCHEDULERS)


# --------------------------------------------------------- processes and signals


def start(db_path: Path, *arguments: str, answers_first: int | None = None) -> subprocess.Popen[str]:
    """memory-db with a model that reads, in a process of its own; a letter in `asked.log` for each call.

    What it says of errors and progress goes to `errors.txt`. Calls after the first `answers_first` wait for `gate`.
    """
    folder = db_path.parent
    environment = {**os.environ, "HOME": str(folder), "READER_LOG": str(folder / "asked.log")}
    if answers_first is not None:
        environment |= {"READER_GATE": str(folder / "gate"), "READER_ANSWERS_FIRST": str(answers_first)}
    with (folder / "errors.txt").open("w") as errors:
        return subprocess.Popen(
            [sys.executable, str(READER), "-d", str(db_path), *arguments],
            env=environment, stdout=subprocess.PIPE, stderr=errors, text=True, cwd=Path(__file__).parents[2],
        )  # fmt: skip


def ended(process: subprocess.Popen[str], db_path: Path) -> str:
    """What a process said of errors and progress, once it has ended."""
    process.communicate(timeout=WAIT_S)
    return (db_path.parent / "errors.txt").read_text()


def wait_until(process: subprocess.Popen[str], holds: Callable[[], bool]) -> None:
    """Waits for something that a process does."""
    while process.poll() is None and not holds():
        time.sleep(0.005)
    assert process.poll() is None, "it ended before that"


def calls_made(db_path: Path) -> int:
    log = db_path.parent / "asked.log"
    return len(log.read_text()) if log.exists() else 0


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.slow)])
def test_a_signal_lets_the_calls_under_way_end(
    db: sqlite3.Connection, db_path: Path, now: datetime, how: signal.Signals
) -> None:
    add_sessions(db, 8, now)
    settings.put(db, "embedding_model", "none", now=now)
    process = start(db_path, "extract", "-m", "reader", "--workers", "2", answers_first=2)
    wait_until(process, lambda: calls_made(db_path) == 4)
    process.send_signal(how)
    wait_until(process, lambda: "Stopping after the calls under way" in (db_path.parent / "errors.txt").read_text())
    (db_path.parent / "gate").touch()
    errors = ended(process, db_path)
    assert process.returncode == 128 + how, errors
    assert "Stopped." in errors and "Traceback" not in errors
    stored = one(db, "select count(*) from model_calls where error is null")
    assert stored == calls_made(db_path) == 4, "what was asked is stored"
    assert one(db, "select count(*) from jobs where state = 'running'") == 0
    assert one(db, "select count(*) from jobs where state = 'due'") == 8 - stored
    again = start(db_path, "extract", "-m", "reader")
    errors = ended(again, db_path)
    assert again.returncode == 0, errors
    assert calls_made(db_path) == one(db, "select count(*) from model_calls") == 8, "nothing is asked twice"


@pytest.mark.slow
def test_a_kill_repeats_only_the_call_under_way(db: sqlite3.Connection, db_path: Path, now: datetime) -> None:
    add_sessions(db, 6, now)
    settings.put(db, "embedding_model", "none", now=now)
    process = start(db_path, "extract", "-m", "reader", answers_first=2)
    wait_until(process, lambda: calls_made(db_path) == 3)
    process.kill()
    ended(process, db_path)
    assert one(db, "select count(*) from model_calls") == 2
    again = start(db_path, "extract", "-m", "reader")
    errors = ended(again, db_path)
    assert again.returncode == 0, errors
    assert (calls_made(db_path), one(db, "select count(*) from model_calls")) == (7, 6)
    with closing(connect(db_path)) as plain:
        assert [tuple(row) for row in plain.execute("select error from extraction_runs order by id")] == [
            (INTERRUPTED,), (None,),
        ]  # fmt: skip
