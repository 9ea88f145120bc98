"""What a session need not begin with: replies, tasks and deeds of a moment that is over, and faults that were mended.

In: texts of memories that the user said; of a fault, what was edited since. Out: whether a memory is only about then.
Invariants: reads only; a word that makes a rule of it ("never", "only", "instead") keeps a text, and so does a value
that is set; a prompt that meets such a memory is told it all the same.

A hook loads this: the standard library alone.
"""

from __future__ import annotations

import sqlite3

from memory_db.recall.brief.taken_back import SAID
from memory_db.records import IGNORECASE, later
from memory_db.store.connection import id_list

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from collections.abc import Iterable

    from memory_db.recall.brief.placement import Placement

BINDS = later(
    r"\b(?:never|always|must|should|shall|may (?:not|only)|don'?t|do not|does not|not to|no|nothing|nobody|only|instead"
    r"|because|otherwise|please|prefer|every|each|any|unless|until|from now on|any ?more|no longer|rather|keep|stays?"
    r"|means|belongs?|frozen|decided|agreed|rule|mine|yours)\b|\w=\w|=",
    IGNORECASE,
)
"""Words by which a text says more than what went on then."""

OF_THEN = later(
    r"(?:yes|yep|yeah|nah|nope|ok|okay|sure|good|fine|perfect)\b"
    r"|(?:before|after|when|while|if|as|in (?:every|all)|not (?:here|in)|such|and|or|but)\b[^,;:]{0,34}$"
    r"|(?:(?:then|next|now|so|next thing),? )?(?:i|we)(?:'d| would)? (?:want|need|like) (?:an?|some|the|\d)"
    r"|(?:i|we)(?:'ve| have| had| haven't| hadn't| didn't)(?: not| just| already)?"
    r" (?!to\b|an?\b|the\b|no\b|some\b|\d)\w+"
    r"|.*\b(?:then|and) (?:commit|push|run|rerun|try|check|look|show|restart|fix)(?: it| that| this| them| again)?\W*$",
    IGNORECASE,
)
"""How a text begins, or ends, that is a reply, a clause without its sentence, a wish, a deed, a step of the work.

Source: ours, from lines that readers called noise in the first briefs of days that were lived in a client.
"""

BUILT = later(
    r"^(?:(?:please|and|then|now|also|ok|next|so),? )*(?:make|add|write|build|create|draft|give me|give it|put in"
    r"|we need|i need|it needs)\b[^.;:]{0,60}\b(?:constants?|functions?|helpers?|scripts?|tests?|flags?|options?"
    r"|buttons?|columns?|fields?|variables?|comments?|docstrings?|type hints?|readme|pages?|commands?|modules?)"
    r"(?: \w+| (?:for|in|of|to|with|that) [^.;:]{1,40})?\W*$",
    IGNORECASE,
)
"""How somebody has a thing built that a program is made of: once it is there, the code tells."""

FAULT = later(
    r"\b(?:fails?|crash(?:es|ed)?|hangs?|wrong|broken|garbled|missing|vanish(?:es|ed)?|disappears?|looks? (?:random|odd"
    r"|wrong|strange|funny|silly)|(?:can|could) (?:never|not) be|cannot be|both get|twice|complains?"
    r"|(?:write|say|complain|report|tell)s? (?:that|me|us)|expect(?:s|ed)? (?:something|around|about))\b",
    IGNORECASE,
)
"""How somebody tells what goes wrong."""

CANNOT_BE = later(r"\b(?:can|could) never be\b", IGNORECASE)
"""A fault, and no rule, in spite of its word."""

FACTS = ("domain", "environment", "preference", "structure")
"""Kinds in which a report is kept that no one looked into: what was found out says why."""

EDITED_SINCE = """
select 1 from entries e join actions a on a.session_id = e.session_id and a.entry_id > e.id
    and a.tool in ('Edit', 'MultiEdit', 'Write', 'NotebookEdit', 'apply_patch') and coalesce(a.is_error, 0) = 0
where e.id in ({ids}) limit 1
"""


AGENTS_MOMENT = later(
    r"\b(?:at present|currently|right now|for (?:the moment|now)|as of now|so far)\b"
    r"|^\W*\d[\d.,]* ?(?:%|percent|(?:tests?|rows?|lines?|files?|errors?|warnings?|checks?)\b)"
    r"|\b(?:is|are|was|were) (?:now|out of|gone|removed|renamed|deleted|added)\b"
    r"|\b(?:all|both|every) (?:\w+ ){0,2}(?:pass(?:es)?|green)\b|\b\d+ (?:tests? )?(?:passed|failed|green)\b"
    r"|^\W*(?:alternatives?|options?): ",
    IGNORECASE,
)
"""How an agent reports how things stood at a moment, or what it had just done or offered."""


def is_report(hit: Placement) -> bool:
    """Whether a memory that the user neither said nor confirmed reports a moment."""
    return hit.type == "memory" and not hit.is_trusted and is_agents_moment(hit.text)


def is_agents_moment(text: str) -> bool:
    """Whether a text reports a moment: how things stood then, or what was done or offered."""
    return AGENTS_MOMENT.search(" ".join(text.split())) is not None


def is_of_then(text: str) -> bool:
    """Whether a text is a reply, a wish, a deed or a step of a moment that is over, and says nothing that lasts.

    Of an answer with its question the words of the user tell.
    """
    line = SAID.sub("", " ".join(text.split()))
    if BUILT.match(line):
        return BINDS.search(line.casefold().replace("please", "")) is None
    return OF_THEN.match(line) is not None and BINDS.search(line) is None


def is_mended(db: sqlite3.Connection, text: str, kind: str, source_entry_ids: Iterable[int]) -> bool:
    """Whether a text reports a fault upon which files were edited in the session in which it was said."""
    line = " ".join(text.split())
    if kind not in FACTS or FAULT.search(line) is None or BINDS.search(CANNOT_BE.sub("", line)):
        return False
    ids = id_list(source_entry_ids)
    return bool(ids) and db.execute(EDITED_SINCE.format(ids=ids)).fetchone() is not None
