"""How a file behaves as it grows to a million entries: size, time to fill, and time to answer.

`python -m bench.growth [ENTRIES ...]` prints figures as JSON; at its standard sizes it draws docs/growth.svg too. One
file grows from size to size, so each size's rate is that of its own part. Texts are generated with words as common as
in prose, vectors are numbers by chance (see `zipf`); full text, recall and its log are real. `semantic` asks with the
full model, the embedding of the question included.
"""

from __future__ import annotations

import json
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import altair

from bench import zipf
from bench.material import NOW
from bench.recall_speed import medians_ms
from memory_db.index import semantic, signatures
from memory_db.models.embedders import MINILM
from memory_db.recall.brief.select import ask
from memory_db.recall.search import Effort, Question
from memory_db.store.schema import open_database
from memory_db.text.terms import match_any, query_terms

SIZES = (10_000, 100_000, 300_000, 1_000_000)

NEW = 1_000_000_000
"""Id of an embedding that is added to see how long it takes until it is found."""

QUESTIONS = 10

ROUNDS = 3

PICTURE = Path(__file__).parent.parent / "docs" / "growth.svg"

LINES = {
    "bare_fts5_ms": "bare FTS5 query",
    "hook_profile_ms": "recall, profile hook, logged",
    "recall_ms": "recall without the full model, logged",
    "semantic_ms": "recall with the full model, logged",
}
"""What is drawn, by its name in the figures."""


def measured(sizes: Sequence[int] = SIZES, picture: Path | None = PICTURE) -> dict[str, Any]:
    """Figures for each size of one growing file; drawn where a picture is named."""
    writer = zipf.Writer()
    found: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder, closing(open_database(Path(folder) / "growth.db", now=NOW)) as db:
        for size in sizes:
            already = found[-1]["entries"] if found else 0
            found.append({"entries": size, **filled(db, writer, already, size), **asked(db, writer, size)})
            print(json.dumps(found[-1]), file=sys.stderr, flush=True)
    if picture:
        draw(found, picture)
    return {"sizes": found}


def filled(db: sqlite3.Connection, writer: zipf.Writer, already: int, size: int) -> dict[str, Any]:
    """Lets the file grow to a size: entries a second, and megabytes as entries, vectors and embeddings come."""
    first, count = already + 1, size - already
    sizes = [size_bytes(db)]
    seconds = timed(lambda: zipf.add_sessions(db, writer, count, first))
    sizes.append(size_bytes(db))
    zipf.add_static(db, range(first, size + 1, 2))
    signed_s = timed(lambda: signatures.refresh(db))
    sizes.append(size_bytes(db))
    zipf.add_full(db, range(first, size + 1, 3))
    sizes.append(size_bytes(db))
    return {
        "inserted_per_s": round(count / seconds),
        "bytes_per_entry": round((sizes[1] - sizes[0]) / count),
        "bytes_per_static_vector": round((sizes[2] - sizes[1]) * 2 / count),
        "bytes_per_embedding": round((sizes[3] - sizes[2]) * 3 / count),
        "file_mb": round(sizes[3] / 1e6),
        "signatures_s": round(signed_s, 2),
    }


def asked(db: sqlite3.Connection, writer: zipf.Writer, size: int) -> dict[str, Any]:
    """Medians of the bare query and of recall in its ways, which take turns; and what the embeddings cost in memory."""
    places = [size * number // QUESTIONS + 1 for number in range(QUESTIONS)]
    texts = [db.execute("select text from entries where id = ?", [place]).fetchone()[0] for place in places]
    index = semantic.EmbeddingIndex(db, MINILM)
    index.embed_query("warm")
    load_s = timed(index.refresh)
    zipf.add_full(db, range(NEW, NEW + 1))
    refresh_s = timed(index.refresh)
    db.execute("delete from embeddings where rowid = (select max(rowid) from embeddings)")
    index.refresh()
    works = ways(db, index)
    medians = medians_ms(ROUNDS, *works.values(), queries=writer.questions(texts), clock=time.process_time)
    times = {name: round(value, 2) for name, value in zip(works, medians, strict=True)}
    return {
        **times,
        "ratio": round(times["recall_ms"] / times["bare_fts5_ms"], 2),
        "hook_ratio": round(times["hook_profile_ms"] / times["bare_fts5_ms"], 2),
        "semantic_more_ms": round(times["semantic_ms"] - times["recall_ms"], 2),
        "embeddings_load_ms": round(load_s * 1000),
        "embeddings_refresh_ms": round(refresh_s * 1000, 1),
        "embeddings_memory_mb": round(index.size_bytes() / 1e6, 1),
    }


def ways(db: sqlite3.Connection, index: semantic.EmbeddingIndex) -> dict[str, Callable[[str], object]]:
    """Ways of asking for ten hits, by the name of their time."""

    def bare(query: str) -> object:
        return db.execute(
            "select rowid, bm25(entry_fts) from entry_fts where entry_fts match ? order by rank limit 10",
            [match_any(query_terms(query))],
        ).fetchall()

    def recalled(query: str) -> object:
        return ask(db, Question(query, scope="entries"), surface="bench", now=NOW)

    def as_hook(query: str) -> object:
        return ask(
            db, Question(query, scope="entries", profile="hook", effort=Effort(most_terms=8)), surface="bench", now=NOW
        )

    def by_meaning(query: str) -> object:
        semantic.asked_of.cache_clear()
        return ask(db, Question(query, scope="entries"), surface="bench", now=NOW, semantic=index)

    return {"bare_fts5_ms": bare, "hook_profile_ms": as_hook, "recall_ms": recalled, "semantic_ms": by_meaning}


def draw(found: Sequence[dict[str, Any]], picture: Path) -> None:
    """The times and the file's size against the number of entries, as SVG."""
    rows = [{"entries": row["entries"], "ms": row[name], "what": what} for row in found for name, what in LINES.items()]
    places = [row["entries"] for row in found]
    entries = altair.X(
        "entries:Q", scale=altair.Scale(type="log"), title="entries", axis=altair.Axis(format="~s", values=places)
    )
    times = (
        altair.Chart(inline(rows), title="Time to answer, median")
        .mark_line(point=True)
        .encode(
            x=entries,
            y=altair.Y("ms:Q", scale=altair.Scale(type="log"), title="milliseconds of the processor"),
            color=altair.Color(
                "what:N",
                title=None,
                sort=list(LINES.values()),
                legend=altair.Legend(labelLimit=260, orient="bottom", columns=2),
            ),
        )
    )
    sizes = (
        altair.Chart(inline(found), title="Size of the file, all vectors included")
        .mark_line(point=True, color="#555")
        .encode(
            x=entries,
            y=altair.Y("file_mb:Q", scale=altair.Scale(type="log"), title="megabytes"),
        )
    )
    both = times.properties(width=360, height=260) | sizes.properties(width=260, height=260)
    both.configure(background="white").save(picture)


def inline(rows: Sequence[dict[str, Any]]) -> altair.Data:
    """Rows for a chart."""
    return altair.Data(values=list(rows))  # type: ignore[no-untyped-call]


def size_bytes(db: sqlite3.Connection) -> int:
    """How large the file is."""
    return int(db.execute("pragma page_count").fetchone()[0] * db.execute("pragma page_size").fetchone()[0])


def timed(work: Callable[[], object]) -> float:
    """Seconds of the processor that a call takes."""
    started = time.process_time()
    work()
    return time.process_time() - started


if __name__ == "__main__":
    given = tuple(map(int, sys.argv[1:]))
    print(json.dumps(measured(given or SIZES, None if given else PICTURE), indent=2))
