"""A stand-in for an agent's program: it prints what a test lists, and keeps how it was called.

In: a folder for PATH, the program's name, what it prints. Out: its calls, as they were.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SCRIPT = """#!{python}
import json, os, sys, time
from pathlib import Path
here = Path({here!r})
words = sys.argv[1:]
named = words[words.index("--system-prompt-file") + 1] if "--system-prompt-file" in words else None
system = Path(named).read_text() if named else ""
call = {{"words": words, "system": system, "stdin": sys.stdin.read(), "folder": os.getcwd(),
         "environment": dict(os.environ)}}
with (here / "calls").open("a") as calls:
    calls.write(json.dumps(call) + "\\n")
time.sleep(float((here / "pause").read_text()))
sys.stdout.write((here / "stdout").read_text())
sys.stderr.write((here / "stderr").read_text())
sys.exit(int((here / "code").read_text()))
"""


@dataclass(frozen=True, slots=True)
class StandIn:
    """A program that a test controls; `here` has its files."""

    here: Path

    def prints(self, output: str, *, errors: str = "", code: int = 0, pause_s: float = 0) -> None:
        """What it prints from now on, how it ends, and how long it thinks."""
        for name, value in (("stdout", output), ("stderr", errors), ("code", str(code)), ("pause", str(pause_s))):
            (self.here / name).write_text(value, "utf-8")

    @property
    def calls(self) -> list[dict[str, Any]]:
        """How it was called, in order."""
        path = self.here / "calls"
        return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []


def stand_in(folder: Path, name: str) -> StandIn:
    """A program of that name in a folder, which is to be put on PATH."""
    here = folder / f"{name}-files"
    here.mkdir(parents=True)
    program = folder / name
    program.write_text(SCRIPT.format(python=sys.executable, here=str(here)), "utf-8")
    program.chmod(0o755)
    made = StandIn(here)
    made.prints("")
    return made


def claude_output(text: str, *, is_error: bool = False, cost_usd: float = 0.0123, **other: Any) -> str:
    """What `claude -p --output-format json` prints. Source: Claude Code 2.1.197 and 2.1.330."""
    usage = {
        "input_tokens": 900, "cache_creation_input_tokens": 70, "cache_read_input_tokens": 30, "output_tokens": 40,
    }  # fmt: skip
    return json.dumps(
        {"type": "result", "subtype": "success", "is_error": is_error, "result": text, "total_cost_usd": cost_usd,
         "session_id": "5e55", "usage": usage, "modelUsage": {"claude-haiku-4-5": {}}} | other
    )  # fmt: skip


def codex_output(text: str) -> str:
    """What `codex exec --json` prints. Source: OpenAI's documentation of its events."""
    events = (
        {"type": "thread.started", "thread_id": "th1"}, {"type": "turn.started"},
        {"type": "item.completed", "item": {"id": "i0", "type": "reasoning", "text": "Hm."}},
        {"type": "item.completed", "item": {"id": "i1", "type": "agent_message", "text": text}},
        {"type": "turn.completed", "usage": {"input_tokens": 800, "cached_input_tokens": 100, "output_tokens": 50}},
    )  # fmt: skip
    return "".join(json.dumps(event) + "\n" for event in events)


def gemini_output(text: str) -> str:
    """What `gemini --output-format json` prints. Source: Google's documentation of its headless mode."""
    tokens = {"prompt": 700, "candidates": 60, "total": 765, "cached": 0, "thoughts": 5, "tool": 0}
    return "Loaded cached credentials.\n" + json.dumps(
        {"response": text, "stats": {"models": {"gemini-2.5-flash": {"api": {}, "tokens": tokens}}}}
    )
