"""What an installed memory-db tells Datasette: `datasette memory.db` then has all our pages."""

from __future__ import annotations

from typing import Any

from datasette import hookimpl  # type: ignore[import-untyped]


@hookimpl  # type: ignore[untyped-decorator]
def register_output_renderer(datasette: Any) -> list[dict[str, Any]]:
    """Brings the pages to a Datasette that serves a memory-db file; no renderer of ours is registered.

    Of all hooks it is the first that a Datasette calls when it is made: later ones would miss some of our plugins'.
    """
    from memory_db.pages.web.plugging import plug  # noqa: PLC0415  # Datasette imports this before it is whole itself

    plug(datasette)
    return []
