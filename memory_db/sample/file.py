"""The sample history as a file of its own, never mixed with the user's."""

from __future__ import annotations

import json
import sqlite3
import time
from contextlib import closing
from datetime import UTC, datetime
from functools import partial
from importlib.resources import files
from pathlib import Path

import yaml

from memory_db.errors import InputError
from memory_db.evaluation import query_sets as judging
from memory_db.hooks import run as hooks
from memory_db.index import build as index
from memory_db.knowledge import evidence as beliefs
from memory_db.knowledge import locks
from memory_db.knowledge.succession import PERSON
from memory_db.sample import live
from memory_db.sample.build import session_id, write_history
from memory_db.sample.thread import Record
from memory_db.store import jobs
from memory_db.store.connection import file_of, transaction
from memory_db.store.dates import utc_text
from memory_db.store.missing import SAMPLE
from memory_db.store.schema import open_database
from memory_db.upkeep import pipeline, transcript_jobs

SAMPLE_CACHE = Path("~/.cache/memory-db")
"""Where notebooks keep a sample of their own: what they log and save is kept apart from the one that is browsed."""

SAMPLE_MOMENT = datetime(2026, 11, 2, tzinfo=UTC)
"""When a sample is made that must come out alike each time: after its last entry, before its first question."""


ACTED_ON = """
select uid, exists (select 1 from memory_versions v where v.memory_id = m.id and v.lock_level = 'user') as lock,
    exists (select 1 from evidence e where e.memory_id = m.id and e.kind = 'confirmed') as confirm
from memories m where text = ? and status = 'active' order by id limit 1
"""
"""A memory by its text, with whether each thing was ever done to it."""


def ensure_sample(folder: Path = SAMPLE_CACHE, *, now: datetime = SAMPLE_MOMENT) -> Path:
    """The path of a sample file in that folder, with every stage run and its questions labelled.

    A file that is there is brought up to date, which takes half a second; a new one takes some ten.
    """
    path = sample_path(folder.expanduser() / "memory.db")
    history = write_sample(path, now=now)
    with closing(open_database(path, now=now)) as db:
        pipeline.run(db, [history], now=now)
        finish_sample(db, now=now)
    return path


def finish_sample(db: sqlite3.Connection, *, now: datetime) -> None:
    """Adds what no run can know: what the sample's user did about memories, labelled questions, and a day of work.

    The day is lived through with the hooks that an agent has, so that what they log is there to look at.
    """
    if act_as_person(db, now=now):
        index.run(db, now=now, entries=False)
    judging.load_sample_queries(db, now=now)
    live_a_day(db, now=now)


def live_a_day(db: sqlite3.Connection, *, now: datetime) -> int:
    """Plays the sessions of the sample's day that the file does not know yet, and takes them in; how many."""
    path = Path(file_of(db))
    folder = history_folder(path)
    played = 0
    for dialogue in live.day_sessions():
        if db.execute("select 1 from hook_runs where session_uid = ?", [session_id(dialogue.stem)]).fetchone():
            continue
        live.play(dialogue, folder, partial(run_hook, path))
        while jobs.work_once(db, now=now, kind=transcript_jobs.TRANSCRIPT)["leased"]:
            pass
        index.run(db, now=now)
        played += 1
    return played


def run_hook(path: Path, name: str, payload: Record, at: datetime, *, warm: object = None) -> str:
    """What a hook gives an agent at a moment, by the code that its own process runs, or a warm one (`agents.warm`)."""
    run = hooks.HookRun(str(path), at, time.perf_counter(), hook=name, warm=warm)
    text, _ = hooks.respond(run, json.dumps(payload).encode(), is_own=False)
    if run.db is not None:
        run.db.close()
    return str(json.loads(text)["hookSpecificOutput"].get("additionalContext", "")) if text else ""


def act_as_person(db: sqlite3.Connection, *, now: datetime) -> int:
    """Does what `person.yaml` says, each thing once in the life of a file; how many were new.

    What somebody undid since stays undone, and a memory that is not there is passed over.
    """
    done = 0
    for act in yaml.safe_load(files("memory_db").joinpath("sample/person.yaml").read_text("utf-8")):
        memory = db.execute(ACTED_ON, [act["text"]]).fetchone()
        if memory is None or memory[act["does"]]:
            continue
        if act["does"] == "lock":
            locks.lock(db, memory["uid"], by=PERSON, reason=act["note"], now=now)
        else:
            beliefs.confirm(db, memory["uid"], note=act["note"], now=now)
        done += 1
    return done


def sample_path(own: Path) -> Path:
    """Where the sample's file is: beside the user's own."""
    return own.with_name(SAMPLE)


def history_folder(path: Path) -> Path:
    """Where the transcripts of a sample's file are: beside it, under its name, so that two of them share none."""
    return path.with_name(f"{path.stem}-history")


def write_sample(path: Path, *, now: datetime) -> Path:
    """Writes the sample's transcripts beside its file and marks the file as a sample; gives their folder.

    Raises: InputError when the file holds a history of somebody's own.
    """
    with closing(open_database(path, now=now)) as db:
        if not is_sample(db) and db.execute("select 1 from entries limit 1").fetchone():
            raise InputError(f"{path} holds a history of your own. Name another file for the sample with -d.")
        mark_sample(db, now=now)
    folder = history_folder(path)
    write_history(folder)
    return folder


def mark_sample(db: sqlite3.Connection, *, now: datetime) -> None:
    """Notes in the file that it holds the sample history."""
    with transaction(db):
        db.execute(
            "insert or ignore into settings (name, value, changed_at) values ('sample', ?, ?)",
            [json.dumps(True), utc_text(now)],
        )


def is_sample(db: sqlite3.Connection) -> bool:
    """Whether the file holds the sample history."""
    row = db.execute("select value from settings where name = 'sample'").fetchone()
    return row is not None and json.loads(row[0]) is True
