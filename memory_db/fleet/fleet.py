"""Many files asked as one.

    read the question (counts of all shards) -> each offers its best -> which of them all are considered
        -> each measures its hits -> what came of earlier prompts -> score, as in one file

In: a catalogue, and an engine. Out: answers, with the shards that gave none and why. Invariants: a score is exactly
that of one file with the same rows; a shard that does not answer is named, and what it knew is in no number; nothing is
written into a shard.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from memory_db.errors import DatabaseFileError
from memory_db.fleet import asking, counting
from memory_db.fleet.catalogue import EVERYTHING, Scope, Shard, chosen, read_catalogue
from memory_db.fleet.corpus import Counted, FleetCorpus, Projects
from memory_db.fleet.deciding import decide, most_alike, past_of, pasts_of
from memory_db.fleet.engine import Engine, open_engine
from memory_db.fleet.lanes import Call
from memory_db.fleet.numbers import Facts, Found, Key, Numbers, Past
from memory_db.fleet.opened import Trouble
from memory_db.recall.features import QueryFeatures
from memory_db.recall.hits import Candidate
from memory_db.recall.measures.association import History, note
from memory_db.recall.question import Question, checked
from memory_db.recall.read import FULL_TEXTS, Query, read
from memory_db.recall.search import Recalled, score
from memory_db.recall.similarity import question_vector, question_words
from memory_db.records import replace
from memory_db.text import static_vectors
from memory_db.text.terms import idf

DEADLINE_S = 30.0
"""How long an answer may take, unless told otherwise."""

WAITED_SHARE = 2 / 3
"""How much of that time all shards are waited for: in what is left the question is asked again without those that are
late. Source: ours; asked again, it is half done already."""

MOST_TRIES = 5
"""How often a question is asked anew, because a shard changed or was lost while it was."""


@dataclass(frozen=True, slots=True)
class Missing:
    """A shard that did not answer, and why, in one line."""

    shard: Shard
    reason: str

    def __str__(self) -> str:
        return f"{self.shard.name}: {self.reason}"


class Lost(Exception):  # noqa: N818  # no error of a user's: the question is asked again without them
    """Shards that did not answer, or whose file changed meanwhile."""

    def __init__(self, missing: Iterable[Missing] = ()) -> None:
        super().__init__()
        self.missing = list(missing)


@dataclass(slots=True)
class Recall:
    """A question's hits, with what was asked of shards, and what of each was considered."""

    recalled: Recalled
    query: Query
    numbers: Numbers
    found: Mapping[int, Found]


@dataclass(slots=True)
class FleetRecall:
    """What one question brought from many files.

    `recalled` has the hits by score, best first, with ids of the fleet (see `numbers`); `asked` are the shards that
    answered, `missing` those that did not.
    """

    recalled: Recalled
    asked: tuple[Shard, ...]
    missing: tuple[Missing, ...]
    rounds: int
    duration_ms: float


class Fleet:
    """The shards of a catalogue, ready to be asked."""

    def __init__(self, shards: Sequence[Shard], engine: Engine) -> None:
        self.shards, self.engine = tuple(shards), engine
        self.facts: dict[int, Facts] = {}
        self.end, self.rounds = 0.0, 0
        self.counted = Counted(self.count)

    @property
    def dashboard(self) -> str:
        """The address of Dask's own dashboard, or nothing."""
        return self.engine.dashboard

    # ------------------------------------------------------------------ rounds

    def each(
        self, shards: Iterable[Shard], function: Callable[..., Any], args_of: Callable[[Shard], tuple[Any, ...]]
    ) -> dict[int, Any]:
        """What a function gives in each shard, by its number. Raises: Lost, where one gave nothing or has changed."""
        calls: dict[int, Call] = {shard.number: (shard, function, args_of(shard)) for shard in shards}
        results = self.engine.each(calls, self.left_s())
        self.rounds += 1
        missing, found, changed = [], {}, False
        for number, result in results.items():
            if isinstance(result, Trouble):
                missing.append(Missing(self.shards[number], result.reason))
                continue
            stamp, found[number] = result
            if number in self.facts and self.facts[number].stamp != stamp:
                self.forget(number)
                changed = True
        if missing or changed:
            raise Lost(missing)
        return found

    def left_s(self) -> float:
        """The seconds up to the deadline."""
        return max(0.0, self.end - time.monotonic())

    def count(self, wanted: Mapping[int, Sequence[Key]]) -> dict[int, list[Any]]:
        """What shards have of keys."""
        return self.each(
            [self.shards[number] for number in wanted], counting.count, lambda shard: (wanted[shard.number],)
        )

    def forget(self, number: int) -> None:
        """Forgets what is known of a shard."""
        self.facts.pop(number, None)
        self.counted.forget(number)

    def refresh(self, scope: Scope = EVERYTHING, *, deadline_s: float = DEADLINE_S) -> tuple[Missing, ...]:
        """Looks at all shards of a scope anew; those that do not answer."""
        shards = chosen(self.shards, scope)
        for shard in shards:
            self.forget(shard.number)
        _, _, missing = self.answered(shards, lambda corpus: None, deadline_s)
        return missing

    def look_at(self, shards: Iterable[Shard]) -> None:
        """Asks shards of which nothing is known what they are. Raises: Lost."""
        unknown = [shard for shard in shards if shard.number not in self.facts]
        if unknown:
            self.facts |= self.each(unknown, counting.facts, lambda shard: ())
            self.facts = dict(sorted(self.facts.items()))

    def answered(
        self, shards: Sequence[Shard], ask: Callable[[FleetCorpus], Any], deadline_s: float
    ) -> tuple[Any, tuple[Shard, ...], tuple[Missing, ...]]:
        """What a question brings from the shards that answer it; those, and the others with the reason.

        Where one is lost on the way the question is asked again without it, so that nothing of it is in any number.
        Raises: DatabaseFileError, where no shard answers.
        """
        last = time.monotonic() + deadline_s
        self.end, self.rounds = last - (1 - WAITED_SHARE) * deadline_s, 0
        alive, missing = list(shards), list[Missing]()
        for _ in range(MOST_TRIES + len(shards)):
            try:
                self.look_at(alive)
                corpus = FleetCorpus({shard.number: self.facts[shard.number] for shard in alive}, self.counted)
                return ask(corpus), tuple(alive), tuple(missing)
            except Lost as lost:
                gone = {each.shard.number for each in lost.missing}
                missing += lost.missing
                for number in gone:
                    self.forget(number)
                alive = [shard for shard in alive if shard.number not in gone]
                if not alive:
                    break
                self.end = last if gone else self.end
        raise DatabaseFileError(f"No shard answers. {'; '.join(map(str, missing)) or 'They change all the time.'}")

    # ------------------------------------------------------------------ recall

    def recall(
        self, question: Question, *, now: datetime, scope: Scope = EVERYTHING, deadline_s: float = DEADLINE_S,
        with_model: bool = True,
    ) -> FleetRecall:  # fmt: skip
        """Every hit that is considered for a question in all shards of a scope, scored and in order.

        `project_id` of the question is a number of the fleet's (`project_named`).
        Raises: InputError, QueryError, NotFoundError, ModelError; DatabaseFileError where no shard answers.
        """
        started = time.perf_counter()
        found, asked, missing = self.answered(
            self.chosen(scope), lambda corpus: self.recall_from(corpus, question, now, with_model), deadline_s
        )
        return FleetRecall(found.recalled, asked, missing, self.rounds, (time.perf_counter() - started) * 1000)

    def chosen(self, scope: Scope) -> tuple[Shard, ...]:
        """The shards of a scope. Raises: InputError where there is none."""
        return chosen(self.shards, scope)

    def recall_from(
        self, corpus: FleetCorpus, question: Question, now: datetime, with_model: bool = True
    ) -> Recall:  # fmt: skip
        """The rounds of a question. Raises: Lost."""
        question = checked(question)
        corpus.look_ahead(question)
        query = read(corpus, question, now)
        model = corpus.model_for(question.query) if with_model else ""
        numbers = corpus.numbers(query, corpus.asked(model, question.query))
        shards = [self.shards[number] for number in corpus.facts]
        queries = {shard.number: query_in(corpus, shard.number, query) for shard in shards}
        offered = self.each(shards, asking.search, lambda shard: (queries[shard.number], numbers))
        found = decide(offered, query, numbers)
        features, candidates = self.measured(corpus, shards, queries, numbers, found)
        hits = score(query.profile, features, candidates)
        weights = weights_of(corpus, query)
        recalled = Recalled(
            query.question, query.profile, features, hits, numbers.model or None, static_vectors.MODEL_ID,
            question_vector(question.query, *weights), question_words(question.query, *weights), corpus=corpus,
        )  # fmt: skip
        return Recall(recalled, query, numbers, found)

    def measured(
        self, corpus: FleetCorpus, shards: Sequence[Shard], queries: Mapping[int, Query], numbers: Numbers,
        found: Mapping[int, Found],
    ) -> tuple[QueryFeatures, list[Candidate]]:  # fmt: skip
        """The hits of all shards with their numbers, and those of the question. Raises: Lost."""
        moved = {shard.number: corpus.projects.moved(shard.number) for shard in shards}

        def measure(some: Iterable[Shard], pasts: Mapping[int, Past]) -> dict[int, asking.Measured]:
            return self.each(some, asking.measure, lambda shard: (
                queries[shard.number], numbers, found[shard.number], pasts.get(shard.number), moved[shard.number]
            ))  # fmt: skip

        measured = measure(shards, {})
        history = self.past_of(corpus, shards, {number: each.prompts for number, each in measured.items()})
        # A number looks at the question and one hit, never at the others: so those that are there stay as they are.
        again = measure([self.shards[number] for number in pasts], pasts) if (
            pasts := pasts_of(history, measured)) else {}  # fmt: skip
        features = note(next(iter(measured.values())).features, (), history)
        candidates: list[Candidate] = []
        for number, each in {**measured, **again}.items():
            own = [Candidate(version, entry, numbers_, replaces) for version, entry, replaces, numbers_ in each.hits]
            if number not in again:
                note(features, own, history)
            candidates += own
        return features, candidates

    def past_of(
        self, corpus: FleetCorpus, shards: Sequence[Shard], prompts: Mapping[int, tuple[asking.Prompt, ...]]
    ) -> History:
        """What earlier prompts of all shards say of all their memories. Raises: Lost."""
        best = most_alike(prompts)
        ties = tuple(dict.fromkeys(tie for prompt in best if prompt.like is not None for tie, _ in prompt.ties))
        bounds: dict[int, asking.Bound] = {}
        if ties:
            bounds = self.each(shards, asking.bound, lambda shard: (ties, corpus.projects.keys[shard.number]))
        return past_of(best, bounds, sum(each.tied_sessions for each in corpus.facts.values()))

    def notes(self) -> list[str]:
        """What keeps scores from being exactly those of one file, each in a line; of shards that were asked before."""
        return [
            f"{self.shards[shard].name} has {' and '.join(names)}, which others know to be one project:"
            " `memory-db project merge` there makes them one."
            for shard, names in Projects(self.facts).parted().items()
        ]

    def project_named(self, name: str, *, scope: Scope = EVERYTHING, deadline_s: float = DEADLINE_S) -> int:
        """The fleet's number of a project, by its name, path or remote. Raises: NotFoundError, DatabaseFileError."""
        found, _, _ = self.answered(chosen(self.shards, scope), lambda corpus: corpus.projects.named(name), deadline_s)
        return int(found)


NOBODY: Any = None
"""The corpus of a question on its way to a shard, which puts its own there."""


def query_in(corpus: FleetCorpus, shard: int, query: Query) -> Query:
    """A question as a shard is asked it: with its own numbers of projects."""
    own = corpus.projects.own(shard)
    project = query.question.project_id
    local = None if project is None else own.get(project, asking.OUTSIDE)
    meant = frozenset(own[each] for each in query.meant if each in own)
    return replace(query, question=replace(query.question, project_id=local), meant=meant, corpus=NOBODY)


def weights_of(corpus: FleetCorpus, query: Query) -> tuple[dict[str, float], dict[str, float]]:
    """The idf of a question's words in memories and in entries, as far as they are asked."""
    tables = FULL_TEXTS[query.question.scope]
    memories, entries = (
        {term: idf(corpus.documents(table), count) for term, count in corpus.counts(table, query.words.asked).items()}
        if table in tables
        else {}
        for table in ("memory_fts", "entry_fts")
    )
    return memories, entries


@contextmanager
def open_fleet(catalogue: Path | str, *, scheduler: str | None = None, workers: int | None = None) -> Iterator[Fleet]:
    """The fleet of a catalogue, on a cluster by its address or on one of this machine's processes.

    Raises: MissingFileError, InputError.
    """
    shards = read_catalogue(Path(catalogue).expanduser())
    with open_engine(scheduler, workers=workers) as engine:
        yield Fleet(shards, engine)
