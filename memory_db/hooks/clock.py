"""How long a hook may take: of the processor's time, and by the clock.

In: a hook, and since when its process runs. Out: how long it may go on. A hook that is alone on its machine has the
same time by either; where others have the processor, or the machine is slow, it goes on for as long as a person still
waits, since a hook that gives up has cost nearly the same wait: half of its time goes into loading.
"""

from __future__ import annotations

import os
import time

DEADLINE_MS = {"user-prompt": 300}
"""How much of the processor's time a hook may take, from its process's start to its answer.

On an idle machine that is the time by the clock; what takes longer there is a file too large for it. Source: ours; the
eye takes a third of a second for at once. An answer that came later by the clock is logged as late.
"""

LONG_DEADLINE_MS = 2_000
"""The same for the other hooks, which come once a session, when a reply has ended, or before a command that a rule may
forbid: that one had better come late than not at all."""

INTERPRETERS = 15
"""How many times as long as the interpreter itself took to start a prompt's hook may go on, where that is more.

A machine on which Python starts in 40 ms and not in 10 needs four times as long for all else. Source: `python -m bench
hook_speed`: a prompt takes 7 to 10 times as long as an interpreter that loads nothing, by the size of the file.
"""

PATIENCE, LEAST_PATIENCE, USUAL_WAIT_MS = 10, 2, 4_000
"""How many times as long as of the processor's time it may take by the clock, as long as that is no more than so many
milliseconds, and how many times in any case.

Source: `python -m bench hooks_at_once`. All end before the agent would end them (`claude_plugin.HOOK_TIMEOUT_S`).
"""

BUSY_MS, ENDING_BUSY_MS = 250, 1_000
"""How long a hook waits for another writer before it gives up: one whose answer is read, and one that comes when a
reply or a session has ended, which nobody reads and which has something to leave.

Source: ours; half of `LONG_DEADLINE_MS`. Of some 3,000 hooks in half an hour of `python -m bench soak`,
eight at once beside six writers, 43 of the latter sort gave up after 250 ms, 18 after a second.
"""

SHORTEST_SLEEP_MS = 5

LATE = "late"
"""The reason of an answer that came after its deadline by the clock, where it has no other."""

MOST_LOADING_S = 60
"""An interpreter that seems to have taken longer to load was started by another clock."""


def deadline_ms(hook: str, starting_ms: float = 0.0) -> float:
    """How much of the processor's time a hook may take; its interpreter took `starting_ms` of that to start."""
    return max(DEADLINE_MS.get(hook, LONG_DEADLINE_MS), min(INTERPRETERS * starting_ms, LONG_DEADLINE_MS))


def wait_ms(deadline: float) -> float:
    """How long a hook of that deadline may take by the clock."""
    return min(PATIENCE * deadline, max(USUAL_WAIT_MS, LEAST_PATIENCE * deadline))


def busy_ms(*, is_read: bool) -> int:
    """How long a hook waits for another writer, by whether an agent reads what it answers."""
    return BUSY_MS if is_read else ENDING_BUSY_MS


def left_ms(deadline: float, duration_ms: float) -> float:
    """For how long this process may go on at least; it has run for so long by the clock."""
    return min(deadline - time.process_time() * 1000, wait_ms(deadline) - duration_ms)


def started_at(began: float) -> float:
    """When this process was started, by the performance counter; `began` is when its first line ran.

    Source: proc(5), `starttime`, in ticks since the machine was started. Elsewhere, and where it makes no sense, the
    first line counts: Python was loading before it.
    """
    try:
        with open("/proc/self/stat", "rb") as file:
            ticks = int(file.read().rpartition(b")")[2].split()[19])
        age_s = time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, AttributeError, ValueError, IndexError):
        return began
    started = time.perf_counter() - age_s
    return started if 0 <= began - started < MOST_LOADING_S else began
