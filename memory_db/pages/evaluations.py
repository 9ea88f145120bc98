"""Judgements of hits, query sets made of recalls, and what evaluations measured on such sets.

In: a path with the fields of a request, or a connection that reads. Out: what was noted, or a list of data sets with a
row for each profile. Invariants: a page and a program go the same way, and what cannot be used changes nothing; figures
are those that `memory-db evaluate` stored in `eval_runs`.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

from memory_db.errors import InputError
from memory_db.evaluation import judgements as labelling
from memory_db.pages.ask import project_id
from memory_db.pages.draw.filters import plural
from memory_db.pages.forms import Fields, changing, check_known, first, flag, note_dry_run, undo_by
from memory_db.pages.measured import verdict

SHOWN = ("recall@5", "recall@10", "evidence@2500", "ceiling")
"""Metrics of a run that a page shows; a run has more."""

DIFFERENCE = "recall@10"
"""Metric by which a run is set off against the baseline that it was measured with."""

MOST_RUNS = 200
"""Runs that a page reads, the newest first."""

RUNS = """
with latest as (
    select max(id) as id from eval_runs where json_valid(metrics) and format not in ('replay', 'running')
    group by dataset, format, file_hash, query_count, profile
)
select r.id, r.dataset, r.format, r.file_hash, r.query_count, r.profile, r.profile_version, r.metrics, r.split,
    r.semantic_model, r.started_at
from latest join eval_runs r on r.id = latest.id order by r.id desc limit ?
"""

Estimate = dict[str, float]
"""A mean with its interval: `value`, `low`, `high`."""


def data_sets(db: sqlite3.Connection) -> list[dict[str, Any]]:
    """Every data set that was measured, the newest first: `name`, `format`, `queries`, `semantic_model`, `started_at`,
    `against` (the baseline, if it is one), `runs`, and `verdict` on the best of them that was set off against one.

    A run has `id`, `profile`, `version`, `split`, each of `SHOWN`, `answerable` (questions with an answer, if noted),
    `against` and `difference`; the best stands first.

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
        best = next((run for run in data_set["runs"] if run["difference"] and run["against"]), None)
        data_set["verdict"] = best and verdict(
            best["profile"], best["difference"], against=best["against"], of=best["answerable"] or data_set["queries"]
        )
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
        "answerable": metrics.get("queries"),
        "against": difference.get("against"),
        "difference": estimate(difference.get(DIFFERENCE)),
    }


def estimate(data: object) -> Estimate | None:
    """A mean with its interval, as the totals of a query set have it; None where there is none."""
    if not isinstance(data, dict):
        return None
    named = {"value": data.get("mean"), "low": data.get("low"), "high": data.get("high")}
    values = {name: float(value) for name, value in named.items() if isinstance(value, int | float)}
    return values if len(values) == len(named) else None


VERDICTS: dict[str, int | None] = {"relevant": 1, "not_relevant": 0, "undo": None}
"""Fields that name hits (`memory:UID` or `entry:UID`), and what each says of them."""

JUDGE_FIELDS = ("recall", "q", "project", *VERDICTS, "dry_run")

GATHER_FIELDS = ("name", "recall", "unjudged", "dry_run")

MOST_VERDICTS = 200
"""Hits that one request judges at most; a page has fewer."""


def judge(path: Path, fields: Fields, *, judged_by: str, now: datetime) -> dict[str, Any]:
    """Notes verdicts on hits of a recall (or of a question in words); gives what is judged of it by now.

    Fields: `recall` (number or uid), or `q` and `project`; and any of `relevant`, `not_relevant`, `undo`;
    `dry_run`.
    Raises: InputError, NotFoundError, DatabaseFileError.
    """
    check_known(fields, JUDGE_FIELDS)
    dry_run, verdicts = flag(fields, "dry_run"), verdicts_in(fields)
    with changing(path, dry_run=dry_run) as db:
        asked = asked_by(db, fields, now=now)
        before = labelling.verdicts_on(db, asked.query, asked.project_id)
        counts = labelling.judge_hits(db, asked, verdicts, judged_by=judged_by, now=now)
        known = labelling.verdicts_on(db, asked.query, asked.project_id)
    hits = [{"hit": f"{kind}:{uid}", **asdict(verdict)} for (kind, uid), verdict in sorted(known.items())]
    return {
        "ok": True,
        "recall": asked.recall_id,
        "query": asked.query,
        "query_set": labelling.OWN_SET,
        **counts,
        "hits": hits,
        "dry_run": dry_run,
        "said": note_dry_run(f"{plural(len(verdicts), 'hit')} judged.", dry_run),
        "undo": judged_before(asked.recall_id, before, verdicts),
        "there": f"/-/memory/recalls/{asked.recall_id}{anchor(verdicts)}" if asked.recall_id else "/-/memory/recalls",
    }


def judged_before(
    recall: int | None,
    before: Mapping[labelling.Item, labelling.RelevanceJudgement],
    verdicts: Iterable[labelling.Item],
) -> dict[str, Any] | None:
    """What gives some hits of a recall the verdicts again that a person had given them, or none."""
    if recall is None:
        return None
    fields: dict[str, list[str]] = {name: [] for name in VERDICTS}
    names = {relevance: name for name, relevance in VERDICTS.items()}
    for kind, uid in verdicts:
        given = before.get((kind, uid))
        fields[names[given.relevance if given and given.by_hand else None]].append(f"{kind}:{uid}")
    return undo_by("/-/memory/judge", recall=str(recall), **fields)


def verdicts_in(fields: Fields) -> dict[labelling.Item, int | None]:
    """The hits that a request names, with what it says of each. Raises: InputError."""
    named = [(hit, relevance) for name, relevance in VERDICTS.items() for hit in fields.get(name, ())]
    if not 1 <= len(named) <= MOST_VERDICTS:
        raise InputError(
            f"{len(named)} hits are named. Name 1 to {MOST_VERDICTS} as memory:UID or entry:UID in relevant,"
            " not_relevant or undo."
        )
    verdicts: dict[labelling.Item, int | None] = {}
    for hit, relevance in named:
        kind, _, uid = hit.partition(":")
        if verdicts.setdefault((kind, uid), relevance) != relevance:
            raise InputError(f"{hit[:80]!r} is judged in two ways. Give one.")
    return verdicts


def asked_by(db: sqlite3.Connection, fields: Fields, *, now: datetime) -> labelling.AskedQuestion:
    """The question that a request is about. Raises: InputError, NotFoundError."""
    if key := first(fields, "recall"):
        return labelling.asked_in(db, key)
    return labelling.asked_now(first(fields, "q"), project_id(db, first(fields, "project")), now=now)


def gather(path: Path, fields: Fields, *, now: datetime) -> dict[str, Any]:
    """Makes a query set of recalls; gives its name, counts, a line for people, and where to look at it.

    Fields: `name`, `recall` (numbers or uids), and `unjudged` as `negative` to keep recalls without a verdict as
    questions that nothing answers; `dry_run`. Raises: InputError, NotFoundError, DatabaseFileError.
    """
    check_known(fields, GATHER_FIELDS)
    dry_run, name = flag(fields, "dry_run"), first(fields, "name")
    keep = first(fields, "unjudged") == labelling.NEGATIVE
    with changing(path, dry_run=dry_run) as db:
        counts = labelling.gather(db, name, list(fields.get("recall", ())), keep_unjudged=keep, now=now)
    there = f"/-/memory/compare?set={quote(name)}" if counts["queries"] and not dry_run else "/-/memory/recalls"
    line = note_dry_run(said(name, counts), dry_run)
    return {"ok": True, "query_set": name, **counts, "dry_run": dry_run, "said": line, "there": there}


def said(name: str, counts: dict[str, int]) -> str:
    """What became of the selected recalls, in a line."""
    waits = (
        f"Left out without a judgement: {plural(counts['waiting'], 'question')}. Judge the hits, then make the set"
        " again."
    )
    if not counts["queries"]:
        return f"No set was made. {waits}"
    line = (
        f"Query set {name}: {plural(counts['queries'], 'question')}, {plural(counts['judgements'], 'judgement')},"
        f" {counts['negatives']} without an answer."
    )
    return f"{line} {waits}" if counts["waiting"] else line


def anchor(verdicts: Iterable[labelling.Item]) -> str:
    """Where on a page the first of some hits stands."""
    kind, uid = next(iter(verdicts))
    return "#" + quote(f"{kind}-{uid}", safe="")
