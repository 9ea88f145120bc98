"""Times as they stand in the file: ISO-8601 UTC text with milliseconds and a Z."""

from __future__ import annotations

from datetime import UTC, datetime

from memory_db.errors import InputError


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
