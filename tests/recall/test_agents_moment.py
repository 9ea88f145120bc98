"""Reports of an agent that were true for a moment, and what it found that lasts."""

from __future__ import annotations

import pytest

from memory_db.recall.brief.passing import is_agents_moment


@pytest.mark.parametrize(
    "text",
    [
        "82.5 % of 40 parcels in the sample.",
        "12 tests failed in the plain run, all of them about dates.",
        "The pump keeps its last value for hold_minutes, at present 10.",
        "The weight column is out of the export, nothing here used it.",
        "Options: (1) keep it, (2) count each parcel, (3) leave it out.",
        "The old parser was removed, the reader takes both forms.",
        "The queue currently holds 300 letters.",
    ],
)
def test_a_report_of_a_moment_is_known(text: str) -> None:
    assert is_agents_moment(text)


@pytest.mark.parametrize(
    "text",
    [
        "The scale sends its weight in grams, the label printer wants kilograms.",
        "The build fails without a network because the lock file is fetched.",
        "Parcels of more than 30 % overweight are refused by the depot.",
        "The importer reads 500 rows at a time.",
        "`--now` skips the queue.",
        "The tests need the clock of the office.",
    ],
)
def test_what_lasts_is_none(text: str) -> None:
    assert not is_agents_moment(text)
