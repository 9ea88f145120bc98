"""What a model finds after the rules did: restatements, named memories, findings of the agent, quotes out of place."""

from __future__ import annotations

import json
import sqlite3
from datetime import datetime

import pytest

from memory_db.errors import InputError
from memory_db.gate import run as gate
from memory_db.gate.revert import revert
from memory_db.gate.review import batches
from memory_db.gate.review import queue as review
from memory_db.store import settings
from memory_db.text.verdicts import READ_CHARACTERS
from tests.support.candidates import RULES, add_runs, decided, propose
from tests.support.session_rows import add_entry, add_project, add_session


@pytest.fixture
def talk(db: sqlite3.Connection) -> int:
    """A session of a project, and a run of the rules and one of a model."""
    add_runs(db)
    return add_session(db, add_project(db))


def uid_of_only(db: sqlite3.Connection) -> str:
    return str(db.execute("select uid from memories where status = 'active'").fetchone()[0])


RESTATED = (
    ("no, dont mock the db, we test against the real postgres",
     "Tests use the real Postgres; nobody mocks the database."),
    ("retries off for the webhook client please", "The webhook client has its retries on only if the user says so."),
    ("use pnpm, not npm, in this repo", "In this repository npm is not used, pnpm is."),
    ("staging is on 9090, not on 8081 any more", "Staging moved from 8081 to 9090."),
)  # fmt: skip


@pytest.mark.parametrize(("said", "told"), RESTATED)
def test_what_a_model_tells_of_the_same_words_contradicts_nothing(
    db: sqlite3.Connection, talk: int, now: datetime, said: str, told: str
) -> None:
    entry = add_entry(db, talk, "user", "prompt", said)
    propose(db, "rule", said, entry, by=RULES)
    gate.run(db, now=now)
    propose(db, "model", told, entry)
    gate.run(db, now=now)
    assert decided(db, "model")[0] in ("duplicate", "add")
    assert db.execute("select count(*) from contradictions").fetchone()[0] == 0
    assert db.execute("select count(*) from memories where status <> 'active'").fetchone()[0] == 0


def test_an_agent_that_repeats_the_users_word_contradicts_nothing(
    db: sqlite3.Connection, talk: int, now: datetime
) -> None:
    entry = add_entry(db, talk, "user", "prompt", "Never run migrations against staging from a laptop.")
    reply = add_entry(
        db, talk, "assistant", "reply", "Understood, I run migrations against staging from the deploy job."
    )
    add_entry(db, talk, "user", "prompt", "right, thanks")
    propose(db, "rule", "Never run migrations against staging from a laptop.", entry, by=RULES)
    gate.run(db, now=now)
    propose(db, "model", "Run migrations against staging from a laptop only in the deploy job.", reply)
    gate.run(db, now=now)
    assert decided(db, "model")[0] != "contradicts"
    assert db.execute("select count(*) from contradictions").fetchone()[0] == 0


@pytest.fixture
def known(db: sqlite3.Connection, talk: int, now: datetime) -> str:
    """The uid of a memory that holds in the project."""
    entry = add_entry(db, talk, "user", "prompt", "The export goes to the eu bucket.")
    propose(db, "old", "The export goes to the eu bucket.", entry, by=RULES)
    gate.run(db, now=now)
    return uid_of_only(db)


def test_a_memory_that_a_model_names_is_replaced_where_the_user_says_so(
    db: sqlite3.Connection, talk: int, known: str, now: datetime
) -> None:
    entry = add_entry(db, talk, "user", "prompt", "goes to the other account from now on")
    propose(db, "new", "Exports are written to the account of the vendor.", entry, hint=known)
    gate.run(db, now=now)
    assert decided(db, "new")[0] == "supersede"
    assert db.execute("select status from memories where uid = ?", [known]).fetchone()[0] == "superseded"


def test_a_memory_that_a_model_names_goes_before_a_person_where_nobody_says_so(
    db: sqlite3.Connection, talk: int, known: str, now: datetime
) -> None:
    entry = add_entry(db, talk, "user", "prompt", "the vendor account, please")
    propose(db, "new", "Exports are written to the account of the vendor.", entry, hint=f"{known}")
    gate.run(db, now=now)
    assert decided(db, "new")[0] == "contradicts"
    assert [item["sort"] for item in review.queue(db)] == ["contradiction"]


@pytest.mark.parametrize("trouble", ["no such memory", "locked", "holds elsewhere"])
def test_a_uid_that_cannot_be_replaced_is_refused_and_the_candidate_kept(
    db: sqlite3.Connection, talk: int, known: str, now: datetime, trouble: str
) -> None:
    hint = "m00000000" if trouble == "no such memory" else known
    if trouble == "locked":
        db.execute("update memories set lock_level = 'user'")
    elsewhere = add_session(db, add_project(db, "/home/d/other")) if trouble == "holds elsewhere" else 0
    entry = add_entry(db, elsewhere or talk, "user", "prompt", "goes to the other account from now on")
    propose(db, "new", "Invoices of the vendor are numbered from 1000.", entry, hint=hint)
    gate.run(db, now=now)
    action, reason = decided(db, "new")
    assert action == "add" and trouble in reason
    assert db.execute("select status from memories where uid = ?", [known]).fetchone()[0] == "active"


FINDING = "The image build hangs unless the vendor's bucket is on the allow-list."


def test_a_finding_with_nothing_behind_it_waits_before_the_person(
    db: sqlite3.Connection, talk: int, now: datetime
) -> None:
    add_entry(db, talk, "user", "prompt", "why does the build hang?")
    propose(db, "finding", FINDING, add_entry(db, talk, "assistant", "reply", FINDING), kind="quirk")
    gate.run(db, now=now)
    (item,) = review.queue(db)
    assert (item["waits_for"], item["would"]) == ("a person", "add")
    assert "rests on the word of the agent" in item["reason"]


@pytest.mark.parametrize(("answer", "action"), [("ah right, that's it", "add"), ("no, it is the proxy", "propose")])
def test_the_users_next_word_backs_a_finding_or_does_not(
    db: sqlite3.Connection, talk: int, now: datetime, answer: str, action: str
) -> None:
    propose(db, "finding", FINDING, add_entry(db, talk, "assistant", "reply", FINDING), kind="quirk")
    add_entry(db, talk, "user", "prompt", answer)
    gate.run(db, now=now)
    assert decided(db, "finding")[0] == action
    if action == "add":
        rows = db.execute("select kind, weight, note from evidence order by id").fetchall()
        assert [tuple(row) for row in rows] == [
            ("stated", 0.3, None),
            ("backed", 0.8, "the user's next words: ah right, that's it"),
        ]
        assert db.execute("select confidence from beliefs").fetchone()[0] < 0.8


def test_a_second_sighting_keeps_a_finding_that_waits(db: sqlite3.Connection, talk: int, now: datetime) -> None:
    propose(db, "first", FINDING, add_entry(db, talk, "assistant", "reply", FINDING), kind="quirk")
    gate.run(db, now=now)
    project = db.execute("select project_id from sessions where id = ?", [talk]).fetchone()[0]
    later = add_entry(db, add_session(db, project), "assistant", "reply", FINDING)
    propose(db, "second", FINDING, later, kind="quirk")
    gate.run(db, now=now)
    assert decided(db, "first")[0] == "add" and review.queue(db) == []


UNMEANT = (
    ("Use a subagent to find the port", "Use a subagent to find the port"),
    ("what if we moved the sessions to redis?", "what if we moved the sessions to redis?"),
    ("suppose we only ship to Norway, would the tax code hold?", "suppose we only ship to Norway"),
    ("Testing special characters: café naïve", "Testing special characters: café naïve"),
    ("haha sure, let us rewrite the whole billing in perl lol", "rewrite the whole billing in perl"),
    ("can you look at this mail?\n\nFrom: Tom\nSubject: ports\n\nThe gateway must listen on 7443.",
     "The gateway must listen on 7443."),
    ("here is the readme:\n```\nAlways run make lint before you push.\n```\nsummarise it",
     "Always run make lint before you push."),
    ('the vendor doc says "never call the endpoint more than once a second", is that us?',
     "never call the endpoint more than once a second"),
    ("skip the slow tests for now", "skip the slow tests for now"),
    ("rename the helper to load_rows", "rename the helper to load_rows"),
)  # fmt: skip


@pytest.mark.parametrize(("message", "quote"), UNMEANT)
def test_what_was_not_meant_to_last_is_not_kept_whatever_a_model_makes_of_it(
    db: sqlite3.Connection, talk: int, now: datetime, message: str, quote: str
) -> None:
    entry = add_entry(db, talk, "user", "prompt", message)
    propose(db, "sloppy", f"In this project it holds: {quote}.", entry, quote=quote)
    gate.run(db, now=now)
    action, reason = decided(db, "sloppy")
    is_open = "pasted" in reason or "somebody else" in reason
    assert action == ("propose" if is_open else "reject"), reason


def test_what_the_user_takes_back_in_the_next_message_is_not_kept(
    db: sqlite3.Connection, talk: int, now: datetime
) -> None:
    entry = add_entry(db, talk, "user", "prompt", "we use tabs in the sql files")
    add_entry(db, talk, "user", "prompt", "scratch that, leave them")
    propose(db, "sloppy", "SQL files are indented with tabs.", entry)
    gate.run(db, now=now)
    assert decided(db, "sloppy")[0] == "reject"


API_LIMIT = "the public api limit is 60 requests a minute per key."


@pytest.mark.parametrize(
    ("opening", "action"),
    [
        ("that's outdated. ", "supersede"),
        ("this is no longer true. ", "supersede"),
        ("", "contradicts"),
        ("is that outdated? ", "contradicts"),
        ("the docs are outdated. ", "contradicts"),
        ("that's outdated. push the branch first. ", "contradicts"),
    ],
)
def test_another_value_replaces_the_first_where_the_user_just_called_it_outdated(
    db: sqlite3.Connection, talk: int, now: datetime, opening: str, action: str
) -> None:
    propose(db, "first", API_LIMIT, add_entry(db, talk, "user", "prompt", API_LIMIT), by=RULES)
    gate.run(db, now=now)
    first = uid_of_only(db)
    quote = "the public api limit is 120 requests a minute per key since the map page"
    propose(db, "second", quote, add_entry(db, talk, "user", "prompt", opening + quote), quote=quote, by=RULES)
    gate.run(db, now=now)
    assert decided(db, "second")[0] == action, decided(db, "second")
    assert first in decided(db, "second")[1]


def test_only_the_sentence_beside_the_new_value_calls_the_old_one_outdated(
    db: sqlite3.Connection, talk: int, now: datetime
) -> None:
    propose(db, "first", API_LIMIT, add_entry(db, talk, "user", "prompt", API_LIMIT), by=RULES)
    gate.run(db, now=now)
    quote = "the public api limit is 120 requests a minute per key"
    words, verdict = "push the branch once the tests have passed " * 40, ". that's outdated. "
    said = f"{words[: READ_CHARACTERS - len(verdict)]}{verdict}{words}. {quote}"
    propose(db, "second", quote, add_entry(db, talk, "user", "prompt", said), quote=quote, by=RULES)
    gate.run(db, now=now)
    assert decided(db, "second")[0] == "contradicts"


def test_what_is_called_outdated_and_is_locked_is_not_replaced(
    db: sqlite3.Connection, talk: int, now: datetime
) -> None:
    propose(db, "first", API_LIMIT, add_entry(db, talk, "user", "prompt", API_LIMIT), by=RULES)
    gate.run(db, now=now)
    db.execute("update memories set lock_level = 'user'")
    quote = "the public api limit is 120 requests a minute per key"
    propose(db, "second", quote, add_entry(db, talk, "user", "prompt", f"that's outdated. {quote}"), quote=quote,
            by=RULES)  # fmt: skip
    gate.run(db, now=now)
    assert decided(db, "second")[0] == "contradicts"


MEANT = (
    "no, dont mock the db, we test against the real postgres. two threads, tests/integration",
    "set pool size to 20",
    "two commits. and in all my repos, not just this one, no co-authored-by lines in the commit message",
    "that flag? never in prod",
    "notes: short, no emoji",
    "goes to the other account now",
    "first 15 minutes are free, after that 4 euro per started half hour",
    "the bikes table is in the fleet schema, thats joris' team, we only read there. so no locks on it pls. constraint",
)


@pytest.mark.parametrize("said", MEANT)
def test_what_was_meant_to_last_is_kept(db: sqlite3.Connection, talk: int, now: datetime, said: str) -> None:
    propose(db, "good", f"It was said that {said}", add_entry(db, talk, "user", "prompt", said))
    gate.run(db, now=now)
    assert decided(db, "good")[0] == "add", decided(db, "good")
    assert json.loads(db.execute("select effects from decisions").fetchone()[0])["made"]


def test_a_backfill_of_many_sessions_starves_no_change(db: sqlite3.Connection, talk: int, now: datetime) -> None:
    project = db.execute("select project_id from sessions where id = ?", [talk]).fetchone()[0]
    for number, name in enumerate("search billing mail stock login report upload ledger".split()):
        first = add_entry(db, add_session(db, project), "user", "prompt", f"We deploy the {name} service by hand.")
        then = add_entry(
            db, add_session(db, project), "user", "prompt", f"We deploy the {name} service by hand, always on Monday."
        )
        propose(db, f"a{number}", f"We deploy the {name} service by hand.", first, by=RULES)
        propose(db, f"b{number}", f"We deploy the {name} service by hand, always on Monday.", then, by=RULES)
    counts = gate.run(db, now=now)
    assert (counts["merge"], counts["propose"]) == (8, 0)


def test_changes_that_wait_are_decided_together_in_the_order_in_which_they_were_said(
    db: sqlite3.Connection, talk: int, now: datetime
) -> None:
    settings.put(db, "gate_most_destructive", "0", now=now)
    says = ("The exporter listens on 8081.", "The exporter listens on 9090 now.", "The exporter listens on 7000 now.")
    for number, text in enumerate(says):
        entry = add_entry(db, talk, "user", "prompt", text)
        db.execute("update entries set created_at = ? where id = ?", [f"2026-03-0{number + 1}T09:00:00.000Z", entry])
        propose(db, f"c{number}", text, entry, by=RULES)
    gate.run(db, now=now)
    assert [item["would"] for item in review.queue(db)].count("supersede") == 2
    batch = batches.decide(db, ["changes"], "accept", now=now)
    assert [each.left for each in batch.outcomes] == ["", ""]
    holds = [row[0] for row in db.execute("select text from memories where status = 'active'")]
    assert holds == [says[-1]]
    with pytest.raises(InputError, match="No change of m00000000 waits"):
        batches.decide(db, ["m00000000"], "accept", now=now)


def test_a_corrected_value_replaces_all_that_say_the_old_one(db: sqlite3.Connection, talk: int, now: datetime) -> None:
    said = (
        "the title line has to be cut, thats 32 characters", "Titles are cut at 32 characters (WIDTH overrides it).",
        "Titles are cut at 28 characters (WIDTH overrides it), not 32.",
    )  # fmt: skip
    for number, text in enumerate(said):
        entry = add_entry(db, talk, "user", "prompt", text)
        propose(db, f"told{number}", text, entry, by=RULES)
        gate.run(db, now=now)
    assert decided(db, "told2")[0] == "supersede"
    held = [row[0] for row in db.execute("select text from memories where status = 'active'")]
    assert held == [said[2]]
    (number,) = db.execute("select max(id) from decisions").fetchone()
    revert(db, number, now=now)
    assert {row[0] for row in db.execute("select text from memories where status = 'active'")} == set(said[:2])


PARTS = (
    ("call the sheet leftovers please, and name the reason by a short code since Ole groups by it",
     "the leftovers should go into a mail after all, not into a sheet, nobody opens it",
     "Name the reason by a short code since Ole groups by it."),
    ("Baskets are numbered from 100 on, and every number is printed on a yellow tag.",
     "the yellow tags are gone, the baskets get white ones now", "Baskets are numbered from 100 on."),
    ("Returns cost 4 euro for each day. Reminders go out as green cards on Fridays.",
     "green cards are no longer sent, reminders are mails", "Returns cost 4 euro for each day."),
    ("The pictures of the vendor lie in assets/vendor. We cut the pictures to a square before the upload.",
     "we no longer cut the pictures to a square", "The pictures of the vendor lie in assets/vendor."),
)  # fmt: skip


@pytest.mark.parametrize(("before", "said", "rest"), PARTS)
def test_a_memory_of_which_a_part_is_over_is_left_with_the_rest(
    db: sqlite3.Connection, talk: int, now: datetime, before: str, said: str, rest: str
) -> None:
    propose(db, "old", before, add_entry(db, talk, "user", "prompt", before), by=RULES)
    gate.run(db, now=now)
    propose(db, "new", said, add_entry(db, talk, "user", "prompt", said), by=RULES)
    gate.run(db, now=now)
    assert decided(db, "new")[0] == "supersede"
    texts = "select text from memories where status = 'active' order by id"
    assert [row[0] for row in db.execute(texts)] == [rest, said]
    assert db.execute("select count(*) from contradictions").fetchone()[0] == 0
    number = db.execute("select max(id) from decisions").fetchone()[0]
    revert(db, number, now=now)
    assert [row[0] for row in db.execute(texts)] == [before]


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ("Sold out products vanish from the list. The price stands in bold.", "the price is gone, people ask for it"),
        ("Please call the table setaside, and keep the word rejected out of it.",
         "what we put aside should not go into a table after all but into a mail"),
    ],
)  # fmt: skip
def test_where_it_is_less_sure_nothing_is_cut(
    db: sqlite3.Connection, talk: int, now: datetime, before: str, said: str
) -> None:
    propose(db, "old", before, add_entry(db, talk, "user", "prompt", before), by=RULES)
    gate.run(db, now=now)
    propose(db, "new", said, add_entry(db, talk, "user", "prompt", said), by=RULES)
    gate.run(db, now=now)
    assert decided(db, "new")[0] != "supersede"
    assert db.execute("select count(*) from memories where text = ?", [before]).fetchone()[0] == 1
