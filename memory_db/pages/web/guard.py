"""Who may talk to the server, and what a page may load.

In: an ASGI application. Out: the same application behind three checks: a Host
header that names this machine, no form in parts, and headers that forbid
everything from other hosts. Invariant: no page of another site can read the
file by pointing its own name at 127.0.0.1 (DNS rebinding).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from typing import Any

App = Callable[[dict[str, Any], Any, Any], Awaitable[None]]

LOCAL_HOSTS = ("127.0.0.1", "localhost", "[::1]")
"""Names under which the server answers unless told more, with any port."""


def content_security_policy(inline_scripts: str) -> str:
    """Only this server, no frames, no plugins; inline scripts as named."""
    return "; ".join(
        [
            "default-src 'self'",
            f"script-src 'self' {inline_scripts}".rstrip(),
            # Datasette writes style attributes and a <style> for narrow tables.
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data:",
            "object-src 'none'",
            "base-uri 'none'",
            "form-action 'self'",
            "frame-ancestors 'none'",
        ]
    )


def guarded(app: App, *, allowed_hosts: Collection[str], policy: str) -> App:
    """The application, answering only to known hosts and only with our headers."""
    known = {host.lower() for host in (*LOCAL_HOSTS, *allowed_hosts)}
    extra = [
        (b"content-security-policy", policy.encode()),
        (b"x-content-type-options", b"nosniff"),
        (b"referrer-policy", b"same-origin"),
        (b"x-frame-options", b"DENY"),
        (b"cross-origin-resource-policy", b"same-origin"),
    ]
    names = {name for name, _ in extra}

    async def inner(scope: dict[str, Any], receive: Any, send: Any) -> None:
        if scope["type"] not in ("http", "websocket"):
            await app(scope, receive, send)
            return

        async def send_with_headers(message: dict[str, Any]) -> None:
            if message["type"] == "http.response.start":
                kept = [pair for pair in message.get("headers", []) if pair[0].lower() not in names]
                message = {**message, "headers": [*kept, *extra]}
            await send(message)

        host = host_of(scope)
        if host_name(host) not in known:
            await refuse(scope, send_with_headers, host)
            return
        if content_type_of(scope).startswith("multipart/"):
            # No form here has parts, and not every library that looks into requests can read them.
            await say(send_with_headers, 415, "Multipart forms are not supported. Send it url-encoded, or as JSON.")
            return
        await app(scope, receive, send_with_headers)

    return inner


def host_of(scope: dict[str, Any]) -> str:
    """The Host header of a request; empty when there is none, or more than one."""
    hosts = [value for name, value in scope.get("headers", []) if name.lower() == b"host"]
    return hosts[0].decode("latin-1").strip() if len(hosts) == 1 else ""


def content_type_of(scope: dict[str, Any]) -> str:
    """What a request says that its body is, in lower case."""
    types = [value for name, value in scope.get("headers", []) if name.lower() == b"content-type"]
    return b" ".join(types).decode("latin-1").strip().lower()


def host_name(host: str) -> str:
    """A Host header without its port, in lower case."""
    if host.startswith("["):
        name, _, rest = host.partition("]")
        return (name + "]").lower() if rest == "" or rest.startswith(":") else ""
    return host.partition(":")[0].lower()


async def refuse(scope: dict[str, Any], send: Any, host: str) -> None:
    """One line that says which name was refused and how to allow it."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008})
        return
    shown = "".join(character for character in host[:100] if character.isprintable())
    text = (
        f"Host {shown!r} is not served here. Open the page as 127.0.0.1 or localhost,"
        " or add the name to plugins: memory-db: allowed_hosts in metadata.yml."
    )
    await say(send, 400, text)


async def say(send: Any, status: int, text: str) -> None:
    """Answers in one line."""
    headers = [(b"content-type", b"text/plain; charset=utf-8")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": f"{text}\n".encode()})
