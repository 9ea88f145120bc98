"""What a hook's recall loses against the full formula, and where: in what it considers, or in how it ranks.

`python -m bench hook_quality [--data DIR]` asks the questions of the developer's notes and of the sample history, and
of public chats where the folder has them, as the full formula asks and as a hook asks: the rarest words of each, few
memories, no model. `memories alone` leaves out entries. Differences are by question, with their 95 % intervals.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bench.questions import WAYS, asked
from memory_db.evaluation.contest import estimate_data
from memory_db.evaluation.metrics import Labelled, Ranking, estimate, measure
from memory_db.store.presets import PRESETS

METRICS = ("recall@5", "recall@10", "ceiling")

RANKED = ("recall@5", "recall@10")


def measured(data: Path | None = None, kept: Path | None = None) -> dict[str, Any]:
    """Figures by set: the full formula's, the hook's, and their differences."""
    found = asked(tuple(WAYS), data, kept)
    default, hook = PRESETS["default"], PRESETS["hook"]
    return {
        name: compared(
            by_metric(full, default.weights),
            {
                "hook": by_metric(found["hook"][name], hook.weights),
                "memories alone": by_metric(found["hook, memories alone"][name], hook.weights),
            },
        )
        for name, full in found["full"].items()
    }


def by_metric(questions: Sequence[Labelled], ranking: Ranking) -> dict[str, np.ndarray]:
    """A number for each answerable question, by metric."""
    values = measure(questions, ranking)
    return {name: values[name] for name in METRICS}


def compared(full: dict[str, np.ndarray], ways: dict[str, dict[str, np.ndarray]]) -> dict[str, Any]:
    """Means of each way, and how far it stays behind: what was not considered, and what was but ranked too low."""
    figures: dict[str, Any] = {"full": {name: estimate_data(estimate(values)) for name, values in full.items()}}
    for way, values in ways.items():
        figures[way] = {name: estimate_data(estimate(each)) for name, each in values.items()}
        figures[way]["against full"] = {name: estimate_data(estimate(values[name] - full[name])) for name in METRICS}
        out_of_pool = (full["ceiling"] > 0) & (values["ceiling"] == 0)
        figures[way]["lost where nothing was considered"] = {
            name: round(float(np.where(out_of_pool, values[name] - full[name], 0.0).mean()), 4) for name in RANKED
        }
    return figures
