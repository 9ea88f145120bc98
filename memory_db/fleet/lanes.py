"""Many shards asked in one process, one after the other in a thread that stays, so that what it has open stays too.

In: what is to be done in shards, and how long an answer is waited for. Out: what each gave. Invariant: a shard that
hangs holds nobody up: its thread is left to it, the shards behind it go on in another, and until it is back it is not
asked again.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any

from memory_db.fleet.catalogue import Shard
from memory_db.fleet.opened import Trouble, close_all, in_shard

Call = tuple[Shard, Callable[..., Any], tuple[Any, ...]]
"""A shard, what is to be done there, and with what."""

Result = tuple[tuple[int, ...], Any] | Trouble

HANGS_S = 1.0
"""How long a shard keeps those behind it waiting. Source: ours; above what a warm shard of a million entries takes."""

TICK_S = 0.2
"""How often a lane is looked at while an answer is waited for."""

Job = tuple[Call, "Future[Result]"]


class Lane:
    """A thread that takes calls one after the other."""

    def __init__(self) -> None:
        self.jobs: SimpleQueue[Job] = SimpleQueue()
        self.hanging: dict[Shard, threading.Thread] = {}
        self.now: tuple[Shard, float] | None = None
        self.lock = threading.Lock()
        self.start()

    def start(self) -> None:
        """Begins a thread, which takes what comes from now on."""
        self.thread = threading.Thread(target=self.work, name="fleet lane", daemon=True)
        self.thread.start()

    def work(self) -> None:
        """Takes calls for as long as no other thread has taken over."""
        me = threading.current_thread()
        while self.thread is me:
            (shard, function, args), future = self.jobs.get()
            if not future.set_running_or_notify_cancel():  # nobody waits for it any more
                continue
            with self.lock:
                self.now = (shard, time.monotonic())
            try:
                future.set_result(in_shard(shard, function, *args))
            except BaseException as error:  # noqa: BLE001  # whatever it is, who waits for it must be told
                future.set_exception(error)
            with self.lock:
                if self.thread is me:
                    self.now = None
                else:
                    self.hanging.pop(shard, None)
        close_all()

    def pass_on(self) -> None:
        """Lets another thread take what waits, where this one has been at one shard for too long."""
        with self.lock:
            if self.now is None or time.monotonic() - self.now[1] < HANGS_S:
                return
            self.hanging[self.now[0]] = self.thread
            self.now = None
            self.start()

    def ask(self, call: Call) -> Future[Result]:
        """Puts a call behind the others; one of a shard that still hangs is answered at once."""
        future: Future[Result] = Future()
        if call[0] in self.hanging:
            future.set_result(Trouble("late: it is still at an earlier question"))
        else:
            self.jobs.put((call, future))
        return future


_LANES: list[Lane] = []


def lanes(count: int) -> list[Lane]:
    """So many lanes of this process, which stay."""
    while len(_LANES) < count:
        _LANES.append(Lane())
    return _LANES[:count]


def begin(question: Callable[..., Any], dask_worker: Any) -> None:
    """Makes a worker ready: what the question needs is loaded with it, and lanes are there."""
    lanes(dask_worker.state.nthreads)


async def answer_here(calls: Mapping[int, Call], wait_s: float, dask_worker: Any) -> dict[int, Result | BaseException]:
    """What shards give within a time, asked in this worker: a coroutine, so that the worker goes on meanwhile.

    What is not there by then is left out.
    """
    own = lanes(dask_worker.state.nthreads)
    futures = {number: own[place % len(own)].ask(call) for place, (number, call) in enumerate(calls.items())}
    waiting = {asyncio.wrap_future(future) for future in futures.values()}
    end = time.monotonic() + wait_s
    while waiting and (left_s := end - time.monotonic()) > 0:
        _, waiting = await asyncio.wait(waiting, timeout=min(TICK_S, left_s))
        for lane in own if waiting else ():
            lane.pass_on()
    return {number: future.exception() or future.result() for number, future in futures.items() if future.done()}
