"""The log of an answer that somebody has already, for those who only read.

In: a file, and an answer with its name (`brief_log.name_recall`). Out: its rows; where the file cannot be written
within a few milliseconds, a line in the spool, from which the next command that writes takes it in under that name.
Invariant: whoever asked waits for no other writer.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import AbstractContextManager, closing
from datetime import datetime
from pathlib import Path

from memory_db.errors import BusyError, MemoryDBError, OlderSchemaError, ReadOnlyError
from memory_db.recall.brief import spool
from memory_db.recall.brief.log import log_recall, record_of
from memory_db.recall.brief.select import Answer
from memory_db.store.connection import LOG_BUSY_MS, connect, explain
from memory_db.store.dates import utc_text
from memory_db.store.spool_line import spool_answered

Opening = Callable[[], AbstractContextManager[sqlite3.Connection]]

FOR_NOW = (BusyError, OlderSchemaError, ReadOnlyError)
"""Why a file cannot be written that can be later."""


def log_answer(path: Path, answer: Answer, *, surface: str, now: datetime, opening: Opening | None = None) -> str:
    """Logs an answer that has its name; why it could be kept nowhere, mostly nothing.

    `opening` gives a connection that writes and waits no longer than `LOG_BUSY_MS`; unless given a new one is opened.
    """
    uid = answer.recall_uid or ""
    record = record_of(answer, uid, answer.text, answer.tokens, surface=surface, now=now)
    try:
        with opening() if opening else closing(connect(path, write=True, busy_ms=LOG_BUSY_MS)) as db:
            log_recall(db, answer, surface=surface, now=now)
        return ""
    except sqlite3.Error as error:
        why: MemoryDBError = explain(error, path)
    except MemoryDBError as error:
        why = error
    if isinstance(why, FOR_NOW) and spool_answered(str(path), {"at": utc_text(now)}, record):
        return ""
    answer.recall_uid = None
    return str(why)


def take_in_now(path: Path, *, now: datetime) -> None:
    """Takes in what waits beside a file, so that what was answered a moment ago is found; not where it is busy."""
    try:
        if spool.waiting(path):
            with closing(connect(path, write=True, busy_ms=LOG_BUSY_MS)) as db:
                spool.take_in(db, path, now=now)
    except (OSError, sqlite3.Error, MemoryDBError):
        return  # the next command that writes takes it in
