"""What an earlier text still says where something in it is no longer done."""

from __future__ import annotations

import pytest

from memory_db.text.relations import CONTRADICTS, SUPERSEDES, Statement, relation

EARLIER, LATER = "2026-03-01T09:00:00Z", "2026-06-01T09:00:00Z"

SQUARE = "We no longer cut the pictures to a square."
CUT = "We cut the pictures to a square before the upload."
LIE = "The pictures of the vendor lie in assets/vendor."


def outcome(old: str, new: str) -> tuple[str, str, str]:
    """How a later text stands to an earlier one, by which test, and what is left of that."""
    found = relation(Statement(new, said_at=LATER, by_user=True), Statement(old, said_at=EARLIER, by_user=True))
    return (found.kind, found.test, found.rest) if found is not None else ("", "", "")


@pytest.mark.parametrize(
    ("old", "new", "rest"),
    [
        (f"{LIE} {CUT}", SQUARE, LIE),
        (f"{CUT} {LIE}", SQUARE, LIE),
        (f"{LIE[:-1]}, and we cut the pictures to a square before the upload.", SQUARE, LIE),
        (f"{LIE} {CUT}", "We don't cut the pictures to a square any more.", LIE),
        (f"{LIE} {CUT}", "We stopped cutting the pictures to a square.", LIE),
        ("The worker polls the queue every minute. The queue of the worker is called jobs.",
         "The worker no longer polls the queue every minute.", "The queue of the worker is called jobs."),
    ],
)  # fmt: skip
def test_a_sentence_that_only_shares_a_word_with_what_is_no_longer_done_holds_on(old: str, new: str, rest: str) -> None:
    assert outcome(old, new) == (CONTRADICTS, "explicit_part", rest)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (CUT, SQUARE),
        (f"{CUT} Otherwise the pictures look crooked in the list.", SQUARE),
        ("Pictures are square. They are cut on upload.", SQUARE),
        ("Deploys go through the Jenkins box. The password of the Jenkins box is in the vault.",
         "We don't use the Jenkins box any more."),
        ("The nightly export goes to the council's server. The export has one row for each stop.",
         "The nightly export to the council is gone."),
        ("Invoices are numbered by year. The year of an invoice is the year of its delivery.",
         "Invoices are no longer numbered by year."),
    ],
)  # fmt: skip
def test_all_goes_that_is_of_what_is_over(old: str, new: str) -> None:
    assert outcome(old, new) == (SUPERSEDES, "explicit", "")


def test_a_person_is_asked_where_what_is_left_leans_on_what_is_over() -> None:
    assert outcome(f"{CUT} The list looked crooked otherwise.", SQUARE) == (CONTRADICTS, "explicit_part", "")
