"""Labels by hand: judging the hits of a recall, and query sets made of past recalls."""

from datetime import UTC, datetime

from memory_db.pages import judging
from memory_db.pages.web import compat
from memory_db.pages.web import respond as web


async def judge(datasette, request):
    """POST `/-/memory/judge` from a page, `/-/memory/judge.json` from a program."""

    def make(path, fields, actor):
        return judging.judge(path, fields, judged_by=actor, now=datetime.now(UTC))

    return await web.change(datasette, request, make)


async def query_sets(datasette, request):
    """POST `/-/memory/query-sets` and its JSON form: a set made of the selected recalls."""

    def make(path, fields, actor):
        return judging.gather(path, fields, now=datetime.now(UTC))

    return await web.change(datasette, request, make)


@compat.hookimpl
def register_routes():
    """Where judgements and query sets are sent."""
    return [(r"^/-/memory/judge(?:\.json)?$", judge), (r"^/-/memory/query-sets(?:\.json)?$", query_sets)]


@compat.hookimpl
def permission_allowed(datasette, actor, action):
    """Who may write, on the stable line."""
    return compat.grants_writing(datasette, actor, action) or None


@compat.hookimpl
def register_actions():
    """The permission to write, on the alphas."""
    return compat.write_action()


@compat.hookimpl
def permission_resources_sql(datasette, actor, action):
    """Who may write, on the alphas."""
    return compat.write_grant() if compat.grants_writing(datasette, actor, action) else None
