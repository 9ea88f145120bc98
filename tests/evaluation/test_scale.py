"""What a larger fleet would take: by figures that follow the model, the model gives them back."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_db.evaluation.scale import ASSUMED, Row, Wanted, exponent, extrapolated, line, shown


def figures(*, asker: float = 2.0, worker: float = 3.0, moved: float = 20.0, power: float = 0.5) -> dict[str, Any]:
    """Of 1 to 16 shards of 1,000 entries that cost as the model says, in round numbers."""
    steps = [
        {
            "shards": count, "entries": count * 1_000, "asker_processor_ms": 10 + asker * count,
            "workers_processor_ms": worker * count, "one_file_processor_ms": (count * 1_000) ** power,
            "kb_to_shards": moved / 4 * count, "kb_back": moved * 3 / 4 * count,
            "largest_worker_mb": 150 + 2.5 * count, "efficiency": 0.8,
        }
        for count in (1, 2, 4, 8, 16)
    ]  # fmt: skip
    one = {"processor_s": 10.0, "entries": 5_000}
    return {"entries_a_shard": 1_000, "mb_a_shard": 2.0, "shards": steps,
            "import": {"megabytes": 8.0, "efficiency": 0.9, "one_worker": one}}  # fmt: skip


def by_name(rows: list[Row]) -> dict[str, Row]:
    return {row.what: row for row in rows}


def test_at_the_measured_size_it_gives_what_was_measured() -> None:
    _, found = extrapolated(figures(), Wanted(16, 16_000, 2, 1_000))
    rows = by_name(found)
    assert rows["of that the asker alone"].value == pytest.approx(0.042)
    assert rows["work of all workers for a question"].value == pytest.approx(0.048)
    assert rows["moved for a question"].value == pytest.approx(0.32)
    assert rows["a question to all"].value == pytest.approx(0.042 + 0.048 / 1.6 + 0.00256)
    assert rows["memory of all workers"].value == pytest.approx((2 * 150 + 16 * 5) / 1000)
    assert rows["disk of all shards"].value == pytest.approx(0.032)


def test_of_500_people_and_100_million_entries() -> None:
    assumed, found = extrapolated(figures())
    rows = by_name(found)
    assert rows["work of all workers for a question"].value == pytest.approx(0.003 * 500 * 200**0.5)
    assert rows["import of everything"].value == pytest.approx(100e6 * 0.002 / (64 * 0.9) / 3600)
    assert rows["disk of all shards"].value == pytest.approx(200.0)
    assert {row.what for row in assumed if row.source == ASSUMED} == {
        "people, a shard each", "entries of a shard", "processor cores, a Dask worker each", "network to each machine",
    }  # fmt: skip
    assert all(row.how for row in (*assumed, *found))


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=5))
@pytest.mark.slow
def test_a_line_neither_falls_nor_begins_below_nothing(values: list[float]) -> None:
    found = line([{"shards": 2**place, "ms": value} for place, value in enumerate(values)], "ms")
    assert found.start >= 0 and found.slope >= 0
    assert found.at(1_000) >= found.at(1)


def test_a_power_stays_between_none_and_all() -> None:
    assert exponent(figures(power=0.5)["shards"]) == pytest.approx(0.5)
    assert exponent(figures(power=1.7)["shards"]) == 1.0
    assert exponent(figures(power=-0.2)["shards"]) == 0.0


@pytest.mark.parametrize(("value", "text"), [(0, "0"), (0.0421, "0.0421"), (12.345, "12.3"), (1234.5, "1,234")])
def test_numbers_are_shown_as_they_are_read(value: float, text: str) -> None:
    assert shown(value) == text
