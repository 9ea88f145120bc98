"""A value that is all somebody says: kept with what it is the value of, in the place of the one that it corrects."""

from __future__ import annotations

import pytest

from memory_db.text.relations import SUPERSEDES, Statement, relation
from tests.extract.test_exchange_unit import kept

CUT = "Titles are cut at 32 characters (WIDTH overrides it)."
BEGUN = (("user", "titles have to be cut, the rolls are 57mm"), ("edit", "bin/labels.sh", "printf", "cut -c 1-32"))
EDITED = ("edit", "bin/labels.sh", "${WIDTH:-32}", "${WIDTH:-28}")
NOW_28 = "Titles are cut at 28 characters (WIDTH overrides it), not 32."


@pytest.mark.parametrize(
    "said",
    [
        "printed one, the last letters run over the edge. measured it: 28. set that",
        "no, 28",
        "no wait, make that 28",
        "28, not 32",
        "28 not 32 please",
        "hm, measured it again: 28 characters.",
        "sorry, it's 28.",
        "should be 28 instead of 32",
    ],
)
def test_a_corrected_value_is_told_with_what_it_is_of(said: str) -> None:
    assert kept(*BEGUN, ("say", CUT), ("user", said), EDITED, ("say", "28 set."))[-1] == NOW_28


def test_it_replaces_what_had_the_value_before() -> None:
    found = relation(Statement(NOW_28, said_at="2026-05", by_user=True), Statement(CUT, said_at="2026-03"))
    assert found is not None and found.kind == SUPERSEDES


def test_what_the_user_said_before_tells_it_where_the_agent_says_no_number() -> None:
    begun = (
        ("user", "hello"),
        ("say", "Hello."),
        ("user", "a plate stays in the oven for 12 hours"),
        ("say", "Noted."),
    )
    assert kept(*begun, ("user", "no sorry, 14 hours"))[-1] == "A plate stays in the oven for 14 hours, not 12."


@pytest.mark.parametrize(
    "asked",
    ["is 12 hours sane at all, what happens with a thick plate", "should a plate stay in for 12 hours", "why 12 hours"],
)
def test_no_value_is_put_into_a_question_of_the_user(asked: str) -> None:
    begun = (("user", "hello"), ("say", "Hello."), ("user", asked), ("say", "Noted."))
    assert not any("not 12" in each for each in kept(*begun, ("user", "no sorry, 14 hours")))


@pytest.mark.parametrize(
    ("before", "said"),
    [
        (CUT, "28"),  # an answer to a choice, for all that is known
        (CUT, "2"),
        (CUT, "no, 32"),  # no other value
        ("Titles are cut at 32 characters and names at 20.", "no, 28"),  # which of them?
        ("Nothing is cut.", "no, 28"),  # of what?
        (CUT, "28 tests?"),
        ("Four tests failed in 32 s.", "no, 28"),  # of one run
        ("Committed as 1f2e3d4 with 32 files.", "no, 28"),
    ],
)
def test_a_value_of_nothing_that_was_named_is_not_kept(before: str, said: str) -> None:
    assert not any("28" in each for each in kept(("user", "hello"), ("bash", "make", "ok"), ("say", before),
                                                 ("user", said)))  # fmt: skip


KEEPS: tuple[tuple[str, ...], ...] = (
    ("user", "old bundles pile up in the yard. keep the last 5"),
    ("edit", "release.sh", "ls", "ls | head -n -5"),
    ("say", "After a release, `release.sh` removes all but the newest 5."),
    ("user", "what is the V in sort -V?"),
    ("say", "It compares runs of digits as numbers."),
)
KEEPS_3 = "Old bundles pile up in the yard. keep the last 3, not 5."
CUT_5 = ("edit", "release.sh", "ls | head -n -5", "ls | head -n -3")


@pytest.mark.parametrize(
    ("said", "followed"),
    [
        ("5 is too many for that little disk, make it 3", ()),
        ("hmpf. 5 are way too many. make it 3 please", ()),
        ("keep 3, not 5", ()),
        ("five is more than the disk takes, rather three", ()),
        ("make that 3", (CUT_5,)),
        ("ok better 3", (CUT_5,)),
        ("3 are enough, 5 is silly", ()),
        ("i said 5, but it should be 3", ()),
    ],
)
def test_what_was_said_earlier_in_the_session_tells_what_a_number_is_of(
    said: str, followed: tuple[tuple[str, ...], ...]
) -> None:
    assert KEEPS_3 in kept(*KEEPS, ("user", said), *followed, ("say", "3 then."))


@pytest.mark.parametrize(
    "said",
    [
        "is 5 too many?",
        "if 5 is too many make it 3",
        "7 is too many, make it 3",  # nobody spoke of 7
        "in the other place 5 is too many, they have 3",
        "5 is fine, keep it",
        "make that 3 rows",
    ],
)
def test_what_is_no_change_of_it_changes_nothing(said: str) -> None:
    assert not any("not 5" in each for each in kept(*KEEPS, ("user", said), ("say", "Ok.")))


def test_of_two_that_had_the_number_none_is_told() -> None:
    other = (("user", "and a dump is tried 5 times"), ("say", "Noted."), ("user", "commit it"), ("say", "Committed."))
    said = kept(*KEEPS, *other, ("user", "5 is too many, make it 3"), ("say", "Ok."))
    assert not any("not 5" in each for each in said)
