"""The command that measures: evaluate."""

from __future__ import annotations

import os
import sqlite3
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import click

from memory_db.cli.common import (
    Command,
    Progress,
    chosen_path,
    expanded,
    moment,
    print_json,
    print_table,
    working_copy,
    writing,
)
from memory_db.cli.evaluation.replay import replay_past
from memory_db.cli.options import query_set_option, reading_options, signals_option
from memory_db.errors import InputError, NotFoundError
from memory_db.evaluation import contest, tuning
from memory_db.evaluation import runs as eval_runs
from memory_db.evaluation.abstention import KEPT
from memory_db.evaluation.datasets import FORMATS, read_dataset
from memory_db.evaluation.datasets.vector_cache import VectorCache, open_cache
from memory_db.evaluation.judgements import OWN_SET
from memory_db.evaluation.outcomes import METRICS
from memory_db.recall.scoring import SIGNALS
from memory_db.recall.search import Profile, load_profile
from memory_db.sample import canary as canaries
from memory_db.store import settings
from memory_db.store.connection import is_file
from memory_db.store.presets import PRESETS

CACHE = "memory-db/eval-vectors.db"
"""Where vectors of data sets are kept, below $XDG_CACHE_HOME, else ~/.cache."""

SPLITS = tuple(name for name in tuning.SPLITS if name != "hash")
"""What may stay together in a fold; without a name each question goes by itself."""


# --------------------------------------------------------------------- evaluate


@click.command("evaluate", cls=Command)
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.option("--format", "form", type=click.Choice(list(FORMATS)), help="What FILE is.")
@click.option("--own", is_flag=True, help="Measure on the questions labelled in your own file.")
@click.option("--replay", "is_replay", is_flag=True, help="Say how the briefs of the past would have changed.")
@click.option(
    "--since", metavar="PERIOD", help="With --replay: 7 or 30 days, last-week, all, or a day (2026-10-01); else 7."
)
@click.option("--canary", is_flag=True, help="Plant harmless words in a copy of your file; say what gets through.")
@query_set_option
@click.option("--profile", "names", multiple=True, metavar="NAME", help="Measure this profile; repeat for several.")
@click.option("--baseline", default=contest.BASELINE, show_default=True, metavar="NAME", help="Compare with this one.")
@click.option("--folds", type=click.IntRange(min=2), metavar="N", help="Also fit weights, each on the other N-1 folds.")
@click.option("--by", type=click.Choice(SPLITS), help="Keep these together in a fold; without --folds each is one.")
@signals_option
@click.option(
    "--negatives",
    type=click.Choice(["given", "deleted"]),
    default="given",
    show_default=True,
    help="Also ask the answerable questions with their answers taken away.",
)
@reading_options
def evaluate_(
    file: Path | None,
    form: str | None,
    own: bool,
    is_replay: bool,
    since: str | None,
    canary: bool,
    query_set: str | None,
    names: tuple[str, ...],
    baseline: str,
    folds: int | None,
    by: str | None,
    signals: str | None,
    negatives: str,
    database: Path | None,
    as_json: bool,
) -> None:
    """Measure profiles on labelled questions, a data set's or your own."""
    if canary:
        release_canaries(database, file, own=own, as_json=as_json)
        return
    if since is not None and not is_replay:
        raise InputError("--since names the days to replay. Say --replay with it.")
    if is_replay:
        replay_past(database, names, since, as_json=as_json)
        return
    if own == (file is not None):
        both = "Both a FILE and --own were given" if own else "Evaluate what"
        raise InputError(f"{both}? Name a FILE with its --format, or say --own for your own questions.")
    if file is not None and form is None:
        raise InputError(f"Which form has {file}? Say --format {'|'.join(FORMATS)}.")
    if query_set and not own:
        raise InputError("--set names a set of your own questions. Say --own with it.")
    options = contest.Options(baseline, folds, by, negatives == "deleted", parsed_signals(signals))
    started, clock, progress = moment(), time.perf_counter(), Progress()
    with own_file(database, needed=own) as db:
        contenders = [contest.contender(name, profile) for name, profile in chosen_profiles(db, names, baseline)]
        if own:
            assert db is not None
            name = only_set(db, query_set)
            found = eval_runs.of_query_set(db, name, contenders, options=options, progress=progress)
        else:
            assert file is not None
            assert form is not None
            dataset = read_dataset(expanded(file), form)
            model = settings.get_text(db, "embedding_model") if db else settings.find("embedding_model").default
            with tempfile.TemporaryDirectory(prefix="memory-db-") as folder, vector_cache() as cache:
                found = eval_runs.of_dataset(
                    dataset, contenders, Path(folder), options=options, model=str(model), cache=cache, now=started,
                    progress=progress,
                )  # fmt: skip
        progress.clear()
        if db:
            eval_runs.store(db, found, started=started, duration_ms=(time.perf_counter() - clock) * 1000)
    print_json(found.as_dict()) if as_json else print_contest(found, kept=db is not None)


def release_canaries(database: Path | None, file: Path | None, *, own: bool, as_json: bool) -> None:
    """Plants words in a copy of the user's file and prints what got through."""
    if file is not None or own:
        raise InputError("--canary plants words in a copy of your own file. Leave out FILE and --own.")
    path, progress = chosen_path(database), Progress()
    if not is_file(path):
        raise NotFoundError(f"There is no file {path}. Make one: `memory-db run`.")
    with working_copy(path) as copy, tempfile.TemporaryDirectory(prefix="memory-db-") as folder:
        found = canaries.release(copy, Path(folder), now=moment(), progress=progress)
    progress.clear()
    if as_json:
        print_json(found.as_dict())
        return
    rows = [
        [carrier, count, *(sum(each.carrier == carrier and each.place == place for each in found.leaks)
                           for place in canaries.PLACES)]
        for carrier, count in found.planted.items()
    ]  # fmt: skip
    print_table(["came in as", "planted", *canaries.PLACES], rows)
    for leak in found.leaks:
        click.echo(f"{leak.place} ({leak.carrier}, {leak.language}): {leak.text}")
    total = sum(found.planted.values())
    click.echo(f"{len(found.leaks)} of {total} got through." if found.leaks else f"None of {total} got through.")


@contextmanager
def own_file(database: Path | None, *, needed: bool) -> Iterator[sqlite3.Connection | None]:
    """The user's file, to take profiles from and keep results in; None where there is none and none is needed."""
    path = chosen_path(database)
    if not needed and not is_file(path):
        yield None
        return
    with writing(database, create=False) as db:
        yield db


@contextmanager
def vector_cache() -> Iterator[VectorCache | None]:
    """The cache of vectors in its usual place, None where there can be none."""
    place = expanded(Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache")) / CACHE
    cache = open_cache(place)
    if cache is None:
        click.echo(f"Vectors cannot be kept in {place}: everything is embedded anew.", err=True)
        yield None
        return
    with closing(cache):
        yield cache


def chosen_profiles(db: sqlite3.Connection | None, names: Sequence[str], baseline: str) -> list[tuple[str, Profile]]:
    """The profiles that are named, `default` if none is, and the baseline; from the user's file or as shipped.

    Raises: NotFoundError.
    """
    wanted = dict.fromkeys((*(names or ("default",)), baseline))
    if contest.FITTED in wanted and db is None:
        raise InputError(f"{contest.FITTED!r} comes by itself with --folds or --by. Name another profile.")
    return [(name, load_profile(db, name) if db else shipped_profile(name)) for name in wanted]


def shipped_profile(name: str) -> Profile:
    """A profile that comes with the package. Raises: NotFoundError."""
    if name not in PRESETS:
        raise NotFoundError(f"No profile {name!r}. There are: {', '.join(sorted(PRESETS))}.")
    return Profile(0, name, 1, PRESETS[name].weights, PRESETS[name].threshold)


def only_set(db: sqlite3.Connection, name: str | None) -> str:
    """The query set of that name, else that of judgements by hand, else the only one.

    Raises: NotFoundError, InputError.
    """
    names = [str(row[0]) for row in db.execute("select name from query_sets order by name")]
    if name is not None:
        if name not in names:
            raise NotFoundError(f"No query set {name!r}. There are: {', '.join(names) or 'none yet'}.")
        return name
    if not names:
        raise NotFoundError(
            "There is no labelled question yet. Ask on the pages (`memory-db serve`) and judge what comes: each hit has"
            " the buttons relevant and not relevant."
        )
    if OWN_SET in names:
        return OWN_SET
    if len(names) > 1:
        raise InputError(f"Which questions? Say --set with one of: {', '.join(names)}.")
    return names[0]


def parsed_signals(text: str | None) -> tuple[str, ...] | None:
    """Signals by name. Raises: InputError."""
    if text is None:
        return None
    names = tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    unknown = [name for name in names if name not in SIGNALS]
    if unknown or not names:
        wrong = ", ".join(unknown) or repr(text)
        raise InputError(f"No signal {wrong}. There are: {', '.join(SIGNALS)}.")
    return names


# ------------------------------------------------------------------------- tune


# --------------------------------------------------------------------- printing


def print_contest(found: contest.Contest, *, kept: bool) -> None:
    """Prints every figure of every profile, a line a metric."""
    left_out = "".join(f"; {count:,} {name.replace('_', ' ')}" for name, count in found.left_out.items())
    click.echo(
        f"{found.dataset}: {found.queries:,} questions, {found.negatives:,} without an answer,"
        f" {found.items:,} entries and memories; model {found.semantic_model or 'none'}{left_out}"
    )
    rows = [
        (metric, name, interval(figures.get(metric)), interval(figures.get("difference", {}).get(metric), signed=True))
        for metric in METRICS
        for name, figures in found.profiles.items()
        if metric in figures
    ]
    print_table(("metric", "profile", "mean, 95 % interval", f"against {found.baseline}"), rows)
    click.echo()
    print_table(
        ("profile", "shown from", "answerable shown", "negatives shown", "answers deleted", "median ms", "p95 ms"),
        [
            (name, figures["threshold"], interval(figures["abstention"].get("answerable")),
             interval(figures["abstention"].get("negatives")), interval(figures["abstention"].get("deleted")),
             figures["median_ms"], figures["p95_ms"])
            for name, figures in found.profiles.items()
        ],
    )  # fmt: skip
    print_silence(found)
    print_told(found)
    if found.split:
        click.echo(f"\nWeights of {contest.FITTED}: each question by weights fitted on other folds ({found.split}).")
    if kept:
        click.echo("Kept as rows of eval_runs.")


def print_told(found: contest.Contest) -> None:
    """Prints how often a prompt's brief says what the answer hangs on, where that is known."""
    if found.told:
        click.echo("\nWhat the answer hangs on, said in a prompt's brief within so many characters:")
        names = list(next(iter(found.told.values())))
        rows = [(way, *(interval(figures[name]) for name in names)) for way, figures in found.told.items()]
        print_table(("answered", *names), rows)


SILENCE = {"negatives": "negatives silent", "deleted": "answers deleted, silent", "precision": "precision of five"}
"""What is printed of silence, with its column."""


def print_silence(found: contest.Contest) -> None:
    """Prints how often nothing is shown where most answerable questions still get something, if that was measured."""
    rows = [
        (name, f"{at['threshold']:.3f}", f"{at['kept']:.3f}", *(interval(at.get(sort)) for sort in SILENCE))
        for name, figures in found.profiles.items()
        if (at := figures["abstention"].get("silence"))
    ]
    if rows:
        click.echo(f"\nWhere {KEPT:.0%} of the answerable questions are shown something:")
        print_table(("profile", "shown from", "answerable shown", *SILENCE.values()), rows)


def interval(figure: Mapping[str, float] | None, *, signed: bool = False) -> str:
    """A mean with its interval, such as `0.751 (0.722 to 0.774)`; nothing for nothing."""
    if figure is None:
        return ""
    sign = "+" if signed else ""
    return f"{figure['mean']:{sign}.3f} ({figure['low']:{sign}.3f} to {figure['high']:{sign}.3f})"
