"""How two statements stand to each other: duplicate, extends, supersedes, contradicts, related, or nothing.

In: a newer and an older statement, how alike they are, and thresholds. Out: a `Relation` with the test that found it
and the reason in words, or None. Invariants: pure (no database, clock or chance) and never raises on any text; the
tests are asked in their order, the first answer wins; a similarity alone, however great, only ever says `related`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from memory_db.text.attribute_values import settings_of
from memory_db.text.change_markers import Marks, marks
from memory_db.text.changed_attributes import changed_attribute
from memory_db.text.clauses import (
    Thresholds,
    adds,
    as_wide,
    asserts,
    changed_clauses,
    claimed_too,
    claims_all,
    has_another_owner,
    keeps,
    named_before,
    opposed_clauses,
    places_clash,
    places_differ,
    says_nothing_of,
    values_agree,
    without_place,
)
from memory_db.text.normalise import normalised
from memory_db.text.pair_tests import IN_PART, SAME_CLAIMS
from memory_db.text.perhaps_over import overwrites_named, set_anew, taken_back
from memory_db.text.remaining import is_told, says_besides
from memory_db.text.same_matter import claimed, clash_on_one, gone_of_one, over_words
from memory_db.text.statements import (
    KNOWN_TEXTS,
    Clause,
    Reading,
    answered,
    jaccard,
    reading,
    share,
    stems,
)

__all__ = [
    "CONTRADICTS",
    "DUPLICATE",
    "EXTENDS",
    "RELATED",
    "SUPERSEDES",
    "TESTS",
    "Relation",
    "Similarity",
    "Statement",
    "Thresholds",
    "may_meet",
    "relation",
]

DUPLICATE, EXTENDS, SUPERSEDES, CONTRADICTS, RELATED = "duplicate", "extends", "supersedes", "contradicts", "related"
PAST = frozenset({"fix", "episode"})
"""Kinds of memories that tell what happened once."""

FEWEST_DONE, MOST_DONE_OTHERWISE = 2, 0.5
"""Distinctive words for what a thing no longer does ("is no longer sent" ends the thing itself), and the share of them
up to which a text that has them tells of something else that it does. Source: ours."""

WITHIN = re.compile(r" (?:that|which|who) ")
"""A phrase with a clause of its own, of which alone it is said that it is over: "a zone that nobody asks any more"."""


@dataclass(slots=True, frozen=True)
class Statement:
    """What somebody said, as it is compared. `project_id` is of the project where it holds; linked ones share one."""

    text: str
    kind: str = ""
    scope: str = "project"
    project_id: int | None = None
    said_at: str = ""
    by_user: bool = False
    keys: Sequence[str] = ()
    hint: str = ""


@dataclass(slots=True, frozen=True)
class Similarity:
    """How alike two texts are: `words` the share of stems they have in common, `cosine` of their vectors, if any."""

    words: float
    cosine: float | None = None


@dataclass(slots=True, frozen=True)
class Relation:
    """How the newer statement stands to the older one. `score`: how sure the test is, 0 to 1.

    `rest` is what the older one says that still holds, where a part of it is over for certain.
    """

    kind: str
    test: str
    reason: str
    score: float
    rest: str = ""


@dataclass(slots=True, frozen=True)
class Pair:
    """Two statements as the tests see them; `later` was said after `earlier`."""

    new: Statement
    old: Statement
    later: Reading
    earlier: Reading
    marks: Marks
    hint: str
    similarity: Similarity
    thresholds: Thresholds
    is_newer: bool


plain = lru_cache(maxsize=KNOWN_TEXTS)(normalised)
"""A text without marks and case, kept as readings are."""

Test = Callable[[Pair], Relation | None]


def relation(
    new: Statement, old: Statement, similarity: Similarity | None = None, thresholds: Thresholds | None = None
) -> Relation | None:
    """How `new` stands to `old`, by the first test that has an answer; None where they have nothing to do.

    Whichever was said later is the one that may supersede. Statements that can never hold in the same place are at
    most related.
    """
    is_newer = new.said_at >= old.said_at or not new.said_at or not old.said_at
    new_text, old_text = without_place(new.text, old.text)
    if new_text != new.text:
        new, old = replace(new, text=new_text), replace(old, text=old_text)
    later, earlier = (new, old) if is_newer else (old, new)
    after, before = reading(later.text), reading(earlier.text)
    alike = similarity or Similarity(jaccard(after.terms, before.terms))
    over, at = marks(claimed(later.text)), thresholds or Thresholds()
    pair = Pair(new, old, after, before, over, later.hint, alike, at, is_newer)
    for test in TESTS if may_meet(new, old) else (alike_enough,):
        found = test(pair)
        if found is not None:
            return found
    return None


def may_meet(one: Statement, other: Statement) -> bool:
    """Whether both can hold in the same place: one of them holds everywhere, or both in the same project."""
    return "user" in (one.scope, other.scope) or one.project_id == other.project_id


def same_words(pair: Pair) -> Relation | None:
    """The same words, but for case and marks."""
    if plain(pair.new.text) == plain(pair.old.text):
        return Relation(DUPLICATE, "same_words", "says the same in the same words", 1.0)
    return None


def explicit(pair: Pair) -> Relation | None:
    """The later text says that something is over, and the earlier one says just that."""
    later, earlier = (side.text for side in ((pair.new, pair.old) if pair.is_newer else (pair.old, pair.new)))
    for phrase in pair.marks.gone:
        gone = over_words(phrase)
        if not gone or WITHIN.search(phrase) or is_of_another(phrase, gone, pair):
            continue
        if asserts(earlier, phrase, gone, pair.earlier, pair.later, or_denies=phrase in pair.marks.ruled):
            reason = f"says that {short(phrase)!r} is over"
            is_place = phrase in pair.marks.left
            is_about = bool((pair.later.terms & pair.earlier.terms) - gone)
            besides = says_besides(earlier, gone, pair.later, is_deed=phrase in pair.marks.deeds)
            if not gone_of_one(phrase, gone, later, earlier):
                continue  # one word that both happen to have: "lost without a word", "no words in the page"
            if besides or (is_place and not is_about):
                rest = besides if (is_about and is_place) or is_told(gone, besides, is_about=is_about) else ""
                return Relation(CONTRADICTS, IN_PART, f"{reason}, which is a part of it", 0.9, rest)
            return Relation(SUPERSEDES, "explicit", reason, 0.9)
    if pair.hint and repeats(pair.hint, pair):
        return Relation(SUPERSEDES, "hinted", f"was proposed in the place of {short(pair.hint)!r}", 0.7)
    return None


def is_of_another(phrase: str, gone: frozenset[str], pair: Pair) -> bool:
    """Whether what is over is of a thing, or of what a thing does, that the earlier text does not name."""
    of, does = (frozenset(stems(told.get(phrase, ""))) - gone for told in (pair.marks.of, pair.marks.does))
    is_done = len(does) < FEWEST_DONE or share(does, pair.earlier.terms) > MOST_DONE_OTHERWISE
    return not is_done or (bool(of) and of.isdisjoint(pair.earlier.terms))


def repeats(hint: str, pair: Pair) -> bool:
    """Whether what is said to be replaced is the earlier text, in its own words or nearly all of them."""
    earlier = (pair.old if pair.is_newer else pair.new).text
    said = reading(hint)
    if len(said.terms) >= 2 and plain(hint) in plain(earlier):
        return True
    places = said.places | pair.earlier.places
    return share(said.terms | said.places, pair.earlier.terms | places) >= pair.thresholds.held


def edited_anew(pair: Pair) -> Relation | None:
    """An edit of the later text changed the very setting that an edit of the earlier one had made."""
    later, earlier = (pair.new, pair.old) if pair.is_newer else (pair.old, pair.new)
    if is_about_the_past(pair):
        return None
    set_before = set_anew(later.text, earlier.text)
    return Relation(SUPERSEDES, "edited_anew", f"sets {short(set_before)!r} anew", 0.85) if set_before else None


def overwritten(pair: Pair) -> Relation | None:
    """An edit of the later text overwrote a number that the earlier one sets the same thing to."""
    later, earlier = (pair.new, pair.old) if pair.is_newer else (pair.old, pair.new)
    number = "" if is_about_the_past(pair) else overwrites_named(later.text, earlier.text)
    return Relation(CONTRADICTS, "overwritten", f"an edit overwrote {number}", 0.7) if number else None


def opposed(pair: Pair) -> Relation | None:
    """One says to do what the other says not to do, or sets it aside."""
    if is_about_the_past(pair):
        return None
    later, earlier = (pair.new, pair.old) if pair.is_newer else (pair.old, pair.new)
    for one, other in clause_pairs(pair):
        if places_differ(one, other) or one.is_by_me != other.is_by_me or has_another_owner(later.text, pair.earlier):
            continue
        if says_nothing_of(one, later.text) or says_nothing_of(other, earlier.text):
            continue
        if one.is_deed != other.is_deed and not one.is_new:
            continue  # what somebody did breaks a rule at most
        reason = opposed_clauses(one, other, pair.thresholds)
        is_too = claimed_too(one, pair.earlier) or claimed_too(other, pair.later)
        if reason and not is_too and clash_on_one(one, other, later.text, earlier.text):
            return conflict(one, "opposed", reason, 0.8)
    return None


def turned_round(pair: Pair) -> Relation | None:
    """A sentence of the later text ends what the earlier one bars, or gives leave for it."""
    if is_about_the_past(pair):
        return None
    later, earlier = (pair.new, pair.old) if pair.is_newer else (pair.old, pair.new)
    words = taken_back(later.text, earlier.text)
    return Relation(CONTRADICTS, "turned_round", f"takes back what is said of {words}", 0.7) if words else None


def changed_value(pair: Pair) -> Relation | None:
    """The same frame with another number, version, path, tool or word of which only one can be."""
    later, earlier = (pair.new, pair.old) if pair.is_newer else (pair.old, pair.new)
    if is_about_the_past(pair) or not settings_of(later.text).is_statement:
        return None
    for one, other in clause_pairs(pair):
        if places_differ(one, other) or one.is_negative != other.is_negative:
            continue
        reason = changed_clauses(one, other)
        if reason and clash_on_one(one, other, later.text, earlier.text) and not named_before(reason, pair.earlier):
            return conflict(one, "changed_value", reason, 0.75)
    return None


def changed_setting(pair: Pair) -> Relation | None:
    """Another value of what the earlier text sets, in whatever words."""
    if is_about_the_past(pair):
        return None
    later, earlier = (pair.new, pair.old) if pair.is_newer else (pair.old, pair.new)
    change = changed_attribute(later.text, earlier.text)
    if change is None:
        return None
    if change.is_part:
        return Relation(CONTRADICTS, IN_PART, change.reason, 0.65)
    kind, score = (SUPERSEDES, 0.8) if change.is_sure else (CONTRADICTS, 0.65)
    return Relation(kind, "changed_setting", change.reason, score)


def same_content(pair: Pair) -> Relation | None:
    """The same distinctive words, values and places, in whatever order."""
    same = pair.later.words == pair.earlier.words and pair.later.values == pair.earlier.values
    same_turn = pair.later.turns == pair.earlier.turns and pair.later.places == pair.earlier.places
    if same and same_turn and pair.later.terms:
        return Relation(DUPLICATE, "same_content", "says the same with the same distinctive words", 0.95)
    return None


def contains(pair: Pair) -> Relation | None:
    """One text has all distinctive words of the other."""
    new, old = read(pair)
    if not old.terms or not new.terms or places_clash(new, old):
        return None
    one, other = plain(pair.new.text), plain(pair.old.text)
    if one in other and len(new.terms) >= 2 and claims_all(new, old):
        return Relation(DUPLICATE, SAME_CLAIMS, "stands whole in the other", 0.9)
    if one in other and len(new.terms) >= 2 and as_wide(new, old):
        return Relation(DUPLICATE, "contains", "stands whole in the other", 0.9)
    if other in one and len(old.terms) >= 2 and keeps(new, old):
        return Relation(EXTENDS, "contains", f"says more: {said(new.terms - old.terms)}", 0.9)
    if new.terms < old.terms and len(new.terms) >= 3 and as_wide(new, old):
        return Relation(DUPLICATE, "contains", "says nothing that the other does not say", 0.8)
    if old.terms < new.terms and len(old.terms) >= 3 and keeps(new, old):
        if not adds(new, old) and as_wide(new, old):
            return Relation(DUPLICATE, "contains", "says hardly anything that the other does not", 0.8)
        return Relation(EXTENDS, "contains", f"says more: {said(new.terms - old.terms)}", 0.8)
    return None


def coverage(pair: Pair) -> Relation | None:
    """Nearly the same distinctive words, or nearly all of one in the other."""
    new, old = read(pair)
    if places_clash(new, old) or not values_agree(new, old):
        return None
    is_kept = keeps(new, old)
    alike = jaccard(new.terms, old.terms)
    if alike >= pair.thresholds.same and as_wide(new, old):
        return Relation(DUPLICATE, "coverage", f"{alike:.0%} of the distinctive words are the same", alike)
    if len(old.terms) >= 4 and share(old.terms, new.terms) >= pair.thresholds.held and adds(new, old) and is_kept:
        return Relation(EXTENDS, "coverage", f"says more: {said(new.terms - old.terms)}", share(old.terms, new.terms))
    if len(new.terms) >= 4 and share(new.terms, old.terms) >= pair.thresholds.held and as_wide(new, old):
        held = share(new.terms, old.terms)
        return Relation(DUPLICATE, "coverage", "says hardly anything that the other does not", held)
    return None


def alike_enough(pair: Pair) -> Relation | None:
    """Alike by words or by vectors: the same topic, no more."""
    cosine = pair.similarity.cosine
    if pair.similarity.words >= pair.thresholds.related_words:
        words = pair.similarity.words
        return Relation(RELATED, "alike", f"{words:.0%} of the distinctive words", words)
    if cosine is not None and cosine >= pair.thresholds.related_cosine:
        return Relation(RELATED, "alike", f"cosine {cosine:.2f}", min(1.0, cosine))
    return None


TESTS: tuple[Test, ...] = (
    same_words,
    explicit,
    edited_anew,
    opposed,
    turned_round,
    changed_value,
    changed_setting,
    overwritten,
    same_content,
    contains,
    coverage,
    alike_enough,
)
"""The tests in the order in which they are asked."""


def conflict(later: Clause, test: str, reason: str, score: float) -> Relation:
    """A contradiction; where the later clause says that this changed, a supersession."""
    if later.is_new:
        return Relation(SUPERSEDES, f"{test}, said to be new", reason, min(1.0, score + 0.1))
    return Relation(CONTRADICTS, test, reason, score)


def read(pair: Pair) -> tuple[Reading, Reading]:
    """The readings of the new and of the old statement."""
    return (pair.later, pair.earlier) if pair.is_newer else (pair.earlier, pair.later)


def is_about_the_past(pair: Pair) -> bool:
    """Whether one of them tells what happened once, which nothing later contradicts."""
    return not PAST.isdisjoint((pair.new.kind, pair.old.kind))


def clause_pairs(pair: Pair) -> Iterator[tuple[Clause, Clause]]:
    """Each clause of the later text with each of the earlier one that shares a word or has an antonym for one.

    What a text only quotes as asked or done before it claims nothing.
    """
    later, earlier = (pair.new, pair.old) if pair.is_newer else (pair.old, pair.new)
    for one in reading(answered(later.text)[1]).clauses:
        for other in reading(answered(earlier.text)[1]).clauses:
            if (
                not one.terms.isdisjoint(other.terms)
                or one.rejected
                or other.rejected
                or (one.antonyms and other.antonyms)
            ):
                yield one, other


def short(phrase: str) -> str:
    """A phrase cut for a reason."""
    return phrase if len(phrase) <= 60 else phrase[:59] + "…"


def said(words: frozenset[str]) -> str:
    """A few of the words that are new."""
    return ", ".join(sorted(words)[:5])
