"""A memory's page, what a person does about it there, and forgetting it."""

from datetime import UTC, datetime

from memory_db.pages import acting, forgetting, memory
from memory_db.pages.web import compat
from memory_db.pages.web import respond as web
from memory_db.pages.web.cache import pooled


async def page(datasette, request):
    """`/-/memory/memories/UID` and its JSON form."""

    def make(path):
        with pooled(path) as db:
            return memory.memory(db, request.url_vars["uid"], web.fields_of(request), datetime.now(UTC))

    return await web.show(datasette, request, "memory_memory.html", make)


async def forget(datasette, request):
    """`/-/memory/memories/UID/forget`: what would go; POST with field `confirm` does it and shows the proof."""
    uid = request.url_vars["uid"]
    if request.method == "POST":
        return await web.change(
            datasette,
            request,
            lambda path, fields, actor: forgetting.forget_memory(path, uid, fields, now=datetime.now(UTC)),
            template="memory_forgotten.html",
        )

    def make(path):
        with pooled(path) as db:
            return forgetting.preview_of(db, path, uid)

    return await web.show(datasette, request, "memory_forget.html", make)


async def act(datasette, request):
    """POST `/-/memory/memories/UID/ACTION` from the page, the same with .json from a program."""

    def make(path, fields, actor):
        uid, action = request.url_vars["uid"], request.url_vars["action"]
        return acting.act(path, uid, action, fields, by=actor, now=datetime.now(UTC))

    return await web.change(datasette, request, make)


@compat.hookimpl
def register_routes():
    """The page, and where its buttons lead."""
    return [
        (r"^/-/memory/memories/(?P<uid>[^/.]+)(?:\.json)?$", page),
        (r"^/-/memory/memories/(?P<uid>[^/.]+)/forget(?:\.json)?$", forget),
        (r"^/-/memory/memories/(?P<uid>[^/.]+)/(?P<action>[a-z]+)(?:\.json)?$", act),
    ]
