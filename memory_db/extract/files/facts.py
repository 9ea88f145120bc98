"""One thing that a file of a project says, with its place, before it is a candidate.

In: a path, a line, the words there, and what they come to. Out: `FileFact`, and its columns as a candidate. Pure.
Invariants: a fact's uid follows from its project, file and text, so that the same fact is one candidate, whoever showed
the file; what its words ask of an agent that a person has to judge is told with it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import sha256

from memory_db.extract.files.risks import risk_of
from memory_db.extract.rules.phrasing import distinct, keys_of, tags_of
from memory_db.extract.rules.titles import titled
from memory_db.text.normalise import normalised

ONBOARDED = "repository: "
"""How the rules are named whose candidates a person asked for with the repository."""

SHOWN = "file shown: "
"""The same of candidates from files that an agent was shown."""

BACKED = "tool said, backed: "
"""The same of limits that a tool named and that an edit or a rerun backs."""

TO_JUDGE = "repository, to judge: "
"""The same of onboarded candidates that ask something of an agent which a person has to judge."""

REPOSITORY = "repository"
"""The format of sources and sessions that a person asked for with their repository."""

SOURCE_MARK = "#facts"
"""Behind the path of a source: the same file may be a document of its own."""

MOST_CHARACTERS = 400
"""A longer item is an explanation, not a fact. Source: ours: some sixty words."""


@dataclass(slots=True, frozen=True)
class FileFact:
    """What a file says: `path` as seen from the project's root, `line` from 1 on (0: it has none).

    `quote` is verbatim. `sort` names the reader and what it found; `note` is what is counted and may change without
    the fact changing; `body` is what else runs where the fact is a command.
    """

    path: str
    line: int
    quote: str
    text: str
    kind: str
    sort: str
    title: str = ""
    condition: str = ""
    paths: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    importance: int = 3
    note: str = ""
    body: str = field(default="", repr=False)

    @property
    def place(self) -> str:
        """Where it stands: `CLAUDE.md:12`."""
        return f"{self.path}:{self.line}" if self.line else self.path

    @property
    def risk(self) -> str:
        """What a person has to judge in it; '' for nothing."""
        return risk_of("\n".join((self.text, self.quote, self.body)))

    @property
    def onboard_rule(self) -> str:
        """The name of the rule by which it becomes a candidate where its repository was asked for."""
        return (TO_JUDGE if self.risk else ONBOARDED) + self.sort

    def uid_in(self, root: str) -> str:
        """Its uid as a candidate of the project at that root."""
        return sha256("\x1f".join(("file", root, self.path, normalised(self.text))).encode()).hexdigest()

    def columns(self, root: str) -> dict[str, object]:
        """The columns of its candidate that follow from the fact."""
        return {
            "uid": self.uid_in(root),
            "kind": self.kind,
            "scope": "project",
            "title": self.title or titled(self.text),
            "text": self.text,
            "quote": self.quote,
            "condition": self.condition,
            "keys": json.dumps(distinct([*self.keys, *keys_of(self.text, self.kind)])[:8], ensure_ascii=False),
            "paths": json.dumps(distinct(self.paths)[:10], ensure_ascii=False),
            "tags": json.dumps(tags_of(self.text), ensure_ascii=False),
            "importance": self.importance,
        }


def each_once(facts: Iterable[FileFact]) -> list[FileFact]:
    """Facts without those that say in the same file what an earlier one says."""
    found: dict[tuple[str, str], FileFact] = {}
    for fact in facts:
        found.setdefault((fact.path, normalised(fact.text)), fact)
    return list(found.values())


def line_of(text: str, words: str, after: int = 0) -> int:
    """The number of the first line of a text, behind line `after`, in which these words stand; 0 where none does."""
    for number, line in enumerate(text.split("\n"), 1):
        if number > after and words in line:
            return number
    return 0


def line_at(text: str, number: int) -> str:
    """A line of a text without the white space around it."""
    lines = text.split("\n")
    return lines[number - 1].strip() if 0 < number <= len(lines) else ""


def is_of_file(rule: str) -> bool:
    """Whether a candidate of that rule comes from a file, or from what a tool said."""
    return rule.startswith((ONBOARDED, SHOWN, TO_JUDGE, BACKED))
