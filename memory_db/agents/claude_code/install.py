"""Puts memory-db into Claude Code, and takes it out again.

In: where Claude Code keeps its files, what the plugin points to. Out: the changes made, and a row of `installations`.
Invariants: no file of the person's or of Claude Code is edited, so nothing of theirs can be lost; a second install has
nothing to do; what was put in can be taken out without the database.

Why a plugin's folder, and not entries in settings.json: docs/install.md.
"""

from __future__ import annotations

import json
import re
import sqlite3
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from memory_db.agents.claude_code import plugin as claude_plugin
from memory_db.agents.claude_code.files import (
    ConfigChange,
    Content,
    apply,
    digest,
    digests,
    folder_digest,
    plan,
    plan_removal,
    read,
    read_list,
    take_out,
)
from memory_db.agents.claude_code.plugin import PLUGIN, Places
from memory_db.errors import InstallError
from memory_db.store.connection import transaction
from memory_db.store.dates import utc_text

CLAUDE_CODE = "claude-code"

Scope = Literal["user", "project"]


INSTALLED = "select * from installations where client = ? and removed_at is null order by id"
"""What is installed in a client now."""

OPEN = "select 1 from installations where path = ? and removed_at is null"


@dataclass(slots=True, frozen=True)
class InstallTarget:
    """Where Claude Code looks: its own folder for every session of a person, or a project's `.claude`."""

    scope: Scope
    claude_folder: Path

    @property
    def folder(self) -> Path:
        """The plugin's folder. Claude Code loads every folder in `skills` that has a plugin's manifest."""
        return self.claude_folder / "skills" / PLUGIN


@dataclass(slots=True, frozen=True)
class Planned:
    """An install as it would be."""

    target: InstallTarget
    files: dict[str, Content]
    changes: list[ConfigChange]


def plan_install(target: InstallTarget, places: Places, *, pre_tool_use: bool | None, now: datetime) -> Planned:
    """What an install would change. Whether tool calls are looked at stays as it is where that is None.

    Raises: InstallError.
    """
    looks = looks_at_tools(target.folder) if pre_tool_use is None else pre_tool_use
    files = claude_plugin.plugin_files(places, pre_tool_use=looks)
    return Planned(target, files, plan(target.folder, files, now=now))


def looks_at_tools(folder: Path) -> bool:
    """Whether the plugin in a folder looks at tool calls."""
    return any("pre-tool-use" in hook.args for hook in hooks_of(folder / claude_plugin.HOOKS))


def install(db: sqlite3.Connection, planned: Planned, *, now: datetime) -> None:
    """Makes the planned changes and keeps a row of them, in the place of that of an earlier install.

    Raises: InstallError.
    """
    folder = planned.target.folder
    listed = read_list(folder)
    before = folder_digest(listed.files if listed else {})
    apply(folder, planned.files, planned.changes)
    files = digests(planned.files)
    backups = [str(change.backup) for change in planned.changes if change.backup]
    if not planned.changes and db.execute(OPEN, [str(folder)]).fetchone():
        return
    with transaction(db):
        close(db, folder, now)
        db.execute(
            "insert into installations (client, scope, path, backup_path, added, hash_before, hash_after, installed_at)"
            " values (?, ?, ?, ?, ?, ?, ?, ?)",
            [CLAUDE_CODE, planned.target.scope, str(folder), backups[0] if backups else None, json.dumps(files), before,
             folder_digest(files), utc_text(now)],
        )  # fmt: skip


def plan_uninstall(target: InstallTarget) -> list[ConfigChange]:
    """What taking the plugin out would change; nothing where it is not in. Raises: InstallError."""
    return plan_removal(target.folder)


def uninstall(
    db: sqlite3.Connection | None, target: InstallTarget, changes: Sequence[ConfigChange], *, now: datetime
) -> None:
    """Takes the plugin out and says so in its row, where there is a database. Raises: InstallError."""
    if read_list(target.folder) is not None:
        take_out(target.folder, changes)
    if db is not None and db.execute(OPEN, [str(target.folder)]).fetchone():
        with transaction(db):
            close(db, target.folder, now)


def close(db: sqlite3.Connection, folder: Path, now: datetime) -> None:
    """Notes that what was installed in a folder is no longer there."""
    db.execute(
        "update installations set removed_at = ? where path = ? and removed_at is null", [utc_text(now), str(folder)]
    )


# ---------------------------------------------------------- what is there now


@dataclass(slots=True, frozen=True)
class Hook:
    """A hook of a file of Claude Code's: its event, and what it starts."""

    event: str
    command: str
    args: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """All that it starts, on one line."""
        return " ".join([self.command, *self.args])


def hooks_of(path: Path) -> list[Hook]:
    """The hooks of a hooks.json or settings.json; none where it is missing or broken. Raises: InstallError."""
    data = read(path)
    if data is None:
        return []
    try:
        values: Any = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return []
    events = values.get("hooks") if isinstance(values, dict) else None
    return list(hooks_in(events)) if isinstance(events, dict) else []


def hooks_in(events: dict[str, Any]) -> Iterator[Hook]:
    """Every hook below the events of a file, whatever else is there."""
    for event, groups in events.items():
        for group in groups if isinstance(groups, list) else []:
            entries = group.get("hooks") if isinstance(group, dict) else None
            for entry in entries if isinstance(entries, list) else []:
                if isinstance(entry, dict) and isinstance(entry.get("command"), str):
                    args = entry.get("args")
                    yield Hook(event, entry["command"], tuple(map(str, args)) if isinstance(args, list) else ())


OTHER_MEMORY = re.compile(
    r"memem|agentmemory|claude-mem(?:ory)?\b|mem-ai|\bmem0\b|memory[-_]db|memory_db", re.IGNORECASE
)
"""Words in the hooks of settings.json that tell of a memory system: another one, or ours as put in by hand.
Source: the names of the systems whose features memory-db has, and of two widely used ones."""


def other_memory_hooks(target: InstallTarget) -> list[Hook]:
    """Hooks in the settings beside the plugin that show memory to the agent too, so that it would get it twice."""
    names = ("settings.json", "settings.local.json")
    found = [hook for name in names for hook in hooks_of(target.claude_folder / name)]
    return [hook for hook in found if OTHER_MEMORY.search(hook.words)]


def missing_of(folder: Path) -> list[str]:
    """What the plugin in a folder points to and is not there: interpreter, script or database. Raises: InstallError."""
    missing = set()
    for hook in hooks_of(folder / claude_plugin.HOOKS):
        paths = [hook.command, *(word for word in hook.args if word.startswith("/"))]
        missing |= {path for path in paths if not Path(path).exists()}
    return sorted(missing)


NO_HOOKS = (
    "Hooks need Linux or macOS: on Windows nothing can be installed into Claude Code. Take sessions in with"
    " `memory-db run`, and let agents ask over MCP with `memory-db mcp`."
)


def is_old(folder: Path) -> bool:
    """Whether an earlier version put its commands into a folder: what a person changed there is no sign of it.

    Raises: InstallError.
    """
    listed = read_list(folder)
    now = {f"commands/{each.name}.md": claude_plugin.command_text(each) for each in claude_plugin.SLASH_COMMANDS}
    return listed is not None and any(listed.files.get(place) != digest(now[place].encode()) for place in now)


def checked(places: Places) -> Places:
    """The same places, if what they point to can be started. Raises: InstallError."""
    if sys.platform == "win32":
        raise InstallError(NO_HOOKS)
    for path in (places.python, places.package / "hook.py"):
        if not path.is_file():
            raise InstallError(f"{path} is missing. Install memory-db again, then run this once more.")
    return places
