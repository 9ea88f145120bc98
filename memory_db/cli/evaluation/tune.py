"""The command that fits weights: profile tune."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from memory_db.cli.common import (
    Command,
    Progress,
    moment,
    print_json,
    print_table,
    reading,
    writing,
)
from memory_db.cli.evaluation.abstainer import tune_abstainer
from memory_db.cli.evaluation.evaluate import interval, only_set, parsed_signals
from memory_db.cli.options import changing_options, query_set_option, signals_option
from memory_db.errors import InputError
from memory_db.evaluation import contest, tuning
from memory_db.evaluation import metrics as evaluate
from memory_db.evaluation.datasets import FORMATS
from memory_db.index import semantic
from memory_db.recall import profiles
from memory_db.recall.search import Profile, load_profile
from memory_db.store.presets import PRESETS


@click.command(cls=Command)
@query_set_option
@click.option("--by", type=click.Choice(["hash", "project"]), default="hash", show_default=True, help="How to split.")
@click.option("--profile", "name", default="tuned", show_default=True, help="Save the weights as this profile.")
@signals_option
@click.option("--with-threshold", is_flag=True, help="Save the fitted threshold too: then poor hits are not shown.")
@click.option("--abstain", is_flag=True, help="Fit instead when to keep silent: which questions have an answer.")
@click.option("--data", type=click.Path(path_type=Path), metavar="FILE", help="With --abstain: fit on this data set.")
@click.option("--format", "form", type=click.Choice(list(FORMATS)), help="What FILE is.")
@click.option("--save", is_flag=True, help="With --abstain: keep silent by these weights from now on.")
@changing_options
def tune(
    query_set: str | None,
    by: str,
    name: str,
    signals: str | None,
    with_threshold: bool,
    abstain: bool,
    data: Path | None,
    form: str | None,
    save: bool,
    database: Path | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Fit weights to one part of your questions and measure them on the other."""
    if abstain:
        tune_abstainer(database, query_set, data, form, save=save and not dry_run, as_json=as_json)
        return
    if data or form or save:
        raise InputError("--data, --format and --save go with --abstain. Weights are fitted on your own questions.")
    if name in PRESETS:
        raise InputError(f"{name!r} is a shipped profile, used where none is named. Give your weights another name.")
    chosen = parsed_signals(signals)
    progress = Progress()
    with reading(database) if dry_run else writing(database, create=False) as db:
        questions = only_set(db, query_set)
        labelled = evaluate.collect(db, questions, semantic=semantic.open_semantic(db), progress=progress)
        progress.clear()
        before = load_profile(db, "default")
        tuned = tuning.tune(labelled, by=by, signals=chosen)
        version = None
        if not dry_run:
            version = profiles.save_profile(
                db, name, tuned.weights, threshold=tuned.abstention.threshold if with_threshold else 0.0,
                description="Fitted to labelled questions", now=moment(),
                fitted_on=tuning.fitted_on(questions, tuned.fit_part, tuned.test_part, by=by),
            )  # fmt: skip
    report = tuned_report(tuned, before)
    report |= {"query_set": questions, "by": by, "profile": name, "version": version}
    print_json(report) if as_json else print_tuned(report)


def tuned_report(tuned: tuning.Tuned, before: Profile) -> dict[str, Any]:
    """What the fit gave, on the part held out: fitted weights, default, and their difference."""
    rankings: dict[str, Mapping[str, float]] = {
        "fitted": tuned.weights,
        f"{before.name}@{before.version}": before.weights,
    }
    return {
        "fitted_on_queries": len(tuned.fit_part),
        "queries": len(tuned.test_part),
        "weights": tuned.weights,
        "threshold": asdict(tuned.abstention),
        "profiles": {
            name: {metric: figure for metric, found in evaluate.evaluate(tuned.test_part, ranking).items()
                   if (figure := contest.estimate_data(found))}
            for name, ranking in rankings.items()
        },
        "difference": {
            metric: figure
            for metric, found in evaluate.compare(tuned.test_part, tuned.weights, before.weights).items()
            if (figure := contest.estimate_data(found))
        },
    }  # fmt: skip


def print_tuned(report: Mapping[str, Any]) -> None:
    """Prints what the fit gave."""
    weights = sorted(report["weights"].items(), key=lambda item: -item[1])
    print_table(("signal", "weight"), [(name, round(weight, 3)) for name, weight in weights])
    click.echo(
        f"\nFitted on {report['fitted_on_queries']} questions of {report['query_set']}, measured on {report['queries']}"
        f" others (split by {report['by']}):"
    )
    names = list(report["profiles"])
    print_table(
        ("metric", *names, "difference"),
        [
            (metric, *(interval(report["profiles"][name].get(metric)) for name in names), interval(figure, signed=True))
            for metric, figure in report["difference"].items()
        ],
    )
    at = report["threshold"]
    click.echo(
        f"\nThreshold {at['threshold']:.3f}: something is shown for {at['answerable']:.0%} of the questions with"
        f" an answer and {at['negative']:.0%} of those without."
    )
    saved = (
        f"Saved as {report['profile']}@{report['version']}." if report["version"] else "Nothing was saved (dry run)."
    )
    click.echo(saved)
