"""A rule is kept whole: with what "it" is, with its reason, without what stands before it that is something else."""

from __future__ import annotations

import pytest

from tests.extract.test_exchange_unit import kept
from tests.extract.test_polite_rules import DONE
from tests.extract.test_run_on import BEGUN


@pytest.mark.parametrize(
    "said",
    [
        "Fix: a cracked plate comes through as None and its row gets CRACK as its mark. don't just skip it, the potter "
        "fires those again and what's not on the list nobody fires.",
        "Not yellow and pink! Omar at the kiln can't tell them apart, and it's mostly him reading it. black and white, "
        "and print the word next to it so the colour isn't carrying it alone.",
        "Go by weight, not by the size column, plates from before today were measured with the old frame.",
    ],
)
def test_what_it_stands_for_and_what_is_to_be_instead_stay_with_the_rule(said: str) -> None:
    assert kept(*DONE, ("user", said)) == [said]


@pytest.mark.parametrize(
    ("asked", "said", "wanted"),
    [
        (
            "I added two rows to raw/plates.csv. I'd raise the number to 9, ok?",
            "nooo, hands off raw/. those come from the scale and Ada's yearly report names them by checksum, one more "
            "row and she has to sign again. put it back",
            "Hands off raw/. those come from the scale and Ada's yearly report names them by checksum, one more row "
            "and she has to sign again.",
        ),
        (
            "Should a plate without a number be skipped, or should the run stop?",
            "stop. with one number gone you can't trust the next one either. message with the shelf in it, status 3, "
            "no trace",
            "stop. with one number gone you can't trust the next one either. message with the shelf in it, status 3, "
            "no trace.",
        ),
        (
            "Going higher only pays if the glaze itself needs it. Stay?",
            "stay. 1220 it is, one fuse and the old oven loses every third plate above that anyway, she can glaze "
            "twice",
            "stay. 1220 it is, one fuse and the old oven loses every third plate above that anyway, she can glaze "
            "twice.",
        ),
        (
            "utf-8. The sample has no accent in it, so it would not show if the real one is something else. Is it?",
            "latin-1, and will be until the roof falls in, the guild's system is older than me. put an accent in",
            "latin-1, and will be until the roof falls in, the guild's system is older than me. Put an accent in.",
        ),
        (
            "What should an empty weight mean?",
            "the salt bowl. hm. empty = broken, i'd say? so 0",
            "the salt bowl. hm. empty = broken, i'd say? so 0.",
        ),
    ],
)
def test_an_answer_is_kept_with_its_reason(asked: str, said: str, wanted: str) -> None:
    (text,) = kept(("user", "have a look at the plates"), ("say", asked), ("user", said), ("say", "Done."))
    assert text.endswith(wanted)


def test_what_follows_from_a_yes_stands_without_it() -> None:
    said = "ha, yes, that is exactly what happens, the ö. so the actual fault is in the scale, the file must be utf-8"
    assert kept(*DONE, ("user", said)) == ["So the actual fault is in the scale, the file must be utf-8."]


@pytest.mark.parametrize(
    ("said", "text"),
    [
        (
            "thanks for only looking, i like it that way btw: when two things are broken tell me both and which you "
            "would mend first, then wait for me",
            "When two things are broken tell me both and which you would mend first, then wait for me.",
        ),
        (
            "here they want the kiln's name in front, K-7 this time, and in this repo show me the message before, ada "
            "reads the log",
            "Here they want the kiln's name in front, and in this repo show me the message before, ada reads the log.",
        ),
        (
            "commit it, please: conventional commits (fix:, feat: and so on), since the changelog is made of them",
            "Conventional commits (fix:, feat: and so on), since the changelog is made of them.",
        ),
    ],
)
def test_what_is_said_once_beside_it_takes_no_rule_away(said: str, text: str) -> None:
    (found,) = kept(*BEGUN, ("user", said))
    assert found.endswith(text[1:])


@pytest.mark.parametrize(
    "said", ["try it, take plate nine, break it up and glaze one half", "chop it up, then fire it"]
)
def test_what_to_do_with_what_was_named_before_is_no_rule(said: str) -> None:
    assert kept(*DONE, ("user", said), ("edit", "a.py", "a = 2", "a = 1"), ("say", "Done.")) == []
