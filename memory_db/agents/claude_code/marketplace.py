"""The folder from which Claude Code installs memory-db as a plugin of a marketplace.

Out: each file's text by its place at the top of the clone. Invariants: the same hooks, commands and server as
`plugin.plugin_files`, but started by name, since no path of a machine can stand in what many machines share; the file
is the one that `MEMORY_DB` names, else the usual one. The files are in the clone, and a test holds them to these texts.
"""

from __future__ import annotations

from pathlib import Path

from memory_db import __version__
from memory_db.agents.claude_code.plugin import (
    COMMAND_EVENT,
    COMMAND_TIMEOUT_S,
    DESCRIPTION,
    EVENTS,
    HOOK_TIMEOUT_S,
    HOOKS,
    LICENSE,
    MANIFEST,
    PLUGIN,
    README,
    README_TEXT,
    SERVER,
    SERVERS,
    SLASH_COMMANDS,
    command_text,
    json_text,
)

MARKETPLACE = ".claude-plugin/marketplace.json"

MARKETPLACE_NAME = "memory-db"
"""What the marketplace is called in `claude plugin install mem@NAME`."""

FOLDER = "agents/claude-code"
"""Where the plugin lies."""

ICON = f"{FOLDER}/.claude-plugin/icon.png"
"""The one file that is no text: a picture of 512 by 512."""

HOOK_PROGRAM = "memory-db-hook"
COMMAND_PROGRAM = "memory-db-slash"
"""What answers an event, and a command that a person typed: programs that come with the package."""


NEEDS = f"""
The plugin starts `memory-db`, `{HOOK_PROGRAM}` and `{COMMAND_PROGRAM}` by name, so install the package first, where
programs are found: `uv tool install WHEEL` or `pipx install WHEEL`. `memory-db install claude-code` writes the same
plugin with the paths of one machine; install one of the two.
"""


def marketplace_files() -> dict[str, str]:
    """Every file of the marketplace and its plugin, by its place."""
    owner = {"name": "memory-db"}
    plugin = {"name": PLUGIN, "source": f"./{FOLDER}", "description": DESCRIPTION}
    manifest = {"name": PLUGIN, "version": __version__, "description": DESCRIPTION, "author": owner, "license": LICENSE}
    inside = {
        MANIFEST: json_text(manifest),
        README: README_TEXT + NEEDS,
        HOOKS: json_text({"description": "memory-db: recall, feedback and capture", "hooks": hooks()}),
        SERVERS: json_text({"mcpServers": {SERVER: {"type": "stdio", "command": "memory-db", "args": ["mcp"]}}}),
        **{f"commands/{command.name}.md": command_text(command) for command in SLASH_COMMANDS},
    }
    market = {"name": MARKETPLACE_NAME, "owner": owner, "metadata": {"description": DESCRIPTION}, "plugins": [plugin]}
    return {MARKETPLACE: json_text(market), **{f"{FOLDER}/{place}": text for place, text in inside.items()}}


def hooks() -> dict[str, object]:
    """The events and what answers each. Looking at tool calls is asked for by `memory-db install claude-code` alone."""
    events: dict[str, object] = {
        event: [{"hooks": [started(HOOK_PROGRAM, [name], HOOK_TIMEOUT_S)]}]
        for event, name in EVENTS.items()
        if event != "PreToolUse"
    }
    names = "|".join(command.name for command in SLASH_COMMANDS)
    typed = started(COMMAND_PROGRAM, [], COMMAND_TIMEOUT_S)
    return events | {COMMAND_EVENT: [{"matcher": f"^{PLUGIN}:({names})$", "hooks": [typed]}]}


def started(program: str, words: list[str], timeout_s: int) -> dict[str, object]:
    """One entry of hooks.json, in exec form: no shell reads it."""
    return {"type": "command", "command": program, "args": words, "timeout": timeout_s}


if __name__ == "__main__":
    for place, text in marketplace_files().items():
        path = Path(place)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
