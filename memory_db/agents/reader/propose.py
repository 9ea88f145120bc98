"""What an agent proposes over MCP: one row that waits for a person, and how that person decides.

In: a file, the place of a client, what it proposes. Out: one line. Invariants: nothing that is known changes; an agent
proposes so many things a day at most, for a person has to read them all.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from datetime import timedelta

from memory_db.agents.reader.access import may_read, place_of
from memory_db.agents.reader.client import Client
from memory_db.agents.reader.texts import readable
from memory_db.errors import InputError
from memory_db.gate.review.deltas import Delta, Proposed, propose
from memory_db.store import settings
from memory_db.store.connection import connect, explain, transaction
from memory_db.store.dates import utc_text

BY = "mcp"

SETTING = "mcp_proposals_a_day"

EVERYWHERE = "user"
"""What an agent names as the project of what holds in every one."""

SINCE = """
select (select count(*) from proposals where proposed_by = :by and created_at > :since)
    + (select count(*) from contradictions where found_by = :by and found_at > :since)
    + (select count(*) from candidates where rule = :by and created_at > :since)
"""


@dataclass(slots=True, frozen=True)
class ProposalRequest:
    """What an agent asks for, in its own words: an operation, a text, two uids, a kind, a reason, a project."""

    operation: str
    text: str
    uid: str
    other: str
    kind: str
    reason: str
    project: str


def ask_a_person(client: Client, request: ProposalRequest) -> str:
    """Puts a change before a person; what waits now, and how they decide.

    Raises: MemoryDBError; InputError for what the gate refuses.
    """
    try:
        with closing(connect(client.path, write=True)) as db:
            delta = delta_of(db, client, request)
            with transaction(db):
                check_number(db, client)
                proposed = propose(db, delta, by=BY, now=client.clock())
    except sqlite3.Error as error:
        raise explain(error, client.path) from error
    if proposed.state == "refused":
        raise InputError(f"Not proposed: {readable(proposed.reason, proposed.item or '')}.")
    return answer(proposed)


def delta_of(db: sqlite3.Connection, client: Client, request: ProposalRequest) -> Delta:
    """A request as a delta in the client's place. Raises: NotFoundError, InputError."""
    for uid in (request.uid, request.other):
        if uid:
            may_read(db, client.folder, uid)
    everywhere = request.project.strip().casefold() == EVERYWHERE
    place = place_of(db, client.folder, "" if everywhere else request.project)
    row = db.execute("select id from sessions where uid = ?", [client.session_uid]).fetchone()
    return Delta(
        request.operation,
        text=request.text,
        memory=request.uid,
        other=request.other,
        kind=request.kind.strip().lower(),
        reason=request.reason,
        project_id=None if everywhere else place.project_id,
        scope="user" if everywhere else "project",
        session_id=row["id"] if row else None,
    )


def check_number(db: sqlite3.Connection, client: Client) -> None:
    """Refuses one more than a person wants to read in a day. Raises: InputError."""
    most = settings.get_integer(db, SETTING)
    since = utc_text(client.clock() - timedelta(days=1))
    if db.execute(SINCE, {"by": BY, "since": since}).fetchone()[0] >= most:
        raise InputError(
            f"{most} proposals in 24 hours are as many as a person reads here. Tell the user what you would keep"
            f" instead; they can allow more: `memory-db settings {SETTING} {max(2 * most, 10)}`."
        )


DECIDES: dict[str, Callable[[str], str]] = {
    "c": lambda item: f"`memory-db review accept {item}` or `decline {item}`",
    "p": lambda item: f"`memory-db review accept {item}` or `decline {item}`",
    "x": lambda item: f"`memory-db review resolve {item} first|second|both|neither`",
}
"""How a person decides on an item of the review queue, by its letter."""


def answer(proposed: Proposed) -> str:
    """What became of a proposal, in one line."""
    reason = readable(proposed.reason, proposed.near or "")
    near = f" (see [{proposed.near}])" if proposed.near else ""
    if proposed.state == "known":
        return f"Nothing new waits: {reason}{near}."
    item = proposed.item or ""
    return (
        f"{item} waits for a person{near}: {reason}. Nothing has changed. They decide with {DECIDES[item[:1]](item)};"
        " say so to the user."
    )
