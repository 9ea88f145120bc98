"""Reading a growing file of JSON lines.

In: an open file and how far it was read. Out: its lines, each with its number
and where it ends. Invariant: memory is bounded by the longest line allowed;
a last line that is not finished is given back, not consumed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO

MIB = 1 << 20

HASHED_BYTES = 64 * MIB
"""How much of the beginning of what was read is hashed to notice that a file was rewritten."""

SAMPLE_BYTES = 4096
"""How much of the end of what was read is hashed where it reaches further; and the head kept of a line too long."""

HEAD_BYTES = 256 * 1024
"""How far into a file its first time is looked for."""

FIRST_BYTES = 8 * 1024
"""How far a file is read first: the first entry of nearly all ends there."""

FIRST_UUID = re.compile(rb'"uuid"\s*:\s*"([^"]{1,80})"')

TIMESTAMP = re.compile(rb'"timestamp"\s*:\s*"([^"]{10,40})"')


@dataclass(slots=True, frozen=True)
class ReadLimits:
    """Bounds of memory and of a transaction: the longest line, and how much goes into one batch."""

    line_bytes: int = 64 * MIB
    batch_bytes: int = MIB // 2
    batch_lines: int = 200


LIMITS = ReadLimits()
"""The bounds that hold where nobody names others."""


@dataclass(slots=True, frozen=True)
class Line:
    """One line: its number from 1, its bytes without the line end, the offset after it.

    `whole` is False for a last line that may still grow; `skipped_bytes` is
    the length of a line too long to be read, whose `data` is only its head.
    """

    number: int
    data: bytes
    end: int
    whole: bool = True
    skipped_bytes: int = 0


def read_lines(handle: BinaryIO, number: int, limits: ReadLimits) -> Iterator[Line]:
    """The lines from where the handle stands, after `number` lines read before.

    A last line without its line end is given with `whole` False, and a line
    that continues one already taken (only blanks may follow it) is passed over.
    """
    offset = handle.tell()
    continues = offset > 0 and not ends_with_newline(handle, offset)
    while data := handle.readline(limits.line_bytes + 1):
        length, finished = len(data), data.endswith(b"\n")
        if not finished and length > limits.line_bytes:
            rest, finished = skip_rest(handle, limits.line_bytes)
            length += rest
        offset += length
        if continues and not data.strip():
            continues = False
            continue
        number += 0 if continues else 1
        continues = False
        too_long = length > limits.line_bytes + 1
        if too_long:
            data = data[:SAMPLE_BYTES]
        yield Line(number, data.strip(), offset, finished, length if too_long else 0)


def ends_with_newline(handle: BinaryIO, offset: int) -> bool:
    """Whether the byte before `offset` is a line end; the handle stays where it is."""
    handle.seek(offset - 1)
    return handle.read(1) == b"\n"


def skip_rest(handle: BinaryIO, chunk: int) -> tuple[int, bool]:
    """Passes over the rest of a line in chunks: how many bytes, and whether its end was there."""
    skipped = 0
    while data := handle.readline(min(chunk, MIB)):
        skipped += len(data)
        if data.endswith(b"\n"):
            return skipped, True
    return skipped, False


def is_finished(line: Line) -> bool:
    """Whether a line may be taken: it has its end, or is already a whole JSON object."""
    if line.whole:
        return True
    if line.skipped_bytes or not line.data.endswith(b"}"):
        return False
    try:
        return isinstance(parse(line.data.decode("utf-8", "replace")), dict)
    except (ValueError, RecursionError):
        return False


def parse(text: str) -> Any:
    """The value of a JSON text, where NaN and the infinities are null.

    Raises: ValueError, RecursionError.
    """
    return DECODER.decode(text)


DECODER = json.JSONDecoder(parse_constant=lambda _: None)


class ReadHash:
    """The hash of what was read of a file, carried on as more is read: another one means that it was rewritten.

    It covers the first 64 MiB of that, and the last 4 KiB where there is more.
    """

    def __init__(self) -> None:
        self.running = sha256()
        self.hashed_bytes = 0

    def up_to(self, path: Path, read_bytes: int) -> str:
        """The hash of the first `read_bytes` of the file, which never are fewer than the time before.

        Raises: OSError.
        """
        with path.open("rb") as handle:
            handle.seek(self.hashed_bytes)
            end = min(read_bytes, HASHED_BYTES)
            while data := handle.read(max(0, min(MIB, end - self.hashed_bytes))):
                self.running.update(data)
                self.hashed_bytes += len(data)
            whole = self.running.copy()
            if read_bytes > HASHED_BYTES:
                start = max(HASHED_BYTES, read_bytes - SAMPLE_BYTES)
                handle.seek(start)
                whole.update(handle.read(read_bytes - start))
        return whole.hexdigest()[:32]


def first_entry(path: Path) -> str:
    """What a transcript and those that repeat it begin with: the uuid of the first entry; '' where none is near.

    Raises: OSError.
    """
    with path.open("rb") as handle:
        head = handle.read(FIRST_BYTES)
        found = FIRST_UUID.search(head) or FIRST_UUID.search(head + handle.read(HEAD_BYTES - FIRST_BYTES))
    return found[1].decode("latin-1") if found else ""


def reading_order(path: Path) -> tuple[str, bool, str, str]:
    """A sort key: when the file begins, whether it is a fork, when it ends, its path.

    A resumed session repeats the entries of the one it continues and goes on
    after it, so the original comes first and owns what both hold.
    """
    with path.open("rb") as handle:
        head = handle.read(HEAD_BYTES)
        size = handle.seek(0, 2)
        handle.seek(max(0, size - HEAD_BYTES))
        tail = handle.read(HEAD_BYTES)
    first = TIMESTAMP.search(head)
    times = TIMESTAMP.findall(tail)
    begins = first[1].decode("latin-1") if first else ""
    ends = max(times).decode("latin-1") if times else ""
    return begins, b'"forkedFrom"' in head, ends, str(path)
