"""What happens before an agent uses a tool: memories on the file that it is about to touch, and forbidden commands.

In: the event pre-tool-use, with the tool and what it is called with. Out: for a command, the word of a rule that a
locked memory makes (ask or deny); for a file, a short brief of the memories that are bound to it, what the session has
read already left out. Invariants: only whoever asked for this hook at install has it, and the setting `pre_tool_use`
turns it off; what a person locked rules even where memory keeps silent; a tool is never allowed here, only forbidden or
asked for, so that no rule of the agent is undone.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
from datetime import datetime

from memory_db.hooks.command_rules import RuleMatch, verdict_on
from memory_db.hooks.run import EVENT_NAMES, HookEvent, HookOutcome, project_of, session_of
from memory_db.knowledge.belonging import holds_in
from memory_db.recall.brief.log import moment_of, shown_earlier
from memory_db.recall.brief.select import Answer, answer_of, choose
from memory_db.recall.search import Filters, Question, load_profile, recall_memories
from memory_db.records import replace
from memory_db.redact.clean import clean
from memory_db.store.connection import rows_there

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from collections.abc import Mapping

    from memory_db.recall.brief.allowed import Shown

SURFACE = "pre-tool-use"

PROFILE = "hook"
"""The weights for a process that loads no model."""

LIMIT = 3
"""Memories in a brief on a file. Source: ours; the agent reads it each time before a file that is new to it."""

BUDGET_TOKENS = 200
"""Tokens of such a brief at most. Source: as above."""

FILES = {
    "Read": "file_path", "Edit": "file_path", "MultiEdit": "file_path", "Write": "file_path",
    "NotebookEdit": "notebook_path",
}  # fmt: skip
"""Tools that touch a file, and where they name it. Source: Claude Code's documentation of tools."""

COMMANDS = {"Bash": "command"}
"""Tools that run a command, and where it stands."""

OUTCOMES = {"deny": "denied", "ask": "asked"}

IS_ON = "select value from settings where name = 'pre_tool_use'"

BOUND = f"""
select v.id from memory_paths b join memories m on m.id = b.memory_id
join memory_versions v on v.memory_id = m.id and v.recorded_to is null
where b.path in (select value from json_each(:names)) and m.status = 'active'
    and {holds_in("m")}
"""


def handle(db: sqlite3.Connection, event: HookEvent, project: str, *, now: datetime) -> HookOutcome:
    """What is said before a tool is used, mostly nothing.

    Raises: MemoryDBError, sqlite3.Error.
    """
    if any(row[0] != "true" for row in rows_there(db, IS_ON)):
        return HookOutcome("skipped", "pre_tool_use is off")
    tool, given = event.text("tool_name"), event.values.get("tool_input")
    name = COMMANDS.get(tool) or FILES.get(tool)
    value = given.get(name) if isinstance(given, dict) and name else None
    if not isinstance(value, str) or not value.strip():
        return HookOutcome("skipped", "no command or file")
    if tool in COMMANDS:
        verdict = verdict_on(db, value, project_of(db, project or event.cwd))
        return ruled(verdict) if verdict else HookOutcome("silent", "no rule on this command")
    if event.silenced:
        return HookOutcome("skipped", event.silenced)
    return on_file(db, event, value, project_of(db, project or event.cwd), now=now)


def ruled(verdict: RuleMatch) -> HookOutcome:
    """The word of a rule, in the agent's shape. Source: Claude Code's documentation of hooks, decisions on tools."""
    output = {
        "hookSpecificOutput": {
            "hookEventName": EVENT_NAMES["pre-tool-use"],
            "permissionDecision": verdict.decision,
            "permissionDecisionReason": verdict.reason(),
        }
    }
    reason = f"rule {verdict.rule_id} of {verdict.memory_uid}: {verdict.pattern}"
    return HookOutcome(OUTCOMES[verdict.decision], reason, output=output)


def on_file(
    db: sqlite3.Connection, event: HookEvent, path: str, project_id: int | None, *, now: datetime
) -> HookOutcome:
    """A brief of the memories that are bound to a file: rules each time, others unless the session has read them."""
    started = time.perf_counter()
    asked = {"names": json.dumps(names_of(path, event.cwd)), "project_id": project_id}
    versions = [row["id"] for row in db.execute(BOUND, asked)]
    if not versions:
        return HookOutcome("silent", "no memory on this file")
    question = Question(
        clean(os.path.basename(path))[0], scope="memories", profile=PROFILE, project_id=project_id,
        filters=Filters(other_projects=project_id is None), session_id=session_of(db, event.session_uid),
        session_uid=event.session_uid or None, paths=(clean(path)[0],), limit=LIMIT, budget_tokens=BUDGET_TOKENS,
        least_for_rules=0.0,
        is_unasked=True,
    )  # fmt: skip
    earlier = shown_earlier(db, question, SURFACE)
    answer = scored(db, question, versions, earlier, started, now=now)
    if answer.abstained and all((version, None) in earlier for version in versions):
        return HookOutcome("silent", "shown in this session already")
    return HookOutcome("silent" if answer.abstained else "shown", "nothing to show" * answer.abstained, answer)


def scored(
    db: sqlite3.Connection, question: Question, versions: list[int],
    earlier: Mapping[tuple[int | None, int | None], Shown], started: float, *, now: datetime,
) -> Answer:  # fmt: skip
    """These memories as hits of a recall, scored as any other; a threshold there is none, for the file names them."""
    profile = replace(load_profile(db, question.profile), threshold=0.0)
    recalled = recall_memories(db, question, profile, versions, now=now)
    moment = moment_of(question, now)
    return answer_of(recalled, choose(db, recalled, moment, earlier=earlier), moment, started)


def names_of(path: str, folder: str) -> list[str]:
    """Every way in which a memory may name a file: the whole path, and its ends, down to the name alone."""
    whole = os.path.normpath(os.path.join(folder or "/", path))
    parts = [part for part in whole.split("/") if part]
    ends = ["/".join(parts[start:]) for start in range(len(parts))]
    return [whole, *ends, *(f"./{end}" for end in ends)]
