"""What an agent reports of its own work is no memory, and what it found stands without what it says to the user."""

from __future__ import annotations

import pytest

from memory_db.extract.rules.replies import read_reply
from memory_db.extract.rules.run import text_found
from tests.extract.test_exchange_unit import talk

ADDED = "def cool_down(kiln, minutes=30):"


def found(request: str, reply: str, then: str) -> list[str]:
    """The texts of a reply that comes after an edit."""
    turns = (("user", request), ("edit", "kiln/ovens.py", "a = 1", ADDED), ("bash", "make test", "ok"), ("say", reply))
    (word,) = talk(*turns, ("user", then)).agent_words
    return [text_found(word, each) for each in read_reply(word)]


@pytest.mark.parametrize(
    "reply",
    [
        "ovens.py has a `cool_down` helper that the other modules can use for the same purpose.",
        "`cool_down(kiln, minutes)` takes the kiln and returns the minutes that are left of its time.",
        "After firing, `ovens.py` waits for 30 minutes and counts every kiln that is open.",
        "`kiln.move(plate, shelf)` is in, it commits and returns False when the shelf has no room.",
        "With 5 percent the small plate becomes 4.30, the big one becomes 6.67 and the bowl 12.96.",
        "Third, keep all of the plates in `plates` and add a column `lost`.",
        "`plates.py`: a second pattern for bowls and a function `missing_bowls(folder)`.",
    ],
)
def test_a_report_on_the_work_is_nothing_to_keep(reply: str) -> None:
    assert found("let the ovens cool down", reply, "great, exactly what I wanted") == []


def test_why_the_code_is_so_is_kept() -> None:
    reply = "`ovens.py` waits for 30 minutes because the thermostat of the old kiln lags that much."
    assert found("let the ovens cool down", reply, "exactly") == [reply]


def test_what_is_said_to_the_user_is_left_out() -> None:
    reply = (
        "Your guess was right: the copy has no rows, because `cp` takes only the main file of a database in WAL mode."
    )
    (text,) = found("i guess the copy lacks rows, can you check", reply, "makes sense")
    assert text.startswith("The copy has no rows, because `cp` takes only the main file")
