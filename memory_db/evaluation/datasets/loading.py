"""A part of a data set as a memory-db file of its own, thrown away afterwards.

In: a `Part`. Out: `Loaded`: a file with its entries or memories, its labelled questions, and its index. Invariants:
the file lies in the folder given and nowhere else; notes become memories by the same way as those of a user, and what
that way refuses is counted.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from memory_db.errors import InputError
from memory_db.evaluation import query_sets as judging
from memory_db.evaluation.datasets.records import Note, Part, Turn
from memory_db.evaluation.datasets.vector_cache import CachedIndex, VectorCache
from memory_db.evaluation.metrics import PLAIN, Item, Labelled, collect
from memory_db.index import build as index
from memory_db.index.semantic import EmbeddingIndex, open_semantic
from memory_db.knowledge.memories import add_memory
from memory_db.knowledge.retire import retire
from memory_db.knowledge.succession import supersede
from memory_db.models.embedders import NO_MODEL
from memory_db.recall.search import Question
from memory_db.store import settings
from memory_db.store.connection import transaction
from memory_db.store.schema import open_database
from memory_db.transcripts.projects import make_project

Progress = Callable[[str, int, int | None], None]

QUERY_SET = "dataset"
"""What the questions are called in the temporary file."""

JUDGED_BY = "data set"

KINDS_BY_ROLE = {"user": "prompt", "assistant": "reply"}
"""What kind of entry a turn becomes."""


@dataclass(slots=True)
class Loaded:
    """A part that can be asked. `outdated` are its memories that a newer one supersedes."""

    part: Part
    db: sqlite3.Connection
    index: EmbeddingIndex | None
    cached: EmbeddingIndex | None
    outdated: frozenset[Item]
    counts: Counter[str]

    def questions(
        self,
        *,
        with_model: bool,
        asked_like: Question = PLAIN,
        deleted: bool = False,
        progress: Progress | None = None,
    ) -> list[Labelled]:
        """Every question with its hits, with the full model or as a process that loads none finds them.

        With `deleted` also with what is found when its answers are deleted from the file.
        """
        semantic = self.cached if with_model else None
        asked = collect(
            self.db,
            QUERY_SET,
            semantic=semantic,
            asked_like=asked_like,
            deleted=deleted,
            decisive={each.uid: each.decisive for each in self.part.questions if each.decisive},
            progress=progress,
        )
        return [
            replace(
                each,
                group=self.part.name,
                outdated=self.outdated - each.wanted if each.wanted else frozenset(),
                without=each.without and replace(each.without, group=self.part.name),
            )
            for each in asked
        ]


def load(
    part: Part,
    path: Path,
    *,
    model: str,
    cache: VectorCache | None = None,
    now: datetime,
    progress: Progress | None = None,
) -> Loaded:
    """Makes the file of a part, with its vectors by that model (`none`: static ones alone).

    Vectors that the cache has are taken from there, and it keeps the new ones. Raises: InputError, ModelError.
    """
    with ExitStack() as stack:
        db = stack.enter_context(closing(open_database(path, now=now)))
        settings.put(db, "embedding_model", model, now=now)
        settings.put(db, "timezone", "UTC", now=now)
        projects = add_projects(db, part, now)
        add_turns(db, part, projects)
        uids, counts = add_notes(db, part.notes, projects, now=now, progress=progress)
        counts.update(label(db, part, uids, now=now))
        if cache:
            cache.fill(db, model)
        index.run(db, now=now, progress=progress)
        if cache:
            cache.keep(db)
        if cache and model != NO_MODEL:
            cache.complete_signs(db, model, progress)
        opened = open_semantic(db)
        cached = CachedIndex(db, opened.model, cache) if opened and cache else opened
        superseded = [uids[note.supersedes] for note in part.notes if note.supersedes in uids]
        stack.pop_all()  # it stays open
    return Loaded(part, db, opened, cached, memory_items(db, superseded), counts)


def add_projects(db: sqlite3.Connection, part: Part, now: datetime) -> dict[str, int]:
    """The id of every project that the part names; turns belong to one of the part's own name."""
    named = {note.project for note in part.notes} | {each.project for each in part.questions}
    names = sorted({name for name in named if name} | ({part.name} if part.turns else set()))
    with transaction(db):
        return {name: make_project(db, f"/dataset/{name}", None, now) for name in names}


def add_turns(db: sqlite3.Connection, part: Part, projects: dict[str, int]) -> None:
    """Stores what was said: by an assistant as replies, else as prompts, for nobody in a chat of people is an agent."""
    sessions: dict[str, list[Turn]] = {}
    for turn in part.turns:
        sessions.setdefault(turn.session, []).append(turn)
    with transaction(db):
        for uid, turns in sessions.items():
            session = db.execute(
                "insert into sessions (uid, format, project_id) values (?, 'dataset', ?)", [uid, projects[part.name]]
            ).lastrowid
            for position, turn in enumerate(turns):
                try:
                    entry = db.execute(
                        "insert into entries (uid, session_id, role, kind, text, created_at) values (?, ?, ?, ?, ?, ?)",
                        [turn.uid, session, turn.role, KINDS_BY_ROLE[turn.role], turn.text, turn.created_at],
                    ).lastrowid
                except sqlite3.IntegrityError as error:
                    raise InputError(f"{part.name} has the id {turn.uid!r} twice. Give each its own.") from error
                db.execute("insert into session_entries values (?, ?, ?)", [session, entry, position])


def add_notes(
    db: sqlite3.Connection,
    notes: tuple[Note, ...],
    projects: dict[str, int],
    *,
    now: datetime,
    progress: Progress | None = None,
) -> tuple[dict[str, str], Counter[str]]:
    """Stores what is known, oldest first, each superseding what it replaces; the uids of memories by those of notes."""
    uids: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for note in sorted(notes, key=lambda note: note.created_at):
        try:
            uid = add_memory(
                db,
                text=note.text,
                title=note.title or None,
                kind=note.kind,
                scope="project" if note.project else "user",
                project_id=projects[note.project] if note.project else None,
                tags=note.tags,
                paths=note.paths,
                importance=note.importance,
                origin="import",
                changed_by=JUDGED_BY,
                reason="loaded",
                now=now,
                created_at=note.created_at,
                condition=note.condition,
                keys=note.keys,
            )
        except InputError:
            counts["refused_notes"] += 1
            continue
        counts["notes_of_the_same_text"] += uid in uids.values()
        uids[note.uid] = uid
        if progress:
            progress("notes", len(uids), len(notes))
    with transaction(db):
        for note in notes:
            if note.uid in uids and note.supersedes in uids:
                try:
                    supersede(db, uids[note.supersedes], uids[note.uid], reason="loaded", by=JUDGED_BY, now=now)
                except InputError:
                    counts["refused_successions"] += 1
    for note in notes:
        if note.is_retired and note.uid in uids:
            retire(db, uids[note.uid], by=JUDGED_BY, reason="loaded", now=now)
    return uids, counts


def label(db: sqlite3.Connection, part: Part, uids: dict[str, str], *, now: datetime) -> dict[str, int]:
    """Stores the questions with their answers; counts of what could not be labelled."""
    lines = [
        {
            "id": each.uid,
            "query": each.query,
            "project": f"/dataset/{each.project}" if each.project else None,
            "asked_at": each.asked_at,
            "relevant": [uids.get(uid, uid) for uid in each.relevant],
            "must_not": [uids.get(uid, uid) for uid in each.must_not],
            "style": each.style,
        }
        for each in part.questions
    ]
    counts = judging.load_queries(db, QUERY_SET, lines, description=part.name, judged_by=JUDGED_BY, now=now)
    return {name: count for name, count in counts.items() if name not in ("queries", "judgements")}


def memory_items(db: sqlite3.Connection, uids: list[str]) -> frozenset[Item]:
    """Memories of these uids, as what a hit reaches."""
    marks = ", ".join("?" * len(uids))
    return frozenset(("memory", row[0]) for row in db.execute(f"select id from memories where uid in ({marks})", uids))
