"""What a hit must reach so that a model is told of it, and whether the first hits answer a question at all.

In: a profile, a question, its hits. Out: the least score and the least evidence; the share of known words; a verdict on
the first hits. Invariants: reads only; a person who asks sees every hit.
"""

from __future__ import annotations

import sqlite3

from memory_db.index import grams
from memory_db.recall.abstainer import COLD, FIRST_HITS, MODEL, SHIPPED, Verdict, abstainers_of, numbers_of
from memory_db.recall.brief.allowed import FAR_BEHIND_BEST, KNOWN_HERE, LITTLE_EVIDENCE, NO_ANSWER
from memory_db.recall.brief.fill import fill_in
from memory_db.recall.brief.leaning import asks_of_turn_before, is_same, leans
from memory_db.recall.brief.same_saying import is_about_same
from memory_db.recall.brief.standing import is_far_out
from memory_db.recall.corpus import Corpus
from memory_db.recall.evidence_of_hit import (
    BESIDE_WITH_MODEL,
    LEAST,
    LEAST_WITH_MODEL,
    by_name,
    evidence,
    is_named,
    least_needed,
)
from memory_db.recall.scoring import needs_model, needs_tokens
from memory_db.recall.search import look_up_cosines
from memory_db.recall.similarity import known_to
from memory_db.records import replace
from memory_db.store.connection import rows_there
from memory_db.store.json_text import loads
from memory_db.text.asked_values import gives, sorts_asked
from memory_db.text.limits import amounts_at_stake, goes_beyond
from memory_db.text.questions import asks_to_know, asks_within

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memory_db.recall.abstainer import Abstainer
    from memory_db.recall.brief.placement import Placement
    from memory_db.recall.features import QueryFeatures
    from memory_db.recall.search import Profile, Question, Recalled, Semantic


def least_score(
    profile: Profile, hook_threshold: float, *, has_model: bool, has_window: bool, has_tokens: bool = True
) -> float:
    """What a hit must score so that a model is told of it: the hook's threshold, on the scale of another profile.

    A profile's scores are as high as the weights that can count at all: without a full model its similarity adds
    nothing, nor do tokens where the file has none, nor a time that the question does not name.
    """
    reachable = sum(
        weight
        for signal, weight in profile.weights.items()
        if (has_model or not needs_model(signal))
        and (has_tokens or not needs_tokens(signal))
        and (has_window or signal != "time_window")
    )
    return round(hook_threshold * reachable, 4)


def for_model(question: Question, least: float, *, has_model: bool) -> Question:
    """The question as it is asked for a model: `least` is the score to reach; with a model it takes more evidence."""
    enough = LEAST_WITH_MODEL if has_model else LEAST
    share = BESIDE_WITH_MODEL if has_model else 1.0
    return replace(question, threshold=least, least_evidence=share * enough, least_for_rules=enough)


MOST_WORDS = 8
"""Distinctive words of a question up to which the known ones say all: a longer one has code or a log in it."""

PASTED_WORDS = 30
"""Distinctive words from which on a question is mostly something pasted. Source: ours; typed prompts of the sample and
of the developer set have 28 at most."""

KNOWN_OF_LONG = 0.5
"""The share that a longer one has at least. Source: ours; a pasted log says nothing for or against what is asked."""


def known_share_in(corpus: Corpus, asked: QueryFeatures) -> float:
    """The share of a question's distinctive words that the file has: by idf, in a young file also by their number."""
    if len(asked.terms) > MOST_WORDS:
        return max(asked.known_words, KNOWN_OF_LONG)
    if not asked.terms or not asked.is_young:
        return asked.known_words
    return max(asked.known_words, count_known(corpus, asked) / len(asked.terms))


def count_known(corpus: Corpus, asked: QueryFeatures) -> int:
    """How many of a question's words stand in the texts, some after their spelling was corrected."""
    counted = [corpus.counts(table, asked.terms) for table in grams.GRAM_TEXTS]
    return sum(term in asked.corrected or any(each[term] for each in counted) for term in asked.terms)


# ------------------------------------------------------------- the first hits together


def weigh(
    db: sqlite3.Connection, recalled: Recalled, hits: Sequence[Placement], semantic: Semantic | None = None
) -> None:
    """Gives hits the evidence that they bring by themselves, and the recall its verdict on the first of them.

    Where cosines were not looked up, they are now. What only continues the turn before asks for nothing, so nothing is
    evidence for it; nor is it told unasked of what a question says by a pronoun alone.
    """
    asked = recalled.question
    if leans(asked.query) or (asked.is_unasked and asks_of_turn_before(asked.query)):
        return
    look_up_cosines(db, recalled, recalled.hits)
    known = known_share_in(recalled.corpus or Corpus(db), recalled.query_features)
    sorts = sorts_asked(asked.query) if asked.is_unasked else ()
    for hit in hits:
        if sorts and hit.type == "memory" and (hit.features.holds_here() or hit.is_of_sister):
            hit.features.gives_value = gives(hit.text, sorts, hit.features.kind) or None
        hit.evidence = evidence(recalled.query_features, hit.features, known)
    mark_exceeded(db, asked, hits)
    everywhere = recalled.question.filters.other_projects
    own = [hit for hit in hits if is_own(recalled.question, hit) or (everywhere and not hit.features.holds_here())]
    recalled.verdict = verdict_on(db, recalled, own, known_to(semantic, recalled.question.query))


OF_LEAST_CHANCE = 0.75
"""Share of the least chance that a question has at least which a sister project may answer. Source: ours; on lived days
those that one answered had .83 and more, what is asked of the world at large has less."""


def mark_exceeded(db: sqlite3.Connection, question: Question, hits: Sequence[Placement]) -> None:
    """Marks the user's memories whose limit a prompt goes beyond, whatever words they share: "75 kids" and "60 people
    and not one more"."""
    asked = amounts_at_stake(question.query) if question.is_unasked else []
    if not asked:
        return
    here = [hit for hit in hits if hit.type == "memory" and hit.features.holds_here()]
    fill_in(db, [hit for hit in here if not hit.uid], question.filters.as_of)
    for hit in here:
        hit.is_exceeded = hit.is_trusted and goes_beyond(asked, hit.text)


BY_ITSELF = 2.0
"""How many times the least evidence tells that a question is one of a sister project. Source: ours; of questions of the
world no memory has as much."""


def is_unanswered(recalled: Recalled, hit: Placement) -> bool:
    """Whether a hit is silenced with the question as a whole: all are but rules, and what the question names.

    What is known elsewhere, where the question points to, is no part of that: it must bring strong evidence by itself.
    What a sister project knows is silenced by less: the question is to be one that somebody asks of a project. Where it
    has so much evidence that the question is one of that project, what is known here says nothing for or against.
    Where somebody only wants to know something a rule is silenced too, unless it is locked: it is no answer. One that
    is for what is asked ("by its schedule", where somebody asks when others have it) is.
    """
    if recalled.verdict is None or not recalled.verdict.is_silent:
        return False
    if hit.features.meant_project:
        return False
    if hit.is_of_sister:
        if hit.evidence >= BY_ITSELF * (recalled.question.least_for_rules or 1.0):
            return False
        return recalled.verdict.chance < OF_LEAST_CHANCE * recalled.verdict.least
    least = recalled.question.least_for_rules
    if hit.is_rule and asks_to_know(recalled.question.query) and hit.features.lock_level != "user":
        return least is None or not (
            hit.features.is_for_it() or by_name(recalled.query_features, hit.features) >= least
        )
    return not hit.is_rule and not is_named(recalled.query_features, hit.features, least)


def too_little(question: Question, hit: Placement) -> bool:
    """Whether a hit brings too little by itself for a model that reads it.

    Who names another project asks for what is known there: of that the least is enough, however late in a session. So
    it is of a sister for what gives a value of the sort that is asked for, or names the same.
    """
    if question.least_evidence is not None and (hit.features.is_of_named() or answers_from_sister(question, hit)):
        return hit.evidence < LEAST
    here = hit.features.holds_here()
    least = least_needed(question.least_evidence, question.least_for_rules, is_rule=hit.is_rule, holds_here=here)
    return least is not None and hit.evidence < least


def answers_from_sister(question: Question, hit: Placement) -> bool:
    """Whether a memory of a sister project gives what a prompt asks for, or is about the same.

    What somebody said of a thing that an agent did there is about that thing.
    """
    if not hit.is_of_sister or hit.text.startswith(REACTION):
        return False
    return bool(hit.features.gives_value or is_about_same(question.query, hit.text))


REACTION = 'On "'
"""How a memory begins that is somebody's answer to what an agent told."""


FAR_BEHIND = 0.5
"""Share of the best evidence in a brief under which a line has nothing to add.

Source: `python -m bench.evidence`: it takes off a third of the lines and hardly an answer.
"""


TOGETHER = 0.45
"""The same for a memory of the same session as the best hit: a rule, and how it is kept to. Source: ours."""


def is_far_behind(hit: Placement, best: Placement) -> bool:
    """Whether a hit brings much less than the best one; a lock is never behind."""
    if hit.features.lock_level == "user":
        return False
    return hit.evidence < (TOGETHER if hit.is_beside(best) else FAR_BEHIND) * best.evidence


def is_own(question: Question, hit: Placement) -> bool:
    """Whether a hit may be the measure of others: it holds here, and is not the prompt itself, said earlier."""
    return hit.features.holds_here() and not (hit.type == "entry" and is_same(hit.text, question.query))


def best_that_may_be_told(question: Question, hits: Sequence[Placement], least: float) -> Placement | None:
    """The hit with the most evidence of those with the least score; a prompt that asks for nothing is told no entry."""
    told = ("memory", "entry") if asks_within(question.query) or not question.is_unasked else ("memory",)
    own = (hit for hit in hits if hit.score >= least and hit.type in told and is_own(question, hit))
    return max(own, key=lambda hit: hit.evidence, default=None)


AHEAD = 1.15
"""How many times as much evidence as the best of its own project a memory of a sister brings which is told beside it.
Source: ours; what is as near here is what the prompt means."""


def silencer(recalled: Recalled, hits: Sequence[Placement], least: float) -> Callable[[Placement], str]:
    """What says of a hit why a model must not read it, by what it and the first hits bring, or nothing.

    `least` is the least score. What stands far out of the rest is silenced neither for little evidence, at the first
    prompt, nor with the question as a whole.
    """
    question = recalled.question
    best = best_that_may_be_told(question, hits, least)
    known = max((hit.evidence for hit in hits if hit.type == "memory" and is_own(question, hit)), default=0.0)
    is_first = question.least_evidence is not None and question.least_evidence <= LEAST_WITH_MODEL

    def why(hit: Placement) -> str:
        if hit.is_exceeded:
            return ""
        stands_out = question.is_unasked and is_far_out(recalled, hit)
        if too_little(question, hit) and not (stands_out and is_first):
            return LITTLE_EVIDENCE
        if hit.is_of_sister and known >= LEAST and hit.evidence < AHEAD * known:
            return KNOWN_HERE
        if is_unanswered(recalled, hit) and not stands_out:
            return NO_ANSWER
        return FAR_BEHIND_BEST if best and is_far_behind(hit, best) else ""

    return why


STORED = "select value from settings where name = 'abstainer'"


MOST_ASKED = 24
"""Terms of a question, the rarest, that are looked for in its first hits: a pasted log has fifty, each takes time."""


def abstainer_of(db: sqlite3.Connection, name: str) -> Abstainer:
    """The weights that hold for this file: its own where it has some that can be read, else those shipped."""
    for row in rows_there(db, STORED):
        try:
            return abstainers_of(str(loads(row[0])))[name]
        except ValueError:
            continue
    return SHIPPED[name]


def verdict_on(
    db: sqlite3.Connection, recalled: Recalled, hits: Sequence[Placement], semantic: Semantic | None
) -> Verdict | None:
    """Whether hits, all of which may be shown, look as if they answered the question; they have their evidence.

    None where nothing tells: no hit has a vector yet, or a log or a file was pasted, of whose words nothing follows.
    Raises: ModelError, sqlite3.Error.
    """
    asked = recalled.query_features
    first = sorted(hits, key=lambda hit: -hit.evidence)[:FIRST_HITS]
    with_model = semantic is not None and any(hit.features.interaction is not None for hit in first)
    cosines = [hit.features.cosine if with_model else hit.features.static_cosine for hit in hits]
    if all(each is None for each in cosines) or len(asked.terms) >= PASTED_WORDS:
        return None
    met = semantic.words_met(recalled.question.query, by_sort(first)) if semantic and with_model else {}
    worth = {term: asked.worth[term] for term in met if term in asked.worth}
    if not worth:
        rarest = sorted(asked.worth, key=lambda term: -asked.worth[term])[:MOST_ASKED]
        worth = {term: asked.worth[term] for term in rarest}
        met = dict.fromkeys(words_in(db, asked, rarest, first), 1.0)
    if asked.is_young:  # idf says nothing there
        worth = dict.fromkeys(worth, 1.0)
    numbers = numbers_of(
        [hit.evidence for hit in first], [each or 0.0 for each in cosines], worth, met,
        words=len(asked.terms), considered=len(recalled.hits),
    )  # fmt: skip
    abstainer = abstainer_of(db, MODEL if with_model else COLD)
    return Verdict(numbers, abstainer.chance(numbers), abstainer.least)


def by_sort(hits: Sequence[Placement]) -> dict[str, list[int]]:
    """Memory versions and entries among hits."""
    return {
        "memories": [hit.memory_version_id for hit in hits if hit.memory_version_id is not None],
        "entries": [hit.entry_id for hit in hits if hit.entry_id is not None],
    }


def words_in(db: sqlite3.Connection, asked: QueryFeatures, terms: Sequence[str], hits: Sequence[Placement]) -> set[str]:
    """The terms of a question, of those given, that stand in any of these hits, in one of their forms."""
    ids = by_sort(hits)
    listed = {"memory_fts": ids["memories"], "entry_fts": ids["entries"]}
    found = set()
    for term in terms:
        forms = (term, *asked.variants.get(term, ()), *filter(None, [asked.corrected.get(term)]))
        if any(grams.stands_in(db, table, form, some) for table, some in listed.items() if some for form in forms):
            found.add(term)
    return found
