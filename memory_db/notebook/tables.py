"""The file as tables of pandas: what SQL gives, what a question finds, the profiles; and judging what was found.

In: words or SQL, and a connection or none (then the one that `connect` made last). Out: a DataFrame. Invariant: all of
it reads only, but `judge` and `recall(..., log=True)`, which open the file for as long as they write.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

import pandas as pd

from memory_db.errors import InputError
from memory_db.evaluation import judgements
from memory_db.index.semantic import open_semantic
from memory_db.notebook.files import current, writing
from memory_db.pages.web.cells import MEMORY_UID
from memory_db.recall import profiles as stored
from memory_db.recall.brief.log import log_recall
from memory_db.recall.brief.placement import Placement
from memory_db.recall.brief.select import Answer, ask
from memory_db.recall.question_dates import with_window
from memory_db.recall.search import Filters, Question
from memory_db.store import settings
from memory_db.store.connection import transaction
from memory_db.transcripts.projects import project_named

SURFACE = "notebook"
"""How a recall that is logged from here was asked, and by whom a hit was judged."""

MADE_FROM = ("query", "project_id", "recall_uid", "profile", "weights")
"""What a table of hits remembers of its question, in `attrs`."""


def query(
    sql: str, parameters: Mapping[str, object] | None = None, *, db: sqlite3.Connection | None = None
) -> pd.DataFrame:
    """The rows that one SQL statement gives, with its columns; `parameters` has values by name. Raises: InputError."""
    return frame_of(executed(db or current(), sql, parameters or {}))


def executed(db: sqlite3.Connection, sql: str, parameters: Mapping[str, object]) -> sqlite3.Cursor:
    """The cursor of one statement. Raises: InputError, with what SQLite says in one line."""
    try:
        return db.execute(sql, Named(parameters))
    except (sqlite3.Error, sqlite3.Warning) as error:
        raise InputError(in_words(error)) from error


class Named(dict[str, object]):
    """Values of parameters by their names. Raises: InputError for one that is asked for and was not given."""

    def __missing__(self, name: str) -> object:
        raise InputError(f"The SQL asks for :{name}, which has no value. Assign one in a cell before: {name} = ...")


def in_words(error: Exception) -> str:
    """What SQLite says of a statement, and what to do where that is known."""
    text = str(error)
    if "readonly" in text:
        return "This only reads. Begin the cell with `%%memory --write` to change the file."
    if "one statement" in text:
        return "There are several statements. Give one in each cell."
    if "no such table" in text:
        return f"SQLite says: {text}. `select name from sqlite_master` lists the tables and views."
    return f"SQLite says: {text}."


def frame_of(cursor: sqlite3.Cursor) -> pd.DataFrame:
    """The rows of a cursor; whole numbers stay whole where some are missing."""
    found = pd.DataFrame([tuple(row) for row in cursor], columns=[each[0] for each in cursor.description])
    for place in range(found.shape[1]):
        column = found.iloc[:, place]
        if column.dtype == float and column.isna().any() and (column.dropna() % 1 == 0).all() and column.notna().any():
            found.isetitem(place, column.astype("Int64"))
    return found


def recall(
    question: str,
    *,
    profile: str | None = None,
    project: str | None = None,
    scope: str = "all",
    limit: int = 10,
    only_project: bool = False,
    everything: bool = False,
    log: bool = False,
    db: sqlite3.Connection | None = None,
    now: datetime | None = None,
) -> pd.DataFrame:
    """What a question finds, best first: `rank`, `score`, `kind`, `project`, `text`, `uid`, `session_uid`, `said_on`,
    `left_out` (the reason, of what is not shown), and a column for each signal that counts, from 0 to 1.

    `everything` keeps the best that were left out too. It is logged only with `log`, which writes. `attrs` of the table
    has the question, the recall's uid and the weights. Raises: QueryError, InputError, NotFoundError, ModelError.
    """
    db, now = db or current(), now or datetime.now(UTC)
    asked = Question(
        question, scope=scope, limit=limit,
        profile=profile or settings.get_text(db, "default_profile"),
        project_id=project_named(db, project) if project else None,
        filters=Filters(only_project=only_project),
    )  # fmt: skip
    asked = with_window(db, asked, now, settings.user_zone(db))
    answer = ask(db, asked, surface=SURFACE, now=now, semantic=open_semantic(db), log=False)
    if log:
        with writing(db) as other:
            log_recall(other, answer, surface=SURFACE, now=now)
    return frame_of_hits(answer, answer.hits if everything else answer.shown)


def frame_of_hits(answer: Answer, hits: Iterable[Placement]) -> pd.DataFrame:
    """Hits of an answer as `recall` gives them; the signals in the order of their weights."""
    weights = answer.profile.weights
    counted = sorted(weights, key=lambda name: -weights[name])
    columns = ["rank", "score", "kind", "project", "text", "uid", "session_uid", "said_on", "left_out", *counted]
    rows = [
        (
            hit.rank, hit.score, hit.kind, hit.project, " ".join(hit.text.split()), hit.uid, hit.session_uid,
            hit.created_at[:10], hit.left_out_reason, *(hit.signals.get(name, 0.0) for name in counted),
        )
        for hit in hits
    ]  # fmt: skip
    found = pd.DataFrame(rows, columns=columns).astype({"rank": "Int64"})
    values = (answer.question.query, answer.question.project_id, answer.recall_uid, answer.profile.name, dict(weights))
    found.attrs.update(zip(MADE_FROM, values, strict=True))
    return found


def profiles(db: sqlite3.Connection | None = None) -> pd.DataFrame:
    """The newest version of each profile: `profile`, `version`, `threshold`, `description`, `leaves_out`, `fitted_on`,
    and a column for each signal that any of them weighs, with its weight."""
    rows = stored.list_profiles(db or current())
    names = sorted({name for row in rows for name in row["weights"]})
    head = ("version", "threshold", "description", "leaves_out", "fitted_on")
    weights = [[row["weights"].get(name, 0.0) for name in names] for row in rows]
    return pd.DataFrame(
        [(row["name"], *(row[name] for name in head), *each) for row, each in zip(rows, weights, strict=True)],
        columns=["profile", *head, *names],
    )


def judge(
    asked: pd.DataFrame | str,
    *,
    answers: Iterable[str] | str = (),
    others: Iterable[str] | str = (),
    taken_back: Iterable[str] | str = (),
    project: str | None = None,
    db: sqlite3.Connection | None = None,
) -> dict[str, int]:
    """Notes which hits answer a question and which do not, by their uids, in the query set `own`; this writes.

    `asked` is a table that `recall` gave, or the question itself. Gives counts of hits judged and taken back.
    Raises: InputError, NotFoundError, DatabaseFileError.
    """
    db, now = db or current(), datetime.now(UTC)
    judged: dict[judgements.Item, int | None] = {
        item_of(uid): relevance
        for uids, relevance in ((answers, 1), (others, 0), (taken_back, None))
        for uid in ([uids] if isinstance(uids, str) else uids)
    }
    if not judged:
        raise InputError(
            "No hit was named. Give uids: answers=[...] for what answers it, others=[...] for what does not."
        )
    about = question_of(db, asked, project, now)
    with writing(db) as other, transaction(other):
        return judgements.judge_hits(other, about, judged, judged_by=SURFACE, now=now)


def question_of(
    db: sqlite3.Connection, asked: pd.DataFrame | str, project: str | None, now: datetime
) -> judgements.AskedQuestion:
    """The question that hits were found for. Raises: InputError, NotFoundError."""
    if isinstance(asked, str):
        return judgements.asked_now(asked, project_named(db, project) if project else None, now=now)
    made_from: Mapping[Any, Any] = asked.attrs
    if "query" not in made_from:
        raise InputError(
            "This table does not say which question it answers. Give one that recall() gave, or the question."
        )
    if made_from["recall_uid"]:
        return judgements.asked_in(db, made_from["recall_uid"])
    return judgements.asked_now(made_from["query"], made_from["project_id"], now=now)


def item_of(uid: str) -> judgements.Item:
    """A hit by its uid: a memory or an entry."""
    return ("memory" if MEMORY_UID.fullmatch(uid) else "entry", uid)
