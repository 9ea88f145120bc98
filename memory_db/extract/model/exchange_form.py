"""A session's entries as lines that a model reads, in the form of exchanges.

In: rows of a session's entries in their order. Out: `TranscriptLine`s, each with the exchange it belongs to; the line
of a message says which lines it answers. Invariants: exchanges are those that the rules read; a digest of tools never
reaches over a message, nor over a cut; reading changes nothing.
"""

from __future__ import annotations

import dataclasses
import json
import sqlite3
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import groupby

from memory_db.extract.model.chunks import TranscriptLine
from memory_db.extract.rules.around import action_row
from memory_db.extract.rules.error_fixes import SHELL_TOOLS, ActionRow, decisive_line
from memory_db.extract.rules.exchanges import Exchange, conversation
from memory_db.text.provenance import DENIAL
from memory_db.transcripts.spans import spans_in

MOST_DONE, MOST_FAILED = 12, 5
"""Actions of one digest that are named."""

TARGET_CHARACTERS, ERROR_CHARACTERS = 100, 4_000

ACTIONS = f"""
select a.entry_id, a.tool, coalesce(a.target, '') as target, '' as input, a.is_error, a.result_entry_id,
    substr(coalesce(r.text, a.excerpt, ''), 1, {ERROR_CHARACTERS}) as result
from actions a left join entries r on r.id = a.result_entry_id
where a.entry_id in (select value from json_each(?))
order by a.id
"""


def lines_in_exchanges(
    db: sqlite3.Connection, session_id: int, rows: Sequence[sqlite3.Row], after: int
) -> list[TranscriptLine]:
    """Rows as lines, each with the number of its exchange: that of the line in which the user's message stands.

    `rows` have number, id, role, kind, text, is_sidechain and created_at; all but prose has no text. Lines before the
    first message are of no exchange, and none stands for entries both before and after the entry `after`.
    """
    actions = [action_row(row) for row in db.execute(ACTIONS, [json.dumps([row["id"] for row in rows])])]
    lines = [*said_of(rows, actions, after)]
    starts = [line.number for line in lines]
    numbers = {row["id"]: row["number"] for row in rows}
    exchanges = {
        numbers[each.message.entry["id"]]: each
        for each in conversation(rows, actions, spans_in(db, session_id)).exchanges
    }
    found, current = [], 0
    for line in lines:
        exchange = exchanges.get(line.number)
        if exchange is None:
            found.append(dataclasses.replace(line, exchange=current))
            continue
        current = line.number
        answered = {starts[bisect_right(starts, numbers[entry_id]) - 1] for entry_id in answered_by(exchange)}
        found.append(dataclasses.replace(line, exchange=current, answers=tuple(sorted(answered - {current}))))
    return found


def answered_by(exchange: Exchange) -> Iterator[int]:
    """The entries that a message answers: what the agent said last before it, and what it did since or last."""
    statement, action = exchange.statement, exchange.action
    if statement is not None:
        yield statement["id"]
    if action is not None and (statement is None or action.entry_id > statement["id"]):
        yield action.entry_id


def said_of(rows: Sequence[sqlite3.Row], actions: Sequence[ActionRow], after: int) -> Iterator[TranscriptLine]:
    """Rows as lines: each prompt and reply, and one digest for the tools used between two of them."""
    shown = [row for row in rows if not row["is_sidechain"]]
    by_entry: dict[int, list[ActionRow]] = {}
    for action in actions:
        by_entry.setdefault(action.entry_id, []).append(action)
    for (is_prose, _), group in groupby(shown, key=lambda row: (bool(row["text"].strip()), row["number"] > after)):
        together = list(group)
        if is_prose:
            yield from (prose_of(row) for row in together)
            continue
        done = [action for row in together for action in by_entry.get(row["id"], [])]
        if done:
            yield digest_of(together, done)


def prose_of(row: sqlite3.Row) -> TranscriptLine:
    """A prompt, a reply, or what the user said when refusing a tool."""
    text = row["text"]
    if row["kind"] == "tool_result":
        text = text[text.index(DENIAL) + len(DENIAL) :]
    speaker = "agent" if row["role"] == "assistant" else "user"
    return TranscriptLine(row["number"], row["number"], speaker, text, ((row["id"], text),), row["created_at"])


def digest_of(rows: Sequence[sqlite3.Row], actions: Sequence[ActionRow]) -> TranscriptLine:
    """What the tools did between two messages, on one line: what was done, and each error in its own words."""
    done = list(dict.fromkeys(named(action) for action in actions if not action.is_error))
    failed = [action for action in actions if action.is_error]
    parts = done[:MOST_DONE] + ([f"and {len(done) - MOST_DONE} more"] if len(done) > MOST_DONE else [])
    parts += [f"{named(action)} {outcome(action.result)}" for action in failed[:MOST_FAILED]]
    errors = [(action.result_entry_id, action.result) for action in failed if action.result_entry_id]
    ran = [action for action in actions if action.tool in SHELL_TOOLS and action.is_error is False]
    commands = [(action.entry_id, action.target) for action in ran]
    sources = (*errors, *commands)
    return TranscriptLine(
        rows[0]["number"], rows[-1]["number"], "tools", "; ".join(parts), sources, rows[0]["created_at"]
    )


def outcome(result: str) -> str:
    """How an action failed: in the words of its error, or by the user, whose words follow as a line of their own."""
    return "was refused" if DENIAL in result else f"failed: {decisive_line(result)}"


def named(action: ActionRow) -> str:
    """An action by its tool and the first line of what it was about."""
    target = action.target.strip().split("\n")[0][:TARGET_CHARACTERS]
    return f"{action.tool} {target}".strip()
