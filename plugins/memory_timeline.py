"""Memories over time, as a river and as a list."""

from memory_db.pages import timeline
from memory_db.pages.web import compat
from memory_db.pages.web import respond as web
from memory_db.pages.web.cache import pooled


async def page(datasette, request):
    """`/-/memory/timeline` and its JSON form."""

    def make(path):
        with pooled(path) as db:
            return timeline.timeline(db, web.fields_of(request))

    return await web.show(datasette, request, "memory_timeline.html", make)


@compat.hookimpl
def register_routes():
    """The page of the timeline."""
    return [(r"^/-/memory/timeline(?:\.json)?$", page)]
