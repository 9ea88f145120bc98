"""What texts name, the rows that say so, and the signal that is read from them."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_db.index import build as index
from memory_db.knowledge.graph import entities
from memory_db.knowledge.memories import add_memory, add_paths
from memory_db.knowledge.succession import supersede
from memory_db.recall.scoring import SIGNALS
from memory_db.recall.search import Filters, Question, recall
from memory_db.store.connection import connect, transaction
from memory_db.text.names.entities import LONGEST_NAME, entities_in, normal_name
from memory_db.upkeep.check import check

pytestmark = pytest.mark.slow

CASES = [
    ("Change infra/staging/network.tf first.", {("file", "infra/staging/network.tf")}),
    ("It reads `./scripts/build.sh`, then stops.", {("file", "scripts/build.sh")}),
    ("Secrets live in .env and ~/.config/keys.txt.", {("file", ".env"), ("file", "~/.config/keys.txt")}),
    ("Fixtures stand in docs/drills/.", {("file", "docs/drills")}),
    ("Values come from gradle/app.properties alone.", {("file", "app.properties")}),
    ("Sealed ones are under clusters/*/sealed/.", set()),
    ("The route /api/v1/users answers.", set()),
    ("read/write and and/or are no paths", set()),
    ("`git push origin`", {("command", "git"), ("command", "git push"), ("command", "git push origin")}),
    ("Never git push on a Friday.", {("command", "git"), ("command", "git push")}),
    ("I never run terraform apply myself.", {("command", "terraform"), ("command", "terraform apply")}),
    ("pip-tools and a git-like thing", set()),
    ("Run `quay deploy tidepool`.", {("command", "quay deploy"), ("command", "quay deploy tidepool")}),
    ("`uv add httpx[http2]`", {("command", "uv"), ("command", "uv add"), ("package", "httpx")}),
    ("`const config = { a: 1 }` and `await store(engine)`", set()),
    ("We make sure that it is just right.", set()),
    ("Use @dnd-kit/core, not react-dnd==16.0.1", {("package", "@dnd-kit/core"), ("package", "react-dnd")}),
    ("PostgreSQL holds it.", {("package", "postgres")}),
    ("Chart.js is too slow", {("package", "chart.js")}),
    ("add eslint-disable there", set()),
    ("OutboxDAO.flush() calls taken_at", {("symbol", "outboxdao.flush"), ("symbol", "taken_at")}),
    ("It raises DoesNotExist, then TypeError.", {("symbol", "doesnotexist"), ("symbol", "typeerror")}),
    ("GitHub, JavaScript and OpenAPI are products.", set()),
    ("Call datetime.now nowhere.", {("symbol", "datetime.now")}),
    ("python 3.12.1 ended. Then it was done", set()),
    ("It pushes to registry.example.com:5000.", {("host", "registry.example.com:5000")}),
    ("http://localhost:8040/readings and 10.0.2.2", {("host", "localhost:8040"), ("host", "10.0.2.2")}),
    ("postgresql://me:secret@db.internal:5432/tide", {("host", "db.internal:5432")}),
    ("version 1.2.3.4000 and e.g. this", set()),
    ("", set()),
]  # fmt: skip


@pytest.mark.parametrize(("text", "named"), CASES)
def test_a_text_names(text: str, named: set[tuple[str, str]]) -> None:
    assert set(entities_in(text)) == named


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("see ./src/app.py", "In `src/app.py`."),
        ("call Flush_All()", "`flush_all`"),
        ("PostgreSQL 16", "postgres"),
        ("in docs/drills/", "docs/drills/, too"),
    ],
)
def test_two_ways_of_writing_name_one_thing(one: str, other: str) -> None:
    assert set(entities_in(one)) == set(entities_in(other)) != set()


@given(st.text(max_size=400))
def test_any_text_gives_names_in_normal_form(text: str) -> None:
    for (kind, name), mentions in entities_in(text).items():
        assert kind in ("file", "command", "package", "symbol", "host") and mentions >= 1
        assert 1 < len(name) <= LONGEST_NAME
        assert name == normal_name(kind, name)


@given(st.lists(st.sampled_from([text for text, _ in CASES]), max_size=4))
def test_a_text_of_several_lines_names_what_they_name(texts: list[str]) -> None:
    named: set[tuple[str, str]] = set()
    for text in texts:
        named |= set(entities_in(text))
    assert set(entities_in(" \n".join(texts))) == named


# ------------------------------------------------------------------------ the rows


def rows(db: sqlite3.Connection) -> set[tuple[str, str, str]]:
    sql = (
        "select m.uid, e.kind, e.name from memory_entities x join memories m on m.id = x.memory_id"
        " join entities e on e.id = x.entity_id"
    )
    return {tuple(row) for row in db.execute(sql)}


def add(db: sqlite3.Connection, text: str, now: datetime, **more: object) -> str:
    return add_memory(db, text=text, kind="fix", scope="user", now=now, **more)  # type: ignore[arg-type]


def test_rows_follow_text_keys_and_paths(db: sqlite3.Connection, now: datetime) -> None:
    uid = add(db, "Call flush_all before the end.", now, title="The end", keys=["RetryPolicy"], paths=["src/app.py"])
    assert entities.refresh(db, now=now) == 1
    named = {(uid, "symbol", "flush_all"), (uid, "symbol", "retrypolicy"), (uid, "file", "src/app.py")}
    assert rows(db) == named
    with transaction(db):
        db.execute("update memories set text = 'Call flush_one now.', updated_at = '2026-11-02T00:00:00Z'")
    assert entities.refresh(db, now=now) == 1
    assert rows(db) == named - {(uid, "symbol", "flush_all")} | {(uid, "symbol", "flush_one")}


def test_new_paths_are_read(db: sqlite3.Connection, now: datetime) -> None:
    uid = add(db, "Call flush_all before the end.", now)
    entities.refresh(db, now=now)
    later = now + timedelta(days=1)
    with transaction(db):
        add_paths(db, 1, ["src/late.py"], now=later)
    assert entities.refresh(db, now=later) == 1
    assert (uid, "file", "src/late.py") in rows(db)


def test_paths_that_another_run_recorded_late_are_read(db: sqlite3.Connection, now: datetime) -> None:
    """A long run records paths under the moment at which it began, after a shorter one has looked."""
    uid = add(db, "Call flush_all before the end.", now)
    entities.refresh(db, now=now + timedelta(hours=1))
    with transaction(db):
        add_paths(db, 1, ["src/late.py"], now=now)
    assert entities.refresh(db, now=now + timedelta(hours=2)) == 1
    assert (uid, "file", "src/late.py") in rows(db)
    assert list(entities.unlike(db)) == [] and entities.refresh(db, now=now + timedelta(hours=3)) == 0


def test_paths_that_come_while_a_run_reads_are_read(db: sqlite3.Connection, db_path: Path, now: datetime) -> None:
    """Before whichever statement of a run they come, this run reads them or the next one does."""
    uid = add(db, "Call flush_all before the end.", now)
    moments = 0
    for at in range(100):
        left = at

        def record(_statement: str, path: str = f"src/late{at}.py") -> None:
            nonlocal left
            left -= not db.in_transaction
            if left == -1 and not db.in_transaction:
                with closing(connect(db_path, write=True)) as other, transaction(other):
                    add_paths(other, 1, [path], now=now)

        moment = now + timedelta(hours=2 * at + 1)
        add(db, f"Call drain_{at} before the end.", moment)  # so that there is something to read
        db.set_trace_callback(record)
        entities.refresh(db, now=moment)
        db.set_trace_callback(None)
        if left >= 0:
            break
        moments += 1
        entities.refresh(db, now=moment + timedelta(hours=1))
        assert (uid, "file", f"src/late{at}.py") in rows(db), at
    assert 5 < moments < 99 and list(entities.unlike(db)) == []


def test_a_path_that_was_taken_back_is_named_no_more(db: sqlite3.Connection, now: datetime) -> None:
    uid = add(db, "Call flush_all before the end.", now, paths=["src/app.py"])
    entities.refresh(db, now=now)
    with transaction(db):
        db.execute("delete from memory_paths")
    assert entities.refresh(db, now=now + timedelta(hours=1)) == 1
    assert rows(db) == {(uid, "symbol", "flush_all")} and list(entities.unlike(db)) == []


def test_a_second_run_changes_nothing(sample_db: sqlite3.Connection, now: datetime) -> None:
    entities.refresh(sample_db, now=now)
    before = list(sample_db.iterdump())
    assert entities.refresh(sample_db, now=now) == 0
    assert entities.refresh(sample_db, [row[0] for row in sample_db.execute("select id from memories")], now=now) == 0
    assert list(sample_db.iterdump()) == before
    assert len(rows(sample_db)) > 100


def test_what_is_replaced_names_nothing(db: sqlite3.Connection, now: datetime) -> None:
    old, new = add(db, "Call flush_all first.", now), add(db, "Call drain_all first.", now)
    entities.refresh(db, now=now)
    supersede(db, old, new, reason="renamed", by="user", now=now + timedelta(days=1))
    assert entities.refresh(db, now=now + timedelta(days=1)) == 1
    assert rows(db) == {(new, "symbol", "drain_all")}
    assert [row[0] for row in db.execute("select name from entities")] == ["drain_all"]


def test_check_compares_rows_with_texts(sample_db: sqlite3.Connection, now: datetime) -> None:
    index.run(sample_db, now=now)
    what = "a memory names what its rows say"
    assert [finding for finding in check(sample_db) if finding.what == what] == []
    with transaction(sample_db):
        sample_db.execute("delete from memory_entities where memory_id = (select min(memory_id) from memory_entities)")
    assert len([finding for finding in check(sample_db) if finding.what == what]) == 1


# ---------------------------------------------------------------------- the signal


def signal_of(db: sqlite3.Connection, question: Question, now: datetime) -> dict[str, float]:
    answer = recall(db, question, now=now)
    uids = dict(
        db.execute("select v.id, m.uid from memory_versions v join memories m on m.id = v.memory_id").fetchall()
    )
    return {
        uids[hit.memory_version_id]: SIGNALS["entity"](answer.query_features, hit.features)
        for hit in answer.hits
        if hit.memory_version_id
    }


def test_the_signal_is_the_share_of_named_entities(db: sqlite3.Connection, now: datetime) -> None:
    both = add(db, "flush_all writes to src/app.py at the end.", now)
    one = add(db, "flush_all is slow at the end.", now)
    none = add(db, "The end is near.", now)
    for number in range(9):
        add(db, f"Other thing {number} at the end.", now)
    entities.refresh(db, now=now)
    found = signal_of(db, Question("flush_all in src/app.py at the end"), now)
    assert found[both] == 1.0 and 0 < found[one] < 1 and found[none] == 0.0
    plain = signal_of(db, Question("what does Flush_All do at the end"), now)
    assert plain[both] == plain[one] == 1.0 and plain[none] == 0.0


def test_other_memories_considered_change_no_share(db: sqlite3.Connection, now: datetime) -> None:
    add(db, "flush_all writes to src/app.py at the end.", now)
    add(db, "flush_all is slow at the end.", now)
    entities.refresh(db, now=now)
    ids = [row[0] for row in db.execute("select id from memory_versions")]
    counted = entities.memory_counts(db, entities.names_in("flush_all in src/app.py"))
    together = entities.entity_shares(db, counted, ids)
    alone = [entities.entity_shares(db, counted, [each]) for each in ids]
    assert together == alone[0] | alone[1]


def test_a_question_as_of_a_date_has_no_shares(db: sqlite3.Connection, now: datetime) -> None:
    add(db, "flush_all is slow at the end.", now)
    entities.refresh(db, now=now)
    later = (now + timedelta(days=1)).isoformat()
    assert set(
        signal_of(db, Question("flush_all", filters=Filters(as_of=later)), now + timedelta(days=2)).values()
    ) == {0.0}
