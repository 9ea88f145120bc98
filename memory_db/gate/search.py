"""What stands near the candidates of a run: memories by the same words, rare words and vectors, and waiting candidates.

In: candidates in portions. Out: neighbours and waiting candidates of each, as the rules take them. Invariant: what one
candidate became is there for the next one, in the same run and in one that was killed and goes on.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import numpy as np

from memory_db.errors import ModelError
from memory_db.extract.rules.around import Surroundings
from memory_db.gate.claims import (
    A_SIGHTING,
    Claim,
    CosineLimits,
    Neighbour,
    Quote,
    WaitingCandidate,
    cleaned,
    is_same_place,
    named_in,
)
from memory_db.gate.doubts import out_of_the_way
from memory_db.gate.thresholds import limits_of
from memory_db.index.neighbours import (
    COSINE_DIGITS,
    Nearest,
    StaticVectors,
    Vectors,
    by_words,
    load,
    memory_text,
    open_vectors,
    place_of,
    rows_of,
)
from memory_db.knowledge.memories import first_line
from memory_db.models.embedders import Vector
from memory_db.text.normalise import content_hash
from memory_db.text.provenance import REFUSAL
from memory_db.text.relations import plain

SAME_WORDS = "select id from memories where content_hash = ? order by id"

NAMED_MEMORY = "select id from memories where uid = ?"

QUOTES = """
select s.memory_id, s.entry_id, s.quote, case when e.role = 'user' then e.session_id end as session_id
from memory_sources s join entries e on e.id = s.entry_id
where s.memory_id in (select value from json_each(:memories)) and (s.entry_id = :entry or e.session_id = :session)
"""

RETIRED_HERE = """
select m.id from memory_sources s join memories m on m.id = s.memory_id where s.entry_id = ? and m.status = 'retired'
"""
"""Memories from the words of an entry that somebody retired."""

WAITING = """
select c.id, c.uid, c.title, c.text, c.scope, c.project_id, c.session_id
from candidates c join decisions d on d.id = (select max(id) from decisions where candidate_id = c.id)
where d.action = 'propose'
    and (json_extract(d.effects, '$.waits_for') = ? or json_extract(d.effects, '$.or_sighting'))
order by c.id
"""


@dataclass(slots=True)
class CandidateBatch:
    """Candidates whose vectors were made together, with their cosines to all that was known by then."""

    vectors: Vector
    cosines: Vector
    waiting_cosines: Vector


@dataclass(slots=True)
class GateContext:
    """What is known in one run, kept up to date by `keep`, `drop` and `wait`."""

    vectors: Vectors
    memories: Nearest
    limits: CosineLimits
    waiting: Nearest = field(default_factory=Nearest)
    waiting_rows: dict[int, WaitingCandidate] = field(default_factory=dict)
    said: Surroundings = field(default_factory=Surroundings)

    def portion(self, db: sqlite3.Connection, candidates: Sequence[sqlite3.Row]) -> CandidateBatch:
        """Makes the vectors of some candidates. Raises: ModelError."""
        made = self.vectors.of(db, [embedded_text(row) for row in candidates])
        return CandidateBatch(made, self.memories.cosines(made), self.waiting.cosines(made))

    def said_before(self, db: sqlite3.Connection, claim: Claim) -> list[Neighbour]:
        """Memories in the very words of a claim, where one is of its place: then nothing else near it is asked about.

        Empty otherwise, and where a memory from the words of its entry was retired.
        """
        found = [row[0] for row in db.execute(SAME_WORDS, [content_hash(claim.text)])]
        out = out_of_the_way(db, found, claim) if found else ()
        found = [key for key in found if key not in out]
        if not found or db.execute(RETIRED_HERE, [claim.entry_id]).fetchone():
            return []
        if named := named_in(claim):
            found += [row[0] for row in db.execute(NAMED_MEMORY, [named])]
        rows = rows_of(db, found)
        memories = [neighbour(rows[key], None) for key in dict.fromkeys(found)]
        said = plain(claim.text)
        is_known = any(is_same_place(claim, memory) and plain(memory.text) == said for memory in memories)
        return memories if is_known else []

    def near(
        self, db: sqlite3.Connection, portion: CandidateBatch, number: int, claim: Claim, project_id: int | None
    ) -> list[Neighbour]:
        """Memories that may say the same as the candidate of that number, whatever became of them."""
        vector = portion.vectors[number]
        place = place_of("project", project_id)
        cosines = self.memories.best(vector, portion.cosines[number], place)
        found = dict.fromkeys(row[0] for row in db.execute(SAME_WORDS, [content_hash(claim.text)]))
        found |= dict.fromkeys(cosines) | dict.fromkeys(by_words(db, claim.text, project_id))
        found |= dict.fromkeys(row[0] for row in db.execute(NAMED_MEMORY, [named_in(claim)]))
        found |= dict.fromkeys(row[0] for row in db.execute(RETIRED_HERE, [claim.entry_id]))
        for key in out_of_the_way(db, found, claim):
            del found[key]
        rows, quotes = rows_of(db, found), quotes_of(db, found, claim)
        return [
            neighbour(rows[key], self.cosine(key, vector, cosines), quotes.get(key, ())) for key in found if key in rows
        ]

    def cosine(self, memory_id: int, vector: Vector, known: Mapping[int, float]) -> float | None:
        """The cosine of a memory with a vector; None where the memory holds no more."""
        if memory_id in known:
            return known[memory_id]
        row = self.memories.rows.get(memory_id)
        return None if row is None else round(float(self.memories.vectors[row] @ vector), COSINE_DIGITS)

    def waiting_near(self, portion: CandidateBatch, number: int, project_id: int | None) -> list[WaitingCandidate]:
        """Candidates near that one which wait for a second sighting, the nearest first."""
        place = place_of("project", project_id)
        found = self.waiting.best(portion.vectors[number], portion.waiting_cosines[number], place)
        return [self.waiting_rows[key] for key in found]

    def keep(self, db: sqlite3.Connection, memory_id: int, text: str, vector: Vector, now: datetime) -> None:
        """A memory was made, or has another text: it is found from now on."""
        row = db.execute(
            "select id, scope, project_id from memory_versions where memory_id = ? and recorded_to is null", [memory_id]
        ).fetchone()
        self.memories.add([memory_id], [place_of(row["scope"], row["project_id"])], vector[None, :])
        self.vectors.keep(db, row["id"], text, vector, now)

    def keep_text(self, db: sqlite3.Connection, memory_id: int, now: datetime) -> None:
        """A memory holds elsewhere from now on, in the same words."""
        row = db.execute("select title, text from memories where id = ?", [memory_id]).fetchone()
        if memory_id in self.memories.rows:
            vector: Vector = self.memories.vectors[self.memories.rows[memory_id]].copy()
            self.keep(db, memory_id, memory_text(row["title"], row["text"]), vector, now)

    def wait(self, row: sqlite3.Row, vector: Vector) -> None:
        """A candidate waits for a second sighting."""
        self.waiting_rows[row["id"]] = waiting_of(row)
        self.waiting.add([row["id"]], [place_of(row["scope"], row["project_id"])], vector[None, :])

    def no_longer_waits(self, candidate_id: int) -> Vector:
        """A candidate waits no more; its vector."""
        vector: Vector = self.waiting.vectors[self.waiting.rows[candidate_id]].copy()
        self.waiting.drop(candidate_id)
        return vector


def open_gate_context(db: sqlite3.Connection, vectors: Vectors | None = None) -> GateContext:
    """Reads what is known; with static vectors where the model cannot be used. Raises: InputError."""
    chosen = vectors or open_vectors(db)
    try:
        memories = load(db, chosen)
        rows = db.execute(WAITING, [A_SIGHTING]).fetchall()
        made = chosen.of(db, [embedded_text(row) for row in rows]) if rows else np.zeros((0, 0), dtype=np.float32)
    except ModelError:
        if isinstance(chosen, StaticVectors):
            raise
        return open_gate_context(db, StaticVectors())
    around = GateContext(chosen, memories, limits_of(db, chosen.name))
    for row, vector in zip(rows, made, strict=True):
        around.wait(row, vector)
    return around


def quotes_of(db: sqlite3.Connection, ids: Iterable[int], claim: Claim) -> dict[int, list[sqlite3.Row]]:
    """The quotes that memories have from a claim's entry or session, by memory: the rules ask for no others."""
    found: dict[int, list[sqlite3.Row]] = {}
    asked = {"memories": json.dumps(list(ids)), "entry": claim.entry_id, "session": claim.session_id}
    for row in db.execute(QUOTES, asked):
        found.setdefault(row["memory_id"], []).append(row)
    return found


def claim_of(row: sqlite3.Row) -> Claim:
    """A candidate as the rules see it; its text passes redaction."""
    return Claim(
        text=cleaned(row["text"]).strip(),
        kind=row["kind"],
        scope=row["scope"],
        project_id=row["project_id"] if row["scope"] == "project" else None,
        quote=row["quote"],
        rule=row["rule"],
        role=row["role"] or "assistant",
        is_by_model=row["method"] != "rules",
        is_quote_found=bool(row["is_quote_found"]),
        hint=cleaned(row["supersedes"]),
        said_at=row["created_at"],
        session_id=row["session_id"],
        entry_id=row["entry_id"],
        message=message_of(row),
    )


def message_of(row: sqlite3.Row) -> str:
    """The message that a quote is from: of a result with which the user refused a call, the user's remark alone."""
    text = row["entry_text"] or ""
    refused = REFUSAL.match(text) if row["role"] == "user" else None
    return text[refused.end() :] if refused else text


def embedded_text(row: sqlite3.Row) -> str:
    """What is embedded of a candidate: what would be embedded of the memory that it may become."""
    text = cleaned(row["text"]).strip()
    return memory_text(cleaned(row["title"]) or (first_line(text) if text else ""), text)


def neighbour(row: sqlite3.Row, cosine: float | None, quotes: Sequence[sqlite3.Row] = ()) -> Neighbour:
    """A row of a memory as the rules see it, with quotes that it comes from."""
    said: list[Quote] = [(each["entry_id"], each["quote"]) for each in quotes]
    sessions = frozenset(each["session_id"] for each in quotes if each["session_id"] is not None)
    return Neighbour(
        row["id"], row["uid"], row["scope"], row["project_id"], row["text"], row["status"], row["kind"],
        row["lock_level"], row["last_said_at"], cosine, row["valid_to"] or "", said, sessions,
    )  # fmt: skip


def waiting_of(row: sqlite3.Row) -> WaitingCandidate:
    """A candidate that waits as the rules see it."""
    text = cleaned(row["text"]).strip()
    return WaitingCandidate(row["id"], row["uid"], text, row["scope"], row["project_id"], row["session_id"])
