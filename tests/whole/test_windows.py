"""Windows has no `fcntl`, no fork and no user ids: the package is imported and its commands run without them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from memory_db.agents.claude_code.install import checked
from memory_db.agents.claude_code.plugin import Places
from memory_db.errors import InstallError

REPOSITORY = Path(__file__).resolve().parents[2]

WITHOUT = """
import os, sys
import asyncio, multiprocessing, subprocess, tempfile, uuid
import click, datasette.app, distributed, duckdb, llm, mcp, numpy, onnxruntime, pyarrow, sqlite_utils, tokenizers, yaml
for name in ("fcntl", "pwd", "grp", "resource", "termios", "pty", "tty"):
    sys.modules[name] = None
for name in ("fork", "geteuid", "getuid", "setsid", "killpg", "sysconf", "register_at_fork"):
    delattr(os, name) if hasattr(os, name) else None
"""
"""Takes away what Windows lacks, once what is not ours is loaded: other libraries know by themselves where they run."""


def without(program: str, folder: Path) -> str:
    """What a program prints that lacks it all."""
    ended = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", WITHOUT + program],
        cwd=REPOSITORY, capture_output=True, text=True, check=False,
        env={"PATH": "/usr/bin:/bin", "HOME": str(folder), "MEMORY_DB": str(folder / "memory.db")},
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


@pytest.mark.slow
def test_every_module_is_imported(tmp_path: Path) -> None:
    program = """
import importlib, pkgutil, memory_db
names = [found.name for found in pkgutil.walk_packages(memory_db.__path__, "memory_db.")]
for name in names:
    if not name.endswith(("__main__", ".hook")):
        importlib.import_module(name)
print(len(names) > 200)
"""
    assert without(program, tmp_path) == "True\n"


@pytest.mark.slow
def test_the_commands_run(tmp_path: Path) -> None:
    program = """
from click.testing import CliRunner
from memory_db.cli import cli
for words in (
    ["settings", "embedding_model", "none"],
    ["add", "The tests run against port 5433.", "--kind", "environment", "--user"],
    ["recall", "port of the tests"],
    ["brief", "port of the tests"],
    ["check"],
):
    ended = CliRunner().invoke(cli, words)
    assert ended.exit_code == 0, (words, ended.output, ended.exception)
    print(ended.output)
"""
    assert without(program, tmp_path).count("5433") >= 2
    assert not (tmp_path / "memory.db.migrating").exists()


def test_hooks_are_refused_in_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    with pytest.raises(InstallError, match="Hooks need Linux or macOS") as refused:
        checked(Places(Path(sys.executable), REPOSITORY / "memory_db", tmp_path / "memory.db"))
    assert "\n" not in str(refused.value)
