"""Starts Datasette on one file, for one person on one machine.

In: a path and a port. Out: a server on 127.0.0.1 until Ctrl-C, and a link
that signs its visitor in. Invariant: nothing is reachable from another
machine, nor by another user of this one unless that is asked for; nothing is
downloaded, and the metadata applies whatever the file is called.
"""

from __future__ import annotations

import contextlib
import logging
import socket
import sqlite3
import threading
import time
import webbrowser
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn

from memory_db.errors import InputError, MemoryDBError
from memory_db.index.semantic import warm
from memory_db.pages.web import compat
from memory_db.pages.web.plugging import described_as
from memory_db.pages.web.shelf import METADATA, PLUGINS, SHELF
from memory_db.store.connection import connect
from memory_db.store.missing import missing_file

GRACE_S = 2
"""How long a server that is stopped waits for what it still sends: a page that follows agents would hold it."""

NOISY = ("mcp", "datasette_mcp", "httpx")
"""Loggers that tell of every start and request; only their warnings are wanted."""

HOST = "127.0.0.1"

SETTINGS: dict[str, object] = {
    "default_page_size": 50,
    "sql_time_limit_ms": 2500,
    "facet_time_limit_ms": 500,
    "truncate_cells_html": 400,
    "suggest_facets": False,
    "allow_download": False,
    "default_cache_ttl": 0,
    "max_csv_mb": 100,
}
"""Datasette's settings for one local person: patient with SQL, sparing with suggestions, no download of the file.

Source: views over 100,000 entries can take over the standard second; suggesting facets for each table costs more
than it tells, since metadata.yml names the useful ones.
"""


@dataclass(frozen=True, slots=True)
class Served:
    """A server on this machine: its socket, port, address, and the link that signs a browser in."""

    listener: socket.socket
    port: int
    url: str
    link: str
    server: uvicorn.Server


def serve(
    path: Path,
    *,
    port: int = 8001,
    open_browser: bool = False,
    open_to_this_machine: bool = False,
    say: Callable[[str], None] = print,
) -> None:
    """Serves a file until Ctrl-C; `say` gets the signed-in link once the server answers.

    Takes another free port, and says so, where the given one is taken. With `open_to_this_machine` whoever uses this
    machine may read without the link.

    Raises: MissingFileError, InputError.
    """
    with closing_on_exit(prepare(path, port, open_to_this_machine=open_to_this_machine)) as served:
        if port not in (0, served.port):
            say(f"Port {port} is taken; using {served.port}.")
        if open_to_this_machine:
            say("Everybody who uses this machine can read these pages, without signing in.")
        threading.Thread(target=announce, args=(served, path, open_browser, say), daemon=True).start()
        with contextlib.suppress(KeyboardInterrupt):
            served.server.run(sockets=[served.listener])


@contextlib.contextmanager
def running(path: Path, *, open_to_this_machine: bool = False) -> Iterator[Served]:
    """The same server on any free port, in a thread, answering for as long as the block lasts.

    Raises: MissingFileError, InputError.
    """
    with closing_on_exit(prepare(path, 0, open_to_this_machine=open_to_this_machine)) as served:
        thread = threading.Thread(target=served.server.run, kwargs={"sockets": [served.listener]})
        thread.start()
        try:
            wait_for(served)
            yield served
        finally:
            served.server.should_exit = True
            thread.join()


def prepare(path: Path, port: int, *, open_to_this_machine: bool = False) -> Served:
    """A server that only has to be run.

    Raises: MissingFileError, InputError.
    """
    if not path.exists():
        raise missing_file(path)
    metadata = metadata_for(path)
    if open_to_this_machine:
        metadata.setdefault("plugins", {}).setdefault("memory-db", {})["open_to_this_machine"] = True
    for name in NOISY:
        logging.getLogger(name).setLevel(logging.WARNING)
    listener, free = listen(port)
    datasette = compat.make_datasette(path, metadata=metadata, plugins=PLUGINS, settings=SETTINGS)
    url = f"http://{HOST}:{free}"
    config = uvicorn.Config(
        datasette.app(), log_level="warning", lifespan="on", workers=1, timeout_graceful_shutdown=GRACE_S
    )
    return Served(listener, free, url, url + compat.sign_in_path(datasette), uvicorn.Server(config))


@contextlib.contextmanager
def closing_on_exit(served: Served) -> Iterator[Served]:
    """Closes the socket in the end, whatever happened."""
    with contextlib.closing(served.listener):
        yield served


def announce(served: Served, path: Path, open_browser: bool, say: Callable[[str], None]) -> None:
    """Waits until the server answers, tells the link, then loads what the first question would wait for."""
    if wait_for(served):
        say(f"Open {served.link}\nIt signs you in, once; after that {served.url} will do. Ctrl-C stops the server.")
        if open_browser:
            webbrowser.open(served.link)
        with contextlib.suppress(MemoryDBError, sqlite3.Error), contextlib.closing(connect(path)) as db:
            warm(db)  # what is wrong is told to who asks


def wait_for(served: Served) -> bool:
    """Waits until the server answers or gives up; whether it answers."""
    while not served.server.started and not served.server.should_exit:
        time.sleep(0.02)
    return bool(served.server.started)


def listen(port: int) -> tuple[socket.socket, int]:
    """A socket on this machine alone, at the port or else at any free one, and where it is.

    Raises: InputError.
    """
    if not 0 <= port <= 65_535:
        raise InputError(f"Port {port} cannot be used. Give one from 1 to 65535, or 0 for any free one.")
    for wanted in (port, 0):
        # Said by name: asyncio sends at once (TCP_NODELAY) only on sockets that say they are TCP.
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((HOST, wanted))
        except OSError:
            listener.close()
        else:
            return listener, int(listener.getsockname()[1])
    raise InputError(f"No free port on {HOST}. Name another with --port.")


def metadata_for(path: Path) -> dict[str, Any]:
    """metadata.yml with its database named as Datasette will name this file.

    Raises: InputError when the files of the pages are not there.
    """
    missing = [item.name for item in (PLUGINS, METADATA) if not item.exists()]
    if missing:
        raise InputError(
            f"No {' and no '.join(missing)} in {SHELF}. The package is not whole: install memory-db again."
        )
    return described_as(path.stem, METADATA)
