"""The pages of projects: what each holds and costs, and what a person does about one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from memory_db.store.connection import connect
from tests.support.in_process import one, soup, text_of

HERE = "/-/memory/projects"


@pytest.fixture
def db(served_file: Path) -> Iterator[Any]:
    with closing(connect(served_file)) as connection:
        yield connection


async def send(server: Any, key: str, action: str, **fields: str) -> Any:
    """What a form of the project's page sends."""
    page = await server.client.get(f"{HERE}/{key}")
    token = soup(page).select_one("input[name=csrftoken]")["value"]
    cookies = {**server.client.cookies, **page.cookies}
    return await server.client.post(f"{HERE}/{key}/{action}", data={"csrftoken": token, **fields}, cookies=cookies)


@pytest.mark.slow
async def test_counts_and_cost_are_those_of_the_views(server: Any, db: Any) -> None:
    listed = (await server.client.get(f"{HERE}.json")).json()["projects"]
    assert {each["name"] for each in listed} == {"tidepool", "lanternfish", "quayside"}
    for each in listed:
        cost = "select cost_nanocents from project_costs where project = ?"
        assert each["cost_nanocents"] == one(db, cost, each["name"])
        shown = soup(await server.client.get(f"{HERE}/{each['id']}"))
        kinds = [int(text_of(cell)) for cell in shown.select("section:first-of-type tbody td:nth-of-type(1)")]
        assert sum(kinds) == each["memories"] > 0
        link = shown.select_one("a[href^='/-/memory/sessions?project=']")
        assert text_of(link).startswith(f"{each['sessions']} session")
        behind = await server.client.get(link["href"].replace("sessions?", "sessions.json?"))
        assert behind.json()["total"] == each["sessions"], "subagents' are counted in neither"
        assert (await server.client.get(f"{HERE}/{each['name']}.json")).json()["project"]["id"] == each["id"]


@pytest.mark.slow
async def test_a_project_is_renamed_linked_and_left_alone(server: Any, db: Any) -> None:
    assert (await send(server, "tidepool", "rename", name="tides")).status_code == 303
    assert one(db, "select count(*) from audit_log where action = 'projects rename' and said = 'tides'") == 1
    taken = await send(server, "tides", "rename", name="quayside")
    assert taken.status_code == 400 and "called quayside already" in taken.text
    assert (await send(server, "tides", "rename", name=" ")).status_code == 400
    assert (await send(server, "tides", "link", other="quayside")).status_code == 303
    assert "Memories of quayside hold here too" in text_of(soup(await server.client.get(f"{HERE}/tides")))
    assert (await send(server, "tides", "unlink", other="quayside")).status_code == 303
    assert one(db, "select count(*) from project_links") == 0
    assert (await send(server, "tides", "ignore")).status_code == 303
    assert "Nothing more" not in (shown := (await server.client.get(f"{HERE}/tides")).text) and "left alone" in shown
    assert (await send(server, "tides", "unignore")).status_code == 303
    assert not (await server.client.get(f"{HERE}.json")).json()["ignored"]


@pytest.mark.slow
async def test_merging_is_shown_first_and_asks_whether_one_is_sure(server: Any, db: Any) -> None:
    memories = one(db, "select count(*) from memories where project_id is not null")
    assert (await send(server, "tidepool", "merge", other="quayside")).status_code == 400
    assert (await send(server, "tidepool", "merge", other="quayside", dry_run="1", sure="1")).status_code == 303
    assert one(db, "select count(*) from projects") == 3
    assert (await send(server, "tidepool", "merge", other="quayside", sure="1")).status_code == 303
    assert one(db, "select count(*) from projects") == 2
    assert one(db, "select count(*) from memories where project_id is not null") == memories


@pytest.mark.slow
async def test_what_is_not_there_is_one_line(server: Any) -> None:
    for path in ("999", "no-such-project"):
        assert (await server.client.get(f"{HERE}/{path}")).status_code == 404
    assert (await send(server, "tidepool", "paint")).status_code == 404
