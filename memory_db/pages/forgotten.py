"""The proof of a forgetting, at an address of its own: what was searched, what went, what still holds it.

In: a connection and the number of a run. Out: a dict for the page, whose JSON is a certificate. Invariant: it says
what was found when it was forgotten, and of files that held it then only whether they are still there.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any
from urllib.parse import quote

from memory_db.errors import NotFoundError
from memory_db.pages.forgetting import ADDRESS, MEMORY, kept_without, named, proof_line
from memory_db.pages.forms import Fields, first
from memory_db.upkeep.exports import SITE
from memory_db.upkeep.forget import proofs
from memory_db.upkeep.forget.exported import DO
from memory_db.upkeep.forget.target import FORGETS

MOST_LISTED = 200
"""So many forgettings are listed, the latest first."""


def forgotten(db: sqlite3.Connection, fields: Fields) -> dict[str, Any]:
    """The proof of the run of field `run`, or else the latest `forgettings`. Raises: NotFoundError."""
    if run := first(fields, "run"):
        return proof(db, run_number(run))
    return {"run_id": None, "forgettings": proofs.forgettings(db, MOST_LISTED)}


def proof(db: sqlite3.Connection, run_id: int) -> dict[str, Any]:
    """A certificate of what a run forgot, and more for a page: `said` in a line, `holding` what still held it, each
    with what to do and whether it is gone since. Raises: NotFoundError."""
    found = proofs.kept(db, run_id)
    held = found["found_afterwards"]
    counts = {
        "left": len(held["rows_and_files"]), "locked": len(held["locked_memories"]), "copies": len(held["copies"]),
        "exports": len(held["exports"]), "outside": found["not_covered_count"],
    }  # fmt: skip
    holding = what_holds(held)
    searched = sum(each["bytes"] for each in found["searched"]["files"])
    return {
        **found,
        "run_id": run_id,
        "is_gone_since": not found["is_gone"] and all(each["is_gone"] for each in holding),
        "said": proof_line(named(found["sort"], found["uid"]), counts, found["passages"]["count"], searched),
        "holding": holding,
        "fates": [fate_told(*each) for each in found["fates"]],
        "kept_without": kept_without(found["deleted_or_emptied_rows"]),
        "bytes_searched": searched,
    }


def run_number(key: str) -> int:
    """The number of a run. Raises: NotFoundError."""
    if not key.isascii() or not key.isdigit() or len(key) > len(str(2**31)):
        raise NotFoundError(f"No run {key[:40]!r}: runs have numbers.")
    return int(key)


def fate_told(uid: str, sort: str, what: str, why: str) -> dict[str, Any]:
    """What became of something, with where it still is: a memory that was forgotten is nowhere."""
    is_nowhere = sort == MEMORY and what == FORGETS
    address = None if is_nowhere else ADDRESS[sort].format(quote(uid, safe=""))
    return {"uid": uid, "sort": sort, "what": what, "why": why, "address": address}


def what_holds(held: dict[str, list[str]]) -> list[dict[str, Any]]:
    """What still held it: what sort of thing, which, how much of it, what to do, and whether it is gone since."""
    finish = "close what has the file open, then run `memory-db memory forget --finish`"
    found = [holder("the file", place, do=finish) for place in held["rows_and_files"]]
    found += [
        holder("locked memory", uid, do="forget it by itself", address=f"{ADDRESS[MEMORY].format(uid)}/forget")
        for uid in held["locked_memories"]
    ]
    for line in held["copies"]:
        path, _, where = line.removesuffix(")").rpartition(" (")
        do = "delete it, or wait: old copies go by themselves within the weeks that the setting backup_keep names"
        found.append(holder("copy of the file", path, where, do, is_file=True))
    for line in held["exports"]:
        path, _, said = line.removesuffix(")").partition(" (")
        where, _, do = said.partition("; ")
        if do == DO[SITE]:
            do = f"delete the folder, then write the pages anew: `memory-db export --site {path}`"
        found.append(holder("export", path, where, do or "delete it", is_file=True))
    return found


def holder(
    sort: str, name: str, where: str = "", do: str = "", *, address: str = "", is_file: bool = False
) -> dict[str, Any]:
    """Something that still held it."""
    is_gone = is_file and name != proofs.UNKNOWN and not Path(name).exists()
    return {"sort": sort, "name": name, "where": where, "do": do, "address": address, "is_gone": is_gone}
