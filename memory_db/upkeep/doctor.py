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
from tempfile import TemporaryDirectory

from memory_db.errors import DatabaseFileError, MissingFileError, OlderSchemaError
from memory_db.extract.model.jobs import EXTRACT_SESSION
from memory_db.models import daily_budget as spending
from memory_db.models import prices
from memory_db.recall.brief import spool
from memory_db.recall.brief.select import age_text
from memory_db.store.connection import SCHEMA_VERSION, connect
from memory_db.store.dates import utc_text
from memory_db.store.ignored import IGNORED_SOURCE
from memory_db.store.schema import in_step, open_database
from memory_db.text.sizes import size
from memory_db.transcripts.importer import find_transcripts
from memory_db.transcripts.sources import UNFINISHED, path_text
from memory_db.upkeep.doctor_backups import copies
from memory_db.upkeep.doctor_coverage import embedding_coverage, embedding_model, static_coverage
from memory_db.upkeep.doctor_environment import environment, extras, programs
from memory_db.upkeep.doctor_hook_runs import hooks, lapsed, paused
from memory_db.upkeep.doctor_hooks import installations, tried_hooks
from memory_db.upkeep.doctor_report import (
    Advice,
    Advices,
    DoctorContext,
    Level,
    Report,
    damage,
    failure_of,
    look,
    one_line,
)
from memory_db.upkeep.scan import is_due

WAL_BYTES = 64 * 2**20
"""A larger write-ahead log means that something has the file open for too long. Source: ours, 16 checkpoints' worth."""

NEW_TYPES = "select type, sum(lines) from skipped_records where is_known = 0 group by type order by 2 desc, 1"

STATE = (
    f"case when state_reason like '{IGNORED_SOURCE}%' then 'ignored'"
    f" when state = 'partial' and state_reason = '{UNFINISHED}' then 'unfinished' else state end"
)
"""The state of a source, with those apart that are left alone, and those that are read as far as they are written."""

AT_RISK_DAYS = 25
"""Age from which an unread transcript may soon be gone. Source: Claude Code removes transcripts after 30 days."""


def doctor(path: Path, *, now: datetime, transcripts: Sequence[Path], plugin: Path | None = None) -> Report:
    """The state of a file and of what it needs; a file of an older schema is migrated, which a line says.

    Where there is no file, all is told that can be told without one. `plugin`: see `DoctorContext`.
    """
    lines: list[Advice] = []
    try:
        migrated = open_or_migrate(path, now)
        lines += [Advice("note", migrated)] if migrated else []
        with closing(connect(path)) as db:
            lines += look(DoctorContext(path, db, now, transcripts, plugin), EXAMINATIONS).lines
    except MissingFileError as error:
        lines += [*without_file(now, transcripts, plugin), failure_of(error, path)]
    except DatabaseFileError as error:
        lines.append(failure_of(error, path))
    except (sqlite3.Error, UnicodeDecodeError) as error:
        lines.append(damage(error, path))
    except OSError as error:
        lines.append(Advice("failure", f"{path} cannot be reached: {error.strerror}", "Name another file with -d."))
    return Report(lines)


def without_file(now: datetime, transcripts: Sequence[Path], plugin: Path | None) -> list[Advice]:
    """What can be told before there is a file: of a new one that nobody sees."""
    with TemporaryDirectory() as folder, closing(open_database(Path(folder, "memory.db"), now=now)) as db:
        return look(DoctorContext(Path(folder, "memory.db"), db, now, transcripts, plugin), WITHOUT_FILE).lines


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


def schema(context: DoctorContext) -> Advices:
    """The schema's version, and whether views and triggers follow this code."""
    if in_step(context.db):
        yield Advice("fine", f"Schema {SCHEMA_VERSION}, views and triggers up to date")
    else:
        yield Advice("warning", "Views, triggers or profiles are out of date", "Run `memory-db run`.")


def permissions(context: DoctorContext) -> Advices:
    """Whether anybody else may read the file, or what SQLite keeps beside it."""
    if sys.platform == "win32":
        return  # its file modes say nothing of who may read
    exposed = [
        path
        for path in beside(context.path)
        if path.exists() and stat.S_IMODE(path.stat().st_mode) & (stat.S_IRWXG | stat.S_IRWXO)
    ]
    if exposed:
        names = " ".join(str(path) for path in exposed)
        yield Advice("warning", f"Others may read {names}", f"Run `chmod 600 {names}`.")
    else:
        yield Advice("fine", "Only you can read the file")


def beside(path: Path) -> list[Path]:
    """The file, and those that SQLite keeps beside it."""
    return [path, *(path.with_name(path.name + ending) for ending in ("-wal", "-shm")), *spool.waiting(path)]


def room(context: DoctorContext) -> Advices:
    """The size of the file and of its log, and the room left on the disk."""
    taken = context.path.stat().st_size
    free = shutil.disk_usage(context.path.resolve().parent).free
    if free < 2 * taken:
        fix = "Free some space: a migration and a backup copy the file first."
        yield Advice("warning", f"The file takes {size(taken)}, and only {size(free)} of disk are free", fix)
    else:
        yield Advice("fine", f"The file takes {size(taken)}, {size(free)} of disk are free")
    wal = context.path.with_name(context.path.name + "-wal")
    if wal.exists() and wal.stat().st_size > WAL_BYTES:
        fix = f"Stop whatever has the file open, then run `sqlite3 {context.path} 'pragma wal_checkpoint(truncate)'`."
        yield Advice("warning", f"The write-ahead log takes {size(wal.stat().st_size)}", fix)


def scans(context: DoctorContext) -> Advices:
    """Whether old texts were scanned by the rules of today."""
    if is_due(context.db):
        yield Advice("warning", "Old texts are not yet scanned by the newest rules", "Run `memory-db file scan`.")
    else:
        yield Advice("fine", "All texts are scanned for secrets and attacks by the newest rules")


def soundness(context: DoctorContext) -> Advices:
    """What SQLite finds damaged, without comparing indexes with their tables."""
    troubles = [row[0] for row in context.db.execute("pragma quick_check(3)") if row[0] != "ok"]
    if troubles:
        fix = "Restore a backup, or try `sqlite3 FILE .recover`."
        yield Advice("failure", one_line(f"SQLite finds the file damaged: {'; '.join(troubles)}"), fix)
    else:
        yield Advice("fine", "SQLite finds the file sound (`memory-db file check` compares everything)")


LAST_RUNS = "select * from runs where id in (select max(id) from runs group by stage) order by id"


def runs(context: DoctorContext) -> Advices:
    """When each stage ran last, and how that ended."""
    last = context.db.execute(LAST_RUNS).fetchall()
    if not last:
        # Right after an install there may be nothing to import: that is no fault.
        there = [folder for folder in context.transcripts if folder.exists()]
        level: Level = "note" if context.transcripts and not find_transcripts(there) else "warning"
        yield Advice(level, "Nothing imported yet", "Run `memory-db run`.")
    for row in last:
        age = age_text(row["started_at"], context.now)
        if row["error"]:
            fix = "Fix that, then run `memory-db run`: it goes on where it stopped."
            yield Advice("warning", one_line(f"Last {row['stage']} {age} failed: {row['error']}"), fix)
        else:
            yield Advice("fine", f"Last {row['stage']} {age}, without errors")


def sources(context: DoctorContext) -> Advices:
    """Sources that could not be read, or not wholly, and those that may soon be gone."""
    counted = f"select {STATE}, count(*) from sources group by 1"
    states = dict(context.db.execute(counted).fetchall())
    total = sum(states.values())
    if states.get("unreadable"):
        row = context.db.execute(
            f"select path, state_reason from sources where {STATE} = 'unreadable' limit 1"
        ).fetchone()
        fix = "Make them readable, then run `memory-db run`; the table sources has the reason of each."
        what = f"{states['unreadable']:,} of {total:,} sources cannot be read, such as {row['path']}"
        yield Advice("warning", f"{what}: {row['state_reason']}", fix)
    waiting = states.get("found", 0) + states.get("partial", 0)
    if waiting:
        yield Advice("note", f"Sources not read to their end: {waiting:,} of {total:,}", "Run `memory-db run`.")
    if states.get("unfinished"):
        what = f"Sources whose last line is not finished: {states['unfinished']:,} of {total:,}"
        yield Advice("note", what, "Nothing to do: the rest is read once it is written.")
    at_risk = context.db.execute("select count(*) from at_risk_transcripts").fetchone()[0]
    if at_risk:
        what = f"{at_risk:,} transcripts not read to their end are older than {AT_RISK_DAYS} days and may soon be gone"
        yield Advice("warning", what, "Run `memory-db run` now; the view at_risk_transcripts lists them.")
    problems = context.db.execute("select count(*) from source_problems").fetchone()[0]
    if problems:
        fix = "The table source_problems has each with its reason; newer formats want a newer memory-db."
        yield Advice("note", f"Lines of sources that were not understood: {problems:,}", fix)
    new = context.db.execute(NEW_TYPES).fetchall()
    if new:
        what = f"Records of unknown types that were passed over: {sum(row[1] for row in new):,} ({new[0][0]}"
        fix = "The table skipped_records counts each type; a newer memory-db may know it."
        yield Advice("note", one_line(what + (f" and {len(new) - 1} other types)" if new[1:] else ")")), fix)
    if total and not any(map(states.get, ("found", "partial", "unfinished", "unreadable"))):
        yield Advice("fine", f"{total:,} sources, all read")


def transcripts(context: DoctorContext) -> Advices:
    """Folders of transcripts that are missing, and transcripts there that are new or grew."""
    for folder in context.transcripts:
        if not folder.exists() and folder == claude_codes_own(context):
            fix = "The first session of Claude Code begins them."
            yield Advice("note", f"Nothing was said yet: no transcripts at {folder}", fix)
            continue
        if not folder.exists():
            yield Advice("warning", f"No transcripts at {folder}", "Name the folder that holds them with --dir.")
            continue
        read = dict(context.db.execute(f"select path, read_bytes from sources where {STATE} <> 'ignored'").fetchall())
        ignored = {row[0] for row in context.db.execute(f"select path from sources where {STATE} = 'ignored'")}
        found = [path.absolute() for path in find_transcripts([folder]) if path.is_file()]
        found = [path for path in found if path_text(path) not in ignored]
        unread = [path for path in found if read.get(path_text(path), -1) < path.stat().st_size]
        ages = [(context.now.timestamp() - path.stat().st_mtime) / 86400 for path in unread]
        what = f"{len(found):,} transcripts at {folder}, {len(unread):,} of them new or grown since they were read"
        if ages and max(ages) > AT_RISK_DAYS:
            yield Advice(
                "warning", f"{what}, the oldest {max(ages):.0f} days old", "Run `memory-db run` before it goes."
            )
        elif unread:
            yield Advice("note", what, "Run `memory-db run`.")
        else:
            yield Advice("fine", f"{len(found):,} transcripts at {folder}, all read")


def claude_codes_own(context: DoctorContext) -> Path | None:
    """Where Claude Code writes the transcripts of those sessions for which it loads the plugin."""
    return context.plugin.parents[1] / "projects" if context.plugin is not None else None


def jobs(context: DoctorContext) -> Advices:
    """Work that was given up, and work that waits."""
    dead = context.db.execute("select * from dead_jobs order by died_at desc").fetchall()
    if dead:
        what = f"{len(dead):,} jobs failed for good, the last: {dead[0]['kind']}, {dead[0]['last_error']}"
        again = "memory-db extract -m MODEL" if dead[0]["kind"] == EXTRACT_SESSION else "memory-db work"
        yield Advice(
            "warning", one_line(what), f"Fix that, then run `{again} --retry-dead`; the view dead_jobs lists them."
        )
    waiting = dict(
        context.db.execute("select kind, count(*) from jobs where state in ('due', 'running') group by kind").fetchall()
    )
    sessions = waiting.pop(EXTRACT_SESSION, 0)
    if waiting:
        yield Advice("note", f"Jobs waiting: {sum(waiting.values()):,}", "Run `memory-db work`.")
    if sessions:
        fix = "Run `memory-db work`, or the command again that was stopped."
        yield Advice("note", f"Sessions waiting for a model: {sessions:,}", fix)
    if not dead and not waiting and not sessions:
        yield Advice("fine", "No jobs waiting, none failed for good")


def models(context: DoctorContext) -> Advices:
    """Models that are left alone because they keep failing."""
    for row in context.db.execute("select * from model_health where is_open order by model"):
        when = (
            f"left alone until {row['open_until']}" if row["open_until"] > utc_text(context.now) else "tried again next"
        )
        what = f"{row['failures_in_row']:,} calls of {row['model']} in a row failed, {when}: {row['last_error']}"
        yield Advice("warning", one_line(what), "Fix that; the table model_calls has every call.")


def recalls(context: DoctorContext) -> Advices:
    """Whether recalls are logged."""
    count, last = context.db.execute("select count(*), max(asked_at) from recalls").fetchone()
    if count:
        hits = context.db.execute("select count(*) from hits").fetchone()[0]
        last_age = age_text(last, context.now)
        yield Advice("fine", f"{count:,} recalls with {hits:,} hits logged, the last {last_age}")
    else:
        yield Advice("note", "No recall logged yet", "Ask something: `memory-db recall 'a question'`.")


def budget(context: DoctorContext) -> Advices:
    """Today's spending beside its budget."""
    over = spending.budget_line(context.db, now=context.now)
    if over:
        fix = f"`memory-db cost --by source` says on what; `memory-db settings {spending.SETTING} CENTS` allows more."
        yield Advice("warning", over, fix)


def money(context: DoctorContext) -> Advices:
    """Models without a price, briefs beyond their budget."""
    unpriced = prices.without_price(context.db)
    if unpriced:
        calls, model = sum(row["calls"] for row in unpriced), unpriced[0]["model"]
        fix = f"Run `memory-db model price set {model} --input USD --output USD`, for a million tokens."
        yield Advice("note", one_line(f"{calls:,} calls are of models without a known price, such as {model}"), fix)
    uncounted = context.db.execute("select count(*) from uncounted_compactions").fetchone()[0]
    if uncounted:
        cost = f"The cost of {uncounted:,} compaction{'s' * (uncounted > 1)}"
        what = f"{cost} is in no sum: Claude Code wrote it down nowhere"
        yield Advice(
            "note", what, "The view uncounted_compactions lists them; newer versions of Claude Code write totals."
        )
    over = context.db.execute("select count(*) from brief_overruns").fetchone()[0]
    if over:
        yield Advice(
            "warning", f"{over:,} briefs took more tokens than their budget", "The view brief_overruns lists them."
        )


EXAMINATIONS: tuple[Callable[[DoctorContext], Advices], ...] = (
    permissions, room, copies, schema, soundness, scans, runs, sources, transcripts, jobs, models, static_coverage,
    embedding_coverage, recalls, budget, money, hooks, paused, lapsed, installations, tried_hooks, environment,
    extras, programs,
)  # fmt: skip
"""Everything that is looked at, in order."""

WITHOUT_FILE = (environment, extras, programs, transcripts, embedding_model, installations)
"""What asks no file of anybody's."""

SLOW = (soundness, scans, transcripts, static_coverage, embedding_coverage, recalls, money, tried_hooks,
        environment, extras, programs)  # fmt: skip
"""What reads much of the file, of a folder, a model or the machine: for who asks for it, not for a page that is looked
at often."""

QUICK = tuple(function for function in EXAMINATIONS if function not in SLOW)
