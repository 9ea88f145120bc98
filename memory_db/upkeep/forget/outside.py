"""Files that memory-db read and does not change, which may still hold what is forgotten: transcripts above all.

In: a connection to the file as it is before anything goes, and a `ForgetTarget`. Out: paths. Invariant: no file is
changed, and one that cannot be read is no reason to stop.
"""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

from memory_db.extract.files.facts import SOURCE_MARK
from memory_db.store.connection import id_list
from memory_db.upkeep.forget import byte_search
from memory_db.upkeep.forget.target import ForgetTarget

READ_FROM = """
select distinct s.path from sources s join entries e on e.source_id = s.id where e.id in ({ids})
"""


def files_outside(db: sqlite3.Connection, target: ForgetTarget) -> list[str]:
    """The files that entries which go or lose a passage were read from; of words also each source that holds them,
    since a transcript has more than became entries."""
    entry_ids = target.entry_ids | target.source_ids | target.saying_ids
    found = {str(row[0]) for row in db.execute(READ_FROM.format(ids=id_list(entry_ids)))}
    if target.is_words:
        found |= sources_holding(db, target)
    return sorted({path.removesuffix(SOURCE_MARK) for path in found})


def sources_holding(db: sqlite3.Connection, target: ForgetTarget) -> set[str]:
    """The sources in whose bytes a passage stands whole; all of them where they cannot be looked through."""
    paths = {str(row[0]).removesuffix(SOURCE_MARK) for row in db.execute("select path from sources")}
    there = [path for path in map(Path, sorted(paths)) if path.is_file() and os.access(path, os.R_OK)]
    sought = [form.encode(errors="surrogatepass") for form in target.passages.within]
    try:
        held = byte_search.pieces_held(there, sought)
    except OSError:
        return {str(path) for path in there}
    return {str(path) for path, numbers in zip(there, held, strict=True) if numbers}
