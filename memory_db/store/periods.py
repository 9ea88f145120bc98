"""The span of days that is looked at: chosen once, named everywhere.

In: a word (`7`, `30`, `all`, or the day it begins on), a file, a moment. Out: a `Period`. Invariants: it holds whole
days in UTC, as sums by day do; it ends with today, or, where nothing at all happened in it, with the last day on which
something did, which `is_current` says; so every figure of a page is of the same days.
"""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime, timedelta

from memory_db.errors import InputError
from memory_db.records import dataclass
from memory_db.store.dates import parse_utc, utc_text

LENGTHS = {"7": 7, "30": 30}
"""Days of a period by its word."""

ALL = "all"

DEFAULT = "7"

DAY = timedelta(days=1)

EARLIEST = datetime(1970, 1, 1, tzinfo=UTC)
"""Where all there is begins."""

AGENTS = ("hook", "session-start", "pre-tool-use", "mcp", "brief", "ask", "llm")
"""Surfaces whose answers an agent or a model reads; all others are people who look."""

BY_AGENTS = f"""surface in ({", ".join(f"'{name}'" for name in AGENTS)})"""
"""Which recalls are those of agents."""

LAST = f"""
select max(at) from (
    select max(asked_at) as at from recalls where asked_at < :until and {BY_AGENTS}
    union all select max(created_at) from api_calls where created_at < :until
    union all select max(valid_from) from memory_versions where recorded_to is null and valid_from < :until
    union all select max(started_at) from hook_runs where started_at < :until
)
"""
"""When anything happened last: a memory counts when it was said, not when it was imported, and whoever looks at an old
history does not make it a new one."""


@dataclass(slots=True, frozen=True)
class Period:
    """Whole days from `since` until before `until`; `word` is what chose them.

    `before` is where as many days begin that went before; None where the period has no length to compare.
    """

    word: str
    since: datetime
    until: datetime
    is_current: bool

    @property
    def days(self) -> int | None:
        """How many days it has; None for all there is."""
        return None if self.word == ALL else (self.until - self.since).days

    @property
    def before(self) -> datetime | None:
        """Where the days before it begin that it is compared with."""
        return self.since - (self.until - self.since) if self.word in LENGTHS else None

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
        return f"since {self.first_day}"

    def as_dict(self) -> dict[str, object]:
        """The period as pages and JSON have it."""
        return {
            "word": self.word, "name": self.name, "since": utc_text(self.since), "until": utc_text(self.until),
            "first_day": self.first_day, "last_day": self.last_day, "is_current": self.is_current,
        }  # fmt: skip


def period(db: sqlite3.Connection, word: str, now: datetime) -> Period:
    """The days that a word names: `7` or `30` days, `all`, or a day such as 2026-10-01 to begin on.

    Raises: InputError.
    """
    until = midnight(now) + DAY
    if word == ALL:
        return Period(ALL, EARLIEST, until, True)
    if word not in LENGTHS:
        since = midnight(beginning(word, until))
        return Period(utc_text(since)[:10], since, until, True)
    length = timedelta(days=LENGTHS[word])
    last = db.execute(LAST, {"until": utc_text(until)}).fetchone()[0]
    if last and last < utc_text(until - length):
        until = midnight(parse_utc(last)) + DAY
        return Period(word, until - length, until, False)
    return Period(word, until - length, until, True)


def check_word(word: str, now: datetime) -> None:
    """Raises: InputError where a word names no period."""
    if word != ALL and word not in LENGTHS:
        beginning(word, midnight(now) + DAY)


def beginning(word: str, until: datetime) -> datetime:
    """The day that a period is to begin on. Raises: InputError."""
    try:
        since = parse_utc(word)
    except InputError as error:
        raise InputError(f"{word[:40]!r} is no period. Choose 7, 30, all, or a day such as 2026-10-01.") from error
    if since >= until:
        raise InputError(f"The period begins on {word[:40]}, after today. Choose a day that was.")
    return since


def midnight(moment: datetime) -> datetime:
    """The beginning of a day in UTC."""
    return moment.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
