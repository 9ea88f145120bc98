"""What SQL from the web may take: long values, patterns and answers end with one line, and errors tell no values."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memory_db.pages.web import bounds, compat, turns

A = "printf('%.*c', 4000000, 'a')"

FOREVER = {
    "a query without end": "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n",
    "every row with every other": "select count(*) from entries a, entries b, entries c, entries d",
}

TOO_BIG = {
    "a text of a gigabyte": "select printf('%.*c', 900000000, 'a')",
    "a width of a gigabyte": "select format('%900000000s', 'a')",
    "a width in a text": "select printf('%*d', '900000000', 1), printf('%.*c', 9e8, 'a')",
    "one long blob": "select hex(zeroblob(400000000))",
    "many joined": "with recursive n(i) as (select 1 union all select i + 1 from n limit 100000)"
    " select group_concat(printf('%.*c', 100000, 'a')) from n",
    "many replaced": f"select length(replace({A}, 'a', 'bbbbbbbb'))",
    "a long pattern": f"select {A} like '%a' || printf('%.*c', 900, '_') || 'b'",
    "many rows": f"with recursive n(i) as (select 1 union all select i + 1 from n limit 900) select {A} from n",
    "many columns": f"select {', '.join('1' for _ in range(300))}",
}

LONG = {
    "a long text in a longer one": (f"select instr({A}, printf('%.*c', 2000000, 'a') || 'b')", 0),
    "the longest pattern": (f"select {A} like '%a' || printf('%.*c', 200, '_') || 'b'", 0),
}


@pytest.mark.slow
@pytest.mark.parametrize("sql", [*FOREVER.values(), *TOO_BIG.values()], ids=[*FOREVER, *TOO_BIG])
async def test_what_is_too_much_ends_with_an_error(server: Any, sql: str, capfd: pytest.CaptureFixture[str]) -> None:
    answer = await server.client.get(compat.sql_url(server, "sample", sql).replace("?", ".json?", 1))
    assert answer.status_code == 400 and answer.json()["ok"] is False and answer.json()["error"]
    said = "".join(capfd.readouterr())
    assert "locals" not in said and "Traceback" not in said
    assert "params" not in said and sql not in said


async def test_the_log_has_no_words_of_sql_that_failed(server: Any, capfd: pytest.CaptureFixture[str]) -> None:
    path = compat.sql_url(server, "sample", "select hidden_words from entries where text = :said", said="harbour door")
    assert (await server.client.get(path.replace("?", ".json?", 1))).status_code == 400
    said = capfd.readouterr().err
    assert "SQL on sample failed: OperationalError" in said and "hidden_words" not in said and "harbour" not in said


@pytest.mark.slow
@pytest.mark.parametrize(("sql", "expected"), LONG.values(), ids=[*LONG])
async def test_what_would_take_hours_is_answered(server: Any, sql: str, expected: object) -> None:
    path = compat.sql_url(server, "sample", sql, _shape="arrays").replace("?", ".json?", 1)
    answer = await server.client.get(path)
    assert answer.status_code == 200 and answer.json()["rows"] == [[expected]]


@pytest.mark.slow
async def test_pages_answer_while_long_queries_wait_for_their_turn(server: Any) -> None:
    path = compat.sql_url(server, "sample", FOREVER["a query without end"]).replace("?", ".json?", 1)
    long = [asyncio.create_task(server.client.get(path)) for _ in range(6)]
    await asyncio.sleep(0.5)
    assert (await server.client.get("/sample/projects")).status_code == 200
    assert sum(not each.done() for each in long) >= 4
    assert [each.status_code for each in await asyncio.gather(*long)] == [400] * 6


async def test_who_waits_too_long_for_a_turn_is_told() -> None:
    going_on, sent = asyncio.Event(), list[dict[str, Any]]()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await going_on.wait()
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    async def receive() -> dict[str, Any]:
        return {"type": "http.request"}

    by_turns = turns.typed_sql_by_turns(app, asyncio.Semaphore(1), patience_s=0.05)
    typed = {"type": "http", "query_string": b"sql=select+1"}
    first = asyncio.create_task(by_turns(typed, receive, send))
    await asyncio.sleep(0)
    await by_turns(typed, receive, send)
    assert sent[0]["status"] == 503 and b"Try again" in sent[1]["body"]
    going_on.set()
    await first
    await by_turns({"type": "http", "query_string": b"_search=sql="}, receive, send)
    await by_turns(typed, receive, send)
    assert [each["status"] for each in sent[2:]] == [200, 200, 200]


@pytest.fixture(scope="module")
def both() -> Iterator[tuple[sqlite3.Connection, sqlite3.Connection]]:
    with closing(sqlite3.connect(":memory:")) as plain, closing(sqlite3.connect(":memory:")) as bounded:
        bounds.bound(bounded)
        yield plain, bounded


letters = st.text("ab\u00e9\u5b57 ", max_size=8)
values = st.one_of(
    st.none(),
    letters,
    letters.map(str.encode),
    st.integers(-99, 99),
    st.floats(allow_nan=False),
    st.sampled_from([1e15]),
)


@given(text=values, part=values, new=values)
@example(text=-0.0, part="a", new=1e15)
@pytest.mark.slow
def test_texts_are_searched_and_replaced_as_sqlite_does_it(
    both: tuple[sqlite3.Connection, sqlite3.Connection], text: Any, part: Any, new: Any
) -> None:
    answers = [
        db.execute("select instr(:text, :part), replace(:text, :part, :new)", named(text, part, new)).fetchone()
        for db in both
    ]
    assert answers[0] == answers[1]


def test_texts_are_formatted_as_sqlite_does_it(both: tuple[sqlite3.Connection, sqlite3.Connection]) -> None:
    sql = "select printf('%5d|%-6s|%.2f', 7, 'a', 2.5), format('%.*c', 3, 'b'), printf('%q %%', :text), printf(null)"
    plain, bounded = (db.execute(sql, {"text": "it's"}).fetchone() for db in both)
    assert plain == bounded and bounded[1] == "bbb"


def named(text: Any, part: Any, new: Any) -> dict[str, Any]:
    return {"text": text, "part": part, "new": new}


def test_an_answer_is_counted_by_itself(both: tuple[sqlite3.Connection, sqlite3.Connection]) -> None:
    _, db = both
    size = bounds.MOST_VALUE_BYTES
    rows = "with recursive n(i) as (select 1 union all select i + 1 from n limit ?) select zeroblob(?) from n"
    fit = bounds.MOST_ANSWER_BYTES // size
    for _ in range(2):
        assert len(db.execute(rows, [fit, size]).fetchall()) == fit
    with pytest.raises(sqlite3.OperationalError, match="more than 64 MB"):
        db.execute(rows, [fit + 1, size]).fetchall()


def test_errors_are_printed_without_the_values_of_variables() -> None:
    assert compat.pm.get_plugin("datasette.handle_exception").rich is None
