"""What a team knows, of the memories and costs of all shards: what recurs, what disagrees, what is learned again.

In: a fleet. Out: groups of memories that say the same, pairs that disagree, and shares, each with a 95 % interval.
Invariants: whether two memories say the same, or cannot both hold, is what the gate's own tests say of them
(`text.relations`), as if both held everywhere; only texts of different people recur; nothing is written.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import combinations

from memory_db.evaluation.replay import interval
from memory_db.fleet.catalogue import EVERYTHING, Scope
from memory_db.fleet.fleet import Fleet
from memory_db.fleet.tables import sql
from memory_db.pages.sixteen import wilson
from memory_db.store.money import NANOCENTS_PER_USD
from memory_db.text.relations import CONTRADICTS, DUPLICATE, EXTENDS, SUPERSEDES, Relation, Statement, relation
from memory_db.text.statements import reading

SAME = frozenset({DUPLICATE, EXTENDS})
"""Relations of memories that say the same, one of them perhaps more."""

APART = frozenset({CONTRADICTS, SUPERSEDES})
"""Relations of memories that cannot both hold."""

OF_PERSONS = frozenset({"correction", "preference", "behaviour"})
"""Kinds that are about how somebody wants to work with an agent."""

CONVENTIONS = frozenset({"convention", "decision", "domain", "structure"})
"""Kinds that say how something is done in a repository."""

RAREST = 4
"""Words of a text of which another must have one to be compared with it. Source: ours; two that say the same, or the
opposite, share more."""

MOST_SHARING = 200
"""Texts that have a word beyond which nobody is compared for it: such a word says too little."""

MEMORIES = """
select person, uid, kind, project, text, valid_from from memories where status = 'active'
order by valid_from, person, uid
"""

SESSIONS = """
select person, session_uid, any_value(project), sum(cost_nanocents), count(*) - count(cost_nanocents)
from costs group by person, session_uid order by person, session_uid
"""


@dataclass(frozen=True, slots=True)
class Known:
    """A memory of a person, as a team has it; `day` is when they first had it."""

    person: str
    uid: str
    kind: str
    project: str
    text: str
    day: str


@dataclass(frozen=True, slots=True)
class Share:
    """Some of a whole, with the 95 % interval of the share; there is none where there is nothing to count."""

    part: int
    whole: int

    @property
    def share(self) -> float | None:
        """The share, from 0 to 1."""
        return self.part / self.whole if self.whole else None

    @property
    def ends(self) -> tuple[float | None, float | None]:
        """The interval. Source: `sixteen.wilson`."""
        return wilson(self.part, self.whole) if self.whole else (None, None)


@dataclass(frozen=True, slots=True)
class Apart:
    """Two memories of different repositories that cannot both hold, and why."""

    one: Known
    other: Known
    reason: str


@dataclass(frozen=True, slots=True)
class Cost:
    """What sessions of a person or team cost: their number, the sum, the mean with its interval; in nanocents.

    Sessions with a model that has no price are counted apart, in `without_price`.
    """

    name: str
    sessions: int
    without_price: int
    total_nanocents: int
    mean_nanocents: float
    low_nanocents: float | None
    high_nanocents: float | None

    @property
    def ends_usd(self) -> tuple[float | None, float | None]:
        """The interval of the mean in US dollars."""
        if self.low_nanocents is None or self.high_nanocents is None:
            return None, None
        return self.low_nanocents / NANOCENTS_PER_USD, self.high_nanocents / NANOCENTS_PER_USD


def known(fleet: Fleet, scope: Scope = EVERYTHING) -> list[Known]:
    """What holds in all shards of a scope, the oldest first. Raises: DatabaseFileError where no shard answers."""
    rows = sql(fleet, MEMORIES, scope=scope).rows
    return [
        Known(person, uid, kind, project or "", text, (moment or "")[:10])
        for person, uid, kind, project, text, moment in rows
    ]


def said_of(one: Known, other: Known) -> Relation | None:
    """How a memory stands to another one, as if both held everywhere."""
    new, old = (
        Statement(each.text, each.kind, "user", said_at=each.day, by_user=True)
        for each in sorted((one, other), key=lambda each: each.day, reverse=True)
    )
    return relation(new, old)


def compared(memories: Sequence[Known]) -> Iterator[tuple[int, int, Relation]]:
    """Every two memories, by their places, that have to do with each other by their words."""
    terms = [reading(each.text).terms for each in memories]
    counts = Counter(term for each in terms for term in each)
    having: dict[str, list[int]] = defaultdict(list)
    for place, each in enumerate(terms):
        for term in sorted(each, key=lambda term: (counts[term], term))[:RAREST]:
            having[term].append(place)
    pairs = {
        pair for places in having.values() if len(places) <= MOST_SHARING for pair in combinations(places, 2)
    }  # fmt: skip
    for one, other in sorted(pairs):
        found = said_of(memories[one], memories[other])
        if found is not None:
            yield one, other, found


def groups(memories: Sequence[Known], *, in_one_project: bool) -> list[list[Known]]:
    """Memories that say the same, as groups of at least two people, those of most people first.

    `in_one_project` takes only those of the same project together.
    """
    leader = list(range(len(memories)))

    def first_of(place: int) -> int:
        while leader[place] != place:
            place = leader[place]
        return place

    for one, other, found in compared(memories):
        is_elsewhere = in_one_project and memories[one].project != memories[other].project
        if found.kind in SAME and not is_elsewhere:
            first, second = sorted((first_of(one), first_of(other)))
            leader[second] = first
    found_groups: dict[int, list[Known]] = defaultdict(list)
    for place, each in enumerate(memories):
        found_groups[first_of(place)].append(each)
    shared = [group for group in found_groups.values() if len(persons_of(group)) > 1]
    return sorted(shared, key=lambda group: -len(persons_of(group)))


def persons_of(memories: Iterable[Known]) -> list[str]:
    """The people who have memories, the first to have one first."""
    return list(dict.fromkeys(each.person for each in memories))


def recurring(memories: Sequence[Known]) -> tuple[list[list[Known]], dict[str, Share]]:
    """Corrections that several people made, as groups; and for each person how many of theirs are among them."""
    corrections = [each for each in memories if each.kind == "correction"]
    found = groups(corrections, in_one_project=False)
    return found, shares(corrections, {each for group in found for each in group})


def learned_again(memories: Sequence[Known]) -> tuple[list[list[Known]], dict[str, Share]]:
    """What several people learned of one project, as groups; for each person how much of theirs was known before.

    Known before is what somebody else has from an earlier day.
    """
    facts = [each for each in memories if each.kind not in OF_PERSONS]
    found = groups(facts, in_one_project=True)
    again = {
        each
        for group in found
        for each in group
        if any(other.person != each.person and other.day < each.day for other in group)
    }
    return found, shares(facts, again)


def shares(memories: Iterable[Known], some: set[Known]) -> dict[str, Share]:
    """For each person how many of their memories are among some."""
    whole = Counter(each.person for each in memories)
    part = Counter(each.person for each in some)
    return {person: Share(part[person], count) for person, count in sorted(whole.items())}


def disagreeing(memories: Sequence[Known]) -> tuple[list[Apart], dict[tuple[str, str], Share]]:
    """Conventions of two repositories that cannot both hold; for every two how many of those that can be compared."""
    conventions = [each for each in memories if each.kind in CONVENTIONS and each.project]
    apart: list[Apart] = []
    counts: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0])
    for one, other, found in compared(conventions):
        first, second = conventions[one], conventions[other]
        if first.project == second.project or found.kind not in SAME | APART:
            continue
        pair = counts[min(first.project, second.project), max(first.project, second.project)]
        pair[1] += 1
        if found.kind in APART:
            pair[0] += 1
            apart.append(Apart(first, second, found.reason))
    return apart, {pair: Share(*both) for pair, both in sorted(counts.items())}


def in_all(parts: Iterable[Share]) -> Share:
    """Shares taken together."""
    listed = list(parts)
    return Share(sum(each.part for each in listed), sum(each.whole for each in listed))


def ends_in_all(parts: Iterable[Share]) -> tuple[float | None, float | None]:
    """The interval of shares taken together: by resampling them, where there are enough.

    What one person has is alike, and so is what two repositories have, so these are the units. Source:
    `replay.interval`; `sixteen.wilson` where there are few.
    """
    listed = list(parts)
    low, high = interval([(float(each.part), each.whole) for each in listed])
    return in_all(listed).ends if low is None else (low, high)


def days_between(group: Sequence[Known]) -> int:
    """Days from when the first of a group had it until the last had."""
    days = [date.fromisoformat(each.day) for each in group if each.day]
    return (max(days) - min(days)).days if days else 0


def costs(fleet: Fleet, teams: Mapping[str, str] | None = None, scope: Scope = EVERYTHING) -> list[Cost]:
    """What sessions cost, by team, or by person without teams; who is in no team is one of their own.

    Source of the intervals: 2,000 resamplings of sessions (`replay.interval`); none for too few sessions.
    """
    by_name: dict[str, list[tuple[int | None, int]]] = defaultdict(list)
    for person, _, _, nanocents, without_price in sql(fleet, SESSIONS, scope=scope).rows:
        by_name[(teams or {}).get(person, person)].append((nanocents, without_price))
    return [cost_of(name, rows) for name, rows in sorted(by_name.items())]


def cost_of(name: str, rows: Sequence[tuple[int | None, int]]) -> Cost:
    """What some sessions cost, of each its nanocents and the calls without a price."""
    priced = [int(nanocents) for nanocents, without in rows if nanocents is not None and not without]
    low, high = interval([(float(each), 1) for each in priced])
    mean = sum(priced) / len(priced) if priced else 0.0
    return Cost(name, len(priced), len(rows) - len(priced), sum(priced), mean, low, high)
