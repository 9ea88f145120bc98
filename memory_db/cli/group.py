"""The tree of commands, and how an error is shown: one line, exit code 1.

A command is loaded when it is used, so that asking a question does not wait for the libraries of serving.
"""

from __future__ import annotations

import io
import os
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from memory_db import __version__
from memory_db.cli import STOPPED, old_words
from memory_db.cli.lazy import LazyGroup
from memory_db.cli.options import database_option
from memory_db.errors import MemoryDBError
from memory_db.store.connection import explain

IMPORT = LazyGroup(
    "import",
    {
        "claude-code": "pipeline.imports:import_claude_code",
        "claude-ai": "pipeline.imports:import_claude_ai",
        "llm-logs": "pipeline.imports:import_llm_logs",
        "text": "pipeline.imports:import_text",
        "exchange": "pipeline.exchange:exchange",
    },
    help="Import transcripts and texts as entries.",
)
HOOK = LazyGroup(
    "hook",
    {"show": "agents.answer:show", "pause": "agents.hooks:pause", "rule": "agents.hooks:rule"},
    help="Try hooks, pause them, and rule on an agent's commands.",
    renew=old_words.renew_hook,
)
PROFILE = LazyGroup(
    "profile",
    {
        "list": "evaluation.profiles:list_",
        "show": "evaluation.profiles:show",
        "save": "evaluation.profiles:save",
        "tune": "evaluation.tune:tune",
    },
    help="List, show, save and fit the weights of recall.",
    default="list",
    renew=old_words.renew_profile,
)
MEMORY = LazyGroup(
    "memory",
    {
        "get": "memory.history:get",
        "history": "memory.history:history",
        "timeline": "memory.timeline:timeline",
        "diff": "memory.history:diff",
        "checkpoint": "memory.history:checkpoint",
        "correct": "memory.change:correct",
        "supersede": "memory.change:supersede",
        "confirm": "memory.change:confirm",
        "feedback": "memory.change:feedback",
        "lock": "memory.change:lock",
        "unlock": "memory.change:unlock",
        "retire": "memory.change:retire",
        "restore": "memory.change:restore",
        "forget": "memory.forget:forget",
        "suppress": "memory.change:suppress",
        "layer": "memory.change:layer",
        "graph": "memory.graph:graph",
        "contradictions": "memory.contradictions:contradictions",
        "junk": "memory.junk:junk",
        "portrait": "memory.portrait:portrait",
        "propose": "memory.add:propose_",
        "check-text": "memory.add:check_text",
    },
    help="Read, judge, change and remove single memories.",
)
PROJECT = LazyGroup(
    "project",
    {
        "list": "memory.projects:list_",
        "onboard": "memory.onboard:onboard",
        "procedures": "memory.projects:procedures",
        "link": "memory.projects:link",
        "unlink": "memory.projects:unlink",
        "merge": "memory.projects:merge",
        "ignore": "memory.ignore:ignore",
        "unignore": "memory.ignore:unignore",
    },
    help="List projects, read what a repository says, share memories between two, merge or ignore them.",
    default="list",
)
MODEL = LazyGroup(
    "model",
    {
        "list": "models.usable:list_",
        "allow": "models.usable:allow",
        "disallow": "models.usable:disallow",
        "estimate": "models.estimate:estimate",
        "price": "models.prices:price",
        "savings": "models.cost:savings_",
    },
    help="List models that can read sessions, allow them, estimate and set prices, show savings.",
    default="list",
)
FLEET = LazyGroup(
    "fleet",
    {
        "import": "fleet.commands:import_",
        "recall": "fleet.commands:recall",
        "sql": "fleet.commands:sql",
        "evaluate": "fleet.commands:evaluate",
        "export": "fleet.commands:export",
    },
    help="Ask many files as one, on Dask.",
)
FILE = LazyGroup(
    "file",
    {
        "check": "file.upkeep:check",
        "scan": "file.upkeep:scan",
        "backup": "file.backup:backup",
        "restore": "file.backup:restore",
        "key": "file.encryption:key",
        "decrypt": "file.encryption:decrypt",
        "upgrade": "file.upgrade:upgrade",
        "prune": "file.upkeep:prune",
        "merge": "file.merge:merge",
        "fleet": FLEET,
        "tokens": "file.tokens:tokens",
    },
    help="Check, clean, back up, restore and merge the file; its key and its tokens.",
)
NOTEBOOK = LazyGroup(
    "notebook",
    {"copy": "file.notebooks:copy", "lab": "file.notebooks:lab"},
    help="Copy the notebooks to where you want them, or open them in JupyterLab.",
)
COMMANDS: dict[str, str | LazyGroup] = {
    "run": "pipeline.run:run",
    "import": IMPORT,
    "extract": "pipeline.extract:extract",
    "work": "pipeline.work:work",
    "recall": "recall.recall:recall",
    "ask": "recall.ask:ask",
    "brief": "recall.brief:brief",
    "why": "recall.why:why",
    "add": "memory.add:add",
    "review": "memory.review:review",
    "cost": "models.cost:cost",
    "export": "file.export:export",
    "serve": "file.serve:serve",
    "demo": "file.demo:demo",
    "notebook": NOTEBOOK,
    "mcp": "agents.mcp:mcp",
    "install": "agents.install:install",
    "uninstall": "agents.install:uninstall",
    "hook": HOOK,
    "doctor": "file.upkeep:doctor",
    "evaluate": "evaluation.evaluate:evaluate_",
    "profile": PROFILE,
    "memory": MEMORY,
    "project": PROJECT,
    "model": MODEL,
    "file": FILE,
    "settings": "file.settings:settings",
}
"""Each word of the command line: where its command is written, below memory_db/cli, or the group it holds."""

MESSAGE_CHARACTERS = 600
"""Of a longer message the beginning and the end are shown: a hostile value stands in its middle."""


class RootGroup(LazyGroup):
    """The whole command line: takes old words too, and shows every error in one line."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return super().get_command(ctx, cmd_name) or old_words.hidden_command(cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        return super().resolve_command(ctx, old_words.renew(args))

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        with error_in_one_line(None):
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: click.Context) -> object:
        with error_in_one_line(ctx):
            return super().invoke(ctx)


@contextmanager
def error_in_one_line(ctx: click.Context | None) -> Iterator[None]:
    """Turns every error that a user can mend into one line; the context knows which file was in use."""
    try:
        yield
    except MemoryDBError as error:
        raise click.ClickException(one_line(str(error))) from error
    except sqlite3.Error as error:
        path = ctx.obj.get("used") if ctx and ctx.obj else None
        raise click.ClickException(one_line(str(explain(error, path or Path("the database"))))) from error
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())  # a family of commands by its own name
        raise click.exceptions.Exit(0) from error
    except click.UsageError as error:
        message = error.format_message().removesuffix(".")
        hint = f" See `{error.ctx.command_path} --help`." if error.ctx else ""
        raise click.ClickException(f"{one_line(message)}.{hint}") from error
    except BrokenPipeError:
        raise
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        raise click.ClickException(f"{one_line(place)}{error.strerror or error}. See `memory-db doctor`.") from error


def one_line(text: str) -> str:
    """A message without line breaks or control characters, which a hostile value could have brought, and no book."""
    plain = "".join(character if character.isprintable() else " " for character in text)
    if len(plain) <= MESSAGE_CHARACTERS:
        return plain
    half = MESSAGE_CHARACTERS // 2
    return f"{plain[:half]} … {plain[-half:]}"


@click.group(
    cls=RootGroup,
    places=COMMANDS,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@database_option
@click.version_option(__version__, prog_name="memory-db")
@click.pass_context
def cli(ctx: click.Context, database: Path | None) -> None:
    """Memory for AI coding agents, in one SQLite file."""
    ctx.ensure_object(dict)
    ctx.obj["database"] = database
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def main() -> None:
    """Runs the command line; wrong usage is exit code 1, as every other trouble."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal that cannot show a character must not cost the whole answer.
            stream.reconfigure(errors="backslashreplace")
    try:
        cli.main(standalone_mode=False)
    except RuntimeError as error:  # of which an Abort is one
        # Python 3.11 wraps what interrupts it while it makes a class, as it does in imports, in a RuntimeError.
        is_stopped = isinstance(error.__cause__, KeyboardInterrupt)
        if not is_stopped and not isinstance(error, click.Abort):
            raise
        # Without a cause a question was not answered, or not with yes: each is asked before anything is done.
        click.echo(STOPPED if is_stopped else "Not confirmed: nothing done.", err=True)
        sys.exit(1)
    except click.exceptions.Exit as error:
        sys.exit(error.exit_code)
    except click.ClickException as error:
        click.echo(f"Error: {one_line(error.format_message())}", err=True)
        sys.exit(1)
    except BrokenPipeError:
        # The reader of our output has gone: there is nobody left to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
