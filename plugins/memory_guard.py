"""Refuses requests under unknown host names, and forbids pages to load anything from other hosts."""

from memory_db.pages import compat, guard


@compat.hookimpl
def asgi_wrapper(datasette):
    """Puts the guard around the whole application; `allowed_hosts` of the plugin's settings adds names."""
    settings = datasette.plugin_config("memory-db") or {}
    policy = guard.content_security_policy(compat.inline_script_sources())
    return lambda app: guard.guarded(app, allowed_hosts=settings.get("allowed_hosts") or (), policy=policy)
