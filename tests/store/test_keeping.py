"""Which copies are kept."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_db.errors import InputError
from memory_db.store.keeping import PERIODS, Keep, keep_in

NOON = datetime(2026, 11, 1, 12, tzinfo=UTC)
MOMENTS = st.lists(st.integers(0, 7 * 365 * 24).map(lambda hours: NOON - timedelta(hours=hours)), max_size=60)
KEEPS = st.dictionaries(st.sampled_from(sorted(PERIODS)), st.integers(1, 20), min_size=1).map(Keep)


def days_ago(*numbers: float) -> list[datetime]:
    return [NOON - timedelta(days=number) for number in numbers]


def test_the_newest_of_each_day_week_and_month_is_kept() -> None:
    daily = days_ago(*range(400))
    kept = keep_in("7d,4w,12m").kept([*daily, *(each - timedelta(hours=3) for each in daily)])
    assert list(kept) == sorted(kept, reverse=True) and set(kept) <= set(daily), "the later of two of a day"
    assert set(days_ago(*range(7))) <= set(kept)
    assert len({each.strftime("%G-W%V") for each in kept}) >= 4 and len({each.strftime("%Y-%m") for each in kept}) == 12
    assert len(kept) <= keep_in("7d,4w,12m").most


def test_only_periods_with_a_copy_count() -> None:
    after_a_long_sleep = days_ago(0, 200, 201, 202, 203)
    assert list(keep_in("3d").kept(after_a_long_sleep)) == days_ago(0, 200, 201)


@given(MOMENTS, KEEPS)
@pytest.mark.slow
def test_what_is_kept_stays_kept_and_the_newest_always_is(moments: list[datetime], keep: Keep) -> None:
    kept = keep.kept(moments)
    assert set(kept) <= set(moments) and len(kept) <= max(keep.most, 1)
    assert not moments or max(moments) in kept
    assert set(keep.kept(kept)) == set(kept), "a second rotation deletes nothing"


@given(MOMENTS, KEEPS)
@pytest.mark.slow
def test_every_period_that_is_kept_keeps_its_newest(moments: list[datetime], keep: Keep) -> None:
    kept = set(keep.kept(moments))
    for letter, count in keep.counts.items():
        form = PERIODS[letter][1]
        newest = {each.strftime(form): each for each in sorted(moments)}
        wanted = sorted(newest.values(), reverse=True)[:count]
        assert set(wanted) <= kept


@given(KEEPS)
def test_what_is_read_is_what_is_written(keep: Keep) -> None:
    again = keep_in(keep.text)
    assert again.counts == keep.counts and keep_in(again.text.upper().replace(",", " , ")).text == again.text


@pytest.mark.parametrize("text", ["", "7", "d", "0d", "7d,7d", "7d;4w", "-1d", "1001d", "7h", "off", "٣d"])
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="7d,4w,12m"):
        keep_in(text)
