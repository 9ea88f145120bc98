"""SQL, Parquet, figures and imports over many files."""

from __future__ import annotations

import os
import shutil
import signal
import threading
import time
from contextlib import closing
from datetime import datetime
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from bench.shards import catalogue_of
from memory_db.errors import InputError, NotFoundError
from memory_db.evaluation.contest import Options, Questions, contender, contest
from memory_db.evaluation.runs import asked_of_set, figures_of_set
from memory_db.fleet import Fleet, evaluate, export, import_transcripts, open_fleet, sql
from memory_db.recall.search import load_profile
from memory_db.sample.build import SESSIONS, write_history
from memory_db.store.connection import connect
from memory_db.store.schema import open_database
from memory_db.upkeep import pipeline
from tests.support.natural_rows import differences
from tests.support.shards import small_shard

NOW = datetime.fromisoformat("2026-11-01T12:00:00+00:00")


@pytest.fixture(scope="module")
def shards(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two small files with labelled questions."""
    folder = tmp_path_factory.mktemp("fleet")
    found = [small_shard(folder / f"shard-{number}.db", number, NOW) for number in range(2)]
    for path in found:
        with closing(open_database(path, now=NOW)) as db:
            db.execute("insert into query_sets (id, name, description, created_at) values (1, 'own', '', 'x')")
            for number, text in db.execute("select id, text from memories").fetchall():
                values = [f"q{number}", " ".join(text.split()[1:3]), "2026-11-01T12:00:00.000Z"]
                db.execute(
                    "insert into labelled_queries (query_set_id, uid, query, style, asked_at)"
                    " values (1, ?, ?, 'question', ?)", values,
                )  # fmt: skip
                db.execute(
                    "insert into judgements (labelled_query_id, memory_id, relevance, judged_by, judged_at)"
                    " values ((select max(id) from labelled_queries), ?, 1, 'person', '2026-11-01T12:00:00.000Z')",
                    [number],
                )
            db.execute("pragma wal_checkpoint(truncate)")
    return found


def test_sql_over_all_and_who_answered(shards: list[Path], tmp_path: Path) -> None:
    with open_fleet(
        catalogue_of([*shards, tmp_path / "gone.db"], tmp_path / "f.yml"), scheduler="synchronous"
    ) as fleet:
        found = sql(fleet, "select person, count(*) as n from Memories group by 1 order by 1")
        assert (found.columns, found.rows) == (("person", "n"), [("p0", 5), ("p1", 5)])
        assert [each.shard.person for each in found.missing] == ["p2"]
        assert sql(fleet, "select count(*) from hits join recalls on true").rows == [(0,)]


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("delete from memories", "only reads"),
        ("select 1; select 2", "only reads"),
        ("copy memories to 'out.csv'", "only reads"),
        ("attach 'other.db'", "only reads"),
        ("select nothing from memories", "DuckDB refuses"),
        ("select * from read_csv('/etc/hostname')", "DuckDB refuses"),
        ("select from from", "cannot read the query"),
    ],
)
def test_a_query_only_reads_these_tables(shards: list[Path], tmp_path: Path, query: str, said: str) -> None:
    with (
        open_fleet(catalogue_of(shards, tmp_path / "f.yml"), scheduler="synchronous") as fleet,
        pytest.raises(InputError, match=said) as caught,
    ):
        sql(fleet, query)
    assert "\n" not in str(caught.value)


def test_an_export_is_by_day_and_replaces_an_earlier_one(shards: list[Path], tmp_path: Path) -> None:
    out = tmp_path / "out"
    with open_fleet(catalogue_of(shards, tmp_path / "f.yml"), scheduler="synchronous") as fleet:
        counts, asked, missing = export(fleet, out)
        first = sorted(path.relative_to(out) for path in out.rglob("*.parquet"))
        assert counts["memories"] == counts["judgements"] == 10 and len(asked) == 2 and not missing
        assert export(fleet, out)[0] == counts
    assert sorted(path.relative_to(out) for path in out.rglob("*") if path.suffix == ".parquet") == first
    rows = pq.read_table(out / "memories").to_pylist()
    assert len(rows) == 10 and {row["person"] for row in rows} == {"p0", "p1"}
    assert {path.parts[1] for path in first if path.parts[0] == "memories"} == {f"day={row['day']}" for row in rows}


@pytest.mark.slow
def test_figures_are_those_of_the_questions_together(shards: list[Path], tmp_path: Path) -> None:
    together, options = Questions(), Options()
    for path in shards:
        with closing(connect(path)) as db:
            contenders = [contender(name, load_profile(db, name)) for name in ("hook", "keyword_only")]
            for way, asked in asked_of_set(db, "own", contenders, options, None, None).by_way.items():
                together.by_way.setdefault(way, []).extend(asked)
            alone = figures_of_set(db, "own", contenders, options=options)[0]
    expected = contest(contenders, together, options)
    with open_fleet(catalogue_of(shards, tmp_path / "f.yml"), scheduler="synchronous") as fleet:
        found = evaluate(fleet, "own", ["hook"])
        assert found.contest.profiles == expected.profiles and found.contest.queries == 10
        with pytest.raises(NotFoundError, match="'none of it'"):
            evaluate(fleet, "none of it")
    with open_fleet(catalogue_of(shards[1:], tmp_path / "one.yml"), scheduler="synchronous") as fleet:
        assert evaluate(fleet, "own", ["hook"]).contest.profiles == alone.profiles


def histories(folder: Path, count: int) -> list[Path]:
    """Folders of transcripts, a few sessions each."""
    found = []
    for number, dialogues in enumerate(
        sorted(SESSIONS.glob("*.yaml"))[2 * each : 2 * each + 2] for each in range(count)
    ):
        found.append(folder / f"history-{number}")
        write_history(found[-1], dialogues)
    return found


def catalogue_to_import(folder: Path, sources: list[Path]) -> Path:
    rows = [
        f"  - {{address: s{number}.db, person: p{number}, transcripts: {source}}}"
        for number, source in enumerate(sources)
    ]
    (folder / "import.yml").write_text("shards:\n" + "\n".join(rows) + "\n")
    return folder / "import.yml"


def expected_of(source: Path, path: Path) -> Path:
    """What one machine makes of the same transcripts."""
    with closing(open_database(path, now=NOW)) as db:
        pipeline.run(db, [source], now=NOW)
    return path


@pytest.mark.slow
def test_imports_go_into_their_shards_whatever_is_killed(tmp_path: Path) -> None:
    sources = histories(tmp_path, 3)
    shutil.rmtree(sources[2])
    catalogue = catalogue_to_import(tmp_path, sources)
    with open_fleet(catalogue, workers=2) as fleet:
        threading.Thread(target=kill_all, args=(fleet,), daemon=True).start()
        done = import_transcripts(fleet, now=NOW)
        assert [each.shard.person for each in done.missing] == ["p2"] and "no folder" in done.missing[0].reason
    with open_fleet(catalogue, scheduler="synchronous") as fleet:
        again = import_transcripts(fleet, now=NOW)
    assert all(counts["files_unchanged"] == counts["files_found"] for counts in again.counts.values())
    for number, source in enumerate(sources[:2]):
        expected = expected_of(source, tmp_path / f"expected-{number}.db")
        found = differences(tmp_path / f"s{number}.db", expected)
        assert {table for table in found if table not in ("runs", "extraction_runs", "extraction_progress")} == set()


def kill_all(fleet: Fleet) -> None:
    """Kills every worker once, a moment after they began."""
    time.sleep(2)
    for pid in fleet.engine.client.run(os.getpid).values():  # type: ignore[attr-defined]
        os.kill(pid, signal.SIGKILL)
