"""Weights of the abstainer from labelled questions: what their first hits are like, with an answer and without one.

In: a file with labelled questions, and how they are asked. Out: `Example`s; an `Abstainer` fitted on them; what it
keeps and silences, in the sample and on questions that it was not fitted on. Negatives are the questions that nothing
answers, and those whose answers are taken away, which are harder and count less.

Invariant: the same examples give the same numbers; nothing is drawn by chance.
"""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from zlib import crc32

import numpy as np

from memory_db.errors import InputError, QueryError
from memory_db.evaluation.abstention import KEPT, keeping_threshold
from memory_db.evaluation.deletion import held_out
from memory_db.evaluation.metrics import Numbers, Progress
from memory_db.evaluation.query_sets import query_set
from memory_db.recall.abstainer import COLD, Abstainer
from memory_db.recall.brief.abstain import weigh
from memory_db.recall.brief.fill import fill_in
from memory_db.recall.brief.placement import Placement
from memory_db.recall.question_dates import with_window
from memory_db.recall.search import HOOK_EFFORT, Filters, Question, Semantic, recall
from memory_db.records import replace
from memory_db.store.abstainer_weights import NUMBERS
from memory_db.store.dates import parse_utc
from memory_db.store.settings import user_zone
from memory_db.text.questions import asks

FILLED = 20
"""Hits whose texts are read, as a hook reads them."""

L2 = 0.1
"""How strongly weights are held back, of numbers scaled to one standard deviation.

Source: `python -m bench.evidence --fit` with this set to 0.03, 0.1 and 0.3: the middle one; on sets that nothing was
fitted on they differ by .01.
"""

DELETED = 0.3
"""What a question whose answers are taken away counts beside one that nothing ever answered.

Source: as above; of 0, 0.3 and 1 the middle one. Around a deleted answer its neighbours still tell most of it.
"""

FOLDS = 5
"""Parts of the questions where all are of one project."""

STEPS = 50
"""Newton's steps at most; some ten are enough."""


@dataclass(frozen=True, slots=True)
class Example:
    """One question as it was asked: the numbers of its first hits, whether an answer is in the file, and its group.

    `is_deleted` says that an answer was there and was taken away.
    """

    uid: str
    numbers: Mapping[str, float]
    is_answerable: bool
    is_deleted: bool
    group: str


def examples(
    db: sqlite3.Connection, name: str, way: str, *, semantic: Semantic | None, group: str = "", deleted: bool = True,
    progress: Progress | None = None,
) -> list[Example]:  # fmt: skip
    """The questions of a query set, each asked as a hook asks (`cold`) or a brief with the model.

    `group` names what they are about; without one it is the project of each. With `deleted` each that is answerable is
    asked again with its answers away: then the file must be one to write to, which is left as it was.
    Raises: NotFoundError, ModelError.
    """
    rows = db.execute("select * from labelled_queries where query_set_id = ? order by uid", [query_set(db, name)])
    found: list[Example] = []
    for number, row in enumerate(asked := rows.fetchall(), start=1):
        wanted = wanted_of(db, row["id"])
        own = group or str(row["project_id"])
        if numbers := numbers_for(db, row, way, semantic):
            found.append(Example(row["uid"], numbers, bool(wanted), False, own))
        if deleted and wanted:
            with held_out(db, wanted):
                numbers = numbers_for(db, row, way, semantic)
            if numbers:
                found.append(Example(row["uid"], numbers, False, True, own))
        if progress:
            progress(f"questions of {name}", number, len(asked))
    return found


def wanted_of(db: sqlite3.Connection, labelled_query_id: int) -> set[tuple[str, int]]:
    """What answers a labelled question."""
    sql = "select memory_id, entry_id from judgements where labelled_query_id = ? and relevance = 1"
    return {
        ("entry", row["entry_id"]) if row["entry_id"] is not None else ("memory", row["memory_id"])
        for row in db.execute(sql, [labelled_query_id])
    }


def numbers_for(
    db: sqlite3.Connection, row: sqlite3.Row, way: str, semantic: Semantic | None
) -> Mapping[str, float] | None:
    """What the first hits of a question are like; None of one without a word, or that only goes on with a talk."""
    question = Question(row["query"], project_id=row["project_id"], filters=Filters(other_projects=False))
    moment = parse_utc(row["asked_at"])
    if way == COLD:
        effort = replace(HOOK_EFFORT, entries_below=None) if asks(row["query"]) else HOOK_EFFORT
        question = replace(question, profile="hook", effort=effort)
    else:
        question = with_window(db, question, moment, user_zone(db))
    try:
        recalled = recall(db, question, now=moment, semantic=None if way == COLD else semantic)
    except QueryError:
        return None
    hits = [Placement(hit) for hit in recalled.hits]
    fill_in(db, hits[:FILLED])
    weigh(db, recalled, hits, None if way == COLD else semantic)
    return recalled.verdict.numbers if recalled.verdict else None


# ------------------------------------------------------------------------ fitting


def fit(sets: Sequence[Sequence[Example]]) -> Abstainer:
    """Weights fitted on several sets of questions, each with the same say, and the least chance that keeps enough.

    In each set those with an answer count as much as those without. The least chance is the highest at which something
    is shown for four fifths of the answerable questions of every set.
    Raises: InputError where there are not both sorts of questions.

    Source: logistic regression with a quadratic penalty, by Newton's method (Hastie, Tibshirani and Friedman, "The
    Elements of Statistical Learning", 4.4).
    """
    every = [each for questions in sets for each in questions]
    shares = np.concatenate([shares_of(questions) for questions in sets]) if sets else np.zeros(0)
    answers = np.array([each.is_answerable for each in every], dtype=float)
    if not (shares[answers == 1].sum() > 0 and shares[answers == 0].sum() > 0):
        raise InputError("It takes questions with an answer and some without one. Label some of both.")
    rows, shares = table(every), shares / shares.sum()
    mean = shares @ rows
    spread = np.sqrt(shares @ (rows - mean) ** 2) + 1e-6
    scaled = np.column_stack([(rows - mean) / spread, np.ones(len(rows))])
    penalty = np.diag([L2] * len(NUMBERS) + [1e-9])
    weights = np.zeros(len(NUMBERS) + 1)
    for _ in range(STEPS):
        chances = 1 / (1 + np.exp(-scaled @ weights))
        slope = scaled.T @ (shares * (chances - answers)) + penalty @ weights
        bend = (scaled * (shares * chances * (1 - chances))[:, None]).T @ scaled + penalty
        step = np.linalg.solve(bend, slope)
        weights = weights - step
        if float(np.abs(step).max()) < 1e-9:
            break
    own = [round(float(each), 3) for each in weights[:-1] / spread]
    bias = round(float(weights[-1] - mean @ np.array(own)), 3)
    fitted = Abstainer(dict(zip(NUMBERS, own, strict=True)), bias, 0.0)
    # Rounded down, so that the question which just reaches it is still kept.
    return replace(fitted, least=math.floor(1000 * min(least_of(fitted, questions) for questions in sets)) / 1000)


def shares_of(questions: Sequence[Example]) -> Numbers:
    """What each question of a set counts: a half is of those with an answer."""
    deleted = [DELETED if each.is_deleted else 1.0 for each in questions]
    shares = np.array(deleted)
    for sort in (True, False):
        own = np.array([each.is_answerable is sort for each in questions], dtype=bool)
        if own.any():
            shares[own] /= 2 * shares[own].sum()
    return shares


def table(questions: Sequence[Example]) -> Numbers:
    """A row of numbers for each question."""
    return np.array([[each.numbers[name] for name in NUMBERS] for each in questions]).reshape(-1, len(NUMBERS))


def chances_of(abstainer: Abstainer, questions: Sequence[Example]) -> Numbers:
    """The chance of each question."""
    return np.array([abstainer.chance(each.numbers) for each in questions])


def least_of(abstainer: Abstainer, questions: Sequence[Example]) -> float:
    """The highest chance that four fifths of the answerable questions reach; 1 where there are none."""
    chances = chances_of(abstainer, [each for each in questions if each.is_answerable])
    return keeping_threshold(chances, KEPT) if len(chances) else 1.0


# ----------------------------------------------------------------------- measuring


@dataclass(frozen=True, slots=True)
class Silence:
    """Shares: of the answerable questions that are shown something, and of each sort of the others that are silenced.

    NaN where there are none of a sort.
    """

    kept: float
    negatives: float
    deleted: float


def silence(questions: Sequence[Example], chances: Numbers, least: float | None = None) -> Silence:
    """What a least chance keeps and silences; without one, that which keeps four fifths of the answerable."""
    answerable = np.array([each.is_answerable for each in questions], dtype=bool)
    deleted = np.array([each.is_deleted for each in questions], dtype=bool)
    if least is None:
        least = keeping_threshold(chances[answerable], KEPT) if answerable.any() else 0.0

    def share(of: Numbers) -> float:
        return float(of.mean()) if len(of) else float("nan")

    return Silence(
        share(chances[answerable] >= least),
        share(chances[~answerable & ~deleted] < least),
        share(chances[deleted] < least),
    )


def crossed(sets: Mapping[str, Sequence[Example]], name: str) -> Numbers:
    """The chance of each question of a set by weights fitted without its group, on the rest of all sets.

    Groups are projects or conversations; where all questions are of one, each goes with a fifth of them by its uid.
    Raises: InputError where too few of a sort are left to fit on.
    """
    questions = sets[name]
    others = [other for key, other in sets.items() if key != name]
    several = len({each.group for each in questions}) > 1
    groups = [each.group if several else str(crc32(each.uid.encode()) % FOLDS) for each in questions]
    chances = np.zeros(len(questions))
    for group in sorted(set(groups)):
        fitted = fit([[each for each, of in zip(questions, groups, strict=True) if of != group], *others])
        own = [place for place, of in enumerate(groups) if of == group]
        chances[own] = chances_of(fitted, [questions[place] for place in own])
    return chances
