"""Runs measurements by name, all of them without one: `python -m bench [NAME ...] [--data DIR]`, or `make bench`.

Each prints one line on stderr when it begins and its figures as JSON; nothing here passes or fails.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from bench import developer, embedding, extraction, hook_speed, import_speed, locomo, recall_speed

BENCHES: dict[str, Callable[[], dict[str, object]]] = {
    "extraction": extraction.measured,
    "import_speed": import_speed.measured,
    "recall_speed": recall_speed.measured,
    "hook_speed": hook_speed.measured,
    "embedding": embedding.measured,
    "developer": developer.measured,
}
"""Each measurement at its standard size. A module of its own takes other sizes: `python -m bench.recall_speed 1000`."""

DATA_BENCHES: dict[str, Callable[[Path], dict[str, object]]] = {"locomo": locomo.measured}
"""Those that need public data, which is not part of the project: without --data they are left out."""


def main() -> None:
    """Runs what is named."""
    names = [*BENCHES, *DATA_BENCHES]
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(names)}")
    parser.add_argument("--data", type=Path, metavar="DIR", help=f"public data, for {', '.join(DATA_BENCHES)}")
    given = parser.parse_args()
    if unknown := [name for name in given.names if name not in names]:
        parser.error(f"no measurement {', '.join(unknown)}; there are: {', '.join(names)}")
    if given.data is None and (wanting := [name for name in given.names if name in DATA_BENCHES]):
        parser.error(f"{', '.join(wanting)} needs public data: name its folder with --data")
    if given.data is not None and not given.data.is_dir():
        parser.error(f"no folder {given.data}")
    for name in given.names or names:
        if name in BENCHES:
            run(name, BENCHES[name])
        elif given.data is not None:
            run(name, partial(DATA_BENCHES[name], given.data))
        else:
            print(f"{name} is skipped: it needs public data, in the folder that --data names", file=sys.stderr)


def run(name: str, measured: Callable[[], dict[str, object]]) -> None:
    """Measures and prints."""
    print(f"{name} ...", file=sys.stderr)
    print(json.dumps({name: measured()}, indent=2), flush=True)


if __name__ == "__main__":
    main()
