"""Commands on weights: profile list, show and save."""

from __future__ import annotations

from pathlib import Path

import click

from memory_db.cli.common import Command, moment, print_json, print_table, reading, writing
from memory_db.cli.options import changing_options, reading_options
from memory_db.errors import InputError
from memory_db.recall import profiles
from memory_db.recall.scoring import SIGNALS
from memory_db.recall.search import load_profile


@click.command("list", cls=Command)
@reading_options
def list_(database: Path | None, as_json: bool) -> None:
    """List profiles."""
    with reading(database) as db:
        print_profiles(profiles.list_profiles(db), as_json=as_json)


@click.command(cls=Command)
@click.argument("name")
@reading_options
def show(name: str, database: Path | None, as_json: bool) -> None:
    """Show the weights of profile NAME, or NAME@VERSION."""
    with reading(database) as db:
        print_weights(load_profile(db, name).weights, as_json=as_json)


@click.command(cls=Command)
@click.argument("name")
@click.option("--set", "changes", multiple=True, metavar="SIGNAL=WEIGHT", help="Give a signal this weight.")
@click.option("--threshold", type=float, help="Show nothing that is scored below this.")
@click.option("--from", "origin", help="Start from this profile's weights instead of its own.")
@changing_options
def save(
    name: str,
    changes: tuple[str, ...],
    threshold: float | None,
    origin: str | None,
    database: Path | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Save a new version of profile NAME, with the weights that you set."""
    if not (changes or threshold is not None or origin):
        raise InputError(f"What changes? Give a weight, as in `memory-db profile save {name} --set keyword=0.5`.")
    with writing(database, dry_run=dry_run, create=False) as db:
        exists = name in {row["name"] for row in profiles.list_profiles(db)}
        start = load_profile(db, origin or name) if origin or exists else load_profile(db, "default")
        version = profiles.save_profile(
            db,
            name,
            profiles.changed_weights(db, f"{start.name}@{start.version}", parsed_changes(changes)),
            threshold=start.threshold if threshold is None else threshold,
            description=f"Saved on the command line, from {start.name}@{start.version}",
            fitted_on="set by hand",
            now=moment(),
        )
        weights = load_profile(db, f"{name}@{version}").weights
    if as_json:
        print_json({"name": name, "version": version, "weights": weights, "dry_run": dry_run})
        return
    click.echo(f"{name}@{version}{' (not kept: dry run)' if dry_run else ''}")
    line = ", ".join(f"{signal} {weight:.3g}" for signal, weight in weights.items())
    click.echo(f"Weights, scaled to sum 1: {line}.", err=True)


def parsed_changes(changes: tuple[str, ...]) -> dict[str, float]:
    """`signal=weight` texts as numbers by name. Raises: InputError."""
    parsed = {}
    for each in changes:
        name, equals, number = each.partition("=")
        try:
            parsed[name] = float(number)
        except ValueError as error:
            raise InputError(f"{each!r} is no weight. Write it as keyword=0.5.") from error
        if not equals:
            raise InputError(f"{each!r} is no weight. Write it as keyword=0.5.")
    return parsed


def print_profiles(rows: list[dict[str, object]], *, as_json: bool) -> None:
    """Prints all profiles, one a line."""
    if as_json:
        print_json(rows)
        return
    print_table(
        ("profile", "version", "threshold", "fitted on", "description"),
        [(row["name"], row["version"], row["threshold"], row["fitted_on"], row["description"]) for row in rows],
    )


def print_weights(weights: object, *, as_json: bool) -> None:
    """Prints the weights of one profile beside what each signal is."""
    assert isinstance(weights, dict)
    if as_json:
        print_json(weights)
        return
    print_table(
        ("signal", "weight", "what it is"),
        [(name, weights.get(name, 0.0), (signal.__doc__ or "").splitlines()[0]) for name, signal in SIGNALS.items()],
    )
