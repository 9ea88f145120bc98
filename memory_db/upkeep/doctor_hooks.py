"""Where memory-db is installed, and what its hooks answer.

Each is tried as Claude Code starts it, with an event that is logged nowhere.

In: a `DoctorContext`. Out: advice. Nothing is written, and nobody is shown anything.
"""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memory_db.agents.claude_code.files import read_list
from memory_db.agents.claude_code.install import (
    CLAUDE_CODE,
    INSTALLED,
    Hook,
    InstallTarget,
    Scope,
    hooks_of,
    is_old,
    missing_of,
    other_memory_hooks,
)
from memory_db.agents.claude_code.installed import NAMED, MarketplacePlugin, marketplace_plugins
from memory_db.agents.claude_code.marketplace import HOOK_PROGRAM
from memory_db.agents.claude_code.plugin import HOOK_TIMEOUT_S, HOOKS
from memory_db.hooks.trouble import GAVE_UP
from memory_db.upkeep.doctor_report import Advice, Advices, DoctorContext, one_line

INSTALL = f"memory-db install {CLAUDE_CODE}"

PROMPT = "How do we run the tests here?"
"""What is asked of the hook of prompts: a question that most projects have an answer to."""

EVENTS: dict[str, dict[str, str]] = {"SessionStart": {"source": "startup"}, "UserPromptSubmit": {"prompt": PROMPT}}
"""The events that are tried, and what their payloads have beside what all have."""

SESSION = "00000000-0000-4000-8000-000000000000"


@dataclass(frozen=True, slots=True)
class Tried:
    """What came of one hook: the lines that an agent would read, how long it took, and what went wrong."""

    lines: int = 0
    duration_ms: float = 0.0
    trouble: str = ""


def installations(context: DoctorContext) -> Advices:
    """Whether memory-db is in Claude Code, for whom, and whether what was put there points to what exists."""
    rows = context.db.execute(INSTALLED, [CLAUDE_CODE]).fetchall()
    places = [(Path(row["path"]), row["scope"]) for row in rows]
    if not places and context.plugin is not None and read_list(context.plugin) is not None:
        places = [(context.plugin, "user")]  # the file that says so is gone, or is another one
    named = marketplace_plugins(context.plugin.parents[1]) if context.plugin is not None else []
    for each in named:
        yield from by_name(each)
    for folder, scope in places:
        if any(each.meets(folder.parents[1]) for each in named):
            out = f"{command(folder, scope).replace('install', 'uninstall', 1)}"
            what = f"{folder} is not loaded: Claude Code has {NAMED} of the marketplace, and takes one plugin of a name"
            yield Advice("warning", what, f"Take one out: `claude plugin uninstall {NAMED}` or `{out}`.")
        else:
            yield from installation(folder, scope)
    if not places and not named:
        yield Advice("note", "Not installed in Claude Code", f"Run `{INSTALL}`.")


def by_name(plugin: MarketplacePlugin) -> Advices:
    """The plugin of the marketplace, in one place, and whether what it starts by name is found."""
    place = f"{NAMED} of the marketplace, in Claude Code ({plugin.project or plugin.scope})"
    if not plugin.is_enabled:
        yield Advice("note", f"Installed but disabled: {place}", f"Run `claude plugin enable {NAMED}`.")
    elif shutil.which(HOOK_PROGRAM) is None:
        fix = "Install memory-db where programs are found, such as with `uv tool install`: docs/install.md."
        yield Advice("warning", f"Installed: {place}, but `{HOOK_PROGRAM}`, which it starts, is not on the path", fix)
    else:
        yield Advice("fine", f"Installed: {place}")


def installation(folder: Path, scope: Scope) -> Advices:
    """One folder that was put somewhere."""
    again = f"Run `{command(folder, scope)}` again."
    place = f"Claude Code ({scope}) at {folder}"
    if read_list(folder) is None:
        install = command(folder, scope)
        out = install.replace("install", "uninstall", 1)
        yield Advice("warning", f"Files installed in {place} are gone", f"Run `{install}`, or `{out}` to say so.")
    elif missing := missing_of(folder):
        yield Advice("warning", one_line(f"{place} points to what is not there: {', '.join(missing)}"), again)
    elif is_old(folder):
        yield Advice("note", f"{place} has commands of an earlier version", again)
    else:
        yield Advice("fine", f"Installed in {place}; its interpreter, package and file exist")
    for hook in other_memory_hooks(InstallTarget(scope, folder.parents[1])):
        what = f"The settings beside {folder} have a hook of a memory too, at {hook.event}: {hook.words}"
        yield Advice("note", one_line(what), "Take out the one that you do not want, or the agent is shown both.")


def command(folder: Path, scope: Scope) -> str:
    """The command that installs to the same place."""
    return INSTALL if scope == "user" else f"{INSTALL} --project --folder {shlex.quote(str(folder.parents[2]))}"


def tried_hooks(context: DoctorContext) -> Advices:
    """What the hooks of each installation answer to a session that begins in this folder, and to a prompt."""
    for row in context.db.execute(INSTALLED, [CLAUDE_CODE]).fetchall():
        tried = {hook.event: try_hook(hook) for hook in hooks_of(Path(row["path"]) / HOOKS) if hook.event in EVENTS}
        failed = {event: each.trouble for event, each in tried.items() if each.trouble}
        for event, trouble in failed.items():
            if trouble.startswith(GAVE_UP):
                what = f"The hook of {event} was too slow just now: {trouble}, so nothing would be told"
                yield Advice(
                    "warning", what, "Try again when less is running; while a session is open, its reader helps."
                )
            else:
                what = one_line(f"The hook of {event} fails: {trouble}")
                yield Advice("failure", what, "Install again, or report it.")
        if tried and not failed:
            start, prompt = (tried.get(event, Tried()) for event in EVENTS)
            yield Advice(
                "fine",
                f"Hooks tried in this folder: a session would begin with {lines(start)}, the prompt {PROMPT!r} would"
                f" get {lines(prompt)} ({start.duration_ms:.0f} and {prompt.duration_ms:.0f} ms)",
            )


def try_hook(hook: Hook) -> Tried:
    """Starts a hook as Claude Code does and hands it an event of this folder; it logs nothing."""
    payload = {
        "session_id": SESSION, "transcript_path": "", "cwd": str(Path.cwd()), "hook_event_name": hook.event,
        **EVENTS[hook.event],
    }  # fmt: skip
    started = time.perf_counter()
    try:
        done = subprocess.run(
            [hook.command, *hook.args, "--dry-run", "yes"], input=json.dumps(payload).encode(), capture_output=True,
            timeout=HOOK_TIMEOUT_S, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        return Tried(trouble=str(error))
    duration_ms = (time.perf_counter() - started) * 1000
    said = done.stderr.decode("utf-8", "replace").strip()
    if done.returncode or said:
        return Tried(trouble=said or f"it ended with {done.returncode}")
    try:
        return Tried(lines_in(done.stdout), duration_ms)
    except ValueError:
        return Tried(trouble=f"it printed no JSON: {done.stdout[:80]!r}")


def lines_in(output: bytes) -> int:
    """How many memories and other lines stand in what a hook printed. Raises: ValueError for what is no such answer."""
    if not output.strip():
        return 0
    answer: Any = json.loads(output)
    text = answer.get("hookSpecificOutput", {}).get("additionalContext", "") if isinstance(answer, dict) else ""
    return sum(line.startswith(("- ", "`")) for line in str(text).splitlines())


def lines(tried: Tried) -> str:
    """How many lines, in words."""
    return f"{tried.lines} line{'s' if tried.lines != 1 else ''}" if tried.lines else "nothing"
