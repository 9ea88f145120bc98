"""How the user wants things done, in three tiers."""

from datetime import UTC, datetime

from memory_db.pages import preferences
from memory_db.pages.web import compat
from memory_db.pages.web import respond as web
from memory_db.pages.web.cache import pooled


async def page(datasette, request):
    """`/-/memory/preferences` and its JSON form."""

    def make(path):
        with pooled(path) as db:
            return preferences.preferences(db, web.fields_of(request), datetime.now(UTC))

    return await web.show(datasette, request, "memory_preferences.html", make)


@compat.hookimpl
def register_routes():
    """The page of the preferences."""
    return [(r"^/-/memory/preferences(?:\.json)?$", page)]
