"""A session as exchanges: what the user said, what it answers, and what followed.

In: the entries and actions of a session in their order. Out: one `Exchange` for each message of the user, which is a
prompt or a remark on a refused call, and one `AgentWord` for each reply. Invariants: pure; each message and each reply
of the conversation itself stands in exactly one of them, in order; nothing of an earlier exchange is in a later one,
but for the way back to it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field

from memory_db.extract.rules.discussion import is_discussion, only_looks
from memory_db.extract.rules.error_fixes import ActionRow
from memory_db.text.provenance import REFUSAL, Span, only, spans_of

Spans = Mapping[int, Sequence[Span]]
"""Spans of entries that have some, by the entry's id."""


@dataclass(slots=True)
class Message:
    """What the user said in one entry from `offset` on; its `spans` are of the whole entry, found when first needed."""

    entry: sqlite3.Row
    offset: int
    spans: Sequence[Span] = ()
    is_remark: bool = False
    read: str | None = None

    @property
    def prose(self) -> str:
        """The message with all blanked that was not typed."""
        if self.read is None:
            text = self.entry["text"]
            found = self.spans or spans_of(text, self.entry["role"], self.entry["kind"])
            self.read = only(text, found)[self.offset :]
        return self.read


def prose_of(message: Message | None) -> str:
    """The prose of a message; '' where there is none."""
    return "" if message is None else message.prose


@dataclass(slots=True)
class Exchange:
    """A message with what it answers and what followed.

    `statement` is what the agent said last before it (None where it said nothing since the message before), `action`
    what it did last, `followed` what it did next, `reply` what it said next and `closing` last, `next` the user's next
    message, `then` what the agent did upon that, `after_next` the message behind it, `before` the exchange before.
    In a session that `is_discussed` they only talk.
    """

    message: Message
    statement: sqlite3.Row | None = None
    action: ActionRow | None = None
    followed: list[ActionRow] = field(default_factory=list)
    reply: sqlite3.Row | None = None
    closing: sqlite3.Row | None = None
    next: Message | None = None
    then: list[ActionRow] = field(default_factory=list)
    after_next: Message | None = None
    before: Exchange | None = field(default=None, repr=False, compare=False)
    is_first: bool = False
    is_discussed: bool = False

    @property
    def next_words(self) -> str:
        """What the user said next."""
        return prose_of(self.next)

    @property
    def earlier_words(self) -> str:
        """What the user said before."""
        return prose_of(self.before.message if self.before else None)

    @property
    def said_before(self) -> str:
        """What the agent said last before the message."""
        return "" if self.statement is None else str(self.statement["text"])


@dataclass(slots=True)
class AgentWord:
    """A reply of the agent with what was done before it in its turn, what it did next, and what the user said next.

    `done` are all actions of the session up to there, `followed` those up to the user's `next` message, `then` those
    between that message and the one after it, `earlier` is the user's message before, `acted` what it did upon that.
    """

    entry: sqlite3.Row
    done: list[ActionRow] = field(default_factory=list)
    followed: list[ActionRow] = field(default_factory=list)
    then: list[ActionRow] = field(default_factory=list)
    next: Message | None = None
    earlier: Message | None = None
    acted: list[ActionRow] = field(default_factory=list)

    @property
    def has_acted(self) -> bool:
        """Whether the agent did anything upon the user's message before."""
        return bool(self.acted)

    @property
    def next_words(self) -> str:
        """What the user said next."""
        return prose_of(self.next)

    @property
    def request(self) -> str:
        """What the user said before."""
        return prose_of(self.earlier)


@dataclass(slots=True, frozen=True)
class Conversation:
    """The exchanges of a session and the words of its agent."""

    exchanges: list[Exchange]
    agent_words: list[AgentWord]
    is_discussed: bool = False


def message_of(entry: sqlite3.Row, spans: Spans, failed: Set[int]) -> Message | None:
    """The user's words in an entry, if there are any; `failed` are the results of calls that did not succeed."""
    if entry["is_sidechain"]:
        return None
    text = entry["text"]
    if entry["kind"] == "prompt" and entry["role"] == "user":
        return Message(entry, 0, spans.get(entry["id"], ()))
    refused = REFUSAL.match(text) if entry["kind"] == "tool_result" and entry["id"] in failed else None
    if refused is not None:
        return Message(entry, refused.end(), spans.get(entry["id"], ()), is_remark=True)
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
    answered: list[AgentWord] = []
    for entry in entries:
        if entry["is_sidechain"]:
            continue
        for action in acted.get(entry["id"], ()):
            last_action = action
            done.append(action)
            for exchange in exchanges[-1:]:
                exchange.followed.append(action)
            for exchange in exchanges[-2:-1]:
                exchange.then.append(action)
            for word in waiting:
                word.followed.append(action)
            for word in answered:
                word.then.append(action)
        message = message_of(entry, spans, failed)
        if message is not None:
            for word in waiting:
                word.next = message
            before = exchanges[-1] if exchanges else None
            if before is not None:
                before.next = message
            for exchange in exchanges[-2:-1]:
                exchange.after_next = message
            is_first = not exchanges and not done
            exchanges.append(Exchange(message, statement, last_action, before=before, is_first=is_first))
            statement, last_action, answered, waiting = None, None, waiting, []
        elif entry["kind"] == "reply" and entry["role"] == "assistant":
            statement = entry
            earlier = exchanges[-1].message if exchanges else None
            upon = list(exchanges[-1].followed) if exchanges else []
            waiting.append(AgentWord(entry, list(done), earlier=earlier, acted=upon))
            words.append(waiting[-1])
            for exchange in exchanges[-1:]:
                exchange.reply = exchange.reply or entry
                exchange.closing = entry
    only_talk = all(map(only_looks, actions))
    said = [(each.said_before, each.message.prose) for each in exchanges] if only_talk else []
    is_discussed = is_discussion(said, [word.entry["text"] for word in words])
    for exchange in exchanges:
        exchange.is_discussed = is_discussed
    return Conversation(exchanges, words, is_discussed and not actions)
