"""Of which project somebody speaks who says so: "for rotacalc: the release moved to 14:00".

In: the words of a message, and the projects of the file. Out: the other project that they name, or None. Invariant:
what names no project by its name, path or remote, at its beginning, is of the project that it is said in.
"""

from __future__ import annotations

import re
import sqlite3

from memory_db.recall.meant import named_in

ADDRESSED = re.compile(
    r"^\W*(?:(?:and|also|btw|oh|ah|ok|by the way|before i forget|one more thing|ps|note|fyi)[,:]? )*"
    r"(?:(?:for|in|on|about|over (?:in|at)|as for|regarding|note for) )?(?:the |my |our )?"
    r"(?P<name>[\w./~-]{4,80})(?: project| repo| repository)?"
    r"(?::| -| –|, (?=(?:the|we|it|there|that|use|never|always|no)\b))",
    re.IGNORECASE,
)
"""How a message begins that is about a project."""

TURNS_TO = re.compile(
    r"(?:^|[.!?] +)(?:[^.!?:\n]{0,60} )?(?P<name>[\w.-]{4,80}): (?=\S)(?![^\n]*\n[^\n]*:)", re.IGNORECASE
)
"""How somebody turns to a project within a message: "it is not about the pages but kilnlog: from monday ..."."""

SUBJECT = re.compile(
    r"(?:^|[,;:.!?] |\bthat )(?:(?:so|and|but|oh|btw|now) )*(?:the |our |my )?"
    r"(?P<name>[\w.-]{4,80}(?: [\w.-]{2,40}?)??)"
    r"(?: (?:only|now|never|always|also|still|just))* "
    r"(?:is|are|has|needs|uses|runs|lives|deploys|ships|goes|gets|listens|keeps|takes|wants|must|should|can|may|"
    r"will)\b",
    re.IGNORECASE,
)
"""A clause whose subject is a project: "mail from ops, lockerd only deploys on wednesdays"."""


def addressed_to(db: sqlite3.Connection, quote: str, home: int | None, message: str = "") -> int | None:
    """The other project that words are said for, by how they begin or what `message` says before them; else None."""
    before = message.partition(quote)[0] if quote in message else ""
    last = list(TURNS_TO.finditer(before))[-1:]
    for match in filter(None, (ADDRESSED.match(quote), *TURNS_TO.finditer(quote), *SUBJECT.finditer(quote), *last)):
        named = named_in(db, match["name"], home)
        if named is not None and named.project_id != home:
            return named.project_id
    return None
