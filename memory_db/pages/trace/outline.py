"""A session turn by turn: what was asked, with which tools, what failed, how long it took and what it cost.

In: a connection that reads, a session's number. Out: plain dicts for the template and for JSON. Invariants: a turn goes
from a prompt of the user to the next; times are those of the transcript, so that a turn ends with its last entry; the
work of a session is the sum of its turns, without the pauses between them.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from memory_db.pages.cache import rows
from memory_db.pages.draw.filters import shortened
from memory_db.recall.brief.exchange import TURNED_DOWN
from memory_db.store.dates import parse_utc
from memory_db.store.findable import findable

ON_A_PAGE = 40
"""Turns that a page outlines. Source: ours; with their bars they take a fifth of the 150 kB that a page may have."""

MOST_LISTED = 12
"""Files and commands of the summary, those met most often first."""

PROMPT_CHARACTERS = 70

CHANGING = ("Edit", "MultiEdit", "Write", "NotebookEdit")
READING = ("Read", "NotebookRead")
SHELL = "Bash"
COMMIT = "git commit"

ENTRIES = f"""
select e.id, e.uid, e.created_at, e.kind = 'prompt' and e.is_sidechain = 0 as begins,
    iif(e.kind = 'prompt', substr(e.text, 1, 200), '') as prompt,
    row_number() over (order by se.position, e.id) as number
from session_entries se cross join entries e on e.id = se.entry_id
where se.session_id = ? and {findable("e")} order by se.position, e.id
"""

ACTIONS = """
select a.entry_id, a.tool, a.target, a.is_error, iif(a.is_error, a.excerpt, '') as error
from session_entries se cross join actions a on a.entry_id = se.entry_id
where se.session_id = ? order by a.id
"""

PARTS = """
select s.uid, coalesce(s.title, '') as title, min(e.created_at) as started_at, max(e.created_at) as ended_at,
    count(*) as entries,
    (select sum(k.cost_nanocents) from call_costs k where k.session_id = s.id) as cost_nanocents
from sessions s join entries e on e.session_id = s.id where s.parent_session_id = ? group by s.id order by 3 limit 100
"""

AROUND = """
select s.uid, coalesce(nullif(s.title, ''), 'a session without a title') as title, e.created_at
from entries e cross join sessions s on s.id = e.session_id
where s.project_id is :project and s.id <> :id and s.parent_session_id is null and e.created_at {than} :moment
order by e.created_at {order} limit 1
"""


def outline(db: sqlite3.Connection, session_id: int, spent: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The turns in order; `spent` are the sums of their calls, by the entry that a turn begins with.

    Each: turn, entry, prompt, number (of its first entry), started_at, duration_ms, before_ms (work before it), tools,
    errors, commits, cost_nanocents, parts (sessions of subagents that began in it).
    """
    costs = {each["entry_id"]: each["cost_nanocents"] for each in spent}
    actions: dict[int, list[sqlite3.Row]] = {}
    for action in db.execute(ACTIONS, [session_id]):
        actions.setdefault(action["entry_id"], []).append(action)
    found: list[dict[str, Any]] = []
    for entry in db.execute(ENTRIES, [session_id]):
        if entry["begins"]:
            found.append(begun(entry, len(found) + 1, costs.get(entry["id"])))
        if not found:
            continue
        turn = found[-1]
        turn["ended_at"] = max(turn["ended_at"], entry["created_at"])
        for action in actions.get(entry["id"], ()):
            turn["tools"] += 1
            turn["errors"] += bool(action["is_error"])
            turn["commits"] += is_commit(action)
    worked = 0
    for turn in found:
        turn["duration_ms"], turn["before_ms"] = lasted(turn["started_at"], turn["ended_at"]), worked
        worked += turn["duration_ms"]
    nest(found, rows(db, PARTS, [session_id]))
    return found


def begun(entry: sqlite3.Row, number: int, cost: int | None) -> dict[str, Any]:
    """A turn that an entry begins, with nothing done in it yet."""
    prompt = shortened(" ".join(entry["prompt"].split()), PROMPT_CHARACTERS)
    return {
        "turn": number, "entry": entry["uid"], "prompt": prompt, "number": entry["number"],
        "started_at": entry["created_at"], "ended_at": entry["created_at"], "tools": 0, "errors": 0, "commits": 0,
        "cost_nanocents": cost, "parts": [],
    }  # fmt: skip


def is_commit(action: sqlite3.Row) -> bool:
    """Whether a command keeps a change."""
    return action["tool"] == SHELL and COMMIT in (action["target"] or "") and not action["is_error"]


def lasted(started_at: str, ended_at: str) -> int:
    """Milliseconds from one stored time to another."""
    return round((parse_utc(ended_at) - parse_utc(started_at)).total_seconds() * 1000)


def nest(turns: Sequence[dict[str, Any]], parts: Iterable[dict[str, Any]]) -> None:
    """Puts sessions of subagents under the turn that they began in."""
    for part in parts:
        part["duration_ms"] = lasted(part["started_at"], part["ended_at"])
        within = [turn for turn in turns if turn["started_at"] <= part["started_at"]] or list(turns[:1])
        if within:
            begins = lasted(within[-1]["started_at"], part["started_at"])
            within[-1]["parts"].append(part | {"before_ms": within[-1]["before_ms"] + max(0, begins)})


def drawn(turns: Sequence[dict[str, Any]], of_entries: int, entries_before: int, asked: str) -> dict[str, Any]:
    """The turns that a page outlines, around its entries or the turn asked for; bars in parts of a thousand.

    `before` and `after` are the numbers of turns to jump to, where there are more.
    """
    here = (
        int(asked)
        if asked
        else max((turn["turn"] for turn in turns if turn["number"] <= entries_before + 1), default=1)
    )
    first = max(0, min((here - 1) // ON_A_PAGE * ON_A_PAGE, max(0, len(turns) - 1)))
    shown = turns[first : first + ON_A_PAGE]
    start = shown[0]["before_ms"] if shown else 0
    bars = [each for turn in shown for each in (turn, *turn["parts"])]
    work_ms = max((each["before_ms"] + each["duration_ms"] - start for each in bars), default=0)
    cost = max((each["cost_nanocents"] or 0 for each in bars), default=0)
    for each in bars:
        each["x"] = thousand(each["before_ms"] - start, work_ms)
        each["width"] = max(2, thousand(each["duration_ms"], work_ms))
        each["cost_width"] = thousand(each["cost_nanocents"] or 0, cost)
    return {
        "turns": shown, "count": len(turns), "first": first + 1, "last": first + len(shown),
        "work_ms": work_ms, "cost_nanocents": cost, "on_page": [
            turn["turn"] for turn in shown if entries_before < turn["number"] <= entries_before + of_entries
        ],
        "before": max(1, first + 1 - ON_A_PAGE) if first else None,
        "after": first + len(shown) + 1 if first + len(shown) < len(turns) else None,
    }  # fmt: skip


def thousand(part: float, whole: float) -> int:
    """A part as so many of a thousand."""
    return round(1000 * part / whole) if whole else 0


def summary(db: sqlite3.Connection, session_id: int) -> dict[str, Any]:
    """What was done to files and by commands: the most frequent of each, with how many there are.

    `files`: path, edits, reads; `commands`: command, times, errors, and how often the user turned it down (`refused`);
    `commits`; `tools`: tool, times.
    """
    edits: Counter[str] = Counter()
    reads: Counter[str] = Counter()
    commands: Counter[str] = Counter()
    failed: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    tools: Counter[str] = Counter()
    commits = 0
    for action in db.execute(ACTIONS, [session_id]):
        tool, target = action["tool"], action["target"] or ""
        tools[tool] += 1
        if target and tool in CHANGING:
            edits[target] += 1
        elif target and tool in READING:
            reads[target] += 1
        elif target and tool == SHELL:
            commands[target] += 1
            if action["is_error"]:
                (refused if TURNED_DOWN.search(action["error"] or "") else failed)[target] += 1
            commits += is_commit(action)
    files = sorted({*edits, *reads}, key=lambda path: (-edits[path], -reads[path], path))
    return {
        "files": [{"path": path, "edits": edits[path], "reads": reads[path]} for path in files[:MOST_LISTED]],
        "files_count": len(files),
        "commands": [{"command": command, "times": times, "errors": failed[command],
                      "refused": refused[command]}
                     for command, times in commands.most_common(MOST_LISTED)],
        "commands_count": len(commands),
        "commits": commits,
        "tools": [{"tool": tool, "times": times} for tool, times in tools.most_common(MOST_LISTED)],
    }  # fmt: skip


def neighbours(db: sqlite3.Connection, about: Mapping[str, Any]) -> dict[str, Any]:
    """The sessions of the same project before and after, each with uid and title; `about` is the session's row."""
    found = {}
    for name, than, order, moment in (("before", "<", "desc", "started_at"), ("after", ">", "asc", "ended_at")):
        values = {"project": about["project_id"], "id": about["session_id"], "moment": about[moment]}
        row = db.execute(AROUND.format(than=than, order=order), values).fetchone() if about[moment] else None
        if row is not None:
            found[name] = {"uid": row["uid"], "title": row["title"]}
    return found
