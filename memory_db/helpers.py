"""Processes that compute for this one, which alone writes; where there are none, or they die, it computes itself.

In: functions of modules with what they are called with, both as pickle takes them. Out: their results, in whatever
order they are asked for. Invariants: a result is the same whoever computed it; no process is started unless there is
something to compute; helpers end with the one that they help, also where that one is killed, and hear no Ctrl-C.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing import connection
from types import ModuleType
from typing import Any, Generic, TypeVar

Given = TypeVar("Given")
Result = TypeVar("Result")

MOST = 4
"""Helpers at most: one process writes, and four keep it busy. Source: ours."""

AHEAD = 2
"""Tasks begun beyond one for each helper, so that none waits for the writer."""

KINDNESS = 5
"""By how much helpers stand back for other processes, such as a hook. Source: ours."""

MADE_BETWEEN = 50_000
"""Objects between two looks for cycles of what nobody holds any more, in place of Python's 700: texts become rows and
hardly any cycle. Source: ours; beyond this nothing is gained, and so many small objects take some megabytes."""

DIED = "A helper process died ({reason}). Nothing is lost: the work goes on in one process."


@dataclass(slots=True)
class Promise(Generic[Given, Result]):
    """Something that a helper computes, or this process when it is asked for."""

    helpers: Helpers
    work: Callable[[Given], Result]
    given: Given
    future: Future[Result] | None

    def get(self) -> Result:
        """The result, computed once however often it is asked for. Raises: what the work raises."""
        if self.future is not None:
            try:
                return self.future.result()
            except (BrokenExecutor, CancelledError) as error:
                self.helpers.lose(error)
        self.future = Future()
        self.future.set_result(result := self.work(self.given))
        return result


@dataclass(slots=True)
class Helpers:
    """So many processes, started when there is something to compute. `say` is told once that one has died."""

    count: int = 0
    say: Callable[[str], None] = field(default=lambda line: print(line, file=sys.stderr))
    pool: ProcessPoolExecutor | None = None

    @property
    def are_running(self) -> bool:
        """Whether they are started, so that little is worth being asked of them too."""
        return self.pool is not None

    def begin(self, work: Callable[[Given], Result], given: Given) -> Promise[Given, Result]:
        """Has a helper compute something."""
        return Promise(self, work, given, self.submit(work, given) if self.count else None)

    def start(self, work: Callable[[None], None]) -> None:
        """Starts every helper and has it load the module of `work`, for who has something else to do until then."""
        for _ in range(self.count):
            self.begin(work, None)

    def submit(self, work: Callable[[Given], Result], given: Given) -> Future[Result] | None:
        """The same as a future; None where helpers cannot be had."""
        try:
            with without_interrupts(), without_main():
                if self.pool is None:
                    context = multiprocessing.get_context("spawn")
                    self.pool = ProcessPoolExecutor(self.count, context, be_a_helper)
                return self.pool.submit(work, given)
        except (BrokenExecutor, OSError) as error:
            self.lose(error)
            return None

    def lose(self, reason: BaseException) -> None:
        """Goes on without helpers, and says so once."""
        if self.count:
            self.count = 0
            self.say(DIED.format(reason=" ".join(str(reason).split())[:200] or type(reason).__name__))
        self.end()

    def end(self) -> None:
        """Ends the helpers once each has finished its task; what was not begun is not computed."""
        pool, self.pool = self.pool, None
        if pool is not None:
            pool.shutdown(wait=True, cancel_futures=True)


ALONE = Helpers()
"""No helpers: who asks computes."""


@contextmanager
def helping(count: int | None = None) -> Iterator[Helpers]:
    """Helpers for as long as something is done: by default one for each processor, and none on a single one."""
    helpers = Helpers(processors() if count is None else count)
    try:
        yield helpers
    finally:
        helpers.end()


def processors() -> int:
    """How many helpers this machine has room for: 0 where only one thing can be done at a time."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(MOST, usable) if usable > 1 else 0


@contextmanager
def without_interrupts() -> Iterator[None]:
    """Processes that are started meanwhile never get the Ctrl-C of the terminal; this one gets it a moment later."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def without_main() -> Iterator[None]:
    """Processes that are started meanwhile do not run the script again that this one was started by.

    It takes long to load, and a script without a guard would do its work twice.
    """
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


@contextmanager
def rarer_collections() -> Iterator[None]:
    """Python looks for cycles less often meanwhile, in this process: for work that makes many objects and no cycles."""
    before = gc.get_threshold()
    gc.set_threshold(MADE_BETWEEN, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


def be_a_helper() -> None:
    """What a helper does first: it stands back for others, and ends when the process that it helps does."""
    gc.set_threshold(MADE_BETWEEN, *gc.get_threshold()[1:])
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "nice"):
        os.nice(KINDNESS)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=end_with, args=[parent.sentinel], daemon=True).start()


def end_with(sentinel: Any) -> None:
    """Ends this process when the one that a sentinel stands for has ended, however that came."""
    connection.wait([sentinel])
    os._exit(1)
