"""What one labelled question brought, and every metric as a number of it.

In: the places at which answers are reached. Out: `METRICS`. A metric is a function of a `QuestionResult` alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class QuestionResult:
    """What one question brought.

    `places` has the place of each answer and `ends` how many characters a brief has up to there (None: beyond what is
    shown); `in_pool` is the share of the answers that were considered at all. Of what must not be shown and of what
    is outdated: whether the question has any, and the place of the first (None: not shown). `answering` is whether each
    shown hit reaches an answer, `decided_end` the characters up to the first line that says every decisive word.
    """

    places: tuple[int | None, ...]
    ends: tuple[int | None, ...]
    in_pool: float
    has_barred: bool
    barred_place: int | None
    has_outdated: bool
    outdated_place: int | None
    best_score: float
    answering: tuple[bool, ...] = ()
    has_decisive: bool = False
    decided_end: int | None = None


def recall_at(limit: int) -> Callable[[QuestionResult], float]:
    """The share of a question's answers that are reached within `limit` hits."""
    return lambda found: sum(place is not None and place <= limit for place in found.places) / len(found.places)


def all_of_at(limit: int) -> Callable[[QuestionResult], float]:
    """Whether every answer of a question is reached within `limit` hits.

    Source: `recall_all@k` of Wu et al. 2024, LongMemEval: Benchmarking Chat Assistants on Long-Term Interactive Memory.
    """
    return lambda found: float(all(place is not None and place <= limit for place in found.places))


def precision_at(limit: int) -> Callable[[QuestionResult], float]:
    """The share of the first `limit` hits that reach an answer, of as many as are shown; 0 where none is.

    Source: Manning, Raghavan and Schütze 2008, Introduction to Information Retrieval, chapter 8.
    """
    return lambda found: sum(found.answering[:limit]) / max(1, len(found.answering[:limit]))


def decided_within(characters: int) -> Callable[[QuestionResult], float | None]:
    """Whether a line that says every decisive word stands whole within so many characters; None where there are none.

    Source: ours; words in place of the sentence itself, for whoever says the same elsewhere decides it as well.
    """
    return lambda found: float((found.decided_end or characters + 1) <= characters) if found.has_decisive else None


def evidence_within(characters: int) -> Callable[[QuestionResult], float]:
    """The share of a question's answers whose line stands whole within so many characters of a brief."""
    return lambda found: sum(end is not None and end <= characters for end in found.ends) / len(found.ends)


def reciprocal_rank(found: QuestionResult) -> float:
    """One by the place of the first answer, 0 where none is shown."""
    return max((1 / place for place in found.places if place), default=0.0)


def ndcg_at(limit: int) -> Callable[[QuestionResult], float]:
    """Discounted gain as a share of the best possible: each answer counts where it is first reached.

    One hit may reach several answers, so the share is held at 1.
    Source: Järvelin and Kekäläinen, Cumulated gain-based evaluation of IR techniques, with gains of 0 and 1.
    """

    def ndcg(found: QuestionResult) -> float:
        gain = sum(1 / math.log2(1 + place) for place in found.places if place and place <= limit)
        best = sum(1 / math.log2(1 + place) for place in range(1, min(limit, len(found.places)) + 1))
        return min(1.0, gain / best)

    return ndcg


def found_at(limit: int) -> Callable[[QuestionResult], float]:
    """Whether any answer is reached within `limit` hits."""
    return lambda found: float(any(place and place <= limit for place in found.places))


def barred_at(limit: int) -> Callable[[QuestionResult], float | None]:
    """Whether a hit that must not be shown stands within `limit` hits; None where nothing is barred."""
    return lambda found: float((found.barred_place or limit + 1) <= limit) if found.has_barred else None


def outdated_at(limit: int) -> Callable[[QuestionResult], float | None]:
    """Whether an outdated hit stands within `limit` hits; None where nothing is outdated."""
    return lambda found: float((found.outdated_place or limit + 1) <= limit) if found.has_outdated else None


METRICS: dict[str, Callable[[QuestionResult], float | None]] = {
    **{f"recall@{limit}": recall_at(limit) for limit in (1, 5, 10, 20, 50)},
    "all_of@5": all_of_at(5),
    "precision@5": precision_at(5),
    "found@1": found_at(1),
    "found@10": found_at(10),
    "ndcg@10": ndcg_at(10),
    "mrr": reciprocal_rank,
    **{f"evidence@{characters}": evidence_within(characters) for characters in (1000, 2500, 4000)},
    **{f"decisive@{characters}": decided_within(characters) for characters in (1000, 2500)},
    "ceiling": lambda found: found.in_pool,
    "must_not@5": barred_at(5),
    "outdated@5": outdated_at(5),
}
"""What is measured of each answerable question. The number of `evidence@` and `decisive@` counts characters of brief,
the others hits; `ceiling` is the share of the answers that were considered, which no weights can exceed."""


LOWER_IS_BETTER = ("must_not@5", "outdated@5")
"""Metrics of what should not be there."""
