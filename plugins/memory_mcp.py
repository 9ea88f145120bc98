"""The tools of the MCP reader over HTTP, at /-/mcp, beside those of datasette-mcp."""

from datetime import UTC, datetime

from memory_db.pages.web import compat


@compat.hookimpl
def register_mcp_tools(datasette, mcp):
    """Adds recall, get, timeline, perhaps propose, and our resources to the server of datasette-mcp."""
    # The SDK comes with datasette-mcp, and nobody else calls this.
    from memory_db.pages.web import mcp_http  # noqa: PLC0415

    mcp_http.register(datasette, mcp, lambda: datetime.now(UTC))
