"""In which layer a memory stands: the rules, the cap, a person's word, and what it costs."""

from __future__ import annotations

import json
import sqlite3
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from memory_db.cli import cli
from memory_db.errors import InputError, NotFoundError
from memory_db.knowledge.locks import LAYERS, layer_of, set_layer
from memory_db.knowledge.memories import add_memory
from memory_db.recall.brief.select import ask
from memory_db.recall.search import Question
from memory_db.store import settings
from memory_db.store.connection import transaction


def add(db: sqlite3.Connection, now: datetime, number: int, project: int | None, **columns: object) -> str:
    uid = add_memory(
        db, text=f"Rule number {number} says ref{number}.", kind=str(columns.pop("kind", "convention")),
        scope="project" if project else "user", project_id=project, now=now,
    )  # fmt: skip
    with transaction(db):
        for column, value in columns.items():
            db.execute(f"update memories set {column} = ? where uid = ?", [value, uid])
    return uid


@pytest.mark.parametrize(
    ("columns", "layer", "reason"),
    [
        ({"lock_level": "user"}, 0, "locked by the user"),
        ({"importance": 5}, 0, "importance of 5"),
        ({"importance": 4}, 1, "importance of 4"),
        ({"lock_level": "promoted"}, 1, "locked by evidence"),
        ({}, 2, "everything else"),
        ({"importance": 1}, 3, "importance of 1"),
        ({"kind": "episode", "importance": 5}, 2, "an episode is never near"),
        ({"kind": "episode", "importance": 2}, 3, "an episode is never near"),
        ({"lock_level": "user", "layer_override": 3}, 3, "set by hand"),
    ],
)
def test_the_rules(
    db: sqlite3.Connection, now: datetime, project: int, columns: dict[str, object], layer: int, reason: str
) -> None:
    row = layer_of(db, add(db, now, 1, project, **columns))
    assert (row["layer"], row["reason"], row["project"]) == (layer, reason, "quay")


def test_what_is_of_the_user_stands_in_layer_1(db: sqlite3.Connection, now: datetime) -> None:
    row = layer_of(db, add(db, now, 1, None))
    assert (row["layer"], row["reason"], row["project"]) == (1, "holds in every project", None)


def test_layer_0_has_a_cap_for_each_project(db: sqlite3.Connection, now: datetime, project: int) -> None:
    settings.put(db, "layer_0_cap", "2", now=now)
    important = [add(db, now + timedelta(days=day), day, project, importance=5) for day in range(3)]
    locked = add(db, now + timedelta(days=9), 9, project, lock_level="user")
    by_hand = add(db, now + timedelta(days=10), 10, project, layer_override=0)
    other = add(db, now, 11, None, importance=5)
    found = {row["uid"]: (row["layer"], row["reason"]) for row in db.execute("select * from layers")}
    assert found[by_hand] == (0, "set by hand")
    assert found[locked] == (0, "locked by the user")
    assert {found[uid] for uid in important} == {(1, "over the cap")}
    assert found[other] == (0, "importance of 5")
    settings.put(db, "layer_0_cap", "3", now=now)
    layer = {row["uid"]: row["layer"] for row in db.execute("select * from layers")}
    assert [layer[uid] for uid in important] == [0, 1, 1], "the older goes first"


@given(st.lists(st.tuples(st.integers(1, 5), st.sampled_from(["none", "user", "promoted"])), max_size=40))
@pytest.mark.slow
def test_never_more_than_the_cap(tmp_path_factory: pytest.TempPathFactory, drawn: list[tuple[int, str]]) -> None:
    with sqlite3.connect(":memory:") as plain:
        plain.executescript(VIEW_ALONE)
        plain.executemany(
            "insert into memories (kind, scope, status, importance, lock_level, tokens, project_id)"
            " values ('fix', 'project', 'active', ?, ?, 1, 1)",
            drawn,
        )
        counts = dict(plain.execute("select layer, count(*) from layers group by layer").fetchall())
    assert sum(counts.values()) == len(drawn) and set(counts) <= set(LAYERS)
    assert counts.get(0, 0) <= 20


VIEW_ALONE = """
create table memories (id integer primary key, uid text, project_id, tokens, kind, scope, status, importance,
    lock_level, layer_override, created_at);
create table beliefs (memory_id, confidence);
create table projects (id, name);
create table settings (name, value);
""" + (Path(__file__).parents[2] / "memory_db/store/views/layers.sql").read_text("utf-8").partition(
    "create view layer_costs"
)[0]


def test_a_person_decides_and_takes_it_back(db: sqlite3.Connection, now: datetime, project: int) -> None:
    uid = add(db, now, 1, project)
    later = now + timedelta(days=1)
    assert set_layer(db, uid, 0, by="user", now=later)
    assert not set_layer(db, uid, 0, by="user", now=later)
    assert layer_of(db, uid)["reason"] == "set by hand"
    assert set_layer(db, uid, None, by="user", now=later + timedelta(days=1))
    assert layer_of(db, uid)["layer"] == 2
    versions = [row[0] for row in db.execute("select layer_override from memory_versions order by version")]
    assert versions == [None, 0, None]


def test_what_cannot_be_set(db: sqlite3.Connection, now: datetime, project: int) -> None:
    uid = add(db, now, 1, project, status="retired")
    with pytest.raises(InputError, match="retired"):
        set_layer(db, uid, 0, by="user", now=now)
    with pytest.raises(InputError, match="There are: 0, 1, 2, 3"):
        set_layer(db, uid, 4, by="user", now=now)
    with pytest.raises(NotFoundError):
        set_layer(db, "mffffffff", 1, by="user", now=now)
    with pytest.raises(InputError, match="no layer"):
        layer_of(db, uid)


def test_what_layers_cost(db: sqlite3.Connection, now: datetime, project: int) -> None:
    add(db, now, 1, project, importance=5)
    add(db, now, 2, project)
    for _ in range(2):
        ask(db, Question("rule", project_id=project, scope="memories"), surface="test", now=now)
    rows = {row["layer"]: dict(row) for row in db.execute("select * from layer_costs")}
    assert set(rows) == {0, 2}
    assert rows[0]["times_shown"] == 2 and rows[0]["times_used"] == 0
    assert rows[0]["never_cited_tokens"] == rows[0]["shown_tokens"] == 2 * rows[0]["tokens"] > 0


def test_the_command(db: sqlite3.Connection, db_path: Path, now: datetime, project: int) -> None:
    uid = add(db, now, 1, project)

    def run(*words: str) -> str:
        done = CliRunner().invoke(cli, ["layer", *words, "-d", str(db_path)])
        assert done.exit_code == 0, done.output
        return done.output

    assert json.loads(run(uid, "0", "--json"))["layer"] == 0
    assert "set by hand" in run(uid)
    current = "select id from memory_versions where recorded_to is null"
    vectors = [tuple(row) for row in db.execute("select memory_version_id from static_vectors")]
    assert vectors == [tuple(row) for row in db.execute(current)], "the new version is found by its meaning"
    assert "everything else" in run(uid, "auto")
    assert json.loads(run("--json"))[0]["memories"] == 1
    assert "quay" in run()
