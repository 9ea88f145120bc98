"""PrecisionMemBench: beliefs about a user, and questions with the beliefs that must come back, and no other.

In: a folder with beliefs.seed.json and retrieval.cases.json. Out: one part; each belief is a memory of the project
that its domain is, or of the user. What a case must include in any section answers it; a case that names nothing is a
negative question. What a person keeps pinned for every question (`personaPrelude`) is no matter of a question.

Left out and counted: beliefs of another user, for a file is one person's; cases without a query.

Source: tenurehq/precisionmembench, whose form this is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memory_db.errors import InputError, SourceError
from memory_db.evaluation.datasets.records import (
    ASKED_AFTER,
    Dataset,
    DatasetQuestion,
    Note,
    Part,
    Row,
    Source,
    as_object,
)
from memory_db.store.dates import normal_utc, parse_utc, utc_text

BELIEFS, CASES = "beliefs.seed.json", "retrieval.cases.json"

KINDS = {
    "preference": "preference",
    "decision": "decision",
    "entity": "domain",
    "open_question": "issue",
    "relation": "structure",
}
"""Which kind of memory a type of belief is."""

WANTED, BARRED = ("mustInclude", "shouldOnlyInclude"), ("mustExclude",)
"""What the sections of a case call that which must come back, and that which must not."""

DOMAIN = "domain:"


def read(path: Path) -> Dataset:
    """The beliefs and the cases. Raises: SourceError."""
    source = Source(path)
    beliefs = list(source.items(BELIEFS))
    users = Counter(row.text("user_id", "") for row in beliefs)
    user = users.most_common(1)[0][0] if users else ""
    own = [row for row in beliefs if row.text("user_id", "") == user]
    notes, dropped = notes_of(own)
    if not notes:
        raise SourceError(f"{BELIEFS} holds no belief.")
    asked_at = utc_text(max(parse_utc(note.created_at) for note in notes) + ASKED_AFTER)
    cases = list(source.items(CASES))
    questions = tuple(question_of(row, asked_at) for row in cases if row.text("query", "").strip())
    left_out = {
        "beliefs_of_another_user": len(beliefs) - len(own),
        "cases_without_a_query": len(cases) - len(questions),
        **dropped,
    }
    part = Part(source.name, questions, notes=notes)
    return Dataset(source.name, "precisionmembench", source.file_hash(), (part,), left_out)


def notes_of(beliefs: list[Row]) -> tuple[tuple[Note, ...], dict[str, int]]:
    """The beliefs as notes, and how many successions no note can tell: one that replaces several tells the first."""
    known = {row.text("_id") for row in beliefs}
    older: dict[str, str] = {}
    dropped = 0
    for row in beliefs:
        if newer := row.text_or_none("superseded_by"):
            if newer in known and newer not in older:
                older[newer] = row.text("_id")
            else:
                dropped += 1
    notes = tuple(note_of(row, older.get(row.text("_id"))) for row in beliefs)
    return notes, {"successions_that_no_note_can_tell": dropped}


def note_of(row: Row, supersedes: str | None) -> Note:
    """One belief; why it matters stays out, for the cases hold that nothing is found by it. Raises: SourceError."""
    kind = row.text("type")
    if kind not in KINDS:
        raise SourceError(f"{row.place} has the type {kind!r}. There are: {', '.join(KINDS)}.")
    try:
        created_at = normal_utc(row.text("created_at"))
    except InputError as error:
        raise SourceError(f"{row.place}: {error}") from error
    return Note(
        uid=row.text("_id"),
        kind=KINDS[kind],
        title=row.text("canonical_name", "").replace("_", " "),
        text=row.text("content"),
        project=domain_of(row),
        tags=(),
        paths=(),
        importance=3,
        created_at=created_at,
        supersedes=supersedes,
        keys=tuple(dict.fromkeys(alias for alias in row.texts("aliases") if alias.strip())),
        is_retired=row.text_or_none("resolved_at") is not None,
    )


def domain_of(row: Row) -> str | None:
    """The domain that something is about, which is its project; None for the user everywhere."""
    return next((scope.removeprefix(DOMAIN) for scope in row.texts("scope") if scope.startswith(DOMAIN)), None)


def question_of(row: Row, asked_at: str) -> DatasetQuestion:
    """One case; its category is its style. What one section wants and another does not have is wanted."""
    expected = as_object(row.values.get("expect"), f"The field expect of {row.place}")
    relevant = named_in(expected, WANTED, row.place)
    barred = named_in(expected, BARRED, row.place)
    return DatasetQuestion(
        uid=row.text("caseId"),
        query=row.text("query"),
        project=domain_of(row),
        asked_at=asked_at,
        relevant=relevant,
        must_not=tuple(uid for uid in barred if uid not in relevant),
        style=row.text("category", ""),
    )


def named_in(expected: Mapping[str, Any], lists: tuple[str, ...], place: str) -> tuple[str, ...]:
    """The beliefs that any section of a case names in one of these lists."""
    named: dict[str, None] = {}
    for section, value in expected.items():
        row = Row(as_object(value, f"The section {section} of {place}"), f"the section {section} of {place}")
        for name in lists:
            named.update(dict.fromkeys(row.texts(name)))
    return tuple(named)
