"""Whatever stands in an address, no page of ours breaks: a bad value is told in one line.

Which pages there are is read from the table of pages (page_routes.py).
"""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from bs4 import BeautifulSoup
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory_db.store.connection import connect
from tests.support.page_routes import routes

pytestmark = [pytest.mark.slow, pytest.mark.pinned_datasette]

MOST_BYTES = 150_000

PARAMETERS = (
    "q project profile kind scope limit budget since until as_of page entry view sort order set recall other hops uid"
    " status tier days weeks weight zone date from to id ids action next focus year month layer tag type role by show"
).split()
"""Names that pages may read, besides those that their forms and links have."""

VALUES = st.one_of(
    st.sampled_from(
        ["", "0", "-1", "1e999", "nan", "9" * 40, "1.5", "١", "true", "../../etc/passwd", "'; drop table memories; --",
         "<script>alert(1)</script>", "{{ 7 * 7 }}", "\x00", "\x1b[31m", "%", "2026-13-45", "9999-12-31", "-0001-01-01",
         "0001-01-01", "last week", "x" * 3000, "a,b,c", "default", "tidepool", "all"]
    ),
    st.integers().map(str),
    st.floats().map(str),
    st.text(max_size=40).filter(lambda text: not any("\ud800" <= each <= "\udfff" for each in text)),
)  # fmt: skip


@pytest.fixture
def served_file(sample_file: Path) -> Path:
    """The sample itself, which is only read."""
    return sample_file


async def names_of(server: Any, asked: str) -> set[str]:
    """The parameters that a page's own forms and links have."""
    answer = await server.client.get(asked, cookies={"ds_actor": server.sign({"a": {"id": "root"}}, "actor")})
    found = BeautifulSoup(answer.text, "html.parser")
    names = {str(field["name"]) for field in found.select("form[method!=post] [name]")}
    for link in found.select(".memory a[href*='?']"):
        names |= {part.partition("=")[0] for part in str(link["href"]).partition("?")[2].split("&")}
    return {name for name in names if name.isidentifier()}


def tried(names: list[str]) -> list[list[tuple[str, str]]]:
    """Some addresses' fields: by name, of which the page's own are the likelier."""
    found: list[list[tuple[str, str]]] = []

    @settings(max_examples=12, database=None, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(st.lists(st.tuples(st.sampled_from([*names, *names, *PARAMETERS]), VALUES), min_size=1, max_size=4))
    def gather(fields: list[tuple[str, str]]) -> None:
        found.append(fields)

    gather()
    return found


async def test_no_value_in_an_address_breaks_a_page(server: Any, sample_file: Path) -> None:
    with closing(connect(sample_file)) as db:
        every = list(dict.fromkeys(route.path.partition("?")[0] for route in routes(db)))
    own = {asked: sorted(await names_of(server, asked)) or ["q"] for asked in every}
    for asked in every:
        for fields in tried(own[asked]):
            answer = await server.client.get(f"{asked}?{urlencode(fields)}")
            assert answer.status_code < 500, (asked, fields, answer.text[:500])
            assert asked.endswith(".json") or len(answer.content) < MOST_BYTES, (asked, fields)
