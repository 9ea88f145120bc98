"""Fuzzed inputs for every way in: whole imports, hooks, MCP, the command line and HTTP; what of them stops anything.

`python -m bench fuzz [--inputs N] [--seed S]`. Most run in this process, by the functions behind the commands (a
process each would take hours): imports by their function and, every 75 files, a whole `run`; hooks by
`hooks.run.respond`; MCP by a client of the server in this process; commands by click's runner. One hook in 40, one
command line in 100 and one MCP input in 100 (twenty lines over stdio) go to processes of their own; HTTP goes over a
socket to a running server. A fault is a traceback, an import that stops, an error of the server, an exit code other
than 0, 1 and 2, and refused input that changed a row; each is written to a folder with the input that gives it again.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import random
import sys
import tempfile
import traceback
from collections import Counter
from pathlib import Path
from typing import Any, Protocol

from bench.fuzz_sources import NOW, Hooks, Imports, Tried
from bench.fuzz_surfaces import CommandLine, Http, Mcp
from memory_db.sample.file import ensure_sample

SHARES = {"import": 0.2, "hooks": 0.3, "mcp": 0.2, "cli": 0.15, "http": 0.15}
"""Of the inputs, by way in."""

MOST_PRINTED = 40


class Target(Protocol):
    """A way in: its name, one input by chance, and its end."""

    name: str

    def one(self, chance: random.Random) -> Tried:
        """One input."""

    def close(self) -> None:
        """Ends what it keeps open."""


def measured(inputs: int = 50_000, seed: int = 1, faults: Path | None = None) -> dict[str, Any]:
    """Inputs, outcomes and faults by way in; faults are written to a folder, which stderr names."""
    load = [round(os.getloadavg()[0], 1)]
    places = faults or Path(tempfile.mkdtemp(prefix="memory-db-faults-"))
    figures: dict[str, Any] = {}
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        stack.enter_context(home(folder))
        sample = ensure_sample(folder / "sample", now=NOW)
        for name, share in SHARES.items():
            figures[name] = tried(made(name, folder, sample), round(inputs * share), seed, places)
            print(f"{name}: {json.dumps(figures[name])}", file=sys.stderr, flush=True)
    load.append(round(os.getloadavg()[0], 1))
    found = sum(figures[name]["faults"] for name in SHARES)
    if found:
        print(f"{found} faults, each with its input, below {places}", file=sys.stderr)
    elif faults is None:
        places.rmdir()
    return {
        "inputs": sum(figures[name]["inputs"] for name in SHARES),
        "seed": seed,
        "faults": found,
        "tracebacks": sum(figures[name]["tracebacks"] for name in SHARES),
        "imports_stopped": figures["import"]["stopped"],
        "load": load,
        "ways": {name: {key: value for key, value in figures[name].items() if key != "outcomes"} for name in SHARES},
        "outcomes": {name: figures[name]["outcomes"] for name in SHARES},
    }


def made(name: str, folder: Path, sample: Path) -> Target:
    """A way in by its name."""
    if name == "import":
        return Imports(folder)
    return {"hooks": Hooks, "mcp": Mcp, "cli": CommandLine, "http": Http}[name](folder, sample)


@contextlib.contextmanager
def home(folder: Path) -> Any:
    """A home folder of its own, and no word of the surroundings; all as before in the end."""
    environment, level = dict(os.environ), logging.root.level
    for name in ("MEMORY_DB", "CLAUDE_CONFIG_DIR", "CLAUDE_PROJECT_DIR", "LLM_USER_PATH"):
        os.environ.pop(name, None)
    (folder / "home").mkdir()
    os.environ["HOME"] = str(folder / "home")
    os.environ["LLM_USER_PATH"] = str(folder / "home")
    try:
        yield
    finally:
        os.environ.clear()
        os.environ |= environment
        logging.root.setLevel(level)


def tried(target: Target, inputs: int, seed: int, places: Path) -> dict[str, Any]:
    """Gives so many inputs to a way in; each follows from the seed and its number alone, apart from the file so far."""
    outcomes: Counter[str] = Counter()
    sorts: Counter[str] = Counter()
    with contextlib.closing(target):
        for number in range(inputs):
            chance = random.Random(f"{seed}/{target.name}/{number}")
            try:
                found = target.one(chance)
            except Exception:  # noqa: BLE001  # whatever escapes is what is looked for
                found = Tried(b"", "traceback", f"traceback: {traceback.format_exc()}")
            outcomes[found.outcome] += 1
            if found.fault:
                sort = "traceback" if found.fault.startswith("traceback") else found.fault.split(":")[0]
                sorts[sort] += 1
                keep(places, f"{target.name}-{number}", found)
                if sorts.total() <= MOST_PRINTED:
                    print(f"{target.name} {number}: {found.fault.strip()[-1500:]}", file=sys.stderr, flush=True)
    return {
        "inputs": inputs,
        "faults": sorts.total(),
        "tracebacks": sorts["traceback"],
        "stopped": sorts["stopped"] + sorts["run stopped"],
        "outcomes": dict(outcomes.most_common(12)),
    }


def keep(places: Path, name: str, found: Tried) -> None:
    """Writes an input and what came of it."""
    places.mkdir(parents=True, exist_ok=True)
    (places / f"{name}.input").write_bytes(found.given)
    (places / f"{name}.txt").write_text(f"{found.outcome}\n{found.fault}\n", "utf-8", errors="backslashreplace")
