"""What is read as a time in a question, and what is not."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
import tzlocal
from hypothesis import given
from hypothesis import strategies as st

from memory_db.index.semantic import open_semantic
from memory_db.knowledge.memories import add_memory
from memory_db.recall.brief.deepened import deepened
from memory_db.recall.brief.select import ask
from memory_db.recall.evidence_of_hit import LEAST
from memory_db.recall.explain import asked_again as why_again
from memory_db.recall.explain import why
from memory_db.recall.question_dates import read_as, read_window, with_window
from memory_db.recall.search import Filters, Question, recall
from memory_db.store import settings
from memory_db.store.connection import connect
from memory_db.store.dates import Window, parse_utc
from memory_db.store.settings import user_zone

VIENNA = ZoneInfo("Europe/Vienna")
SUNDAY = datetime(2026, 11, 22, 14, 0, tzinfo=UTC)
"""A Sunday afternoon in Vienna, an hour ahead of UTC."""


def read(text: str, moment: datetime = SUNDAY, zone: ZoneInfo = VIENNA) -> str | None:
    window = read_window(text, moment, zone)
    return read_as(window).removesuffix(f", {zone.key}") if window else None


OLDEST, NEWEST = (datetime(year, 1, 1, tzinfo=UTC).replace(tzinfo=None) for year in (1990, 2040))

TIMES = [
    ("what did we decide last week?", "9 to 15 November 2026"),
    ("what broke this week", "16 to 22 November 2026"),
    ("what broke yesterday", "21 November 2026"),
    ("two days ago the deploy failed", "20 November 2026"),
    ("the day before yesterday", "20 November 2026"),
    ("what did we change in March", "1 to 31 March 2026"),
    ("in march we changed the parser", "1 to 31 March 2026"),
    ("what was said in December", "1 to 31 December 2025"),
    ("what was said in November", "1 to 30 November 2026"),
    ("what was said last November", "1 to 30 November 2025"),
    ("the september release", "1 to 30 September 2026"),
    ("is it May or in May that we left", "1 to 31 May 2026"),
    ("the failure last Tuesday", "17 November 2026"),
    ("what did I say on Friday", "20 November 2026"),
    ("what did I say on Sunday", "15 November 2026"),
    ("what happened on 7 May 2023?", "7 May 2023"),
    ("May 7th, 2023: what was it", "7 May 2023"),
    ("notes of the 3rd of June", "3 June 2026"),
    ("on may 7 we released", "7 May 2026"),
    ("on 23 November we released", "23 November 2025"),
    ("on 29 February we met", "29 February 2024"),
    ("Where was it taken on December 1,2023?", "1 December 2023"),
    ("the May 2023 outage", "1 to 31 May 2023"),
    ("march of 2024", "1 to 31 March 2024"),
    ("errors in the last 3 days", "19 to 22 November 2026"),
    ("errors over the last week", "15 to 22 November 2026"),
    ("errors in the past month", "22 October to 22 November 2026"),
    ("the last 24 hours", "21 November 2026 15:00 to 22 November 2026 15:00"),
    ("20 minutes ago", "22 November 2026 14:30 to 14:50"),
    ("a couple of weeks ago", "2 to 8 November 2026"),
    ("a few days ago", "17 to 20 November 2026"),
    ("three months ago", "1 to 31 August 2026"),
    ("a year ago", "1 January to 31 December 2025"),
    ("last month", "1 to 31 October 2026"),
    ("last quarter", "1 July to 30 September 2026"),
    ("last year", "1 January to 31 December 2025"),
    ("last weekend", "14 to 15 November 2026"),
    ("this morning", "22 November 2026 05:00 to 12:00"),
    ("yesterday evening", "21 November 2026 17:00 to 22 November 2026"),
    ("last night", "21 November 2026 18:00 to 22 November 2026 06:00"),
    ("what did we do today", "22 November 2026"),
    ("since Monday", "since 16 November 2026"),
    ("since yesterday", "since 21 November 2026"),
    ("after 7 May 2026", "since 8 May 2026"),
    ("from March on", "since 1 March 2026"),
    ("since 2021", "since 1 January 2021"),
    ("what did we use before June", "before 1 June 2026"),
    ("until last week", "before 16 November 2026"),
    ("between March and May", "1 March to 31 May 2026"),
    ("between November and February we froze", "1 November 2025 to 28 February 2026"),
    ("between August 11 and August 15 2023", "11 to 15 August 2023"),
    ("from 3 to 7 May", "3 to 7 May 2026"),
    ("from Monday to Wednesday what was done", "16 to 18 November 2026"),
    ("what shipped in Q2", "1 April to 30 June 2026"),
    ("Q4 2025 goals", "1 October to 31 December 2025"),
    ("what happened in 2022?", "1 January to 31 December 2022"),
    ("what happened in 2026-03", "1 to 31 March 2026"),
    ("the incident of 2026-03-01", "1 March 2026"),
    ("24/12/2025", "24 December 2025"),
    ("07.05.2023", "7 May 2023"),
    ("at the end of May", "21 to 31 May 2026"),
    ("mid-August 2023", "11 to 20 August 2023"),
    ("early 2024", "1 January to 30 April 2024"),
    ("the second week of November", "8 to 14 November 2026"),
    ("watered twice on the last weekend of october", "31 October to 1 November 2026"),
    ("the week of 6 May", "4 to 10 May 2026"),
    ("in the week before 16 November 2023", "9 to 15 November 2023"),
    ("what was it last week, as said on November 6, 2023?", "6 November 2023"),
]

NO_TIMES = """
    which python, 3.11 or 3.12
    upgrade to version 2024.1
    port 8080 is taken
    port 2023 is taken
    HTTP 404 on the login page
    may I change the schema
    it may fail twice
    this may 3 times fail
    May 3 workers run at once?
    the may build
    before may be called
    march through the list
    March on through the tree
    ask June about the review
    since June joined the team
    april said the tests are slow
    august is the name of the server
    dec 12 to hex
    mar the surface
    a second attempt
    wait a second
    what do we do now
    what do we use today
    the sun never sets
    Sun Microsystems
    the SAT solver
    I sat down
    we use pnpm
    mon ami
    never deploy on Friday
    no releases on a Friday, right?
    every Monday the job runs
    Black Friday traffic
    the monday.com integration
    next week's plan
    in 3 days the certificate expires
    tomorrow we ship
    on 7 May 2031
    in 2048 bytes
    in 2000 requests
    fails in 2019 tests
    loss of Q4 quantization
    the Q4_K_M file
    q1 = queue()
    2026-03-01T09:30:00Z ERROR connection refused
    [2026-03-01 09:30:12] ERROR connection refused
    see report-2026-03-01.md
    open logs/2026-03-01/app.log
    https://example.org/2026/03/01/post
    migration 20260301
    commit 2026abc
    gpt-4-2024-05-13
    `since 2021` in the code
    keep logs for the last 30 days
    retention of the last 7 days
    the last time it broke
    a last minute change
    the last second
    the last column of the week view
    retry 3 times in 5 seconds
    step 3 of 7
    32 May 2024
    31 February 2024
    7/5/2023
    1.2.2023
    192.168.1.2
    timeout of 2 hours
    the weekly report
    day 3 of the sprint
    12:30:45
    between 3 and 5 retries
    what came before
    since when is it broken
    after the build
""".strip().splitlines()


@pytest.mark.parametrize(("text", "expected"), TIMES)
def test_a_time_is_read(text: str, expected: str) -> None:
    assert read(text) == expected


@pytest.mark.parametrize("text", NO_TIMES)
def test_what_looks_like_a_time_is_not_read(text: str) -> None:
    assert read(text.strip()) is None


@pytest.mark.parametrize(
    ("zone", "moment", "text", "start", "end"),
    [
        # The clocks went forward on 29 March 2026 and back on 25 October: days of 23 and 25 hours.
        ("Europe/Vienna", "2026-03-30T10:00Z", "yesterday", "2026-03-28T23:00", "2026-03-29T22:00"),
        ("Europe/Vienna", "2026-10-26T10:00Z", "yesterday", "2026-10-24T22:00", "2026-10-25T23:00"),
        ("Europe/Vienna", "2026-10-25T01:30Z", "2 hours ago", "2026-10-24T22:30", "2026-10-25T00:30"),
        ("Europe/Vienna", "2026-04-02T10:00Z", "in March", "2026-02-28T23:00", "2026-03-31T22:00"),
        ("America/New_York", "2026-11-02T12:00Z", "yesterday", "2026-11-01T04:00", "2026-11-02T05:00"),
        # In Cairo the clocks go forward at midnight: the day begins at one.
        ("Africa/Cairo", "2026-04-25T10:00Z", "yesterday", "2026-04-23T22:00", "2026-04-24T21:00"),
        # It is Monday already in Auckland, and still Sunday in Honolulu.
        ("Pacific/Auckland", "2026-11-22T14:00Z", "last week", "2026-11-15T11:00", "2026-11-22T11:00"),
        ("Pacific/Honolulu", "2026-11-22T14:00Z", "last week", "2026-11-09T10:00", "2026-11-16T10:00"),
        ("Asia/Kolkata", "2026-11-22T14:00Z", "today it broke", "2026-11-21T18:30", "2026-11-22T18:30"),
        ("UTC", "2026-01-01T00:00Z", "last month", "2025-12-01T00:00", "2026-01-01T00:00"),
        ("UTC", "2024-03-31T12:00Z", "a month ago", "2024-02-01T00:00", "2024-03-01T00:00"),
    ],
)
def test_a_day_is_one_of_the_zone(zone: str, moment: str, text: str, start: str, end: str) -> None:
    window = read_window(text, datetime.fromisoformat(moment), ZoneInfo(zone))
    assert window == Window(f"{start}:00.000Z", f"{end}:00.000Z", window.words if window else "", zone)


@pytest.mark.parametrize("text", ["the second weekend of last week", "the third week of last week"])
def test_only_a_month_has_a_second_week_or_weekend(text: str) -> None:
    window = read_window(text, SUNDAY, VIENNA)
    assert window and window.words == "last week"


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("between May 2025 and March 2024", "2024-02-29T23:00", "2025-05-31T22:00"),
        ("it broke from Friday to Tuesday", "2026-11-12T23:00", "2026-11-17T23:00"),
    ],
)
def test_a_range_begins_at_its_earlier_end(text: str, start: str, end: str) -> None:
    window = read_window(text, SUNDAY, VIENNA)
    assert window and (window.start, window.end) == (f"{start}:00.000Z", f"{end}:00.000Z")


@given(st.text(max_size=300))
def test_any_text_is_read_without_trouble(text: str) -> None:
    window = read_window(text, SUNDAY, VIENNA)
    assert window is None or window.words in text


WORDS = (
    "the since last march may 3 11 2023 7 before week in on friday ago days q2 and between of to 2024-02-31 early"
).split()


@given(st.lists(st.sampled_from(WORDS), max_size=9), st.datetimes(OLDEST, NEWEST))
@pytest.mark.slow
def test_a_window_begins_before_it_ends_and_not_after_now(words: list[str], naive: datetime) -> None:
    moment = naive.replace(tzinfo=UTC)
    window = read_window(" ".join(words), moment, VIENNA)
    if window and window.start:
        assert parse_utc(window.start) <= moment
        assert window.end is None or window.start < window.end
    assert read_window(" ".join(words), moment, VIENNA) == window


@given(st.dates(OLDEST.date(), SUNDAY.date() - timedelta(days=1)), st.sampled_from(["UTC", "Asia/Tokyo"]))
@pytest.mark.slow
def test_every_date_that_is_written_out_is_that_day(day: datetime, zone: str) -> None:
    written = f"what was said on {day.day} {day:%B %Y}?"
    assert read(written, SUNDAY, ZoneInfo(zone)) == f"{day.day} {day:%B %Y}"
    assert read(f"what was said on {day.isoformat()}?", SUNDAY, ZoneInfo(zone)) == f"{day.day} {day:%B %Y}"


# ------------------------------------------------------------------------- asking


def remember(db: sqlite3.Connection, text: str, at: datetime, kind: str = "decision") -> str:
    return add_memory(
        db, text=text, title=None, kind=kind, scope="user", project_id=None, tags=(), paths=(), importance=3,
        origin="import", changed_by="test", reason="test", now=at, created_at=at.isoformat(),
    )  # fmt: skip


def test_what_lies_in_the_window_has_the_signal_and_the_log_can_be_asked_again(
    db: sqlite3.Connection, now: datetime
) -> None:
    inside = remember(db, "The cache of the parser was cleared.", now - timedelta(days=8))
    outside = remember(db, "The cache of the parser was doubled.", now - timedelta(days=40))
    question = with_window(db, Question("what did we do to the parser cache last week?"), now, ZoneInfo("UTC"))
    answer = ask(db, question, surface="test", now=now)
    signals = {hit.uid: hit.signals["time_window"] for hit in answer.hits}
    days = {hit.uid: hit.features.days_outside_window for hit in answer.hits}
    assert signals[inside] == 1.0 and days[inside] == 0.0
    # Last week was 19 to 25 October: the other is from 22 September, 26.5 days before, in a window of 7.
    assert days[outside] == pytest.approx(26.5) and signals[outside] == pytest.approx(0.5 ** (26.5 / 7))
    context, features = db.execute("select context, features from recalls").fetchone()
    assert json.loads(context)["window"]["start"] == "2026-10-19T00:00:00.000Z"
    assert json.loads(features)["window_days"] == 7.0
    assert why_again.asked_again(why.find_recall(db, answer.recall_uid or "")).window == question.window
    assert why.explain_recall(db, answer.recall_uid or "")["read_as"] == "19 to 25 October 2026, UTC"


def test_no_window_no_signal(db: sqlite3.Connection, now: datetime) -> None:
    remember(db, "The cache of the parser was cleared.", now)
    answer = ask(db, with_window(db, Question("the parser cache"), now, VIENNA), surface="test", now=now)
    assert answer.question.window is None
    assert [hit.signals["time_window"] for hit in answer.hits] == [0.0]
    assert "days_outside_window" not in answer.hits[0].features.as_dict()
    assert "window" not in json.loads(db.execute("select context from recalls").fetchone()[0])


def test_it_is_read_as_of_the_moment_that_is_asked_for(db: sqlite3.Connection, now: datetime) -> None:
    question = with_window(
        db, Question("what broke yesterday", filters=Filters(as_of="2026-03-10")), now, ZoneInfo("UTC")
    )
    assert question.window and question.window.start == "2026-03-09T00:00:00.000Z"
    again = with_window(db, question, now + timedelta(days=9), VIENNA)
    assert again is question


def test_time_is_measured_by_an_event_that_the_file_knows(db: sqlite3.Connection, now: datetime) -> None:
    moved = now - timedelta(days=100)
    uid = remember(db, "We moved from npm to pnpm, for its store.", moved)
    remember(db, "pnpm install runs with the frozen lockfile in CI.", now - timedelta(days=50), "convention")
    before = with_window(db, Question("what did we use before we moved to pnpm?"), now, VIENNA).window
    assert before and (before.start, before.event) == (None, uid)
    assert before.end and parse_utc(before.end) == moved
    assert before.words == "before we moved to pnpm"
    since = with_window(db, Question("what broke since the switch to pnpm"), now, VIENNA).window
    assert since and since.end is None and since.start == before.end and since.event == uid
    asked = Question("before we moved to pnpm, where did the lock file and the store live and who kept them?")
    assert with_window(db, asked, now, VIENNA).window == before
    answer = ask(db, with_window(db, Question("lockfile before we moved to pnpm"), now, VIENNA), surface="t", now=now)
    assert uid in why.explain_recall(db, answer.recall_uid or "")["read_as"]


@pytest.mark.parametrize(
    "text",
    [
        "what did we use before we moved to yarn?",
        "what happens when we add pnpm",
        "before adding pnpm to a project what must I do",
        "after the pnpm build",
        "since we moved",
        "may I wipe the tables when their shape of pnpm changed?",
        "tell me about pnpm",
    ],
)
def test_an_event_that_is_not_found_gives_no_window(db: sqlite3.Connection, now: datetime, text: str) -> None:
    remember(db, "We moved from npm to pnpm, for its store.", now - timedelta(days=100))
    assert with_window(db, Question(text), now, VIENNA).window is None


def test_what_came_after_the_moment_is_no_event(db: sqlite3.Connection, now: datetime) -> None:
    remember(db, "We moved from npm to pnpm, for its store.", now)
    question = Question("what did we use before we moved to pnpm?")
    assert with_window(db, question, now - timedelta(days=1), VIENNA).window is None


def test_a_window_given_by_hand_is_checked(db: sqlite3.Connection, now: datetime) -> None:
    remember(db, "The cache of the parser was cleared.", now)
    with pytest.raises(Exception, match="is not a date"):
        recall(db, Question("parser", window=Window("') or 1=1 --", None)), now=now)


def test_the_zone_is_the_setting_s_or_the_machine_s(
    db: sqlite3.Connection, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tzlocal, "get_localzone_name", lambda: "Asia/Tokyo")
    assert user_zone(db).key == "Asia/Tokyo"
    settings.put(db, "timezone", "Europe/Vienna", now=now)
    assert user_zone(db).key == "Europe/Vienna"
    settings.put(db, "timezone", "local", now=now)
    monkeypatch.setattr(tzlocal, "get_localzone_name", lambda: None)
    assert user_zone(db).key == "UTC"


def test_a_hook_loads_no_library_of_dates(tmp_path: Path) -> None:
    import subprocess
    import sys

    program = "import sys, memory_db.hooks; print([n for n in ('dateparser', 'dateutil', 'tzlocal', 'zoneinfo',"
    program += " 'memory_db.recall.question_dates') if n in sys.modules])"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert ended.stdout == "[]\n"


@pytest.mark.parametrize(
    ("prompt", "is_asked"),
    [
        ("what did we decide on Monday about the gauge?", True),
        ("the planner shows the wrong week when it is opened on Monday, says the night shift. please repair it", False),
        ("move the backup to Sunday", False),
    ],
)
def test_a_prompt_is_answered_for_a_time_that_it_asks_about(sample_file: Path, prompt: str, is_asked: bool) -> None:
    now = datetime(2026, 10, 14, 9, tzinfo=UTC)
    with closing(connect(sample_file)) as db:
        question = deepened(db, Question(prompt, least_evidence=LEAST), open_semantic(db), now)
    assert (question.window is not None) == is_asked
