"""Who may come in and who may write: hosts, tokens, signing in; answers for paths to nowhere."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path

from memory_db.errors import DatabaseFileError
from memory_db.pages.web import api_tokens as tokens
from memory_db.pages.web import bounds, compat, file_page, guard, replaced, sign_in, turns
from memory_db.pages.web import respond as web

SIGN_IN = Path(__file__).resolve().parent / "templates" / "memory_sign_in.html"
"""What somebody sees who is not signed in: no template, but what is sent as it is."""

REPLACED = SIGN_IN.with_name("memory_replaced.html")
"""What somebody sees while another file stands where the served one was."""


TABLES = "/-/memory/tables"
"""Our page of the tables of a file."""


@compat.hookimpl(trylast=True)
def asgi_wrapper(datasette):
    """Puts the guard around the whole application, other plugins' wrappers included.

    Of the plugin's settings `allowed_hosts` adds names of hosts, `sign_in_paths` paths by which other plugins sign
    people in, and `open_to_this_machine` lets everybody read who reaches the server.
    """
    name = compat.memory_name(datasette)
    if name is None:
        return lambda app: app
    compat.log_without_values(datasette, name)
    watch = replaced.watch_of(datasette, Path(datasette.databases[name].path))
    settings = datasette.plugin_config("memory-db") or {}
    policy = guard.content_security_policy(compat.inline_script_sources())

    async def check(text):
        if trouble := await replaced.trouble_of(watch):
            raise DatabaseFileError(trouble)
        database = compat.memory_database(datasette)
        if database is None:
            return "None of the databases served here is a memory-db file, so no token is known."
        return await asyncio.to_thread(tokens.actor_of, Path(database.path), text, now=datetime.now(UTC))

    async def is_known(scope, receive):
        return await compat.is_signed_in(datasette, scope, receive)

    def around(app):
        app = turns.typed_sql_by_turns(app, turns.turns_of(datasette))
        app = file_page.led_on(app, database=datasette.urls.database(name), ours=datasette.urls.path(TABLES))
        app = replaced.watched(app, watch, page=REPLACED)
        if settings.get("open_to_this_machine") is not True:
            paths = [*sign_in.OPEN_PATHS, *(settings.get("sign_in_paths") or ())]
            paths = [datasette.urls.path(path) for path in paths]
            app = sign_in.signed_in_only(app, is_known, open_paths=paths, page=SIGN_IN)
        hosts = settings.get("allowed_hosts") or ()
        # The host comes first: another site must not try tokens here.
        return guard.guarded(tokens.bearing(app, check), allowed_hosts=hosts, policy=policy)

    return around


@compat.hookimpl
def prepare_connection(conn, datasette):
    """Bounds what any SQL from the web may take."""
    if compat.memory_name(datasette) is not None:
        bounds.bound(conn)


@compat.hookimpl(hookwrapper=True)
def handle_exception(datasette, request, exception):
    """Answers for a path that leads nowhere in the look of our pages, in place of all others.

    Datasette's own answer prints a traceback wherever rich is installed, and fails where there is none to print.
    """
    outcome = yield
    if isinstance(exception, compat.NotFound) and compat.memory_name(datasette) is not None:
        text = str(exception.args[0]) if exception.args else ""
        outcome.force_result([web.refuse_missing(datasette, request, text)])


@compat.hookimpl
def actor_from_request(datasette, request):
    """The actor of a token, which the guard has checked; on our pages alone, since Datasette's only read."""
    return request.scope.get(tokens.SCOPE) if tokens.is_ours(request.path) else None


@compat.hookimpl
def permission_allowed(datasette, actor, action):
    """Who may write, on the stable line."""
    return compat.grants_writing(datasette, actor, action) or None


@compat.hookimpl
def register_actions():
    """The permission to write, on the alphas."""
    return compat.write_action()


@compat.hookimpl
def permission_resources_sql(datasette, actor, action):
    """Who may write, on the alphas."""
    return compat.write_grant() if compat.grants_writing(datasette, actor, action) else None
