"""The folder from which Claude Code installs the plugin by name: in the clone as the code says, and accepted by it."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pytest

from memory_db.agents.claude_code.marketplace import FOLDER, ICON, MARKETPLACE, marketplace_files
from memory_db.knowledge import locks
from memory_db.knowledge.memories import add_memory
from tests.support.patience import WAIT_S
from tests.support.real_clients import claudes, client_environment

ROOT = Path(__file__).parents[2]


def test_the_clone_has_what_the_code_says() -> None:
    """Where this fails: `python -m memory_db.agents.claude_code.marketplace` writes the files again."""
    wanted = marketplace_files()
    folders = (ROOT / FOLDER, ROOT / Path(MARKETPLACE).parent)
    there = {str(path.relative_to(ROOT)) for folder in folders for path in folder.rglob("*") if path.is_file()}
    assert there == wanted.keys() | {ICON}
    assert {place: (ROOT / place).read_text("utf-8") for place in wanted} == wanted


@pytest.mark.slow
def test_the_programs_answer_an_event_and_a_command(
    db: sqlite3.Connection, db_path: Path, tmp_path: Path, now: datetime
) -> None:
    """As the client starts them: found by name, with the file in MEMORY_DB."""
    kept = add_memory(db, text="Tests run with pytest, never with unittest.", kind="convention", scope="user", now=now)
    locks.lock(db, kept, by="user", reason="a rule", now=now)
    db.commit()
    programs = Path(sys.executable).parent
    environment = {"PATH": str(programs), "HOME": str(tmp_path), "MEMORY_DB": str(db_path)}

    def answer(words: list[str], **payload: str) -> str:
        event = {"session_id": "s-one", "cwd": str(tmp_path), **payload}
        done = subprocess.run(
            words, input=json.dumps(event), env=environment, capture_output=True, text=True, timeout=WAIT_S, check=False
        )
        assert done.returncode == 0 and done.stderr == "", done.stderr
        return done.stdout

    hooks = json.loads(marketplace_files()[f"{FOLDER}/hooks/hooks.json"])["hooks"]
    for event, entries in hooks.items():
        [entry] = entries[0]["hooks"]
        assert (programs / entry["command"]).is_file(), event
    start = hooks["SessionStart"][0]["hooks"][0]
    begins = {"hook_event_name": "SessionStart", "source": "startup"}
    assert "never with unittest" in answer([start["command"], *start["args"]], **begins)
    command = hooks["UserPromptExpansion"][0]["hooks"][0]
    typed = {"hook_event_name": "UserPromptExpansion", "command_name": "mem:review", "command_args": ""}
    assert "review" in answer([command["command"], *command["args"]], **typed).lower()


@pytest.mark.slow
@pytest.mark.claude
@pytest.mark.parametrize("claude", claudes())
def test_the_client_takes_it_without_a_remark_and_installs_it(claude: Path, tmp_path: Path) -> None:
    here = client_environment(tmp_path, claude=claude)
    for folder in (ROOT, ROOT / FOLDER):
        told = here.run("claude", "plugin", "validate", "--strict", str(folder)).stdout
        assert "Validation passed" in told and "warning" not in told.lower()
    here.run("claude", "plugin", "marketplace", "add", str(ROOT))
    here.run("claude", "plugin", "install", "mem@memory-db")
    listed = here.run("claude", "plugin", "list").stdout
    assert "mem@memory-db" in listed and "enabled" in listed
