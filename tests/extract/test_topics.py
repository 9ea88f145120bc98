"""One memory for what somebody says in a row on one topic, with what leads to it and goes on with it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_db.extract.rules.messages import read_message
from tests.extract.test_exchange_unit import kept, talk
from tests.extract.test_run_on import BEGUN

DONE = (
    ("user", "please tidy the oven module"),
    ("edit", "ovens.py", "a = 1", "a = 2"),
    ("say", "Tidied, the tests pass."),
)
"""A session under way, so that what follows is no opening task."""


@pytest.mark.parametrize(
    ("said", "text"),
    [
        (
            "the ovens stand idle on mondays. so firing plans start on tuesdays, never before six. ada has the key "
            "until then",
            "The ovens stand idle on mondays. so firing plans start on tuesdays, never before six. ada has the key "
            "until then.",
        ),
        (
            "found the old kiln log in the drawer, it says 89. changed with the new thermometer. so before 2019 it is "
            "89, from then on 97",
            "Found the old kiln log in the drawer, it says 89. changed with the new thermometer. so before 2019 it is "
            "89, from then on 97.",
        ),
    ],
)
def test_a_topic_is_one_memory(said: str, text: str) -> None:
    assert kept(*DONE, ("user", said)) == [text]


def test_an_answer_goes_on_with_what_is_said_behind_it() -> None:
    asked = ("say", "Plates are counted per shelf now. Shall the list show one line a plate, or one a shelf?")
    said = "one a shelf, but only when the glaze is the same too. i had 2 plates and 200 plates in one line once"
    (text,) = kept(("user", "count the plates"), asked, ("user", said))
    assert text.startswith('Asked "') and text.endswith("I had 2 plates and 200 plates in one line once.")


def test_what_answers_yes_or_no_is_told_with_its_question() -> None:
    asked = ("say", "`auto_fire` is on. That starts the kiln without anyone looking; do you want it off for the shop?")
    said = "yes off. never on in the test kiln either, the guild wants somebody there"
    (text,) = kept(("user", "what about firing"), asked, ("user", said))
    assert "do you want it off for the shop?" in text and "Yes off. Never on in the test kiln either" in text


def test_a_number_that_opens_an_answer_is_a_value() -> None:
    asked = ("say", "A month of firing has 30 or 31 days in the plan. A month as 30 or as 31 days?")
    (text,) = kept(("user", "plan the month"), asked, ("user", "30. ada is the one who decides how long we fire"))
    assert "the user said: 30. ada is the one who decides" in text


@pytest.mark.parametrize(
    ("said", "texts"),
    [
        (
            "never put logic into the handlers of the oven. money is always integer cents",
            ["Never put logic into the handlers of the oven.", "Money is always integer cents."],
        ),
        (
            "the shelf list must stay sorted by glaze. btw can you never use a heredoc in all my repos, fish cannot",
            ["The shelf list must stay sorted by glaze."],
        ),
    ],
)
def test_another_rule_or_matter_is_another_memory(said: str, texts: list[str]) -> None:
    assert set(texts) <= set(kept(*DONE, ("user", said)))


@pytest.mark.parametrize("beside", ["show me the ovens", "what do you think?", "thanks!", "run the tests"])
def test_what_asks_or_only_goes_on_with_the_work_stays_out(beside: str) -> None:
    said = f"the ovens must never be opened above 200 degrees. {beside}"
    assert kept(*DONE, ("user", said)) == ["The ovens must never be opened above 200 degrees."]


def test_a_list_of_rules_is_a_memory_each() -> None:
    said = "- never open an oven above 200 degrees\n- the shelf list must stay sorted by glaze"
    assert len(kept(*DONE, ("user", said))) == 2


SENTENCES = st.lists(
    st.sampled_from(
        ["never open the ovens above 200 degrees.", "so it is 89 now.", "ada has the key.", "what do you think?",
         "yes off.", "30.", "put it in ovens.py.", "btw the shop moved.", "the shelf list must stay sorted by glaze.",
         "in all my repos.", "\n\n", "\n- we use tabs here", "> quoted\n", "not 5, 7.", "thanks.",
         "for kilnlog: we use tabs."]
    ),
    min_size=1, max_size=8,
)  # fmt: skip


@given(SENTENCES)
def test_findings_are_slices_in_order_without_overlap(sentences: list[str]) -> None:
    exchange = talk(*DONE, ("user", " ".join(sentences))).exchanges[-1]
    prose, last = exchange.message.prose, 0
    for found in read_message(exchange):
        one = found.finding
        assert one.quote == prose[one.start : one.end] and "\x00" not in one.quote and found.text.strip()
        assert one.start >= last
        last = one.end


@pytest.mark.parametrize(
    "said",
    ["my knee sends its regards", "you just leave it lying there", "i grepped and nobody calls it",
     "dont make me go look"],
)  # fmt: skip
def test_talk_of_a_few_words_is_not_kept(said: str) -> None:
    assert kept(*DONE, ("user", said)) == []


@pytest.mark.parametrize("said", ["make db has to keep working", "glaze day is friday from this week on"])
def test_few_words_of_a_rule_or_a_change_are_kept(said: str) -> None:
    assert len(kept(*DONE, ("user", said))) == 1


def test_what_the_agent_talks_somebody_out_of_is_not_kept() -> None:
    asked = (
        "user",
        "the side oven is being rewired, they want it on 4 instead of 3, flip it in the json quickly will you",
    )
    objects = ("say", "I'd rather not: 4 is the fire exit, and open_oven() would refuse it anyway.")
    assert kept(*DONE, asked, objects, ("user", "well caught, i'll ring him"), ("say", "Good.")) == []
    insists = ("user", "the shelf is on 4 instead of 3 now, and it stays so")
    assert kept(*DONE, asked, objects, insists, ("say", "Good."))[-1].startswith("The shelf is on 4")


def test_what_needs_something_that_is_made_then_is_not_kept() -> None:
    said = "the oven unit needs the password of the scale as well, wire it"
    assert kept(*DONE, ("user", said), ("edit", "unit.py", "a = 1", "a = 2"), ("say", "Wired.")) == []


def test_what_would_be_the_worse_for_it_makes_no_thought_of_a_ban() -> None:
    said = "oven 4 is the fire exit, our code must never ever switch that one, the inspector would have my head"
    (text,) = kept(*DONE, ("user", said))
    assert "must never ever switch" in text


def test_a_laugh_before_what_is_told_makes_no_joke_of_it() -> None:
    said = "somebody asked where staging is and its written nowhere lol - its quarry-nuc, port 8091, reboots at 5"
    (text,) = kept(*DONE, ("user", said))
    assert "port 8091" in text


def test_a_sentence_is_not_cut_before_a_bracket_within_it() -> None:
    said = (
        "not under plates/, the ovens listen on that, and somebody (not me this time) once sent a heat there. "
        "if you try something its lab/ and only lab/"
    )
    assert not any("somebody." in text or text.endswith("somebody") for text in kept(*DONE, ("user", said)))


def test_what_is_to_be_made_after_a_rule_stands_with_it() -> None:
    said = "the scans belong to ida, we never edit them. build odd plates inside the test"
    assert kept(*DONE, ("user", said)) == [
        "The scans belong to ida, we never edit them. build odd plates inside the test."
    ]


def test_an_option_of_a_row_is_told_by_its_words() -> None:
    asked = ("say", "The bill has no length. 1 install the meter on the box, 2 measure on your side and send it along.")
    said = "2. the box has one gb of ram, nothing heavy runs up there"
    (text, *_) = kept(("user", "why is the length 0"), asked, ("user", said), ("say", "Done."))
    assert "the user chose measure on your side and send it along" in text


def test_a_day_that_is_left_out_leaves_the_sentence_whole() -> None:
    said = "the old bench is gone, dont look for it, since yesterday evening its bench2, only for us five"
    (text,) = kept(*DONE, ("user", said))
    assert "dont look for it, its bench2" in text


def test_how_somebody_wants_answers_is_kept_beside_a_sessions_first_task() -> None:
    said = (
        "since monday there are holes in the plates. what is that? and the answer first, please, and the way there "
        "afterwards, i keep reading your paragraphs from the bottom up"
    )
    assert any("answer first" in text for text in kept(("user", said), ("say", "A sensor is off.")))


def test_each_of_several_things_that_are_announced_is_one() -> None:
    said = "never throw away a cracked plate, ada counts them. and a glaze test is alone in its oven, or it spoils."
    found = kept(*BEGUN, ("user", f"two things. {said}"))
    assert found == [
        "Never throw away a cracked plate, ada counts them.",
        "A glaze test is alone in its oven, or it spoils.",
    ]


def test_what_we_do_not_do_is_a_convention() -> None:
    last = talk(*BEGUN, ("user", "and we don't release plates on a friday.")).exchanges[-1]
    assert [found.finding.kind for found in read_message(last)] == ["convention"]
