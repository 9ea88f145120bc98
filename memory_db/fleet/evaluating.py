"""Measuring profiles on the labelled questions of many files: only numbers and labels leave a shard.

In: a fleet, and contenders. Out: a `Contest`, as of one file. Each question is asked in the file that has it, where it
was asked in the first place; what moves are signals of its hits and which of them answer it. Invariant: no text moves,
that of the question neither.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memory_db.errors import NotFoundError
from memory_db.evaluation import runs
from memory_db.evaluation.contest import Contender, Contest, Options, Questions, contender, contest
from memory_db.evaluation.metrics import Labelled
from memory_db.fleet.catalogue import EVERYTHING, Scope, Shard
from memory_db.fleet.corpus import FleetCorpus
from memory_db.fleet.fleet import DEADLINE_S, Fleet, Missing
from memory_db.fleet.numbers import shifted
from memory_db.fleet.opened import Opened
from memory_db.index.semantic import open_semantic


@dataclass(frozen=True, slots=True)
class FleetContest:
    """What contenders reach on the questions of all shards that have some."""

    contest: Contest
    asked: tuple[Shard, ...]
    without_questions: tuple[Shard, ...]
    missing: tuple[Missing, ...]


def labelled(
    shard: Opened, name: str, contenders: Sequence[Contender], options: Options
) -> tuple[Mapping[str, list[Labelled]], int]:
    """The questions of a set with the numbers of their hits, by the way they were asked; and how large the file is."""
    items = sum(shard.db.execute(f"select count(*) from {table}").fetchone()[0] for table in ("entries", "memories"))
    if shard.db.execute("select 1 from query_sets where name = ?", [name]).fetchone() is None:
        return {}, items
    found = runs.asked_of_set(shard.db, name, contenders, options, open_semantic(shard.db), None)
    return {way: [without_words(shard, each) for each in asked] for way, asked in found.by_way.items()}, items


def without_words(shard: Opened, each: Labelled) -> Labelled:
    """A labelled question without its text, with names that no other shard has."""
    place = shard.shard.number
    project = None if each.project_id is None else shifted(place, each.project_id)
    return dataclasses.replace(each, uid=f"{place}/{each.uid}", query="", project_id=project, without=None)


def evaluate(
    fleet: Fleet,
    name: str,
    profiles: Sequence[str] = ("default",),
    *,
    options: Options | None = None,
    scope: Scope = EVERYTHING,
    deadline_s: float = DEADLINE_S,
) -> FleetContest:
    """What profiles reach on the questions of a set, over all shards that have it, as `evaluate --own` tells of one.

    Raises: NotFoundError where no shard has such a set or profile; DatabaseFileError where no shard answers.
    """
    options = options or Options()

    def whole(corpus: FleetCorpus) -> tuple[Contest, list[int]]:
        names = dict.fromkeys((*profiles, options.baseline))
        contenders = [contender(each, corpus.profile(each)) for each in names]
        shards = [fleet.shards[number] for number in corpus.facts]
        told = fleet.each(shards, labelled, lambda shard: (name, contenders, options))
        questions, empty, items = Questions(), [], 0
        for number, (by_way, size) in told.items():
            if not any(by_way.values()):
                empty.append(number)
                continue
            items += size
            for way, asked in by_way.items():
                questions.by_way.setdefault(way, []).extend(asked)
        if not questions.any():
            raise NotFoundError(f"No shard has labelled questions in a set {name!r}. Judge the hits of some recalls.")
        found = contest(contenders, questions, options)
        found.dataset, found.form, found.items, found.semantic_model = name, "fleet", items, corpus.model or None
        return found, empty

    (found, empty), asked, missing = fleet.answered(fleet.chosen(scope), whole, deadline_s)
    without = tuple(shard for shard in asked if shard.number in empty)
    return FleetContest(found, tuple(shard for shard in asked if shard.number not in empty), without, missing)
