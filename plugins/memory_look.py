"""What all pages share: templates and their filters, style sheets and scripts, the menu, links from tables."""

import asyncio
import sys
from pathlib import Path

from markupsafe import Markup, escape

from memory_db.pages.draw import filters as texts
from memory_db.pages.web import cells, compat

HERE = Path(__file__).resolve().parent
"""The folder of the plugins, with `templates` and `static` in it."""

MENU = [
    ("/", "Home"),
    ("/-/memory/recall", "Ask"),
    ("/-/memory/memories", "Memories"),
    ("/-/memory/sessions", "Sessions"),
    ("/-/memory/live", "Live"),
    ("/-/memory/recalls", "Recalls"),
    ("/-/memory/compare", "Compare"),
    ("/-/memory/review", "Review"),
    ("/-/memory/preferences", "Preferences"),
    ("/-/memory/projects", "Projects"),
    ("/-/memory/timeline", "Timeline"),
    ("/-/memory/graph", "Graph"),
    ("/-/memory/economics", "Economics"),
    ("/-/memory/health", "Health"),
    ("/-/memory/settings", "Settings"),
]
"""Our pages, as the head of each of them and Datasette's menu list them."""

TABLES = ("/-/memory/tables", "Tables")
"""The last of them, where there is a file."""

FORGET = ("/-/memory/words", "Forget words")
"""Forgetting words, for which the line in the head has no room."""

ACTIONS = {
    "recalls": ("/-/memory/recalls", "Latest recalls, explained"),
    "hits": ("/-/memory/recalls", "Latest recalls, explained"),
    "hit_signals": ("/-/memory/recalls", "Latest recalls, explained"),
    "memories": ("/-/memory/memories", "Browse the memories"),
    "current_memories": ("/-/memory/memories", "Browse the memories"),
    "sessions": ("/-/memory/sessions", "Browse the sessions"),
    "session_summaries": ("/-/memory/sessions", "Browse the sessions"),
    "entries": ("/-/memory/recall?scope=entries", "Ask the entries"),
    "profiles": ("/-/memory/compare", "Compare profiles on a question"),
    "query_sets": ("/-/memory/compare", "Compare profiles over a query set"),
    "labelled_queries": ("/-/memory/compare", "Compare profiles over a query set"),
    "proposals": ("/-/memory/review", "Review what waits"),
    "contradictions": ("/-/memory/review?sort=contradiction", "Review what waits"),
    "review_batches": ("/-/memory/review", "Review what waits, undo what was decided"),
    "judgements": ("/-/memory/recalls", "Latest recalls, to judge"),
}
"""Where the gear of a table leads, and what it says."""


@compat.hookimpl
def prepare_jinja2_environment(env, datasette):
    """Gives Datasette our templates, and them our ways to write values and the pages there are."""
    name = compat.memory_name(datasette)
    compat.add_templates(env, HERE / "templates", first=["_crumbs.html", "query.html"] if name is not None else [])
    env.filters.update(texts.FILTERS)
    env.globals["memory_menu"] = MENU
    env.globals["memory_database"] = name


MOST_TITLE = 60
"""Characters of a title in a list of sessions."""

HOW_TO_SIGN_IN = (
    "memory-db: its pages are for who is signed in. Add --root, and Datasette prints a link that does it;"
    " `memory-db serve` always prints one."
)


@compat.hookimpl
def startup(datasette):
    """Finds the ready questions of metadata.yml on either line of Datasette, and says how one signs in."""
    if compat.memory_name(datasette) is not None and compat.is_without_link(sys.argv):
        print(HOW_TO_SIGN_IN, file=sys.stderr)
    return lambda: compat.add_ready_questions(datasette)


@compat.hookimpl
def register_routes(datasette):
    """Style sheets and scripts of our pages."""
    if compat.memory_name(datasette) is None:
        return []
    return [(r"^/assets/(?P<path>[^/]+)$", compat.static_files(HERE / "static"))]


@compat.hookimpl
def extra_css_urls(datasette):
    """One style sheet, for our pages and Datasette's."""
    return ["/assets/memory.css"] if compat.memory_name(datasette) is not None else []


@compat.hookimpl
def extra_js_urls(datasette):
    """The reader's theme, before the page is drawn; keeps open what a reader unfolded, which Datasette's script would
    close; writes times in their zone.
    """
    if compat.memory_name(datasette) is None:
        return []
    modules = [{"url": f"/assets/{name}", "module": True} for name in ("folds.js", "clock.js", "names.js")]
    return [{"url": "/assets/look.js"}, *modules]


@compat.hookimpl
def menu_links(datasette, actor):
    """The menu's way to our pages, and for who signed in to forgetting words, for which the head's line has no room."""
    if compat.memory_name(datasette) is None:
        return []
    pages = [*MENU, TABLES, *([FORGET] if actor else [])]
    return [{"href": datasette.urls.path(path), "label": label} for path, label in pages]


@compat.hookimpl
def table_actions(datasette, database, table):
    """A way from a table of ours to the page that explains its rows."""
    if table not in ACTIONS or database != compat.memory_name(datasette):
        return None
    path, label = ACTIONS[table]
    return [{"href": datasette.urls.path(path), "label": label}]


@compat.hookimpl
def render_cell(value, column, table, database, datasette):
    """Makes ids of ours links to their pages, and odd characters visible: in tables, on rows, in results of queries."""
    if database != compat.memory_name(datasette):
        return None
    things = cells.all_named(value, column, table)
    if things:
        return links(datasette, database, things)
    odd = cells.made_visible(value, datasette.setting("truncate_cells_html"))
    return None if odd is None else escape(odd)


async def links(datasette, database, things):
    """Ids as links that say what they lead to; None where the file knows none of them."""
    path = Path(datasette.databases[database].path)
    found = await asyncio.to_thread(lambda: [(each, cells.target(path, each)) for each in things])
    if not any(target for _, target in found):
        return None
    between = Markup("<br>") if things[0].is_listed else Markup(", ")
    return between.join(link(datasette, each, target) if target else each.shown for each, target in found)


def link(datasette, thing, target):
    """A link to what a cell names."""
    shown = texts.shortened(target.about, MOST_TITLE) if thing.is_listed else thing.shown
    return Markup('<a href="{}" title="{}">{}</a>').format(datasette.urls.path(target.path), target.about, shown)
