"""What words that name a time mean: from which moment of a clock until which.

In: a `Phrase`, the moment it is said, and the words before it. Out: a `Span` of the asker's clock, in UTC for hours and
minutes. dateparser reads what day, month or year is meant; how long it lasts follows from the words. What can be more
than one year's or week's is the latest that has begun.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo

from dateutil.relativedelta import relativedelta

from memory_db.text.dates.phrases import Phrase

Span = tuple[datetime, datetime]
"""From a moment until before another. Without a zone they are of the asker's clock."""

Narrowed = tuple[Span, int] | None
"""A span that the words before it narrow, and where those begin."""

PARTS_OF_DAY = {"morning": (5, 12), "afternoon": (12, 18), "evening": (17, 24), "night": (18, 30)}
"""From which hour until which one a part of a day lasts; a night goes on into the next day.

Source: ours, around the hours that dateparser gives for them (9, 15, 18 and 20).
"""

LENGTHS = {
    "day": relativedelta(days=1),
    "week": relativedelta(weeks=1),
    "month": relativedelta(months=1),
    "quarter": relativedelta(months=3),
    "year": relativedelta(years=1),
}

PART = re.compile(r"(?:\b(?P<part>early|mid|late)[\s-]+|\b(?:the\s+)?(?P<of>beginning|start|middle|end)\s+of\s+)$")
WEEK_OF = re.compile(
    r"\b(?:the\s+)?(?:(?P<which>first|second|third|fourth|last)\s+)?(?P<named>week|weekend)\s+(?:of|in)\s+$"
)
OFFSET = re.compile(
    r"\b(?:the\s+|(?P<count>an?|one|two|three|four|\d{1,2})\s+)(?P<unit>day|week|month|year)s?\s+"
    r"(?P<way>before|after)\s+$"
)
NUMBERS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4}
PLACES = {"first": 0, "second": 1, "third": 2, "fourth": 3}


def span_of(phrase: Phrase, moment: datetime, zone: ZoneInfo) -> Span | None:
    """The whole time that a phrase names, before what stands around it is looked at."""
    here = moment.astimezone(zone).replace(tzinfo=None)
    try:
        return READERS[phrase.sort](phrase.plain, here, moment)
    except (OverflowError, ValueError):
        return None


def read_named(plain: str, here: datetime, moment: datetime) -> Span | None:
    """This or last week, weekend, month, quarter or year, as the calendar has them; weeks begin on Monday."""
    which, _, name = plain.partition(" ")
    if name == "weekend":
        # On a weekend, the last one is that before; on a working day it is the one that just ended.
        start = whole(here, "week")[0] + timedelta(days=5)
        start -= timedelta(days=7 if which == "last" else 0)
        return start, start + timedelta(days=2)
    start, end = whole(here, name)
    length = LENGTHS[name]
    return (start - length, start) if which == "last" else (start, end)


def read_rolling(plain: str, here: datetime, moment: datetime) -> Span | None:
    """The last so many units: whole days up to now, hours and minutes to the minute."""
    count, _, unit = plain.partition(" ")
    number = 3.0 if count == "few" else 0.5 if count == "half" else number_in(count)
    if unit in ("minute", "hour"):
        return moment - timedelta(**{f"{unit}s": number}), moment
    start = whole(here - relativedelta(**{f"{unit}s": round(number)}), "day")[0]
    return start, whole(here, "day")[1]


def read_ago(plain: str, here: datetime, moment: datetime) -> Span | None:
    """So many units ago: that day, week, month or year; of hours and minutes, from half as many to half as many more.

    Source: the halves, and two to five for a few, are ours.
    """
    count, _, unit = plain.partition(" ")
    if unit in ("minute", "hour"):
        length = timedelta(**{f"{unit}s": 3.0 if count == "few" else 0.5 if count == "half" else number_in(count)})
        return moment - 1.5 * length, moment - 0.5 * length
    if count == "half":
        return whole(here - relativedelta(months=6), "month") if unit == "year" else None
    if count == "few":
        units = f"{unit}s"
        return whole(here - relativedelta(**{units: 5}), unit)[0], whole(here - relativedelta(**{units: 2}), unit)[1]
    found = parsed(f"{count} {unit}s ago", here)
    return whole(found[0], unit) if found else None


def number_in(count: str) -> int:
    """A small number in figures or in words, as dateparser reads it."""
    start = datetime(2000, 7, 1, tzinfo=UTC).replace(tzinfo=None)
    found = parsed(f"{count} days ago", start)
    return (start - found[0]).days if found else 1


def read_relative(plain: str, here: datetime, moment: datetime) -> Span | None:
    """A day near now, or a part of it."""
    words = plain.split()
    part = words[-1] if words[-1] in PARTS_OF_DAY else None
    found = parsed("today" if words[0] == "this" else "yesterday" if part else plain, here)
    if found is None:
        return None
    day = whole(found[0], "day")
    if part is None:
        return day
    first, last = PARTS_OF_DAY[part]
    return day[0] + timedelta(hours=first), day[0] + timedelta(hours=last)


def read_month(plain: str, here: datetime, moment: datetime) -> Span | None:
    """A month; the last one of its name is never the one that is running."""
    name = plain.removeprefix("last ")
    found = parsed(name, here)
    if found is None:
        return None
    start, end = whole(found[0], "month")
    return (start, end) if name == plain or end <= here else (start - LENGTHS["year"], end - LENGTHS["year"])


def read_quarter(plain: str, here: datetime, moment: datetime) -> Span | None:
    """A quarter: of its year, else the latest that has begun."""
    has_year = " " in plain
    found = parsed(plain if has_year else f"{plain} {here.year}", here)
    if found is None:
        return None
    start, end = whole(found[0], "quarter")
    return (start, end) if has_year or start <= here else (start - LENGTHS["year"], end - LENGTHS["year"])


def read_date(plain: str, here: datetime, moment: datetime) -> Span | None:
    """A day, a year, or whatever else the library reads; it lasts as long as the library says it does."""
    found = parsed(plain, here)
    return whole(*found) if found else None


def read_days(plain: str, here: datetime, moment: datetime) -> Span | None:
    """From one day of a month to another."""
    first, _, last = plain.partition(" to ")
    day, _, month = last.partition(" ")
    ends = read_date(f"{first} {month}", here, moment), read_date(f"{day} {month}", here, moment)
    return (ends[0][0], ends[1][1]) if ends[0] and ends[1] and ends[0][0] < ends[1][1] else None


READERS: dict[str, Callable[[str, datetime, datetime], Span | None]] = {
    "date": read_date,
    "days": read_days,
    "weekday": read_date,
    "year": read_date,
    "month": read_month,
    "relative": read_relative,
    "ago": read_ago,
    "rolling": read_rolling,
    "named": read_named,
    "quarter": read_quarter,
}


@cache
def parser_class() -> Any:
    """The library's parser of one date."""
    # Start-up: a tenth of a second, and few questions name a time.
    from dateparser.date import DateDataParser  # noqa: PLC0415

    return DateDataParser


def parsed(plain: str, here: datetime) -> tuple[datetime, str] | None:
    """What the library reads in a phrase, and whether that is a day, a month, a quarter or a year."""
    settings = {"RELATIVE_BASE": here, "PREFER_DATES_FROM": "past", "PREFER_DAY_OF_MONTH": "first"}
    data = parser_class()(languages=["en"], settings=settings).get_date_data(plain)
    return (data.date_obj.replace(tzinfo=None), data.period) if data.date_obj else None


def whole(moment: datetime, length: str) -> Span:
    """The day, week, month, quarter or year that a moment is in."""
    start = moment.replace(hour=0, minute=0, second=0, microsecond=0)
    if length == "week":
        start -= timedelta(days=start.weekday())
    elif length == "month":
        start = start.replace(day=1)
    elif length == "quarter":
        start = start.replace(month=(start.month - 1) // 3 * 3 + 1, day=1)
    elif length == "year":
        start = start.replace(month=1, day=1)
    return start, start + LENGTHS[length]


# ------------------------------------------------------- what stands before a phrase


def part_of(before: str, span: Span) -> Narrowed:
    """Early, mid or late in a month or year: the first, second or last third of it."""
    match = PART.search(before)
    start, end = span
    if not match or end - start < timedelta(days=27):
        return None
    third = {"early": 0, "beginning": 0, "start": 0, "mid": 1, "middle": 1}.get(match["part"] or match["of"], 2)
    if end - start < timedelta(days=32):
        steps = [start, start + timedelta(days=10), start + timedelta(days=20), end]
    else:
        months = round((end - start).days / 30.4)
        steps = [start, start + relativedelta(months=months // 3), end - relativedelta(months=months // 3), end]
    return (steps[third], steps[third + 1]), match.start()


def week_of(before: str, span: Span) -> Narrowed:
    """The week or weekend of a day, or one of the weeks of a month: its first seven days, the next seven, and so on."""
    match = WEEK_OF.search(before)
    start, end = span
    if not match:
        return None
    if end - start < timedelta(days=2):
        week = whole(start, "week")[0]
        return ((week, week + LENGTHS["week"]) if match["named"] == "week" else
                (week + timedelta(days=5), week + timedelta(days=7))), match.start()  # fmt: skip
    if match["which"] is None or not timedelta(days=27) < end - start < timedelta(days=32):
        return None  # only a month has a second week or weekend
    if match["named"] == "weekend":
        saturdays = [
            day for day in (start + timedelta(days=n) for n in range((end - start).days)) if day.weekday() == 5
        ]
        saturday = saturdays[PLACES.get(match["which"], -1)]
        return (saturday, saturday + timedelta(days=2)), match.start()
    first = end - timedelta(days=7) if match["which"] == "last" else start + timedelta(days=7 * PLACES[match["which"]])
    return (first, first + timedelta(days=7)), match.start()


def offset_from(before: str, span: Span) -> Narrowed:
    """The week before a day, or so many units before or after it."""
    match = OFFSET.search(before)
    start, end = span
    if not match:
        return None
    length, is_before = LENGTHS[match["unit"]], match["way"] == "before"
    if match["count"] is None:
        return ((start - length, start) if is_before else (end, end + length)), match.start()
    number = NUMBERS.get(match["count"]) or int(match["count"])
    day = start - number * length if is_before else start + number * length
    return whole(day, match["unit"]), match.start()
