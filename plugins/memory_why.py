"""Past recalls: the list of the latest, and for each one why it gave what it gave, and why not something else."""

from datetime import UTC, datetime

from memory_db.pages import asking, missing, reading, weights
from memory_db.pages.draw import marks
from memory_db.pages.web import compat
from memory_db.pages.web import respond as web
from memory_db.pages.web.cache import pooled
from memory_db.recall.brief.answer_log import take_in_now

LISTED = 100
"""How many recalls the list shows; the table `recalls` has them all."""


async def recalls(datasette, request):
    """`/-/memory/recalls` and its JSON form; field `session` keeps those of a session."""

    def make(path):
        session = request.args.get("session") or ""
        with pooled(path) as db:
            found = reading.latest_recalls(db, datetime.now(UTC), limit=LISTED, session=session)
            return {"recalls": found, "session": session}

    return await web.show(datasette, request, "memory_recalls.html", make)


async def why(datasette, request):
    """`/-/memory/recalls/ID` and its JSON form; ID is the number or the uid of a recall, field `not` what it missed."""

    def make(path):
        take_in_now(path, now=datetime.now(UTC))
        with pooled(path) as db:
            key = request.url_vars["key"]
            data = reading.why(db, key)
            marks.add_beliefs(db, [*data["hits"], *data["others"]])
            missed = missing.missing(db, key, asking.first(web.fields_of(request), "not"))
            return {**data, "missing": missed, "panel": weights.panel_of_recall(data)}

    return await web.show(datasette, request, "memory_why.html", make)


@compat.hookimpl
def register_routes():
    """The list and the why pages."""
    return [
        (r"^/-/memory/recalls(?:\.json)?$", recalls),
        (r"^/-/memory/recalls/(?P<key>[^/.]+)(?:\.json)?$", why),
    ]
