"""What a prompt's hook loads: nothing that a usual prompt does not need."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.hook_process import PATIENT, SCRIPT

SELDOM = (
    "memory_db.redact.engine",
    "memory_db.redact.personal",
    "memory_db.knowledge.graph.entities",
    "memory_db.knowledge.succession",
    "memory_db.recall.brief.conversation",
    "memory_db.recall.brief.taken_up",
    "memory_db.text.commands.purposes",
    "_socket",
    "dataclasses",
    "typing",
)
"""Modules that take a hook time and that only few prompts need."""

RULES = {"memory_db.redact.engine", "memory_db.redact.personal"}


@pytest.mark.parametrize(
    ("prompt", "loads"),
    [("where do the stations live", set()), ("is 8040 the port of tidepool", RULES)],
)
def test_a_usual_prompt_loads_nothing_that_it_does_not_need(sample_path: Path, prompt: str, loads: set[str]) -> None:
    payload = json.dumps({"hook_event_name": "UserPromptSubmit", "prompt": prompt, "cwd": "/nowhere"})
    command = [sys.executable, "-I", "-S", "-X", "importtime", str(SCRIPT), "user-prompt", "-d", str(sample_path)]
    done = subprocess.run([*command, *PATIENT], input=payload, capture_output=True, text=True, check=True)
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if line.startswith("import time:")}
    assert "memory_db.hooks.log" in loaded, "it went the whole way"
    assert loaded & set(SELDOM) == loads
