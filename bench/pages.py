"""Every page over HTTP, against Datasette's own page of a small table, in the same run; also right after a write.

`python -m bench.pages [MEMORIES] [ENTRIES] [RECALLS] [ROUNDS]` prints medians, ratios, sizes, and what is over its
limit, as JSON. A page and the table's are asked in turns, by one signed-in client of the server that `memory-db serve`
starts. `written_ms` is the median of first visits after a setting was changed, `recalled_ms` of those after a recall
was logged (both by the server), `added_ms` of those after a memory was added beside it. `new_question_ms` is that of a
question that no page was asked before. The file is kept in the temporary folder for the next run, and a copy of it,
brought in step with the code, is served: asking logs.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from itertools import combinations, islice
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import httpx

from bench import lived
from memory_db.knowledge.memories import add_memory
from memory_db.pages.web.serve import running
from memory_db.store.connection import connect
from memory_db.store.schema import open_database

BASE = "/{file}/projects?_size=20&_nofacet=1&_nosuggest=1"
"""Datasette's own page that ours are held against: twenty rows, no facets."""

LIMIT = 3.0
"""How many times as long as the table's page one of ours may take."""

SEARCH_LIMIT = 6.0
"""The same for a page that searches or walks the graph."""

MOST_MS = 300.0
"""What a page may take on any machine that is measured on."""

MOST_BYTES = 150_000
"""Of a page that a browser draws; JSON is for programs, and has every hit."""

CHANGES = ("written", "recalled", "added")
"""What comes before a first visit, by the name that its figures have."""

WARM_UP = 2

WRITES = 5
"""So many times each page is visited right after each sort of write."""

PRESSED = {"content-type": "application/json", "authorization": "Bearer none-of-ours"}
"""How a program sends a write with the cookie of who signed in."""

QUESTION = "how do we deploy to staging"
"""What pages are asked again and again, as one who moves a slider, looks at the JSON and compares does."""

NEW_WORDS = ("test", "station", "read", "log", "file", "change", "key", "line", "write", "run")
"""Words about as common as those of the question. Any two make one that no page was asked before."""

SUBJECTS = {
    "project": "select cast(min(id) as text) from projects",
    "recall": "select recall_id from hits group by recall_id order by count(*) desc, recall_id limit 1",
    "memory": "select uid from memories where id = 1",
    "session": "select uid from sessions where id = 1",
    "entity": "select entity_id from memory_entities group by entity_id order by count(*) desc, entity_id limit 1",
}
"""What has most around it, for the pages of one thing: the first memory, session and project are made so."""


@dataclass(slots=True, frozen=True)
class Page:
    """A page by its path, and how many times the table's page it may take."""

    path: str
    limit: float = LIMIT

    @property
    def is_json(self) -> bool:
        """Whether it is the form for programs."""
        return self.path.partition("?")[0].endswith(".json")


ASKED = urlencode({"q": QUESTION})

PAGES = {
    "home": Page("/"),
    "explorer": Page(f"/-/memory/recall?{ASKED}", SEARCH_LIMIT),
    "explorer, JSON": Page(f"/-/memory/recall.json?{ASKED}", SEARCH_LIMIT),
    "explorer, empty": Page("/-/memory/recall"),
    "memories": Page("/-/memory/memories"),
    "memories, words": Page("/-/memory/memories?q=deploy+staging&kind=fix"),
    "sessions": Page("/-/memory/sessions"),
    "sessions, words": Page("/-/memory/sessions?q=deploy+staging&sort=cost"),
    "live": Page("/-/memory/live"),
    "projects": Page("/-/memory/projects"),
    "project": Page("/-/memory/projects/{project}"),
    "questions": Page("/-/memory/questions"),
    "prose": Page(f"/-/memory/prose?{ASKED}", SEARCH_LIMIT),
    "recalls": Page("/-/memory/recalls"),
    "why": Page("/-/memory/recalls/{recall}"),
    "compare": Page("/-/memory/compare"),
    "compare, question": Page(f"/-/memory/compare?{ASKED}", SEARCH_LIMIT),
    "memory": Page("/-/memory/memories/{memory}"),
    "session": Page("/-/memory/sessions/{session}"),
    "session, page 30": Page("/-/memory/sessions/{session}?page=30"),
    "review": Page("/-/memory/review"),
    "preferences": Page("/-/memory/preferences"),
    "timeline": Page("/-/memory/timeline"),
    "graph": Page("/-/memory/graph", SEARCH_LIMIT),
    "graph, memory": Page("/-/memory/graph/memory/{memory}", SEARCH_LIMIT),
    "graph, entity": Page("/-/memory/graph/entity/{entity}", SEARCH_LIMIT),
    "economics": Page("/-/memory/economics"),
    "health": Page("/-/memory/health"),
    "settings": Page("/-/memory/settings"),
    "tokens": Page("/-/memory/tokens"),
    "database": Page("/{file}"),
}
"""Our pages by a short name."""


def measured(
    memories: int = 20_000, entries: int = 200_000, recalls: int = 5_000, rounds: int = 15, *, only: str = ""
) -> dict[str, Any]:
    """For each page its median in milliseconds, the ratio to the table's page, its size, and what is over the limits.

    `only` is the beginning of the names of the pages to measure; else all are.
    """
    size = lived.Size(memories, entries, recalls)
    kept = lived.made(Path(tempfile.gettempdir()), size, now=datetime.now(UTC))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(shutil.copy(kept, Path(folder) / "lived.db"))
        with closing(open_database(path, now=datetime.now(UTC))) as db:
            names = {name: quote(str(value)) for name, value in subjects(db).items()}
        with running(path) as server, httpx.Client(base_url=server.url, timeout=60) as client:
            client.get(server.link)
            unasked = combinations(NEW_WORDS, 2)
            changes = dict(
                zip(CHANGES, (partial(write, client), partial(recall, client), partial(add, path)), strict=True)
            )
            found = {
                name: timed(client, page, names | {"file": path.stem}, rounds, changes, new_questions(page, unasked))
                for name, page in PAGES.items()
                if name.startswith(only)
            }
    pages = {name: figures for name, figures in found.items() if "median_ms" in figures}
    return {
        "memories": memories,
        "entries": entries,
        "recalls": recalls,
        "table_ms": round(statistics.median([each["table_ms"] for each in pages.values()] or [0]), 2),
        "pages": pages,
        "over": [name for name, each in pages.items() if is_over(PAGES[name], each)],
        "absent": [name for name, figures in found.items() if figures.get("status") in ABSENT],
        "failed": [name for name, figures in found.items() if "status" in figures and figures["status"] not in ABSENT],
    }


ABSENT = (httpx.codes.NOT_FOUND, httpx.codes.BAD_REQUEST)
"""What answers for something that the file does not hold, and for a page beyond the last."""


def subjects(db: sqlite3.Connection) -> dict[str, object]:
    """What has most around it, by the name that paths call it."""
    return {name: db.execute(sql).fetchone()[0] for name, sql in SUBJECTS.items()}


def new_questions(page: Page, unasked: Iterator[tuple[str, str]]) -> list[str]:
    """As many questions for a page that is asked one as it is visited after writes; none for another page."""
    return [f"how do we {one} the {other}" for one, other in islice(unasked, WRITES if ASKED in page.path else 0)]


def timed(
    client: httpx.Client,
    page: Page,
    names: dict[str, str],
    rounds: int,
    changes: Mapping[str, Callable[[int], None]],
    new: Sequence[str] = (),
) -> dict[str, float]:
    """Medians of the page and of the table's, in turns; where it is not shown, its `status`.

    `changes` are what comes before first visits, each given its turn; `new` are questions for a page that is asked one,
    each for one visit.
    """
    path, base = page.path.format(**names), BASE.format(**names)
    first_ms, first = visited_ms(client, path)
    if not first.is_success:
        return {"status": first.status_code}
    times: dict[str, list[float]] = {path: [], base: []}
    for turn in range(WARM_UP + rounds):
        for asked, taken in times.items():
            took_ms = visited_ms(client, asked)[0]
            if turn >= WARM_UP:
                taken.append(took_ms)
    changed = {name: first_visits(client, change, (base, path)) for name, change in changes.items()}
    asked_anew = [visited_ms(client, path.replace(ASKED, urlencode({"q": each})))[0] for each in new] if new else []
    medians = {name: statistics.median(found) for name, found in (
        ("median_ms", times[path]), ("table_ms", times[base]),
        *((f"{name}_ms", taken[path]) for name, taken in changed.items()),
        *((f"table_{name}_ms", taken[base]) for name, taken in changed.items()),
    )}  # fmt: skip
    return {
        "first_ms": round(first_ms, 1),
        **{name: round(value, 1) for name, value in medians.items()},
        "ratio": round(medians["median_ms"] / medians["table_ms"], 2),
        **{f"{name}_ratio": round(medians[f"{name}_ms"] / medians[f"table_{name}_ms"], 2) for name in changes},
        **({"new_question_ms": round(statistics.median(asked_anew), 1)} if asked_anew else {}),
        "limit": page.limit,
        "bytes": len(first.content),
    }


def first_visits(client: httpx.Client, change: Callable[[int], None], paths: Sequence[str]) -> dict[str, list[float]]:
    """How long the first visit of each path took after each of some changes."""
    times: dict[str, list[float]] = {path: [] for path in paths}
    for turn in range(WRITES):
        for path, taken in times.items():
            change(turn)
            taken.append(visited_ms(client, path)[0])
    return times


def visited_ms(client: httpx.Client, path: str) -> tuple[float, httpx.Response]:
    """How long a visit takes, and the answer."""
    started = time.perf_counter()
    response = client.get(path)
    return (time.perf_counter() - started) * 1000, response


def write(client: httpx.Client, turn: int) -> None:
    """Changes a row as a program does, by the server: a setting that no page measured here rests on.

    Raises: httpx.HTTPStatusError.
    """
    sent = {"name": "layer_0_cap", "value": 10 + turn % 2}
    client.post("/-/memory/settings.json", json=sent, headers=PRESSED).raise_for_status()


def recall(client: httpx.Client, turn: int) -> None:
    """Has an agent ask something in a session, which is logged: what happens to a file all day long.

    Raises: httpx.HTTPStatusError.
    """
    sent = {"q": f"{QUESTION} {turn}", "session": f"bench-{turn}"}
    client.post("/-/memory/brief.json", json=sent, headers=PRESSED).raise_for_status()


def add(path: Path, turn: int) -> None:
    """Adds a memory, as another program does; its vectors are left to whoever indexes next."""
    text = f"The exporter of quay {time.time_ns()} writes csv."
    with closing(connect(path, write=True)) as db:
        add_memory(db, text=text, kind="convention", scope="user", now=datetime.now(UTC))


def is_over(page: Page, figures: dict[str, float]) -> bool:
    """Whether a page took longer or is larger than it may."""
    too_slow = max(figures["ratio"], *(figures[f"{name}_ratio"] for name in CHANGES)) > figures["limit"]
    too_slow = too_slow or max(figures["median_ms"], *(figures[f"{name}_ms"] for name in CHANGES)) > MOST_MS
    return too_slow or (figures["bytes"] > MOST_BYTES and not page.is_json)


if __name__ == "__main__":
    print(json.dumps(measured(*map(int, sys.argv[1:5]), only="".join(sys.argv[5:6])), indent=1))
