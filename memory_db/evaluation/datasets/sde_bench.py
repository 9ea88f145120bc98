"""SDE-bench: bug reports whose right fix hangs on a decision that was made in an earlier chat.

In: a folder with tasks.json (tasks with their chats) and decoy_conversations.json (chats about other matters). Out:
one part: all chats are its history, a chat a session, a turn an entry; each task's bug report is a question. The data
knows no times: every chat begins at one moment, but one that amends another begins a day after it.

Nothing in the data says where a decision stands, so it is found by the words of `policy`, which states it: of those
that the task's own chats say and its report does not, the turn that says most holds the decision (of equal ones the
last, for it amends), and its sentence that says most, likewise, is the decisive one.

Source: vectorize-io/sde-bench, whose form this is; the rule is ours, read through on 17 tasks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
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
    as_list,
    as_object,
)
from memory_db.evaluation.metrics import words_of
from memory_db.store.dates import utc_text

TASKS, DECOYS = "tasks.json", "decoy_conversations.json"

BEGUN = datetime(2026, 1, 1, tzinfo=UTC)
"""When chats begin: one moment for all, so that age says nothing."""

SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
"""What stands between two sentences; the recaps at the end of chats part theirs by semicolons."""

SAY_NOTHING = frozenset(
    "a an and are as at be by for from in is it its of on or so that the their this to was were when with".split()
)
"""Words that decide nothing. Many stop words of recall do: `before`, `down`, `first`, `most`, `never`, `only`."""

ROLES = ("user", "assistant")


def read(path: Path) -> Dataset:
    """The tasks with their chats, and the decoys. Raises: SourceError."""
    source = Source(path)
    tasks = list(source.items(TASKS))
    turns: list[Turn] = []
    questions: list[DatasetQuestion] = []
    for row in tasks:
        own = tuple(task_turns(row))
        turns += own
        questions.append(question_of(row, own, source.name))
    for row in source.items(DECOYS):
        turns += chat_turns(row.values.get("turns"), row.text("id"), row.place, BEGUN)
    usable = tuple(each for each in questions if each.relevant)
    left_out = {"tasks_whose_chats_say_no_word_of_the_policy": len(questions) - len(usable)}
    part = Part(source.name, usable, tuple(turns))
    return Dataset(source.name, "sde-bench", source.file_hash(), (part,), left_out)


def task_turns(row: Row) -> Iterator[Turn]:
    """What was said in the chats of a task: one list of turns, or a list of such lists, where later ones amend."""
    chats = as_list(row.values.get("conversations"), f"The field conversations of {row.place}")
    if not chats or not isinstance(chats[0], list):
        chats = [chats]
    for number, chat in enumerate(chats):
        name = f"{row.text('task_id')}:{number + 1}"
        yield from chat_turns(chat, name, row.place, BEGUN + timedelta(days=number))


def chat_turns(chat: Any, name: str, place: str, begun: datetime) -> Iterator[Turn]:
    """The turns of one chat, a second apart. Raises: SourceError."""
    for position, value in enumerate(as_list(chat, f"A chat of {place}")):
        turn = Row(as_object(value, f"turn {position + 1} of {place}"), f"turn {position + 1} of {place}")
        role = turn.text("role")
        if role not in ROLES:
            raise SourceError(f"{turn.place} has the role {role!r}. There are: {', '.join(ROLES)}.")
        moment = utc_text(begun + timedelta(seconds=position))
        yield Turn(f"{name}:{position + 1}", name, turn.text("text"), moment, role)


def question_of(row: Row, turns: Sequence[Turn], project: str) -> DatasetQuestion:
    """A task's bug report, with the turn that holds the decision and the words of its decisive sentence."""
    report = row.text("bug_report")
    held, decisive = decision_in(turns, row.text("policy"), report)
    asked_at = utc_text(BEGUN + timedelta(days=len({turn.session for turn in turns})) + ASKED_AFTER)
    return DatasetQuestion(row.text("task_id"), report, project, asked_at, held, (), row.text("category", ""), decisive)


def decision_in(turns: Sequence[Turn], policy: str, report: str) -> tuple[tuple[str, ...], frozenset[str]]:
    """The uid of the turn that holds a decision, and the words of the decision that its decisive sentence says."""
    said = frozenset().union(*(words_of(turn.text) for turn in turns))
    stated = (words_of(policy) & said) - words_of(report) - SAY_NOTHING
    if not stated:
        return (), frozenset()
    held = max(reversed(turns), key=lambda turn: len(words_of(turn.text) & stated))
    sentences = [words_of(sentence) & stated for sentence in reversed(SENTENCE.split(held.text))]
    return (held.uid,), max(sentences, key=len)
