"""Sliders in a real browser: they rank as the server does, say what they did, can be taken back and kept."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from memory_db.pages.web.serve import Served, running
from memory_db.recall.brief import select as brief
from memory_db.recall.search import Question, load_profile
from memory_db.store.connection import connect
from memory_db.store.schema import open_database
from tests.conftest import NOW
from tests.support.browsing import MARKS, a_visitor

pytestmark = [*MARKS, pytest.mark.usefixtures("chromium")]

QUESTION = "how do we run the migrations"

SHOWN = '[data-ranking="shown"] > [data-hit]'

ORDER = "elements => elements.map(element => element.id)"

SCORES = "elements => elements.map(element => element.querySelector('.total').textContent)"


@pytest.fixture
def server(sample_path: Path) -> Iterator[Served]:
    with closing(open_database(sample_path, now=NOW)) as db:
        brief.ask(db, Question(QUESTION, profile="hook", limit=6), surface="cli", now=NOW)
    with running(sample_path) as served:
        yield served


@pytest.fixture
def page(server: Served) -> Iterator[Any]:
    """A signed-in visitor; what a page complains of fails the test."""
    with a_visitor(server.link) as visitor:
        yield visitor


def ask(page: Any, server: Served, **fields: str) -> None:
    page.goto(f"{server.url}/-/memory/recall?{urlencode({'q': QUESTION, **fields})}")
    page.locator("#weights > summary").click()


def order(page: Any) -> list[str]:
    ids: list[str] = page.eval_on_selector_all(SHOWN, ORDER)
    return ids


def everything(page: Any) -> dict[str, Any]:
    """What an order consists of: the hits of both lists, their scores, their numbers, why some are left out."""
    return {
        "shown": order(page),
        "others": page.eval_on_selector_all('[data-ranking="others"] > [data-hit]', ORDER),
        "scores": page.eval_on_selector_all("[data-hit]", SCORES),
        "numbers": page.eval_on_selector_all("[data-hit]", "elements => elements.map(element => element.dataset.hit)"),
        "reasons": page.eval_on_selector_all(
            '[data-ranking="others"] .reason', "elements => elements.map(element => element.textContent)"
        ),
        "bars": page.eval_on_selector_all(
            "[data-hit] svg.bar", "elements => elements.map(element => element.getAttribute('aria-label'))"
        ),
    }


def set_weight(page: Any, name: str, value: str) -> None:
    page.fill(f"#w-{name}", value)


def test_untouched_sliders_give_what_the_server_gave(page: Any, server: Served) -> None:
    ask(page, server)
    before = everything(page)
    assert before["shown"] and before["others"]
    page.evaluate("document.getElementById('w-scope').dispatchEvent(new Event('input'))")
    after = everything(page)
    assert after["scores"] == before["scores"], "the sum of weights and signals is the server's score"
    assert after["shown"] == before["shown"] and after["others"] == before["others"]
    assert after["bars"] == before["bars"]
    assert not page.locator(".moved").count()


@pytest.mark.parametrize(
    "changes", [{"recency": "0.6"}, {"keyword": "0.9", "semantic": "0"}, {"context_keyword": "1", "time_window": "0"}]
)
def test_a_moved_slider_ranks_as_the_server_does(page: Any, server: Served, changes: dict[str, str]) -> None:
    ask(page, server)
    before = order(page)
    for name, value in changes.items():
        set_weight(page, name, value)
    after = order(page)
    assert after != before
    assert page.locator(".moved").count() > 0
    assert page.locator("#weights-status").inner_text().endswith(".")
    weights = {f"w.{name}": value for name, value in changes.items()}
    response = page.request.get(f"{server.url}/-/memory/recall.json?{urlencode({'q': QUESTION, **weights})}")
    theirs = {f"{hit['type']}-{hit['uid']}": hit["score"] for hit in hits_of(response.json())}
    ours = page.eval_on_selector_all(
        "[data-score]", "elements => elements.map(element => [element.id, Number(element.dataset.score)])"
    )
    assert len(ours) > 20
    for uid, score in ours:
        assert uid not in theirs or score == pytest.approx(theirs[uid], abs=2e-6)
    assert sum(uid in theirs for uid, _ in ours) > 10
    scores = page.eval_on_selector_all(SHOWN, "elements => elements.map(element => Number(element.dataset.score))")
    assert scores == sorted(scores, reverse=True)


def test_the_question_itself_stays_last_while_sliders_move(page: Any, server: Served) -> None:
    ask(page, server, q="suppose we always cached predictions for a day, how stale could they get?")
    itself = f"{SHOWN}:last-child .asked-before"
    assert page.locator(itself).count() == 1
    before = everything(page)
    for name in ("recency", "keyword"):
        set_weight(page, name, "0.9")
        assert page.locator(itself).count() == 1 and order(page)[-1] == before["shown"][-1]
    page.locator("#weights-reset").click()
    assert everything(page) == before


def hits_of(data: dict[str, Any]) -> list[dict[str, Any]]:
    return [*data["answer"]["hits"], *data["answer"]["others"]]


def test_the_keyboard_moves_a_slider_and_reset_takes_it_back(page: Any, server: Served) -> None:
    ask(page, server)
    before = everything(page)
    slider = page.locator("input[type=range][aria-label='recency, slider']")
    slider.focus()
    assert page.locator("#weights-reset").is_hidden()
    page.keyboard.press("End")
    assert page.input_value("#w-recency") == "1"
    assert order(page) != before["shown"]
    assert "as asked" in page.evaluate(
        "getComputedStyle(document.querySelector('.numbers summary'), '::after').content"
    )
    page.locator("#weights-reset").click()
    assert everything(page) == before
    assert "nothing is changed" in page.locator("#weights-status").inner_text()


def test_a_threshold_takes_hits_out_with_the_reason(page: Any, server: Served) -> None:
    ask(page, server)
    page.fill("#w-threshold", "0.99")
    assert order(page) == []
    page.locator("#left-out > summary").click()
    assert page.locator('[data-ranking="others"] .reason', has_text="below the threshold").count() > 5
    assert "went out" in page.locator("#weights-status").inner_text()
    page.fill("#w-threshold", "")
    assert order(page)


def test_all_weights_at_nothing_are_refused_in_words(page: Any, server: Served) -> None:
    ask(page, server, profile="keyword_only")
    before = order(page)
    set_weight(page, "keyword", "0")
    assert "All weights are 0" in page.locator("#weights-status").inner_text()
    assert order(page) == before


def test_hits_are_judged_by_a_key_after_the_order_changed(page: Any, server: Served, sample_path: Path) -> None:
    ask(page, server)
    set_weight(page, "recency", "0.6")
    best = order(page)[0]
    page.locator("h1").click()
    page.keyboard.press("j")
    assert page.evaluate("document.activeElement.id") == best
    page.keyboard.press("r")
    page.wait_for_selector("#judging-status:has-text('relevant')")
    with closing(connect(sample_path)) as db:
        judged = db.execute(
            "select coalesce(m.uid, e.uid) from judgements j left join memories m on m.id = j.memory_id"
            " left join entries e on e.id = j.entry_id join labelled_queries q on q.id = j.labelled_query_id"
            " join query_sets s on s.id = q.query_set_id where s.name = 'own'"
        ).fetchall()
    assert [row[0] for row in judged] == [best.partition("-")[2]]


def sides(page: Any) -> list[str]:
    """The profiles that stand side by side."""
    return [text.splitlines()[0] for text in page.locator("table.sides thead th").all_inner_texts()[1:]]


def test_moved_weights_are_saved_and_their_effect_is_seen(page: Any, server: Served, sample_path: Path) -> None:
    ask(page, server)
    set_weight(page, "recency", "0.6")
    set_weight(page, "keyword", "0")
    page.fill("#weights-save input[name=name]", "fresher")
    page.locator("#weights-save button").click()
    page.wait_for_url("**/-/memory/compare?*")
    assert sides(page) == ["default 1", "fresher 1"]
    assert page.is_checked("input[name=profile][value=fresher]")
    with closing(connect(sample_path)) as db:
        saved = load_profile(db, "fresher").weights
        base = load_profile(db, "default").weights
    assert "keyword" not in saved
    assert saved["recency"] / saved["scope"] == pytest.approx(0.6 / base["scope"])


def test_the_sliders_work_on_a_past_recall(page: Any, server: Served, sample_path: Path) -> None:
    with closing(sqlite3.connect(sample_path)) as db:
        number = db.execute("select max(id) from recalls").fetchone()[0]
    page.goto(f"{server.url}/-/memory/recalls/{number}")
    page.locator("#weights > summary").click()
    before = everything(page)
    set_weight(page, "recency", "0.9")
    assert order(page) != before["shown"] and len(order(page)) == len(before["shown"])
    page.locator("#weights-reset").click()
    assert everything(page) == before
    data = json.loads(page.get_attribute("#weights-form", "data-weights"))
    assert data["limit"] == 6
    set_weight(page, "recency", "0.9")
    page.fill("#weights-save input[name=name]", "fresher")
    page.locator("#weights-save button").click()
    page.wait_for_url(f"**/-/memory/compare?recall={number}&*")
    assert sides(page) == ["hook 1", "fresher 1"]


def test_what_a_reader_unfolds_stays_open(page: Any, server: Served) -> None:
    ask(page, server)
    for selector in ("article.hit:nth-of-type(1) .numbers", "article.hit:nth-of-type(2) .numbers", "#weights .more"):
        page.locator(f"{selector} > summary").click()
    assert page.locator(".memory details[open]").count() == 4
    page.locator("#weights .more > summary").click()
    page.locator("h1").click()
    assert page.locator(".memory details[open]").count() == 3
