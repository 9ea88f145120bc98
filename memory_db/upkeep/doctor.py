"""Says whether everything works, and what to do where it does not.

In: the path of a file, in whatever state, and the folders of transcripts.
Out: a report in lines, each with what to do. Invariant: no state of a file
or folder makes it fail; a file of an older schema is migrated, else nothing
is written.

To look at one more thing, write a function that gives lines and add it to
`EXAMINATIONS`.
"""

from __future__ import annotations

import shutil
import sqlite3
import stat
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import datetime
from pathlib import Path

from memory_db.errors import DatabaseFileError, MemoryDBError, OlderSchemaError
from memory_db.extract.model.jobs import EXTRACT_SESSION
from memory_db.index.build import full_name, pending
from memory_db.index.semantic import find_semantic
from memory_db.index.texts import ENTRIES, MEMORIES
from memory_db.models import daily_budget as spending
from memory_db.models import prices
from memory_db.models.embedders import NO_MODEL, load_embedder
from memory_db.recall.brief import spool
from memory_db.recall.brief.select import age_text
from memory_db.store import settings
from memory_db.store.connection import SCHEMA_VERSION, connect, explain
from memory_db.store.dates import utc_text
from memory_db.store.schema import in_step, open_database
from memory_db.text.static_vectors import MODEL_ID
from memory_db.transcripts.importer import find_transcripts
from memory_db.transcripts.sources import path_text
from memory_db.upkeep import doctor_agents
from memory_db.upkeep.doctor_report import Line, Lines, Patient, Report, one_line
from memory_db.upkeep.scan import is_due

WAL_BYTES = 64 * 2**20
"""A larger write-ahead log means that something has the file open for too long. Source: ours, 16 checkpoints' worth."""

NEW_TYPES = "select type, sum(lines) from skipped_records where is_known = 0 group by type order by 2 desc, 1"

AT_RISK_DAYS = 25
"""Age from which an unread transcript may soon be gone. Source: Claude Code removes transcripts after 30 days."""


def doctor(path: Path, *, now: datetime, transcripts: Sequence[Path]) -> Report:
    """The state of a file and of what it needs; a file of an older schema is migrated, which a line says."""
    lines: list[Line] = []
    try:
        migrated = open_or_migrate(path, now)
        lines += [Line("note", migrated)] if migrated else []
        with closing(connect(path)) as db:
            lines += look(Patient(path, db, now, transcripts), EXAMINATIONS).lines
    except DatabaseFileError as error:
        lines.append(failure_of(error, path))
    except (sqlite3.Error, UnicodeDecodeError) as error:
        lines.append(damage(error, path))
    except OSError as error:
        lines.append(Line("failure", f"{path} cannot be reached: {error.strerror}", "Name another file with -d."))
    return Report(lines)


def look(patient: Patient, examinations: Sequence[Callable[[Patient], Lines]]) -> Report:
    """What some examinations find in a file that is open; nothing is written."""
    return Report([line for function in examinations for line in examined(patient, function)])


def open_or_migrate(path: Path, now: datetime) -> str:
    """What was done to bring the file to this version's schema; empty where nothing had to be.

    Raises: DatabaseFileError, sqlite3.Error, OSError.
    """
    try:
        connect(path).close()
    except OlderSchemaError:
        open_database(path, now=now).close()
        return f"The file was migrated to schema {SCHEMA_VERSION}; a copy of it as it was is beside it."
    return ""


def examined(patient: Patient, function: Callable[[Patient], Lines]) -> list[Line]:
    """The lines of one examination; what keeps it from being made is a line too."""
    lines: list[Line] = []
    try:
        lines.extend(function(patient))
    except (sqlite3.Error, UnicodeDecodeError) as error:
        lines.append(damage(error, patient.path))
    except MemoryDBError as error:
        lines.append(failure_of(error, patient.path))
    except OSError as error:
        lines.append(Line("warning", f"{error.filename} cannot be read: {error.strerror}", "Make it readable."))
    return lines


def damage(error: sqlite3.Error | UnicodeDecodeError, path: Path) -> Line:
    """What SQLite says as a line; in a damaged file even its messages can be unreadable."""
    if isinstance(error, UnicodeDecodeError):
        error = sqlite3.DatabaseError("malformed: names in it are not text")
    return failure_of(explain(error, path), path)


def failure_of(error: MemoryDBError, path: Path) -> Line:
    """An error as a line: its first sentence says what is wrong, the rest what to do."""
    hidden = str(error).replace(str(path), "\0")
    what, _, fix = (part.replace("\0", str(path)) for part in hidden.partition(". "))
    if SEE_DOCTOR in fix:
        fix = "Run `memory-db file check`, and report this line to the authors of memory-db with what that finds."
    return Line("failure", one_line(what), one_line(fix))


SEE_DOCTOR = "memory-db doctor"
"""What other commands say to run where they know nothing better; here it is running."""


def schema(patient: Patient) -> Lines:
    """The schema's version, and whether views and triggers follow this code."""
    if in_step(patient.db):
        yield Line("fine", f"Schema {SCHEMA_VERSION}, views and triggers as this version has them")
    else:
        yield Line("warning", "Views, triggers or shipped profiles are of another version", "Run `memory-db run`.")


def permissions(patient: Patient) -> Lines:
    """Whether anybody else may read the file, or what SQLite keeps beside it."""
    if sys.platform == "win32":
        return  # its file modes say nothing of who may read
    exposed = [
        path
        for path in beside(patient.path)
        if path.exists() and stat.S_IMODE(path.stat().st_mode) & (stat.S_IRWXG | stat.S_IRWXO)
    ]
    if exposed:
        names = " ".join(str(path) for path in exposed)
        yield Line("warning", f"Others may read {names}", f"Run `chmod 600 {names}`.")
    else:
        yield Line("fine", "Only its owner may read the file")


def beside(path: Path) -> list[Path]:
    """The file, and those that SQLite keeps beside it."""
    return [path, *(path.with_name(path.name + ending) for ending in ("-wal", "-shm")), *spool.waiting(path)]


def room(patient: Patient) -> Lines:
    """The size of the file and of its log, and the room left on the disk."""
    size = patient.path.stat().st_size
    free = shutil.disk_usage(patient.path.resolve().parent).free
    if free < 2 * size:
        fix = "Free some space: a migration and a backup copy the file first."
        yield Line("warning", f"The file has {megabytes(size)}, the disk only {megabytes(free)} left", fix)
    else:
        yield Line("fine", f"The file has {megabytes(size)}, the disk {megabytes(free)} left")
    wal = patient.path.with_name(patient.path.name + "-wal")
    if wal.exists() and wal.stat().st_size > WAL_BYTES:
        fix = f"End what has the file open, then run `sqlite3 {patient.path} 'pragma wal_checkpoint(truncate)'`."
        yield Line("warning", f"The write-ahead log has {megabytes(wal.stat().st_size)}", fix)


def scans(patient: Patient) -> Lines:
    """Whether old texts were scanned by the rules of today."""
    if is_due(patient.db):
        what = "Old texts were not scanned by the newest rules for secrets"
        yield Line("warning", what, "Run `memory-db file scan`.")
    else:
        yield Line("fine", "All texts were scanned for secrets and attacks by the newest rules")


def soundness(patient: Patient) -> Lines:
    """What SQLite finds damaged, without comparing indexes with their tables."""
    troubles = [row[0] for row in patient.db.execute("pragma quick_check(3)") if row[0] != "ok"]
    if troubles:
        fix = "Restore a backup, or try `sqlite3 FILE .recover`."
        yield Line("failure", one_line(f"SQLite finds the file damaged: {'; '.join(troubles)}"), fix)
    else:
        yield Line("fine", "SQLite finds the file sound (`memory-db file check` compares everything)")


LAST_RUNS = "select * from runs where id in (select max(id) from runs group by stage) order by id"


def runs(patient: Patient) -> Lines:
    """When each stage ran last, and how that ended."""
    last = patient.db.execute(LAST_RUNS).fetchall()
    if not last:
        yield Line("warning", "Nothing was taken in yet", "Run `memory-db run`.")
    for row in last:
        age = age_text(row["started_at"], patient.now)
        if row["error"]:
            fix = "Mend that, then run `memory-db run`: it goes on where it stopped."
            yield Line("warning", one_line(f"The last {row['stage']}, {age}, failed: {row['error']}"), fix)
        else:
            yield Line("fine", f"The last {row['stage']} ended well, {age}")


def sources(patient: Patient) -> Lines:
    """Sources that could not be read, or not wholly, and those that may soon be gone."""
    states = dict(patient.db.execute("select state, count(*) from sources group by state").fetchall())
    total = sum(states.values())
    if states.get("unreadable"):
        row = patient.db.execute("select path, state_reason from sources where state = 'unreadable' limit 1").fetchone()
        fix = "Make them readable, then run `memory-db run`; the table sources has the reason of each."
        what = f"{states['unreadable']:,} of {total:,} sources cannot be read, such as {row['path']}"
        yield Line("warning", f"{what}: {row['state_reason']}", fix)
    waiting = states.get("found", 0) + states.get("partial", 0)
    if waiting:
        yield Line("note", f"{waiting:,} of {total:,} sources are not read to their end", "Run `memory-db run`.")
    at_risk = patient.db.execute("select count(*) from at_risk_transcripts").fetchone()[0]
    if at_risk:
        what = f"{at_risk:,} transcripts not read to their end are older than {AT_RISK_DAYS} days and may soon be gone"
        yield Line("warning", what, "Run `memory-db run` now; the view at_risk_transcripts lists them.")
    problems = patient.db.execute("select count(*) from source_problems").fetchone()[0]
    if problems:
        fix = "The table source_problems has each with its reason; newer formats want a newer memory-db."
        yield Line("note", f"{problems:,} lines of sources were not understood", fix)
    new = patient.db.execute(NEW_TYPES).fetchall()
    if new:
        what = f"{sum(row[1] for row in new):,} records of types that are not known were passed over: {new[0][0]}"
        fix = "The table skipped_records counts each type; a newer memory-db may know it."
        yield Line("note", one_line(what + (f" and {len(new) - 1} other types" if new[1:] else "")), fix)
    if total and not (waiting or states.get("unreadable")):
        yield Line("fine", f"{total:,} sources, all read")


def transcripts(patient: Patient) -> Lines:
    """Folders of transcripts that are missing, and transcripts there that are new or grew."""
    for folder in patient.transcripts:
        if not folder.exists():
            yield Line("warning", f"No transcripts at {folder}", "Name the folder that holds them with --dir.")
            continue
        read = dict(patient.db.execute("select path, read_bytes from sources").fetchall())
        found = [path.absolute() for path in find_transcripts([folder]) if path.is_file()]
        unread = [path for path in found if read.get(path_text(path), -1) < path.stat().st_size]
        ages = [(patient.now.timestamp() - path.stat().st_mtime) / 86400 for path in unread]
        what = f"{len(found):,} transcripts at {folder}, {len(unread):,} of them new or grown since they were read"
        if ages and max(ages) > AT_RISK_DAYS:
            yield Line("warning", f"{what}, the oldest {max(ages):.0f} days old", "Run `memory-db run` before it goes.")
        elif unread:
            yield Line("note", what, "Run `memory-db run`.")
        else:
            yield Line("fine", f"{len(found):,} transcripts at {folder}, all read")


def jobs(patient: Patient) -> Lines:
    """Work that was given up, and work that waits."""
    dead = patient.db.execute("select * from dead_jobs order by died_at desc").fetchall()
    if dead:
        what = f"{len(dead):,} jobs were given up, the last: {dead[0]['kind']}, {dead[0]['last_error']}"
        again = "memory-db extract -m MODEL" if dead[0]["kind"] == EXTRACT_SESSION else "memory-db work"
        yield Line("warning", one_line(what), f"Mend that, then run `{again} --retry-dead`; dead_jobs lists them.")
    waiting = dict(
        patient.db.execute("select kind, count(*) from jobs where state in ('due', 'running') group by kind").fetchall()
    )
    sessions = waiting.pop(EXTRACT_SESSION, 0)
    if waiting:
        yield Line("note", f"{sum(waiting.values()):,} jobs wait", "Run `memory-db work`.")
    if sessions:
        fix = "Run `memory-db work`, or the command again that was stopped."
        yield Line("note", f"{sessions:,} sessions wait for a model", fix)
    if not dead and not waiting and not sessions:
        yield Line("fine", "No work waits or was given up")


def models(patient: Patient) -> Lines:
    """Models that are left alone because they keep failing."""
    for row in patient.db.execute("select * from model_health where is_open order by model"):
        when = (
            f"left alone until {row['open_until']}" if row["open_until"] > utc_text(patient.now) else "tried again next"
        )
        what = f"{row['failures_in_row']:,} calls of {row['model']} in a row failed, {when}: {row['last_error']}"
        yield Line("warning", one_line(what), "Mend that; the table model_calls has every call.")


def static_coverage(patient: Patient) -> Lines:
    """Texts without a static vector of the current model."""
    for sort in (MEMORIES, ENTRIES):
        missing = patient.db.execute(
            f"select count(*) from ({sort.static_texts}) t left join static_vectors v on v.{sort.static_column} = t.id"
            " where v.id is null or v.model <> ?",
            [MODEL_ID],
        ).fetchone()[0]
        yield coverage_line(patient.db, sort.name, sort.static_texts, missing, "static vector")


def embedding_coverage(patient: Patient) -> Lines:
    """Texts without an embedding of the current model, and whether that model can be used."""
    db = patient.db
    wanted = settings.get_text(db, "embedding_model")
    if wanted == NO_MODEL:
        yield Line("note", "Full embeddings are turned off", f"Run `memory-db settings embedding_model {DEFAULT}`.")
        return
    model = full_name(db, wanted)
    load_embedder(model)
    yield Line("fine", f"The embedding model {model} can be used")
    sorts = (MEMORIES, ENTRIES) if settings.get(db, "embed_entries") else (MEMORIES,)
    for sort in sorts:
        yield coverage_line(db, sort.name, sort.full_texts, len(pending(db, sort, model)), f"vector of {model}")
    opened = find_semantic(db)
    if opened.index and opened.index.model != model:
        what = f"Questions are answered by {opened.index.model} meanwhile"
        yield Line("note", what, "Run `memory-db run --only index`.")


DEFAULT = settings.BY_NAME["embedding_model"].default


def coverage_line(db: sqlite3.Connection, name: str, texts: str, missing: int, vector: str) -> Line:
    """How many texts of a sort have a vector."""
    total = db.execute(f"select count(*) from ({texts})").fetchone()[0]
    if missing:
        return Line("warning", f"{missing:,} of {total:,} {name} lack a {vector}", "Run `memory-db run --only index`.")
    return Line("fine", f"None of {total:,} {name} lacks a {vector}")


def recalls(patient: Patient) -> Lines:
    """Whether recalls are logged."""
    count, last = patient.db.execute("select count(*), max(asked_at) from recalls").fetchone()
    if count:
        hits = patient.db.execute("select count(*) from hits").fetchone()[0]
        last_age = age_text(last, patient.now)
        yield Line("fine", f"{count:,} recalls with {hits:,} hits are logged, the last {last_age}")
    else:
        yield Line("note", "No recall was logged yet", "Ask something: `memory-db recall 'a question'`.")


def budget(patient: Patient) -> Lines:
    """Today's spending beside its budget."""
    told = spending.budget_line(patient.db, now=patient.now)
    if told:
        fix = f"`memory-db cost --by source` tells on what; `memory-db settings {spending.SETTING} CENTS` allows more."
        yield Line("warning", told, fix)


def money(patient: Patient) -> Lines:
    """Models without a price, briefs beyond their budget."""
    unpriced = prices.without_price(patient.db)
    if unpriced:
        calls, model = sum(row["calls"] for row in unpriced), unpriced[0]["model"]
        fix = f"Run `memory-db model price set {model} --input USD --output USD`, for a million tokens."
        yield Line("note", one_line(f"{calls:,} calls are of models without a known price, such as {model}"), fix)
    over = patient.db.execute("select count(*) from brief_overruns").fetchone()[0]
    if over:
        yield Line("warning", f"{over:,} briefs took more tokens than their budget", "brief_overruns lists them.")


EXAMINATIONS: tuple[Callable[[Patient], Lines], ...] = (
    permissions,
    room,
    schema,
    soundness,
    scans,
    runs,
    sources,
    transcripts,
    jobs,
    models,
    static_coverage,
    embedding_coverage,
    recalls,
    budget,
    money,
    *doctor_agents.EXAMINATIONS,
)
"""Everything that is looked at, in order."""


SLOW = (soundness, scans, transcripts, static_coverage, embedding_coverage, recalls, money)
"""What reads much of the file, of a folder or a model: for who asks for it, not for a page that is looked at often."""

QUICK = tuple(function for function in EXAMINATIONS if function not in SLOW)


def megabytes(size: int) -> str:
    """A size in words."""
    return f"{size / 2**20:,.1f} MB"
