"""How fast an import is, and where the time goes.

`python bench/import_speed.py [--megabytes 50]` repeats the sample history with
fresh ids, imports it, and prints JSON: MB/s of bare `json.loads`, of redaction
alone, of writing alone and of everything; peak memory at a fifth of the size and
at the whole. Numbers only: nothing here passes or fails.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from memory_db.redact.clean import clean
from memory_db.sample.build import write_history
from memory_db.store.connection import transaction
from memory_db.store.schema import open_database
from memory_db.transcripts.claude_code import ClaudeCodeReader, ReaderState
from memory_db.transcripts.importer import find_transcripts, import_claude_code
from memory_db.transcripts.lines import Line
from memory_db.transcripts.writer import ImportCounts, Origin, write_items

NOW = datetime(2026, 11, 1, 12, 0, tzinfo=UTC)
MEGABYTE = 1_000_000
ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?:msg_01|req_011|toolu_01)[0-9A-Za-z]{20,24}")


def repeat_history(folder: Path, megabytes: float) -> int:
    """Fills a folder with copies of the sample history, each with ids of its own; the bytes written."""
    with tempfile.TemporaryDirectory() as first:
        sources = [(path.relative_to(first), path.read_text("utf-8")) for path in write_history(Path(first))]
    written = copy = 0
    while written < megabytes * MEGABYTE:
        for path, text in sources:
            target = folder / fresh(str(path), copy)
            target.parent.mkdir(parents=True, exist_ok=True)
            written += target.write_text(fresh(text, copy), "utf-8")
            if written >= megabytes * MEGABYTE:
                break
        copy += 1
    return sum(path.stat().st_size for path in find_transcripts([folder]))


def fresh(text: str, copy: int) -> str:
    """A text in which every id is another one, the same for the same copy."""

    def renamed(match: re.Match[str]) -> str:
        name = uuid.uuid5(uuid.NAMESPACE_OID, f"{copy}/{match[0]}")
        return str(name) if "-" in match[0] else f"{match[0].partition('_')[0]}_01{name.hex[:22]}"

    return ID.sub(renamed, text)


def speed(size_bytes: int, work: Callable[[], object]) -> float:
    """MB/s of CPU time."""
    start = time.process_time()
    work()
    return round(size_bytes / MEGABYTE / (time.process_time() - start), 2)


def strings(value: object) -> list[str]:
    """Every text in a JSON value."""
    if isinstance(value, str):
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for part in parts for text in strings(part)]


def write_alone(folder: Path, database: Path) -> Callable[[], None]:
    """Writing of what is already read and redacted."""
    batches = []
    for path in find_transcripts([folder]):
        reader = ClaudeCodeReader(path, ReaderState(), "2026-01-01T00:00:00.000Z")
        lines = enumerate(path.read_bytes().splitlines(), 1)
        batches.append((path, [reader.item(Line(number, line, 0)) for number, line in lines]))

    def work() -> None:
        db = open_database(database, now=NOW)
        for path, items in batches:
            with transaction(db):
                source = db.execute(
                    "insert into sources (path, format, size_bytes, mtime_ns, state, found_at)"
                    " values (?, 'claude-code', 0, 0, 'found', '')",
                    [str(path)],
                )
                write_items(db, Origin(source.lastrowid or 0, str(path), "claude-code"), items, ImportCounts(), NOW)
        db.close()

    return work


def measure(folder: Path, work: Path) -> dict[str, object]:
    """The speeds over one folder."""
    paths = find_transcripts([folder])
    size = sum(path.stat().st_size for path in paths)
    lines = [line for path in paths for line in path.read_bytes().splitlines()]
    records = []
    for line in lines:
        try:
            records.append(json.loads(line))
        except ValueError:
            continue
    texts = [text for record in records for text in strings(record) if len(text) > 40]

    def loads() -> None:
        for line in lines:
            try:
                json.loads(line)
            except ValueError:
                continue

    db = open_database(work / "whole.db", now=NOW)
    found: dict[str, object] = {
        "megabytes": round(size / MEGABYTE, 1),
        "files": len(paths),
        "lines": len(lines),
        "json_loads_mb_s": speed(size, loads),
        "redaction_mb_s": speed(size, lambda: [clean(text) for text in texts]),
        "everything_mb_s": speed(size, lambda: import_claude_code(db, [folder], now=NOW)),
        "writing_mb_s": speed(size, write_alone(folder, work / "writing.db")),
    }
    found["database_to_source"] = round((work / "whole.db").stat().st_size / size, 2)
    for part in ("json_loads", "redaction", "writing"):
        found[f"{part}_share"] = round(float(str(found["everything_mb_s"])) / float(str(found[f"{part}_mb_s"])), 2)
    return found


def peak_megabytes(megabytes: float, *, one_file: bool) -> float:
    """Peak memory of an import in a process of its own."""
    command = [sys.executable, __file__, "--peak", str(megabytes), *(["--one-file"] if one_file else [])]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def print_peak(megabytes: float, one_file: bool) -> None:
    """Imports so much and prints the peak memory in MB."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "projects"
        repeat_history(folder, megabytes)
        if one_file:
            paths = find_transcripts([folder])
            (folder / "one").mkdir()
            with (folder / "one" / "all.jsonl").open("wb") as whole:
                for path in paths:
                    with path.open("rb") as part:
                        shutil.copyfileobj(part, whole)
                    whole.write(b"\n")
            folder = folder / "one"
        db = open_database(Path(temporary) / "peak.db", now=NOW)
        import_claude_code(db, [folder], now=NOW)
        print(peak_of_this_process())


def peak_of_this_process() -> float:
    """Peak memory in MB, from the kernel where it tells: `getrusage` may count the parent's too."""
    status = Path("/proc/self/status")
    if status.exists():
        return round(int(re.findall(r"VmHWM:\s+(\d+)", status.read_text("ascii"))[0]) / 1024, 1)
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1)


def measured(megabytes: float = 50) -> dict[str, object]:
    """The speeds over so much history, and the peak memory at a fifth of it and at the whole."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "projects"
        repeat_history(folder, megabytes)
        found = measure(folder, Path(temporary))
    for name, one_file in (("many_files", False), ("one_file", True)):
        small = peak_megabytes(megabytes / 5, one_file=one_file)
        large = peak_megabytes(megabytes, one_file=one_file)
        found[f"peak_mb_{name}"] = {"fifth": small, "whole": large, "ratio": round(large / small, 2)}
    return found


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=float, default=50)
    parser.add_argument("--peak", type=float, help=argparse.SUPPRESS)
    parser.add_argument("--one-file", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.peak:
        print_peak(given.peak, given.one_file)
        return
    print(json.dumps(measured(given.megabytes), indent=2))


if __name__ == "__main__":
    main()
