"""How well a profile ranks: labelled questions, asked once, measured under any weights.

In: a query set with its judgements, and weights. Out: `Labelled` (each question's hits with all their signals), and
metrics with intervals. The score is `scoring.score` over columns of signals; what is passed over is passed over as
in `brief.choose`. Nothing is logged, and nothing here changes a profile. Metrics but those of abstaining leave the
threshold of a profile aside: they say how it ranks.

A question's answers are its judged entries and memories. An answer is reached at the place of the first shown hit
that is it, or that is a memory made from it: every metric but the thresholds derives from those places.
"""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from memory_db.evaluation.deletion import held_out
from memory_db.evaluation.outcomes import METRICS, QuestionResult
from memory_db.evaluation.query_sets import query_set
from memory_db.recall.brief.fill import fill_in
from memory_db.recall.brief.placement import Placement, keep_all
from memory_db.recall.brief.select import brief_line
from memory_db.recall.question_dates import with_window
from memory_db.recall.scoring import SIGNALS
from memory_db.recall.search import Question, Semantic, recall
from memory_db.records import replace
from memory_db.store.dates import parse_utc
from memory_db.store.settings import user_zone
from memory_db.text.terms import WORD

Item = tuple[str, int]
"""(`entry`, its id) or (`memory`, its id)."""

Numbers = NDArray[np.float64]

Progress = Callable[[str, int, int | None], None]

Ranking = Mapping[str, float] | Callable[["Labelled"], Numbers]
"""What ranks the hits of a question: weights by signal, or any function that gives a score for each hit."""

LIMIT = 50
"""How many hits are shown while measuring: places beyond are not reached."""

COLUMN = {name: number for number, name in enumerate(SIGNALS)}
"""Which column of `Labelled.signals` holds which signal."""

NO_WORDS: Mapping[str, frozenset[str]] = MappingProxyType({})
"""No question has decisive words."""

PLAIN = Question("")
"""How a question is asked unless told otherwise: of memories and entries, under the default profile."""


# ------------------------------------------------------------ labelled questions


@dataclass(frozen=True, slots=True, eq=False)
class Labelled:
    """A labelled question with every hit that was considered for it.

    `signals` has a row for each hit and a column for each signal, equal scores keep that order; `texts` numbers the
    hits' texts, alike where they say the same; `reaches` is what each hit is, and what it was made from; `characters`
    is the length of each hit's line in a brief, its line break included; `decides` is whether that line says every
    decisive word, empty where the question has none. `group` is the conversation it is about; `without` is the same
    question asked of the file when its answers are deleted, where that was wanted.
    """

    uid: str
    query: str
    project_id: int | None
    style: str
    signals: Numbers
    texts: tuple[int, ...]
    reaches: tuple[frozenset[Item], ...]
    wanted: frozenset[Item]
    barred: frozenset[Item]
    characters: tuple[int, ...] = ()
    decides: tuple[bool, ...] = ()
    outdated: frozenset[Item] = frozenset()
    group: str = ""
    without: Labelled | None = None

    @property
    def is_negative(self) -> bool:
        """Whether nothing in the file answers it."""
        return not self.wanted

    def relevant(self) -> NDArray[np.bool_]:
        """Which hits reach an answer."""
        return np.array([bool(reached & self.wanted) for reached in self.reaches], dtype=bool)


def collect(
    db: sqlite3.Connection,
    name: str,
    *,
    semantic: Semantic | None = None,
    asked_like: Question = PLAIN,
    deleted: bool = False,
    decisive: Mapping[str, frozenset[str]] = NO_WORDS,
    progress: Progress | None = None,
) -> list[Labelled]:
    """Asks every question of a query set at its own moment, without logging; gives them in the order of their uids.

    `asked_like` says how: in which scope, under which profile (which decides what is looked up), with how many terms.
    `decisive` has by uid the words that the answer hangs on, as `words_of` gives them.
    With `deleted` each is asked once more with its answers away (see `held_out`): the file must be one to write to.
    Raises: NotFoundError.
    """
    rows = db.execute("select * from labelled_queries where query_set_id = ? order by uid", [query_set(db, name)])
    labelled = []
    for row in (found := rows.fetchall()):
        each = ask_labelled(db, row, semantic, asked_like, decisive.get(row["uid"], frozenset()))
        if deleted and each.wanted:
            with held_out(db, each.wanted):
                each = replace(each, without=ask_labelled(db, row, semantic, asked_like))
        labelled.append(each)
        if progress:
            progress(f"questions of {name}", len(labelled), len(found))
    return labelled


def ask_labelled(
    db: sqlite3.Connection,
    row: sqlite3.Row,
    semantic: Semantic | None,
    asked_like: Question = PLAIN,
    decisive: frozenset[str] = frozenset(),
) -> Labelled:
    """One labelled question with its hits."""
    question = replace(asked_like, query=row["query"], project_id=row["project_id"])
    moment = parse_utc(row["asked_at"])
    if question.effort.is_full:  # what must be quick does not read dates
        question = with_window(db, question, moment, user_zone(db))
    recalled = recall(db, question, now=moment, semantic=semantic)
    hits = [Placement(hit) for hit in recalled.hits]
    hits.sort(key=lambda hit: (-hit.features.bm25, hit.type, hit.memory_version_id or hit.entry_id))
    fill_in(db, hits)
    keep_all(db, recalled, hits)
    memory_ids = dict(db.execute("select id, memory_id from memory_versions").fetchall())
    numbers: dict[str, int] = {}
    lines = [brief_line(hit, moment) for hit in hits]
    wanted, barred = judged(db, row["id"])
    return Labelled(
        uid=row["uid"],
        query=row["query"],
        project_id=row["project_id"],
        style=row["style"],
        signals=np.array([[hit.signals[name] for name in SIGNALS] for hit in hits]).reshape(len(hits), len(SIGNALS)),
        texts=tuple(numbers.setdefault(" ".join(hit.text.casefold().split()), len(numbers)) for hit in hits),
        reaches=tuple(reached_by(hit, memory_ids) for hit in hits),
        wanted=wanted,
        barred=barred,
        characters=tuple(len(line) + 1 for line in lines),
        decides=tuple(decisive <= words_of(line) for line in lines) if decisive else (),
    )


def unasked(db: sqlite3.Connection, name: str) -> list[Labelled]:
    """The questions of a query set with what answers them and no hits, in the order of their uids: none is asked.

    Raises: NotFoundError.
    """
    rows = db.execute("select * from labelled_queries where query_set_id = ? order by uid", [query_set(db, name)])
    return [
        Labelled(
            row["uid"], row["query"], row["project_id"], row["style"], np.empty((0, len(SIGNALS))), (), (),
            *judged(db, row["id"]),
        )
        for row in rows.fetchall()
    ]  # fmt: skip


def judged(db: sqlite3.Connection, question_id: int) -> tuple[frozenset[Item], frozenset[Item]]:
    """What answers a labelled question, and what does not, as somebody judged."""
    found: dict[int, set[Item]] = {0: set(), 1: set()}
    for row in db.execute("select * from judgements where labelled_query_id = ?", [question_id]):
        is_entry = row["entry_id"] is not None
        found[row["relevance"]].add(("entry", row["entry_id"]) if is_entry else ("memory", row["memory_id"]))
    return frozenset(found[1]), frozenset(found[0])


def words_of(text: str) -> frozenset[str]:
    """The words and numbers of a text, in lower case, as full text cuts them."""
    return frozenset(word.casefold() for word in WORD.findall(text))


def reached_by(hit: Placement, memory_ids: Mapping[int, int]) -> frozenset[Item]:
    """What a hit shows: itself, and for a memory the entries it was made from."""
    if hit.memory_version_id is None:
        return frozenset([("entry", hit.entry_id or 0)])
    return frozenset(
        [("memory", memory_ids[hit.memory_version_id]), *(("entry", entry) for entry in hit.source_entry_ids)]
    )


# ---------------------------------------------------------------------- ranking


def scores(labelled: Labelled, ranking: Ranking) -> Numbers:
    """The score of each hit: `scoring.score`, for a whole column at a time and to the last bit.

    A ranking that is no weights is a function and gives them itself.
    """
    if not isinstance(ranking, Mapping):
        return ranking(labelled)
    total = np.zeros(len(labelled.signals))
    for name, weight in ranking.items():
        total += weight * labelled.signals[:, COLUMN[name]]
    return total


def shown(labelled: Labelled, values: Numbers, limit: int = LIMIT) -> list[int]:
    """Rows of the hits that a brief shows, best first: what says the same, and a shown memory's source, are not."""
    rows: list[int] = []
    texts: set[int] = set()
    sources: set[Item] = set()
    for row in np.argsort(-values, kind="stable").tolist():
        if len(rows) == limit:
            break
        reached = labelled.reaches[row]
        if labelled.texts[row] in texts or (len(reached) == 1 and reached <= sources):
            continue
        rows.append(row)
        texts.add(labelled.texts[row])
        if labelled.signals[row, COLUMN["memory"]]:
            sources |= reached
    return rows


def outcome(labelled: Labelled, ranking: Ranking, limit: int = LIMIT) -> QuestionResult:
    """Asks one labelled question under these weights."""
    values = scores(labelled, ranking)
    first: dict[Item, tuple[int, int]] = {}
    characters, decided_end = 0, None
    rows = shown(labelled, values, limit)
    for place, row in enumerate(rows, start=1):
        characters += labelled.characters[row] if labelled.characters else 0
        if decided_end is None and labelled.decides and labelled.decides[row]:
            decided_end = characters
        for item in labelled.reaches[row]:
            first.setdefault(item, (place, characters))
    reached = [first.get(item, (None, None)) for item in sorted(labelled.wanted)]
    considered = labelled.wanted & frozenset().union(*labelled.reaches)
    return QuestionResult(
        places=tuple(place for place, _ in reached),
        ends=tuple(end for _, end in reached),
        in_pool=len(considered) / max(1, len(labelled.wanted)),
        has_barred=bool(labelled.barred),
        barred_place=min((first[item][0] for item in labelled.barred if item in first), default=None),
        has_outdated=bool(labelled.outdated),
        outdated_place=min((first[item][0] for item in labelled.outdated if item in first), default=None),
        best_score=float(values.max(initial=0.0)),
        answering=tuple(bool(labelled.reaches[row] & labelled.wanted) for row in rows),
        has_decisive=bool(labelled.decides),
        decided_end=decided_end,
    )


# ---------------------------------------------------------------------- metrics


DRAWS = 2000
"""Resamplings of an interval: enough for two digits of its ends."""

SEED = 20261101
"""Where the resampling starts; any number would do, a fixed one gives the same interval each time."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over questions with its 95 % interval by resampling them."""

    value: float
    low: float
    high: float
    queries: int


Metrics = dict[str, Estimate]


def measure(labelled: Sequence[Labelled], ranking: Ranking) -> dict[str, Numbers]:
    """Each metric of each answerable question, in their order; NaN where it does not apply."""
    found = [outcome(each, ranking) for each in labelled if not each.is_negative]
    return {
        name: np.array([math.nan if (value := metric(each)) is None else value for each in found], dtype=float)
        for name, metric in METRICS.items()
    }


def evaluate(labelled: Sequence[Labelled], ranking: Ranking, *, seed: int = SEED) -> Metrics:
    """Every metric over the answerable questions, with its 95 % interval."""
    return {name: estimate(values, seed=seed) for name, values in measure(labelled, ranking).items()}


def compare(labelled: Sequence[Labelled], ranking: Ranking, other: Ranking, *, seed: int = SEED) -> Metrics:
    """How much better each metric is under one ranking than under another, question by question."""
    ours, theirs = measure(labelled, ranking), measure(labelled, other)
    return {name: estimate(ours[name] - theirs[name], seed=seed) for name in METRICS}


def estimate(values: Numbers, *, seed: int = SEED, draws: int = DRAWS) -> Estimate:
    """The mean of what applies, with the middle 95 % of the means of resampled questions; NaN where nothing applies.

    Source: the percentile bootstrap of Efron.
    """
    values = values[~np.isnan(values)]
    if not len(values):
        return Estimate(math.nan, math.nan, math.nan, 0)
    picked = np.random.default_rng(seed).integers(0, len(values), size=(draws, len(values)))
    low, high = np.quantile(values[picked].mean(axis=1), [0.025, 0.975])
    return Estimate(float(values.mean()), float(low), float(high), len(values))
