"""What a model may answer, and what of an answer can be used.

In: the text of an answer, and the portion that it was asked about. Out: `ParsedAnswer`: what it proposes, each tied to
the entry and the verbatim words that it comes from, and what had to be left out with the reason. Invariants: nothing
that a model said is taken on trust; a proposal whose words no entry has is kept as one without a source; whatever the
text is, there is an answer or an `AnswerError`, and no reason repeats a word of the text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from json_repair import repair_json

from memory_db.errors import MemoryDBError
from memory_db.extract.model.chunks import Chunk, TranscriptLine
from memory_db.extract.rules.phrasing import distinct

MOST_MEMORIES = 32
"""Proposals of one answer that are read, so that a model that retells a portion is stopped.

Source: `python -m bench remembering`: the fullest of 48 portions of the seen half holds 31 facts, three more than two
dozen, and what is cut off is lost, since no portion is asked about twice.
"""

MOST_KEYS = 8
"""Words to find a memory by. Source: memem."""

MOST_PROMPTS = 3
"""Prompts that a memory should come up for; with the keys no more than a memory keeps. Source: ours."""

TEXT_CHARACTERS, TITLE_CHARACTERS, QUOTE_CHARACTERS = 600, 80, 400
KEY_CHARACTERS, CONDITION_CHARACTERS, SUPERSEDES_CHARACTERS, STEP_CHARACTERS = 60, 120, 200, 240
PROMPT_CHARACTERS, PROJECT_CHARACTERS = 100, 80

FEWEST_QUOTE_CHARACTERS = 8
"""A shorter quote stands in many entries and proves nothing. Source: ours; "use pnpm" says a thing, "pnpm" does not."""

ORDINARY_IMPORTANCE = 3

ANSWER_CHARACTERS = 200_000
"""A longer answer is not read: five times what the schema lets through."""

DEEPEST = 40
"""Levels of brackets in an answer that is read; ours has four."""

WHY_DOUBTED = {
    "asked": "it was only asked or supposed",
    "for now": "it was meant for that moment",
    "talk": "it is small talk or a joke",
    "quoted": "it is somebody else's words",
    "over": "it was taken back",
    "misread": "it is not what was meant",
    "empty": "it says nothing to somebody who has not read the conversation",
}
"""Why a model may say that what rules kept is not worth it, and how a person reads that. Source: ours; the classes of
what readers of bench/data/sessions called not worth keeping."""

MOST_DOUBTS, UID_CHARACTERS = 24, 20

EPISODE_STEPS = ("asked", "learned", "done", "next")
"""Source: claude-mem's session summary (request, learned, completed, next steps)."""


class AnswerError(MemoryDBError):
    """An answer that is not what was asked for; its text says what is wrong, in words that a model can act on."""


def text_of(characters: int, description: str = "") -> dict[str, Any]:
    """The schema of a text."""
    schema: dict[str, Any] = {"type": "string", "maxLength": characters}
    return schema | {"description": description} if description else schema


def object_of(properties: dict[str, Any]) -> dict[str, Any]:
    """The schema of an object with these members, all of them there, and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def schema_of(kinds: Sequence[str], *, most_memories: int = MOST_MEMORIES, looks_over: bool = False) -> dict[str, Any]:
    """What a model is asked to answer; `looks_over`: also what it doubts of that which rules kept.

    Texts, lists and numbers are bounded, since a small model fills whatever room it is given.
    """
    proposal = {
        "kind": {"type": "string", "enum": list(kinds)},
        "scope": {"type": "string", "enum": ["project", "user"], "description": "user: holds in every project"},
        "title": text_of(TITLE_CHARACTERS, "one line"),
        "text": text_of(TEXT_CHARACTERS, "the lesson, understandable without the session"),
        "quote": text_of(QUOTE_CHARACTERS, "words copied exactly from one entry"),
        "entry": {"type": "integer", "description": "the number of that entry"},
        "keys": {
            "type": "array",
            "maxItems": MOST_KEYS,
            "items": text_of(KEY_CHARACTERS),
            "description": "other words that somebody might ask with",
        },
        "prompts": {
            "type": "array",
            "maxItems": MOST_PROMPTS,
            "items": text_of(PROMPT_CHARACTERS),
            "description": "what a user may ask for, in other words, when this must come up",
        },
        "importance": {"type": "integer", "enum": [1, 2, 3, 4, 5]},
        "condition": text_of(CONDITION_CHARACTERS, "the task it is bound to, such as: before a release; else empty"),
        "supersedes": text_of(
            SUPERSEDES_CHARACTERS, "the uid of the known memory that it replaces, else what it replaces; else empty"
        ),
        "project": text_of(
            PROJECT_CHARACTERS, "the name of another project that the memory is of, as an entry writes it; else empty"
        ),
    }
    memories = {"type": "array", "maxItems": most_memories, "items": object_of(proposal)}
    episode = object_of({step: text_of(STEP_CHARACTERS) for step in EPISODE_STEPS})
    members = {"memories": memories, "episode": episode}
    if looks_over:
        doubt = object_of({
            "uid": text_of(UID_CHARACTERS, "the uid of a line kept"),
            "why": {"type": "string", "enum": list(WHY_DOUBTED)},
        })  # fmt: skip
        members["doubted"] = {"type": "array", "maxItems": MOST_DOUBTS, "items": doubt}
    return object_of(members)


@dataclass(frozen=True, slots=True)
class ProposedMemory:
    """One thing that a model proposes to remember.

    `entry_id` is None where no entry of the portion has the words of `quote`. `project` is what it says of another
    project that the memory is of, which nobody has looked at yet.
    """

    kind: str
    scope: str
    title: str
    text: str
    quote: str
    entry_id: int | None
    keys: tuple[str, ...]
    prompts: tuple[str, ...]
    importance: int
    condition: str
    supersedes: str
    project: str = ""


@dataclass(frozen=True, slots=True)
class Doubt:
    """A memory that rules made and that a model would not keep, and why: a key of `WHY_DOUBTED`."""

    uid: str
    why: str


@dataclass(frozen=True, slots=True)
class ParsedAnswer:
    """What can be used of an answer, and why the rest cannot: one line for each proposal that was left out.

    `episode` says what the session was about, one line a step that the model filled; it may be empty.
    """

    proposals: tuple[ProposedMemory, ...]
    episode: str
    left_out: tuple[str, ...]
    doubts: tuple[Doubt, ...] = ()


def read_answer(text: str, portion: Chunk, kinds: Sequence[str], kept: Collection[str] = ()) -> ParsedAnswer:
    """The answer to a portion. `kept` are the uids of the memories that it was asked to look over.

    Raises: AnswerError where it is no JSON object with a list `memories`, or no proposal of it can be used; one that
    alone cannot be used is left out with its reason.
    """
    value = json_object(text)
    memories = value.get("memories")
    if not isinstance(memories, list):
        raise AnswerError('The answer has no list called "memories".')
    proposals, left_out = [], []
    for number, each in enumerate(memories[:MOST_MEMORIES], start=1):
        try:
            proposals.append(proposal_of(each, portion.said, kinds))
        except AnswerError as error:
            left_out.append(f"proposal {number}: {error}")
    if left_out and not proposals:
        raise AnswerError(f"None of the memories can be used. {left_out[0].capitalize()}.")
    if len(memories) > MOST_MEMORIES:
        left_out.append(f"{len(memories) - MOST_MEMORIES} proposals after the first {MOST_MEMORIES}")
    doubts = doubts_in(value.get("doubted"), kept, left_out)
    return ParsedAnswer(tuple(proposals), episode_of(value.get("episode")), tuple(left_out), doubts)


def doubts_in(value: object, kept: Collection[str], left_out: list[str]) -> tuple[Doubt, ...]:
    """The doubts of an answer, one a memory; what is no doubt about a memory that was shown is added to `left_out`."""
    found: dict[str, Doubt] = {}
    for number, each in enumerate(value[: 2 * MOST_DOUBTS] if isinstance(value, list) else (), start=1):
        uid, why = (each.get("uid"), each.get("why")) if isinstance(each, dict) else (None, None)
        if not isinstance(uid, str) or uid.strip() not in kept:
            left_out.append(f"doubt {number}: its uid is none of those listed as kept")
        elif not isinstance(why, str) or why not in WHY_DOUBTED:
            left_out.append(f"doubt {number}: its why is none of those listed")
        else:
            found.setdefault(uid.strip(), Doubt(uid.strip(), why))
    return tuple(found.values())


def json_object(text: str) -> dict[str, Any]:
    """The JSON object in an answer, mended where it can be, whatever stands around it. Raises: AnswerError."""
    start, end = text.find("{"), text.rfind("}")
    if start < 0:
        raise AnswerError("The answer holds no JSON object.")
    if len(text) > ANSWER_CHARACTERS:
        raise AnswerError(f"The answer has {len(text)} characters; {ANSWER_CHARACTERS} may be read.")
    if depth(text) > DEEPEST:
        raise AnswerError(f"The answer has more than {DEEPEST} levels of brackets.")
    try:
        value = json.loads(text[start : end + 1], strict=False)
    except ValueError:
        value = mended(text[start:])
    if not isinstance(value, dict) or not value:
        raise AnswerError("The answer is not a JSON object.")
    return value


def mended(text: str) -> object:
    """JSON with the mistakes that models make put right: cut off, quoted wrongly, commas missing or left over."""
    try:
        return repair_json(text, return_objects=True, skip_json_loads=True)
    except ValueError as error:
        raise AnswerError("The answer is not JSON.") from error


def depth(text: str) -> int:
    """The levels of brackets in a text, those within its strings too."""
    level = deepest = 0
    for bracket in re.findall(r"[\[{}\]]", text):
        level = level + 1 if bracket in "[{" else max(0, level - 1)
        deepest = max(deepest, level)
    return deepest


def proposal_of(value: object, said: Sequence[TranscriptLine], kinds: Sequence[str]) -> ProposedMemory:
    """One proposal, its bounds kept. Raises: AnswerError."""
    if not isinstance(value, dict):
        raise AnswerError("it is no object")
    kind, text, quote = (text_in(value, name) for name in ("kind", "text", "quote"))
    if kind not in kinds:
        raise AnswerError("its kind is none of those listed")
    if not says_something(text):
        raise AnswerError("its text says nothing")
    entry_id, quoted = find_quote(quote, value.get("entry"), said)
    importance = value.get("importance")
    return ProposedMemory(
        kind=kind,
        scope="user" if value.get("scope") == "user" else "project",
        title=line(text_in(value, "title"), TITLE_CHARACTERS) or line(text, TITLE_CHARACTERS),
        text=text[:TEXT_CHARACTERS].strip(),
        quote=quoted,
        entry_id=entry_id,
        keys=lines_in(value, "keys", MOST_KEYS, KEY_CHARACTERS),
        prompts=lines_in(value, "prompts", MOST_PROMPTS, PROMPT_CHARACTERS),
        importance=importance if type(importance) is int and 1 <= importance <= 5 else ORDINARY_IMPORTANCE,
        condition=line(text_in(value, "condition"), CONDITION_CHARACTERS),
        supersedes=line(text_in(value, "supersedes"), SUPERSEDES_CHARACTERS),
        project=project_in(value),
    )


def project_in(value: dict[str, Any]) -> str:
    """The other project that a proposal says it is of; empty where it says none, or anything but a name."""
    found = value.get("project")
    name = line(found, PROJECT_CHARACTERS + 1) if isinstance(found, str) else ""
    return name if len(name) <= PROJECT_CHARACTERS else ""  # what is cut off is the name of another one


def lines_in(value: dict[str, Any], name: str, most: int, characters: int) -> tuple[str, ...]:
    """The texts of a list in an object, each once on one line; nothing where there is none."""
    found = value.get(name)
    texts = [line(each, characters) for each in found if isinstance(each, str)] if isinstance(found, list) else []
    return tuple(distinct(texts)[:most])


def text_in(value: dict[str, Any], name: str) -> str:
    """A text of an object; empty where there is none. Raises: AnswerError for anything but a text."""
    found = value.get(name)
    if found is None:
        return ""
    if not isinstance(found, str):
        raise AnswerError(f"its {name} is no text")
    return found.strip()


def episode_of(value: object) -> str:
    """The steps of an episode that were told, one a line; a model that tells it as one text is understood too."""
    if isinstance(value, str):
        return line(value, TEXT_CHARACTERS) if says_something(value) else ""
    if not isinstance(value, dict):
        return ""
    steps = ((step, value.get(step)) for step in EPISODE_STEPS)
    lines = ((step, line(text, STEP_CHARACTERS)) for step, text in steps if isinstance(text, str))
    # A small model gives the dots of the form back.
    return "\n".join(f"{step.capitalize()}: {text}" for step, text in lines if says_something(text))


def says_something(text: str) -> bool:
    """Whether a text has a letter or a digit."""
    return any(character.isalnum() for character in text)


def line(text: str, characters: int) -> str:
    """A text as one line of at most so many characters."""
    return " ".join(text.split())[:characters].strip()


def find_quote(quote: str, number: object, said: Sequence[TranscriptLine]) -> tuple[int | None, str]:
    """The entry that has the quoted words, and those words as they stand there; no entry where none has them.

    Spaces and line breaks may differ. The entry that the answer names is looked at first; of the user's messages it may
    name one that is shorter than a quote must be, and quote the whole of it.
    """
    words = quote[: 2 * QUOTE_CHARACTERS].split()
    for each in said:
        if words and each.number == number and each.speaker == "user" and each.text.split() == words:
            return each.sources[0][0], each.text.strip()
    if sum(map(len, words)) + len(words) - 1 < FEWEST_QUOTE_CHARACTERS:
        return None, quote
    pattern = re.compile(r"\s+".join(re.escape(word) for word in words))
    for each in sorted(said, key=lambda each: each.number != number):
        for entry_id, text in each.sources:
            if found := pattern.search(text):
                return entry_id, found[0]
    return None, quote[:QUOTE_CHARACTERS]
