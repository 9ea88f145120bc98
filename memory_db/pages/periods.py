"""The period that the pages of one visitor are of: a field of the address, else what was chosen before.

In: the fields of a request, and its cookies. Out: the word of a period. Invariant: an address that names a period gives
the same page to everybody; a cookie that cannot be used counts as none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from memory_db.pages.forms import Fields
from memory_db.store.periods import DEFAULT

FIELD = "period"

COOKIE = "memory_period"

WORD = re.compile(r"7|30|all|last-week|[12]\d{3}-(?:W[0-5]\d|[01]\d-[0-3]\d)")
"""What a cookie may hold."""

LASTING = ("7", "30", "all")
"""Words that are kept for a year; a week or a day is looked at once, and kept until the browser is closed."""

YEAR_SECONDS = 31_536_000


def named(fields: Fields) -> str:
    """The word that the fields name, empty for none: a form sends its day first and then what was chosen before, and a
    day may be left out."""
    return next((value.strip() for value in fields.get(FIELD, ()) if value.strip()), "")


def word_in(fields: Fields) -> str:
    """The word that the fields name, else that of the usual period."""
    return named(fields) or DEFAULT


def with_chosen(fields: Fields, cookies: Mapping[str, str]) -> Fields:
    """The fields with the period that was chosen before, where they name none."""
    chosen = cookies.get(COOKIE, "")
    if named(fields) or not WORD.fullmatch(chosen):
        return fields
    return {**fields, FIELD: [chosen]}


def cookie_for(fields: Fields) -> str:
    """What keeps the period that the fields name for later visits, as a header; empty where they name none."""
    word = named(fields)
    if not WORD.fullmatch(word):
        return ""
    lasts = f" Max-Age={YEAR_SECONDS};" if word in LASTING else ""
    return f"{COOKIE}={word}; Path=/;{lasts} SameSite=Lax; HttpOnly"
