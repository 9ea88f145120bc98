"""Who asks: a client of a file, which it reads, asks and leaves the log of its recalls in.

In: a file, the folder where a client works, its session. Out: connections that read, answers, and their log.
Invariants: nothing of the file is held between calls; an answer never waits for its log.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from memory_db.errors import InputError, ModelError
from memory_db.recall.brief.answer_log import log_answer
from memory_db.recall.brief.for_model import HOOK, ask_for_model
from memory_db.recall.brief.log import name_recall
from memory_db.recall.brief.select import Answer
from memory_db.recall.search import Question
from memory_db.records import replace
from memory_db.store.connection import connect, explain
from memory_db.store.ignored import is_ignored
from memory_db.store.settings import user_zone

SURFACE = "mcp"

COLD = "The full model is not loaded yet: this goes by words and word vectors. Ask again for what is missing."
"""What stands below an answer that did not wait for the model."""


LEFT_ALONE = "This folder is ignored (`memory-db project ignore`): nothing is remembered or told here."
"""What a client reads that works in a folder which a person wants left alone."""


@dataclass(frozen=True, slots=True)
class Client:
    """One file, read for one client.

    Each call opens the file anew: it may appear, be replaced or be migrated while the server runs. `folder` is where
    the client works: its project is the one that is asked. A client over HTTP has none. `session_uid` is the agent's
    session, where the client tells it; `surface` is who asks, as recalls are logged. `is_warm` says whether the full
    model is loaded, where a question does not wait for it.
    """

    path: Path
    folder: Path | None
    clock: Callable[[], datetime]
    session_uid: str | None = None
    surface: str = SURFACE
    is_warm: Callable[[], bool] | None = None

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A read-only connection; refused where the client works in an ignored folder. Raises: MemoryDBError."""
        try:
            with closing(connect(self.path)) as db:
                if self.folder is not None and is_ignored(db, str(self.folder)):
                    raise InputError(LEFT_ALONE)
                yield db
        except sqlite3.Error as error:
            raise explain(error, self.path) from error

    def ask(self, db: sqlite3.Connection, question: Question) -> tuple[Answer, list[str]]:
        """The answer, not logged yet, with notes on what it had to do without.

        Raises: QueryError, InputError, NotFoundError.
        """
        # Start-up: a library of dates.
        from memory_db.recall.question_dates import with_window  # noqa: PLC0415

        now = self.clock()
        question = with_window(db, question, now, user_zone(db))
        if self.is_warm is not None and not self.is_warm():
            answer = ask_for_model(db, replace(question, profile=HOOK), surface=self.surface, now=now, log=False)
            name_recall(db, answer, now=now)
            return answer, [COLD]
        from memory_db.index.semantic import open_semantic  # noqa: PLC0415  # start-up: numpy

        try:
            semantic = open_semantic(db)
            answer = ask_for_model(db, question, surface=self.surface, now=now, semantic=semantic, log=False)
            notes = []
        except ModelError as error:
            answer = ask_for_model(db, question, surface=self.surface, now=now, log=False)
            notes = [f"Without semantic search: {error}"]
        name_recall(db, answer, now=now)
        return answer, notes

    def log(self, answer: Answer) -> list[str]:
        """Logs a recall through a connection of its own, or leaves it in the spool; a note where neither can be."""
        why = log_answer(self.path, answer, surface=self.surface, now=self.clock())
        return [f"This recall was not logged: {why}"] if why else []
