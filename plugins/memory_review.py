"""The review page: what waits for a person, decisions on it, what they would do, and undoing them."""

from datetime import UTC, datetime

from memory_db.pages import deciding, review
from memory_db.pages.web import compat
from memory_db.pages.web import respond as web
from memory_db.pages.web.cache import pooled


async def page(datasette, request):
    """`/-/memory/review` and its JSON form; a POST decides on items."""
    now = datetime.now(UTC)
    if request.method == "POST":
        return await web.change(
            datasette, request, lambda path, fields, actor: deciding.decide(path, fields, by=actor, now=now)
        )

    def make(path):
        with pooled(path) as db:
            return review.queue(db, web.fields_of(request), now)

    return await web.show(datasette, request, "memory_review.html", make)


async def preview(datasette, request):
    """`/-/memory/review/preview` and its JSON form: what an action would do. It takes the write lock for a moment."""
    if not await compat.may_write(datasette, request.actor):
        text = "Not signed in as somebody who may write. Open the link that `memory-db serve` printed."
        as_json = request.path.endswith(".json")
        return await web.refuse(datasette, request, text, status=403, as_json=as_json)

    def make(path):
        return deciding.preview(path, web.fields_of(request), now=datetime.now(UTC))

    return await web.show(datasette, request, "memory_review_preview.html", make)


async def undo(datasette, request):
    """POST `/-/memory/review/undo` and its JSON form: takes a batch back."""

    def make(path, fields, actor):
        return deciding.undo(path, fields, now=datetime.now(UTC))

    return await web.change(datasette, request, make)


@compat.hookimpl
def register_routes():
    """The page, its preview, and where undoing is sent."""
    return [
        (r"^/-/memory/review(?:\.json)?$", page),
        (r"^/-/memory/review/preview(?:\.json)?$", preview),
        (r"^/-/memory/review/undo(?:\.json)?$", undo),
    ]
