"""What becomes of whole sessions: all that is worth knowing in them, and all that is not, labelled by readers.

`python -m bench remembering` measures on bench/data/sessions, whose README says who wrote what: what the rules keep,
what they keep with a model that finds everything, and with one that also proposes what nobody should keep. A memory
counts as its label says; one without a label counts as not useful. `python -m bench.remembering --show` prints what is
kept, `--unlabelled FILE` writes down the memories that wait for a reader, `--take FILE` keeps what that reader wrote.
"""

from __future__ import annotations

import argparse
import re
import tempfile
import threading
from collections.abc import Sequence
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import yaml

from bench import remembering_set as labelled
from bench.remembering_figures import Remembered, Said, figures, remembered
from bench.remembering_models import LabelModel
from bench.remembering_set import SEEN, SET, UNSEEN, Label, Labels, Project
from memory_db.errors import ModelError
from memory_db.extract.model.jobs import waiting
from memory_db.extract.model.prompts import load_prompt
from memory_db.extract.model.runs import ExtractionOrder, read_sessions
from memory_db.sample.build import session_id, write_history
from memory_db.sample.file import run_hook
from memory_db.store.connection import connect
from memory_db.store.dates import parse_utc
from memory_db.store.schema import open_database
from memory_db.upkeep import pipeline

RULES, PERFECT, SLOPPY = "rules", "perfect model", "sloppy model"
WAYS = (RULES, PERFECT, SLOPPY)
"""Who proposes: the rules alone, or a model as well, which is asked after them."""

PLACE = "select canonical_path from projects where name = ?"

TOLD_LINE = re.compile(r"^- \[(m[0-9a-f]+)\]", re.MULTILINE)
"""How a line of a brief begins that tells a memory."""

OF_REQUESTS = """
select m.text, o.quote from memories m join memory_sources o on o.memory_id = m.id
join entries e on e.id = o.entry_id where e.role = 'user' and m.status <> 'retired' group by m.id order by m.id
"""


# ------------------------------------------------------------------ living through the sessions


def lived_through(found: Sequence[Project], way: str, known: Labels, folder: Path) -> tuple[Remembered, set[str]]:
    """What a file keeps of one person's sessions, and the ids of facts that a model was shown the words of."""
    names = labelled.rendered(found, folder)
    path = folder / "memory.db"
    now = taken_in(path, folder / "history")
    shown: set[str] = set()
    if way != RULES:
        model = LabelModel(way.replace(" ", "-"), path, found, names, known, is_sloppy=way == SLOPPY)
        read_by_model(path, model, now)
        taken_in(path, folder / "history")
        shown = model.shown
    starts = {project.name: told_at_start(path, project, now) for project in found}
    with closing(open_database(path, now=now)) as db:
        return remembered(db, names, known, starts), shown


def told_at_start(path: Path, project: Project, now: datetime) -> list[str]:
    """The uids of the memories that the next session in a project begins with, by the hook that a client calls."""
    with closing(connect(path)) as db:
        rows = db.execute(PLACE, [project.name]).fetchall()
    if not rows:
        return []
    payload = {
        "session_id": session_id(f"start/{project.name}"), "transcript_path": "", "cwd": rows[0]["canonical_path"],
        "hook_event_name": "SessionStart", "source": "startup",
    }  # fmt: skip
    return TOLD_LINE.findall(run_hook(path, "session-start", payload, now))


def taken_in(path: Path, history: Path) -> datetime:
    """Runs every stage over transcripts, a day after the last word; gives that moment."""
    now = max(moment_of(each) for each in history.rglob("*.jsonl")) + timedelta(days=1)
    with closing(open_database(path, now=now)) as db:
        pipeline.run(db, [history], now=now)
    return now


def moment_of(transcript: Path) -> datetime:
    """When the last word of a transcript was said: its file's time, as `write_history` sets it."""
    return parse_utc(datetime.fromtimestamp(transcript.stat().st_mtime).astimezone().isoformat())


def read_by_model(path: Path, model: LabelModel, now: datetime) -> None:
    """Lets a model read every session, as a worker would. Raises: ModelError where its answers cannot be used."""
    prompt = load_prompt("extract")
    with closing(open_database(path, now=now)) as db:
        sessions = waiting(db, prompt, str(model.model_id))
    order = ExtractionOrder(prompt, model, sessions)
    outcome = read_sessions(path, order, clock=lambda: now, stop=threading.Event())
    if outcome.errors or outcome.left:
        raise ModelError(f"{outcome.left} sessions were not read: {'; '.join(outcome.errors) or outcome.stopped}")


def everything(way: str, found: Sequence[Project], known: Labels) -> tuple[Remembered, set[str]]:
    """What is kept of everybody's sessions, a file each."""
    kept, shown = [], set()
    for own in labelled.by_person(found).values():
        with tempfile.TemporaryDirectory() as folder:
            of_person, seen = lived_through(own, way, known, Path(folder))
        kept.append(of_person)
        shown |= seen
    together = {
        name: tuple(each for of_person in kept for each in getattr(of_person, name)) for name in Remembered.__slots__
    }
    return Remembered(**together), shown


# ------------------------------------------------------------------ figures


def measured(folder: Path = SET) -> dict[str, Any]:
    """Figures by way and half, of how much there is to know, and of ordinary requests."""
    found = labelled.projects(folder)
    if not found:
        return {"skipped": f"no labelled projects in {folder.name}"}
    known = all_labels(found, folder)
    return {
        "sessions": {
            project.name: {
                "half": project.half, "sessions": len(project.dialogues), "must": len(project.must),
                "must not": len(project.must_not), "changes": len(project.changes),
            }
            for project in found
        },
        **{way: of_way(way, found, known) for way in WAYS},
        "ordinary requests": of_requests(folder),
    }  # fmt: skip


def of_way(way: str, found: Sequence[Project], known: Labels) -> dict[str, Any]:
    """The figures of one way, by half."""
    kept, shown = everything(way, found, known)
    halves = {half: [project for project in found if project.half == half] for half in (SEEN, UNSEEN)}
    by_half = {"all": list(found), **{half: own for half, own in halves.items() if own}}
    return {
        half: figures(own, kept)
        | ({} if way == RULES else {"must shown to the model": len({f.id for p in own for f in p.must} & shown)})
        for half, own in by_half.items()
    }


def all_labels(found: Sequence[Project], folder: Path) -> Labels:
    """What readers said of memories, and what facts say of themselves."""
    return labelled.labels(folder) | labelled.of_facts(found)


def of_requests(folder: Path = SET) -> dict[str, Any]:
    """How many of the ordinary requests become memories."""
    dialogues = labelled.one_off(folder)
    turns = [turn for each in dialogues for turn in yaml.safe_load(each.read_text("utf-8"))["turns"]]
    return {"prompts": sum("user" in turn for turn in turns), "memories": len(kept_of_requests(dialogues))}


def kept_of_requests(dialogues: Sequence[Path]) -> list[str]:
    """The memories that the rules make of what the user asked for in some sessions."""
    if not dialogues:
        return []
    with tempfile.TemporaryDirectory() as folder:
        write_history(Path(folder) / "history", dialogues)
        path = Path(folder) / "memory.db"
        now = taken_in(path, Path(folder) / "history")
        with closing(open_database(path, now=now)) as db:
            return [str(row["text"]) for row in db.execute(OF_REQUESTS)]


# ------------------------------------------------------------------ labels


def unlabelled(found: Sequence[Project], kept: Sequence[Said]) -> list[dict[str, Any]]:
    """The projects with memories that no reader has seen, with the facts and with room for labels."""
    asked = []
    for project in found:
        new = {each.text: each for each in kept if each.project == project.name and each.label is None}
        if new:
            asked.append({
                "project": project.name,
                "must": {fact.id: fact.text for fact in (*project.must, *project.sides)},
                "must_not": {fact.id: fact.text for fact in project.must_not},
                "memories": [
                    {"text": text, "title": each.title, "quote": each.quote, "kind": each.kind, "scope": each.scope,
                     "covers": [], "full": None, "must_not": None, "useful": None, "readable": None,
                     "kind_right": None, "scope_right": None}
                    for text, each in new.items()
                ],
            })  # fmt: skip
    return asked


def read_labels(path: Path, found: Sequence[Project]) -> Labels:
    """Labels that a reader filled in; memories left as they were are passed over. Raises: ValueError for what is none.

    A memory that covers something needs `full`, true, false or the ids of what it says whole; all need `useful` and
    `readable`.
    """
    projects = {project.name: project for project in found}
    read: Labels = {}
    for own in yaml.safe_load(path.read_text("utf-8")):
        project = projects[own["project"]]
        for row in own["memories"]:
            if row["useful"] is None and row["readable"] is None and not row["covers"]:
                continue
            read[project.name, row["text"]] = label_of(row, project)
    return read


def label_of(row: dict[str, Any], project: Project) -> Label:
    """One label. Raises: ValueError."""
    about = f"{project.name}: {row['text'][:60]!r}"
    unknown = [fact for fact in row["covers"] or () if fact not in project.facts]
    in_full = row["full"] if isinstance(row["full"], list) else []
    unknown += [fact for fact in in_full if fact not in row["covers"]]
    if row["must_not"] is not None and row["must_not"] not in {fact.id for fact in project.must_not}:
        unknown.append(row["must_not"])
    if unknown:
        raise ValueError(f"{about} names {unknown[0]!r}, which is no fact of that project; write one of its ids")
    needed = ("useful", "readable", *(("full",) if row["covers"] and not in_full else ()))
    if wrong := [name for name in needed if not isinstance(row[name], bool)]:
        raise ValueError(f"{about} has no {wrong[0]}; write true or false")
    return Label(
        tuple(row["covers"] or ()), tuple(in_full) or bool(row["full"]), row["must_not"], row["useful"],
        row["readable"], row["kind_right"], row["scope_right"], row["kind"], row["scope"],
    )  # fmt: skip


def show(found: Sequence[Project], kept: Remembered) -> None:
    """Prints what is kept of each project, and what is missing."""
    for project in found:
        print(f"# {project.name} ({project.half})")
        own = [memory for memory in kept.memories if memory.project == project.name]
        for memory in own:
            print(f"- {mark(memory)} [{memory.kind}, {memory.scope}] {memory.text}")
        known = {fact for memory in own for fact in memory.covers}
        for fact in project.must:
            if fact.id not in known:
                print(f"  missing {fact.id}: {fact.text}")
    print(f"ordinary requests: {kept_of_requests(labelled.one_off())}")


def mark(memory: Said) -> str:
    """What a label says, in a few characters."""
    if memory.label is None:
        return "?"
    said = memory.label
    whole = said.covers_in_full
    covered = ",".join(fact if fact in whole else f"{fact} in part" for fact in said.covers)
    return f"{'useful' if said.useful else 'no use'} {said.must_not or covered}".strip()


def main() -> None:
    """Shows what is kept, writes down what waits for a reader, or keeps what one wrote."""
    parser = argparse.ArgumentParser(prog="python -m bench.remembering", description=__doc__)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--show", action="store_true", help="print what is kept, with labels, and what is missing")
    what.add_argument("--unlabelled", type=Path, metavar="FILE", help="write memories that no reader has seen, as YAML")
    what.add_argument("--take", type=Path, metavar="FILE", help="keep the labels of such a file, filled in")
    parser.add_argument("--way", choices=WAYS, action="append", help="who proposes; all ways without it")
    parser.add_argument("--half", choices=(SEEN, UNSEEN), help="only projects of that half")
    parser.add_argument("--set", type=Path, default=SET, metavar="DIR", help="sessions of another folder")
    given = parser.parse_args()
    found = [each for each in labelled.projects(given.set) if given.half in (None, each.half)]
    if given.take:
        labelled.keep(read_labels(given.take, found), given.set)
        return
    known = all_labels(found, given.set)
    waits: list[Said] = []
    for way in given.way or WAYS:
        kept, _ = everything(way, found, known)
        waits += kept.to_label
        if given.show:
            show(found, kept)
    if given.unlabelled:
        rows = unlabelled(found, waits)
        text = yaml.safe_dump(rows, allow_unicode=True, sort_keys=False, width=1000)
        given.unlabelled.write_text(text, "utf-8")
        print(f"{sum(len(each['memories']) for each in rows)} memories wait for a reader in {given.unlabelled}")


if __name__ == "__main__":
    main()
