"""What it costs and what it saves: by source, project, model and day."""

from datetime import UTC, datetime

from memory_db.pages import economics
from memory_db.pages.web import compat
from memory_db.pages.web import respond as web


async def page(datasette, request):
    """`/-/memory/economics` and its JSON form; `days` or `from` and `to`, and `project`, choose what is added up."""

    def make(path):
        return economics.economics(path, web.fields_of(request), now=datetime.now(UTC))

    return await web.show(datasette, request, "memory_economics.html", make)


@compat.hookimpl
def register_routes():
    """The page and its JSON."""
    return [(r"^/-/memory/economics(?:\.json)?$", page)]
