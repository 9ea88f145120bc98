"""Why a recall shows its hits, as a picture beside its text, for clients that draw pages of a server (MCP Apps).

In: what a client can, a recall as data. Out: a page that draws such data, and the data. The client shows the page in a
frame of its own, without network, and hands it the answer of the tool; what it draws stands in `_meta`, which no model
is sent. Invariant: a client that does not say that it draws pages is told nothing of them.

Source: SEP-1865, version 2026-01-26.
"""

from __future__ import annotations

from collections.abc import Mapping

TYPE_CHECKING = False  # as in typing, which takes several milliseconds to load
if TYPE_CHECKING:
    from typing import Any

    from memory_db.recall.answer import AnswerData

EXTENSION = "io.modelcontextprotocol/ui"
PAGE_TYPE = "text/html;profile=mcp-app"

PAGE_URI = "ui://memory-db/why"
PAGE_FILE = "why.html"

DRAWN_BY_PAGE = {"_meta": {"ui": {"resourceUri": PAGE_URI}}}
"""What a tool says whose answers the page draws."""

DATA_KEY = "memory-db/why"
"""Where the page finds what it draws, in `_meta` of an answer."""

TEXT_CHARACTERS = 160


def draws_pages(capabilities: Mapping[str, Any]) -> bool:
    """Whether a client says that it draws pages of this type."""
    extensions = capabilities.get("extensions")
    said = extensions.get(EXTENSION) if isinstance(extensions, dict) else None
    types = said.get("mimeTypes") if isinstance(said, dict) else None
    return isinstance(types, list) and PAGE_TYPE in types


def page() -> dict[str, Any]:
    """The page, as the content of a resource."""
    from pathlib import Path  # noqa: PLC0415  # start-up: for a client that asks

    text = Path(__file__).with_name(PAGE_FILE).read_text("utf-8")
    return {"uri": PAGE_URI, "mimeType": PAGE_TYPE, "text": text, "_meta": {"ui": {"prefersBorder": True}}}


def why(data: AnswerData) -> dict[str, Any]:
    """What the page draws of a recall: each shown hit with what every signal adds to its score."""
    profile = data["profile"]
    hits = [
        {
            "uid": hit["uid"],
            "text": hit["text"][:TEXT_CHARACTERS],
            "kind": hit["kind"],
            "project": hit["project"],
            "day": hit["created_at"][:10],
            "score": hit["score"],
            "parts": {
                name: round(weight * hit["signals"][name], 4)
                for name, weight in profile["weights"].items()
                if weight * hit["signals"].get(name, 0.0) > 0
            },
        }
        for hit in data["hits"]
    ]
    return {
        "query": data["query"],
        "profile": f"{profile['name']}@{profile['version']}",
        "considered_count": data["considered_count"],
        "hits": hits,
    }
