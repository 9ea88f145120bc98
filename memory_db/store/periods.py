"""The span of days that is looked at: chosen once, named everywhere.

In: a word (`7`, `30`, `all`, `last-week`, a calendar week such as 2026-W47, the day it begins on, or its first and
last day as 2026-10-01..2026-10-07), a file, a moment. Out: a `Period`. Invariants: it holds whole days in UTC, as
sums by day do; it ends with today, or with its last day or week, or, where no agent did anything in so many days, with
the last day on which one did; `is_current` says whether today is in it; so every figure of a page is of the same days,
but for what people did since, which counts too.
"""

from __future__ import annotations

import re
import sqlite3
from datetime import UTC, date, datetime, time, timedelta

from memory_db.errors import InputError
from memory_db.records import dataclass
from memory_db.store.dates import parse_utc, utc_text

LENGTHS = {"7": 7, "30": 30}
"""Days of a period by its word."""

ALL = "all"

LAST_WEEK = "last-week"
"""The calendar week before this one, Monday to Sunday."""

CALENDAR_WEEK = re.compile(r"([12][0-9]{3})-W([0-5][0-9])")
"""A calendar week by its year and number. Source: ISO 8601, as HTML's `input type=week` sends it."""

FROM_TO = re.compile(r"([12][0-9]{3}-[01][0-9]-[0-3][0-9])\.\.([12][0-9]{3}-[01][0-9]-[0-3][0-9])")
"""The first and the last day of a period, by which an address gives the same days for good."""

DEFAULT = "7"

DAY = timedelta(days=1)

WEEK = timedelta(days=7)

EARLIEST = datetime(1970, 1, 1, tzinfo=UTC)
"""Where all there is begins."""

AGENTS = ("hook", "session-start", "pre-tool-use", "mcp", "brief", "ask", "llm")
"""Surfaces whose answers an agent or a model reads; all others are people who look."""

BY_AGENTS = f"""surface in ({", ".join(f"'{name}'" for name in AGENTS)})"""
"""Which recalls are those of agents."""

AGENTS_DID = f"""
    select max(asked_at) as at from recalls where asked_at < :until and {BY_AGENTS}
    union all select max(created_at) from api_calls where created_at < :until
    union all select max(started_at) from hook_runs where started_at < :until
"""

LAST_OF_AGENTS = f"select max(at) from ({AGENTS_DID})"
"""When an agent did anything last, which indexes tell."""

LAST = f"""
select coalesce((select max(at) from ({AGENTS_DID}
    union all select max(valid_from) from memory_versions
        where recorded_to is null and valid_from < :until and changed_by <> 'user'
)), (select max(valid_from) from memory_versions where recorded_to is null and valid_from < :until))
"""
"""When anything happened last: a memory counts when it was said, not when it was imported, and whoever looks at an old
history, or corrects a memory of it, does not make it a new one. What a person added counts where no agent did anything.
"""


@dataclass(slots=True, frozen=True)
class Period:
    """Whole days from `since` until before `until`; `word` is what chose them.

    `before` is where as many days begin that went before; None where the period has no length to compare. Of a calendar
    week in which no agent did anything `last_active` is the day on which one did last. `until_now` is where that ends
    which people did: with today, where the period ends earlier and is no week.
    """

    word: str
    since: datetime
    until: datetime
    is_current: bool
    last_active: datetime | None = None
    until_now: datetime | None = None

    @property
    def days(self) -> int | None:
        """How many days it has; None for all there is."""
        return None if self.word == ALL else (self.until - self.since).days

    @property
    def before(self) -> datetime | None:
        """Where the days before it begin that it is compared with."""
        is_compared = self.word in LENGTHS or self.is_week or FROM_TO.fullmatch(self.word)
        return self.since - (self.until - self.since) if is_compared else None

    @property
    def lasting_word(self) -> str:
        """The word that names these days on every later day too; of all there is, there is none but its own."""
        if self.word == ALL or CALENDAR_WEEK.fullmatch(self.word):
            return self.word
        return week_of(self.since) if self.is_week else f"{self.first_day}..{self.last_day}"

    @property
    def is_week(self) -> bool:
        """Whether it is a calendar week, which begins on a Monday."""
        return self.word == LAST_WEEK or CALENDAR_WEEK.fullmatch(self.word) is not None

    @property
    def week_before(self) -> str | None:
        """The word of the calendar week before this one; None for what is no calendar week."""
        return week_of(self.since - WEEK) if self.is_week else None

    @property
    def week_after(self) -> str | None:
        """The word of the calendar week after this one, if it has begun."""
        return week_of(self.since + WEEK) if self.is_week and not self.is_current else None

    @property
    def active_week(self) -> str | None:
        """The word of the calendar week in which an agent did something last, where none did in this one."""
        return week_of(self.last_active) if self.last_active else None

    @property
    def active_week_name(self) -> str | None:
        """That week in words: `week 45, 2026-11-02 to 2026-11-08`."""
        if self.last_active is None:
            return None
        monday = midnight(self.last_active) - timedelta(days=self.last_active.weekday())
        return Period(week_of(monday), monday, monday + WEEK, False).name

    @property
    def last_active_day(self) -> str | None:
        """The day of that."""
        return utc_text(self.last_active)[:10] if self.last_active else None

    @property
    def first_day(self) -> str | None:
        """The day that it begins on; None for all there is."""
        return None if self.word == ALL else utc_text(self.since)[:10]

    @property
    def last_day(self) -> str:
        """The last day in it."""
        return utc_text(self.until - DAY)[:10]

    @property
    def name(self) -> str:
        """What it is, in words that stand beside a figure."""
        if self.word == ALL:
            return "all time"
        if self.word in LENGTHS:
            return f"{self.days} days to {self.last_day}"
        if self.is_week:
            called = "last week" if self.word == LAST_WEEK else f"week {self.since.isocalendar().week}"
            return f"{called}, {self.first_day} to {self.last_day}"
        if FROM_TO.fullmatch(self.word):
            return f"{self.first_day} to {self.last_day}"
        return f"since {self.first_day}"

    def as_dict(self) -> dict[str, object]:
        """The period as pages and JSON have it."""
        return {
            "word": self.word, "lasting_word": self.lasting_word, "name": self.name,
            "since": utc_text(self.since), "until": utc_text(self.until),
            "first_day": self.first_day, "last_day": self.last_day, "is_current": self.is_current,
            "week_before": self.week_before, "week_after": self.week_after, "active_week": self.active_week,
            "active_week_name": self.active_week_name, "last_active_day": self.last_active_day,
        }  # fmt: skip


def period(db: sqlite3.Connection, word: str, now: datetime) -> Period:
    """The days that a word names: `7` or `30` days, `all`, `last-week`, a calendar week such as 2026-W47, a day such as
    2026-10-01 to begin on, or the first and the last day as 2026-10-01..2026-10-07.

    Raises: InputError.
    """
    until = midnight(now) + DAY
    if word == ALL:
        return Period(ALL, EARLIEST, until, True)
    if found := FROM_TO.fullmatch(word):
        since, end = (midnight(beginning(day, until)) for day in found.groups())
        if end < since:
            raise InputError(f"The period {word} ends before it begins. Give its first day first.")
        return Period(word, since, end + DAY, end + DAY >= until)
    if (monday := monday_of(word, until)) is not None:
        end = min(monday + WEEK, until)
        last = last_at(db, end)
        return Period(word, monday, end, monday + WEEK >= until, last if last and last < monday else None)
    if word not in LENGTHS:
        since = midnight(beginning(word, until))
        return Period(utc_text(since)[:10], since, until, True)
    length = timedelta(days=LENGTHS[word])
    last = last_at(db, until, enough=until - length)
    if last and last < until - length:
        end = midnight(last) + DAY
        return Period(word, end - length, end, False, until_now=until)
    return Period(word, until - length, until, True)


def last_at(db: sqlite3.Connection, until: datetime, *, enough: datetime | None = None) -> datetime | None:
    """When anything happened last before a moment; None where nothing did.

    Where something did that is as late as `enough`, that may be given instead: memories need not be looked at then.
    """
    found = db.execute(LAST_OF_AGENTS, {"until": utc_text(until)}).fetchone()[0]
    if found is None or enough is None or parse_utc(found) < enough:
        found = db.execute(LAST, {"until": utc_text(until)}).fetchone()[0]
    return parse_utc(found) if found else None


def check_word(word: str, now: datetime) -> None:
    """Raises: InputError where a word names no period."""
    until = midnight(now) + DAY
    if word != ALL and word not in LENGTHS and monday_of(word, until) is None:
        for day in word.split("..", 1):
            beginning(day, until)


def monday_of(word: str, until: datetime) -> datetime | None:
    """The day that a calendar week begins on; None for a word that names none. Raises: InputError."""
    if word == LAST_WEEK:
        today = until - DAY
        return today - timedelta(days=today.weekday()) - WEEK
    found = CALENDAR_WEEK.fullmatch(word)
    if found is None:
        return None
    try:
        monday = date.fromisocalendar(int(found[1]), int(found[2]), 1)
    except ValueError as error:
        raise InputError(f"There is no calendar week {word}. The weeks of a year are W01 to W52 or W53.") from error
    return no_later(datetime.combine(monday, time(), UTC), word, until)


def week_of(moment: datetime) -> str:
    """The word of the calendar week that a moment is in."""
    found = moment.isocalendar()
    return f"{found.year}-W{found.week:02}"


def beginning(word: str, until: datetime) -> datetime:
    """The day that a period is to begin on. Raises: InputError."""
    try:
        since = parse_utc(word)
    except InputError as error:
        raise InputError(
            f"{word[:40]!r} is no period. Choose 7, 30, all, last-week, or a day such as 2026-10-01."
        ) from error
    return no_later(since, word, until)


def no_later(since: datetime, word: str, until: datetime) -> datetime:
    """When a period begins, which is not after today. Raises: InputError."""
    if since >= until:
        raise InputError(f"The period begins on {word[:40]}, after today. Choose a day that was.")
    return since


def midnight(moment: datetime) -> datetime:
    """The beginning of a day in UTC."""
    return moment.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
