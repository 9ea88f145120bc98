"""Patterns whose work grows with the length of a text, however hostile it is, and not with its square."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

import pytest

from memory_db.text import attribute_values, sentences
from memory_db.text.commands import purposes, shell

HOSTILE = ("a", "a.", "a/", "a-", "a@", "#a", "bin/", "bin-", "eu-north", "was ", " -a", " -C", " -f a")

WORK: dict[str, Callable[[str], object]] = {
    "former values": lambda text: attribute_values.PAST_VALUE.sub("", text),
    "names": lambda text: attribute_values.NAME.sub("", text),
    "links": lambda text: sentences.LINK.sub("", text),
    "scripts": lambda text: purposes.IS_FILE.match(text),
    "options": lambda text: purposes.FIRST_OPTIONS.match("x" + text),
    "assignments": lambda text: shell.ASSIGNMENT.match(text),
}
"""The patterns in the way in which they are used."""

SHORT, FACTOR = 4_000, 8
MOST_GROWTH = 24
"""Times that a text of `FACTOR` times the length may take: its square would be 64 times."""

LEAST_S = 0.002
"""What takes less is not compared: the clock is too coarse for it."""


def taken_s(work: Callable[[str], object], text: str) -> float:
    """The least processor time of three tries."""
    tries = []
    for _ in range(3):
        begun = time.process_time()
        work(text)
        tries.append(time.process_time() - begun)
    return min(tries)


@pytest.mark.parametrize("name", WORK)
def test_work_grows_with_the_length(name: str) -> None:
    for part in HOSTILE:
        short = part * (SHORT // len(part))
        long_s = taken_s(WORK[name], short * FACTOR)
        assert long_s < max(LEAST_S, MOST_GROWTH * taken_s(WORK[name], short)), part


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("the api is at api.harbor.example.com now", ["api.harbor.example.com"]),
        ("mail ann.b@shop.example, or #ops", ["ann.b@shop.example", "#ops"]),
        ("(db-1.eu.lan) in eu-west-1", ["db-1.eu.lan", "eu-west-1"]),
    ],
)
def test_names_are_found_as_before(text: str, found: list[str]) -> None:
    assert [match[0] for match in re.finditer(attribute_values.NAME, text)] == found
