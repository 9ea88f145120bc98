"""What stands around an entry in its session, for who judges a single candidate.

In: a session's id. Out: its conversation, and what backs one reply of its agent. Invariant: nothing is changed.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, field

from memory_db.extract.rules.backing import (
    Backing,
    backing_of,
    backing_of_quote,
    is_rejected,
)
from memory_db.extract.rules.backing_by_tools import backing_of_command, backing_of_error, backing_of_tools
from memory_db.extract.rules.error_fixes import ActionRow
from memory_db.extract.rules.exchanges import AgentWord, Conversation, Exchange, conversation
from memory_db.transcripts.spans import spans_in

ENTRIES = """
select e.id, e.uid, e.role, e.kind, e.text, e.is_sidechain, e.created_at, e.session_id, s.project_id,
    p.canonical_path
from session_entries se
join entries e on e.id = se.entry_id
join sessions s on s.id = e.session_id
left join projects p on p.id = s.project_id
where se.session_id = ?
order by se.position, e.id
"""

ACTIONS = """
select a.entry_id, a.result_entry_id, a.tool, coalesce(a.target, '') as target, a.input, a.is_error,
    coalesce(r.text, a.excerpt, '') as result
from session_entries se
join actions a on a.entry_id = se.entry_id
left join entries r on r.id = a.result_entry_id
where se.session_id = ?
order by se.position, a.id
"""


def entries_of(db: sqlite3.Connection, session_id: int) -> list[sqlite3.Row]:
    """The entries of a session in their order."""
    return db.execute(ENTRIES, [session_id]).fetchall()


def actions_of(db: sqlite3.Connection, session_id: int) -> list[ActionRow]:
    """The actions of a session in their order."""
    return [action_row(row) for row in db.execute(ACTIONS, [session_id])]


def action_row(row: sqlite3.Row) -> ActionRow:
    """A row of ACTIONS as the rules for errors read it."""
    is_error = None if row["is_error"] is None else bool(row["is_error"])
    return ActionRow(
        row["entry_id"], row["result_entry_id"], row["tool"], row["target"], row["input"], is_error, row["result"]
    )


def conversation_of(db: sqlite3.Connection, session_id: int) -> Conversation:
    """The exchanges of a session and the words of its agent."""
    return conversation_and_actions(db, session_id)[0]


def conversation_and_actions(db: sqlite3.Connection, session_id: int) -> tuple[Conversation, list[ActionRow]]:
    """The exchanges of a session, the words of its agent, and its actions in their order."""
    actions = actions_of(db, session_id)
    return conversation(entries_of(db, session_id), actions, spans_in(db, session_id)), actions


@dataclass(slots=True)
class Surroundings:
    """What stands around entries: the session that was asked of last is remembered, so that a session is read once."""

    session_id: int | None = None
    replies: dict[int, AgentWord] = field(default_factory=dict)
    exchanges: dict[int, Exchange] = field(default_factory=dict)
    actions: list[ActionRow] = field(default_factory=list)

    def backing(self, db: sqlite3.Connection, session_id: int | None, entry_id: int | None) -> Backing | None:
        """What backs the reply of an agent; None where nothing does, and for what is no reply."""
        self.read(db, session_id)
        word = self.replies.get(entry_id or 0)
        return None if word is None or is_rejected(word) else backing_of(word)

    def backing_of_quote(
        self, db: sqlite3.Connection, session_id: int | None, entry_id: int | None, quote: str
    ) -> Backing | None:
        """What backs words that a model quotes of an agent's reply or command, or of an error; None where nothing."""
        self.read(db, session_id)
        word = self.replies.get(entry_id or 0)
        if word is not None:
            return backing_of_quote(word, quote) or backing_of_tools(word, quote)
        for at, action in enumerate(self.actions):
            if action.entry_id == entry_id and (found := backing_of_command(action, quote)) is not None:
                return found
            if action.result_entry_id == entry_id:
                return backing_of_error(self.actions, at, quote)
        return None

    def exchange(self, db: sqlite3.Connection, session_id: int | None, entry_id: int | None) -> Exchange | None:
        """The exchange of which an entry is the user's message."""
        self.read(db, session_id)
        return self.exchanges.get(entry_id or 0)

    def read(self, db: sqlite3.Connection, session_id: int | None) -> None:
        """Reads a session unless it is the last one."""
        if session_id == self.session_id:
            return
        said, self.actions = conversation_and_actions(db, session_id) if session_id is not None else (None, [])
        self.session_id = session_id
        self.replies = {word.entry["id"]: word for word in said.agent_words} if said else {}
        self.exchanges = {each.message.entry["id"]: each for each in said.exchanges} if said else {}
