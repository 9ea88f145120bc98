"""Where sentences end, and what belongs to their words."""

from __future__ import annotations

import pytest

from memory_db.extract.rules.titles import titled
from memory_db.text.sentences import split


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("old browsers get a white page from a ?. or a ?? in there", 1),
        ("a !! in front of it makes a boolean of it", 1),
        ("who knows?? maybe tomorrow", 2),
        ("what ? and then it stopped", 2),
        ("is it the ?? operator. no, the other one", 2),
        ("the oven went out again :( for next time: plates are never stacked", 2),
        ("it is gone :-( commit", 2),
        ("the sign :) stands alone", 1),
        ("a key of (a :(b) or so", 1),
    ],
)
def test_a_sign_of_a_language_ends_no_sentence_and_a_sad_face_does(text: str, sentences: int) -> None:
    assert len(split(text)) == sentences


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("_R is a swapped car", "_R is a swapped car"),
        ("the suffix is _", "the suffix is _"),
        ("_never on a Friday_", "never on a Friday"),
        ("**never on a Friday**", "never on a Friday"),
    ],
)
def test_an_underscore_of_a_name_stays(text: str, kept: str) -> None:
    assert [each.text for each in split(text)] == [kept]


def test_a_title_keeps_the_denial_that_it_begins_with() -> None:
    assert titled("No feat: fix: chore: in front of a commit.").startswith("No ")
    assert titled("The rule of our office is: every number gets a dot.") == "Every number gets a dot"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("the mail goes out at 6:30. always in german", ""),
        ("the log of 6:30 says: always in german", "always in german"),
        ("the mail says: always in german", "always in german"),
    ],
)
def test_the_colon_of_a_time_announces_nothing(text: str, shown: str) -> None:
    masked = "".join(each.masked for each in split(text))
    assert masked.count("\x00") == len(shown)
