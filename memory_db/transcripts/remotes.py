"""What a transcript tells of git remotes.

In: entries with results of tools. Out: projects that know their remote.
Invariant: only the answer to `git remote -v` in the session's own folder counts.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable
from datetime import datetime

from memory_db.transcripts.projects import resolve_project

ORIGIN = re.compile(r"^origin\s+(\S+)\s+\((?:fetch|push)\)", re.MULTILINE)

COMMAND = re.compile(r"\bgit remote (?:-v\b|--verbose\b)")
ELSEWHERE = re.compile(r"\bcd\b|\bpushd\b|\bgit -C\b|\bssh\b")
"""Commands that may speak of another folder."""


def learn_remotes(db: sqlite3.Connection, results: Iterable[tuple[int, str]], now: datetime) -> None:
    """Gives projects the remote that these results (entry id, text) show."""
    for entry_id, text in results:
        shown = ORIGIN.search(text)
        if shown is None:
            continue
        call = db.execute(
            "select a.target, s.cwd from actions a join sessions s on s.id = a.session_id"
            " where a.session_id = (select session_id from entries where id = :entry) and a.result_entry_id = :entry",
            {"entry": entry_id},
        ).fetchone()
        if call and call["cwd"] and COMMAND.search(call["target"] or "") and not ELSEWHERE.search(call["target"]):
            resolve_project(db, call["cwd"], shown[1], now=now)
