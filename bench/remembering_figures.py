"""What a file remembers of labelled sessions, and how far that is what readers say it should.

In: a file that the pipeline made, the labelled projects, and labels of memories by text. Out: `Remembered`, and figures
of some projects. Invariants: a memory without a label is not useful and covers nothing; a contradiction that no label
calls a change is false, whatever the machine's reason.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bench.labels import share
from bench.remembering_set import Fact, Label, Labels, Project, plain

MEMORIES = """
select m.id, m.uid, m.text, m.title, m.kind, m.scope, m.status,
    (select p.name from projects p where p.id = m.project_id) as filed,
    (select s.uid from memory_sources o join entries e on e.id = o.entry_id join sessions s on s.id = e.session_id
     where o.memory_id = m.id order by o.created_at, o.id limit 1) as session_uid,
    coalesce((select o.quote from memory_sources o where o.memory_id = m.id order by o.created_at, o.id limit 1), '')
        as quote
from memories m where m.status <> 'retired' order by m.id
"""

EARLIER = """
select distinct memory_id, text from memory_versions v
where text <> (select m.text from memories m where m.id = v.memory_id) order by v.id
"""

WAITING = """
select c.id, c.text, c.title, c.kind, c.scope, c.quote, s.uid as session_uid, d.memory_id as target,
    (select p.name from projects p where p.id = c.project_id) as filed
from decisions d join candidates c on c.id = d.candidate_id left join sessions s on s.id = c.session_id
where d.action = 'propose' and d.id = (select max(l.id) from decisions l where l.candidate_id = c.id)
order by c.id
"""

CLOSED = "select from_memory_id, to_memory_id from edges where kind = 'supersedes' and ended_at is null"

OPPOSED = """
select memory_id, other_memory_id from contradictions
union select from_memory_id, to_memory_id from edges where kind = 'contradicts' and ended_at is null
"""

PROPOSED = """
select memory_id, other_memory_id from proposals
where state = 'open' and kind in ('supersede', 'merge') and other_memory_id is not null
"""


@dataclass(slots=True, frozen=True)
class Said:
    """A text that is kept, or waits for a person, with what a reader says of it, if one did."""

    project: str
    text: str
    title: str
    kind: str
    scope: str
    quote: str
    label: Label | None

    @property
    def covers(self) -> tuple[str, ...]:
        """The facts that it covers, in full or in part."""
        return self.label.covers if self.label else ()


@dataclass(slots=True, frozen=True)
class Pair:
    """Two texts of which one was found to take back the other; `later` is the newer one where that is known."""

    earlier: Said
    later: Said
    is_ordered: bool


@dataclass(slots=True, frozen=True)
class Told:
    """A memory that the next session of a project begins with."""

    project: str
    said: Said


@dataclass(slots=True, frozen=True)
class Remembered:
    """A file as a reader sees it.

    `between` are pairs of memories, `proposed` those of which one waits for a person, `reworded` memories whose words
    were replaced by later ones, `told` what the next session of each project begins with.
    """

    memories: tuple[Said, ...]
    waiting: tuple[Said, ...]
    between: tuple[Pair, ...]
    proposed: tuple[Pair, ...]
    reworded: tuple[Pair, ...]
    told: tuple[Told, ...]

    @property
    def to_label(self) -> Iterable[Said]:
        """The texts that figures ask labels of."""
        pairs = (*self.between, *self.proposed, *self.reworded)
        return (*self.memories, *(side for pair in pairs for side in (pair.earlier, pair.later)))


# ------------------------------------------------------------------ reading a file


def remembered(
    db: sqlite3.Connection,
    names: Mapping[str, tuple[str, str]],
    labels: Labels,
    starts: Mapping[str, Sequence[str]] | None = None,
) -> Remembered:
    """All that a file keeps of the sessions of that name, and what it says takes back what.

    `starts` has the uids of the memories that the next session of each project begins with.
    """
    projects = {project for project, _ in names.values()}

    def said(row: sqlite3.Row, text: str) -> Said:
        said_in = names[row["session_uid"]][0] if row["session_uid"] in names else ""
        filed = row["filed"] if row["filed"] in projects else said_in
        # A reader who saw it in the session where it was said may have labelled it there.
        project = next((each for each in (filed, said_in) if (each, plain(text)) in labels), filed)
        label = labels.get((project, plain(text)))
        return Said(project, plain(text), row["title"], row["kind"], row["scope"], row["quote"], label)

    rows = {row["id"]: row for row in db.execute(MEMORIES)}
    memories = {number: said(row, row["text"]) for number, row in rows.items()}
    waiting = [(said(row, row["text"]), row["target"]) for row in db.execute(WAITING)]
    replaced = both_in(db.execute(CLOSED), memories)
    known = {frozenset(pair) for pair in replaced}
    closed = [Pair(memories[old], memories[new], True) for new, old in replaced]
    opposed = [
        Pair(memories[one], memories[two], False)
        for one, two in in_one_order(both_in(db.execute(OPPOSED), memories))
        if {one, two} not in known
    ]
    asked = in_one_order(both_in(db.execute(PROPOSED), memories))
    proposed = [Pair(memories[one], memories[two], False) for one, two in asked]
    proposed += [Pair(memories[target], new, True) for new, target in waiting if target in memories]
    reworded = [
        Pair(said(rows[number], text), memories[number], True)
        for number, text in db.execute(EARLIER)
        if number in memories
    ]
    by_uid = {row["uid"]: memories[number] for number, row in rows.items()}
    told = [Told(name, by_uid[uid]) for name, uids in (starts or {}).items() for uid in uids if uid in by_uid]
    return Remembered(
        tuple(memories.values()), tuple(new for new, _ in waiting), (*closed, *opposed), tuple(proposed),
        tuple(reworded), tuple(told),
    )  # fmt: skip


def both_in(pairs: Iterable[Sequence[int]], known: Collection[int]) -> list[tuple[int, int]]:
    """The pairs of which both sides are known."""
    return [(one, two) for one, two in pairs if one in known and two in known]


def in_one_order(pairs: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Pairs whose order says nothing, each once: an edge and a contradiction are of the same two."""
    return sorted({(min(pair), max(pair)) for pair in pairs})


# ------------------------------------------------------------------ figures


def figures(found: Sequence[Project], kept: Remembered) -> dict[str, Any]:
    """Counts and shares from 0 to 1 of some projects."""
    names = {project.name for project in found}
    memories = [memory for memory in kept.memories if memory.project in names]
    must = [fact for project in found for fact in project.must]
    full = {fact for memory in memories if memory.label for fact in memory.label.covers_in_full}
    part = {fact for memory in memories for fact in memory.covers} - full
    waiting = {fact for each in kept.waiting for fact in each.covers} - full - part
    bad = {memory.label.must_not for memory in memories if memory.label and memory.label.must_not}
    labels = [memory.label for memory in memories if memory.label]
    return {
        "must": len(must),
        "must in full": count(must, full),
        "must in part": count(must, part),
        "must waiting for a person": count(must, waiting),
        "share in full": share(count(must, full), len(must)),
        "share in full or part": share(count(must, full | part), len(must)),
        "must not": sum(len(project.must_not) for project in found),
        "must not, stored": len(bad),
        "share of must not stored": share(len(bad), sum(len(project.must_not) for project in found)),
        "memories": len(memories),
        "without a label": len(memories) - len(labels),
        "useful": share(sum(label.useful for label in labels), len(memories)),
        "readable alone": share(sum(label.readable for label in labels), len(memories)),
        "useful and readable alone": share(sum(label.useful and label.readable for label in labels), len(memories)),
        **agreement(must, memories),
        **change_figures(found, kept),
        **start_figures(found, kept),
    }


def count(facts: Iterable[Fact], ids: Collection[str]) -> int:
    """How many of the facts are among these ids."""
    return sum(fact.id in ids for fact in facts)


def agreement(must: Sequence[Fact], memories: Sequence[Said]) -> dict[str, Any]:
    """How often memories of facts have the kind and the scope that a reader gives them."""
    facts = {fact.id: fact for fact in must}
    kinds = [right for memory in memories if (right := is_right(memory, "kind", facts)) is not None]
    scopes = [right for memory in memories if (right := is_right(memory, "scope", facts)) is not None]
    of_user = {fact.id for fact in must if fact.scope == "user"}
    as_such = {fact for memory in memories if memory.scope == "user" for fact in memory.covers} & of_user
    return {
        "kind right": share(sum(kinds), len(kinds)),
        "scope right": share(sum(scopes), len(scopes)),
        "of the user": len(of_user),
        "of the user, kept as such": len(as_such),
    }


def is_right(memory: Said, name: str, facts: Mapping[str, Fact]) -> bool | None:
    """Whether a memory has the right kind or scope: by its reader where it still has that one, else by its facts."""
    if memory.label is None:
        return None
    own, judged = getattr(memory, name), getattr(memory.label, f"{name}_right")
    if judged is not None and own == getattr(memory.label, name):
        return bool(judged)
    wanted = {getattr(facts[fact], name) for fact in memory.covers if fact in facts}
    return own in wanted if wanted else None


def change_figures(found: Sequence[Project], kept: Remembered) -> dict[str, Any]:
    """How many changes were noticed, and how many were found that are none."""
    names = {project.name for project in found}
    order = [(change.old, change.new) for project in found for change in project.changes]
    after = reachable(order)
    covered = {fact for memory in (*kept.memories, *kept.waiting) for fact in memory.covers}
    closed, asked = (
        [pair for pair in pairs if pair.later.project in names or pair.earlier.project in names]
        for pairs in ((*kept.between, *kept.reworded), kept.proposed)
    )
    between = [pair for pair in closed if pair in kept.between]
    by_itself = sum(any(notices(pair, old, new) for pair in closed) for old, new in order)
    noticed = sum(any(notices(pair, old, new) for pair in (*closed, *asked)) for old, new in order)
    false = sum(not is_change(pair, after) for pair in between)
    return {
        "changes": len(order),
        "changes, both sides known": sum(old in covered and new in covered for old, new in order),
        "changes closed or contradicted": by_itself,
        "changes before a person": noticed - by_itself,
        "share of changes noticed": share(noticed, len(order)),
        "contradictions and replacements": len(between),
        "false ones": false,
        "false ones with a side without a label": sum(
            not is_change(pair, after) for pair in between if not (pair.earlier.label and pair.later.label)
        ),
        "share of false ones": share(false, len(between)),
        "changes proposed": len(asked),
        "proposed, but none": sum(not is_change(pair, after) for pair in asked),
    }


def start_figures(found: Sequence[Project], kept: Remembered) -> dict[str, Any]:
    """What the next session of each project begins with: how much of it is of use, how much of what holds is told."""
    names, over = {project.name for project in found}, {change.old for project in found for change in project.changes}
    told = [each for each in kept.told if each.project in names]
    labels = [each.said.label for each in told if each.said.label]
    outdated = [label for label in labels if label.covers and over.issuperset(label.covers)]
    useful = [label for label in labels if label.useful and label.readable and label not in outdated]
    holding = [(project.name, fact.id) for project in found for fact in project.must if fact.id not in over]
    known = {(each.project, fact) for each in told for fact in each.said.covers}
    return {
        "lines at the next start": len(told),
        "of them useful and readable": share(len(useful), len(told)),
        "of them taken back since": share(len(outdated), len(told)),
        "must that holds, told there": share(sum(each in known for each in holding), len(holding)),
    }


def notices(pair: Pair, old: str, new: str) -> bool:
    """Whether a pair is about a change: one side covers what was, the other what is."""
    earlier, later = pair.earlier.covers, pair.later.covers
    return (old in earlier and new in later) or (not pair.is_ordered and new in earlier and old in later)


def is_change(pair: Pair, after: Mapping[str, Collection[str]]) -> bool:
    """Whether labels call a pair a change, at once or by way of others."""
    return any(notices(pair, old, new) for old, later in after.items() for new in later)


def reachable(order: Sequence[tuple[str, str]]) -> dict[str, set[str]]:
    """What came after each fact, at once or later."""
    after: dict[str, set[str]] = {}
    for old, new in order:
        after.setdefault(old, set()).add(new)
    for _ in order:
        for later in after.values():
            later |= {last for new in later for last in after.get(new, ())}
    return after
