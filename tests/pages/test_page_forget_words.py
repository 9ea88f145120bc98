"""The page that forgets words: what would go and stay, which files still have them, and the ways that lead to it."""

from __future__ import annotations

import sqlite3
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from memory_db.knowledge.memories import add_memory
from memory_db.transcripts import importer as importing
from memory_db.upkeep.exports import SITE, remembered
from tests.support.in_process import soup, text_of
from tests.support.transcript_rows import write_jsonl

PAGE = "/-/memory/words"
MAREN = {
    "type": "user", "uuid": "e1", "sessionId": "s1", "cwd": "/home/d/quay", "timestamp": "2026-10-30T10:00:00Z",
    "message": {"role": "user", "content": "Weekdays are Sam's, Maren has the weekend."},
}  # fmt: skip


@pytest.fixture
def served_file(db: sqlite3.Connection, db_path: Path, tmp_path: Path, now: datetime) -> Path:
    """A file that read one transcript, with a memory in other capitals."""
    write_jsonl(tmp_path / "history" / "-home-d-quay" / "s1.jsonl", [MAREN])
    importing.import_claude_code(db, [tmp_path / "history"], now=now)
    add_memory(db, text="The rota is kept by maren and her team.", kind="convention", scope="user", now=now)
    return db_path


async def sent(server: Any, path: str = PAGE, **fields: str) -> Any:
    """The page that a form of ours leads to, from where it sends the visitor on."""
    form = await server.client.get(PAGE)
    token = soup(form).select_one("input[name=csrftoken]")["value"]
    cookies = {**server.client.cookies, **dict(form.cookies)}
    answer = await server.client.post(path, cookies=cookies, data={"csrftoken": token, **fields})
    if answer.status_code in (302, 303):
        answer = await server.client.get(answer.headers["location"])
    return soup(answer)


async def test_the_transcript_that_keeps_the_words_is_named_before_and_after(server: Any, tmp_path: Path) -> None:
    transcript = str(tmp_path / "history" / "-home-d-quay" / "s1.jsonl")
    assert transcript in text_of(await sent(server, words="Maren"))
    proof = await sent(server, f"{PAGE}/forget", words="Maren", confirm="Maren")
    assert text_of(proof.select_one("h1")) == "The words are gone" and transcript in text_of(proof)
    assert "1 file that memory-db does not change may still contain it" in text_of(proof.select_one(".lede"))
    again = await sent(server, words="Maren")
    assert text_of(again.select_one(".over")) == "Nothing to forget" and transcript in text_of(again)
    assert not again.select("form.danger")


async def test_what_stays_in_other_capitals_is_shown_and_can_be_included(server: Any) -> None:
    shown = await sent(server, words="Maren")
    (row,) = [text_of(row) for row in shown.select("section:nth-of-type(2) tbody tr")]
    assert "kept by maren and her team" in row and row.endswith("says it in other capitals")
    assert text_of(shown.select_one("section:nth-of-type(2) mark")) == "maren"
    more = {each["name"]: each["value"] for each in shown.select("form.actions:not(.danger) input")} | {"csrftoken": ""}
    assert more == {"csrftoken": "", "words": "Maren", "any_capitals": "yes"}
    shown = await sent(server, words="Maren", any_capitals="yes")
    assert [text_of(row.td) for row in shown.select("table.fates tbody tr")] == ["text redacted"] * 2
    assert shown.select_one("form.danger input[name=any_capitals][value=yes]")
    proof = await sent(server, f"{PAGE}/forget", words="Maren", confirm="Maren", any_capitals="yes")
    assert "is left" in text_of(proof.select_one(".lede"))
    assert text_of((await sent(server, words="Maren")).select_one(".over")) == "Nothing to forget"


async def test_the_menu_the_settings_a_session_and_a_memory_lead_there(server: Any, db: sqlite3.Connection) -> None:
    (uid,) = db.execute("select uid from memories").fetchone()
    for path in ("/-/memory/settings", "/-/memory/sessions/s1", f"/-/memory/memories/{uid}"):
        page = soup(await server.client.get(path))
        assert page.select(f'main [href^="{PAGE}"], main form[action="{PAGE}"]'), path
        assert page.select(f'details.nav-menu a[href="{PAGE}"]'), path
    opened = soup(await server.client.get(f"{PAGE}?session=s1"))
    assert opened.select('main a[href="/-/memory/sessions/s1"]') and "Maren" in text_of(opened.select_one("blockquote"))


async def test_an_earlier_version_in_other_capitals_is_shown(
    server: Any, db: sqlite3.Connection, db_path: Path, now: datetime
) -> None:
    uid = add_memory(db, text="MAREN has the key of the boathouse.", kind="convention", scope="user", now=now)
    db.execute("update memories set text = 'Ann has the key of the boathouse.', title = '' where uid = ?", [uid])
    db.commit()
    shown = await sent(server, words="Maren")
    rows = {text_of(row.select_one("a")): text_of(row) for row in shown.select("section:nth-of-type(2) tbody tr")}
    assert rows[uid].endswith("an earlier version says it in other capitals")
    assert "memory_versions.text 2" in text_of(shown.select("main section")[1])
    assert len(await reached_by_including(server)) == len(rows) + 1, "what was shown is what goes, with the entry"


async def reached_by_including(server: Any) -> set[str]:
    """The uids of what would change if other capitals were included."""
    shown = await sent(server, words="Maren", any_capitals="yes")
    return {text_of(row.select_one("a")) for row in shown.select_one("main section").select("tbody tr")}


async def test_the_proof_has_an_address_that_names_what_still_holds_it_and_a_certificate(
    server: Any, db: sqlite3.Connection, db_path: Path, tmp_path: Path, now: datetime
) -> None:
    site = tmp_path / "site"
    with remembered(db_path, site, SITE, now=now):
        site.mkdir()
        (site / "index.html").write_text("<p>Weekdays are Sam's, Maren has the weekend.</p>")
    shown = await sent(server, words="Maren")
    assert not shown.select("form.danger input[name=exports]"), "pages as files cannot be cleaned"
    proof = await sent(server, f"{PAGE}/forget", words="Maren", confirm="Maren")
    assert text_of(proof.select_one("h1")) == "The words are not gone yet"
    (row,) = [text_of(row) for row in proof.select("main section")[0].select("tbody tr")]
    assert str(site) in row and "1 page" in row and f"memory-db export --site {site}" in row
    (run_id,) = db.execute("select id from runs where stage = 'forget'").fetchone()
    address = f"/-/memory/forgotten?run={run_id}"
    assert address in {
        link["href"] for link in soup(await server.client.get("/-/memory/forgotten")).select("main li a")
    }
    (saved,) = proof.select("main a[download]")
    kept = await server.client.get(saved["href"])
    assert "maren" not in kept.text.casefold() and kept.json()["certificate"] == "memory-db memory forget"
    assert kept.json()["passages"] == {"count": 1, "characters": 5}
    assert not db.execute("select 1 from runs where counts like '%maren%' or counts like ?", [f"%{site}%"]).fetchone()
    (site / "index.html").unlink()
    site.rmdir()
    again = soup(await server.client.get(address))
    assert text_of(again.select_one("h1")) == "The words are gone" and "no longer there" in text_of(again)


@pytest.mark.parametrize("key", ["77", "x", "1" * 40])
async def test_a_run_that_forgot_nothing_has_no_proof(server: Any, key: str) -> None:
    assert (await server.client.get(f"/-/memory/forgotten.json?run={key}")).status_code == 404
