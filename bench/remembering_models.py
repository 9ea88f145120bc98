"""Models that answer from labels: one that finds all that is worth knowing, and one that proposes the rest as well.

In: what readers wrote about sessions and memories, and what such a model is asked. Out: answers of the form that every
model is asked for. Invariant: it proposes only what the portion before it says, word by word, and names only the
projects that are named there, and doubts only memories that it is shown, as any model could.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import llm

from bench.remembering_set import Fact, Labels, Project, plain
from memory_db.extract.model.jobs import EXTRACT_SESSION
from memory_db.store.connection import connect
from memory_db.text.names.projects import name_in_text

ENTRY = re.compile(r'"entry": (\d+)')

KEPT = re.compile(r'^\{"kept": .*\}$', re.MULTILINE)
"""A line that shows what rules kept of a portion."""

FALLBACK_KIND = "convention"
"""What a reader's own kind is called where the model may not say it."""

UNDER_WAY = "select key from jobs where kind = ? and state = 'running'"


class LabelModel(llm.Model):
    """Proposes each fact that the session says which it reads, with its quote, its kind, what it replaces and which
    other project it is of. Of what rules kept it doubts what readers call of no use, or not to be kept, and what cannot
    be read alone where its own proposals say all of it; the sloppy one doubts nothing.

    Which session that is, the job says that is under way in the file at `path`: so it reads one at a time. `shown` are
    the ids of facts whose words stood before it.
    """

    can_stream = False
    supports_schema = True

    def __init__(
        self, model_id: str, path: Path, found: Sequence[Project], names: Mapping[str, tuple[str, str]],
        labels: Labels, *, is_sloppy: bool = False,
    ) -> None:  # fmt: skip
        self.model_id, self.path, self.names, self.is_sloppy = model_id, path, names, is_sloppy
        self.labels = labels
        self.projects = {project.name: project for project in found}
        self.shown: set[str] = set()

    def execute(self, prompt: Any, stream: bool, response: Any, conversation: Any) -> Iterator[str]:
        """One answer."""
        with closing(connect(self.path)) as db:
            project, session = self.names[session_under_way(db)]
        kinds = kinds_in(prompt.schema or {})
        memories = list(self.memories_of(self.projects[project], session, prompt.prompt, kinds))
        episode = {"asked": "", "learned": "", "done": "", "next": ""}
        doubted = [] if self.is_sloppy else list(self.doubts_about(prompt.prompt))
        yield json.dumps({"memories": memories, "episode": episode, "doubted": doubted}, ensure_ascii=False)

    def doubts_about(self, asked: str) -> Iterator[dict[str, str]]:
        """What it would not keep of that which rules kept, of whatever project a reader saw it in."""
        for line in KEPT.findall(asked):
            kept = json.loads(line)
            label = next((self.labels[name, text] for name in self.projects for text in [plain(kept["text"])]
                          if (name, text) in self.labels), None)  # fmt: skip
            if label is None:
                continue
            if label.must_not or not label.useful:
                yield {"uid": kept["kept"], "why": "misread"}
            elif not label.readable and label.covers and self.shown.issuperset(label.covers):
                yield {"uid": kept["kept"], "why": "empty"}

    def memories_of(self, project: Project, session: str, asked: str, kinds: Sequence[str]) -> Iterator[dict[str, Any]]:
        """Its proposals for a portion: what is new to it first, then what it proposes again, each as it was said."""
        said = [each for each in self.said_in(project, session) if stands_in(each[1].quote, asked)]
        for own, fact in sorted(said, key=lambda each: (each[1].id in self.shown, place_of(each[1].quote, asked))):
            is_named = own is not project and name_in_text(own.name.casefold(), asked.casefold())
            yield {
                "kind": fact.kind if fact.kind in kinds or not kinds else FALLBACK_KIND, "scope": fact.scope,
                "title": "", "text": fact.text, "quote": fact.quote, "entry": entry_of(fact.quote, asked), "keys": [],
                "prompts": [], "importance": 3, "condition": "", "supersedes": replaced_by(own, fact),
                "project": own.name if is_named else "",
            }  # fmt: skip
        self.shown |= {fact.id for _, fact in said}

    def said_in(self, project: Project, session: str) -> Iterator[tuple[Project, Fact]]:
        """The facts that a session of a project says, each with the project that it is of."""
        for own in self.projects.values():
            told = session if own is project else f"{project.name}/{session}"
            for fact in (*own.must, *(own.must_not if self.is_sloppy else ())):
                if fact.session == told:
                    yield own, fact


def session_under_way(db: sqlite3.Connection) -> str:
    """The uid of the session that is being read."""
    key: str = db.execute(UNDER_WAY, [EXTRACT_SESSION]).fetchone()["key"]
    return key.split()[-1]


def kinds_in(schema: Mapping[str, Any]) -> list[str]:
    """The kinds that an answer may name."""
    found = re.search(r'"kind": \{[^{}]*"enum": (\[[^\]]*\])', json.dumps(schema))
    return list(json.loads(found[1])) if found else []


def replaced_by(project: Project, fact: Fact) -> str:
    """What a fact takes back, in the words in which it was proposed; empty where it takes back nothing."""
    for change in project.changes:
        if change.new == fact.id:
            return project.facts[change.old].text
    return ""


def place_of(quote: str, asked: str) -> int:
    """Where words stand in a prompt whose texts are JSON strings, whatever the spaces between them; -1 for nowhere."""
    words = [json.dumps(word, ensure_ascii=False)[1:-1] for word in quote.split()]
    found = re.search(r"(?:\s|\\n|\\t|\\r)+".join(map(re.escape, words)), asked) if words else None
    return found.start() if found else -1


def stands_in(quote: str, asked: str) -> bool:
    """Whether a prompt has these words."""
    return place_of(quote, asked) >= 0


def entry_of(quote: str, asked: str) -> int:
    """The number of the entry that has these words, as the prompt numbers it; 0 where it does not say."""
    numbers = ENTRY.findall(asked[: place_of(quote, asked)])
    return int(numbers[-1]) if numbers else 0
