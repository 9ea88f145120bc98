"""Where projects lie, and what they are called in ties.

In: the projects of a file. Out: `Roots`. Invariant: a number made of a text is the same in every file.
"""

from __future__ import annotations

import hashlib
import sqlite3
from dataclasses import dataclass, field

ROOTS = """
select project_id, path from (select id as project_id, canonical_path as path from projects
    union all select project_id, path from project_aliases) order by length(path) desc
"""


@dataclass(slots=True)
class Roots:
    """Where projects lie: every path of each, the longest first.

    In a tie a project goes by a number made of its path, not by that of its row: so the same work has the same ties in
    every file that knows the project by that path.
    """

    paths: list[tuple[int, str]] = field(default_factory=list)
    keys: dict[int, int] = field(default_factory=dict)

    @classmethod
    def of(cls, db: sqlite3.Connection) -> Roots:
        """Those of a file."""
        keys = {row[0]: hashed(row[1]) for row in db.execute("select id, canonical_path from projects")}
        return cls([(keys[row[0]], row[1]) for row in db.execute(ROOTS)], keys)

    def key(self, project_id: int | None) -> int:
        """The number by which a project goes in ties; 0 of none."""
        return self.keys.get(project_id or 0, 0)

    def place_of(self, path: str, project_id: int) -> tuple[int, str]:
        """The project of a path and the path in it; an own one is as it is, one outside of all belongs to none."""
        if not path.startswith(("/", "~")):
            return project_id, path
        for found, root in self.paths:
            if path.startswith(root.rstrip("/") + "/"):
                return found, path[len(root.rstrip("/")) + 1 :]
        return 0, path


def hashed(text: str) -> int:
    """A number of 63 bits for a text, the same in every file."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big") >> 1
