"""What a text says is over with a value: what says that very value, and nothing that says another one."""

from __future__ import annotations

import pytest

from memory_db.text.relations import RELATED, SUPERSEDES, Statement, relation


def relation_of(old: str, new: str) -> str | None:
    """The kind of relation of a text to one that was said before it, in the same project."""
    found = relation(
        Statement(new, "environment", "project", 1, "2026-03-02"),
        Statement(old, "environment", "project", 1, "2026-03-01"),
    )
    return found.kind if found else None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The API listens on port 9191 since today.", "The API no longer listens on port 8080."),
        ("The API listens on port 9090.", "The API is no longer on port 8080."),
        ("The API listens on port 9090.", "The API doesn't listen on port 8080 any more."),
        ("The API listens on port 9090.", "We no longer use port 8080 for the API."),
        ("Workers use Python 3.11.", "The workers no longer use Python 3.9."),
        ("The build cache is stored for 7 days.", "The build cache is no longer stored for 30 days."),
        ("The staging database listens on port 6543 now, not 5432.", "The API no longer listens on port 8080."),
    ],
)
def test_what_is_over_with_one_value_holds_with_another(old: str, new: str) -> None:
    assert relation_of(old, new) in (None, RELATED)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The API listens on port 8080.", "The API no longer listens on port 8080."),
        ("The API listens on port 8080.", "The API doesn't listen on port 8080 any more."),
        ("Workers use Python 3.9.", "The workers no longer use Python 3.9."),
        ("The legacy gateway serves v1 clients.", "The legacy gateway no longer exists since 2 May."),
        ("Redis holds the sessions.", "Redis is no longer used as of version 2.4."),
    ],
)
def test_what_is_over_with_its_value_or_altogether_is_replaced(old: str, new: str) -> None:
    assert relation_of(old, new) == SUPERSEDES
