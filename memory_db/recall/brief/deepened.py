"""A prompt's question where a process has the model loaded: as that of other surfaces, with what a hook asks of lines.

In: a hook's question. Out: the same under the default profile. Invariant: reads only.
"""

from __future__ import annotations

import sqlite3
from datetime import datetime

from memory_db.recall.brief.for_model import bounded
from memory_db.recall.evidence_of_hit import LEAST
from memory_db.recall.search import FULL_EFFORT, Question, Semantic
from memory_db.records import replace
from memory_db.store import settings
from memory_db.text.questions import asks_within


def deepened(db: sqlite3.Connection, question: Question, semantic: Semantic, now: datetime) -> Question:
    """The question as it is asked with the model: the default profile, all effort, the dates that it asks about.

    A date in a task or a report ("it is wrong when I open it on Monday") asks for nothing of then.
    How much more evidence than the least it asked for, it still asks for. Raises: MemoryDBError, sqlite3.Error.
    """
    from memory_db.recall.question_dates import with_window  # noqa: PLC0415  # start-up: a library of dates

    times = (question.least_evidence or LEAST) / LEAST
    question = replace(question, profile=settings.get_text(db, "default_profile"), effort=FULL_EFFORT)
    if asks_within(question.query):
        question = with_window(db, question, now, settings.user_zone(db))
    question = bounded(db, question, semantic)
    return replace(question, least_evidence=(question.least_evidence or 0.0) * times)
