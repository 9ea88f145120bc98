"""The labelled questions that profiles are fitted on and compared by, each with its hits, kept between runs.

The developer's notes and the sample history; and what a folder has of public sets: LoCoMo, BEAM, SDE-bench and
PrecisionMemBench.
Each is asked in several ways: as the full formula asks, and as a hook asks. What was found is kept in a folder until
code of the package changes.
"""

from __future__ import annotations

import dataclasses
import hashlib
import pickle
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from bench.developer import OWN
from bench.locomo import FORM, is_locomo
from bench.material import NOW
from bench.public_sets import sets
from bench.rankings import CACHE
from memory_db.evaluation import query_sets as judging
from memory_db.evaluation.datasets import beam, loading, precisionmembench, read_dataset, sde_bench
from memory_db.evaluation.datasets.vector_cache import open_cache
from memory_db.evaluation.metrics import Labelled, collect
from memory_db.hooks.prompt import PROFILE
from memory_db.index.semantic import open_semantic
from memory_db.models.embedders import MINILM
from memory_db.recall.search import HOOK_EFFORT, Effort, Question
from memory_db.records import replace
from memory_db.sample.file import ensure_sample
from memory_db.store.connection import connect

PACKAGE = Path(judging.__file__).parents[1]

BRIEF = Question("", profile=PROFILE, effort=Effort(HOOK_EFFORT.most_terms, HOOK_EFFORT.most_memories))
"""How a hook asks."""

WAYS: dict[str, Question] = {
    "full": Question(""),
    "hook": BRIEF,
    "hook, memories alone": replace(BRIEF, scope="memories"),
}
"""How questions are asked, by name; the full formula has the model."""

OTHER_FORMS = (
    ("beam", (beam.CHAT, beam.QUESTIONS), 1),
    ("sde-bench", (sde_bench.TASKS, sde_bench.DECOYS), 0),
    ("precisionmembench", (precisionmembench.CASES, precisionmembench.BELIEFS), 0),
)
"""Public sets of several files: the form, two names by which one is known, and how far above them its folder is."""

Sets = dict[str, list[Labelled]]


def asked(ways: tuple[str, ...], data: Path | None, kept: Path | None) -> dict[str, Sets]:
    """The questions of every set by way and set, from the folder `kept` where they are there and still hold."""
    found: dict[str, Sets] = {way: {} for way in ways}
    public = public_paths(data)
    for name in ("developer", "sample", *public):
        known = {way: from_cache(kept, name, way) for way in ways}
        for way, questions in known.items():
            found[way] |= {name: questions} if questions else {}
        if missing := [way for way in ways if not known[way]]:
            for way, questions in collected(name, public.get(name), missing).items():
                found[way][name] = questions
                to_cache(kept, name, way, questions)
    return found


def public_paths(data: Path | None) -> dict[str, tuple[Path, str]]:
    """Public sets in a folder or below: the path and the form of each, by name."""
    if data is None:
        return {}
    found = {path.stem: (path, FORM) for path in sorted(data.rglob("*.json")) if is_locomo(path)}
    for form, files, depth in OTHER_FORMS:
        found |= {path.name: (path, form) for path in sets(data, files, depth)}
    return found


def collected(name: str, public: tuple[Path, str] | None, ways: list[str]) -> Sets:
    """One set, asked anew in temporary files."""
    found: Sets = {way: [] for way in ways}
    with tempfile.TemporaryDirectory() as folder:
        if name == "sample":
            with closing(connect(ensure_sample(Path(folder), now=NOW), write=True)) as db:
                for way in ways:
                    index = open_semantic(db) if way == "full" else None
                    found[way] = collect(db, judging.SAMPLE_SET, semantic=index, asked_like=WAYS[way])
            return found
        dataset = read_dataset(*(public or (OWN, "jsonl")))
        with vectors() as cache:
            for number, part in enumerate(dataset.parts):
                path = Path(folder) / f"{number}.db"
                loaded = loading.load(part, path, model=MINILM, cache=cache, now=NOW)
                with closing(loaded.db) as db:
                    for way in ways:
                        index = loaded.cached if way == "full" else None
                        asked_now = collect(db, loading.QUERY_SET, semantic=index, asked_like=WAYS[way])
                        found[way] += [dataclasses.replace(each, group=part.name) for each in asked_now]
    return found


@contextmanager
def vectors() -> Iterator[object]:
    """The cache of vectors of `memory-db evaluate`, or None."""
    cache = open_cache(CACHE.expanduser())
    try:
        yield cache
    finally:
        if cache:
            cache.close()


# ----------------------------------------------------------------------- kept


def kept_path(kept: Path, name: str, way: str) -> Path:
    """Where the questions of a set are kept: the name tells which code found them."""
    digest = hashlib.blake2b(digest_size=8)
    for path in sorted((*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.sql"), *OWN.glob("*.jsonl"))):
        if path.name not in ("presets.py",) and "cli" not in path.parts and "pages" not in path.parts:
            digest.update(path.read_bytes())
    return kept / f"{name}-{way.replace(', ', '-')}-{digest.hexdigest()}.pickle"


def from_cache(kept: Path | None, name: str, way: str) -> list[Labelled] | None:
    """What an earlier run found by the same code, else None."""
    if kept is None or not (path := kept_path(kept, name, way)).is_file():
        return None
    with path.open("rb") as file:
        found: list[Labelled] = pickle.load(file)
    return found


def to_cache(kept: Path | None, name: str, way: str, questions: list[Labelled]) -> None:
    """Keeps what was found, for the owner of the folder alone."""
    if kept is None:
        return
    kept.mkdir(parents=True, exist_ok=True)
    path = kept_path(kept, name, way)
    path.with_suffix(".partial").touch(mode=0o600)
    path.with_suffix(".partial").write_bytes(pickle.dumps(questions))
    path.with_suffix(".partial").rename(path)
