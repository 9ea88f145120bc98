"""Sessions with briefs, written row by row, for tests of feedback."""

from __future__ import annotations

import json
import sqlite3
from datetime import datetime, timedelta
from typing import Any

from memory_db.feedback import run as feedback
from memory_db.knowledge.memories import add_memory
from memory_db.store.connection import transaction
from memory_db.store.dates import utc_text


class Session:
    """A session that grows by events; each is a minute after the one before."""

    def __init__(
        self, db: sqlite3.Connection, uid: str, start: datetime, uids: dict[str, str], *, project_id: int | None = None
    ) -> None:
        self.db, self.uid, self.at, self.uids = db, uid, start, uids
        self.number = 0
        with transaction(db):
            cursor = db.execute(
                "insert into sessions (uid, format, project_id) values (?, 'claude-code', ?)", [uid, project_id]
            )
        self.id = int(cursor.lastrowid or 0)

    def play(self, events: list[dict[str, Any]]) -> None:
        """Writes events."""
        for event in events:
            what, value = next(iter(event.items()))
            self.at += timedelta(minutes=1)
            with transaction(self.db):
                if what == "brief":
                    self.brief(value)
                elif what in ("run", "edit"):
                    self.act(what, value, fails=bool(event.get("fails")))
                else:
                    self.say(what, self.with_uids(value))

    def with_uids(self, text: str) -> str:
        """A text with the uids of the memories that it names."""
        for name, uid in self.uids.items():
            text = text.replace("{" + name + "}", uid)
        return text

    def say(self, what: str, text: str) -> int:
        """An entry; its id."""
        role, kind = {"prompt": ("user", "prompt"), "reply": ("assistant", "reply"), "result": ("tool", "tool_result")}[
            what
        ]
        return self.entry(role, kind, text)

    def entry(self, role: str, kind: str, text: str) -> int:
        self.number += 1
        cursor = self.db.execute(
            "insert into entries (uid, session_id, role, kind, text, created_at) values (?, ?, ?, ?, ?, ?)",
            [f"{self.uid}-{self.number}", self.id, role, kind, text, utc_text(self.at)],
        )
        self.db.execute("insert into session_entries values (?, ?, ?)", [self.id, cursor.lastrowid, self.number])
        return int(cursor.lastrowid or 0)

    def act(self, what: str, value: Any, *, fails: bool) -> None:
        """A tool call with its result."""
        target = value if what == "run" else "file.py"
        stored = {"command": value} if what == "run" else {"new_string": value["new"], "old_string": value["old"]}
        entry_id = self.entry("assistant", "tool_call", f"{what} {target}")
        self.db.execute(
            "insert into actions (uid, entry_id, session_id, tool, target, input, is_error, created_at)"
            " values (?, ?, ?, ?, ?, ?, ?, ?)",
            [f"a{entry_id}", entry_id, self.id, "Bash" if what == "run" else "Edit", target, json.dumps(stored),
             int(fails), utc_text(self.at)],
        )  # fmt: skip

    def brief(self, shown: list[str], *, surface: str = "hook", rank: int = 1) -> int:
        """A recall of this session by a hook, which knows the session by its uid alone; its id."""
        return add_recall(self.db, self.uid, [self.uids[name] for name in shown], self.at, surface=surface, rank=rank)


def add_recall(
    db: sqlite3.Connection, session_uid: str | None, shown: list[str], at: datetime, *, surface: str = "hook",
    rank: int = 1,
) -> int:  # fmt: skip
    """A recall that showed these memories, 20 tokens each; its id."""
    number = db.execute("select count(*) from recalls").fetchone()[0]
    cursor = db.execute(
        "insert into recalls (uid, query, scope, surface, session_uid, profile_id, context, features, considered_count,"
        " left_out, abstained, shown_tokens, asked_at, duration_ms) values (?, 'q', 'all', ?, ?, 1, '{}', '{}', ?,"
        " '{}', ?, ?, ?, 1.0)",
        [f"r{number:08x}", surface, session_uid, len(shown), int(not shown), 20 * len(shown), utc_text(at)],
    )
    recall_id = int(cursor.lastrowid or 0)
    for place, uid in enumerate(shown):
        db.execute(
            "insert into hits (recall_id, memory_version_id, position, rank, logged_score, features, signals,"
            " shown_tokens) select ?, v.id, ?, ?, 0.5, '{}', '{}', 20 from memory_versions v"
            " join memories m on m.id = v.memory_id where m.uid = ? and v.recorded_to is null",
            [recall_id, place + rank, place + rank, uid],
        )
    return recall_id


def add_memories(db: sqlite3.Connection, given: dict[str, dict[str, str]], now: datetime) -> dict[str, str]:
    """Memories by name; their uids."""
    return {
        name: add_memory(db, text=each["text"], kind=each["kind"], scope="user", origin="rules", now=now)
        for name, each in given.items()
    }


def leave_out(db: sqlite3.Connection, recall_id: int, uid: str) -> None:
    """A memory that a recall met and did not show."""
    db.execute(
        "insert into hits (recall_id, memory_version_id, position, left_out_reason, logged_score, features, signals)"
        " select ?, v.id, 9, 'beyond the limit', 0.1, '{}', '{}' from memory_versions v"
        " join memories m on m.id = v.memory_id where m.uid = ? and v.recorded_to is null",
        [recall_id, uid],
    )


def agents_life(db: sqlite3.Connection, now: datetime) -> None:
    """Two sessions with a lot each, on three memories of a file's projects: told late, obeyed, not told, held out."""
    found = db.execute("select uid from memories where scope = 'project' and status = 'active' order by id limit 3")
    uids = dict(zip("abc", [row[0] for row in found], strict=True))
    session = Session(db, "experiment-1", now, uids)
    session.play([{"prompt": "first"}])
    with transaction(db):
        first = session.brief(["b"])
        leave_out(db, first, uids["a"])
    session.play([{"reply": "Which?"}, {"prompt": "second"}, {"brief": ["a"]}, {"reply": "So it is ({a})."}])
    session.play([{"prompt": "the third thing again"}])
    with transaction(db):
        db.execute(
            "insert into evidence (memory_id, kind, direction, weight, source, entry_id, created_at, recorded_at)"
            " select m.id, 'repeated', 'for', 1, 'entry ' || e.uid, e.id, e.created_at, e.created_at"
            " from memories m, entries e where m.uid = ? and e.id = (select max(id) from entries)",
            [uids["c"]],
        )
    other = Session(db, "experiment-2", now, uids)
    other.play([{"prompt": "first"}, {"reply": "Done."}, {"prompt": "thanks"}])
    session.play([{"reply": "Done."}, {"prompt": "thanks"}])
    with transaction(db):
        for uid, is_held_out in (("experiment-1", 0), ("experiment-2", 1)):
            db.execute("insert into holdouts values (?, ?, 0.5, ?)", [uid, is_held_out, utc_text(now)])
    feedback.run(db, now=now)
