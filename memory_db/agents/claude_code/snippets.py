"""Texts for a person to put where they belong: what other agents need to use memory-db, and timers for its worker.

In: the name of an agent or of a scheduler, and what it starts. Out: the text, and where it goes. Invariant: nothing is
written, and whatever characters a path has stay one argument.
"""

from __future__ import annotations

import json
import plistlib
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from memory_db.agents.claude_code.plugin import SERVER, Places, json_text, server


@dataclass(slots=True, frozen=True)
class Snippet:
    """A text, and a line that says where it goes."""

    where: str
    text: str


def under(*keys: str, **more: str) -> Callable[[Places], str]:
    """JSON with the server below some keys."""

    def text(places: Places) -> str:
        value: dict[str, object] = {SERVER: {**more, **server(places)}}
        for key in reversed(keys):
            value = {key: value}
        return json_text(value)

    return text


def toml(places: Places) -> str:
    """A table of TOML. A string of JSON without escapes beyond ASCII is one of TOML too."""
    started = server(places)
    return f"[mcp_servers.{SERVER}]\ncommand = {json.dumps(started['command'])}\nargs = {json.dumps(started['args'])}\n"


def instructions(places: Places) -> str:
    """Words for CLAUDE.md or AGENTS.md, for an agent that has the MCP server and no hooks."""
    return """\
## Memory

Before you decide how to do something in this project, ask the tool `recall` of the MCP server `memory` in a few words
of the task. What it gives was learned in earlier sessions: a locked memory is a rule, the others may be outdated. Name
the uid in brackets, such as [m1a2b3c4d], of each memory that you go by.
"""


CLIENTS: dict[str, tuple[str, Callable[[Places], str]]] = {
    "mcp": ("Most agents that speak MCP take this; their documentation says in which file.", under("mcpServers")),
    "claude-desktop": ("Put this into claude_desktop_config.json (Settings, Developer).", under("mcpServers")),
    "cursor": ("Put this into ~/.cursor/mcp.json, or .cursor/mcp.json of a project.", under("mcpServers")),
    "windsurf": ("Put this into ~/.codeium/windsurf/mcp_config.json.", under("mcpServers")),
    "gemini": ("Put this into ~/.gemini/settings.json.", under("mcpServers")),
    "vscode": ("Put this into .vscode/mcp.json of a project.", under("servers", type="stdio")),
    "zed": ("Put this into Zed's settings.json.", under("context_servers")),
    "codex": ("Add this to ~/.codex/config.toml.", toml),
    "instructions": ("Put this into CLAUDE.md or AGENTS.md of a project.", instructions),
}
"""Where each agent keeps its servers, and the text. Source: the documentation of each."""

USUAL_CLIENT = "mcp"


def snippet(client: str, places: Places) -> Snippet:
    """What an agent of that name needs."""
    where, text = CLIENTS[client]
    return Snippet(where, text(places))


# ---------------------------------------------------------------- litestream


def litestream(database: str, replica: str) -> str:
    """A configuration of Litestream that replicates a database to a folder or an address.

    Source: Litestream's documentation of its configuration, version 0.5. A value in JSON is one in YAML too.
    """
    kind, place = ("url", replica) if "://" in replica else ("path", replica)
    return f"""\
# 1. Save this as litestream.yml. The keys of a store such as S3 belong into the environment, as Litestream says.
# 2. Run: umask 077; litestream replicate -no-expand-env -config litestream.yml
# 3. The way back: litestream restore -no-expand-env -config litestream.yml -o restored.db {shlex.quote(database)}
#    and then: memory-db -d {shlex.quote(database)} file restore restored.db --replace
dbs:
  - path: {yaml_text(database)}
    replica:
      {kind}: {yaml_text(place)}
"""


def yaml_text(text: str) -> str:
    """A text as YAML quotes it, whatever characters it has."""
    return json.dumps(text, ensure_ascii=False)


# -------------------------------------------------------------------- timers

LABEL = "memory-db"

HOUR_S = 3_600

SCHEDULERS = ("systemd", "launchd", "cron")


def schedule(name: str, command: Sequence[str]) -> str:
    """The text that makes a scheduler of that name start a command every hour."""
    return {"systemd": systemd, "launchd": launchd, "cron": cron}[name](command)


def usual_scheduler(platform: str) -> str:
    """The scheduler that a platform (`sys.platform`) comes with."""
    return "launchd" if platform == "darwin" else "systemd" if platform == "linux" else "cron"


def systemd(command: Sequence[str]) -> str:
    """A service and a timer of the user."""
    line = " ".join(map(systemd_word, command))
    return f"""\
# 1. Save this as ~/.config/systemd/user/{LABEL}.service
[Unit]
Description=What is due in memory-db

[Service]
Type=oneshot
Nice=10
ExecStart={line}

# 2. Save this as ~/.config/systemd/user/{LABEL}.timer
[Unit]
Description=memory-db every hour

[Timer]
OnCalendar=hourly
RandomizedDelaySec=300
Persistent=true

[Install]
WantedBy=timers.target

# 3. Then run: systemctl --user daemon-reload && systemctl --user enable --now {LABEL}.timer
"""


def systemd_word(word: str) -> str:
    """A word as a unit file quotes it, so that neither specifiers nor variables are seen in it.
    Source: systemd.service(5), command lines, and systemd.syntax(7), quoting."""
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{escaped}"'


def launchd(command: Sequence[str]) -> str:
    """An agent of the user."""
    values = {
        "Label": LABEL, "ProgramArguments": list(command), "StartInterval": HOUR_S, "LowPriorityIO": True, "Nice": 10,
    }  # fmt: skip
    text = plistlib.dumps(values, sort_keys=False).decode()
    place = f"~/Library/LaunchAgents/{LABEL}.plist"
    head, _, rest = text.partition("\n")
    return f"{head}\n<!-- Save this as {place}, then run: launchctl load {place} -->\n{rest}"


def cron(command: Sequence[str]) -> str:
    """A line of a crontab, where a percent sign would end the command."""
    line = shlex.join(command).replace("%", "\\%")
    return f"# Add this line with: crontab -e\n17 * * * * {line}\n"
