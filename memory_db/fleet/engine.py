"""Where the work of a fleet is done: on Dask, in this machine's processes or a cluster's, or one shard after the other.

In: functions and the shards to run them in. Out: what each shard gave, or why not. Invariants: a task is a function of
its arguments and the shard's file, so Dask may run it again elsewhere when a worker dies; what is not there by the
deadline is late, and nobody waits for it.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, Protocol

import dask
from distributed import CancelledError, Client, LocalCluster, as_completed
from distributed import wait as wait_for

from memory_db.errors import InputError
from memory_db.fleet.catalogue import Shard
from memory_db.fleet.opened import Trouble, in_shard

CONNECT_S = 5
"""How long a scheduler has to answer."""

UNDER_WAY = ("pending", "lost")
"""What Dask says of a task whose result is to come. Lost is what lay on a worker that died: it is done again.

Source: `distributed.client.FutureState`, which a lost result leaves unset until the task has run elsewhere.
"""

Call = tuple[Shard, Callable[..., Any], tuple[Any, ...]]
"""A shard, what is to be done there, and with what."""

Step = tuple[Callable[..., Any], tuple[Any, ...], Mapping[str, Any], int]
"""A function with what it is called with, and how much that is, for whoever counts."""

Told = Callable[[Shard, int, Any], bool]
"""Takes what a step gave, with how much it was; whether the shard goes on."""

Result = tuple[tuple[int, ...], Any] | Trouble


class Engine(Protocol):
    """What runs functions in shards."""

    dashboard: str

    def each(self, calls: Mapping[int, Call], deadline_s: float) -> dict[int, Result]:
        """What each call gave, by the number that it was given under."""

    def chains(self, chains: Mapping[Shard, Iterator[Step]], told: Told) -> None:
        """Takes the steps of each shard one after the other, the shards beside each other, however long it takes."""


class InProcess:
    """Dask's synchronous scheduler: one shard after the other in this process, for tests and small fleets."""

    dashboard = ""

    def each(self, calls: Mapping[int, Call], deadline_s: float) -> dict[int, Result]:
        tasks = [dask.delayed(in_shard, pure=False)(*shard_first(call)) for call in calls.values()]
        found = dask.compute(*tasks, scheduler="synchronous")
        return dict(zip(calls, found, strict=True))

    def chains(self, chains: Mapping[Shard, Iterator[Step]], told: Told) -> None:
        for shard, steps in chains.items():
            for function, args, values, count in steps:
                if not told(shard, count, function(*args, **values)):
                    break


class OnDask:
    """A Dask cluster. Each shard has a worker that is asked first, which remembers what it read of it."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.dashboard: str = client.dashboard_link
        self.workers: list[str] = []

    def each(self, calls: Mapping[int, Call], deadline_s: float) -> dict[int, Result]:
        workers = sorted(self.client.scheduler_info(n_workers=-1)["workers"])
        waiting = {
            number: self.client.submit(
                in_shard, *shard_first(call), pure=False, allow_other_workers=True,
                workers=[workers[number % len(workers)]] if workers else None,
            )
            for number, call in calls.items()
        }  # fmt: skip
        end = time.monotonic() + deadline_s
        found: dict[int, Result] = {}
        while waiting:
            with suppress(TimeoutError, CancelledError):
                wait_for(list(waiting.values()), timeout=max(0.0, end - time.monotonic()))
            is_over = time.monotonic() >= end
            for number, future in list(waiting.items()):
                if future.status == "finished":
                    with suppress(TimeoutError, CancelledError):  # its worker died meanwhile: it is done again
                        found[number] = future.result(timeout=max(0.01, end - time.monotonic()))
                elif future.status not in UNDER_WAY or is_over:
                    found[number] = trouble_of(future, deadline_s)
                if number in found:
                    waiting.pop(number).cancel()
            if waiting and is_over:
                found |= {number: trouble_of(future, deadline_s) for number, future in waiting.items()}
                break
        return found

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
            result = future.result() if future.status == "finished" else trouble_of(future, 0.0)
            if told(shard, count, result):
                go_on(shard)


def shard_first(call: Call) -> tuple[Any, ...]:
    """A call as the arguments of `in_shard`."""
    shard, function, args = call
    return shard, function, *args


def trouble_of(future: Any, deadline_s: float) -> Trouble:
    """Why a task brought nothing."""
    if future.status == "error":
        error = future.exception()
        return Trouble(f"{type(error).__name__}: {' '.join(str(error).split())[:200]}")
    if future.status not in UNDER_WAY:
        return Trouble(f"Dask lost it ({future.status}). Ask again; the scheduler's log says why.")
    return Trouble(f"late: no answer within {deadline_s:.1f} s")


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


@contextmanager
def connected(scheduler: str) -> Iterator[Client]:
    """A client of a scheduler. Raises: InputError."""
    try:
        client = Client(scheduler, timeout=CONNECT_S, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise InputError(
            f"No Dask scheduler answers at {scheduler}. Start one (`dask scheduler`), or leave --scheduler out."
        ) from error
    with client:
        yield client
