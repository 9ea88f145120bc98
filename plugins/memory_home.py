"""The home page: what is known, how it changed, how recalls do, what it costs, what wants a person."""

from datetime import UTC, datetime

from memory_db.pages import home
from memory_db.pages.web import compat
from memory_db.pages.web import respond as web


async def page(datasette, request):
    """`/`, `/-/memory` and `/-/memory.json`."""

    def make(path):
        return home.home(path, datetime.now(UTC))

    return await web.show(datasette, request, "memory_home.html", make)


@compat.hookimpl
def register_routes():
    """Our home stands where Datasette lists its databases; each database keeps its own page."""
    return [(r"^/$", page), (r"^/-/memory(?:\.json)?$", page)]
