"""A file as somebody has it who worked with an agent every day for most of a year: every table has rows.

In: sizes, a folder and the time. Out: a file whose rows stand to each other as real ones do; its recalls are copies of
some that the package asked and logged here, of which each copy has memories, session and day of its own. Invariant: the
same sizes and time give the same rows but for durations.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import zlib
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np

import memory_db
from bench import lived_working
from bench.lived_chance import Chance
from bench.material import fake_vector, varied_texts
from bench.recall_speed import QUERIES
from memory_db.index import signatures
from memory_db.index.build import make_collection
from memory_db.index.texts import ENTRIES, MEMORIES, Sort, batches, ids_of
from memory_db.models import embedders, prices
from memory_db.recall.brief.select import ask
from memory_db.recall.search import Question
from memory_db.store.connection import transaction
from memory_db.store.dates import parse_utc, utc_text
from memory_db.store.schema import open_database
from memory_db.text import static_vectors

DAYS = 250

PER_SESSION = 60

LONG_SESSION = 1_500
"""Entries of the longest session, the first one."""

FAVOURITES = 100
"""Memories that are shown far more often than others; the first of them is the one with most around it."""

MODELS = ("claude-sonnet-4-5-20250929", "claude-opus-4-1-20250805", "claude-haiku-4-5-20251001", "house-model-1")

KINDS = {
    "decision": 14, "convention": 12, "fix": 20, "preference": 5, "correction": 12, "issue": 7, "environment": 6,
    "structure": 6, "failure": 6, "quirk": 4, "domain": 5, "behaviour": 1, "pattern": 1, "episode": 1,
}  # fmt: skip

ENTRY_KINDS = {
    ("user", "prompt"): 20, ("assistant", "reply"): 36, ("assistant", "tool_call"): 20, ("tool", "tool_result"): 20,
    ("assistant", "thinking"): 4,
}  # fmt: skip

TEMPLATES = 120
"""Recalls that are really asked; the others are copies with other memories."""

FULL_DIMENSIONS = 384


@dataclass(slots=True, frozen=True)
class Size:
    """How many rows of the three sorts that the others follow."""

    memories: int = 20_000
    entries: int = 200_000
    recalls: int = 5_000


def made(folder: Path, size: Size, *, now: datetime, vectors: bool = True) -> Path:
    """The file of that size and schema in the folder, made unless an earlier run of this week left it."""
    migrations = sorted(Path(memory_db.__file__).parent.joinpath("store", "migrations").glob("*.sql"))
    schema = zlib.crc32(b"".join(file.read_bytes() for file in migrations))
    name = f"lived-{size.memories}-{size.entries}-{size.recalls}"
    path = folder / f"{name}-{schema:08x}-{now:%G%V}.db"
    if not path.exists():
        for old in folder.glob(f"{name}-*"):
            old.unlink()
        unfinished = path.with_suffix(".unfinished")
        unfinished.unlink(missing_ok=True)
        with closing(open_database(unfinished, now=now)) as db:
            fill(db, size, now=now, vectors=vectors)
        unfinished.rename(path)
    return path


def fill(db: sqlite3.Connection, size: Size, *, now: datetime, vectors: bool = True) -> None:
    """Every table, in the order in which rows need each other."""
    chance = Chance(now, DAYS)
    add_projects(db, chance)
    add_entries(db, chance, size.entries)
    add_memories(db, chance, size.memories)
    if vectors:
        add_full(db, MEMORIES)
        add_full(db, ENTRIES)
    signatures.refresh(db)
    add_recalls(db, chance, size.recalls)
    lived_working.fill(db, chance)
    prices.refresh(db, now=now)
    db.execute("pragma wal_checkpoint(truncate)")


def add_projects(db: sqlite3.Connection, chance: Chance) -> None:
    """Forty projects, of which the first have most of the work."""
    with transaction(db):
        db.executemany(
            "insert into projects (id, name, canonical_path, git_remote, created_at) values (?, ?, ?, ?, ?)",
            [(n, f"project-{n}", f"/bench/project-{n}", f"git@bench:project-{n}.git", chance.at(DAYS * 24 - n))
             for n in range(1, 41)],
        )  # fmt: skip


def add_entries(db: sqlite3.Connection, chance: Chance, count: int) -> None:
    """Sessions of entries, each session in the project and at the time of its own; one of ten is a subagent's."""
    texts = varied_texts(count)
    left, session = count, 0
    while left > 0:
        session += 1
        length = min(left, LONG_SESSION if session == 1 else chance.randint(8, 2 * PER_SESSION - 8))
        hours_ago = DAYS * 24 * (left / count) ** 1.1
        parent = session - 1 if session % 10 == 0 else None
        with transaction(db):
            add_session(db, chance, session, parent, hours_ago)
            entries = [entry_row(chance, session, place, next(texts), hours_ago) for place in range(length)]
            for place, row in enumerate(entries):
                cursor = db.execute(
                    "insert into entries (uid, session_id, source_id, role, kind, is_sidechain, model, text,"
                    " created_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    row,
                )
                db.execute("insert into session_entries values (?, ?, ?)", [session, cursor.lastrowid, place])
                if row[4] in ("prompt", "reply", "thinking"):
                    db.execute(
                        "insert into static_vectors (entry_id, model, vector) values (?, ?, ?)",
                        [cursor.lastrowid, static_vectors.MODEL_ID, fake_vector(str(row[7]))],
                    )
        left -= length


def add_session(db: sqlite3.Connection, chance: Chance, session: int, parent: int | None, hours_ago: float) -> None:
    """A session and the transcript that it was read from."""
    project = chance.zipf(40) + 1
    db.execute(
        "insert into sources (id, path, format, size_bytes, mtime_ns, read_bytes, read_lines, state, found_at, read_at)"
        " values (?, ?, 'claude-code', 90000, 0, 90000, 60, 'read', ?, ?)",
        [session, f"/bench/transcripts/{session}.jsonl", chance.at(hours_ago), chance.at(hours_ago)],
    )
    db.execute(
        "insert into sessions (id, uid, format, project_id, parent_session_id, agent, title, cwd, agent_version)"
        " values (?, ?, 'claude-code', ?, ?, ?, ?, ?, '2.0.1')",
        [session, f"bench-{session}", project, parent, "reviewer" if parent else None, f"Work number {session}",
         f"/bench/project-{project}"],
    )  # fmt: skip


def entry_row(chance: Chance, session: int, place: int, text: str, hours_ago: float) -> list[object]:
    """One entry, as the columns of the insert have it."""
    role, kind = chance.weighted(ENTRY_KINDS)
    model = chance.choice(MODELS) if role == "assistant" else None
    at = chance.at(hours_ago - place / 60)
    return [f"e{session}-{place}", session, session, role, kind, int(session % 10 == 0), model, text, at]


def add_memories(db: sqlite3.Connection, chance: Chance, count: int) -> None:
    """Memories of every kind, scope and state, with the candidates, quotes, evidence and edges they came with."""
    entries = db.execute(
        "select e.id, e.session_id, s.project_id, e.created_at from entries e join sessions s on s.id = e.session_id"
        " where e.kind in ('prompt', 'reply') order by e.id"
    ).fetchall()
    add_runs(db, chance)
    for start in range(0, count, 500):
        texts = list(varied_texts(500, seed=100 + start))[: count - start]
        with transaction(db):
            for number, text in enumerate(texts, start):
                add_memory(db, chance, number, text, chance.choice(entries))
    with transaction(db):
        lived_working.add_around_memories(db, chance, count, entries)
        for number in range(1, count // 8):
            entry = chance.choice(entries)
            add_candidate(db, chance, count + number, chance.weighted(KINDS), f"Perhaps number {number}", entry)
            action = chance.weighted({"reject": 5, "duplicate": 4, "quarantine": 1, "propose": 2})
            decide(db, chance, count + number, action, None, entry[3])


def add_runs(db: sqlite3.Connection, chance: Chance) -> None:
    """Runs of extraction, one in four by a model."""
    with transaction(db):
        for number in range(1, 401):
            model = chance.choice(MODELS) if number % 4 == 0 else None
            at = chance.at(DAYS * 24 * (1 - number / 400))
            db.execute(
                "insert into extraction_runs (id, method, version, model, started_at, finished_at, sessions_read,"
                " entries_read, candidates_found, input_tokens, output_tokens, cost_nanocents)"
                " values (?, ?, ?, ?, ?, ?, 8, 500, 60, ?, ?, ?)",
                [number, "model" if model else "rules", str(1 + number // 200), model, at, at,
                 40_000 if model else None, 3_000 if model else None, 16_500_000_000 if model else None],
            )  # fmt: skip


def add_memory(db: sqlite3.Connection, chance: Chance, number: int, text: str, entry: sqlite3.Row) -> None:
    """One memory with its vector, candidate, decision, quote and first evidence; some are changed later."""
    entry_id, _session, project, at = entry
    kind, scope = chance.weighted(KINDS), chance.weighted({"project": 95, "user": 5})
    lock = chance.weighted({"none": 975, "promoted": 15, "user": 10})
    cursor = db.execute(
        "insert into memories (uid, kind, scope, project_id, lock_level, importance, title, text, keys, tokens, origin,"
        " content_hash, valid_from, changed_by, change_reason, created_at, updated_at)"
        " values (?, ?, ?, ?, ?, ?, ?, ?, ?, 50, 'rules', ?, ?, 'gate', 'new', ?, ?)",
        [f"m{zlib.crc32(str(number).encode()):08x}", kind, scope, project, lock, chance.randint(1, 5), text[:60], text,
         json.dumps(chance.words(3)), hashlib.sha256(text.encode()).hexdigest(), at, at, at],
    )  # fmt: skip
    memory = cursor.lastrowid
    add_candidate(db, chance, number + 1, kind, text, entry)
    decide(db, chance, number + 1, "add", memory, at)
    db.execute(
        "insert into memory_sources (memory_id, candidate_id, entry_id, quote, created_at, recorded_at)"
        " values (?, ?, ?, ?, ?, ?)",
        [memory, number + 1, entry_id, text[:80], at, at],
    )
    db.execute(
        "insert into evidence (memory_id, kind, direction, weight, source, entry_id, created_at, recorded_at)"
        " values (?, 'stated', 'for', ?, ?, ?, ?, ?)",
        [memory, 1.0, f"entry {entry_id}", entry_id, at, at],
    )
    if number % 8 == 0:
        change(db, chance, memory, at)
    version = db.execute("select id from memory_versions where memory_id = ? and recorded_to is null", [memory])
    db.execute(
        "insert into static_vectors (memory_version_id, model, vector) values (?, ?, ?)",
        [version.fetchone()[0], static_vectors.MODEL_ID, fake_vector(text)],
    )


def change(db: sqlite3.Connection, chance: Chance, memory: int | None, at: str) -> None:
    """A later version: another importance, or it no longer holds."""
    later = utc_text(min(chance.now, parse_utc(at) + timedelta(hours=chance.randint(1, 900))))
    status = chance.weighted({"active": 3, "superseded": 6, "retired": 4})
    db.execute(
        "update memories set importance = importance % 5 + 1, status = ?, valid_to = ?, changed_by = 'user',"
        " change_reason = 'looked at again', updated_at = ? where id = ?",
        [status, None if status == "active" else later, later, memory],
    )


def add_candidate(
    db: sqlite3.Connection, chance: Chance, number: int, kind: str, text: str, entry: sqlite3.Row
) -> None:
    """One candidate from an entry."""
    entry_id, session, project, at = entry
    db.execute(
        "insert into candidates (id, uid, extraction_run_id, entry_id, session_id, project_id, kind, scope, title,"
        " text, quote, importance, rule, created_at) values (?, ?, ?, ?, ?, ?, ?, 'project', ?, ?, ?, 3, ?, ?)",
        [number, f"c{number:07x}", chance.randint(1, 400), entry_id, session, project, kind, text[:60], text, text[:80],
         chance.choice(("opens with no", "says always", "decided on")), at],
    )  # fmt: skip


def decide(db: sqlite3.Connection, chance: Chance, number: int, action: str, memory: int | None, at: str) -> None:
    """What the gate said of a candidate."""
    reasons = {"reject": ("too short", "a question", "of this moment only"), "quarantine": ("looks like an order",)}
    db.execute(
        "insert into decisions (candidate_id, action, memory_id, reason, decided_by, decided_at)"
        " values (?, ?, ?, ?, 'gate', ?)",
        [number, action, memory, chance.choice(reasons.get(action, ("new", "says more than another"))), at],
    )


def add_full(db: sqlite3.Connection, sort: Sort) -> None:
    """Full embeddings by chance for all texts of a sort, each of length 1."""
    collection = make_collection(db, sort, embedders.MINILM)
    for ids in batches(ids_of(db, f"select id from ({sort.full_texts})"), 10_000):
        values = np.random.default_rng(ids[0]).normal(size=(len(ids), FULL_DIMENSIONS)).astype("<f4")
        values /= np.linalg.norm(values, axis=1, keepdims=True)
        with transaction(db):
            db.executemany(
                "insert into embeddings (collection_id, id, embedding, content_hash, updated) values (?, ?, ?, ?, 0)",
                [(collection, str(key), row.tobytes(), key.to_bytes(16))
                 for key, row in zip(ids, values, strict=True)],
            )  # fmt: skip


# ------------------------------------------------------------------- recalls


def add_recalls(db: sqlite3.Connection, chance: Chance, count: int) -> None:
    """Recalls as the package logs them, and copies of them with other memories, sessions and days."""
    sessions = db.execute(
        "select s.id, s.uid, s.project_id, min(e.created_at), max(e.created_at) from sessions s"
        " join entries e on e.session_id = s.id where s.parent_session_id is null group by s.id"
    ).fetchall()
    templates = [ask_once(db, chance, sessions, number) for number in range(min(TEMPLATES, count))]
    current = [row[0] for row in db.execute("select id from memory_versions where recorded_to is null order by id")]
    entries = [row[0] for row in db.execute("select id from entries order by id")]
    shifts = Shifts({id: n for n, id in enumerate(current)}, current, {id: n for n, id in enumerate(entries)}, entries)
    for start in range(len(templates), count, 200):
        with transaction(db):
            for number in range(start, min(start + 200, count)):
                copy_recall(db, chance, templates[number % len(templates)], chance.choice(sessions), shifts, number)


def ask_once(db: sqlite3.Connection, chance: Chance, sessions: Sequence[sqlite3.Row], number: int) -> int:
    """Asks a question of a session for good and gives the recall's id."""
    session, uid, project, began, _ended = chance.choice(sessions)
    words = db.execute("select text from entries where id = ?", [1 + 97 * number]).fetchone()
    query = QUERIES[number % len(QUERIES)] if number % 2 or words is None else str(words[0])[:80]
    question = Question(query, project_id=project, session_id=session)
    surface = chance.weighted({"hook": 7, "mcp": 1, "cli": 1})
    if surface == "hook":
        question = replace(question, profile="hook", session_uid=uid)
    answer = ask(db, question, surface=surface, now=parse_utc(began), keep=chance.randint(12, 40))
    if answer.recall_id is None:
        raise ValueError(f"The question {query!r} was not logged.")
    return answer.recall_id


@dataclass(slots=True, frozen=True)
class Shifts:
    """The places of versions and entries in their order, by which a copy's hits move on by the same step."""

    version_place: dict[int, int]
    versions: Sequence[int]
    entry_place: dict[int, int]
    entries: Sequence[int]

    def version(self, id: int | None, step: int) -> int | None:
        """The version so many places on."""
        return None if id is None else self.versions[(self.version_place[id] + step) % len(self.versions)]

    def entry(self, id: int | None, step: int) -> int | None:
        """The entry so many places on."""
        return None if id is None else self.entries[(self.entry_place[id] + step) % len(self.entries)]


def copy_recall(
    db: sqlite3.Connection, chance: Chance, template: int, session: sqlite3.Row, shifts: Shifts, number: int
) -> None:
    """A recall like the template in another session; its best memory is often one of the favourites."""
    at = utc_text(parse_utc(session[3]) + (parse_utc(session[4]) - parse_utc(session[3])) * chance.random())
    cursor = db.execute(
        "insert into recalls (uid, query, scope, surface, project_id, session_id, profile_id, context, features,"
        " static_model, considered_count, left_out, abstained, shown_text, shown_tokens, asked_at, duration_ms,"
        " session_uid) select ?, query || ' ' || ?, scope, surface, ?, ?, profile_id, context, features, static_model,"
        " considered_count, left_out, abstained, shown_text, shown_tokens, ?, duration_ms * ?, ?"
        " from recalls where id = ?",
        [f"r{zlib.crc32(str(number).encode()):08x}", number, session[2], session[0], at, 0.5 + chance.random(),
         session[1], template],
    )  # fmt: skip
    step = chance.choice((0, 0, 0, 1, 2, 3)) * 1_000 + chance.choice((0, chance.randint(0, 20_000)))
    favourite = shifts.versions[chance.zipf(min(FAVOURITES, len(shifts.versions)))]
    rows: list[Sequence[object]] = []
    used: set[tuple[int | None, int | None]] = set()
    for hit in db.execute(f"select {HIT_COLUMNS} from hits where recall_id = ? order by position", [template]):
        place = (shifts.version(hit[0], step), shifts.entry(hit[1], step))
        if hit[3] == 1 and hit[0] is not None and chance.random() < 0.5:
            place = (favourite, None)
        if place not in used:
            used.add(place)
            rows.append((cursor.lastrowid, *place, *tuple(hit)[2:]))
    db.executemany(f"insert into hits (recall_id, {HIT_COLUMNS}) values ({', '.join('?' * 12)})", rows)
    lived_working.feed_back(db, chance, cursor.lastrowid, at, shown_of(rows))


HIT_COLUMNS = (
    "memory_version_id, entry_id, position, rank, left_out_reason, logged_score, features, signals, role, shown_reason,"
    " shown_tokens"
)


def shown_of(rows: Iterable[Sequence[object]]) -> list[object]:
    """The versions that were shown, of rows to be inserted."""
    return [row[1] for row in rows if row[1] is not None and row[4] is not None]
