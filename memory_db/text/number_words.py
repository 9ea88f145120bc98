"""Numbers that are written out, in figures: "ten minutes", "half an hour", "an hour and a half", "twenty-five days";
days of the week that are cut, in full; and times of day as a clock shows them.

In: a text on one line, in lower case. Out: the same with figures. Invariant: pure; a number word is a number only
before a unit of time or size, or before what is counted: "one" of "which one" stays; "sat" and "sun" are days only
where something beside them says so.
"""

from __future__ import annotations

import re

from memory_db.text.clock_words import on_the_clock

ONES = dict(zip(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen".split(), range(20), strict=True,
))  # fmt: skip
TENS = dict(zip("twenty thirty forty fifty sixty seventy eighty ninety".split(), range(20, 100, 10), strict=True))

UNIT = r"(?:seconds?|secs?|minutes?|mins?|hours?|days?|nights?|weeks?|months?|quarters?|years?|percent)"

WRITTEN = re.compile(
    rf"\b(?:(?P<tens>{'|'.join(TENS)})(?:[- ](?P<ones>{'|'.join(list(ONES)[1:10])}))?|(?P<small>{'|'.join(ONES)})"
    rf"|(?P<dozen>a dozen))(?= {UNIT}\b)"
)
"""A number written out, before a unit."""

FEW = "|".join(list(ONES)[1:10])

FORTNIGHT = re.compile(r"\b(?:an?|one) fortnight\b(?! ago\b)")
"""Two weeks, as a time that something takes."""

SIXTIETHS = {"hour": "minutes", "minute": "seconds"}

HALVES = re.compile(
    rf"\b(?P<count>an?|{FEW}|\d{{1,2}})(?P<unit> (?:hour|minute))s? and a half\b"
    rf"|\b(?P<before>an?|{FEW}|\d{{1,2}}) and a half(?P<after> (?:hour|minute))s?\b"
    r"|\b(?P<part>half|(?:a )?quarter of|three[- ]quarters of)(?P<of>[ -](?:an? )?(?:hour|minute))s?\b"
)
"""Parts of an hour or a minute."""

PARTS = {"half": 30, "quarter of": 15, "a quarter of": 15, "three quarters of": 45, "three-quarters of": 45}


DAYS = {
    "mo": "monday",
    "tu": "tuesday",
    "we": "wednesday",
    "th": "thursday",
    "fr": "friday",
    "sa": "saturday",
    "su": "sunday",
}
CUT_DAY = re.compile(
    r"(?<![\w.'-])(?:mon|tues?|wed|thu(?:rs?)?|fri|"
    r"(?:(?<=\bon )|(?<=\bevery )|(?<=[+&/] ))(?:sat|sun)(?! (?:in|on|at|down|there|here|still|with|by)\b)|"
    r"(?:sat|sun)(?= (?:\d{1,2}[:.]\d\d|morning|noon|afternoon|evening|night|and (?:sun|mon)\b|[+&/] ?\w{3}\b)))"
    r"(?![\w'])(?!\.\w)"
)
"""A day of the week as it is cut in notes: "tue + thu 05:30", "window is sun 04:00"."""


def in_figures(plain: str) -> str:
    """A text with its times of day and its written numbers in figures, these before a unit, and its days in full."""
    plain = FORTNIGHT.sub("2 weeks", on_the_clock(plain))
    return CUT_DAY.sub(lambda match: DAYS[match[0][:2]], WRITTEN.sub(figure, HALVES.sub(whole, plain)))


def figure(match: re.Match[str]) -> str:
    """A number word as digits."""
    if match["dozen"]:
        return "12"
    return str(ONES[match["small"]] if match["small"] else TENS[match["tens"]] + ONES.get(match["ones"] or "", 0))


def whole(match: re.Match[str]) -> str:
    """Parts of an hour as minutes, and of a minute as seconds."""
    unit = (match["unit"] or match["after"] or match["of"]).replace("-", " ").split()[-1]
    count = match["count"] or match["before"]
    many = PARTS[match["part"]] if match["part"] else 60 * (int(count) if count.isdigit() else ONES.get(count, 1)) + 30
    return f"{many} {SIXTIETHS[unit]}"
