"""Threads that answer what takes time, so that a slow answer keeps nobody from asking, or from cancelling it.

In: jobs. Out: their effects. Invariants: no thread before the first job, and never more than a few; a job that fails
takes its thread along and no other job, and what failed is told on stderr by Python itself.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable

MOST_THREADS = 6
"""Jobs at once. Source: ours; an agent asks two or three things at a time, and SQLite answers as many readers."""


class Workers:
    """A queue of jobs, and the threads that take them."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._jobs: deque[Callable[[], None]] = deque()
        self._idle = self._threads = 0

    def put(self, job: Callable[[], None]) -> None:
        """Has a job done as soon as a thread is free."""
        with self._changed:
            self._jobs.append(job)
            if self._idle < len(self._jobs) and self._threads < MOST_THREADS:
                self._threads += 1
                threading.Thread(target=self._work, name="mcp answer", daemon=True).start()
            self._changed.notify_all()

    def are_busy(self) -> bool:
        """Whether a job waits or is being done."""
        with self._changed:
            return bool(self._jobs) or self._threads > self._idle

    def finish(self, within_s: float) -> bool:
        """Waits until all jobs are done, so long at most; whether they are."""
        until = time.monotonic() + within_s
        with self._changed:
            while self._jobs or self._threads > self._idle:
                if not self._changed.wait(max(0.0, until - time.monotonic())):
                    return False
        return True

    def _work(self) -> None:
        try:
            while True:
                with self._changed:
                    self._idle += 1
                    self._changed.notify_all()
                    while not self._jobs:
                        self._changed.wait()
                    self._idle -= 1
                    job = self._jobs.popleft()
                job()
        finally:
            with self._changed:
                self._threads -= 1
                if self._jobs and not self._idle:
                    self._threads += 1
                    threading.Thread(target=self._work, name="mcp answer", daemon=True).start()
                self._changed.notify_all()
