"""Tokens for programs: who a request with one is, and the page where they are made and taken back."""

from datetime import UTC, datetime

from memory_db.pages.web import api_tokens as tokens
from memory_db.pages.web import compat
from memory_db.pages.web import respond as web

CLOSED = "Tokens are made and taken back by whoever opened the link that `memory-db serve` printed, or in the shell."


async def page(datasette, request):
    """`/-/memory/tokens` and its JSON form: every token without its secret."""
    if not tokens.is_person(request.actor):
        return await closed(datasette, request)
    return await web.show(datasette, request, "memory_tokens.html", lambda path: tokens.listed(path, now=now()))


async def add(datasette, request):
    """POST `/-/memory/tokens/add`: a new token, in the answer itself, this once."""
    if not tokens.is_person(request.actor):
        return await closed(datasette, request)

    def make(path, fields, actor):
        return tokens.add(path, fields, now=now())

    return await web.change(datasette, request, make, template="memory_tokens.html")


async def revoke(datasette, request):
    """POST `/-/memory/tokens/revoke`."""
    if not tokens.is_person(request.actor):
        return await closed(datasette, request)

    def make(path, fields, actor):
        return tokens.revoke(path, fields, now=now())

    return await web.change(datasette, request, make)


async def closed(datasette, request):
    """Says who may come here."""
    return await web.refuse(datasette, request, CLOSED, status=403, as_json=request.path.endswith(".json"))


def now():
    """The present."""
    return datetime.now(UTC)


@compat.hookimpl
def actor_from_request(datasette, request):
    """The actor of a token, which the guard has checked; on our pages alone, since Datasette's only read."""
    return request.scope.get(tokens.SCOPE) if tokens.is_ours(request.path) else None


@compat.hookimpl
def register_routes():
    """The page, and where its forms lead."""
    return [
        (r"^/-/memory/tokens(?:\.json)?$", page),
        (r"^/-/memory/tokens/add(?:\.json)?$", add),
        (r"^/-/memory/tokens/revoke(?:\.json)?$", revoke),
    ]
