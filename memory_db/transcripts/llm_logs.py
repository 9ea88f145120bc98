"""The log of the `llm` command: its threads and messages, and its older responses.

In: an SQLite file of llm, opened for reading. Out: one `Item` a message.
Invariant: reading on from a cursor gives what was logged since, and never
misses a turn that was committed late; a turn of our own calls, of which such a file holds references only, is none.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from memory_db.errors import SourceError
from memory_db.transcripts.blocks import read_content
from memory_db.transcripts.claude_ai import fill
from memory_db.transcripts.lines import parse
from memory_db.transcripts.records import (
    MISSHAPEN,
    ApiCall,
    Entry,
    Item,
    Session,
    Stored,
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

FORMAT = "llm"

OVERLAP = 100
"""So many turns before the cursor are looked at again: two processes may commit in another order than they began."""

KINDS = {"user": ("user", "prompt"), "system": ("system", "notice"), "tool": ("tool", "tool_result")}

CHAIN = """
with recursive chain(hash, parent_hash, role, height) as (
    select hash, parent_hash, role, 0 from messages where hash = ?
    union
    select m.hash, m.parent_hash, m.role, chain.height + 1 from chain join messages m on m.hash = chain.parent_hash
)
select hash, role, height from chain order by height desc
"""

TURNS = """
select t.*, th.name, th.forked_from, f.tip_message_hash as forked_tip,
    (select p.tip_message_hash from turns p where p.thread_id = t.thread_id and p.id < t.id
        order by p.id desc limit 1) as before_hash
from turns t left join threads th on th.id = t.thread_id left join threads f on f.id = th.forked_from
where t.id >= ? and t.id not in ({own}) order by t.id
"""

OWN_TURNS = "select turn_uid from model_calls where turn_uid is not null"
"""The turns of our own calls, in a file of ours; in llm's own log there are none."""

RESPONSES = """
select r.*, c.name from responses r left join conversations c on c.id = r.conversation_id where r.id >= ? order by r.id
"""


Blocks = Callable[[], list[Any]]
"""Reads the blocks of a message, within what one message may fail."""


@dataclass(slots=True)
class Cursor(Stored):
    """The last turn and the last older response that were read."""

    turn: str = ""
    response: str = ""


class LlmLog:
    """One log, opened for reading."""

    def __init__(self, path: Path) -> None:
        """Raises: SourceError where the file is not a log of llm."""
        with ExitStack() as stack:
            try:
                self.db = stack.enter_context(closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)))
                self.db.row_factory = sqlite3.Row
                self.db.text_factory = lambda data: data.decode("utf-8", "replace")
                self.tables = {row[0] for row in self.db.execute("select name from sqlite_master where type = 'table'")}
            except (sqlite3.Error, UnicodeDecodeError) as error:
                raise SourceError(
                    f"{path} is not a database of llm ({error}). `llm logs path` prints where it is."
                ) from error
            if not self.tables & {"turns", "responses"}:
                raise SourceError(f"{path} holds no log of llm. `llm logs path` prints where it is.")
            stack.pop_all()  # it stays open

    def close(self) -> None:
        """Closes the log."""
        self.db.close()

    def newest(self) -> Cursor:
        """Where the log ends now. Raises: SourceError where the log is damaged."""
        try:
            return Cursor(self.last("turns"), self.last("responses"))
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise unreadable(error) from error

    def last(self, table: str) -> str:
        """The greatest id of a table; "" where it has none."""
        if table not in self.tables:
            return ""
        return str(self.db.execute(f"select coalesce(max(id), '') from {table}").fetchone()[0])

    def start(self, table: str, last: str) -> str:
        """The id from which a table is read again."""
        row = self.db.execute(
            f"select min(id) from (select id from {table} where id <= ? order by id desc limit ?)", [last, OVERLAP]
        ).fetchone()
        return str(row[0] or "")

    def items(self, cursor: Cursor) -> Iterator[Item]:
        """Every message since the cursor, the older responses first.

        Raises: SourceError where the log is damaged.
        """
        try:
            yield from self.all_items(cursor)
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise unreadable(error) from error

    def all_items(self, cursor: Cursor) -> Iterator[Item]:
        """Every message since the cursor."""
        number = 0
        for table, sql, last in (("responses", RESPONSES, cursor.response), ("turns", TURNS, cursor.turn)):
            if table not in self.tables:
                continue
            read = self.response_items if table == "responses" else self.turn_items
            own = OWN_TURNS if "model_calls" in self.tables else "''"
            for row in self.db.execute(sql.format(own=own), [self.start(table, last)]):
                for item in read(row):
                    number += 1
                    item.line = number
                    yield item

    def turn_items(self, turn: sqlite3.Row) -> Iterator[Item]:
        """The messages that one call of a model added to its thread."""
        thread = uid_of(turn["thread_id"] or turn["id"])
        shared = {row["hash"] for row in self.db.execute(CHAIN, [turn["forked_tip"]])} if turn["forked_from"] else set()
        session = Session(thread, continued_from_uid=identifier(turn["forked_from"]))
        chain = self.db.execute(CHAIN, [turn["tip_message_hash"]]).fetchall()
        hashes = [row["hash"] for row in chain]
        first = hashes.index(turn["before_hash"]) + 1 if turn["before_hash"] in hashes else 0
        for position, message in enumerate(chain[first:], first + 1):
            owner = turn["forked_from"] if message["hash"] in shared else thread
            is_answer = message["hash"] == turn["tip_message_hash"]
            yield self.item(
                f"{owner}/{message['hash']}", session, turn, message["role"],
                partial(self.blocks, message["hash"]), position, is_answer,
            )  # fmt: skip
            session = Session(thread)

    def response_items(self, response: sqlite3.Row) -> Iterator[Item]:
        """The prompt, the tools and the answer of one older response."""
        session = Session(uid_of(response["conversation_id"] or response["id"]))
        system, prompt = response["system"], response["prompt"]
        said: list[tuple[str, str, Callable[[], list[Any]]]] = []
        said += [("system", "system", lambda: [system])] if system else []
        said += [("prompt", "user", lambda: [prompt, *self.results(response["id"])])]
        said += [("response", "assistant", lambda: [response["response"], *self.calls(response["id"])])]
        position = int(
            self.db.execute(
                "select count(*) from responses where conversation_id = ? and id < ?",
                [response["conversation_id"], response["id"]],
            ).fetchone()[0]
        )
        for place, (name, role, blocks) in enumerate(said, 3 * position + 1):
            uid = f"{response['id']}/{name}"
            yield self.item(uid, session, response, role, blocks, place, role == "assistant")
            session = Session(session.uid)

    def item(
        self, uid: str, session: Session, call: sqlite3.Row, role: Any, blocks: Blocks, position: int, answers: bool
    ) -> Item:
        """One message, or why it cannot be read. Never raises for what is in it."""
        item = Item(0, sessions=[session])
        try:
            self.fill_item(item, uid, call, role, blocks(), position, answers)
        except MISSHAPEN as error:
            reason = misshapen(0, error).reason  # its number differs from one reading to the next, its uid does not
            item.entry, item.problems = None, [problem(0, f"message {identifier(uid)}: {reason}")]
        return item

    def fill_item(
        self, item: Item, uid: str, call: sqlite3.Row, role: Any, blocks: list[Any], position: int, answers: bool
    ) -> None:
        """Gives the item a message as an entry; the model's answer carries the usage. Raises: MISSHAPEN."""
        [session] = item.sessions
        if session.title is None and call["name"]:
            session.title = title_line(cleaned(call["name"], "title", item.findings), 160) or None
        content = read_content(blocks, uid)
        kinds = set(content.types)
        if role == "assistant":
            kind = "reply" if "text" in kinds else "tool_call" if "call" in kinds else "thinking" if kinds else "reply"
        else:
            role, kind = KINDS.get(role, ("system", "notice"))
            role, kind = ("tool", "tool_result") if "result" in kinds and "text" not in kinds else (role, kind)
        when = moment(call["datetime_utc"]) or "1970-01-01T00:00:00.000Z"
        entry = Entry(uid_of(uid), session.uid, role, kind, "", when, position)
        fill(entry, content, item)
        if kind == "prompt":
            session.prompt_title = title_line(entry.text, 80) or None
        if answers:
            entry.model = named(call["resolved_model"] or call["model"])
            entry.api_call = usage_of(call, entry.model)
        item.entry = entry

    def blocks(self, message_hash: str) -> list[Any]:
        """The parts of a message as blocks, with the texts of fragments put back."""
        rows = self.db.execute("select * from parts where message_hash = ? order by position", [message_hash])
        return [self.block(row) for row in rows]

    def block(self, part: sqlite3.Row) -> dict[str, Any]:
        """One part as a block."""
        try:
            payload = parse(part["payload"]) if part["payload"] else {}
        except (TypeError, ValueError, RecursionError):
            payload = {}
        payload = payload if isinstance(payload, dict) else {}
        text = part["text"] if part["text"] is not None else self.whole_text(payload)
        if part["type"] == "text":
            return {"type": "text", "text": text}
        if part["type"] == "reasoning":
            return {"type": "thinking", "thinking": text}
        if part["type"] == "attachment":
            return {"type": "image"}
        if part["type"] == "tool_call":
            return call_block(payload.get("name"), payload.get("arguments"), payload.get("tool_call_id"))
        if part["type"] == "tool_result":
            failed = payload.get("exception")
            return result_block(payload.get("output"), payload.get("tool_call_id"), failed)
        return {"type": part["type"], **payload}

    def whole_text(self, payload: dict[str, Any]) -> str:
        """A text that borrows fragments, written out."""
        pieces = payload.get("text_ref")
        if not isinstance(pieces, list):
            return str(payload.get("text") or "")
        return "".join(
            str(piece.get("literal")) if "literal" in piece else self.fragment(piece.get("fragment"))
            for piece in pieces
            if isinstance(piece, dict)
        )

    def fragment(self, fragment_id: object) -> str:
        """The text of a fragment."""
        row = self.db.execute("select content from fragments where id = ?", [fragment_id]).fetchone()
        return str(row[0]) if row else ""

    def calls(self, response_id: str) -> list[dict[str, Any]]:
        """The tools that an older response called."""
        if "tool_calls" not in self.tables:
            return []
        rows = self.db.execute("select * from tool_calls where response_id = ? order by id", [response_id])
        return [call_block(row["name"], json_or_text(row["arguments"]), row["tool_call_id"]) for row in rows]

    def results(self, response_id: str) -> list[dict[str, Any]]:
        """The results of tools that an older response was given."""
        if "tool_results" not in self.tables:
            return []
        rows = self.db.execute("select * from tool_results where response_id = ? order by id", [response_id])
        return [
            result_block(row["output"], row["tool_call_id"], row["exception"] if "exception" in row.keys() else None)  # noqa: SIM118
            for row in rows
        ]


def uid_of(value: object) -> str:
    """An id of the log as it may be stored; SQLite compares none that holds NUL."""
    return identifier(value) or digest(str(value).encode("utf-8", "replace"))


def unreadable(error: sqlite3.Error | UnicodeDecodeError) -> SourceError:
    """What is told of a log that SQLite cannot read."""
    return SourceError(f"The log of llm cannot be read: {error}. `llm logs status` shows what is in it.")


def call_block(name: object, arguments: object, uid: object) -> dict[str, Any]:
    """A tool call as a block."""
    return {"type": "tool_use", "name": name, "input": arguments, "id": uid}


def result_block(output: object, uid: object, exception: object) -> dict[str, Any]:
    """A tool's result as a block."""
    return {"type": "tool_result", "tool_use_id": uid, "content": output, "is_error": bool(exception)}


def json_or_text(text: str | None) -> Any:
    """The value of a JSON text, or the text where it is none."""
    try:
        return parse(text or "{}")
    except (TypeError, ValueError, RecursionError):
        return text


def usage_of(call: sqlite3.Row, model: str | None) -> ApiCall | None:
    """The usage of one call, where it was logged."""
    if model is None or (call["input_tokens"] is None and call["output_tokens"] is None):
        return None
    tokens = (count(call["input_tokens"]), count(call["output_tokens"]))
    return ApiCall(str(call["id"]), "", model, *tokens, 0, 0, 0, None)
