"""The pages of a file as a folder of HTML that opens without a server.

In: a file, and a folder that is new. Out: the pages that only show something, each linked to the others by relative
paths, with their styles and scripts. Invariants: nothing is written into the file; no link leads to what is not in the
folder; what needs the server (asking, deciding, writing) is shown switched off.
"""

from __future__ import annotations

import logging
import posixpath
import re
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from memory_db.errors import InputError
from memory_db.pages.web import compat
from memory_db.pages.web.copying import Copying, tag_of
from memory_db.pages.web.serve import NOISY, SETTINGS, metadata_for
from memory_db.pages.web.shelf import PLUGINS

MOST_PAGES = 5_000
"""Pages of one site: the walk goes by links from the home page, which has what is newest."""

STARTS = (
    "/", "/-/memory/recall", "/-/memory/recall?q=how+do+we+run+the+migrations", "/-/memory/recalls",
    "/-/memory/preferences", "/-/memory/timeline", "/-/memory/graph", "/-/memory/economics",
)  # fmt: skip
"""Where the walk begins; all else is found by links."""

TAKEN = re.compile(r"/-/memory/(memories|sessions|recalls|graph/memory)/[^/?.]+")
"""Pages that are taken wherever they are linked; not their forms, downloads, JSON, and what a question mark asks."""

EXAMPLES = re.compile(r"/-/memory/recall\?q=[^&]*")
"""Questions that the home page proposes."""

ASSETS = ("/assets/", "/-/static/")

EXPORT = re.compile(rb"^export (?=(?:async )?function\b)", re.MULTILINE)
"""What only modules may say, and none is loaded from a folder."""

SWITCHED_OFF = frozenset(("button", "select", "textarea"))

NEEDS_SERVER = "needs the server: memory-db serve"


@dataclass(slots=True)
class Site:
    """A walk: `pages` and `files` by their path on the server, `left_out` what was met after `MOST_PAGES`."""

    pages: dict[str, str] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)
    left_out: set[str] = field(default_factory=set)


class Rewriter(Copying):
    """Gives a page back with other links, and switches off what needs the server.

    `place` says where an address leads from this page: None takes the link away, and leaves its words.
    """

    def __init__(self, place: Callable[[str], str | None]) -> None:
        super().__init__()
        self.place = place

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        for name in ("href", "src", "xlink:href"):
            address = given.get(name)
            if address is not None and not address.startswith(("#", "data:")):
                self.put(given, name, address, tag)
        if tag == "form":
            given.pop("action", None)
        if tag == "script" and given.get("type") == "module":
            given["type"], given["defer"] = "text/javascript", None  # modules are not loaded from a folder
        if tag in SWITCHED_OFF or (tag == "input" and given.get("type") not in ("range", "number")):
            given |= {"disabled": None, "title": NEEDS_SERVER}
        as_it_is = self.get_starttag_text() or ""
        self.parts.append(as_it_is if given == dict(attrs) else tag_of(tag, given, as_it_is.endswith("/>")))
        if tag == "head":
            self.parts.append(HEAD)
        if tag == "body":
            self.parts.append(NOTE)

    def put(self, given: dict[str, str | None], name: str, address: str, tag: str) -> None:
        """Puts the new address, or takes the link away; a script or style that is not there does nothing."""
        new = self.place(address)
        if new is not None:
            given[name] = new
            return
        del given[name]
        if tag == "a":
            given["title"] = given.get("title") or NEEDS_SERVER

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        self.parts.append(f"</{tag}>")


HEAD = '<meta charset="utf-8"><link rel="icon" href="data:,">'
"""What the server says of every page and gives beside it, and a folder cannot."""

NOTE = """<style>
.site-note { margin: 0; padding: .5rem 1rem; font-size: .85rem; background: #fff5d9; color: #24292f }
[disabled] { opacity: .5; cursor: not-allowed }
</style>
<p class="site-note">A copy to look at. Asking, deciding and changing need the server: <code>memory-db serve</code>.</p>
"""


def rewritten(html: str, place: Callable[[str], str | None]) -> str:
    """A page with other links."""
    rewriter = Rewriter(place)
    rewriter.feed(html)
    rewriter.close()
    return "".join(rewriter.parts)


def links_of(html: str) -> list[str]:
    """Every address that a page names, in its order."""
    found: list[str] = []

    def note(address: str) -> str:
        found.append(address)
        return address

    rewritten(html, note)
    return found


async def walk(path: Path) -> Site:
    """Every page that may be taken, as somebody sees it who may read and not write. Raises: InputError."""
    for name in NOISY:
        logging.getLogger(name).setLevel(logging.WARNING)
    metadata = metadata_for(path)
    metadata.setdefault("plugins", {}).setdefault("memory-db", {})["open_to_this_machine"] = True
    datasette = compat.make_datasette(path, metadata=metadata, plugins=PLUGINS, settings=SETTINGS)
    await datasette.invoke_startup()
    ready = [f"/{path.stem}/{name}" for name in metadata["databases"][path.stem]["queries"]]
    starts = [*STARTS, f"/{path.stem}", *ready]
    site, waiting, seen = Site(), deque(starts), set(starts)
    try:
        while waiting:
            await visit(datasette, site, waiting, seen, waiting.popleft())
    finally:
        for database in datasette.databases.values():
            database.close()
    return site


async def visit(datasette: Any, site: Site, waiting: deque[str], seen: set[str], address: str) -> None:
    """Asks for one address, and puts what it links to into the queue."""
    is_asset = address.startswith(ASSETS)
    if not is_asset and len(site.pages) >= MOST_PAGES:
        site.left_out.add(address)
        return
    answer = await datasette.client.get(address)
    if answer.status_code != 200:
        return
    if is_asset:
        site.files[address] = answer.content
        return
    site.pages[address] = answer.text
    for link in map(plain, links_of(answer.text)):
        if link not in seen and is_taken(link, address):
            seen.add(link)
            waiting.append(link)


def is_taken(link: str, page: str) -> bool:
    """Whether a link of a page is followed."""
    if page == "/" and EXAMPLES.fullmatch(link):
        return True
    return link.startswith(ASSETS) or TAKEN.fullmatch(link) is not None


def plain(address: str) -> str:
    """An address on the server without host and fragment; a style's or script's without its version."""
    parts = urlsplit(address)
    if parts.netloc not in ("", "localhost"):
        return address
    is_asset = parts.path.startswith(ASSETS)
    return parts.path + (f"?{parts.query}" if parts.query and not is_asset else "")


def file_of(address: str) -> str:
    """Where a page or file of the server lies in the folder."""
    path, mark, query = address.partition("?")
    if path.startswith(ASSETS):
        return path.removeprefix("/-").removeprefix("/")
    if path == "/":
        return "index.html"
    name = path.removeprefix("/-/memory/").strip("/") + (f"/{query.removeprefix('q=')}" if mark else "")
    return re.sub(r"[^A-Za-z0-9_./-]+", "-", unquote(name)).replace("..", "-") + ".html"


def check_new(folder: Path) -> None:
    """Raises: InputError where something is there already."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"{folder} is there already. Name a folder that is new or empty.")


def write_site(site: Site, folder: Path) -> int:
    """Writes what a walk found into a new folder; how many pages."""
    for address, html in site.pages.items():
        own = file_of(address)
        written(folder / own).write_text(rewritten(html, partial(leads_to, site, own)), "utf-8")
    for address, content in site.files.items():
        written(folder / file_of(address)).write_bytes(EXPORT.sub(b"", content) if address.endswith(".js") else content)
    return len(site.pages)


def leads_to(site: Site, own: str, link: str) -> str | None:
    """Where a link of the file `own` leads in the folder; None where what it names is not in it."""
    target = "/" if plain(link) == "/-/memory" else plain(link)
    fragment = urlsplit(link).fragment
    if target not in site.pages and target not in site.files:
        target = target.partition("?")[0]
        if not fragment or f'id="{fragment}"' not in site.pages.get(target, ""):
            return None
    elif fragment and f'id="{fragment}"' not in site.pages.get(target, ""):
        fragment = ""
    return posixpath.relpath(file_of(target), posixpath.dirname(own) or ".") + (fragment and f"#{fragment}")


def written(path: Path) -> Path:
    """A path whose folder is there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    return path
