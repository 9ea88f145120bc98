"""An answer that says all by itself stands without its question, and a bare value with what it is of."""

from __future__ import annotations

import pytest

from tests.extract.test_exchange_unit import kept

BEGUN = (("user", "look at the two services"), ("bash", "grep -n PORT conf/a.env", "PORT=1"))


def answered(question: str, said: str) -> list[str]:
    """The texts of an answer to the agent's question."""
    return kept(*BEGUN, ("say", question), ("user", said))


@pytest.mark.parametrize(
    ("question", "said", "text"),
    [
        (
            "Both say PORT=8431, so the second one cannot bind. Which port should the test one have?",
            "oh, my typo. production is 8431 and the test service 8432, both run on the same machine.",
            "Production is 8431 and the test service 8432, both run on the same machine.",
        ),
        (
            "The times have no zone. Are they local or UTC?",
            "kiln logs are always local time, everything else is utc",
            "Kiln logs are always local time, everything else is utc.",
        ),
        (
            "The check prints its findings and returns 1 if there are any. Shall I?",
            "Yes, with one exception: a missing label should only be a warning and leave the exit status alone.",
            "A missing label should only be a warning and leave the exit status alone.",
        ),
        ("What is the port of the staging server?", "8010 of course", "The port of the staging server is 8010."),
        ("Which timeout should the importer have?", "30 s", "The timeout of the importer is 30 s."),
        (
            "Two to add. Light it?",
            "no. i do the lighting. you never light anything.",
            "I do the lighting. you never light anything.",
        ),
        ("Planned. Fire oven two?", "you plan, i fire. never fire yourself.", "You plan, i fire. never fire yourself."),
        (
            "Which glaze? And which oven? And for when?",
            "one question at a time please, that's for all my projects.",
            "One question at a time please, that's for all my projects.",
        ),
        ("It counts 8 rows now. I'd raise the number to 8, ok?", "noo, hands off samples/.", "Hands off samples/."),
    ],
)
def test_an_answer_that_says_all_stands_alone(question: str, said: str, text: str) -> None:
    assert answered(question, said) == [text]


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("The registry has no such package. Where does it live?", "on our own one, registry.kiln.example"),
        ("A day would mean the local day. Shall I?", "The cause is right, but no local days, please."),
        ("Should the list keep the plates that are sold?", "no, they are gone then"),
        ("Which port should it have?", "8010 of course"),
        ("How often does the kiln report?", "every 10 minutes, the kiln is slow"),
    ],
)
def test_an_answer_that_needs_its_question_has_it(question: str, said: str) -> None:
    (text,) = answered(question, said)
    assert text.startswith(("Asked ", "On "))


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("All 31 checks pass. Do you want me to commit this, or to leave it in the tree for you?", "as last time"),
        ("The kiln file says 14 slots at present. Shall I change it?", "yes, with a test."),
        ("Shall I push it now or wait?", "now, the others are asleep"),
    ],
)
def test_what_is_answered_to_an_offer_of_a_step_is_over_with_it(question: str, said: str) -> None:
    assert answered(question, said) == []


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Shall I put the slots into kiln.toml or into the table?", "the table"),
        ("Should the list show plates or names?", "names"),
    ],
)
def test_a_choice_between_two_things_is_told(question: str, said: str) -> None:
    (text,) = answered(question, said)
    assert said.split()[0] in text


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("Moved, and green. The broken plate: how should it be sold?", "The broken plate: how should it be sold?"),
        (
            "Sorry. Its own shelf, or that of the first?",
            "Its own shelf, or that of the first?",
        ),
        ("12 of 12 pass. Where does it go?", "Where does it go?"),
        ("Oven two is cold. Where does it go?", "Oven two is cold. Where does it go?"),
    ],
)
def test_a_question_is_told_without_what_is_done(asked: str, told: str) -> None:
    (text,) = answered(asked, "into the shop, by the door")
    assert text.startswith(f'Asked "{told}"')


@pytest.mark.parametrize("before", ["no, the plates are counted by hand", "hola, sunny again, and i am here with you"])
def test_a_question_is_not_told_with_an_earlier_answer_or_greeting(before: str) -> None:
    asked = ("say", "It leaves out the last oven. How often should it count that?")
    (text,) = kept(("user", before), asked, ("user", "once a week, on mondays"))[-1:]
    assert text.startswith('Asked "It leaves out the last oven.')
