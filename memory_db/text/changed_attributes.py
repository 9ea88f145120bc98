"""Whether a later text gives another value to what an earlier one sets, in whatever words.

In: two texts. Out: `Change`: the reason in a few words, and whether the later one says so; None where both can hold.
Invariant: pure; a value of one sort never stands against one of another, nor one place against another.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memory_db.text.addresses import BESIDES, new_address
from memory_db.text.answered_values import answered_value, number_of_thing
from memory_db.text.attribute_values import Settings, conclusion, settings_of
from memory_db.text.clock_words import are_other_times
from memory_db.text.moved import PART, flat, moved, moved_clause
from memory_db.text.opposites import GROUPS
from memory_db.text.statements import (
    answered,
    jaccard,
    own_words,
    stem,
    stems,
)

LEAST_SHARED = 1 / 3
"""What two texts must share of the shorter one's subject, where the later one says that something changed.
Source: ours, set on the pairs `wordings` of bench/data/pairs."""

LEAST_ALIKE = 0.5
"""The same where nothing says that anything changed."""

FEWEST_SHARED = 2
"""Words that both must share where either names something besides: of what a timeout is, say. Source: ours."""

ELLIPTIC = frozenset(
    ("package manager of node", "package manager of python", "formatter", "linter", "type checker", "test runner",
     "bundler", "ci", "tracker", "chat", "host of apps", "cluster", "shell", "editor")
)  # fmt: skip
"""Sorts of which a project has one, so that a text without a subject still tells which is meant."""

MARKED_ONLY = frozenset(("path", "page", "link", "host", "address", "channel", "region"))
"""Sorts of which a project has many: one stands in the place of another only where the text says so."""

CODE = "code of "
"""How sorts of numbers with letters before them begin, of which a project has many too."""

OF_ONE_FORM = ("weekday", "time")

STAND_BESIDE = frozenset(("time", "duration", "size", "count", "share"))
"""Sorts of which a text may name two values, one of which it takes for granted."""

MEASURED = frozenset(("duration", "size", "count", "share", "number", "rate"))
"""Sorts for which a bare number is understood in an answer: "make it 30"."""

OF_TIME = {"duration": ("schedule",), "schedule": ("duration",)}
"""Sorts that say the same of a thing in two wordings: "fetched after 20 minutes", "fetched every 5 minutes"."""

NONE: frozenset[str] = frozenset()

ANNOUNCES = re.compile(
    r"\b(?:moved|shifted|postponed|rescheduled|changed|switched|brought forward|put off) "
    r"(?P<what>it|that|this|them|(?:the |our |my |his |her |their |its )?[\w-]+(?: [\w-]+)?)"
    r"(?: (?:again|once more|forward|back))?(?=:|,|;| -| –|\.(?:\s|$)| to\b| and\b|$)"
    r"|\bchanged my mind (?:about|on) (?P<mind>(?:the |our |my )?[\w-]+(?: [\w-]+)?)"
    r"|\b(?P<after>after all|scratch that|i was wrong|changed my mind)\b"
)
"""How a text says itself that it changes what was said: of what, or of what both speak of."""

SECONDS = {"second": 1, "minute": 60, "hour": 3_600, "day": 86_400, "week": 604_800}
"""Units of time that have a length of their own; months and years have none."""

SPOKEN_OF = frozenset("it that this them".split())

MOST_OF_ONE_MATTER = 25
"""Words up to which all that a text says is taken to be of one matter. Source: ours."""

SENTENCE = re.compile(r"(?<=[.!?;]) +")


@dataclass(slots=True, frozen=True)
class Change:
    """Another value of the same. `is_sure` where the later text says that it changed and all of its subject agrees;
    `is_part`: the earlier text says more than that."""

    reason: str
    is_sure: bool
    is_part: bool = False


def changed_attribute(later: str, earlier: str) -> Change | None:
    """What a later text changes of what an earlier one sets: as a whole, or a sentence that says so of another one."""
    change = changed_whole(later, earlier) or changed_sentence(later, earlier)
    return change if change is not None else given_anew(later, earlier)


def given_anew(later: str, earlier: str) -> Change | None:
    """The address or number that a later text gives for one that an earlier text has, perhaps as what it answers."""
    if address := new_address(later, earlier):
        return Change(f"address: {address.new}, was {address.old}", address.is_all, not address.is_all)
    number = answered_value(later, earlier) or number_of_thing(later, earlier)
    return Change(f"number: {number}", is_sure=False) if number else None


def changed_sentence(later: str, earlier: str) -> Change | None:
    """What one sentence of a later text surely changes of what one of an earlier text sets, where either has many.

    The values must be weekdays, or written alike, as two ports are, or a time of day be called over ("not at 7").
    Never more than likely: the rest of the earlier text holds on.
    """
    asked, told = answered(later)
    sentences, after = SENTENCE.split(answered(earlier)[1]), SENTENCE.split(told)
    if len(sentences) == len(after) == 1:
        return None
    before, is_part = [each for each in sentences if settings_of(each).values], len(sentences) > 1
    for said in after:
        new = settings_of(said)
        if new.is_anaphoric and asked:  # what is over stands in what the user answers
            said = f'On "{asked}", the user said: {said}'
            new = settings_of(said)
        subject = new.subject | new.places | (settings_of(later).subject if new.is_anaphoric else NONE)
        if not new.tells_change or not new.values or not subject:
            continue
        gone = {value.split()[0] for values in new.gone.values() for value in values}
        for each in before:
            old = settings_of(each)
            was, now = old.values.get("time", NONE) & gone, new.values.get("time", NONE) - gone
            about = old.subject | old.places
            if was and now and subject & about:
                return Change(f"time: {' '.join(sorted(now))}, was {' '.join(sorted(was))}", False, is_part)
            same = new.values.keys() & old.values.keys()
            is_like = any(is_of_form(sort, new.values[sort], old.values[sort]) for sort in same)
            change = changed_whole(said, each) if is_like and (new.subject | new.places) & about else None
            if change is not None and (change.is_sure or new.is_anaphoric):
                return Change(change.reason, False, is_part)
    reason = moved_clause(after, earlier)
    return Change(reason, False, is_part=True) if reason else None


def changed_whole(later: str, earlier: str) -> Change | None:
    """What a later text changes of what an earlier one sets, each read as one statement."""
    new, old = settings_of(later), settings_of(earlier)
    if not new.is_statement or not old.is_statement or not same_places(new, old):
        return None
    shared = (new.subject & old.subject) | (counted_in(new) & counted_in(old))
    is_same = bool(shared or new.places & old.places) or not (new.subject and old.subject)
    for value, number in named_gone(new, old) if is_same else ():
        is_sure = (new.tells_change and bool(shared)) or (len(shared) >= FEWEST_SHARED and denies(later, number))
        return Change(value, is_sure)
    for sort, other in comparable(new, old):
        mine, theirs = new.values[sort] - new.unset.get(sort, NONE), old.values[other]
        theirs = theirs if new.tells_change else theirs - old.unset.get(other, NONE)
        if sort == other == "number" and len(theirs) > 1 and theirs.isdisjoint(old.counted):
            continue  # bare numbers, and nothing tells which of them it is
        if counts_another(new, old, mine, theirs) or (sort == "path" and flat(later).startswith(tuple(mine))):
            continue  # what a file does by now puts it in the place of no other
        if sort == "host" and BESIDES.search(flat(answered(later)[1])):
            continue  # one of several, or for a time
        is_beside = sort in STAND_BESIDE and stands_too(later, other, old, new, earlier)
        is_of_it = are_of_one(later, sort, mine, earlier, other, theirs)
        if theirs and are_apart(sort, mine, theirs) and len(mine) == 1 and not is_beside and is_of_it:
            change = judged(new, old, sort, other)
            if change is not None:
                is_sure = change or (len(theirs) == 1 and announces(later, shared, old))
                return Change(f"{sort}: {' '.join(sorted(mine))}, was {' '.join(sorted(theirs))}", is_sure)
    reason = moved(later, new, old, earlier)
    return Change(reason, False) if reason else None


def in_seconds(values: frozenset[str]) -> frozenset[str]:
    """Values with times of one length written alike: 14 days are 2 weeks; others as they are."""
    alike = set()
    for value in values:
        number, _, unit = value.partition(" ")
        is_time = number.isdigit() and unit in SECONDS
        alike.add(f"{int(number) * SECONDS[unit]} seconds" if is_time else value)
    return frozenset(alike)


def are_apart(sort: str, mine: frozenset[str], theirs: frozenset[str]) -> bool:
    """Whether no value of a sort is the same as one of others: 14 days are 2 weeks, and "at nine" may be 21:00."""
    return are_other_times(mine, theirs) if sort == "time" else in_seconds(mine).isdisjoint(in_seconds(theirs))


def are_of_one(later: str, sort: str, mine: frozenset[str], earlier: str, other: str, theirs: frozenset[str]) -> bool:
    """Whether sentences of two texts that give such values speak of the same, where one of them is long."""
    if not is_of_many(later) and not is_of_many(earlier):
        return True
    said, before = subjects_of(later, sort, mine), subjects_of(earlier, other, theirs)
    return any(not one or not two or one & two for one in said for two in before)


def subjects_of(text: str, sort: str, values: frozenset[str]) -> list[frozenset[str]]:
    """What those sentences of a text are about that give one of some values."""
    if not is_of_many(text):
        return [settings_of(text).subject]
    asked, said = answered(text)
    about = settings_of(asked).subject if asked else NONE
    parts = enumerate(map(settings_of, SENTENCE.split(said)))
    return [part.subject | (NONE if place else about) for place, part in parts if values & part.values.get(sort, NONE)]


def is_of_many(text: str) -> bool:
    """Whether what a text itself says has room for more than one matter."""
    return len(answered(text)[1].split()) > MOST_OF_ONE_MATTER


def announces(later: str, shared: frozenset[str], old: Settings) -> bool:
    """Whether a later text says in so many words that it changes what an earlier one sets.

    Where it names what that is the earlier one has to be about just that, else they have to share two words.
    """
    for match in ANNOUNCES.finditer(conclusion(flat(later))):
        what = match["what"] or match["mind"] or ""
        named_so = frozenset(stems(what)) if what not in SPOKEN_OF else NONE
        if (named_so and named_so <= old.subject) or (not named_so and len(shared) >= FEWEST_SHARED):
            return True
    return False


def same_places(new: Settings, old: Settings) -> bool:
    """Whether both texts hold in the same place; one that speaks of what was said before may name none."""
    return new.places == old.places or (new.is_anaphoric and not new.places)


def stands_too(later: str, sort: str, old: Settings, new: Settings, earlier: str) -> bool:
    """Whether a later text names an earlier value itself, not as over: "5:15 is fine, the day ends at 5".

    A question names what was, where it names one value; and so does what is said of the value alone, or why it went:
    "72 hours filled the racks". It stands where a clause with it says something that the earlier text says.
    """
    asked, said = answered(flat(own_words(later)))
    said = conclusion(said)
    if len(settings_of(asked).values.get(sort, NONE)) > 1:
        said = f"{asked}. {said}"
    over = {value for gone in new.gone.values() for value in gone}
    before = frozenset(stems(flat(earlier)))
    for clause in PART.split(said):
        for value in old.values[sort] - over:
            found = re.search(rf"(?<![\w:.]){re.escape(value)}s?(?![\w:]|\.\d)", clause)
            if found and not before.isdisjoint(frozenset(stems(clause)) - frozenset(stems(value))):
                return True
    return False


def denies(later: str, number: str) -> bool:
    """Whether a later text says of a number that it is not so: "90, not 30"."""
    way = rf"\b(?:not|instead of|rather than|no longer) (?:at )?{re.escape(number)}(?!\w|\.\d)"
    return re.search(way, flat(later)) is not None


def named_gone(new: Settings, old: Settings) -> Iterator[tuple[str, str]]:
    """What a later text sets in the place of a number that it calls over, and that number of the earlier one."""
    gone = {value.split()[0] for values in new.gone.values() for value in values}
    for sort, values in old.values.items():
        for value in values:
            number = value.split()[0]
            sorts = ("number", sort, *OF_TIME.get(sort, ()))
            others = {each for name in sorts for each in new.values.get(name, NONE)} - {value}
            if len(number) >= 2 and number.isdigit() and number in gone and others:
                yield f"{sort}: {' '.join(sorted(others))}, was {value}", number


def comparable(new: Settings, old: Settings) -> Iterator[tuple[str, str]]:
    """Pairs of sorts of which one value can replace the other: the same, and a plain number for a counted one."""
    for sort in sorted(new.values.keys() & old.values.keys()):
        yield sort, sort
    for sort in sorted(new.values.keys() - old.values.keys()):
        for other in sorted(old.values.keys() - new.values.keys()):
            is_version = "version" in (sort, other) and sort.startswith("version") and other.startswith("version")
            counted, subject = (other, new.subject) if sort == "number" else (sort, old.subject)
            is_understood = new.is_marked and new.is_short and other in MEASURED and len(old.values) == 1
            is_number = "number" in (sort, other) and (stem(counted) in subject or (sort == "number" and is_understood))
            if is_version or is_number:
                yield sort, other


def counted_in(settings: Settings) -> frozenset[str]:
    """The stems of all that a text counts."""
    return frozenset(settings.counted.values())


def counts_another(new: Settings, old: Settings, mine: frozenset[str], theirs: frozenset[str]) -> bool:
    """Whether bare numbers count different things: players are no spectators."""
    ours, others = (
        {one.counted[value] for value in values if value in one.counted} for one, values in ((new, mine), (old, theirs))
    )
    return bool(ours and others) and ours.isdisjoint(others)


def judged(new: Settings, old: Settings, sort: str, other: str) -> bool | None:
    """Whether two texts that give a sort of value another one are about the same: True surely, False likely."""
    mine, theirs = new.subject, old.subject
    if not mine and not theirs:  # of both is said only where they hold, or by a name of which there are others
        mine, theirs = new.places | named(new), old.places | named(old)
        if mine != theirs and not (new.is_anaphoric and is_alike(new.values[sort], old.values[other])):
            return None
    elif not mine and new.is_marked and named(new) <= {sort} and is_of_form(sort, new.values[sort], old.values[other]):
        mine, theirs = new.places, old.places  # "staging moved" tells of whatever box it is
        if sort == "time":
            return False if mine & theirs else None  # and "move the pipeline to 14:30" of more than when it runs
    common = mine & theirs
    if (sort in MARKED_ONLY or sort.startswith(CODE)) and not new.tells_change:
        return None
    if sort == "switch" and new.is_conditional != old.is_conditional:
        return None
    if sort.startswith("version") and old.values[other] <= new.gone.get(other, NONE) | new.gone.get("version", NONE):
        return bool(common)
    if (
        new.is_anaphoric
        and new.is_marked
        and (sort in ELLIPTIC or sort in MARKED_ONLY or (common and sort == "weekday"))
    ):
        return False
    if not mine or not theirs:
        return False if new.is_marked and sort in ELLIPTIC else None
    if not common or qualified_otherwise(new, old, common):
        return None
    held = len(common) / min(len(mine), len(theirs))
    units = frozenset((stem(sort), stem(other)))
    is_measure = sort not in GROUPS and not sort.startswith("version of ")
    if is_measure and len(common) < FEWEST_SHARED and mine - common - units and theirs - common - units:
        return None  # a timeout of one thing, and of another
    if new.is_marked:
        is_other_form = sort == "path" and suffixes(new.values[sort]).isdisjoint(suffixes(old.values[other]))
        return held == 1.0 if held >= (LEAST_ALIKE if is_other_form else LEAST_SHARED) else None
    return False if held == 1.0 and jaccard(mine, theirs) >= LEAST_ALIKE else None


def suffixes(paths: frozenset[str]) -> frozenset[str]:
    """How paths end, '' where they are of folders: a script takes the place of no table."""
    return frozenset(path.rpartition("/")[2].partition(".")[2] for path in paths)


def is_alike(mine: frozenset[str], theirs: frozenset[str]) -> bool:
    """Whether values are written alike, as two ports or two addresses are, and a port and a version are not."""
    forms = ({re.sub(r"\d", "0", value) for value in values} for values in (mine, theirs))
    return not next(forms).isdisjoint(next(forms))


def is_of_form(sort: str, mine: frozenset[str], theirs: frozenset[str]) -> bool:
    """Whether values of a sort are days of the week, times of day, or written alike."""
    return sort in OF_ONE_FORM or is_alike(mine, theirs)


def named(settings: Settings) -> frozenset[str]:
    """The sorts of tools that a text names."""
    return frozenset(GROUPS.keys() & settings.values.keys())


def qualified_otherwise(new: Settings, old: Settings, common: frozenset[str]) -> bool:
    """Whether a word that both have stands behind another word in each: internal keys are not partner keys."""
    for word in common:
        one, other = new.before.get(word, ""), old.before.get(word, "")
        if one and other and one != other and one not in common and other not in common:
            return True
    return False
