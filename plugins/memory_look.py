"""What all pages share: the style sheet, the menu, the filters of our templates, links from tables."""

from memory_db.pages import compat, texts

MENU = [
    ("/", "Home"),
    ("/-/memory/recall", "Ask"),
    ("/-/memory/recalls", "Recalls"),
    ("/-/memory/compare", "Compare"),
    ("/-/memory/review", "Review"),
    ("/-/memory/preferences", "Preferences"),
    ("/-/memory/timeline", "Timeline"),
    ("/-/memory/graph", "Graph"),
    ("/-/memory/economics", "Economics"),
    ("/-/memory/health", "Health"),
]
"""Our pages, as the head of each of them and Datasette's menu list them."""

ACTIONS = {
    "recalls": ("/-/memory/recalls", "Latest recalls, explained"),
    "hits": ("/-/memory/recalls", "Latest recalls, explained"),
    "hit_signals": ("/-/memory/recalls", "Latest recalls, explained"),
    "memories": ("/-/memory/recall?scope=memories", "Ask the memories"),
    "current_memories": ("/-/memory/recall?scope=memories", "Ask the memories"),
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
def prepare_jinja2_environment(env):
    """Gives templates our ways to write values, and the pages there are."""
    env.filters.update(texts.FILTERS)
    env.globals["memory_menu"] = MENU


@compat.hookimpl
def extra_css_urls():
    """One style sheet, for our pages and Datasette's."""
    return ["/assets/memory.css"]


@compat.hookimpl
def extra_js_urls():
    """Keeps what a reader unfolded on our pages open, which Datasette's script would close."""
    return [{"url": "/assets/folds.js", "module": True}]


@compat.hookimpl
def menu_links(datasette):
    """The menu's way to our pages."""
    return [{"href": datasette.urls.path(path), "label": label} for path, label in MENU]


@compat.hookimpl
def table_actions(datasette, table):
    """A way from a table to the page that explains its rows."""
    if table not in ACTIONS:
        return None
    path, label = ACTIONS[table]
    return [{"href": datasette.urls.path(path), "label": label}]
