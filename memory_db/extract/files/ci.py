"""What continuous integration runs: the steps of a workflow as one fact.

In: the text of a workflow file. Out: `FileFact`s. Pure. Invariant: only steps with a purpose are told; what sets up the
runner itself says nothing about the project.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import yaml

from memory_db.extract.files.commands import listed, loaded, purpose_of
from memory_db.extract.files.facts import FileFact, line_at, line_of

WORKFLOW = re.compile(r"^\.github/workflows/[^/]+\.ya?ml$")

MOST_STEPS = 8
MOST_STEP_CHARACTERS = 80

SETS_UP = ("install", "add")
"""Purposes of steps that only get the runner ready."""


def ci_facts(text: str, path: str) -> Iterator[FileFact]:
    """What a workflow runs, when, and beside which services."""
    data = loaded(safe_load, text)
    jobs = data.get("jobs")
    steps = [line for job in (jobs.values() if isinstance(jobs, dict) else ()) for line in commands_of(job)]
    told = list(dict.fromkeys(line for line in steps if is_told(line)))[:MOST_STEPS]
    if not told:
        return
    when = moments(on_of(data))
    number = line_of(text, told[0])
    name = path.rpartition("/")[2]
    if number:
        yield FileFact(
            path, number, line_at(text, number),
            f"CI ({name}{', ' + when if when else ''}) runs {', '.join(f'`{each}`' for each in told)}.",
            "environment", "ci steps", title=f"What CI runs ({name})", keys=("ci", "github actions"),
            condition="before a pull request" if "pull" in when else "",
            body="\n".join(steps),
        )  # fmt: skip
    for job in jobs.values() if isinstance(jobs, dict) else ():
        yield from services_of(job, text, path, name)


def on_of(data: dict[Any, Any]) -> object:
    """When a workflow runs; YAML reads its key `on` as true."""
    return data.get("on", data.get(True))


def safe_load(text: str) -> Any:
    """YAML as data. Raises: ValueError."""
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from error


def commands_of(job: object) -> Iterator[str]:
    """The lines that the steps of a job run."""
    steps = job.get("steps") if isinstance(job, dict) else None
    for step in steps if isinstance(steps, list) else ():
        run = step.get("run") if isinstance(step, dict) else None
        for line in run.split("\n") if isinstance(run, str) else ():
            if line.strip() and not line.strip().startswith("#"):
                yield line.strip()


def is_told(line: str) -> bool:
    """Whether a step says something about the project."""
    use = purpose_of(line)
    return use is not None and use.purpose not in SETS_UP and len(line) <= MOST_STEP_CHARACTERS and "`" not in line


def moments(on: object) -> str:
    """When a workflow runs, in words."""
    names = [on] if isinstance(on, str) else list(on) if isinstance(on, list | dict) else []
    said = {"pull_request": "on pull requests", "push": "on push", "schedule": "by schedule", "release": "on a release",
            "workflow_dispatch": "by hand"}  # fmt: skip
    found = [said[name] for name in names if name in said]
    return " and ".join(found[:2])


def services_of(job: object, text: str, path: str, name: str) -> Iterator[FileFact]:
    """The services that a job runs beside its steps, by image."""
    services = job.get("services") if isinstance(job, dict) else None
    images = (
        [each.get("image") for each in services.values() if isinstance(each, dict)]
        if isinstance(services, dict)
        else []
    )
    known = [image for image in images if isinstance(image, str)]
    line = line_of(text, known[0]) if known else 0
    if line:
        yield FileFact(path, line, line_at(text, line), f"CI ({name}) runs its steps beside {listed(known)}.",
                       "environment", "ci services", title=f"Services in CI ({name})")  # fmt: skip
