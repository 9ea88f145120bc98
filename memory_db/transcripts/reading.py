"""Files of JSON lines read in batches, here or in a helper that reads ahead of the one that stores them.

In: where a file was left, and the reader that stopped there. Out: batches of items, each with how far it reaches.
Invariants: a file gives the same batches wherever it is read and however often that is interrupted between two of them;
what is held of a file is bounded, whatever its length.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from memory_db.helpers import AHEAD, Helpers, Promise
from memory_db.redact import wanted
from memory_db.text.provenance import DENIAL, spans_of
from memory_db.transcripts.claude_code import ClaudeCodeReader, ReaderState
from memory_db.transcripts.lines import MIB, Line, ReadLimits, is_finished, read_lines
from memory_db.transcripts.records import Item
from memory_db.transcripts.sources import SourceReading, file_time
from memory_db.transcripts.spans import MIXED_KINDS

STRETCH_BYTES = MIB
"""How much a helper reads before it hands over what it has: a fifth of a second's work. Source: ours."""

WORTH_BYTES = 2 * MIB
"""How much must be new for helpers to be asked, whose start takes as long as reading this. Source: ours."""

HELPED = "helped"
"""Under which a helper notes that personal data is taken out, in place of the file that asks for it."""


@dataclass(slots=True, frozen=True)
class Batch:
    """What some lines gave: `end` and `number` are those of the last line, None where there is none."""

    items: list[Item]
    end: int | None
    number: int | None
    cursor: str
    is_unfinished: bool
    is_last: bool


@dataclass(slots=True, frozen=True)
class Stretch:
    """From where a file is to be read, by which reader; `is_personal` is whether personal data is taken out."""

    path: Path
    offset: int
    lines: int
    reader: ClaudeCodeReader
    limits: ReadLimits
    is_personal: bool


@dataclass(slots=True, frozen=True)
class Read:
    """Batches of a stretch, and the stretch that follows; None at the end of the file."""

    batches: list[Batch]
    rest: Stretch | None


def stretch_of(reading: SourceReading, limits: ReadLimits) -> Stretch:
    """What is to be read of a source."""
    reader = ClaudeCodeReader(reading.path, ReaderState.of(reading.cursor), file_time(reading.mtime_ns))
    return Stretch(reading.path, reading.offset, reading.lines, reader, limits, wanted.is_on())


def read_batches(stretch: Stretch) -> Iterator[Batch]:
    """Every batch from there to the end of the file. Raises: OSError."""
    reader = stretch.reader
    with stretch.path.open("rb") as handle:
        handle.seek(stretch.offset)
        for lines, is_unfinished, is_last in batches(read_lines(handle, stretch.lines, stretch.limits), stretch.limits):
            items = [with_spans(reader.item(line)) for line in lines]
            end, number = (lines[-1].end, lines[-1].number) if lines else (None, None)
            yield Batch(items, end, number, reader.state.text(), is_unfinished, is_last)


def with_spans(item: Item) -> Item:
    """An item whose entry says where its words come from; of a refused call that takes the call, which is a row."""
    entry = item.entry
    if entry is not None and not (entry.results and DENIAL in entry.text):
        entry.spans = spans_of(entry.text, entry.role, entry.kind) if entry.kind in MIXED_KINDS else []
    return item


def read_stretches(stretches: Sequence[Stretch]) -> list[Read | OSError]:
    """What a helper reads of some files, each by itself: of one that cannot be read, why."""
    found: list[Read | OSError] = []
    for stretch in stretches:
        try:
            found.append(read_stretch(stretch))
        except OSError as error:
            found.append(error)
    return found


def read_stretch(stretch: Stretch) -> Read:
    """The first batches from there, about `STRETCH_BYTES` of them. Raises: OSError."""
    if wanted.is_on() != stretch.is_personal:
        wanted.ask(HELPED, stretch.is_personal)
    found = []
    for batch in read_batches(stretch):
        found.append(batch)
        if batch.is_last:
            break
        if batch.end is not None and batch.number is not None and batch.end - stretch.offset >= STRETCH_BYTES:
            rest = Stretch(stretch.path, batch.end, batch.number, stretch.reader, stretch.limits, stretch.is_personal)
            return Read(found, rest)
    return Read(found, None)


@dataclass(slots=True)
class ReadingAhead:
    """Sources in their order, each with its batches, which must be taken before the next source is.

    Of much, helpers read some files ahead, from the moment this is made; of one that is long, the next stretch while
    this one is stored.
    """

    helpers: Helpers
    limits: ReadLimits
    waiting: deque[SourceReading]
    begun: deque[tuple[list[SourceReading], Promise[list[Stretch], list[Read | OSError]]]] = field(
        default_factory=deque
    )

    def begin(self) -> None:
        """Has helpers read as many files as they can soon get to."""
        while self.waiting and self.helpers.count and len(self.begun) <= self.helpers.count + AHEAD:
            some = next_files(self.waiting)
            stretches = [stretch_of(each, self.limits) for each in some]
            self.begun.append((some, self.helpers.begin(read_stretches, stretches)))

    def __iter__(self) -> Iterator[tuple[SourceReading, Iterator[Batch]]]:
        while self.begun:
            some, promise = self.begun.popleft()
            for place, reading in enumerate(some):
                yield reading, follow(self.helpers, promise, place)
            self.begin()
        for reading in self.waiting:
            yield reading, read_batches(stretch_of(reading, self.limits))


def read_ahead(pending: Sequence[SourceReading], helpers: Helpers, limits: ReadLimits) -> ReadingAhead:
    """Sources with their batches; helpers have begun, where they run already or much is new."""
    ahead = ReadingAhead(helpers, limits, deque(pending))
    if helpers.are_running or sum(each.size_bytes - each.offset for each in pending) >= WORTH_BYTES:
        ahead.begin()
    return ahead


def next_files(waiting: deque[SourceReading]) -> list[SourceReading]:
    """Takes the next file, and small ones behind it as long as all are no longer than a stretch."""
    taken = [waiting.popleft()]
    left_bytes = taken[0].size_bytes - taken[0].offset
    while waiting and (left_bytes := left_bytes + waiting[0].size_bytes - waiting[0].offset) <= STRETCH_BYTES:
        taken.append(waiting.popleft())
    return taken


def follow(helpers: Helpers, promise: Promise[list[Stretch], list[Read | OSError]], place: int) -> Iterator[Batch]:
    """The batches of a file whose first stretch is promised, among others at its place. Raises: OSError."""
    while True:
        found = promise.get()[place]
        if isinstance(found, OSError):
            raise found
        if found.rest is not None:
            promise, place = helpers.begin(read_stretches, [found.rest]), 0
        yield from found.batches
        if found.rest is None:
            return


def batches(lines: Iterator[Line], limits: ReadLimits) -> Iterator[tuple[list[Line], bool, bool]]:
    """Lines in groups of bounded size: (lines, whether one more is there but not finished, whether it is the last)."""
    batch: list[Line] = []
    size = 0
    for line in lines:
        if not is_finished(line):
            yield batch, True, True
            return
        if len(batch) >= limits.batch_lines or (batch and size + len(line.data) > limits.batch_bytes):
            yield batch, False, False
            batch, size = [], 0
        batch.append(line)
        size += len(line.data)
    yield batch, False, True
