"""Where a rule holds: words of scope bind to their own sentence, and a sentence of nothing else goes with the rule."""

from __future__ import annotations

import sqlite3
from datetime import datetime

import pytest

from memory_db.extract.rules.addressed import addressed_to, told_there
from memory_db.extract.rules.messages import read_message
from memory_db.extract.rules.where import goes_on_everywhere, holds_everywhere, qualifies, scope_of
from memory_db.transcripts.projects import resolve_project
from tests.extract.test_exchange_unit import talk
from tests.extract.test_polite_rules import DONE


def scopes(said: str) -> list[tuple[str, str]]:
    """The texts of a message in a later turn, with where they hold."""
    found = [one for exchange in talk(*DONE, ("user", said)).exchanges[-1:] for one in read_message(exchange)]
    return [(one.text, scope_of(one.finding, has_project=True)) for one in found]


@pytest.mark.parametrize(
    "said",
    [
        "never force push, whatever repo",
        "hands off the tags, here and in the glaze tool and anywhere",
        "answer in three lines at most, wherever we meet",
        "ask before you delete more than two plates, thats so on any project",
        "never force push, whatever repo you sit in",
        "never answer with tables, here or wherever else i have you",
        "never tag a release yourself, this goes for here and the kiln and whatever else i ever open with you",
        "dates in file names go year first, doesnt matter which project",
        "anything of mine that sends mail prints it first and sends only with --send",
        "no tabs in yaml. with all my projects, not only the kiln",
        "please keep the first line of a script its purpose. that is everywhere, not just here",
        "every tool of mine that writes asks before it overwrites. it does not matter which repo",
        "never answer with tables, i read on the phone. same for every other repo",
        "i want two spaces in yaml, never tabs. and that everywhere, not only with the kiln",
        "use grams in every table. whatever repo",
        "you may bump patch versions yourself, in whichever repo. the minor ones stay mine",
        "give me the cause first and three lines at most, i read on a small phone, with every project",
        "leave the summaries out, here and elsewhere",
        "never push yourself, also in the other projects",
        "there is no docker on this laptop and there wont be, its podman. podman compose takes the same file",
        "5432 is the accounting software on my machine, never use it for a database",
        "on this laptop port 8000 is always taken by the scanner, use another one",
        "when you write to me i'd like the conclusion first and then the reasoning",
        "i dont have node on this machine, never use npm",
    ],
)
def test_what_is_said_to_hold_everywhere_is_one_rule_of_the_user(said: str) -> None:
    assert [scope for _, scope in scopes(said)] == ["user"]


@pytest.mark.parametrize(
    "said",
    [
        "the header in the export keep it in english, the museum reads it with excel and calls me otherwise",
        "dates in the pdf are in german, the accountant wants it so",
        "in the newsletter no headings, please, the subscribers have small screens",
        "the kiln has to log everything of its burner, whatever it costs",
        "the label printer takes whatever repo names you give it, but never more than 20 signs",
        "always close the valve, doesnt matter which kiln",
        "whatever project is in the list must have an owner",
        "the sums are in cents, it is everywhere in the kiln so and must stay",
        "only in this repo: tabs instead of spaces, not in all my projects",
        "the kiln's nightly job runs on my laptop, so never schedule it on a sunday",
        "the tests of the glaze tool only pass on this machine, never run them in ci",
        "the dev server runs on port 8040, 8000 is taken by the wiki container on my machine",
        "the list has to be filled with every project that has an owner",
        "always keep the links to the other projects in the footer",
    ],
)
def test_what_is_said_of_one_thing_is_of_its_project(said: str) -> None:
    assert [scope for _, scope in scopes(said)] == ["project"]


@pytest.mark.parametrize(
    ("before", "quote", "does"),
    [
        (
            "In all of my repositories a commit begins with the ticket. ",
            "Also, you may commit, but you never push",
            True,
        ),
        ("Here a commit begins with the ticket. ", "Also, you may commit, but you never push", False),
        ("In all of my repositories a commit begins with the ticket. ", "You never push here", False),
        ("In all of my repositories a commit begins with it. ", "Also the plates of oven two are blue", False),
        ("In all of my repositories a commit begins with it. ", "Also you never push, but only here", False),
        ("", "Also, you never push", False),
        ("Two rules for all my projects. One: tabs only. ", "two: dates are 05 Jun 2025", True),
        ("Two rules for this oven. One: tabs only. ", "two: dates are 05 Jun 2025", False),
        ("Two rules for all my projects. One: tabs only. ", "dates are 05 Jun 2025", False),
        ("Fire it later, but: every repo of mine, not just this. ", "subjects in english, no emoji", True),
        ("In all my projects. ", "subjects in english, no emoji", True),
        ("Tabs only. In all my projects. ", "the kiln runs on 8080", False),
    ],
)
def test_a_rule_that_goes_on_with_one_of_everywhere_holds_there_too(before: str, quote: str, does: bool) -> None:
    assert goes_on_everywhere(before, quote) is does


def test_a_rule_for_everywhere_is_the_users() -> None:
    assert [scope for _, scope in scopes("one rule for everywhere, here and in ovens: commits in english")] == ["user"]


def test_words_of_scope_bind_to_their_own_sentence_alone() -> None:
    said = (
        "the sums in the export go in german please, the accountant calls me otherwise. then commit it. "
        "lower case, and never a robot in the trailer, dont want that in any of my repos"
    )
    assert [scope for _, scope in scopes(said)] == ["project", "user"]
    said = "the kiln is off from 22:00 on. never push on a friday, in whatever repo"
    assert [scope for _, scope in scopes(said)] == ["project", "user"]


@pytest.mark.parametrize(
    "said",
    [
        "the glaze kiln is fired only on thursdays. other days never, the neighbours complain",
        "so: plates leave only on mondays, the van is ours then, and if it breaks i can walk. other days never",
        "you may rename the shelf files by yourself. labels stay mine",
        "the oven is cleaned from 6:00 to 6:30. nobody opens the door then, it is hot",
        "the importer runs at 4 at night. don't deploy at that time",
        "not the full address. street only, the rest is nobody's business",
        "never print more than 20 plates on a page. everything else stays",
    ],
)
def test_what_only_qualifies_the_sentence_before_goes_with_it(said: str) -> None:
    assert [text.lower().rstrip(".") for text, _ in scopes(said)] == [said]


@pytest.mark.parametrize(
    "said",
    [
        "never push to the shop's branch. then we do the other ovens",
        "glaze names are lower case here. i'll do the labels myself then",
        "always name the glaze in the label. the rest of the day I'm in the shop",
        "with all my stuff",
        "doesnt matter which repo",
    ],
)
def test_what_says_something_else_does_not(said: str) -> None:
    assert said not in [text.lower().rstrip(".") for text, _ in scopes(said)]


@pytest.mark.parametrize(
    ("before", "sentence"),
    [
        ("never fire the kiln twice.", "the plates stay mine"),
        ("you may rename the files.", "the plates for ada stay mine to sort"),
        ("always write the glaze in capitals.", "nobody at the shop knows it then"),
        ("the kiln starts at 6:00.", "then ada comes"),
        ("never push.", "everything you said yesterday was right"),
        ("never push.", "the other day ada came by"),
        ("never push.", "all of it"),
    ],
)
def test_what_names_something_of_its_own_qualifies_nothing(before: str, sentence: str) -> None:
    assert not qualifies(before, sentence)


def test_what_is_said_not_to_be_for_here_is_filed_where_it_describes(db: sqlite3.Connection, now: datetime) -> None:
    home, kilns = (resolve_project(db, f"/home/ada/{name}", now=now) for name in ("shop", "kilnctl"))
    resolve_project(db, "/home/ada/labels", now=now)
    rule = "you fill the tank first and then open the tap"
    for lead in (
        "not for here, for the pi of the kiln: ",
        "before i forget, not for here, for the kiln: ",
        "this is not for this repo but for the kilns: ",
        "not about here, about the kiln on the roof: ",
        "oh and not for this project, for kilnctl: ",
        "that's not for here, it's for our kiln: ",
    ):
        assert addressed_to(db, lead + rule, home, lead + rule) == kilns, lead
        assert addressed_to(db, rule, home, lead + rule) == kilns, lead
    for lead in (
        "not for here, for my brother: ",
        "not for here, for the shop: ",
        "not for today, for the kiln: ",
        "for the pi of the oven: ",
        "not for here: ",
        "not only for here, for the kiln too: ",
    ):
        assert addressed_to(db, lead + rule, home, lead + rule) is None, lead
    said = f"not for here, for the kiln: {rule}. and thx for the lists, never print them twice"
    for quote in ("never print them twice", *(f"{thx}for the lists, never print them twice" for thx in ("thx ", ""))):
        assert addressed_to(db, quote, home, said) is None


def test_it_is_told_there_without_saying_that_it_is_not_for_here() -> None:
    assert told_there("Not for here, for the kiln: fill the tank.") == "For the kiln: fill the tank."
    assert told_there("This is not for this repo but for the kiln: fill it.") == "For the kiln: fill it."
    assert told_there("For the kiln: not for here.") == "For the kiln: not for here."


@pytest.mark.parametrize(
    "said",
    ["as always with me, a test that goes red first, never mind which project its in",
     "the unit belongs in the name, in everything that's mine",
     "two sentences, not more, and this is for everything we do, not only the kiln"],
)  # fmt: skip
def test_what_holds_everywhere_is_said_in_many_ways(said: str) -> None:
    assert holds_everywhere(said)


def test_a_wish_for_one_site_is_of_that_project() -> None:
    said = "on fridays id rather eat sand than deploy this site, i like my weekends"
    assert [scope for _, scope in scopes(said)] == ["project"]


@pytest.mark.parametrize(
    "said",
    [
        "was du dir überall merken kannst, neue pakete nur nach absprache",
        "hier und im laden und sonst auch, neue pakete nur nach absprache",
    ],
)
def test_german_says_everywhere_in_other_words(said: str) -> None:
    assert holds_everywhere(said)


@pytest.mark.parametrize(
    ("said", "scope"),
    [
        ("as a rule for this project, i want only one glaze changed per commit", "project"),
        ("i do not wish to move to postgres, since i am the only one who looks after this kiln", "project"),
        ("this holds for everything, in ovens and in plates alike: never name a potter in a log", "user"),
        ("not only for this project, i want one glaze changed per commit in all my repos", "user"),
    ],
)
def test_which_project_is_meant_is_heard(said: str, scope: str) -> None:
    assert [found for _, found in scopes(said)] == [scope]


def test_a_scope_alone_is_no_memory() -> None:
    said = "fire it later, but: every repo of mine, not just this. subjects in english, no emoji"
    assert scopes(said)[0][0] == "Subjects in english, no emoji."
    assert len(scopes(said)) == 1


def test_what_an_agent_does_not_do_is_a_rule_that_the_next_sentence_carries_everywhere() -> None:
    said = "put it back. You don't clean up things I didn't ask about. Not here and not in any other repo of mine."
    [(text, scope)] = scopes(said)
    assert scope == "user" and "You don't clean up things I didn't ask about." in text
