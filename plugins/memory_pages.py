"""Our pages and their JSON forms; memory_db/pages/web/routes.py has the table of them."""

from memory_db.pages.web import compat
from memory_db.pages.web.routes import ROUTES
from memory_db.pages.web.views import view


@compat.hookimpl
def register_routes(datasette):
    """Every page. Our home stands where Datasette lists its databases; each database keeps its own page."""
    if compat.memory_name(datasette) is None:
        return []
    return [(route.pattern, view(route)) for route in ROUTES]
