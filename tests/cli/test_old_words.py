"""Words of version 0.1: they do what they did, and name the new word to whoever sits at a terminal."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from memory_db.cli import cli
from memory_db.cli.old_words import HIDDEN, HOOKS, RENAMED
from memory_db.hooks import run as hooks

OF_THE_FIRST_VERSION = (
    "run", "import", "extract", "estimate", "index", "recall", "brief", "ask", "capture", "why", "get", "history",
    "timeline", "diff", "checkpoint", "add", "correct", "supersede", "contradictions", "review", "propose", "guard",
    "confirm", "feedback", "lock", "unlock", "delete", "restore", "forget", "retain", "suppress", "hook", "rule",
    "pause", "junk", "portrait", "graph", "projects", "project", "layer", "profile", "evaluate", "tune", "settings",
    "cost", "savings", "price", "serve", "token", "mcp", "work", "install", "uninstall", "doctor", "check", "scan",
    "backup", "export",
)  # fmt: skip


def run(*words: str, typed: str | None = None) -> Result:
    return CliRunner().invoke(cli, words, prog_name="memory-db", input=typed)


def printed(path: Path, *words: str, typed: str | None = None) -> str:
    """What a command prints, which has to end well and to say nothing of old words: nobody sits at a terminal."""
    ended = run("-d", str(path), *words, typed=typed)
    assert ended.exit_code == 0, ended.output
    assert "is now" not in ended.stderr
    return ended.stdout


@pytest.mark.parametrize("word", OF_THE_FIRST_VERSION)
def test_every_word_of_the_first_version_is_understood(word: str) -> None:
    ended = run(word, "--help")
    assert ended.exit_code == 0 and ended.stdout.startswith("Usage: memory-db ")
    new = RENAMED.get(word)
    assert new is None or ended.stdout == run(*new.split(), "--help").stdout


def test_help_shows_no_old_word() -> None:
    shown = {line.split()[0] for line in run("--help").stdout.partition("Commands:")[2].splitlines() if line.strip()}
    assert not shown & {*RENAMED, *HIDDEN}


@pytest.mark.slow
def test_old_words_do_what_they_did(sample_path: Path) -> None:
    projects = printed(sample_path, "projects", "--json")
    assert projects == printed(sample_path, "project", "list", "--json") == printed(sample_path, "project", "--json")
    assert printed(sample_path, "get", "mac752105") == printed(sample_path, "memory", "get", "mac752105")
    assert printed(sample_path, "price", "list") == printed(sample_path, "model", "price", "list")
    assert printed(sample_path, "token", "list") == printed(sample_path, "file", "tokens", "list")
    assert json.loads(printed(sample_path, "index", "--memories-only", "--json"))["stage"] == "index"
    assert "Would delete" in printed(sample_path, "retain", "--dry-run")
    assert "retired" in printed(sample_path, "delete", "m58ddede6", "--dry-run")
    text = "The quay opens at noon."
    assert printed(sample_path, "guard", text, "--json") == printed(sample_path, "memory", "check-text", text, "--json")


def test_profiles_without_list_show_or_save(sample_path: Path) -> None:
    assert printed(sample_path, "profile") == printed(sample_path, "profile", "list")
    assert printed(sample_path, "profile", "--json") == printed(sample_path, "profile", "list", "--json")
    assert printed(sample_path, "profile", "default") == printed(sample_path, "profile", "show", "default")
    assert printed(sample_path, "profile", "mine", "--set", "keyword=0.5") == "mine@1\n"
    assert printed(sample_path, "profile", "--threshold=0.2", "mine") == "mine@2\n"
    assert printed(sample_path, "profile", "-d", str(sample_path), "mine") != ""


def test_a_hook_without_show(sample_path: Path) -> None:
    assert set(HOOKS) == set(hooks.HANDLERS)
    for words in (("hook", "user-prompt"), ("hook", "--project", "quayside", "user-prompt")):
        assert "<memory-brief " in printed(sample_path, *words, typed="may I run terraform apply?")


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["price", "list"], "`memory-db price` is now `memory-db model price`; the old word goes with version 0.3."),
        (["index"], "`memory-db index` is now `memory-db run --only index`; the old word goes with version 0.3."),
        (["profile", "default"], "`memory-db profile NAME` is now `memory-db profile show NAME`; the old word"),
    ],
)
@pytest.mark.slow
def test_the_new_word_is_named_at_a_terminal_only(sample_path: Path, words: list[str], line: str) -> None:
    command = [sys.executable, "-m", "memory_db", "-d", str(sample_path), *words]
    ours, theirs = pty.openpty()
    with os.fdopen(ours, "rb", buffering=0) as screen:
        subprocess.run(command, stdin=theirs, stdout=subprocess.DEVNULL, stderr=theirs, check=True)
        seen = screen.read(4096).decode()
        quiet = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True)
        os.close(theirs)
    assert seen.startswith(line)
    assert "is now" not in quiet.stderr + quiet.stdout
