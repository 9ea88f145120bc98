"""What the doctor looks at in the life of an agent: whether hooks fail, and whether what was installed is there.

In: the file, and the folders that its rows name. Out: lines, each with what to do. Invariant: nothing is written.
"""

from __future__ import annotations

import shlex
import sqlite3
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

from memory_db.agents.claude_code.files import read_list
from memory_db.agents.claude_code.install import CLAUDE_CODE, Target, is_old, missing_of, other_memory_hooks
from memory_db.errors import BusyError
from memory_db.recall.brief import spool
from memory_db.store.dates import utc_text
from memory_db.upkeep.doctor_report import Line, Lines, Patient, one_line

HOOK_DAYS = 7
"""How far back failed hooks are told of."""

INSTALL = f"memory-db install {CLAUDE_CODE}"


def hooks(patient: Patient) -> Lines:
    """Hooks that failed lately, and lines of hooks that are not taken in yet."""
    left = spool.waiting(patient.path)
    if left:
        count = sum(path.read_bytes().count(b"\n") for path in left)
        yield Line("note", f"{count:,} lines of hooks wait in {left[0]}", "Run `memory-db run`, which takes them in.")
    since = utc_text(patient.now - timedelta(days=HOOK_DAYS))
    failed = "from hook_runs where outcome = 'failed' and started_at >= ? order by started_at desc, id desc"
    last = patient.db.execute(f"select *, count(*) over () as times {failed}", [since]).fetchone()
    if last:
        what = f"{last['times']:,} prompts of the last {HOOK_DAYS} days got no brief, the last: {last['reason']}"
        fix = "Mend that; hook_runs lists them."
        yield Line("note" if last["error"] == BusyError.__name__ else "warning", one_line(what), fix)
    elif not left:
        yield Line("fine", f"No hook failed in the last {HOOK_DAYS} days")


INSTALLED = "select * from installations where client = ? and removed_at is null order by id"


def installations(patient: Patient) -> Lines:
    """Whether memory-db is in Claude Code, for whom, and whether what was put there points to what exists."""
    rows = patient.db.execute(INSTALLED, [CLAUDE_CODE]).fetchall()
    for row in rows:
        yield from installation(row)
    if not rows:
        yield Line("note", "This file is not installed into Claude Code", f"Run `{INSTALL}`.")


def installation(row: sqlite3.Row) -> Lines:
    """One folder that was put somewhere."""
    folder, scope = Path(row["path"]), row["scope"]
    again = f"Run `{command(row)}` again."
    place = f"Claude Code ({scope}) at {folder}"
    if read_list(folder) is None:
        out = command(row).replace("install", "uninstall", 1)
        yield Line("warning", f"What was put into {place} is gone", f"Run `{command(row)}`, or `{out}` to say so.")
    elif missing := missing_of(folder):
        yield Line("warning", one_line(f"{place} points to what is not there: {', '.join(missing)}"), again)
    elif is_old(folder):
        yield Line("note", f"{place} has the commands of an earlier version", again)
    else:
        yield Line("fine", f"Installed into {place}; its interpreter, package and file exist")
    for hook in other_memory_hooks(Target(scope, folder.parents[1])):
        what = f"The settings beside {folder} have a hook of a memory too, at {hook.event}: {hook.words}"
        yield Line("note", one_line(what), "Take out the one that you do not want, or the agent is shown both.")


def command(row: sqlite3.Row) -> str:
    """The command that installs to the same place."""
    if row["scope"] == "user":
        return INSTALL
    return f"{INSTALL} --project --folder {shlex.quote(str(Path(row['path']).parents[2]))}"


EXAMINATIONS: tuple[Callable[[Patient], Lines], ...] = (hooks, installations)
"""What is looked at here, in order."""
