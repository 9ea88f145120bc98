"""Words of the user that a model quotes are kept where they say enough, and wait where they have a value by chance."""

from __future__ import annotations

import sqlite3
from datetime import datetime

import pytest

from memory_db.gate import run as gate
from memory_db.text.of_once import OF_ONCE
from tests.support.candidates import RULES, add_runs, decided, propose
from tests.support.session_rows import add_entry, add_project, add_session

EXPLAINED = (
    "The old labels stay because `clean_labels.sh` stops before the delete: zip exits with 4 when the archive is there "
    "already, and `set -e` ends the script."
)


def after(db: sqlite3.Connection, said: str, quote: str, told: str, agent: str, now: datetime) -> tuple[str, str]:
    """What the gate decides on a quote of a message that follows on a reply of the agent."""
    add_runs(db)
    talk = add_session(db, add_project(db))
    add_entry(db, talk, "user", "prompt", "why are there labels of last year in the folder?")
    add_entry(db, talk, "assistant", "reply", agent)
    entry = add_entry(db, talk, "user", "prompt", said)
    add_entry(db, talk, "assistant", "reply", "Done.")
    propose(db, "model", told, entry, quote=quote)
    gate.run(db, now=now)
    return decided(db, "model")


@pytest.mark.parametrize(
    ("said", "quote"),
    [
        ("oh how silly. yes. mend it", "oh how silly. yes. mend it"),
        ("You are right with this cause, please mend it.", "You are right with this cause, please mend it."),
        ("two runs in one night and it stops. yes, that's it", "two runs in one night and it stops. yes, that's it"),
    ],
)
def test_what_the_user_takes_for_true_is_kept_in_a_models_words(
    db: sqlite3.Connection, now: datetime, said: str, quote: str
) -> None:
    told = "clean_labels.sh never deleted old labels, because zip exits with 4 when the archive is there already."
    assert after(db, said, quote, told, EXPLAINED, now)[0] == "add"


def test_a_yes_to_something_else_keeps_nothing(db: sqlite3.Connection, now: datetime) -> None:
    told = "The harbour museum closes in winter and has two floors."
    assert after(db, "ah, yes. mend it", "ah, yes. mend it", told, EXPLAINED, now)[0] != "add"


@pytest.mark.parametrize(
    "said",
    [
        "here and in everything else i write: data goes to stdout, talk to stderr",
        "the links that exist today must not change: a printed book has them",
        "put the plan down like this in the request henceforth: a table with address and reason",
        "the key of the boathouse is Ingrid's, she locks up, nobody else",
        "two colours, otherwise the plotter gives up",
        "the arrangement here is that every lamp gets a log entry, that is why there are so many",
        "we only dredge on tuesdays, the bridge is up then",
        "short and plain, like the older ones",
        "anything longer than a page is better off in the archive",
    ],
)
def test_words_that_hold_on_are_kept(db: sqlite3.Connection, now: datetime, said: str) -> None:
    assert after(db, said, said, f"The user wants this: {said}.", "The report is written.", now) == (
        "add",
        "new convention",
    )


@pytest.mark.parametrize(
    "said",
    [
        "the green vase fell off the window sill, its in 30 pieces",
        "brb there is cake, somebody turned 50",
        "No harm done, I am off to the meeting now.",
        "Now I need a coffee, and the dog needs to be taken off the sofa.",
        "on Thursday a trainee joins me for the map",
        "i'm out till monday. bye",
        "I fetch now the tea that I won at noon.",
        "Show me Bergmann with 7 percent.",
        "I have the woman from the paper company on the other line, it is only for her.",
        "ABC-77 this time",
        "they sent a csv. load it",
        "The office has sent me a better version of their list for Tuesday.",
    ],
)
def test_a_value_by_chance_keeps_nothing(db: sqlite3.Connection, now: datetime, said: str) -> None:
    assert after(db, said, said, said, "The report is written.", now)[0] in ("propose", "reject")


@pytest.mark.parametrize(
    "said",
    [
        "he has moved our turn to Monday evenings",
        "measured it: 28. set that",
        "oakline takes builds on tuesday before 10 and if you miss that you wait a week",
        "the alarm is switched off by default",
        "We never deliver on Mondays, since the weekend is when we bake most",
        "the vendor allows us 120 requests a minute",
        "from May on we release on Fridays as well",
    ],
)
def test_a_value_that_is_set_or_changed_is_kept(db: sqlite3.Connection, now: datetime, said: str) -> None:
    assert after(db, said, said, f"{said[0].upper()}{said[1:]}.", "The report is written.", now)[0] == "add"


@pytest.mark.parametrize(
    ("said", "quote"),
    [
        ("i do that one on friday, do the sorting on the page meanwhile because old files stay around",
         "do the sorting on the page meanwhile because old files stay around"),
        ("Nothing here runs against that file, always the copy: make it, and then DB=data/b.db before the command.",
         "make it, and then DB=data/b.db before the command"),
    ],
)  # fmt: skip
def test_of_a_sentence_that_is_cut_the_rest_counts(
    db: sqlite3.Connection, now: datetime, said: str, quote: str
) -> None:
    told = "The pages are sorted from the copy, because old files stay around."
    assert after(db, said, quote, told, "The report is written.", now)[0] == "add"


@pytest.mark.parametrize(
    ("agent", "action"),
    [
        ("Where do the harbour masters see it? 1 on the board, 2 in a letter, 3 on the web page.", "add"),
        ("It is on the board now: 1 line for each boat, 2 for a ferry.", "propose"),
    ],
)
def test_a_number_that_was_asked_for_is_an_answer(
    db: sqlite3.Connection, now: datetime, agent: str, action: str
) -> None:
    said = "2, they get that too."
    assert after(db, said, said, "The harbour masters get the letter.", agent, now)[0] == action


@pytest.mark.parametrize(
    ("inside", "action"),
    [
        ("i was bitten by wet paint, and not only on this boat", "add"),
        ("our cook has a new hat", "propose"),
    ],
)
def test_what_stands_in_brackets_is_kept_where_much_says_that_it_holds(
    db: sqlite3.Connection, now: datetime, inside: str, action: str
) -> None:
    said = f"Draw the boat from the left this time ({inside})."
    assert after(db, said, inside, f"It was said that {inside}.", "The drawing is begun.", now)[0] == action


@pytest.mark.parametrize(
    ("quote", "waits"),
    [
        ("the gulls be damned", True),
        ("the mooring lines went soft and Ola coughed at the crane of the pier", False),
    ],
)
def test_a_few_words_are_not_known_by_a_memory_of_many(
    db: sqlite3.Connection, now: datetime, quote: str, waits: bool
) -> None:
    add_runs(db)
    talk = add_session(db, add_project(db))
    add_entry(db, talk, "user", "prompt", "what is left to do?")
    add_entry(db, talk, "assistant", "reply", "The plan is written.")
    said = f"never open the lock before six. {quote}. the ferry comes first then."
    entry = add_entry(db, talk, "user", "prompt", said)
    propose(db, "rules", said, entry, by=RULES)
    gate.run(db, now=now)
    propose(db, "model", f"It was told that {quote}.", entry, quote=quote)
    gate.run(db, now=now)
    assert (decided(db, "model")[0] == "propose") == waits


def test_a_form_with_its_reason_is_no_report_of_trouble(db: sqlite3.Connection, now: datetime) -> None:
    quote = "short lines (fixed, broken and so on), since the harbour office reads them"
    said = f"Well found. Fix the rope and log it, please: {quote}."
    assert (
        after(db, said, quote, "Log lines are short, since the harbour office reads them.", "Found.", now)[0] == "add"
    )


@pytest.mark.parametrize(
    ("quote", "told", "action"),
    [
        ("two dozen letters, one on a napkin", "After the regatta two dozen people wrote letters.", "propose"),
        ("the pier lamp has a broken switch", "The pier lamp has a broken switch that has to be repaired.", "propose"),
        ("never before six because of the ferry", "The lock never opens before six because of the ferry.", "add"),
    ],
)
def test_a_models_story_and_open_work_wait_for_a_person(
    db: sqlite3.Connection, now: datetime, quote: str, told: str, action: str
) -> None:
    said = f"The lock at the north gate, please: {quote}."
    decision, reason = after(db, said, quote, told, "How is the lock opened, and what is there to know of it?", now)
    assert decision == action
    assert (OF_ONCE in reason) == (action == "propose")


@pytest.mark.parametrize(
    "told",
    [
        "The lamp was mended and the keeper wrote a test.",
        "Asked for a lamp that stays lit. A relay is planned for spring.",
        "In the morning the gate stuck and Ola greased it.",
    ],
)
def test_what_a_session_was_about_is_kept_though_it_is_a_story(
    db: sqlite3.Connection, now: datetime, told: str
) -> None:
    add_runs(db)
    talk = add_session(db, add_project(db))
    said = "the lamp at the pier goes out after an hour, mend it please"
    entry = add_entry(db, talk, "user", "prompt", said)
    add_entry(db, talk, "assistant", "reply", "Done.")
    propose(db, "model", told, entry, quote=said, kind="episode")
    gate.run(db, now=now)
    assert decided(db, "model") == ("add", "new episode")
