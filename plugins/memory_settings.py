"""What can be set, and setting it."""

from datetime import UTC, datetime

from memory_db.pages import settings
from memory_db.pages.web import compat
from memory_db.pages.web import respond as web
from memory_db.pages.web.cache import pooled


async def page(datasette, request):
    """`/-/memory/settings` and its JSON form; a POST there sets one."""
    if request.method == "POST":
        return await web.change(datasette, request, change)

    def make(path):
        with pooled(path) as db:
            return settings.listed(db)

    return await web.show(datasette, request, "memory_settings.html", make)


def change(path, fields, actor):
    """Sets what a form or a program names."""
    return settings.change(path, fields, datetime.now(UTC))


@compat.hookimpl
def register_routes():
    """The page and its JSON form."""
    return [(r"^/-/memory/settings(?:\.json)?$", page)]
