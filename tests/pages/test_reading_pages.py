"""The pages of a session and of a memory, on the sample history."""

from __future__ import annotations

import json
import sqlite3
from typing import Any

import pytest

from memory_db.pages import recalls, session
from memory_db.pages.draw import line as lines
from memory_db.pages.memory import page as memory
from tests.pages.test_pages import PAYLOADS
from tests.support.in_process import guest, one, signed_in, soup, text_of

pytestmark = pytest.mark.slow

PORT = "m4cef8e1f"


async def get(server: Any, path: str, *, root: bool = False) -> Any:
    cookies = signed_in(server) if root else guest(server)
    return await server.client.get(path, cookies=cookies)


async def act(server: Any, uid: str, action: str, *, root: bool = True, **fields: str) -> Any:
    """What a program sends, in the name of root or of somebody who may only read."""
    cookies = signed_in(server) if root else guest(server)
    return await server.client.post(
        f"/-/memory/memories/{uid}/{action}.json", cookies=cookies, content=json.dumps(fields),
        headers={"content-type": "application/json", "authorization": "Bearer of-a-plugin"},
    )  # fmt: skip


# ------------------------------------------------------------------- sessions


async def test_every_session_of_the_sample_can_be_read(server: Any, sample_db: sqlite3.Connection) -> None:
    uids = [row[0] for row in sample_db.execute("select uid from sessions")]
    assert len(uids) > 20
    for uid in uids:
        response = await get(server, f"/-/memory/sessions/{uid}")
        assert response.status_code == 200 and len(response.content) < 150_000
        data = (await get(server, f"/-/memory/sessions/{uid}.json")).json()
        assert len(soup(response).select(".said")) == len(data["entries"])


async def test_a_session_has_its_memories_in_the_margin(server: Any, sample_db: sqlite3.Connection) -> None:
    entry, session = sample_db.execute(
        "select e.uid, s.uid from memory_sources q join entries e on e.id = q.entry_id join sessions s"
        " on s.id = e.session_id join memories m on m.id = q.memory_id where m.uid = ?", [PORT]
    ).fetchone()  # fmt: skip
    response = await get(server, f"/-/memory/sessions/{session}?entry={entry}")
    said = soup(response).select_one(f'[id="entry-{entry}"]')
    assert said and "Postgres for tidepool is on port 5433" in text_of(said.select_one(".what"))
    assert said.select_one(f'.margin a[href="/-/memory/memories/{PORT}"]')


async def test_what_nobody_typed_is_marked_in_a_session(server: Any, sample_db: sqlite3.Connection) -> None:
    rows = sample_db.execute(
        "select s.uid as session, e.uid, e.text, p.start, p.stop, p.provenance from spans p join entries e"
        " on e.id = p.entry_id join sessions s on s.id = e.session_id where p.provenance != 'typed'"
        " and length(e.text) < 800"
    ).fetchall()
    assert {"pasted", "client"} <= {row["provenance"] for row in rows}
    for row in rows:
        response = await get(server, f"/-/memory/sessions/{row['session']}?entry={row['uid']}")
        said = soup(response).select_one(f'[id="entry-{row["uid"]}"]')
        assert said is not None
        marked = [text_of(part) for part in said.select(f".words .from.{row['provenance']}")]
        words = " ".join(row["text"][row["start"] : row["stop"]].split())
        assert f"{row['provenance']}{words}" in [" ".join(each.split()) for each in marked]
        data = (await get(server, f"/-/memory/sessions/{row['session']}.json?entry={row['uid']}")).json()
        parts = next(entry["parts"] for entry in data["entries"] if entry["uid"] == row["uid"])
        assert "".join(part["text"] for part in parts) == row["text"]


async def test_pages_of_a_session_hold_each_entry_once(server: Any, sample_db: sqlite3.Connection) -> None:
    session_id, uid = sample_db.execute(
        "select session_id, uid from session_summaries order by entries desc limit 1"
    ).fetchone()
    uids: list[str] = []
    pages = 2
    number = 1
    while number <= pages:
        data = (await get(server, f"/-/memory/sessions/{uid}.json?page={number}")).json()
        pages = data["pages"]
        uids += [entry["uid"] for entry in data["entries"]]
        number += 1
    assert pages > 1 and len(uids) == len(set(uids)) == one(sample_db, session.COUNT, session_id)
    last = (await get(server, f"/-/memory/sessions/{uid}.json?entry={uids[-1]}")).json()
    assert last["page"] == pages and last["entries"][-1]["uid"] == uids[-1]
    shown = soup(await get(server, f"/-/memory/sessions/{uid}"))
    assert shown.select_one('a[rel=next][href$="?page=2"]') and not shown.select_one('a[rel=prev][href*="?page="]')


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("nobody", 404, "No session"),
        ("{uid}?page=0", 400, "pages 1 to"),
        ("{uid}?page=99", 400, "pages 1 to"),
        ("{uid}?page=x", 400, "pages 1 to"),
        ("{uid}?entry=none", 404, "has no entry"),
    ],
)
async def test_what_a_session_has_not_is_said_in_one_line(
    server: Any, sample_db: sqlite3.Connection, path: str, status: int, words: str
) -> None:
    uid = one(sample_db, "select uid from sessions where uid not like '%/%' limit 1")
    response = await get(server, f"/-/memory/sessions/{path.format(uid=uid)}")
    assert response.status_code == status and words in response.text


async def test_tokens_of_a_session_add_up_over_its_turns(server: Any, sample_db: sqlite3.Connection) -> None:
    session_id, uid = sample_db.execute(
        "select u.session_id, u.uid from session_summaries u join sessions s on s.id = u.session_id"
        " where s.continued_from_id is null order by u.tokens desc limit 1"
    ).fetchone()
    data = (await get(server, f"/-/memory/sessions/{uid}.json")).json()
    shown = sample_db.execute(
        "select count(*), sum(output_tokens), sum(input_tokens + cache_read_tokens + cache_write_5m_tokens +"
        " cache_write_1h_tokens), sum(cost_nanocents) from call_costs where session_id = ?", [session_id]
    ).fetchone()  # fmt: skip
    usage = data["usage"]
    assert tuple(shown) == (usage["calls"], usage["output_tokens"], usage["input_tokens"], usage["cost_nanocents"])
    turns = session.turns(sample_db, session_id)
    assert len(turns) == data["turns"] > 1
    for name in ("calls", "output_tokens", "cache_read_tokens", "fresh_tokens"):
        assert sum(turn[name] for turn in turns) == usage[name], "each call stands in one turn"
    pages = [(await get(server, f"/-/memory/sessions/{uid}.json?page={n + 1}")).json() for n in range(data["pages"])]
    entries = [entry for page in pages for entry in page["entries"]]
    assert sum(call["output_tokens"] for entry in entries for call in entry["calls"]) == usage["output_tokens"]
    assert [entry["turn"]["turn"] for entry in entries if entry["turn"]] == [turn["turn"] for turn in turns]
    found = soup(await get(server, f"/-/memory/sessions/{uid}"))
    assert found.select(".margin .turn") and "Tokens in" in text_of(found.select_one("dl.facts"))
    assert len(found.select("details.turns tbody tr")) == min(len(turns), session.DEAREST)


async def test_a_session_without_usage_says_so_and_leads_to_its_recalls(
    server: Any, sample_db: sqlite3.Connection
) -> None:
    uid = one(sample_db, "select uid from sessions where uid not like '%/%' limit 1")
    sample_db.execute("delete from api_calls where session_id = (select id from sessions where uid = ?)", [uid])
    assert "no usage in this transcript" in (await get(server, f"/-/memory/sessions/{uid}")).text
    asked = one(sample_db, "select session_uid from recalls where surface = 'hook' limit 1")
    link = soup(await get(server, f"/-/memory/sessions/{asked}")).select_one(
        f'a[href="/-/memory/recalls?session={asked}"]'
    )
    listed = soup(await get(server, link["href"])).select("table.recalls tbody tr")
    assert len(listed) == one(sample_db, "select count(*) from recalls where session_uid = ?", asked)


async def test_a_session_shows_what_was_said_as_text(server: Any, sample_db: sqlite3.Connection) -> None:
    session = sample_db.execute("select id, uid from sessions where uid not like '%/%' limit 1").fetchone()
    for name, payload in PAYLOADS.items():
        sample_db.execute(
            "insert into entries (uid, session_id, role, kind, text, created_at) values (?, ?, 'user', 'prompt', ?,"
            " '2000-01-01T00:00:00.000Z')", [f"x-{name}", session["id"], payload]
        )  # fmt: skip
        sample_db.execute("insert into session_entries values (?, last_insert_rowid(), -1)", [session["id"]])
    response = await get(server, f"/-/memory/sessions/{session['uid']}")
    assert "<script>alert" not in response.text and "\x1b" not in response.text and "\u202e" not in response.text
    found = soup(response)
    assert not [link for link in found.select(".talk a") if "javascript" in link.get("href", "")]
    assert not found.select(".talk img, .talk script")
    assert PAYLOADS["template"] in found.select_one('[id="entry-x-template"]').get_text()


# ------------------------------------------------------------------- memories


async def test_every_memory_has_its_page(server: Any, sample_db: sqlite3.Connection) -> None:
    for (uid,) in sample_db.execute("select uid from memories").fetchall():
        response = await get(server, f"/-/memory/memories/{uid}")
        assert response.status_code == 200 and len(response.content) < 150_000, uid


async def test_a_memory_shows_its_quote_in_its_place(server: Any) -> None:
    found = soup(await get(server, f"/-/memory/memories/{PORT}"))
    quote = found.select_one(".quote")
    assert text_of(quote.select_one("mark")).startswith("move ours, Postgres for tidepool")
    assert "the apt postgres" in text_of(quote.select_one("p"))
    link = quote.select_one("footer a")["href"]
    there = soup(await get(server, link.partition("#")[0]))
    assert there.select_one(f'[id="{link.partition("#")[2]}"]')
    data = (await get(server, f"/-/memory/memories/{PORT}.json")).json()
    assert data["belief_line"]["path"].startswith("M0.0 ") and data["beliefs"][-1]["kind"] == "confirmed"
    assert len({each["uid"] for each in data["neighbours"]}) == len(data["neighbours"])


async def test_evidence_leads_to_where_it_comes_from(server: Any, sample_db: sqlite3.Connection) -> None:
    found = soup(await get(server, f"/-/memory/memories/{PORT}"))
    rows = found.select("table.evidence tbody tr")
    assert len(rows) == 1 + one(
        sample_db, "select count(*) from evidence e join memories m on m.id = e.memory_id where m.uid = ?", PORT
    )
    link = found.select_one('table.evidence a[href*="/-/memory/sessions/"]')["href"]
    assert (await get(server, link.partition("#")[0])).status_code == 200
    assert found.select_one('table.evidence a[href^="/-/memory/recalls/"]')
    assert len(found.select("figure.belief line.for")) == len(rows) - 1


async def test_what_the_history_names_is_a_link(server: Any, sample_db: sqlite3.Connection) -> None:
    found = soup(await get(server, f"/-/memory/memories/{PORT}"))
    links = {link["href"] for link in found.select("table.events a[href]")}
    memories = {link.rpartition("/")[2] for link in links if "/memories/" in link}
    assert memories and memories <= {row[0] for row in sample_db.execute("select uid from memories")}
    assert any("/entries/" in link for link in links)
    for link in links:
        assert (await get(server, link)).status_code == 200, link


def test_the_interval_of_a_memory_is_that_of_the_view(sample_db: sqlite3.Connection) -> None:
    for row in sample_db.execute("select * from belief_intervals").fetchall():
        found = sample_db.execute(memory.INTERVAL, [row["memory_id"]]).fetchone()
        assert (found["low"], found["high"]) == pytest.approx((row["low"], row["high"])) and found["tier"] == row[
            "tier"
        ]


def test_places_under_profiles_are_those_of_the_view(sample_db: sqlite3.Connection) -> None:
    sql = """select hit_id, profile, rank() over (partition by profile order by round(score, 12) desc, position) as
        place from profile_scores where recall_id = ?"""
    for (recall_id,) in sample_db.execute("select id from recalls").fetchall():
        found = recalls.ranks_by_hit(sample_db, recall_id)
        for row in sample_db.execute(sql, [recall_id]):
            assert found[row["hit_id"]][row["profile"]] == row["place"]


async def test_a_replaced_memory_leads_to_what_replaced_it(server: Any, sample_db: sqlite3.Connection) -> None:
    old, new = sample_db.execute(
        "select o.uid, n.uid from edges e join memories o on o.id = e.to_memory_id join memories n"
        " on n.id = e.from_memory_id where e.kind = 'supersedes' limit 1"
    ).fetchone()
    found = soup(await get(server, f"/-/memory/memories/{old}"))
    assert found.select_one(f'.memory-error a[href="/-/memory/memories/{new}"]')


async def test_a_memory_as_of_a_moment_is_what_was_known_then(server: Any, sample_db: sqlite3.Connection) -> None:
    uid = one(sample_db, "select uid from memories where status = 'active' and kind = 'convention' limit 1")
    sample_db.execute(
        "update memories set text = 'Other words by now', updated_at = '2026-11-10T00:00:00.000Z' where uid = ?", [uid]
    )
    then = (await get(server, f"/-/memory/memories/{uid}.json?as_of=2026-11-05")).json()
    now = (await get(server, f"/-/memory/memories/{uid}.json")).json()
    assert now["memory"]["text"] == "Other words by now" != then["memory"]["text"]
    refused = await get(server, f"/-/memory/memories/{uid}?as_of=sometime")
    assert refused.status_code == 400 and "names no moment" in refused.text
    assert not soup(await get(server, f"/-/memory/memories/{uid}?as_of=2026-11-05", root=True)).select(".actions")


async def test_only_who_may_write_is_offered_to(server: Any) -> None:
    assert not soup(await get(server, f"/-/memory/memories/{PORT}")).select(".actions")
    buttons = soup(await get(server, f"/-/memory/memories/{PORT}", root=True)).select(".actions button")
    assert {button["formaction"].rpartition("/")[2] for button in buttons} == {
        "confirm", "lock", "retire", "correct", "reword", "suppress",
    }  # fmt: skip
    refused = await act(server, PORT, "retire", root=False)
    assert refused.status_code == 403


async def test_what_is_done_on_the_page_is_what_the_command_line_does(
    server: Any, sample_db: sqlite3.Connection
) -> None:
    async def does(action: str, **fields: str) -> dict[str, Any]:
        response = await act(server, PORT, action, **fields)
        assert response.status_code == 200, response.text
        done: dict[str, Any] = response.json()
        return done

    state = "select status || ' ' || lock_level || ' ' || change_reason from memories where uid = ?"
    await does("lock", reason="we got burned")
    assert one(sample_db, state, PORT) == "active user we got burned"
    await does("unlock")
    assert one(sample_db, state, PORT) == "active none on the page, by root"
    await does("retire", reason="moved again")
    assert one(sample_db, state, PORT).startswith("retired none")
    await does("restore")
    new = (await does("correct", text="Postgres for tidepool is on port 5434."))["uid"]
    assert one(sample_db, state, PORT).startswith("superseded")
    assert one(sample_db, "select text from memories where uid = ?", new) == "Postgres for tidepool is on port 5434."
    assert (await act(server, new, "confirm")).json()["said"].startswith("Confirmed")


@pytest.mark.parametrize(
    ("uid", "action", "fields", "status", "words"),
    [
        ("nothing", "lock", {}, 404, "No memory"),
        (PORT, "explode", {}, 404, "There are: confirm"),
        (PORT, "correct", {}, 400, "new words"),
        (PORT, "restore", {}, 400, "not retired"),
        (PORT, "lock", {"reason": "x" * 501}, 400, "too long"),
    ],
)
async def test_what_cannot_be_done_is_refused_and_changes_nothing(
    server: Any, sample_db: sqlite3.Connection, uid: str, action: str, fields: dict[str, str], status: int, words: str
) -> None:
    before = [tuple(row) for row in sample_db.execute("select * from memories")]
    response = await act(server, uid, action, **fields)
    assert response.status_code == status and words in response.json()["error"]
    assert [tuple(row) for row in sample_db.execute("select * from memories")] == before


async def test_the_first_brief_of_a_session_can_be_followed(server: Any, sample_db: sqlite3.Connection) -> None:
    number = one(sample_db, "select id from recalls where surface = 'session-start' limit 1")
    for path in ("/", "/-/memory/recalls"):
        links = soup(await get(server, path)).select(f'a[href="/-/memory/recalls/{number}"]')
        assert all(text_of(link) == "the start of a session" for link in links)
    found = soup(await get(server, f"/-/memory/recalls/{number}"))
    assert text_of(found.select_one("h1")) == "the start of a session"


def test_a_line_goes_in_steps() -> None:
    from datetime import UTC, datetime

    days = [datetime(2026, 1, day, tzinfo=UTC) for day in (1, 2, 3)]
    assert lines.steps([(days[0], 0.5), (days[1], 1.0)], days[2]) == "M0.0 60.0H300.0V0.0H600.0"
    assert lines.steps([(days[0], 2.0)], days[0]) == "M0.0 0.0H0.0"
    assert lines.steps([], days[0]) == ""
