"""Where the work of a fleet is done: on Dask, in this machine's processes or a cluster's, or one shard after the other.

In: functions and the shards to run them in. Out: what each shard gave, or why not. Invariants: what is asked is a
function of its arguments and the shard's file, so another worker may be asked the same when one dies; what is not there
by the deadline is late, and nobody waits for it.
"""

from __future__ import annotations

import asyncio
import logging
import struct
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from queue import Empty, SimpleQueue
from typing import Any, Protocol

from distributed import CancelledError, Client, LocalCluster, as_completed
from distributed.core import rpc
from distributed.security import Security

from memory_db.errors import InputError
from memory_db.fleet import asking
from memory_db.fleet.catalogue import Shard
from memory_db.fleet.lanes import TICK_S, Call, Result, answer_here, begin
from memory_db.fleet.opened import Trouble, in_shard

CONNECT_S = 5
"""How long a scheduler has to answer."""

NO_SCHEDULER = (OSError, TimeoutError, ValueError, MemoryError, struct.error)
"""What comes of an address without one. Where another program answers, Dask takes its first bytes for a length, and so
for more memory than there is, or for nothing.
"""

SILENT_S = 5.0
"""How long after the others a worker may be heard. Source: ours; they tell of themselves twice a second or less."""

UNDER_WAY = ("pending", "lost")
"""What Dask says of a task whose result is to come. Lost is what lay on a worker that died: it is done again.

Source: `distributed.client.FutureState`, which a lost result leaves unset until the task has run elsewhere.
"""

Step = tuple[Callable[..., Any], tuple[Any, ...], Mapping[str, Any], int]
"""A function with what it is called with, and how much that is, for whoever counts."""

Told = Callable[[Shard, int, Any], bool]
"""Takes what a step gave, with how much it was; whether the shard goes on."""

Reply = tuple[str, Mapping[int, Any] | None]
"""A worker, and what it told of shards; None where it died."""


class Engine(Protocol):
    """What runs functions in shards."""

    dashboard: str

    def each(self, calls: Mapping[int, Call], deadline_s: float) -> dict[int, Result]:
        """What each call gave, by the number that it was given under."""

    def chains(self, chains: Mapping[Shard, Iterator[Step]], told: Told) -> None:
        """Takes the steps of each shard one after the other, the shards beside each other, however long it takes."""


class InProcess:
    """No cluster: one shard after the other in this process, for tests and small fleets."""

    dashboard = ""

    def each(self, calls: Mapping[int, Call], deadline_s: float) -> dict[int, Result]:
        return {number: in_shard(shard, function, *args) for number, (shard, function, args) in calls.items()}

    def chains(self, chains: Mapping[Shard, Iterator[Step]], told: Told) -> None:
        for shard, steps in chains.items():
            for function, args, values, count in steps:
                if not told(shard, count, function(*args, **values)):
                    break


class OnDask:
    """A Dask cluster. Each shard has a worker that is asked first, which remembers what it read of it.

    Questions go to workers past Dask's scheduling, all shards of a worker in one message: a task of Dask's takes more
    time than most shards need for an answer. Workers that died or fell silent are known by what the scheduler says of
    them, and others are asked in their place.
    """

    def __init__(self, client: Client) -> None:
        self.client = client
        self.dashboard: str = client.dashboard_link
        self.known: Mapping[str, Any] = {}
        self.known_until = 0.0
        client.run(begin, asking.measure, on_error="ignore")  # what is loaded now no question waits for

    def each(self, calls: Mapping[int, Call], deadline_s: float) -> dict[int, Result]:
        end = time.monotonic() + deadline_s
        found: dict[int, Result] = {}
        asked: dict[int, str] = {}
        replies: SimpleQueue[Reply] = SimpleQueue()
        while len(found) < len(calls):
            waiting = {number: call for number, call in calls.items() if number not in found}
            workers = self.workers(min(SILENT_S, deadline_s / 3))
            lost = {number: call for number, call in waiting.items() if asked.get(number) not in workers}
            for worker, numbers in by_worker(lost, workers).items():
                self.send(worker, {number: calls[number] for number in numbers}, end, replies)
                asked |= dict.fromkeys(numbers, worker)
            if (left_s := end - time.monotonic()) <= 0:
                break
            with suppress(Empty):
                worker, told = replies.get(timeout=min(TICK_S, left_s))
                if told is None:  # it died: another one is asked, unless that was done meanwhile
                    asked |= {number: "" for number in waiting if asked[number] == worker}
                    self.known_until = 0.0
                else:
                    found |= {number: as_result(each) for number, each in told.items() if number not in found}
        late = Trouble(f"late: no answer within {deadline_s:.1f} s")
        return {number: found.get(number, late) for number in calls}

    def workers(self, silent_s: float) -> list[str]:
        """The workers that live, in an order that stays; without those that were heard long before the others."""
        if (now := time.monotonic()) > self.known_until:
            self.known, self.known_until = self.client.scheduler_info(n_workers=-1)["workers"], now + TICK_S
        latest = max((each["last_seen"] for each in self.known.values()), default=0.0)
        return sorted(worker for worker, each in self.known.items() if latest - each["last_seen"] < silent_s)

    def send(self, worker: str, calls: Mapping[int, Call], end: float, replies: SimpleQueue[Reply]) -> None:
        """Asks a worker, in a thread of its own: nothing else waits for one that does not answer."""

        def wait() -> None:
            left_s = max(0.0, end - time.monotonic())
            told: Any = None
            with suppress(OSError, CancelledError, RuntimeError, ValueError):  # it died, or the cluster closed
                wait_s = max(0.8 * left_s, left_s - 2 * TICK_S)  # the answers must come back in time
                told = self.client.run(answer_here, dict(calls), wait_s, workers=[worker], on_error="return")[worker]
            if told is None or isinstance(told, OSError):
                time.sleep(TICK_S / 2)  # until the scheduler knows that it died
                told = None
            elif isinstance(told, Exception):
                told = dict.fromkeys(calls, told)
            replies.put((worker, told))

        threading.Thread(target=wait, name="fleet round", daemon=True).start()

    def chains(self, chains: Mapping[Shard, Iterator[Step]], told: Told) -> None:
        running: dict[Any, tuple[Shard, int]] = {}
        coming = as_completed()

        def go_on(shard: Shard) -> None:
            for function, args, values, count in chains[shard]:
                future = self.client.submit(function, *args, **values, pure=False)
                running[future] = (shard, count)
                coming.add(future)
                return

        for shard in chains:
            go_on(shard)
        for future in coming:
            if future.status in UNDER_WAY:
                coming.add(future)
                continue
            shard, count = running.pop(future)
            result = future.result() if future.status == "finished" else trouble_of(future)
            if told(shard, count, result):
                go_on(shard)


def by_worker(calls: Mapping[int, Call], workers: Sequence[str]) -> dict[str, list[int]]:
    """The numbers of calls by the worker that is asked first: always the same for a shard, as long as all live."""
    found: dict[str, list[int]] = {}
    for number, (shard, _, _) in calls.items() if workers else ():
        found.setdefault(workers[shard.number % len(workers)], []).append(number)
    return found


def as_result(told: Any) -> Result:
    """What a worker told of a shard; an error in words."""
    return in_words(told) if isinstance(told, BaseException) else told


def in_words(error: BaseException) -> Trouble:
    """An error that no shard explains, in one line."""
    return Trouble(f"{type(error).__name__}: {' '.join(str(error).split())[:200]}")


def trouble_of(future: Any) -> Trouble:
    """Why a task of Dask's brought nothing."""
    if future.status == "error":
        return in_words(future.exception())
    return Trouble(f"Dask lost it ({future.status}). Ask again; the scheduler's log says why.")


@contextmanager
def open_engine(scheduler: str | None = None, *, workers: int | None = None) -> Iterator[Engine]:
    """A cluster by the address of its scheduler, or one of processes on this machine for as long as it is used.

    `synchronous` as an address asks one shard after the other in this process. Raises: InputError.
    """
    if scheduler == "synchronous":
        yield InProcess()
    elif scheduler:
        with connected(scheduler) as client:
            yield OnDask(client)
    else:
        logging.getLogger("distributed").setLevel(logging.ERROR)  # a worker that dies is told of in the answer
        with (
            LocalCluster(n_workers=workers, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0",
                         host="127.0.0.1") as cluster,
            Client(cluster) as client,
        ):  # fmt: skip
            yield OnDask(client)


async def answers(scheduler: str) -> None:
    """Asks a scheduler who it is: a client would wait for ever where something listens and says nothing.

    Raises: those of NO_SCHEDULER.
    """
    async with asyncio.timeout(CONNECT_S), rpc(
        scheduler, connection_args=Security().get_connection_args("client")
    ) as asked:  # fmt: skip
        await asked.identity()


@contextmanager
def connected(scheduler: str) -> Iterator[Client]:
    """A client of a scheduler. Raises: InputError."""
    try:
        with ThreadPoolExecutor(1) as thread:  # a notebook has a loop of its own in this one
            thread.submit(asyncio.run, answers(scheduler)).result()
        client = Client(scheduler, timeout=CONNECT_S, set_as_default=False)
    except NO_SCHEDULER as error:
        raise InputError(
            f"No Dask scheduler answers at {scheduler}. Start one (`dask scheduler`), or leave --scheduler out."
        ) from error
    with client:
        yield client
