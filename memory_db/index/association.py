"""What each earlier prompt came to, and what each memory is bound to, kept up to date as ties that both may have.

A tie is a memory, a file, its name elsewhere, a folder, a command or something else that is named. In: prompts with
their vectors, what the agent did after each, what was said, used and judged there; what memories name. Out: rows of
`prompt_vectors`, `prompt_ties` and `memory_ties`. Invariants: a second run changes no row; a session is read again when
anything in it changed, committed with a few others, so that a killed run goes on; a tie is kept as a number, never as
text, so that nothing of what is forgotten can be read here.
"""

from __future__ import annotations

import json
import sqlite3
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from functools import lru_cache

from memory_db.index.roots import Roots, hashed
from memory_db.store.connection import id_list, transaction
from memory_db.store.dates import parse_utc, utc_text
from memory_db.text.names.entities import PART_OF_LINE, commands, entities_in, normal_name
from memory_db.text.static_vectors import MODEL_ID

RULES_VERSION = 2
"""Raised when the rules that make ties change, so that every session is read again."""

FIRST_NAME = 1 << 32
"""Numbers from here on stand for names; below it a tie is the id of a memory."""

READS, CHANGES = ("Read", "Grep", "Glob"), ("Edit", "MultiEdit", "Write", "NotebookEdit")

DONE = dict.fromkeys(READS, 0.5) | dict.fromkeys((*CHANGES, "Bash"), 1.0)
"""How much a tool's target counts as what a prompt came to. Source: ours; to look into a file is not to work on it."""

NEAR_FILE, NAMED, SAID_AMONG = 0.6, 0.5, 1.0
"""How much counts, of a file, its folder and its name elsewhere; what a prompt only names; and what was worked on where
a memory was said or used. Source: ours; `python -m bench association` hardly moves between a third and two thirds."""

LATER = 0.5
"""What followed the next prompts of the session counts by half for each. Source: ours."""

REACH = 2
"""How many prompts later what is done still counts for an earlier one. Source: ours; a quarter is left by then."""

MOST_TIES = 16
"""The strongest ties of a prompt, or of a memory, that are kept: each is read at every prompt that is like it."""

MOST_PROMPTS = 50
"""The latest prompts at which a memory came up that tell what it is bound to. Source: ours."""

BATCH = 500
"""Memories between two commits: a tenth of a second's work."""

SESSIONS_AT_ONCE = 20
"""Sessions between two commits: so few that who waits for the lock hardly notices. Source: ours; a hundredth of a
second's work."""

KNOWN_TIES = 4_000
"""Ties whose numbers are remembered: a session comes back to the same files and commands."""

READ_CHARACTERS = 2_000
"""Characters of a prompt in which names are looked for. Source: ours; what is longer was pasted."""

ANSWERED_BEFORE_S = 5
"""A hook asks before the client writes its prompt down, by so many seconds at most. Source: hooks are given two."""

STATES = (
    "select session_id, count(*), max(id) from entries group by session_id",
    "select session_id, count(*), max(id), coalesce(sum(length(target)), 0) from actions group by session_id",
    "select e.session_id, count(*), sum(q.memory_id) from memory_sources q join entries e on e.id = q.entry_id"
    " group by e.session_id",
    "select r.session_id, count(*), sum(v.memory_id) from evidence v join recalls r on r.id = v.recall_id"
    " where v.kind in ('used', 'cited') and v.withdrawn_at is null and r.session_id is not null group by r.session_id",
    "select r.session_id, count(*), sum(j.memory_id) from judgements j"
    " join labelled_queries q on q.id = j.labelled_query_id join recalls r on r.id = q.recall_id"
    " where j.relevance = 1 and j.memory_id is not null and r.session_id is not null group by r.session_id",
)
"""What there is to read in each session: anything new, changed or emptied changes one of the numbers."""

PROMPTS = """
select e.id, e.created_at, e.text, v.vector from entries e join static_vectors v on v.entry_id = e.id
where e.session_id = ? and e.kind = 'prompt' and e.role = 'user' and e.is_sidechain = 0 and v.model = ?
    and length(v.vector) > 0
order by e.created_at, e.id
"""

ACTIONS = """
select a.created_at, a.entry_id, a.tool, a.target from actions a join entries e on e.id = a.entry_id
where a.session_id = ? and e.is_sidechain = 0 and a.target is not null order by a.created_at, a.id
"""

CAME_UP = """
select e.created_at, e.id, q.memory_id from memory_sources q join entries e on e.id = q.entry_id where e.session_id = ?
"""

SHOWN_TO_USE = """
select r.asked_at, v.memory_id from evidence v join recalls r on r.id = v.recall_id
where r.session_id = :session and v.kind in ('used', 'cited') and v.withdrawn_at is null
union
select r.asked_at, j.memory_id from judgements j join labelled_queries q on q.id = j.labelled_query_id
join recalls r on r.id = q.recall_id where r.session_id = :session and j.relevance = 1 and j.memory_id is not null
"""

MEMORY_STATES = """
select m.id, 0, m.project_id, m.updated_at from memories m where m.status = 'active'
union all select memory_id, 1, count(*), max(recorded_at) from memory_paths group by memory_id
union all select memory_id, 2, count(*), sum(entity_id) from memory_entities group by memory_id
union all select memory_id, 3, count(*), sum(id) from memory_sources group by memory_id
"""
"""What each memory is bound to changes with one of these, or with a session in which it came up."""

BOUND = """
select coalesce(m.project_id, (select s.project_id from memory_sources q join entries e on e.id = q.entry_id
        join sessions s on s.id = e.session_id where q.memory_id = m.id order by q.id limit 1), 0),
    (select json_group_array(p.path) from memory_paths p where p.memory_id = m.id),
    (select json_group_array(json_array(n.kind, n.name)) from memory_entities l join entities n on n.id = l.entity_id
        where l.memory_id = m.id)
from memories m where m.id = ?
"""

AMONG = f"""
select other.tie, max(own.weight * other.weight)
from (select entry_id, weight from prompt_ties where tie = ?
    order by session_id desc, entry_id desc limit {{most}}) own
cross join prompt_ties other on other.entry_id = own.entry_id and other.tie >= {FIRST_NAME} group by other.tie
"""
"""What was worked on at the prompts where a memory was said or used."""

Tie = tuple[str, int, str]
"""A kind, the project of a file or a folder (else 0, see `Roots`), and a name; of a memory its id."""

Ties = dict[Tie, float]

Prompts = dict[int, tuple[bytes, Ties]]
"""The vector of each prompt of a session, and its strongest ties, by the prompt's entry."""

MEMORY = "memory"


@lru_cache(maxsize=KNOWN_TIES)
def number(tie: Tie) -> int:
    """The number that is stored for a tie: of a memory its id, else what its name comes to."""
    if tie[0] == MEMORY:
        return int(tie[2])
    return hashed("\n".join(map(str, tie))) | FIRST_NAME


def add(ties: Ties, tie: Tie, weight: float) -> None:
    """Notes a tie unless it is there and stronger."""
    if weight > ties.get(tie, 0.0):
        ties[tie] = weight


def add_file(ties: Ties, project_id: int, path: str, weight: float) -> None:
    """A file with its folder and its bare name; of a pattern, the folder below which it holds."""
    if "*" in path:
        folder = normal_name("file", path.partition("*")[0].rpartition("/")[0])
        if folder:
            add(ties, ("folder", project_id, folder), weight)
        return
    name = normal_name("file", path)
    folder, _, bare = name.rpartition("/")
    if name:
        add(ties, ("file", project_id, name), weight)
    if folder:
        add(ties, ("folder", project_id, folder), weight * NEAR_FILE)
        add(ties, ("file", project_id, bare), weight * NEAR_FILE)


def add_names(ties: Ties, named: Iterable[tuple[str, str]], project_id: int, weight: float) -> None:
    """What is named: files as files, the rest by kind and name."""
    for kind, name in named:
        if kind == "file":
            add_file(ties, project_id, name, weight)
        elif plain := normal_name(kind, name):
            add(ties, (kind, 0, plain), weight)


def strongest(ties: Ties) -> Ties:
    """The strongest ties; of equal ones memories first."""
    return dict(sorted(ties.items(), key=lambda item: (-item[1], item[0][0] != MEMORY, item[0]))[:MOST_TIES])


# ------------------------------------------------------------------ what prompts came to


def refresh(db: sqlite3.Connection) -> int:
    """Reads every session again in which something changed, then the memories; how many rows that made or removed."""
    roots = Roots.of(db)
    there = states(db, roots)
    known = dict(map(tuple, db.execute("select session_id, read_to from tie_progress")))
    stale = [each for each in sorted(there.keys() | known.keys()) if known.get(each) != there.get(each)]
    changed = 0
    for start in range(0, len(stale), SESSIONS_AT_ONCE):
        read = [(each, read_session(db, each, roots) if each in there else {})
                for each in stale[start : start + SESSIONS_AT_ONCE]]  # fmt: skip
        with transaction(db):
            changed += sum(store_session(db, each, prompts, there.get(each)) for each, prompts in read)
    return changed + refresh_memories(db, roots)


def states(db: sqlite3.Connection, roots: Roots) -> dict[int, str]:
    """What there is to read in each session of a person, as a text that changes with it."""
    own = "select id, project_id from sessions where parent_session_id is null"
    found = {row[0]: [RULES_VERSION, MODEL_ID, roots.key(row[1])] for row in db.execute(own)}
    for place, sql in enumerate(STATES):
        for session_id, *numbers in db.execute(sql):
            if session_id in found:
                found[session_id] += (place, *numbers)
    return {session_id: " ".join(map(str, numbers)) for session_id, numbers in found.items() if len(numbers) > 3}


def store_session(db: sqlite3.Connection, session_id: int, prompts: Prompts, state: str | None) -> int:
    """Writes what the prompts of a session came to, as far as it is not so already; nothing of one without a state."""
    wanted = {(number(tie), entry): round(weight, 4) for entry, (_, ties) in prompts.items()
              for tie, weight in ties.items()}  # fmt: skip
    changed = store_vectors(db, session_id, {entry: vector for entry, (vector, _) in prompts.items()})
    rows = "select tie, entry_id, weight from prompt_ties where session_id = ?"
    there = {(row[0], row[1]): row[2] for row in db.execute(rows, [session_id])}
    gone = [(tie, session_id, entry) for tie, entry in there.keys() - wanted.keys()]
    new = [(tie, session_id, entry, weight) for (tie, entry), weight in wanted.items()
           if there.get((tie, entry)) != weight]  # fmt: skip
    db.executemany("delete from prompt_ties where tie = ? and session_id = ? and entry_id = ?", sorted(gone))
    db.executemany("insert or replace into prompt_ties (tie, session_id, entry_id, weight) values (?, ?, ?, ?)", new)
    if gone or new:
        memories = id_list({tie for tie, _ in (*there, *wanted) if tie < FIRST_NAME})
        db.execute(f"delete from memory_tie_progress where memory_id in ({memories})")
    if state is None:
        db.execute("delete from tie_progress where session_id = ?", [session_id])
    else:
        db.execute("insert or replace into tie_progress (session_id, read_to) values (?, ?)", [session_id, state])
    return changed + len(gone) + len(new)


def store_vectors(db: sqlite3.Connection, session_id: int, vectors: Mapping[int, bytes]) -> int:
    """Keeps the vectors of the prompts that came to anything beside each other; how many are new, changed or gone."""
    rows = db.execute(
        "select p.entry_id, p.model, p.vector from entries e join prompt_vectors p on p.entry_id = e.id"
        " where e.session_id = ?",
        [session_id],
    )
    there = {row[0]: row[2] if row[1] == MODEL_ID else b"" for row in rows}
    stale = [(entry,) for entry in there if there[entry] != vectors.get(entry)]
    new = [(entry, MODEL_ID, vector) for entry, vector in vectors.items() if there.get(entry) != vector]
    db.executemany("delete from prompt_vectors where entry_id = ?", stale)
    db.executemany("insert into prompt_vectors (entry_id, model, vector) values (?, ?, ?)", new)
    return len(stale) + len(new)


def read_session(db: sqlite3.Connection, session_id: int, roots: Roots) -> Prompts:
    """The prompts of a session that came to anything, by entry: the vector of each, and its strongest ties."""
    row = db.execute("select project_id from sessions where id = ?", [session_id]).fetchone()
    project_id = roots.key(row[0]) if row else 0
    prompts = db.execute(PROMPTS, [session_id, MODEL_ID]).fetchall()
    began = [(each["created_at"], each["id"]) for each in prompts]
    turns: list[Ties] = [{} for _ in prompts]
    for each, ties in zip(prompts, turns, strict=True):
        add_names(ties, entities_in(each["text"][:READ_CHARACTERS]), project_id, NAMED)
    for at, entry, tool, target in db.execute(ACTIONS, [session_id]) if prompts else ():
        if (place := bisect_right(began, (at, entry))) and tool in DONE:
            add_action(turns[place - 1], tool, target, project_id, roots)
    for at, entry, memory_id in memories_of(db, session_id) if prompts else ():
        if place := bisect_right(began, (at, entry)):
            add(turns[place - 1], (MEMORY, 0, str(memory_id)), 1.0)
    found = {}
    for place, each in enumerate(prompts):
        if ties := strongest(with_later(turns[place : place + REACH + 1])):
            found[each["id"]] = each["vector"], ties
    return found


def memories_of(db: sqlite3.Connection, session_id: int) -> Iterator[tuple[str, int, int]]:
    """When in a session, and at which entry, each memory was said, or was shown and then used or judged to be right."""
    yield from db.execute(CAME_UP, [session_id])
    for asked_at, memory_id in db.execute(SHOWN_TO_USE, {"session": session_id}):
        yield utc_text(parse_utc(asked_at) + timedelta(seconds=ANSWERED_BEFORE_S)), 0, memory_id


def add_action(ties: Ties, tool: str, target: str, project_id: int, roots: Roots) -> None:
    """What one call of a tool was about."""
    if tool == "Bash":
        for line in target[:READ_CHARACTERS].splitlines()[:3]:
            for part in PART_OF_LINE.split(line):
                add_names(ties, commands(part), project_id, DONE[tool])
    elif " " not in target:
        add_file(ties, *roots.place_of(target, project_id), DONE[tool])


def with_later(turns: Sequence[Ties]) -> Ties:
    """What a prompt came to, and what the next ones of its session did, each later one counting less."""
    ties: Ties = {}
    for distance, turn in enumerate(turns):
        for tie, weight in turn.items():
            add(ties, tie, weight * LATER**distance)
    return ties


# --------------------------------------------------------------- what memories are bound to


def refresh_memories(db: sqlite3.Connection, roots: Roots) -> int:
    """Writes what memories are bound to where that changed: how many rows were made or removed."""
    there: dict[int, list[object]] = {}
    for memory_id, *numbers in db.execute(MEMORY_STATES):
        if numbers[0] == 0 or memory_id in there:
            place = [roots.key(numbers[1])] if numbers[0] == 0 else []
            there.setdefault(memory_id, [RULES_VERSION]).extend([*numbers, *place])
    states = {memory_id: " ".join(map(str, numbers)) for memory_id, numbers in there.items()}
    known = dict(map(tuple, db.execute("select memory_id, read_to from memory_tie_progress")))
    stale = [each for each in sorted(states.keys() | known.keys()) if states.get(each) != known.get(each)]
    changed = 0
    for start in range(0, len(stale), BATCH):
        read = [(each, ties_of(db, each, roots) if each in states else {}) for each in stale[start : start + BATCH]]
        with transaction(db):
            changed += sum(store_memory(db, memory_id, ties, states.get(memory_id)) for memory_id, ties in read)
    return changed


def store_memory(db: sqlite3.Connection, memory_id: int, ties: Mapping[int, float], state: str | None) -> int:
    """Writes what a memory is bound to, as far as it is not so already; how many rows that made or removed."""
    there = dict(map(tuple, db.execute("select tie, weight from memory_ties where memory_id = ?", [memory_id])))
    gone = [(tie, memory_id) for tie in sorted(there.keys() - ties.keys())]
    new = [(tie, memory_id, weight) for tie, weight in ties.items() if there.get(tie) != weight]
    db.executemany("delete from memory_ties where tie = ? and memory_id = ?", gone)
    db.executemany("insert or replace into memory_ties (tie, memory_id, weight) values (?, ?, ?)", new)
    if state is None:
        db.execute("delete from memory_tie_progress where memory_id = ?", [memory_id])
    else:
        db.execute("insert or replace into memory_tie_progress (memory_id, read_to) values (?, ?)", [memory_id, state])
    return len(gone) + len(new)


def ties_of(db: sqlite3.Connection, memory_id: int, roots: Roots) -> dict[int, float]:
    """The strongest ties of a memory, as numbers: what it names itself, and what was worked on where it came up."""
    project_id, paths, named = db.execute(BOUND, [memory_id]).fetchone()
    ties = {number(tie): weight for tie, weight in bound_to(roots.key(project_id), paths, named, roots).items()}
    for tie, weight in db.execute(AMONG.format(most=MOST_PROMPTS), [memory_id]):
        ties[tie] = max(SAID_AMONG * weight, ties.get(tie, 0.0))
    kept = sorted(ties.items(), key=lambda item: (-item[1], item[0]))[:MOST_TIES]
    return {tie: round(weight, 4) for tie, weight in kept}


def bound_to(project_id: int, paths: str, named: str, roots: Roots) -> Ties:
    """What a memory itself names: its paths, and the entities in its text, both as JSON."""
    ties: Ties = {}
    for path in json.loads(paths):
        add_file(ties, *roots.place_of(path, project_id), 1.0)
    add_names(ties, json.loads(named), project_id, 1.0)
    return ties


def drop(db: sqlite3.Connection, entry_ids: Iterable[int]) -> None:
    """Removes what rests on the sessions of some entries, in the caller's transaction; the next run reads it anew."""
    sessions = f"select session_id from entries where id in ({id_list(entry_ids)})"
    memories = f"select tie from prompt_ties where tie < {FIRST_NAME} and session_id in ({sessions})"
    for table in ("memory_ties", "memory_tie_progress"):
        db.execute(f"delete from {table} where memory_id in ({memories})")
    for table in ("prompt_ties", "tie_progress"):
        db.execute(f"delete from {table} where session_id in ({sessions})")
    entries = f"select id from entries where session_id in ({sessions})"
    db.execute(f"delete from prompt_vectors where entry_id in ({entries})")


# --------------------------------------------------------------------------- in words


def names_between(db: sqlite3.Connection, entry_id: int, memory_id: int) -> list[str]:
    """What a prompt came to that a memory is bound to, in words, the strongest first; read anew from the session."""
    row = db.execute("select session_id from entries where id = ?", [entry_id]).fetchone()
    if row is None:
        return []
    bound = dict(map(tuple, db.execute("select tie, weight from memory_ties where memory_id = ?", [memory_id])))
    _, ties = read_session(db, row[0], Roots.of(db)).get(entry_id, (b"", {}))
    strength = {tie: weight * bound.get(number(tie), 0.0) for tie, weight in ties.items() if tie[0] != MEMORY}
    named = [f"{tie[0]} {tie[2]}" for tie in sorted(strength, key=lambda tie: (-strength[tie], tie)) if strength[tie]]
    return [*(["this memory"] if (MEMORY, 0, str(memory_id)) in ties else []), *named]
