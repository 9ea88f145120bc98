"""An agent's event as a process of its own: `python -I -S memory_db/hook.py NAME -d FILE [--project PATH]`, or by name
`memory-db-hook NAME`, for the file that MEMORY_DB names, else the usual one.

In: the agent's payload on stdin. Out: what the agent shall read or obey on stdout, or nothing. Invariant: it ends with
0, whatever happens. This file is read anew by each process, so there is little in it; `hooks` does the work.
"""

import time

BEGAN, STARTING_MS = time.perf_counter(), time.process_time() * 1000

import gc
import os
import sys

gc.disable()  # what such a short process leaves behind is not worth looking for
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from memory_db import packed

packed.use()  # before all else that is not loaded yet

from datetime import UTC, datetime

from memory_db.hooks.run import OWN_AGENT, main

USUAL_FILE = "~/.memory-db/memory.db"


def answer() -> None:
    """Answers the event that is named first, as the program `memory-db-hook`."""
    arguments = sys.argv[1:]
    if "-d" not in arguments:
        arguments += ["-d", os.environ.get("MEMORY_DB") or os.path.expanduser(USUAL_FILE)]
    main(arguments, now=datetime.now(UTC), began=BEGAN, starting_ms=STARTING_MS, is_own=OWN_AGENT in os.environ)


if __name__ == "__main__":
    main(sys.argv[1:], now=datetime.now(UTC), began=BEGAN, starting_ms=STARTING_MS, is_own=OWN_AGENT in os.environ)
