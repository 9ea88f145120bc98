"""What can be set, and setting it."""

from datetime import UTC, datetime

from memory_db.pages import compat, settings, web
from memory_db.pages.opened import opened


async def page(datasette, request):
    """`/-/memory/settings` and its JSON form; a POST there sets one."""
    if request.method == "POST":
        return await web.change(datasette, request, change)

    def make(path):
        with opened(path) as db:
            return settings.listed(db)

    return await web.show(datasette, request, "memory_settings.html", make)


def change(path, fields, actor):
    """Sets what a form or a program names."""
    return settings.change(path, fields, datetime.now(UTC))


@compat.hookimpl
def register_routes():
    """The page and its JSON form."""
    return [(r"^/-/memory/settings(?:\.json)?$", page)]
