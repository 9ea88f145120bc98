"""What the client tells its model is no entry: no pool, neighbour, brief or page holds it, in old files neither."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_db.extract.rules import run as rules
from memory_db.gate import run as gate
from memory_db.knowledge.memories import add_memory, add_source
from memory_db.recall.brief import select as brief
from memory_db.recall.explain import lookup
from memory_db.recall.search import Question
from memory_db.store import settings
from memory_db.store.schema import open_database
from memory_db.transcripts.claude_code import ClaudeCodeReader, ReaderState
from memory_db.transcripts.client import ATTACHMENTS, KNOWN, words_of
from memory_db.transcripts.importer import import_claude_code
from memory_db.transcripts.lines import Line
from memory_db.transcripts.projects import resolve_project
from memory_db.upkeep import doctor, pipeline
from memory_db.upkeep import scan as scanning
from memory_db.upkeep import set_aside as setting_aside
from memory_db.upkeep.doctor_report import DoctorContext
from tests.store.test_db import older_file
from tests.support.transcript_rows import assistant, user, write_jsonl

DATA = Path(__file__).parents[1] / "data" / "transcripts"
PLUMBING = "heddle"
"""A word that stands in every text of the client in the fixture, and in nothing that anybody said."""

QUESTIONS = ("Which port does the test database of the shop listen on?", "heddle", "How long is the shuttle?")

OLD = {
    "e1": ("user", "prompt", "Which port does the shop listen on?"),
    "e2": ("system", "attachment", '{"type":"environment","snapshot":{"note":"heddle of the shop"}}'),
    "e3": ("system", "attachment", json.dumps({"truncated": '{"type":"prompt_snapshot","systemPrompt":["heddle'})),
    "e4": ("system", "other", '{"uuid":"x","type":"cost-state","note":"heddle"}'),
    "e5": ("system", "other", '{"type":"skill_listing","content":"heddle"}'),
    "e6": ("system", "notice", '{"type":"system","subtype":"api_error","note":"heddle"}'),
    "e7": ("system", "notice", "<local-command-caveat>heddle</local-command-caveat>"),
    "e8": ("assistant", "notice", "API Error: heddle"),
    "e9": ("system", "attachment", '{"type":"shuttle_forecast","note":"heddle quoted here"}'),
    "f1": ("system", "attachment", '{"type":"file","filename":"a.txt","content":{"file":{"content":"Warp first."}}}'),
    "f2": ("system", "attachment", "The linter found nothing."),
    "f3": ("system", "notice", "<bash-input>make</bash-input>"),
    "f4": ("assistant", "reply", "It listens on port 5433."),
}
"""Entries by uid as they were stored before: (role, kind, text)."""

ASIDE = ("e2", "e3", "e4", "e5", "e6", "e7", "e8", "e9")


@pytest.fixture
def day(db: sqlite3.Connection, tmp_path: Path, now: datetime) -> Path:
    """A day with the client of today, run through the whole pipeline without a model."""
    settings.put(db, "embedding_model", "none", now=now)
    folder = tmp_path / "projects" / "loom"
    folder.mkdir(parents=True)
    shutil.copy(DATA / "client_plumbing.jsonl", folder)
    pipeline.run(db, [folder.parent], now=now)
    return folder.parent


def answers(db: sqlite3.Connection, now: datetime, queries: Sequence[str] = QUESTIONS) -> list[brief.Answer]:
    return [brief.ask(db, Question(query=query), surface="cli", now=now) for query in queries]


def test_a_day_with_the_client_leaves_none_of_its_words(
    db: sqlite3.Connection, db_path: Path, day: Path, now: datetime
) -> None:
    found = answers(db, now)
    assert "5434" in found[0].text
    assert not [answer.text for answer in found if PLUMBING in answer.text or '{"' in answer.text]
    db.execute("pragma wal_checkpoint(truncate)")
    assert PLUMBING.encode() not in db_path.read_bytes().replace(b'"heddle"', b"").replace(QUESTIONS[1].encode(), b"")


def test_a_type_that_is_new_is_seen(db: sqlite3.Connection, db_path: Path, day: Path, now: datetime) -> None:
    sql = "select type, lines, first_line from skipped_records where is_known = 0 order by 1"
    new = [tuple(row) for row in db.execute(sql)]
    assert new == [("attachment shuttle_forecast", 1, 28), ("loom-telemetry", 1, 34), ("system loom_weather", 1, 29)]
    said = [line.what for line in doctor.sources(DoctorContext(db_path, db, now, ()))]
    assert "Records of unknown types that were passed over: 3 (attachment shuttle_forecast and 2 other types)" in said


def test_types_are_counted_once_whatever_is_read_again(db: sqlite3.Connection, tmp_path: Path, now: datetime) -> None:
    telemetry = {"type": "loom-telemetry", "sessionId": "s1"}
    path = write_jsonl(tmp_path / "p" / "s1.jsonl", [user("a", "one"), telemetry])
    counted = "select lines from skipped_records where type = 'loom-telemetry'"
    for records, lines in (
        ([user("a", "one"), telemetry, telemetry], 2),
        ([user("b", "another"), telemetry, telemetry, telemetry], 3),
    ):
        import_claude_code(db, [tmp_path], now=now)
        import_claude_code(db, [tmp_path], now=now)
        write_jsonl(path, records)
        import_claude_code(db, [tmp_path], now=now)
        assert db.execute(counted).fetchall()[0][0] == lines


@given(st.text(max_size=20), st.dictionaries(st.text(max_size=8), st.text(max_size=8), max_size=3))
@pytest.mark.slow
def test_no_attachment_of_another_type_has_words(kind: str, values: dict[str, str]) -> None:
    record = {"type": "attachment", "uuid": "a", "attachment": {**values, "type": kind}}
    item = ClaudeCodeReader(Path("s.jsonl"), ReaderState(), "t").item(Line(1, json.dumps(record).encode(), 0))
    assert (item.entry is not None) == (kind in ATTACHMENTS)
    assert item.entry is not None or (item.skipped or "").startswith("attachment ")


def test_the_lists_do_not_contradict_each_other() -> None:
    assert not {f"attachment {kind}" for kind in ATTACHMENTS} & KNOWN
    assert words_of({"content": {"file": {"content": "a", "numLines": 1}}, "stdout": "b"}) == ["a"]


# ------------------------------------------------------------- older files


def old_rows(db: sqlite3.Connection, now: datetime) -> None:
    """What an import stored before there were lists of what is allowed."""
    at = "2026-03-01T10:00:00.000Z"
    project = resolve_project(db, "/w/x", now=now)
    db.execute("insert into sessions (id, uid, format, project_id) values (1, 's1', 'claude-code', ?)", [project])
    db.execute(
        "insert into sources (id, path, format, size_bytes, mtime_ns, state, found_at)"
        " values (1, '/p/s1.jsonl', 'claude-code', 1, 1, 'read', 'then')"
    )
    for number, (uid, (role, kind, text)) in enumerate(OLD.items(), 1):
        db.execute(
            "insert into entries (id, uid, session_id, source_id, role, kind, text, created_at)"
            " values (?, ?, 1, 1, ?, ?, ?, ?)", [number, uid, role, kind, text, at],
        )  # fmt: skip
        db.execute("insert into session_entries values (1, ?, ?)", [number, number])
    db.execute(
        "insert into source_problems (source_id, line, reason, found_at)"
        " values (1, 4, 'unknown record type cost-state', 'then'), (1, 99, 'not JSON', 'then')"
    )


@pytest.fixture
def old(db: sqlite3.Connection, now: datetime) -> sqlite3.Connection:
    """A file of before, as the migration leaves it."""
    settings.put(db, "embedding_model", "none", now=now)
    old_rows(db, now)
    db.execute(
        "insert into scan_progress (place, rules_version, last_id, started_at) values (?, 1, 0, 'then')",
        [setting_aside.PLACE],
    )
    return db


@pytest.mark.slow
def test_a_migration_asks_for_old_entries_where_there_are_any(tmp_path: Path, now: datetime) -> None:
    for with_entries in (True, False):
        path = older_file(tmp_path / f"old-{with_entries}.db", now, 10)
        if with_entries:
            with closing(sqlite3.connect(path)) as before, before:
                before.execute("insert into sessions (id, uid, format) values (1, 's1', 'claude-code')")
                before.execute(
                    "insert into entries (uid, session_id, role, kind, text, created_at) values ('e', 1, 'system',"
                    " 'attachment', '{\"type\":\"environment\"}', 'then')"
                )
                before.execute("insert into entry_fts (rowid, text) select id, text from entries")
        with closing(open_database(path, now=now)) as db:
            assert setting_aside.is_due(db) is with_entries
            scanning.scan(db, now=now)
            assert not scanning.is_due(db)
            assert [row["text"] for row in db.execute("select text from entries")] == [""] * with_entries


def test_old_entries_are_put_right_by_a_scan(old: sqlite3.Connection, now: datetime) -> None:
    assert scanning.is_due(old)
    scanning.scan(old, now=now)
    assert not scanning.is_due(old)
    rows = {row["uid"]: (row["kind"], row["text"]) for row in old.execute("select uid, kind, text from entries")}
    assert {uid: rows[uid] for uid in ASIDE} == dict.fromkeys(ASIDE, ("other", ""))
    assert rows["f1"] == ("attachment", "a.txt\nWarp first.")
    assert {uid: rows[uid][1] for uid in ("e1", "f2", "f3", "f4")} == {
        uid: OLD[uid][2] for uid in ("e1", "f2", "f3", "f4")
    }
    for word, number in (("heddle", 0), ("warp", 1), ("snapshot", 0)):
        assert old.execute("select count(*) from entry_fts where entry_fts match ?", [word]).fetchone()[0] == number
    counted = {row["type"]: row["lines"] for row in old.execute("select type, lines from skipped_records")}
    assert counted == {
        "attachment environment": 1, "attachment prompt_snapshot": 1, "attachment skill_listing": 1, "cost-state": 1,
        "system api_error": 1, "user meta": 1, "assistant synthetic": 1, "attachment shuttle_forecast": 1,
    }  # fmt: skip
    assert [row["reason"] for row in old.execute("select reason from source_problems")] == ["not JSON"]
    changes = old.total_changes
    assert setting_aside.portion(old, now=now) is None
    assert old.total_changes == changes


def test_what_rests_on_an_entry_that_is_set_aside_is_put_before_the_person(
    old: sqlite3.Connection, now: datetime
) -> None:
    entry = old.execute("select id from entries where uid = 'e9'").fetchone()["id"]
    other = old.execute("select id from entries where uid = 'f4'").fetchone()["id"]
    at = "2026-03-01T10:00:00.000Z"
    uids = []
    for text, entries in (("The heddle is quoted here.", (entry,)), ("Two sources say it.", (entry, other))):
        uid = add_memory(old, text=text, kind="environment", scope="user", now=now)
        memory_id = old.execute("select id from memories where uid = ?", [uid]).fetchone()["id"]
        for each in entries:
            add_source(
                old, memory_id, candidate_id=None, entry_id=each, quote="heddle quoted here", created_at=at, now=now
            )
        uids.append(uid)
    scanning.scan(old, now=now)
    kept = old.execute("select kind, text from entries where uid = 'e9'").fetchone()
    assert (kept["kind"], "heddle quoted here" in kept["text"]) == ("other", True)
    assert {row["status"] for row in old.execute("select status from memories")} == {"active"}
    sql = "select m.uid, p.kind, p.reason, p.state from proposals p join memories m on m.id = p.memory_id"
    [proposal] = old.execute(sql).fetchall()
    assert tuple(proposal) == (uids[0], "retire", setting_aside.REASON, "open")


def test_what_is_set_aside_is_no_neighbour_and_on_no_page(old: sqlite3.Connection, now: datetime) -> None:
    old.execute("update entries set kind = 'other' where uid in ('e2', 'e3')")  # with its text, as a quoted one has
    found = answers(old, now, ["Which port does the shop listen on?"])[0]
    aside = [row["id"] for row in old.execute("select id from entries where kind = 'other'")]
    assert not {hit.entry_id for hit in found.hits} & set(aside)
    listed = lookup.session(old, "s1")
    assert listed is not None
    assert not {"e2", "e3", "e4"} & {each["uid"] for each in listed["entry_list"]}


def test_extraction_goes_on_where_it_was(old: sqlite3.Connection, now: datetime) -> None:
    """Rows that are set aside keep their places: what was read is not read again."""
    rules.extract(old, now=now)
    before = old.execute("select count(*) from candidates").fetchone()[0]
    scanning.scan(old, now=now)
    rules.extract(old, now=now)
    gate.run(old, now=now)
    assert old.execute("select count(*) from candidates").fetchone()[0] == before


def test_what_is_read_again_after_that_is_the_same_entry(db: sqlite3.Connection, tmp_path: Path, now: datetime) -> None:
    """A fork repeats a file that was attached: its words are those that the old row was given."""
    attached = {"type": "file", "filename": "a.txt", "content": {"file": {"content": "Warp first."}}}
    old_rows(db, now)
    db.execute(
        "insert into scan_progress (place, rules_version, last_id, started_at) values (?, 1, 0, 'then')",
        [setting_aside.PLACE],
    )
    scanning.scan(db, now=now)
    record = {**user("f1", None), "type": "attachment", "attachment": attached}
    write_jsonl(tmp_path / "p" / "s2.jsonl", [record, assistant("z", "Yes.")])
    assert import_claude_code(db, [tmp_path], now=now).entries_known == 1
