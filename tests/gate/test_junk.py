"""Junk is found for a reason that numbers tell, and goes only where it may, and comes back as it was."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from memory_db.cli import cli
from memory_db.errors import NotFoundError
from memory_db.gate.apply import CANDIDATE, carry_out
from memory_db.gate.claims import Decision
from memory_db.gate.review import junk_actions as junk_retiring
from memory_db.gate.review.junk import KINDS, JunkFinding, by_origin, find
from memory_db.gate.review.junk_actions import batches, propose_all, retire_all, undo
from memory_db.gate.review.junk_clusters import DuplicatePair, clusters, connected
from memory_db.gate.review.proposal_kinds import HANDLERS
from memory_db.index.neighbours import StaticVectors
from memory_db.knowledge import locks, proposals
from memory_db.knowledge.evidence import add_evidence
from memory_db.knowledge.memories import add_memory
from memory_db.knowledge.retire import restore
from memory_db.recall.brief.select import ask
from memory_db.recall.search import Question
from memory_db.store.connection import connect, transaction
from memory_db.store.dates import utc_text
from memory_db.transcripts.projects import make_project

ECHO = "The nightly backup writes to the second disk"


@pytest.fixture
def project_path() -> str:
    return "/home/sam/code/harbour"


def say(db: sqlite3.Connection, project: int | None, text: str, now: datetime, **more: object) -> str:
    values: dict[str, object] = {"kind": "convention", "origin": "rules", "changed_by": "gate"} | more
    return add_memory(
        db, text=text, scope="user" if project is None else "project", project_id=project, now=now, **values
    )  # type: ignore[arg-type]


def entry(db: sqlite3.Connection, project: int, text: str, at: datetime, role: str = "assistant") -> int:
    """An entry of a session of its own."""
    number = db.execute("select coalesce(max(id), 0) + 1 from entries").fetchone()[0]
    db.execute(
        "insert into sessions (id, uid, format, project_id) values (:id, 's' || :id, 'claude-code', :project)",
        {"id": number, "project": project},
    )
    db.execute(
        "insert into entries (id, uid, session_id, role, kind, text, created_at)"
        " values (:id, 'e' || :id, :id, :role, iif(:role = 'user', 'prompt', 'reply'), :text, :at)",
        {"id": number, "role": role, "text": text, "at": utc_text(at)},
    )
    db.execute("insert into session_entries (session_id, entry_id, position) values (:id, :id, 1)", {"id": number})
    return int(number)


def keep(db: sqlite3.Connection, entry_id: int, text: str, version: str, project: int, now: datetime) -> str:
    """The uid of a memory that a run of that version brought from an entry, as the gate keeps it."""
    at = db.execute("select created_at from entries where id = ?", [entry_id]).fetchone()[0]
    run = db.execute(
        "insert into extraction_runs (method, version, model, started_at) values ('model', ?, 'small', ?)",
        [version, at],
    ).lastrowid
    db.execute(
        "insert into candidates (uid, extraction_run_id, entry_id, session_id, project_id, kind, scope, title, text,"
        " quote, importance, rule, created_at) values (:uid, :run, :entry, :entry, :project, 'environment',"
        " 'project', :text, :text, :text, 3, 'facts', :at)",
        {"uid": f"c{run}", "run": run, "entry": entry_id, "project": project, "text": text, "at": at},
    )
    row = db.execute(f"{CANDIDATE} where c.uid = ?", [f"c{run}"]).fetchone()
    with transaction(db):
        memory_id, _ = carry_out(db, row, Decision("add", None, "seen again"), by="gate", now=now)
    return str(db.execute("select uid from memories where id = ?", [memory_id]).fetchone()[0])


def findings(db: sqlite3.Connection, *kinds: str) -> dict[str, JunkFinding]:
    return {each.uid: each for each in find(db, kinds or KINDS, vectors=StaticVectors())}


# -------------------------------------------------------------------------- echoes


def make_echo(db: sqlite3.Connection, project: int, now: datetime, role: str = "assistant", hours: float = 2) -> str:
    """A memory of another project is shown; afterwards somebody says its words, and they become a memory."""
    other = make_project(db, "/home/sam/code/pier", None, now)
    say(db, other, ECHO, now - timedelta(days=9))
    asked = now - timedelta(hours=hours)
    assert ask(db, Question("where does the nightly backup write"), surface="hook", now=asked).shown
    return keep(db, entry(db, project, f"I see. {ECHO}.", now, role), ECHO, "v2", project, now + timedelta(hours=1))


def test_what_a_brief_had_shown_before_is_an_echo(db: sqlite3.Connection, project: int, now: datetime) -> None:
    uid = make_echo(db, project, now)
    found = findings(db, "echo")
    assert list(found) == [uid]
    recall = db.execute("select uid from recalls").fetchone()[0]
    assert found[uid].reason == f"said 2.0 hours after recall {recall} had shown these words"
    assert (found[uid].method, found[uid].version, found[uid].model, found[uid].rule) == (
        "model",
        "v2",
        "small",
        "facts",
    )
    seen = db.execute("select junk, uid, reason from junk_candidates where junk = 'echo'").fetchall()
    assert [tuple(row) for row in seen] == [("echo", uid, found[uid].reason)]


def test_what_the_user_says_is_no_echo(db: sqlite3.Connection, project: int, now: datetime) -> None:
    make_echo(db, project, now, role="user")
    assert findings(db, "echo") == {}
    assert db.execute("select count(*) from junk_candidates where junk = 'echo'").fetchone()[0] == 0


def test_what_was_said_before_it_was_shown_is_no_echo(db: sqlite3.Connection, project: int, now: datetime) -> None:
    make_echo(db, project, now, hours=-2)
    assert findings(db, "echo") == {}


def test_a_sentence_out_of_a_shown_text_is_an_echo_too(db: sqlite3.Connection, project: int, now: datetime) -> None:
    say(db, project, f"We looked at it for long. {ECHO}. Nobody knows why", now - timedelta(days=2))
    ask(db, Question("nightly backup disk"), surface="hook", now=now - timedelta(hours=1))
    uid = keep(db, entry(db, project, ECHO, now), ECHO, "v1", project, now)
    assert list(findings(db, "echo")) == [uid]


@pytest.mark.slow
def test_no_memory_is_an_echo_of_itself(sample_db: sqlite3.Connection, now: datetime) -> None:
    for row in sample_db.execute("select query from labelled_queries limit 40").fetchall():
        ask(sample_db, Question(row["query"]), surface="hook", now=now)
    shown = sample_db.execute("select count(distinct memory_version_id) from hits where rank is not null").fetchone()[0]
    assert shown > 20 and findings(sample_db, "echo") == {}


# ------------------------------------------------------------------------ duplicates


def twice(db: sqlite3.Connection, project: int, now: datetime, **more: object) -> tuple[str, str]:
    one = say(db, project, "Use pnpm for every package in this repository", now - timedelta(days=2))
    two = say(db, project, "For every package in this repository, use pnpm.", now, **more)
    say(db, project, "The tide tables are computed with harmonics", now)
    return one, two


def test_the_same_in_other_words_is_a_cluster(db: sqlite3.Connection, project: int, now: datetime) -> None:
    one, two = twice(db, project, now)
    found = findings(db, "duplicate")
    assert list(found) == [two]
    assert found[two].kept == one and f"says the same as {one}: cosine " in found[two].reason
    (cluster,) = clusters(db, StaticVectors())
    assert len(cluster.pairs) == 1 and cluster.pairs[0].cosine == pytest.approx(found[two].number)


def test_what_cannot_meet_is_no_duplicate(db: sqlite3.Connection, project: int, now: datetime) -> None:
    other = make_project(db, "/home/sam/code/pier", None, now)
    for each in (project, other):
        say(db, each, "Use pnpm for every package in this repository", now)
    assert findings(db, "duplicate") == {}
    uid = say(db, None, "Use pnpm for every package in this repository", now)
    kept = {each.kept for each in findings(db, "duplicate").values()}
    assert kept == {uid} and len(findings(db, "duplicate")) == 2
    assert db.execute("select count(*) from junk_candidates where junk = 'duplicate'").fetchone()[0] == 2


def test_a_near_miss_is_no_duplicate(db: sqlite3.Connection, project: int, now: datetime) -> None:
    say(db, project, "The api listens on port 8040 in staging", now)
    say(db, project, "The api listens on port 8041 in production", now)
    say(db, project, "Never use pnpm for every package in this repository", now)
    say(db, project, "Use pnpm for every package in this repository", now)
    assert findings(db, "duplicate") == {}


def test_what_is_protected_is_kept_of_a_cluster(db: sqlite3.Connection, project: int, now: datetime) -> None:
    one, two = twice(db, project, now, origin="user", changed_by="user")
    found = findings(db, "duplicate")
    assert list(found) == [one] and found[one].kept == two


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)).filter(lambda pair: pair[0] != pair[1]), max_size=20))
@pytest.mark.slow
def test_clusters_are_what_pairs_connect(links: list[tuple[int, int]]) -> None:
    groups = connected([DuplicatePair(one, other, 1.0, 1.0, "") for one, other in links])
    members = [one for group in groups for one in group]
    assert len(members) == len(set(members)) and set(members) == {one for pair in links for one in pair}
    for one, other in links:
        assert any(one in group and other in group for group in groups)
    reached = {one: {one} for one in members}
    for _ in members:
        for one, other in links:
            joined = reached[one] | reached[other]
            for each in joined:
                reached[each] = reached[each] | joined
    assert all(set(group) == reached[group[0]] for group in groups)


# ---------------------------------------------------------------- ignored, never shown


def ask_often(
    db: sqlite3.Connection, query: str, times: int, at: datetime, surface: str = "hook", **more: object
) -> None:
    for _ in range(times):
        ask(db, Question(query, profile="keyword_only", **more), surface=surface, now=at)  # type: ignore[arg-type]


def cite(db: sqlite3.Connection, memory_id: int, times: int, at: datetime) -> None:
    for recall in range(1, times + 1):
        source = f"entry {memory_id} {recall}"
        add_evidence(db, memory_id, "cited", "for", 0.25, source, created_at=utc_text(at), now=at, recall_id=recall)


def test_shown_often_and_never_used_is_ignored(db: sqlite3.Connection, project: int, now: datetime) -> None:
    uid = say(db, project, "The office plants are watered on Mondays", now)
    used = say(db, project, "Deployments go through the blue script", now)
    ask_often(db, "deployments blue script", 6, now)
    ask_often(db, "office plants watered", 4, now)
    ask_often(db, "office plants watered", 3, now, surface="cli")
    cite(db, 2, 6, now)
    assert findings(db, "ignored") == {}, "a person who looks something up cites nothing"
    ask_often(db, "office plants watered", 2, now)
    found = findings(db, "ignored")
    assert list(found) == [uid] and used not in found
    shown = "shown to an agent 6 times, never cited, used or confirmed; 3.0 times were to be expected"
    assert (found[uid].reason, found[uid].number) == (shown, 6)


def test_where_nobody_cites_nothing_is_ignored(db: sqlite3.Connection, project: int, now: datetime) -> None:
    say(db, project, "The office plants are watered on Mondays", now)
    say(db, project, "Deployments go through the blue script", now)
    for query in ("office plants watered", "deployments blue script"):
        ask_often(db, query, 20, now)
    assert findings(db, "ignored") == {}
    cite(db, 2, 2, now)
    assert findings(db, "ignored") == {}, "two of forty: one that is never cited says little"


def test_evidence_against_that_outweighs_is_junk_until_it_is_withdrawn(
    db: sqlite3.Connection, project: int, now: datetime
) -> None:
    uid = say(db, project, "The office plants are watered on Mondays", now)
    add_evidence(db, 1, "wrong", "against", 2.0, "recall x", created_at=utc_text(now), now=now)
    assert findings(db)[uid].reason.startswith("evidence against it weighs 2.0, for it ")
    db.execute("update evidence set withdrawn_at = ? where kind = 'wrong'", [utc_text(now)])
    assert findings(db) == {}


def test_considered_often_and_never_shown_though_old(db: sqlite3.Connection, project: int, now: datetime) -> None:
    good = [say(db, project, f"Backup rule {number}: backup the backup disk", now) for number in range(3)]
    poor = say(db, project, "Somebody once mentioned the backup in a long talk about the weather in Lisbon", now)
    ask_often(db, "backup the backup disk rule", 12, now + timedelta(days=20), limit=3)
    assert findings(db, "never_shown") == {}, "not old enough"
    ask_often(db, "backup the backup disk rule", 1, now + timedelta(days=31), limit=3)
    found = findings(db, "never_shown")
    assert list(found) == [poor] and not set(good) & set(found)
    assert found[poor].reason == "considered in 13 recalls and shown in none, 31 days old"


def test_a_memory_has_one_finding_the_gravest(db: sqlite3.Connection, project: int, now: datetime) -> None:
    uid = make_echo(db, project, now)
    memory_id = db.execute("select id from memories where uid = ?", [uid]).fetchone()[0]
    add_evidence(db, memory_id, "wrong", "against", 2.0, "recall x", created_at=utc_text(now), now=now)
    assert findings(db)[uid].junk == "echo"
    kinds = {row[0] for row in db.execute("select junk from junk_candidates where uid = ?", [uid])}
    assert kinds == {"echo", "ignored"}


# --------------------------------------------------------------------------- origins


def test_junk_is_counted_by_what_made_it(db: sqlite3.Connection, project: int, now: datetime) -> None:
    uid = make_echo(db, project, now)
    keep(db, entry(db, project, "The server runs Debian 12", now), "The server runs Debian 12", "v1", project, now)
    rows = {(row["method"], row["version"]): row for row in by_origin(db, find(db, ("echo",), vectors=StaticVectors()))}
    assert (rows["model", "v2"]["memories"], rows["model", "v2"]["echo"], rows["model", "v2"]["share"]) == (1, 1, 1.0)
    assert rows["model", "v1"]["junk"] == 0
    view = {row["version"]: row for row in db.execute("select * from junk_by_origin where method = 'model'")}
    assert (view["v2"]["memories"], view["v2"]["junk"], view["v2"]["echoes"]) == (1, 1, 1)
    assert view["v1"]["junk"] == 0
    assert [each.uid for each in find(db, version="v2", vectors=StaticVectors())] == [uid]
    assert find(db, version="v1", vectors=StaticVectors()) == []


# ----------------------------------------------------------------- proposing, retiring


def dump(db: sqlite3.Connection) -> list[tuple[object, ...]]:
    columns = "uid, status, lock_level, text, title, keys, valid_from, valid_to, importance"
    return [tuple(row) for row in db.execute(f"select {columns} from memories order by id")]


def test_findings_become_proposals_once(db: sqlite3.Connection, project: int, now: datetime) -> None:
    echo = make_echo(db, project, now)
    one, two = twice(db, project, now)
    before = dump(db)
    found = find(db, ("echo", "duplicate"), vectors=StaticVectors())
    assert propose_all(db, found, now=now) == {"merge": 1, "retire": 1, "known": 0, "protected": 0}
    assert propose_all(db, found, now=now) == {"merge": 0, "retire": 0, "known": 2, "protected": 0}
    assert dump(db) == before
    numbers = {row["kind"]: row["id"] for row in db.execute("select id, kind from proposals")}
    proposals.accept(db, numbers["retire"], HANDLERS, now=now)
    proposals.accept(db, numbers["merge"], HANDLERS, now=now)
    status = dict(db.execute("select uid, status from memories").fetchall())
    assert (status[echo], status[two], status[one]) == ("retired", "superseded", "active")
    for number in numbers.values():
        proposals.revert(db, number, now=now)
    assert dump(db) == before


def test_a_merged_memory_leaves_its_quotes(db: sqlite3.Connection, project: int, now: datetime) -> None:
    one, two = twice(db, project, now)
    source = entry(db, project, "For every package in this repository, use pnpm.", now)
    ids = dict(db.execute("select uid, id from memories").fetchall())
    db.execute(
        "insert into memory_sources (memory_id, entry_id, quote, created_at) values (?, ?, 'use pnpm', ?)",
        [ids[two], source, utc_text(now)],
    )
    propose_all(db, find(db, ("duplicate",), vectors=StaticVectors()), now=now)
    proposals.accept(db, 1, HANDLERS, now=now)
    moved = db.execute("select entry_id, quote from memory_sources where memory_id = ?", [ids[one]]).fetchall()
    assert [tuple(row) for row in moved] == [(source, "use pnpm")]
    proposals.revert(db, 1, now=now)
    assert db.execute("select count(*) from memory_sources where memory_id = ?", [ids[one]]).fetchone()[0] == 0


def test_a_proposed_suppression_is_carried_out_and_taken_back(
    db: sqlite3.Connection, project: int, now: datetime
) -> None:
    uid = say(db, project, "The office plants are watered on Mondays", now)
    proposals.propose(db, "suppress", 1, reason="not for deploys", by="test", now=now, text="deploy mondays")
    proposals.accept(db, 1, HANDLERS, now=now)
    answer = ask(db, Question("deploys on mondays", profile="keyword_only"), surface="test", now=now)
    assert [(hit.uid, hit.left_out_reason) for hit in answer.hits] == [(uid, "suppressed: not for deploys")]
    proposals.revert(db, 1, now=now)
    assert ask(db, Question("deploys on mondays", profile="keyword_only"), surface="test", now=now).shown


def test_a_batch_comes_back_exactly(db: sqlite3.Connection, project: int, now: datetime) -> None:
    make_echo(db, project, now)
    _, two = twice(db, project, now)
    before = dump(db)
    found = find(db, ("echo", "duplicate"), vectors=StaticVectors())
    batch = retire_all(db, found, now=now)
    assert set(batch.retired) == {each.uid for each in found} and not batch.left
    assert [(row["batch"], row["memories"]) for row in batches(db)] == [(batch.name, 2)]
    assert find(db, ("echo", "duplicate"), vectors=StaticVectors()) == []
    reason = db.execute("select change_reason, changed_by from memories where uid = ?", [two]).fetchone()
    assert reason["change_reason"].startswith("duplicate: says the same as") and batch.name in reason["changed_by"]
    undone = undo(db, batch.name, now=now + timedelta(minutes=1))
    assert set(undone.restored) == set(batch.retired) and dump(db) == before and batches(db) == []
    with pytest.raises(NotFoundError):
        undo(db, batch.name, now=now)
    again = retire_all(db, found, now=now + timedelta(minutes=2))
    assert set(again.retired) == set(batch.retired) and again.name != batch.name


def test_undoing_tramples_on_nothing(db: sqlite3.Connection, project: int, now: datetime) -> None:
    echo = make_echo(db, project, now)
    one, two = twice(db, project, now)
    batch = retire_all(db, find(db, ("echo", "duplicate"), vectors=StaticVectors()), now=now)
    restore(db, echo, by="user", reason="wanted", now=now)
    db.execute(
        "update memories set status = 'superseded', changed_by = 'user', updated_at = ? where uid = ?",
        [utc_text(now + timedelta(minutes=1)), two],
    )
    undone = undo(db, batch.name, now=now + timedelta(minutes=2))
    assert [uid for uid, _ in undone.left] == [two] and "changed since" in undone.left[0][1]
    status = dict(db.execute("select uid, status from memories").fetchall())
    assert (status[echo], status[two], status[one]) == ("active", "superseded", "active")


def test_what_is_protected_or_was_declined_is_left_alone(db: sqlite3.Connection, project: int, now: datetime) -> None:
    echo = make_echo(db, project, now)
    _, two = twice(db, project, now)
    found = find(db, ("echo", "duplicate"), vectors=StaticVectors())
    propose_all(db, found, now=now)
    declined = db.execute("select id from proposals where kind = 'merge'").fetchone()[0]
    proposals.decline(db, declined, now=now)
    locks.lock(db, echo, by="user", reason="mine", now=now)
    batch = retire_all(db, found, now=now)
    assert batch.retired == ()
    assert dict(batch.left) == {echo: "locked, or your own explicit word", two: "you declined that before"}


def test_an_open_proposal_is_settled_by_the_batch(db: sqlite3.Connection, project: int, now: datetime) -> None:
    make_echo(db, project, now)
    found = find(db, ("echo",), vectors=StaticVectors())
    propose_all(db, found, now=now)
    retire_all(db, found, now=now)
    assert [tuple(row) for row in db.execute("select kind, state from proposals")] == [("retire", "accepted")]


# ------------------------------------------------------------------------------ stale


def test_stale_by_age_by_files_and_by_contradiction(db: sqlite3.Connection, project: int, now: datetime) -> None:
    old = say(db, project, "There is a flaky test in the api", now, kind="issue", created_at="2026-01-01T00:00:00Z")
    fresh = say(db, project, "Ruff runs before each commit", now)
    about = say(db, project, "The port is set in compose.yaml", now, paths=["deploy/compose.yaml"],
                created_at=(now - timedelta(days=3)).isoformat())  # fmt: skip
    last = entry(db, project, "edited", now)
    for number, (path, tool, error) in enumerate(
        (
            ("/home/sam/code/harbour/deploy/compose.yaml", "Edit", 0),
            ("/home/sam/code/harbour/other/compose.yaml", "Edit", 0),
            ("/home/sam/code/harbour/deploy/compose.yaml", "Read", 0),
            ("/home/sam/code/harbour/deploy/compose.yaml", "Edit", 1),
        )
    ):
        db.execute(
            "insert into actions (uid, entry_id, session_id, tool, target, input, is_error, created_at)"
            " values (?, ?, ?, ?, ?, '{}', ?, ?)",
            [f"a{number}", last, last, tool, path, error, utc_text(now)],
        )
    rows = {(row["uid"], row["why"]): row["reason"] for row in db.execute("select * from stale_memories")}
    assert rows[old, "not seen"] == "not said or confirmed for 304 days, its half-life is 60 days"
    assert rows[about, "file changed"] == f"deploy/compose.yaml was edited 1 time since, last on {now.date()}"
    assert set(rows) == {(old, "not seen"), (about, "file changed")}
    add_evidence(db, 1, "confirmed", "for", 1.0, "user", created_at=utc_text(now), now=now)
    add_evidence(db, 3, "confirmed", "for", 1.0, "user", created_at=utc_text(now), now=now)
    assert db.execute("select count(*) from stale_memories").fetchone()[0] == 0
    db.execute(
        "insert into contradictions (memory_id, other_memory_id, found_by, reason, score, quote, other_quote, found_at)"
        " values (1, 2, 'test', 'x', 1, 'a', 'b', ?)",
        [utc_text(now)],
    )
    rows = {(row["uid"], row["why"]) for row in db.execute("select * from stale_memories")}
    assert rows == {(old, "contradicted"), (fresh, "contradicted")}


def test_an_edit_in_its_own_session_does_not_make_it_stale(db: sqlite3.Connection, project: int, now: datetime) -> None:
    say(db, project, "The port is set in compose.yaml", now, paths=["compose.yaml"],
        created_at=(now - timedelta(hours=1)).isoformat())  # fmt: skip
    source = entry(db, project, "The port is set in compose.yaml", now - timedelta(hours=1))
    db.execute(
        "insert into memory_sources (memory_id, entry_id, quote, created_at) values (1, ?, 'port', ?)",
        [source, utc_text(now)],
    )
    db.execute(
        "insert into actions (uid, entry_id, session_id, tool, target, input, is_error, created_at)"
        " values ('a', :entry, :entry, 'Edit', '/home/sam/code/harbour/compose.yaml', '{}', 0, :at)",
        {"entry": source, "at": utc_text(now)},
    )
    assert db.execute("select count(*) from stale_memories").fetchone()[0] == 0


# ---------------------------------------------------------------------------- command


@pytest.fixture
def run(db_path: Path, db: sqlite3.Connection, project: int, now: datetime) -> Callable[..., Result]:
    db.execute(
        "insert into settings (name, value, changed_at) values ('embedding_model', '\"none\"', ?)", [utc_text(now)]
    )
    make_echo(db, project, now)
    twice(db, project, now)
    return lambda *arguments: CliRunner().invoke(cli, ["-d", str(db_path), "memory", "junk", *arguments])


def test_the_command_lists_and_counts(run: Callable[..., Result]) -> None:
    listed = run()
    assert listed.exit_code == 0 and "2 memories: 1 echo, 1 duplicate." in listed.output
    assert [each["junk"] for each in json.loads(run("--json").output)] == ["echo", "duplicate"]
    assert [each["junk"] for each in json.loads(run("--kind", "echo", "--json").output)] == ["echo"]
    assert json.loads(run("--kind", "never-shown", "--json").output) == []
    assert "No junk." in run("--kind", "ignored").output
    rows = json.loads(run("--by-prompt", "--json").output)
    assert {row["version"]: row["junk"] for row in rows if row["method"] == "model"} == {"v2": 1}
    assert "share" in run("--by-prompt").output


def test_the_command_retires_after_a_look_and_undoes(
    run: Callable[..., Result], db_path: Path, db: sqlite3.Connection
) -> None:
    before = dump(db)
    assert "Retire which kind?" in run("--retire").output
    refused = run("--retire", "--kind", "echo")
    assert refused.exit_code == 1 and "Nobody can be asked" in refused.output and dump(db) == before
    looked = run("--retire", "--kind", "echo", "--dry-run")
    assert "Would retire 1 (dry run)." in looked.output and dump(db) == before
    done = run("--retire", "--kind", "echo", "--yes")
    assert "Retired 1. To take it back: memory-db memory junk --undo j" in done.output
    name = done.output.split()[-1]
    assert name in run("--batches").output
    assert "Restored 1." in run("--undo", name).output and dump(db) == before
    with closing(connect(db_path)) as plain:
        assert [row[0] for row in plain.execute("select state from proposals")] == ["reverted"]
    gone = run("--undo", "jffffffff")
    assert gone.exit_code == 1 and gone.output.startswith("Error: There is no batch")


def test_the_command_proposes(run: Callable[..., Result], db: sqlite3.Connection) -> None:
    assert "Proposed: 1 merge, 1 retire. `memory-db review`" in run("--propose").output
    assert "2 known" in run("--propose").output
    assert json.loads(run("--retire", "--kind", "echo", "--yes", "--json").output)["left"] == {}
    assert (
        db.execute("select count(*) from proposals where proposed_by = ?", [junk_retiring.PROPOSED_BY]).fetchone()[0]
        == 2
    )
