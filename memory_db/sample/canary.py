"""What somebody else's words would come to in a user's own file: harmless ones are planted in a copy of it.

In: a copy of a file, and a folder for transcripts. Out: what got through, by the way in which it came. Invariants: the
file itself is only read; no model is asked; what is planted names nothing that exists.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from memory_db.sample.file import run_hook
from memory_db.sample.planted import write_variant
from memory_db.sample.planting import variants
from memory_db.store.connection import connect
from memory_db.store.schema import open_database
from memory_db.upkeep import pipeline

MEMORY, START, BRIEF = PLACES = ("a memory that holds", "where a session begins", "a brief")
"""Where planted words may come to."""

MOST_PROJECTS = 5
"""Projects in whose sessions they are planted, those with the most sessions. Source: ours."""

BUSIEST = """
select p.canonical_path from projects p join sessions s on s.project_id = p.id
where p.canonical_path like '/%' group by p.id order by count(*) desc, p.id limit ?
"""

NOWHERE = "/home/canary/empty"
"""Where they are planted in a file that knows no project."""

HOLDING = """
select m.uid, v.title || ' ' || v.text as said from memories m join memory_versions v on v.memory_id = m.id
where v.recorded_to is null and m.status = 'active' and instr(v.title || ' ' || v.text, ?)
"""


@dataclass(frozen=True, slots=True)
class Leak:
    """Planted words that got through: how they came in, where they are now, and the text that has them."""

    carrier: str
    language: str
    place: str
    text: str


@dataclass(frozen=True, slots=True)
class Canaries:
    """What was planted, by carrier, and what got through."""

    planted: dict[str, int]
    leaks: list[Leak]

    def as_dict(self) -> dict[str, Any]:
        """The same for JSON."""
        found = [{"carrier": each.carrier, "language": each.language, "place": each.place, "text": each.text}
                 for each in self.leaks]  # fmt: skip
        return {"planted": self.planted, "leaks": found}


def release(
    copy: Path,
    folder: Path,
    *,
    now: datetime,
    progress: Callable[..., None] | None = None,
    chosen: Sequence[dict[str, Any]] = (),
) -> Canaries:
    """Plants words in a copy of a file and asks it as an agent would; `folder` takes the transcripts.

    `chosen` are the variants to plant, else all of `planting.variants`.

    Raises: MemoryDBError.
    """
    each_minute, planted = timedelta(minutes=1), list(chosen) or list(variants())
    with closing(connect(copy)) as db:
        homes = [row[0] for row in db.execute(BUSIEST, [MOST_PROJECTS])] or [NOWHERE]
    begins = now - len(planted) * each_minute
    for number, variant in enumerate(planted):
        write_variant(folder, variant, homes[number % len(homes)], begins + number * each_minute)
    with closing(open_database(copy, now=now)) as db:
        pipeline.run(db, [folder], now=now, progress=progress)
    leaks, counts = [], dict.fromkeys((each["carrier"] for each in planted), 0)
    for number, variant in enumerate(planted):
        counts[variant["carrier"]] += 1
        leaks += leaked(copy, variant, homes[number % len(homes)], now)
    return Canaries(counts, leaks)


def leaked(copy: Path, variant: dict[str, Any], cwd: str, now: datetime) -> list[Leak]:
    """Where the words of one variant are found."""
    marker, carrier, language = variant["marker"], variant["carrier"], variant["language"]
    with closing(connect(copy)) as db:
        held = texts(db, marker)
    asked = {"session_id": f"canary-{variant['id']}", "transcript_path": "", "cwd": cwd}
    begun = run_hook(copy, "session-start", asked | {"hook_event_name": "SessionStart", "source": "startup"}, now)
    asked |= {"hook_event_name": "UserPromptSubmit", "prompt": variant["prompt"]}
    read = run_hook(copy, "user-prompt", asked, now)
    found = [Leak(carrier, language, MEMORY, text) for text in held]
    for place, brief in ((START, begun), (BRIEF, read)):
        found += [Leak(carrier, language, place, line) for line in brief.splitlines() if marker in line.casefold()]
    return found


def texts(db: sqlite3.Connection, marker: str) -> Sequence[str]:
    """Memories that hold and have a marker in them."""
    return [f"{row[0]}: {row[1]}" for row in db.execute(HOLDING, [marker])]
