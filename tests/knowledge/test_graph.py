"""The graph signal, with edges drawn by hand; what stands around a memory, the audit, the command."""

from __future__ import annotations

import json
import sqlite3
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner

from memory_db.cli import cli
from memory_db.errors import InputError, NotFoundError
from memory_db.gate.review.proposal_kinds import HANDLERS
from memory_db.gate.review.relate import neighbours, page_ranks, relate, stats, unrelate
from memory_db.knowledge.graph.proximity import nearness
from memory_db.knowledge.memories import add_memory
from memory_db.knowledge.proposals import accept, propose
from memory_db.recall.brief.select import ask
from memory_db.recall.scoring import SIGNALS
from memory_db.recall.search import Question, recall
from memory_db.store.connection import transaction
from memory_db.store.dates import utc_text
from memory_db.transcripts.projects import make_project

TEXTS = {
    "release": "Releases are tagged from the main branch.",
    "changelog": "Write the changelog before the tag.",
    "port": "The server listens on port 8040.",
}


@pytest.fixture
def ids(db: sqlite3.Connection, now: datetime) -> dict[str, int]:
    for name, text in TEXTS.items():
        paths = ["compose.yml"] if name == "port" else []
        add_memory(db, text=text, kind="convention", scope="user", paths=paths, now=now)
    rows = dict(db.execute("select text, id from memories").fetchall())
    return {name: rows[text] for name, text in TEXTS.items()}


@pytest.fixture
def session(db: sqlite3.Connection, now: datetime) -> int:
    project = make_project(db, "/home/d/quay", None, now)
    cursor = db.execute("insert into sessions (uid, format, project_id) values ('s1', 'test', ?)", [project])
    return int(cursor.lastrowid or 0)


def draw(
    db: sqlite3.Connection, one: int, other: int, now: datetime, kind: str = "supports", score: float = 0.8
) -> None:
    with transaction(db):
        db.execute(
            "insert into edges (from_memory_id, to_memory_id, kind, score, reason, created_by, created_at)"
            " values (?, ?, ?, ?, 'by hand', 'test', ?)",
            [one, other, kind, score, utc_text(now)],
        )


def strength(db: sqlite3.Connection, question: Question, now: datetime, memory_id: int) -> float:
    for hit in recall(db, question, now=now).hits:
        found = db.execute("select memory_id from memory_versions where id = ?", [hit.memory_version_id]).fetchone()
        if found and found[0] == memory_id:
            return SIGNALS["graph"](recall(db, question, now=now).query_features, hit.features)
    raise AssertionError("not considered")


@pytest.mark.parametrize("turned", [False, True])
def test_an_edge_to_what_was_shown_in_this_session_counts(
    db: sqlite3.Connection, now: datetime, ids: dict[str, int], session: int, *, turned: bool
) -> None:
    one, other = ("changelog", "release") if turned else ("release", "changelog")
    draw(db, ids[one], ids[other], now)
    ask(db, Question("main branch", session_id=session), surface="test", now=now)
    later = now + timedelta(minutes=5)
    assert strength(db, Question("changelog", session_id=session), later, ids["changelog"]) == 0.8
    assert strength(db, Question("changelog"), later, ids["changelog"]) == 0.0
    assert strength(db, Question("changelog", session_id=session), now, ids["changelog"]) == 0.0  # not shown yet


def test_an_edge_to_a_memory_of_the_files_in_play_counts(
    db: sqlite3.Connection, now: datetime, ids: dict[str, int]
) -> None:
    draw(db, ids["changelog"], ids["port"], now, "same_topic", 0.5)
    assert strength(db, Question("changelog", paths=("quay/compose.yml",)), now, ids["changelog"]) == 0.5
    assert strength(db, Question("changelog in compose.yml"), now, ids["changelog"]) == 0.5
    assert strength(db, Question("changelog", paths=("README.md",)), now, ids["changelog"]) == 0.0


@pytest.mark.parametrize("kind", ["supersedes", "contradicts"])
def test_other_edges_do_not(db: sqlite3.Connection, now: datetime, ids: dict[str, int], kind: str) -> None:
    draw(db, ids["changelog"], ids["port"], now, kind)
    assert nearness(db, ids.values(), None, ("compose.yml",), now) == {}


def test_the_strongest_edge_counts_and_only_those_that_were_there(
    db: sqlite3.Connection, now: datetime, ids: dict[str, int]
) -> None:
    draw(db, ids["changelog"], ids["port"], now, "mentions", 0.3)
    draw(db, ids["port"], ids["changelog"], now + timedelta(days=1), "depends_on", 0.9)
    assert nearness(db, ids.values(), None, ("compose.yml",), now) == {ids["changelog"]: 0.3}
    assert nearness(db, ids.values(), None, ("compose.yml",), now + timedelta(days=2)) == {ids["changelog"]: 0.9}


def test_without_edges_nothing_is_logged(db: sqlite3.Connection, now: datetime, ids: dict[str, int]) -> None:
    hits = recall(db, Question("changelog in compose.yml"), now=now).hits
    assert hits and all("edge_strength" not in hit.features.as_dict() for hit in hits)


# ------------------------------------------------------------- neighbours, audit, command


def test_neighbours_are_walked_to_in_steps(db: sqlite3.Connection, now: datetime, ids: dict[str, int]) -> None:
    uids = dict(db.execute("select id, uid from memories").fetchall())
    one, two, three = (uids[ids[name]] for name in ("release", "changelog", "port"))
    relate(db, one, two, "supports", reason="first", by="user", now=now)
    relate(db, three, two, "mentions", reason="second", by="user", now=now, score=0.5)
    assert [(row["hops"], row["uid"], row["direction"]) for row in neighbours(db, one)] == [
        (1, two, "to"),
        (2, three, "from"),
    ]
    assert [row["uid"] for row in neighbours(db, one, hops=1)] == [two]
    assert len(neighbours(db, one, most=1)) == 1
    with pytest.raises(InputError, match="1 to 3"):
        neighbours(db, one, hops=4)


def test_what_cannot_be_related(db: sqlite3.Connection, now: datetime, ids: dict[str, int]) -> None:
    one, two = [row[0] for row in db.execute("select uid from memories order by id limit 2")]
    for kind, words in (("supersedes", "supersede OLD NEW"), ("likes", "There are:")):
        with pytest.raises(InputError, match=words):
            relate(db, one, two, kind, reason="why", by="user", now=now)
    with pytest.raises(InputError, match="itself"):
        relate(db, one, one, "supports", reason="why", by="user", now=now)
    with pytest.raises(InputError, match="0 to 1"):
        relate(db, one, two, "supports", reason="why", by="user", now=now, score=2)
    with pytest.raises(NotFoundError, match="No edge"):
        unrelate(db, one, two, by="user", now=now)


def test_page_ranks_sum_to_one(sample_db: sqlite3.Connection) -> None:
    ranks = page_ranks(sample_db)
    assert len(ranks) > 30 and sum(ranks.values()) == pytest.approx(1.0) and min(ranks.values()) > 0
    assert stats(sample_db)["top"][0]["page_rank"] == max(ranks.values())
    assert stats(sample_db)["with_edges"] <= stats(sample_db)["memories"]


def problems(db: sqlite3.Connection) -> set[tuple[str, str]]:
    return {(row["problem"], row["uid"]) for row in db.execute("select * from graph_audit")}


def test_the_audit(db: sqlite3.Connection, now: datetime, ids: dict[str, int]) -> None:
    uids = {
        name: db.execute("select uid from memories where id = ?", [each]).fetchone()[0] for name, each in ids.items()
    }
    assert problems(db) == {("orphan", uid) for uid in uids.values()}
    relate(db, uids["release"], uids["changelog"], "depends_on", reason="order", by="user", now=now)
    assert problems(db) == {("orphan", uids["port"])}
    later = utc_text(now + timedelta(days=1))
    with transaction(db):
        db.execute("update memories set text = 'Another text.', updated_at = ? where id = ?", [later, ids["changelog"]])
        db.execute(
            "insert into evidence (memory_id, kind, direction, weight, source, created_at)"
            " values (?, 'wrong', 'against', 20, 'test', ?)",
            [ids["changelog"], later],
        )
    assert ("stale link", uids["changelog"]) in problems(db)
    assert ("doubtful link", uids["release"]) in problems(db)
    with transaction(db):
        db.execute("update memories set status = 'retired', updated_at = ? where id = ?", [later, ids["changelog"]])
    assert ("dead link", uids["release"]) in problems(db)


def test_hubs_are_reported(db: sqlite3.Connection, now: datetime, ids: dict[str, int]) -> None:
    for number in range(20):
        uid = add_memory(db, text=f"Other text {number}.", kind="fix", scope="user", now=now)
        other = db.execute("select id from memories where uid = ?", [uid]).fetchone()[0]
        draw(db, ids["port"], other, now)
    assert ("hub", db.execute("select uid from memories where id = ?", [ids["port"]]).fetchone()[0]) in problems(db)


def test_edges_learn_from_what_was_used(db: sqlite3.Connection, now: datetime, ids: dict[str, int]) -> None:
    draw(db, ids["release"], ids["changelog"], now)
    for _ in range(2):
        answer = ask(db, Question("main branch changelog tag", scope="memories"), surface="test", now=now)
        assert len(answer.shown) >= 2
    with transaction(db):
        db.execute(
            "insert into evidence (memory_id, kind, direction, weight, source, recall_id, created_at)"
            " values (?, 'cited', 'for', 0.25, 'test', ?, ?)",
            [ids["changelog"], answer.recall_id, utc_text(now)],
        )
    row = db.execute("select * from edge_usefulness").fetchone()
    assert (row["times_shown_together"], row["times_used"], row["learned_weight"]) == (2, 1, 0.5)


def test_a_proposed_edge_is_drawn(db: sqlite3.Connection, now: datetime, ids: dict[str, int]) -> None:
    one, two = ids["release"], ids["changelog"]
    number = propose(db, "relate", one, other_memory_id=two, text="supports", reason="why", by="rules", now=now)
    assert number is not None
    accept(db, number, HANDLERS, by="user", now=now)
    assert [tuple(row) for row in db.execute("select from_memory_id, kind, created_by from edges")] == [
        (one, "supports", "user")
    ]


@pytest.mark.slow
def test_the_command(sample_db: sqlite3.Connection, sample_path: Path) -> None:
    def run(*words: str, fails: bool = False) -> str:
        done = CliRunner().invoke(cli, ["graph", *words, "-d", str(sample_path)])
        assert bool(done.exit_code) == fails, done.output
        return done.output

    row = sample_db.execute("select * from memory_neighbours where kind = 'same_topic'").fetchone()
    found = json.loads(run("neighbours", row["uid"], "--json"))
    assert row["other_uid"] in {each["uid"] for each in found} and len(found) <= 20
    assert run("neighbours", row["uid"], "--hops", "1").startswith("hops")
    assert json.loads(run("stats", "--json"))["with_edges"] > 30
    assert "have an edge" in run("stats")
    assert {each["problem"] for each in json.loads(run("audit", "--problem", "hub", "--json"))} <= {"hub"}
    assert json.loads(run("rebuild", "--json"))["edges_drawn"] == 0
    assert json.loads(run("unrelate", row["uid"], row["other_uid"], "--json"))["ended"]
    assert json.loads(run("relate", row["uid"], row["other_uid"], "supports", "--reason", "I say so", "--json"))[
        "is_new"
    ]
    assert "cannot be related to itself" in run(
        "relate", row["uid"], row["uid"], "supports", "--reason", "x", fails=True
    )
