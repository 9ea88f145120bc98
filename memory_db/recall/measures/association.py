"""What earlier prompts like this one came to: memories bound to the same files, commands and names, or used there.

    support(memory) = sum over earlier prompts of  likeness * age * strongest tie that both have * rarity of that tie

In: a question's vector, and the ties that `index.association` keeps. Out: `History`: the support of each memory, with
the prompts behind it. Invariants: a number belongs to the question, the file and one memory; prompts of the moment
itself and later ones count nothing; without earlier prompts there is nothing.

A hook loads this: the standard library alone.
"""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from functools import partial

from memory_db.index import signatures
from memory_db.recall.similarity import cosines_of
from memory_db.records import dataclass, field, replace
from memory_db.store.connection import id_list, rows_there, select_in
from memory_db.store.dates import parse_utc, utc_text

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from memory_db.recall.features import QueryFeatures
    from memory_db.recall.hits import Candidate
    from memory_db.recall.read import Query
    from memory_db.recall.similarity import Semantic

NEAREST = 8
"""Earlier prompts that a question is compared with.

Source: `python -m bench association` and the sample's questions give the same with 8, 12 and 16; with 24 and a least
likeness of 0.3 recall@5 on the former is .67 in place of .75.
"""

NEWEST_BLOCKS = 1
"""Blocks of 16,384 prompts that a hook looks through, the newest. Source: ours; years of work of one person."""

LEAST_LIKE = 0.2
"""Cosine up to which a prompt is not like another one. Source: as above; .1 to .2 give the same, .3 less in a hook."""

HALF_LIFE_DAYS = 180.0
"""What prompts came to counts half after half a year. Source: ours; as what was merely said does."""

WORDS = 0.3
"""What all words of the question in a prompt add to their cosine.

Source: as above; with 0.3 recall@5 of a hook is .50 at a weight of 0.15, with 0 .46, with 0.6 .50.
"""

ELSEWHERE = 0.3
"""How much a prompt of another project counts. Source: ours; files are tied by project anyway."""

APART = timedelta(minutes=1)
"""A prompt that is newer than this may be the one that asks. Source: ours; hooks are given seconds."""

MOST_ROWS = 100
"""Prompts that a tie is counted in: what as many came to tells them not apart.

Source: ours; it bounds the time of a hook in a file of any size.
"""

MOST_BOUND = 32
"""Memories that a tie leads to: what more are bound to tells none of them. Source: ours, as above."""

BROUGHT = 10
"""Memories that join a pool by their support, the best. Source: ours; with 25 the sample's recall@10 is the same."""

EXPLAINED = 3
"""Prompts that are logged with a hit as the reason for it. Source: ours."""

PROMPTS = """
select e.id, e.created_at, s.project_id from entries e join sessions s on s.id = e.session_id
where e.created_at < '{before}' and e.id"""

TIES = "select entry_id, tie, weight from prompt_ties where entry_id in ({ids})"

RARITY = f"""
with counted as materialized (select t.value as tie,
        (select count(*) from (select 1 from memory_ties m where m.tie = t.value limit {MOST_BOUND + 1})) as members
    from json_each(?) t)
select tie, members, (select count(distinct session_id) * (count(*) <= {MOST_ROWS})
        from (select session_id from prompt_ties p where p.tie = counted.tie limit {MOST_ROWS + 1})) as sessions
from counted where members <= {MOST_BOUND}
"""
"""For each tie that tells anything, how many memories are bound to it, and in how many sessions it is: 0 where that
is everywhere."""

BOUND = """
select m.tie, v.id, m.weight from memory_ties m
join memory_versions v on v.memory_id = m.memory_id and v.recorded_to is null where m.tie in ({ties})
"""

ITSELF = "select memory_id, id, 1.0 from memory_versions where recorded_to is null and memory_id in ({ties})"


@dataclass(slots=True)
class History:
    """What earlier prompts say of a question.

    `alike` is how much like it they are, all together; `support` how much of that came to each version of a memory;
    `prompts` the entries behind each, the weightiest first; `found` are versions that nothing else brought.
    """

    alike: float = 0.0
    support: dict[int, float] = field(default_factory=dict)
    prompts: dict[int, tuple[int, ...]] = field(default_factory=dict)
    found: frozenset[int] = frozenset()


def read_history(
    db: sqlite3.Connection, query: Query, vector: bytes | None, said: Mapping[int, float], semantic: Semantic | None
) -> History:
    """What the earlier prompts nearest to a question came to.

    `said` are entries that full text or a model found, with the share of the question's words in each.
    """
    is_full = query.question.effort.is_full
    if vector is None or query.question.filters.as_of or not (is_full or query.weighs("association")):
        return History()
    near = query.corpus.nearest("prompts", vector, NEAREST, None if is_full else NEWEST_BLOCKS)
    if not query.corpus.has_prompts(near):
        return History()
    found = cosines_of(db, vector, *signatures.STORED["prompts"], {*near, *said})
    if semantic:
        found |= semantic.search(query.question.query, [], list(found), 0)[1]
    met = {entry: min(1.0, cosine + WORDS * said.get(entry, 0.0)) for entry, cosine in found.items()}
    like = query.corpus.alike(query, {entry: value for entry, value in met.items() if value > LEAST_LIKE})
    return query.corpus.supported(like)


def likeness(db: sqlite3.Connection, query: Query, met: Mapping[int, float]) -> dict[int, float]:
    """How much each earlier prompt counts for a question: by meaning and words, by its age and its project."""
    best = sorted(met, key=met.__getitem__, reverse=True)[:NEAREST]
    like = {}
    for entry, created_at, project_id in select_in(db, PROMPTS.format(before=utc_text(query.moment - APART)), best):
        value = ((met[entry] - LEAST_LIKE) / (1 - LEAST_LIKE)) ** 2
        is_here = query.question.project_id in (None, project_id)
        like[entry] = value * decayed(query.moment, created_at) * (1.0 if is_here else ELSEWHERE)
    return like


def decayed(moment: datetime, created_at: str) -> float:
    """What the age of a prompt leaves of it."""
    days = (moment - parse_utc(created_at)).total_seconds() / 86_400
    return math.pow(0.5, max(0.0, days) / HALF_LIFE_DAYS)


def supported(db: sqlite3.Connection, like: Mapping[int, float]) -> History:
    """The support that prompts, each with how much it counts, give to what is bound to the same as they came to."""
    rows = rows_there(db, TIES.format(ids=id_list(like)))
    ties = {row[1] for row in rows}
    if not ties:
        return History(sum(like.values()))
    return support(like, rows, counted_ties(db, ties), tied_sessions(db), partial(bound_to, db))


def tied_sessions(db: sqlite3.Connection) -> int:
    """In how many sessions prompts came to anything."""
    return int(db.execute("select count(*) from tie_progress").fetchone()[0])


def counted_ties(db: sqlite3.Connection, ties: Iterable[int]) -> dict[int, tuple[int, int]]:
    """For each tie that tells anything, how many memories are bound to it, and in how many sessions it is."""
    return {tie: (members, count) for tie, members, count in db.execute(RARITY, [f"[{id_list(ties)}]"])}


def bound_to(db: sqlite3.Connection, ties: Iterable[int]) -> list[tuple[int, int, float]]:
    """(tie, version, weight) of the memories that are bound to ties; to the tie of a memory it is itself."""
    listed = id_list(ties)
    return [tuple(row) for sql in (ITSELF, BOUND) for row in db.execute(sql.format(ties=listed))]


def support(
    like: Mapping[int, float],
    rows: Iterable[Sequence[Any]],
    counted: Mapping[int, tuple[int, int]],
    sessions: int,
    bound_by: Callable[[Iterable[int]], Iterable[tuple[int, int, float]]],
) -> History:
    """What prompts lead to: `rows` are (prompt, tie, weight), `counted` as `counted_ties` gives it for those ties.

    `sessions` are all in which prompts came to anything; `bound_by` gives (tie, version, weight) for the ties that tell
    anything. So it is the same whether all of it is in one file.
    """
    rarity = {
        tie: (1 - math.log(count) / math.log(sessions + 1)) / (1 + math.log(max(1, members)))
        for tie, (members, count) in counted.items()
        if count
    }
    bound: dict[int, list[tuple[int, float]]] = {}
    for tie, version, weight in bound_by(rarity):
        bound.setdefault(tie, []).append((version, weight))
    best: dict[int, dict[int, float]] = {entry: {} for entry in like}
    for entry, tie, weight in rows:
        if members := bound.get(tie):
            of_prompt, strength = best[entry], weight * rarity[tie]
            for version, other in members:
                if strength * other > of_prompt.get(version, 0.0):
                    of_prompt[version] = strength * other
    parts: dict[int, list[tuple[float, int]]] = {}
    for entry, of_prompt in best.items():
        for version, value in of_prompt.items():
            parts.setdefault(version, []).append((value * like[entry], entry))
    found = {version: sum(part for part, _ in each) for version, each in parts.items()}
    return History(
        sum(like.values()),
        found,
        {
            version: tuple(entry for _, entry in sorted(each, reverse=True)[:EXPLAINED])
            for version, each in parts.items()
        },
    )


def brought_by(history: History) -> list[int]:
    """The versions with the most support, which join a pool."""
    return sorted(history.support, key=lambda version: (-history.support[version], version))[:BROUGHT]


def note(features: QueryFeatures, candidates: Iterable[Candidate], history: History) -> QueryFeatures:
    """Adds what the history says to the numbers of a question, which it gives, and of its candidates."""
    for each in candidates:
        version = each.memory_version_id
        if version is not None and version in history.support:
            each.features.association = round(history.support[version], 6)
            each.features.association_prompts = history.prompts[version]
            if version in history.found:
                each.features.found_by = "association"
    return replace(features, alike_prompts=round(history.alike, 6)) if history.alike else features
