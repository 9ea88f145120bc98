"""Profiles against each other on the same questions.

In: contenders (profiles, or any other ranking) and labelled questions. Out: a `Contest`, which says for each contender
what it reaches with 95 % intervals, how much better it is than the baseline question by question, and when it is
silent. Every number comes from `evaluate`. Invariant: the same questions give the same numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from memory_db.evaluation import tuning
from memory_db.evaluation.abstention import (
    best_scores,
    best_threshold,
    best_without_answers,
    curve_of,
    keeping_threshold,
    precision_from,
    share_from,
)
from memory_db.evaluation.metrics import COLUMN, Estimate, Labelled, Numbers, Ranking, estimate, measure, scores
from memory_db.recall.scoring import needs_model
from memory_db.recall.search import Profile, Question

BASELINE = "keyword_only"
"""What the others are compared with unless another is named: plain full text."""

FITTED = "fitted"
"""The contender whose weights come from the questions of the other folds."""

GROUPED = ("recall@1", "recall@5", "all_of@5", "recall@10", "mrr")
"""Metrics that are told for parts of the questions too."""

CURVE_POINTS = 41
"""Thresholds of a curve of abstaining: every fortieth part of the answerable questions."""


WAYS = {
    "model": Question(""),
    "static": Question("", profile="hook"),
    "words": Question("", profile=BASELINE),
}
"""How questions are asked: with the full model, by static vectors, by words alone. What is considered follows."""


@dataclass(frozen=True, slots=True)
class Contender:
    """One way of ranking. Without a profile it has no times, for nothing could ask it. `way` is one of `WAYS`."""

    name: str
    ranking: Ranking
    threshold: float = 0.0
    profile: Profile | None = None
    way: str = "model"

    @property
    def weights(self) -> dict[str, float]:
        """Its weights by signal, empty where it has none."""
        return dict(self.ranking) if isinstance(self.ranking, Mapping) else {}


def contender(name: str, profile: Profile) -> Contender:
    """A profile as contender, asked as a surface asks it."""
    return Contender(name, profile.weights, profile.threshold, profile, way_of(profile.weights))


def way_of(weights: Mapping[str, float]) -> str:
    """How questions are asked for these weights, by name of `WAYS`."""
    if asks_model(weights):
        return "model"
    return "static" if weights.get("static_semantic") else "words"


def asks_model(weights: Mapping[str, float]) -> bool:
    """Whether a signal that needs the full model has weight."""
    return any(weight and needs_model(name) for name, weight in weights.items())


@dataclass(frozen=True, slots=True)
class Options:
    """How to measure: against whom, with which folds (`by` names what stays together), with which negatives."""

    baseline: str = BASELINE
    folds: int | None = None
    by: str | None = None
    deleted: bool = False
    signals: tuple[str, ...] | None = None

    @property
    def split(self) -> str | None:
        """The split in words, None where nothing is fitted."""
        if self.folds is None and self.by is None:
            return None
        return f"by {self.by or 'hash'}" + (f", {self.folds} folds" if self.folds else "")


@dataclass(slots=True)
class Questions:
    """The same questions with their hits, by the way they were asked, as far as contenders need it."""

    by_way: dict[str, list[Labelled]] = field(default_factory=dict)

    def of(self, each: Contender) -> list[Labelled]:
        """What a contender ranks."""
        return self.by_way[each.way]

    def any(self) -> list[Labelled]:
        """The questions, however they were asked."""
        return next(iter(self.by_way.values()), [])

    def ask(
        self,
        contenders: Sequence[Contender],
        options: Options,
        collected: Callable[..., list[Labelled]],
    ) -> None:
        """Asks in every way that somebody needs; `collected` takes `asked_like`, and `with_model` for the full one."""
        needed = {each.way for each in contenders} | ({"model"} if options.split else set())
        for way, asked_like in WAYS.items():
            if way in needed:
                self.by_way.setdefault(way, []).extend(collected(asked_like=asked_like, with_model=way == "model"))


@dataclass(slots=True)
class Contest:
    """What came out: for each contender its figures, ready for JSON.

    `told` says of questions with decisive words how often a prompt's brief has them: see `told`.
    """

    dataset: str
    form: str
    file_hash: str | None
    queries: int
    answerable: int
    negatives: int
    items: int
    left_out: dict[str, int]
    semantic_model: str | None
    split: str | None
    baseline: str
    profiles: dict[str, dict[str, Any]]
    told: dict[str, Any] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """Everything, by name."""
        values = asdict(self)
        return values if self.told else {name: value for name, value in values.items() if name != "told"}


# ------------------------------------------------------------------ the figures


def contest(contenders: Sequence[Contender], questions: Questions, options: Options) -> Contest:
    """Every contender's figures, and with a split those of weights fitted on the other folds.

    Raises: InputError where the questions cannot be split or fitted on.
    """
    asked = questions.any()
    folds = tuning.folds(asked, by=options.by or "hash", count=options.folds) if options.split else None
    if folds:
        contenders = [*contenders, fitted(questions.by_way["model"], folds, options.signals)]
    measured = {each.name: measure(questions.of(each), each.ranking) for each in contenders}
    profiles: dict[str, dict[str, Any]] = {}
    for each in contenders:
        figures: dict[str, Any] = {
            name: estimate_data(estimate(values)) for name, values in measured[each.name].items()
        }
        figures["queries"] = sum(not one.is_negative for one in questions.of(each))
        # Of the fitted ones, what all questions together give: that is what there is to save.
        is_fitted = each.name == FITTED
        figures["weights"] = (
            tuning.fit_all(questions.by_way["model"], signals=options.signals) if is_fitted else each.weights
        )
        figures["threshold"] = each.threshold
        figures["profile_version"] = each.profile.version if each.profile else None
        figures["abstention"] = abstention(questions.of(each), each, folds, deleted=options.deleted)
        if each.name != options.baseline and options.baseline in measured:
            figures["difference"] = {
                "against": options.baseline,
                **differences(measured[each.name], measured[options.baseline]),
            }
        answerable = [one for one in questions.of(each) if not one.is_negative]
        figures["by_style"] = grouped(measured[each.name], [one.style for one in answerable])
        figures["by_overlap"] = grouped(measured[each.name], [overlap(one) for one in answerable])
        profiles[each.name] = {name: value for name, value in figures.items() if value is not None}
    negatives = sum(one.is_negative for one in asked)
    return Contest(
        dataset="", form="", file_hash=None, queries=len(asked), answerable=len(asked) - negatives, negatives=negatives,
        items=0, left_out={}, semantic_model=None, split=options.split, baseline=options.baseline, profiles=profiles,
    )  # fmt: skip


def fitted(labelled: Sequence[Labelled], folds: Sequence[Sequence[int]], signals: Sequence[str] | None) -> Contender:
    """A contender that ranks the questions of each fold by weights fitted on all others. Raises: InputError."""
    weights: dict[tuple[str, str], dict[str, float]] = {}
    for fold in folds:
        held_out = set(fold)
        learnt = tuning.fit_all([each for n, each in enumerate(labelled) if n not in held_out], signals=signals)
        weights.update({(labelled[n].group, labelled[n].uid): learnt for n in fold})
    return Contender(FITTED, lambda each: scores(each, weights[each.group, each.uid]))


def estimate_data(found: Estimate) -> dict[str, float] | None:
    """An estimate for JSON, or None where nothing applied."""
    if not found.queries:
        return None
    return {name: round(getattr(found, field), 6) for name, field in TOLD.items()}


TOLD = {"mean": "value", "low": "low", "high": "high"}
"""What JSON calls the parts of an estimate."""


def differences(ours: Mapping[str, Numbers], theirs: Mapping[str, Numbers]) -> dict[str, Any]:
    """How much better each metric is, question by question."""
    found = {name: estimate_data(estimate(ours[name] - theirs[name])) for name in ours}
    return {name: value for name, value in found.items() if value is not None}


def grouped(measured: Mapping[str, Numbers], groups: Sequence[str]) -> dict[str, Any]:
    """A few metrics for each group of questions."""
    names = np.array(groups)
    return {
        name: {
            "queries": int((names == name).sum()),
            **{metric: estimate_data(estimate(measured[metric][names == name])) for metric in GROUPED},
        }
        for name in sorted(set(groups))
    }


def overlap(labelled: Labelled) -> str:
    """Whether the question shares a word with an answer, stems compared and words that all texts have left aside."""
    shares = (labelled.signals[labelled.relevant(), COLUMN["keyword"]] > 0).any()
    return "shares words" if shares else "shares no word"


# ------------------------------------------------------------------- abstaining


def abstention(
    labelled: Sequence[Labelled], each: Contender, folds: Sequence[Sequence[int]] | None, *, deleted: bool
) -> dict[str, Any]:
    """For which share of the questions something is shown: at the contender's threshold, and along all of them.

    Negative questions are those of the data set; with `deleted` also the answerable ones with their answers gone. With
    folds: also at thresholds that each were fitted on the other folds.
    """
    best = best_by_sort(labelled, each.ranking, deleted=deleted)
    shown = {name: reached(values, each.threshold) for name, values in best.items()}
    found: dict[str, Any] = {"threshold": each.threshold, **shares_shown(shown)}
    if best["answerable"].size and (best["negatives"].size or best["deleted"].size):
        points = np.quantile(best["answerable"], np.linspace(0, 1, CURVE_POINTS)).tolist()
        found["curve"] = [
            {"threshold": at, **{name: share_from(values, at) for name, values in best.items() if values.size}}
            for at in (0.0, *points)
        ]
        found["silence"] = silence(labelled, each.ranking, best)
        if folds:
            found["at_fitted_thresholds"] = at_fitted_thresholds(labelled, each.ranking, folds, deleted=deleted)
    return found


def silence(labelled: Sequence[Labelled], ranking: Ranking, best: Mapping[str, Numbers]) -> dict[str, Any]:
    """How often nothing is shown, by sort, at the highest threshold that keeps four fifths of the answerable questions.

    `kept` is the share of these that are shown something, which is less where fewer have any hit. `precision` is the
    share of the first five shown hits that reach an answer, over the answerable questions that are shown any.
    """
    threshold = keeping_threshold(best["answerable"])
    silent = {name: 1 - reached(values, threshold) for name, values in best.items() if name != "answerable"}
    precise = [precision_from(one, ranking, threshold) for one in labelled if not one.is_negative]
    found: dict[str, Any] = {"kept": share_from(best["answerable"], threshold), "threshold": threshold}
    return {**found, **shares_shown(silent), "precision": estimate_data(estimate(np.array(precise)))}


def best_by_sort(labelled: Sequence[Labelled], ranking: Ranking, *, deleted: bool) -> dict[str, Numbers]:
    """The best score of each question: of the answerable ones, the negative ones, and those whose answers are gone."""
    answerable, given = best_scores(labelled, ranking)
    gone = best_without_answers(labelled, ranking) if deleted else np.zeros(0)
    return {"answerable": answerable, "negatives": given, "deleted": gone}


def reached(values: Numbers, threshold: float) -> Numbers:
    """1 for each value that reaches a threshold, else 0."""
    return np.where(values >= threshold, 1.0, 0.0)


def shares_shown(shown: Mapping[str, Numbers]) -> dict[str, Any]:
    """The share of each sort of question for which something is shown, where there are any."""
    return {name: estimate_data(estimate(values)) for name, values in shown.items() if values.size}


def at_fitted_thresholds(
    labelled: Sequence[Labelled], ranking: Ranking, folds: Sequence[Sequence[int]], *, deleted: bool
) -> dict[str, Any]:
    """What is shown of each fold at the lowest threshold that silences enough of the negatives of all others."""
    shown: dict[str, list[Numbers]] = {}
    thresholds = []
    for fold in folds:
        held_out = set(fold)
        others = [one for n, one in enumerate(labelled) if n not in held_out]
        best = best_by_sort(others, ranking, deleted=deleted)
        curve = curve_of(best["answerable"], np.concatenate([best["negatives"], best["deleted"]]))
        thresholds.append(best_threshold(curve).threshold)
        for name, values in best_by_sort([labelled[n] for n in fold], ranking, deleted=deleted).items():
            shown.setdefault(name, []).append(reached(values, thresholds[-1]))
    return {"thresholds": thresholds, **shares_shown({name: np.concatenate(parts) for name, parts in shown.items()})}
