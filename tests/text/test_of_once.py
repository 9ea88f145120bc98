"""Stories and open work are told apart from what holds."""

from __future__ import annotations

import pytest

from memory_db.text.of_once import happened_once, is_to_be_done


@pytest.mark.parametrize(
    "statement",
    [
        "After the regatta two dozen people wrote to the harbour office, one of them on a napkin.",
        "The first lock was built with a wooden gate.",
        "In March twenty lamps went dark on a Sunday.",
        "There were three bakeries in this street.",
        "Ada built the importer.",
        "The meeting with the guild took an hour, with nine people and a dog.",
        "All sensors woke up at 5:00:00 after the cards were swapped.",
        "Last year the printer ate two posters.",
        "I had already written half a letter to the supplier.",
    ],
)
def test_what_happened_once_is_a_story(statement: str) -> None:
    assert happened_once(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "The export failed because the disk was full.",
        "Labels were doubled since the scanner sent each twice.",
        "Kafka was replaced by NATS at bus.example:4222.",
        "Old postcards were put into the second box; who wants the first tells Ingrid.",
        "The gate stops a started pump by itself after a minute.",
        "Ingrid wants the report to start with what was sold.",
        "What was missing on one list goes on the next.",
        "The importer never deleted old files.",
        "No summary of what was done at the end of an answer.",
        "Drawings are kept for ten years, as the insurer asked for it.",
        "A move to Postgres was considered and refused.",
        "The bed of the printer needs sixty degrees.",
        "Use uv run pytest.",
    ],
)
def test_causes_decisions_and_what_holds_are_no_story(statement: str) -> None:
    assert not happened_once(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "A check for empty baskets is to be added.",
        "Nomad is considered for the harbour lamps.",
        "The upload loop should get a longer pause.",
        "The lamp at the pier has a broken switch that has to be repaired.",
        "A second tide gauge is planned for spring.",
    ],
)
def test_open_work_is_to_be_done(statement: str) -> None:
    assert is_to_be_done(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "Each new table has to be added to the backup list.",
        "The night run has to be done by 06:30.",
        "Every change of a tariff has to be looked at by Ingrid, because auditors ask for it.",
        "Migrations must be written by hand.",
        "Letters are to be written in Dutch.",
    ],
)
def test_a_rule_for_work_is_no_open_work(statement: str) -> None:
    assert not is_to_be_done(statement)
