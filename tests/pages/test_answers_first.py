"""The Ask page begins with what answers the question, where something does."""

from __future__ import annotations

from typing import Any

from tests.support.in_process import soup, text_of

MIGRATIONS = "/-/memory/recall?q=how+do+we+run+the+migrations"


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


async def test_nothing_is_said_of_how_where_nothing_is_known_or_asked(server: Any) -> None:
    for asked in (f"{MIGRATIONS}&project=lanternfish", "/-/memory/recall?q=which+port+has+postgres"):
        assert not soup(await server.client.get(asked)).select(".how"), asked
    data = (await server.client.get(f"{MIGRATIONS.replace('recall?', 'recall.json?')}")).json()
    assert [each["project"] for each in data["procedures"]] == ["tidepool"]
