"""The labelled sessions: what was said, what is worth knowing of it, what is not, and what took back what.

In: bench/data/sessions, whose README says who wrote what. Out: `Project`s, the sessions of each person rendered as an
agent leaves them, and the labels of memories by their text. Invariant: a session is rendered under the name of its
project, so that two may have one of the same name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from bench.labels import read_rows, write_rows
from memory_db.sample.build import session_id, write_history

SET = Path(__file__).parent / "data" / "sessions"

SEEN, UNSEEN = "seen", "unseen"
"""Halves: sessions that may be looked at when something is changed, and those for measuring alone."""

ONE_OFF = "one_off"
"""The folder of ordinary requests, each done and over with."""

OF_ANOTHER = re.compile(r"^(resumes|forks): *(\S+)$", re.MULTILINE)
"""Where a session goes on from another one, by its name."""


@dataclass(slots=True, frozen=True)
class Fact:
    """Something that a session says: worth knowing, or not (then `why`). `session` is the one that says it."""

    id: str
    session: str
    text: str
    quote: str
    kind: str = ""
    scope: str = "project"
    why: str = ""


@dataclass(slots=True, frozen=True)
class Change:
    """A later session takes back an earlier fact. `old` and `new` are ids of facts."""

    id: str
    session: str
    old: str
    new: str


@dataclass(slots=True, frozen=True)
class Project:
    """The sessions of one project with what readers wrote about them. `sides` are facts that only a change names."""

    name: str
    person: str
    half: str
    folder: Path
    must: tuple[Fact, ...]
    must_not: tuple[Fact, ...]
    changes: tuple[Change, ...]
    sides: tuple[Fact, ...]

    @property
    def dialogues(self) -> list[Path]:
        """Its sessions, in their order."""
        return sorted(self.folder.glob("[0-9]*.yaml"))

    @property
    def facts(self) -> dict[str, Fact]:
        """All that a memory may cover, by id."""
        return {each.id: each for each in (*self.must, *self.sides)}


@dataclass(slots=True, frozen=True)
class Label:
    """What a reader says of a memory, by its project and text.

    It covers these facts, all of them in `full`, all in part, or those in full that are named; is it useful, can it be
    read alone? `kind_right` and `scope_right` are about the kind and scope that it had then.
    """

    covers: tuple[str, ...] = ()
    full: bool | tuple[str, ...] = False
    must_not: str | None = None
    useful: bool = False
    readable: bool = False
    kind_right: bool | None = None
    scope_right: bool | None = None
    kind: str = ""
    scope: str = ""

    @property
    def covers_in_full(self) -> tuple[str, ...]:
        """The facts that it says whole."""
        return self.full if isinstance(self.full, tuple) else self.covers if self.full else ()


Labels = dict[tuple[str, str], Label]
"""By project and text."""


# ------------------------------------------------------------------ reading


def projects(folder: Path = SET) -> list[Project]:
    """Every project with labels, by name. Raises: ValueError for a change that names nothing known."""
    return [project_in(path.parent) for path in sorted(folder.glob("*/labels.yaml"))]


def project_in(folder: Path) -> Project:
    """One project. `project.yaml` says whose it is and to which half it belongs."""
    about = yaml.safe_load((folder / "project.yaml").read_text("utf-8"))
    read = yaml.safe_load((folder / "labels.yaml").read_text("utf-8"))
    must = tuple(fact_of(each) for each in read.get("must") or ())
    known = {each.id for each in must}
    changes, sides = [], []
    for each in read.get("changes") or ():
        ids = {}
        for side in ("old", "new"):
            said = plain(str(each[side]))
            ids[side] = said if said in known else f"{each['id']}.{side}"
            if said not in known:
                if re.fullmatch(rf"{re.escape(folder.name)}-n?\d+", said):
                    raise ValueError(f"{each['id']}: there is no fact {said}")
                sides.append(Fact(ids[side], str(each["session"]), said, ""))
        changes.append(Change(each["id"], str(each["session"]), ids["old"], ids["new"]))
    must_not = tuple(fact_of(each) for each in read.get("must_not") or ())
    return Project(
        folder.name, about["person"], about["half"], folder, must, must_not, tuple(changes), tuple(sides)
    )  # fmt: skip


def fact_of(row: dict[str, Any]) -> Fact:
    """A fact as a reader wrote it down."""
    return Fact(
        row["id"], str(row["session"]).removesuffix(".yaml"), plain(str(row["text"])), str(row.get("quote") or ""),
        str(row.get("kind") or ""), str(row.get("scope") or "project"), str(row.get("why") or ""),
    )  # fmt: skip


def plain(text: str) -> str:
    """A text on one line."""
    return " ".join(text.split())


def by_person(found: Iterable[Project]) -> dict[str, list[Project]]:
    """Projects by whose they are."""
    people: dict[str, list[Project]] = {}
    for project in found:
        people.setdefault(project.person, []).append(project)
    return people


def one_off(folder: Path = SET) -> list[Path]:
    """The sessions of ordinary requests."""
    return sorted((folder / ONE_OFF).glob("[0-9]*.yaml"))


# ------------------------------------------------------------------ rendering


def rendered(found: Sequence[Project], folder: Path) -> dict[str, tuple[str, str]]:
    """Writes the transcripts of some projects below a folder; project and session by the session's uid."""
    dialogues, names = [], {}
    (folder / "dialogues").mkdir(parents=True)
    for project in found:
        for each in project.dialogues:
            path = folder / "dialogues" / f"{project.name}.{each.name}"
            path.write_text(OF_ANOTHER.sub(rf"\1: {project.name}.\2", each.read_text("utf-8")), "utf-8")
            dialogues.append(path)
            names[session_id(path.stem)] = (project.name, each.stem)
    write_history(folder / "history", dialogues)
    return names


# ------------------------------------------------------------------ labels of memories


def labels(folder: Path = SET) -> Labels:
    """What readers said of memories so far."""
    found: Labels = {}
    for row in read_rows(folder / "memory_labels.jsonl"):
        said: dict[str, Any] = {name: row[name] for name in Label.__slots__}
        found[row["project"], row["text"]] = Label(
            **said | {name: tuple(row[name]) for name in ("covers", "full") if isinstance(row[name], list)}
        )
    return found


def keep(new: Labels, folder: Path = SET) -> None:
    """Writes labels down beside those that are there, in order."""
    names = tuple(Label.__slots__)
    write_rows(
        folder / "memory_labels.jsonl",
        (
            {"project": project, "text": text, **{name: getattr(label, name) for name in names}}
            for (project, text), label in sorted((labels(folder) | new).items())
        ),
    )


def of_facts(found: Sequence[Project]) -> Labels:
    """Labels of memories that say a fact in its very words: nobody has to read those.

    What is worth knowing in one project, and is filed with another one that it was said in, covers nothing.
    """
    own: Labels = {}
    for project in found:
        for fact in (*project.must_not, *project.must):
            said_in, is_elsewhere, _ = fact.session.partition("/")
            if is_elsewhere:
                is_lost = not fact.why and fact.scope == "project"
                own[said_in, fact.text] = Label(readable=True) if is_lost else of_fact(fact)
    for project in found:
        own |= {(project.name, fact.text): of_fact(fact) for fact in (*project.must_not, *project.sides, *project.must)}
    return own


def of_fact(fact: Fact) -> Label:
    """The label of a memory that says a fact in its very words, and is filed where the fact belongs."""
    if fact.why:
        return Label(must_not=fact.id, readable=True)
    return Label((fact.id,), full=True, useful=True, readable=True)
