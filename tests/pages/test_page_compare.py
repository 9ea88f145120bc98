"""Totals of the page that compares: the figures of the command line, and a sign while they are worked out."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from bs4 import BeautifulSoup
from click.testing import CliRunner

from memory_db.cli.group import cli
from memory_db.pages import compare
from memory_db.store.connection import connect
from memory_db.store.presets import PRESETS
from tests.support.in_process import served

SMALL = """
insert into labelled_queries (query_set_id, uid, query, project_id, style, asked_at)
select (select id from query_sets where name = 'small'), uid, query, project_id, style, asked_at
from labelled_queries where query_set_id <> (select id from query_sets where name = 'small') order by uid limit ?
"""

JUDGED = """
insert into judgements (labelled_query_id, memory_id, entry_id, relevance, judged_by, judged_at)
select s.id, j.memory_id, j.entry_id, j.relevance, j.judged_by, j.judged_at from judgements j
join labelled_queries q on q.id = j.labelled_query_id
join labelled_queries s on s.uid = q.uid and s.query_set_id = (select id from query_sets where name = 'small')
where q.query_set_id <> s.query_set_id
"""


def small_set(path: Path, questions: int) -> None:
    """Some of the sample's labelled questions as a set of their own."""
    with closing(connect(path, write=True)) as db:
        db.execute("insert into query_sets (name, description, created_at) values ('small', 'a few', '2026-11-01')")
        db.execute(SMALL, [questions])
        db.execute(JUDGED)


def test_page_and_command_line_tell_the_same_figures_for_every_preset(sample_path: Path, now: datetime) -> None:
    small_set(sample_path, 10)
    asked = {"set": ["small"], "profile": ["memem", *(name for name in PRESETS if name != "memem")]}
    totals = compare.compare(sample_path, asked, now=now)["totals"]
    names = [word for name in PRESETS for word in ("--profile", name)]
    result = CliRunner().invoke(
        cli,
        ["evaluate", "--own", "--set", "small", "--baseline", "memem", *names, "-d", str(sample_path), "--json"],
    )
    assert result.exit_code == 0, result.output
    figures = json.loads(result.stdout)["profiles"]
    assert {row["profile"] for row in totals["profiles"]} == set(figures) == set(PRESETS)
    for row in totals["profiles"]:
        of_the_command_line = figures[row["profile"]]
        for metric in compare.TOTALS:
            assert row[metric] == renamed(of_the_command_line[metric]), (row["profile"], metric)
        difference = of_the_command_line.get("difference", {}).get(compare.DIFFERENCE)
        assert row["difference"] == (renamed(difference) if difference else None)


def renamed(figure: dict[str, float]) -> dict[str, float]:
    return {"value": figure["mean"], "low": figure["low"], "high": figure["high"]}


@pytest.fixture
def large(sample_path: Path) -> Iterator[Path]:
    """The sample with a set that takes longer than a page may."""
    small_set(sample_path, compare.MOST_AT_ONCE + 1)
    yield sample_path


async def test_a_large_set_is_measured_once_the_page_stands(large: Path) -> None:
    address = "/-/memory/compare?set=small&profile=keyword_only&profile=memem"
    async with served(large) as server:
        soup: Any = BeautifulSoup((await server.client.get(address)).text, "html.parser")
        line = soup.select_one("#totals .measuring[role=status]")
        assert f"{compare.MOST_AT_ONCE + 1} questions" in line.get_text() and "2 profiles" in line.get_text()
        assert soup.select_one("script[src='/assets/compare.js']") and not soup.select("table.totals")
        link = line.select_one("a")["href"]
        measured: Any = BeautifulSoup((await server.client.get(link)).text, "html.parser")
        assert len(measured.select("#totals table.totals tbody tr")) == 2, "the link leads there without JavaScript"
        program = (await server.client.get(address.replace("?", ".json?"))).json()["totals"]
        assert [row["profile"] for row in program["profiles"]] == ["keyword_only", "memem"], "a program waits"


def test_what_was_measured_is_kept_until_somebody_writes(large: Path, now: datetime) -> None:
    asked = {"set": ["small"], "profile": ["keyword_only"]}
    first = compare.compare(large, asked, now=now)["totals"]
    with closing(sqlite3.connect(large)) as db:
        db.execute("update judgements set relevance = 1 - relevance")
        db.commit()
    second = compare.compare(large, asked, now=now)["totals"]
    assert first["profiles"] != second["profiles"]
    assert compare.compare(large, asked, now=now)["totals"] == second
