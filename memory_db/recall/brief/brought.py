"""What a later prompt itself brings of a line: a name, a condition, a telling word; for a question also its meaning.

Late in a session the agent has its task, and a prompt mostly goes on with it. What merely resembles it, or shares with
it a word that is said all the time ("one", "the mill", "go and look"), is no news. In: the hits of a recall. Out:
whether a prompt brings a hit, and which of its words tell. Invariants: reads only; what is locked, exceeded or for the
very act is not asked; a session's first prompt, and who asks for a brief, are told what resembles the question too.

A hook loads this: the standard library alone.
"""

from __future__ import annotations

import sqlite3

from memory_db.index.grams import holders
from memory_db.recall.brief.allowed import NOT_BROUGHT
from memory_db.recall.evidence_of_hit import CONDITION, LEAST, LEAST_WITH_MODEL, VALUE, by_name
from memory_db.recall.scoring import condition
from memory_db.store.connection import id_list, tuples
from memory_db.text.questions import asks_within, reports_failure
from memory_db.text.terms import match_any

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memory_db.recall.brief.placement import Placement
    from memory_db.recall.features import QueryFeatures
    from memory_db.recall.search import Question, Recalled

TELLING = 3.69
"""The idf from which on a word tells what a prompt is about: at most one text in forty has it, of memories or entries,
whichever have it least.

Source: five days with the agent's real client, whose lines readers had judged: of useful lines the best shared word has
3.8 to 5.7, but for one that a question brings by its meaning; of 18 lines of noise with tasks it has 1.3 to 3.5, or
there is none, but for three. With 3.4 one line of noise more is told, with 4.0 three useful ones less.
"""

MET = 0.1
"""What a condition, a file or an entity brings at least so that a prompt names a memory. Source: ours; a word that a
rule is for and the task has, of five."""

BY_MEANING = 1.75
"""How many times the least evidence a question brings of what shares no telling word with it, where no full model tells
its meaning. Source: as above; of 13 useful lines of questions in the first half of `python -m bench brief_quality` that
share none nine have as much, of six lines of noise two, of four on those days none."""

FRAME = frozenset("ask asks asked asking agent agents user users".split())
"""Words by which a memory says who said it on what (`Asked "...", the user said: ...`), whatever it is about."""

OWN_COLUMNS = "{title text keys}"
"""What a memory says itself: not what stood around it, nor what it is for, which is asked by itself."""


def is_later(question: Question) -> bool:
    """Whether a prompt comes later in a session: then more evidence is asked of lines than at its first."""
    return question.is_unasked and (question.least_evidence or 0.0) > LEAST_WITH_MODEL


def telling_terms(recalled: Recalled) -> frozenset[str]:
    """The words of a question that tell what it is about; all of them in a file so young that idf says nothing."""
    asked = recalled.query_features
    if asked.is_young:
        return frozenset(asked.terms)
    return frozenset(term for term, value in asked.worth.items() if value >= TELLING)


def is_met(asked: QueryFeatures, hit: Placement) -> bool:
    """Whether the prompt names a hit, or meets what it is for, so that it does not merely resemble it."""
    return by_name(asked, hit.features) + CONDITION * condition(asked, hit.features) >= MET


def leave_unbrought(db: sqlite3.Connection, recalled: Recalled, placed: Sequence[Placement]) -> None:
    """Takes lines out of a brief that a later prompt does not bring by itself, with that reason."""
    if is_later(recalled.question):
        for hit in not_brought(db, recalled, [hit for hit in placed if hit.rank is not None]):
            hit.rank, hit.shown_reason, hit.left_out_reason = None, "", NOT_BROUGHT


def not_brought(db: sqlite3.Connection, recalled: Recalled, hits: Sequence[Placement]) -> list[Placement]:
    """Those of the hits that a later prompt does not bring by itself."""
    question = recalled.question
    asked = recalled.query_features
    waiting = [hit for hit in hits if not (hit.features.lock_level == "user" or hit.is_due or is_met(asked, hit))]
    if asks_within(question.query) or reports_failure(question.query):
        waiting = [] if recalled.semantic_model else [hit for hit in waiting if not is_near(hit)]
    shared = sharing(db, recalled, waiting) if waiting else set()
    return [hit for hit in waiting if key_of(hit) not in shared]


def is_near(hit: Placement) -> bool:
    """Whether a hit answers a question whatever words it has: by how much it brings, or since its project is named."""
    by_meaning = hit.evidence - (VALUE if hit.features.gives_value else 0.0)
    return hit.features.is_of_named() or by_meaning >= BY_MEANING * LEAST


def key_of(hit: Placement) -> tuple[int | None, int | None]:
    """What names a hit."""
    return hit.memory_version_id, hit.entry_id


def sharing(
    db: sqlite3.Connection, recalled: Recalled, hits: Sequence[Placement]
) -> set[tuple[int | None, int | None]]:
    """The hits that share a telling word with the question: an entry in its exchange, a memory in what it says, or what
    an older one said that it is told in the place of."""
    asked, telling = recalled.query_features, telling_terms(recalled) - FRAME
    forms = [*telling, *(form for form, of in asked.variants.items() if telling.intersection(of))]
    forms += [known for typed, known in asked.corrected.items() if typed in telling]
    found = set()
    for hit in hits:
        is_memory = hit.memory_version_id is not None
        own = (hit.memory_version_id, *hit.replaces) if is_memory else (hit.entry_id, *hit.entry_ids)
        ids = id_list(each for each in own if each is not None)
        table, columns = ("memory_fts", OWN_COLUMNS) if is_memory else ("entry_fts", "{text}")
        ask = f"select 1 from {table} where {table} match ? and +rowid in ({ids}) limit 1"
        by_words = forms and tuples(db, ask, [f"{columns} : ({match_any(tuple(forms))})"])
        if by_words or any(holders(db, table, form, ids) for form in forms if not form.isascii()):
            found.add(key_of(hit))
    return found
