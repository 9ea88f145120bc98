"""The files of the plugin by which Claude Code uses memory-db.

In: the interpreter, the package's folder, the file, and whether tool calls are looked at. Out: each file's text by its
place in the plugin's folder. Invariant: pure; the same values give the same bytes, so that a second install has nothing
to do; every path is an argument of its own that no shell reads.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from memory_db import __version__
from memory_db.agents.claude_code.files import Content

PLUGIN = "mem"
"""The plugin's name, which its commands begin with: /mem:recall."""

SERVER = "memory"
"""The name of its MCP server."""

DESCRIPTION = "Memory from your own sessions, in one SQLite file on this machine"

README = "README.md"
LICENSE = "Apache-2.0"

README_TEXT = """\
# mem: memory from your own sessions

A session of Claude Code begins with what holds in its project; a prompt brings the memories that it is about, or
nothing; what was said is read in when the session ends. All of it is rows of one SQLite file on this machine, and
nothing leaves it.

`/mem:recall QUESTION` asks, `/mem:why` says why something was shown, `/mem:correct` and `/mem:lock` change a memory in
your name, `/mem:review` lists what waits for your decision, `/mem:pause` shows nothing for a while. `memory-db doctor`
tries the hooks, `memory-db serve` opens the pages, and `memory-db file backup` copies the file.

On another machine, `/plugin install mem --marketplace OWNER/REPOSITORY` installs it from the repository of memory-db.
"""

MANIFEST = ".claude-plugin/plugin.json"
ICON = ".claude-plugin/icon.png"
PICTURE = Path(__file__).with_name("icon.png")
"""A picture of 512 by 512, as the client's checks ask for."""

HOOKS = "hooks/hooks.json"
SERVERS = ".mcp.json"

EVENTS = {
    "SessionStart": "session-start",
    "UserPromptSubmit": "user-prompt",
    "PreToolUse": "pre-tool-use",
    "Stop": "stop",
    "PreCompact": "pre-compact",
    "SessionEnd": "session-end",
}
"""Events of Claude Code, and our hook for each."""

TOOLS = "Read|Edit|Write|NotebookEdit|Bash"
"""The tools before which `pre-tool-use` looks: those that name a file or a command."""

HOOK_TIMEOUT_S = 5
"""When Claude Code ends a hook that hangs. Our hooks end themselves long before: see `hooks/clock.py`."""

COMMAND_EVENT = "UserPromptExpansion"
COMMAND_TIMEOUT_S = 30
"""When Claude Code ends the hook that runs a command: correcting a memory may load the embedding model."""


@dataclass(slots=True, frozen=True)
class Places:
    """What the plugin points to."""

    python: Path
    package: Path
    database: Path


@dataclass(slots=True, frozen=True)
class SlashCommand:
    """A command that a person types. `then` is what the agent does with the answer; empty where the person alone gets
    it, and the model is not asked."""

    name: str
    description: str
    hint: str = ""
    then: str = ""


SLASH_COMMANDS = (
    SlashCommand(
        "recall", "Ask memory-db a question", "QUESTION",
        "Answer the person's question from it, and name the uid of each memory that you use.",
    ),
    SlashCommand("why", "Why the last recall of this session showed what it showed", "[RECALL [UID]]"),
    SlashCommand(
        "correct", "Put TEXT in the place of memory UID, in your own name", "UID TEXT",
        "Tell the person in one sentence what was changed, and go by the new text from now on.",
    ),
    SlashCommand(
        "lock", "Lock memory UID in your own name, so that no machine changes it", "UID",
        "Tell the person in one sentence what was locked, and keep to it from now on.",
    ),
    SlashCommand("review", "What waits for your decision"),
    SlashCommand("pause", "Show nothing of memory in this session, for a time or until you say end", "[45m|2h|end]"),
)  # fmt: skip

IN_TERMINAL = {"correct": "memory correct", "lock": "memory lock", "pause": "hook pause"}
"""What commands are called on the command line, where that is not the same."""

FOR_THE_PERSON = frozenset(command.name for command in SLASH_COMMANDS if not command.then)
"""Commands whose answer no model shall read: quarantined texts are among what waits."""


def plugin_files(places: Places, *, pre_tool_use: bool) -> dict[str, Content]:
    """Every file of the plugin by its place; the manifest is the last: without it the others are not loaded."""
    files: dict[str, Content] = {
        ".gitignore": "# These files name paths of one machine.\n*\n",
        README: README_TEXT,
        SERVERS: json_text({"mcpServers": {SERVER: {"type": "stdio", **server(places), "alwaysLoad": True}}}),
        HOOKS: json_text(hooks(places, pre_tool_use=pre_tool_use)),
    }
    for command in SLASH_COMMANDS:
        files[f"commands/{command.name}.md"] = command_text(command)
    files[ICON] = PICTURE.read_bytes()
    files[MANIFEST] = json_text(
        {
            "name": PLUGIN,
            "version": __version__,
            "description": DESCRIPTION,
            "author": {"name": "memory-db"},
            "license": LICENSE,
        }
    )
    return files


def server(places: Places) -> dict[str, object]:
    """How any client starts the MCP server. With -I Python takes no module from the folder that an agent works in."""
    return {"command": str(places.python), "args": ["-I", "-m", "memory_db", "mcp", "-d", str(places.database)]}


def hooks(places: Places, *, pre_tool_use: bool) -> dict[str, object]:
    """hooks.json, in exec form: the interpreter is started directly, without a shell and without site-packages."""
    events: dict[str, object] = {}
    script = str(places.package / "hook.py")
    for event, name in EVENTS.items():
        if event == "PreToolUse" and not pre_tool_use:
            continue
        args = ["-I", "-S", script, name, "-d", str(places.database)]
        matcher = {"matcher": TOOLS} if event == "PreToolUse" else {}
        events[event] = [{**matcher, "hooks": [hook(places, args, HOOK_TIMEOUT_S)]}]
    names = "|".join(command.name for command in SLASH_COMMANDS)
    args = ["-I", "-m", "memory_db.slash", "-d", str(places.database)]
    command_hook = hook(places, args, COMMAND_TIMEOUT_S)
    events[COMMAND_EVENT] = [{"matcher": f"^{PLUGIN}:({names})$", "hooks": [command_hook]}]
    return {"description": "memory-db: recall, feedback and capture", "hooks": events}


def hook(places: Places, args: list[str], timeout_s: int) -> dict[str, object]:
    """One entry of hooks.json."""
    return {"type": "command", "command": str(places.python), "args": args, "timeout": timeout_s}


def command_text(command: SlashCommand) -> str:
    """The file of a command. What was typed after it is not put into this text: the hook gets it, as data."""
    front = {"description": command.description, "argument-hint": command.hint, "disable-model-invocation": True}
    lines = [f"{key}: {json.dumps(value)}" for key, value in front.items() if value]
    in_terminal = IN_TERMINAL.get(command.name, command.name)
    no_hook = f"say that its hook did not run, and that `memory-db {in_terminal}` does the same in a terminal."
    body = (
        f"The person asked memory-db for `{command.name}`, and its answer is in a <memory-brief> block among"
        f" the context that hooks gave for this prompt. {command.then} If there is no such answer, {no_hook}"
        if command.then
        else f"Do nothing but {no_hook}"
    )
    return "\n".join(["---", *lines, "---", body, ""])


def json_text(value: object) -> str:
    """A value as a file of JSON."""
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
