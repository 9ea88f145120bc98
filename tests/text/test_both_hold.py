"""Two statements that both hold do not stand against each other."""

from __future__ import annotations

import pytest

from memory_db.text.relations import CONTRADICTS, SUPERSEDES, Statement, relation

BOTH_HOLD = (
    # what is done to something at times, or as a step, is not over
    ("The price list is Ilona's export and is replaced every Monday, so it is never edited by hand.",
     "Corrections of the price list go into data/changes.csv."),
    ("The dot has to go before the comma is replaced.", "Prices have a comma before the cents."),
    ("The T is replaced by a space before parsing, which the old library understands.",
     "The T is what the vendor writes between day and hour."),
    ("A locker is closed when its row is removed.", "The row of a locker has its size and its box."),
    ("Only the standard library may be used, for instance no Q in the format.",
     "Q is written as a capital letter."),
    # another value of something that is named in passing
    ("The alarm of the pump goes off 40 days before, because Mrs Lindahl may be away for two weeks.",
     "The alarm of the pump has gone off too late for Mrs Lindahl, who was away for two weeks."),
    ("The pump is serviced every 40 days, because a filter lasts 6 weeks.", "A filter lasts 6 weeks."),
    ('On "At 4:30 by cron, which is before the office closes at 5.", the user said: make it 5:45.',
     "The office closes at 5."),
    # what stands beside the value that is set aside
    ("net.py in stonefort is Marek's; he has to be asked before a byte on the line changes.",
     "Stonefort stays at 10 ticks a second, not the 20 Marek wants, because the server has one core."),
    # the project's own name makes no subject
    ("In bee-intake, double rows come from the relay box, replaced in May, whose time differs; as the key is scale and"
     " time, to_utc in intake/reader.py cuts them.",
     "In bee-intake, a wrong value is corrected in data/changes.csv by scale and time, never in the delivery."),
)  # fmt: skip


@pytest.mark.parametrize(("later", "earlier"), BOTH_HOLD)
def test_both_hold(later: str, earlier: str) -> None:
    found = relation(
        Statement(later, "convention", "project", 1, "2026-06-01T09:00:00Z", by_user=True),
        Statement(earlier, "convention", "project", 1, "2026-03-01T09:00:00Z", by_user=True),
    )
    assert found is None or found.kind not in (CONTRADICTS, SUPERSEDES), found


OVER = (
    ("Redis is replaced by Valkey.", "Sessions are kept in Redis."),
    ("The nightly export is removed.", "The nightly export runs at 3."),
    ("After the staging box was dropped, tests run in CI.", "The staging box runs the tests."),
    ("In bee-intake, the rounding of prices is gone.", "In bee-intake, there is a rounding of prices."),
    ("The queue is closed, jobs go to the new one.", "Jobs go to the queue."),
    # the question names what was
    (
        'Asked "A locker is held for 72 hours. Should it stay so?", the user said: no, make the hold 48 hours.',
        "A locker's hold is 72 hours.",
    ),
    (
        'On "Sessions time out after 30 minutes.", the user said: make it 60 minutes.',
        "Sessions time out after 30 minutes.",
    ),
    # so does the reason
    ("Hold of a locker is 48 hours now because 72 hours filled the racks.", "A locker's hold is 72 hours."),
    ("The feed is fetched every 5 minutes now, 20 minutes lost us the gusts.", "The feed is fetched after 20 minutes."),
    # what stands before the colon is what it is about
    ("Retention: 60 days.", "Retention: 30 days."),
    # two folders, of which only a word tells that they are of one thing
    (
        "Scans of the parish registers are put into /srv/scans/registers now, one folder a village.",
        "Register scans go to /data/in, where Anna and the deacon look them through every evening.",
    ),
    # on one day, not on each
    ("The FTP server is switched off on Monday.", "The levels come from the FTP server."),
)


@pytest.mark.parametrize(("later", "earlier"), OVER)
def test_what_is_over_is_over(later: str, earlier: str) -> None:
    found = relation(
        Statement(later, "convention", "project", 1, "2026-06-01T09:00:00Z", by_user=True),
        Statement(earlier, "convention", "project", 1, "2026-03-01T09:00:00Z", by_user=True),
    )
    assert found is not None and found.kind in (CONTRADICTS, SUPERSEDES), found
