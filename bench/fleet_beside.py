"""The full text of DuckDB and PostgreSQL over the rows of one file, beside SQLite's own: the ten best of any word.

In: a file and questions. Out: seconds to index, and milliseconds of a question; or why one could not be measured. The
rankings differ (PostgreSQL's `ts_rank` knows no rarity of words), so what is compared is time alone. Each runs as it is
installed, with its own defaults, on the cores that it takes.

PostgreSQL needs its programs (`apt-get install postgresql`); as root it is run as the user `nobody`. DuckDB needs its
extension `fts`, which it fetches from its own host. Where that cannot be reached, a Python that has both from PyPI does
(`pip install duckdb==1.4.4 duckdb-ext-fts`): name it in DUCKDB_PYTHON.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from memory_db.text.terms import match_any, query_terms

ROUNDS = 2
"""Times that each question is asked after a first one that warms up."""

PROGRAMS = ("/usr/lib/postgresql/*/bin",)
"""Where Debian keeps PostgreSQL's programs."""

NOBODY = "nobody"
"""The user that PostgreSQL runs as where we are root, which it refuses."""

PG_TIME = re.compile(r"^Time: ([\d.]+) ms", re.M)

DUCKDB_SCRIPT = Path(__file__).parent / "fleet_duckdb.py"


def measured(one: sqlite3.Connection, questions: Sequence[str], folder: Path) -> dict[str, Any]:
    """Each full text over the entries of a file."""
    rows = folder / "rows.tsv"
    with rows.open("w", encoding="utf-8") as file:
        for number, text in one.execute("select id, text from entries order by id"):
            file.write(f"{number}\t{' '.join(text.split())}\n")
    words = [query_terms(question) for question in questions]
    found = {
        "entries": one.execute("select count(*) from entries").fetchone()[0],
        "SQLite FTS5": sqlite_times(one, words),
        "PostgreSQL": postgresql(rows, words, folder),
        "DuckDB": duckdb(rows, words, folder),
    }
    base = found["SQLite FTS5"]["p50_ms"]
    for name in ("PostgreSQL", "DuckDB"):
        if "p50_ms" in found[name]:
            found[name]["to_sqlite"] = round(found[name]["p50_ms"] / base, 2)
    return found


def times(work: Callable[[Any], object], questions: Sequence[Any]) -> dict[str, float]:
    """The middle and the slow end of the milliseconds that questions take, once warm."""
    taken = []
    for turn in range(ROUNDS + 1):
        for question in questions:
            started = time.perf_counter()
            work(question)
            if turn:
                taken.append((time.perf_counter() - started) * 1000)
    return quantiles(taken)


def quantiles(taken: Sequence[float]) -> dict[str, float]:
    """The middle and the slow end."""
    return {"p50_ms": round(median(taken), 1), "p95_ms": round(float(np.quantile(taken, 0.95)), 1)}


def sqlite_times(one: sqlite3.Connection, words: Sequence[Sequence[str]]) -> dict[str, Any]:
    """Full text as recall asks it, bare."""

    def bare(terms: Sequence[str]) -> object:
        sql = "select rowid, bm25(entry_fts) from entry_fts where entry_fts match ? order by rank limit 10"
        return one.execute(sql, [match_any(list(terms))]).fetchall()

    return {"version": sqlite3.sqlite_version, **times(bare, words)}


# ------------------------------------------------------------------ PostgreSQL


def postgresql(rows: Path, words: Sequence[Sequence[str]], folder: Path) -> dict[str, Any]:
    """A server of its own for as long as it takes, asked over one connection by its own client."""
    programs = next((str(each) for pattern in PROGRAMS for each in Path("/").glob(pattern[1:])), None)
    if programs is None or shutil.which("psql") is None:
        return {"skipped": "PostgreSQL's programs are not installed: apt-get install postgresql"}
    place = folder / "postgresql"
    place.mkdir()
    as_user: tuple[str, ...] = ()
    if os.geteuid() == 0:
        shutil.chown(place, NOBODY)
        folder.chmod(0o755)  # that user passes through it
        as_user = ("setpriv", f"--reuid={NOBODY}", "--regid=nogroup", "--clear-groups")
    environment = {**os.environ, "PGHOST": str(place), "PGDATABASE": "postgres", "PGUSER": "bench"}

    def run(*command: str, given: str = "") -> str:
        done = subprocess.run(
            [*as_user, *command], input=given, capture_output=True, text=True, env=environment, check=True, cwd=place
        )
        return done.stdout

    try:
        run(f"{programs}/initdb", "-D", f"{place}/data", "-U", "bench", "--auth=trust", "--no-sync")
        options = f"-k {place} -c listen_addresses=''"
        run(f"{programs}/pg_ctl", "-D", f"{place}/data", "-w", "-l", f"{place}/log", "-o", options, "start")
    except subprocess.CalledProcessError as error:
        return {"skipped": f"PostgreSQL does not start: {' '.join(error.stderr.split())[-200:]}"}
    try:
        return asked_in_postgresql(run, rows, words)
    finally:
        run(f"{programs}/pg_ctl", "-D", f"{place}/data", "-m", "immediate", "stop")


def asked_in_postgresql(run: Callable[..., str], rows: Path, words: Sequence[Sequence[str]]) -> dict[str, Any]:
    """Fills a table, indexes it, and asks."""
    psql = ("psql", "-X", "-q", "-v", "ON_ERROR_STOP=1")
    version = run(*psql, "-At", "-c", "show server_version").split()[0]
    run(*psql, "-c", "create table entries (id bigint primary key, text text)")
    run(*psql, "-c", f"copy entries from '{rows}'")
    started = time.perf_counter()
    run(*psql, "-c", "alter table entries add words tsvector generated always as (to_tsvector('simple', text)) stored")
    run(*psql, "-c", "create index on entries using gin (words)", "-c", "vacuum analyze entries")
    index_s = time.perf_counter() - started
    asked = [
        "select id from entries, to_tsquery('simple', '{}') q where words @@ q"
        " order by ts_rank(words, q) desc limit 10;".format(" | ".join(terms))
        for terms in words
    ]
    script = "\\timing on\n" + "\n".join(asked * (ROUNDS + 1))
    taken = [float(found) for found in PG_TIME.findall(run(*psql, given=script))]
    if len(taken) != len(asked) * (ROUNDS + 1):
        return {"version": version, "skipped": f"{len(taken)} of {len(asked) * (ROUNDS + 1)} questions were answered"}
    return {"version": version, "index_s": round(index_s, 1), **quantiles(taken[len(asked) :])}


# ---------------------------------------------------------------------- DuckDB


def duckdb(rows: Path, words: Sequence[Sequence[str]], folder: Path) -> dict[str, Any]:
    """In a process of its own, which may be of another Python."""
    given = json.dumps({"rows": str(rows), "file": str(folder / "entries.duckdb"), "rounds": ROUNDS, "words": words})
    python = os.environ.get("DUCKDB_PYTHON", sys.executable)
    done = subprocess.run([python, str(DUCKDB_SCRIPT)], input=given, capture_output=True, text=True, check=False)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["it ended"])[-1]
        return {"skipped": f"DuckDB's extension fts is not there: {last[:200]}"}
    found: Mapping[str, Any] = json.loads(done.stdout)
    taken = found["taken_ms"]
    return {"version": found["version"], "index_s": round(found["index_s"], 1), **quantiles(taken)}
