"""How a session ended: good, mixed, bad or unknown, read from what the user said last and what was done last.

In: the last prompts and actions of a session. Out: its row of `session_outcomes`, with the reason in words.
Invariants: the same session gives the same row, and a row is written only where it changed; no belief moves by it, for
a session ends well or badly for many reasons.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from memory_db.extract.rules.error_fixes import CHECKS, REFUSED
from memory_db.store.connection import transaction
from memory_db.store.dates import utc_text
from memory_db.text.verdicts import corrects, plain

RULES_VERSION = 1

BATCH = 200
"""Sessions written in one transaction."""

PROMPT_WEIGHTS = (1.0, 0.5, 0.25)
"""What the last, the last but one and the third last prompt count: the end counts most. Source: ours."""

PROMPT_CHARACTERS = 400
"""Of a longer prompt the beginning is read: what is pasted says nothing of the user."""

GOOD_FROM, BAD_TO = 0.3, -0.3
"""Scores from which on an ending is good or bad; where signs of both kinds lie between, it is mixed."""

CHECK_WEIGHT = 0.5
"""What the last test or build counts. Source: ours; a person's word weighs twice what a tool says."""

PRAISE = re.compile(
    r"\b(?:thanks|thank you|thx|perfect|great|excellent|awesome|lovely|nice|brilliant|wonderful|lgtm|looks good|"
    r"well done|good job|works(?: now| again| fine| great)?|that did it|that fixed it|all green|ship it|good,|"
    r"done for today|that's it|exactly what i)\b|👍|🎉|❤"
)
COMPLAINT = re.compile(
    r"\b(?:still (?:broken|failing|fails|wrong|not|doesn't|the same)|doesn't work|does not work|didn't work|"
    r"not working|broken|you broke|made it worse|useless|give up|giving up|forget it|never ?mind|start over|"
    r"(?:revert|undo) (?:everything|all|it|that)|wrong again|same error|that's not what|"
    r"not what i (?:asked|wanted|meant)|waste of time|i'll do it myself|stop(?: it)?!|no[,!] no)\b|\bwtf\b|👎"
)
NOT_PRAISE = re.compile(
    r"\b(?:not|isn't|no|never|hardly|oh|yeah right|would be|if it|does it|until it)\b[\w ,']{0,20}$"
)
INTERRUPTED = re.compile(r"request interrupted by user", re.IGNORECASE)

PROMPTS = """
select text from entries where session_id = ? and role = 'user' and kind in ('prompt', 'notice') and is_sidechain = 0
    and (kind = 'prompt' or text like '%interrupted by user%')
order by created_at desc, id desc limit 3
"""

LAST_ACTIONS = """
select a.tool, a.target, a.is_error, a.excerpt from actions a
where a.session_id = ? and a.tool in ('Bash', 'shell', 'run_shell_command', 'exec_command') and a.is_error is not null
order by a.created_at desc, a.id desc limit 20
"""

WRITE = """
insert into session_outcomes (session_id, outcome, score, reason, rules_version, found_at) values (?, ?, ?, ?, ?, ?)
on conflict (session_id) do update set outcome = excluded.outcome, score = excluded.score, reason = excluded.reason,
    rules_version = excluded.rules_version, found_at = excluded.found_at
where outcome <> excluded.outcome or score <> excluded.score or reason <> excluded.reason
    or rules_version <> excluded.rules_version
"""


@dataclass(slots=True, frozen=True)
class SessionOutcome:
    """How a session ended; `score` from -1 to 1."""

    outcome: str
    score: float
    reason: str


def judge(db: sqlite3.Connection, sessions: Sequence[int], *, now: datetime) -> dict[str, int]:
    """Judges these sessions again; counts `sessions_judged`, those whose row is new or has changed."""
    changed = 0
    for start in range(0, len(sessions), BATCH):
        ended = {session_id: outcome_of(db, session_id) for session_id in sessions[start : start + BATCH]}
        with transaction(db):
            for session_id, found in ended.items():
                values = [session_id, found.outcome, found.score, found.reason, RULES_VERSION, utc_text(now)]
                changed += db.execute(WRITE, values).rowcount
    return {"sessions_judged": changed}


def outcome_of(db: sqlite3.Connection, session_id: int) -> SessionOutcome:
    """How a session ended."""
    prompts = [row[0] for row in db.execute(PROMPTS, [session_id])]
    return outcome_from(prompts, last_check(db, session_id))


def last_check(db: sqlite3.Connection, session_id: int) -> tuple[str, bool] | None:
    """The last test, build or lint that ran: its command, and whether it passed."""
    for row in db.execute(LAST_ACTIONS, [session_id]):
        command = (row["target"] or "").strip().rpartition("&&")[2].strip()
        if CHECKS.match(command) and not REFUSED.search(row["excerpt"] or ""):
            return command, not row["is_error"]
    return None


def outcome_from(prompts: Sequence[str], check: tuple[str, bool] | None) -> SessionOutcome:
    """How a session ended, by its last prompts, the newest first, and its last check."""
    signals: list[tuple[float, str]] = []
    for weight, prompt in zip(PROMPT_WEIGHTS, prompts, strict=False):
        value, why = tone_of(prompt)
        if value:
            signals.append((weight * value, why))
    if check is not None:
        passed = check[1]
        signals.append((CHECK_WEIGHT * (1 if passed else -1), f"last check {'passed' if passed else 'failed'}"))
    if not signals:
        return SessionOutcome("unknown", 0.0, "nothing was said or checked at the end" if prompts else "no prompt")
    score = round(max(-1.0, min(1.0, sum(value for value, _ in signals))), 3)
    if score >= GOOD_FROM:
        name = "good"
    elif score <= BAD_TO:
        name = "bad"
    else:
        name = "mixed" if len({value > 0 for value, _ in signals}) == 2 else "unknown"
    return SessionOutcome(name, score, "; ".join(why for _, why in signals))


def tone_of(prompt: str) -> tuple[float, str]:
    """What a prompt says of what came before it: 1, -1 or 0, and why. A complaint goes before praise beside it."""
    text = plain(prompt[:PROMPT_CHARACTERS])
    if INTERRUPTED.search(text):
        return -1.0, "the user interrupted"
    if match := COMPLAINT.search(text):
        return -1.0, f"the user said '{match.group()}'"
    if corrects(prompt):
        return -0.5, "the user corrected"
    match = PRAISE.search(text)
    if match and not NOT_PRAISE.search(text[: match.start()]) and not text.rstrip().endswith("?"):
        return 1.0, f"the user said '{match.group()}'"
    return 0.0, ""
