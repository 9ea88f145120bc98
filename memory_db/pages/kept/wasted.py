"""Tokens that agents were shown, and those of which nothing shows a use: summed by memory, and led on from new recalls.

In: a connection that reads, a project's name and days, perhaps the sums before. Out: sums by memory. Invariant: they
are those of the view `injection_waste` over the showings of the span.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import Any

from memory_db.pages.cache import rows
from memory_db.pages.kept.recalls import adds_new_memories, adds_recalls
from memory_db.pages.table_marks import Since
from memory_db.store.narrowed import narrowed

WASTE = """
select uid, kind, project, times_shown, times_of_use, shown_tokens, unused_tokens
from injection_waste where (:project is null or project = :project)
"""

SHOWN_SINCE = {
    "recalls": "asked_at >= :since and (:until is null or asked_at < :until || '~')",
    "hits": "rank is not null and recall_id in (select id from main.recalls where asked_at >= :since)",
    "evidence": "recall_id in (select id from main.recalls where asked_at >= :since)",
}
"""What showings of a span rest on; `~` stands behind every moment of the last day."""

SHOWN_UNTIL = {"recalls": ":until is null or asked_at < :until || '~'"}
"""The same of a span without a beginning."""

SHOWN_AFTER = {
    "recalls": "id > :after and (:since is null or asked_at >= :since)"
    " and (:until is null or asked_at < :until || '~')",
    "hits": "rank is not null and recall_id > :after",
    "evidence": "recall_id > :after",
}
"""The same of the recalls after one."""

Wasted = dict[str, dict[str, Any]]
"""By the uid of a memory its showings in the span, and the tokens of those of which nothing shows a use."""

WASTE_SUMS = ("times_shown", "times_of_use", "shown_tokens", "unused_tokens")


def waste(db: sqlite3.Connection, chosen: dict[str, str | None], *, after: int | None = None) -> Wasted:
    """What agents were shown in the span, of the recalls after one or of all."""
    conditions = SHOWN_AFTER if after is not None else SHOWN_SINCE if chosen["since"] else SHOWN_UNTIL
    begin = narrowed(db, ("showings", "injection_waste"), conditions)
    return {row["uid"]: row for row in rows(db, begin + WASTE, {**chosen, "after": after})}


def waste_on(db: sqlite3.Connection, before: Wasted, since: Since, *, chosen: dict[str, str | None]) -> Wasted | None:
    """The same, on from before: a recall adds showings, and a memory that none has met adds nothing."""
    if adds_new_memories(db, since):
        return before
    if not adds_recalls(since):
        return None
    found = dict(before)
    for uid, row in waste(db, chosen, after=since.last("recalls")).items():
        was = found.get(uid)
        found[uid] = row if was is None else row | {name: was[name] + row[name] for name in WASTE_SUMS}
    return found


def wasted(found: Wasted, most: int, title: Callable[[str], str]) -> dict[str, Any]:
    """Tokens that agents were shown in the span, and the memories with most of which nothing shows a use."""
    worst = sorted(found.values(), key=lambda row: (-row["unused_tokens"], row["uid"]))[:most]
    return {
        "shown": {name: sum(row[name] for row in found.values()) for name in ("shown_tokens", "unused_tokens")},
        "waste": [{**row, "title": title(row["uid"])} for row in worst],
    }
