"""How much somebody grants by now, where it was another rate."""

from __future__ import annotations

import pytest

from memory_db.text.perhaps_over import perhaps_over

ASKED = 'Asked "How many calls are we allowed?", the user said: 40 an hour on our plan. Use curl for it.'

MORE_OR_LESS = (
    (ASKED, "next: tidemap raised us, 200 an hour", "200 a hour in the place of 40 a hour"),
    (ASKED, "good news, they bumped us to 200 an hour", "200 a hour"),
    (ASKED, "we're down to 10 per hour now", "10 a hour"),
    (ASKED, "our quota is 90 an hour now", "90 a hour"),
    (ASKED, "the plan was cut, we only get 20 an hour from now on", "20 a hour"),
    ("Our limit at geoapi is 1000 a day.", "geoapi gave us 5000 a day", "5000 a day"),
    ("geoapi: quota 1000 requests per day", "geoapi halved us, 500 per day", "500 a day"),
    ("The free tier has a cap of 60 a minute.", "they doubled us, 120 a minute", "120 a minute"),
    ("We may send 100 an hour.", "they doubled us, 200 an hour now", "200 a hour"),
    ("The vendor allows 5 a second.", "vendor throttled us to 2 a second", "2 a second"),
)

OF_ANOTHER = (
    ("Our limit at geoapi is 1000 a day.", "mailhub gave us 5000 a day"),
    (ASKED, "tidemap raised us, 200 a day"),
    (ASKED, "did they raise us to 200 an hour?"),
    (ASKED, "the belt runs 200 an hour"),
    (ASKED, "maybe they bumped us to 200 an hour"),
    (ASKED, "they raised us, 40 an hour"),
    ("The belt packs 40 an hour.", "tidemap raised us, 200 an hour"),
    ("The pump runs 4 times a day.", "they gave us 5 a day"),
    ("Logins are limited to 5 a minute.", "tidemap raised us, 200 a minute"),
    ("The kiln allows 2 firings a week.", "the shop gave us 3 a week"),
)


@pytest.mark.parametrize(("earlier", "later", "reason"), MORE_OR_LESS)
def test_another_rate_is_granted(earlier: str, later: str, reason: str) -> None:
    assert reason in perhaps_over(later, earlier)


@pytest.mark.parametrize(("earlier", "later"), OF_ANOTHER)
def test_what_is_no_grant_of_it(earlier: str, later: str) -> None:
    assert perhaps_over(later, earlier) == ""
