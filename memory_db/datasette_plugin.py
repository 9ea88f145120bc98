"""What an installed memory-db tells Datasette: `datasette memory.db` then has all our pages."""

from __future__ import annotations

from typing import Any

from datasette import hookimpl  # type: ignore[import-untyped]


@hookimpl  # type: ignore[untyped-decorator]
def register_output_renderer(datasette: Any) -> list[dict[str, Any]]:
    """Brings the pages to a Datasette that serves a memory-db file, and tables and queries as notebooks.

    Of all hooks it is the first that a Datasette calls when it is made: later ones would miss some of our plugins'.
    """
    # Datasette imports this before it is whole itself.
    from memory_db.pages.web import compat, in_notebook  # noqa: PLC0415
    from memory_db.pages.web.plugging import plug  # noqa: PLC0415

    plug(datasette)
    return [in_notebook.renderer(datasette)] if compat.memory_name(datasette) is not None else []
