"""What a model would not keep of the rules' memories waits for a person; what it only says better is not lost."""

from __future__ import annotations

import sqlite3
from datetime import datetime

import pytest

from memory_db.extract.model.prompts import Prompt
from memory_db.extract.model.read import read_portion
from memory_db.gate import run as gate
from memory_db.gate.apply import write
from memory_db.gate.revert import revert, revert_all, standing
from memory_db.gate.review import queue
from memory_db.gate.review.relate import relate
from memory_db.knowledge import proposals
from memory_db.knowledge.evidence import give_feedback
from memory_db.knowledge.locks import lock
from memory_db.knowledge.memories import add_memory
from memory_db.knowledge.retire import restore, retire
from tests.support.candidates import RULES, add_runs, decided, propose
from tests.support.scripted_model import ScriptedModel, answer, memory
from tests.support.session_rows import add_entry, add_project, add_session

TALK = "The wiki eats every port that it can get, always."
RULE = "Always run the smoke test before you publish."
OLD, NEW = "The staging server listens on port 8040.", "The staging server no longer listens on port 8040, but on 9090."


@pytest.fixture
def session(db: sqlite3.Connection) -> int:
    add_runs(db)
    session = add_session(db, add_project(db))
    add_entry(db, session, "user", "prompt", "Please publish a release.")
    add_entry(db, session, "assistant", "reply", "The smoke test needs port 8040, because 8000 is taken by the wiki.")
    return session


def kept(db: sqlite3.Connection, session: int, now: datetime, *texts: str) -> list[str]:
    """What the rules keep of some messages, as uids; the candidates are called by their number from 0."""
    for number, text in enumerate(texts):
        entry = add_entry(db, session, "user", "prompt", text)
        propose(db, f"{session}.{number}", text, entry, by=RULES)
    gate.run(db, now=now)
    rows = {row["text"]: row["uid"] for row in db.execute("select text, uid from memories")}
    return [rows[text] for text in texts]


def read(db: sqlite3.Connection, session: int, prompt: Prompt, now: datetime, doubted: object,
         *memories: dict, model_id: str = "scripted") -> ScriptedModel:  # fmt: skip
    """Lets a model read a session and decides on what it says; the model."""
    model = ScriptedModel([answer(*memories) | {"doubted": doubted}], model_id=model_id)
    read_portion(db, session, model=model, prompt=prompt, run_id=2, now=now)
    gate.run(db, now=now)
    return model


def doubt(uid: str, why: str = "talk") -> dict[str, str]:
    return {"uid": uid, "why": why}


def status(db: sqlite3.Connection, uid: str) -> str:
    return str(db.execute("select status from memories where uid = ?", [uid]).fetchone()[0])


def evidence(db: sqlite3.Connection) -> list[tuple]:
    rows = db.execute("select m.uid, e.source, e.note from evidence e join memories m on m.id = e.memory_id"
                      " where e.kind = 'doubted' order by e.id")  # fmt: skip
    return [tuple(row) for row in rows]


def test_what_a_model_would_not_keep_waits_for_a_person(
    db: sqlite3.Connection, session: int, prompt: Prompt, now: datetime
) -> None:
    talk, rule = kept(db, session, now, TALK, RULE)
    model = read(db, session, prompt, now, [doubt(talk)])
    assert f'{{"kept": "{talk}", "entry": 3, "text": "{TALK}"}}' in model.asked[0][1]
    assert f'"known": "{talk}"' not in model.asked[0][1]
    assert (status(db, talk), status(db, rule)) == ("retired", "active")
    reason = "scripted read the conversation and would not keep it: it is small talk or a joke; keep it all the same?"
    assert decided(db, f"{session}.0") == ("propose", reason)
    assert evidence(db) == [(talk, "model extract scripted", "it is small talk or a joke")]


def test_one_word_of_a_person_keeps_it_for_good(
    db: sqlite3.Connection, session: int, prompt: Prompt, now: datetime
) -> None:
    (talk,) = kept(db, session, now, TALK)
    read(db, session, prompt, now, [doubt(talk)])
    number = db.execute("select id from candidates where uid = ?", [f"{session}.0"]).fetchone()[0]
    assert queue.accept(db, f"c{number}", now=now)["memory"] == talk
    assert status(db, talk) == "active"
    other = read(db, session, prompt, now, [doubt(talk)], model_id="another")
    assert '"kept"' not in other.asked[0][1]
    assert status(db, talk) == "active"


@pytest.mark.parametrize("touch", ["lock", "confirm", "used", "elsewhere", "declined", "tied"])
def test_what_a_person_or_another_session_bears_out_is_not_looked_over(
    db: sqlite3.Connection, session: int, prompt: Prompt, now: datetime, touch: str
) -> None:
    (talk,) = kept(db, session, now, TALK)
    if touch == "lock":
        lock(db, talk, by="user", reason="mine", now=now)
    elif touch in ("confirm", "used"):
        give_feedback(db, talk, touch.replace("confirm", "confirmed"), now=now)
    elif touch == "declined":
        number = db.execute("select id from memories where uid = ?", [talk]).fetchone()[0]
        asked = proposals.propose(db, "retire", number, reason="old", by="somebody", now=now)
        proposals.decline(db, asked or 0, now=now)
    elif touch == "tied":
        other = add_memory(db, text="The wiki is Ada's.", kind="domain", scope="project", project_id=1, now=now)
        relate(db, other, talk, "supports", by="user", reason="so it is", now=now)
    else:
        entry = add_entry(db, add_session(db, 1), "user", "prompt", TALK)
        propose(db, "again", TALK, entry, by=RULES)
        gate.run(db, now=now)
    model = read(db, session, prompt, now, [doubt(talk)])
    assert '"kept"' not in model.asked[0][1]
    assert status(db, talk) == "active" and evidence(db) == []
    left_out = db.execute("select left_out from model_calls").fetchone()[0]
    assert "doubt 1: its uid is none of those listed as kept" in left_out


def test_what_was_confirmed_after_it_was_doubted_stays(
    db: sqlite3.Connection, session: int, prompt: Prompt, now: datetime
) -> None:
    (talk,) = kept(db, session, now, TALK)
    model = ScriptedModel([answer() | {"doubted": [doubt(talk)]}])
    read_portion(db, session, model=model, prompt=prompt, run_id=2, now=now)
    give_feedback(db, talk, "confirmed", now=now)
    gate.run(db, now=now)
    assert status(db, talk) == "active"


def test_what_is_tied_to_others_is_left_to_a_person_whole(
    db: sqlite3.Connection, session: int, prompt: Prompt, now: datetime
) -> None:
    old, new = kept(db, session, now, OLD, NEW)
    assert (status(db, old), status(db, new)) == ("superseded", "active")
    read(db, session, prompt, now, [doubt(new, "asked")])
    assert (status(db, old), status(db, new)) == ("superseded", "active")
    asked = db.execute("select m.uid, p.kind, p.state, p.reason from proposals p join memories m on m.id = p.memory_id")
    assert [tuple(row) for row in asked] == [
        (new, "retire", "open", "scripted read the conversation and would not keep it: it was only asked or supposed")
    ]


def test_better_words_for_the_same_stand_in_its_place(
    db: sqlite3.Connection, session: int, prompt: Prompt, now: datetime
) -> None:
    (rule,) = kept(db, session, now, RULE)
    better = "The smoke test of tidepool runs before each release is published."
    read(db, session, prompt, now, [doubt(rule, "empty")], memory(RULE, 4, text=better))
    assert active(db) == {better: rule}
    number = db.execute("select d.id from decisions d where action = 'merge'").fetchone()[0]
    revert(db, number, now=now)
    assert active(db) == {RULE: rule}


@pytest.mark.parametrize("better", ["Should the smoke test run before each release?", ""])
def test_the_rules_words_stay_where_there_are_no_better_ones(
    db: sqlite3.Connection, session: int, prompt: Prompt, now: datetime, better: str
) -> None:
    (rule,) = kept(db, session, now, RULE)
    read(db, session, prompt, now, [doubt(rule, "empty")], *([memory(RULE, 4, text=better)] if better else []))
    assert active(db) == {RULE: rule}
    assert decided(db, f"{session}.0")[0] == "add"


def test_what_is_said_again_elsewhere_is_kept(
    db: sqlite3.Connection, session: int, prompt: Prompt, now: datetime
) -> None:
    (rule,) = kept(db, session, now, RULE)
    read(db, session, prompt, now, [doubt(rule, "for now")])
    assert active(db) == {}
    propose(db, "again", RULE, add_entry(db, add_session(db, 1), "user", "prompt", RULE), by=RULES)
    gate.run(db, now=now)
    assert list(active(db)) == [RULE]
    number = db.execute("select id from candidates where uid = ?", [f"{session}.0"]).fetchone()[0]
    assert queue.accept(db, f"c{number}", now=now)["action"] == "duplicate"
    assert list(active(db)) == [RULE]


def test_rules_that_read_the_same_words_again_do_not_bring_it_back(
    db: sqlite3.Connection, session: int, prompt: Prompt, now: datetime
) -> None:
    (talk,) = kept(db, session, now, TALK)
    read(db, session, prompt, now, [doubt(talk)])
    propose(db, "again", "The wiki eats every port.", 3, quote=TALK[:24], by=RULES)
    gate.run(db, now=now)
    assert active(db) == {} and decided(db, "again")[0] == "duplicate"


def test_the_doubt_can_be_reverted(db: sqlite3.Connection, session: int, prompt: Prompt, now: datetime) -> None:
    (talk,) = kept(db, session, now, TALK)
    read(db, session, prompt, now, [doubt(talk)])
    (number,) = db.execute("select id from decisions where json_extract(effects, '$.would') = 'restore'").fetchone()
    revert(db, number, now=now)
    assert active(db) == {TALK: talk}
    gate.run(db, now=now)
    assert active(db) == {TALK: talk}


def test_candidates_of_others_go_on_waiting_beside_it(
    db: sqlite3.Connection, session: int, prompt: Prompt, now: datetime
) -> None:
    (talk,) = kept(db, session, now, TALK)
    entry = add_entry(db, add_session(db, 1), "assistant", "reply", "The wiki eats ports, all of them, always.")
    propose(db, "found", "The printer eats paper, always.", entry)
    numbers = [db.execute(f"select id from {table} where uid = ?", [uid]).fetchone()[0]
               for table, uid in (("candidates", "found"), ("memories", talk))]  # fmt: skip
    write(db, numbers[0], "propose", numbers[1], "may replace it", {}, by="gate", now=now)
    before = decided(db, "found")
    read(db, session, prompt, now, [doubt(talk)])
    assert decided(db, "found") == before


def number_of(db: sqlite3.Connection, session: int) -> str:
    """The first candidate of the rules as review names it."""
    return f"c{db.execute('select id from candidates where uid = ?', [f'{session}.0']).fetchone()[0]}"


@pytest.mark.parametrize("way", ["declined first", "reverted first", "restored first"])
def test_it_comes_back_as_the_memory_that_it_was(
    db: sqlite3.Connection, session: int, prompt: Prompt, now: datetime, way: str
) -> None:
    (talk,) = kept(db, session, now, TALK)
    read(db, session, prompt, now, [doubt(talk)])
    item = number_of(db, session)
    if way == "declined first":
        queue.decline(db, item, now=now)
    elif way == "reverted first":
        revert(db, queue.accept(db, item, now=now)["decision"], now=now)
    else:
        restore(db, talk, by="user", reason="mine", now=now)
    assert queue.accept(db, item, now=now)["memory"] == talk
    assert active(db) == {TALK: talk}


def test_what_a_person_turned_down_is_not_known_anew_by_being_said_again(
    db: sqlite3.Connection, session: int, prompt: Prompt, now: datetime
) -> None:
    (talk,) = kept(db, session, now, TALK)
    read(db, session, prompt, now, [doubt(talk)])
    queue.decline(db, number_of(db, session), now=now)
    propose(db, "again", TALK, add_entry(db, add_session(db, 1), "user", "prompt", TALK), by=RULES)
    gate.run(db, now=now)
    assert active(db) == {} and decided(db, "again")[0] == "duplicate"


def test_taking_back_all_that_the_rules_did_does_not_bring_it_back(
    db: sqlite3.Connection, session: int, prompt: Prompt, now: datetime
) -> None:
    talk, rule = kept(db, session, now, TALK, RULE)
    read(db, session, prompt, now, [doubt(talk)])
    revert_all(db, standing(db, run=1), now=now)
    assert (status(db, talk), status(db, rule)) == ("retired", "retired")


def test_a_summary_of_the_session_is_no_better_word(
    db: sqlite3.Connection, session: int, prompt: Prompt, now: datetime
) -> None:
    first = add_session(db, 1)
    entry = add_entry(db, first, "user", "prompt", RULE)
    for role, kind, text in (("assistant", "reply", "Done, the release is out."), ("user", "prompt", "Thanks a lot.")):
        add_entry(db, first, role, kind, text)
    propose(db, f"{session}.0", RULE, entry, by=RULES)
    gate.run(db, now=now)
    (rule,) = active(db).values()
    model = ScriptedModel(
        [answer(learned="The smoke test runs before you publish.") | {"doubted": [doubt(rule, "empty")]}]
    )
    read_portion(db, first, model=model, prompt=prompt, run_id=2, now=now)
    gate.run(db, now=now)
    assert active(db) == {RULE: rule}


def test_another_fact_of_the_message_takes_nobodys_place(
    db: sqlite3.Connection, session: int, prompt: Prompt, now: datetime
) -> None:
    both = f"{RULE} The staging server listens on port 8040."
    entry = add_entry(db, session, "user", "prompt", both)
    propose(db, f"{session}.0", RULE, entry, quote=RULE, by=RULES)
    gate.run(db, now=now)
    (rule,) = active(db).values()
    port = "The staging server of tidepool listens on port 8040."
    read(db, session, prompt, now, [doubt(rule, "empty")], memory(both, 3, text=port))
    assert active(db)[RULE] == rule and port in active(db)


def test_better_words_are_given_once(db: sqlite3.Connection, session: int, prompt: Prompt, now: datetime) -> None:
    (rule,) = kept(db, session, now, RULE)
    words = [f"The smoke test of tidepool runs before {each}." for each in ("publishing", "each of its releases")]
    read(db, session, prompt, now, [doubt(rule, "empty")], *(memory(RULE, 4, text=text) for text in words))
    assert len([uid for uid in active(db).values() if uid == rule]) == 1
    merged = db.execute("select count(*) from decisions where json_extract(effects, '$.is_wording')").fetchone()[0]
    assert merged == 1


@pytest.mark.parametrize("touch", ["lock", "retire", "add"])
def test_what_a_person_does_before_the_gate_reads_the_doubt_goes_first(
    db: sqlite3.Connection, session: int, prompt: Prompt, now: datetime, touch: str
) -> None:
    (talk,) = kept(db, session, now, TALK)
    model = ScriptedModel([answer() | {"doubted": [doubt(talk)]}])
    read_portion(db, session, model=model, prompt=prompt, run_id=2, now=now)
    if touch == "lock":
        lock(db, talk, by="user", reason="mine", now=now)
    elif touch == "retire":
        retire(db, talk, by="user", reason="mine", now=now)
    else:
        assert add_memory(db, text=TALK, kind="convention", scope="project", project_id=1, now=now) == talk
    gate.run(db, now=now)
    assert status(db, talk) == ("retired" if touch == "retire" else "active")
    assert decided(db, f"{session}.0")[0] == "add"


def active(db: sqlite3.Connection) -> dict[str, str]:
    """The memories that hold, but for episodes: their uids by their texts."""
    rows = db.execute("select text, uid from memories where status = 'active' and kind <> 'episode'")
    return {row["text"]: row["uid"] for row in rows}


def test_a_dry_run_doubts_nothing(db: sqlite3.Connection, session: int, prompt: Prompt, now: datetime) -> None:
    (talk,) = kept(db, session, now, TALK)
    db.execute("update extraction_runs set is_dry_run = 1 where id = 2")
    read(db, session, prompt, now, [doubt(talk)])
    assert status(db, talk) == "active" and evidence(db) == []


def test_a_person_who_says_that_it_is_doubtful_takes_nothing_back(
    db: sqlite3.Connection, session: int, now: datetime
) -> None:
    (talk,) = kept(db, session, now, TALK)
    give_feedback(db, talk, "doubted", now=now)
    gate.run(db, now=now)
    assert status(db, talk) == "active"


@pytest.mark.parametrize(
    ("doubted", "reason"),
    [
        ("all of them", ""),
        (None, ""),
        ([7], "doubt 1: its uid is none of those listed as kept"),
        ([{"uid": 3, "why": "talk"}], "doubt 1: its uid is none of those listed as kept"),
        ([{"uid": "m000000000", "why": "talk"}], "doubt 1: its uid is none of those listed as kept"),
        ([{"uid": "UID", "why": "I do not like it"}], "doubt 1: its why is none of those listed"),
        ([{"uid": "UID"}], "doubt 1: its why is none of those listed"),
    ],
)
def test_what_is_no_doubt_is_left_out_with_its_reason(
    db: sqlite3.Connection, session: int, prompt: Prompt, now: datetime, doubted: object, reason: str
) -> None:
    (talk,) = kept(db, session, now, TALK)
    if isinstance(doubted, list):
        named = [isinstance(each, dict) and each["uid"] == "UID" for each in doubted]
        doubted = [each | {"uid": talk} if is_named else each for each, is_named in zip(doubted, named, strict=True)]
    read(db, session, prompt, now, doubted)
    assert status(db, talk) == "active" and evidence(db) == []
    assert reason in (db.execute("select left_out from model_calls").fetchone()[0] or "")


def test_the_same_doubt_counts_once(db: sqlite3.Connection, session: int, prompt: Prompt, now: datetime) -> None:
    (talk,) = kept(db, session, now, TALK)
    read(db, session, prompt, now, [doubt(talk), doubt(talk, "asked")])
    assert len(evidence(db)) == 1
    changes = db.total_changes
    gate.run(db, now=now)
    assert db.total_changes == changes
