"""Tool events of the sample history: a YAML item in, the call and the result as Claude Code writes them out.

What enters: `{"bash": "make test", "fails": "..."}` and the like. What leaves: a `ToolEvent`. Nothing here knows about
sessions, uuids or time.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from memory_db.errors import InputError

Item = dict[str, Any]


@dataclass(slots=True, frozen=True)
class ToolEvent:
    """One tool call with its result: what the model asked, what it read back, and Claude Code's own record of it."""

    name: str
    input: Item
    content: Any
    is_error: bool
    detail: Any


def tool_event(item: Item, cwd: str) -> ToolEvent:
    """Give the tool event that `item` describes; relative paths are below `cwd`.

    Raises: InputError when the item names no known tool.
    """
    kind = tool_kind(item)
    if kind is None:
        raise InputError(f"no tool in the item with the keys {', '.join(item)}; use one of {', '.join(_CALLS)}")
    name, call = _CALLS[kind](item, cwd)
    if "denied" in item:
        said = f"{_DENIED} To tell you how to proceed, the user said:\n{item['denied']}"
        return ToolEvent(name, call, said, True, "User rejected tool use")
    if "fails" in item:
        text = f"Exit code {item.get('code', 1)}\n{item['fails']}" if name == "Bash" else str(item["fails"])
        return ToolEvent(name, call, text.rstrip(), True, f"Error: {text.rstrip()}")
    content, detail = _RESULTS.get(name, _plain_result)(call, item)
    return ToolEvent(name, call, content, False, detail)


def tool_kind(item: Item) -> str | None:
    """Give the key that makes `item` a tool event, or None."""
    return next((key for key in item if key in _CALLS), None)


_DENIED = "The user doesn't want to proceed with this tool use. The tool use was rejected."


def _path(path: str, cwd: str) -> str:
    return str(PurePosixPath(cwd) / path)


def _bash(item: Item, cwd: str) -> tuple[str, Item]:
    call = {"command": item["bash"].rstrip()}
    return "Bash", call | ({"description": item["why"]} if "why" in item else {})


def _edit(item: Item, cwd: str) -> tuple[str, Item]:
    old, new = str(item.get("old", "")).rstrip("\n"), str(item.get("new", "")).rstrip("\n")
    path = _path(item["edit"], cwd)
    return "Edit", {"file_path": path, "old_string": old, "new_string": new, "replace_all": False}


def _todo(item: Item, cwd: str) -> tuple[str, Item]:
    todos = []
    for text, status in item["todo"].items():
        todos.append({"content": text, "status": status, "activeForm": text})
    return "TodoWrite", {"todos": todos}


def _task(item: Item, cwd: str) -> tuple[str, Item]:
    kind = item.get("kind", "general-purpose")
    return "Task", {"description": item["task"], "prompt": item["prompt"], "subagent_type": kind}


_CALLS: dict[str, Callable[[Item, str], tuple[str, Item]]] = {
    "bash": _bash,
    "read": lambda item, cwd: ("Read", {"file_path": _path(item["read"], cwd)}),
    "write": lambda item, cwd: ("Write", {"file_path": _path(item["write"], cwd), "content": item["text"]}),
    "edit": _edit,
    "grep": lambda item, cwd: ("Grep", {"pattern": item["grep"], "path": cwd, "output_mode": "content"}),
    "glob": lambda item, cwd: ("Glob", {"pattern": item["glob"]}),
    "fetch": lambda item, cwd: ("WebFetch", {"url": item["fetch"], "prompt": item["why"]}),
    "todo": _todo,
    "task": _task,
    "tool": lambda item, cwd: (item["tool"]["name"], item["tool"]["input"]),
}


def _bash_result(call: Item, item: Item) -> tuple[Any, Any]:
    text = str(item.get("out", "")).rstrip()
    return text, {"stdout": text, "stderr": "", "interrupted": False, "isImage": False, "noOutputExpected": not text}


def _read_result(call: Item, item: Item) -> tuple[Any, Any]:
    lines = str(item.get("out", "")).rstrip("\n").split("\n")
    start = int(item.get("line", 1))
    numbered = "\n".join(f"{number:>6}→{line}" for number, line in enumerate(lines, start))
    file = {"filePath": call["file_path"], "content": "\n".join(lines), "numLines": len(lines), "startLine": start}
    return numbered, {"type": "text", "file": file | {"totalLines": start + len(lines) - 1}}


def _edit_result(call: Item, item: Item) -> tuple[Any, Any]:
    detail = {
        "filePath": call["file_path"],
        "oldString": call["old_string"],
        "newString": call["new_string"],
        "originalFile": None,
        "structuredPatch": [],
        "userModified": False,
        "replaceAll": False,
    }
    return f"The file {call['file_path']} has been updated successfully.", detail


def _write_result(call: Item, item: Item) -> tuple[Any, Any]:
    detail = {"type": "create", "filePath": call["file_path"], "content": call["content"], "structuredPatch": []}
    return f"File created successfully at: {call['file_path']}", detail


def _todo_result(call: Item, item: Item) -> tuple[Any, Any]:
    return "Todos have been modified successfully.", {"oldTodos": [], "newTodos": call["todos"]}


def _task_result(call: Item, item: Item) -> tuple[Any, Any]:
    content = [{"type": "text", "text": str(item.get("out", "")).rstrip()}]
    return content, {"status": "completed", "prompt": call["prompt"], "content": content}


def _plain_result(call: Item, item: Item) -> tuple[Any, Any]:
    text = str(item.get("out", "")).rstrip()
    return text, {"content": text}


_RESULTS: dict[str, Callable[[Item, Item], tuple[Any, Any]]] = {
    "Bash": _bash_result,
    "Read": _read_result,
    "Edit": _edit_result,
    "Write": _write_result,
    "TodoWrite": _todo_result,
    "Task": _task_result,
}
