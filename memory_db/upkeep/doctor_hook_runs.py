"""What hooks did lately, as the doctor tells it: failures, waiting lines, who answered; pauses, rules that lapsed.

In: a `DoctorContext`. Out: advice. Reads only.
"""

from __future__ import annotations

from datetime import timedelta

from memory_db.errors import BusyError
from memory_db.hooks.command_rules import lapsed_rules
from memory_db.hooks.pauses import list_pauses
from memory_db.recall.brief import spool
from memory_db.store import settings
from memory_db.store.dates import utc_text
from memory_db.upkeep.doctor_report import Advice, Advices, DoctorContext, one_line

HOOK_DAYS = 7
"""How far back failed hooks are told of."""

FAILED = "from hook_runs where outcome = 'failed' and started_at >= ?"


def hooks(context: DoctorContext) -> Advices:
    """Hooks that failed lately, and lines of hooks that are not taken in yet."""
    left = spool.waiting(context.path)
    if left:
        count = sum(path.read_bytes().count(b"\n") for path in left)
        yield Advice("note", f"{count:,} lines of hooks waiting in {left[0]}", "Run `memory-db run` to import them.")
    since = utc_text(context.now - timedelta(days=HOOK_DAYS))
    last = context.db.execute(f"select * {FAILED} order by started_at desc, id desc", [since]).fetchone()
    if last:
        times = context.db.execute(
            f"select hook, count(*) {FAILED} group by hook order by 2 desc, 1", [since]
        ).fetchall()
        each = ", ".join(f"{count:,} {hook}" for hook, count in times)
        what = f"Hooks that failed in the last {HOOK_DAYS} days: {each}; the last: {last['reason']}"
        fix = "Fix that; the table hook_runs has each with its reason."
        yield Advice("note" if last["error"] == BusyError.__name__ else "warning", one_line(what), fix)
    elif not left:
        yield Advice("fine", f"No hook failed in the last {HOOK_DAYS} days")
    yield from warm_prompts(context, since)


ANSWERED_BY = """
select count(*) as prompts, coalesce(sum(answered_by = 'warm'), 0) as warm from hook_runs
where hook = 'user-prompt' and outcome in ('shown', 'silent') and started_at >= ?
"""


def warm_prompts(context: DoctorContext, since: str) -> Advices:
    """How many of the last prompts were answered with the full model, where it may answer."""
    prompts, warm = context.db.execute(ANSWERED_BY, [since]).fetchone()
    if prompts and settings.get(context.db, "warm_hook"):
        what = f"{warm:,} of the {prompts:,} prompts of the last {HOOK_DAYS} days were answered with the full model"
        fix = "" if warm else "An MCP reader does that while it runs: see `memory-db install claude-code`."
        yield Advice("fine" if warm else "note", what, fix)


def paused(context: DoctorContext) -> Advices:
    """Where a person has paused the hooks."""
    on = [row for row in list_pauses(context.db, now=context.now) if row["is_on"]]
    places = ", ".join(
        f"session {row['session_uid']}" if row["session_uid"] else f"project {row['project']}"
        for row in on if row["session_uid"] or row["project"]
    )  # fmt: skip
    if on:
        everywhere = any(not (row["session_uid"] or row["project"]) for row in on)
        what = f"Hooks are paused {'everywhere' if everywhere else f'in {places}'}: agents there are shown nothing"
        yield Advice("note", one_line(what), "`memory-db hook pause --list` has each, `--end` ends them.")


def lapsed(context: DoctorContext) -> Advices:
    """Rules on commands that speak no more and that nobody ended."""
    rules = lapsed_rules(context.db)
    if rules:
        each = ", ".join(f"{rule['id']} ({rule['decision']} {rule['pattern']!r})" for rule in rules)
        what = f"Rules on commands that no longer hold, since their memory is unlocked or out of use: {each}"
        fix = "Make them anew with `memory-db hook rule add`, or end them with `memory-db hook rule end ID`."
        yield Advice("note", one_line(what), fix)
