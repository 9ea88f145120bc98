"""The proof of a forgetting, kept with its row of the log: what was searched, what went, and what still held it.

In: what `forget` gives, or the number of its run. Out: a row of `runs` with more to tell, and that as a dict, which is
a certificate too. Invariants: no word of what was forgotten is kept, nor a hash by which one could be guessed; files
are kept by the numbers of their rows, so that a path goes from here as it goes from there.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Any

from memory_db.errors import NotFoundError
from memory_db.extract.files.facts import SOURCE_MARK
from memory_db.recall.brief import spool
from memory_db.store.connection import transaction
from memory_db.upkeep.forget.certificate import certificate
from memory_db.upkeep.forget.run import Forgotten
from memory_db.upkeep.forget.target import ForgetTarget

MOST_FATES = 500
"""So many memories and entries are named in a proof that is kept; of more it has the number."""

NUMBERED_ROW = re.compile(r"[\w.]+ row [\d/]+")
"""A place that still holds it, named without a text of the file."""

SORTS = ("words", "memory", "entry", "session", "project")
"""What can be forgotten by its name; anything else is a time."""


def keep(db: sqlite3.Connection, path: Path, target: ForgetTarget, done: Forgotten, *, now: datetime) -> None:
    """Adds the proof to the row of the run."""
    held = {row[0]: row[1] for row in db.execute("select path, id from exports")}
    certified = certificate(db, path, target, done, now=now, has_hashes=False)
    sort = "words" if done.is_words else next((each for each in SORTS if done.what.startswith(f"{each} ")), "time")
    proof = {
        **certified,
        "forgotten": done.what if sort in ("memory", "entry", "session") else sort,
        "sort": sort,
        "uid": done.what.partition(" ")[2] if sort in ("memory", "entry", "session") else "",
        "searched": {**certified["searched"], "files": files_seen(path),
                     "exports": numbers(held, certified["searched"]["exports"])},
        "found_afterwards": {
            "rows_and_files": [named_row(each) for each in done.left],
            "locked_memories": done.locked,
            "copies": done.copies,
            "exports": [numbered(held, line) for line in done.exports],
        },
        "cleaned_exports": numbers(held, done.cleaned_exports),
        "fates": [[fate.uid, fate.sort, fate.what, fate.why] for fate in done.fates[:MOST_FATES]],
        "fate_count": len(done.fates),
        "sharing": done.sharing,
        "not_covered": sources_of(db, done.outside),
        "not_covered_count": len(done.outside),
    }  # fmt: skip
    with transaction(db):
        counts = json.loads(db.execute("select counts from runs where id = ?", [done.run_id]).fetchone()[0])
        db.execute("update runs set counts = ? where id = ?", [json.dumps({**counts, "proof": proof}), done.run_id])


def kept(db: sqlite3.Connection, run_id: int) -> dict[str, Any]:
    """The proof of a run, with the paths of files, as far as the file still knows them. Raises: NotFoundError."""
    row = db.execute(
        "select counts, started_at, duration_ms from runs where id = ? and stage = 'forget'", [run_id]
    ).fetchone()
    if row is None:
        raise NotFoundError(f"Nothing was forgotten by run {run_id}.")
    proof = json.loads(row["counts"]).get("proof")
    if proof is None:
        raise NotFoundError(f"Run {run_id} forgot something and kept no proof, only how many rows went.")
    paths = {row[0]: row[1] for row in db.execute("select id, path from exports")}
    sources = {row[0]: row[1] for row in db.execute("select id, path from sources")}
    found = proof["found_afterwards"]
    return {
        **proof,
        "duration_ms": row["duration_ms"],
        "searched": {**proof["searched"], "exports": [path_of(paths, each) for each in proof["searched"]["exports"]]},
        "found_afterwards": {
            **found,
            "exports": [f"{path_of(paths, number)} {said}".strip() for number, said in found["exports"]],
        },
        "cleaned_exports": [path_of(paths, each) for each in proof["cleaned_exports"]],
        "not_covered": sorted({path_of(sources, each).removesuffix(SOURCE_MARK) for each in proof["not_covered"]}),
    }


UNKNOWN = "a file that is no longer known"


def path_of(paths: dict[int, str], number: int | None) -> str:
    """The path by its number."""
    return paths.get(number, UNKNOWN) if number is not None else UNKNOWN


def numbers(held: dict[str, int], paths: Iterable[str]) -> list[int | None]:
    """The numbers of exports by their paths."""
    return [held.get(path) for path in paths]


def numbered(held: dict[str, int], line: str) -> tuple[int | None, str]:
    """A line about an export as its number and what is said after its path."""
    path = max((each for each in held if line.startswith(f"{each} (")), key=len, default="")
    said = line[len(path) :].strip() if path else ""
    return held.get(path), said if not said.startswith("(cannot be") else "(cannot be looked into)"


def named_row(place: str) -> str:
    """A place that still holds it; of one that is named by a text only the column."""
    return place if " row " not in place or NUMBERED_ROW.fullmatch(place) else place.partition(" row ")[0]


def sources_of(db: sqlite3.Connection, paths: Iterable[str]) -> list[int]:
    """The numbers of the sources at these paths."""
    among = set(paths)
    rows = db.execute("select id, path from sources order by id")
    return [row[0] for row in rows if row[1].removesuffix(SOURCE_MARK) in among]


def files_seen(path: Path) -> list[dict[str, Any]]:
    """The file, its log and its spools with their bytes. They are not opened: somebody has a connection to them."""
    files = [path, path.with_name(f"{path.name}-wal"), *spool.waiting(path)]
    return [{"name": each.name, "bytes": each.stat().st_size} for each in files if each.is_file()]


def forgettings(db: sqlite3.Connection, limit: int) -> list[dict[str, Any]]:
    """What was forgotten last: number of the run, when, what sort, whether it is gone; without proof both are None."""
    rows = db.execute(LATEST, [limit])
    return [dict(row) for row in rows]


LATEST = """
select id, started_at, json_extract(counts, '$.proof.forgotten') as forgotten,
    json_extract(counts, '$.proof.is_gone') as is_gone
from runs where stage = 'forget' order by id desc limit ?
"""
