"""Whether two clauses are opposed, or have another value in the same frame.

In: a clause of each of two texts, and thresholds. Out: the reason in a few words, or '' where they can both hold.
Invariant: pure, and the same whichever clause is given first, but for the order of the words in a reason.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from memory_db.text.attribute_values import settings_of
from memory_db.text.clock_words import are_other_times
from memory_db.text.opposites import OPPOSED
from memory_db.text.statements import CURLY, NEGATIVE, Clause, Reading, answered, jaccard, reading, share, stem, stems

FRAME = 0.4
"""What two clauses must share besides the values in question, of all that either says.

Source: on bench/data/pairs .3 takes a length of time in another sentence for the same one."""


SAID_OF_ALL = frozenset(map(stem, "look ask change try know see tell say go get want need come".split()))
"""Verbs that alone tell of no subject: "don't look for it" bars nobody from looking at something else."""

OF_MANY = frozenset(("weekday", "month", "ordinal", "often", "length", "numbers"))
"""Groups of words of which a project has many: another one alone tells of no change."""

FEW_CLAUSES = 2
"""Clauses of a text that is of one thing as a whole. Source: ours."""

OF_TIME = frozenset(["second", "minut", "hour", "day", "week", "month", "year"])
"""Stems of units of time, which follow a number in words."""

WRITTEN = frozenset(["link", "path", "version", "time", "flag"])
"""Sorts of values that no bare number stands for."""


OWNER = re.compile(r"\b(?!it\b|that\b|let\b|here\b|there\b|what\b|who\b|he\b|she\b)([a-z]\w+)'s ([a-z]\w+)")
"""A thing and whose it is."""


AS_NAME = re.compile(r"\bthe \d{3,}$")
"""A bare number that tells what is spoken of. Source: ours; of two digits it may be of minutes or of players."""

ASIDE = ("On ", "When ")
"""How a text begins that tells what was said or done before somebody's words: nobody claims that themselves."""


PLACE_FIRST = re.compile(r"(?:(?:in|for|on) (?:the )?[\w.-]{1,60}(?: [\w.-]{1,60})?[,:]|[\w.-]{1,60}:) ", re.IGNORECASE)
"""Words for a project or a part of it with which a text begins."""


@dataclass(slots=True, frozen=True)
class Thresholds:
    """From where on a similarity counts; each is a share or a cosine, 0 to 1.

    Source: set on bench/data/pairs, `writer`; `python -m bench relations` measures them again.
    """

    same: float = 0.8
    held: float = 0.85
    subject: float = 0.4
    exception: float = 0.6
    both_say_more: float = 0.7
    related_words: float = 0.3
    related_cosine: float = 0.6


def without_place(one: str, other: str) -> tuple[str, str]:
    """Two texts without the words for a place with which both begin: "in hive-intake, ..." makes them no more alike.

    Not where nothing else says what they are about: "retention: 60 days".
    """
    mine, theirs = PLACE_FIRST.match(one), PLACE_FIRST.match(other)
    if mine is None or theirs is None or mine[0].casefold() != theirs[0].casefold():
        return one, other
    rest = one[mine.end() :], other[theirs.end() :]
    return rest if all(settings_of(each).subject for each in rest) else (one, other)


def opposed_clauses(one: Clause, other: Clause, thresholds: Thresholds) -> str:
    """Why two clauses are opposed, or ''."""
    mine, theirs = one.terms, other.terms
    for rejecting, asserting in ((one, other), (other, one)):
        hit = rejecting.rejected & asserting.terms
        if (numbers := numbers_of(rejecting.rejected)) and numbers.isdisjoint(hit):
            continue  # a number is set aside: "not the 20 Marek wants"
        if hit and not asserting.is_negative and (not asserting.condition or conditions_meet(one, other)):
            rest = asserting.terms - rejecting.rejected
            if share(rest, rejecting.terms) >= thresholds.subject or not rest:
                return f"sets aside {', '.join(sorted(hit))}"
    # Where only one of them names a condition it may well be an exception from the other.
    least = thresholds.subject if bool(one.condition) == bool(other.condition) else thresholds.exception
    is_met = conditions_meet(one, other) and same_subject(mine, theirs, thresholds, least)
    if one.is_negative != other.is_negative and is_met and is_claimed(one, other) and not says_nothing(one, other):
        return f"opposed on {', '.join(sorted(mine & theirs)[:4])}"
    return ""


def says_nothing(one: Clause, other: Clause) -> bool:
    """Whether two clauses without a condition share nothing but a verb that is said of all things."""
    return one.terms & other.terms <= SAID_OF_ALL and not one.condition and not other.condition


def is_claimed(one: Clause, other: Clause) -> bool:
    """Whether the clause that asserts speaks of what the other one denies: who must not lint a file may keep it."""
    denying, asserting = (one, other) if one.is_negative else (other, one)
    return not denying.denied or not denying.denied.isdisjoint(asserting.terms | asserting.condition)


def changed_clauses(one: Clause, other: Clause) -> str:
    """What is different in the same frame, or ''."""
    if not conditions_meet(one, other):
        return turned_round(one, other)
    antonyms = antonym_words(one, other)
    if antonyms and frame_agrees(one, other, *antonyms, least=says_little(one, other)):
        return f"{' '.join(sorted(antonyms[0]))} or {' '.join(sorted(antonyms[1]))}"
    values = changed_values(one, other)
    if values and frame_agrees(one, other, *values, least=1):
        return f"{' '.join(sorted(values[0]))} or {' '.join(sorted(values[1]))}"
    return turned_round(one, other)


def says_little(one: Clause, other: Clause) -> bool:
    """Whether two clauses have only words of which a project has many: "mondays" tells nothing of what is on Monday."""
    return all(group in OF_MANY for group, _ in one.antonyms | other.antonyms)


def antonym_words(one: Clause, other: Clause) -> tuple[frozenset[str], frozenset[str]] | None:
    """Words of one group, of which each clause has another; and opposites."""
    mine, theirs = dict(one.antonyms), dict(other.antonyms)
    for group in mine.keys() & theirs.keys():
        own = {word for name, word in one.antonyms if name == group and stem(word) not in one.unset}
        others = {word for name, word in other.antonyms if name == group and stem(word) not in other.unset}
        if own and others and own.isdisjoint(others):
            return frozenset(map(stem, own)), frozenset(map(stem, others))
    for word in one.raw:
        hit = OPPOSED.get(word, set()) & other.raw
        if hit:
            return frozenset(stems(word)), frozenset(stems(" ".join(hit)))
    return None


def changed_values(one: Clause, other: Clause) -> tuple[frozenset[str], frozenset[str]] | None:
    """Values of one sort that are not the same."""
    sorts, other_sorts = {sort for sort, _ in one.values}, {sort for sort, _ in other.values}
    bare = [(sort, "") for sort in sorts] + [("", sort) for sort in other_sorts]  # "8 threads", or a pool's size of 8
    for sort, other_sort in dict.fromkeys([(sort, sort) for sort in sorted(sorts & other_sorts)] + sorted(bare)):
        if sort != other_sort and ({sort, other_sort} & WRITTEN or measures(one, sort) or measures(other, other_sort)):
            continue
        own = frozenset(value for name, value in one.values if name == sort and value not in one.unset)
        others = frozenset(value for name, value in other.values if name == other_sort and value not in other.unset)
        if others <= {value for _, value in one.values} or own <= {value for _, value in other.values}:
            continue  # it stands in both, so one only says more
        if sort == other_sort == "time" and not are_other_times(own, others):
            continue
        if own - others and others - own and len(own) == len(others):
            return own - others, others - own
    return None


def measures(clause: Clause, sort: str) -> bool:
    """Whether the bare numbers of a clause are of time, in words: "every six hours"."""
    return sort == "" and not clause.counted.isdisjoint(OF_TIME)


def frame_agrees(one: Clause, other: Clause, own: frozenset[str], others: frozenset[str], least: int = 0) -> bool:
    """Whether two clauses are about the same once the words in question are left out: at most one says more.

    What both count says nothing of what it is counted for: "twelve lines" of code, and a summary of "one line".
    """
    mine, theirs = one.terms - own - others, other.terms - own - others
    if mine & theirs <= one.counted & other.counted:
        return not mine and not theirs and not least
    only, only_other = mine - theirs, theirs - mine
    if not mine and not theirs:
        return not least
    return not (only and only_other) and jaccard(mine, theirs) >= FRAME


def turned_round(one: Clause, other: Clause) -> str:
    """Before or after the same."""
    order = {"before", "after"}
    mine, theirs = one.condition & order, other.condition & order
    is_same_moment = share(one.condition - order, other.condition - order) >= 0.5
    if mine and theirs and mine != theirs and is_same_moment and jaccard(one.terms, other.terms) >= 0.5:
        return f"{' '.join(mine)} or {' '.join(theirs)}"
    return ""


def places_differ(one: Clause, other: Clause) -> bool:
    """Whether one clause holds in a place where the other does not say that it does."""
    return one.places != other.places


def conditions_meet(one: Clause, other: Clause) -> bool:
    """Whether both clauses apply at the same time: the same condition, or one that applies always."""
    if one.condition and other.condition:
        order = {"before", "after"}
        same_order = (one.condition & order) == (other.condition & order)
        return same_order and jaccard(one.condition - order, other.condition - order) >= 0.5
    if not one.condition and not other.condition:
        return True
    return one.is_universal if other.condition else other.is_universal


def same_subject(mine: frozenset[str], theirs: frozenset[str], thresholds: Thresholds, least: float) -> bool:
    """Whether two clauses are about the same: hardly a word that the other lacks on either side."""
    common = mine & theirs
    if common == numbers_of(common):  # a bare number is no subject
        return False
    only, only_other = mine - theirs, theirs - mine
    if only and only_other:
        return jaccard(mine, theirs) >= thresholds.both_say_more
    return jaccard(mine, theirs) >= least


REMOVED = re.compile(r"`[^`\n]*\b(?:remove|uninstall|rm|purge)\b[^`\n]*`")
"""A command that takes something away: it names that and does not say that it is there."""


def asserts(
    text: str, phrase: str, gone: frozenset[str], earlier: Reading, later: Reading, *, or_denies: bool = False
) -> bool:
    """Whether an earlier text claims what a later one calls gone, with its very numbers, and is about the same.

    `phrase` are the words for it, `gone` the distinctive ones. A number alone names nothing: both texts have to name
    the same thing, unless it stands as a name ("the 512 is history"). `or_denies`: what it bars counts too, where both
    say more of it.
    """
    known = earlier.terms.union(*(clause.raw for clause in earlier.clauses))
    if share(gone, known) < 0.75 or numbers_of(gone) - known:
        return False
    kept = REMOVED.sub(" ", text)
    if kept != text and gone.isdisjoint(stems(kept)):
        return False
    before, said = answered(text)
    if before.startswith(ASIDE) and gone.isdisjoint(reading(said).terms):
        return False
    is_bare = not names_something(gone)
    is_telling = AS_NAME.search(phrase) is not None
    for clause in earlier.clauses:
        terms = clause.terms | (clause.raw & gone)
        common = gone & terms
        if not common or (clause.is_negative and not or_denies):
            continue
        is_barred = or_denies and (clause.is_negative or not NEGATIVE.isdisjoint(clause.raw))
        beyond = ((terms | terms_around(clause, earlier)) & later.terms) - gone
        if is_barred:
            if beyond:
                return True
            continue
        if is_bare and not is_telling and not names_something(beyond):
            continue
        is_its_matter = (before == "" and said.casefold().startswith(f"{phrase} ")) or is_used(phrase, said)
        if len(gone) >= 2 or beyond or is_its_matter or len(terms) <= 3 or len(terms - later.terms) <= 2:
            return not (clause.places and later.places and clause.places.isdisjoint(later.places))
    return False


def is_used(phrase: str, text: str) -> bool:
    """Whether a text says that something is used: "we use dayjs"."""
    return re.search(rf"\b(?:use|uses|using|run|runs) (?:the )?{re.escape(phrase)}(?!\w)", text.casefold()) is not None


DENIED_ALONE = re.compile(
    r"\b((?:does|do|did|is|are|was|were|has|have|can|could|will|would|should)n't)(?=[,.;!?)]|$)", re.IGNORECASE
)
"""A denial that leaves out what it denies, which stands in a question: "the frontend doesn't, i asked him"."""


TURNS_TO = re.compile(
    r"(?:^|[.!?;] |, )(?:(?:ok|okay|so|and|good),? )*(?:now|next|then)(?: for| to)? (?P<what>(?:the|that|"
    r"those) [\w' -]{1,40}?)"
    r"(?=[.!]|$)",
    re.IGNORECASE,
)
"""How somebody turns to the next thing, and says nothing of it: "now the guests"."""


def says_nothing_of(clause: Clause, text: str) -> bool:
    """Whether a clause of a text only turns to what it names, or denies what it was asked and none of its words."""
    turned = (set(re.findall(r"[\w'-]+", match["what"].casefold())) for match in TURNS_TO.finditer(text))
    if any(clause.raw <= words | {"now", "next", "then", "for", "to"} for words in turned):
        return True
    if not answered(text)[0]:
        return False
    denied = {match[1].casefold() for match in DENIED_ALONE.finditer(text.translate(CURLY))}
    return clause.is_negative and not denied.isdisjoint(clause.raw)


def numbers_of(words: frozenset[str]) -> frozenset[str]:
    """The numbers among words."""
    return frozenset(word for word in words if word.replace(".", "").isdecimal())


def names_something(words: frozenset[str]) -> bool:
    """Whether there is more among words than numbers and units of time."""
    return not words <= numbers_of(words) | OF_TIME


def terms_around(clause: Clause, whole: Reading) -> frozenset[str]:
    """The terms that tell what a clause is of: those of its whole text, where that is of one thing."""
    return whole.terms if len(whole.clauses) <= FEW_CLAUSES else clause.terms


def has_another_owner(later: str, earlier: Reading) -> bool:
    """Whether a later text speaks of something of a thing that the earlier one does not name: "Storybook's build"."""
    owned = (tuple(map(stem, match.groups())) for match in OWNER.finditer(later.translate(CURLY).casefold()))
    return any(what in earlier.terms and owner not in earlier.terms for owner, what in owned)


def claimed_too(clause: Clause, other: Reading) -> bool:
    """Whether a text claims itself what the other is said to oppose: "no default exports, named ones only".

    One that sets something aside is claimed too where a clause without that says what it says: "develop, not main".
    """
    if clause.is_negative:
        return False
    if clause.rejected:
        held = [own for own in other.clauses if not own.is_negative and own.terms.isdisjoint(clause.rejected)]
        return bool(clause.terms) and any(clause.terms <= own.terms for own in held)
    return any(clause.terms <= own.terms for own in other.clauses if not own.is_negative)


def named_before(reason: str, earlier: Reading) -> bool:
    """Whether the earlier text asserts elsewhere what the later one seems to have in the place of something else."""
    words = frozenset(reason.partition(" or ")[0].split())
    others = frozenset(reason.partition(" or ")[2].split())
    if not all(word.isalpha() for word in words):
        return False
    return any(words <= own.terms and own.terms.isdisjoint(others) and not own.is_negative for own in earlier.clauses)


def as_wide(new: Reading, old: Reading) -> bool:
    """Whether a text holds in the same places and cases as the other and forbids as much: else it may say more."""
    return (new.turns, new.places, new.conditions) == (old.turns, old.places, old.conditions)


def claims_all(new: Reading, old: Reading) -> bool:
    """Whether every claim of a text stands in the other, with its values, place, condition and denial."""
    return all(any(same_claim(clause, own) for own in old.clauses) for clause in new.clauses)


def same_claim(one: Clause, other: Clause) -> bool:
    """Whether two clauses say the same, under the same condition, in the same place."""
    return (one.terms, one.values, one.places, one.condition, one.is_negative) == (
        other.terms, other.values, other.places, other.condition, other.is_negative,
    )  # fmt: skip


def places_clash(one: Reading, other: Reading) -> bool:
    """Whether two texts hold in places that have nothing in common."""
    return bool(one.places and other.places and one.places.isdisjoint(other.places))


def values_agree(one: Reading, other: Reading) -> bool:
    """Whether one text has all values of the other."""
    return one.values <= other.values or other.values <= one.values


def keeps(new: Reading, old: Reading) -> bool:
    """Whether a text leaves standing what the other claims: no clause is turned round in the one nearest to it."""
    for clause in old.clauses:
        nearest = max(new.clauses, key=lambda each: len(each.terms & clause.terms), default=None)
        if nearest is not None and nearest.terms & clause.terms and nearest.is_negative != clause.is_negative:
            return False
    return True


def adds(new: Reading, old: Reading) -> bool:
    """Whether a text says something that the other does not: a value, or more than one distinctive word."""
    more = new.terms - old.terms
    return len(more) > 1 or not new.values <= old.values
