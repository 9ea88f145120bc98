"""Commands for many files at once: file fleet import, recall, sql, evaluate and export."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

import click

from memory_db.cli.common import Command, Progress, expanded, moment, print_json, print_table, printable
from memory_db.cli.evaluation.evaluate import print_contest
from memory_db.cli.extras import require
from memory_db.cli.options import WORDS, json_option
from memory_db.cli.recall.recall import print_answer
from memory_db.evaluation.contest import Options
from memory_db.evaluation.judgements import OWN_SET
from memory_db.recall.answer import answer_data
from memory_db.recall.question_dates import read_window
from memory_db.recall.search import Question
from memory_db.store.settings import zone_named

catalogue_argument = click.argument("catalogue", metavar="CATALOGUE", type=click.Path(path_type=Path))


deadline_option = click.option(
    "--deadline", "deadline_s", type=click.FloatRange(min=0.1), default=30.0, show_default=True,
    help="Seconds until what did not answer is named as late.",
)  # fmt: skip


def engine_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The catalogue, and where the work is done."""
    for option in (
        click.option("--workers", type=click.IntRange(1, 512), help="Dask workers here; default: one a core."),
        click.option("--scheduler", metavar="ADDRESS", type=WORDS,
                     help="A Dask scheduler, such as tcp://host:8786; 'synchronous' starts no process."),
        catalogue_argument,
    ):  # fmt: skip
        command = option(command)
    return command


def asking_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The same, and how long shards are waited for."""
    return engine_options(deadline_option(command))


def scope_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Which shards are asked."""
    for option in (
        click.option("--month", "months", multiple=True, metavar="YYYY-MM", help="Only this month; may be repeated."),
        click.option("--project", "projects", multiple=True, help="Only this project; may be repeated."),
        click.option("--person", "persons", multiple=True, help="Only this person's; may be repeated."),
    ):
        command = option(command)
    return command


@click.command(cls=Command)
@asking_options
@click.argument("query")
@scope_options
@click.option("--from", "home", metavar="PROJECT", help="The project that you ask from, by name or path.")
@click.option("--brief", is_flag=True, help="Print what a model would be told, or that nothing answers.")
@click.option("--profile", default="default", show_default=True, help="Weights, as the shards have them.")
@click.option("--limit", type=int, default=10, show_default=True, help="Hits to show at most.")
@click.option("--budget", type=int, help="Tokens that the hits may take.")
@click.option("--explain", is_flag=True, help="Show every signal of every hit, and what was left out.")
@json_option
def recall(
    catalogue: Path,
    query: str,
    persons: tuple[str, ...],
    projects: tuple[str, ...],
    months: tuple[str, ...],
    home: str | None,
    brief: bool,
    profile: str,
    limit: int,
    budget: int | None,
    explain: bool,
    scheduler: str | None,
    workers: int | None,
    deadline_s: float,
    as_json: bool,
) -> None:
    """Search many files as if they were one: the same hits with the same scores."""
    fleet = room()
    now = moment()
    question = Question(
        query, profile=profile, limit=limit, budget_tokens=budget, window=read_window(query, now, zone_named("local")),
    )  # fmt: skip
    scope = fleet.Scope(persons, projects, months)
    with fleet.open_fleet(expanded(catalogue), scheduler=scheduler, workers=workers) as many:
        say_dashboard(many)
        found = fleet.ask(many, question, now=now, scope=scope, deadline_s=deadline_s, is_for_model=brief, project=home)
        notes = many.notes()
    if as_json:
        print_json(answer_data(found.answer, now) | told(found))
    elif brief:
        click.echo(found.answer.text or "Nothing in these files answers this.")
    else:
        print_answer(found.answer, explain=explain)
    say_missing(found.missing)
    for note in notes:
        click.echo(f"Note: {printable(note, 400)}", err=True)
    if not as_json:
        click.echo(f"{len(found.asked):,} shards answered in {found.answer.duration_ms:,.0f} ms.", err=True)


@click.command("import", cls=Command)
@engine_options
@scope_options
@json_option
def import_(
    catalogue: Path,
    persons: tuple[str, ...],
    projects: tuple[str, ...],
    months: tuple[str, ...],
    scheduler: str | None,
    workers: int | None,
    as_json: bool,
) -> None:
    """Read the transcripts that the catalogue names into their shards, many shards at once.

    Stopped or killed anywhere, the same command goes on. A shard that is not there yet is made.
    """
    fleet, progress = room(), Progress()
    with fleet.open_fleet(expanded(catalogue), scheduler=scheduler, workers=workers) as many:
        say_dashboard(many)
        scope = fleet.Scope(persons, projects, months)
        done = fleet.import_transcripts(many, now=moment(), scope=scope, progress=progress)
    progress.clear()
    rows = [
        (name, count, *(done.counts[name].get(each, 0) for each in ("entries_added", "gate_add")))
        for name, count in done.files.items()
    ]
    if as_json:
        print_json({"shards": {name: {"files": count, **done.counts[name]} for name, count in done.files.items()},
                    "missing": missing_data(done.missing)})  # fmt: skip
    else:
        print_table(("shard", "transcripts", "new entries", "new memories"), rows)
    say_missing(done.missing)


@click.command(cls=Command)
@asking_options
@click.argument("query")
@scope_options
@json_option
def sql(
    catalogue: Path,
    query: str,
    persons: tuple[str, ...],
    projects: tuple[str, ...],
    months: tuple[str, ...],
    scheduler: str | None,
    workers: int | None,
    deadline_s: float,
    as_json: bool,
) -> None:
    """Run a SELECT of DuckDB over memories, recalls, hits, costs and judgements of all shards."""
    fleet = room()
    with fleet.open_fleet(expanded(catalogue), scheduler=scheduler, workers=workers) as many:
        found = fleet.sql(many, query, scope=fleet.Scope(persons, projects, months), deadline_s=deadline_s)
    if as_json:
        rows = [dict(zip(found.columns, row, strict=True)) for row in found.rows]
        print_json({"rows": rows} | told(found))
    else:
        print_table(found.columns, found.rows, empty="No row.")
    say_missing(found.missing)
    say_asked(found, as_json=as_json)


@click.command(cls=Command)
@asking_options
@scope_options
@click.option("--set", "query_set", metavar="NAME", help="The questions: a query set that shards have.")
@click.option("--profile", "profiles", multiple=True, help="Weights to measure; may be repeated. Else `default`.")
@click.option("--baseline", default="keyword_only", show_default=True, help="What the others are compared with.")
@click.option("--folds", type=click.IntRange(2, 20), help="Fit weights too, each question by those of other folds.")
@json_option
def evaluate(
    catalogue: Path,
    persons: tuple[str, ...],
    projects: tuple[str, ...],
    months: tuple[str, ...],
    query_set: str | None,
    profiles: tuple[str, ...],
    baseline: str,
    folds: int | None,
    scheduler: str | None,
    workers: int | None,
    deadline_s: float,
    as_json: bool,
) -> None:
    """Measure profiles on the labelled questions of all shards; no text leaves a shard."""
    fleet = room()
    with fleet.open_fleet(expanded(catalogue), scheduler=scheduler, workers=workers) as many:
        say_dashboard(many)
        found = fleet.evaluate(
            many, query_set or OWN_SET, profiles or ("default",), options=Options(baseline=baseline, folds=folds),
            scope=fleet.Scope(persons, projects, months), deadline_s=deadline_s,
        )  # fmt: skip
    if as_json:
        print_json(found.contest.as_dict() | told(found))
    else:
        for figures in found.contest.profiles.values():
            figures |= {"median_ms": None, "p95_ms": None}
        print_contest(found.contest, kept=False)
        if found.without_questions:
            click.echo(f"Without such questions: {', '.join(shard.name for shard in found.without_questions)}.")
    say_missing(found.missing)
    say_asked(found, as_json=as_json)


@click.command(cls=Command)
@asking_options
@click.argument("folder", type=click.Path(path_type=Path))
@scope_options
@json_option
def export(
    catalogue: Path,
    folder: Path,
    persons: tuple[str, ...],
    projects: tuple[str, ...],
    months: tuple[str, ...],
    scheduler: str | None,
    workers: int | None,
    deadline_s: float,
    as_json: bool,
) -> None:
    """Write memories, recalls, hits, costs and judgements of all shards as Parquet by day.

    What an earlier export wrote of a shard is replaced. Forgetting does not reach these files: export anew.
    """
    fleet = room()
    with fleet.open_fleet(expanded(catalogue), scheduler=scheduler, workers=workers) as many:
        scope = fleet.Scope(persons, projects, months)
        counts, asked, missing = fleet.export(many, expanded(folder), scope=scope, deadline_s=deadline_s)
    if as_json:
        print_json({"rows": counts, "shards": [shard.name for shard in asked], "missing": missing_data(missing)})
    else:
        print_table(("table", "rows"), list(counts.items()))
        click.echo(f"{len(asked):,} shards in {expanded(folder)}.", err=True)
    say_missing(missing)


def room() -> ModuleType:
    """The room of fleets. Raises: InputError where its packages are not installed."""
    require("fleet")
    from memory_db import fleet  # noqa: PLC0415  # start-up: loads Dask, which no other command needs

    return fleet


def told(found: Any) -> dict[str, object]:
    """Who answered, and who did not and why."""
    return {"shards": [shard.name for shard in found.asked], "missing": missing_data(found.missing)}


def missing_data(missing: Iterable[Any]) -> list[dict[str, str]]:
    """The shards that did not answer, for programs."""
    return [{"shard": each.shard.name, "address": each.shard.address, "reason": each.reason} for each in missing]


def say_asked(found: Any, *, as_json: bool) -> None:
    """Says which shards answered."""
    if not as_json:
        click.echo(f"Answered: {printable(', '.join(shard.name for shard in found.asked), 400)}.", err=True)


def say_dashboard(fleet: Any) -> None:
    """Prints where Dask shows its work."""
    if fleet.dashboard:
        click.echo(f"Dask's dashboard: {fleet.dashboard}", err=True)


def say_missing(missing: Iterable[Any]) -> None:
    """Names the shards that did not answer, each on a line."""
    for each in missing:
        click.echo(f"Missing: {printable(str(each), 400)}", err=True)
