"""The home page: its numbers are those of the file, whatever the file holds."""

from __future__ import annotations

import sqlite3
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memory_db.errors import InputError
from memory_db.knowledge import memories
from memory_db.knowledge import retire as retiring
from memory_db.pages import ask, corrections, home, weeks
from memory_db.pages.ask import suggestions
from memory_db.pages.lists import recalls as recall_list
from memory_db.pages.web.serve import metadata_for
from memory_db.store.dates import utc_text
from memory_db.store.periods import AGENTS, Period, period
from memory_db.store.schema import open_database
from tests.pages.test_pages import PAYLOADS
from tests.support.in_process import one, soup, started, text_of

pytestmark = pytest.mark.slow

VERSIONS_BETWEEN = "select count(*) from memory_versions where recorded_from >= ? and recorded_from <= ?"


async def test_the_page_says_what_is_known_and_how_it_does(server: Any, sample_db: sqlite3.Connection) -> None:
    response = await server.client.get("/")
    assert response.status_code == 200 and len(response.content) < 150_000
    page = soup(response)
    assert [text_of(heading) for heading in page.select("h1")] == ["What does your agent know?"]
    assert page.select_one("aside.sample")
    memories_kept = one(sample_db, "select count(*) from memories where status = 'active'")
    assert f"{memories_kept} memories from" in text_of(page.select_one(".lede"))
    for heading in ("What changed", "Your most frequent corrections", "Recalls", "What is known", "Cost",
                    "At risk", "To review", "Ready questions"):  # fmt: skip
        assert any(text_of(found).startswith(heading) for found in page.select("h2")), heading
    assert page.select_one('a[href="/-/memory/health"]') and page.select_one('a[href="/-/memory/economics"]')
    assert page.select_one("figure.columns svg[role=img] title")


async def test_every_link_of_the_page_into_tables_answers(server: Any) -> None:
    page = soup(await server.client.get("/"))
    links = {link["href"] for link in page.select(".memory a") if link["href"].startswith("/sample")}
    assert len(links) > 20
    for link in sorted(links):
        assert (await server.client.get(link)).status_code == 200, link


async def test_the_page_and_its_json_are_the_same(server: Any) -> None:
    data = (await server.client.get("/-/memory.json")).json()
    page = soup(await server.client.get("/-/memory"))
    assert [text_of(link) for link in page.select(".suggestions a")] == data["suggestions"]
    assert data["doctor"]["status"] == "fine" and "Healthy" in text_of(page.select_one(".tiles"))
    notes = data["doctor"]["notes"]
    assert notes and text_of(page.select_one(".tiles a[href='/-/memory/health'] + span")) == f"{notes} notes"
    health = soup(await server.client.get("/-/memory/health"))
    assert f"Healthy, with {notes} notes, quick check" in text_of(health.select_one(".bigverdict"))
    assert len(health.select(".level-note")) == notes
    shown = [link["href"].rpartition("/")[2] for link in page.select("#changed > div:first-child .lines a")]
    assert shown == [change["uid"] for change in data["changes"]["newest"]]


def test_numbers_are_those_of_the_file(sample_path: Path, sample_db: sqlite3.Connection, now: datetime) -> None:
    data = home.home(sample_path, {}, now)
    totals = data["totals"]
    for name in ("projects", "entries", "candidates", "recalls"):
        assert totals[name] == one(sample_db, f"select count(*) from {name}"), name
    assert totals["sessions"] + totals["subagent_sessions"] == one(sample_db, "select count(*) from sessions")
    assert totals["subagent_sessions"], "the sample has some, so that the two counts differ"
    kinds = {kind["name"]: kind["memories"] for kind in data["known"]["kinds"]}
    assert kinds == dict(
        sample_db.execute("select kind, count(*) from memories where status = 'active' group by kind").fetchall()
    )
    projects = data["known"]["projects"]
    assert sum(project["memories"] for project in projects) + data["known"]["nowhere"] == totals["memories"]
    for project in projects:
        assert project["sessions"] == one(
            sample_db, "select count(*) from sessions where project_id = ? and parent_session_id is null"
            " and agent is null", project["id"],
        )  # fmt: skip
        assert project["last_at"] == one(
            sample_db, "select max(e.created_at) from entries e join sessions s on s.id = e.session_id"
            " where s.project_id = ?", project["id"],
        )  # fmt: skip
    assert data["waiting"]["waiting"] == one(
        sample_db, "select count(*) from review_queue where waits_for = 'a person'"
    )
    stale = "select count(distinct uid) from stale_memories where why <> 'contradicted'"
    assert data["risks"]["stale_memories"] == one(sample_db, stale) > 0
    assert data["risks"]["conflicts"] == one(sample_db, "select count(*) from conflicts where state = 'open'")


async def test_what_is_at_risk_is_counted_once_and_listed(server: Any, sample_path: Path, now: datetime) -> None:
    risks = home.home(sample_path, {}, now)["risks"]
    page = soup(await server.client.get("/"))
    tile = page.select_one(".tiles a[href='#risks']")
    assert int(tile.b.text) == sum(risks.values())
    assert tile.find_next_sibling("span").text == "contradicted, perhaps out of date", "nothing but what there is"
    link = page.select_one("#risks a[href='/-/memory/memories?stale=1']")
    assert link.text.startswith(f"{risks['stale_memories']} memor")
    rows = soup(await server.client.get(link["href"])).select("li.item")
    assert len(rows) == risks["stale_memories"]
    assert all("May be out of date: " in text_of(row) for row in rows)


def test_recalls_of_a_period_and_what_came_of_them(sample_db: sqlite3.Connection, now: datetime) -> None:
    span = period(sample_db, "7", now)
    data, since = weeks.recalls(sample_db, span), utc_text(span.since)
    asked = data["these"]
    assert asked["recalls"] == one(sample_db, "select count(*) from recalls where asked_at >= ?", since) > 10
    assert asked["silent"] == one(sample_db, "select count(*) from recalls where asked_at >= ? and abstained", since)
    assert asked["shown_memories"] == one(
        sample_db, "select count(*) from hits h join recalls r on r.id = h.recall_id where r.asked_at >= ?"
        " and h.rank is not null and h.memory_version_id is not null", since,
    )  # fmt: skip
    for sign in weeks.SIGNS:
        assert asked[sign] == one(
            sample_db, "select count(distinct e.recall_id || ' ' || e.memory_id) from evidence e join recalls r"
            " on r.id = e.recall_id where e.kind = ? and e.withdrawn_at is null and r.asked_at >= ?", sign, since,
        )  # fmt: skip
    assert asked["cited"] > 0
    by_week = sample_db.execute("select sum(recalls), sum(cited), sum(shown_memories) from recall_health").fetchone()
    assert (asked["recalls"], asked["cited"], asked["shown_memories"]) == tuple(by_week)
    assert len(data["days"]) == 7 and data["days"][-1]["day"] == utc_text(now)[:10]
    assert sum(day["shown"] + day["silent"] for day in data["days"]) == asked["recalls"]
    assert asked["hook_p50_ms"] <= asked["hook_p95_ms"]
    whole = weeks.recalls(sample_db, period(sample_db, "all", now))
    assert whole["before"] is None and whole["these"]["recalls"] >= asked["recalls"]


def test_what_people_ask_is_not_the_health_of_agents(sample_path: Path, sample_db: sqlite3.Connection) -> None:
    later = datetime.fromisoformat(one(sample_db, "select max(asked_at) from recalls"))
    before = weeks.recalls(sample_db, period(sample_db, "7", later))
    for _ in range(3):
        ask.explore(sample_path, {"q": ["xyzzy"]}, now=later, log=True)
    after = weeks.recalls(sample_db, period(sample_db, "7", later))
    assert after["these"] == before["these"] and after["days"] == before["days"]
    assert after["asked_by_people"] == before["asked_by_people"] + 3
    listed = recall_list.listed(sample_db, {}, later)
    assert all(row["surface"] in AGENTS for row in listed["recalls"]) and listed["counts"]["people"] == 3
    assert len(recall_list.listed(sample_db, {"who": ["people"]}, later)["recalls"]) == 3
    with pytest.raises(InputError, match="Choose agents, people, all"):
        recall_list.listed(sample_db, {"who": ["me"]}, later)


def test_days_without_anything_give_way_to_the_last_with_something(
    sample_path: Path, sample_db: sqlite3.Connection, now: datetime
) -> None:
    later = now + timedelta(days=40)
    data = home.home(sample_path, {}, later)
    assert (data["period"]["last_day"], data["period"]["is_current"]) == ("2026-11-01", False)
    assert data["recalls"]["these"] == weeks.recalls(sample_db, period(sample_db, "7", now))["these"]
    assert data["spending"]["these"]["calls"], "every figure is of the same days"
    assert home.home(sample_path, {}, now)["period"]["is_current"]


def became(db: sqlite3.Connection, span: Period) -> dict[str, Any]:
    return weeks.changes(db, weeks.said_in(db, span))


def test_what_became_of_memories_is_counted(db: sqlite3.Connection, now: datetime) -> None:
    at = [now - timedelta(days=days) for days in (20, 6, 5, 4, 3, 2, 1)]
    memories.add_memory(db, text="Old rule about ports.", kind="convention", scope="user", now=at[0])
    first = memories.add_memory(db, text="Tests run with make check.", kind="convention", scope="user", now=at[1])
    second = memories.add_memory(db, text="Deploys are on Mondays.", kind="convention", scope="user", now=at[2])
    memories.correct(db, first, "Tests run with make test.", reason="renamed", by="user", now=at[3])
    retiring.retire(db, second, by="user", reason="gone", now=at[4])
    retiring.restore(db, second, by="user", reason="back", now=at[5])
    span = period(db, "7", now)
    data = became(db, span)
    counted = {count["what"]: count["changes"] for count in data["counts"]}
    assert counted == {"added": 3, "corrected": 1, "superseded": 0, "retired": 1, "restored": 1, "reworded": 0,
                       "changed": 0}  # fmt: skip
    versions = one(db, VERSIONS_BETWEEN, utc_text(span.since), utc_text(span.until))
    assert data["total"] == sum(counted.values()) == versions
    whats = [change["what"] for change in home.newest(data["latest"], now)]
    assert whats[:2] == ["restored", "retired"] and sorted(whats[2:4]) == ["added", "corrected"]
    assert became(db, period(db, "30", now))["total"] == data["total"] + 1


def test_a_first_import_shows_when_things_were_said(db: sqlite3.Connection, now: datetime) -> None:
    for days, text in ((100, "Ports are even."), (20, "Deploys are on Mondays."), (2, "Tests run with make check.")):
        memories.add_memory(db, text=text, kind="convention", scope="user", now=now)
        said = utc_text(now - timedelta(days=days))
        db.execute("update memory_versions set valid_from = ? where id = (select max(id) from memory_versions)", [said])
    counts = {word: became(db, period(db, word, now))["total"] for word in ("7", "30", "all")}
    assert counts == {"7": 1, "30": 2, "all": 3}
    newest = home.newest(became(db, period(db, "30", now))["latest"], now)
    assert [change["ago"] for change in newest] == ["2 d ago", "20 d ago"]


def test_money_of_a_period(sample_db: sqlite3.Connection, now: datetime) -> None:
    span = period(sample_db, "7", now)
    data, since = weeks.spending(sample_db, span), utc_text(span.since)
    cost, tokens = sample_db.execute(
        "select sum(cost_nanocents), sum(input_tokens + output_tokens + cache_write_5m_tokens + cache_write_1h_tokens"
        " + cache_read_tokens) from call_costs where created_at >= ?", [since]
    ).fetchone()  # fmt: skip
    assert (data["these"]["cost_nanocents"], data["these"]["tokens"]) == (cost, tokens)
    assert cost > 0 and span.is_current
    day = one(sample_db, "select sum(cost_nanocents) from token_ledger where day = ?", utc_text(now)[:10])
    assert data["day"]["cost_nanocents"] == (day or 0)


def test_corrections_given_most_are_those_of_the_ready_question(
    sample_path: Path, sample_db: sqlite3.Connection, now: datetime
) -> None:
    given = corrections.corrections(sample_path, now)
    sql = metadata_for(sample_path)["databases"]["sample"]["queries"]["what_did_i_correct_most"]["sql"]
    ready = sample_db.execute(sql).fetchall()
    assert given["different"] == len(ready)
    assert given["most_given"][0]["times_given"] == max(row["times_given"] for row in ready) >= 2
    assert given["most_given"][0]["text"] in [row["text"] for row in ready]
    before = [row["uid"] for row in given["most_given"]]
    retiring.retire(sample_db, before[0], by="user", reason="learnt", now=now)
    after = corrections.corrections(sample_path, now)
    assert before[0] not in [row["uid"] for row in after["most_given"]], "what was kept is read anew after a change"


def test_a_correction_given_often_links_the_sessions_it_was_given_in(
    sample_path: Path, sample_db: sqlite3.Connection, now: datetime
) -> None:
    most = corrections.corrections(sample_path, now)["most_given"]
    given = sample_db.execute(
        "select distinct s.uid from sessions s join entries e on e.session_id = s.id"
        " join memory_sources m on m.entry_id = e.id where m.memory_id in"
        " (select memory_id from corrections_given where first_uid = ?)", [most[0]["uid"]],
    ).fetchall()  # fmt: skip
    assert {each["uid"] for each in most[0]["given_in"]} == {row["uid"] for row in given}
    assert len(given) == most[0]["sessions"] >= 2
    counted = "select uid from corrections_given where first_uid = ? and uid <> first_uid"
    alike = {row["uid"] for row in sample_db.execute(counted, [most[0]["uid"]])}
    assert alike and {each["uid"] for each in most[0]["alike"]} == alike, "why it counts so often"


async def test_all_corrections_are_a_page_and_lead_to_where_they_were_given(
    server: Any, sample_db: sqlite3.Connection
) -> None:
    home_page = soup(await server.client.get("/"))
    link = home_page.find("a", string="What did I correct most?")["href"]
    page = soup(await server.client.get(link))
    lines = page.select("ol.most > li")
    counted = sample_db.execute("select count(*) from corrections_given where uid = first_uid").fetchone()[0]
    assert len(lines) == counted and "session_uids" not in text_of(page)
    data = (await server.client.get(f"{link}.json")).json()
    for line, told in zip(lines, data["most_given"], strict=True):
        for session in told["given_in"]:
            place = f"?entry={session['entry']}#entry-{session['entry']}"
            assert line.select(f'a[href$="{place}"]'), told["text"]
            given = sample_db.execute(
                "select 1 from memory_sources q join memories m on m.id = q.memory_id join entries e"
                " on e.id = q.entry_id where e.uid = ? and m.uid in (select uid from corrections_given"
                " where first_uid = ?)", [session["entry"], told["uid"]],
            ).fetchone()  # fmt: skip
            assert given, "it is an entry in which that was said"
    assert home_page.select('ol.most a[href*="#entry-"]')


async def test_sessions_of_a_correction_can_be_told_apart(server: Any, sample_path: Path, now: datetime) -> None:
    shown = soup(await server.client.get("/")).select("ol.most > li")
    told = home.home(sample_path, {}, now)["corrections"]["most_given"]
    elsewhere = 0
    for line, correction in zip(shown, told, strict=True):
        assert text_of(line).count(" · ") >= len(correction["given_in"][:5]) - 1 > 0
        for session in correction["given_in"]:
            if session["project"] != correction["project"]:
                assert f"” ({session['project']})" in text_of(line)
                elsewhere += 1
    assert elsewhere, "the sample has a correction that was given in another project"


def test_questions_that_are_offered_can_be_asked(
    sample_db: sqlite3.Connection, sample_path: Path, db: sqlite3.Connection, db_path: Path
) -> None:
    offered = suggestions(sample_db, sample_path)
    known = [row[0] for row in sample_db.execute("select query from labelled_queries")]
    assert len(offered) == 4 and set(offered) <= set(known)
    assert suggestions(db, db_path) == []
    sample_db.execute("delete from query_sets")
    assert all(question.startswith("What do we know about ") for question in suggestions(sample_db, sample_path))
    sample_db.execute("update recalls set surface = 'cli', query = 'how do migrations run', abstained = 0 where id < 3")
    assert all(question.startswith("What do we know about ") for question in suggestions(sample_db, sample_path))


async def test_an_empty_file_says_what_to_do(db: sqlite3.Connection, db_path: Path, now: datetime) -> None:
    server = await started(db_path)
    response = await server.client.get("/")
    page = soup(response)
    assert response.status_code == 200
    assert "memory-db run" in text_of(page.select_one(".empty"))
    assert "No recalls yet" in text_of(page.select_one("#recalls"))
    assert not page.select(".suggestions") and not page.select("figure.columns")
    data = home.home(db_path, {}, now)
    assert data["totals"]["memories"] == 0 and data["recalls"]["these"]["cited_share"] is None


async def test_hostile_text_is_shown_as_text(tmp_path: Path, now: datetime) -> None:
    path = tmp_path / "hostile.db"
    db = open_database(path, now=now)
    at = utc_text(now)
    for number, payload in enumerate(PAYLOADS.values()):
        db.execute("insert into projects (name, canonical_path, created_at) values (?, ?, ?)",
                   [payload, f"/p{number}{payload}", at])  # fmt: skip
        db.execute(
            "insert into memories (uid, kind, scope, project_id, title, text, tokens, origin, content_hash, valid_from,"
            " changed_by, change_reason, created_at, updated_at) values (?, 'correction', 'project', ?, ?, ?, 9,"
            " 'user', ?, ?, 'user', ?, ?, ?)",
            [f"m{number}", number + 1, payload, payload, str(number), at, payload, at, at],
        )  # fmt: skip
        db.execute("insert into runs (stage, started_at, duration_ms, counts, error) values (?, ?, 1, '{}', ?)",
                   [payload, at, payload])  # fmt: skip
    db.execute("insert into jobs (kind, key, state, last_error, created_at, changed_at)"
               " values ('x', ?, 'dead', ?, ?, ?)", [PAYLOADS["script"], PAYLOADS["script"], at, at])  # fmt: skip
    server = await started(path)
    response = await server.client.get("/")
    assert response.status_code == 200
    assert "<script>alert" not in response.text and "\x1b" not in response.text and "\u202e" not in response.text
    page = soup(response)
    assert not page.select(".memory img, .memory script")
    assert not [link for link in page.select(".memory a") if "javascript:" in link["href"][:12]]
    assert page.select_one("#risks a[href='/-/memory/health#jobs']")
