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
from memory_db.evaluation import measuring
from memory_db.evaluation.replay import replay
from memory_db.pages import compare, measured
from memory_db.recall.search import load_profile
from memory_db.store import jobs
from memory_db.store.connection import connect
from memory_db.store.periods import period
from memory_db.store.presets import PRESETS
from tests.support.in_process import open_to_all, served, served_as, signed_in

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


@pytest.mark.slow
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
        for metric in measured.TOTALS:
            assert row[metric] == renamed(of_the_command_line[metric]), (row["profile"], metric)
        difference = of_the_command_line.get("difference", {}).get(measured.DIFFERENCE)
        assert row["difference"] == (renamed(difference) if difference else None)


def renamed(figure: dict[str, float]) -> dict[str, float]:
    return {"value": figure["mean"], "low": figure["low"], "high": figure["high"]}


@pytest.mark.parametrize(
    ("difference", "of", "what", "told"),
    [
        ((4 / 60, -0.02, 0.15), 60, "chance", "in 4 more of the 60 questions than a 1: that may be chance (interval"),
        ((4 / 60, 0.02, 0.15), 60, "better", "in 4 more of the 60 questions than a 1: better beyond chance"),
        ((-3.4 / 60, -0.1, -0.01), 60, "worse", "in about 3 fewer of the 60 questions than a 1: worse beyond chance"),
        ((0.0, -0.1, 0.1), 60, "chance", "in as many of the 60 questions as a 1: that may be chance"),
        ((1.0, 1.0, 1.0), 9, "too few", "Too few questions to say whether b 1 is better than a 1: 9."),
    ],
)
def test_a_verdict_is_given_in_words(difference: tuple[float, ...], of: int, what: str, told: str) -> None:
    figures = dict(zip(("value", "low", "high"), difference, strict=True))
    found = measured.verdict("b 1", figures, against="a 1", of=of)
    assert found and found["what"] == what and told in found["told"]
    assert measured.verdict("b 1", None, against="a 1", of=of) is None


def test_it_says_in_a_sentence_which_profile_to_take() -> None:
    def told(*found: tuple[str, float] | None, default: str = "a") -> str:
        lines = [{"profile": name, "version": 1, "verdict": each and {"what": each[0]},
                  "difference": each and {"value": each[1]}}
                 for name, each in zip("abc", (None, *found), strict=False)]  # fmt: skip
        return measured.in_short(lines, default)

    assert told(("worse", -0.2), ("chance", 0.1)) == "Keep the profile named “a”: no other is better beyond chance."
    assert told(("chance", 0.1), default="hook") == "Take the profile named “a”: no other is better beyond chance."
    best = "The profile named “{}” finds most, and is better than “a” beyond chance."
    assert told(("better", 0.1), ("better", 0.2)) == best.format("c")
    assert told(("better", 0.1), ("worse", -0.2)) == best.format("b")
    warned = told(("worse", -0.2), ("chance", 0.1), default="b")
    assert warned.startswith("Take the profile named “a”")
    assert warned.endswith("In use now is “b”, which is worse than “a” beyond chance.")
    assert told(("too few", 0.1), ("worse", -0.2)) == told() == ""


@pytest.mark.parametrize(("of", "said"), [(0, ""), (9, "Too few questions"), (25, "a share by 4 points"), (50, "")])
def test_few_questions_are_warned_of(of: int, said: str) -> None:
    assert measured.few_questions(of) == said or (said and said in measured.few_questions(of))


@pytest.fixture
def large(sample_path: Path) -> Iterator[Path]:
    """The sample with a set that takes longer than a page may."""
    small_set(sample_path, measured.MOST_AT_ONCE + 1)
    yield sample_path


@pytest.mark.slow
async def test_a_large_set_is_measured_once_the_page_stands(large: Path) -> None:
    address = "/-/memory/compare?set=small&profile=keyword_only&profile=memem"
    async with served_as(large, open_to_all(large)) as server:
        soup: Any = BeautifulSoup((await server.client.get(address, cookies={})).text, "html.parser")
        line = soup.select_one("#totals .measuring[role=status]")
        assert f"{measured.MOST_AT_ONCE + 1} questions" in line.get_text() and "2 profiles" in line.get_text()
        assert soup.select_one("script[src='/assets/compare.js']") and not soup.select("table.totals")
        link = line.select_one("a")["href"]
        told: Any = BeautifulSoup((await server.client.get(link, cookies={})).text, "html.parser")
        assert len(told.select("#totals table.totals tbody tr")) == 2, "the link leads there without JavaScript"
        program = (await server.client.get(address.replace("?", ".json?"))).json()["totals"]
        assert [row["profile"] for row in program["profiles"]] == ["keyword_only", "memem"], "a program waits"
        verdict = program["profiles"][1]["verdict"]["told"]
        assert [line.get_text() for line in told.select("#totals .verdicts li")] == [verdict]
        assert program["in_short"] and program["in_short"] in told.select_one("#totals").get_text()
        assert f"Only {program['answerable']} questions" in told.select_one("#totals .sample").get_text()
        mine: Any = BeautifulSoup((await server.client.get(link, cookies=signed_in(server))).text, "html.parser")
        button = mine.select_one("#totals button[aria-describedby]")
        [meaning] = mine.select(f"#{button['aria-describedby']}")
        assert "Hooks keep their own profile hook" in meaning.get_text() and "MCP server" in meaning.get_text()


async def test_the_first_view_asks_which_profile_is_best_and_keeps_the_answer(sample_path: Path, now: datetime) -> None:
    small_set(sample_path, 4)
    with closing(connect(sample_path, write=True)) as db, db:
        db.execute("delete from query_sets where name <> 'small'")
    async with served(sample_path) as server:
        soup: Any = BeautifulSoup((await server.client.get("/-/memory/compare")).text, "html.parser")
        form = soup.select_one("#totals form[action$='/compare/measure']")
        assert form.select_one("input[name=set]")["value"] == "small" and form.select_one("button")
        assert not soup.select("table.totals"), "nothing is measured before somebody asks for it"
        with closing(connect(sample_path, write=True)) as db:
            profiles = compare.chosen(db, [])
            measuring.enqueue_totals(db, "small", profiles, now=now)
            jobs.work_once(db, now=now, kind=measuring.MEASURE)
            db.execute("insert into settings values ('default_profile', '\"memem\"', '2030-01-01')")
            db.commit()
        soup = BeautifulSoup((await server.client.get("/-/memory/compare")).text, "html.parser")
    assert len(soup.select("#totals tbody tr")) == len(profiles) and "Measured" in soup.select_one("#totals").get_text()
    assert "Measure again" not in soup.get_text(), "another default changes no figure"
    assert not soup.select("#data-sets"), "the same figures are not listed twice"


async def test_it_says_whose_questions_and_what_profiles_they_are(server: Any) -> None:
    page: Any = BeautifulSoup((await server.client.get("/-/memory/compare")).text, "html.parser")
    whose = page.select_one("#totals > p.quiet")
    assert "Questions on the sample history" in whose.get_text() and "They are not yours." in whose.get_text()
    assert [each["href"] for each in whose.select("a")] == ["/-/memory/recall", "/-/memory/recalls?who=all"]
    profiles = page.select_one("details.what").get_text()
    assert "four other memory systems" in profiles and "memem's documented formula" in profiles
    assert "agentmemory's factors (type, source, lock, confidence, recency) as a sum. Without the product" in profiles


@pytest.mark.slow
def test_what_was_measured_is_kept_until_somebody_writes(large: Path, now: datetime) -> None:
    asked = {"set": ["small"], "profile": ["keyword_only"]}
    first = compare.compare(large, asked, now=now)["totals"]
    with closing(sqlite3.connect(large)) as db:
        db.execute("update judgements set relevance = 1 - relevance")
        db.commit()
    second = compare.compare(large, asked, now=now)["totals"]
    assert first["profiles"] != second["profiles"]
    assert compare.compare(large, asked, now=now)["totals"] == second


@pytest.mark.slow
def test_a_job_measures_what_the_command_line_does_and_the_page_says_when_the_file_is_another(
    large: Path, now: datetime
) -> None:
    asked = {"set": ["small"], "profile": ["keyword_only", "memem"]}
    with closing(connect(large, write=True)) as db:
        profiles = [load_profile(db, name) for name in asked["profile"]]
        measuring.enqueue_totals(db, "small", profiles, now=now)
        waiting = compare.compare(large, asked, now=now, waits=False)["totals"]
        assert waiting["pending"] and waiting["progress"]["state"] == "due"
        assert jobs.work_once(db, now=now, kind=measuring.MEASURE)["done"] == 1
    kept = compare.compare(large, asked, now=now, waits=False)["totals"]
    assert kept["measured_at"] and not kept["pending"] and kept["progress"] is None
    result = CliRunner().invoke(
        cli,
        ["evaluate", "--own", "--set", "small", "--baseline", "keyword_only", "--profile", "memem",
         "-d", str(large), "--json"],
    )  # fmt: skip
    figures = json.loads(result.stdout)["profiles"]
    for row in kept["profiles"]:
        for metric in measured.TOTALS:
            assert row[metric] == renamed(figures[row["profile"]][metric])
    with closing(sqlite3.connect(large)) as db, db:
        db.execute("update judgements set relevance = 1 - relevance")
    later = compare.compare(large, asked, now=now, waits=False)["totals"]
    assert later["profiles"] == kept["profiles"] and not later["is_current"], "still shown, and said to be of earlier"
    assert compare.compare(large, asked, now=now)["totals"]["is_current"], "a program waits for what is true now"


@pytest.mark.slow
def test_what_the_command_line_measured_is_on_the_page(large: Path, now: datetime) -> None:
    asked = ["evaluate", "--own", "--set", "small", "--baseline", "keyword_only", "--profile", "memem"]
    assert CliRunner().invoke(cli, [*asked, "-d", str(large)]).exit_code == 0
    fields = {"set": ["small"], "profile": ["keyword_only", "memem"]}
    assert compare.compare(large, fields, now=now, waits=False)["totals"]["measured_at"]
    other = {"set": ["small"], "profile": ["memem", "keyword_only"]}
    assert compare.compare(large, other, now=now, waits=False)["totals"]["pending"], "set off against another profile"


@pytest.mark.slow
async def test_past_briefs_are_replayed_by_a_job_kept_and_listed(sample_path: Path, now: datetime) -> None:
    asked = {"replay": ["7"], "profile": ["keyword_only"]}
    with closing(connect(sample_path, write=True)) as db:
        profile, span = load_profile(db, "keyword_only"), period(db, "7", now)
        before = compare.compare(sample_path, asked, now=now, waits=False)["replay"]
        assert before["missing"] == ["keyword_only@1"] and not before["profiles"]
        measuring.enqueue_replay(db, [profile], since=span.since, until=span.until, now=now)
        assert compare.compare(sample_path, asked, now=now, waits=False)["replay"]["progress"]["state"] == "due"
        assert jobs.work_once(db, now=now, kind=measuring.MEASURE)["done"] == 1
        own = json.loads(json.dumps(replay(db, profile, since=span.since, until=span.until).as_dict()))
    kept = compare.compare(sample_path, asked, now=now, waits=False)["replay"]
    assert kept["profiles"][0]["figures"] == own["figures"] and kept["is_current"] and kept["progress"] is None
    assert [each["recall_uid"] for each in kept["profiles"][0]["changes"]] == [c["recall_uid"] for c in own["changes"]]
    with closing(sqlite3.connect(sample_path)) as db, db:
        words = [row[0] for row in db.execute("select text from memories")]
        stored = db.execute("select metrics from eval_runs where format = 'replay'").fetchone()[0]
        assert not any(word in stored for word in words), "what is kept has uids and no text"
        db.execute("update evidence set withdrawn_at = '2026-11-01' where id = 1")
    later = compare.compare(sample_path, asked, now=now, waits=False)["replay"]
    assert later["profiles"] and not later["is_current"], "still shown, and said to be of an earlier state"
    fresh = compare.compare(sample_path, asked, now=now)["replay"]
    assert fresh["is_current"], "a program waits for what is true now"


@pytest.mark.slow
async def test_past_briefs_on_the_page(sample_path: Path, now: datetime) -> None:
    with closing(connect(sample_path, write=True)) as db:
        profile, span = load_profile(db, "memlayer"), period(db, "all", now)
        today = period(db, "all", datetime.now(now.tzinfo))
        measuring.enqueue_replay(db, [profile], since=span.since, until=today.until, now=now)
        jobs.work_once(db, now=now, kind=measuring.MEASURE)
    async with served(sample_path) as server:
        text = (await server.client.get("/-/memory/compare?replay=all&profile=memlayer")).text
    soup: Any = BeautifulSoup(text, "html.parser")
    rows = soup.select("#replay table.totals tbody tr")
    assert len(rows) == 10 and "1 of 15" in rows[0].get_text()
    links = [link["href"] for link in soup.select("#replay details li a")]
    assert any("/recalls/" in link for link in links) and any("/memories/" in link for link in links)
