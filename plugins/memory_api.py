"""JSON for programs where no page has it; docs/json-api.md lists every path."""

from datetime import UTC, datetime

from memory_db.pages import api, api_writing
from memory_db.pages.web import compat
from memory_db.pages.web import respond as web

MOST_EXCHANGE = 4_000_000
"""Bytes of an exchange that is taken in: the longest that `memory-db import exchange` takes."""


async def stats(datasette, request):
    """`/-/memory/stats.json`."""
    return await web.show(datasette, request, "", api.stats)


async def projects(datasette, request):
    """`/-/memory/projects.json`."""
    return await web.show(datasette, request, "", api.projects)


async def tags(datasette, request):
    """`/-/memory/tags.json`."""
    return await web.show(datasette, request, "", lambda path: api.tags(path, web.fields_of(request)))


async def memories(datasette, request):
    """`/-/memory/memories.json`: a list, and by POST one more."""

    def read(path):
        return api.memories(path, web.fields_of(request), now=datetime.now(UTC))

    def add(path, fields, actor):
        return api_writing.add(path, fields, by=actor, now=datetime.now(UTC))

    if request.method == "POST":
        return await web.change(datasette, request, add)
    return await web.show(datasette, request, "", read)


async def related(datasette, request):
    """`/-/memory/memories/UID/related.json`."""

    def make(path):
        return api.related(path, request.url_vars["uid"], web.fields_of(request), now=datetime.now(UTC))

    return await web.show(datasette, request, "", make)


async def brief(datasette, request):
    """`/-/memory/brief.json`; what a signed-in program asks by POST is logged."""
    fields = await web.fields_asked(request)
    log = request.method == "POST" and request.actor is not None

    def make(path):
        return api.brief(path, fields(), now=datetime.now(UTC), log=log)

    return await web.show(datasette, request, "", make)


async def forget(datasette, request):
    """`/-/memory/forget.json`: what a description is about; nothing is forgotten."""

    def make(path):
        return api.to_forget(path, web.fields_of(request), now=datetime.now(UTC))

    return await web.show(datasette, request, "", make)


async def capture(datasette, request):
    """POST `/-/memory/capture.json`."""

    def make(path, fields, actor):
        return api_writing.capture(path, fields, now=datetime.now(UTC))

    return await web.change(datasette, request, make, most_bytes=MOST_EXCHANGE)


async def retire(datasette, request):
    """POST `/-/memory/memories/retire.json`."""

    def make(path, fields, actor):
        return api_writing.retire_together(path, fields, by=actor, now=datetime.now(UTC))

    return await web.change(datasette, request, make)


async def restore(datasette, request):
    """POST `/-/memory/memories/restore.json`."""

    def make(path, fields, actor):
        return api_writing.restore_together(path, fields, by=actor, now=datetime.now(UTC))

    return await web.change(datasette, request, make)


@compat.hookimpl(tryfirst=True)
def register_routes():
    """The paths, before that of a memory's page, which would take `retire` for a uid."""
    return [
        (r"^/-/memory/stats\.json$", stats),
        (r"^/-/memory/projects\.json$", projects),
        (r"^/-/memory/tags\.json$", tags),
        (r"^/-/memory/memories\.json$", memories),
        (r"^/-/memory/memories/retire\.json$", retire),
        (r"^/-/memory/memories/restore\.json$", restore),
        (r"^/-/memory/memories/(?P<uid>[^/.]+)/related\.json$", related),
        (r"^/-/memory/brief\.json$", brief),
        (r"^/-/memory/forget\.json$", forget),
        (r"^/-/memory/capture\.json$", capture),
    ]
