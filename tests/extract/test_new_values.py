"""A new value is stored with what it is of: last in an answer, as a number alone, or told by the old one."""

# ruff: noqa: E501  # a case a line

from __future__ import annotations

import pytest

from tests.extract.test_exchange_unit import kept

BEGUN = (("user", "hello"), ("say", "Hello."))
ASKED = "`batch` in pump.toml is 50. Leave it at 50, or more?"


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("fifty is a joke, the cartons hold 200. 200", "200 (fifty is a joke, the cartons hold 200)."),
        ("three days are nothing, people are on leave. make it 30", "make it 30 (three days are nothing, people are on leave)."),
        ("too little, half of the bakers order late. 90 minutes", "90 minutes (too little, half of the bakers order late)."),
        ("that is far too tight. 0.8", "0.8 (that is far too tight)."),
        ("the old printer could only do that many. 120 then", "120 then (the old printer could only do that many)."),
        ("no way, the auditors look at ten years. 10 years please", "10 years please (no way, the auditors look at ten years)."),
        ("75", "75."),
    ],
)  # fmt: skip
def test_the_value_of_an_answer_is_told_before_its_reason(said: str, told: str) -> None:
    (text,) = kept(*BEGUN, ("user", "what is the batch?"), ("say", ASKED), ("user", said))
    assert text == f'Asked "{ASKED}", the user said: {told}'


@pytest.mark.parametrize(
    ("asked", "said", "part"),
    [
        ("Shall I use 9000?", "9000 is the label printer. 9004, for good", "the user said: 9004, for good (9000 is"),
        ("Should I take gate 4?", "4 belongs to the dairy. 6 then", "the user said: 6 then (4 belongs to the dairy)"),
    ],
)
def test_another_value_than_the_agent_offers_is_told_with_why(asked: str, said: str, part: str) -> None:
    assert part in kept(*BEGUN, ("user", "it does not start"), ("say", asked), ("user", said))[-1]


@pytest.mark.parametrize(
    "said",
    [
        "50. the cartons hold no more",  # the value stands first
        "leave it. it was fine in 2024.",
        "more. the truck has 3 axles",
        "200",
    ],
)
def test_an_answer_that_begins_with_its_value_stays_as_it_is(said: str) -> None:
    texts = kept(*BEGUN, ("user", "what is the batch?"), ("say", ASKED), ("user", said))
    assert all("(" not in text for text in texts)


@pytest.mark.parametrize("said", ["done. 3", "4 5 6", "1.", "- 12\n- 13", "ok. 21", "thanks! 100"])
def test_numbers_alone_tell_nothing_where_nothing_was_asked_or_set(said: str) -> None:
    assert kept(*BEGUN, ("user", said), ("say", "Good.")) == []


SET = ("edit", "oven.json", '"rest_min": 8', '"rest_min": 12')
CHANGE = 'in `oven.json` `"rest_min": 8` became `"rest_min": 12`'


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("the dough has to rest four minutes longer than now", f"The dough has to rest four minutes longer than before ({CHANGE})."),
        ("make 12. nobody gets the trays out in 8", f"Make 12. nobody gets the trays out in 8 ({CHANGE})."),
        ("the timer sits on 12 now.", f"The timer sits on 12 now ({CHANGE})."),
        ("eight is too little, make it 12, the crust tears", None),
        ("rest half again as long as now, so that the crust does not tear", None),
        ("4 minutes more, because the crust tears", None),
        ("the wire hangs on 12 now", f"The wire hangs on 12 now ({CHANGE})."),
    ],
)  # fmt: skip
def test_a_value_is_told_with_the_edit_that_set_it(said: str, text: str | None) -> None:
    found = kept(*BEGUN, ("user", "how long does it rest"), ("say", "It rests 8 minutes."), ("user", said), SET)
    assert found and (found[-1] == text if text else "12" in found[-1])
    assert all("than now" not in each for each in found)


def test_what_a_session_begins_with_is_kept_where_it_replaces_a_value() -> None:
    said = "morning. eight minutes is too short, make it 12, the crust tears"
    found = kept(("user", said), SET, ("say", "12 now."))
    assert found == [f"Eight minutes is too short, make it 12, the crust tears ({CHANGE})."]
    assert kept(("user", "set rest_min to 12 and run the tests"), SET, ("say", "12 now.")) == []


def test_the_agent_tells_the_new_value_where_no_edit_shows_it() -> None:
    said = "the dough has to rest four minutes longer than now"
    done = (("bash", "./oven rest up 4", "ok"), ("say", "8 minutes becomes 12."))
    (text,) = kept(*BEGUN, ("user", said), *done)
    assert text == 'The dough has to rest four minutes longer than before (the agent: "8 minutes becomes 12").'


@pytest.mark.parametrize(
    "said",
    [
        "is that longer than now?",
        "the queue is longer than it is now on fridays, isn't it",
        "later",
        "a bit more coffee first",
        "one more thing, run it",
        "show me more",
    ],
)
def test_words_of_more_and_less_that_set_nothing_are_no_value(said: str) -> None:
    assert all("became" not in each for each in kept(*BEGUN, ("user", said), ("say", "Good.")))
