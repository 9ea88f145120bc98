"""Measures by name, else all but the longest, and writes docs/benchmarks.md: `python -m bench [NAME ...] [--data DIR]`.

Each prints a line on stderr when it begins and its figures as JSON, and is kept in bench/results; the page is written
anew from all that is kept. Nothing here passes or fails.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from bench import rankings, report, results, sections

PAGE = Path(__file__).parent.parent / "docs" / "benchmarks.md"


def present(names: tuple[str, ...]) -> dict[str, Callable[..., dict[str, Any]]]:
    """`measured` of each module of that name."""
    return {name: import_module(f"bench.{name}").measured for name in names if find_spec(f"bench.{name}")}


DATA_BENCHES: dict[str, Callable[[Path], dict[str, Any]]] = present(
    tuple(section.name for section in sections.SECTIONS if section.data == "always")
)
"""Those that need public data, which is not part of the project: without --data they are left out."""

BENCHES: dict[str, Callable[..., dict[str, Any]]] = present(
    tuple(section.name for section in sections.SECTIONS if section.name not in DATA_BENCHES)
)
"""Each measurement at its standard size. A module of its own takes other sizes: `python -m bench.recall_speed 1000`."""


SIZES = (
    ("minutes", float, "how long"), ("kills", int, "how many kills"), ("inputs", int, "how many inputs"),
    ("entries", int, "how many entries a shard has"), ("shards", int, "how many shards at most"),
    ("seed", int, "what chance draws from"),
)  # fmt: skip
"""Options of measurements that run long: another size than the standard one."""


def main() -> None:
    """Measures what is named, keeps it, and writes the page."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    names = [section.name for section in sections.SECTIONS if section.name in {**BENCHES, **DATA_BENCHES}]
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(names)}")
    parser.add_argument("--data", type=Path, metavar="DIR", help=f"public data, for {', '.join(DATA_BENCHES)}")
    parser.add_argument("--dry-run", action="store_true", help="measure and print, but keep and write nothing")
    for size, kind, help_ in SIZES:
        takers = ", ".join(section.name for section in sections.SECTIONS if size in section.sizes)
        parser.add_argument(f"--{size}", type=kind, metavar="N", help=f"{help_}, for {takers}")
    parser.add_argument("--render", action="store_true", help="measure nothing, write the page from what is kept")
    given = parser.parse_args()
    if unknown := [name for name in given.names if name not in names]:
        parser.error(f"no measurement {', '.join(unknown)}; there are: {', '.join(names)}")
    if given.data is None and (wanting := [name for name in given.names if name in DATA_BENCHES]):
        parser.error(f"{', '.join(wanting)} needs public data: name its folder with --data")
    if given.data is not None and not given.data.is_dir():
        parser.error(f"no folder {given.data}")
    started = time.perf_counter()
    usual = [name for name in names if not report.section(name).sizes]
    for name in () if given.render else given.names or usual:
        if name in DATA_BENCHES and given.data is None:
            skipped(name, "it needs public data, in the folder that --data names")
        else:
            measured: Callable[..., dict[str, Any]] = DATA_BENCHES.get(name) or BENCHES[name]
            takes_data = given.data is not None and report.section(name).data != "none"
            sizes = {size: value for size in report.section(name).sizes if (value := getattr(given, size)) is not None}
            run(name, partial(measured, *[given.data] * takes_data, **sizes), keep=not given.dry_run)
    if not given.dry_run:
        PAGE.write_text(report.page(results.read_all()), "utf-8")
        print(f"docs/{PAGE.name} is written", file=sys.stderr)
    print(f"{(time.perf_counter() - started) / 60:.1f} minutes in all", file=sys.stderr)


def run(name: str, measured: Callable[[], dict[str, Any]], *, keep: bool) -> None:
    """Measures, prints, and keeps the figures unless there is nothing to measure on."""
    print(f"{name} ...", file=sys.stderr, flush=True)
    started, today = time.perf_counter(), datetime.now(UTC).date().isoformat()
    figures = measured()
    took_s = round(time.perf_counter() - started, 1)
    print(json.dumps({name: figures}, indent=2), flush=True)
    if "skipped" in figures:
        skipped(name, str(figures["skipped"]))
        return
    print(f"{name} took {took_s:.0f} s", file=sys.stderr, flush=True)
    if keep:
        section = report.section(name)
        kept = short(figures)
        results.write(results.Result(name, today, section.command, results.conditions(), took_s, kept))


def short(figures: Mapping[str, Any]) -> dict[str, Any]:
    """Figures as they are stored: a contest, alone or by file, without what no page shows."""
    if "profiles" in figures:
        return rankings.stored_contest(figures)
    return {
        name: rankings.stored_contest(value) if isinstance(value, Mapping) and "profiles" in value else value
        for name, value in figures.items()
    }


def skipped(name: str, reason: str) -> None:
    """Says that a measurement is left out, and what the page has instead."""
    stored = results.read_all().get(name)
    instead = f"the page keeps its figures of {stored.measured_on}" if stored else "the page has no figures of it yet"
    print(f"{name} is skipped: {reason}; {instead}", file=sys.stderr)


if __name__ == "__main__":
    main()
