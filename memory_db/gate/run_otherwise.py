"""Memories whose word is another one by now in a command: `flash -r openocd` failed, and upon what the user said
`flash -r probe-rs` passed.

In: a candidate from a message of the user, what was decided on it, and the commands around that message. Out: the
decision, which also asks a person whether it replaces what names the word that was run with before. Invariants: reads
only; the user's message names the new word, which is the only one in which the two commands differ; what a person
locked stays.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from dataclasses import replace

from memory_db.extract.rules.around import Surroundings
from memory_db.extract.rules.error_fixes import SHELL_TOOLS
from memory_db.extract.rules.exchanges import Exchange
from memory_db.gate.claims import Asked, Decision

PARTS = re.compile(r"\s*(?:&&|\|\||;|\||\n)\s*")
WORD = re.compile(r"[a-z][\w.-]{3,}", re.IGNORECASE)
"""A name in a command: neither an option nor a number, nor a path."""

FEWEST_WORDS = 3
"""Words of the shortest command that is compared with another one. Source: ours; two words name another task."""

NAMES = """
select m.id, m.text from memories m
where m.project_id is ? and m.status = 'active' and m.lock_level = 'none' and instr(lower(m.text), ?) > 0
    and not exists (select 1 from memory_sources o where o.memory_id = m.id and o.entry_id = ?)
order by m.id desc limit 5
"""


def by_its_command(db: sqlite3.Connection, said: Surroundings, candidate: sqlite3.Row, decision: Decision) -> Decision:
    """A decision that asks whether the candidate replaces what names the word that a failed command was run with."""
    session, entry = candidate["session_id"], candidate["entry_id"]
    if decision.action not in ("add", "contradicts") or candidate["role"] != "user" or None in (session, entry):
        return decision
    exchange = said.exchange(db, session, entry)
    asks = {each.memory_id: each for each in decision.asks}
    for old, new, command in replaced_words(exchange) if exchange is not None else ():
        if not names(candidate["text"], new) or names(candidate["text"], old):
            continue
        for row in db.execute(NAMES, [candidate["project_id"], old.lower(), entry]).fetchall():
            if names(row["text"], old) and not names(row["text"], new) and row["id"] != decision.target:
                asks.setdefault(row["id"], Asked(row["id"], f"{command} passed with {new} in place of {old}"))
    return replace(decision, asks=tuple(asks.values()))


def replaced_words(exchange: Exchange) -> Iterator[tuple[str, str, str]]:
    """The one word that a command had which failed before a message, the one that it passed with upon that, and what
    it begins with."""
    failed = exchange.action
    if failed is None or failed.tool not in SHELL_TOOLS or not failed.is_error:
        return
    before = [part.split() for part in PARTS.split(failed.target)]
    for action in exchange.followed:
        if action.tool not in SHELL_TOOLS or action.is_error is not False:
            continue
        for after in (part.split() for part in PARTS.split(action.target)):
            for words in before:
                pairs = [pair for pair in zip(words, after, strict=False) if pair[0] != pair[1]]
                is_same = len(words) == len(after) >= FEWEST_WORDS and words[0] == after[0] and len(pairs) == 1
                if is_same and all(WORD.fullmatch(word) for word in pairs[0]):
                    yield *pairs[0], " ".join(words[:2])


def names(text: str, word: str) -> bool:
    """Whether a text has a word as it is, in any case."""
    return re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text, re.IGNORECASE) is not None
