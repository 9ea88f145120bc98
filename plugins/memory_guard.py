"""Refuses unknown host names and bad tokens, and forbids pages to load anything from other hosts."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path

from memory_db.pages import compat, guard, tokens


@compat.hookimpl
def asgi_wrapper(datasette):
    """Puts the guard around the whole application; `allowed_hosts` of the plugin's settings adds names."""
    settings = datasette.plugin_config("memory-db") or {}
    policy = guard.content_security_policy(compat.inline_script_sources())

    async def check(text):
        database = await compat.memory_database(datasette)
        if database is None:
            return "None of the databases served here is a memory-db file, so no token is known."
        return await asyncio.to_thread(tokens.actor_of, Path(database.path), text, now=datetime.now(UTC))

    def around(app):
        hosts = settings.get("allowed_hosts") or ()
        # The host comes first: another site must not try tokens here.
        return guard.guarded(tokens.bearing(app, check), allowed_hosts=hosts, policy=policy)

    return around
