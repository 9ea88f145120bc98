"""What was changed from a page is taken back by the button that the next page has, exactly, and once."""

from __future__ import annotations

import sqlite3
from typing import Any

import pytest

from memory_db.store import settings
from tests.conftest import NOW
from tests.support.in_process import one, signed_in, soup, text_of

pytestmark = pytest.mark.pages

PORT, OTHER = "m4cef8e1f", "m8136e40e"

STATE = """
select uid, text, status, lock_level, valid_to from memories union all
select m.uid, e.kind, e.source, '', '' from evidence e join memories m on m.id = e.memory_id
where e.withdrawn_at is null union all
select m.uid, s.pattern, '', '', '' from suppressions s join memories m on m.id = s.memory_id
where s.ended_at is null union all
select f.uid, t.uid, e.kind, '', '' from edges e join memories f on f.id = e.from_memory_id
join memories t on t.id = e.to_memory_id where e.ended_at is null union all
select name, canonical_path, '', '', '' from projects union all
select name, value, '', '', '' from settings union all
select cast(project_id as text), cast(linked_project_id as text), '', '', '' from project_links
order by 1, 2, 3
"""
"""What a person sees of what can be changed by a button."""

BUTTONS: list[tuple[str, dict[str, str]]] = [
    (f"/-/memory/memories/{PORT}/confirm", {}),
    (f"/-/memory/memories/{PORT}/lock", {}),
    (f"/-/memory/memories/{PORT}/retire", {}),
    (f"/-/memory/memories/{PORT}/suppress", {"pattern": "harbour pilot"}),
    ("/-/memory/live/wrong", {"uid": PORT, "recall": ""}),
    ("/-/memory/live/never", {"uid": PORT, "pattern": "harbour pilot"}),
    ("/-/memory/projects/tidepool/rename", {"name": "tide-pool"}),
    ("/-/memory/projects/tidepool/link", {"other": "lanternfish"}),
    ("/-/memory/settings", {"set.recall_limit": "7", "was.recall_limit": "10", "set.default_profile": "keyword_only"}),
]
"""Buttons with what is sent; each is taken back exactly."""


class Browser:
    """Somebody signed in whose browser keeps cookies from page to page."""

    def __init__(self, server: Any) -> None:
        self.server, self.cookies = server, signed_in(server)

    async def sent(self, method: str, path: str, fields: dict[str, Any] | None = None) -> Any:
        token = {"csrftoken": self.cookies.get("ds_csrftoken", "")}
        data = {"data": {**fields, **token}} if fields is not None else {}
        answer = await self.server.client.request(method, path, cookies=self.cookies, **data)
        for name, value in answer.cookies.items():
            self.cookies[name] = value
        if "memory_undo" in answer.headers.get("set-cookie", "") and "memory_undo" not in dict(answer.cookies):
            self.cookies.pop("memory_undo", None)
        return answer

    async def pressed(self, path: str, fields: dict[str, Any]) -> Any:
        """The page after a button."""
        await self.sent("GET", "/-/memory/settings")
        done = await self.sent("POST", path, fields)
        assert done.status_code == 303, done.text
        return soup(await self.sent("GET", done.headers["location"].partition("#")[0]))


def undo_of(page: Any) -> tuple[str, dict[str, Any]]:
    """Where the button for taking back leads, and what it sends."""
    form = page.select_one("#undo").find_parent("form")
    return form["action"], {each["name"]: each["value"] for each in form.select("input") if each["name"] != "csrftoken"}


SHOWED = """
select min(h.recall_id) from hits h join memory_versions v on v.id = h.memory_version_id
join memories m on m.id = v.memory_id where m.uid = ? and h.rank is not null
"""


def with_recall(db: sqlite3.Connection, fields: dict[str, str]) -> dict[str, str]:
    """The fields of a button, with a recall that showed its memory where it names one."""
    return {**fields, "recall": str(one(db, SHOWED, fields["uid"]))} if "recall" in fields else fields


def state(db: sqlite3.Connection) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in db.execute(STATE)]


@pytest.mark.parametrize(("path", "fields"), BUTTONS, ids=[path.rpartition("/")[2] for path, _ in BUTTONS])
@pytest.mark.slow
async def test_a_button_is_taken_back_by_the_next_page(
    server: Any, sample_db: sqlite3.Connection, path: str, fields: dict[str, str]
) -> None:
    before, browser = state(sample_db), Browser(server)
    page = await browser.pressed(path, with_recall(sample_db, fields))
    assert state(sample_db) != before
    assert text_of(page.select_one(".flash p")) and PORT not in text_of(page.select_one(".flash p"))
    back = await browser.pressed(*undo_of(page))
    assert state(sample_db) == before
    assert text_of(back.select_one(".flash p"))


@pytest.mark.slow
async def test_the_button_is_there_once_and_for_who_pressed(server: Any) -> None:
    browser = Browser(server)
    page = await browser.pressed(f"/-/memory/memories/{PORT}/lock", {})
    assert page.select_one("#undo")
    assert not soup(await browser.sent("GET", f"/-/memory/memories/{PORT}")).select_one("#undo")
    await browser.sent("POST", f"/-/memory/memories/{PORT}/unlock", {})
    assert "memory_undo" in browser.cookies
    browser.cookies["ds_actor"] = server.sign({"a": {"id": "guest"}}, "actor")
    assert not soup(await browser.sent("GET", f"/-/memory/memories/{PORT}")).select_one("#undo")
    browser.cookies = {**signed_in(server), "memory_undo": "forged"}
    assert not soup(await browser.sent("GET", f"/-/memory/memories/{PORT}")).select_one("#undo")


@pytest.mark.slow
async def test_a_correction_is_taken_back(server: Any, sample_db: sqlite3.Connection) -> None:
    browser = Browser(server)
    before = [tuple(row) for row in sample_db.execute("select uid, text, status, valid_to from memories order by uid")]
    page = await browser.pressed(f"/-/memory/memories/{OTHER}/correct", {"text": "The words are others now."})
    path, sent = undo_of(page)
    assert one(sample_db, "select status from memories where uid = ?", OTHER) == "superseded"
    back = await browser.pressed(path, sent)
    known = {row[0] for row in before}
    after = [tuple(row) for row in sample_db.execute("select uid, text, status, valid_to from memories order by uid")]
    assert [row for row in after if row[0] in known] == before
    assert [row[2] for row in after if row[0] not in known] == ["retired"]
    assert OTHER in str(back)
    again = await browser.sent("POST", path, sent)
    assert again.status_code == 400 and "nothing to take back" in again.text


@pytest.mark.slow
async def test_earlier_words_are_restored_long_after(server: Any, sample_db: sqlite3.Connection) -> None:
    browser = Browser(server)
    before = one(sample_db, "select text from memories where uid = ?", OTHER)
    mended = await browser.pressed(f"/-/memory/memories/{OTHER}/reword", {"text": "Said in other words."})
    path, sent = undo_of(mended)
    page = soup(await browser.sent("GET", f"/-/memory/memories/{OTHER}"))
    assert not page.select_one("#undo")
    buttons = page.select(".edit button[name=version]")
    assert [text_of(each) for each in buttons] == ["Restore these words"] * len(buttons) and buttons
    assert sent == {"version": buttons[0]["value"]}, "undoing goes the same way"
    form = buttons[0].find_parent("form")
    back = await browser.pressed(form["action"], {"version": buttons[0]["value"]})
    assert one(sample_db, "select text from memories where uid = ?", OTHER) == before
    assert text_of(back.select(".flash p")[-1]) == "Restored: the memory has its earlier words again."
    assert "Said in other words" not in text_of(back.select_one("h1"))
    refused = await browser.sent("POST", path, {"version": "99"})
    assert refused.status_code == 404 and "No version" in refused.text


@pytest.mark.slow
async def test_what_changed_since_is_not_taken_back(server: Any, sample_db: sqlite3.Connection) -> None:
    browser = Browser(server)
    page = await browser.pressed(f"/-/memory/memories/{OTHER}/correct", {"text": "The words are others now."})
    path, sent = undo_of(page)
    new = path.split("/")[-2]
    await browser.pressed(f"/-/memory/memories/{new}/correct", {"text": "And now they are others again."})
    refused = await browser.sent("POST", path, sent)
    assert refused.status_code == 400 and "superseded since" in refused.text
    assert one(sample_db, "select status from memories where uid = ?", OTHER) == "superseded"


@pytest.mark.slow
async def test_settings_are_saved_at_once_or_not_at_all(server: Any, sample_db: sqlite3.Connection) -> None:
    browser = Browser(server)
    page = soup(await browser.sent("GET", "/-/memory/settings"))
    fields = {each["name"]: each.get("value", "") for each in page.select("input[form=settings]")}
    for each in page.select("select[form=settings]"):
        fields[each["name"]] = (each.select_one("option[selected]") or each.select_one("option")).get_text()
    assert len(page.select("button[form=settings]")) == 1
    same = await browser.pressed("/-/memory/settings", fields)
    assert "Nothing was changed" in text_of(same.select_one(".flash")) and not same.select_one("#undo")
    assert one(sample_db, "select count(*) from settings where name = 'recall_limit'") == 0
    settings.put(sample_db, "hits_days", "90", now=NOW)
    both = await browser.pressed("/-/memory/settings", {**fields, "set.recall_limit": "7", "set.layer_0_cap": "9"})
    assert "recall_limit = 7, was 10." in text_of(both.select_one(".flash"))
    assert [settings.get(sample_db, name) for name in ("recall_limit", "layer_0_cap", "hits_days")] == [7, 9, 90]
    refused = await browser.sent("POST", "/-/memory/settings", {"set.recall_limit": "8", "set.layer_0_cap": "many"})
    assert refused.status_code == 400 and settings.get(sample_db, "recall_limit") == 7
    await browser.pressed("/-/memory/settings", {"reset": "recall_limit"})
    assert one(sample_db, "select count(*) from settings where name = 'recall_limit'") == 0


@pytest.mark.slow
async def test_a_saved_profile_is_offered_as_the_default(server: Any, sample_db: sqlite3.Connection) -> None:
    browser = Browser(server)
    page = await browser.pressed("/-/memory/profiles", {"name": "mine", "w.recency": "0.5", "q": "run the tests"})
    assert text_of(page.select_one("#undo")) == "Make default"
    page = await browser.pressed(*undo_of(page))
    assert settings.get_text(sample_db, "default_profile") == "mine"
    assert text_of(page.select_one("#undo")) == "Undo" and "profile=mine" in str(page), "and it stays where it was"
    page = await browser.pressed("/-/memory/profiles", {"name": "mine", "w.recency": "0.6", "new_version": "1"})
    assert not page.select_one("#undo"), "it is the default already"
