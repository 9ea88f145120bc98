"""Edges that a person draws and takes away, and what stands around a memory.

In: memories, a kind, a reason. Out: rows of `edges`; neighbours within a few steps; figures of the whole graph.
Invariants: what a person said of two memories is final for the rules, which draw no such edge again; edges end, none is
deleted.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from datetime import datetime
from typing import Any

from memory_db.errors import InputError, NotFoundError
from memory_db.gate.contradictions.pairs import open_contradiction
from memory_db.knowledge.graph.edges import BY_RULES
from memory_db.knowledge.proposals import Proposal
from memory_db.knowledge.succession import SUPERSEDES, memory_row
from memory_db.redact.clean import clean
from memory_db.store.connection import id_list, transaction
from memory_db.store.dates import utc_text
from memory_db.text.relations import CONTRADICTS

PROPOSED_SCORE = 0.5
"""How alike two memories are said to be whose contradiction somebody proposed: nobody measured it."""

MOST_HOPS = 3
MOST_NEIGHBOURS = 20
"""Source: agentmemory and memem walk two steps and show twenty."""

DAMPING, ROUNDS = 0.85, 50
"""Source: Page, Brin, Motwani and Winograd 1999, The PageRank Citation Ranking; fifty rounds change nothing more."""

BETWEEN = """
select * from edges where ended_at is null and kind <> 'supersedes' and (:kind is null or kind = :kind)
    and ((from_memory_id = :one and to_memory_id = :other) or (from_memory_id = :other and to_memory_id = :one))
"""

DRAW = """
insert into edges (from_memory_id, to_memory_id, kind, score, reason, created_by, created_at, ended_at)
values (?, ?, ?, ?, ?, ?, ?, ?)
"""

STEP = "select * from memory_neighbours where memory_id in ({ids}) order by score desc, other_id"


def relate(
    db: sqlite3.Connection, one: str, other: str, kind: str, *, reason: str, by: str, now: datetime, score: float = 1.0
) -> bool:
    """Draws an edge from one memory to another; whether it was new. Both are uids.

    An edge that rules drew is replaced. Raises: NotFoundError; InputError for an unknown kind, for what supersedes, for
    a memory with itself, for one that is not active, and for a score outside 0 to 1.
    """
    kinds = [row[0] for row in db.execute("select name from edge_kinds where name <> 'supersedes' order by rowid")]
    if kind == SUPERSEDES:
        raise InputError("What supersedes is recorded by `memory-db memory supersede OLD NEW`. Use that.")
    if kind not in kinds:
        raise InputError(f"No kind of edge {kind!r}. There are: {', '.join(kinds)}.")
    if one == other:
        raise InputError(f"Memory {one} cannot be related to itself. Name two different memories.")
    if not 0 <= score <= 1:
        raise InputError(f"A score of {score} cannot be used. Give one from 0 to 1.")
    with transaction(db):
        start, end = memory_row(db, one), memory_row(db, other)
        for row in (start, end):
            if row["status"] != "active":
                raise InputError(f"Memory {row['uid']} is {row['status']}. Name one that holds.")
        why, moment = clean(reason)[0], utc_text(now)
        known = db.execute(
            "select * from edges where from_memory_id = ? and to_memory_id = ? and kind = ? and ended_at is null",
            [start["id"], end["id"], kind],
        ).fetchone()
        if known and (known["created_by"], known["reason"], known["score"]) == (by, why, score):
            return False
        if known:
            db.execute("update edges set ended_at = max(created_at, ?) where id = ?", [moment, known["id"]])
        db.execute(DRAW, [start["id"], end["id"], kind, score, why, clean(by)[0], moment, None])
        return True


def unrelate(
    db: sqlite3.Connection, one: str, other: str, kind: str | None = None, *, by: str, now: datetime
) -> list[str]:
    """Ends the edges between two memories, of one kind or of all; the kinds that ended.

    Where rules drew one, a row says that a person took it away, so that they do not draw it again.
    Raises: NotFoundError where there is no such edge.
    """
    moment = utc_text(now)
    with transaction(db):
        values = {"one": memory_row(db, one)["id"], "other": memory_row(db, other)["id"], "kind": kind}
        found = db.execute(BETWEEN, values).fetchall()
        if not found:
            raise NotFoundError(
                f"No edge {kind or ''} joins {one} and {other}. `memory-db memory graph neighbours` lists them."
            )
        for edge in found:
            db.execute("update edges set ended_at = max(created_at, ?) where id = ?", [moment, edge["id"]])
            if edge["created_by"] == BY_RULES:
                ends = (edge["from_memory_id"], edge["to_memory_id"])
                db.execute(DRAW, [*ends, edge["kind"], edge["score"], "taken away", clean(by)[0], moment, moment])
        return [edge["kind"] for edge in found]


def relate_as_proposed(db: sqlite3.Connection, proposal: Proposal, now: datetime, by: str) -> None:
    """Draws the edge that was proposed; the proposal's text is its kind, same_topic where it is empty.

    Two that contradict each other become a contradiction, which somebody has to resolve.

    Raises: InputError, NotFoundError.
    """
    if proposal.other is None:
        raise InputError(f"Proposal {proposal.uid} names one memory alone. Decline it.")
    kind = proposal.text or "same_topic"
    if kind == CONTRADICTS:
        ids = (proposal.memory_id, memory_row(db, proposal.other)["id"])
        open_contradiction(db, *ids, found_by=by, reason=proposal.reason, score=PROPOSED_SCORE, now=now)
        return
    relate(db, proposal.memory, proposal.other, kind, reason=proposal.reason, by=by, now=now)


def neighbours(db: sqlite3.Connection, uid: str, *, hops: int = 2, most: int = MOST_NEIGHBOURS) -> list[dict[str, Any]]:
    """What stands around a memory, nearest first: uid, title, hops, and the edge by which it was reached.

    Raises: NotFoundError, InputError for a number of steps outside 1 to MOST_HOPS.
    """
    if not 1 <= hops <= MOST_HOPS:
        raise InputError(f"{hops} steps cannot be walked. Give 1 to {MOST_HOPS}.")
    start = memory_row(db, uid)["id"]
    seen, frontier = {start}, [start]
    found: list[dict[str, Any]] = []
    for hop in range(1, hops + 1):
        reached = []
        for row in db.execute(STEP.format(ids=id_list(frontier))):
            if row["other_id"] not in seen and len(found) < most:
                seen.add(row["other_id"])
                reached.append(row["other_id"])
                found.append({
                    "hops": hop, "uid": row["other_uid"], "title": row["other_title"], "kind": row["kind"],
                    "direction": row["direction"], "score": row["score"], "by_way_of": row["uid"],
                    "reason": row["reason"], "created_by": row["created_by"],
                })  # fmt: skip
        frontier = reached
    return found


def page_ranks(db: sqlite3.Connection) -> dict[int, float]:
    """PageRanks of the active memories with an edge, by id; they sum to 1. An edge leads both ways, by its score."""
    weights: defaultdict[int, dict[int, float]] = defaultdict(dict)
    for one, other, score in db.execute(
        "select memory_id, other_id, score from memory_neighbours where kind <> ?", [SUPERSEDES]
    ):
        weights[one][other] = weights[one].get(other, 0.0) + score
    count = len(weights)
    ranks = dict.fromkeys(weights, 1 / count if count else 0.0)
    totals = {one: sum(each.values()) for one, each in weights.items()}
    for _ in range(ROUNDS):
        left = sum(ranks[one] for one, total in totals.items() if not total)
        following = dict.fromkeys(weights, ((1 - DAMPING) + DAMPING * left) / count if count else 0.0)
        for one, each in weights.items():
            for other, weight in each.items():
                if totals[one]:
                    following[other] = following.get(other, 0.0) + DAMPING * ranks[one] * weight / totals[one]
        ranks = following
    return ranks


def stats(db: sqlite3.Connection, most: int = MOST_NEIGHBOURS) -> dict[str, Any]:
    """Figures of the graph: edges by kind and maker, memories with and without one, and those that matter most."""
    ranks = page_ranks(db)
    top = sorted(ranks, key=lambda each: (-ranks[each], each))[:most]
    titles = {row["id"]: row for row in db.execute(f"select id, uid, title from memories where id in ({id_list(top)})")}
    degrees = dict(
        db.execute(
            "select memory_id, count(*) from memory_neighbours"
            " where memory_id in (select id from memories where status = 'active') group by memory_id"
        ).fetchall()
    )
    kinds = "select kind, created_by, count(*) as edges, avg(score) as mean_score from edges where ended_at is null"
    return {
        "memories": db.execute("select count(*) from memories where status = 'active'").fetchone()[0],
        "with_edges": len(degrees),
        "edges": [dict(row) for row in db.execute(f"{kinds} group by kind, created_by order by edges desc, kind")],
        "top": [
            {
                "uid": titles[each]["uid"],
                "title": titles[each]["title"],
                "page_rank": ranks[each],
                "edges": degrees[each],
            }
            for each in top
        ],
    }
