"""What memory saved or cost on the whole: a range over named other ways, never one number.

In: the view `savings`. Out: one `Way` for each counterfactual, and the range of what they leave. Invariants: whole
nanocents; what memory itself cost is taken off; a file without recalls and model calls has no figure at all.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any

from memory_db.store.narrowed import narrowed

SUMS = """
select counterfactual, assumes, sum(recalls) as recalls, sum(shown_tokens) as shown_tokens,
    sum(instead_tokens) as instead_tokens, coalesce(sum(instead_nanocents), 0) as instead_nanocents,
    coalesce(sum(instead_with_rereads_nanocents), 0) as instead_with_rereads_nanocents,
    coalesce(sum(brief_nanocents), 0) as brief_nanocents,
    coalesce(sum(brief_with_rereads_nanocents), 0) as brief_with_rereads_nanocents,
    coalesce(sum(model_nanocents), 0) as model_nanocents, sum(without_price) as without_price,
    count(net_nanocents) as priced_rows
from savings
where (:project is null or project = :project) and (:since is null or day >= :since)
    and (:until is null or day <= :until)
group by counterfactual order by min(instead_tokens), counterfactual
"""

INSTEAD = """
select r.instead, count(*) as recalls, sum(r.instead_tokens) as tokens
from recall_savings r left join projects p on p.id = r.project_id
where r.counterfactual = 'instruction file' and (:project is null or p.name = :project)
    and (:since is null or r.asked_at >= :since) and (:until is null or substr(r.asked_at, 1, 10) <= :until)
group by r.instead order by tokens desc, r.instead
"""

READERS = {
    "recalls": "asked_at >= :since or session_uid in (select session_uid from main.recalls where asked_at >= :since)"
}
"""The recalls of a span with all of their sessions: what was read before in a session is not read again."""

AFTER = {
    "recalls": "id > :after or session_uid in (select session_uid from main.recalls where id > :after)",
    "model_calls": "false",
}
"""The same of the recalls after one, and no call of a model."""

EARLIER = """
select exists (select 1 from recalls n join recalls o on o.session_uid = n.session_uid and o.id <= :after
    where n.id > :after and o.asked_at > n.asked_at)
"""
"""Whether a recall after one was asked before an earlier one of its session."""

FILE = "instruction file"

ORDER = ("nothing", FILE, "whole sessions")
"""The other ways, from the one that memory looks worst against."""


@dataclass(frozen=True, slots=True)
class Way:
    """One other way to have known the same, with what it would have cost, and what memory cost. Money in nanocents.

    `_with_rereads` counts that what is in a context is read again, from the cache, by each later call of the session.
    """

    counterfactual: str
    assumes: str
    recalls: int
    shown_tokens: int
    instead_tokens: int
    instead_nanocents: int
    instead_with_rereads_nanocents: int
    brief_nanocents: int
    brief_with_rereads_nanocents: int
    model_nanocents: int
    without_price: int

    @property
    def is_known(self) -> bool:
        """Whether it is known what would have been read: of an instruction file nothing is where none was seen."""
        return self.counterfactual != FILE or bool(self.instead_tokens) or not self.recalls

    @property
    def net_nanocents(self) -> int:
        """What was saved, everything counted once; negative where memory cost more."""
        return self.instead_nanocents - self.brief_nanocents - self.model_nanocents

    @property
    def net_with_rereads_nanocents(self) -> int:
        """The same with rereads by later calls."""
        return self.instead_with_rereads_nanocents - self.brief_with_rereads_nanocents - self.model_nanocents


def ways(
    db: sqlite3.Connection, *, project: str | None = None, since: str | None = None, until: str | None = None
) -> list[Way]:
    """Each other way with its sums, worst for memory first; empty where nothing was shown or spent, or has a price.

    `project` is a name, `since` and `until` are days, both counted.
    """
    begin = narrowed(db, ("brief_costs", "recall_savings", "savings"), READERS) if since else ""
    rows = db.execute(begin + SUMS, {"project": project, "since": since, "until": until}).fetchall()
    return in_order(way_of(row) for row in rows if row["priced_rows"])


def way_of(row: sqlite3.Row) -> Way:
    """A row of `SUMS`."""
    return Way(**{name: row[name] for name in Way.__slots__})


def in_order(found: Iterable[Way]) -> list[Way]:
    """Ways, the one that memory looks worst against first."""
    return sorted(found, key=lambda way: ORDER.index(way.counterfactual))


def net_range(found: list[Way]) -> tuple[int, int]:
    """The least and the most that was saved, in nanocents, over all known ways and both manners of counting."""
    nets = [net for way in found if way.is_known for net in (way.net_nanocents, way.net_with_rereads_nanocents)]
    return min(nets), max(nets)


def instead_of_files(
    db: sqlite3.Connection, *, project: str | None = None, since: str | None = None, until: str | None = None
) -> list[dict[str, int | str]]:
    """What stood for the instruction file, with `recalls` and `tokens`: files seen, a playbook, or none known."""
    begin = narrowed(db, ("brief_costs", "recall_savings"), READERS) if since else ""
    return [dict(row) for row in db.execute(begin + INSTEAD, {"project": project, "since": since, "until": until})]


@dataclass(frozen=True, slots=True)
class Saved:
    """The ways of a span, and what stood for the instruction file."""

    ways: list[Way]
    instead: list[dict[str, int | str]]


def saved(
    db: sqlite3.Connection, *, project: str | None = None, since: str | None = None, until: str | None = None
) -> Saved:
    """Both of them, of a project's name and of days from and to which it counts."""
    chosen = {"project": project, "since": since, "until": until}
    return Saved(ways(db, **chosen), instead_of_files(db, **chosen))


def saved_on(
    db: sqlite3.Connection,
    before: Saved,
    after: int,
    *,
    project: str | None = None,
    since: str | None = None,
    until: str | None = None,
) -> Saved | None:
    """The same with the recalls after one, where nothing else changed; None where they change what earlier ones saved,
    or are the first that have a price."""
    chosen = {"project": project, "since": since, "until": until, "after": after}
    if not before.ways or db.execute(EARLIER, chosen).fetchone()[0]:
        return None
    views = ("brief_costs", "recall_savings", "model_call_costs", "savings")
    begin = narrowed(db, views, AFTER, rows={"recall_savings": "recall_id > :after"})
    more = {row["counterfactual"]: way_of(row) for row in db.execute(begin + SUMS, chosen)}
    instead = {row["instead"]: dict(row) for row in before.instead}
    for row in db.execute(begin + INSTEAD, chosen):
        known = instead.setdefault(row["instead"], {"instead": row["instead"], "recalls": 0, "tokens": 0})
        known |= {name: known[name] + row[name] for name in ("recalls", "tokens")}
    return Saved(
        [added(way, more[way.counterfactual]) if way.counterfactual in more else way for way in before.ways],
        sorted(instead.values(), key=lambda row: (-int(row["tokens"]), str(row["instead"]))),
    )


def added(way: Way, more: Way) -> Way:
    """A way with more recalls."""
    return replace(way, **{name: getattr(way, name) + getattr(more, name) for name in Way.__slots__
                           if isinstance(getattr(way, name), int)})  # fmt: skip


def as_dict(found: list[Way], instead: list[dict[str, int | str]]) -> dict[str, Any]:
    """All of it as JSON has it: the range (None where there is no figure), the ways, what stood for the file."""
    low, high = net_range(found) if found else (None, None)
    ways = [
        {**asdict(way), "is_known": way.is_known, "net_nanocents": way.net_nanocents,
         "net_with_rereads_nanocents": way.net_with_rereads_nanocents}
        for way in found
    ]  # fmt: skip
    return {"low_nanocents": low, "high_nanocents": high, "ways": ways, "instruction_files": instead}
