"""The export of claude.ai: `conversations.json`, alone or in the ZIP it comes in.

In: an array of conversations with `chat_messages`. Out: one `Item` a message.
Invariant: one conversation at a time is in memory, however large the export.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import IO, Any, TextIO

from memory_db.errors import SourceError
from memory_db.transcripts.blocks import Content, read_content
from memory_db.transcripts.lines import DECODER, MIB
from memory_db.transcripts.records import (
    MISSHAPEN,
    Entry,
    Item,
    Problem,
    Session,
    cleaned,
    digest,
    identifier,
    json_text,
    misshapen,
    moment,
    named,
    problem,
    title_line,
)

FORMAT = "claude-ai"
MEMBER = "conversations.json"
ROLES = {"human": "user", "user": "user", "assistant": "assistant"}
KINDS = {"user": "prompt", "assistant": "reply"}
TITLE_CHARACTERS = 160

TOO_DEEP = object()
"""Stands for a conversation that is nested too deeply to be read."""

BRACKET = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}]', re.DOTALL)


def read_export(path: Path, fallback_time: str) -> Iterator[Item]:
    """Every message of an export, in its order.

    Raises: SourceError where the file is no such export.
    """
    number = 0
    with open_export(path) as handle:
        for conversation in array_items(handle, path):
            if conversation is TOO_DEEP:
                number += 1
                yield Item(number, problems=[misshapen(number, RecursionError())])
                continue
            if not isinstance(conversation, dict):
                number += 1
                yield Item(number, problems=[problem(number, "not a conversation", start_of(conversation))])
                continue
            for item in read_conversation(conversation, number, fallback_time):
                number = item.line
                yield item


def start_of(value: Any) -> str:
    """The beginning of a JSON value as text; "" where it is too deep to be written."""
    try:
        return json_text(value)[:20_000]
    except RecursionError:
        return ""


@contextmanager
def open_export(path: Path) -> Iterator[TextIO]:
    """The text of the export, out of its ZIP or its folder where it is in one."""
    path = path / MEMBER if path.is_dir() else path
    if not zipfile.is_zipfile(path):
        with path.open(encoding="utf-8-sig", errors="replace") as handle:
            yield handle
        return
    try:
        with zipfile.ZipFile(path) as archive:
            names = [name for name in archive.namelist() if name.rpartition("/")[2] == MEMBER]
            if not names:
                raise SourceError(f"{path} holds no {MEMBER}. Give the ZIP that claude.ai sent, or {MEMBER} itself.")
            with opened(archive, names[0]) as binary:
                yield TextIOWrapper(binary, encoding="utf-8-sig", errors="replace")
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        raise unreadable_zip(path, error) from error


def opened(archive: zipfile.ZipFile, name: str) -> IO[bytes]:
    """The bytes of a member. Raises: SourceError for one that is encrypted or no part of the file; BadZipFile."""
    try:
        return archive.open(name)
    except (RuntimeError, OSError, ValueError) as error:
        raise unreadable_zip(Path(archive.filename or name), error) from error


def unreadable_zip(path: Path, error: Exception) -> SourceError:
    """What is told of a ZIP that cannot be read."""
    return SourceError(f"{MEMBER} cannot be read out of its ZIP {path}: {error}. Export it from claude.ai again.")


def array_items(handle: TextIO, path: Path) -> Iterator[Any]:
    """The members of a JSON array one by one, reading no more than each needs.

    Raises: SourceError where the text is not an array, or ends within one.
    """
    buffer = handle.read(MIB).lstrip()
    if not buffer.startswith("["):
        raise SourceError(f"{path} is not an export of claude.ai: expected a JSON array of conversations.")
    buffer = buffer[1:].lstrip(" \t\r\n,")
    chunk = MIB
    while not buffer.startswith("]"):
        try:
            value, end = value_at_start(buffer)
        except ValueError as error:
            more = handle.read(chunk)
            if not more:
                raise SourceError(f"{path} is cut short or damaged. Export it from claude.ai again.") from error
            buffer = (buffer + more).lstrip(" \t\r\n,")
            chunk *= 2  # a long conversation is tried again a few times only
            continue
        yield value
        chunk = MIB
        buffer = buffer[end:].lstrip(" \t\r\n,") or handle.read(MIB).lstrip(" \t\r\n,")


def value_at_start(buffer: str) -> tuple[Any, int]:
    """The JSON value that a text begins with, TOO_DEEP for one that cannot be parsed for its depth; and where it ends.

    Raises: ValueError where it does not end.
    """
    try:
        return DECODER.raw_decode(buffer)
    except RecursionError:
        depth = 0
        for token in BRACKET.finditer(buffer):
            depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(token[0], 0)
            if depth == 0:
                return TOO_DEEP, token.end()
    raise ValueError("not finished")


def read_conversation(conversation: dict[str, Any], number: int, fallback_time: str) -> Iterator[Item]:
    """The messages of one conversation, numbered on from `number`."""
    uid = identifier(conversation.get("uuid")) or digest(start_of(conversation).encode("utf-8", "replace"))
    session = Session(uid)
    opening = Item(0)
    session.title = title_line(cleaned(conversation.get("name"), "title", opening.findings), TITLE_CHARACTERS) or None
    created_at = moment(conversation.get("created_at")) or fallback_time
    messages = conversation.get("chat_messages")
    for message in messages if isinstance(messages, list) else []:
        number += 1
        item = read_message(message, number, uid, created_at)
        if item.entry is not None:
            created_at = item.entry.created_at
            session.prompt_title = title_line(item.entry.text, 80) if item.entry.kind == "prompt" else None
        item.sessions.append(session)
        item.findings.extend(opening.findings)
        opening, session = Item(0), Session(uid)
        yield item
    if not isinstance(messages, list):
        number += 1
        yield Item(number, sessions=[session], problems=[Problem(number, "conversation without messages")])


def read_message(message: Any, number: int, session_uid: str, created_at: str) -> Item:
    """One message, or why it cannot be read. Never raises for what is in it."""
    item = Item(number)
    try:
        fill_message(message, item, session_uid, created_at)
    except MISSHAPEN as error:
        item.entry, item.problems = None, [misshapen(number, error)]
    return item


def fill_message(message: Any, item: Item, session_uid: str, created_at: str) -> None:
    """Gives the item a message: its blocks, else its text; what was attached comes after it. Raises: MISSHAPEN."""
    number = item.line
    role = ROLES.get(str(message.get("sender"))) if isinstance(message, dict) else None
    if role is None:
        item.problems.append(problem(number, "not a message", start_of(message)))
        return
    when = moment(message.get("created_at")) or created_at
    uid = identifier(message.get("uuid")) or digest(session_uid.encode(), json_text(message).encode("utf-8", "replace"))
    entry = Entry(uid, session_uid, role, KINDS[role], "", when, number)
    entry.parent_uid = identifier(message.get("parent_message_uuid"))
    entry.model = named(message.get("model"))
    blocks = message.get("content") or message.get("text")
    content = read_content([*(blocks if isinstance(blocks, list) else [blocks]), *attached(message)], uid)
    if not content.text and isinstance(message.get("text"), str):
        content = read_content([message["text"], *attached(message)], uid)
    fill(entry, content, item)
    entry.image_count += len(message["files"]) if isinstance(message.get("files"), list) else 0
    item.entry = entry


def fill(entry: Entry, content: Content, item: Item) -> None:
    """Gives the entry what its content holds."""
    entry.text, entry.image_count = content.text, content.image_count
    entry.actions, entry.results = content.actions, content.results
    entry.findings.extend(content.findings)
    item.problems.extend(Problem(item.line, reason) for reason in sorted(set(content.problems)))


def attached(message: dict[str, Any]) -> list[str]:
    """The texts of the files that came with a message."""
    files = message.get("attachments")
    return [
        f"[{file.get('file_name') or 'attachment'}]\n{file['extracted_content']}"
        for file in (files if isinstance(files, list) else [])
        if isinstance(file, dict) and isinstance(file.get("extracted_content"), str)
    ]
