"""How long tests wait for another process: long enough for any machine, so that it only ends a run that hangs."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

WAIT_S = 600

Found = TypeVar("Found")


def wait_for(failure: str, found: Callable[[], Found], *, every_s: float = 0.05) -> Found:
    """What is found, once it is something; looked for every so many seconds. Raises: AssertionError of the failure."""
    end = time.monotonic() + WAIT_S
    while not (some := found()):
        assert time.monotonic() < end, f"{failure} after {WAIT_S} s"
        time.sleep(every_s)
    return some
