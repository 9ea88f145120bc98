"""Times as they stand in the file: ISO-8601 UTC text with milliseconds and a Z."""

from __future__ import annotations

from datetime import UTC, datetime

from memory_db.errors import InputError
from memory_db.records import dataclass


@dataclass(slots=True, frozen=True)
class Window:
    """The time that a question names: from `start` until before `end`, as the file writes times; None is open.

    `words` are those of the question that name it, `zone` the time zone they were read in. Where an event gave it,
    `event` is the uid of the memory or entry that tells of it.
    """

    start: str | None
    end: str | None
    words: str = ""
    zone: str = "UTC"
    event: str | None = None

    def as_dict(self) -> dict[str, str | None]:
        """The window as it is logged."""
        return {name: getattr(self, name) for name in self.__slots__}

    def days(self) -> float | None:
        """How long it is; None where an end is open. Raises: InputError."""
        if self.start is None or self.end is None:
            return None
        return (parse_utc(self.end) - parse_utc(self.start)).total_seconds() / 86_400


def utc_text(moment: datetime) -> str:
    """A moment as the file keeps it, such as `2026-03-01T09:30:00.000Z`."""
    text = moment.astimezone(UTC).isoformat(timespec="milliseconds")
    return text.replace("+00:00", "Z")


def parse_utc(text: str) -> datetime:
    """The moment that a stored or given time means, in UTC; without a zone it is UTC already.

    Raises: InputError.
    """
    try:
        moment = datetime.fromisoformat(text.strip())
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError) as error:
        raise InputError(f"{text[:80]!r} is not a date. Write it as 2026-03-01 or 2026-03-01T09:30:00Z.") from error


def normal_utc(text: str) -> str:
    """A given time in the form the file keeps.

    Raises: InputError.
    """
    return utc_text(parse_utc(text))
