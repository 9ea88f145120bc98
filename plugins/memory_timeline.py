"""Memories over time, as a river and as a list."""

from contextlib import closing

from memory_db.connection import connect
from memory_db.pages import compat, timeline, web


async def page(datasette, request):
    """`/-/memory/timeline` and its JSON form."""

    def make(path):
        with closing(connect(path)) as db:
            return timeline.timeline(db, web.fields_of(request))

    return await web.show(datasette, request, "memory_timeline.html", make)


@compat.hookimpl
def register_routes():
    """The page of the timeline."""
    return [(r"^/-/memory/timeline(?:\.json)?$", page)]
