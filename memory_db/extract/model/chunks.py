"""A session cut into portions that a model can read, as data and not as orders.

In: a session's entries in their order, from the first unread one on. Out: `Chunk`s of at most so many tokens, cut
between entries, each repeating the last entries of the one before and what its exchange begins with. Invariants: what
a portion shows of an entry stands in one JSON string on one line, which no text can end or leave; entries of sidechains
are not shown; the numbers of entries count all entries of the session, so that what was read is a number.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memory_db.models.tokens import count_tokens

PORTION_TOKENS = 6_000
"""Tokens of transcript in one call. Source: ours; small models lose what stands in the middle of longer texts, and one
answer holds no more than so many lessons (`MOST_MEMORIES`)."""

OVERLAP_SHARE = 0.1
"""Share of a portion that is repeated from the one before, so that what was said across a cut is read as a whole."""

ENTRY_SHARE = 0.25
"""Share of a portion that one entry takes at most; of a longer one its beginning and its end are shown."""

LEFT_OUT = " [... {count:,} characters left out ...] "

LINE_BREAKS = str.maketrans({"\x7f": "\\u007f", "\x85": "\\u0085", "\u2028": "\\u2028", "\u2029": "\\u2029"})
"""Characters that end a line for some readers and that JSON lets stand as they are."""


@dataclass(frozen=True, slots=True)
class TranscriptLine:
    """One line that a model reads: what somebody said, or a digest of the tools used in between.

    `number` is how an answer refers to it, `last_number` the last entry that it stands for, both counted from 1 within
    the session. `sources` are the entries whose text a quote may come from, as (id, text).
    """

    number: int
    last_number: int
    speaker: str
    text: str
    sources: tuple[tuple[int, str], ...]
    created_at: str
    exchange: int = 0
    answers: tuple[int, ...] = ()

    @property
    def is_message(self) -> bool:
        """Whether it is the message that begins an exchange."""
        return self.exchange == self.number

    @property
    def is_prose(self) -> bool:
        """Whether somebody said it, rather than a tool."""
        return self.speaker != "tools"


@dataclass(frozen=True, slots=True)
class Chunk:
    """Entries for one call; the first `repeated` of them stood in the portion before.

    `text` is what the model reads, `tokens` its length. `read_before` and `last_number` are how many entries of the
    session are read before and after it, and `is_last` says whether that is all of them. With a `skip_reason` there is
    nothing to ask about.
    """

    session_id: int
    read_before: int
    said: tuple[TranscriptLine, ...]
    repeated: int
    text: str
    tokens: int
    last_number: int
    is_last: bool
    skip_reason: str = ""

    @property
    def entries(self) -> int:
        """How many entries are read by it for the first time."""
        return self.last_number - self.read_before

    @property
    def fresh(self) -> tuple[TranscriptLine, ...]:
        """What no portion showed before."""
        return self.said[self.repeated :]


@dataclass(frozen=True, slots=True)
class Cut:
    """Where a portion lies: `said[start:end]`, of which those before `fresh` are repeated."""

    start: int
    fresh: int
    end: int
    tokens: int


def cuts(tokens: Sequence[int], fresh: int, most_tokens: int) -> Iterator[Cut]:
    """Portions of lines with so many tokens each, from the line `fresh` on, those before it being read already.

    A line that is longer than a portion makes one by itself.
    """
    overlap = int(most_tokens * OVERLAP_SHARE)
    previous = 0
    while fresh < len(tokens):
        start, spent = fresh, 0
        while start > previous and spent + tokens[start - 1] <= overlap:
            start -= 1
            spent += tokens[start]
        end = fresh
        while end < len(tokens) and (end == fresh or spent + tokens[end] <= most_tokens):
            spent += tokens[end]
            end += 1
        yield Cut(start, fresh, end, spent)
        previous, fresh = fresh, end


def cut_lines(lines: Sequence[str], fresh: int, most_tokens: int) -> Iterator[Cut]:
    """As `cuts`, for the lines themselves; a line break counts as a token."""
    return cuts([tokens_of(line) for line in lines], fresh, most_tokens)


def tokens_of(line: str) -> int:
    """The tokens of a line with its line break."""
    return count_tokens(line) + 1


def line_of(said: TranscriptLine, most_tokens: int = PORTION_TOKENS) -> str:
    """One line of JSON, shortened where it would take more than its share of a portion."""
    text = shortened(said.text, max(1, int(most_tokens * ENTRY_SHARE)))
    members: dict[str, object] = {"entry": said.number}
    if said.exchange:
        members["exchange"] = said.exchange
    members["from"] = said.speaker
    if said.answers:
        members["answers"] = said.answers
    return json_line(members | {"text": text})


def json_line(value: object) -> str:
    """A value as JSON that is one line to every reader."""
    return json.dumps(value, ensure_ascii=False).translate(LINE_BREAKS)


def shortened(text: str, most_tokens: int) -> str:
    """A text of at most about so many tokens: its beginning and its end."""
    if len(text) <= most_tokens:
        return text
    tokens = count_tokens(text)
    if tokens <= most_tokens:
        return text
    keep = max(2, len(text) * most_tokens // tokens - len(LEFT_OUT))
    head, tail = keep * 2 // 3, keep - keep * 2 // 3
    return text[:head] + LEFT_OUT.format(count=len(text) - keep) + text[-tail:]
