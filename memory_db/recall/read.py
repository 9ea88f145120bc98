"""A question as this file reads it: its words and their other ways of writing, the project that it names, its profile.

In: a connection, a question and the moment. Out: a `Query`, from which all that follows is asked. Invariant: nothing is
looked for yet.

A hook loads this: the standard library alone.
"""

from __future__ import annotations

import sqlite3
from datetime import datetime

from memory_db.recall.profiles import Profile, load_profile
from memory_db.recall.question import Question, checked
from memory_db.records import dataclass, replace
from memory_db.store.dates import parse_utc
from memory_db.text.names.literals import literals_in
from memory_db.text.scripts import spaced
from memory_db.text.terms import WORD, paths_in, query_terms
from memory_db.text.wording import Wording, wording

FULL_TEXTS = {"memories": ("memory_fts",), "entries": ("entry_fts",), "all": ("memory_fts", "entry_fts")}
"""The full texts that are asked in each scope."""


@dataclass(frozen=True, slots=True)
class Query:
    """What a question comes to: `moment` is what ages are counted to, `paths` are the files in play, named or given."""

    question: Question
    profile: Profile
    moment: datetime
    terms: tuple[str, ...]
    literals: tuple[str, ...]
    words: Wording
    paths: tuple[str, ...]

    def weighs(self, *signals: str) -> bool:
        """Whether the profile gives any of these signals weight."""
        return any(map(self.profile.weights.get, signals))


def read(db: sqlite3.Connection, question: Question, now: datetime) -> Query:
    """What a question comes to in this file.

    Raises: QueryError, InputError, NotFoundError.
    """
    question = checked(question)
    profile = load_profile(db, question.profile)
    text = spaced(question.query)
    terms, literals = query_terms(text), literals_in(text)
    if not question.filters.only_project and (named := project_among(db, terms)) is not None:
        question = replace(question, project_id=named)
    words = wording(db, text, terms, FULL_TEXTS[question.scope], exact=literals, correct=question.effort.is_full)
    as_of = question.filters.as_of
    paths = tuple(dict.fromkeys(question.paths + paths_in(text)))
    return Query(question, profile, parse_utc(as_of) if as_of else now, terms, literals, words, paths)


def project_among(db: sqlite3.Connection, terms: tuple[str, ...]) -> int | None:
    """The project that a question names in its own words: that one is meant, wherever the asker works."""
    for row in db.execute("select id, name from projects order by length(name) desc, id"):
        words = WORD.findall(row["name"].casefold())
        if words and len("".join(words)) > 3 and set(words) <= set(terms):
            return int(row["id"])
    return None
