"""The simple commands of a shell's line as they were typed, each with what stands between it and the next.

In: the text of a command. Out: `Part`s: words as they were typed, and the operator behind them. Pure: nothing is run,
expanded or looked up. Invariants: quotes and substitutions stay whole; where output goes, comments and texts that a
command is fed are left out; of a line whose quotes do not end there are no parts.

    cd web && FOO=1 uv run pytest -q 2>&1 | tail -3
    -> cd web (&&), FOO=1 uv run pytest -q (|), tail -3 ()

`shell` sees through more, for rules that must not be got round; here a command is kept so that it can be typed again.
"""

from __future__ import annotations

import re

from memory_db.records import dataclass, later
from memory_db.text.commands.shell import ASSIGNMENT, HERE_TEXT, WORDS_BEFORE

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from collections.abc import Iterator

QUOTED = r"""\\.|'[^']*'|"(?:\\.|[^"\\])*"|\$\((?:[^()'"]|'[^']*'|"(?:\\.|[^"\\])*"|\([^()]*\))*\)|`[^`]*`"""

PIECE = later(
    rf"""(?P<operator>&&|\|\||;;|\|&|\||;|\n|&(?![>&]))
    |(?P<output>(?:(?<![^\s])\d+|&)?>>?\|?[ \t]*(?:&[\d-]+|(?:{QUOTED}|[^\s;&|<>()'"`])+))
    |(?P<comment>(?<![^\s])\#[^\n]*)
    |(?P<blank>[ \t\r]+|\\\n)
    |(?P<word>(?:[^\s;&|<>'"`\\$]+|{QUOTED}|<<<|[<$])+)
    |(?P<open>['"`])
    |(?P<rest>.)""",
    re.VERBOSE | re.DOTALL,
)

QUOTES = later(r"\\(.)|'([^']*)'|\"((?:\\.|[^\"\\])*)\"", re.DOTALL)

WITHOUT_MEANING = later(r"(?:nohup|time|chronic|unbuffer|timeout(?:\s+-\S+)*\s+\S+|nice(?:\s+-n\s*\S+)?)$")
"""What starts another command and says nothing of how it is done, as one with its options."""


@dataclass(slots=True, frozen=True)
class Part:
    """One simple command: its words as they were typed, and the operator behind it, such as `&&`, or nothing."""

    words: tuple[str, ...]
    after: str

    @property
    def text(self) -> str:
        """The words with one blank between them."""
        return " ".join(self.words)

    @property
    def plain(self) -> tuple[str, ...]:
        """The words without their quotes."""
        return tuple(map(unquoted, self.words))


def parts_of(command: str) -> tuple[Part, ...]:
    """The simple commands of a line in order; none where a quote does not end."""
    text = command.replace("\\\n", " ")
    if "<<" in text:
        text = HERE_TEXT.sub(lambda found: f"{found['before']} {found['after']}\n", text)
    parts: list[Part] = []
    words: list[str] = []
    glued = ""
    for found in PIECE.finditer(text):
        sort = found.lastgroup
        if sort == "open":
            return ()
        if sort in ("word", "rest"):
            glued += found[0]
            continue
        if glued:
            words.append(glued)
            glued = ""
        if sort == "operator":
            parts += ended(words, ";" if found[0] in ("\n", ";;") else found[0].rstrip("&") or found[0])
            words = []
    return (*parts, *ended([*words, glued] if glued else words, ""))


def ended(words: list[str], operator: str) -> Iterator[Part]:
    """A part, where there are words left without brackets and what only stands before a command."""
    rest = [word for word in words if word not in ("(", ")", "{", "}")]
    if rest and rest[0].startswith("(") and not rest[0].startswith("(("):
        rest[0] = rest[0].lstrip("(")
    if rest and rest[-1].endswith(")") and rest[-1].count("(") < rest[-1].count(")"):
        rest[-1] = rest[-1].rstrip(")")
    while rest and (rest[0] in WORDS_BEFORE or not rest[0]):
        rest.pop(0)
    rest = [word for word in rest if word]
    if rest:
        yield Part(tuple(rest), operator)


def unquoted(word: str) -> str:
    """A word as a shell would pass it on, but for variables and substitutions."""
    if "'" not in word and '"' not in word and "\\" not in word:
        return word
    return QUOTES.sub(lambda found: found[1] or found[2] or re.sub(r"\\(.)", r"\1", found[3] or ""), word)


def assignments(words: tuple[str, ...]) -> int:
    """How many words in front set a variable for the command alone."""
    number = 0
    while number < len(words) and ASSIGNMENT.match(words[number]):
        number += 1
    return number


def told_anyway(words: tuple[str, ...]) -> tuple[str, ...]:
    """A command without what only starts it, such as `timeout 60`."""
    for number in range(min(4, len(words) - 1), 0, -1):
        if WITHOUT_MEANING.match(" ".join(words[:number])):
            return told_anyway(words[number:])
    return words
