"""What is forgotten is in no row and no byte of the file, and stays away."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import datetime
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from memory_db.cli import cli
from memory_db.errors import InputError, NotFoundError
from memory_db.store.schema import open_database
from memory_db.text.scrubbing import FORGOTTEN
from memory_db.transcripts import importer as importing
from memory_db.upkeep.check import check
from memory_db.upkeep.forget import target as forgetting
from memory_db.upkeep.forget.places import text_columns
from memory_db.upkeep.forget.run import forget

pytestmark = pytest.mark.slow

PORT = "m4cef8e1f"
SAID = "Postgres for tidepool is on port 5433 from now on"


def bytes_of(path: Path) -> bytes:
    """The file as it is on the disk, with its log."""
    wal = path.with_name(f"{path.name}-wal")
    return path.read_bytes() + (wal.read_bytes() if wal.exists() else b"")


def count(db: sqlite3.Connection, sql: str, *values: object) -> int:
    return int(db.execute(sql, values).fetchone()[0])


def run(path: Path, *arguments: str) -> Result:
    return CliRunner().invoke(cli, ["-d", str(path), "memory", "forget", *arguments], standalone_mode=False)


def test_a_memory_goes_with_every_copy(sample_db: sqlite3.Connection, sample_path: Path, now: datetime) -> None:
    others = count(sample_db, "select count(*) from memories") - 1
    text = sample_db.execute("select text from memories where uid = ?", [PORT]).fetchone()[0]
    sample_db.execute(
        "insert into recalls (uid, query, scope, surface, profile_id, context, features, considered_count, left_out,"
        " shown_text, asked_at, duration_ms) values ('r1', 'port?', 'all', 'hook', 1, '{}', '{}', 1, '{}', ?, ?, 1)",
        [f"<memory-brief>\n- [{PORT}] {text} (environment)\n</memory-brief>", now.isoformat()],
    )
    assert SAID.encode() in bytes_of(sample_path)
    done = forget(sample_db, sample_path, forgetting.by_uid(sample_db, PORT), now=now)
    assert done.left == [] and done.rows["memories"] == 1 and done.repetitions["entries.text"] == 1
    assert SAID.encode() not in bytes_of(sample_path)
    assert count(sample_db, "select count(*) from memories") == others
    shown = sample_db.execute("select shown_text from recalls where uid = 'r1'").fetchone()[0]
    assert shown == f"<memory-brief>\n- [{PORT}] {FORGOTTEN} (environment)\n</memory-brief>"
    assert check(sample_db, thorough=True) == []
    (log,) = sample_db.execute("select counts from runs where stage = 'forget'")
    assert json.loads(log[0])["memories"] == 1 and "5433" not in log[0]


@pytest.mark.slow
def test_a_title_that_was_cut_from_a_prompt_of_several_lines_goes_with_it(
    sample_db: sqlite3.Connection, sample_path: Path, now: datetime
) -> None:
    row = sample_db.execute(
        "select e.uid, e.text, s.id, s.title from entries e join sessions s on s.id = e.session_id"
        " where e.kind = 'prompt' and e.text like 'triage time.%'"
    ).fetchone()
    assert row["title"].endswith("…") and row["title"].rstrip("…") not in row["text"], "its line breaks are blanks"
    done = forget(sample_db, sample_path, forgetting.by_uid(sample_db, row["uid"]), now=now)
    assert done.left == [] and done.rows["sessions"] == 1
    assert sample_db.execute("select title from sessions where id = ?", [row["id"]]).fetchone()[0] == FORGOTTEN
    assert row["title"][:40].encode() not in sample_path.read_bytes()


def test_a_session_stays_forgotten_when_its_transcript_is_read_again(
    sample_db: sqlite3.Connection, sample_path: Path, now: datetime
) -> None:
    session = sample_db.execute(
        "select s.uid, s.id, q.path from sessions s join entries e on e.session_id = s.id join sources q"
        " on q.id = e.source_id where e.text like '%auditors ask for it%' limit 1"
    ).fetchone()
    elsewhere = count(sample_db, "select count(*) from entries where session_id <> ?", session["id"])
    done = forget(sample_db, sample_path, forgetting.by_uid(sample_db, session["uid"]), now=now)
    assert done.left == [] and session["path"] in done.outside
    assert b"auditors ask for it" not in bytes_of(sample_path)
    kept = sample_db.execute("select distinct text from entries where session_id = ?", [session["id"]]).fetchall()
    assert [row[0] for row in kept] == [FORGOTTEN]
    assert count(sample_db, "select count(*) from candidates where session_id = ?", session["id"]) == 0
    with Path(session["path"]).open("a") as transcript:
        transcript.write("\n")
    sample_db.execute(
        "update sources set head_hash = 'x', cursor = '{}', read_bytes = 0 where path = ?", [session["path"]]
    )
    before = count(sample_db, "select count(*) from entries")
    importing.import_claude_code(sample_db, [Path(session["path"]).parent], now=now)
    assert count(sample_db, "select count(*) from entries") == before
    assert b"auditors ask for it" not in bytes_of(sample_path)
    assert count(sample_db, "select count(*) from entries where session_id <> ?", session["id"]) == elsewhere
    assert check(sample_db, thorough=True) == []


@pytest.mark.parametrize("place", ["middle", "newest"])
def test_what_it_had_replaced_is_replaced_by_its_successor_or_retired(
    sample_db: sqlite3.Connection, sample_path: Path, now: datetime, place: str
) -> None:
    chain = sample_db.execute(
        "select o.uid as oldest, b.uid as middle, n.uid as newest from edges x join edges y"
        " on y.to_memory_id = x.from_memory_id and y.kind = 'supersedes' join memories o on o.id = x.to_memory_id"
        " join memories b on b.id = x.from_memory_id join memories n on n.id = y.from_memory_id"
        " where x.kind = 'supersedes' limit 1"
    ).fetchone()
    forget(sample_db, sample_path, forgetting.by_uid(sample_db, chain[place]), now=now)
    successor = "select n.uid from edges e join memories n on n.id = e.from_memory_id join memories o"
    found = sample_db.execute(
        f"{successor} on o.id = e.to_memory_id where e.kind = 'supersedes' and o.uid = ?", [chain["oldest"]]
    ).fetchall()
    status = "select status from memories where uid = ?"
    if place == "middle":
        assert [row[0] for row in found] == [chain["newest"]]
    else:
        assert sample_db.execute(status, [chain["middle"]]).fetchone()[0] == "retired"
    assert check(sample_db, thorough=True) == []


def test_a_project_goes_and_the_others_keep_what_they_said(
    sample_db: sqlite3.Connection, sample_path: Path, now: datetime
) -> None:
    def others() -> list[tuple[object, ...]]:
        return [
            tuple(row)
            for row in sample_db.execute(
                "select m.uid, m.text, m.status from memories m left join projects p on p.id = m.project_id"
                " where p.name is not 'lanternfish' and m.scope = 'project' order by m.uid"
            )
        ]

    before = others()
    done = forget(sample_db, sample_path, forgetting.by_project(sample_db, "lanternfish"), now=now)
    assert done.left == [] and done.rows["sessions"] >= 5
    assert others() == before
    assert check(sample_db, thorough=True) == []


def test_words_go_wherever_they_stand(sample_db: sqlite3.Connection, sample_path: Path, now: datetime) -> None:
    sample_db.execute("create table notes_of_another_program (note text, data text)")
    data = json.dumps({"a": ["the Pressure sensor\nfrom Oyster Quay", 1]})
    sample_db.execute("insert into notes_of_another_program values ('x Oyster Quay y', ?)", [data])
    done = forget(sample_db, sample_path, forgetting.by_words(sample_db, "Oyster  Quay"), now=now)
    assert done.left == [] and done.repetitions["notes_of_another_program.note"] == 1
    assert b"Oyster Quay" not in bytes_of(sample_path)
    note, kept = sample_db.execute("select note, data from notes_of_another_program").fetchone()
    assert note == f"x {FORGOTTEN} y" and json.loads(kept) == {"a": [f"the Pressure sensor\nfrom {FORGOTTEN}", 1]}
    assert count(sample_db, "select count(*) from memories where text like '%Oyster Quay%'") == 0


def test_vectors_go_too(sample_db: sqlite3.Connection, sample_path: Path, now: datetime) -> None:
    version = count(sample_db, "select v.id from memory_versions v join memories m on m.id = v.memory_id"
                               " where m.uid = ? and v.recorded_to is null", PORT)  # fmt: skip
    sql = "select count(*) from embeddings e join collections c on c.id = e.collection_id where c.name like 'mem%'"
    assert count(sample_db, f"{sql} and e.id = ?", str(version)) == 1
    bits = "select count(*) from token_signs where memory_version_id = ?"
    assert count(sample_db, bits, version) == 1
    forget(sample_db, sample_path, forgetting.by_uid(sample_db, PORT), now=now)
    assert count(sample_db, f"{sql} and e.id = ?", str(version)) == 0
    assert count(sample_db, "select count(*) from static_vectors where memory_version_id = ?", version) == 0
    assert count(sample_db, bits, version) == 0


def test_what_was_not_reached_is_reported(sample_db: sqlite3.Connection, sample_path: Path) -> None:
    sample_db.execute("create table pictures (content blob)")
    sample_db.execute("insert into pictures values (?)", [b"\x00 " + SAID.encode()])
    result = run(sample_path, PORT, "--yes")
    assert isinstance(result.exception, SystemExit) and result.exception.code == 1
    assert f"STILL FOUND in: {sample_path.name}: " in result.output


def test_a_dry_run_changes_nothing_and_nothing_is_forgotten_unasked(
    sample_db: sqlite3.Connection, sample_path: Path
) -> None:
    dump = list(sample_db.iterdump())
    assert "Would forget memory" in run(sample_path, PORT, "--dry-run").output
    refused = run(sample_path, PORT)
    assert "cannot be undone" in str(refused.exception)
    assert list(sample_db.iterdump()) == dump
    with closing(open_database(sample_path, now=datetime.fromisoformat("2026-11-02T00:00:00+00:00"))) as db:
        assert count(db, "select count(*) from memories where uid = ?", PORT) == 1


def test_what_cannot_be_found_is_refused(db: sqlite3.Connection, db_path: Path) -> None:
    for call in (forgetting.by_uid, forgetting.by_project, forgetting.by_words):
        with pytest.raises(NotFoundError):
            call(db, "nothing like it")
    with pytest.raises(InputError):
        forgetting.by_words(db, " a ")
    for arguments in ([], ["m1", "--words", "abcd"], ["m1", "--finish"]):
        assert "Name one thing" in str(run(db_path, *arguments).exception)


def test_every_table_is_looked_through(sample_db: sqlite3.Connection) -> None:
    columns = set(text_columns(sample_db))
    for place in (("entries", "text"), ("recalls", "shown_text"), ("model_calls", "answer"), ("portraits", "text"),
                  ("memory_sources", "quote"), ("hook_runs", "reason"), ("entities", "name")):  # fmt: skip
        assert place in columns
    assert ("entries", "uid") not in columns


def test_who_has_the_file_open_keeps_it_open(sample_db: sqlite3.Connection, sample_path: Path, now: datetime) -> None:
    """Reading the file's bytes in this process would drop SQLite's locks, and the next process would unlink the log."""
    with closing(open_database(sample_path, now=now)) as server:
        before = count(server, "select count(*) from memories")
        forget(sample_db, sample_path, forgetting.by_uid(sample_db, PORT), now=now)
        script = (
            "import sqlite3, sys; db = sqlite3.connect(sys.argv[1]); db.execute('create table later (n)'); db.close()"
        )
        subprocess.run([sys.executable, "-c", script, str(sample_path)], check=True)
        wal = sample_path.with_name(f"{sample_path.name}-wal")
        assert wal.exists()
        assert count(server, "select count(*) from memories") == before - 1
        server.execute("insert into later values (1)")
    with closing(sqlite3.connect(sample_path)) as fresh:
        assert count(fresh, "select count(*) from later") == 1
