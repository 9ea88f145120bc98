"""BEAM: very long chats of a user and an assistant, and ten sorts of questions with the turns they hang on.

In: a folder with a folder a chat, each with chat.json (batches of turns) and probing_questions.json (questions by
sort). Out: one part a chat, one turn an entry, a batch a session that begins on its day. What asks for something that
was never said (`abstention`) is a negative question; any other without a source is left out and counted.

Source: Tavakoli et al. 2026, Beyond a Million Tokens: Benchmarking and Enhancing Long-Term Memory in LLMs; the form is
that of mohammadtavakoli78/BEAM's chats of up to a million tokens.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from memory_db.errors import SourceError
from memory_db.evaluation.datasets.records import (
    ASKED_AFTER,
    Dataset,
    DatasetQuestion,
    Part,
    Row,
    Source,
    Turn,
    as_json,
    as_list,
    as_object,
)
from memory_db.store.dates import utc_text

CHAT, QUESTIONS = "chat.json", "probing_questions.json"

DAY = "%B-%d-%Y"
"""How the day of a batch is written, such as `March-15-2024`."""

ABSTENTION = "abstention"
"""The sort of questions that nothing in the chat answers."""

ROLES = ("user", "assistant")


def read(path: Path) -> Dataset:
    """Every chat of a folder or archive. Raises: SourceError."""
    source = Source(path)
    chats = source.names(f"/{CHAT}")
    if not chats:
        raise SourceError(f"{path} has no {CHAT}. Check that it holds chats of BEAM, each in a folder of its own.")
    parts = [part_of(source, name) for name in chats]
    asked = sum(len(part.questions) for part in parts)
    kept = tuple(replace(part, questions=tuple(each for each in part.questions if can_be_used(each))) for part in parts)
    left_out = {"questions_without_evidence": asked - sum(len(part.questions) for part in kept)}
    return Dataset(source.name, "beam", source.file_hash(), kept, left_out)


def can_be_used(asked: DatasetQuestion) -> bool:
    """Whether it is known what answers a question, or that nothing does."""
    return bool(asked.relevant) or asked.style == ABSTENTION


def part_of(source: Source, chat: str) -> Part:
    """One chat; it is called by its folder."""
    folder = chat.removesuffix(CHAT)
    questions = next((name for name in source.names(f"/{QUESTIONS}") if name.startswith(folder)), None)
    if questions is None:
        raise SourceError(f"{chat} has no {QUESTIONS} beside it. Add it, or take the chat out.")
    turns = tuple(turns_of(as_list(as_json(source.text(chat), chat), chat), chat))
    if not turns:
        raise SourceError(f"{chat} has no turn. Check that it is BEAM's.")
    asked_at = utc_text(datetime.fromisoformat(max(turn.created_at for turn in turns)) + ASKED_AFTER)
    by_sort = as_object(as_json(source.text(questions), questions), questions)
    name = folder.rstrip("/") or source.name
    return Part(name, tuple(questions_of(by_sort, questions, name, asked_at)), turns)


def turns_of(batches: list[Any], place: str) -> Iterator[Turn]:
    """The turns of a chat, those of a batch a second apart. Raises: SourceError."""
    for number, value in enumerate(batches, start=1):
        batch = Row(as_object(value, f"batch {number} of {place}"), f"batch {number} of {place}")
        groups = as_list(batch.values.get("turns"), f"The field turns of {batch.place}")
        said = [
            Row(as_object(turn, f"a turn of {batch.place}"), f"a turn of {batch.place}")
            for group in groups
            for turn in as_list(group, f"A group of {batch.place}")
        ]
        started = day_of(batch, said)
        for position, turn in enumerate(said):
            role = turn.text("role")
            if role not in ROLES:
                raise SourceError(f"{turn.place} has the role {role!r}. There are: {', '.join(ROLES)}.")
            moment = utc_text(started + timedelta(seconds=position))
            yield Turn(turn.text("id"), f"batch {number}", turn.text("content"), moment, role)


def day_of(batch: Row, said: list[Row]) -> datetime:
    """The day of a batch: its own, else that of its first turn that names one. Raises: SourceError."""
    named = (row.values.get("time_anchor") for row in (batch, *said))
    text = next((value for value in named if value), None)
    try:
        return datetime.strptime(str(text), DAY).replace(tzinfo=UTC)
    except ValueError as error:
        raise SourceError(f"{batch.place} has the time_anchor {text!r}. Write it as March-15-2024.") from error


def questions_of(by_sort: Any, place: str, name: str, asked_at: str) -> Iterator[DatasetQuestion]:
    """The questions of a chat; their sort is their style."""
    for sort, values in by_sort.items():
        for number, value in enumerate(as_list(values, f"The sort {sort} of {place}"), start=1):
            row = Row(as_object(value, f"{sort} {number} of {place}"), f"{sort} {number} of {place}")
            relevant = () if sort == ABSTENTION else tuple(dict.fromkeys(ids_in(row.values.get("source_chat_ids"))))
            yield DatasetQuestion(f"{name}:{sort}:{number}", row.text("question"), name, asked_at, relevant, (), sort)


def ids_in(value: Any) -> Iterator[str]:
    """The ids of turns in any of the shapes that occur: one, a list, lists in lists, or such by kind of source."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from ids_in(each)
    elif isinstance(value, int | str) and not isinstance(value, bool):
        yield str(value)
