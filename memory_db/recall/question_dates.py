"""The time that a question names, as a window in UTC.

In: a question's words, the moment it is asked as of, and the zone of who asks. Out: a `Window`, or None. Which words
name a time is found by `date_phrases`; what a date means is read by dateparser; how long it lasts follows from the
words: a month named is that whole month. Questions ask about the past: a month or a weekday is the latest one.
Invariants: days begin and end at midnight of the zone; a window that would lie wholly in the future is none.

Nothing that a hook loads imports this: the library alone takes longer to load than a hook may run.
"""

from __future__ import annotations

import re
import sqlite3
from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

from dateutil.relativedelta import relativedelta

from memory_db.recall.event_dates import find_event
from memory_db.recall.question import Question
from memory_db.records import replace
from memory_db.store.dates import Window, parse_utc, utc_text
from memory_db.text.dates.phrases import Phrase, find_phrases, lowered
from memory_db.text.dates.spans import offset_from, part_of, span_of, week_of, whole

BOUND = re.compile(
    r"\b(?P<bound>since|after|before|prior\s+to|until|till|up\s+to|by)\s+(?:the\s+|about\s+|around\s+)?$"
)
RANGE = re.compile(r"\b(?:between|from)\s+(?:the\s+)?$")
AND = re.compile(r"\s*(?:and|to|through|until|till|-|–)\s*(?:the\s+)?")


def with_window(db: sqlite3.Connection, question: Question, now: datetime, zone: ZoneInfo) -> Question:
    """The question with the time that its words name, or the time of an event that the file knows of.

    `now` is when it is asked, unless it is asked as of another moment. A question that has a window keeps it.
    Raises: InputError.
    """
    if question.window is not None:
        return question
    moment = parse_utc(question.filters.as_of) if question.filters.as_of else now
    window = read_window(question.query, moment, zone) or event_window(db, question, moment, zone)
    return replace(question, window=window) if window else question


def read_window(text: str, moment: datetime, zone: ZoneInfo) -> Window | None:
    """The time that a text names, read at a moment in a zone. A date with its year comes before one without."""
    phrases = find_phrases(text)
    for phrase in sorted(phrases, key=lambda each: (not each.has_year, is_of_date(text, phrases, each), each.start)):
        window = window_of(text, phrases, phrase, moment, zone)
        if window:
            return window
    return None


def is_of_date(text: str, phrases: list[Phrase], phrase: Phrase) -> bool:
    """Whether a weekday only goes before a date, which says the day: Tuesday, 13 October."""
    after = next((each for each in phrases if each.start >= phrase.end), None)
    if phrase.sort != "weekday" or after is None or after.sort != "date":
        return False
    return re.fullmatch(r"[\s,]*(?:the\s+)?", lowered(text[phrase.end : after.start])) is not None


def window_of(text: str, phrases: list[Phrase], phrase: Phrase, moment: datetime, zone: ZoneInfo) -> Window | None:
    """What a phrase means where it stands: with what bounds it, or as an end of a range."""
    number = phrases.index(phrase)
    for first, second in ((number, number + 1), (number - 1, number)):
        if first >= 0 and second < len(phrases) and is_range(text, phrases[first], phrases[second]):
            return range_window(text, phrases[first], phrases[second], moment, zone)
    span = span_of(phrase, moment, zone)
    if span is None:
        return None
    start, end = span
    at = phrase.start
    lower = lowered(text)
    for narrow in (part_of, week_of, offset_from):
        narrowed = narrow(lower[:at], (start, end))
        if narrowed:
            (start, end), at = narrowed
    bound = BOUND.search(lower[:at])
    word = bound["bound"].split()[0] if bound else ""
    if bound:
        at = bound.start("bound")
    elif (before := re.search(r"\b(?:last|this)\s+$", lower[:at])) and phrase.sort in ("weekday", "month"):
        at = before.start()
    words = text[at : phrase.end]
    if word in ("before", "prior"):
        return made(None, start, words, zone)
    if in_utc(start, zone) > moment:
        return None
    if word in ("until", "till", "up", "by"):
        return made(None, end, words, zone)
    if word in ("since", "after"):
        return made(end if word == "after" else start, None, words, zone)
    if re.match(r"\s+on(?:wards?)?\b", lower[phrase.end :]) and lower[:at].endswith("from "):
        return made(start, None, words, zone)
    return made(start, end, words, zone)


def is_range(text: str, first: Phrase, second: Phrase) -> bool:
    """Whether two phrases are the ends of one time: between March and May, from Monday to Wednesday."""
    return bool(RANGE.search(lowered(text[: first.start])) and AND.fullmatch(lowered(text[first.end : second.start])))


def range_window(text: str, first: Phrase, second: Phrase, moment: datetime, zone: ZoneInfo) -> Window | None:
    """From the start of one phrase to the end of another; a year or month that only the second names is of both."""
    last = span_of(second, moment, zone)
    plain = first.plain
    if first.sort == "date" and plain.isdigit():
        plain = f"{plain} {second.plain.partition(' ')[2]}"
    if second.has_year and not first.has_year and first.sort in ("date", "month"):
        plain = f"{plain} {second.plain[-4:]}"
    begin = span_of(replace(first, plain=plain), moment, zone)
    if begin is None or last is None or in_utc(begin[0], zone) > moment:
        return None
    earlier = relativedelta(weeks=1) if first.sort == "weekday" else relativedelta(years=1)
    while begin[0] >= last[1] and not first.has_year:
        begin = (begin[0] - earlier, begin[1])
    if begin[0] >= last[1]:  # between 2025 and 2024
        begin, last = last, begin
    return made(begin[0], last[1], text[first.start : second.end], zone)


def made(start: datetime | None, end: datetime | None, words: str, zone: ZoneInfo) -> Window:
    """A window from moments of the zone's clock."""
    ends = [utc_text(in_utc(each, zone)) if each else None for each in (start, end)]
    return Window(ends[0], ends[1], words=words.strip(), zone=zone.key)


def in_utc(moment: datetime, zone: tzinfo) -> datetime:
    """A moment of the zone's clock in UTC; one that the clock leaves out is where it goes on."""
    return (moment if moment.tzinfo else moment.replace(tzinfo=zone)).astimezone(UTC)


# ------------------------------------------------------------------------- events


def event_window(db: sqlite3.Connection, question: Question, moment: datetime, zone: ZoneInfo) -> Window | None:
    """The time before, after or at an event that the file knows of; None where it knows of none."""
    event = find_event(db, question, moment)
    if event is None:
        return None
    happened = parse_utc(event.happened_at)
    if event.bound == "when":
        start, end = whole(happened.astimezone(zone).replace(tzinfo=None), "day")
        return replace(made(start, end, event.words, zone), event=event.uid)
    is_before = event.bound in ("before", "until")
    window = made(None, happened, event.words, zone) if is_before else made(happened, None, event.words, zone)
    return replace(window, event=event.uid)


# ----------------------------------------------------------------------- in words


def read_as(window: Window) -> str:
    """A window in words, such as `16 to 22 November 2026, Europe/Vienna`."""
    zone = ZoneInfo(window.zone)
    start, end = (parse_utc(text).astimezone(zone) if text else None for text in (window.start, window.end))
    source = f", the time of {window.event}" if window.event else ""
    if start is None or end is None:
        word, edge = ("before", end) if start is None else ("since", start)
        return f"{word} {clock_text(edge) if edge else 'now'}{source}, {window.zone}"
    if is_midnight(start) and is_midnight(end):
        return f"{days_text(start, end - timedelta(days=1))}{source}, {window.zone}"
    last = f"{end:%H:%M}" if end.date() == start.date() else clock_text(end)
    return f"{start.day} {start:%B %Y %H:%M} to {last}{source}, {window.zone}"


def days_text(first: datetime, last: datetime) -> str:
    """From one day to another, without saying twice what they share."""
    end = f"{last.day} {last:%B %Y}"
    if first.date() == last.date():
        return end
    if (first.year, first.month) == (last.year, last.month):
        return f"{first.day} to {end}"
    return f"{first.day} {first:%B}{'' if first.year == last.year else f' {first.year}'} to {end}"


def clock_text(moment: datetime) -> str:
    """A day, with its time where that is not midnight."""
    return f"{moment.day} {moment:%B %Y}" + ("" if is_midnight(moment) else f" {moment:%H:%M}")


def is_midnight(moment: datetime) -> bool:
    """Whether a day begins here."""
    return (moment.hour, moment.minute, moment.second) == (0, 0, 0)
