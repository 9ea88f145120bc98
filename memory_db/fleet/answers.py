"""What of the hits of many files is shown, by the same rules as of one: limit, budget, roles, evidence, abstaining.

In: a fleet, and a question. Out: `FleetAnswer`. The rows that a brief reads are cut out of the shards that have the
first hits, and put into a small file in memory, which the brief reads as any other. Invariant: nothing is logged, for
there is no one file that the answer belongs to.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory_db.fleet import asking
from memory_db.fleet.catalogue import EVERYTHING, Scope, Shard
from memory_db.fleet.corpus import FleetCorpus
from memory_db.fleet.cutting import Cut, cut_out, small_file
from memory_db.fleet.fleet import DEADLINE_S, Fleet, Missing, Recall
from memory_db.fleet.numbers import own_id, shard_of
from memory_db.recall.brief.abstain import for_model, known_share_in, least_score
from memory_db.recall.brief.allowed import NO_TEXT
from memory_db.recall.brief.for_model import HOOK
from memory_db.recall.brief.select import KEPT, Answer, answer_recalled
from memory_db.recall.evidence_of_hit import evidence
from memory_db.recall.hits import Hit
from memory_db.recall.question import Question, redacted
from memory_db.records import replace

SURFACE = "fleet"

CUT_BY_SCORE, CUT_BY_EVIDENCE = 80, 60
"""Hits whose rows are cut out at first. Source: ours; a brief seldom looks further than some dozens, and asks again."""

MOST_CUTS = 4
"""How often more is cut out, because a brief looked further: each time three times as many."""


@dataclass(slots=True)
class FleetAnswer:
    """What one question brought from many files, and which shards said nothing and why.

    `answer` is as of one file; its ids are those of the fleet (see `numbers`), and it is not logged.
    """

    answer: Answer
    asked: tuple[Shard, ...]
    missing: tuple[Missing, ...]
    rounds: int
    shards: tuple[Shard, ...]

    def shard_of(self, hit: Any) -> Shard:
        """The shard that has a hit."""
        return self.shards[shard_of(hit.memory_version_id if hit.entry_id is None else hit.entry_id)]


class FleetSemantic:
    """The full model, as a brief asks for it: how well words are met, shards say."""

    def __init__(self, fleet: Fleet, found: Recall) -> None:
        self.fleet, self.found = fleet, found
        self.model = found.numbers.model

    def words_met(self, query: str, ids: Mapping[str, Iterable[int]]) -> dict[str, float]:
        """How well each word of the question is met in any of these texts, by sort, from 0 to 1. Raises: Lost."""
        by_shard: dict[int, dict[str, list[int]]] = {}
        for sort, wanted in ids.items():
            for identifier in wanted:
                by_shard.setdefault(shard_of(identifier), {}).setdefault(sort, []).append(own_id(identifier))
        told = self.fleet.each(
            [self.fleet.shards[number] for number in by_shard],
            asking.words_met,
            lambda shard: (query, self.found.numbers, by_shard[shard.number]),
        )
        best: dict[str, float] = {}
        for each in told.values():
            for word, met in each.items():
                best[word] = max(best.get(word, 0.0), met)
        return best


def ask(
    fleet: Fleet,
    question: Question,
    *,
    now: datetime,
    scope: Scope = EVERYTHING,
    deadline_s: float = DEADLINE_S,
    is_for_model: bool = False,
    project: str | None = None,
) -> FleetAnswer:
    """The answer to a question of all shards of a scope, as of one file; with `is_for_model` as a model is told it.

    `project` is where the asker works, by name, path or remote. Raises: InputError, QueryError, NotFoundError,
    ModelError; DatabaseFileError where no shard answers.
    """
    started = time.perf_counter()
    question, findings = redacted(question)

    def whole(corpus: FleetCorpus) -> Answer:
        asked = narrowed(corpus, question, scope)
        if project is not None:
            asked = replace(asked, project_id=corpus.projects.named(project))
        if is_for_model:
            asked = bounded(corpus, asked)
        found = fleet.recall_from(corpus, asked, now)
        semantic: Any = FleetSemantic(fleet, found) if found.numbers.model else None
        return briefed(fleet, corpus, asked, found, now=now, semantic=semantic, started=started)

    answer, alive, missing = fleet.answered(fleet.chosen(scope), whole, deadline_s)
    answer.findings = findings
    return FleetAnswer(answer, alive, missing, fleet.rounds, fleet.shards)


def narrowed(corpus: FleetCorpus, question: Question, scope: Scope) -> Question:
    """The question within its scope, where a shard has more than that: of one project alone, or of a span of months.

    Raises: NotFoundError, InputError.
    """
    filters = question.filters
    if len(scope.projects) == 1:
        named = corpus.projects.named(scope.projects[0])
        question = replace(question, project_id=named)
        filters = replace(filters, only_project=True)
    if scope.months:
        first, last = min(scope.months), max(scope.months)
        year, month = map(int, last.split("-"))
        after = f"{year + month // 12:04}-{month % 12 + 1:02}-01"
        filters = replace(filters, since=filters.since or f"{first}-01", before=filters.before or after)
    return replace(question, filters=filters)


def bounded(corpus: FleetCorpus, question: Question) -> Question:
    """The question with the score and the evidence that a hit must reach before a model is told of it."""
    model = corpus.model_for(question.query)
    least = least_score(
        corpus.profile(question.profile), corpus.profile(HOOK).threshold,
        has_model=bool(model), has_window=question.window is not None,
        has_tokens=bool(model) and any(each.has_tokens for each in corpus.facts.values()),
    )  # fmt: skip
    return for_model(question, least, has_model=bool(model))


def briefed(
    fleet: Fleet, corpus: FleetCorpus, question: Question, found: Recall, *, now: datetime, semantic: Any,
    started: float,
) -> Answer:  # fmt: skip
    """What is shown of the hits. Raises: Lost."""
    hits, size = found.recalled.hits, 1
    for _ in range(MOST_CUTS):
        wanted = first_hits(corpus, found, size)
        searched = wanted if question.is_for_model else ()
        versions = [hit.memory_version_id for hit in searched if hit.memory_version_id is not None]
        entries = [hit.entry_id for hit in searched if hit.entry_id is not None]
        with small_file(cuts(fleet, corpus, found, wanted), versions, entries) as db:
            answer = answer_recalled(
                db, question, found.recalled, surface=SURFACE, now=now, semantic=semantic, keep=KEPT, started=started
            )
        known = {(hit.memory_version_id, hit.entry_id) for hit in wanted}
        looked_further = any(
            hit.left_out_reason == NO_TEXT and (hit.memory_version_id, hit.entry_id) not in known
            for hit in answer.placed
        )
        if not looked_further or len(wanted) == len(hits):
            break
        size *= 3
    return answer


def first_hits(corpus: FleetCorpus, found: Recall, size: int) -> list[Hit]:
    """The hits that a brief may look at: the best by score and by what they bring themselves, and all memories."""
    recalled, chosen = found.recalled, {*range(size * CUT_BY_SCORE)}
    if recalled.question.is_for_model:  # else nobody asks for the evidence of a hit
        known = known_share_in(corpus, recalled.query_features)
        by_evidence = sorted(recalled.hits, key=lambda hit: -evidence(recalled.query_features, hit.features, known))
        chosen |= {hit.position - 1 for hit in by_evidence[: size * CUT_BY_EVIDENCE]}
    return [hit for place, hit in enumerate(recalled.hits) if place in chosen or hit.memory_version_id is not None]


def cuts(fleet: Fleet, corpus: FleetCorpus, found: Recall, hits: Sequence[Hit]) -> list[Cut]:
    """The rows of hits, cut out of their shards; of the others what holds memories back. Raises: Lost."""
    versions: dict[int, list[int]] = {}
    entries: dict[int, list[int]] = {}
    for hit in hits:
        if hit.entry_id is not None:
            entries.setdefault(shard_of(hit.entry_id), []).append(own_id(hit.entry_id))
            continue
        for version in (hit.memory_version_id or 0, *hit.replaces):
            versions.setdefault(shard_of(version), []).append(own_id(version))
    project = found.recalled.question.project_id
    args: Callable[[Shard], tuple[Any, ...]] = lambda shard: (  # noqa: E731
        versions.get(shard.number, []),
        entries.get(shard.number, []),
        None if project is None else corpus.projects.own(shard.number).get(project),
        corpus.projects.of_shard[shard.number],
        found.recalled.question.is_for_model,
    )
    told = fleet.each([fleet.shards[number] for number in corpus.facts], cut_out, args)
    return [told[number] for number in corpus.facts]
