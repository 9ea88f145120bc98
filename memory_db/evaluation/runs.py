"""Evaluations: contests on data sets and query sets, timed, and kept as rows.

In: contenders and a data set, or a query set of the user's file. Out: a `Contest` with times, and rows of `eval_runs`.
Invariants: a data set is asked in temporary files, a query set without logging; what is measured is what a surface
shows.
"""

from __future__ import annotations

import json
import math
import sqlite3
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path

import numpy as np

from memory_db.errors import ModelError
from memory_db.evaluation import query_sets as judging
from memory_db.evaluation.contest import Contender, Contest, Options, Questions, asks_model, contest
from memory_db.evaluation.datasets import loading
from memory_db.evaluation.datasets.records import Dataset
from memory_db.evaluation.datasets.vector_cache import VectorCache
from memory_db.evaluation.metrics import Labelled, Progress, collect
from memory_db.evaluation.state import state_of
from memory_db.evaluation.told import told_data, told_in_briefs
from memory_db.index import semantic
from memory_db.recall.brief import select as brief
from memory_db.recall.profiles import save_profile
from memory_db.recall.question_dates import with_window
from memory_db.recall.search import Question, Semantic
from memory_db.redact.clean import clean
from memory_db.store.connection import transaction
from memory_db.store.dates import parse_utc, utc_text
from memory_db.store.settings import user_zone

TIMED = 80
"""Questions that each profile is asked once more for its times: enough for a median, and for a rough 95th part."""

# ----------------------------------------------------------------- what is asked


def of_dataset(
    dataset: Dataset,
    contenders: Sequence[Contender],
    folder: Path,
    *,
    options: Options,
    model: str,
    cache: VectorCache | None = None,
    now: datetime,
    progress: Progress | None = None,
) -> Contest:
    """Measures contenders on a data set, each part in a temporary file of its own below `folder`.

    Raises: InputError, ModelError.
    """
    questions = Questions()
    with ExitStack() as stack:
        parts = []
        for number, part in enumerate(dataset.parts):
            path = folder / f"part-{number}.db"
            loaded = loading.load(part, path, model=model, cache=cache, now=now, progress=progress)
            stack.enter_context(closing(loaded.db))
            parts.append(loaded)
            questions.ask(contenders, options, partial(loaded.questions, deleted=options.deleted, progress=progress))
        found = contest(contenders, questions, options)
        askers = [Asker(loaded.db, loading.QUERY_SET, loaded.index) for loaded in parts]
        for asker in askers:
            keep_profiles(asker.db, found, now=now)
        add_times(found, askers, {name: f"timed-{n}" for n, name in enumerate(found.profiles)}, progress)
        told: dict[str, list[list[float]]] = {}
        for loaded in parts:
            for way, values in told_in_briefs(loaded.db, loaded.part, loaded.index, now=now, progress=progress).items():
                told.setdefault(way, []).extend(values)
        found.told = told_data(told)
    found.dataset, found.form, found.file_hash = dataset.name, dataset.form, dataset.file_hash
    found.items = sum(len(part.turns) + len(part.notes) for part in dataset.parts)
    for counts in (dataset.left_out, *(loaded.counts for loaded in parts)):
        for name, count in counts.items():
            found.left_out[name] = found.left_out.get(name, 0) + count
    found.left_out = {name: count for name, count in found.left_out.items() if count}
    found.semantic_model = parts[0].index.model if parts[0].index else None
    return found


def of_query_set(
    db: sqlite3.Connection,
    name: str,
    contenders: Sequence[Contender],
    *,
    options: Options,
    progress: Progress | None = None,
) -> Contest:
    """Measures contenders on a query set of the user's own file, with times. Raises: NotFoundError, InputError."""
    found, index = figures_of_set(db, name, contenders, options=options, progress=progress)
    named = {each.name: f"{each.profile.name}@{each.profile.version}" for each in contenders if each.profile}
    add_times(found, [Asker(db, name, index)], named, progress)
    return found


def figures_of_set(
    db: sqlite3.Connection,
    name: str,
    contenders: Sequence[Contender],
    *,
    options: Options,
    progress: Progress | None = None,
) -> tuple[Contest, Semantic | None]:
    """What contenders reach on a query set, each asked the way its weights need, and the full model that helped.

    The command line and the page that compares tell these figures; where the model fails all are asked without it.
    Raises: NotFoundError, InputError.
    """
    index: Semantic | None = semantic.open_semantic(db)
    try:
        questions = asked_of_set(db, name, contenders, options, index, progress)
    except ModelError:
        index = None
        questions = asked_of_set(db, name, contenders, options, index, progress)
    found = contest(contenders, questions, options)
    found.dataset, found.form, found.file_hash = name, "own", state_of(db)
    tables = ("entries", "memories")
    found.items = sum(int(db.execute(f"select count(*) from {table}").fetchone()[0]) for table in tables)
    found.semantic_model = index.model if index else None
    return found, index


def asked_of_set(
    db: sqlite3.Connection,
    name: str,
    contenders: Sequence[Contender],
    options: Options,
    index: Semantic | None,
    progress: Progress | None,
) -> Questions:
    """The questions of a set with their hits, in each way that somebody needs. Raises: NotFoundError, ModelError."""
    questions = Questions()

    def collected(*, asked_like: Question, with_model: bool) -> list[Labelled]:
        return collect(db, name, semantic=index if with_model else None, asked_like=asked_like, progress=progress)

    questions.ask(contenders, options, collected)
    return questions


# ------------------------------------------------------------------------ times


@dataclass(frozen=True, slots=True)
class Asker:
    """A file to ask, with the query set and the index to ask it with."""

    db: sqlite3.Connection
    query_set: str
    index: Semantic | None

    def questions(self) -> list[sqlite3.Row]:
        """The labelled queries, in the order of their uids."""
        return self.db.execute(
            "select * from labelled_queries where query_set_id = ? order by uid",
            [judging.query_set(self.db, self.query_set)],
        ).fetchall()


def keep_profiles(db: sqlite3.Connection, found: Contest, *, now: datetime) -> None:
    """Saves what has weights in a temporary file, to be asked under."""
    for number, (name, figures) in enumerate(found.profiles.items()):
        if figures["weights"]:
            save_profile(
                db, f"timed-{number}", figures["weights"], threshold=figures["threshold"], description=name,
                fitted_on="an evaluation", now=now,
            )  # fmt: skip


def add_times(found: Contest, askers: Sequence[Asker], names: Mapping[str, str], progress: Progress | None) -> None:
    """Asks some of the questions once more as a surface does, warm and without logging; adds median and 95th part.

    Each question goes to every profile in turn, so that whatever else the machine does meets all alike. `names` are
    what the files call the profiles.
    """
    rows = [(asker, row) for asker in askers for row in asker.questions()]
    chosen = rows[:: max(1, math.ceil(len(rows) / TIMED))]
    can_ask = {name: asks_model(figures["weights"]) for name, figures in found.profiles.items()
               if name in names and figures["weights"]}  # fmt: skip
    values: dict[str, list[float]] = {name: [] for name in found.profiles}
    warmed: set[int] = set()
    for number, (asker, row) in enumerate(chosen, start=1):
        for name, with_model in can_ask.items() if id(asker) not in warmed else ():
            time_ms(asker, row, names[name], with_model)
        warmed.add(id(asker))
        for name, with_model in can_ask.items():
            values[name].append(time_ms(asker, row, names[name], with_model))
        if progress:
            progress("questions asked for their times", number, len(chosen))
    for name, figures in found.profiles.items():
        times = values[name]
        figures["median_ms"] = round(float(np.median(times)), 3) if times else None
        figures["p95_ms"] = round(float(np.quantile(times, 0.95)), 3) if times else None


def time_ms(asker: Asker, row: sqlite3.Row, profile: str, with_model: bool) -> float:
    """How long an answer takes, the embedding of the question included."""
    semantic.asked_of.cache_clear()
    question = Question(row["query"], project_id=row["project_id"], profile=profile)
    moment = parse_utc(row["asked_at"])
    index = asker.index if with_model else None
    started = time.perf_counter()
    question = with_window(asker.db, question, moment, user_zone(asker.db))
    brief.ask(asker.db, question, surface="evaluate", now=moment, semantic=index, log=False)
    return (time.perf_counter() - started) * 1000


# ---------------------------------------------------------------------- storing

INSERT_RUN = """
insert into eval_runs (dataset, format, file_hash, query_count, profile, profile_version, weights, metrics, split,
    semantic_model, started_at, duration_ms)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""

APART = ("weights", "profile_version")
"""Figures with a column of their own."""


def store(db: sqlite3.Connection, found: Contest, *, started: datetime, duration_ms: float) -> int:
    """Keeps what came out: a row of `eval_runs` for each contender; gives their number."""
    rows = [
        [clean(found.dataset)[0], found.form, found.file_hash, found.queries, name, figures.get("profile_version"),
         json.dumps(figures["weights"], sort_keys=True),
         json.dumps({key: value for key, value in figures.items() if key not in APART}), found.split,
         found.semantic_model, utc_text(started), duration_ms]
        for name, figures in found.profiles.items()
    ]  # fmt: skip
    with transaction(db):
        db.executemany(INSERT_RUN, rows)
    return len(rows)
