"""The health page, and what can be done about the file from there: copies, retention, a check, dead jobs, exports."""

from datetime import UTC, datetime
from pathlib import Path

from memory_db.pages import health, operations
from memory_db.pages.web import compat
from memory_db.pages.web import download as downloads
from memory_db.pages.web import respond as web

TRANSCRIPTS = Path("~/.claude/projects")
"""Where Claude Code keeps transcripts; `transcripts` of the plugin's settings names other folders."""


def folders(datasette):
    """The folders of transcripts that the doctor looks into."""
    named = (datasette.plugin_config("memory-db") or {}).get("transcripts") or [TRANSCRIPTS]
    return [Path(each).expanduser() for each in named]


async def page(datasette, request):
    """`/-/memory/health` and its JSON form, whose status is 503 where the file does not work."""

    def make(path):
        return health.health(path, web.fields_of(request), datetime.now(UTC), transcripts=folders(datasette))

    return await web.show(datasette, request, "memory_health.html", make, status_of=health.http_status)


async def operate(datasette, request):
    """POST `/-/memory/health/NAME` from the page, the same with .json from a program."""
    name = request.url_vars["name"]

    def make(path, fields, actor):
        return operations.operate(path, name, fields, datetime.now(UTC))

    return await web.change(datasette, request, make, template="memory_check.html" if name == "check" else None)


async def export(datasette, request):
    """`/-/memory/export.json` and `.md`: memories as a file to keep, for whoever is signed in."""
    form, fields = request.url_vars["form"], web.fields_of(request)

    def make(path):
        return operations.exported(path, form, fields)

    name = f"memories-{datetime.now(UTC):%Y-%m-%d}.{form}"
    return await downloads.download(datasette, request, make, name=name, content_type=operations.FORMS[form])


@compat.hookimpl
def register_routes():
    """The page, where its buttons lead, and the exports."""
    return [
        (r"^/-/memory/health(?:\.json)?$", page),
        (r"^/-/memory/health/(?P<name>[a-z]+)(?:\.json)?$", operate),
        (r"^/-/memory/export\.(?P<form>json|md)$", export),
    ]
