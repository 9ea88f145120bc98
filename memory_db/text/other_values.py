"""Another value in the place of one that an earlier text sets, though nothing proves that both are of the same.

In: two texts of one place, the later one somebody's own words. Out: which value is over, in a few words; '' where none
seems to be. Invariant: pure, and linear in the length of the texts.
"""

from __future__ import annotations

import re

from memory_db.text.attribute_values import UNITS, settings_of
from memory_db.text.changed_attributes import are_apart
from memory_db.text.statements import answered, stem
from memory_db.text.topics import flat, topic_of, values_of

NONE: frozenset[str] = frozenset()

TOGETHER = ("host", "path", "address", "channel", "region", "link", "weekday", "time")
"""Sorts of which a text has many, so that another value of one of them alone is of something else as well as not."""

MEASURES = ("rate", "duration", "size", "share")
"""Sorts of values that are measured."""

FEWEST_SHARED = 2
"""Words and places that both texts are about, of which one alone may be of many things. Source: ours."""

MAKES_IT = re.compile(r"\b(?:make|set|put|turn|raise|lower|cut|bump) (?:it|that|this|them)\b|\binstead\b|\bnow\b")
"""How a value is set anew."""

GRANTS = re.compile(
    r"\b(?:raised|lowered|upped|cut|bumped|doubled|halved|tripled|gave|moved|put|throttled) us\b"
    r"|\b(?:we|we're|we are) (?:now |only )*(?:get|allowed|have|at|on|down to|up to|limited to)\b[^.;!?]{0,60}"
    r"\b(?:now|from now on|these days|as of \w+)\b"
    r"|\b(?:our|the) (?:\w+ )?(?:quota|limit|plan|tier|cap|allowance) (?:is|was|went|has been|got) [^.;!?]{0,60}"
    r"\b(?:now|from now on|these days|up|down|raised|doubled|cut|halved)\b"
)
"""How somebody tells that they are granted more or less by now."""

GRANTED = re.compile(r"\b(?:allowed|allows?|quota|limit(?:ed)?|plan|tier|cap|allowance|granted|may we|can we|we may)\b")
"""How a text tells what is granted."""

UNIT = re.compile(r"\b(?:an?|per|/) ?(second|minute|hour|day|night|week|month|year)\b")

OF_GRANTS = frozenset(
    map(
        stem,
        "allow allowed quota limit limited plan tier cap allowance granted rate request requests call calls api free "
        "paid may send hit hits many much we our account key more than most vendor provider they their".split(),
    )
)
"""Words of a grant that tell nothing of whose it is."""

SENTENCE = re.compile(r"(?<=[.!?;]) ")

IN_PLACE = re.compile(
    r"\b(?P<new>\d[\d.,]*) ?(?P<unit>%|[a-z]{1,12}),? (?:instead of|rather than|in place of|and no longer|no longer) "
    r"(?:the )?(?P<old>\d[\d.,]*\d|\d)\b"
)
"""One number in the place of another one: "12 percent instead of 15"."""


def set_otherwise(later: str, earlier: str) -> str:
    """The later text names a value that the earlier one sets, as over, and another one of its sort."""
    new, old = settings_of(later), settings_of(earlier)
    if not new.is_statement:
        return ""
    for sort in ("weekday", "time"):
        gone = new.gone.get(sort, NONE) & old.values.get(sort, NONE)
        if gone and new.values.get(sort, NONE) - gone:
            return f"{' '.join(sorted(gone))} is over"
    if MAKES_IT.search(flat(later)) is None or not topic_of(later).words & topic_of(earlier).words:
        return ""
    known, said = values_of(earlier), values_of(later)
    for number, unit in sorted(known & said):
        others = {each for each in said if UNITS.get(each[1], each[1]) == UNITS.get(unit, unit) and each not in known}
        if unit and others:
            return f"{number} {unit} is set otherwise"
    return ""


def set_together(later: str, earlier: str) -> str:
    """The later text tells of a change of what both speak of, and gives two sorts of values another one each."""
    new, old = settings_of(later), settings_of(earlier)
    if not new.is_statement or not new.tells_change or new.subject.isdisjoint(old.subject):
        return ""
    gone, many = [], 0
    for sort in TOGETHER:
        mine, theirs = new.values.get(sort, NONE), old.values.get(sort, NONE)
        if len(mine) == 1 and theirs and are_apart(sort, mine, theirs):
            gone += sorted(theirs)
            many += 1
    return f"{' and '.join(gone)} are over" if many > 1 else ""


def measured_otherwise(later: str, earlier: str) -> str:
    """The later text tells of a change, and gives the one measure of a sort that both have another value."""
    new, old = settings_of(later), settings_of(earlier)
    shared = (new.subject & old.subject) | (new.places & old.places)
    is_of_it = new.is_statement and new.tells_change and len(shared) >= FEWEST_SHARED
    return other_value(later, earlier, MEASURES) if is_of_it else ""


def granted(later: str, earlier: str) -> str:
    """The later text tells how much of something in a time somebody grants by now, and the earlier one what they did.

    Where the earlier one names whose grant it is, the later one has to name them too.
    """
    asked, before = answered(flat(earlier))
    said = flat(answered(later)[1])
    if GRANTS.search(said) is None or not settings_of(later).is_statement:
        return ""
    for sentence in SENTENCE.split(before):
        reason = other_value(said, sentence, ("rate",))
        is_of_grant = GRANTED.search(f"{asked} {sentence}") is not None
        if not reason or not is_of_grant or UNIT.findall(said) != UNIT.findall(sentence):
            continue
        owner = (settings_of(asked).subject | settings_of(sentence).subject) - OF_GRANTS
        if not owner or owner & settings_of(said).subject:
            return reason
    return ""


def in_place_of(later: str, earlier: str) -> str:
    """The later text gives a number with its unit in the place of one that the earlier text has with that unit."""
    known = values_of(earlier)
    for match in IN_PLACE.finditer(flat(later)):
        new, old = (values_of(f"{match[side]} {match['unit']}") for side in ("new", "old"))
        if old and old <= known and new and new.isdisjoint(known):
            return f"{match['old']} {match['unit']} is over"
    return ""


def other_value(later: str, earlier: str, sorts: tuple[str, ...] = ("time", "weekday", "duration", "rate")) -> str:
    """The one value of a sort that a later text has in the place of the earlier one's; '' where it is not so simple."""
    new, old = settings_of(later), settings_of(earlier)
    for sort in sorts:
        mine, theirs = new.values.get(sort, NONE), old.values.get(sort, NONE)
        if len(mine) == len(theirs) == 1 and are_apart(sort, mine, theirs):
            return f"{named(sort, *mine)} in the place of {named(sort, *theirs)}"
    return ""


def named(sort: str, value: str) -> str:
    """A value as it is told to people: a full hour with its minutes."""
    return f"{value}:00" if sort == "time" and value.isdigit() else value
