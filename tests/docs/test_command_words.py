"""Every command that a text names is one that `memory-db --help` leads to: docs, pages, notebooks, messages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from memory_db.agents.claude_code.plugin import IN_TERMINAL, SLASH_COMMANDS, SlashCommand
from memory_db.cli import cli

ROOT = Path(__file__).resolve().parents[2]
PLACES = (
    "README.md", "docs/*.md", "docs/*.yml", "docs/tools/*.py", "metadata.yml", "Makefile", "plugins/*.py",
    "plugins/templates/*.html", "notebooks/*.py", "notebooks/*.ipynb", "memory_db/**/*.py", "bench/*.py",
)  # fmt: skip
TEXTS = sorted(path for place in PLACES for path in ROOT.glob(place) if path.name != "old_words.py")

COMMAND = re.compile(
    r"""(?:[`"'/]|<code>|[$:] |^ {4,}|^)(?:memory-db|llm memory)(?: (?:-d|--database) \S+)?"""
    r"((?: [a-z][a-z-]*(?![\w.=/}]))+)",
    re.MULTILINE,
)
"""`memory-db` where a command begins, and the words after it."""


OLD_WORDS = re.compile(r"^## Old words$.*?(?=^## )", re.MULTILINE | re.DOTALL)
"""The part of docs/cli.md on words of an earlier version."""


def commands_in(text: str) -> Iterator[list[str]]:
    """The words of each command that a text names; a line of prose that begins with our name is none."""
    for found in COMMAND.finditer(text):
        if not found[0].startswith("memory-db") or text[: found.start()].count("```") % 2:
            yield found[1].split()


def unknown_word(words: list[str]) -> str | None:
    """The first word that is no command where it stands."""
    at: click.Command = cli
    for word in words:
        if not isinstance(at, click.Group):
            return None
        context = click.Context(at)
        found = at.get_command(context, word) if word in at.list_commands(context) else None
        if found is None:
            return word
        at = found
    return None


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_command_that_is_named_exists(path: Path) -> None:
    text = OLD_WORDS.sub("", path.read_text("utf-8")).replace("memory-db needs Python", "")
    wrong = [words for words in commands_in(text) if unknown_word(words)]
    assert wrong == []


@pytest.mark.slow
def test_commands_are_found_where_they_are_named() -> None:
    named = [words for path in TEXTS for words in commands_in(path.read_text("utf-8"))]
    assert len(named) > 400
    assert unknown_word(["delete"]) == "delete" and unknown_word(["file", "retain"]) == "retain"
    assert list(commands_in("`memory-db delete UID`, or $ memory-db -d x.db file check --thorough")) == [
        ["delete"],
        ["file", "check"],
    ]


@pytest.mark.parametrize("command", SLASH_COMMANDS, ids=lambda command: command.name)
def test_a_slash_command_names_the_same_in_a_terminal(command: SlashCommand) -> None:
    assert unknown_word(IN_TERMINAL.get(command.name, command.name).split()) is None
