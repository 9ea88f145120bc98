"""A session of the past, readable: what was said, and in the margin what came of it."""

from memory_db.pages import sessions
from memory_db.pages.web import compat
from memory_db.pages.web import respond as web
from memory_db.pages.web.cache import pooled


async def session(datasette, request):
    """`/-/memory/sessions/UID` and its JSON form."""

    def make(path):
        with pooled(path) as db:
            return sessions.session(db, request.url_vars["uid"], web.fields_of(request))

    return await web.show(datasette, request, "memory_session.html", make)


@compat.hookimpl
def register_routes():
    """The page of a session."""
    return [(r"^/-/memory/sessions/(?P<uid>.+?)(?:\.json)?$", session)]
