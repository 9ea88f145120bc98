"""Refuses unknown host names, bad tokens and paths to nowhere; forbids pages to load anything from other hosts."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path

from memory_db.pages import compat, guard, tokens, web


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


@compat.hookimpl(hookwrapper=True)
def handle_exception(datasette, request, exception):
    """Answers for a path that leads nowhere in the look of our pages, in place of all others.

    Datasette's own answer prints a traceback wherever rich is installed, and fails where there is none to print.
    """
    outcome = yield
    if isinstance(exception, compat.NotFound):
        text = str(exception.args[0]) if exception.args else ""
        outcome.force_result([web.refuse_missing(datasette, request, text)])
