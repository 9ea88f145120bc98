"""What the bench of the fleet measures with: the same rows in shards and in one file, and what is moved between."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest
import yaml

pytest.importorskip("distributed", reason="the fleet needs Dask, which the extra `fleet` brings")

from bench import fleet as bench
from bench import fleet_beside, fleet_exact, fleet_kills
from bench.material import NOW
from bench.same_rows import rows_of
from bench.shards import chained, cut_part, shards_of
from memory_db.evaluation.datasets.records import Note, Part, Turn
from memory_db.fleet import Fleet, read_catalogue
from memory_db.fleet.engine import open_engine
from memory_db.recall.brief.select import ask
from tests.support.shards import WORDS


@pytest.mark.slow
def test_shards_and_the_one_file_have_the_same_rows_and_hits(tmp_path: Path) -> None:
    with closing(bench.opened(tmp_path / "one.db")) as one, open_engine("synchronous") as engine:
        texts = [text for number in range(3) for text in bench.made(tmp_path, one, number, 120)]
        shards = [{"address": f"shard-{number}.db", "person": f"p{number}"} for number in range(3)]
        (tmp_path / "team.yml").write_text(yaml.safe_dump({"shards": shards}), "utf-8")
        questions = bench.asked_of(texts, 1)
        counting = bench.Counting(engine)
        ways: dict[str, bench.Way] = {
            "two_workers": bench.in_fleet(Fleet(read_catalogue(tmp_path / "team.yml"), counting)),
            "one_file": lambda query: ask(one, bench.asked(query), surface="bench", now=NOW, log=False),
        }
        found = bench.times_ms(ways, questions, None)
        moved = counting.moved(len(questions))
    assert len(questions) == bench.QUESTIONS and questions != bench.asked_of(texts, 2)
    assert all(found.first_ten["one_file"]) and found.first_ten["two_workers"] == found.first_ten["one_file"]
    assert all(len(times) == len(questions) and min(times) > 0 for times in found.clock_ms.values())
    assert moved["kb_to_shards"] > 0 and moved["kb_back"] > 0 and moved["rounds"] >= 3
    uids = [row for number in range(3) for row in rows_of(tmp_path / f"shard-{number}.db")["entries"]]
    assert sorted(uids, key=repr) == rows_of(tmp_path / "one.db")["entries"]


def test_what_is_not_installed_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fleet_beside, "PROGRAMS", (f"{tmp_path}/*/bin",))
    found = fleet_beside.postgresql(tmp_path / "rows.tsv", [["tide"]], tmp_path)
    assert found == {"skipped": "PostgreSQL's programs are not installed: apt-get install postgresql"}


@pytest.mark.parametrize(("most", "counts"), [(1, [1]), (6, [1, 2, 4]), (16, [1, 2, 4, 8, 16])])
def test_sizes_double(most: int, counts: list[int]) -> None:
    assert list(bench.doublings(most)) == counts


def test_rows_that_a_kill_loses_or_doubles_are_told() -> None:
    calm = {"left": [], "broken": "", "shards": [({"entries": Counter("ab")}, {"entries": 2, "runs": 1})]}
    lost = {"left": ["p0: gone"], "broken": "", "shards": [({"entries": Counter("a")}, {"entries": 1, "runs": 2})]}
    twice = {"left": [], "broken": "", "shards": [({"entries": Counter("abb")}, {"entries": 2, "runs": 3})]}
    assert fleet_kills.faults_of(calm, calm) == []
    left, _, gone, other = fleet_kills.SORTS
    assert [sort for sort, _ in fleet_kills.faults_of(lost, calm)] == [left, gone, other]
    assert [sort for sort, _ in fleet_kills.faults_of(twice, calm)] == [other]


def test_shards_are_set_beside_one_by_the_turns_that_two_cores_take() -> None:
    steps = [
        {"shards": count, "two_workers_p95_ms": 10.0 * count + 20, "one_file_p95_ms": 12.5 * count}
        for count in (1, 2, 4, 8, 16)
    ]
    found = bench.beside_one(steps)
    assert (found["shards"], found["turns"], found["p95_ms"]) == (8, 4, 100.0)
    assert (found["to_its_turns_of_a_shard"], found["to_its_turns_of_a_file"]) == (0.83, 2.0)
    assert bench.beside_one(steps[:1])["to_its_turns_of_a_shard"] == 1.0


def note(uid: str, supersedes: str | None = None) -> Note:
    text = f"The crane of quay {len(uid)} lifts {WORDS[len(uid)]} and {WORDS[2 * len(uid)]}."
    return Note(uid, "convention", "", text, "harbour", (), (), 3, f"2026-05-{len(uid):02}T00:00:00.000Z", supersedes)


def test_what_belongs_together_is_cut_into_one_shard() -> None:
    notes = [note("a"), note("bb"), note("cccc", "ddd"), note("ddd", "a")]
    assert [[each.uid for each in chain] for chain in chained(notes)] == [["bb"], ["a", "cccc", "ddd"]]
    turns = [Turn(f"t{number}", f"s{number % 3}", "The tide.", "2026-05-01T00:00:00.000Z") for number in range(6)]
    parts = cut_part(Part("harbour", (), tuple(turns), tuple(notes)), 2)
    assert [{turn.session for turn in part.turns} for part in parts] == [{"s0", "s2"}, {"s1"}]
    assert sum(len(part.notes) for part in parts) == 4


@pytest.mark.slow
def test_questions_that_shards_answer_otherwise_than_one_file_are_told(tmp_path: Path) -> None:
    part = Part("harbour", (), (), (note("a"), note("bb"), note("ccc"), note("dddd")))
    shards = shards_of(part, tmp_path, 2, NOW)
    asked = [("which crane lifts the beacon", None), ("who lifts the harbour and a tide", "/dataset/harbour")]
    found = fleet_exact.compared(shards, tmp_path, asked)
    assert [found[name] for name in ("questions", "same_hits", "same_first_20", "exact_scores")] == [2] * 4
    assert found["hits"] > 2 and found["largest_difference"] <= fleet_exact.EXACT
    found = fleet_exact.answers(shards[:1], tmp_path / "merged.db", tmp_path / "less.yml", asked)
    assert found["questions"] == 2 and found["same_hits"] == found["exact_scores"] == 0
