"""Weights set on a page, saved as a profile."""

from datetime import UTC, datetime

from memory_db.pages import saving
from memory_db.pages.web import compat
from memory_db.pages.web import respond as web


async def profiles(datasette, request):
    """POST `/-/memory/profiles` from a page, `/-/memory/profiles.json` from a program."""

    def make(path, fields, actor):
        return saving.save(path, fields, saved_by=actor, now=datetime.now(UTC))

    return await web.change(datasette, request, make)


@compat.hookimpl
def register_routes():
    """Where weights are sent."""
    return [(r"^/-/memory/profiles(?:\.json)?$", profiles)]
