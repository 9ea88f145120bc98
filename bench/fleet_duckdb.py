"""DuckDB's full text over rows of a file; run by `fleet_beside`, perhaps with another Python: only DuckDB is needed.

In: JSON on stdin: `rows` (id and text by line), `file` for the database, `words` of each question, `rounds`. Out: JSON:
`version`, `index_s`, `taken_ms`. Raises: whatever DuckDB says where its extension `fts` cannot be had.
"""

from __future__ import annotations

import json
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import duckdb

BEST = """
select id, score from (select id, fts_main_entries.match_bm25(id, ?) as score from entries) where score is not null
order by score desc limit 10
"""


def load_fts(db: duckdb.DuckDBPyConnection) -> None:
    """Loads the extension, from a package of PyPI where there is one, else from where DuckDB keeps or fetches it."""
    package = find_spec("duckdb_ext")
    if package is None or not package.submodule_search_locations:
        db.execute("install fts")
    else:
        place = Path(next(iter(package.submodule_search_locations)), "extensions")
        db.execute(f"set extension_directory = '{place}'")
    db.execute("load fts")


def main() -> None:
    """Measures and prints."""
    given = json.load(sys.stdin)
    db = duckdb.connect(given["file"])
    load_fts(db)
    db.execute(
        "create table entries as select column0 as id, column1 as text from read_csv(?, delim='\t', header=false,"
        " quote='', columns={'column0': 'bigint', 'column1': 'varchar'})",
        [given["rows"]],
    )
    started = time.perf_counter()
    db.execute("pragma create_fts_index('entries', 'id', 'text', stemmer='none', stopwords='none')")
    index_s = time.perf_counter() - started
    taken_ms = []
    for turn in range(given["rounds"] + 1):
        for words in given["words"]:
            started = time.perf_counter()
            found = db.execute(BEST, [" ".join(words)]).fetchall()
            if not found:
                raise SystemExit(f"DuckDB finds nothing for {words}")
            if turn:
                taken_ms.append((time.perf_counter() - started) * 1000)
    print(json.dumps({"version": duckdb.__version__, "index_s": index_s, "taken_ms": taken_ms}))


if __name__ == "__main__":
    main()
