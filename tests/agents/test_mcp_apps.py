"""The picture of why a recall shows its hits: offered to clients that draw pages, and drawn in a browser as they do."""

from __future__ import annotations

import json
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from memory_db.agents.mcp import apps, protocol
from memory_db.agents.reader.reader import Reader
from memory_db.knowledge.memories import add_memory
from memory_db.store import settings
from memory_db.store.schema import open_database
from tests.support.mcp_client import answers_to

DRAWS = {"extensions": {apps.EXTENSION: {"mimeTypes": [apps.PAGE_TYPE]}}}

HOSTILE = (
    "The port is 5433 <img src=x onerror=parent.postMessage('hurt','*')><script>parent.postMessage('hurt','*')</script>"
)


@pytest.fixture
def reader(db_path: Path, now: datetime) -> Reader:
    with closing(open_database(db_path, now=now)) as db:
        settings.put(db, "embedding_model", "none", now=now)
        add_memory(db, text="The test database listens on port 5433.", kind="environment", scope="user", now=now)
    return Reader(db_path, None, lambda: now)


def results(reader: Reader, capabilities: dict[str, Any], *requests: tuple[str, dict[str, Any]]) -> list[Any]:
    """The results of requests of a client that can do this, in their order."""
    meta = {protocol.VERSION_KEY: protocol.STATELESS_VERSION, protocol.CAPABILITIES_KEY: capabilities}
    lines = [
        {"jsonrpc": "2.0", "id": number, "method": method, "params": {**params, "_meta": meta}}
        for number, (method, params) in enumerate(requests)
    ]
    answers = sorted(answers_to(reader, lines), key=lambda answer: int(answer["id"]))
    return [answer["result"] for answer in answers]


RECALL = ("tools/call", {"name": "recall", "arguments": {"query": "which port has the test database"}})


@pytest.mark.parametrize(
    "capabilities", [{}, {"extensions": {}}, {"extensions": {apps.EXTENSION: {"mimeTypes": ["text/html"]}}}]
)
def test_a_client_that_draws_no_pages_is_told_nothing_of_them(reader: Reader, capabilities: dict[str, Any]) -> None:
    discovered, listed, recalled = results(reader, capabilities, ("server/discover", {}), ("tools/list", {}), RECALL)
    assert "extensions" not in discovered["capabilities"]
    assert apps.PAGE_URI not in json.dumps(listed) and set(recalled["_meta"]) == {protocol.SERVER_KEY}


def test_a_recall_carries_what_the_page_draws(reader: Reader) -> None:
    discovered, listed, recalled = results(reader, DRAWS, ("server/discover", {}), ("tools/list", {}), RECALL)
    assert discovered["capabilities"]["extensions"] == {apps.EXTENSION: {}}
    assert [tool.get("_meta") for tool in listed["tools"]] == [{"ui": {"resourceUri": apps.PAGE_URI}}, None, None]
    why = recalled["_meta"][apps.DATA_KEY]
    assert "5433" in recalled["content"][0]["text"] and "structuredContent" not in recalled
    assert why["hits"][0]["uid"] in recalled["content"][0]["text"]
    for hit in why["hits"]:
        assert hit["parts"] and sum(hit["parts"].values()) == pytest.approx(hit["score"], abs=0.005)


def test_a_handshake_agrees_on_pages_too(reader: Reader) -> None:
    hello = {"protocolVersion": "2025-11-25", "capabilities": DRAWS, "clientInfo": {"name": "t", "version": "1"}}
    begun, listed = answers_to(
        reader,
        [
            {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello},
            {"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
        ],
    )
    assert apps.EXTENSION in begun["result"]["capabilities"]["extensions"]
    assert apps.PAGE_URI in json.dumps(listed)


HOST = """
<iframe sandbox="allow-scripts" style="width: 700px; height: 400px; border: 0"></iframe>
<script>
window.heard = [];
addEventListener("message", event => {
    heard.push(event.data);
    const say = message => event.source.postMessage({ jsonrpc: "2.0", ...message }, "*");
    if (event.data.method === "ui/initialize")
        say({ id: event.data.id, result: { protocolVersion: "2026-01-26", hostCapabilities: {},
            hostInfo: { name: "t", version: "1" }, hostContext: { theme: "dark", styles: {} } } });
    if (event.data.method === "ui/notifications/initialized") {
        say({ method: "ui/notifications/tool-input", params: { arguments: {} } });
        say({ method: "ui/notifications/tool-result", params: RESULT });
        say({ id: "end", method: "ui/resource-teardown", params: { reason: "over" } });
    }
});
document.querySelector("iframe").srcdoc = PAGE;
</script>
"""

POLICY = (
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'self' 'unsafe-inline';"
    " style-src 'self' 'unsafe-inline'; img-src 'self' data:; media-src 'self' data:; connect-src 'none'\">"
)
"""What a client allows a page that asks for nothing. Source: the specification of MCP Apps."""


@pytest.mark.slow
def test_the_page_draws_it_in_a_frame_without_network(reader: Reader) -> None:
    browsing = pytest.importorskip("tests.support.browsing")
    if browsing.CHROMIUM is None:
        pytest.skip("no Chromium on this machine")
    recalled, read = results(reader, DRAWS, RECALL, ("resources/read", {"uri": apps.PAGE_URI}))
    why = recalled["_meta"][apps.DATA_KEY]
    why["hits"].append({**why["hits"][0], "text": HOSTILE, "score": why["hits"][0]["score"] / 2})
    why["hits"][1]["parts"] = {"keyword": why["hits"][1]["score"]}
    [content] = read["contents"]
    assert content["mimeType"] == apps.PAGE_TYPE
    page_text = content["text"].replace("<head>", f"<head>{POLICY}", 1)
    host = HOST.replace("RESULT", script(recalled)).replace("PAGE", script(page_text))
    with browsing.a_visitor("about:blank") as page:
        page.set_content(host)
        page.wait_for_function("heard.some(message => message.method === 'ui/notifications/size-changed')")
        page.wait_for_function("heard.some(message => message.id === 'end')")
        view = page.frames[1]
        view.wait_for_selector("#hits li")
        lines = view.locator("#hits li").all_inner_texts()
        widths = view.eval_on_selector_all(
            ".bar", "bars => bars.map(bar => bar.lastChild.getBoundingClientRect().right)"
        )
        theme = view.evaluate("getComputedStyle(document.documentElement).colorScheme")
        heard = page.evaluate("heard")
    assert [hit["uid"] in line for hit, line in zip(why["hits"], lines, strict=True)] == [True] * len(lines)
    assert widths == sorted(widths, reverse=True) and theme == "dark"
    assert "hurt" not in heard and lines[1].startswith(HOSTILE)


def script(value: Any) -> str:
    """A value as it stands in a script of a page."""
    return json.dumps(value).replace("<", "\\u003c")
