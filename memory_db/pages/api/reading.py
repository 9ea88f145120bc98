"""What programs read that no page shows in this form: counts, lists, memories like one, briefs, what to forget.

In: a path and the fields of a query string or of a JSON body. Out: a plain dict with `ok`. Invariants: a field that is
not known, or a value that cannot be used, is refused in one line; nothing is written, but for a brief's recall where
the caller says so.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

from memory_db.errors import InputError, ModelError, NotFoundError
from memory_db.index.semantic import find_semantic
from memory_db.knowledge.memories import get_memory
from memory_db.pages.ask import project_id, question_from, whole
from memory_db.pages.cache import rows
from memory_db.pages.forms import Fields, check_known, first, flag
from memory_db.recall.answer import brief_data
from memory_db.recall.brief.answer_log import log_answer
from memory_db.recall.brief.for_model import ask_for_model
from memory_db.recall.brief.log import name_recall
from memory_db.recall.brief.select import Answer, ask
from memory_db.recall.brief.session_start import block
from memory_db.recall.checkpoints import read_start
from memory_db.recall.question_dates import with_window
from memory_db.recall.search import Filters, Question
from memory_db.store import settings
from memory_db.store.connection import connect
from memory_db.store.settings import user_zone
from memory_db.text.terms import MAX_QUERY_CHARACTERS

LISTED, MOST_LISTED = 20, 200
"""Memories of a list where no limit is named, and at most."""

RELATED, MOST_RELATED = 5, 50


SURFACE = "brief"

WHOLE_FILE = """
select m.*, (select count(*) from projects) as projects,
    (select count(*) from sessions) as sessions,
    (select count(*) from entries) as entries,
    (select count(*) from recalls) as recalls,
    (select count(*) from unread_sessions) as sessions_without_model,
    (select max(started_at) from runs where stage = 'import') as imported_at
from (select coalesce(sum(status = 'active'), 0) as active, coalesce(sum(status = 'superseded'), 0) as superseded,
    coalesce(sum(status = 'retired'), 0) as retired,
    coalesce(sum(status = 'active' and lock_level <> 'none'), 0) as locked from memories) m
"""

BY_KIND = """
select kind as name, count(*) as memories from memories where status = 'active' group by kind order by 2 desc, 1
"""

BY_ORIGIN = """
select origin as name, count(*) as memories from memories where status = 'active' group by origin order by 2 desc, 1
"""

TAGS = """
select t.tag, count(*) as memories, count(*) over () as total from tags t
where t.memory_id not in (select id from memories where status <> 'active') group by t.tag
order by memories desc, t.tag limit ? offset ?
"""

CONDITIONS = {
    "status": "m.status = :status",
    "project": "m.project_id = :project",
    "scope": "m.scope = :scope",
    "origin": "m.origin = :origin",
    "locked": "m.lock_level <> 'none'",
    "stale": "m.id in (select memory_id from stale_memories where why <> 'contradicted')",
    "since": "m.created_at >= :since",
    "before": "m.created_at < :before",
    "kinds": "m.kind in (select value from json_each(:kinds))",
    "tags": "m.id in (select t.memory_id from tags t where t.tag in (select value from json_each(:tags)))",
}
"""What each thing asks of a memory; only what is asked stands in a query, so that an index can answer it."""

LIST_FIELDS = ("project", "scope", "kind", "tag", "origin", "status", "locked", "since", "before", "limit", "offset")

CHOICES = {
    "status": ("active", "superseded", "retired", "any"), "scope": ("project", "user"),
    "origin": ("rules", "model", "user", "import"),
}  # fmt: skip
"""Values that a field of a list may have."""

EDGES = """
select other_uid as uid, kind, direction, score, reason from memory_neighbours where memory_id = ? order by score desc
"""

BRIEF_FIELDS = ("q", "start", "project", "session", "budget", "limit", "kind", "tag", "path", "scope", "profile",
                "dry_run")  # fmt: skip


def stats(path: Path) -> dict[str, Any]:
    """How much there is: memories by status, kind, origin and project, sessions, recalls, bytes of the file."""
    with closing(connect(path)) as db:
        return {
            "totals": rows(db, WHOLE_FILE)[0],
            "kinds": rows(db, BY_KIND),
            "origins": rows(db, BY_ORIGIN),
            "file_bytes": path.stat().st_size,
        }


def tags(path: Path, fields: Fields) -> dict[str, Any]:
    """Tags of memories in use, those that most have first. Raises: InputError."""
    check_known(fields, ("limit", "offset"))
    limit = whole(first(fields, "limit") or str(MOST_LISTED), "limit", MOST_LISTED)
    offset = offset_of(first(fields, "offset"))
    with closing(connect(path)) as db:
        found = rows(db, TAGS, [limit, offset])
    total = found[0]["total"] if found else 0
    listed = [{"tag": row["tag"], "memories": row["memories"]} for row in found]
    return {"total": total, "limit": limit, "offset": offset, "tags": listed}


def conditions_of(wanted: Mapping[str, object]) -> str:
    """The condition of a query for what is wanted; of nothing wanted, any memory."""
    return " and ".join(CONDITIONS[name] for name in wanted) or "true"


def wanted_memories(db: sqlite3.Connection, fields: Fields, *, now: datetime) -> dict[str, Any]:
    """What fields ask of memories, as parameters of `CONDITIONS`. Raises: InputError, NotFoundError."""
    for name, values in CHOICES.items():
        value = first(fields, name)
        if value and value not in values:
            raise InputError(f"No {name} {value[:40]!r}. There are: {', '.join(values)}.")
    status, zone = first(fields, "status") or "active", user_zone(db)
    kinds, tags = ([value for value in fields.get(name, ()) if value] for name in ("kind", "tag"))
    known = [row["name"] for row in db.execute("select name from kinds order by name")]
    for kind in kinds:
        if kind not in known:
            raise NotFoundError(f"No kind {kind[:80]!r}. There are: {', '.join(known)}.")
    wanted: dict[str, Any] = {"project": project_id(db, first(fields, "project"))}
    wanted |= {name: first(fields, name) for name in ("scope", "origin")}
    wanted |= {"status": "" if status == "any" else status, "locked": flag(fields, "locked")}
    wanted["stale"] = flag(fields, "stale")
    for name in ("since", "before"):
        wanted[name] = read_start(first(fields, name), now=now, zone=zone) if first(fields, name) else None
    wanted |= {"kinds": json.dumps(kinds) if kinds else None, "tags": json.dumps(tags) if tags else None}
    return {name: value for name, value in wanted.items() if value}


def related(path: Path, uid: str, fields: Fields, *, now: datetime) -> dict[str, Any]:
    """The memories that a recall of a memory's own words gives, best first, each with the edges between the two.

    Raises: NotFoundError, InputError.
    """
    check_known(fields, ("limit",))
    limit = whole(first(fields, "limit") or str(RELATED), "limit", MOST_RELATED)
    with closing(connect(path)) as db:
        memory = get_memory(db, uid)
        edges = rows(db, EDGES, [memory["id"]])
        text = f"{memory['title']}\n{memory['text']}"[:MAX_QUERY_CHARACTERS]
        question = Question(text, scope="memories", project_id=memory["project_id"], limit=limit + 1)
        hits = [hit for hit in found_by(db, question, now=now) if hit["uid"] != uid][:limit]
    for hit in hits:
        hit["edges"] = [{name: edge[name] for name in edge if name != "uid"} for edge in edges
                        if edge["uid"] == hit["uid"]]  # fmt: skip
    return {"uid": uid, "related": hits, "edges": edges}


def to_forget(path: Path, fields: Fields, *, now: datetime) -> dict[str, Any]:
    """Memories that a description is about, each with what would forget it; nothing is forgotten.

    Raises: InputError, NotFoundError.
    """
    check_known(fields, ("q", "project", "limit"))
    with closing(connect(path)) as db:
        question = Question(
            first(fields, "q"), scope="memories", project_id=project_id(db, first(fields, "project")),
            filters=Filters(only_project=bool(first(fields, "project"))),
            limit=whole(first(fields, "limit") or str(LISTED), "limit", MOST_RELATED),
        )  # fmt: skip
        hits = found_by(db, question, now=now)
    for hit in hits:
        hit["preview"] = f"memory-db memory forget {hit['uid']} --dry-run"
        hit["command"] = f"memory-db memory forget {hit['uid']}"
        hit["there"] = f"/-/memory/memories/{hit['uid']}/forget.json"
    return {"q": first(fields, "q"), "matches": hits}


def found_by(db: sqlite3.Connection, question: Question, *, now: datetime) -> list[dict[str, Any]]:
    """The hits that a question shows, in a line of facts each; the recall is not logged."""
    return [
        {
            "uid": hit.uid, "title": hit.title, "text": hit.text, "kind": hit.kind, "project": hit.project,
            "score": hit.score, "signals": dict(hit.signals), "there": f"/-/memory/memories/{hit.uid}.json",
        }
        for hit in answered(db, question, now=now).shown
    ]  # fmt: skip


def brief(path: Path, fields: Fields, *, now: datetime, log: bool) -> dict[str, Any]:
    """The text that an agent is given for a question or at a session's start, within a budget of tokens, and its parts.

    As an agent is, it is told nothing of other projects than `project`; without one, what holds everywhere. `log`
    keeps it as a recall, so that a citation of it counts, unless the field `dry_run` says not to.
    Raises: InputError, NotFoundError.
    """
    check_known(fields, BRIEF_FIELDS)
    log = log and not flag(fields, "dry_run")
    is_start, query = flag(fields, "start"), first(fields, "q")
    if is_start == bool(query.strip()):
        raise InputError("A brief is for a question or for a session's start. Give q, or start=1.")
    with closing(connect(path)) as db:
        given = first(fields, "budget")
        budget = whole(given, "budget", 1_000_000) if given else None
        project, session = project_id(db, first(fields, "project")), first(fields, "session") or None
        if is_start:
            answer = block(db, project, session, now=now, budget=budget)
        else:
            question = brief_question(db, fields, project, session, budget, now=now)
            answer = answered(db, question, now=now, asker=ask_for_model)
        if log:
            name_recall(db, answer, now=now)
    logged = log and not log_answer(path, answer, surface=SURFACE, now=now)
    return {**brief_data(answer, now), "logged": logged}


def brief_question(
    db: sqlite3.Connection, fields: Fields, project: int | None, session: str | None, budget: int | None, *,
    now: datetime,
) -> Question:  # fmt: skip
    """The question of a brief, with the file's settings where nothing was given. Raises: InputError, NotFoundError."""
    asked = {name: values for name, values in fields.items() if name not in ("session", "budget", "start", "dry_run")}
    found = question_from(db, asked, now)
    kinds, tags = found.filters.kinds, found.filters.tags
    return with_window(
        db,
        Question(
            found.query, scope=found.scope, profile=found.profile, project_id=project, session_uid=session,
            filters=Filters(only_project=project is None, other_projects=False, kinds=kinds, tags=tags),
            paths=found.paths, limit=found.limit,
            budget_tokens=budget or settings.get_integer(db, "brief_budget_tokens"),
        ),
        now,
        user_zone(db),
    )  # fmt: skip


def answered(
    db: sqlite3.Connection, question: Question, *, now: datetime, asker: Callable[..., Answer] = ask
) -> Answer:
    """The answer to a question, not logged yet: by words where the model fails."""
    found = find_semantic(db)
    try:
        return asker(db, question, surface=SURFACE, now=now, semantic=found.index, log=False)
    except ModelError:
        return asker(db, question, surface=SURFACE, now=now, semantic=None, log=False)


# -------------------------------------------------------------------- fields


def offset_of(text: str) -> int:
    """How many rows are passed over. Raises: InputError."""
    return 0 if text in ("", "0") else whole(text, "offset", 100_000_000)
