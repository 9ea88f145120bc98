"""What the views say of shown memories, counted by hand."""

from __future__ import annotations

import sqlite3
from datetime import datetime, timedelta

from memory_db.feedback import run as feedback
from memory_db.store.connection import transaction
from memory_db.store.dates import utc_text
from tests.support.feedback_sessions import Session, add_memories, add_recall, leave_out
from tests.support.rows import rows

TOLD = {
    "port": {"kind": "environment", "text": "The staging database listens on port 5433, behind the bastion host."},
    "index": {"kind": "correction", "text": "Use postgresql_concurrently for every index on the readings table."},
    "npm": {"kind": "correction", "text": "Never run `npm install --legacy-peer-deps` here, it breaks CI."},
    "zone": {"kind": "convention", "text": "Times are always shown in the station's local time."},
}


def play(db: sqlite3.Connection, now: datetime) -> dict[str, str]:
    """Two sessions: the first is told and corrected all the same, the second obeys."""
    uids = add_memories(db, TOLD, now - timedelta(days=30))
    Session(db, "one", now, uids).play([
        {"prompt": "add an index for harbour"}, {"brief": ["zone", "npm", "port", "index"]},
        {"edit": {"new": "create_index('h')", "old": "pass"}}, {"run": "npm install --legacy-peer-deps"},
        {"reply": "Done; staging is on 5433 ({port})."},
        {"prompt": "I told you: use postgresql_concurrently for every index on the readings table"},
        {"reply": "Sorry."}, {"prompt": "{port} is wrong"}, {"reply": "Noted."},
    ])  # fmt: skip
    Session(db, "two", now + timedelta(hours=1), uids).play([
        {"prompt": "add an index for sensor"}, {"brief": ["index"]},
        {"edit": {"new": "create_index('s', postgresql_concurrently=True)", "old": "pass"}},
        {"reply": "Built it."}, {"prompt": "perfect"},
    ])  # fmt: skip
    feedback.run(db, now=now)
    return uids


def test_obeyed_and_wasted(db: sqlite3.Connection, now: datetime) -> None:
    uids = play(db, now)
    named = {uid: name for name, uid in uids.items()}
    columns = "obeyed, sessions_shown, sessions_obeyed, times_cited, times_used, times_corrected_again, times_broken"
    found = {
        named[str(uid)]: expected for uid, *expected in rows(db, f"select uid, {columns}, times_wrong from obeyed")
    }
    assert found == {
        "port": ["yes", 1, 1, 1, 0, 0, 0, 1],
        "index": ["not always", 2, 1, 0, 1, 1, 0, 0],
        "npm": ["no sign", 1, 0, 0, 0, 0, 1, 0],
        "zone": ["no sign", 1, 0, 0, 0, 0, 0, 0],
    }
    waste = rows(db, "select uid, times_shown, times_of_use, shown_tokens, unused_tokens, unused_share"
                     " from injection_waste")  # fmt: skip
    assert {named[str(uid)]: expected for uid, *expected in waste} == {
        "port": [1, 1, 20, 0, 0.0],
        "index": [2, 1, 40, 20, 0.5],
        "npm": [1, 0, 20, 20, 1.0],
        "zone": [1, 0, 20, 20, 1.0],
    }


def test_health_by_week(db: sqlite3.Connection, now: datetime) -> None:
    play(db, now)
    with transaction(db):
        for outcome in ("skipped", "skipped", "silent"):
            db.execute(
                "insert into hook_runs (hook, started_at, outcome) values ('user-prompt', ?, ?)",
                [utc_text(now), outcome],
            )
        add_recall(db, "two", [], now, surface="hook")
    sql = (
        "select recalls, abstained, shown_tokens, shown_memories, cited, used, wrong, cited_share, used_share,"
        " wrong_share, skipped_prompts from recall_health"
    )
    assert rows(db, sql) == [(3, 1, 100, 5, 1, 1, 1, 0.2, 0.2, 0.2, 2)]


def test_what_helped_from_a_low_rank_or_late(db: sqlite3.Connection, now: datetime) -> None:
    uids = add_memories(db, TOLD, now)
    session = Session(db, "one", now, uids)
    session.play([{"prompt": "staging?"}])
    with transaction(db):
        first = session.brief(["zone"])
        leave_out(db, first, uids["port"])
    session.play(
        [{"reply": "Which part?"}, {"prompt": "its database"}, {"brief": ["port"]}, {"reply": "5433 ({port})."}]
    )
    with transaction(db):
        session.brief(["index"], rank=5)
    session.play([{"reply": "Also mind {index}."}])
    feedback.run(db, now=now)
    sql = "select uid, rank, left_out_before, left_out_reason, sign from cited_low_ranked order by rank"
    assert rows(db, sql) == [
        (uids["port"], 1, 1, "beyond the limit", "cited"),
        (uids["index"], 5, 0, None, "cited"),
    ]


def test_known_but_not_shown(db: sqlite3.Connection, now: datetime) -> None:
    uids = add_memories(db, TOLD, now - timedelta(days=30))
    session = Session(db, "one", now, uids)
    session.play([{"prompt": "add an index"}, {"brief": ["zone"]}, {"reply": "Done."}])
    said = session.say("prompt", "use postgresql_concurrently for every index on the readings table")
    with transaction(db):
        for uid, entry_id in ((uids["index"], said), (uids["zone"], said)):
            db.execute(
                "insert into evidence (memory_id, kind, direction, weight, source, entry_id, created_at, recorded_at)"
                " select id, 'repeated', 'for', 1, 'entry x' || ?, ?, ?, '' from memories where uid = ?",
                [entry_id, entry_id, utc_text(session.at), uid],
            )
    feedback.run(db, now=now)
    found = rows(db, "select uid, session_uid, recalls_before, left_out_reason from known_but_not_shown")
    assert found == [(uids["index"], "one", 1, None)]


def test_a_correction_that_the_gate_had_counted_is_tied_to_what_was_shown(
    db: sqlite3.Connection, now: datetime
) -> None:
    uids = add_memories(db, TOLD, now - timedelta(days=30))
    session = Session(db, "one", now, uids)
    session.play([{"prompt": "add an index"}, {"brief": ["index"]}, {"reply": "Done."}])
    said = session.say("prompt", "no, use postgresql_concurrently for every index on the readings table")
    with transaction(db):
        db.execute(
            "insert into evidence (memory_id, kind, direction, weight, source, entry_id, created_at, recorded_at)"
            " select id, 'repeated', 'for', 1, 'entry ' || ?, ?, ?, '' from memories where uid = ?",
            [f"one-{session.number}", said, utc_text(session.at), uids["index"]],
        )
    feedback.run(db, now=now)
    found = rows(db, "select weight, recall_id is not null from evidence where kind = 'repeated'")
    assert found == [(1.0, 1)]
    assert rows(db, "select times_corrected_again, obeyed from obeyed") == [(1, "no")]
    assert rows(db, "select * from known_but_not_shown") == []


def test_weak_labels_move_no_belief(db: sqlite3.Connection, now: datetime) -> None:
    uids = add_memories(db, TOLD, now - timedelta(days=30))
    before = rows(db, "select * from beliefs")
    Session(db, "one", now, uids).play([
        {"prompt": "what about staging?"}, {"brief": ["port", "npm", "zone"]},
        {"reply": "There is a bastion host before the database."}, {"run": "npm install --legacy-peer-deps"},
        {"prompt": "and who shows local times of the station? that might be outdated"}, {"reply": "The card."},
    ])  # fmt: skip
    counts = feedback.run(db, now=now)
    assert counts["weak_labels"] >= 3
    assert {row[0] for row in db.execute("select kind from weak_labels")} >= {
        "reply_overlap",
        "prompt_overlap",
        "broken",
    }
    assert rows(db, "select * from beliefs") == before
    assert db.execute("select count(*) from evidence where kind <> 'stated'").fetchone()[0] == 0


def test_the_arms_of_an_experiment(db: sqlite3.Connection, now: datetime) -> None:
    uids = add_memories(db, TOLD, now - timedelta(days=30))
    assert rows(db, "select * from holdout_effect") == []
    for number, (held, last) in enumerate([(1, "still broken"), (1, "thanks"), (0, "thanks"), (0, "go on")]):
        session = Session(db, f"s{number}", now + timedelta(hours=number), uids)
        session.play([{"prompt": "add an index"}, *([] if held else [{"brief": ["port"]}]), {"reply": "Done."},
                      {"prompt": last}])  # fmt: skip
        with transaction(db):
            db.execute("insert into holdouts values (?, ?, 0.5, ?)", [session.uid, held, utc_text(now)])
            db.execute(
                "insert into api_calls (message_uid, session_id, model, input_tokens, created_at)"
                " values (?, ?, 'x', ?, '')",
                [session.uid, session.id, 100 * (number + 1)],
            )
    feedback.run(db, now=now)
    sql = "select arm, sessions, prompts, mean_outcome_score, sessions_with_outcome, tokens_per_session,"
    assert rows(db, f"{sql} shown_tokens_per_session from holdout_effect order by arm") == [
        ("briefed", 2, 4, 1.0, 1, 350.0, 20.0),
        ("held out", 2, 4, 0.0, 2, 150.0, 0.0),
    ]
