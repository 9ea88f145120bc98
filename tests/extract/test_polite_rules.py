"""Rules that are said politely or by the way are rules, and what is politely asked for once stays a request."""

from __future__ import annotations

import pytest

from memory_db.extract.rules.politeness import plain
from tests.extract.test_exchange_unit import kept, talk

DONE = (
    ("user", "please tidy the oven module"),
    ("edit", "ovens.py", "a = 1", "a = 2"),
    ("say", 'Tidied, and committed as "Refactor ovens".'),
)
"""What the rules of this file are said after."""


@pytest.mark.parametrize(
    "said",
    [
        "it would be nice if you named the oven in every commit",
        "It would be kind if you asked me before you add a dependency.",
        "I'd rather you left the formatting of old files alone.",
        "I would rather you did not touch the recipes folder.",
        "a commit message here is one sentence, please",
        "we usually put the date in front of the file name",
        "you may leave the deploying to me",
        "Pushing is mine to do.",
        "I push that myself in the evening.",
        "And no push, please, I do that myself.",
        "I like short function names better.",
        "if you could always run the linter before you report, that would help me",
        "would you mind writing dates as 2026-11-26 from here on?",
        "Let's keep the kiln API free of floats.",
        "Please none of those one-letter names.",
        "I want to see the failing test before the fix.",
        "shorter answers would be nice, i read the diff anyway",
        "Kindly leave the vendor folder as it is.",
        "there is no need to explain what you did, I read the code.",
        "whoever adds a recipe signs it in the margin",
        "what does not fit on the shelf shall go into the second firing",
        "What is cracked gets sold at half price.",
        "at most three retries, or the oven shuts the door",
        "four attempts per plate and no more, else the fuse goes",
        "I am the only one who may start the kiln, so just write it down.",
        "no rush, the shop takes plates on thursday before noon and if you miss that you wait a week",
        "Please show prices with the sign behind, like 7,50 kr.",
        "the evening firing ends at 22:00, the contract says so",
    ],
)
def test_a_rule_that_is_said_politely_is_kept(said: str) -> None:
    assert len(kept(*DONE, ("user", said))) == 1


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("could we keep the glaze names in lower case?", "Keep the glaze names in lower case."),
        ("Could we keep to one class per file, please?", "Keep to one class per file, please."),
    ],
)
def test_a_rule_that_is_asked_for_is_told_as_the_rule(said: str, text: str) -> None:
    assert kept(*DONE, ("user", said)) == [text]


@pytest.mark.parametrize(
    "said",
    [
        "it would be nice if you could look at oven three",
        "It would be kind if you sent me the log.",
        "I'd rather you looked at the other branch first.",
        "could we keep going with oven four?",
        "Could we have a look at the plates now?",
        "would you mind checking the fuse?",
        "you may go ahead with that",
        "you may close the branch now",
        "I like the second version better.",
        "I can see it myself in the log.",
        "I have looked at the plates myself, nothing is wrong.",
        "no need to redo it",
        "let us start with the curve",
        "Please do not, and we were lucky that the fuse was out.",
        "Here you are, from the log of oven 4: seal=9",
        "show me the plates of oven 4 as a table",
    ],
)
def test_what_is_politely_asked_for_once_is_no_rule(said: str) -> None:
    assert kept(*DONE, ("user", said)) == []


@pytest.mark.parametrize(
    ("lower", "text"),
    [
        ("it would be nice if you changed the glaze", "please kindly change the glaze"),
        ("i'd be happier if you committed less", "please kindly commit less"),
        ("could we please not fire at night?", "please kindly don't fire at night"),
        ("would you mind naming it", "would you mind naming it"),
        ("could you keep an eye on it?", "could you keep an eye on it?"),
        ("fewer comments would be fine", "i prefer fewer comments"),
    ],
)
def test_a_sentence_without_its_polite_words(lower: str, text: str) -> None:
    assert plain(lower) == text


def test_what_is_announced_in_one_sentence_is_not_shown_in_the_next() -> None:
    said = "Please change the message. I know that these glaze: and seal: marks are usual. No marks at all, please."
    assert [span.provenance for span in talk(("user", said)).exchanges[0].message.spans] == []
    assert kept(*DONE, ("user", said)) == ["No marks at all, please."]


def test_what_is_asked_beside_a_rule_does_not_make_it_a_thought() -> None:
    said = "cone goes up to 14 and there never is a half one. also how heavy is the big plate over there, just curious"
    assert kept(*DONE, ("user", said)) == ["Cone goes up to 14 and there never is a half one."]
    assert kept(*DONE, ("user", "the plates go into one box. just thinking aloud")) == []
