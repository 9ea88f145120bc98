"""The home page: what is in the file, what can be asked of it, how fresh it is."""

from contextlib import closing
from datetime import UTC, datetime

from memory_db.connection import connect
from memory_db.pages import compat, reading, web


async def home(datasette, request):
    """`/` and `/-/memory.json`."""

    def make(path):
        with closing(connect(path)) as db:
            return reading.home(db, datetime.now(UTC))

    return await web.show(datasette, request, "memory_home.html", make)


@compat.hookimpl
def register_routes():
    """Our home stands where Datasette lists its databases; each database keeps its own page."""
    return [(r"^/$", home), (r"^/-/memory(?:\.json)?$", home)]
