"""A memory that names what a command was run with is perhaps over once that fails and passes with another word."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest

FIRST = [
    {"user": "the small oven has no probe, license thing. always heat it with -r propane please"},
    {"bash": "oven heat -r propane", "out": "ok"},
    {"say": "Heated."},
]


def later(said: str, *runs: tuple[str, str]) -> list[dict[str, Any]]:
    """A session in which heating fails, the user says something, and other commands are run."""
    begun = [{"bash": "oven status && oven heat -r propane", "fails": "propane not found"}, {"user": said}]
    return [*begun, *({"bash": command, way: "done"} for command, way in runs), {"say": "Done."}]


def asked(db: Any) -> list[str]:
    return [row[0] for row in db.execute("select reason from proposals where kind = 'supersede' and state = 'open'")]


def test_what_it_was_run_with_before_is_asked_about(lived: Callable[..., Any]) -> None:
    said = later("ah, the small oven was rebuilt last week, its all induction now", ("oven heat -r induction", "out"))
    with closing(lived(FIRST, said)) as db:
        assert asked(db) == ["oven heat passed with induction in place of propane"]


@pytest.mark.parametrize(
    ("said", "run", "way"),
    [
        ("ah, the small oven was rebuilt last week, its all induction now", "oven heat -r induction", "fails"),
        ("ah, the small oven was rebuilt last week, the racks are new now", "oven heat -r induction", "out"),
        ("ah, the small oven was rebuilt last week, its all induction now", "oven heat -t 200 -r induction", "out"),
        ("ah, the small oven was rebuilt last week, induction or propane now", "oven heat -r induction", "out"),
    ],
)
def test_nothing_is_where_it_fails_too_or_nobody_names_the_new_one(
    lived: Callable[..., Any],
    said: str,
    run: str,
    way: str,
) -> None:
    with closing(lived(FIRST, later(said, (run, way)))) as db:
        assert not [reason for reason in asked(db) if " passed with " in reason]
