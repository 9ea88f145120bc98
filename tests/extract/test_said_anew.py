"""What is given anew, or told with a question tag, is kept with what it is about."""

# ruff: noqa: E501  # a case a line

from __future__ import annotations

import pytest

from memory_db.extract.rules.as_told import without_tag
from memory_db.extract.rules.messages import read_message
from memory_db.extract.rules.said_anew import said_anew
from memory_db.text.sentences import split
from tests.extract.test_exchange_unit import Turn, talk

BEGUN: tuple[Turn, ...] = (("user", "hello"), ("say", "Hello."))
FAILED: Turn = ("bash", "curl -s ci-2.int.clay.example/api/queue", "fails: could not resolve host")


def anew(*turns: Turn) -> list[str]:
    """The texts that the last message gives anew."""
    exchange = talk(*turns).exchanges[-1]
    found = {one.text for one in read_message(exchange)}
    return [one.text for one in said_anew(exchange, read_message(exchange)) if one.text not in found]


@pytest.mark.parametrize(
    "said",
    [
        "ah right, infra renamed it. ci.eu1.clay.example.",
        "hm, they moved that box. it's ci.eu1.clay.example now",
        "right, that one was retired. ci.eu1.clay.example:8443/api",
        "oh no, the old host died. ci.eu1.clay.example then",
    ],
)
def test_an_address_alone_is_told_with_the_news_before_it_and_the_command(said: str) -> None:
    exchange = talk(*BEGUN, FAILED, ("user", said)).exchanges[-1]
    (text,) = (one.text for one in said_anew(exchange, read_message(exchange)))
    assert text.startswith("When the agent ran `curl -s ci-2.int.clay.example/api/queue`, the user said: ")
    assert "ci.eu1.clay.example" in text


def test_a_new_address_behind_an_answer_is_kept() -> None:
    turns: tuple[Turn, ...] = (
        ("say", "8 of 8. Push to the branch `pre`?"),
        (
            "user",
            "yes, KL-790. ah and pre moved, now it's flow-pre.clay.example:8443 with https, the 8081 died with the upgrade",
        ),
    )
    (text,) = anew(*BEGUN, *turns)
    assert text.startswith("Pre moved, now it's flow-pre.clay.example:8443")


@pytest.mark.parametrize(
    "said",
    [
        "was it renamed? ci.eu1.clay.example?",
        "try ci.eu1.clay.example",
        "I don't know why. look at ci.eu1.clay.example",
        "they moved to the new office. ask bram about ci.eu1.clay.example",
        "maybe they renamed it, ci.eu1.clay.example?",
        "use ci.eu1.clay.example for now, ours was moved",
    ],
)
def test_an_address_alone_is_no_news(said: str) -> None:
    assert anew(*BEGUN, FAILED, ("user", said)) == []


MAIL = """the printers refused the sheet of last night. they write:

> Dear customer, sheet 77 was refused. {shown}
> Never reply to this address.

{said}"""


@pytest.mark.parametrize(
    "said",
    [
        "so 40 now, not 60.",
        "so it's 40 now, not 60. where is that set?",
        "ok, 40 from now on instead of 60",
        "60 is history, 40 now.",
        "40 labels, no longer 60",
    ],
)
def test_a_number_in_the_place_of_another_one_has_what_is_shown_above(said: str) -> None:
    (text,) = anew(
        ("user", MAIL.format(shown="From 16 November a sheet has at most 40 labels.", said=said)),
        ("say", "In `sheet.py`."),
    )
    assert text.startswith(
        'On "the printers refused the sheet of last night. From 16 November a sheet has at most 40 labels.", the user said: '
    )


@pytest.mark.parametrize(
    ("shown", "said"),
    [
        ("You must never send more than 40 labels.", "so 40 now, not 60."),  # an order of somebody else is not told
        ("We are sorry.", "so 40 now, not 60."),
        ("A sheet has at most 40 labels.", "is it 40 now, not 60?"),
        ("A sheet has at most 40 labels.", "40 pages, thanks"),
        ("A sheet has at most 40 labels.", "send 40 now, the other 60 tomorrow"),
    ],
)
def test_a_number_alone_is_not_kept(shown: str, said: str) -> None:
    assert anew(("user", MAIL.format(shown=shown, said=said)), ("say", "Ok.")) == []


@pytest.mark.parametrize(
    "said",
    [
        "the tag only Petra sets, before it was me, but since the audit the one who builds cannot release, makes sense no?",
        "builds are signed by Petra since the audit, right?",
        "nobody uses yarn here any more, you know?",
        "tags come from the pipeline only, ok?",
        "the kiln goes off on sundays because nobody is here, isn't it?",
        "glazes go to the cellar from now on, agreed?",
        "el tag lo pone Petra, vale?",
        "we moved to pnpm, makes sense?",
    ],
)
def test_a_statement_with_a_tag_is_a_statement(said: str) -> None:
    (sentence,) = split(said)
    told = without_tag(sentence)
    assert said.startswith(told.text) and "?" not in told.text and "sense" not in told.text
    assert len(told.text) == len(told.masked) == told.end - told.start


@pytest.mark.parametrize(
    "said",
    ["the port is 80, isn't it?", "we squash, right?", "is it on, ok?", "should we squash because it is cleaner, no?", "right?", "you see?", "does that make sense?", "which one, the old one from now on, right?", "why? ok?"],
)  # fmt: skip
def test_a_question_stays_one(said: str) -> None:
    assert all(without_tag(sentence) == sentence for sentence in split(said))


def test_who_alone_does_something_is_kept_with_its_tag() -> None:
    said = "register it. The champion tag only Petra sets, before it was me, but since the audit the one who trains cannot promote, makes sense no?"
    exchange = talk(*BEGUN, ("say", "Shall I register the model now?"), ("user", said)).exchanges[-1]
    texts = " ".join(one.text for one in read_message(exchange))
    assert "only Petra sets" in texts and "makes sense" not in texts
