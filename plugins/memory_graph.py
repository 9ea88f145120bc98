"""The graph: the whole of it, and what stands around a memory or an entity."""

from memory_db.pages import graph
from memory_db.pages.web import compat
from memory_db.pages.web import respond as web
from memory_db.pages.web.cache import pooled


async def overview(datasette, request):
    """`/-/memory/graph` and its JSON form."""

    def make(path):
        with pooled(path) as db:
            return graph.overview(db, web.fields_of(request))

    return await web.show(datasette, request, "memory_graph.html", make)


async def around_memory(datasette, request):
    """`/-/memory/graph/memory/UID` and its JSON form."""

    def make(path):
        with pooled(path) as db:
            return graph.around_memory(db, request.url_vars["uid"], web.fields_of(request))

    return await web.show(datasette, request, "memory_graph_around.html", make)


async def around_entity(datasette, request):
    """`/-/memory/graph/entity/ID` and its JSON form."""

    def make(path):
        with pooled(path) as db:
            return graph.around_entity(db, request.url_vars["id"], web.fields_of(request))

    return await web.show(datasette, request, "memory_graph_around.html", make)


@compat.hookimpl
def register_routes():
    """The pages of the graph."""
    return [
        (r"^/-/memory/graph(?:\.json)?$", overview),
        (r"^/-/memory/graph/memory/(?P<uid>[^/.]+)(?:\.json)?$", around_memory),
        (r"^/-/memory/graph/entity/(?P<id>[^/.]+)(?:\.json)?$", around_entity),
    ]
