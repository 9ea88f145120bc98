"""The content of a message: a text, or a list of blocks.

In: the `content` of one message as the API writes it. Out: its cleaned text,
tool calls, tool results and how many images it had. Invariant: no base64
reaches a text, and a block of an unknown type is named as a problem, its text not kept.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from memory_db.redact.clean import Finding
from memory_db.redact.clean_json import clean_json
from memory_db.transcripts.records import (
    INPUT_CHARACTERS,
    Action,
    ActionResult,
    Findings,
    bounded_json,
    cleaned,
    identifier,
    named,
    one_line,
)

RESULT_CHARACTERS = 500
"""How much of a tool's result stands in `actions.excerpt`."""

CALL_CHARACTERS = 300
"""How much of a command stands in the text of a tool call."""

TARGET_CHARACTERS = 1000
"""How much of a command stands in `actions.target`."""

TARGETS = (
    "file_path",
    "notebook_path",
    "command",
    "url",
    "pattern",
    "query",
    "path",
    "skill",
    "description",
    "subject",
    "prompt",
)
"""The fields of a tool's input that say what it is about, the most distinctive first."""

CALLS = {"tool_use", "server_tool_use", "mcp_tool_use"}
RESULTS = {"tool_result", "web_search_tool_result", "web_fetch_tool_result", "mcp_tool_result"}
PICTURES = {"image", "document"}
SILENT = {"redacted_thinking", "tool_reference", "fallback", "token_budget"}
"""Types of blocks: calls, their results, what is only counted, and what has no words."""


NEITHER = "content is neither text nor a list"
"""Why nothing of a content is kept."""


@dataclass(slots=True)
class Content:
    """What the blocks of one message hold; `types` in the order in which they came, `problems` with what is unknown."""

    parts: list[str] = field(default_factory=list)
    types: list[str] = field(default_factory=list)
    actions: list[Action] = field(default_factory=list)
    results: list[ActionResult] = field(default_factory=list)
    image_count: int = 0
    problems: list[str] = field(default_factory=list)
    findings: Findings = field(default_factory=list)

    @property
    def text(self) -> str:
        """The texts of all blocks, one after the other."""
        return "\n".join(part for part in self.parts if part)


def read_content(value: Any, uid: str) -> Content:
    """What is in a message's content; `uid` names calls that have no id of their own."""
    content = Content()
    for index, block in enumerate(value if isinstance(value, list) else [value]):
        read_block(block, f"{uid}/{index}", content)
    if content.problems and not isinstance(value, list):
        content.problems = [NEITHER]
    return content


def read_block(block: Any, uid: str, content: Content) -> None:
    """Adds one block to the content."""
    if block is None:
        return
    if isinstance(block, str):
        add_text(block, "text", content)
        return
    kind = block.get("type", "text") if isinstance(block, dict) else None
    kind = kind if isinstance(kind, str) else None
    if kind == "text" and isinstance(block.get("text"), str):
        add_text(block["text"], "text", content)
    elif kind == "thinking":
        add_text(block.get("thinking"), "thinking", content)
    elif kind in CALLS:
        add_call(block, uid, content)
    elif kind in RESULTS:
        add_result(block, content)
    elif kind in PICTURES:
        content.image_count += 1
        content.types.append("image")
    elif kind not in SILENT:
        content.types.append("unknown")
        content.problems.append(unknown_reason(block, kind))


def unknown_reason(block: object, kind: object) -> str:
    """Why a block cannot be read."""
    if isinstance(block, dict) and "type" not in block:
        return "content block without a type"
    if kind == "text":
        return "content block text without a text"
    return f"unknown content block {named(kind) or type(block).__name__}"


def add_text(value: object, kind: str, content: Content) -> None:
    """Adds words. Places of findings are those in the whole text, so each part is moved by what stands before it."""
    content.types.append(kind)
    found: Findings = []
    part = cleaned(value, "text", found)
    start = sum(len(before) + 1 for before in content.parts if before)
    content.findings.extend((name, moved(finding, start)) for name, finding in found)
    content.parts.append(part)


def add_call(block: dict[str, Any], uid: str, content: Content) -> None:
    """Adds a tool call with its cleaned input, and the line that stands for it in the text."""
    content.types.append("call")
    tool = named(block.get("name")) or "unknown"
    call_uid = identifier(block.get("id")) or uid
    target, kept = clean_input(block.get("input"), f"input {call_uid}", content.findings)
    content.actions.append(Action(call_uid, tool, target, kept))
    about = one_line(target or ("" if kept == "{}" else kept), CALL_CHARACTERS)
    content.parts.append(f"{tool}: {about}" if about else tool)


def add_result(block: dict[str, Any], content: Content) -> None:
    """Adds a tool's result; its images are counted."""
    content.types.append("result")
    inner = read_content(block.get("content"), "")
    text = inner.text
    start = sum(len(before) + 1 for before in content.parts if before)
    content.findings.extend((name, moved(finding, start)) for name, finding in inner.findings)
    content.image_count += inner.image_count
    content.problems.extend(inner.problems)
    content.parts.append(text)
    call_uid = identifier(block.get("tool_use_id"))
    if call_uid:
        is_error = block.get("is_error") is True
        content.results.append(ActionResult(call_uid, is_error, excerpt(text, is_error)))


def moved(finding: Finding, start: int) -> Finding:
    """A finding whose text now begins `start` characters into a longer one."""
    return replace(finding, start=finding.start + start) if start else finding


def clean_input(value: object, field_name: str, findings: Findings) -> tuple[str | None, str]:
    """A tool's input as (what it is about, JSON to keep), both cleaned."""
    if value is None or value == {}:
        return None, "{}"
    safe, found = clean_json(value)
    findings.extend((field_name, finding) for finding in found)
    return target_of(safe) if isinstance(safe, dict) else None, bounded_json(safe, INPUT_CHARACTERS)


def target_of(safe: dict[str, Any]) -> str | None:
    """What a cleaned input is about: the first of TARGETS that it has."""
    for name in TARGETS:
        found = safe.get(name)
        if isinstance(found, str) and found.strip():
            return found.strip()[:TARGET_CHARACTERS]
    return None


def excerpt(text: str, is_error: bool) -> str:
    """The first characters of a result; of an error the last lines, which say what went wrong."""
    text = text.strip()
    if len(text) <= RESULT_CHARACTERS:
        return text
    if not is_error:
        return text[:RESULT_CHARACTERS]
    lines = [line.rstrip() for line in text[-8 * RESULT_CHARACTERS :].split("\n") if line.strip()]
    kept = lines[-1][-RESULT_CHARACTERS:]
    for line in reversed(lines[:-1]):
        if len(kept) + len(line) + 1 > RESULT_CHARACTERS:
            break
        kept = f"{line}\n{kept}"
    return kept
