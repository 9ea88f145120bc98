"""Tokens for programs: made once, kept as hashes, and good for writing through the server alone."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from bs4 import BeautifulSoup
from click.testing import CliRunner, Result

from memory_db.cli import cli
from memory_db.errors import ConflictError, InputError, NotFoundError
from memory_db.knowledge.memories import add_memory
from memory_db.pages.web import api_tokens as tokens
from memory_db.pages.web.serve import metadata_for
from memory_db.redact.clean import redact
from memory_db.store import api_tokens
from tests.support.in_process import made

FORM = "application/x-www-form-urlencoded"


# ------------------------------------------------------------------- the rows


def test_a_token_is_kept_as_its_hash(db: sqlite3.Connection, now: datetime) -> None:
    text = api_tokens.add(db, "nightly", now=now)
    other = api_tokens.add(db, "other", now=now)
    assert text.startswith("mdb_") and len(text) == 4 + 43 and text != other
    row = db.execute("select * from api_tokens where name = 'nightly'").fetchone()
    assert row["token_hash"] == hashlib.sha256(text.encode()).hexdigest()
    assert text not in json.dumps([list(row) for row in db.execute("select * from api_tokens")])
    assert api_tokens.check(db, text, now=now).name == "nightly"


def test_a_token_ends_when_it_was_to_end(db: sqlite3.Connection, now: datetime) -> None:
    text = api_tokens.add(db, "week", days=7, now=now)
    assert api_tokens.check(db, text, now=now + timedelta(days=7, seconds=-1)).state == "good"
    with pytest.raises(InputError, match="'week' is expired"):
        api_tokens.check(db, text, now=now + timedelta(days=7))
    assert [token.state for token in api_tokens.list_tokens(db, now=now + timedelta(days=8))] == ["expired"]


def test_a_revoked_token_is_good_for_nothing(db: sqlite3.Connection, now: datetime) -> None:
    text = api_tokens.add(db, "gone", now=now)
    assert api_tokens.revoke(db, "gone", now=now)
    assert not api_tokens.revoke(db, "gone", now=now + timedelta(days=1))
    with pytest.raises(InputError, match="'gone' is revoked"):
        api_tokens.check(db, text, now=now)
    assert db.execute("select revoked_at from api_tokens").fetchone()[0].startswith("2026-11-01")
    with pytest.raises(ConflictError, match="Take another name"):
        api_tokens.add(db, "gone", now=now)


@pytest.mark.parametrize("text", ["mdb_", "mdb_wrong", "", "'; drop table api_tokens; --"])
def test_other_texts_are_not_known(db: sqlite3.Connection, now: datetime, text: str) -> None:
    api_tokens.add(db, "one", now=now)
    with pytest.raises(InputError, match="not known here"):
        api_tokens.check(db, text, now=now)


@pytest.mark.parametrize(
    ("name", "days", "words"),
    [("", None, "cannot name"), ("a b", None, "cannot name"), ("x" * 51, None, "cannot name"), ("é", None, "cannot"),
     ("<b>", None, "cannot name"), ("a", 0, "0 days"), ("a", -1, "-1 days"), ("a", 10**8, "days")],
)  # fmt: skip
def test_bad_values_make_no_token(
    db: sqlite3.Connection, now: datetime, name: str, days: int | None, words: str
) -> None:
    with pytest.raises(InputError, match=words):
        api_tokens.add(db, name, days=days, now=now)
    assert db.execute("select count(*) from api_tokens").fetchone()[0] == 0


def test_what_is_not_there_cannot_be_revoked(db: sqlite3.Connection, now: datetime) -> None:
    with pytest.raises(NotFoundError, match="No token 'x'"):
        api_tokens.revoke(db, "x", now=now)


def test_a_token_in_a_transcript_is_redacted(db: sqlite3.Connection, now: datetime) -> None:
    text = api_tokens.add(db, "seen", now=now)
    assert text not in redact(f"$ memory-db file tokens add seen\n{text}\nKeep it now.")[0]


# ---------------------------------------------------------------- the command


def run(path: Path, *arguments: str) -> Result:
    return CliRunner().invoke(cli, ["-d", str(path), "file", "tokens", *arguments], standalone_mode=True)


def test_the_command_makes_lists_and_revokes(db: sqlite3.Connection, db_path: Path) -> None:
    made = run(db_path, "add", "ci", "--days", "30")
    assert made.exit_code == 0 and made.stdout.startswith("mdb_") and made.stdout.count("\n") == 1
    assert "not shown again" in made.stderr and made.stdout.strip() not in made.stderr
    assert json.loads(run(db_path, "add", "web", "--json").stdout)["token"].startswith("mdb_")
    listed = run(db_path, "list").stdout
    assert "ci" in listed and "web" in listed and "mdb_" not in listed
    assert run(db_path, "add", "ci").exit_code == 1
    assert "revoked" in run(db_path, "revoke", "ci").stdout
    assert "already" in run(db_path, "revoke", "ci").stdout
    states = {row["name"]: row["state"] for row in json.loads(run(db_path, "list", "--json").stdout)}
    assert states == {"ci": "revoked", "web": "good"}


def test_a_dry_run_makes_and_shows_no_token(db: sqlite3.Connection, db_path: Path) -> None:
    assert "mdb_" not in run(db_path, "add", "ci", "--dry-run").output
    assert json.loads(run(db_path, "add", "ci", "--dry-run", "--json").stdout)["token"] is None
    assert "There is no token" in run(db_path, "list").stdout


# ----------------------------------------------------------------- the server


@pytest.fixture
def uid(db: sqlite3.Connection, now: datetime) -> str:
    add_memory(db, text="Deploy with `make ship`.", kind="convention", scope="user", project_id=None, now=now)
    return str(db.execute("select uid from memories").fetchone()[0])


@pytest.fixture
def text(db: sqlite3.Connection, uid: str) -> str:
    return api_tokens.add(db, "ci", days=1, now=datetime.now(UTC))


async def serve(path: Path, **settings: object) -> Any:
    metadata = metadata_for(path)
    metadata["plugins"]["memory-db"] = {**metadata["plugins"]["memory-db"], **settings}
    datasette = made(path, metadata)
    await datasette.invoke_startup()
    return datasette


@pytest.fixture
async def server(text: str, db_path: Path) -> AsyncIterator[Any]:
    datasette = await serve(db_path)
    yield datasette
    for database in datasette.databases.values():
        database.close()


def bearer(text: str) -> dict[str, str]:
    return {"authorization": f"Bearer {text}"}


def root(server: Any) -> dict[str, str]:
    return {"ds_actor": server.sign({"a": {"id": "root"}}, "actor")}


async def lock(server: Any, uid: str, headers: dict[str, str]) -> Any:
    return await server.client.post(
        f"/-/memory/memories/{uid}/lock.json",
        content=json.dumps({"reason": "so it is"}),
        cookies={},
        headers={"content-type": "application/json", **headers},
    )


def state(db: sqlite3.Connection) -> tuple[Any, ...]:
    return tuple(db.execute("select lock_level, change_reason from memories").fetchone())


async def test_a_program_with_a_token_may_write(server: Any, db: sqlite3.Connection, uid: str, text: str) -> None:
    answer = await lock(server, uid, bearer(text))
    assert answer.status_code == 200, answer.text
    assert state(db) == ("user", "so it is")
    rows = [tuple(row) for row in db.execute("select actor, action, outcome from audit_log")]
    assert rows == [("token:ci", "lock", "done")]
    used = db.execute("select last_used_at from api_tokens").fetchone()[0]
    assert used.endswith(":00.000Z") and used[:10] == datetime.now(UTC).date().isoformat()


async def test_without_a_token_it_is_said_how(server: Any, db: sqlite3.Connection, uid: str) -> None:
    before = state(db)
    for headers in ({}, {"authorization": "Bearer of-a-plugin"}, {"authorization": "Basic cm9vdDpyb290"}):
        answer = await lock(server, uid, headers)
        assert answer.status_code == 401 and "memory-db file tokens add" in answer.json()["error"]
    assert state(db) == before and not db.execute("select 1 from audit_log").fetchone()


async def test_a_bad_token_is_refused_wherever_it_is_shown(
    server: Any, db: sqlite3.Connection, uid: str, text: str
) -> None:
    before = state(db)
    api_tokens.add(db, "old", days=1, now=datetime(2020, 1, 1, tzinfo=UTC))
    revoked = api_tokens.add(db, "gone", now=datetime.now(UTC))
    api_tokens.revoke(db, "gone", now=datetime.now(UTC))
    for wrong in ("mdb_", text[:-1], text + "x", text.lower(), "mdb_\xe9", revoked):
        for answer in (
            await lock(server, uid, {"authorization": f"Bearer {wrong}".encode("latin-1")}),  # type: ignore[dict-item]
            await server.client.get("/", headers={"authorization": f"bearer  {wrong}".encode("latin-1")}),
        ):
            assert answer.status_code == 401 and answer.text.count("\n") == 1
            assert "memory-db file tokens add NAME" in answer.json()["error"]
            assert answer.headers["www-authenticate"] == "Bearer"
            assert "frame-ancestors" in answer.headers["content-security-policy"]
    assert state(db) == before and not db.execute("select 1 from audit_log").fetchone()


async def test_another_site_tries_no_tokens_here(server: Any, text: str) -> None:
    for wrong in (text, "mdb_wrong"):
        answer = await server.client.get("/", headers={**bearer(wrong), "host": "evil.example"})
        assert answer.status_code == 400 and "is not served here" in answer.text


@pytest.mark.parametrize("allow", [{"id": "root"}, {"id": "*"}])
@pytest.mark.slow
async def test_a_token_reads_nothing_that_is_closed(text: str, db_path: Path, allow: dict[str, str], uid: str) -> None:
    metadata = metadata_for(db_path)
    metadata["databases"]["memory"]["allow"] = allow
    datasette = made(db_path, metadata)
    await datasette.invoke_startup()
    table = "/memory/memories.json?_shape=array"
    for path in (table, "/memory", "/-/memory.json", "/-/memory/recall?q=deploy", f"/-/memory/memories/{uid}"):
        answer = await datasette.client.get(path, headers=bearer(text))
        assert answer.status_code == 403 and "make ship" not in answer.text, path
    assert (await lock(datasette, uid, bearer(text))).status_code == 403
    assert (await datasette.client.get(table, cookies=root(datasette))).status_code == 200


@pytest.mark.slow
async def test_may_write_names_everybody_who_may(text: str, db: sqlite3.Connection, db_path: Path, uid: str) -> None:
    before = state(db)
    for allowed in ({"id": "root"}, {"id": "token:other"}, False, {}):
        answer = await lock(await serve(db_path, may_write=allowed), uid, bearer(text))
        assert answer.status_code == 403, allowed
    assert state(db) == before
    assert (await lock(await serve(db_path, may_write={"id": ["token:ci"]}), uid, bearer(text))).status_code == 200


# ------------------------------------------------------------------- the page


async def send(server: Any, action: str, headers: dict[str, str] | None = None, **fields: str) -> Any:
    """What the page's form sends in root's browser."""
    cookies = root(server)
    first = await server.client.get("/-/memory/tokens", cookies=cookies)
    marker = BeautifulSoup(first.text, "html.parser").select_one("input[name=csrftoken]")
    cookies.update(first.cookies)
    return await server.client.post(
        f"/-/memory/tokens/{action}", cookies=cookies, headers=headers,
        data={"csrftoken": marker["value"] if marker else "", **fields},
    )  # fmt: skip


@pytest.mark.slow
async def test_root_makes_a_token_on_the_page_and_takes_it_back(server: Any, db: sqlite3.Connection, uid: str) -> None:
    answer = await send(server, "add", name="web", days="3")
    assert answer.status_code == 200 and "no-store" in answer.headers["cache-control"]
    made = BeautifulSoup(answer.text, "html.parser").select_one("p.scroll code").get_text()
    assert made.startswith("mdb_") and made not in str(answer.headers)
    said = [tuple(row) for row in db.execute("select actor, action, said from audit_log")]
    assert said == [("root", "add", "Created the token web.")]
    listed = await server.client.get("/-/memory/tokens", cookies=root(server))
    assert "web" in listed.text and made not in listed.text
    as_json = (await server.client.get("/-/memory/tokens.json", cookies=root(server))).json()
    assert [each["name"] for each in as_json["tokens"]] == ["web", "ci"] and "hash" not in json.dumps(as_json)
    assert (await lock(server, uid, bearer(made))).status_code == 200
    gone = await send(server, "revoke", name="web")
    assert gone.status_code in (302, 303) and gone.headers["location"] == "/-/memory/tokens"
    assert (await lock(server, uid, bearer(made))).status_code == 401


@pytest.mark.parametrize(
    ("action", "fields", "status"),
    [("add", {"name": "<script>"}, 400), ("add", {"name": "ci"}, 400), ("add", {"name": "b", "days": "x"}, 400),
     ("add", {"name": "b", "days": "0"}, 400), ("add", {}, 400), ("revoke", {"name": "none"}, 404),
     ("add", {"name": "b", "days": "9" * 400}, 400)],
)  # fmt: skip
@pytest.mark.slow
async def test_what_cannot_be_made_is_refused(
    server: Any, db: sqlite3.Connection, action: str, fields: dict[str, str], status: int
) -> None:
    answer = await send(server, action, **fields)
    assert answer.status_code == status and not BeautifulSoup(answer.text, "html.parser").select(".memory script")
    assert db.execute("select group_concat(name) from api_tokens").fetchone()[0] == "ci"


@pytest.mark.slow
async def test_nobody_else_comes_to_the_page(server: Any, db: sqlite3.Connection, text: str) -> None:
    other = {"ds_actor": server.sign({"a": {"id": "alex"}}, "actor")}
    assert (await server.client.get("/-/memory/tokens", cookies={})).status_code == 401
    for headers, cookies in ((bearer(text), {}), ({}, other)):
        for path in ("/-/memory/tokens", "/-/memory/tokens.json"):
            answer = await server.client.get(path, headers=headers, cookies=cookies)
            assert answer.status_code == 403 and "in the shell" in answer.text
        made = await server.client.post(
            "/-/memory/tokens/add.json",
            headers={**bearer("of-a-plugin"), **headers, "content-type": "application/json"},
            cookies=cookies, content='{"name": "more"}',
        )  # fmt: skip
        assert made.status_code == 403
    assert db.execute("select count(*) from api_tokens").fetchone()[0] == 1


async def test_a_use_that_cannot_be_noted_costs_nobody_the_request(
    server: Any, db: sqlite3.Connection, text: str
) -> None:
    db.execute("begin immediate")
    try:
        assert (await server.client.get("/-/memory/recalls.json", headers=bearer(text))).status_code == 200
    finally:
        db.execute("rollback")
    assert db.execute("select last_used_at from api_tokens").fetchone()[0] is None


def test_a_token_is_found_in_the_header_alone() -> None:
    def found(value: bytes) -> str | None:
        return tokens.token_of({"headers": [(b"x", b"Bearer mdb_x"), (b"Authorization", value)]})

    assert found(b"Bearer mdb_abc") == "mdb_abc" == found(b"  bearer   mdb_abc ")
    assert found(b"Bearer dstok_abc") is None and found(b"mdb_abc") is None and found(b"") is None


def test_a_use_is_noted_to_the_minute(db: sqlite3.Connection, db_path: Path, now: datetime) -> None:
    text = api_tokens.add(db, "ci", now=now)
    actor = {"id": "token:ci", "token": "memory-db", "may_write": True, "project": None}
    assert tokens.actor_of(db_path, text, now=now) == actor
    with closing(sqlite3.connect(db_path)) as other:
        first = other.execute("select last_used_at from api_tokens").fetchone()[0]
    assert tokens.actor_of(db_path, text, now=now + timedelta(seconds=5)) == actor
    assert first == db.execute("select last_used_at from api_tokens").fetchone()[0] == "2026-11-01T12:00:00.000Z"
