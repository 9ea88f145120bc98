"""What memory-db runs on, as far as it is there: Python, SQLite and what that was built with, extras, Claude Code.

In: a `DoctorContext`. Out: advice, for whatever is missing the one command that brings it. Reads only.
"""

from __future__ import annotations

import platform
import shutil
import sqlite3

from memory_db.extras import EXTRAS, PURPOSE, how_to_install, missing_of
from memory_db.upkeep.doctor_report import Advice, Advices, DoctorContext

OLDEST_SQLITE = (3, 38)
"""Source: the views use `->>`, which SQLite has from 3.38 on."""

OTHER_PYTHON = "Run `uv python install 3.13`, and install memory-db with that Python: it brings its own SQLite."

CLAUDE = "claude"
"""The program that Claude Code is started by."""


def environment(context: DoctorContext) -> Advices:
    """Python and SQLite, and what this SQLite lacks that the file needs."""
    built = {row[0] for row in context.db.execute("select name from pragma_module_list")}
    lacks = [name for name, module in (("full text (FTS5)", "fts5"), ("JSON", "json_each")) if module not in built]
    what = f"Python {platform.python_version()} with SQLite {sqlite3.sqlite_version}"
    if sqlite3.sqlite_version_info[:2] < OLDEST_SQLITE:
        lacks.append(f"what came with {'.'.join(map(str, OLDEST_SQLITE))}")
    if lacks:
        yield Advice("failure", f"{what}, which lacks {' and '.join(lacks)}", OTHER_PYTHON)
    else:
        yield Advice("fine", f"{what}, full text and JSON")


def extras(context: DoctorContext) -> Advices:
    """Which extras are installed, and what the others would bring."""
    lacking = {extra: missing for extra, modules in EXTRAS.items() if (missing := missing_of(modules))}
    if there := [extra for extra in EXTRAS if extra not in lacking]:
        yield Advice("fine", f"Extras installed: {', '.join(there)}")
    for extra, missing in lacking.items():
        what = f"Not installed: {', '.join(missing)} (extra {extra}, for {PURPOSE[extra]})"
        yield Advice("note", what, f"Run `{how_to_install(extra)}`.")


def programs(context: DoctorContext) -> Advices:
    """Whether the agent is there whose transcripts are read."""
    if shutil.which(CLAUDE) is None:
        what = f"The program `{CLAUDE}` of Claude Code is not on the path"
        yield Advice("note", what, "Run `npm install -g @anthropic-ai/claude-code`.")
