"""One question under several profiles, side by side, and their totals over a query set."""

from datetime import UTC, datetime

from memory_db.pages import comparing
from memory_db.pages.web import compat
from memory_db.pages.web import respond as web


async def compare(datasette, request):
    """`/-/memory/compare` and its JSON form; it asks or reads, and logs nothing."""

    def make(path):
        waits = request.path.endswith(".json")
        return comparing.compare(path, web.fields_of(request), now=datetime.now(UTC), waits=waits)

    return await web.show(datasette, request, "memory_compare.html", make)


@compat.hookimpl
def register_routes():
    """The page and its JSON form."""
    return [(r"^/-/memory/compare(?:\.json)?$", compare)]
