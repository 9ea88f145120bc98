"""The tree of commands: its words, its help, and which file a command takes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from memory_db import __version__
from memory_db.cli import cli
from memory_db.cli.group import COMMANDS
from memory_db.cli.lazy import Group
from tests.support.command import run

# ---------------------------------------------------------------- the group


def groups_of(group: click.Group, *words: str) -> Iterator[tuple[tuple[str, ...], click.Group]]:
    """A group and those below it, each with the words that lead to it."""
    yield words, group
    for name in group.list_commands(click.Context(group)):
        command = group.get_command(click.Context(group), name)
        if isinstance(command, click.Group):
            yield from groups_of(command, *words, name)


GROUPS = dict(groups_of(cli))


def test_at_most_27_words_stand_at_the_top() -> None:
    assert len(cli.list_commands(click.Context(cli))) <= 27


@pytest.mark.parametrize("words", GROUPS, ids=" ".join)
def test_help_lines_are_the_first_lines_of_the_commands_own_help(words: tuple[str, ...]) -> None:
    group = GROUPS[words]
    assert isinstance(group, Group)
    printed = " ".join(run(*words, "--help").stdout.split())
    for name in group.list_commands(click.Context(group)):
        command = group.get_command(click.Context(group), name)
        assert command is not None and command.help
        assert command.name == name
        line = group.help_line(name)
        assert line == command.help.partition("\n")[0]
        assert line[0].isupper() and line.endswith(".")
        assert f" {name} {line}" in printed
        assert line in " ".join(run(*words, name, "--help").stdout.split())


def test_without_a_command_there_is_help(home: Path) -> None:
    assert all(f"  {name} " in run().stdout for name in COMMANDS)
    assert "claude-code" in run("import").stdout
    assert "\n  refresh " in run("model", "price").stdout
    assert list(home.iterdir()) == []


def test_version() -> None:
    assert run("--version").stdout == f"memory-db, version {__version__}\n"


def test_help_of_the_group_loads_no_command() -> None:
    program = (
        "import sys; from memory_db.cli import main; sys.argv = ['memory-db', '--help']\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print([name for name in ('numpy', 'llm', 'datasette', 'sqlite_utils', 'mcp') if name in sys.modules])"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ended.stdout.splitlines()[-1] == "[]"


# ---------------------------------------------------------------- which file


def test_the_file_before_and_after_the_command(sample: Path) -> None:
    before = run("-d", str(sample), "settings", "--json").stdout
    assert run("settings", "--json", "-d", str(sample)).stdout == before
    assert run("--database", "/no/such/file", "settings", "--json", "-d", str(sample)).stdout == before
    uid = "mac752105"
    shown = run("-d", str(sample), "memory", "get", uid).stdout
    assert run("-d", "/no/such/file", "memory", "-d", str(sample), "get", uid).stdout == shown
    assert run("memory", "-d", "/no/such/file", "get", uid, "-d", str(sample)).stdout == shown


def test_the_file_named_by_the_surroundings(sample: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORY_DB", str(sample))
    run("settings", "recall_limit", "7")
    assert run("settings", "recall_limit").stdout == "7\n"
    other = home / "other.db"
    run("-d", str(other), "settings", "recall_limit", "9")
    assert run("settings", "recall_limit").stdout == "7\n"


def test_the_default_file_is_private_and_in_the_home_folder(home: Path) -> None:
    run("settings", "recall_limit", "7")
    path = home / ".memory-db" / "memory.db"
    assert run("settings", "recall_limit").stdout == run("settings", "recall_limit", "-d", str(path)).stdout
    assert path.stat().st_mode & 0o777 == 0o600
    assert run("-d", "~/.memory-db/memory.db", "settings", "recall_limit").stdout == "7\n"


@pytest.mark.slow
def test_llm_memory_is_the_same_group(sample: Path) -> None:
    environment = {**os.environ, "LLM_USER_PATH": str(sample.parent / "llm")}
    environment.pop("LLM_LOAD_PLUGINS", None)

    def llm(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "llm", "memory", *arguments]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    assert llm("-d", str(sample), "settings", "--json").stdout == run("-d", str(sample), "settings", "--json").stdout
    assert (
        llm("memory", "get", "nothing", "-d", str(sample)).stderr
        == run("-d", str(sample), "memory", "get", "nothing", code=1).stderr
    )
    wrong = llm("--nothing")
    assert (wrong.returncode, wrong.stderr.count("\n")) == (1, 1)
