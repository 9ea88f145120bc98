"""What evaluations measured, for the compare page: the newest run of each profile on each data set.

In: a connection that reads. Out: a list of data sets with a row for each profile. Invariant: figures are those that
`memory-db evaluate` kept in `eval_runs`; nothing is measured here.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from typing import Any

SHOWN = ("recall@5", "recall@10", "evidence@2500", "ceiling")
"""Metrics of a run that a page shows; a run has more."""

DIFFERENCE = "recall@10"
"""Metric by which a run is set off against the baseline that it was measured with."""

MOST_RUNS = 200
"""Runs that a page reads, the newest first."""

RUNS = """
with latest as (
    select max(id) as id from eval_runs where json_valid(metrics)
    group by dataset, format, file_hash, query_count, profile
)
select r.id, r.dataset, r.format, r.file_hash, r.query_count, r.profile, r.profile_version, r.metrics, r.split,
    r.semantic_model, r.started_at
from latest join eval_runs r on r.id = latest.id order by r.id desc limit ?
"""

Told = dict[str, float]


def data_sets(db: sqlite3.Connection) -> list[dict[str, Any]]:
    """Every data set that was measured, the newest first: `name`, `format`, `queries`, `semantic_model`, `started_at`,
    `against` (the baseline, if it is one) and `runs`.

    A run has `id`, `profile`, `version`, `split`, each of `SHOWN`, `against` and `difference`; the best stands first.

    Runs on an earlier state of a data set, with another hash or number of questions, are not comparable and left out.
    """
    found: dict[tuple[str, str], dict[str, Any]] = {}
    states: dict[tuple[str, str], tuple[str | None, int]] = {}
    for row in db.execute(RUNS, [MOST_RUNS]):
        state = (row["file_hash"], row["query_count"])
        if states.setdefault((row["dataset"], row["format"]), state) != state:
            continue
        data_set = found.setdefault(
            (row["dataset"], row["format"]),
            {"name": row["dataset"], "format": row["format"], "queries": row["query_count"],
             "semantic_model": row["semantic_model"], "started_at": row["started_at"], "runs": []},
        )  # fmt: skip
        metrics = json.loads(row["metrics"])
        data_set["runs"].append(run_of(row, metrics if isinstance(metrics, dict) else {}))
    for data_set in found.values():
        data_set["runs"].sort(key=lambda run: -run[DIFFERENCE]["value"] if run[DIFFERENCE] else 1.0)
        baselines = {run["against"] for run in data_set["runs"] if run["difference"]}
        data_set["against"] = baselines.pop() if len(baselines) == 1 else None
    return list(found.values())


def run_of(row: sqlite3.Row, metrics: Mapping[str, Any]) -> dict[str, Any]:
    """One run as a line of its data set."""
    difference = metrics.get("difference")
    difference = difference if isinstance(difference, dict) else {}
    return {
        "id": row["id"],
        "profile": row["profile"],
        "version": row["profile_version"],
        "split": row["split"],
        **{name: estimate(metrics.get(name)) for name in SHOWN},
        "against": difference.get("against"),
        "difference": estimate(difference.get(DIFFERENCE)),
    }


def estimate(told: object) -> Told | None:
    """A mean with its interval, as the totals of a query set have it; None where there is none."""
    if not isinstance(told, dict):
        return None
    named = {"value": told.get("mean"), "low": told.get("low"), "high": told.get("high")}
    values = {name: float(value) for name, value in named.items() if isinstance(value, int | float)}
    return values if len(values) == len(named) else None
