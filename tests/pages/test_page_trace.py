"""A session as a trace: its outline leads everywhere, its margin says what came of what was shown; tame Markdown."""

from __future__ import annotations

import sqlite3
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from bs4 import BeautifulSoup
from hypothesis import given
from hypothesis import strategies as st

from memory_db.errors import NotFoundError
from memory_db.pages.draw.markdown import markdown
from memory_db.pages.session import ENTRIES_A_PAGE, session
from memory_db.pages.trace import outline
from memory_db.store.dates import utc_text
from tests.conftest import NOW
from tests.support import hostile_rows
from tests.support.in_process import soup

LONGEST = "select uid from session_summaries order by entries desc limit 1"

ALLOWED = {"p", "b", "i", "a", "ul", "ol", "li", "pre", "code", "em", "strong", "blockquote", "table", "thead", "tbody",
           "tr", "th", "td", "hr", "br"}  # fmt: skip


@pytest.fixture
def longest(sample_db: sqlite3.Connection) -> str:
    return str(sample_db.execute(LONGEST).fetchone()[0])


def test_every_turn_is_outlined_and_jumped_to(sample_db: sqlite3.Connection, longest: str) -> None:
    outline = session(sample_db, longest, {})["outline"]
    prompts = sample_db.execute("select prompts from session_summaries where uid = ?", [longest]).fetchone()[0]
    assert outline["count"] == len(outline["turns"]) == prompts > 12
    for turn in outline["turns"]:
        page = session(sample_db, longest, {"turn": [str(turn["turn"])]})
        assert turn["entry"] in {entry["uid"] for entry in page["entries"]}
        assert turn["turn"] in page["outline"]["on_page"]
    with pytest.raises(NotFoundError):
        session(sample_db, longest, {"turn": ["999"]})


def test_turns_add_up_to_what_the_session_took(sample_db: sqlite3.Connection, longest: str) -> None:
    data = session(sample_db, longest, {})
    turns = data["outline"]["turns"]
    assert sum(turn["cost_nanocents"] or 0 for turn in turns) == data["usage"]["cost_nanocents"]
    assert [turn["before_ms"] for turn in turns[1:]] == [
        before["before_ms"] + before["duration_ms"] for before in turns[:-1]
    ]
    assert all(turn["x"] >= 0 and turn["x"] + turn["width"] <= 1002 for turn in turns)
    tools = sum(turn["tools"] for turn in turns)
    assert tools == sum(each["times"] for each in data["summary"]["tools"]) > 0


def test_what_the_user_turned_down_did_not_fail(sample_db: sqlite3.Connection) -> None:
    session = sample_db.execute("select session_id from actions where target = 'pip install requests'").fetchone()[0]
    commands = outline.summary(sample_db, session)["commands"]
    (pip,) = [each for each in commands if each["command"] == "pip install requests"]
    assert (pip["times"], pip["errors"], pip["refused"]) == (1, 0, 1)
    assert all(each["times"] >= each["errors"] + each["refused"] for each in commands)


def test_subagents_stand_under_the_turn_that_began_them(sample_db: sqlite3.Connection) -> None:
    child, parent = sample_db.execute(
        "select s.uid, p.uid from sessions s join sessions p on p.id = s.parent_session_id limit 1"
    ).fetchone()
    turns = session(sample_db, parent, {})["outline"]["turns"]
    assert child in [part["uid"] for turn in turns for part in turn["parts"]]


def test_the_margin_says_what_came_of_what_was_shown(sample_db: sqlite3.Connection, longest: str) -> None:
    came: set[str] = set()
    for number in range(1, session(sample_db, longest, {})["pages"] + 1):
        for entry in session(sample_db, longest, {"page": [str(number)]})["entries"]:
            came |= {memory["came_of_it"] for recall in entry["recalls"] for memory in recall["memories"]}
    assert {"used", "ignored"} <= came


def test_words_are_found_in_the_session_alone(sample_db: sqlite3.Connection, longest: str) -> None:
    found = session(sample_db, longest, {"q": ["postgres"]})["found"]
    texts = dict(map(tuple, sample_db.execute(
        "select e.uid, e.text from entries e join session_entries se on se.entry_id = e.id"
        " join sessions s on s.id = se.session_id where s.uid = ?", [longest])))  # fmt: skip
    assert found["count"] == len(found["entries"]) > 0
    assert all("postgres" in texts[each["uid"]].casefold() for each in found["entries"])


def test_a_long_session_is_outlined_in_parts(sample_db: sqlite3.Connection, longest: str) -> None:
    number = sample_db.execute("select id from sessions where uid = ?", [longest]).fetchone()[0]
    last = sample_db.execute("select max(position) from session_entries where session_id = ?", [number]).fetchone()[0]
    for each in range(1, 301):
        sample_db.execute(
            "insert into entries (uid, session_id, role, kind, text, created_at) values (?, ?, 'user', 'prompt', ?, ?)",
            [f"more-{each}", number, f"prompt {each}", utc_text(NOW + timedelta(minutes=each))],
        )
        sample_db.execute("insert into session_entries values (?, last_insert_rowid(), ?)", [number, last + each])
    data = session(sample_db, longest, {"turn": ["250"]})
    outline = data["outline"]
    assert outline["first"] <= 250 <= outline["last"] and outline["before"] and outline["after"]
    assert len(data["entries"]) <= ENTRIES_A_PAGE


@pytest.mark.slow
async def test_sessions_lead_to_the_one_before_and_after(server: Any, sample_path: Path, longest: str) -> None:
    page = soup(await server.client.get(f"/-/memory/sessions/{longest}"))
    before = page.select_one(".over a[rel=prev]")
    assert before is not None
    other = soup(await server.client.get(str(before["href"])))
    after = other.select_one(".over a[rel=next]")
    assert after is not None and str(after["href"]).endswith(longest)


# ------------------------------------------------------------------ Markdown


def tame(text: str) -> None:
    found = BeautifulSoup(markdown(text), "html.parser")
    for element in found.find_all(True):
        assert element.name in ALLOWED, (text, element.name)
        assert set(element.attrs) <= ({"href", "rel"} if element.name == "a" else set()), (text, element.attrs)
        if element.name == "a":
            assert str(element["href"]).lower().startswith(("http://", "https://"))
            assert set(element["rel"]) == {"noopener", "noreferrer", "nofollow"}
    assert not set(hostile_rows.CONTROLS) & set(found.get_text())


PIECES = st.sampled_from(
    ["<script>", "<img src=x onerror=1>", "[a](javascript:alert(1))", "[a](data:text/html,x)", "[a](//x.example)",
     "![p](http://x.example/p.png)", "[a](https://x.example 'title')", "[a]: vbscript:x\n\n[a]", "```html\n<b>\n```\n",
     "| a | b |\n|:-:|--:|\n| 1 | <i> |\n", "# head\n", "3. three\n", "**b** `c` _e_", "> quote\n", "<https://x.example>",
     "<javascript:x>", "\u202e", "\x1b[31m", "&lt;b&gt;", "\n\n", "- item\n", "![a][b]\n\n[b]: http://x.example\n"]
)  # fmt: skip


@given(st.lists(st.one_of(PIECES, st.text(max_size=12)), max_size=12).map("".join))
def test_markdown_of_any_text_is_tame(text: str) -> None:
    tame(text)


def test_markdown_draws_what_models_write() -> None:
    tame(hostile_rows.HOSTILE)
    found = BeautifulSoup(
        markdown("# Done\n\n- **two** tests\n\n```py\nx < 1\n```\n\n![a chart](http://x/y.png)"), "html.parser"
    )
    assert found.select_one("li strong") and found.select_one("pre code").get_text() == "x < 1\n"  # type: ignore[union-attr]
    assert "picture: a chart" in found.get_text() and not found.select("img, h1")
