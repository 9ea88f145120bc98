"""Looking for passages in the bytes of a file that SQLite has open.

In: files, and the bytes that are sought. Out: which of them each file holds. Invariant: the files are read by a
child process. Whoever opens and closes a database file loses the locks that SQLite holds on it for the whole process;
another process that ends would then take the log away under our connections, and what they wrote with it.
Source: "How To Corrupt An SQLite Database File", 2.2, https://sqlite.org/howtocorrupt.html.

The child runs this file as a script, so it imports nothing of memory_db.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path


def pieces_held(paths: Sequence[Path], sought: Sequence[bytes]) -> list[list[int]]:
    """Which of the sought pieces each file holds, by their numbers; none of one that is empty or not there.

    Raises: OSError where a file cannot be read, or the child not be started.
    """
    if not paths or not sought:
        return [[] for _ in paths]
    asked = json.dumps({"paths": [str(path) for path in paths], "sought": [each.hex() for each in sought]})
    child = subprocess.run(
        [sys.executable, "-I", str(Path(__file__).resolve())], input=asked, capture_output=True, text=True, check=False
    )
    if child.returncode:
        raise OSError(
            f"{paths[0]}: {(child.stderr.strip().splitlines() or [str(child.returncode)])[-1]}. Forget it once more."
        )
    return [[int(number) for number in held] for held in json.loads(child.stdout)]


PORTION_BYTES = 16 * 2**20
"""How much of a file is looked at at once. It is read, not mapped: another process may cut it meanwhile, which ends
whoever has it mapped."""


def held_by(path: Path, sought: Sequence[bytes], portion_bytes: int = PORTION_BYTES) -> list[int]:
    """Which of the sought pieces a file holds; for the child alone, since it opens and closes the file.

    Raises: OSError.
    """
    found: set[int] = set()
    overlap = max(map(len, sought)) - 1
    before = b""
    try:
        with path.open("rb") as file:
            while portion := file.read(portion_bytes):
                before += portion
                found |= {number for number, part in enumerate(sought) if number not in found and part in before}
                before = before[-overlap:] if overlap else b""
    except FileNotFoundError:
        return []
    return sorted(found)


def main() -> None:
    """Reads what is asked from stdin, as JSON, and prints the numbers."""
    asked = json.loads(sys.stdin.read())
    sought = [bytes.fromhex(each) for each in asked["sought"]]
    print(json.dumps([held_by(Path(each), sought) for each in asked["paths"]]))


if __name__ == "__main__":
    main()
