"""Programs of others that the slow tests drive: where they are, and an environment of their own for them.

In: a temporary folder. Out: what they printed. Invariant: nothing of the person who runs the tests is read or written,
and no program reaches a host but this one.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

from tests.support.patience import WAIT_S

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / ".ci" / "node_modules" / ".bin"
HOW = "`make clients` installs them"

CLAUDES = {
    "2.1.197": PROGRAMS.parent / "@anthropic-ai" / "claude-code" / "bin" / "claude.exe",
    "2.1.330": PROGRAMS.parent / "claude-code-2.1.330" / "bin" / "claude.exe",
}
"""The versions of Claude Code that the lockfile holds, and where each is."""

ONE_CLAUDE = "CLAUDE_CLIENT"
"""The variable that names a Claude Code to drive instead of those. `make clients-latest` sets it."""

WAIT_MS = "300000"
"""How long Claude Code may wait for our server to start, on a machine that does other things too: 5 s are its own."""


def needs(*names: str) -> pytest.MarkDecorator:
    """Skips tests where one of these programs is absent."""
    missing = [name for name in names if shutil.which(name, path=f"{PROGRAMS}:{os.environ.get('PATH', '')}") is None]
    return pytest.mark.skipif(bool(missing), reason=f"{', '.join(missing)} of npm are absent: {HOW}")


def claudes() -> list[ParameterSet]:
    """Each Claude Code to drive, as a test's parameter; one that is not installed is skipped."""
    one = os.environ.get(ONE_CLAUDE)
    return [claude(*each) for each in ({"named": Path(one)} if one else CLAUDES).items()]


def claude(version: str, program: Path) -> ParameterSet:
    """One of them."""
    # What is there before `install.cjs` ran is a text that says so.
    is_there = program.is_file() and program.stat().st_size > 1_000_000
    reason = f"Claude Code {version} of npm is absent: {HOW}"
    return pytest.param(program, id=version, marks=pytest.mark.skipif(not is_there, reason=reason))


@dataclass(slots=True)
class ClientEnvironment:
    """A home and a project of their own."""

    home: Path
    project: Path
    variables: dict[str, str] = field(default_factory=dict)

    def run(self, *words: str, code: int | None = 0) -> subprocess.CompletedProcess[str]:
        """Runs a program in the project until it ends."""
        done = subprocess.run(
            words, cwd=self.project, env=self.environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=WAIT_S, check=False,
        )  # fmt: skip
        assert code is None or done.returncode == code, f"{words}\n{done.stdout}\n{done.stderr}"
        return done

    def environment(self) -> dict[str, str]:
        """Nothing of the person's own but the place of programs."""
        return {
            "HOME": str(self.home), "PATH": f"{self.home / 'bin'}:{PROGRAMS}:{os.environ.get('PATH', os.defpath)}",
            "LANG": "C.UTF-8", "DISABLE_AUTOUPDATER": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "MCP_TIMEOUT": WAIT_MS, "MCP_CONNECT_TIMEOUT_MS": WAIT_MS, **self.variables,
        }  # fmt: skip


def client_environment(
    folder: Path, variables: dict[str, str] | None = None, *, claude: Path | None = None
) -> ClientEnvironment:
    """A new home and project, with spaces and quotes in their paths; `claude` is the program of that name there."""
    home, project = folder / "ho 'me", folder / 'pro "ject'
    (home / "bin").mkdir(parents=True)
    project.mkdir()
    if claude:
        (home / "bin" / "claude").symlink_to(claude)
    return ClientEnvironment(home, project, dict(variables or {}))


def memory_db(here: ClientEnvironment, path: Path, words: Sequence[str]) -> str:
    """Runs a command of ours as its own process, and gives what it printed."""
    program = ROOT / ".venv" / "bin" / "memory-db"
    return here.run(str(program), "-d", str(path), *words).stdout


def give_time(plugin: Path, milliseconds: int = 120_000) -> None:
    """Lets the hooks of a plugin work for so long, two minutes unless told: on a slow machine they come too late."""
    file = plugin / "hooks" / "hooks.json"
    hooks = json.loads(file.read_text("utf-8"))
    for matched in hooks["hooks"].values():
        for hook in (each for group in matched for each in group["hooks"] if "hook.py" in each["args"][2]):
            hook["args"] += ["--deadline-ms", str(milliseconds)]
            hook["timeout"] = 300
    file.write_text(json.dumps(hooks), "utf-8")
