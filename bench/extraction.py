"""How well the rules find what people marked as worth keeping: `python bench/extraction.py [--errors] [FILE ...]`."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import yaml

from memory_db.extract.rules.measure import ExtractionFigures, measure

DATA = Path(__file__).parent.parent / "tests" / "data"
FILES = [DATA / "extraction_labels.yml", DATA / "extraction_labels_reader.yml"]
HELD_OUT = DATA / "extraction_labels_heldout.yml"
"""Sentences that no rule was written by: measured, never printed one by one."""

SHARES = ("precision", "recall", "kind_accuracy", "scope_accuracy")


def measured(files: Sequence[Path] = (*FILES, HELD_OUT)) -> dict[str, object]:
    """Shares from 0 to 1, by labelled file."""
    found: dict[str, object] = {}
    for file in files:
        items = yaml.safe_load(file.read_text(encoding="utf-8"))
        result = measure(items)
        shares = {name: round(getattr(result, name), 3) for name in SHARES}
        found[file.stem] = {"items": len(items), "to_keep": result.positives, **shares}
    return found


def main(arguments: list[str]) -> int:
    """Prints one table a file, and with --errors every item that went wrong."""
    files = [Path(argument) for argument in arguments if not argument.startswith("--")] or FILES
    for file in files:
        items = yaml.safe_load(file.read_text(encoding="utf-8"))
        result = measure(items)
        print(f"\n{file.name}: {len(items)} items, {result.positives} to keep")
        for name in SHARES:
            print(f"  {name:15} {getattr(result, name):.3f}")
        print_by_role(result)
        if "--errors" in arguments:
            print_errors(result)
    return 0


def print_by_role(measured: ExtractionFigures) -> None:
    """Prints what was found, missed and wrongly proposed, by role."""
    counts = Counter((item["role"], outcome) for item, outcome, _ in measured.outcomes)
    for (role, outcome), count in sorted(counts.items()):
        print(f"  {role:10} {outcome:12} {count}")


def print_errors(measured: ExtractionFigures) -> None:
    """Prints every item that went wrong, with the cues that decided it."""
    for item, outcome, findings in measured.outcomes:
        said = ", ".join(
            f"{found.kind} by {found.rule!r} ({found.points}: {'; '.join(found.cues)})" for found in findings
        )
        if outcome in ("missed", "false alarm"):
            print(f"  {outcome} {item['id']} [{item['role']}] {item['text']!r} -> {said}")
        elif outcome == "wrong kind":
            print(f"  {outcome} {item['id']} wants {item['kind']}: {item['text']!r} -> {said}")


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
