"""Stems, as several threads ask for them at once."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from memory_db.text.statements import stem

WORDS = [
    f"{beginning}{number}{ending}"
    for number in range(400)
    for beginning in ("migrat", "deploy", "generous", "y")
    for ending in ("ions", "ing", "ly", "fulness", "ed")
]


@pytest.fixture
def threads_that_change_often() -> Iterator[None]:
    """Another thread goes on after a few microseconds, so that what they share shows."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("threads_that_change_often")
def test_threads_do_not_disturb_each_other() -> None:
    alone = [stem.__wrapped__(word) for word in WORDS]
    with ThreadPoolExecutor(4) as threads:
        together = list(threads.map(lambda _: [stem.__wrapped__(word) for word in WORDS], range(4)))
    assert together == [alone] * 4
