"""A session as exchanges: what the user said, what it answers, and what followed.

In: the entries and actions of a session in their order. Out: one `Exchange` for each message of the user, which is a
prompt or a remark on a refused call, and one `AgentWord` for each reply. Invariants: pure; each message and each reply
of the conversation itself stands in exactly one of them, in order; nothing of an earlier exchange is in a later one.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field

from memory_db.extract.rules.error_fixes import ActionRow
from memory_db.text.provenance import REFUSAL, Span, only, spans_of

Spans = Mapping[int, Sequence[Span]]
"""Spans of entries that have some, by the entry's id."""


@dataclass(slots=True, frozen=True)
class Message:
    """What the user said in one entry from `offset` on; in `prose` all that was not typed is blanked."""

    entry: sqlite3.Row
    offset: int
    prose: str
    is_remark: bool = False


@dataclass(slots=True)
class Exchange:
    """A message with what it answers and what followed.

    `statement` is what the agent said last before it (None where it said nothing since the message before), `action`
    what it did last, `followed` what it did next, `reply` what it said next, `next_words` the user's next message,
    `earlier_words` the one before.
    """

    message: Message
    statement: sqlite3.Row | None = None
    action: ActionRow | None = None
    followed: list[ActionRow] = field(default_factory=list)
    reply: sqlite3.Row | None = None
    next_words: str = ""
    earlier_words: str = ""
    is_first: bool = False

    @property
    def said_before(self) -> str:
        """What the agent said last before the message."""
        return "" if self.statement is None else str(self.statement["text"])


@dataclass(slots=True)
class AgentWord:
    """A reply of the agent with what was done before it in its turn, what it did next, and what the user said next.

    `done` are all actions of the session up to there, `followed` those up to the user's next message, `request` is the
    user's message before, after which it `has_acted`.
    """

    entry: sqlite3.Row
    done: list[ActionRow] = field(default_factory=list)
    followed: list[ActionRow] = field(default_factory=list)
    next_words: str = ""
    request: str = ""
    has_acted: bool = False


@dataclass(slots=True, frozen=True)
class Conversation:
    """The exchanges of a session and the words of its agent."""

    exchanges: list[Exchange]
    agent_words: list[AgentWord]


def message_of(entry: sqlite3.Row, spans: Spans, failed: Set[int]) -> Message | None:
    """The user's words in an entry, if there are any; `failed` are the results of calls that did not succeed."""
    if entry["is_sidechain"]:
        return None
    text = entry["text"]
    if entry["kind"] == "prompt" and entry["role"] == "user":
        found = spans.get(entry["id"]) or spans_of(text, "user", "prompt")
        return Message(entry, 0, only(text, found))
    refused = REFUSAL.match(text) if entry["kind"] == "tool_result" and entry["id"] in failed else None
    if refused is not None:
        found = spans.get(entry["id"]) or spans_of(text, entry["role"], "tool_result")
        offset = refused.end()
        return Message(entry, offset, only(text, found)[offset:], is_remark=True)
    return None


def conversation(entries: Sequence[sqlite3.Row], actions: Sequence[ActionRow], spans: Spans) -> Conversation:
    """The exchanges and the agent's words of a session, in order."""
    acted: dict[int, list[ActionRow]] = {}
    for action in actions:
        acted.setdefault(action.entry_id, []).append(action)
    failed = {action.result_entry_id for action in actions if action.is_error and action.result_entry_id is not None}
    exchanges: list[Exchange] = []
    words: list[AgentWord] = []
    statement: sqlite3.Row | None = None
    last_action: ActionRow | None = None
    done: list[ActionRow] = []
    waiting: list[AgentWord] = []
    for entry in entries:
        if entry["is_sidechain"]:
            continue
        for action in acted.get(entry["id"], ()):
            last_action = action
            done.append(action)
            for exchange in exchanges[-1:]:
                exchange.followed.append(action)
            for word in waiting:
                word.followed.append(action)
        message = message_of(entry, spans, failed)
        if message is not None:
            for word in waiting:
                word.next_words = message.prose
            earlier = exchanges[-1].message.prose if exchanges else ""
            if exchanges:
                exchanges[-1].next_words = message.prose
            is_first = not exchanges and not done
            exchanges.append(Exchange(message, statement, last_action, earlier_words=earlier, is_first=is_first))
            statement, last_action, waiting = None, None, []
        elif entry["kind"] == "reply" and entry["role"] == "assistant":
            statement = entry
            request = exchanges[-1].message.prose if exchanges else ""
            has_acted = bool(exchanges and exchanges[-1].followed)
            waiting.append(AgentWord(entry, list(done), request=request, has_acted=has_acted))
            words.append(waiting[-1])
            if exchanges and exchanges[-1].reply is None:
                exchanges[-1].reply = entry
    return Conversation(exchanges, words)
