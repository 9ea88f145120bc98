"""Whether what is known of a project may be told to a model: not where a person wants that project left alone.

In: a connection and a hit. Out: yes or no. Who works in an ignored folder is told nothing at all, which the hooks and
the reader see to; this is for questions that are asked from elsewhere.

A hook loads this: the standard library alone.
"""

from __future__ import annotations

import sqlite3

from memory_db.store.ignored import is_ignored

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from memory_db.recall.brief.placement import Placement

FOLDER_OF_MEMORY = """
select p.canonical_path from memory_versions v join projects p on p.id = v.project_id
where v.id = ? and v.scope = 'project'
"""

FOLDER_OF_ENTRY = """
select p.canonical_path from entries e join sessions s on s.id = e.session_id join projects p on p.id = s.project_id
where e.id = ?
"""


class LeftAlone:
    """Which hits belong to ignored projects; each folder is looked at once."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self.db = db
        self.known: dict[str, bool] = {}

    def has(self, hit: Placement) -> bool:
        """Whether a hit belongs to a project that is ignored; what holds in every project does not."""
        sql = FOLDER_OF_ENTRY if hit.type == "entry" else FOLDER_OF_MEMORY
        for (folder,) in self.db.execute(sql, [hit.memory_version_id or hit.entry_id]):
            if folder not in self.known:
                self.known[folder] = is_ignored(self.db, folder)
            return self.known[folder]
        return False
