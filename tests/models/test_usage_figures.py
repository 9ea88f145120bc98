"""What agents used by session, by five-hour block and by agent, and what the cache was worth; beside ccusage.

`data/ccusage.json` has what ccusage said of the sample's transcripts: its version and command are in it.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from memory_db.models import usage
from memory_db.store.connection import connect
from memory_db.store.dates import parse_utc
from tests.conftest import NOW
from tests.support.session_rows import add_project
from tests.support.spending_rows import add_call, add_price, add_session, at

SAID: dict[str, Any] = json.loads((Path(__file__).parents[1] / "data/ccusage.json").read_text("utf-8"))

DAYS = """
select day, model, input_tokens, output_tokens, cache_write_5m_tokens + cache_write_1h_tokens, cache_read_tokens,
    cost_nanocents
from (select day, model, sum(input_tokens) as input_tokens, sum(output_tokens) as output_tokens,
    sum(cache_write_5m_tokens) as cache_write_5m_tokens, sum(cache_write_1h_tokens) as cache_write_1h_tokens,
    sum(cache_read_tokens) as cache_read_tokens, sum(cost_nanocents) as cost_nanocents
    from token_ledger group by day, model)
order by day, model
"""

RESUMED = {"5b4997ab-5dbe-503a-833f-abb8b94654f9", "bc31c51a-d661-526f-9cb0-c59fefc87f58"}
"""A session and the one that resumed it, whose file repeats its answers: ccusage counts both where it reads first."""


@pytest.fixture
def sample(sample_file: Path) -> Iterator[sqlite3.Connection]:
    with closing(connect(sample_file)) as db:
        yield db


def test_days_and_models_are_those_of_ccusage(sample: sqlite3.Connection) -> None:
    assert sorted(map(tuple, SAID["days"])) == [tuple(row) for row in sample.execute(DAYS)]


def test_sessions_are_those_of_ccusage_but_for_who_is_given_repeated_answers(sample: sqlite3.Connection) -> None:
    ours = {row["uid"]: row["cost_nanocents"] for row in usage.by_session(sample, most=1_000)}
    theirs = dict(SAID["sessions"])
    assert {uid: cost for uid, cost in ours.items() if uid not in RESUMED} == {
        uid: cost for uid, cost in theirs.items() if uid not in RESUMED
    }
    assert sum(ours[uid] for uid in RESUMED) == sum(theirs.get(uid, 0) for uid in RESUMED)


def test_blocks_are_those_of_ccusage(sample: sqlite3.Connection) -> None:
    ours = [
        [each["began_at"], each["ends_at"], each["input_tokens"], each["output_tokens"],
         each["cache_write_5m_tokens"] + each["cache_write_1h_tokens"], each["cache_read_tokens"],
         each["cost_nanocents"]]
        for each in reversed(usage.by_block(sample, now=NOW))
    ]  # fmt: skip
    assert ours == SAID["blocks"]


def test_every_way_to_add_up_gives_the_same_sum(sample: sqlite3.Connection) -> None:
    whole = sample.execute("select sum(cost_nanocents), count(*) from call_costs").fetchone()
    for rows in (usage.by_session(sample, most=1_000), usage.by_agent(sample), usage.by_block(sample, now=NOW)):
        assert (sum(row["cost_nanocents"] for row in rows), sum(row["calls"] for row in rows)) == tuple(whole)


def test_a_block_is_five_hours_from_the_hour_of_its_first_call(db: sqlite3.Connection) -> None:
    add_price(db)
    session = add_session(db, "s", add_project(db, "/home/sam/ferry"))
    for time in ("08:30:00", "12:59:59", "13:00:00", "13:00:01", "18:00:00", "23:30:00"):
        add_call(db, session, at(time), 1, 1)
    blocks = usage.by_block(db, now=parse_utc(at("23:40:00")))[::-1]
    assert [(each["began_at"][11:16], each["calls"]) for each in blocks] == [("08:00", 3), ("13:00", 2), ("23:00", 1)]
    assert [each["is_open"] for each in blocks] == [False, False, True]
    later = usage.by_block(db, now=parse_utc(at("23:30:00")) + timedelta(hours=5))
    assert not later[0]["is_open"]


def test_what_the_cache_was_worth(db: sqlite3.Connection) -> None:
    add_price(db)
    session = add_session(db, "s", add_project(db, "/home/sam/ferry"))
    add_call(db, session, at("10:00:00"), 10, 20, 0, 400, 0)
    add_call(db, session, at("10:01:00"), 10, 20, 0, 0, 400)
    (found,) = usage.cache_worth(db)
    price = db.execute("select * from prices").fetchone()
    paid = 400 * price["cache_write_1h_nanocents"] + 400 * price["cache_read_nanocents"]
    assert found["paid_nanocents"] == paid and found["saved_nanocents"] == 800 * price["input_nanocents"] - paid
    assert (found["read_share"], found["reads_per_write"]) == (400 / 820, 1.0)


def test_what_has_no_price_has_no_sum(db: sqlite3.Connection) -> None:
    session = add_session(db, "s", add_project(db, "/home/sam/ferry"))
    add_call(db, session, at("10:00:00"), 10, 20, model="house model")
    for rows in (usage.by_session(db), usage.by_agent(db), usage.by_block(db, now=NOW)):
        assert (rows[0]["cost_nanocents"], rows[0]["calls_without_price"]) == (None, 1)
    assert usage.cache_worth(db)[0]["saved_nanocents"] is None
