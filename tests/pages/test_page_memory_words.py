"""The words of a memory on its page: mended, replaced, and brought back, also after the message is gone."""

from __future__ import annotations

import json
import sqlite3
from typing import Any

import pytest

from tests.support.in_process import signed_in, soup, text_of

pytestmark = pytest.mark.slow

HEADERS = {"content-type": "application/json", "authorization": "Bearer of-a-plugin"}


def chosen(db: sqlite3.Connection) -> tuple[str, str]:
    """A memory of the sample that replaced nothing, and its words."""
    row = db.execute(
        "select uid, text from memories where text like 'Always run ruff%' and status = 'active'"
    ).fetchone()
    return row["uid"], row["text"]


async def act(server: Any, uid: str, action: str, **fields: str) -> dict[str, Any]:
    answer = await server.client.post(
        f"/-/memory/memories/{uid}/{action}.json",
        cookies=signed_in(server),
        content=json.dumps(fields),
        headers=HEADERS,
    )
    found: dict[str, Any] = answer.json()
    return found


async def test_the_wording_is_fixed_in_the_same_memory_and_undone(server: Any, sample_db: sqlite3.Connection) -> None:
    uid, words = chosen(sample_db)
    page = soup(await server.client.get(f"/-/memory/memories/{uid}"))
    assert [text_of(each) for each in page.select("details[open] button")] == ["Fix the wording", "Replace it"]
    done = await act(server, uid, "reword", text=f"{words} Please.")
    assert done["uid"] == uid and done["said"].startswith("Reworded: the same memory")
    page = soup(await server.client.get(f"/-/memory/memories/{uid}"))
    assert text_of(page.select_one("h1")) == f"{words} Please." and page.select("blockquote.quote"), "with its source"
    back = await act(server, uid, "reword", version=dict(done["undo"]["fields"])["version"])
    assert back["ok"] and soup(await server.client.get(f"/-/memory/memories/{uid}")).h1.get_text() == words


@pytest.mark.parametrize("from_the_old_one", [True, False])
@pytest.mark.parametrize("is_retired", [True, False])
async def test_what_was_replaced_is_brought_back_from_either_page(
    server: Any, sample_db: sqlite3.Connection, from_the_old_one: bool, is_retired: bool
) -> None:
    old, words = chosen(sample_db)
    new = (await act(server, old, "correct", text="Run ruff only before a release."))["uid"]
    assert new != old
    if is_retired:
        await act(server, new, "retire")
    page = soup(await server.client.get(f"/-/memory/memories/{old if from_the_old_one else new}"))
    form = page.select_one(f"form[action='/-/memory/memories/{new}/uncorrect']")
    if is_retired and not from_the_old_one:
        assert form is None, "what is out of use replaces nothing: the old one's page has the button"
        return
    assert form.button["value"] == old and "hold again" in text_of(form.button)
    assert (await act(server, new, "uncorrect", old=old))["ok"]
    status = dict(sample_db.execute("select uid, status from memories where uid in (?, ?)", [old, new]).fetchall())
    assert status == {old: "active", new: "retired"}
    shown = soup(await server.client.get(f"/-/memory/memories/{old}"))
    assert text_of(shown.h1) == words and not shown.select(".memory-error")


async def test_a_refusal_leads_back_to_where_its_reader_was(server: Any, sample_db: sqlite3.Connection) -> None:
    uid, _ = chosen(sample_db)
    here = f"/-/memory/memories/{uid}"
    for referer, link in (
        (f"http://localhost{here}?as_of=", f"{here}?as_of="), ("http://elsewhere.example/-/memory", None), ("", None),
        ("http://localhost//elsewhere.example/", None), ("javascript:alert(1)", None), ("http://[", None),
    ):  # fmt: skip
        refused = await server.client.get(f"/-/memory/recalls/none?{len(referer)}", headers={"referer": referer})
        assert refused.status_code == 404
        found = soup(refused).find("a", string="Back to where you were")
        assert (found["href"] if found else None) == link, referer
