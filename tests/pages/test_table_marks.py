"""A write to tables that an answer did not read leaves the answer as good as before; any other is seen at once."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from memory_db.pages.cache import WATCHED, cached
from memory_db.pages.table_marks import BOOKS_MARK, ROWS_MARK, SMALL, made_with, mark
from memory_db.store.connection import connect
from tests.pages.test_dry_runs import CASES, PROGRAM, send

pytestmark = pytest.mark.pages

PAGES = (
    "/-/memory.json", "/-/memory/memories.json?status=any", "/-/memory/sessions.json", "/-/memory/projects.json",
    "/-/memory/projects/1.json", "/-/memory/questions.json", "/-/memory/compare.json?q=how+do+we+deploy+to+staging",
)  # fmt: skip
"""Pages that keep answers by what these read."""

AGO = re.compile(r'"ago": "[^"]*"')

AGED = re.compile(r'\d\.\d{6,}(e-\d+)?|(?<="age_days": )[\d.e-]+')
"""An age, and a score: it sinks from one moment to the next."""

VOLATILE = {"changes", "doctor", "fresh", "recalls", "spending", "suggestions"}
"""What tells of the moment."""


def write(path: Path, sql: str) -> None:
    with closing(connect(path, write=True)) as db:
        db.execute(sql)


def test_what_was_read_is_known_through_views_and_joins(sample_path: Path) -> None:
    with closing(connect(sample_path)) as db:
        _, marks = made_with(db, lambda reading: reading.execute("select count(*) from stale_memories").fetchone())
        assert marks is not None and {"memories", "memory_versions"} & set(marks)
        answer, marks = made_with(db, lambda reading: reading.execute("select count(*) from projects").fetchone()[0])
        assert answer == 3 and marks is not None and set(marks) == {BOOKS_MARK, ROWS_MARK, "projects"}


def test_only_a_write_to_what_was_read_makes_it_again(sample_path: Path) -> None:
    made: list[int] = []

    def kinds(db: sqlite3.Connection) -> int:
        made.append(1)
        return int(db.execute("select count(*) from memories where importance = 3").fetchone()[0])

    def ask() -> int:
        return cached(sample_path, "kinds", kinds, by_table=True)

    first = ask()
    write(sample_path, "insert into settings (name, value, changed_at) values ('hits_days', '9', '2026')")
    assert ask() == first and len(made) == 1
    write(
        sample_path, "update memories set importance = 1 where id = (select min(id) from memories where importance = 3)"
    )
    assert ask() == first - 1 and len(made) == 2
    write(sample_path, "delete from settings")
    assert ask() == first - 1 and len(made) == 2


def test_an_answer_rests_on_what_the_answers_within_it_rest_on(sample_path: Path) -> None:
    def inner() -> int:
        return cached(sample_path, "inner", lambda db: one_number(db, "select count(*) from tags"), by_table=True)

    def ask() -> int:
        return cached(
            sample_path, "outer", lambda db: inner() + one_number(db, "select count(*) from projects"), by_table=True
        )

    for _ in range(2):  # made within, and kept before
        before = ask()
        write(sample_path, "insert into tags (memory_id, tag) select 1, 'tag ' || count(*) from tags")
        assert ask() == before + 1


def one_number(db: sqlite3.Connection, sql: str) -> int:
    return int(db.execute(sql).fetchone()[0])


def test_a_large_table_that_nothing_tells_of_keeps_nothing(sample_path: Path) -> None:
    write(sample_path, "create table more (n integer)")
    with closing(connect(sample_path, write=True)) as db:
        db.executemany("insert into more values (?)", [(n,) for n in range(SMALL + 1)])
        assert mark(db, "more") is None
        _, marks = made_with(db, lambda reading: reading.execute("select sum(n) from more").fetchone())
        assert marks is None


@pytest.mark.slow
async def test_no_button_leaves_an_old_answer(server: Any, sample_path: Path) -> None:
    """After each change by the server every page says what it says when nothing was kept."""
    cookies = {"ds_actor": server.sign({"a": {"id": "root"}}, "actor")}

    async def pages() -> dict[tuple[str, str], str]:
        found = {}
        for path in PAGES:
            data = (await server.client.get(path, cookies=cookies)).json()
            for name, each in data.items():
                if name not in VOLATILE:
                    found[path, name] = AGED.sub("", AGO.sub("", json.dumps(each)))
        return found

    await pages()
    seen = set()
    for case in CASES:
        done = await send(server, case.path(), {**case.body, "dry_run": False})
        if not done.is_success:  # what only a job or a recall of another fixture lets be done
            continue
        kept = await pages()
        for watched in WATCHED.values():
            watched.answers.clear()
        fresh = await pages()
        assert not [name for name, each in fresh.items() if kept[name] != each], case
        seen.add(case.shape)
    assert len(seen) > 12 and PROGRAM
