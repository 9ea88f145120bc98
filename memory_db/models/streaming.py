"""An answer of a model as it comes.

In: a response of llm that nobody has read yet, and what is done with each piece. Out: `Streamed`: what came, and why
it ended. Invariant: whatever a plugin raises is a value here; Ctrl-C ends the waiting at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from multiprocessing.pool import ThreadPool
from queue import SimpleQueue

from memory_db.models.calls import error_line

BY_USER = "stopped by the user"
BY_READER = "nobody read on"

LAST_WORD_S = 5.0
"""Seconds that a model's thread may take to tell its error once it has ended. Source: ours; it takes microseconds."""


@dataclass(frozen=True, slots=True)
class Streamed:
    """What came of an answer. `error`: what the model raised, in one clean line; `stopped`: who ended it, or empty."""

    text: str
    error: str | None = None
    stopped: str = ""

    @property
    def is_whole(self) -> bool:
        """Whether the answer came to its end."""
        return self.error is None and not self.stopped


def streamed(response: Iterable[str], show: Callable[[str], None]) -> Streamed:
    """Reads a response to its end, piece by piece, each shown as it comes.

    The model runs in a thread of its own, which dies with the process: the caller's thread stays free to be stopped.
    """
    pieces: SimpleQueue[str | None] = SimpleQueue()
    errors: list[BaseException] = []
    text: list[str] = []

    def read() -> None:
        try:
            for piece in response:
                text.append(piece)  # here: a stop may come between taking a piece out of the queue and holding it
                pieces.put(piece)
        finally:
            pieces.put(None)

    pool = ThreadPool(1)
    try:
        reading = pool.apply_async(read, error_callback=errors.append)
        while (piece := pieces.get()) is not None:
            show(piece)
        reading.wait(LAST_WORD_S)
        error = error_line(errors[0]) if errors else None if reading.ready() else "the model ended without a word"
        return Streamed("".join(text), error)
    except KeyboardInterrupt:
        return Streamed("".join(text), stopped=BY_USER)
    except BrokenPipeError:
        return Streamed("".join(text), stopped=BY_READER)
    finally:
        pool.terminate()
