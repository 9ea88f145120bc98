"""metadata.yml describes every table, view and column, and nothing else; its queries run."""

from __future__ import annotations

import html
import json
import re
import sqlite3
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import sqlite_utils
from bs4 import BeautifulSoup
from llm.embeddings_migrations import embeddings_migrations
from llm.migrations import migrate

from memory_db.gate.contradictions.pairs import open_contradiction
from memory_db.knowledge.evidence import add_evidence
from memory_db.models.tokens import ensure_prices, models_seen
from memory_db.pages.web import compat
from memory_db.pages.web.serve import metadata_for
from memory_db.recall.brief import select as brief
from memory_db.recall.search import Question
from memory_db.store.dates import utc_text
from tests.support.feedback_sessions import agents_life
from tests.support.in_process import made

pytestmark = pytest.mark.slow

SHADOW = re.compile(r"_(data|idx|content|docsize|config)$")
"""Tables in which FTS5 keeps an index; Datasette hides them by itself."""


def described(path: Path) -> dict[str, Any]:
    metadata = metadata_for(path)
    assert list(metadata["databases"]) == [path.stem]
    return dict(metadata["databases"][path.stem])


def columns_by_table(db: sqlite3.Connection) -> dict[str, list[str]]:
    names = [row[0] for row in db.execute("select name from sqlite_master where type in ('table', 'view')")]
    virtual = {row[0] for row in db.execute("select name from sqlite_master where sql like 'create virtual%'")}
    ours = [name for name in names if not (SHADOW.search(name) and SHADOW.sub("", name) in virtual)]
    return {name: [row[1] for row in db.execute(f"pragma table_info([{name}])")] for name in ours}


def llm_tables() -> set[str]:
    database = sqlite_utils.Database(memory=True)
    migrate(database)
    embeddings_migrations.apply(database)
    return {name for name in (*database.table_names(), *database.view_names()) if not SHADOW.search(name)}


def test_every_table_view_and_column_is_described_and_nothing_else(db: sqlite3.Connection, db_path: Path) -> None:
    tables = described(db_path)["tables"]
    expected = columns_by_table(db)
    llms = llm_tables() - set(expected)
    assert set(tables) == set(expected) | llms
    for name, columns in expected.items():
        assert tables[name]["description"], name
        assert list(tables[name]["columns"]) == columns, name
        for column, text in tables[name]["columns"].items():
            assert isinstance(text, str), f"{name}.{column}"
            assert text.strip(), f"{name}.{column}"
            assert "\n" not in text, f"{name}.{column}"
    for name in llms:
        assert tables[name] == {"hidden": True}, name


def test_facets_sorts_and_labels_name_columns(db: sqlite3.Connection, db_path: Path) -> None:
    tables = described(db_path)["tables"]
    for name, columns in columns_by_table(db).items():
        options = tables[name]
        named = [
            *options.get("facets", []),
            *(options[key] for key in ("sort", "sort_desc", "label_column") if key in options),
        ]
        assert set(named) <= set(columns), name


def test_units_are_said(db: sqlite3.Connection, db_path: Path) -> None:
    units = {
        "_days": "days",
        "_ms": "milliseconds",
        "_bytes": "bytes",
        "_nanocents": ("cent", "token"),
        "_usd": "dollars",
    }
    for name, options in described(db_path)["tables"].items():
        for column, text in options.get("columns", {}).items():
            for ending, words in units.items():
                if column.endswith(ending):
                    wanted = (words,) if isinstance(words, str) else words
                    assert any(word in text.lower() for word in wanted), f"{name}.{column}: {text}"


def queries() -> list[str]:
    return list(described(Path("memory.db"))["queries"])


def test_there_are_ten_queries_with_title_and_description(db_path: Path) -> None:
    found = described(db_path)["queries"]
    assert len(found) >= 10
    for name, query in found.items():
        assert query["title"].strip(), name
        assert query["description"].strip(), name
    assert len({query["title"] for query in found.values()}) == len(found)


@pytest.mark.parametrize("name", queries())
def test_query_runs_on_an_empty_file(db: sqlite3.Connection, db_path: Path, name: str) -> None:
    sql = described(db_path)["queries"][name]["sql"]
    cursor = db.execute(sql, dict.fromkeys(re.findall(r":([a-z]\w*)", sql), ""))
    columns = [column[0] for column in cursor.description]
    assert len(columns) >= 5
    assert len(set(columns)) == len(columns)


GIVEN = {
    "path": "migrations",
    "error": "operator does not exist",
    "tool": "Bash",
    "recall": "1",
    "day": "2026-11-01",
    "memory": "",
    "session": "",
    "first": "",
    "last": "",
}
"""Values of the queries' parameters that the sample history has something for."""


@pytest.mark.parametrize("name", queries())
def test_query_has_an_answer_in_the_sample(sample_db: sqlite3.Connection, name: str, now: datetime) -> None:
    brief.ask(sample_db, Question("how do we run the migrations"), surface="cli", now=now)
    brief.ask(sample_db, Question("how do we run the migrations"), surface="hook", now=now)
    brief.ask(sample_db, Question("how do we run the tests", project_id=1), surface="hook", now=now)
    ensure_prices(sample_db, models_seen(sample_db), now=now)
    sample_db.execute("update api_calls set output_tokens = 10000000 where id = (select max(id) from api_calls)")
    agents_life(sample_db, now)
    ours = sample_db.execute("select min(id) from memories where scope = 'project'").fetchone()[0]
    add_evidence(sample_db, ours, "wrong", "against", 9.0, "user", created_at="2026-11-01", now=now)
    pair = [row[0] for row in sample_db.execute("select id from memories where status = 'active' order by id limit 2")]
    open_contradiction(sample_db, *pair, found_by="opposed", reason="a test", score=0.8, now=now)
    measured(sample_db, now)
    withdrawn = "update evidence set withdrawn_at = ? where memory_id = (select max(id) from memories)"
    sample_db.execute(withdrawn, [utc_text(now)])
    near = sample_db.execute("select uid from propagated_beliefs limit 1").fetchone()[0]
    sql = described(Path("memory.db"))["queries"][name]["sql"]
    wanted = re.findall(r":([a-z]\w*)", sql)
    rows = sample_db.execute(sql, {parameter: (GIVEN | {"uid": near})[parameter] for parameter in wanted}).fetchall()
    assert rows
    for column in rows[0].keys():  # noqa: SIM118 (a Row iterates over its values)
        assert column in MAY_BE_EMPTY or any(row[column] is not None for row in rows), column


def measured(db: sqlite3.Connection, now: datetime) -> None:
    """A measurement, as `memory-db evaluate` keeps it."""
    metrics = json.dumps({name: {"mean": 0.5, "low": 0.4, "high": 0.6} for name in ("recall@5", "recall@10")})
    db.execute(
        "insert into eval_runs (dataset, format, file_hash, query_count, profile, profile_version, weights, metrics,"
        " split, started_at, duration_ms) values ('own', 'own', '', 9, 'default', 1, '{}', ?, 'none', ?, 5)",
        [metrics, utc_text(now)],
    )


MAY_BE_EMPTY = {"note", "cured_by_changing", "line", "text_before", "is_error", "entry_uid"}


async def test_any_file_name_has_the_queries(db: sqlite3.Connection, db_path: Path, tmp_path: Path) -> None:
    path = tmp_path / "my notes.db"
    db.execute("vacuum into ?", [str(path)])
    datasette = made(path)
    await datasette.invoke_startup()
    listed = await compat.canned_queries(datasette, path.stem, {"id": "root"})
    assert sorted(query["name"] for query in listed) == sorted(queries())
    for query in listed:
        response = await datasette.client.get(query["url"])
        assert response.status_code == 200, query["name"]
        assert query["title"] in html.unescape(response.text)
    page = await datasette.client.get(datasette.urls.database(path.stem))
    soup = BeautifulSoup(page.text, "html.parser")
    folded = {link["href"].rpartition("/")[2] for link in soup.select("details:not([open]) a")}
    seen = {link["href"].rpartition("/")[2] for link in soup.select("a") if link.find_parent("details") is None}
    assert {"memories", "current_memories"} <= seen
    internals = {"schema_objects", "entry_fts", "entry_fts_data", "_sqlite_migrations"}
    assert not internals & seen and "_sqlite_migrations" in folded
