"""Of which project somebody speaks who says so: "for rotacalc: the release moved to 14:00".

In: the words of a message, and the projects of the file. Out: the other project that they name, or None. Invariant:
what names no project by its name, path or remote, at its beginning, is of the project that it is said in.
"""

from __future__ import annotations

import re
import sqlite3

from memory_db.extract.rules.way_back import BACK_HERE, comes_back, has_come_back
from memory_db.recall.meant import PLACES, is_part, named_in, part_named_in, pointed_to
from memory_db.store.connection import tuples
from memory_db.text.names.projects import ORDINARY
from memory_db.text.terms import STOP_WORDS, WORD

ADDRESSED = re.compile(
    r"^\W*(?:(?:and|also|btw|oh|ah|ok|by the way|before i forget|one more thing|ps|note|fyi)[,:]? )*"
    r"(?:(?:(?:(?:one|another) (?:more )?(?:thing|note) )?(?:for|in|on|about|over (?:in|at)|as for|regarding"
    r"|note for)) )?"
    r"(?:the |my |our )?(?P<name>[\w./~-]{4,80})(?: project| repo| repository)?"
    r"(?::| -| –|, (?=(?:the|we|it|there|that|use|never|always|no)\b))",
    re.IGNORECASE,
)
"""How a message begins that is about a project."""

PLACED = re.compile(
    r"^\W*(?:(?:and|also|btw|oh|ah|ok|so|but)[,:]? )*(?:for|in|on|over (?:in|at)|as for|regarding) "
    r"(?:the |my |our )?[\w./~-]{4,80}(?: project| repo| repository)?(?::| -| –)",
    re.IGNORECASE,
)
"""The same with the word that places it, whatever stands there: "in kilnlog: ..."."""

FOR_NAME = re.compile(
    r"^\W*(?:(?:and|also|btw|oh|ah|ok|so|but|by the way|before i forget|one more thing|ps|note|fyi)[,:]? )*"
    r"(?:for|in|on|about|over (?:in|at)|as for|regarding) (?:the |my |our )?(?P<name>[\w.-]{4,80})"
    r"(?: project| repo| repository)?, (?=\S+ \S+ \S)",
    re.IGNORECASE,
)
"""How words begin that are for a project: "oh and for kilnlog, ada just wrote ..."."""

TURNS_TO = re.compile(
    r"(?:^|[.!?] +)(?:[^.!?:\n]{0,60} )?(?P<name>[\w.-]{4,80}): (?=\S)(?![^\n]*\n[^\n]*:)", re.IGNORECASE
)
"""How somebody turns to a project within a message: "it is not about the pages but kilnlog: from monday ..."."""

WITHIN = re.compile(
    r"^\W*(?:(?:and|also|btw|oh|ok|so|but) )*(?:for|in|at|over (?:in|at)) (?P<name>[\w.-]{4,80}) "
    r"(?=(?:we|the|it|there|that|use|never|always|no|you|please|i)\b)(?!.*\b(?:here|this (?:project|repo))\b)",
    re.IGNORECASE,
)
"""How a sentence begins that says where it holds: "in kilnlog we count from one"."""

OVER_THERE = re.compile(
    r"(?<!like )(?<!as )(?<!than )(?<!from )\bover (?:in|at|on) (?P<name>[\w.-]{4,80})", re.IGNORECASE
)
"""How words place something in a project: "the prices over in kilnlog are net by now"."""

ELSEWHERE = re.compile(
    r"\bnot (?:for|about|of) (?:in )?(?:here|this (?:project|repo\w*|one))\b|"
    r"\b(?:for|about) (?:another|a different|the other) "
    r"(?:project|repo\w*)\b|\bnothing to do with (?:this|here)\b|\bwrong (?:project|window|terminal)\b",
    re.IGNORECASE,
)
"""How somebody says that what follows is of another project, which their message names."""

FOR_WHAT = re.compile(
    r"\W*(?:(?:but|this is|that is|it is|it's) )?(?:for|of|about|on|in) (?P<what>[^:.!?\n]{3,60})", re.I
)
"""For what it is then: "not for here, for the pi of the kiln: ..."."""

NOT_FOR = re.compile(
    r"\b(?:for|about|of) (?:the |my |our )?(?P<what>[^:.!?,;\n]{3,40}?),? "
    r"(?=not (?:for|about|of) (?:in )?(?:here|this)\b)",
    re.IGNORECASE,
)
"""The same before it: "that's for the booking side, not for in here: ..."."""

FOR_THE = re.compile(
    r"^\W*(?:(?:and|also|btw|oh|ah|ok|so|but|by the way|before i forget|one more thing|one thing|ps|note|fyi)[,:]? )*"
    r"(?:for|about|regarding|as for|over (?:in|at|on)) (?:the|my|our) (?P<what>[^:.!?,;\n]{3,50}): (?=\S+ \S)",
    re.IGNORECASE,
)
"""How words begin that are for what somebody describes: "for the kiln on the roof: ..."."""

SHORTEST_WORD = 4
"""Letters of the shortest word that may be a part of a project's name. Source: ours."""

NOT_HERE = re.compile(
    r"^\W*(?:(?:and|also|btw|oh|ah|by the way|before i forget|one more thing|but)[,:]? )*"
    r"(?:(?:this|that|it)(?:'s| is|s)? (?:for the [\w -]{3,30}?,? )?)?"
    r"not (?:for|about|of) (?:in )?(?:here|this (?:project|repo\w*|one))\b"
    r"(?:[\s,;:–—-]+(?:but\b)?\W*)(?=\w+ \w+ \w)",
    re.IGNORECASE,
)
"""What is true of words no more once they are kept where they belong."""

HOW_IT_IS = (
    "(?:is|are|has|needs|uses|runs|lives|deploys|ships|goes|gets|listens|keeps|takes|wants|must|should|can|may|will)"
)
"""Verbs that tell how something is."""

OF_ITS = re.compile(
    r"^\W*(?:(?:and|also|btw|oh|ok|so|but) )*(?:the |our |my )?(?P<name>[\w.-]{4,80})'s(?: [\w-]+){1,3}? "
    rf"{HOW_IT_IS}\b",
    re.IGNORECASE,
)
"""How words begin that are of something of a project: "kilnlog's export is at 14:00"."""

FOR_HERE = re.compile(
    r"\b(?:anything|nothing|everything|whatever|jobs?|requests?|we|ours?|us|nobody) here\b|\bfrom here\b(?! on\b)"
)
"""How words say that they are for where they are said, whatever they tell of elsewhere."""

SUBJECT = re.compile(
    r"(?:^|[,;:.!?] |\bthat )(?:(?:so|and|but|oh|btw|now) )*(?:the |our |my )?"
    r"(?P<name>[\w.-]{4,80}(?: [\w.-]{2,40}?)??)"
    r"(?: (?:only|now|never|always|also|still|just))* "
    rf"{HOW_IT_IS}\b",
    re.IGNORECASE,
)
"""A clause whose subject is a project: "mail from ops, lockerd only deploys on wednesdays"."""


def addressed_to(db: sqlite3.Connection, quote: str, home: int | None, message: str = "") -> int | None:
    """The other project that words are said for, by how they begin or what `message` says before them; else None."""
    before = message.partition(quote)[0] if quote in message else ""
    last = list(TURNS_TO.finditer(before))[-1:]
    turned = list(ELSEWHERE.finditer(before + quote))[-1:]
    is_back = turned and (BACK_HERE.search(before + quote[:5], turned[0].end()) or BACK_HERE.match(quote))
    if turned and not is_back and not comes_back((before + quote)[turned[0].end() :]):
        named = named_in(db, message or quote, None)
        if named is not None and named.project_id != home:
            return named.project_id
        said = before + quote
        what = FOR_WHAT.match(said, turned[0].end()) or NOT_FOR.search(said, 0, turned[0].end())
        return described(db, what["what"], home) if what is not None else None
    if FOR_HERE.search(quote):
        return None
    begins = (each.match(quote) for each in (ADDRESSED, FOR_NAME, WITHIN, OF_ITS))
    says = (*OVER_THERE.finditer(quote), *TURNS_TO.finditer(quote), *SUBJECT.finditer(quote))
    for match in filter(None, (*begins, *says, *last)):
        named = named_in(db, match["name"], home)
        if named is None or named.project_id == home:
            continue
        if match not in last or not has_come_back(db, before[match.end() :] + quote, home, named.project_id):
            return named.project_id
    return only_part(db, quote, home)


def begins_for_another(quote: str) -> bool:
    """Whether words begin as those do that are for another project, of whatever name."""
    return PLACED.match(quote) is not None or any(each.match(quote) for each in (FOR_NAME, WITHIN, FOR_THE, NOT_HERE))


def only_part(db: sqlite3.Connection, quote: str, home: int | None) -> int | None:
    """The project of whose name a part stands in what words begin with, and which alone has it: "for the kiln: ..."."""
    what = FOR_THE.match(quote)
    named = part_named_in(db, what["what"], home) if what is not None else None
    return named.project_id if named is not None else None


def described(db: sqlite3.Connection, what: str, home: int | None) -> int | None:
    """The one other project that a description means, of which it is said that it is not here: by a part of its name,
    else by the words that are used there."""
    rows: list[tuple[int, str]] = [(row[0], row[1].casefold()) for row in tuples(db, PLACES, ()) if row[1]]
    words = [word for word in WORD.findall(what.casefold()) if word not in STOP_WORDS and word not in ORDINARY]
    for word in words if home is not None else ():
        stem = word.removesuffix("s")
        having = {project for project, name in rows if stem == name or is_part(stem, name)}
        if len(stem) >= SHORTEST_WORD and len(having) == 1 and home not in having:
            return having.pop()
    pointed = pointed_to(db, home, words)
    return next(iter(pointed)) if len(pointed) == 1 else None


def root_of(db: sqlite3.Connection, project_id: int) -> str | None:
    """The folder of a project, from which the paths of what is said for it are seen."""
    row = db.execute("select canonical_path from projects where id = ?", [project_id]).fetchone()
    return None if row is None else row["canonical_path"]


def told_there(text: str) -> str:
    """A text without saying that it is not for here, as it is kept where it belongs."""
    rest = NOT_HERE.sub("", text, count=1)
    return rest[:1].upper() + rest[1:] if rest != text else text
