"""Sums of a span are asked of the rows that they rest on alone, and are those of the whole views."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from bench import lived
from memory_db.models import savings, totals
from memory_db.pages.cache import rows
from memory_db.pages.kept.wasted import waste, wasted
from memory_db.store.connection import connect
from tests.conftest import NOW

pytestmark = pytest.mark.slow

WHOLE = ("project", "day", "model", "source", "part_of")


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    """A file of most of a year, where sessions have several briefs."""
    path: Path = lived.made(tmp_path_factory.mktemp("grown"), lived.Size(300, 3_000, 300), now=NOW, vectors=False)
    with closing(connect(path)) as db:
        yield db


@pytest.mark.parametrize("project", [None, "project-1"])
@pytest.mark.parametrize(("first", "last"), [(0, None), (2, 1), (6, None), (40, 3), (100, None), (300, 0)])
def test_a_span_has_what_the_views_have_of_it(
    grown: sqlite3.Connection, project: str | None, first: int, last: int | None
) -> None:
    chosen = {
        "project": project, "since": str((NOW - timedelta(days=first)).date()),
        "until": None if last is None else str((NOW - timedelta(days=last)).date()),
    }  # fmt: skip
    ways = {way.counterfactual: way for way in savings.ways(grown, **chosen)}
    whole = {row["counterfactual"]: dict(row) for row in grown.execute(savings.SUMS, chosen) if row["priced_rows"]}
    assert set(ways) == set(whole)
    for name, way in ways.items():
        assert {each: getattr(way, each) for each in savings.Way.__slots__} == {
            each: whole[name][each] for each in savings.Way.__slots__
        }
    assert savings.instead_of_files(grown, **chosen) == rows(grown, savings.INSTEAD, chosen)
    sums = totals.SUMS.format(columns=", ".join(WHOLE))
    assert totals.sums(grown, WHOLE, **chosen) == rows(grown, sums, {**chosen, "is_whole": None})
    shown = wasted(waste(grown, chosen), 10, str)["shown"]
    asked = """select coalesce(sum(s.shown_tokens), 0) as shown_tokens,
        coalesce(sum(iif(s.cited or s.used or s.confirmed, 0, s.shown_tokens)), 0) as unused_tokens
        from showings s join memories m on m.id = s.memory_id left join projects p on p.id = m.project_id
        where (:project is null or p.name = :project) and s.asked_at >= :since
            and (:until is null or substr(s.asked_at, 1, 10) <= :until)"""
    assert shown == rows(grown, asked, chosen)[0]


def test_the_spans_have_something(grown: sqlite3.Connection) -> None:
    since = str((NOW - timedelta(days=40)).date())
    shown = wasted(waste(grown, {"project": None, "since": since, "until": None}), 10, str)["shown"]
    assert len(savings.ways(grown, since=since)) == 3 and shown["shown_tokens"] > 100
