"""A session of the past, readable: what was said, and in the margin what came of it."""

from contextlib import closing

from memory_db.connection import connect
from memory_db.pages import compat, sessions, web


async def session(datasette, request):
    """`/-/memory/sessions/UID` and its JSON form."""

    def make(path):
        with closing(connect(path)) as db:
            return sessions.session(db, request.url_vars["uid"], web.fields_of(request))

    return await web.show(datasette, request, "memory_session.html", make)


@compat.hookimpl
def register_routes():
    """The page of a session."""
    return [(r"^/-/memory/sessions/(?P<uid>.+?)(?:\.json)?$", session)]
