"""The histories of eight invented developers, as transcripts, and a catalogue of their files.

In: `team.yaml`. Out: a folder for each person, laid out as Claude Code lays it out, and `team.yml`, which lists a file
and the transcripts of each. Invariant: the same YAML gives the same bytes and file times; no file of memory-db is made
here.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import yaml

from memory_db.sample.build import write_history
from memory_db.sample.thread import Record, between

HISTORY = Path(__file__).parent / "team.yaml"

CATALOGUE = "team.yml"
"""The name of the catalogue, beside which the files lie."""

FIRST_DAY = date(2026, 9, 1)

DAYS = 58
"""Days over which routine sessions are spread, weekends too."""

VERSION = "2.1.258"
"""The version of the client that every session says it is of."""

WORKSPACES = "/workspaces"
"""Where all of them have their checkouts, as containers for development do: so a project is one project for all."""

MOST_STEPS = 9
"""Steps of a routine session, each a request and what was done about it: what makes sessions cost differently."""


def read_team() -> dict[str, Any]:
    """Persons, lessons and routine sessions, as `team.yaml` has them."""
    found: dict[str, Any] = yaml.safe_load(HISTORY.read_text("utf-8"))
    return found


def teams() -> dict[str, str]:
    """The team of each person."""
    return {name: str(person["team"]) for name, person in read_team()["persons"].items()}


def write_team(folder: Path) -> Path:
    """Writes the transcripts of all eight below a folder, and the catalogue; gives the path of that."""
    team = read_team()
    rows = []
    for name, person in team["persons"].items():
        dialogues = folder / "dialogues" / name
        dialogues.mkdir(parents=True, exist_ok=True)
        paths = []
        for dialogue, written in sessions_of(name, person, team):
            paths.append(dialogues / f"{dialogue}.yaml")
            paths[-1].write_text(yaml.safe_dump(written, allow_unicode=True, sort_keys=False), "utf-8")
        write_history(folder / "transcripts" / name, paths)
        rows.append({"address": f"{name}.db", "person": name, "transcripts": f"transcripts/{name}"})
    catalogue = folder / CATALOGUE
    catalogue.write_text(yaml.safe_dump({"shards": rows}, sort_keys=False), "utf-8")
    return catalogue


def sessions_of(name: str, person: Record, team: Record) -> Iterator[tuple[str, Record]]:
    """Each session of a person as a dialogue of `sample.build`, with its name."""
    for number, lesson in enumerate(each for each in team["lessons"] if each["by"] == name):
        begins = datetime.combine(lesson["day"], time(9 + number % 8, 5 * (number % 12)))
        steps = [lesson, *some_of(team["routine"], f"{name}/lesson/{number}", most=3)]
        yield f"{lesson['day']}-{name}-{number}", session(person, lesson["in"], begins, steps)
    for number in range(int(person["routine"])):
        key = f"{name}/routine/{number}"
        day = FIRST_DAY + timedelta(days=between(f"{key}/day", 0, DAYS))
        project = person["projects"][number % len(person["projects"])]
        begins = datetime.combine(day, time(13, 10 + number))
        yield f"{day}-{name}-routine-{number}", session(person, project, begins, some_of(team["routine"], key))


def some_of(routine: list[Record], key: str, most: int = MOST_STEPS) -> list[Record]:
    """Some routine steps, drawn by a key."""
    count = between(f"{key}/steps", 1, most)
    return [routine[between(f"{key}/{step}", 0, len(routine) - 1)] for step in range(count)]


def session(person: Record, project: str, begins: datetime, steps: list[Record]) -> Record:
    """A dialogue: for each step what is asked, what the agent did, what it says of it, and what is said to that."""
    turns: list[Record] = []
    for step in steps:
        turns += [{"user": step["ask"]}, step["did"], {"say": DONE[next(iter(step["did"]))]}, {"user": step["say"]}]
        turns += [{"say": "All right."}]
    return {
        "cwd": f"{WORKSPACES}/{project}", "version": VERSION, "model": person["model"], "start": begins, "turns": turns,
    }  # fmt: skip


DONE = {
    "bash": "I ran it, see above.", "edit": "The file is changed.", "write": "The file is written.",
    "read": "That is what it says.", "grep": "One place.",
}  # fmt: skip
"""What the agent says once it has used a tool."""
