"""How often a prompt finds a rule that it only implies: by what earlier prompts like it came to.

`python -m bench association` measures on bench/data/association, whose README says how it was made: each history has
a rule that was said while some file or command was worked on, a later task that came to it too, and a prompt like that
task. The weight of the signal is 0, and as shipped; `found` is asked with it alone, which tells what it could bring.
"""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import yaml

from memory_db.hooks.prompt import PROFILE
from memory_db.index.semantic import open_semantic
from memory_db.recall.profiles import save_profile
from memory_db.recall.search import HOOK_EFFORT, Filters, Question, Semantic, recall
from memory_db.records import replace
from memory_db.sample.build import line_of, open_thread, transcript_path, turns_of
from memory_db.store.presets import PRESETS
from memory_db.store.schema import open_database
from memory_db.upkeep import pipeline

SET = Path(__file__).parent / "data" / "association"

NOW = datetime(2026, 11, 2, tzinfo=UTC)

FIRST_CHORE = datetime(2026, 9, 1, 12, 0)  # noqa: DTZ001  # the sample's form has UTC without saying so

FIRST = (1, 5, 10)

Places = dict[tuple[str, str], int | None]
"""The place of a rule among the hits, by its history and wording."""

WAYS = {
    "default": Question("", filters=Filters(other_projects=False)),
    "hook": Question("", profile=PROFILE, effort=HOOK_EFFORT, filters=Filters(other_projects=False)),
}


def measured(folder: Path = SET) -> dict[str, Any]:
    """Recall at 1, 5 and 10 by profile, with the signal's weight 0 and as shipped, by wording and together."""
    with tempfile.TemporaryDirectory() as scratch, closing(lived(folder, Path(scratch))) as db:
        semantic = open_semantic(db)
        found: dict[str, Any] = {"memories": db.execute("select count(*) from current_memories").fetchone()[0]}
        for way, question in WAYS.items():
            for name, weights in weightings(question.profile).items():
                save_profile(db, "measured", weights, description="", fitted_on="", now=NOW)
                asked = replace(question, profile="measured")
                places = places_of(db, folder, asked, semantic if way == "default" else None)
                found.setdefault(way, {})[name] = figures(places)
    return found


def weightings(profile: str) -> dict[str, dict[str, float]]:
    """The weights of a profile without the signal, and with its own."""
    shipped = PRESETS[profile].weights
    rest = {name: weight for name, weight in shipped.items() if name != "association"}
    total = sum(rest.values())
    return {"without": {name: weight / total for name, weight in rest.items()}, "shipped": dict(shipped)}


def lived(folder: Path, scratch: Path) -> sqlite3.Connection:
    """A file in which every history was lived through."""
    for name, session in (*sessions(folder), *chores(folder)):
        thread = open_thread(name, session)
        thread.say_all(turns_of(session["turns"]))
        path = transcript_path(scratch / "history", session["cwd"], thread.at.session_id)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(line_of(record) for record in thread.records) + "\n", encoding="utf-8")
    db = open_database(scratch / "memory.db", now=NOW)
    pipeline.run(db, [scratch / "history"], now=NOW)
    return db


def histories(folder: Path) -> Iterator[tuple[str, Mapping[str, Any], Mapping[str, Any]]]:
    """Each project by its file's name, with what its sessions share, and each of its histories."""
    for path in sorted(folder.glob("*.yaml")):
        project = yaml.safe_load(path.read_text("utf-8"))
        shared = {name: project[name] for name in ("cwd", "version")}
        for history in project["histories"]:
            yield path.stem, shared, history


def chores(folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Other work in each project, a session each, with a rule of its own: what a rule must stand out from."""
    for path in sorted(folder.glob("*.yaml")):
        project = yaml.safe_load(path.read_text("utf-8"))
        for number, chore in enumerate(project["chores"]):
            started = FIRST_CHORE + timedelta(days=2 * number, minutes=sum(map(ord, path.stem)))
            turns: list[dict[str, Any]] = [{"user": chore["task"]}, {"edit": chore["file"], "old": "a", "new": "b"}]
            turns += [{"bash": "git status", "out": "clean"}, {"user": chore["rule"]}, {"say": "Noted."}]
            shared = {"cwd": project["cwd"], "version": project["version"]}
            yield f"{path.stem}-chore-{number}", {**shared, "start": started, "turns": turns}


def sessions(folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each session of a history in the sample's form, by a name of its own."""
    for name, project, history in histories(folder):
        for number, session in enumerate(history["sessions"]):
            yield f"{name}-{history['name']}-{number}", {**project, **session}


def places_of(db: sqlite3.Connection, folder: Path, question: Question, semantic: Semantic | None) -> Places:
    """The place of the rule that each prompt implies among the memories that hold here; None where it is not one."""
    places: Places = {}
    for project, _, history in histories(folder):
        project_id = db.execute("select id from projects where name = ?", [project]).fetchone()[0]
        asked = replace(question, query=history["ask"], project_id=project_id)
        found = recall(db, asked, now=NOW, semantic=semantic).hits
        hits = [hit for hit in found if hit.type == "memory" and hit.features.holds_here()]
        text = "select text from memory_versions where id = ?"
        texts = [db.execute(text, [hit.memory_version_id]).fetchone()[0].casefold() for hit in hits]
        met = (place for place, each in enumerate(texts, 1) if history["wanted"].casefold() in each)
        places[f"{project}/{history['name']}", history["wording"]] = next(met, None)
    return places


def figures(places: Places) -> dict[str, Any]:
    """Recall at each depth, by wording and together."""
    found: dict[str, Any] = {}
    for group in ("same", "varied", "all"):
        chosen = [place for (_, wording), place in places.items() if group in (wording, "all")]
        met = {first: sum(place is not None and place <= first for place in chosen) for first in FIRST}
        found[group] = {f"recall@{first}": round(count / len(chosen), 3) for first, count in met.items()}
    return found
