"""What `profile tune --abstain` does: fits the weights that tell which questions have an answer."""

from __future__ import annotations

import json
import sqlite3
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from memory_db.cli.common import Progress, expanded, moment, print_json, print_table, reading, writing
from memory_db.cli.evaluation.evaluate import only_set, vector_cache
from memory_db.errors import InputError
from memory_db.evaluation.datasets import loading, read_dataset
from memory_db.evaluation.first_hits import Example, chances_of, crossed, examples, fit, silence
from memory_db.index.semantic import open_semantic
from memory_db.models.embedders import MINILM
from memory_db.recall.abstainer import COLD, MODEL, Abstainer
from memory_db.recall.brief.abstain import abstainer_of
from memory_db.store import settings
from memory_db.store.connection import connect

ENOUGH = 20
"""Answerable questions that a fit takes at least. Source: ours; four fifths of fewer are too coarse a share."""

WAYS = {COLD: "without the full model", MODEL: "with it"}


def tune_abstainer(
    database: Path | None, query_set: str | None, data: Path | None, form: str | None, *, save: bool, as_json: bool
) -> None:
    """Fits, measures, prints, and saves if asked. Raises: InputError, NotFoundError, ModelError."""
    if (data is None) != (form is None):
        raise InputError("--data FILE goes with its --format. Give both, or neither for your own questions.")
    if data is not None and query_set is not None:
        raise InputError("--set names questions of your own file, --data those of another. Give one of them.")
    progress = Progress()
    with reading(database) as db:
        before = {way: abstainer_of(db, way) for way in WAYS}
        asked = of_data(data, form, progress) if data and form else of_file(db, only_set(db, query_set), progress)
    progress.clear()
    report: dict[str, Any] = {}
    fitted: dict[str, Abstainer] = {}
    for way, questions in asked.items():
        if questions:
            fitted[way] = fitted_on(questions)
            report[way] = report_on(questions, before[way], fitted[way])
    if save:
        with writing(database, create=False) as db:
            both = {way: each.as_dict() for way, each in (before | fitted).items()}
            settings.put(db, "abstainer", json.dumps(both), now=moment())
    print_json(report | {"saved": save}) if as_json else print_report(report, saved=save)


def of_file(db: sqlite3.Connection, name: str, progress: Progress) -> dict[str, list[Example]]:
    """The labelled questions of a file, asked of a copy, from which answers can be taken away."""
    with copied(db) as copy:
        semantic = open_semantic(copy)
        return {
            way: examples(copy, name, way, semantic=semantic, progress=progress)
            for way in WAYS
            if way == COLD or (semantic is not None and semantic.has_tokens())
        }


@contextmanager
def copied(db: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """A copy of a file for a while, in a folder for its owner alone."""
    with tempfile.TemporaryDirectory(prefix="memory-db-") as folder:
        path = Path(folder) / "copy.db"
        with closing(sqlite3.connect(path)) as target:
            db.backup(target)
        with closing(connect(path, write=True)) as copy:
            yield copy


def of_data(path: Path, form: str, progress: Progress) -> dict[str, list[Example]]:
    """The questions of a data set, each part in a temporary file of its own. Raises: InputError, ModelError."""
    found: dict[str, list[Example]] = {way: [] for way in WAYS}
    parts = read_dataset(expanded(path), form).parts
    with tempfile.TemporaryDirectory(prefix="memory-db-") as folder, vector_cache() as cache:
        for number, part in enumerate(parts):
            loaded = loading.load(
                part, Path(folder) / f"{number}.db", model=MINILM, cache=cache, now=moment(), progress=progress
            )
            group = part.name if len(parts) > 1 else ""
            with closing(loaded.db) as db:
                for way in WAYS:
                    found[way] += examples(
                        db, loading.QUERY_SET, way, semantic=loaded.cached, group=group, progress=progress
                    )
    return found


def fitted_on(questions: Sequence[Example]) -> Abstainer:
    """Weights for one way of asking. Raises: InputError for too few questions."""
    answerable = sum(each.is_answerable for each in questions)
    if answerable < ENOUGH:
        raise InputError(f"{answerable} questions have an answer, a fit takes {ENOUGH}. Label more of them.")
    return fit([questions])


def report_on(questions: Sequence[Example], before: Abstainer, after: Abstainer) -> dict[str, Any]:
    """What the weights of before and the fitted ones silence, each where four fifths of the answerable are kept."""
    return {
        "weights": after.as_dict(),
        "answerable": sum(each.is_answerable for each in questions),
        "negatives": sum(not each.is_answerable and not each.is_deleted for each in questions),
        "before": asdict(silence(questions, chances_of(before, questions))),
        "at its own least chance": asdict(silence(questions, chances_of(before, questions), before.least)),
        "after": asdict(silence(questions, crossed({"own": questions}, "own"))),
    }


def print_report(report: Mapping[str, Any], *, saved: bool) -> None:
    """Prints what the fit gave."""
    for way, found in report.items():
        asked = f"{found['answerable']} questions with an answer, {found['negatives']} without"
        click.echo(f"Asked {WAYS[way]}: {asked}. Fitted weights:")
        print_table(("", "weight"), [(name, round(value, 3)) for name, value in found["weights"].items()])
        click.echo("\nKept silent, where 80 % of those with an answer are shown something (fitted: each held out):")
        sorts = ("negatives", "deleted")
        rows = [(name, *(share(found[name][sort]) for sort in sorts)) for name in ("before", "after")]
        print_table(("weights", "nothing answers", "answer taken away"), rows)
        now = found["at its own least chance"]
        click.echo(f"Today {share(now['kept'])} are shown something, {share(now['negatives'])} are met with silence.\n")
    click.echo(
        "Saved: the setting `abstainer` holds them." if saved else "Nothing was saved; --save keeps the weights."
    )


def share(value: float) -> str:
    """A share as a person reads it; a dash where there is none."""
    return "-" if value != value else f"{value:.0%}"
