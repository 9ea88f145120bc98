"""Words that two texts share by chance, and words that tell of no change, put nothing before a person."""

# ruff: noqa: E501  # a case a line

from __future__ import annotations

import pytest

from memory_db.text.perhaps_over import perhaps_over


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("You edit plates/*.sql and run `make plates`, internal/shelf is never touched by hand.",
         "We're on sqitch since last week. edit shelves/*.hcl, then `make plan` writes the file. flyway is gone and nobody "
         "writes sql into shelves by hand any more."),
        ("Edit the lines in locale/de.po by hand, the script breaks them.",
         "nobody edits fixtures/kilns.json by hand any more, it is written from the sheet"),
        ("A cold kiln is opened alone, otherwise the plates crack.",
         "We fire at noon now, otherwise the shop is closed."),
        ("Never open a hot kiln, otherwise the plates crack.",
         "When the agent edited `kiln.sql`, the user said: Not now(). the clock is an argument, otherwise a second run of "
         "an old day gives something else. same in go, no time.Now() in the kiln package."),
        ("Every number from 1 to 4 is shown as <5 on the pages of the kiln, whoever may ask, and in the papers.",
         "Not so, a 3 I may not print. As I said now for the pages, it must be <5 in whatever we print."),
        ("The kiln is opened with the clock stopped.", "not now, the kiln and the clock come next week"),
    ],
)  # fmt: skip
def test_nothing_is_over(earlier: str, later: str) -> None:
    assert perhaps_over(later, earlier) == ""


def test_what_is_done_with_one_file_may_be_over() -> None:
    earlier = "Edit shelves/*.sql by hand, then run the tests."
    assert perhaps_over("nobody edits shelves/*.sql by hand any more, sqitch writes them", earlier)
