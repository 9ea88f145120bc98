"""What a session begins with: what is locked, where it works, how the user wants things, what is open, what was done.

In: a project, a session, the moment. Out: an `Answer` to an empty question: memories found by what they are, scored by
the same formula, as many as a budget of tokens holds, each with its reason to be there. Invariants: nothing is written;
nothing is shown that the user neither said nor confirmed, nor what steers an agent; a place without memories gives
silence.
"""

from __future__ import annotations

import sqlite3
import time
from datetime import datetime

from memory_db.models.daily_budget import budget_line
from memory_db.recall.brief.allowed import NOT_CONFIRMED, OF_THEN, OLDER, OVER_BUDGET, SAME_SAYING, Rules
from memory_db.recall.brief.fill import fill_in
from memory_db.recall.brief.log import COMPACTED, shown_earlier
from memory_db.recall.brief.pairs import Pairs, newer_first
from memory_db.recall.brief.passing import is_mended, is_of_then
from memory_db.recall.brief.placement import Placement, keep_all
from memory_db.recall.brief.procedures import usual_line, usual_lines
from memory_db.recall.brief.render import UNLOGGED, age_text, brief_around, estimated_tokens, inert
from memory_db.recall.brief.roles import BY_KIND, TokenBudget
from memory_db.recall.brief.same_saying import says_same, without_asides
from memory_db.recall.brief.select import Answer, answer_of
from memory_db.recall.brief.start_lines import MOST_OPEN, arranged
from memory_db.recall.search import Filters, Question, Recalled, load_profile, recall_memories
from memory_db.records import replace
from memory_db.redact.clean import find_injection
from memory_db.store.connection import id_list, one_state, rows_there

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
        pairs = Pairs(db, question, hits)
        allowed = sifted(db, replace(question, session_uid=session), hits, pairs, began)
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
        newer_first(pairs.beside, hits)
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


def sifted(
    db: sqlite3.Connection, question: Question, hits: list[Placement], pairs: Pairs, began: str | None
) -> list[Placement]:
    """The hits that nothing speaks against; the others get their reason.

    A session that goes on, which has its first brief still before it, is told only what is new since.
    """
    earlier = shown_earlier(db, question, SURFACE)
    ids = id_list(hit.memory_version_id or 0 for hit in hits)
    new = {row[0] for row in db.execute(NEW.format(ids=ids), {"began": began})} if began and ids else set()
    rules = Rules(question, earlier)
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
