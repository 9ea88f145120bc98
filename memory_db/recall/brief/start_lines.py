"""Which of the memories that a session may begin with are told in full, and which by their titles alone.

In: hits that nothing speaks against, and the room for them. Out: those that are shown, each with its reason and price.
Invariants: reads only; a budget is never exceeded; nothing gives way to what is less due.
"""

from __future__ import annotations

import sqlite3
from datetime import datetime, timedelta

from memory_db.recall.brief.placement import Placement
from memory_db.recall.brief.render import brief_line, estimated_tokens, title_line
from memory_db.recall.brief.roles import INDEX, OF_LIMITS, BriefLine, TokenBudget, allot
from memory_db.store.connection import id_list
from memory_db.store.dates import utc_text
from memory_db.text.limits import sets_limit

INDEX_SHARE = 0.2
"""The part of the budget that is kept for titles. Source: ours; a title costs a third of a line."""

CORRECTED_WITHIN = timedelta(days=7)
"""For how long what a person set right, or said again, is told at each start. Source: ours; a week of work."""

MOST_PREFERENCES, MOST_OPEN, MOST_RECENT = 6, 4, 5
"""Lines in full of each sort. Source: claude-memory begins a session with 3 patterns, 3 preferences, 5 recent ones."""

SAYS_HOW = (("correction", "convention", "preference"), ("environment", "structure", "decision"))
"""Kinds that are named before others of their layer, whatever their score. Source: ours, by eye, on days that were
lived in a client: what is only mentioned took the places of how something is done."""

OFTEN = 2
"""Times cited or used from which a memory is named as one of those."""

MOST_BESIDE_TITLE = 3.0
"""How many times as long as its title a memory is that is told whole in its place while there is room.

Source: `python -m bench days`: with 1.25 .76 of what is wanted is told, with 3 .79, for as many tokens."""

FAR = "in layer 3"

KNOWN = "select memory_id, layer, reason from layers where memory_id in ({ids})"
TIERS = "select memory_id, tier from memory_tiers where memory_id in ({ids})"

REPLACING = """
select from_memory_id from edges where from_memory_id in ({ids}) and kind = 'supersedes' and ended_at is null
union select c.other_memory_id from contradictions c join evidence e on e.memory_id = c.memory_id
    where c.state = 'open' and c.other_memory_id in ({ids}) and e.kind = 'wrong'
union select c.memory_id from contradictions c join evidence e on e.memory_id = c.other_memory_id
    where c.state = 'open' and c.memory_id in ({ids}) and e.kind = 'wrong'
"""
"""Of some memories those that replace another one, or contradict one that was called wrong."""

SAID_AGAIN = """
select memory_id, max(created_at) from evidence
where memory_id in ({ids}) and kind = 'repeated' and withdrawn_at is null group by memory_id
"""
"""When the user last had to repeat each of some memories."""


def arranged(
    db: sqlite3.Connection, allowed: list[Placement], memories: dict[int, int], token_budget: TokenBudget, now: datetime
) -> list[Placement]:
    """The hits that are shown, each with its reason and price: in full what is due, of the rest titles by score."""
    ids = id_list(memories[hit.memory_version_id or 0] for hit in allowed)
    layers = {row[0]: (row[1], row[2]) for row in db.execute(KNOWN.format(ids=ids))} if ids else {}
    tiers = dict(db.execute(TIERS.format(ids=ids)).fetchall()) if ids else {}
    for hit in allowed:
        if layers[memories[hit.memory_version_id or 0]][0] == 3:
            hit.left_out_reason = FAR
    by_memory = {memories[hit.memory_version_id or 0]: hit for hit in allowed if not hit.left_out_reason}
    replacing = {row[0] for row in db.execute(REPLACING.format(ids=ids))} if ids else set()
    again = dict(db.execute(SAID_AGAIN.format(ids=ids)).fetchall()) if ids else {}
    newly = {each: hit.created_at for each, hit in by_memory.items() if hit.kind == "correction" or each in replacing}
    since = utc_text(now - CORRECTED_WITHIN)
    corrected = {each: at for each in by_memory if (at := max(again.get(each, ""), newly.get(each, ""))) >= since}
    due = due_in_full(by_memory, layers, tiers, corrected)
    budget, lines = token_budget.budget or 0, []
    for hit in due:
        hit.shown_tokens = estimated_tokens(brief_line(hit, now) + "\n")
        lines.append(BriefLine(hit.role, hit.shown_tokens, hit.shown_reason == "locked"))
    token_budget.budget = budget - int(budget * INDEX_SHARE) * (len(by_memory) > len(due))
    shown = {due[place].uid: due[place] for place in allot(lines, token_budget)}
    token_budget.budget, roles = budget, dict[str, str]()
    # keeps the order by score within a layer, and of those that say how something is done
    for memory_id in sorted(by_memory, key=lambda each: (layers[each][0], says_how(by_memory[each]))):
        hit = by_memory[memory_id]
        if hit.uid in shown:
            continue
        role, hit.role = hit.role, INDEX
        hit.shown_tokens = estimated_tokens(brief_line(hit, now) + "\n")
        if token_budget.has_room(INDEX, hit.shown_tokens):
            token_budget.pay(INDEX, hit.shown_tokens)
            hit.shown_reason = reason_in_index(hit, *layers[memory_id])
            shown[hit.uid] = hit
            if len(hit.text) <= MOST_BESIDE_TITLE * len(title_line(hit)):
                tell_whole(hit, role, token_budget, now)
        else:
            hit.role, hit.shown_reason, hit.shown_tokens = role, "", None
        roles[hit.uid] = role
    for hit in shown.values():
        if hit.role == INDEX:
            tell_whole(hit, roles[hit.uid], token_budget, now)
    return list(shown.values())


def tell_whole(hit: Placement, role: str, token_budget: TokenBudget, now: datetime) -> None:
    """Tells a memory in full in place of its title where room is left once all that fit are named."""
    title_tokens, hit.role = hit.shown_tokens or 0, role
    hit.shown_tokens = estimated_tokens(brief_line(hit, now) + "\n")
    if token_budget.has_room(role, hit.shown_tokens - title_tokens):
        token_budget.pay(role, hit.shown_tokens)
        token_budget.refund(INDEX, title_tokens)
    else:
        hit.role, hit.shown_tokens = INDEX, title_tokens


def due_in_full(
    by_memory: dict[int, Placement], layers: dict[int, tuple[int, str]], tiers: dict[int, str],
    corrected: dict[int, str],
) -> list[Placement]:  # fmt: skip
    """What is told in full, with its reason, the most pressing first: locked, near, corrected, liked, open, recent."""
    due: dict[int, str] = {}
    ranks = {"explicit": 0, "signals": 1, "inferred": 2}
    liked = [each for each, hit in by_memory.items() if hit.role == "preferences"]
    liked.sort(key=lambda each: ranks.get(tiers[each], 3))  # sorting keeps the order by score within a tier
    opened = [each for each, hit in by_memory.items() if hit.contradicted]
    recent = [each for each, hit in by_memory.items() if hit.kind in ("decision", "episode")]
    recent.sort(key=lambda each: by_memory[each].created_at, reverse=True)
    for reason, found in (
        ("locked", [each for each, hit in by_memory.items() if hit.features.lock_level == "user"]),
        ("layer 0", [each for each in by_memory if layers[each][0] == 0]),
        ("locked by evidence", [each for each, hit in by_memory.items() if hit.features.lock_level == "promoted"]),
        ("corrected lately", sorted(corrected, key=lambda each: corrected[each], reverse=True)[:MOST_RECENT]),
        ("preference", liked[:MOST_PREFERENCES]),
        ("open contradiction", opened[: 2 * MOST_OPEN]),
        ("recent", recent[:MOST_RECENT]),
    ):
        for each in found:
            detail = f"{reason}: {layers[each][1]}" if reason == "layer 0" else reason
            due.setdefault(each, f"{reason}, {tiers[each]}" if reason == "preference" else detail)
    for each, reason in due.items():
        by_memory[each].shown_reason = reason
    return [by_memory[each] for each in due]


def says_how(hit: Placement) -> int:
    """0 for what was told as a rule or sets a limit, 1 for where and with what something is done, 2 for the rest."""
    if hit.kind in OF_LIMITS and sets_limit(hit.text):
        return 0
    return next((place for place, kinds in enumerate(SAYS_HOW) if hit.kind in kinds), len(SAYS_HOW))


def reason_in_index(hit: Placement, layer: int, why: str) -> str:
    """Why a memory is named by its title."""
    if hit.shown_reason:
        return f"{hit.shown_reason}; no room in full"
    if hit.features.times_used >= OFTEN:
        return "often cited"
    return f"layer {layer}: {why}" if layer < 2 else "score"
