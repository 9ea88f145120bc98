"""Several facts of one message: each with what it is of, its time, its bracket and what follows from it."""

# ruff: noqa: E501  # a case a line

from __future__ import annotations

import pytest

from memory_db.extract.rules.messages import IN_CHARGE, read_message
from tests.extract.test_exchange_unit import kept, talk

BEGUN = (("user", "hello"), ("say", "Hello."))


def told(said: str) -> list[str]:
    return kept(*BEGUN, ("user", said), ("say", "Noted."))


@pytest.mark.parametrize(
    "said",
    [
        "The kiln is fired every night at 2:15 by the old plc. nobody may open the lid then.",
        "The lab sends its results to /srv/lab on Fridays at noon. Nothing must be deployed then, they lost a batch once.",
        "The mirror is rebuilt from 4:00 till 4:40 every morning. downloads are not allowed then.",
        "The scale is calibrated on Mondays at 7. During that time the reader must stay off.",
        "Payroll runs on the 28th at 18:00 on db2. no migration may be running then.",
        "The feed of the harbour is closed from 23:00 to 1:00 each night. the importer must be stopped then.",
    ],
)
def test_what_holds_then_is_told_with_its_time(said: str) -> None:
    (text,) = told(said)
    assert text.rstrip(".") == said.rstrip(".")


@pytest.mark.parametrize(
    "said",
    [
        "The kiln is fired every night at 2:15 by the old plc. Never commit generated files.",
        "The lab sends its results to /srv/lab on Fridays at noon. Labels always have two lines then a blank one.",
        "Orders come in every morning at 6:10. First the tests then the commit.",
    ],
)
def test_then_of_something_else_joins_nothing(said: str) -> None:
    assert said.rstrip(".") not in [each.rstrip(".") for each in told(said)]


@pytest.mark.parametrize(
    "said",
    [
        "rates.csv comes from Ada in sales, its her sheet. you never edit it, you tell me what is off and i call her.",
        "The schema lives in db/schema.sql, Per exports it. you don't touch it, he wants to see each change himself.",
        "The folder certs/ comes from the security team on each release. never write in there, their scan deletes it.",
        "The file zones.txt comes from the harbour office. you only read it, changes go to them by mail.",
        "The wiki page is generated from docs/ by a job of Ines. nobody edits it there, she overwrites it.",
        "The list of plates is kept by Jon in plates.ods. you ask him before anything is added to it.",
    ],
)
def test_an_order_goes_with_whose_the_thing_is(said: str) -> None:
    assert any(said.split(". ", 1)[1][:20] in text and said[:14].lower() in text.lower() for text in told(said))


@pytest.mark.parametrize(
    "said", ["can you tell me what is missing?", "could you tell me which port it has", "tell me what it does"]
)
def test_a_request_to_tell_is_still_a_question(said: str) -> None:
    assert told(said) == []


@pytest.mark.parametrize(
    ("said", "part"),
    [
        (
            "otto has the fair in march from now on lol no weather excuse, so the vans come on tuesdays, 6 to 8",
            "tuesdays, 6 to 8",
        ),
        ("runs on 8012 behind nginx (9090 in the office is the coffee machine, it has a page of its own)", "9090"),
        ("the archive listens on 7001 behind haproxy (7002 is the vending machine in the hall)", "7002"),
    ],
)
def test_what_follows_and_what_stands_in_brackets_stays(said: str, part: str) -> None:
    assert all(part in each for each in told(said))


@pytest.mark.parametrize(
    ("said", "part"),
    [
        (
            "bruno is on leave from monday till august, lucky him. nadia has the mail server till then",
            "nadia has the mail server",
        ),
        ("timo broke his arm skiing!! olga does the releases until he is back", "olga does the releases until"),
        (
            "my cat had kittens. since january vera has the last word on discounts",
            "vera has the last word on discounts",
        ),
        ("cake was great. paul takes over the backups while mia is away", "paul takes over the backups while"),
        ("so you know, what tickets cost decides the board", "what tickets cost decides the board"),
        ("lena steps in for oskar at the print shop till easter", "lena steps in for oskar"),
    ],
)
def test_who_is_responsible_is_kept_with_its_time(said: str, part: str) -> None:
    assert any(part in each.lower() for each in told(said))


@pytest.mark.parametrize(
    "said",
    [
        "ida has a cold since monday",
        "tom has the flu, poor guy",
        "she has the day off",
        "my brother gets the car for the weekend",
        "who has the key?",
        "nina takes the bus home",
    ],
)
def test_news_of_people_tell_of_nobody_in_charge(said: str) -> None:
    found = [one for exchange in talk(*BEGUN, ("user", said)).exchanges for one in read_message(exchange)]
    assert all(IN_CHARGE not in one.finding.cues for one in found)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("The pickup is on Tuesday at 9:00. Is Tuesday still right?", "thursday rather, she's changed her shift"),
        ("The digest goes out in March. Is that still right?", "may instead, they have moved the fair"),
        ("The backup starts at 02:00. Is that correct?", "3:15 now, the lab has taken our slot"),
        ("I wrote Friday into the footer. Is Friday correct?", "saturday, they've opened it for families"),
        ("Reports go to Jens. Is that still right?", "marta now, he's left us"),
        ("The gate opens at noon. Is noon still right?", "no, midnight rather, it's the night shift"),
    ],
)
def test_a_short_correction_is_told_with_its_question(asked: str, said: str) -> None:
    texts = kept(
        *BEGUN, ("user", "write the line for the pickup list"), ("say", asked), ("user", said), ("say", "Done.")
    )
    assert any("Asked" in each and said in each for each in texts)


@pytest.mark.parametrize(
    "said", ["thanks, later", "no idea, ask me tomorrow", "hm, let me check", "is it tuesday?", "good, next one"]
)
def test_words_that_correct_nothing_are_no_answer(said: str) -> None:
    asked = "The pickup is on Tuesday at 9:00. Is Tuesday still right?"
    assert kept(*BEGUN, ("user", "write the line"), ("say", asked), ("user", said), ("say", "Fine.")) == []
