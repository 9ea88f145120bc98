"""Words of the command line of version 0.1, which timers, scripts and installed agents still use.

They do what they did. On a terminal one line names the new word; hooks and timers, which have none, see nothing of it.
They go with version 0.3.
"""

from __future__ import annotations

import sys

import click

from memory_db.cli.lazy import load, words_of

RENAMED = {
    **{
        word: f"memory {word}"
        for word in (
            "get", "history", "timeline", "diff", "checkpoint", "correct", "supersede", "confirm", "feedback", "lock",
            "unlock", "restore", "forget", "suppress", "layer", "graph", "contradictions", "junk", "portrait",
            "propose",
        )
    },
    "delete": "memory retire",
    "guard": "memory check-text",
    "capture": "import exchange",
    "pause": "hook pause",
    "rule": "hook rule",
    "tune": "profile tune",
    "projects": "project",
    "estimate": "model estimate",
    "price": "model price",
    "savings": "model savings",
    "check": "file check",
    "scan": "file scan",
    "backup": "file backup",
    "retain": "file prune",
    "token": "file tokens",
}  # fmt: skip
"""Old words whose command is the same under another name."""

SHORT = {"onboard": "project onboard"}
"""Words that stand for a longer one for good, and are not listed."""

HIDDEN = {"index": ("pipeline.run:index", "run --only index")}
"""Old words with a command of their own, and what to use instead."""

HOOKS = ("session-start", "user-prompt", "pre-tool-use", "stop", "session-end", "pre-compact")
"""Names of hooks, which stood right after `hook`."""

SAVING = ("--set", "--threshold", "--from")
"""Options by which `profile NAME` saved a new version."""


def renew(args: list[str]) -> list[str]:
    """Arguments of the whole command line with the new word in the place of an old one."""
    word = args[0]
    if word in HIDDEN:
        say_new(word, HIDDEN[word][1])
    if word in SHORT:
        return [*SHORT[word].split(), *args[1:]]
    if word not in RENAMED:
        return args
    say_new(word, RENAMED[word])
    return [*RENAMED[word].split(), *args[1:]]


def hidden_command(word: str) -> click.Command | None:
    """The command of an old word that has one of its own."""
    return load(HIDDEN[word][0]) if word in HIDDEN else None


def renew_hook(args: list[str]) -> list[str]:
    """`hook NAME` as `hook show NAME`."""
    if set(args) & set(HOOKS):
        say_new("hook NAME", "hook show NAME")
        return ["show", *args]
    return args


def renew_profile(args: list[str]) -> list[str]:
    """`profile NAME` as `profile show NAME`, and with an option that changes weights as `profile save NAME`."""
    if any(arg.partition("=")[0] in SAVING for arg in args):
        say_new("profile NAME --set", "profile save NAME --set")
        return ["save", *args]
    if words_of(args):
        say_new("profile NAME", "profile show NAME")
        return ["show", *args]
    return args


def say_new(old: str, new: str) -> None:
    """Names the new word to whoever sits at a terminal."""
    if sys.stdin and sys.stderr and sys.stdin.isatty() and sys.stderr.isatty():
        click.echo(f"`memory-db {old}` is now `memory-db {new}`; the old word goes with version 0.3.", err=True)
