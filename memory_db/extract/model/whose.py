"""Of which project a proposal of a model is, where that is not the one of its session.

In: a proposal, the portion that it was made of, and the projects of the file. Out: the other project that the user's
words name, else the one that the model says; or None. Invariant: a model names no project that the file does not know,
and none whose name did not stand before it.
"""

from __future__ import annotations

import re
import sqlite3

from memory_db.extract.model.answers import ProposedMemory
from memory_db.extract.model.chunks import Chunk
from memory_db.extract.model.sisters import sisters_of
from memory_db.extract.rules.addressed import addressed_to
from memory_db.recall.meant import named_in
from memory_db.text.names.projects import name_in_text

LEADS_IN = re.compile(r"(?:^|(?<=[.!?\n]))[^.!?:\n]{0,80}(?::| [-–]) ?$")
"""What stands before quoted words in their sentence and tells whom they are for: "oh and for rotacalc: "."""


def other_project(db: sqlite3.Connection, portion: Chunk, proposal: ProposedMemory, home: int | None) -> int | None:
    """The other project that a proposal is of; None where that is the session's, as what a session was about is."""
    if proposal.kind == "episode":
        return None
    told = told_to(db, portion, proposal, home)
    return told if told is not None else claimed(db, portion, proposal.project, home)


def told_to(db: sqlite3.Connection, portion: Chunk, proposal: ProposedMemory, home: int | None) -> int | None:
    """The other project that the user's own words name, where a proposal quotes them."""
    message, quote = message_of(portion, proposal.entry_id), proposal.quote
    if not message:
        return None
    # A model may quote a sentence from its second word on, without the project that it is for.
    lead = LEADS_IN.search(message.partition(quote)[0])
    return addressed_to(db, lead[0] + quote if lead else quote, home, message)


def message_of(portion: Chunk, entry_id: int | None) -> str:
    """What the user says in an entry; empty for an entry of somebody else."""
    sources = (source for said in portion.said if said.speaker == "user" for source in said.sources)
    return next((text for source, text in sources if source == entry_id), "")


def claimed(db: sqlite3.Connection, portion: Chunk, name: str, home: int | None) -> int | None:
    """The other project of the file that a model names, if its name stood before it: said by somebody in the portion,
    or listed."""
    plain = name.casefold()
    is_said = any(said.is_prose and name_in_text(plain, said.text.casefold()) for said in portion.said)
    if not plain or not (is_said or plain in (each.casefold() for each in sisters_of(db, portion))):
        return None
    named = named_in(db, name, home)
    return named.project_id if named is not None and named.project_id != home else None
