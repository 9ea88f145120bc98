"""The recall explorer: ask, and see every number behind the answer."""

from datetime import UTC, datetime

from memory_db.pages import asking, compat, web

OWN_PAGES = (None, "none", "same-origin")
"""Values of Sec-Fetch-Site of a visit that no other site brought about; older browsers send none."""


async def explorer(datasette, request):
    """`/-/memory/recall` and its JSON form, for which a program may also POST its fields.

    Anybody who may read the file is answered; only a signed-in visitor's
    question is logged, and not when another site sent the visitor here.
    """
    log = request.actor is not None and request.headers.get("sec-fetch-site") in OWN_PAGES

    fields = await web.fields_asked(request)

    def make(path):
        return asking.explore(path, fields(), now=datetime.now(UTC), log=log)

    return await web.show(datasette, request, "memory_recall.html", make)


@compat.hookimpl
def register_routes():
    """The explorer, as a page and as JSON."""
    return [(r"^/-/memory/recall(?:\.json)?$", explorer)]
