"""What of a session a prompt and a model have not read yet.

In: a session, and how many of its entries were read. Out: the next `Chunk`. Invariant: reading changes nothing, and
as long as an entry is unread there is a next portion, if only one that says why it is skipped.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence

from memory_db.extract.model.chunks import (
    ENTRY_SHARE,
    OVERLAP_SHARE,
    PORTION_TOKENS,
    Chunk,
    TranscriptLine,
    cut_lines,
    line_of,
    tokens_of,
)
from memory_db.extract.model.exchange_form import lines_in_exchanges
from memory_db.text.provenance import DENIAL

WINDOW = 2_000
"""Entries looked at for one portion: more than ever fit into one, so that a long session is read in linear time."""

OVERLAP_ENTRIES = 60
"""Entries before the first unread one that may be repeated."""

FEWEST_CHARACTERS = 100
"""Prompts and replies of a session that are shorter than this together hold nothing to learn.
Source: memem skips turns below it."""

MOST_ANSWERED = 4
"""Lines at most that are repeated so that an exchange which a cut went through can be understood: its message, and what
the first message after the cut answers. Together they take no more than twice what is repeated of the lines before."""

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

MESSAGE_BEFORE = """
select max(number) from (
    select e.role, e.kind, e.is_sidechain, row_number() over (order by se.position, e.id) as number
    from session_entries se join entries e on e.id = se.entry_id where se.session_id = ?
) where number <= ? and kind = 'prompt' and role = 'user' and not is_sidechain
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
    """The portion of a session that begins after its first `after` entries; there are entries beyond them.

    Where it begins within an exchange, the message of that exchange and what the next message answers are repeated.
    """
    first = first_looked_at(db, session_id, after)
    rows = db.execute(
        PLACED, {"session": session_id, "denial": DENIAL, "after": first, "window": after - first + WINDOW}
    ).fetchall()
    said = lines_in_exchanges(db, session_id, rows, after)
    fresh = sum(each.number <= after for each in said)
    last = rows[-1]["number"]
    if not any(each.is_prose for each in said[fresh:]):
        why = "no prose in what is new"
        return Chunk(session_id, after, (), 0, "", 0, last, is_last=last >= entries, skip_reason=why)
    needed = needed_before(said, fresh)
    share = int(most_tokens * OVERLAP_SHARE / ENTRY_SHARE * 2 / MOST_ANSWERED)
    short = {place: line_of(said[place], share) for place in needed}
    room = most_tokens - sum(map(tokens_of, short.values()))
    lines = [line_of(each, most_tokens) for each in said]
    cut = next(cut_lines(lines, fresh, room))
    end = whole_exchanges(said, [tokens_of(line) for line in lines], fresh, cut.end, most_tokens)
    if end < len(said):
        last = said[end - 1].last_number
    before = [place for place in needed if place < cut.start]
    shown = [*(short[place] for place in before), *lines[cut.start : end]]
    return Chunk(
        session_id, after, tuple(said[place] for place in (*before, *range(cut.start, end))),
        len(before) + cut.fresh - cut.start, "\n".join(shown), sum(map(tokens_of, shown)), last,
        is_last=last >= entries,
    )  # fmt: skip


def first_looked_at(db: sqlite3.Connection, session_id: int, after: int) -> int:
    """After which entry a session is looked at, so that the exchange under way after the entry `after` is whole."""
    row = db.execute(MESSAGE_BEFORE, [session_id, after]).fetchone()
    message = (row[0] or 1) - 1
    return max(0, after - WINDOW, min(after - OVERLAP_ENTRIES, message))


def needed_before(said: Sequence[TranscriptLine], fresh: int) -> list[int]:
    """Places of the lines before `fresh` without which what comes from there on is not understood."""
    wanted = {said[fresh].exchange}
    wanted |= next((set(each.answers) for each in said[fresh:] if each.is_message), set())
    wanted |= {number for each in said[:fresh] if each.number in wanted for number in each.answers}
    return [place for place, each in enumerate(said[:fresh]) if each.number in wanted][-MOST_ANSWERED:]


def whole_exchanges(said: Sequence[TranscriptLine], tokens: Sequence[int], fresh: int, end: int, most: int) -> int:
    """Where a portion ends at the latest by `end` without going through an exchange that is short."""
    if end >= len(said) or said[end].is_message:
        return end
    begin = next((place for place in range(end - 1, fresh, -1) if said[place].is_message), end)
    return begin if sum(tokens[begin:end]) <= most * ENTRY_SHARE else end
