"""What a message says goes with what it is about: its scope, its project, the words of the agent that it answers."""

from __future__ import annotations

import sqlite3

import pytest

from memory_db.extract.rules.addressed import addressed_to
from memory_db.extract.rules.messages import read_message
from memory_db.extract.rules.where import scope_of
from memory_db.transcripts.projects import resolve_project
from tests.extract.test_exchange_unit import kept, talk
from tests.extract.test_polite_rules import DONE

ASKED = (
    ("user", "why is plate nine lost"),
    ("edit", "plates.py", "a = 1", "a = 2"),
    ("say", "Found: the list is cut after eight rows. It has nine rows now, and each plate keeps its number."),
)
"""What the words of this file are said after."""


def scopes(said: str) -> list[tuple[str, str]]:
    """The texts of a message with their scopes."""
    found = [one for exchange in talk(*DONE, ("user", said)).exchanges[-1:] for one in read_message(exchange)]
    return [(one.text, scope_of(one.finding, has_project=True)) for one in found]


def test_the_parts_of_a_rule_have_one_scope() -> None:
    said = "none of those dots please. not here and not in any other repo of mine. one short line, no dot behind it"
    text = "None of those dots please. not here and not in any other repo of mine. one short line, no dot behind it."
    assert scopes(said) == [(text, "user")]
    said = "A test first, please. I want to see it fail, here and in whatever else we do together."
    assert scopes(said) == [(said, "user")]


def test_where_a_rule_holds_goes_with_the_rule_and_is_nothing_alone() -> None:
    said = "I write commit subjects all lower case, one line and no body. in every repo of mine. amend please"
    assert scopes(said) == [
        ("I write commit subjects all lower case, one line and no body. in every repo of mine.", "user")
    ]
    assert scopes("in every repo of mine.") == scopes("before we change anything, how does a plate get lost?") == []


@pytest.mark.parametrize(
    ("said", "scope"),
    [
        (
            "Hands off plates/costs.csv, Ada exports it every monday and whatever you write in there is gone by then.",
            "project",
        ),
        ("Plain sentences in whatever you write for me, no headings.", "user"),
        (
            "There are two headings called Plate, and both get one anchor, so the second can never be reached.",
            "project",
        ),
        ("fewer words please, wherever you work for me", "user"),
        ("I do the commits myself, always.", "user"),
        ("Stage files by name, never add -A.", "user"),
        ("We stage files by name here, never add -A.", "project"),
        ("Nothing from npm, not in this and not in anything else I do.", "user"),
        ("Here and in everything else I own: the kiln's data is tab separated, never csv.", "user"),
        ("Everything I do with it goes through the log, never past it.", "project"),
        ('I write commit messages like "ovens: mend the clock", all lower case, no body.', "user"),
        ('Here I write commit messages like "ovens: mend the clock", all lower case, no body.', "project"),
        ("And no push, I do that myself in the evening.", "user"),
        ("I like it when you ask me before you rename things", "user"),
        ("The turning of the key is mine, you never open the kiln.", "project"),
        ("Ada's server takes the page on Fridays, and I upload it myself after she has had a look.", "project"),
    ],
)
def test_what_the_user_keeps_of_one_thing_is_of_its_project(said: str, scope: str) -> None:
    assert [each for _, each in scopes(said)] == [scope]


def test_what_is_not_for_here_is_of_the_project_that_the_message_names(db: sqlite3.Connection, now: object) -> None:
    home, kilns = (resolve_project(db, f"/home/ada/{name}", now=now) for name in ("shop", "kilnlog"))
    said = "not for here but before i forget: the fuse blows above 1300, so we stop at 1250. i do that in kilnlog later"
    assert addressed_to(db, "the fuse blows above 1300, so we stop at 1250", home, said) == kilns
    told = "kilnlog has its run every night from 2:00. If anything here ever gets scheduled, not in that window please."
    assert addressed_to(db, told, home) is None
    assert addressed_to(db, "in kilnlog we count shelves from the top", home) == kilns
    assert addressed_to(db, "kilnlog's main table has one row for each plate", home) == kilns
    assert addressed_to(db, "kilnlog's export is at 14:00", home) == kilns
    assert addressed_to(db, "oh and for kilnlog, ada just wrote: no rounding any more", home) == kilns
    assert addressed_to(db, "for the oven, ada just wrote: no rounding any more", home) is None
    assert addressed_to(db, "for kilnlog, ada just wrote: since this month it is counted in grams", home) == kilns
    assert addressed_to(db, "oh and for kilnlog i changed my mind, labels are portrait", home) == kilns
    assert addressed_to(db, "one thing for kilnlog: readings are kept for two years", home) == kilns
    assert addressed_to(db, "the prices over in kilnlog are net from now on", home) == kilns
    assert addressed_to(db, "write the prices like over in kilnlog", home) is None
    assert addressed_to(db, "in kilnlog we count from one, so here too", home) is None
    assert addressed_to(db, "the fuse blows above 1300", home, "not for here: the fuse blows above 1300") is None


@pytest.mark.parametrize(
    "said",
    [
        "Out of curiosity, what is the difference between clay and loam? I usually call both of them mud.",
        "the oven door of the neighbour squeaks again. nobody ever oils the thing",
        "Then I leave that. About the shelf. With a number in front.",
    ],
)
def test_words_are_told_with_no_reply_that_they_do_not_answer(said: str) -> None:
    assert not any("the user said" in text for text in kept(*ASKED, ("user", said)))


@pytest.mark.parametrize(
    "said",
    [
        "no, never nine. eight and a second list",
        "that is the reason, the printer only takes eight.",
    ],
)
def test_words_that_answer_a_reply_are_told_with_it(said: str) -> None:
    assert any("each plate keeps its number" in text for text in kept(*ASKED, ("user", said)))


PROPOSED = (
    "user",
    "new thing. when a plate comes back from a customer id like to read out which commit of the list it is from. "
    "4 letters of it behind the number would do",
)
COUNTERED = "Behind the number is no room. I'd rather put the letters on the foot of the plate. OK?"


def test_a_proposal_is_kept_as_it_was_agreed_to() -> None:
    said = kept(*DONE, PROPOSED, ("say", COUNTERED), ("user", "uh yes. of course. like that"))
    (text,) = said
    assert "I'd rather put the letters on the foot" in text and "would do" not in text
    assert any("would do" in text for text in kept(*DONE, PROPOSED, ("say", COUNTERED), ("user", "no, on the number")))


def test_a_yes_to_what_was_asked_for_is_nothing_new() -> None:
    offered = ("say", "The letter is on the foot. Is that ok?")
    assert not any("on the foot" in text for text in kept(*DONE, PROPOSED, offered, ("user", "yes. of course")))


def test_a_rule_stands_with_all_of_the_sentence_that_it_goes_on_with() -> None:
    said = (
        "Sold plates vanish from the list at the moment, and each time people ring and ask for them. "
        "So they stay on the list, in grey."
    )
    assert kept(*DONE, ("user", said)) == [said]


@pytest.mark.parametrize(
    "said",
    [
        "Karel says hello, by the way.",
        "The agency sends its list on Mondays by mail. Can we import that?",
        "don't you dare to touch the archive folder",
        "no more than 12 shifts a month for trainees, that is the law",
        "Two wards share one printer, so please print one page per ward",
    ],
)
def test_a_sentence_of_its_own_is_no_answer_to_a_question_for_leave(said: str) -> None:
    asked = ("say", "The column kind is D, E or N. I would add a class Shift for it. Shall I?")
    begun = (("user", "look at the rota"), ("bash", "grep -n kind rota.py", "ok"), asked)
    assert not any("class Shift" in text and "the union" not in text for text in kept(*begun, ("user", said)))
    answered = kept(*begun, ("user", "That is right, but no class, please."))
    assert len(answered) == 1 and "class Shift" in answered[0]


def test_what_is_said_of_a_commit_without_naming_it_is_told_with_it() -> None:
    begun = (
        ("user", "commit it"),
        ("bash", "git commit -m 'feat: add rota'", "ok"),
        ("say", "Committed as `feat: rota`."),
    )
    said = "nah, one plain sentence, no prefix. same for all my repos"
    assert kept(*begun, ("user", said)) == [
        'On "Committed as `feat: rota`.", the user said: One plain sentence, no prefix. same for all my repos.'
    ]
    named = "commit messages are one plain sentence, no prefix"
    assert kept(*begun, ("user", named)) == ["Commit messages are one plain sentence, no prefix."]


def test_a_short_remark_stands_with_what_it_is_about() -> None:
    said = "wait, not in rota.py. constants go into settings.toml here, always"
    assert kept(*DONE, ("user", said)) == ["Not in rota.py. constants go into settings.toml here, always."]
    said = "About the dates: the American order confuses the nurses. Please write them as 2026-11-26."
    assert kept(*DONE, ("user", said)) == [said]


def test_that_file_is_named_where_one_file_was() -> None:
    said = "make the list say which plate of plates.csv is bad. but never correct a number in that file, it is ada's"
    assert "Never correct a number in plates.csv, it is ada's." in kept(*DONE, ("user", said))
    said = "plates.csv and ovens.csv are read. but never correct a number in that file, it is ada's"
    assert any("in that file" in text for text in kept(*DONE, ("user", said)))
    of_the_agent = ("say", "The lock is taken by page.py, which opens the data file once.")
    said = "the page never writes anything, the cli is the only writer of that file and it stays that way"
    assert all("page.py" not in text for text in kept(("user", "why does it hang"), of_the_agent, ("user", said)))
