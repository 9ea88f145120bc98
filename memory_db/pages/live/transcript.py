"""What a running session's transcript says that the file does not know yet: tools used, and cost so far.

In: the uid of a session, the folders of transcripts. Out: `Running`. Invariants: nothing is imported; a transcript is
read once, then only what was added to it; what is shown of it went through the reader of the import, which redacts.
"""

from __future__ import annotations

import sqlite3
import threading
from collections import OrderedDict, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memory_db.models.prices import price_at
from memory_db.transcripts.claude_code import ClaudeCodeReader, ReaderState
from memory_db.transcripts.lines import Line

MOST_BYTES = 20_000_000
"""Bytes of a transcript that are read at once; of a longer one the end is. Source: a day's session has some 10 MB."""

MOST_LINE = 2_000_000

MOST_TOOLS = 12
"""Tool calls that are shown, the last ones."""

MOST_SESSIONS = 16

TOKENS = ("input_tokens", "output_tokens", "cache_write_5m_tokens", "cache_write_1h_tokens", "cache_read_tokens")


@dataclass(slots=True)
class Running:
    """One transcript as far as it was read; `calls` has the largest usage of each answer, as the import counts it."""

    path: Path
    reader: ClaudeCodeReader
    offset: int = 0
    is_whole: bool = True
    lines: int = 0
    tool_calls: int = 0
    errors: int = 0
    tools: deque[dict[str, Any]] = field(default_factory=lambda: deque(maxlen=MOST_TOOLS))
    calls: dict[tuple[str, str], tuple[str, str, dict[str, int]]] = field(default_factory=dict)


KNOWN: OrderedDict[Path, Running] = OrderedDict()

LOCK = threading.Lock()


def running(uid: str, folders: Iterable[Path]) -> Running | None:
    """What the transcript of a session says by now; None where none of that name lies in the folders."""
    path = transcript_of(uid, folders)
    if path is None:
        return None
    with LOCK:
        try:
            size = path.stat().st_size
            found = KNOWN.get(path)
            if found is None or size < found.offset:
                found = KNOWN[path] = Running(path, ClaudeCodeReader(path, ReaderState(), ""))
                found.is_whole, found.offset = size <= MOST_BYTES, max(0, size - MOST_BYTES)
            KNOWN.move_to_end(path)
            while len(KNOWN) > MOST_SESSIONS:
                KNOWN.popitem(last=False)
            read_on(found)
        except OSError:
            return None
    return found


def transcript_of(uid: str, folders: Iterable[Path]) -> Path | None:
    """Where the transcript of a session lies; a uid that is no plain name leads nowhere."""
    if not uid or uid != Path(uid).name or set(uid) & set("*?[]"):
        return None
    return next((path for folder in folders for path in folder.glob(f"*/{uid}.jsonl")), None)


def read_on(found: Running) -> None:
    """Reads what was added. A last line without its end is left for the next time. Raises: OSError."""
    with found.path.open("rb") as handle:
        handle.seek(found.offset)
        data = handle.read(MOST_BYTES)
    whole, end, _ = data.rpartition(b"\n")
    found.offset += len(whole) + len(end)
    for text in whole.split(b"\n") if end else ():
        found.lines += 1
        if len(text) <= MOST_LINE:
            take(found, Line(found.lines, text, 0))


def take(found: Running, line: Line) -> None:
    """Counts what one line says."""
    entry = found.reader.item(line).entry
    if entry is None:
        return
    for action in entry.actions:
        found.tool_calls += 1
        target = (action.target or "")[:200]
        found.tools.append({"tool": action.tool, "target": target, "at": entry.created_at, "is_error": False})
    failed = sum(result.is_error for result in entry.results)
    if failed:
        found.errors += failed
        if found.tools:
            found.tools[-1]["is_error"] = True
    if (call := entry.api_call) is not None:
        key = (call.message_uid, call.request_uid)
        used = {name: int(getattr(call, name)) for name in TOKENS}
        before = found.calls.get(key)
        if before is None or sum(used.values()) >= sum(before[2].values()):
            found.calls[key] = (call.model, before[1] if before else entry.created_at, used)


def cost_of(db: sqlite3.Connection, calls: Sequence[tuple[str, str, dict[str, int]]]) -> tuple[int, int]:
    """What calls cost by the prices of their times, in nanocents, and how many have no known price."""
    total = without = 0
    prices: dict[tuple[str, str], sqlite3.Row | None] = {}
    for model, at, used in calls:
        key = (model, at[:10])
        if key not in prices:
            prices[key] = price_at(db, model, at)
        price = prices[key]
        if price is None:
            without += 1
            continue
        total += sum(used[name] * int(price[name.replace("_tokens", "_nanocents")] or 0) for name in TOKENS)
    return total, without
