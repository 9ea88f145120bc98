"""Memories whose value was overwritten in the very line of code that took it up.

In: a candidate from a message of the user, what was decided on it, and the edits that followed that message. Out: the
decision, by which it replaces what said the value that these took out of a line which the edits upon that had written;
what says more goes before a person. Invariants: reads only; a line counts that is the same but for its value, in the
same file of the same project; what a person locked stays.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, replace

from memory_db.extract.rules.around import Surroundings
from memory_db.extract.rules.error_fixes import EDITING_TOOLS, changed_lines, shortened
from memory_db.extract.rules.surroundings import NUMBER_WORDS, holds
from memory_db.extract.rules.values_made import edits_made, in_smaller
from memory_db.gate.claims import Asked, Decision
from memory_db.text.statements import answered

VALUE = re.compile(r"\d[\w.]*|\"[^\"\n]*\"(?!\s*(?::|=>))|'[^'\n]*'(?!\s*(?::|=>))")
"""A number or a string in a line of code, and no key."""

NAME = re.compile(r"[A-Za-z_]{3,}")

MOST_CLOSED_WORDS = 45
"""Words of the longest memory that is closed by one new value; a longer one says more, and a person decides. Source:
ours; what readers call a thing worth knowing has fewer in nine of ten cases."""

EDITED_AFTER = f"""
select 1 from actions a where a.session_id = ? and a.entry_id > ? and a.tool in ({", ".join("?" * len(EDITING_TOOLS))})
limit 1
"""

WROTE = f"""
select a.entry_id, a.session_id, a.input from actions a join sessions s on s.id = a.session_id
where a.tool in ({", ".join("?" * len(EDITING_TOOLS))}) and a.target = ? and s.project_id is ? and a.created_at < ?
    and instr(a.input, ?) > 0 and a.is_error is not 1
order by a.created_at desc limit 20
"""
"""Edits of a file, before a moment, that have a line in them."""

SAID_BEFORE = """
select e.id from session_entries here
join session_entries se on se.session_id = here.session_id and se.position <= here.position
join entries e on e.id = se.entry_id
where here.entry_id = ? and here.session_id = ? and e.kind = 'prompt' and e.role = 'user' and e.is_sidechain = 0
order by se.position desc limit 3
"""
"""The messages of the user upon which something was done: what the first says of three may be done upon the third."""

SAYS = """
select m.id, m.uid, m.text from memories m
where m.id in (select o.memory_id from memory_sources o where o.entry_id = ?) and m.status = 'active'
    and m.lock_level = 'none' and m.project_id is ? and m.scope = 'project'
order by m.id
"""


@dataclass(slots=True, frozen=True)
class Overwritten:
    """A line of a file with another value than before; both lines stripped."""

    target: str
    before: str
    after: str
    at: str

    @property
    def told(self) -> str:
        """What happened to it, in a few words."""
        name = self.target.split("\n")[0].rsplit("/", 1)[-1]
        return f"in {name} `{shortened(self.before)}` became `{shortened(self.after)}`"


def by_its_line(db: sqlite3.Connection, said: Surroundings, candidate: sqlite3.Row, decision: Decision) -> Decision:
    """A decision that a candidate replaces what says the value that the edits upon its message overwrote.

    What says more than that goes before a person with it. A memory that the candidate seems to contradict may wait for
    the next comparison of all pairs: what the edits show is sure.
    """
    if decision.action not in ("add", "contradicts") or not is_of_edits(db, candidate):
        return decision
    found = {
        old["id"]: (old["text"], line.told)
        for line in overwritten(db, said, candidate)
        if has_value(candidate["text"], line.after, line.before)
        for old in said_it(db, line, candidate["project_id"])
    }
    if not found:
        return decision
    long = {number for number, (text, _) in found.items() if len(answered(text)[1].split()) > MOST_CLOSED_WORDS}
    short = [number for number in found if number not in long]
    asks = tuple(Asked(number, found[number][1], is_later=False) for number in sorted(long - {decision.target}))
    decision = replace(decision, asks=(*decision.asks, *asks))
    if not short or decision.target in long:
        return decision
    reason = found[short[0]][1]
    return replace(decision, action="supersede", target=short[0], also=tuple(short[1:]), reason=reason, relation=None)


def is_of_edits(db: sqlite3.Connection, candidate: sqlite3.Row) -> bool:
    """Whether a candidate is from a message of the user upon which something may have been edited."""
    session, entry = candidate["session_id"], candidate["entry_id"]
    is_users = candidate["role"] == "user" and candidate["scope"] == "project" and None not in (session, entry)
    return is_users and db.execute(EDITED_AFTER, [session, entry, *EDITING_TOOLS]).fetchone() is not None


def overwritten(db: sqlite3.Connection, said: Surroundings, candidate: sqlite3.Row) -> Iterator[Overwritten]:
    """The lines that got another value upon the message of a candidate."""
    exchange = said.exchange(db, candidate["session_id"], candidate["entry_id"])
    for action in edits_made(exchange) if exchange is not None else ():
        before, after = changed_lines(action.input)
        for new in after:
            old = next((line for line in before if is_same_line(line, new)), None)
            if old is not None:
                yield Overwritten(action.target, old, new, candidate["created_at"])


def is_same_line(one: str, other: str) -> bool:
    """Whether two lines of code are the same but for their values, and name something."""
    plain = VALUE.sub("0", one)
    return one != other and plain == VALUE.sub("0", other) and NAME.search(plain) is not None


def said_it(db: sqlite3.Connection, line: Overwritten, project_id: int | None) -> Iterator[sqlite3.Row]:
    """The memories of messages upon which that line was written as it was before, and which say its value."""
    within = json.dumps(line.before, ensure_ascii=False)[1:-1]
    done = set()
    for edit in db.execute(WROTE, [*EDITING_TOOLS, line.target, project_id, line.at, within]).fetchall():
        if line.before not in changed_lines(edit["input"])[1]:
            continue
        for message in db.execute(SAID_BEFORE, [edit["entry_id"], edit["session_id"]]).fetchall():
            if message["id"] in done:
                continue
            done.add(message["id"])
            for row in db.execute(SAYS, [message["id"], project_id]).fetchall():
                if has_value(row["text"], line.before, line.after):
                    yield row


def has_value(text: str, line: str, other: str) -> bool:
    """Whether a text says a value that a line has and another one has not, in digits, in words or in a larger unit."""
    values = [value.strip("\"'") for value in VALUE.findall(line) if value not in VALUE.findall(other)]
    lower = text.lower()
    words = {word for word, number in NUMBER_WORDS.items() if number in values}
    in_words = not words.isdisjoint(re.findall(r"[a-z]+", lower))
    in_larger_unit = not set(in_smaller(lower)).isdisjoint(values)
    return (
        in_words
        or in_larger_unit
        or any(holds(text, value) if value[:1].isdigit() else value in text for value in values if value)
    )
