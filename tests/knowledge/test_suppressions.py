"""What a person holds back for a sort of question is not shown for it, stays in the log, and comes for any other."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from memory_db.cli import cli
from memory_db.errors import InputError, NotFoundError
from memory_db.knowledge import suppressions
from memory_db.knowledge.memories import add_memory
from memory_db.knowledge.suppressions import end_suppression, held_back, is_met, stem, stems, suppress
from memory_db.recall.brief.select import ask
from memory_db.recall.explain.why import explain_hit, explain_recall
from memory_db.recall.question import question_of
from memory_db.recall.search import Effort, Question
from memory_db.store.connection import connect

TEXT = "Deploy to staging with the blue script, never by hand"


def remember(db: sqlite3.Connection, now: datetime, text: str = TEXT) -> str:
    return add_memory(db, text=text, kind="convention", scope="user", now=now)


def shown(db: sqlite3.Connection, query: str, now: datetime, **options: object) -> list[str]:
    answer = ask(db, question_of(query, {"profile": "keyword_only", **options}), surface="test", now=now, log=False)
    return [hit.uid for hit in answer.shown]


def test_it_is_held_back_for_such_questions_and_no_others(db: sqlite3.Connection, now: datetime) -> None:
    uid = remember(db, now)
    other = remember(db, now, "Staging deploys are announced in the channel first")
    suppress(db, uid, "deployment of staging", reason="only true for the old cluster", by="user", now=now)
    assert shown(db, "how do we deploy to staging", now) == [other]
    assert shown(db, "staging deployments, deployed how", now) == [other]
    assert uid in shown(db, "what does the blue script do", now)
    assert uid in shown(db, "how do we deploy by hand", now), "not all words of the pattern"


def test_a_word_that_was_corrected_is_one_that_was_asked(db: sqlite3.Connection, now: datetime) -> None:
    uid = remember(db, now, "Grafana listens behind the gateway")
    assert shown(db, "grafna gateway", now) == [uid], "asked for grafana instead"
    suppress(db, uid, "grafana gateway", reason="only true for the old cluster", by="user", now=now)
    assert shown(db, "grafna gateway", now) == []


def test_it_stays_among_the_hits_with_the_reason_and_why_shows_it(db: sqlite3.Connection, now: datetime) -> None:
    uid = remember(db, now)
    suppress(db, uid, "staging", reason="only true for the old cluster", by="user", now=now)
    answer = ask(db, Question("deploy to staging", profile="keyword_only"), surface="test", now=now)
    assert answer.abstained and answer.text == ""
    assert [(hit.uid, hit.left_out_reason) for hit in answer.hits] == [
        (uid, "suppressed: only true for the old cluster")
    ]
    assert answer.left_out == {"suppressed": 1}
    logged = db.execute("select rank, left_out_reason from hits").fetchall()
    assert [tuple(row) for row in logged] == [(None, "suppressed: only true for the old cluster")]
    explained = explain_hit(db, str(answer.recall_uid), uid)
    assert explained["outcome"].startswith("not shown: suppressed: only true for the old cluster")
    assert explain_recall(db, str(answer.recall_uid))["left_out"] == {"suppressed": 1}


def test_it_is_kept_however_low_it_scores(db: sqlite3.Connection, now: datetime) -> None:
    uid = remember(db, now, "The staging of the play was blue")
    suppress(db, uid, "deploy staging", reason="another staging", by="user", now=now)
    for number in range(70):
        remember(db, now, f"Deploy staging {number} deploy staging {number}")
    answer = ask(db, Question("deploy staging", profile="keyword_only"), surface="test", now=now)
    reasons = {hit.uid: hit.left_out_reason for hit in answer.hits}
    assert reasons[uid] == "suppressed: another staging"
    assert len(answer.shown) == 10


def test_an_entry_that_says_hardly_more_is_held_back_too(sample_db: sqlite3.Connection, now: datetime) -> None:
    row = sample_db.execute(
        "select m.uid, m.text, e.uid as entry from memories m join memory_sources q on q.memory_id = m.id"
        " join entries e on e.id = q.entry_id where 2 * length(q.quote) >= length(e.text) and length(m.text) < 80"
        " order by m.id limit 1"
    ).fetchone()
    before = ask(sample_db, Question(row["text"], limit=50), surface="test", now=now, log=False)
    assert row["uid"] in [hit.uid for hit in before.shown]
    suppress(sample_db, row["uid"], row["text"][:80], reason="outdated here", by="user", now=now)
    after = ask(sample_db, Question(row["text"], limit=50), surface="test", now=now, log=False)
    held = {hit.uid for hit in after.hits if hit.left_out_reason == "suppressed: outdated here"}
    assert {row["uid"], row["entry"]} <= held
    assert not {row["uid"], row["entry"]} & {hit.uid for hit in after.shown}


def test_as_of_goes_by_when_it_held(db: sqlite3.Connection, now: datetime) -> None:
    uid = remember(db, now)
    number = suppress(db, uid, "staging", reason="for a while", by="user", now=now + timedelta(days=2))
    assert end_suppression(db, number, now=now + timedelta(days=4))
    assert not end_suppression(db, number, now=now + timedelta(days=5))
    for days, is_shown in ((1, True), (3, False), (5, True)):
        moment = now + timedelta(days=days)
        assert shown(db, "deploy to staging", now + timedelta(days=9), as_of=moment.isoformat()) == [uid] * is_shown
    assert shown(db, "deploy to staging", now + timedelta(days=9)) == [uid]


def test_every_version_is_held_back_and_locked_ones_too(db: sqlite3.Connection, now: datetime) -> None:
    uid = remember(db, now)
    suppress(db, uid, "staging", reason="no", by="user", now=now)
    db.execute("update memories set text = text || ' at night', lock_level = 'user' where uid = ?", [uid])
    assert shown(db, "deploy staging night", now) == []


@pytest.mark.parametrize("pattern", ["", "   ", "what is the", "!!!", "how do we", "where"])
def test_a_pattern_that_fits_any_question_is_refused(db: sqlite3.Connection, now: datetime, pattern: str) -> None:
    uid = remember(db, now)
    with pytest.raises(InputError, match="no distinctive word"):
        suppress(db, uid, pattern, reason="x", by="user", now=now)
    assert db.execute("select count(*) from suppressions").fetchone()[0] == 0


def test_what_cannot_be_suppressed_is_said(db: sqlite3.Connection, now: datetime) -> None:
    uid = remember(db, now)
    with pytest.raises(NotFoundError):
        suppress(db, "mffffffff", "staging", reason="x", by="user", now=now)
    with pytest.raises(InputError, match="--reason"):
        suppress(db, uid, "staging", reason=" ", by="user", now=now)
    with pytest.raises(InputError, match="at most 200"):
        suppress(db, uid, "staging " * 30, reason="x", by="user", now=now)
    with pytest.raises(NotFoundError, match="no suppression 7"):
        end_suppression(db, 7, now=now)


def test_the_same_again_is_one_row_and_secrets_do_not_reach_the_file(db: sqlite3.Connection, now: datetime) -> None:
    uid = remember(db, now)
    secret = "ghp_" + "a1B2c3D4e5" * 4
    one = suppress(db, uid, "staging deploys", reason=f"key {secret} leaked", by="user", now=now)
    assert suppress(db, uid, "deploy staging", reason="again", by="user", now=now) == one
    row = db.execute("select * from suppressions").fetchall()
    assert len(row) == 1 and secret not in row[0]["reason"]
    end_suppression(db, one, now=now)
    assert suppress(db, uid, "deploy staging", reason="again", by="user", now=now) != one


def test_forms_of_a_word_are_one() -> None:
    for forms in (
        "deploy deploys deployed deploying deployment deployments",
        "migrate migrates migration migrations migrating migrated",
        "run runs running",
        "query queries",
        "cache caches cached caching",
        "install installed installing installs",
        "process processes processed",
        "retry retries retried",
        "status statuses",
    ):
        assert len({stem(word) for word in forms.split()}) == 1, forms
    for whole in ("string", "need", "moment", "bus", "this", "is", "as"):
        assert len(stem(whole)) >= min(3, len(whole) - 1), whole
    assert stem("string") == "string" and stem("speed") == "speed"


@given(st.text("abdeginorsty", max_size=12), st.text("abdeginorsty ", max_size=60))
def test_a_stem_keeps_the_first_letters(word: str, text: str) -> None:
    assert stem(word)[:3] == word[:3]
    asked = stems(text)
    met = is_met(word, asked, {each[:3] for each in asked})
    assert met == (bool(stems(word)) and stems(word) <= asked)


@given(st.text(max_size=200), st.text(max_size=60))
@pytest.mark.slow
def test_a_pattern_is_met_by_any_text_that_holds_it(text: str, pattern: str) -> None:
    asked = stems(f"{text} {pattern} {text}")
    assert stems(pattern) <= asked
    assert is_met(pattern, asked, {word[:3] for word in asked}) == bool(stems(pattern))
    if text.isascii():  # elsewhere a capital may be another letter's: that of a dotless i is I
        assert stems(text) == stems(text.upper())


def test_nothing_is_asked_of_the_file_but_one_query_while_nothing_is_suppressed(
    db: sqlite3.Connection, now: datetime
) -> None:
    asked: list[str] = []
    db.set_trace_callback(asked.append)
    assert held_back(db, "deploy to staging", now) == {}
    db.set_trace_callback(None)
    assert len(asked) == 1


@pytest.mark.slow
def test_the_command_makes_lists_and_ends_them(db_path: Path, db: sqlite3.Connection, now: datetime) -> None:
    uid = remember(db, now)
    base = ["-d", str(db_path), "memory", "suppress"]
    run = CliRunner().invoke
    done = run(cli, [*base, uid, "--for", "staging deploys", "--reason", "old cluster"])
    assert done.exit_code == 0, done.output
    assert f"Suppression 1: {uid} is held back" in done.output
    listed = json.loads(run(cli, [*base, "--list", "--json"]).output)
    assert [(row["uid"], row["pattern"], row["ended_at"]) for row in listed] == [(uid, "staging deploys", None)]
    assert "old cluster" in run(cli, base).output
    recalled = run(cli, ["-d", str(db_path), "recall", "deploy staging", "--explain"])
    assert uid not in recalled.output.partition("Considered")[0]
    assert "1 suppressed" in recalled.output
    assert "Suppression 1 ends (not kept: dry run)" in run(cli, [*base, "--end", "1", "--dry-run"]).output
    assert "Suppression 1 ends." in run(cli, [*base, "--end", "1"]).output
    assert "ended already" in run(cli, [*base, "--end", "1"]).output
    refused = run(cli, [*base, uid])
    assert refused.exit_code == 1 and "--for WORDS --reason WHY" in refused.output
    with closing(connect(db_path)) as plain:
        assert plain.execute("select count(*) from suppressions where ended_at is not null").fetchone()[0] == 1


def test_hooks_hold_it_back_as_well(db: sqlite3.Connection, now: datetime) -> None:
    uid = remember(db, now)
    suppress(db, uid, "staging", reason="no", by="user", now=now)
    question = Question("deploy to staging", profile="hook", effort=Effort(most_terms=8))
    answer = ask(db, question, surface="hook", now=now, log=False)
    assert [hit.left_out_reason for hit in answer.hits] == ["suppressed: no"]
    assert suppressions.list_suppressions(db)[0]["uid"] == uid
