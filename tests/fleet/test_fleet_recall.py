"""Many files asked as one: scores, answers, and what becomes of files that do not answer."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import threading
import time
from contextlib import closing
from datetime import datetime
from pathlib import Path

import pytest

from bench.shards import by_name, by_name_in_fleet, catalogue_of, cut_sample, merged_file
from memory_db.errors import DatabaseFileError
from memory_db.fleet import Fleet, Question, Scope, ask, counting, open_fleet
from memory_db.fleet.numbers import Facts
from memory_db.fleet.opened import Opened, Trouble
from memory_db.index.semantic import open_semantic
from memory_db.recall.brief.for_model import ask_for_model
from memory_db.recall.brief.select import ask as ask_one
from memory_db.recall.search import recall
from memory_db.records import replace
from memory_db.store.connection import connect
from memory_db.store.presets import PRESETS
from tests.support.shards import WORDS, small_shard

SAMPLE_QUERIES = Path(__file__).parents[2] / "memory_db" / "sample" / "queries.jsonl"

NOW = datetime.fromisoformat("2026-11-01T12:00:00+00:00")


@pytest.fixture(scope="module")
def shards(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Three small files; nothing writes into them."""
    folder = tmp_path_factory.mktemp("fleet")
    return [small_shard(folder / f"shard-{number}.db", number, NOW) for number in range(3)]


@pytest.fixture(scope="module")
def merged(shards: list[Path]) -> Path:
    return merged_file(shards, shards[0].with_name("merged.db"), NOW)


def assert_alike(merged: sqlite3.Connection, fleet: Fleet, shards: list[Path], question: Question) -> None:
    """The same hits in the same order, with the same scores and numbers, to 1e-9."""
    one = recall(merged, question, now=NOW, semantic=open_semantic(merged))
    home = question.project_id and fleet.project_named("harbour")
    many = fleet.recall(replace(question, project_id=home), now=NOW)
    assert not many.missing
    own, all_ = by_name(merged, one), by_name_in_fleet(many, shards)
    assert own.keys() == all_.keys()
    assert list(own)[:20] == list(all_)[:20]
    for name, hit in own.items():
        assert hit.score == pytest.approx(all_[name].score, abs=1e-9)
    assert one.query_features.worth == pytest.approx(dict(many.recalled.query_features.worth), abs=1e-9)


@pytest.mark.slow
def test_scores_are_those_of_one_file(shards: list[Path], merged: Path, tmp_path: Path) -> None:
    catalogue = catalogue_of(shards, tmp_path / "fleet.yml")
    with closing(connect(merged)) as db, open_fleet(catalogue, scheduler="synchronous") as fleet:
        home = db.execute("select id from projects").fetchone()[0]
        for number, profile in enumerate(PRESETS):
            query = (
                f"before the {WORDS[number]} what of {WORDS[number + 3]} and `{WORDS[number + 5]}` or {WORDS[number]}s"
            )
            for project in (None, home):
                assert_alike(db, fleet, shards, Question(query, profile=profile, project_id=project))


@pytest.mark.slow
def test_a_brief_is_that_of_one_file(shards: list[Path], merged: Path, tmp_path: Path) -> None:
    with closing(connect(merged)) as db, open_fleet(
        catalogue_of(shards, tmp_path / "fleet.yml"), scheduler="synchronous"
    ) as fleet:  # fmt: skip
        for query in ("the ferry and the crane", "which rope does the pilot take", "an unheard of zeppelin"):
            question = Question(query, budget_tokens=300)
            for is_for_model, one in ((False, ask_one), (True, ask_for_model)):
                own = one(db, question, surface="cli", now=NOW, log=False)
                found = ask(fleet, question, now=NOW, is_for_model=is_for_model).answer
                assert (found.text, found.left_out, found.abstained) == (own.text, own.left_out, own.abstained)


def test_scope_picks_the_shards(shards: list[Path], tmp_path: Path) -> None:
    with open_fleet(catalogue_of(shards, tmp_path / "fleet.yml"), scheduler="synchronous") as fleet:
        found = ask(fleet, Question("the ferry"), now=NOW, scope=Scope(persons=("p1", "p2")))
        assert [shard.person for shard in found.asked] == ["p1", "p2"]
        assert {found.shard_of(hit).person for hit in found.answer.shown} <= {"p1", "p2"}


@pytest.mark.slow
def test_what_does_not_answer_is_named_and_counts_nothing(shards: list[Path], tmp_path: Path) -> None:
    rest = [Path(shutil.copy(path, tmp_path)) for path in shards]
    (tmp_path / "notes.db").write_text("a list of things to buy")
    newer = Path(shutil.copy(shards[0], tmp_path / "newer.db"))
    with closing(sqlite3.connect(newer)) as db:
        db.execute("pragma user_version = 999")
    locked = Path(shutil.copy(shards[0], tmp_path / "locked.db"))
    all_ = [*rest, tmp_path / "notes.db", newer, tmp_path / "vanished.db", locked]
    with closing(sqlite3.connect(locked, isolation_level=None)) as writer, open_fleet(
        catalogue_of(rest, tmp_path / "rest.yml"), scheduler="synchronous"
    ) as alone, open_fleet(catalogue_of(all_, tmp_path / "all.yml"), scheduler="synchronous") as fleet:  # fmt: skip
        writer.execute("pragma journal_mode = delete")
        writer.execute("begin exclusive")
        found = fleet.recall(Question("the ferry and the crane"), now=NOW)
        expected = alone.recall(Question("the ferry and the crane"), now=NOW)
    reasons = {each.shard.person: each.reason for each in found.missing}
    assert "not an SQLite database" in reasons["p3"] and "schema 999" in reasons["p4"]
    assert "No file at" in reasons["p5"] and "locked" in reasons["p6"]
    assert all("\n" not in reason for reason in reasons.values())
    assert [hit.score for hit in found.recalled.hits] == [hit.score for hit in expected.recalled.hits]


@pytest.mark.slow
def test_a_shard_that_changes_is_counted_anew(shards: list[Path], tmp_path: Path) -> None:
    own = [Path(shutil.copy(path, tmp_path)) for path in shards]
    with open_fleet(catalogue_of(own, tmp_path / "fleet.yml"), scheduler="synchronous") as fleet:
        before = fleet.recall(Question("the ferry of the new shard"), now=NOW)
        small_shard(tmp_path / "more.db", 9, NOW)
        (tmp_path / "more.db").replace(own[1])
        after = fleet.recall(Question("the ferry of the new shard"), now=NOW)
        with open_fleet(catalogue_of(own, tmp_path / "fleet.yml"), scheduler="synchronous") as fresh:
            expected = fresh.recall(Question("the ferry of the new shard"), now=NOW)
    scores = [[hit.score for hit in each.recalled.hits] for each in (before, after, expected)]
    assert scores[1] == scores[2] != scores[0]


def test_no_shard_answers(tmp_path: Path) -> None:
    catalogue = catalogue_of([tmp_path / "gone.db"], tmp_path / "fleet.yml")
    with open_fleet(catalogue, scheduler="synchronous") as fleet, pytest.raises(DatabaseFileError, match="No shard"):
        fleet.recall(Question("the ferry"), now=NOW)


@pytest.mark.slow
def test_the_sample_in_eight_files_while_a_worker_is_killed(tmp_path: Path) -> None:
    shards = cut_sample(tmp_path, 8, NOW)
    merged = merged_file(shards, tmp_path / "merged.db", NOW)
    queries = [json.loads(line)["query"] for line in SAMPLE_QUERIES.read_text().splitlines()][::6]
    with closing(connect(merged)) as db, open_fleet(catalogue_of(shards, tmp_path / "fleet.yml"), workers=2) as fleet:
        threading.Thread(target=kill_one, args=(fleet,), daemon=True).start()
        for query in queries:
            assert_alike(db, fleet, shards, Question(query))
        assert fleet.notes() == []


def kill_one(fleet: Fleet) -> None:
    """Kills a worker in the middle, as the system does when memory is short."""
    time.sleep(3)
    pids = fleet.engine.client.run(os.getpid)  # type: ignore[attr-defined]
    os.kill(next(iter(pids.values())), signal.SIGKILL)


@pytest.mark.slow
def test_what_lay_on_a_worker_that_died_is_brought_again(shards: list[Path], tmp_path: Path) -> None:
    """However often one dies: what it had is done elsewhere, and no shard is called silent for it."""
    over = threading.Event()
    with open_fleet(catalogue_of(shards, tmp_path / "fleet.yml"), workers=2) as fleet:
        killer = threading.Thread(target=kill_often, args=(fleet, over), daemon=True)
        killer.start()
        calls = {number: (fleet.shards[number % 3], counting.facts, ()) for number in range(12)}
        found = [fleet.engine.each(calls, 60.0) for _ in range(30)]
        over.set()
        killer.join()
    assert [[number for number, each in round_.items() if isinstance(each, Trouble)] for round_ in found] == [[]] * 30


def kill_often(fleet: Fleet, over: threading.Event) -> None:
    """Kills a worker each second, another each time."""
    while not over.wait(1.0):
        pids = sorted(fleet.engine.client.run(os.getpid, on_error="ignore").values())  # type: ignore[attr-defined]
        if len(pids) == 2:
            os.kill(pids[int(time.monotonic()) % 2], signal.SIGKILL)


@pytest.mark.slow
def test_a_shard_that_hangs_is_late_and_holds_nobody_up(shards: list[Path], tmp_path: Path) -> None:
    """One worker has all three: the two behind the one that hangs answer, and the next round too."""

    def sleeps(shard: Opened, seconds: float) -> None:
        time.sleep(seconds)

    with open_fleet(catalogue_of(shards, tmp_path / "fleet.yml"), workers=1) as fleet:
        fleet.refresh()
        calls = {shard.number: (shard, sleeps, (60.0 if shard.number == 0 else 0.0,)) for shard in fleet.shards}
        for reason in ("late: no answer within 3.0 s", "late: it is still at an earlier question"):
            found = fleet.engine.each(calls, 3.0)
            assert [isinstance(found[number], Trouble) for number in range(3)] == [True, False, False]
            assert reason == found[0].reason  # type: ignore[union-attr]


@pytest.mark.slow
def test_the_others_answer_in_time_without_the_one_that_hangs(
    shards: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def looks(shard: Opened) -> Facts:
        if shard.shard.person == "p1":
            time.sleep(60.0)
        return counting.facts(shard)

    catalogue = catalogue_of(shards, tmp_path / "fleet.yml")
    question, others = Question("the ferry and the crane"), Scope(persons=("p0", "p2"))
    with open_fleet(catalogue, scheduler="synchronous") as fleet:
        expected = fleet.recall(question, now=NOW, scope=others)
    monkeypatch.setattr("memory_db.fleet.fleet.counting.facts", looks)  # as a disk that is gone does
    with open_fleet(catalogue, workers=2) as fleet:
        started = time.monotonic()
        found = fleet.recall(question, now=NOW, deadline_s=9.0)
        took_s = time.monotonic() - started
    assert [str(each) for each in found.missing] == [f"{fleet.shards[1].name}: late: no answer within 6.0 s"]
    assert [hit.score for hit in found.recalled.hits] == [hit.score for hit in expected.recalled.hits]
    assert took_s < 9.0


@pytest.mark.slow
def test_what_a_stopped_worker_has_is_asked_of_another(shards: list[Path], tmp_path: Path) -> None:
    with open_fleet(catalogue_of(shards, tmp_path / "fleet.yml"), workers=2) as fleet:
        before = fleet.recall(Question("the ferry and the crane"), now=NOW)
        pids = fleet.engine.client.run(os.getpid)  # type: ignore[attr-defined]
        stopped = pids[min(pids)]
        os.kill(stopped, signal.SIGSTOP)
        try:
            after = fleet.recall(Question("the ferry and the crane"), now=NOW)
        finally:
            os.kill(stopped, signal.SIGCONT)
    assert not after.missing
    assert [hit.score for hit in after.recalled.hits] == [hit.score for hit in before.recalled.hits]
