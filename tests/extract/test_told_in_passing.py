"""What is told beside the work: limits and hours, who looks after what, the cure of a command that failed, a new value
in another unit than the code's; and what only sounds like one of them."""

from __future__ import annotations

import pytest

from memory_db.extract.rules.phrasing import stated
from memory_db.extract.rules.prose import read_prose
from memory_db.extract.rules.titles import titled
from memory_db.extract.rules.where import scope_of
from memory_db.text.conditions import condition_of
from memory_db.text.provenance import speaks_to_agent
from memory_db.text.sentences import split
from memory_db.text.told import of_others
from tests.extract.test_exchange_unit import kept

BEGUN = (("user", "hello, could you look at the ovens?"), ("bash", "make status", "ok"), ("say", "All four are idle."))


@pytest.mark.parametrize(
    "said",
    [
        "the bakers may change an order until 10:00 on the next morning, after that the driver has it",
        "as it is, the pickers may correct a list until noon of the next day",
        "Dana looks after the ovens at night, she lives across the road",
        "please mind that the oven numbers are text with zeros in front, since there is a 7 and a 007",
        "we write the sums in the last step, and that is as it should be: all weights stay whole grams "
        "before it, because floats cost us money",
        "now the nightly job. It begins at 04:15 local time, because the mill delivers shortly before",
        "Last year I changed two ovens at once and both were still running. Since then, an oven is only changed once "
        "the other one has stopped",
        "no kafka, no threads in this thing. one oven, one cable",
        "exit codes: 2 = no answer, 3 = wrong oven, 4 = too hot",
        'next, the tool must always ask before it heats, "go on? [y/n]"',
    ],
)
def test_it_is_kept(said: str) -> None:
    assert kept(*BEGUN, ("user", said))


@pytest.mark.parametrize(
    "said",
    [
        "leave it on until 10:00, then switch it off",
        "keep the oven on until noon",
        "you even remembered the ticket from the list, very good",
        "now a bug: the log breaks off on long bakes, always at the same line",
        "should be a runner for that in the makefile",
        "Dana gets the three new texts from me by mail",
        "Dana needs them beside the sales",
    ],
)
def test_what_is_of_the_moment_is_not(said: str) -> None:
    assert kept(*BEGUN, ("user", said)) == []


def test_a_command_is_kept_with_the_one_that_it_cured() -> None:
    found = kept(
        ("user", "add the oven test"),
        ("edit", "oven_test.py", "a = 1", "a = 2"),
        ("bash", "pytest", "fails"),
        ("say", "One fails with 'port in use'. Looks like two tests open the same port."),
        ("user", "they do, all share one port. run with --workers=1, then it is fine"),
        ("bash", "pytest --workers=1", "ok"),
    )
    assert found == [
        "On \"One fails with 'port in use'. Looks like two tests open the same port.\", the user said: They do, all "
        "share one port. Run with --workers=1, then it is fine."
    ]


def test_a_command_that_was_not_run_as_told_or_failed_too_is_not() -> None:
    before = (("user", "add the oven test"), ("bash", "pytest", "fails"), ("say", "One fails."))
    said = ("user", "run it with --workers=1")
    assert kept(*before, said, ("bash", "pytest -x", "ok")) == []
    assert kept(*before, said, ("bash", "pytest --workers=1", "fails")) == []


def test_a_value_in_minutes_is_taken_up_in_seconds() -> None:
    found = kept(
        *BEGUN,
        ("user", "the big oven is here. that one needs 8 min to cool, so put that"),
        ("edit", "oven.toml", "cool_s = 360", "cool_s = 480"),
    )
    assert found and "needs 8 min to cool" in found[0]


def test_a_label_begins_another_matter() -> None:
    found = kept(
        *BEGUN,
        ("user", "never open the door by hand, the seal breaks. lamps: everything in src/lamps goes through dana's "
         "review, so keep it apart"),
    )  # fmt: skip
    assert len(found) == 2 and found[1].startswith("Lamps: everything")


def test_what_is_so_everywhere_in_the_data_holds_in_no_other_project() -> None:
    for said in ("The column is filled everywhere, Dana did that.", "Oven numbers have leading zeros everywhere."):
        for found in read_prose(said, role="user", after_action=False):
            assert scope_of(found, has_project=True) == "project"
    always = read_prose("Pushing I do myself, everywhere.", role="user", after_action=False)
    assert [scope_of(found, has_project=True) for found in always] == ["user"]


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("The question before each bake drives him nuts.", "before each bake"),
        ("When the agent edited `a.js` (`x` became `y`), the user said: No semicolons.", ""),
        ("Tell Dana, in case you wish to help.", ""),
        ("After a long discussion with the mill the bakers get more time.", ""),
        ("Skip rows without a date, those are from before the clock is set.", ""),
        ("Always weigh before each bake.", "before each bake"),
    ],
)
def test_a_condition_ends_where_its_clause_does(text: str, condition: str) -> None:
    assert condition_of(text, "convention") == condition


def test_a_question_mark_within_quotation_marks_ends_no_sentence() -> None:
    assert [each.text for each in split('It asks "go on? [y/n]" before it heats. Then it heats.')] == [
        'It asks "go on? [y/n]" before it heats.', "Then it heats.",
    ]  # fmt: skip
    assert len(split('He asked "why?" Then he left.')) == 2


def test_an_aside_on_what_somebody_says_makes_nothing_of_theirs() -> None:
    assert not of_others("Dana looks after the ovens, she is awake anyway, as she says.")
    assert not of_others("Until ten. I only say so because he asked me yesterday whether it is ten or noon.")
    assert of_others("The customer asked us to turn off the checks.")
    assert of_others("She says the checks can go.")


def test_come_on_is_anger_only_by_itself() -> None:
    assert stated("Dana's new ovens have come on Saturday.") == "Dana's new ovens have come on Saturday."
    assert stated("Never bake on Sunday, come on!") == "Never bake on Sunday."


def test_a_message_that_agrees_is_the_users_own() -> None:
    said = "That is correct, the big one is slow.\n\nI like to push by myself, so write me a proposal for it."
    assert all(speaks_to_agent(said, each) for each in said.split("\n\n"))


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ('Asked "How long does the oven cool?", the user said: 20 min, the big one 40.',
         "How long does the oven cool: 20 min, the big one 40"),
        ('Asked "Fans or doors. Which one?", the user said: doors. they are quieter.', "doors. they are quieter"),
        ('Asked "Which ticket is it?", the user said: KL-491 for both.', "Which ticket is it: KL-491 for both"),
        ("Good to know, the oven log only keeps one day at the moment.", "Oven log only keeps one day at the moment"),
    ],
)  # fmt: skip
def test_a_title_tells_something_alone(text: str, title: str) -> None:
    assert titled(text) == title


@pytest.mark.parametrize(
    "said",
    [
        "don't tempt me",
        "I'd rather not.",
        "I want to know before I go on holiday",
        "I've paid the lady back, so nothing to do for 88412",
        "Apply complete! Resources: 4 imported, 0 added, 0 changed, 0 destroyed.",
    ],
)
def test_idioms_and_output_are_no_rules(said: str) -> None:
    assert kept(*BEGUN, ("user", said)) == []


@pytest.mark.parametrize(
    ("said", "scope"),
    [
        ("I'd rather have no literal text in components at all.", "project"),
        ("I'd rather stay with the plain testing package, no helpers.", "project"),
        ("I'd rather have short answers without a summary.", "user"),
        ("I'd rather you asked me before you add a dependency.", "user"),
    ],
)
def test_whose_a_preference_is(said: str, scope: str) -> None:
    (found,) = read_prose(said, role="user", after_action=True)
    assert scope_of(found, has_project=True) == scope


def test_an_exported_variable_is_prose_where_a_sentence_goes_on() -> None:
    assert split("export OVEN_KEY_FILE=bin/key. it asks for a thumb")
    assert split("export OVEN_KEY_FILE=bin/key") == []


@pytest.mark.parametrize(
    ("said", "scope"),
    [
        ("und generell: neue dependency nur wenn du vorher fragst.", "user"),
        ("c'est moi qui commite, toujours, avec git add -p", "user"),
        ("no, los commits los hago yo siempre, que me sirve para repasar", "user"),
        ("die tests laufen nur mit docker, das ist in der ci so", "project"),
        ("les noms sont toujours en majuscules ASCII partout : MU2, NU2.", "project"),
    ],
)
def test_whose_a_rule_is_in_other_languages(said: str, scope: str) -> None:
    found = read_prose(said, role="user", after_action=False)
    assert [scope_of(each, has_project=True) for each in found] == [scope]
