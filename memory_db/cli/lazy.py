"""Groups of commands: help lines in full, and commands that are loaded when they are used.

A command's help line is stated once, as the first line of its docstring. The help of a lazy group reads it from the
source of the command's module, which takes a fraction of the time of importing it.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click

from memory_db.cli.options import database_option, use_database

HERE = Path(__file__).parent

FIRST_LINE = r'^def {}\(.*?^    """(.+?)(?:"""|$)'
"""The first line of the docstring of a function of a module."""


class Group(click.Group):
    """A group whose help shows the help line of each command in full."""

    def help_line(self, name: str) -> str:
        """The first line of a command's help."""
        return (self.commands[name].help or "").partition("\n")[0]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, self.help_line(name)) for name in self.list_commands(ctx)])

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)


class LazyGroup(Group):
    """A group that is given where each command is written, or a group.

    A place is `package.module:function`, below memory_db/cli. `default` is the command that runs where none is named;
    `renew` turns the arguments of an earlier version into those of today.
    """

    def __init__(
        self,
        name: str | None,
        places: Mapping[str, str | LazyGroup],
        default: str | None = None,
        renew: Callable[[list[str]], list[str]] | None = None,
        **attributes: Any,
    ) -> None:
        if "callback" not in attributes:
            attributes |= {"callback": click.pass_context(use_database)}
        super().__init__(name, **attributes)
        self.places, self.default, self.renew = places, default, renew
        if not self.params:
            database_option(self)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.places)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        place = self.places.get(cmd_name)
        return load(place) if isinstance(place, str) else place

    def help_line(self, name: str) -> str:
        place = self.places[name]
        return written_help_line(place) if isinstance(place, str) else str(place.help)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not set(args) & {*self.places, "--help"}:
            if self.renew:
                args = self.renew(args)
            if self.default and not set(args) & set(self.places) and not words_of(args):
                args = [self.default, *args]
        return super().parse_args(ctx, args)


def words_of(args: list[str]) -> list[str]:
    """Arguments that are neither options nor the value of --database."""
    values = {at + 1 for at, arg in enumerate(args) if arg in ("-d", "--database")}
    return [arg for at, arg in enumerate(args) if at not in values and not arg.startswith("-")]


def load(place: str) -> click.Command:
    """The command that is written at a place. Raises: TypeError where something else is."""
    module, _, name = place.partition(":")
    command = getattr(importlib.import_module(f"memory_db.cli.{module}"), name)
    if not isinstance(command, click.Command):
        raise TypeError(f"{place} is not a command")
    return command


def written_help_line(place: str) -> str:
    """The first line of the docstring of the command at a place, without loading it. Raises: LookupError."""
    module, _, name = place.partition(":")
    source = HERE.joinpath(*module.split(".")).with_suffix(".py").read_text("utf-8")
    found = re.search(FIRST_LINE.format(name), source, re.MULTILINE | re.DOTALL)
    if found is None:
        raise LookupError(f"{place} has no docstring")
    return found[1]
