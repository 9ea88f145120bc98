"""The page of sixteen questions: its figures are those of the views."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_db.pages.sixteen import COUNT, QUESTIONS, in_words, wilson
from memory_db.store.connection import connect
from tests.support.in_process import one, soup


async def test_what_was_spent_is_all_calls_once(server: Any, served_file: Path) -> None:
    found = {each["key"]: each for each in (await server.client.get("/-/memory/questions.json")).json()["questions"]}
    with closing(connect(served_file)) as db:
        assert found["C7"]["number"] == one(db, "select sum(cost_nanocents) from call_costs") > 0
        assert found["C5"]["total"] == one(db, "select count(*) from memories where status = 'active'")


@pytest.mark.slow
async def test_every_link_leads_somewhere(server: Any) -> None:
    shown = soup(await server.client.get("/-/memory/questions"))
    assert len(shown.select("tbody tr")) == len(QUESTIONS) == 16
    for address in {link["href"] for link in shown.select("tbody a")}:
        assert (await server.client.get(address)).status_code == 200, address


def test_one_thing_is_told_as_one() -> None:
    for each in QUESTIONS:
        if each.figure == COUNT:
            one, two = in_words(each, [1])["said"], in_words(each, [2])["said"]
            assert one == f"1 {each.one}" and two == f"2 {each.words}" and each.one != each.words


@given(st.integers(1, 10_000).flatmap(lambda total: st.tuples(st.integers(0, total), st.just(total))))
def test_an_interval_holds_its_share(counts: tuple[int, int]) -> None:
    low, high = wilson(*counts)
    assert 0 <= low <= counts[0] / counts[1] + 1e-9 and counts[0] / counts[1] - 1e-9 <= high <= 1
