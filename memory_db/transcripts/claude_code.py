"""Claude Code's own transcripts: one JSON object a line.

In: the lines of one file. Out: one `Item` a line. Invariants: each line gives
an entry, the name of the type that is passed over, or a problem; nothing that a
line can hold stops the next one; what a reader must remember between two runs
is in `ReaderState`, so a file read in two parts gives what it gives in one.
`writer.py` makes rows of items, `importer.py` goes through the files.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memory_db.transcripts.blocks import Content, read_content
from memory_db.transcripts.client import (
    ATTACHMENTS,
    BOOKKEEPING,
    CAVEAT,
    META,
    NOTICE,
    SYNTHETIC,
    SYSTEM,
    type_name,
    words_of,
)
from memory_db.transcripts.lines import Line, parse
from memory_db.transcripts.records import (
    BLANK,
    MISSHAPEN,
    ActionResult,
    ApiCall,
    Entry,
    Item,
    Session,
    cleaned,
    count,
    digest,
    identifier,
    misshapen,
    moment,
    named,
    problem,
    title_line,
)
from memory_db.transcripts.reported_usage import MARK, Reported

FORMAT = "claude-code"

SYNTHETIC_MODEL = "<synthetic>"
"""The model of answers that Claude Code wrote itself, such as an API error."""

TITLE_CHARACTERS = 80

TITLES = {"custom-title": "customTitle", "ai-title": "aiTitle", "summary": "summary"}
"""Types of records that name the session, with the field that does."""


@dataclass(slots=True)
class ReaderState(Reported):
    """What was learnt from the lines before."""

    session_uid: str | None = None
    created_at: str | None = None
    titled: list[str] = field(default_factory=list)


class ClaudeCodeReader:
    """Reads one file's lines in order; `fallback_time` stands where neither a record nor one before it has a time."""

    def __init__(self, path: Path, state: ReaderState, fallback_time: str) -> None:
        self.state = state
        self.fallback_time = fallback_time
        self.said: dict[str, tuple[Any, ...]] = {}
        self.prompted: set[str] = set()
        self.agent, self.stem = names_of(path)

    def item(self, line: Line) -> Item:
        """What one line gives. Never raises for what is on the line."""
        if line.skipped_bytes:
            head = line.data.decode("utf-8", "replace")
            reason = f"line of {line.skipped_bytes} bytes is longer than what is read"
            return Item(line.number, problems=[problem(line.number, reason, head)])
        if not line.data:
            return Item(line.number, skipped=BLANK)
        text, broken = decode(line.data)
        try:
            record = parse(text)
            if not isinstance(record, dict):
                reason = f"not a JSON object but {type(record).__name__}"
                return Item(line.number, problems=[problem(line.number, reason, text)])
        except RecursionError as error:
            return Item(line.number, problems=[misshapen(line.number, error, text)])
        except ValueError as error:
            return Item(line.number, problems=[problem(line.number, f"not JSON: {first_words(error)}", text)])
        item = Item(line.number)
        try:
            self.record(record, line, item)
        except MISSHAPEN as error:  # what the line said of its session is kept
            item.entry = item.skipped = None
            item.problems = [misshapen(line.number, error, text)]
        if broken is not None:
            item.problems.append(problem(line.number, f"invalid UTF-8 at byte {broken}, replaced"))
        return item

    def record(self, record: dict[str, Any], line: Line, item: Item) -> None:
        """Gives the item what one record holds. Raises: MISSHAPEN."""
        kind = kind_of(record)
        session_uid = self.session_of(record, item)
        if kind in TITLES:
            self.title(record, kind, session_uid, item)
        if kind == MARK and self.agent is None:
            self.state.report(record, session_uid, self.time_of(record))
        if kind in BOOKKEEPING or (kind in TITLES and kind != "summary"):
            item.pass_over(kind)
            return
        uid = identifier(record.get("uuid")) or digest(session_uid.encode("utf-8", "replace"), line.data)
        entry = Entry(uid, session_uid, "system", "other", "", self.time_of(record), line.number)
        entry.parent_uid = identifier(record.get("parentUuid"))
        entry.is_sidechain = bool(record.get("isSidechain")) or self.agent is not None
        item.entry = entry
        READERS.get(kind, read_other)(record, entry, item)
        if item.entry is not None and entry.kind == "prompt":
            self.prompt_title(entry, item)
        if item.entry is not None and entry.kind == "summary" and kind == "system" and not entry.is_sidechain:
            self.state.compacted[session_uid] = entry.created_at

    def session_of(self, record: dict[str, Any], item: Item) -> str:
        """The uid of the record's session; what it newly says about that session goes to the item."""
        state = self.state
        own_uid = identifier(record.get("sessionId"))
        agent = self.agent or (identifier(record.get("agentId")) if record.get("isSidechain") else None)
        main_uid = own_uid or state.session_uid or self.stem
        if self.agent and own_uid is None:
            main_uid = main_uid.removesuffix(f"/{self.agent}")
        uid = f"{main_uid}/{agent}" if agent else main_uid
        said = (named(record.get(name)) for name in ("cwd", "gitBranch", "version"))
        facts = (*said, forked_from(record.get("forkedFrom")), agent)
        if self.is_new(uid, facts):
            session = Session(uid, agent=agent, cwd=facts[0], git_branch=facts[1], agent_version=facts[2])
            session.parent_uid = main_uid if agent else None
            session.continued_from_uid = facts[3]
            session.follows_uid = None if agent else state.session_uid
            item.sessions.append(session)
        if own_uid and (not agent or self.agent):
            state.session_uid = uid
        return uid

    def is_new(self, uid: str, facts: tuple[Any, ...]) -> bool:
        """Whether a record says something about its session that no line before it said."""
        said = self.said.get(uid)
        if said is None:
            self.said[uid] = facts
            return True
        if facts == said or not any(new and not old for new, old in zip(facts, said, strict=True)):
            return False
        self.said[uid] = tuple(old or new for new, old in zip(facts, said, strict=True))
        return True

    def time_of(self, record: dict[str, Any]) -> str:
        """When the record was written: its own time, else that of the one before, else the file's."""
        own = moment(record.get("timestamp"))
        if own:
            self.state.created_at = own
        return self.state.created_at or self.fallback_time

    def title(self, record: dict[str, Any], kind: str, session_uid: str, item: Item) -> None:
        """The first record that names a session gives its title."""
        if session_uid in self.state.titled:
            return
        text = cleaned(record.get(TITLES[kind]), "title", item.findings).strip()
        if text:
            self.state.titled.append(session_uid)
            item.sessions.append(Session(session_uid, title=title_line(text, 2 * TITLE_CHARACTERS)))

    def prompt_title(self, entry: Entry, item: Item) -> None:
        """A prompt may be the session's title, as long as nothing better is known."""
        if entry.text.strip() and entry.session_uid not in self.prompted:
            self.prompted.add(entry.session_uid)
            item.sessions.append(Session(entry.session_uid, prompt_title=title_line(entry.text, TITLE_CHARACTERS)))


def names_of(path: Path) -> tuple[str | None, str]:
    """The agent's id if this is a subagent's file, and the name of the session that records without one belong to."""
    stem = path.stem
    if not stem.startswith("agent-"):
        return None, identifier(stem) or "unnamed"
    agent = identifier(stem.removeprefix("agent-")) or "unnamed"
    folders = path.parts
    session = folders[folders.index("subagents") - 1] if "subagents" in folders[1:] else path.parent.name
    return agent, identifier(session) or "unnamed"


def decode(data: bytes) -> tuple[str, int | None]:
    """The text of a line, and where its first byte is that is not UTF-8."""
    try:
        return data.decode("utf-8-sig" if data.startswith(b"\xef\xbb\xbf") else "utf-8"), None
    except UnicodeDecodeError as error:
        return data.decode("utf-8", "replace"), error.start


def first_words(error: ValueError) -> str:
    """Why a line is not JSON, without the line."""
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} (character {error.pos})"
    return str(error).partition("(")[0].strip().rstrip(";:")[:100]


def forked_from(value: object) -> str | None:
    """The session that a record says it was copied from."""
    return identifier(value.get("sessionId")) if isinstance(value, dict) else None


def kind_of(record: dict[str, Any]) -> str:
    """The type of a record; older and foreign ones only have a role."""
    kind = record.get("type")
    if isinstance(kind, str):
        return kind
    message = record.get("message")
    role = (message.get("role") if isinstance(message, dict) else None) or record.get("role")
    return role if role in ("user", "assistant") and isinstance(role, str) else ""


def content_of(record: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    """A record's message and its content, wherever it stands."""
    message = record.get("message")
    if isinstance(message, dict):
        return message, message.get("content")
    return {}, message if message is not None else record.get("content")


def take(content: Content, entry: Entry, item: Item) -> None:
    """Gives the entry what its content holds."""
    entry.text = content.text
    entry.image_count += content.image_count
    entry.actions, entry.results = content.actions, content.results
    entry.findings.extend(content.findings)
    for reason in sorted(set(content.problems)):
        item.problems.append(problem(item.line, reason))


def read_user(record: dict[str, Any], entry: Entry, item: Item) -> None:
    """What the user typed, what a tool answered, or what Claude Code wrote in the user's name."""
    _, value = content_of(record)
    content = read_content(value, entry.uid)
    take(content, entry, item)
    if record.get("isCompactSummary"):
        entry.role, entry.kind = "system", "summary"
    elif "result" in content.types:
        entry.role, entry.kind = "tool", "tool_result"
        failed = has_failed(record.get("toolUseResult"))
        if failed and len(entry.results) == 1 and not entry.results[0].is_error:
            entry.results = [ActionResult(entry.results[0].action_uid, True, entry.results[0].excerpt)]
    elif record.get("isMeta") or CAVEAT.match(first_text(value)):
        item.pass_over(META)
    elif NOTICE.match(first_text(value)):
        entry.role, entry.kind = "system", "notice"
    elif value is None:
        item.not_kept("user record without content")
    else:
        entry.role, entry.kind = "user", "prompt"


def has_failed(detail: object) -> bool:
    """Whether Claude Code's own account of a tool call says that it failed."""
    if isinstance(detail, dict):
        return any(count(detail.get(name)) > 0 for name in ("exitCode", "exit_code", "returnCode"))
    return isinstance(detail, str) and detail.startswith("Error:")


def first_text(value: Any) -> str:
    """The first words of a content, before any cleaning."""
    for block in value if isinstance(value, list) else [value]:
        text = block.get("text") if isinstance(block, dict) else block
        if isinstance(text, str):
            return text
    return ""


def read_assistant(record: dict[str, Any], entry: Entry, item: Item) -> None:
    """What the model said, thought or called, with its usage."""
    message, value = content_of(record)
    model = named(message.get("model"))
    if model == SYNTHETIC_MODEL or record.get("isApiErrorMessage"):
        item.pass_over(SYNTHETIC)
        return
    content = read_content(value, entry.uid)
    take(content, entry, item)
    entry.role = "assistant"
    entry.model = model
    entry.api_call = api_call(record, message, entry)
    if value is None and entry.api_call is None:
        item.not_kept("assistant record without content")
    elif "text" in content.types:
        entry.kind = "reply"
    elif "call" in content.types:
        entry.kind = "tool_call"
    else:
        entry.kind = "thinking" if "thinking" in content.types else "reply"


def api_call(record: dict[str, Any], message: dict[str, Any], entry: Entry) -> ApiCall | None:
    """The usage on a record. What was written to the cache, and is not said to be for an hour, is for 5 minutes."""
    usage = message.get("usage")
    if not isinstance(usage, dict) or entry.model is None:
        return None
    split = usage.get("cache_creation")
    written = count(usage.get("cache_creation_input_tokens"))
    hour = count(split.get("ephemeral_1h_input_tokens")) if isinstance(split, dict) else 0
    minutes = count(split.get("ephemeral_5m_input_tokens")) if isinstance(split, dict) else 0
    return ApiCall(
        message_uid=identifier(message.get("id")) or entry.uid,
        request_uid=identifier(record.get("requestId")) or "",
        model=entry.model,
        input_tokens=count(usage.get("input_tokens")),
        output_tokens=count(usage.get("output_tokens")),
        cache_write_5m_tokens=max(minutes, written - hour),
        cache_write_1h_tokens=hour,
        cache_read_tokens=count(usage.get("cache_read_input_tokens")),
        service_tier=named(usage.get("service_tier")),
    )


def read_system(record: dict[str, Any], entry: Entry, item: Item) -> None:
    """What Claude Code says of the session itself: the output of a command, and where it was compacted."""
    subtype, text = record.get("subtype"), record.get("content")
    if not isinstance(subtype, str) or subtype not in SYSTEM:
        item.pass_over(type_name("system", subtype))
        return
    entry.kind = "summary" if subtype == "compact_boundary" else "notice"
    entry.text = cleaned(text, "text", entry.findings)


def read_summary(record: dict[str, Any], entry: Entry, item: Item) -> None:
    """The name that Claude Code gave to a session, or to the one before it."""
    entry.kind = "summary"
    entry.text = cleaned(record.get("summary"), "text", entry.findings)


def read_attachment(record: dict[str, Any], entry: Entry, item: Item) -> None:
    """What was put beside the conversation: the output of hooks, files, and what the user typed meanwhile."""
    attachment = record.get("attachment")
    kind = attachment.get("type") if isinstance(attachment, dict) else None
    if not isinstance(attachment, dict) or not isinstance(kind, str):
        item.not_kept("attachment without a type")
        return
    if kind not in ATTACHMENTS:
        item.pass_over(type_name("attachment", kind))
        return
    entry.kind = "attachment"
    value = attachment.get("content")
    if kind == "queued_command":
        take(read_content(attachment.get("prompt"), entry.uid), entry, item)
        if attachment.get("commandMode", "prompt") == "prompt" and not NOTICE.match(entry.text):
            entry.role, entry.kind = "user", "prompt"
    elif isinstance(value, str) or (isinstance(value, list) and all(isinstance(part, str) for part in value)):
        take(read_content(value, entry.uid), entry, item)
    else:
        take(read_content(words_of(attachment), entry.uid), entry, item)


def read_queue(record: dict[str, Any], entry: Entry, item: Item) -> None:
    """What the user typed while the model was at work; taking it out again is bookkeeping."""
    if record.get("content") is None:
        item.pass_over("queue-operation")
        return
    take(read_content(record["content"], entry.uid), entry, item)
    entry.role, entry.kind = ("system", "notice") if NOTICE.match(entry.text) else ("user", "queue")


def read_other(record: dict[str, Any], entry: Entry, item: Item) -> None:
    """A record of a type that carries no words, or of one that nobody knows."""
    if isinstance(record.get("type"), str):
        item.pass_over(type_name(record["type"]))
    else:
        item.not_kept("record without a type")


READERS: dict[str, Callable[[dict[str, Any], Entry, Item], None]] = {
    "user": read_user,
    "assistant": read_assistant,
    "system": read_system,
    "summary": read_summary,
    "attachment": read_attachment,
    "queue-operation": read_queue,
}
"""What is done with each type of record that may hold words."""
