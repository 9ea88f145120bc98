"""A view for a colleague: its link, and the page as one file that needs no server."""

from __future__ import annotations

import sqlite3
from html import escape
from typing import Any

import pytest
from bs4 import BeautifulSoup

from memory_db.pages.web.one_file import Copier
from memory_db.recall.brief.select import ask
from memory_db.recall.search import Question
from tests.pages.test_pages import PAYLOADS
from tests.support.in_process import one, soup, text_of

QUESTION = "which port has postgres"


@pytest.fixture
def recall(sample_db: sqlite3.Connection, now: Any) -> int:
    """A recall that is logged."""
    uid = ask(sample_db, Question(QUESTION), surface="cli", now=now).recall_uid
    return int(one(sample_db, "select id from recalls where uid = ?", uid))


async def test_an_answer_and_a_recall_have_a_link_and_a_file(server: Any, recall: int) -> None:
    for path in (f"/-/memory/recall?q={QUESTION.replace(' ', '+')}&limit=3", f"/-/memory/recalls/{recall}",
                 "/-/memory/memories?kind=convention"):  # fmt: skip
        page = soup(await server.client.get(path))
        assert page.select_one("a.copies")["href"] == path
        link = page.select_one(".share a[href*=as_file]")["href"]
        answer = await server.client.get(link)
        assert answer.status_code == 200 and answer.headers["content-disposition"].endswith('.html"')
        file = soup(answer)
        heading = "h1" if "memories" in path else ".card, article, h1"
        assert text_of(file.select_one(heading)) and file.select_one("style")
        assert not file.select("script, form, input, button, link, nav, body > header, [src]")
        assert all(each["href"].startswith("#") for each in file.select("a[href]"))
        assert "csrftoken" not in answer.text and "A copy of a page of memory-db" in text_of(file)


async def test_the_file_has_the_words_of_the_page_and_asks_nothing(
    server: Any, sample_db: sqlite3.Connection, recall: int
) -> None:
    before = one(sample_db, "select count(*) from recalls")
    shown = soup(await server.client.get(f"/-/memory/recalls/{recall}"))
    file = soup(await server.client.get(f"/-/memory/recalls/{recall}?as_file=1"))
    assert [text_of(each) for each in shown.select("pre.brief")] == [text_of(each) for each in file.select("pre.brief")]
    await server.client.get(f"/-/memory/recall?q={QUESTION.replace(' ', '+')}&as_file=1")
    assert one(sample_db, "select count(*) from recalls") == before, "a copy is no question"


@pytest.mark.parametrize("path", ["/", "/-/memory/economics", "/-/memory/recalls", "/-/memory/health"])
async def test_a_page_of_a_period_has_a_link_by_its_days_and_a_file(server: Any, path: str) -> None:
    page = soup(await server.client.get(f"{path}?period=7"))
    link, file = page.select(".periods .share a")
    assert ".." in link["href"] and file["href"] == f"{link['href']}&as_file=1"
    days = text_of(soup(await server.client.get(link["href"])).select_one(".periods p b"))
    assert days == link["href"].partition("period=")[2].partition("&")[0].replace("..", " to ")
    named = await server.client.get(link["href"])
    assert "memory_period" not in named.headers.get("set-cookie", ""), (
        "an address that somebody was sent changes no other page"
    )
    assert "no agent did anything since" not in text_of(soup(named).select_one(".periods"))
    saved = soup(await server.client.get(file["href"]))
    assert days in text_of(saved.select_one("main")) and not saved.select("nav, .share, script")


async def test_a_list_as_a_file_has_no_dead_words(server: Any) -> None:
    for path in ("/-/memory/memories", "/-/memory/sessions", "/-/memory/memories?project=quayside&stale=1"):
        page = soup(await server.client.get(path))
        file = soup(await server.client.get(page.select_one(".share a[href*=as_file]")["href"]))
        told = text_of(file.select_one("main"))
        assert not [word for word in ("start over", "×", "JSON", "CSV", "How to see your own") if word in told], path
    assert "project: quayside perhaps out of date" in told


def test_a_small_paragraph_goes_with_its_links_unless_it_says_more() -> None:
    copier = Copier({}, "2026-11-01")
    copier.feed(
        '<main><p class="small"><a href="/x">All</a></p><p class="small"><a href="#y">below</a></p>'
        '<p class="quiet small"><a href="/a.json">JSON</a> · <a href="/a.csv?q=1">CSV</a> · table <a>t</a></p>'
        '<p class="small">Days are in UTC, as in the sums of others · <a href="/a.json">JSON</a></p></main>'
    )
    shown = [text_of(each) for each in BeautifulSoup("".join(copier.parts), "html.parser").select("main > p")[1:]]
    assert shown == ["below", "Days are in UTC, as in the sums of others"]


@pytest.mark.parametrize("payload", PAYLOADS.values())
def test_text_of_the_file_is_no_markup_in_the_copy(payload: str) -> None:
    copier = Copier({}, "2026-11-01")
    copier.feed(f'<main><p title="{escape(payload)}">{escape(payload)}</p></main>')
    copier.close()
    (paragraph,) = BeautifulSoup("".join(copier.parts), "html.parser").select("main > p:not(.quiet)")
    assert (paragraph.get_text(), paragraph["title"]) == (payload, payload) and not paragraph.select("*")


def test_what_needs_a_server_is_dropped_and_words_stay() -> None:
    copier = Copier({"/a.css": "p { color: red }"}, "2026-11-01")
    copier.feed(
        '<!DOCTYPE html><head><link rel="stylesheet" href="/a.css"></head><header>menu</header><main>'
        '<p>1 &lt; 2 <a href="/x">there</a> <a href="#y">here</a></p><header>title</header>'
        "<form><div><form></form></div><input></form><br><p>end</p></main>"
    )
    text = "".join(copier.parts)
    assert "<style>p { color: red }</style>" in text and '1 &lt; 2 <a>there</a> <a href="#y">here</a>' in text
    assert "menu" not in text and "<header>title</header>" in text
    assert "form" not in text and text.endswith("<br><p>end</p></main>")
