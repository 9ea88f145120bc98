"""What of a session a prompt and a model have not read yet.

In: a session, and how many of its entries were read. Out: the next `Chunk`. Invariant: reading changes nothing, and
as long as an entry is unread there is a next portion, if only one that says why it is skipped.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from itertools import groupby

from memory_db.extract.model.chunks import PORTION_TOKENS, Chunk, TranscriptLine, cut_lines, line_of
from memory_db.extract.rules.error_fixes import decisive_line
from memory_db.text.provenance import DENIAL

WINDOW = 2_000
"""Entries looked at for one portion: more than ever fit into one, so that a long session is read in linear time."""

OVERLAP_ENTRIES = 60
"""Entries before the first unread one that may be repeated."""

FEWEST_CHARACTERS = 100
"""Prompts and replies of a session that are shorter than this together hold nothing to learn.
Source: memem skips turns below it."""

MOST_DONE, MOST_FAILED = 12, 5
"""Actions of one digest that are named."""

TARGET_CHARACTERS, ERROR_CHARACTERS = 100, 4_000

PLACED = """
with placed as (
    select e.id, e.role, e.kind, e.is_sidechain, e.created_at,
        row_number() over (order by se.position, e.id) as number
    from session_entries se join entries e on e.id = se.entry_id
    where se.session_id = :session
)
select p.number, p.id, p.role, p.kind, p.created_at, case
    when p.is_sidechain then '' when p.kind in ('prompt', 'reply') then e.text
    when p.kind = 'tool_result' and instr(e.text, :denial) > 0 then e.text else '' end as text, p.is_sidechain
from placed p join entries e on e.id = p.id
where p.number > :after
order by p.number
limit :window
"""

ACTIONS = f"""
select a.entry_id, a.tool, coalesce(a.target, '') as target, a.is_error, a.result_entry_id,
    substr(coalesce(r.text, a.excerpt, ''), 1, {ERROR_CHARACTERS}) as result
from actions a left join entries r on r.id = a.result_entry_id
where a.entry_id in (select value from json_each(?))
order by a.id
"""

COUNTED = """
select count(*) as entries, sum(is_prose) as prose, sum(is_prose * length(text)) as characters
from (
    select e.text, not e.is_sidechain and e.kind in ('prompt', 'reply') as is_prose
    from session_entries se join entries e on e.id = se.entry_id where se.session_id = ?
)
"""

PROGRESS = """
select entry_count from extraction_progress where session_id = ? and method = ? and version = ?
"""


def unread(
    db: sqlite3.Connection,
    session_id: int,
    *,
    method: str,
    version: str,
    most_tokens: int = PORTION_TOKENS,
    fewest_messages: int = 2,
) -> Iterator[Chunk]:
    """The portions of a session that are not read yet, in order, without reading them.

    Nothing where all is read; one portion with a `skip_reason` where the session is too short for anything.
    """
    counted = db.execute(COUNTED, [session_id]).fetchone()
    row = db.execute(PROGRESS, [session_id, method, version]).fetchone()
    after = row["entry_count"] if row else 0
    reason = too_short(counted["prose"] or 0, counted["characters"] or 0, fewest_messages)
    if reason and after < counted["entries"]:
        yield Chunk(session_id, after, (), 0, "", 0, counted["entries"], is_last=True, skip_reason=reason)
        return
    while after < counted["entries"]:
        portion = portion_after(db, session_id, after, counted["entries"], most_tokens)
        yield portion
        after = portion.last_number


def too_short(messages: int, characters: int, fewest_messages: int) -> str:
    """Why a session with so many prompts and replies is not read; empty where it is."""
    if messages < fewest_messages:
        return f"hardly any prose: {messages} of {fewest_messages} messages"
    if characters < FEWEST_CHARACTERS:
        return f"hardly any prose: {characters} of {FEWEST_CHARACTERS} characters"
    return ""


def portion_after(db: sqlite3.Connection, session_id: int, after: int, entries: int, most_tokens: int) -> Chunk:
    """The portion of a session that begins after its first `after` entries; there are entries beyond them."""
    first = max(0, after - OVERLAP_ENTRIES)
    rows = db.execute(
        PLACED, {"session": session_id, "denial": DENIAL, "after": first, "window": after - first + WINDOW}
    ).fetchall()
    said = [*said_of(db, [row for row in rows if row["number"] <= after])]
    fresh = len(said)
    said += said_of(db, [row for row in rows if row["number"] > after])
    last = rows[-1]["number"]
    if not any(each.is_prose for each in said[fresh:]):
        why = "no prose in what is new"
        return Chunk(session_id, after, (), 0, "", 0, last, is_last=last >= entries, skip_reason=why)
    lines = [line_of(each, most_tokens) for each in said]
    cut = next(cut_lines(lines, fresh, most_tokens))
    if cut.end < len(said):
        last = said[cut.end - 1].last_number
    text = "\n".join(lines[cut.start : cut.end])
    return Chunk(
        session_id, after, tuple(said[cut.start : cut.end]), cut.fresh - cut.start, text, cut.tokens, last,
        is_last=last >= entries,
    )  # fmt: skip


def said_of(db: sqlite3.Connection, rows: Sequence[sqlite3.Row]) -> Iterator[TranscriptLine]:
    """Rows of PLACED as lines: each prompt and reply, and one digest for the tools used between two of them."""
    shown = [row for row in rows if not row["is_sidechain"]]
    silent = json.dumps([row["id"] for row in shown if not row["text"]])
    actions: dict[int, list[sqlite3.Row]] = {}
    for action in db.execute(ACTIONS, [silent]):
        actions.setdefault(action["entry_id"], []).append(action)
    for is_prose, group in groupby(shown, key=lambda row: bool(row["text"].strip())):
        together = list(group)
        if is_prose:
            yield from (prose_of(row) for row in together)
            continue
        done = [action for row in together for action in actions.get(row["id"], [])]
        if done:
            yield digest_of(together, done)


def prose_of(row: sqlite3.Row) -> TranscriptLine:
    """A prompt, a reply, or what the user said when refusing a tool."""
    text = row["text"]
    if row["kind"] == "tool_result":
        text = text[text.index(DENIAL) + len(DENIAL) :]
    speaker = "agent" if row["role"] == "assistant" else "user"
    return TranscriptLine(row["number"], row["number"], speaker, text, ((row["id"], text),), row["created_at"])


def digest_of(rows: Sequence[sqlite3.Row], actions: Sequence[sqlite3.Row]) -> TranscriptLine:
    """What the tools did between two messages, on one line: what was done, and each error in its own words."""
    done = list(dict.fromkeys(named(action) for action in actions if not action["is_error"]))
    failed = [action for action in actions if action["is_error"]]
    parts = done[:MOST_DONE] + ([f"and {len(done) - MOST_DONE} more"] if len(done) > MOST_DONE else [])
    parts += [f"{named(action)} {outcome(action['result'])}" for action in failed[:MOST_FAILED]]
    sources = tuple((action["result_entry_id"], action["result"]) for action in failed if action["result_entry_id"])
    return TranscriptLine(
        rows[0]["number"], rows[-1]["number"], "tools", "; ".join(parts), sources, rows[0]["created_at"]
    )


def outcome(result: str) -> str:
    """How an action failed: in the words of its error, or by the user, whose words follow as a line of their own."""
    return "was refused" if DENIAL in result else f"failed: {decisive_line(result)}"


def named(action: sqlite3.Row) -> str:
    """An action by its tool and the first line of what it was about."""
    target = action["target"].strip().split("\n")[0][:TARGET_CHARACTERS]
    return f"{action['tool']} {target}".strip()
