"""What held until something came, and it has come."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_db.text.until_then import tells_end, until_then

HAS_COME = (
    ("lib/old is left alone until the takeover is through.", "the takeover is through, lib/old can be deleted"),
    ("Don't touch the parser until Greta is back.", "Greta is back since monday"),
    ("Prices stay frozen until the audit is over.", "the audit is done, finally"),
    ("No deploys till the new rack is installed.", "the new rack came, deploys again"),
    ("We stay on 1.x until the vendor has released 2.0 of the driver.", "vendor released driver 2.0 yesterday"),
    ("As long as the sale runs, no releases.", "the sale is over, release away"),
    ("Leave the old endpoint in until the app update is out.", "app update is out"),
    ("Use the mock printer until the real printer arrives.", "the real printer has arrived"),
    ("Keep both columns until the backfill is done.", "backfill finished last night"),
    ("leave the flag on till the election is over", "election's over"),
    ("until the strike ends: parcels go by bike", "strike has ended, hurray"),
)

NOT_YET = (
    ("Don't touch the parser until Greta is back.", "Greta is not back yet"),
    ("Don't touch the parser until Greta is back.", "give Greta the parser back"),
    ("Prices stay frozen until the audit is over.", "the audit is still running"),
    ("Prices stay frozen until the audit is over.", "the audit will be over in june"),
    ("Prices stay frozen until the audit is over.", "the audit log is over there"),
    ("No deploys till the new rack is installed.", "when the new rack is installed we deploy"),
    ("No deploys till the new rack is installed.", "the old rack is gone"),
    ("Keep both columns until the backfill is done.", "is the backfill done?"),
    ("Keep both columns until the backfill is done.", "the backfill isn't finished"),
    ("Retry until the server is up.", "the server is up on port 8080"),
    ("Wait until the test is done.", "tests are done in parallel"),
    ("leave the flag on till the election is over", "the election page is done"),
    ("Loop until the queue is empty.", "the queue is done in redis"),
)


@pytest.mark.parametrize(("earlier", "later"), HAS_COME)
def test_what_was_waited_for_has_come(earlier: str, later: str) -> None:
    assert until_then(later, earlier).endswith("which has come")


@pytest.mark.parametrize(("earlier", "later"), NOT_YET)
def test_what_is_still_waited_for(earlier: str, later: str) -> None:
    assert until_then(later, earlier) == ""


def test_an_end_is_news_where_it_is_told_as_one() -> None:
    assert tells_end("Greta is back since monday")
    assert tells_end("the takeover is finally through")
    assert not tells_end("Greta will be back on monday")
    assert not tells_end("is the list ended?")


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_text_is_read(one: str, other: str) -> None:
    assert isinstance(until_then(one, other), str)
