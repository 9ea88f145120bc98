"""LoCoMo: very long chats of two people, and questions with the turns that hold their answers.

In: a file with a list of conversations, or a folder of such files. Out: one part a conversation, one turn an entry.
A question without evidence is left out and counted: it may well have an answer, so it is no negative one.

Source: Maharana et al. 2024, Evaluating Very Long-Term Conversational Memory of LLM Agents; the form is that of
snap-research/locomo's data.
"""

from __future__ import annotations

import re
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
    as_object,
)
from memory_db.store.dates import utc_text

SESSION = re.compile(r"session_(\d+)")
TURN = re.compile(r"D\d+:\d+")
"""A turn's id: some texts of evidence hold several, with any separator."""

TIME = "%I:%M %p on %d %B, %Y"
"""How the start of a session is written, such as `1:56 pm on 8 May, 2023`."""

STYLES = {1: "multi-hop", 2: "temporal", 3: "open", 4: "single-hop", 5: "adversarial"}
"""What the paper calls its categories."""


def read(path: Path) -> Dataset:
    """Every conversation of a file, or of all JSON files of a folder. Raises: SourceError."""
    source = Source(path)
    parts: list[Part] = []
    for name in source.names(".json") if path.is_dir() or source.is_zip else [path.name]:
        conversations = as_json(source.text(name), name)
        if not isinstance(conversations, list):
            raise SourceError(f"{name} is no list of conversations. Check that it is LoCoMo's.")
        parts += [part_of(value, f"conversation {n} of {name}") for n, value in enumerate(conversations, start=1)]
    names = [part.name for part in parts]
    if len(set(names)) < len(names):
        raise SourceError(f"{path} has two conversations of one name. Keep one of each.")
    asked = sum(len(part.questions) for part in parts)
    kept = tuple(replace(part, questions=tuple(each for each in part.questions if each.relevant)) for part in parts)
    left_out = {"questions_without_evidence": asked - sum(len(part.questions) for part in kept)}
    return Dataset(source.name, "locomo", source.file_hash(), kept, left_out)


def part_of(value: Any, place: str) -> Part:
    """One conversation."""
    row = Row(as_object(value, place), place)
    sessions = as_object(row.values.get("conversation"), f"The field conversation of {place}")
    name = row.text("sample_id", place)
    turns: list[Turn] = []
    numbers = sorted(int(match[1]) for key in sessions if (match := SESSION.fullmatch(key)))
    for number in numbers:
        turns += session_turns(sessions, number, place)
    if not turns:
        raise SourceError(f"{place} has no turn. Check that it is LoCoMo's.")
    last_said_at = max(datetime.fromisoformat(turn.created_at) for turn in turns)
    asked_at = utc_text(last_said_at + ASKED_AFTER)
    return Part(name, questions_of(row, name, asked_at), tuple(turns))


def session_turns(sessions: Any, number: int, place: str) -> list[Turn]:
    """The turns of one session, a second apart."""
    name = f"session_{number}"
    started_text = str(sessions.get(f"{name}_date_time"))
    try:
        started = datetime.strptime(started_text, TIME).replace(tzinfo=UTC)
    except ValueError as error:
        raise SourceError(
            f"{place} has a {name}_date_time {started_text!r}. Write it as 1:56 pm on 8 May, 2023."
        ) from error
    said = sessions[name]
    if not isinstance(said, list):
        raise SourceError(f"{place} has a {name} that is no list of turns.")
    turns = []
    for position, value in enumerate(said):
        turn = Row(as_object(value, f"turn {position + 1} of {name} of {place}"), f"{name} of {place}")
        text = f"{turn.text('speaker')}: {turn.text('text')} {turn.text('blip_caption', '')}".strip()
        turns.append(Turn(turn.text("dia_id"), name, text, utc_text(started + timedelta(seconds=position))))
    return turns


def questions_of(row: Row, name: str, asked_at: str) -> tuple[DatasetQuestion, ...]:
    """The questions of a conversation."""
    items = row.values.get("qa")
    if not isinstance(items, list):
        raise SourceError(f"{row.place} has no list qa. Check that it is LoCoMo's.")
    questions = []
    for number, value in enumerate(items, start=1):
        item = Row(as_object(value, f"question {number} of {row.place}"), f"question {number} of {row.place}")
        evidence = tuple(dict.fromkeys(TURN.findall(" ".join(item.texts("evidence")))))
        style = STYLES.get(item.number("category", 0), "other")
        uid = f"{name}:{number:04}"
        questions.append(DatasetQuestion(uid, item.text("question"), name, asked_at, evidence, (), style))
    return tuple(questions)
