"""Our pages, their JSON forms, and the guard around the server, on a small file made by hand."""

from __future__ import annotations

import json
import sqlite3
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memory_db.errors import InputError
from memory_db.pages import ask
from memory_db.pages.draw import filters as texts
from memory_db.pages.web import compat, guard
from memory_db.pages.web.serve import metadata_for
from memory_db.recall.brief import select as brief
from memory_db.recall.search import Question
from memory_db.store.dates import utc_text
from tests.support.in_process import made, open_to_all
from tests.support.in_process import soup as page

PAYLOADS = {
    "script": "<script>alert(1)</script> migrations",
    "attribute": "\"><img src=x onerror=alert(2)> migrations 'quoted'",
    "markdown": "[migrations](javascript:alert(3)) **bold** ![x](http://evil.example/x.png)",
    "template": "{{ 7 * 7 }} {% raw %} migrations",
    "terminal": "migrations \x1b[31mred\x1b[0m \x07 \u202egnirts\u202c zero\u200bwidth",
    "lines": "migrations first line\nsecond line\n    indented",
}


def fill(db: sqlite3.Connection, now: datetime) -> None:
    """Two sessions in two projects, a memory of each payload and one to find."""
    at = [utc_text(now - timedelta(days=days)) for days in (40, 9, 2)]
    for name in ("shop", "site"):
        db.execute(
            "insert into projects (name, canonical_path, created_at) values (?, ?, ?)",
            [name, f"/home/dev/{name}", at[0]],
        )
        db.execute(
            "insert into sessions (uid, format, project_id, title) values (?, 'claude-code', last_insert_rowid(), ?)",
            [f"{name}-session", f"Work on {name}"],
        )
    talk = [
        ("e1", 1, "user", "prompt", "How do we run the migrations?", at[0]),
        ("e2", 1, "assistant", "reply", "With `make migrate`, never by hand.", at[0]),
        *((f"x-{key}", 2, "user", "prompt", text, at[1]) for key, text in PAYLOADS.items()),
    ]
    for position, (uid, session, role, kind, text, created_at) in enumerate(talk):
        cursor = db.execute(
            "insert into entries (uid, session_id, role, kind, text, created_at) values (?, ?, ?, ?, ?, ?)",
            [uid, session, role, kind, text, created_at],
        )
        db.execute("insert into session_entries values (?, ?, ?)", [session, cursor.lastrowid, position])
    known = [("m1", "convention", "Migrations run by make migrate", "Run migrations with `make migrate`.", at[0])]
    known += [(f"m-{key}", "quirk", f"{text}", f"{text}!", at[1]) for key, text in PAYLOADS.items()]
    for uid, kind, title, text, created_at in known:
        db.execute(
            "insert into memories (uid, kind, scope, project_id, title, text, tokens, origin, content_hash, valid_from,"
            " changed_by, change_reason, created_at, updated_at)"
            " values (?, ?, 'project', 1, ?, ?, 9, 'user', ?, ?, 'user', 'added', ?, ?)",
            [uid, kind, title, text, uid, created_at, created_at, created_at],
        )
    db.execute("insert into runs (stage, started_at, duration_ms, counts) values ('import', ?, 1234, '{}')", [at[2]])


@pytest.fixture
def filled(db: sqlite3.Connection, db_path: Path, now: datetime) -> Path:
    fill(db, now)
    brief.ask(db, Question("migrations", project_id=1), surface="cli", now=now)
    brief.ask(db, Question("zebra quantum"), surface="cli", now=now)
    return db_path


@pytest.fixture
def served_file(filled: Path) -> Path:
    return filled


async def get(server: Any, path: str, *, cookies: dict[str, str] | None = None, **options: Any) -> Any:
    return await server.client.get(path, cookies=cookies, **options)


def count(path: Path, table: str) -> int:
    connection = sqlite3.connect(path)
    try:
        return int(connection.execute(f"select count(*) from {table}").fetchone()[0])
    finally:
        connection.close()


# ------------------------------------------------------------------- the pages


@pytest.mark.slow
async def test_home_says_what_is_in_the_file(server: Any) -> None:
    response = await get(server, "/")
    assert response.status_code == 200
    soup = page(response)
    assert "7 memories from 8 entries in 2 sessions of 2 projects" in " ".join(soup.get_text().split())
    assert soup.select_one('form[action="/-/memory/recall"] input[name=q]')
    assert len(soup.select(".questions li")) >= 10
    assert not soup.select(".sample")
    data = (await get(server, "/-/memory.json")).json()
    assert data["totals"]["memories"] == 7
    assert [run["stage"] for run in data["fresh"]["runs"]] == ["import"]
    assert [project["name"] for project in data["known"]["projects"]] == ["site", "shop"]


@pytest.mark.slow
async def test_home_of_the_sample_says_so(server: Any, filled: Path, db: sqlite3.Connection) -> None:
    db.execute("insert into settings (name, value, changed_at) values ('sample', 'true', '2026-01-01')")
    banner = page(await get(server, "/")).select_one(".sample")
    assert banner and "This is the sample history, not yours" in banner.get_text()
    assert "memory-db run" in banner.get_text()


@pytest.mark.slow
async def test_home_of_an_empty_file(db: sqlite3.Connection, db_path: Path) -> None:
    datasette = made(db_path)
    response = await get(datasette, "/")
    assert response.status_code == 200
    assert "Nothing is imported yet" in response.text
    assert "No hits" not in response.text


async def test_explorer_without_a_question_explains_itself(server: Any) -> None:
    response = await get(server, "/-/memory/recall")
    assert response.status_code == 200
    soup = page(response)
    assert "Write a question in your own words" in soup.get_text()
    options = [option.get("value") for option in soup.select("select[name=profile] option")]
    assert {"default", "hook", "memem"} <= set(options)


@pytest.mark.slow
async def test_explorer_shows_hits_whose_bars_add_up(server: Any) -> None:
    data = (await get(server, "/-/memory/recall.json?q=how+to+run+migrations&project=shop")).json()
    answer = data["answer"]
    assert not answer["abstained"]
    assert any(hit["uid"] == "m1" for hit in answer["hits"])
    for hit in answer["hits"]:
        assert sum(part["contribution"] for part in hit["segments"]) == pytest.approx(hit["score"])
        assert sum(part["width"] for part in hit["segments"]) == pytest.approx(
            hit["score"] / answer["scale"] * 1000, abs=0.2
        )
    soup = page(await get(server, "/-/memory/recall?q=how+to+run+migrations&project=shop"))
    assert len(soup.select("article.hit")) == len(answer["hits"])
    assert soup.select("article.hit svg rect title")
    assert soup.select_one("select[name=project] option[selected]").get_text() == "shop"


@pytest.mark.slow
async def test_explorer_says_what_was_left_out(server: Any) -> None:
    soup = page(await get(server, "/-/memory/recall?q=migrations&limit=1"))
    assert len(soup.select("article.hit")) == 1
    assert "beyond the limit" in soup.select_one(".reasons").get_text()
    assert soup.select(".others li")


@pytest.mark.slow
async def test_nothing_found_is_said_with_the_reason(server: Any) -> None:
    response = await get(server, "/-/memory/recall?q=zzqx&kind=decision&scope=memories")
    text = page(response).get_text()
    assert response.status_code == 200
    assert "Nothing shown" in text
    assert "No memory or entry shares a word" in text or "Nothing is shown." in text


@pytest.mark.slow
async def test_only_a_signed_in_visitor_is_logged(server: Any, filled: Path) -> None:
    before = count(filled, "recalls")
    anonymous = await get(made(filled, open_to_all(filled)), "/-/memory/recall.json?q=migrations", cookies={})
    assert anonymous.json()["answer"]["recall_id"] is None
    assert count(filled, "recalls") == before
    elsewhere = await get(server, "/-/memory/recall.json?q=migrations", headers={"sec-fetch-site": "cross-site"})
    assert not elsewhere.json()["logged"]
    assert count(filled, "recalls") == before
    root = await get(server, "/-/memory/recall?q=migrations")
    assert count(filled, "recalls") == before + 1
    link = page(root).select_one(".summary a[href^='/-/memory/recalls/']")
    assert (await get(server, link["href"])).status_code == 200


async def test_recalls_are_listed(server: Any) -> None:
    soup = page(await get(server, "/-/memory/recalls?who=all"))
    assert [link.get_text() for link in soup.select("tbody th a")] == ["zebra quantum", "migrations"]
    data = (await get(server, "/-/memory/recalls.json?who=all")).json()
    assert [row["id"] for row in data["recalls"]] == [2, 1]
    assert not page(await get(server, "/-/memory/recalls")).select("tbody th a"), (
        "a person's questions are none of agents'"
    )


@pytest.mark.slow
async def test_why_page_explains_every_number(server: Any) -> None:
    response = await get(server, "/-/memory/recalls/1")
    assert response.status_code == 200
    data = (await get(server, "/-/memory/recalls/1.json")).json()
    assert data["disagreeing"] == 0
    assert {"default", "keyword_only", "memlayer"} <= set(data["profiles"])
    for hit in data["hits"] + data["others"]:
        assert hit["score"] == pytest.approx(hit["logged_score"], abs=1e-12)
        assert set(hit["ranks"]) == set(data["profiles"])
    places = sorted(hit["ranks"]["default"] for hit in data["hits"] + data["others"])
    assert places[0] == 1
    soup = page(response)
    assert [row.get_text() for row in soup.select("article.hit .rank")] == [str(hit["rank"]) for hit in data["hits"]]
    assert data["recall"]["shown_text"].splitlines()[0] in soup.get_text()
    by_uid = await get(server, f"/-/memory/recalls/{data['recall']['uid']}.json")
    assert by_uid.json()["recall"]["id"] == 1


@pytest.mark.slow
async def test_sql_of_the_why_page_runs(server: Any) -> None:
    soup = page(await get(server, "/-/memory/recalls/1"))
    links = [link["href"] for link in soup.select("a") if "sql=" in link["href"]]
    assert len(links) == 2
    for link in links:
        response = await get(server, link)
        assert response.status_code == 200
        assert page(response).select("table.rows-and-columns tbody tr")


# ------------------------------------------------------------- what goes wrong


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("/-/memory/recalls/999", 404, "No recall '999'"),
        ("/-/memory/recalls/%3Cb%3E", 404, "No recall"),
        ("/-/memory/recall?q=x&profile=nope", 404, "No profile 'nope'. There are:"),
        ("/-/memory/recall?q=x&project=nope", 404, "No project 'nope'. There are: shop, site."),
        ("/-/memory/recall?q=x&kind=nope", 404, "No kind 'nope'"),
        ("/-/memory/recall?q=x&scope=nope", 400, "No scope 'nope'"),
        ("/-/memory/recall?q=x&limit=-1", 400, "limit '-1' cannot be used"),
        ("/-/memory/recall?q=x&limit=99999999999999999999", 400, "cannot be used"),
        ("/-/memory/recall?q=x&budget=0", 400, "budget '0' cannot be used"),
        ("/-/memory/recall?q=x&since=yesterday-ish", 400, "is not a date"),
    ],
)
@pytest.mark.slow
async def test_bad_values_get_one_line(server: Any, path: str, status: int, words: str) -> None:
    response = await get(server, path)
    assert response.status_code == status
    shown = page(response).select_one("[role=alert]").get_text()
    assert words in shown
    assert "\n" not in shown
    base, _, query = path.partition("?")
    as_json = await get(server, f"{base}.json?{query}")
    assert as_json.status_code == status
    assert words in as_json.json()["error"]
    assert as_json.json()["ok"] is False


@pytest.mark.parametrize(
    "query",
    [
        '"unbalanced',
        "migrations AND",
        "NEAR(migrations, 3) OR *",
        "title:migrations ^x -y",
        "'; drop table memories; --",
        "{{ 7 * 7 }}",
        "<script>alert(1)</script>",
        "\x00\x1b[2J migrations",
    ],
)
@pytest.mark.slow
async def test_any_question_can_be_asked(server: Any, query: str) -> None:
    response = await server.client.get("/-/memory/recall", params={"q": query})
    assert response.status_code == 200
    assert page(response).select_one(".summary")
    assert "<script>alert" not in response.text


async def test_far_too_long_questions_are_refused_in_one_line(server: Any, filled: Path, now: datetime) -> None:
    response = await server.client.get("/-/memory/recall", params={"q": "migrations please " * 3000})
    assert response.status_code == 400
    assert "characters, at most" in page(response).select_one("[role=alert]").get_text()
    with pytest.raises(InputError, match="characters, at most"):
        ask.explore(filled, {"q": ["migrations please " * 5600]}, now=now, log=False)


async def test_a_file_that_is_not_ours(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    connection = sqlite3.connect(path)
    connection.execute("create table things (id integer primary key)")
    connection.close()
    datasette = made(path, {})
    response = await get(datasette, "/-/memory/recall")
    assert response.status_code == 404 and "/assets/memory.css" not in response.text


@pytest.mark.slow
async def test_who_may_not_see_the_database_sees_no_page(filled: Path) -> None:
    metadata = metadata_for(filled)
    metadata["databases"]["memory"]["allow"] = {"id": "root"}
    datasette = made(filled, metadata)
    await datasette.invoke_startup()
    for path in ("/", "/-/memory.json", "/-/memory/recall?q=migrations", "/-/memory/recalls", "/-/memory/recalls/1"):
        response = await get(datasette, path, cookies={"ds_actor": datasette.sign({"a": {"id": "ada"}}, "actor")})
        assert response.status_code == 403
        assert "make migrate" not in response.text
        assert (await get(datasette, path)).status_code == 200


# ------------------------------------------------------------ text stays text


@pytest.mark.parametrize("path", ["/", "/-/memory/recall?q=migrations&limit=50", "/-/memory/recalls/1"])
@pytest.mark.slow
async def test_text_of_the_file_is_never_markup(server: Any, path: str) -> None:
    response = await get(server, path)
    assert response.status_code == 200
    main = page(response).select_one(".memory")
    assert not main.select("script, img, iframe, object, embed, [onerror], [onclick], [style]")
    for link in main.select("a"):
        assert link["href"].startswith(("/", "?", "#")), link
    assert "49" not in [word for word in main.get_text().split() if word == "{{49}}"]
    assert not any(character in response.text for character in "\x1b\x07\u202e\u200b")


@pytest.mark.slow
async def test_payloads_are_shown_as_they_are(server: Any) -> None:
    main = page(await get(server, "/-/memory/recall?q=migrations&limit=50&scope=memories")).select_one(".memory")
    words = main.get_text()
    for key in ("script", "attribute", "markdown", "template"):
        assert PAYLOADS[key] in words
    assert "␛[31mred" in words
    assert "⟨U+202E⟩gnirts" in words
    assert any("first line\nsecond line\n    indented" in block.get_text() for block in main.select(".words"))


def test_commands_in_a_line_are_code() -> None:
    line = "right before in 2 of 4: `uv run alembic merge …`; `` echo `x` `` failed; a <b> and one ` alone"
    assert texts.with_code(line) == (
        "right before in 2 of 4: <code>uv run alembic merge …</code>; <code>echo `x`</code> failed;"
        " a &lt;b&gt; and one ` alone"
    )


def test_visible_keeps_what_can_be_seen() -> None:
    assert texts.visible("a\tb\nc é 漢 😀") == "a\tb\nc é 漢 😀"
    assert texts.visible("\x00\x7f\u2028\ufeff") == "␀␡⟨U+2028⟩⟨U+FEFF⟩"


# -------------------------------------------------------------------- the guard


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8001", "127.0.0.1.evil.example", "", "[::2]:80", "[::1]x"]
)
@pytest.mark.slow
async def test_other_hosts_are_refused(server: Any, host: str) -> None:
    for path in ("/", "/-/memory/recall.json?q=migrations", "/memory/memories.json", "/-/static/app.css"):
        response = await get(server, path, headers={"host": host})
        assert response.status_code == 400
        assert response.text.count("\n") == 1
        assert "is not served here" in response.text
        assert "migrate" not in response.text


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.1:8001", "localhost:9", "LOCALHOST", "[::1]:8001", "[::1]"])
async def test_this_machine_is_answered(server: Any, host: str) -> None:
    assert (await get(server, "/-/memory/recalls.json", headers={"host": host})).status_code == 200


@pytest.mark.slow
async def test_further_hosts_can_be_allowed(filled: Path) -> None:
    metadata = metadata_for(filled)
    metadata.setdefault("plugins", {})["memory-db"] = {"allowed_hosts": ["Memory.internal"]}
    datasette = made(filled, metadata)
    await datasette.invoke_startup()
    assert (await get(datasette, "/", headers={"host": "memory.internal:8001"})).status_code == 200
    assert (await get(datasette, "/", headers={"host": "other.internal"})).status_code == 400


@pytest.mark.parametrize(
    "path", ["/", "/memory", "/memory/memories", "/-/memory/recall.json", "/nowhere", "/assets/memory.css"]
)
@pytest.mark.slow
async def test_every_answer_forbids_other_hosts(server: Any, path: str) -> None:
    headers = (await get(server, path)).headers
    policy = headers["content-security-policy"]
    assert "default-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "http:" not in policy
    assert "*" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"


def test_host_without_or_with_two_headers_is_empty() -> None:
    assert guard.host_of({"headers": []}) == ""
    assert guard.host_of({"headers": [(b"host", b"localhost"), (b"host", b"evil.example")]}) == ""


@pytest.mark.slow
async def test_our_pages_bring_no_script_of_their_own(server: Any) -> None:
    if compat.IS_ALPHA:
        pytest.skip("the alphas write page data into inline scripts, which no hash can name")
    policy = (await get(server, "/")).headers["content-security-policy"]
    assert "'unsafe-inline'" not in policy.partition("script-src")[2].partition(";")[0]


async def test_json_is_utf8_and_not_cached(server: Any) -> None:
    response = await get(server, "/-/memory/recalls/1.json")
    assert response.headers["content-type"] == "application/json; charset=utf-8"
    assert "no-store" in response.headers["cache-control"]
    json.loads(response.text)
