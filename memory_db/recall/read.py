"""A question as a corpus reads it: its words and their other ways of writing, the project that it names, its profile.

In: a corpus, a question and the moment. Out: a `Query`, from which all that follows is asked. Invariant: nothing is
looked for yet.

A hook loads this: the standard library alone.
"""

from __future__ import annotations

from datetime import datetime

from memory_db.recall.meant import FEWEST_TERMS, FEWEST_UNASKED
from memory_db.recall.profiles import Profile
from memory_db.recall.question import Question, checked
from memory_db.records import dataclass, replace
from memory_db.store.dates import parse_utc
from memory_db.text.names.literals import literals_in
from memory_db.text.questions import asks_anything, asks_to_know, asks_within
from memory_db.text.scripts import spaced
from memory_db.text.terms import paths_in, query_terms
from memory_db.text.wording import Wording, wording

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from memory_db.recall.corpus import Corpus

FULL_TEXTS = {"memories": ("memory_fts",), "entries": ("entry_fts",), "all": ("memory_fts", "entry_fts")}
"""The full texts that are asked in each scope."""


@dataclass(frozen=True, slots=True)
class Query:
    """What a question comes to: `moment` is what ages are counted to, `paths` are the files in play, named or given.

    `meant` are projects but the asker's that it is about; one that is named also takes the asker's place. `sisters` are
    those that belong together with the asker's, where a prompt asks for something or speaks of them.
    """

    question: Question
    profile: Profile
    moment: datetime
    terms: tuple[str, ...]
    literals: tuple[str, ...]
    words: Wording
    paths: tuple[str, ...]
    meant: frozenset[int]
    corpus: Corpus
    sisters: frozenset[int] = frozenset()

    def weighs(self, *signals: str) -> bool:
        """Whether the profile gives any of these signals weight."""
        return any(map(self.profile.weights.get, signals))


def read(corpus: Corpus, question: Question, now: datetime) -> Query:
    """What a question comes to in a corpus.

    Raises: QueryError, InputError, NotFoundError.
    """
    question = checked(question)
    profile = corpus.profile(question.profile)
    text = spaced(question.query)
    terms, literals = query_terms(text), literals_in(text)
    meant, sisters = frozenset[int](), frozenset[int]()
    if not question.filters.only_project:
        home = question.project_id
        if named := corpus.named(text, home):
            question = replace(question, project_id=named.project_id)
            terms = tuple(term for term in terms if term not in named.words) or terms
            meant = frozenset([named.project_id] if named.project_id != home else ())
        elif not question.is_unasked or asks_to_know(text):
            others_told = question.filters.other_projects
            meant = corpus.pointed_to(home, terms, FEWEST_TERMS if others_told else FEWEST_UNASKED)
        if question.is_unasked and home is not None and not named:
            sisters = corpus.sisters(home)
            if sisters and not (asks_within(text) or asks_anything(text)):
                sisters = corpus.sisters_spoken_of(home, sisters, text)
    tables = FULL_TEXTS[question.scope]
    words = wording(corpus.words, text, terms, tables, exact=literals, correct=question.effort.is_full)
    as_of = question.filters.as_of
    paths = tuple(dict.fromkeys(question.paths + paths_in(text)))
    moment = parse_utc(as_of) if as_of else now
    return Query(question, profile, moment, terms, literals, words, paths, meant, corpus, sisters)
