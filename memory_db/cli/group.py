"""The group of commands, and how trouble is told: one line, exit code 1."""

from __future__ import annotations

import importlib
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
from memory_db.errors import MemoryDBError
from memory_db.store.connection import explain

COMMANDS = {
    "run": ("memory_db.cli.pipeline:run", "Import, extract, gate and index whatever is new."),
    "import": ("memory_db.cli.pipeline:import_", "Read transcripts and texts into entries."),
    "extract": ("memory_db.cli.extracting:extract", "Find candidates in new entries, and decide on each."),
    "estimate": ("memory_db.cli.extracting:estimate", "What reading with a model would take: calls, tokens, price."),
    "index": ("memory_db.cli.pipeline:index", "Bring vectors up to date (full text follows by itself)."),
    "recall": ("memory_db.cli.asking:recall", "Ask a question of what is remembered."),
    "brief": (
        "memory_db.cli.briefing:brief",
        "The text that an agent would be given for a question, or at the start.",
    ),
    "ask": ("memory_db.cli.conversing:ask", "Ask a model, with what is remembered on the question."),
    "capture": (
        "memory_db.cli.conversing:capture",
        "Take in one question and its answer from another program.",
    ),
    "why": ("memory_db.cli.asking:why", "Why a recall showed what it showed."),
    "get": ("memory_db.cli.asking:get", "A memory, entry, session or recall by its uid, whole."),
    "history": ("memory_db.cli.history:history", "What happened to memory UID, in the order in which it was recorded."),
    "timeline": (
        "memory_db.cli.timelines:timeline",
        "What came before and after: of a uid, of a topic, of a span of time.",
    ),
    "diff": ("memory_db.cli.history:diff", "What changed in what is known between two moments."),
    "checkpoint": ("memory_db.cli.history:checkpoint", "Name the present, to ask for it and compare with it later."),
    "add": ("memory_db.cli.asking:add", "Add a memory in your own words."),
    "correct": (
        "memory_db.cli.replacing:correct",
        "Add a memory in the place of one that is no longer true.",
    ),
    "supersede": ("memory_db.cli.replacing:supersede", "Say that memory NEW replaces memory OLD."),
    "contradictions": (
        "memory_db.cli.contradicting:contradictions",
        "List memories that contradict each other, with the words of both.",
    ),
    "review": ("memory_db.cli.reviewing:review", "List what waits for a person, decide on it, or take that back."),
    "propose": (
        "memory_db.cli.proposing:propose_",
        "Put a change before a person: save, deprecate, relate, tension.",
    ),
    "guard": ("memory_db.cli.reviewing:guard", "What the gate would do with a text, with the nearest memories."),
    "confirm": ("memory_db.cli.believing:confirm", "Say that memory UID holds."),
    "feedback": (
        "memory_db.cli.believing:feedback",
        "Say what came of memory UID: used, ignored, weak, wrong, contradicted.",
    ),
    "lock": (
        "memory_db.cli.believing:lock",
        "Lock memory UID: no machine changes it, and its prior is that of your own words.",
    ),
    "unlock": ("memory_db.cli.believing:unlock", "Take the lock of memory UID away."),
    "delete": (
        "memory_db.cli.believing:delete",
        "Take memory UID out of use: it is shown no more, and `restore` brings it back.",
    ),
    "restore": ("memory_db.cli.believing:restore", "Take memory UID, which was deleted, into use again."),
    "forget": (
        "memory_db.cli.forgetting:forget",
        "Remove a memory, an entry or a session for good, with every exact copy.",
    ),
    "retain": ("memory_db.cli.forgetting:retain", "Let old hits go that were not shown and that nobody judged."),
    "suppress": ("memory_db.cli.suppressing:suppress", "Hold memory UID back for a sort of question."),
    "hook": ("memory_db.cli.hook_command:hook", "What an agent would read at an event, as its hook answers."),
    "rule": ("memory_db.cli.hooking:rule", "Commands that a locked memory forbids the agent, or asks a person for."),
    "pause": ("memory_db.cli.hooking:pause", "Let hooks show nothing for a while."),
    "junk": ("memory_db.cli.junk:junk", "Memories that are of no use, each with the reason in numbers."),
    "portrait": (
        "memory_db.cli.portrait:portrait",
        "A project's playbook, or what is known of the user, as a document.",
    ),
    "graph": ("memory_db.cli.graph:graph", "How memories stand to each other: neighbours, audit, stats, relate."),
    "projects": (
        "memory_db.cli.projects:projects",
        "List projects with what is linked to them; link two, or make them one.",
    ),
    "layer": ("memory_db.cli.layers:layer", "Put memory UID into a layer, or back to where the rules put it (auto)."),
    "profile": ("memory_db.cli.tuning:profile", "List profiles, show one, or save a new version of one."),
    "evaluate": (
        "memory_db.cli.evaluating:evaluate_",
        "Measure profiles on labelled questions, a data set's or your own.",
    ),
    "tune": ("memory_db.cli.evaluating:tune", "Fit weights on one part of your questions and report on the other."),
    "settings": ("memory_db.cli.tuning:settings", "List settings, show one, or change one."),
    "cost": (
        "memory_db.cli.accounting:cost",
        "Tokens and money spent by agents and by memory, with the share of briefs.",
    ),
    "savings": ("memory_db.cli.accounting:savings_", "What memory saved, net, as a range over named other ways."),
    "price": ("memory_db.cli.pricing:price", "What models cost: list prices, set your own, look up the library's."),
    "serve": ("memory_db.cli.serving:serve", "Browse the file with Datasette, on this machine only."),
    "token": (
        "memory_db.cli.tokens:token",
        "Tokens with which programs read and write through the server: add, list, revoke.",
    ),
    "mcp": ("memory_db.cli.reader:mcp", "Answer an agent over stdio: the tools recall, get and timeline."),
    "work": ("memory_db.cli.extracting:work", "Do what is due, one worker at a time."),
    "install": (
        "memory_db.cli.installing:install",
        "Put memory-db to work by itself: in Claude Code, in another agent, by a timer.",
    ),
    "uninstall": ("memory_db.cli.installing:uninstall", "Take memory-db out of an agent again."),
    "doctor": ("memory_db.cli.looking_after:doctor", "Say whether everything works, and what to do where it does not."),
    "check": ("memory_db.cli.looking_after:check", "Derive everything again and list what disagrees."),
    "scan": (
        "memory_db.cli.looking_after:scan",
        "Take secrets and attacks out of old texts, by the rules of today.",
    ),
    "backup": ("memory_db.cli.looking_after:backup", "Copy the file to TARGET and verify the copy."),
    "export": ("memory_db.cli.exporting:export", "Write memories as JSON or Markdown."),
}
"""Each command: where it is written, and its help in a line, so that `--help` need not load them all."""


OTHER_WORDS = {"project": "projects"}
"""What a command is called as well; the help does not list it."""

MESSAGE_CHARACTERS = 600
"""Of a longer message the beginning and the end are told: a hostile value stands in its middle."""


class Commands(click.Group):
    """A group that loads a command when it is wanted, and tells every trouble in one line."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        known = OTHER_WORDS.get(cmd_name, cmd_name)
        if known not in COMMANDS:
            return None
        place, _ = COMMANDS[known]
        module, _, name = place.partition(":")
        command = getattr(importlib.import_module(module), name)
        if not isinstance(command, click.Command):
            raise TypeError(f"{place} is not a command")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, help_line) for name, (_, help_line) in COMMANDS.items()])

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        with told_in_one_line(None):
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: click.Context) -> object:
        with told_in_one_line(ctx):
            return super().invoke(ctx)


@contextmanager
def told_in_one_line(ctx: click.Context | None) -> Iterator[None]:
    """Turns every trouble that a user can mend into one line; the context knows which file was in use."""
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


@click.group(cls=Commands, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "-d",
    "--database",
    type=click.Path(path_type=Path),
    help="The file; else $MEMORY_DB, else ~/.memory-db/memory.db.",
)
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
    except click.Abort:
        click.echo("Stopped. The same command goes on where this one ended.", err=True)
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
