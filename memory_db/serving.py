"""Starts Datasette on one file, for one person on one machine.

In: a path and a port. Out: a server on 127.0.0.1 until Ctrl-C, and a link
that signs its visitor in. Invariant: nothing is reachable from another
machine, nothing is downloaded, and the metadata applies whatever the file is
called.
"""

from __future__ import annotations

import contextlib
import socket
import threading
import time
import webbrowser
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import uvicorn
import yaml

from memory_db.errors import InputError, MissingFileError
from memory_db.pages import compat

CLONE = Path(__file__).resolve().parent.parent
"""The folder that holds `plugins/` and `metadata.yml`, of which the package is a part."""

PLUGINS = CLONE / "plugins"
METADATA = CLONE / "metadata.yml"

DATABASE = "memory"
"""What metadata.yml calls the database; Datasette names a database after its file."""

HOST = "127.0.0.1"

SETTINGS: dict[str, object] = {
    "default_page_size": 50,
    "sql_time_limit_ms": 3000,
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


def serve(
    path: Path,
    *,
    port: int = 8001,
    open_browser: bool = False,
    say: Callable[[str], None] = print,
) -> None:
    """Serves a file until Ctrl-C; `say` gets the signed-in link once the server answers.

    Takes another free port, and says so, where the given one is taken.

    Raises: MissingFileError, InputError.
    """
    if not path.exists():
        raise MissingFileError(f"No database at {path}. Run `memory-db run` to make it, or name another with -d.")
    listener, free = listen(port)
    with contextlib.closing(listener):
        if port not in (0, free):
            say(f"Port {port} is taken; using {free}.")
        datasette = compat.make_datasette(path, metadata=metadata_for(path), plugins=PLUGINS, settings=SETTINGS)
        link = f"http://{HOST}:{free}{compat.sign_in_path(datasette)}"
        config = uvicorn.Config(datasette.app(), log_level="warning", lifespan="on", workers=1)
        server = uvicorn.Server(config)
        announcer = threading.Thread(target=announce, args=(server, link, open_browser, say), daemon=True)
        announcer.start()
        with contextlib.suppress(KeyboardInterrupt):
            server.run(sockets=[listener])


def announce(server: uvicorn.Server, link: str, open_browser: bool, say: Callable[[str], None]) -> None:
    """Waits until the server answers, then tells the link."""
    while not server.started and not server.should_exit:
        time.sleep(0.02)
    if server.started:
        say(f"Open {link}\n(signs you in, works once; afterwards http://{HOST} at the same port). Ctrl-C stops it.")
        if open_browser:
            webbrowser.open(link)


def listen(port: int) -> tuple[socket.socket, int]:
    """A socket on this machine alone, at the port or else at any free one, and where it is.

    Raises: InputError.
    """
    if not 0 <= port <= 65_535:
        raise InputError(f"Port {port} cannot be used. Give one from 1 to 65535, or 0 for any free one.")
    for wanted in (port, 0):
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
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

    Raises: InputError when the clone's files are not there.
    """
    missing = [item.name for item in (PLUGINS, METADATA) if not item.exists()]
    if missing:
        raise InputError(
            f"No {' and no '.join(missing)} in {CLONE}. The pages come with the clone: run `pip install -e .` there."
        )
    metadata: dict[str, Any] = yaml.safe_load(METADATA.read_text("utf-8"))
    databases = metadata["databases"]
    databases[path.stem] = deepcopy(databases.pop(DATABASE))
    return metadata
