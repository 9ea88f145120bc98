"""Past recalls: the list of the latest, and for each one why it gave what it gave."""

from contextlib import closing
from datetime import UTC, datetime

from memory_db.connection import connect
from memory_db.pages import compat, reading, web

LISTED = 100
"""How many recalls the list shows; the table `recalls` has them all."""


async def recalls(datasette, request):
    """`/-/memory/recalls` and its JSON form."""

    def make(path):
        with closing(connect(path)) as db:
            return {"recalls": reading.latest_recalls(db, datetime.now(UTC), limit=LISTED)}

    return await web.show(datasette, request, "memory_recalls.html", make)


async def why(datasette, request):
    """`/-/memory/recalls/ID` and its JSON form; ID is the number or the uid of a recall."""

    def make(path):
        with closing(connect(path)) as db:
            return reading.why(db, request.url_vars["key"])

    return await web.show(datasette, request, "memory_why.html", make)


@compat.hookimpl
def register_routes():
    """The list and the why pages."""
    return [
        (r"^/-/memory/recalls(?:\.json)?$", recalls),
        (r"^/-/memory/recalls/(?P<key>[^/.]+)(?:\.json)?$", why),
    ]
