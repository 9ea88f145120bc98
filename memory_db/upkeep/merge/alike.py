"""Memories of two files that say the same in other words: a person is asked to make them one.

    memories that one file alone had -> pairs across that share words or are near -> the tests of the gate -> proposals

In: the names of memories that each file had before. Out: rows of `proposals`. Invariants: what is asked depends on the
two memories alone, not on which file came first nor on what else is there; of two that one file had, its own gate has
decided; nothing is made one before a person says so.
"""

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain

import numpy as np

from memory_db.gate.contradictions.candidates import rows_of, statement
from memory_db.gate.contradictions.similar import KNOWN
from memory_db.gate.rules import same_values
from memory_db.gate.thresholds import DEFAULT, PORTION
from memory_db.index.neighbours import COSINE_DIGITS, StaticVectors, load
from memory_db.store.connection import tuples
from memory_db.text.clauses import Thresholds
from memory_db.text.pair_tests import SAME_TEXT
from memory_db.text.relations import DUPLICATE, EXTENDS, RELATED, Similarity, relation
from memory_db.text.statements import jaccard, reading
from memory_db.upkeep.merge.conflicts import Asked, propose
from memory_db.upkeep.merge.rows import OTHER

LEAST_SHARED = Thresholds().held
"""Share of the distinctive words of the shorter text from which on the tests may call two texts the same."""

LEAST_COSINE = DEFAULT.duplicate
"""Above that only the similarity says so. The thresholds that are fitted differ from file to file, and so would what is
asked."""

ACTIVE = "select id, memory_id from main.memory_versions where recorded_to is null and status = 'active'"

Pair = tuple[int, int]
"""Numbers of a memory of this file and of one of the other."""


@dataclass(frozen=True, slots=True)
class Apart:
    """Names of memories that this file alone had, and the other one alone."""

    own: frozenset[str]
    other: frozenset[str]


def apart(db: sqlite3.Connection) -> Apart:
    """Which memories only one of the two files has, before they are brought together."""
    own, other = (
        frozenset(row[0] for row in tuples(db, f"select uid from {schema}.memories", ())) for schema in ("main", OTHER)
    )
    return Apart(own - other, other - own)


def ask_about_alike(db: sqlite3.Connection, sides: Apart) -> list[Asked]:
    """Proposes to make one of two memories, known to one file each, where the gate would say that they say the same."""
    ours, theirs = (active(db, uids) for uids in (sides.own, sides.other))
    if not ours or not theirs:
        return []
    known = {frozenset(row) for row in tuples(db, KNOWN, ())}
    cosines = near(db, ours, theirs)
    pairs = sharing(terms_of(ours), terms_of(theirs)) | cosines.keys()
    asked = []
    for one, other in sorted(pairs, key=lambda pair: (ours[pair[0]]["uid"], theirs[pair[1]]["uid"])):
        if frozenset((one, other)) in known:
            continue
        found = same(ours[one], theirs[other], cosines.get((one, other)))
        if found is None:
            continue
        goes, stays, reason = found
        at = max(goes["created_at"], stays["created_at"])
        if propose(db, "merge", goes["uid"], stays["uid"], reason=reason, at=at):
            asked.append(Asked("merge", goes["uid"], reason))
    return asked


def active(db: sqlite3.Connection, uids: Iterable[str]) -> dict[int, sqlite3.Row]:
    """Those of some memories that hold, by number."""
    numbers = dict(tuples(db, "select uid, id from main.memories", ()))
    wanted = {numbers[uid] for uid in uids if uid in numbers}
    versions = [version for version, memory in tuples(db, ACTIVE, ()) if memory in wanted]
    return {row["id"]: row for row in rows_of(db, versions).values()}


def terms_of(rows: Mapping[int, sqlite3.Row]) -> dict[int, frozenset[str]]:
    """The distinctive words of memories."""
    return {number: reading(row["text"]).terms for number, row in rows.items()}


def sharing(ours: Mapping[int, frozenset[str]], theirs: Mapping[int, frozenset[str]]) -> set[Pair]:
    """Pairs of which one has most distinctive words of the other."""
    holders: dict[str, list[int]] = defaultdict(list)
    for number, terms in theirs.items():
        for term in terms:
            holders[term].append(number)

    def found() -> Iterator[Pair]:
        for number, terms in ours.items():
            shared = Counter(chain.from_iterable(holders.get(term, ()) for term in terms))
            for other, count in shared.items():
                if count >= LEAST_SHARED * min(len(terms), len(theirs[other])):
                    yield number, other

    return set(found())


def near(db: sqlite3.Connection, ours: Iterable[int], theirs: Iterable[int]) -> dict[Pair, float]:
    """Pairs that are nearer than texts of two projects are by chance, with their cosine."""
    loaded = load(db, StaticVectors())
    mine, others = ([number for number in side if number in loaded.rows] for side in (ours, theirs))
    if not mine or not others:
        return {}
    vectors = loaded.vectors[[loaded.rows[number] for number in others]].T
    found: dict[Pair, float] = {}
    for start in range(0, len(mine), PORTION):
        part = mine[start : start + PORTION]
        cosines = np.round(loaded.vectors[[loaded.rows[number] for number in part]] @ vectors, COSINE_DIGITS)
        for row, column in np.argwhere(cosines >= LEAST_COSINE).tolist():
            found[part[row], others[column]] = float(cosines[row, column])
    return found


def same(one: sqlite3.Row, other: sqlite3.Row, cosine: float | None) -> tuple[sqlite3.Row, sqlite3.Row, str] | None:
    """Of two memories that say the same the one that would go, the one that would stay, and why; else None.

    The one that says more stays, else the earlier, as long as it holds wherever the other does.
    """
    older, newer = sorted((one, other), key=lambda row: (row["last_said_at"], row["uid"]))
    words = jaccard(reading(newer["text"]).terms, reading(older["text"]).terms)
    found = relation(statement(newer), statement(older), Similarity(words, cosine))
    if found is None:
        return None
    ways = [(newer, older)]
    if found.kind == EXTENDS:
        ways = [(older, newer)]
    elif found.kind == RELATED:
        if cosine is None or cosine < LEAST_COSINE or not same_values(one["text"], other["text"]):
            return None
    elif found.kind != DUPLICATE:
        return None
    elif found.test in SAME_TEXT:
        ways.append((older, newer))
    for goes, stays in ways:
        if stays["scope"] == "user" or (goes["scope"], goes["project_id"]) == ("project", stays["project_id"]):
            return goes, stays, because(stays["uid"], found.kind, found.reason, cosine)
    return None


def because(uid: str, kind: str, reason: str, cosine: float | None) -> str:
    """Why one memory may go for another, which another machine knew, in words."""
    if kind == RELATED:
        return f"perhaps the same as {uid}, known to another machine (similarity {cosine:.2f}): only that says so"
    if kind == EXTENDS:
        return f"{uid}, known to another machine, {reason}"
    return f"{uid}, known to another machine, says it: {reason}"
