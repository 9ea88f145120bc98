"""Many memories changed at once beside their words: shown as done, undone whole, and what changed since is left."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory_db.errors import InputError
from memory_db.gate.review import batches
from memory_db.gate.review.edits import Edit
from memory_db.knowledge.locks import lock
from memory_db.knowledge.memories import add_memory
from memory_db.store.connection import connect
from tests.conftest import NOW

KNOWN = """
select m.uid, m.kind, m.scope, m.project_id, m.importance, m.lock_level, m.status,
    (select group_concat(t.tag, ' ') from (select tag from tags where memory_id = m.id order by tag) t) as tags
from memories m order by m.uid
"""


def known(db: sqlite3.Connection) -> list[tuple[object, ...]]:
    return [tuple(row) for row in db.execute(KNOWN)]


def active(db: sqlite3.Connection, count: int) -> list[str]:
    sql = "select uid from memories where status = 'active' and lock_level = 'none' order by id limit ?"
    return [row[0] for row in db.execute(sql, [count])]


edits = st.builds(
    Edit,
    kind=st.sampled_from([None, "fix", "decision"]),
    scope=st.sampled_from([None, "user"]),
    importance=st.sampled_from([None, 1, 5]),
    lock_level=st.sampled_from([None, "user", "none"]),
    status=st.sampled_from([None, "retired"]),
    add_tags=st.lists(st.sampled_from(["one", "two", "testing"]), max_size=2).map(tuple),
    remove_tags=st.lists(st.sampled_from(["testing", "database"]), max_size=2).map(tuple),
).filter(lambda edit: not edit.is_empty)


@settings(max_examples=12, suppress_health_check=list(HealthCheck), deadline=None)
@given(first=edits, second=edits)
@pytest.mark.slow
def test_undone_in_turn_all_is_as_before(sample_path: Path, first: Edit, second: Edit) -> None:
    with closing(connect(sample_path, write=True)) as db:
        states, numbers = [known(db)], []
        for change in (first, second):
            shown = batches.edit(db, active(db, 12), change, now=NOW, is_dry_run=True)
            assert known(db) == states[-1]
            done = batches.edit(db, active(db, 12), change, now=NOW)
            assert done.outcomes == shown.outcomes
            if done.number:
                numbers.append(done.number)
                states.append(known(db))
        for number in reversed(numbers):
            assert known(db) == states.pop()
            assert not [each for each in batches.undo(db, number, now=NOW) if each.left]
        assert known(db) == states.pop() and not states


def test_what_changed_since_is_left_and_the_rest_comes_back(sample_db: sqlite3.Connection) -> None:
    uids = active(sample_db, 3)
    done = batches.edit(sample_db, uids, Edit(importance=1, add_tags=("old",)), now=NOW)
    assert done.number
    sample_db.execute("update memories set importance = 4 where uid = ?", [uids[0]])
    outcomes = {each.item: each for each in batches.undo(sample_db, done.number, now=NOW + timedelta(hours=1))}
    assert "changed since" in outcomes[uids[0]].left and not outcomes[uids[1]].left
    assert batches.lately(sample_db)[0]["undone_at"] is None


def test_what_does_not_fit_is_left_with_the_reason(sample_db: sqlite3.Connection) -> None:
    uid, other = active(sample_db, 2)
    lock(sample_db, uid, by="user", reason="", now=NOW)
    replaced = sample_db.execute("select uid from memories where status = 'superseded' limit 1").fetchone()[0]
    done = batches.edit(sample_db, [uid, other, replaced, "m00000000"], Edit(status="retired"), now=NOW)
    left = {each.item: each.left for each in done.outcomes}
    assert "locked" in left[uid] and "replaced" in left[replaced] and "No memory" in left["m00000000"]
    assert not left[other]


def test_the_same_words_are_not_brought_to_one_place(sample_db: sqlite3.Connection) -> None:
    row = sample_db.execute(
        "select * from memories where status = 'active' and scope = 'project' order by id limit 1"
    ).fetchone()
    copy = {name: row[name] for name in tuple(row.keys()) if name != "id"} | {"uid": "m12345678"}
    other = sample_db.execute("select id from projects where id <> ?", [row["project_id"]]).fetchone()[0]
    copy["project_id"] = other
    sample_db.execute(
        f"insert into memories ({', '.join(copy)}) values ({', '.join('?' * len(copy))})", list(copy.values())
    )
    (outcome,) = batches.edit(
        sample_db, ["m12345678"], Edit(scope="project", project_id=row["project_id"]), now=NOW
    ).outcomes
    assert row["uid"] in outcome.left


def test_what_is_said_again_since_does_not_come_back(sample_db: sqlite3.Connection) -> None:
    (uid,) = active(sample_db, 1)
    row = sample_db.execute("select * from memories where uid = ?", [uid]).fetchone()
    retired = batches.edit(sample_db, [uid], Edit(status="retired"), now=NOW)
    again = add_memory(
        sample_db, text=row["text"], kind=row["kind"], scope=row["scope"], project_id=row["project_id"], now=NOW
    )
    (left,) = batches.edit(sample_db, [uid], Edit(status="active"), now=NOW).outcomes
    assert again in left.left
    (left,) = batches.undo(sample_db, retired.number or 0, now=NOW)
    assert f"{again} says the same" in left.left


@pytest.mark.parametrize(
    "change",
    [Edit(), Edit(kind="junk"), Edit(importance=9), Edit(lock_level="promoted"), Edit(status="superseded"),
     Edit(add_tags=("x" * 61,))],
)  # fmt: skip
def test_what_no_memory_can_have_is_refused(sample_db: sqlite3.Connection, change: Edit) -> None:
    with pytest.raises(InputError):
        batches.edit(sample_db, active(sample_db, 1), change, now=NOW)
