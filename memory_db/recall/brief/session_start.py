"""What a session begins with: what is locked, where it works, how the user wants things, what is open, what was done.

In: a project, a session, the moment. Out: an `Answer` to an empty question: memories found by what they are, scored by
the same formula, as many as a budget of tokens holds, each with its reason to be there. Invariants: nothing is written;
nothing is shown that the user neither said nor confirmed, nor what steers an agent; a place without memories gives
silence.
"""

from __future__ import annotations

import sqlite3
import time
from datetime import datetime, timedelta

from memory_db.models.daily_budget import budget_line
from memory_db.recall.brief.allowed import NOT_CONFIRMED, OF_THEN, OLDER, OVER_BUDGET, SAME_SAYING, Rules
from memory_db.recall.brief.fill import fill_in
from memory_db.recall.brief.log import COMPACTED, shown_earlier
from memory_db.recall.brief.pairs import Pairs
from memory_db.recall.brief.passing import is_mended, is_of_then
from memory_db.recall.brief.placement import Placement, keep_all
from memory_db.recall.brief.procedures import usual_line, usual_lines
from memory_db.recall.brief.render import (
    UNLOGGED,
    age_text,
    brief_around,
    brief_line,
    estimated_tokens,
    inert,
    title_line,
)
from memory_db.recall.brief.roles import BY_KIND, INDEX, OF_LIMITS, BriefLine, TokenBudget, allot
from memory_db.recall.brief.same_saying import says_same, without_asides
from memory_db.recall.brief.select import Answer, answer_of
from memory_db.recall.search import Filters, Question, Recalled, load_profile, recall_memories
from memory_db.records import replace
from memory_db.redact.clean import find_injection
from memory_db.store.connection import id_list, one_state, rows_there
from memory_db.store.dates import utc_text
from memory_db.text.limits import sets_limit

SURFACE = "session-start"

PROFILE = "hook"

DEFAULT_TOKENS = 1_500
"""Tokens of a session's first brief, unless the setting `start_budget_tokens` says otherwise.

Source: `python -m bench days`: of what readers want before the prompts of the days that follow, .41 stands in the block
with 900, .76 with 1,500 and .84 with 1,800, and no fewer of its lines are ever wanted (.60, .62, .63)."""

REAL_TOKENS = 0.75
"""How many of them are spent as estimated: names of memories are hexadecimal, which takes more tokens than prose.

Source: on the sample history a block has 1.30 to 1.34 times as many tokens of o200k as a quarter of its bytes says.
"""

INDEX_SHARE = 0.2
"""The part of the budget that is kept for titles. Source: ours; a title costs a third of a line."""

KEEP = 20
"""Best hits that are logged though not shown."""

MOST_NEAR = 120
"""Memories of the layers 0 and 1 that are looked at, and open contradictions."""

MOST_OF_KIND = {
    "correction": 12, "convention": 12, "decision": 12, "preference": 12, "environment": 8, "structure": 8,
    "episode": 4,
}  # fmt: skip
"""Newest memories of a kind that are looked at, of the project and of the user each."""

MOST_OF_OTHERS = 6

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
NOT_NEW = "not new since this session began"

NEAR = """
select id from memories indexed by memories_near where project_id is :project and status = 'active'
    and (lock_level <> 'none' or importance >= 4 or scope = 'user' or layer_override is not null)
order by lock_level = 'user' desc, importance desc, id desc limit :most
"""

NEWEST = """
select id from (select id from memories where project_id is :project and kind = '{kind}' and status = 'active'
    order by created_at desc, id desc limit {most})
"""

OPEN = """
select c.memory_id, c.other_memory_id from contradictions c
cross join memories m on m.id = c.memory_id cross join memories o on o.id = c.other_memory_id
where c.state = 'open' and m.status = 'active' and o.status = 'active'
    and (m.project_id is null or m.project_id is :project) and (o.project_id is null or o.project_id is :project)
order by c.found_at desc, c.id desc limit :most
"""

CURRENT = "select id, memory_id from memory_versions where recorded_to is null and memory_id in ({ids})"

BEGAN = f"""
select max(asked_at) from recalls where session_uid = :session and query = '' and surface in ('session-start', 'brief')
    and asked_at >= {COMPACTED}
"""
"""When a session was given the first brief that it still has."""

NEW = """
select v.id from memory_versions v where v.id in ({ids}) and (v.recorded_from > :began or exists (
    select 1 from contradictions c where (c.memory_id = v.memory_id or c.other_memory_id = v.memory_id)
        and c.state = 'open' and c.found_at > :began))
"""

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

PLACE = """
select p.name, (select count(*) from memories where project_id = p.id and status = 'active') as memories,
    (select max((select max(e.created_at) from entries e where e.session_id = s.id))
        from (select id from sessions where project_id = p.id order by id desc limit 100) s) as last_at
from projects p where p.id = ?
"""
"""The project, and when it was last worked in, as far as the hundred sessions say that were read last."""

WAITING = "select coalesce(sum(waiting), 0) from review_waiting"


def block(
    db: sqlite3.Connection,
    project_id: int | None,
    session_uid: str | None,
    *,
    now: datetime,
    budget: int | None = None,
    is_emptied: bool = False,
    session_bytes: int | None = None,
) -> Answer:
    """The first brief of a session, not logged yet; without a project, of what holds everywhere.

    `budget` is in tokens; without one the setting says it. `is_emptied` says that what the session was told before is
    no longer in the agent's context, `session_bytes` how long its transcript is.
    A project that the file does not know, or one without memories, gives what holds everywhere, or an empty text.
    """
    started = time.perf_counter()
    with one_state(db):
        budget = budget_of(db) if budget is None else budget
        question = Question(
            "", scope="memories", profile=PROFILE, project_id=project_id, session_uid=session_uid,
            filters=Filters(other_projects=False), limit=MOST_NEAR, budget_tokens=budget, session_bytes=session_bytes,
        )  # fmt: skip
        recalled, memories = scored(db, question, now)
        hits = [Placement(hit, is_at_start=True) for hit in recalled.hits]
        fill_in(db, hits)
        session = None if is_emptied else session_uid
        began = began_at(db, session)
        allowed = sifted(db, replace(question, session_uid=session), hits, began)
        before, after = context_lines(db, project_id, now)
        usual = usual_lines(db, project_id, budget) if project_id is not None and not began else ()
        before = (*before, *([usual_line(usual)] if usual else []))
        frame = estimated_tokens(brief_around([*before, *after], UNLOGGED) + "\n")
        token_budget = TokenBudget(int(budget * REAL_TOKENS), frame)
        shown = arranged(db, allowed, memories, token_budget, now)
        for hit in allowed:
            hit.left_out_reason = hit.left_out_reason or (None if hit.shown_reason else OVER_BUDGET)
        for rank, hit in enumerate(sorted(shown, key=lambda hit: hit.position), start=1):
            hit.rank = rank
        keep_all(db, recalled, [hit for hit in hits if hit.rank is not None or hit.position <= KEEP])
        before, after = (before, after) if shown else ((), ())
        answer = answer_of(recalled, hits, now, started, before, after)
        answer.procedures = usual if shown else ()
        return answer


def budget_of(db: sqlite3.Connection) -> int:
    """The setting, read without what the command line needs for settings; a value that is no number counts as none."""
    row = db.execute("select value from settings where name = 'start_budget_tokens'").fetchone()
    return int(row[0]) if row and str(row[0]).isdecimal() else DEFAULT_TOKENS


def scored(db: sqlite3.Connection, question: Question, now: datetime) -> tuple[Recalled, dict[int, int]]:
    """What may stand in the block, by score, best first; and the memory of each version."""
    profile = load_profile(db, question.profile)
    ids: dict[int, None] = {}
    for project in dict.fromkeys((question.project_id, None)):
        asked = {"project": project, "most": MOST_NEAR}
        kinds = (NEWEST.format(kind=kind, most=MOST_OF_KIND.get(kind, MOST_OF_OTHERS)) for kind in BY_KIND)
        ids |= dict.fromkeys(row[0] for row in rows_there(db, NEAR, asked))
        ids |= dict.fromkeys(row[0] for row in db.execute(" union all ".join(kinds), asked))
    pairs = db.execute(OPEN, {"project": question.project_id, "most": MOST_OPEN}).fetchall()
    ids |= dict.fromkeys(identifier for pair in pairs for identifier in pair)
    memories = dict(db.execute(CURRENT.format(ids=id_list(ids))).fetchall()) if ids else {}
    return recall_memories(db, question, profile, memories, now=now), memories


def began_at(db: sqlite3.Connection, session_uid: str | None) -> str | None:
    """When a session was given its first brief, if it still has it."""
    rows = rows_there(db, BEGAN, {"session": session_uid}) if session_uid else []
    return rows[0][0] if rows else None


def sifted(db: sqlite3.Connection, question: Question, hits: list[Placement], began: str | None) -> list[Placement]:
    """The hits that nothing speaks against; the others get their reason.

    A session that goes on, which has its first brief still before it, is told only what is new since.
    """
    earlier = shown_earlier(db, question, SURFACE)
    ids = id_list(hit.memory_version_id or 0 for hit in hits)
    new = {row[0] for row in db.execute(NEW.format(ids=ids), {"began": began})} if began and ids else set()
    rules, pairs = Rules(question, earlier), Pairs(db, question, hits)
    allowed = []
    for hit in hits:
        if not hit.is_trusted and hit.features.lock_level != "user":
            hit.left_out_reason = NOT_CONFIRMED
        elif reason := rules.reason_against(hit, shows_title=True):
            hit.left_out_reason = reason
        elif began and hit.memory_version_id not in new:
            hit.left_out_reason = NOT_NEW
        elif reason := rules.repeats(hit):
            hit.left_out_reason = reason
        elif is_over(db, hit):
            hit.left_out_reason = OF_THEN
        elif hit.memory_version_id in pairs.older:
            hit.left_out_reason = OLDER.format(pairs.older[hit.memory_version_id])
        else:
            rules.remember(hit)
            allowed.append(hit)
    return told_once(allowed)


def is_over(db: sqlite3.Connection, hit: Placement) -> bool:
    """Whether a memory is only about a moment that is over; what a person added or locked is not."""
    if hit.is_by_user or hit.features.lock_level != "none":
        return False
    return is_of_then(hit.text) or is_mended(db, hit.text, hit.kind, hit.source_entry_ids)


def told_once(allowed: list[Placement]) -> list[Placement]:
    """Of rules that say the same in other words one alone: a locked one, else the one that says most."""
    kept: list[Placement] = []
    for hit in sorted(
        allowed, key=lambda hit: (hit.features.lock_level != "user", -len(without_asides(hit.text)), -len(hit.text))
    ):
        same = next((each for each in kept if says_same(each.text, hit.text)), None)
        if same and hit.features.lock_level != "user":
            hit.left_out_reason = SAME_SAYING.format(same.uid)
        else:
            kept.append(hit)
    return [hit for hit in allowed if not hit.left_out_reason]


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


def context_lines(
    db: sqlite3.Connection, project_id: int | None, now: datetime
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The line that says where the session works and how much waits for a person; one on what today has cost, if so."""
    row = db.execute(PLACE, [project_id]).fetchone() if project_id is not None else None
    before, after = [], []
    if row:
        last = f", last session {age_text(row['last_at'], now)}" if row["last_at"] else ""
        named = "project" if find_injection(row["name"]) else f"project {inert(' '.join(row['name'].split()))}"
        waiting = int(db.execute(WAITING).fetchone()[0])
        review = f"; {waiting} wait{'s' if waiting == 1 else ''} for the user's review" if waiting else ""
        before.append(f"{named}: {row['memories']} memories{last}{review}")
    if spent := budget_line(db, now=now):
        after.append(spent)
    return tuple(before), tuple(after)


__all__ = ["DEFAULT_TOKENS", "SURFACE", "block"]
