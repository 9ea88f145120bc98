"""What a message made of a line of code is over when the edits upon a later message give that line another value."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_db.gate.overwritten import has_value, is_same_line
from memory_db.store.connection import connect

Lived = Callable[..., sqlite3.Connection]


def set_to(said: str, old: str, new: str) -> list[dict[str, Any]]:
    """A turn upon which a line gets another value."""
    return [{"user": said}, {"edit": "ovens.py", "old": old, "new": new}, {"say": "Set, the tests pass."}]


def statuses(db: sqlite3.Connection) -> dict[str, str]:
    return {row[0]: row[1] for row in db.execute("select text, status from memories order by id")}


KEPT = set_to("plates must dry for 12 hours before the kiln, always", "DRY_HOURS = 2", "DRY_HOURS = 12")


def test_another_value_in_the_same_line_closes_what_set_the_first(lived: Lived) -> None:
    later = set_to("the shop shouts, so we go down to 4 for everybody", "DRY_HOURS = 12", "DRY_HOURS = 4")
    with closing(lived(KEPT, later)) as db:
        found = statuses(db)
        (first,) = [status for text, status in found.items() if "12 hours" in text]
        (second,) = [status for text, status in found.items() if "down to 4" in text]
        assert (first, second) == ("superseded", "active")
        (reason,) = db.execute("select reason from edges where kind = 'supersedes'").fetchone()
        assert "`DRY_HOURS = 12` became `DRY_HOURS = 4`" in reason


def test_another_line_closes_nothing(lived: Lived) -> None:
    later = set_to("the shop shouts, so we go down to 4 for everybody", "SHELVES = 12", "SHELVES = 4")
    with closing(lived(KEPT, later)) as db:
        assert "superseded" not in statuses(db).values()


def test_what_is_locked_stays(lived: Lived, tmp_path: Path) -> None:
    with closing(lived(KEPT)), closing(connect(tmp_path / "m.db", write=True)) as db:
        db.execute("update memories set lock_level = 'user'")
        db.commit()
    later = set_to("the shop shouts, so we go down to 4 for everybody", "DRY_HOURS = 12", "DRY_HOURS = 4")
    with closing(lived(KEPT, later)) as db:
        assert "superseded" not in statuses(db).values()


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("DRY_HOURS = 12", "DRY_HOURS = 4", True),
        ('"pulse_s": 4,', '"pulse_s": 6,', True),
        ('encoding = "cp1250"', 'encoding = "utf-8"', True),
        ("DRY_HOURS = 12", "DRY_HOURS = 12", False),
        ("DRY_HOURS = 12", "WET_HOURS = 4", False),
        ("12", "4", False),
    ],
)
def test_a_line_is_the_same_but_for_its_value(one: str, other: str, is_same: bool) -> None:
    assert is_same_line(one, other) is is_same


@given(st.text(max_size=60), st.text(max_size=60))
def test_the_order_of_two_lines_does_not_matter(one: str, other: str) -> None:
    assert is_same_line(one, other) == is_same_line(other, one)


@pytest.mark.parametrize(
    ("text", "is_said"),
    [("Keep it ten days.", True), ("Keep it 10 days.", True), ("Keep it 3 days.", False), ("Keep it.", False)],
)
def test_a_value_is_said_in_digits_or_in_words(text: str, is_said: bool) -> None:
    assert has_value(text, "DAYS = 10", "DAYS = 3") is is_said


def test_a_value_is_said_in_words_beyond_twelve() -> None:
    assert has_value("Went over both axes again and its eighteen.", "BACKLASH = 18", "BACKLASH = 12")
    assert not has_value("Went over both axes again and its eight.", "BACKLASH = 18", "BACKLASH = 12")


def test_minutes_that_were_written_as_seconds_are_closed_by_other_minutes(lived: Lived) -> None:
    first = [
        {"user": "the seal needs 6 min to cool, always"},
        {"say": "I'd make it a setting, then the test reads it too."},
        {"user": "yep, in settings"},
        {"edit": "settings.py", "old": "A = 1", "new": "A = 1\nCOOL_S = 360"},
        {"say": "Set."},
    ]
    later = [
        {"user": "the new seal is here, that one needs 8 min, so put that"},
        {"edit": "settings.py", "old": "COOL_S = 360", "new": "COOL_S = 480"},
        {"say": "Set, the tests pass."},
    ]
    with closing(lived(first, later)) as db:
        found = statuses(db)
        assert [status for text, status in found.items() if "6 min" in text] == ["superseded"]
        assert [status for text, status in found.items() if "8 min" in text] == ["active"]


def test_a_key_in_quotation_marks_names_what_is_set() -> None:
    before, after = "'free_hours' => 48,", "'free_hours' => 24,"
    assert is_same_line(before, after)
    assert has_value("inside 48 hours they pay", before, after)
    assert not is_same_line("'free_hours' => 48,", "'late_hours' => 24,")
