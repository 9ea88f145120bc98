"""What an agent's words and deeds have of a memory to the letter: long runs of words, names and commands.

In: the text of a memory, and texts of an agent. Out: the run that both have, the literals that a memory tells to use,
what an action wrote or ran. Invariant: pure; what a memory forbids is no literal to use.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memory_db.text.names.literals import NAMED
from memory_db.text.statements import NEGATIVE, WEAK
from memory_db.text.terms import STOP_WORDS

WORD = re.compile(r"\w+(?:'[a-z]+)?")

READ_CHARACTERS = 20_000
"""Of a longer text the beginning is read."""

GRAM = 4
"""Words by which a run is found."""

SHORT_RUN, SHORT_TELLING, SHORT_SHARE = 5, 3, 0.5
LONG_RUN, LONG_TELLING = 8, 5
"""A run is near-verbatim when it has so many words, so many distinctive ones, and, a short one, so much of the
memory's.

Source: ours; set on the labelled cases of the tests, where shorter runs began to be chance.
"""

LITERAL_CHARACTERS = 8
"""Letters of a name or command that nobody hits upon by chance: `make release-all`, `postgresql_concurrently`."""

QUOTED = re.compile(r"`([^`\n]{2,80})`")

COMMAND = re.compile(
    r"\b(?:make|just|npm|npx|pnpm|yarn|bun|uv|poetry|pip|cargo|go|docker|git|terraform|kubectl|helm|python3?|bundle|rake)"
    r"(?: (?:run|exec|add|compose|tool))? -{0,2}\w+[-:./=][\w:./=-]*\w"
)
"""A command in running text, known by who runs it and by how its target is written."""

SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")

HYPHENED = re.compile(r"[a-z]+(?:-[a-z]+)+")
"""A word that may be ordinary English: `read-only`; in backticks it is a name."""

TURNING = frozenset(["instead", "rather", "but", "except", "without", "unlike"]) | (
    NEGATIVE - {"nothing", "nobody", "off", "stop", "skip", "drop"}
)
"""What stands after such a word in a sentence is not what to do."""

DOUBTED = re.compile(
    r"\b(?:outdated|out of date|no longer|stale|wrong|incorrect|however|contrary|contradicts?|not the case|any ?more|"
    r"used to|instead|actually|obsolete|disagrees?|mismatch|ignor(?:e|ed|ing)|despite|although|though)\b|\?"
)
"""Words around a run by which an agent quotes what it does not go by."""

COMMAND_TOOLS = frozenset({"Bash", "shell", "run_shell_command", "exec_command"})

WRITTEN = {"Edit": ("new_string", "old_string"), "Write": ("content", ""), "NotebookEdit": ("new_source", "")}
"""The fields of an editing tool's input that hold what is new, and what stood there before."""


@dataclass(slots=True, frozen=True)
class Literal:
    """Words that a memory has to the letter; `is_forbidden` where it tells not to use them."""

    words: tuple[str, ...]
    is_forbidden: bool

    @property
    def is_distinctive(self) -> bool:
        """Whether nobody hits upon it by chance."""
        return sum(map(len, self.words)) + len(self.words) - 1 >= LITERAL_CHARACTERS


@dataclass(slots=True, frozen=True)
class WordRun:
    """A run of words that a memory and a text have in common, as they stand in the text: `start` is its first word."""

    words: tuple[str, ...]
    start: int


def words_of(text: str) -> list[str]:
    """The words of a text in lower case."""
    return WORD.findall(text[:READ_CHARACTERS].casefold())


def is_distinctive(word: str) -> bool:
    """Whether a word says what a text is about."""
    return len(word) > 1 and word not in STOP_WORDS and word not in WEAK


def grams(words: Sequence[str]) -> list[tuple[str, ...]]:
    """Each run of GRAM words."""
    return [tuple(words[index : index + GRAM]) for index in range(len(words) - GRAM + 1)]


def longest_run(memory: Sequence[str], text: Sequence[str], starts: Mapping[tuple[str, ...], int]) -> WordRun | None:
    """The longest run of words that both have, None below GRAM. `starts` are where the memory's grams begin."""
    best: WordRun | None = None
    index = 0
    while index <= len(text) - GRAM:
        at = starts.get(tuple(text[index : index + GRAM]))
        length = 0
        if at is not None:
            pairs = zip(text[index:], memory[at:], strict=False)
            length = next((number for number, (one, other) in enumerate(pairs) if one != other), 0)
            length = length or min(len(text) - index, len(memory) - at)
            if best is None or length > len(best.words):
                best = WordRun(tuple(text[index : index + length]), index)
        index += max(1, length - GRAM + 1)
    return best


def is_near_verbatim(run: WordRun, memory: Sequence[str]) -> bool:
    """Whether a run is so long and distinctive that it is the memory's own wording."""
    distinctive = {word for word in run.words if is_distinctive(word)}
    own = {word for word in memory if is_distinctive(word)}
    long = len(run.words) >= LONG_RUN and len(distinctive) >= LONG_TELLING
    return long or (
        len(run.words) >= SHORT_RUN and len(distinctive) >= SHORT_TELLING and len(distinctive) >= SHORT_SHARE * len(own)
    )


def adds(run: WordRun, said: set[str]) -> bool:
    """Whether a run tells what the prompts had not: a value, or two distinctive words."""
    new = {word for word in run.words if is_distinctive(word) and word not in said}
    return len(new) >= 2 or any(word[0].isdigit() for word in new)


def is_doubted(text: str, run: WordRun) -> bool:
    """Whether the sentence with the run, or the next one, sets it aside or asks."""
    spot = re.search(r"\W+".join(map(re.escape, run.words)), text[:READ_CHARACTERS].casefold())
    if spot is None:
        return True
    start = max(text.rfind(mark, 0, spot.start()) for mark in (". ", "\n", "! ", "? "))
    around = f"{text[max(0, start) : spot.start()]} … {text[spot.end() : spot.end() + 160]}"
    return DOUBTED.search(around.casefold()) is not None


def literals_of(text: str) -> tuple[Literal, ...]:
    """The names and commands of a memory's text, each once; those after a word that turns are forbidden."""
    found: dict[tuple[str, ...], bool] = {}
    for sentence in SENTENCE.split(text):
        matches = [(match.start(), match[1]) for match in QUOTED.finditer(sentence)]
        bare = QUOTED.sub(lambda match: " " * len(match[0]), sentence)
        matches += [(match.start(), match.group()) for way in (COMMAND, NAMED) for match in way.finditer(bare)]
        turns = [word.start() for word in WORD.finditer(bare.casefold()) if word[0] in TURNING]
        for start, literal in matches:
            words = tuple(WORD.findall(literal.casefold()))
            is_english = sentence[start] != "`" and HYPHENED.fullmatch(literal) is not None and is_phrase(words)
            if not is_english and (len(words) > 1 or (words and len(words[0]) >= LITERAL_CHARACTERS)):
                is_forbidden = any(turn < start for turn in turns)
                found[words] = found.get(words, False) or is_forbidden
    return tuple(Literal(words, is_forbidden) for words, is_forbidden in found.items())


def is_phrase(words: tuple[str, ...]) -> bool:
    """Whether words with hyphens may be ordinary English: two, or some that every text has (`end-to-end`)."""
    return len(words) < 3 or any(word in STOP_WORDS for word in words)


def spaced(words: Sequence[str]) -> str:
    """Words with a space around each, so that a run of them can be looked for."""
    return f" {' '.join(words)} "


def done_in(tool: str, stored: str) -> tuple[str, str]:
    """What an action ran or wrote, and what stood there before; empty for a tool that only looks."""
    try:
        values: Any = json.loads(stored)
    except ValueError:
        return "", ""
    if not isinstance(values, dict):
        return "", ""
    if tool in COMMAND_TOOLS:
        return text_at(values, "command"), ""
    if tool == "MultiEdit":
        edits = [each for each in values.get("edits") or [] if isinstance(each, dict)]
        new, old = ("\n".join(text_at(each, name) for each in edits) for name in WRITTEN["Edit"])
        return new, old
    new, old = WRITTEN.get(tool, ("", ""))
    return text_at(values, new), text_at(values, old)


def text_at(values: Mapping[str, Any], name: str) -> str:
    """A value of a tool's input if it is a text."""
    value = values.get(name)
    return value[:READ_CHARACTERS] if isinstance(value, str) else ""
