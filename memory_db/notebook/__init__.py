"""What people type first in a notebook: `from memory_db.notebook import connect, query, recall, profiles, judge`.

Out: tables of pandas from the file, whose ids are links to the pages and whose money is in dollars when they are shown;
the SQL magic `%%memory`; the colours of the pages for charts. Invariant: everything reads only, but for what says that
it writes: `judge`, `recall(..., log=True)`, `Sliders.save`, `connect(write=True)` and `%%memory --write`.
"""

from __future__ import annotations

from memory_db.cli.extras import require

require("notebooks", ("IPython", "pandas", "altair", "vl_convert"))

from memory_db.notebook.files import connect, links_to  # after it is sure that pandas is there
from memory_db.notebook.magic import activate, load_ipython_extension
from memory_db.notebook.tables import judge, profiles, query, recall
from memory_db.notebook.theme import bars, by_kind, by_signal, colours_of_kinds, colours_of_signals

__all__ = [
    "bars",
    "by_kind",
    "by_signal",
    "colours_of_kinds",
    "colours_of_signals",
    "connect",
    "judge",
    "links_to",
    "load_ipython_extension",
    "profiles",
    "query",
    "recall",
]

activate()
