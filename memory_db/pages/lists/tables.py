"""A list to browse as a table for a spreadsheet: all of what an address lists, in its order.

In: a file, the fields of an address. Out: lines of CSV. Invariant: no cell is a formula to a spreadsheet, whatever a
session said.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from memory_db.pages import preferences as preference_list
from memory_db.pages import projects as project_list
from memory_db.pages import sixteen
from memory_db.pages.cache import pooled
from memory_db.pages.draw.filters import visible
from memory_db.pages.forms import Fields
from memory_db.pages.lists import memories as memory_list
from memory_db.pages.lists import recalls as recall_list
from memory_db.pages.lists import sessions as session_list
from memory_db.pages.lists.facets import MOST_ROWS
from memory_db.pages.review import queue as review_list

FORMS = {"csv": "text/csv; charset=utf-8"}
"""The content type."""

MEMORIES = (
    "uid", "title", "text", "kind", "scope", "project", "status", "lock_level", "importance", "confidence", "trust",
    "times_shown", "times_used", "tags", "origin", "agent", "valid_from", "created_at", "updated_at",
)  # fmt: skip

SESSIONS = (
    "uid", "title", "project", "agent", "git_branch", "started_at", "ended_at", "duration_ms", "entries", "prompts",
    "errors", "tokens", "cost_nanocents", "memories", "outcome", "parent", "first_prompt",
)  # fmt: skip

RECALLS = (
    "uid", "asked_at", "query", "surface", "profile", "profile_version", "project", "session_uid", "scope", "abstained",
    "considered_count", "shown", "shown_tokens", "duration_ms",
)  # fmt: skip

PROJECTS = (
    "id", "name", "path", "memories", "procedures", "sessions", "recalls", "aliases", "calls", "cost_nanocents",
    "calls_without_price", "last_at", "onboarded_at", "ignored_by",
)  # fmt: skip

REVIEW = (
    "item", "sort", "kind", "project", "text", "quote", "other_uid", "other_text", "reason", "would", "waits_for",
    "waiting_since", "prompt", "run",
)  # fmt: skip

PREFERENCES = (
    "uid", "tier", "reason", "kind", "text", "project", "scope", "lock_level", "confidence", "evidence_for",
    "evidence_against", "times_given", "last_given_at", "times_used", "confirmed_at",
)  # fmt: skip

QUESTIONS = ("key", "question", "said", "number", "total", "share", "low", "high", "page", "queries")

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a cell begins with that spreadsheets compute. Source: OWASP, CSV Injection."""


def memories(path: Path, fields: Fields, *, now: datetime) -> Iterator[str]:
    """The memories of a list, a line each. Raises: InputError, NotFoundError."""
    return lines("memories", MEMORIES, fields, lambda asked: memory_list.memories(path, asked, now=now))


def sessions(path: Path, fields: Fields, *, now: datetime) -> Iterator[str]:
    """The sessions of a list, a line each. Raises: InputError, NotFoundError."""
    return lines("sessions", SESSIONS, fields, lambda asked: session_list.sessions(path, asked, now=now))


def review(path: Path, fields: Fields, *, now: datetime) -> Iterator[str]:
    """What waits for a decision, a line each. Raises: InputError, NotFoundError."""
    with pooled(path) as db:
        found = review_list.in_full(db, fields, now)
    yield from whole(REVIEW, found)


def preferences(path: Path, fields: Fields, *, now: datetime) -> Iterator[str]:
    """The preferences of all tiers or of one, a line each. Raises: InputError, NotFoundError."""
    with pooled(path) as db:
        found = preference_list.in_full(db, fields, now)
    yield from whole(PREFERENCES, found)


def questions(path: Path) -> Iterator[str]:
    """The sixteen questions, a line each."""
    yield from whole(QUESTIONS, sixteen.sixteen(path)["questions"])


def recalls(path: Path, fields: Fields, *, now: datetime) -> Iterator[str]:
    """The recalls of a period or a session, a line each. Raises: InputError."""
    with pooled(path) as db:
        found = recall_list.listed(db, fields, now, most=recall_list.ALL)["recalls"]
    yield from whole(RECALLS, found)


def projects(path: Path) -> Iterator[str]:
    """The projects, a line each."""
    with pooled(path) as db:
        found = project_list.projects(db, path)["projects"]
    yield from whole(PROJECTS, found)


def whole(columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The head and the rows of a list that is read at once; a cell that a row does not have is empty."""
    yield line(columns)
    for row in rows:
        yield line([row.get(name) for name in columns])


def lines(
    what: str, columns: Sequence[str], fields: Fields, read: Callable[[Fields], Mapping[str, Any]]
) -> Iterator[str]:
    """The head and the rows of a list, portion by portion."""
    yield line(columns)
    offset, total = 0, 1
    while offset < total:
        data = read({**fields, "limit": [str(MOST_ROWS)], "offset": [str(offset)], "facets": ["0"]})
        for row in data[what]:
            yield line([row[name] for name in columns])
        offset, total = offset + MOST_ROWS, data["total"]


def line(values: Sequence[object]) -> str:
    """A line of CSV."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n").writerow([cell(value) for value in values])
    return out.getvalue()


def cell(value: object) -> object:
    """A value as a cell: lists joined, nothing as nothing, what begins like a formula after an apostrophe."""
    if isinstance(value, list):
        value = ", ".join(map(str, value))
    if not isinstance(value, str):
        return value
    text = visible(value)
    return f"'{text}" if text.startswith(FORMULA) else text
