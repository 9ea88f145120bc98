"""How well the rules do on labelled texts.

In: items with id, role, after_action, text, keep, kind and scope. Out: the
figures, and what became of each item. Invariant: an item counts as found when
at least one finding comes out of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from memory_db.extract.rules.prose import THRESHOLD, ProseFinding, read_prose
from memory_db.extract.rules.where import scope_of

Item = Mapping[str, Any]


@dataclass(slots=True, frozen=True)
class ExtractionFigures:
    """Shares from 0 to 1, and (item, outcome, findings) for each item."""

    positives: int
    precision: float
    recall: float
    kind_accuracy: float
    scope_accuracy: float
    outcomes: tuple[tuple[Item, str, tuple[ProseFinding, ...]], ...]


def measure(items: Iterable[Item]) -> ExtractionFigures:
    """Precision and recall of finding, and the accuracy of kind and scope among what was rightly found."""
    outcomes = tuple(judged(item) for item in items)
    count = {
        name: sum(outcome == name for _, outcome, _ in outcomes)
        for name in ("right", "wrong kind", "missed", "false alarm")
    }
    found = count["right"] + count["wrong kind"]
    scoped = sum(
        any(scope_of(finding, has_project=True) == item["scope"] for finding in findings)
        for item, outcome, findings in outcomes
        if outcome in ("right", "wrong kind")
    )
    return ExtractionFigures(
        positives=found + count["missed"],
        precision=found / max(1, found + count["false alarm"]),
        recall=found / max(1, found + count["missed"]),
        kind_accuracy=count["right"] / max(1, found),
        scope_accuracy=scoped / max(1, found),
        outcomes=outcomes,
    )


def judged(item: Item) -> tuple[Item, str, tuple[ProseFinding, ...]]:
    """What became of one item: right, wrong kind, missed, false alarm or left alone."""
    findings: tuple[ProseFinding, ...] = ()
    if item["role"] in THRESHOLD:
        findings = tuple(read_prose(item["text"], role=item["role"], after_action=bool(item["after_action"])))
    if not item["keep"]:
        return item, "false alarm" if findings else "left alone", findings
    if not findings:
        return item, "missed", findings
    wanted = item["kind"] if isinstance(item["kind"], list) else [item["kind"]]
    right = any(finding.kind in wanted for finding in findings)
    return item, "right" if right else "wrong kind", findings
