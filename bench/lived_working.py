"""What surrounds memories and recalls in a made file: tool calls, usage, hooks, edges, feedback, what waits, runs.

In: a file with entries and memories, and the generator. Out: rows. Invariant: `fill` and the others add, and never
change a row.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence

from bench.lived_chance import STEMS, Chance
from memory_db.store.connection import transaction

EDGES = {"same_topic": 8, "supports": 3, "depends_on": 1, "supersedes": 1, "contradicts": 1, "same_session": 5}

ENTITIES = {"file": 5, "command": 3, "package": 2, "symbol": 3, "host": 1}

OUTCOMES = {"good": 4, "mixed": 2, "bad": 1, "unknown": 5}

HOOKS = {
    ("user-prompt", "shown", ""): 5,
    ("user-prompt", "silent", "nothing near enough"): 5,
    ("user-prompt", "skipped", "an acknowledgement"): 2,
    ("session-start", "shown", "startup"): 2,
    ("stop", "done", "nothing cited"): 4,
    ("stop", "done", "cited 1"): 2,
    ("session-end", "done", "transcript due"): 2,
    ("user-prompt", "failed", ""): 1,
}

COMMANDS = ("pytest -q tests/", "npm run build -- ", "git commit -m ", "ruff check ", "make ", "docker compose up ")


def add_around_memories(db: sqlite3.Connection, chance: Chance, count: int, entries: Sequence[sqlite3.Row]) -> None:
    """Tags, paths, more quotes and evidence, entities and edges; the first memory has most of each."""
    entities = max(20, count * 3 // 10)
    db.executemany(
        "insert into entities (id, kind, name) values (?, ?, ?)",
        [(number, chance.weighted(ENTITIES), f"{STEMS[number % len(STEMS)]}-{number}")
         for number in range(1, entities + 1)],
    )  # fmt: skip
    for memory in range(1, count + 1):
        many = 40 if memory == 1 else 1
        for _ in range(many * chance.randint(0, 3)):
            more_evidence(db, chance, memory, chance.choice(entries))
        for _ in range(many * chance.randint(1, 3)):
            db.execute(
                "insert or ignore into memory_entities values (?, ?, ?)",
                [memory, 1 + chance.zipf(entities), chance.randint(1, 4)],
            )
        for _ in range(many * chance.randint(0, 4)):
            add_edge(db, chance, memory, count)
        tag(db, chance, memory)


def tag(db: sqlite3.Connection, chance: Chance, memory: int) -> None:
    """A tag or two, and on most a path."""
    at = chance.at(chance.randint(0, chance.days * 24))
    for name in chance.words(chance.randint(0, 2)):
        db.execute("insert or ignore into tags values (?, ?, ?)", [memory, name, at])
    if chance.random() < 0.7:
        path = f"src/module{chance.zipf(40)}/file{chance.zipf(30)}.py"
        db.execute("insert or ignore into memory_paths values (?, ?, ?)", [memory, path, at])


def more_evidence(db: sqlite3.Connection, chance: Chance, memory: int, entry: sqlite3.Row) -> None:
    """Another quote, and evidence for or against."""
    entry_id, _session, _project, at = entry
    kind, direction = chance.weighted({("repeated", "for"): 5, ("confirmed", "for"): 2, ("contradicted", "against"): 1})
    db.execute(
        "insert or ignore into evidence (memory_id, kind, direction, weight, source, entry_id, created_at, recorded_at)"
        " values (?, ?, ?, 1.0, ?, ?, ?, ?)",
        [memory, kind, direction, f"entry {entry_id}", entry_id, at, at],
    )
    db.execute(
        "insert or ignore into memory_sources (memory_id, entry_id, quote, created_at, recorded_at)"
        " values (?, ?, ?, ?, ?)",
        [memory, entry_id, f"said again in entry {entry_id}", at, at],
    )


def add_edge(db: sqlite3.Connection, chance: Chance, memory: int, count: int) -> None:
    """An edge to a memory nearby, or to one that many know."""
    other = 1 + (chance.zipf(count) if chance.random() < 0.3 else (memory + chance.randint(1, 30)) % count)
    if other != memory:
        db.execute(
            "insert or ignore into edges (from_memory_id, to_memory_id, kind, score, reason, created_by, created_at)"
            " values (?, ?, ?, ?, 'alike', ?, ?)",
            [
                memory,
                other,
                chance.weighted(EDGES),
                round(0.4 + 0.6 * chance.random(), 3),
                chance.weighted({"rules": 96, "gate": 2, "user": 2}),
                chance.at(chance.randint(1, chance.days * 24)),
            ],
        )


def feed_back(db: sqlite3.Connection, chance: Chance, recall: int | None, at: str, versions: Sequence[object]) -> None:
    """What came of what a recall showed."""
    for version in versions:
        kind, direction, weight = chance.weighted(
            {("", "", 0.0): 5, ("cited", "for", 0.25): 2, ("used", "for", 0.5): 1, ("ignored", "against", 0.1): 3}
        )
        if kind:
            db.execute(
                "insert or ignore into evidence (memory_id, kind, direction, weight, source, recall_id, created_at,"
                " recorded_at) select memory_id, ?, ?, ?, ?, ?, ?, ? from memory_versions where id = ?",
                [kind, direction, weight, f"recall {recall}", recall, at, at, version],
            )
            db.execute(
                "insert or ignore into weak_labels (recall_id, memory_id, kind, strength, created_at)"
                " select ?, memory_id, 'reply_overlap', 0.2, ? from memory_versions where id = ?",
                [recall, at, version],
            )


def fill(db: sqlite3.Connection, chance: Chance) -> None:
    """All the rest, each in a transaction of its own."""
    for add in (add_actions, add_usage, add_hooks, add_review, add_model_calls, add_sessions_work, add_labels):
        with transaction(db):
            add(db, chance)


def add_actions(db: sqlite3.Connection, chance: Chance) -> None:
    """A tool call for each entry that is one."""
    errors = [f"Exit code 1\nE   TypeError: thing {n} is not one\n{'at line ' * 20}" for n in range(300)]
    for entry, session, at, answer in db.execute(
        "select e.id, e.session_id, e.created_at, r.id from entries e left join entries r on r.id = e.id + 1"
        " and r.session_id = e.session_id and r.kind = 'tool_result' where e.kind = 'tool_call' order by e.id"
    ).fetchall():
        tool = chance.weighted({"Bash": 5, "Read": 3, "Edit": 2, "Grep": 1})
        target = f"/bench/src/module{chance.zipf(40)}/file{chance.zipf(30)}.py"
        if tool == "Bash":
            target = f"{chance.choice(COMMANDS)}part{chance.zipf(60)}"
        failed = chance.random() < 0.08
        db.execute(
            "insert into actions (uid, entry_id, result_entry_id, session_id, tool, target, input, is_error, excerpt,"
            " created_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [f"a{entry}", entry, answer, session, tool, target, json.dumps({"command": target}),
             int(failed), errors[chance.zipf(300)] if failed else "ok " * 50, at],
        )  # fmt: skip


def add_usage(db: sqlite3.Connection, _chance: Chance) -> None:
    """A call of the agent's model for each of its replies and tool calls; each has read more than the one before."""
    db.execute(
        "insert into api_calls (message_uid, session_id, entry_id, model, input_tokens, output_tokens,"
        " cache_write_5m_tokens, cache_read_tokens, created_at)"
        " select 'msg_' || e.id, e.session_id, e.id, e.model, 6 + e.id % 40, 100 + e.id % 900, 300 + e.id % 2000,"
        " 12000 + 900 * p.position, e.created_at"
        " from entries e join session_entries p on p.entry_id = e.id where e.kind in ('reply', 'tool_call')"
    )


def add_hooks(db: sqlite3.Connection, chance: Chance) -> None:
    """Three runs of hooks a recall."""
    for recall, session, at, tokens in db.execute(
        "select id, session_uid, asked_at, shown_tokens from recalls order by id"
    ).fetchall():
        for turn in range(3):
            hook, outcome, reason = chance.weighted(HOOKS)
            shows = turn == 0 and outcome == "shown"
            db.execute(
                "insert into hook_runs (hook, started_at, duration_ms, outcome, reason, error, session_uid, recall_id,"
                " shown_tokens) values (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [hook, at, 30 + 60 * chance.random(), outcome, reason,
                 "DatabaseBusyError" if outcome == "failed" else None, session, recall if shows else None,
                 tokens if shows else 0],
            )  # fmt: skip


def add_review(db: sqlite3.Connection, chance: Chance) -> None:
    """Proposals, contradictions and suppressions, of which some wait."""
    memories = int(db.execute("select count(*) from memories").fetchone()[0])
    for number in range(max(4, memories // 40)):
        memory = 1 + number * 7 % (memories - 1)
        state = chance.weighted({"open": 3, "accepted": 4, "declined": 3})
        at = chance.at(chance.randint(1, chance.days * 24))
        decided = (None, None) if state == "open" else ("user", chance.at(1))
        db.execute(
            "insert into proposals (uid, kind, memory_id, other_memory_id, reason, proposed_by, created_at, state,"
            " decided_by, decided_at) values (?, ?, ?, ?, 'seems so', 'agent', ?, ?, ?, ?)",
            [f"p{number:07x}", chance.choice(("lock", "retire", "merge", "suppress")), memory, memory + 1, at, state,
             *decided],
        )  # fmt: skip
        is_open = chance.random() < 0.3
        db.execute(
            "insert or ignore into contradictions (memory_id, other_memory_id, found_by, reason, score, quote,"
            " other_quote, found_at, state, resolution, resolved_by, resolved_at)"
            " values (?, ?, 'opposed', 'opposed verbs', 0.8, 'this one', 'that one', ?, ?, ?, ?, ?)",
            [memory, memory + 1, at, "open" if is_open else "resolved",
             *((None, None, None) if is_open else ("first", "user", at))],
        )  # fmt: skip
    db.execute(
        "insert into suppressions (memory_id, pattern, reason, created_by, created_at)"
        " select id, 'release', 'not there', 'user', created_at from memories where id % 400 = 1"
    )


def add_model_calls(db: sqlite3.Connection, chance: Chance) -> None:
    """Calls that memory made itself, by each run of extraction that has a model."""
    sessions = int(db.execute("select count(*) from sessions").fetchone()[0])
    db.execute("insert into prompts (name, version, text, is_edited, created_at) values ('extract', '1', 'x', 0, '')")
    db.execute("insert into prompts (name, version, text, is_edited, created_at) values ('extract', '2', 'y', 0, '')")
    for run, version, model, at in db.execute(
        "select id, version, model, started_at from extraction_runs where model is not null"
    ).fetchall():
        for number in range(20):
            db.execute(
                "insert into model_calls (extraction_run_id, prompt_id, purpose, session_id, model, input_tokens,"
                " output_tokens, is_counted_by_model, cost_nanocents, duration_ms, answer, error, created_at)"
                " values (?, ?, ?, ?, ?, 2000, 150, 1, 825000000, ?, '', ?, ?)",
                [run, int(version) % 2 + 1, chance.weighted({"extract": 15, "judge": 3, "ask": 2}),
                 1 + (run * 3 + number) % sessions,
                 model, 900 + 2000 * chance.random(), "ModelError" if number == 7 else None, at],
            )  # fmt: skip


def add_sessions_work(db: sqlite3.Connection, chance: Chance) -> None:
    """How sessions ended, jobs, runs, findings, instruction files and playbooks."""
    for (session,) in db.execute("select id from sessions").fetchall():
        outcome = chance.weighted(OUTCOMES)
        score = {"good": 0.8, "mixed": 0.1, "bad": -0.7, "unknown": 0.0}[outcome]
        at = chance.at(1)
        db.execute("insert into session_outcomes values (?, ?, ?, 'last check', 1, ?)", [session, outcome, score, at])
        db.execute(
            "insert into jobs (kind, key, state, attempts, last_error, created_at, changed_at)"
            " values ('import', ?, ?, 1, ?, ?, ?)",
            [f"bench-{session}", *chance.weighted({("done", None): 500, ("due", None): 4, ("dead", "ModelError"): 1}),
             at, at],
        )  # fmt: skip
    for number in range(1_500):
        stage = ("import", "extract", "gate", "index", "contradictions", "feedback")[number % 6]
        db.execute(
            "insert into runs (stage, started_at, duration_ms, counts) values (?, ?, ?, '{\"files_read\": 3}')",
            [stage, chance.at(chance.days * 24 * (1 - number / 1_500)), 900 * chance.random()],
        )
    db.execute(
        "insert into scan_findings (rule, category, rules_version, place, entry_id, field, start, hint, found_at)"
        " select 'api key', 'secret', 1, uid, id, 'text', 4, 'key', created_at from entries where id % 100 = 0"
    )
    db.execute(
        "insert into instruction_files (project_id, path, tokens, content_hash, seen_at)"
        " select id, 'CLAUDE.md', 900 + 40 * id, 'h' || id, created_at from projects"
    )
    db.execute(
        "insert into portraits (kind, project_id, text, tokens, created_by, created_at)"
        " select 'playbook', id, 'What holds here', 600, 'gate', ? from projects",
        [chance.at(24 * 9)],
    )
    db.execute(
        "insert into portrait_sources select p.id, v.id, 0 from portraits p join memory_versions v"
        " on v.project_id = p.project_id and v.recorded_to is null and v.id % 50 = 0"
    )


def add_labels(db: sqlite3.Connection, _chance: Chance) -> None:
    """Hits that a person has judged."""
    db.execute("insert into query_sets (id, name, description, created_at) values (1, 'pages', 'Judged on pages', '')")
    db.execute(
        "insert into labelled_queries (query_set_id, uid, query, project_id, recall_id, asked_at)"
        " select 1, uid, query, project_id, id, asked_at from recalls where id % 25 = 0"
    )
    db.execute(
        "insert or ignore into judgements (labelled_query_id, memory_id, relevance, judged_by, judged_at)"
        " select l.id, v.memory_id, h.rank = 1, 'user', l.asked_at from labelled_queries l"
        " join hits h on h.recall_id = l.recall_id join memory_versions v on v.id = h.memory_version_id"
        " where h.rank <= 3"
    )
