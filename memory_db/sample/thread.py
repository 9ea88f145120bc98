"""One thread of the sample history: dialogue items in, the records of one Claude Code file out.

What enters: a `Start` and the items of a session or subagent. What leaves: `Thread.records`, each a record or a raw
line. Invariant: every id, time and count follows from the session's name and its items, so the same YAML gives the same
bytes. Numbers that a real session takes from the world (seconds, tokens) are drawn from a hash of the record's name.
"""

import base64
import hashlib
import json
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from memory_db.errors import InputError
from memory_db.sample.fakes import TINY_PNG
from memory_db.sample.tools import Item, ToolEvent, tool_event, tool_kind

Record = dict[str, Any]

_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "https://memory-db.example/sample")
_LETTERS = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_CACHE_LIFE = timedelta(minutes=5)
_SYSTEM_TOKENS = 15_400  # about what the system prompt and tool list of Claude Code take
_CHARACTERS_PER_TOKEN = 3.7
_UNSEEN_TOKENS = (250, 2_600)  # reminders and file contents that go to the model with a user record, from and to
_THOUGHT_TOKENS = (4, 11)  # how many times longer a thought was than what the transcript keeps of it, from and to

_COMPACTED = "This session is being continued from a previous conversation that ran out of context. Summary:\n"
_CAVEAT = "<local-command-caveat>Caveat: what follows was written by local commands of the user.</local-command-caveat>"


def name_uuid(name: str) -> str:
    """Give the uuid that belongs to `name`, always the same."""
    return str(uuid.uuid5(_NAMESPACE, name))


def stamp(moment: datetime) -> str:
    """Give `moment` as Claude Code writes it: ISO 8601, milliseconds, Z."""
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"


def _letters(name: str, length: int) -> str:
    number = int.from_bytes(hashlib.sha256(name.encode()).digest(), "big")
    letters = ""
    while len(letters) < length:
        number, place = divmod(number, len(_LETTERS))
        letters += _LETTERS[place]
    return letters


def between(name: str, low: int, high: int) -> int:
    """Give a whole number from `low` to `high` that depends on `name` alone."""
    return low + int.from_bytes(hashlib.sha256(name.encode()).digest()[:6], "big") % (high - low + 1)


def _tokens(value: Any) -> int:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return max(1, round(len(text) / _CHARACTERS_PER_TOKEN))


@dataclass(slots=True)
class Start:
    """Where a thread begins: its name, session, place, software and time."""

    name: str
    session_id: str
    cwd: str
    branch: str
    version: str
    model: str
    moment: datetime
    agent_id: str | None = None


@dataclass(slots=True)
class _Message:
    """An assistant message still being written: one record a block, and the calls that wait for their results."""

    record_ids: tuple[str, str]
    usage: Record
    records: list[Record] = field(default_factory=list)
    calls: list[tuple[str, Record, ToolEvent, Item]] = field(default_factory=list)


@dataclass(slots=True)
class Thread:
    """A session or subagent that is being written.

    `say_all` takes the items; `records` holds what came of them; `agents` the subagents started, by agent id. With a
    `clock` nobody waits: things happen when it says, in their order.
    Raises: InputError for an item of an unknown kind.
    """

    at: Start
    parent: str | None = None
    records: list[Record | str] = field(default_factory=list)
    agents: dict[str, list[Record | str]] = field(default_factory=dict)
    context_tokens: int = _SYSTEM_TOKENS
    clock: Callable[[], datetime] | None = None
    _count: int = 0
    _message: _Message | None = None
    _cached_tokens: int = 0
    _last_call: datetime | None = None

    def say_all(self, items: list[Item]) -> None:
        """Write every item, then finish the message that is open."""
        for item in items:
            self._say(item)
        self._close("end_turn")

    def _say(self, item: Item) -> None:
        if tool_kind(item):
            self._tool(item)
            return
        kind = next(iter(item))
        if kind in _BLOCKS:
            self._block(_BLOCKS[kind](item, self.at.name + str(self._count)), item)
            return
        if kind not in _WRITERS:
            raise InputError(f"unknown item {kind!r} in sample session {self.at.name!r}; use a key of thread._WRITERS")
        self._close("end_turn")
        _WRITERS[kind](self, item)

    # -- records ------------------------------------------------------------------------------------------------

    def _key(self) -> str:
        return f"{self.at.name}/{self._count}"

    def _wait(self, low_ms: int, high_ms: int) -> None:
        if self.clock:
            self.at.moment = max(self.at.moment + timedelta(milliseconds=1), self.clock())
            return
        self.at.moment += timedelta(milliseconds=between(self._key() + "/wait", low_ms, high_ms))

    def _common(self) -> Record:
        self._count += 1
        common: Record = {
            "parentUuid": self.parent,
            "isSidechain": self.at.agent_id is not None,
            "userType": "external",
            "cwd": self.at.cwd,
            "sessionId": self.at.session_id,
            "version": self.at.version,
            "gitBranch": self.at.branch,
        }
        return common | ({"agentId": self.at.agent_id} if self.at.agent_id else {})

    def _add(self, own: Record) -> Record:
        record = self._common() | own
        record["uuid"] = name_uuid(self._key())
        record["timestamp"] = stamp(self.at.moment)
        self.parent = record["uuid"]
        self.records.append(record)
        return record

    def _user(self, content: Any, **own: Any) -> Record:
        self.context_tokens += _tokens(content) + between(self._key() + "/unseen", *_UNSEEN_TOKENS)
        return self._add({"type": "user", "message": {"role": "user", "content": content}, **own})

    # -- the assistant ------------------------------------------------------------------------------------------

    def _open(self) -> _Message:
        if self._message is None:
            warm = self._last_call is not None and self.at.moment - self._last_call < _CACHE_LIFE
            read = self._cached_tokens if warm else (0 if self._last_call is None else _SYSTEM_TOKENS)
            written = max(0, self.context_tokens - read)
            hour = 0 if self.at.agent_id else written
            usage: Record = {
                "input_tokens": between(self._key() + "/input", 3, 12),
                "cache_creation_input_tokens": written,
                "cache_read_input_tokens": read,
                "cache_creation": {"ephemeral_5m_input_tokens": written - hour, "ephemeral_1h_input_tokens": hour},
                "output_tokens": 0,
                "service_tier": "standard",
            }
            ids = (
                "msg_01" + _letters(self._key() + "/message", 22),
                "req_011" + _letters(self._key() + "/request", 21),
            )
            self._message = _Message(ids, usage)
            self._wait(1_800, 7_000)
            self._last_call, self._cached_tokens = self.at.moment, self.context_tokens
        return self._message

    def _block(self, block: Record, item: Item) -> Record:
        message = self._open()
        tokens = _tokens({key: value for key, value in block.items() if key != "signature"})
        if block["type"] == "thinking":
            tokens *= between(self._key() + "/thought", *_THOUGHT_TOKENS)
        self._wait(300, 600 + 12 * tokens)
        message.usage["output_tokens"] += tokens
        self.context_tokens += tokens
        body = {"id": message.record_ids[0], "type": "message", "role": "assistant", "model": self.at.model}
        rest = {"content": [block], "stop_reason": None, "stop_sequence": None, "usage": dict(message.usage)}
        record = self._add({"type": "assistant", "requestId": message.record_ids[1], "message": body | rest})
        message.records.append(record)
        return record

    def _tool(self, item: Item) -> None:
        event = tool_event(item, self.at.cwd)
        call_id = "toolu_01" + _letters(self._key() + "/tool", 22)
        block = {"type": "tool_use", "id": call_id, "name": event.name, "input": event.input}
        record = self._block(block, item)
        self._open().calls.append((call_id, record, event, item))
        if not item.get("with_next"):
            self._close("tool_use")

    def _close(self, stop_reason: str) -> None:
        message, self._message = self._message, None
        if message is None:
            return
        message.records[-1]["message"]["stop_reason"] = stop_reason
        for call_id, record, event, item in message.calls:
            self._result(call_id, record, event, item)

    def _result(self, call_id: str, call: Record, event: ToolEvent, item: Item) -> None:
        detail = event.detail
        if "agent" in item:
            detail = detail | self._agent(item)
        self._wait(60, 4_000)
        if not self.clock:
            self.at.moment += timedelta(seconds=float(item.get("seconds", 0)))
        block = {"tool_use_id": call_id, "type": "tool_result", "content": event.content}
        if event.is_error:
            block["is_error"] = True
        self._user([block], toolUseResult=detail, sourceToolAssistantUUID=call["uuid"])

    def _agent(self, item: Item) -> Record:
        agent_id = hashlib.sha256(f"{self.at.name}/{item['agent']}".encode()).hexdigest()[:17]
        model = item.get("model", self.at.model)
        start = Start(
            f"{self.at.name}/{item['agent']}",
            self.at.session_id,
            self.at.cwd,
            self.at.branch,
            self.at.version,
            model,
            self.at.moment,
            agent_id,
        )
        thread = Thread(start)
        thread.say_all([{"prompt": item["prompt"]}, *item["steps"], {"say": item["out"]}])
        self.agents[agent_id] = thread.records
        duration_ms = round((thread.at.moment - self.at.moment).total_seconds() * 1000)
        self.at.moment = thread.at.moment
        calls = sum(1 for step in item["steps"] if tool_kind(step))
        return {"agentId": agent_id, "totalDurationMs": duration_ms, "totalToolUseCount": calls}

    # -- everything else ----------------------------------------------------------------------------------------

    def prompt(self, item: Item) -> None:
        """Write what the user typed: text, or a list of parts when a picture came with it."""
        text = str(next(iter(item.values()))).rstrip()
        if not self.at.agent_id:
            self._wait(14_000, 95_000 + 90 * len(text))
            prompt_id = name_uuid(f"{self.at.name}/{self._count + 1}")
            shot = {"messageId": prompt_id, "trackedFileBackups": {}, "timestamp": stamp(self.at.moment)}
            snapshot = {"type": "file-history-snapshot", "messageId": prompt_id, "snapshot": shot}
            self.records.append(snapshot | {"isSnapshotUpdate": False})
        content: Any = text
        if item.get("image"):
            source = {"type": "base64", "media_type": "image/png", "data": TINY_PNG}
            content = [{"type": "text", "text": text}, {"type": "image", "source": source}]
        elif item.get("parts"):
            content = [{"type": "text", "text": text}, *({"type": "text", "text": part} for part in item["parts"])]
        self._user(content, permissionMode=item.get("mode", "default"))

    def meta(self, item: Item) -> None:
        """Write a user record that Claude Code made itself."""
        self._user(str(item["meta"]).rstrip(), isMeta=True)

    def command(self, item: Item) -> None:
        """Write a slash command and what it printed."""
        self._wait(20_000, 60_000)
        self._user(_CAVEAT, isMeta=True)
        name = item["command"]
        tags = f"<command-name>{name}</command-name>\n            <command-message>{name[1:]}</command-message>"
        self._user(f"{tags}\n            <command-args>{item.get('args', '')}</command-args>")
        self._user(f"<local-command-stdout>{item.get('out', '')}</local-command-stdout>")

    def hook(self, item: Item) -> None:
        """Write what a hook gave, as an attachment."""
        text = str(item.get("out", "")).rstrip()
        own: Record = {"hookName": item["hook"], "hookEvent": item["hook"].split(":")[0]}
        own["toolUseID"] = name_uuid(self._key() + "/hook")
        if item.get("context"):
            attachment = {"type": "hook_additional_context", "content": [text], **own}
        else:
            ran = {"stdout": text, "stderr": "", "exitCode": 0, "command": item["runs"], "durationMs": 41}
            attachment = {"type": "hook_success", "content": text, **own, **ran}
        self._add({"type": "attachment", "attachment": attachment})

    def queue(self, item: Item) -> None:
        """Write that the user typed ahead (`queue`), or that what was typed is now read (`dequeue`)."""
        self._wait(2_000, 9_000)
        kind = next(iter(item))
        record: Record = {"type": "queue-operation", "operation": "enqueue" if kind == "queue" else "dequeue"}
        record |= {"timestamp": stamp(self.at.moment), "sessionId": self.at.session_id}
        self.records.append(record | ({"content": item[kind]} if kind == "queue" else {}))
        if kind == "dequeue":
            self.prompt(item)

    def compact(self, item: Item) -> None:
        """Write the boundary of a compaction and the summary that follows it."""
        self._wait(20_000, 40_000)
        before, self.parent = self.parent, None
        meta = {"trigger": item.get("trigger", "manual"), "preTokens": self.context_tokens}
        own: Record = {"type": "system", "subtype": "compact_boundary", "content": "Conversation compacted"}
        self._add(own | {"logicalParentUuid": before, "isMeta": False, "level": "info", "compactMetadata": meta})
        self.context_tokens, self._cached_tokens = _SYSTEM_TOKENS, _SYSTEM_TOKENS
        self._user(_COMPACTED + item["compact"].rstrip(), isCompactSummary=True, isVisibleInTranscriptOnly=True)

    def interrupt(self, item: Item) -> None:
        """Write that the user pressed escape."""
        self._wait(500, 3_000)
        self._user([{"type": "text", "text": "[Request interrupted by user]"}])

    def api_error(self, item: Item) -> None:
        """Write the record that stands for an answer which never came."""
        self._wait(9_000, 30_000)
        zero = {"input_tokens": 0, "output_tokens": 0, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
        body: Record = {"id": name_uuid(self._key() + "/error"), "type": "message", "role": "assistant"}
        body |= {"model": "<synthetic>", "stop_reason": "stop_sequence", "stop_sequence": "", "usage": zero}
        body["content"] = [{"type": "text", "text": item["api_error"]}]
        self._add({"type": "assistant", "isApiErrorMessage": True, "message": body})

    def system(self, item: Item) -> None:
        """Write a system record of another subtype."""
        own = {"type": "system", "level": "info", "isMeta": False}
        self._add(own | item["system"])

    def other(self, item: Item) -> None:
        """Write a record of a type that nobody knows."""
        self._add(dict(item["record"]))

    def raw(self, item: Item) -> None:
        """Write a line as it is, whether or not it can be read."""
        self.records.append(str(item["raw"]).rstrip("\n"))

    def away(self, item: Item) -> None:
        """Let that many minutes pass."""
        self.at.moment += timedelta(minutes=item["away"])

    def set(self, item: Item) -> None:
        """Change the folder, branch, model or version from here on."""
        for key, value in item["set"].items():
            setattr(self.at, key, value)


def _thinking(item: Item, name: str) -> Record:
    signature = base64.b64encode(hashlib.sha512(name.encode()).digest()).decode()
    return {"type": "thinking", "thinking": str(item["think"]).rstrip(), "signature": signature}


_BLOCKS: dict[str, Callable[[Item, str], Record]] = {
    "think": _thinking,
    "say": lambda item, name: {"type": "text", "text": str(item["say"]).rstrip()},
}

_WRITERS: dict[str, Callable[[Thread, Item], None]] = {
    "user": Thread.prompt,
    "prompt": Thread.prompt,
    "meta": Thread.meta,
    "command": Thread.command,
    "hook": Thread.hook,
    "queue": Thread.queue,
    "dequeue": Thread.queue,
    "compact": Thread.compact,
    "interrupt": Thread.interrupt,
    "api_error": Thread.api_error,
    "system": Thread.system,
    "record": Thread.other,
    "raw": Thread.raw,
    "away": Thread.away,
    "set": Thread.set,
}
