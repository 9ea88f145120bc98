"""The recall explorer: ask, and see every number behind the answer."""

from datetime import UTC, datetime

from memory_db.pages import api, asking
from memory_db.pages.web import compat
from memory_db.pages.web import respond as web

SENT_FIELDS = (*asking.QUESTION_FIELDS, "as", "w.*", "threshold", "dry_run")
"""What a program may send; in an address further fields are passed over, as in that of any page."""

OWN_PAGES = (None, "none", "same-origin")
"""Values of Sec-Fetch-Site of a visit that no other site brought about; older browsers send none."""


async def explorer(datasette, request):
    """`/-/memory/recall` and its JSON form, for which a program may also POST its fields.

    Anybody who may read the file is answered; only a signed-in visitor's
    question is logged, and not when another site sent the visitor here, nor with the field `dry_run`.
    """
    log = request.actor is not None and request.headers.get("sec-fetch-site") in OWN_PAGES

    fields = await web.fields_asked(request)

    def make(path):
        given = fields()
        if request.method == "POST":
            api.check_known(given, SENT_FIELDS)
        return asking.explore(path, given, now=datetime.now(UTC), log=log and not api.flag(given, "dry_run"))

    return await web.show(datasette, request, "memory_recall.html", make)


@compat.hookimpl
def register_routes():
    """The explorer, as a page and as JSON."""
    return [(r"^/-/memory/recall(?:\.json)?$", explorer)]
