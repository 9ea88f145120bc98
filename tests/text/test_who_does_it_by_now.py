"""Who went to do something else no longer does what an earlier text tells of them."""

from __future__ import annotations

import pytest

from memory_db.text.absence import left, tells_of_leave


@pytest.mark.parametrize(
    ("later", "earlier"),
    [
        ("who approves: elif, jonas went to the risk team.", "Prod is a button and jonas presses it."),
        ("bram moved over to the glaze squad, so it's ulla now", "the release notes are signed by bram"),
        ("niels has left the rota", "ask niels before you touch the firmware of the kilns"),
        ("jonas switched to trading, elif approves from now on", "Every schema change: jonas reviews it first."),
        ("mira quit last month, deploys are petr's", "deploys are mira's, only she has the token"),
        ("niels is leaving us in june. anything with certs goes to ola", "certs: niels does them, ping him"),
        ("Rosa joined the search team", "rosa owns the export"),
        ("btw tomas doesn't work here any more", "the reviewer is tomas"),
        ("marius goes to the data platform group on the first", "the keys are with marius"),
        ("hana's now moved across to support", "hana signs what goes to the printers"),
    ],
)
def test_who_went_elsewhere(later: str, earlier: str) -> None:
    assert left(later, earlier).endswith("is no more where they were")
    assert tells_of_leave(later)


@pytest.mark.parametrize(
    ("later", "earlier"),
    [
        ("the queue moved to the platform team", "the queue drains at night"),
        ("tickets went to the support team", "tickets are closed after a week"),
        ("we moved to the new office", "we deploy from the office"),
        ("traffic moved to the finance cluster", "traffic enters through haproxy"),
        ("jonas went to the dentist", "jonas presses it"),
        ("the mail goes to the risk team", "the mail says who pays"),
        ("everything goes to the data team first", "everything is reviewed"),
        ("bram left the flag on", "bram reviews it"),
        ("bram left a comment on the pr", "bram reviews it"),
        ("staging moved to the platform team", "staging runs on 8081"),
        ("postgres moved to the data team", "postgres listens on 5433"),
        ("jonas went to the risk team", "the script is called jonas"),
    ],
)
def test_who_is_where_they_were(later: str, earlier: str) -> None:
    assert left(later, earlier) == ""
