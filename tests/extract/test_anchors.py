"""The edit or the words that are told with a memory are of it, or none are; and no word of it is lost."""

from __future__ import annotations

import pytest

from memory_db.extract.rules.backing import what_mended
from tests.extract.test_exchange_unit import Turn, kept, talk
from tests.extract.test_polite_rules import DONE
from tests.extract.test_run_on import BEGUN


@pytest.mark.parametrize(
    ("said", "edit"),
    [
        (
            "the lists are printed by the guild and always numbered by hand, one wrong plate and all is typed again",
            ("edit", "plates.csv", "", "plate,shelf\nA1,3"),
        ),
        (
            "8 it is, one oven and the old fuse blows at more anyway, they can fire twice",
            ("edit", "ovens.py", "wait(0.5)", "wait(1 / PER_DAY)"),
        ),
    ],
)
def test_a_count_of_things_is_no_value_that_an_edit_took_up(said: str, edit: Turn) -> None:
    (text,) = kept(*DONE, ("user", said), edit, ("say", "Done."))
    assert "(in `" not in text


def test_a_value_that_stood_there_before_is_not_set_by_the_edit() -> None:
    edit = ("edit", "ovens.py", "wait(6)\nfire(6)", "wait(TRIES)\nfire(TRIES)")
    assert kept(*DONE, ("user", "make the 6 a name of its own"), edit, ("say", "Done.")) == []


def test_an_edit_for_another_wish_is_no_cure_of_what_was_explained() -> None:
    shown = "`git log -L :fire:src/kiln/ovens.py` shows the name of the function that lost the plate."
    edit: Turn = ("edit", "tools/plates.py", "", 'shown = "name"\nfrom kiln import function')
    turns = (("user", "a plate is lost, how do i see who changed fire()?"), ("bash", "git log", "ok"), ("say", shown))
    then = ("user", "thanks. last thing, tools/plates.py, which tells who has which plate")
    word = talk(*turns, then, edit, ("say", "Done.")).agent_words[0]
    assert what_mended(word, shown) == ""


@pytest.mark.parametrize(
    ("said", "text"),
    [
        (
            "the list tells who fired how often per week, tab separated, never with a head line",
            "The list tells who fired how often per week, tab separated, never with a head line.",
        ),
        (
            "we keep the same order as this morning, never by glaze",
            "We keep the same order as this morning, never by glaze.",
        ),
        (
            "ada just wrote, the guild wants it colder: 1220 degrees instead of 1250. thanks",
            "Ada just wrote, the guild wants it colder: 1220 degrees instead of 1250.",
        ),
    ],
)
def test_no_word_is_lost_within_a_sentence(said: str, text: str) -> None:
    assert kept(*BEGUN, ("user", said)) == [text]


def test_a_thoughtful_yes_is_no_objection() -> None:
    assert kept(*BEGUN, ("user", "hm ok 12.5, that's the thing Ada kept talking about")) == []


def test_he_is_told_with_the_one_person_that_the_agent_named() -> None:
    said = "ah no, scratch that, he told me at lunch: sundays from now on, on fridays they glaze. whatever, no hurry"
    agent = ("say", "It is packed, so Omar has it in his van tomorrow, Friday morning.")
    (text,) = kept(("user", "pack it"), ("bash", "make pack", "ok"), agent, ("user", said))
    assert "Omar has it in his van" in text
    assert text.endswith("on fridays they glaze.")


def test_a_farewell_is_no_part_of_a_fact() -> None:
    said = "omar carries the plates over to the shop on friday mornings, by hand, never by van. off to a talk, ttyl"
    assert kept(*BEGUN, ("user", said)) == [
        "Omar carries the plates over to the shop on friday mornings, by hand, never by van."
    ]
