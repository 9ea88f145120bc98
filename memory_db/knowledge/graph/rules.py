"""How one memory stands to another, as rules see it.

In: two statements and how alike they are. Out: edges with score and reason. Invariants: pure; nothing but the two is
looked at; the same two give the same edges.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from memory_db.text.names.entities import Entity, entities_in

MOST = {"same_topic": 3, "supports": 3, "depends_on": 3, "mentions": 3, "same_session": 3}
"""Edges of a kind from one memory, the best. Source: agentmemory draws at most three from a belief."""

TOPIC_WEIGHTS = {"similarity": 0.45, "entities": 0.25, "tags": 0.15, "project": 0.05, "session": 0.10}
"""What makes two memories be about the same.

Source: memem counts words .45, tags .20, project .15, session .10, structure and explicit links .05 each. Within one
file most pairs share the project, so it counts less here, and what both name counts in place of structure.
"""

TOPIC_SCORE = 0.42
"""From which score on two memories are about the same. Source: see docs/graph.md for what it lets through."""

SIMILARITY_FLOOR, SIMILARITY_FULL = 0.25, 0.6
"""Cosines of static vectors at which two texts begin to be alike, and from which they are wholly so.

Source: of the pairs of developer's notes in bench/data 95 % lie below the first, none above the second.
"""

CLAUSE_CHARACTERS = 160

DEPENDS = re.compile(
    r"\b(?:requires?|needs?|depends? on|relies on|only works? (?:if|with|when|on)|only if|won't work without|"
    r"must have|not without)\b(?P<clause>[^.;\n]*(?:\.\w[^.;\n]*)*)",
    re.IGNORECASE,
)
BECAUSE = re.compile(
    r"\b(?:because(?: of)?|due to|that's why|the reason is)\b(?P<clause>[^.;\n]*(?:\.\w[^.;\n]*)*)", re.I
)
UID = re.compile(r"\bm[0-9a-f]{8,}\b")

FEWEST_TITLE_WORDS = 3
SAME_SESSION_SCORE = 0.3
"""Said in one session is a weak tie. Source: ours."""


@dataclass(slots=True)
class GraphStatement:
    """What rules know of a memory. `subject` is what its title names, `needs` and `reasons` what such clauses name.

    `folded` is its text in small letters, `distinctive_title` its title if that is long enough to be looked for in
    others.
    """

    id: int
    uid: str
    kind: str
    title: str
    text: str
    project_id: int | None
    tags: frozenset[str] = frozenset()
    paths: frozenset[str] = frozenset()
    sessions: frozenset[int] = frozenset()
    entities: frozenset[Entity] = frozenset()
    folded: str = ""
    distinctive_title: str = ""
    subject: frozenset[Entity] = frozenset()
    needs: dict[Entity, str] = field(default_factory=dict)
    reasons: dict[Entity, str] = field(default_factory=dict)


@dataclass(slots=True, frozen=True)
class Drawn:
    """An edge to a memory."""

    to: int
    kind: str
    score: float
    reason: str


def clauses(pattern: re.Pattern[str], text: str) -> dict[Entity, str]:
    """What the clauses after such a phrase name, each with the words that name it."""
    named: dict[Entity, str] = {}
    for found in pattern.finditer(text):
        words = found.group()[:CLAUSE_CHARACTERS]
        for entity in entities_in(found["clause"][:CLAUSE_CHARACTERS]):
            named.setdefault(entity, " ".join(words.split()))
    return named


def draw(one: GraphStatement, other: GraphStatement, similarity: float) -> Iterator[Drawn]:
    """The edges from one memory to another. What goes both ways is drawn from the newer one alone."""
    if not may_meet(one, other):
        return
    shared = one.entities & other.entities
    if one.id > other.id:
        yield from topic(one, other, similarity, shared)
        if one.sessions & other.sessions:
            yield Drawn(other.id, "same_session", SAME_SESSION_SCORE, "said in one session")
    yield from mentions(one, other)
    for kind, named in (("depends_on", one.needs), ("supports", other.reasons)):
        about = other.subject if kind == "depends_on" else one.subject
        if named and about and (found := sorted(named.keys() & about)):
            yield Drawn(other.id, kind, round(0.6 + 0.3 * max(0.0, similarity), 3), f"{named[found[0]]!r}")


def may_meet(one: GraphStatement, other: GraphStatement) -> bool:
    """Whether two memories ever hold in one place: in one project, or one of them everywhere."""
    return one.project_id is None or other.project_id is None or one.project_id == other.project_id


def topic(one: GraphStatement, other: GraphStatement, similarity: float, shared: frozenset[Entity]) -> Iterator[Drawn]:
    """Both are about the same: alike in meaning, naming the same, with the same tags."""
    alike = (similarity - SIMILARITY_FLOOR) / (SIMILARITY_FULL - SIMILARITY_FLOOR)
    if alike <= 0:
        return
    tags = one.tags & other.tags
    parts = {
        "similarity": min(1.0, alike),
        "entities": len(shared) / min(len(one.entities), len(other.entities)) if shared else 0.0,
        "tags": len(tags) / len(one.tags | other.tags) if tags else 0.0,
        "project": float(one.project_id == other.project_id),
        "session": float(bool(one.sessions & other.sessions)),
    }
    score = sum(TOPIC_WEIGHTS[name] * value for name, value in parts.items())
    if score >= TOPIC_SCORE:
        names = ", ".join(sorted(name for _, name in shared)[:3])
        both = [
            f"similarity {similarity:.2f}",
            f"both name {names}" * bool(shared),
            f"tags {', '.join(sorted(tags))}" * bool(tags),
        ]
        yield Drawn(other.id, "same_topic", round(score, 3), "; ".join(filter(None, both)))


def mentions(one: GraphStatement, other: GraphStatement) -> Iterator[Drawn]:
    """One names the other: its uid, its title, or a file that it is bound to and the first is not."""
    if other.uid in one.text and other.uid in UID.findall(one.text):
        yield Drawn(other.id, "mentions", 1.0, f"names {other.uid}")
    elif (
        other.distinctive_title
        and other.distinctive_title in one.folded
        and other.distinctive_title != one.distinctive_title
    ):
        yield Drawn(other.id, "mentions", 0.9, f"names the title {other.title!r}")
    elif other.paths:
        found = sorted(path for path in other.paths - one.paths if "/" in path and ("file", path) in one.entities)
        if found:
            yield Drawn(other.id, "mentions", 0.6, f"names {found[0]}")


def distinctive(title: str) -> str:
    """A title in small letters where it is long enough to be no accident in a text, else nothing."""
    return title.casefold() if len(title.split()) >= FEWEST_TITLE_WORDS and not title.endswith("…") else ""
