"""The Ask page begins with what answers the question, where something does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from tests.support.in_process import signed_in, soup, text_of
from tests.support.reading_model import registered
from tests.support.rows import rows
from tests.support.talking_model import TalkingModel

MIGRATIONS = "/-/memory/recall?q=how+do+we+run+the+migrations"


@pytest.mark.slow
async def test_how_something_is_done_stands_before_the_hits(server: Any) -> None:
    for project in ("", "&project=tidepool"):
        shown = soup(await server.client.get(f"{MIGRATIONS}{project}"))
        [line] = shown.select(".how li")
        assert text_of(line.select_one("code")) == "uv run alembic upgrade head"
        assert "succeeded 4 times" in text_of(line) and "in tidepool" in text_of(line)
        row = await server.client.get(line.select_one("a")["href"])
        assert row.status_code == 200 and "alembic upgrade head" in row.text
        sections = [each.get("class", [""])[0] for each in shown.select("section, article.hit")]
        assert sections.index("how") < sections.index("hit")


@pytest.mark.slow
async def test_nothing_is_said_of_how_where_nothing_is_known_or_asked(server: Any) -> None:
    for asked in (f"{MIGRATIONS}&project=lanternfish", "/-/memory/recall?q=which+port+has+postgres"):
        assert not soup(await server.client.get(asked)).select(".how"), asked
    data = (await server.client.get(f"{MIGRATIONS.replace('recall?', 'recall.json?')}")).json()
    assert [each["project"] for each in data["procedures"]] == ["tidepool"]


@pytest.mark.slow
async def test_a_change_is_told_with_footnotes_before_the_hits(server: Any) -> None:
    shown = soup(await server.client.get("/-/memory/recall?q=when+did+we+switch+from+npm+to+pnpm"))
    clauses = shown.select(".first-answer .clauses > li")
    assert [text_of(each.select_one(".when")) for each in clauses] == [
        "2026-08-26 to 2026-09-15", "since 2026-09-15",
    ]  # fmt: skip
    for clause in clauses:
        [mark] = clause.select("sup a")
        note = shown.select_one(mark["href"])
        where = note.select("a")[-1]["href"]
        assert (await server.client.get(where)).status_code == 200


@pytest.mark.slow
async def test_a_contradiction_leads_to_where_it_is_settled(server: Any) -> None:
    asked = "/-/memory/recall?q=since+when+do+we+convert+readings+when+they+are+ingested"
    shown = soup(await server.client.get(asked))
    settle = shown.select_one(".first-answer .clause-contradicted a[href*='review']")["href"]
    review = soup(await server.client.get(settle))
    item = review.select_one(f"#{settle.partition('#')[2]}")
    uids = [text_of(link) for link in item.select("a.uid")]
    assert len(uids) == 2
    for uid in uids:
        line = soup(await server.client.get(f"/-/memory/memories/{uid}")).select_one("p.clash")
        assert line.select_one(f"a[href='{settle}']") and text_of(line).startswith("It contradicts “")
    headers = {"content-type": "application/json", "authorization": "Bearer of-a-plugin"}
    decided = await server.client.post(
        "/-/memory/review.json", cookies=signed_in(server), content=json.dumps({"both": item["id"]}), headers=headers
    )
    assert decided.status_code == 200, decided.text
    for page in (asked, *(f"/-/memory/memories/{uid}" for uid in uids)):
        assert not soup(await server.client.get(page)).select(f"a[href='{settle}']"), page


@pytest.mark.slow
async def test_the_question_itself_stands_behind_what_may_answer_it(server: Any) -> None:
    asked = "suppose we always cached predictions for a day, how stale could they get?"
    first = (await server.client.get(f"/-/memory/recall.json?q={quote(asked)}")).json()["first"]
    assert first["sort"] == "nothing" and asked not in [clause["text"] for clause in first["clauses"]]
    shown = soup(await server.client.get(f"/-/memory/recall?q={quote(asked.upper().rstrip('?'))}"))
    cards = shown.select("[data-ranking=shown] article.hit")
    [earlier] = shown.select(".asked-before")
    assert cards[-1] is earlier.parent and cards[-1]["data-hit"] == "1" and "It ranks 1" in text_of(earlier)
    assert [card["data-hit"] for card in cards[:-1]] == [str(rank) for rank in range(2, len(cards) + 1)]


@pytest.mark.slow
async def test_a_count_is_answered_by_the_rows_of_a_ready_question(server: Any) -> None:
    shown = soup(await server.client.get("/-/memory/recall?q=which+files+do+we+edit+most"))
    assert len(shown.select(".first-answer tr")) == 6
    link = shown.select(".first-answer a")[-1]
    assert "25 rows" in text_of(link)
    assert (await server.client.get(link["href"])).status_code == 200


@pytest.mark.slow
async def test_nothing_known_is_said_with_what_is_near(server: Any) -> None:
    shown = soup(await server.client.get("/-/memory/recall?q=who+painted+the+Eiffel+tower"))
    assert text_of(shown.select_one(".first-answer h2")) == "Nothing known"
    for link in shown.select(".first-answer li a"):
        assert (await server.client.get(link["href"])).status_code == 200


# ------------------------------------------------------------------ in prose


@pytest.mark.slow
async def test_the_cost_is_told_before_and_prose_has_the_same_footnotes(
    server: Any, served_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = TalkingModel(["Since September you use pnpm [mf3f1ed1d], ", "says [m00000000]."], tokens=(120, 9))
    monkeypatch.setattr("llm.get_default_model", lambda: "talker")
    question = "when did we switch from npm to pnpm"
    with registered(model):
        before = await server.client.get("/-/memory/prose", params={"q": question})
        told = soup(before)
        assert "at a price that is not known" in told.get_text() and not model.asked
        fields = {each["name"]: each["value"] for each in told.select("form[action$=prose] input")}
        cookies = {**server.client.cookies, **before.cookies}
        dry = await server.client.post("/-/memory/prose.json", data={**fields, "dry_run": "1"}, cookies=cookies)
        assert "talker would be sent" in dry.json()["said"] and dry.json()["dry_run"] and not model.asked
        assert rows(served_file, "select count(*) from model_calls where purpose = 'ask'") == [(0,)]
        done = await server.client.post("/-/memory/prose", data=fields, cookies=cookies)
    assert done.status_code == 200, done.text
    shown = soup(done)
    [mark] = shown.select("sup a")
    assert "/-/memory/memories/mf3f1ed1d" in [each["href"] for each in shown.select_one(mark["href"]).select("a")]
    assert "[m00000000]" in shown.get_text()
    assert rows(served_file, "select text from entries where kind = 'reply' order by id desc limit 1") == [
        ("Since September you use pnpm [mf3f1ed1d], says [m00000000].",)
    ]
    assert rows(served_file, "select count(*) from model_calls where purpose = 'ask'") == [(1,)]


@pytest.mark.slow
async def test_no_model_is_one_line(server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("llm.get_default_model", lambda: "no-such-model")
    shown = soup(await server.client.get("/-/memory/prose?q=which+port"))
    assert "no-such-model" in text_of(shown.select_one(".error-line"))
    assert not shown.select("form[action$=prose]")


@pytest.mark.slow
async def test_a_hit_that_rests_on_what_was_replaced_is_marked(server: Any) -> None:
    shown = soup(await server.client.get("/-/memory/recall?q=which+port+has+postgres"))
    [marked] = [
        each for each in shown.select("article.hit") if "no longer holds" in text_of(each.select_one(".origin"))
    ]
    old = marked.select_one('.origin a[href*="/memories/"]')["href"]
    assert (await server.client.get(f"{old}.json")).json()["memory"]["status"] == "superseded"


@pytest.mark.slow
async def test_why_not_is_asked_from_the_answer_itself(server: Any) -> None:
    asked = "/-/memory/recall?q=which+port+has+postgres"
    shown = soup(await server.client.get(asked, headers={"sec-fetch-site": "same-origin"}))
    form = shown.select_one("form.why-not-form")
    found = soup(await server.client.get(f"{form['action'].partition('#')[0]}?not=pnpm"))
    assert found.select("#why-not li a")
    assert "of the question" in text_of(shown.select_one("article.hit .because"))
    assert shown.select_one(".reasons .quiet"), "each reason says what it means"
