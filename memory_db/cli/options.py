"""Parameters that commands share, each declared once."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from memory_db.store.money import NANOCENTS_PER_USD
from memory_db.store.seeds import KINDS

KIND_NAMES = tuple(kind.name for kind in KINDS)

# ------------------------------------------------------------------- types


class UsDollars(click.FloatRange):
    """An amount of money, 0 or more, as billionths of a US cent."""

    name = "dollars"

    def __init__(self) -> None:
        super().__init__(min=0, max=1_000_000)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        dollars = super().convert(value, param, ctx)
        if not math.isfinite(dollars):
            self.fail(f"{value} is no amount", param, ctx)
        return round(dollars * NANOCENTS_PER_USD)


class Words(click.types.StringParamType):
    """A text that says something: what was given and left empty was meant to be more."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        text = str(super().convert(value, param, ctx))
        if not text.strip():
            self.fail("it is empty. Give some words, or leave the option out", param, ctx)
        return text


WORDS = Words()

# ---------------------------------------------- the file, and how to answer

database_option = click.option(
    "-d",
    "--database",
    type=click.Path(path_type=Path),
    help="The file; else $MEMORY_DB, else ~/.memory-db/memory.db.",
)


json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


dry_run_option = click.option("--dry-run", is_flag=True, help="Do it on a temporary copy and show what would change.")


def reading_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of every command that reads: --database, --json."""
    return database_option(json_option(command))


def changing_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of every command that changes something: --database, --dry-run, --json."""
    return database_option(dry_run_option(json_option(command)))


def use_database(context: click.Context, database: Path | None) -> None:
    """Lets the commands of a group use the file that was named with the group, else the one named before it."""
    given = context.obj or {}
    context.obj = {**given, "database": database or given.get("database")}


# --------------------------------------------------------- what is asked for

only_project_option = click.option("--project", help="Leave out other projects: a project's name or path.")
own_project_option = click.option("--project", help="A project's name or path; default: the one of this folder.")
for_user_option = click.option("--user", "for_user", is_flag=True, help="Holds in every project.")
since_option = click.option(
    "--since", help="Only what is from then on: a date (2026-03-01), or words such as 'last week'."
)
before_option = click.option("--before", help="Only what is from before that.")
as_of_option = click.option(
    "--as-of",
    type=WORDS,
    metavar="MOMENT",
    help="As it was known then: a date, words such as 'last week', or a checkpoint.",
)
tags_option = click.option("--tag", "tags", multiple=True, help="Only memories with this tag; may be repeated.")
kinds_option = click.option(
    "--kind", "kinds", multiple=True, type=click.Choice(KIND_NAMES), help="Only this kind; may be repeated."
)
kind_option = click.option(
    "--kind", type=click.Choice(KIND_NAMES), default="convention", show_default=True, help="What sort of memory it is."
)
profile_option = click.option("--profile", help="Weights to use, as `memory-db profile list` names them.")


def question_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of every command that asks a question: filters, weights, how much, and whether it is logged."""
    for option in reversed(
        (
            tags_option,
            kinds_option,
            click.option("--path", "paths", multiple=True, help="A file in play; may be repeated."),
            profile_option,
            click.option("--limit", type=int, help="Hits to show at most."),
            click.option("--budget", type=int, help="Tokens that the hits may take."),
            click.option("--no-log", is_flag=True, help="Leave no trace: works on a file that cannot be written."),
        )
    ):
        command = option(command)
    return command


# ------------------------------------------------------------ words and asking

note_option = click.option("--note", default="", help="A note to keep with it.")
reason_option = click.option("--reason", type=WORDS, help="Why; it is kept. Else that it was done by hand.")
yes_option = click.option("--yes", is_flag=True, help="Do not ask.")

# -------------------------------------------------------------------- models

model_option = click.option("-m", "--model", "model_name", help="A model by its name or alias in `llm models`.")
spending_option = click.option("--budget", type=UsDollars(), help="US dollars that the calls may cost.")

# ------------------------------------------------------------------- weights

query_set_option = click.option(
    "--set", "query_set", metavar="NAME", help="Which set of your own questions, if there are several."
)
signals_option = click.option("--signals", metavar="NAME,NAME", help="Fit these signals alone.")
