"""Memories in files that other programs and people read: JSON, or Markdown with a head of YAML.

In: which memories. Out: one text, or a file for each memory. Invariants: nothing is left out in silence: retired and
replaced ones come when they are asked for, each with its state; a file is written whole or not at all.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import tempfile
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from memory_db.errors import InputError
from memory_db.knowledge.memories import get_memory

FIELDS = (
    "uid", "kind", "scope", "project", "status", "lock_level", "importance", "title", "text", "condition", "context",
    "keys", "tags", "paths", "origin", "valid_from", "valid_to", "created_at", "updated_at", "changed_by",
    "change_reason",
)  # fmt: skip
"""What of a memory's row is exported, in this order: what it says and where it holds, without numbers of the file."""

HEAD = ("uid", "kind", "scope", "project", "status", "lock_level", "importance", "confidence", "tags", "keys", "paths",
        "condition", "valid_from", "valid_to", "replaces", "replaced_by")  # fmt: skip
"""What stands at the head of a Markdown file; what is empty is left out."""

CHOSEN = """
select m.uid from memories m left join projects p on p.id = m.project_id
where (:all or m.status = 'active') and (:project is null or m.project_id = :project)
    and (:since is null or m.valid_from >= :since) and (:before is null or m.valid_from < :before)
    and (:kinds = '[]' or m.kind in (select value from json_each(:kinds)))
    and (:tags = '[]' or exists (select 1 from tags t where t.memory_id = m.id
        and t.tag in (select value from json_each(:tags))))
order by coalesce(p.name, ''), m.valid_from, m.id
"""


@dataclass(frozen=True, slots=True)
class Choice:
    """Which memories: of a project, of kinds, with any of some tags, valid from a span of time.

    `is_all`: also those that were replaced or retired.
    """

    project_id: int | None = None
    kinds: Sequence[str] = ()
    tags: Sequence[str] = ()
    since: str | None = None
    before: str | None = None
    is_all: bool = False


def chosen(db: sqlite3.Connection, choice: Choice) -> Iterator[dict[str, Any]]:
    """The memories of a choice, each with quotes, evidence, belief and succession, by project and age."""
    wanted = {
        "all": choice.is_all, "project": choice.project_id, "kinds": json.dumps(list(choice.kinds)),
        "tags": json.dumps(list(choice.tags)), "since": choice.since, "before": choice.before,
    }  # fmt: skip
    for row in db.execute(CHOSEN, wanted).fetchall():
        yield exported(get_memory(db, row["uid"]))


def exported(memory: dict[str, Any]) -> dict[str, Any]:
    """A memory as it is exported: names instead of numbers of rows."""
    belief = memory["belief"] or {}
    return {
        **{name: memory[name] for name in FIELDS},
        "confidence": round(belief["confidence"], 4) if belief else None,
        "alpha": belief.get("alpha"),
        "beta": belief.get("beta"),
        "replaces": [each["uid"] for each in memory["replaces"]],
        "replaced_by": [each["uid"] for each in memory["replaced_by"]],
        "sources": [
            {name: each[name] for name in ("quote", "role", "said_at", "session", "entry")}
            for each in memory["sources"]
        ],
        "evidence": [
            {name: each[name] for name in ("kind", "direction", "weight", "source", "note", "created_at",
                                           "withdrawn_at")}
            for each in memory["evidence"]
        ],
    }  # fmt: skip


def as_json(memories: Iterator[dict[str, Any]]) -> Iterator[str]:
    """One JSON array, a memory a line."""
    separator = "[\n"
    for memory in memories:
        yield separator + json.dumps(memory, ensure_ascii=False)
        separator = ",\n"
    yield "[]\n" if separator == "[\n" else "\n]\n"


def as_markdown(memory: dict[str, Any]) -> str:
    """A memory as a Markdown file: a head of YAML, its text, its quotes."""
    head = {name: memory[name] for name in HEAD if memory[name] not in (None, "", [])}
    lines = [
        "---",
        yaml.safe_dump(head, sort_keys=False, allow_unicode=True).strip(),
        "---",
        "",
        memory["text"].strip(),
    ]
    if memory["sources"]:
        lines += ["", "## Said", ""]
    for source in memory["sources"]:
        quote = " ".join((source["quote"] or "").split())
        lines.append(f"- “{quote}” ({source['role'] or 'unknown'}, {(source['said_at'] or '')[:10]})")
    return harmless("\n".join(lines) + "\n")


def as_document(memories: Iterator[dict[str, Any]]) -> Iterator[str]:
    """All memories as one Markdown text, by project."""
    project: object = ...
    for memory in memories:
        if memory["project"] != project:
            project = memory["project"]
            yield f"# {project or 'Everywhere'}\n\n"
        text = " ".join(memory["text"].split())
        state = "" if memory["status"] == "active" else f", {memory['status']}"
        yield f"- {harmless(text)} [{memory['uid']}] ({memory['kind']}, {memory['valid_from'][:10]}{state})\n"


def file_name(memory: dict[str, Any]) -> str:
    """Where a memory's file stands below the folder: its project, its uid and the beginning of its title."""
    title = re.sub(r"[^a-z0-9]+", "-", memory["title"].lower()).strip("-")[:40].strip("-")
    project = re.sub(r"[^\w.-]+", "-", memory["project"] or "everywhere").strip(".-") or "unnamed"
    return f"{project}/{memory['uid']}{'-' + title if title else ''}.md"


def write_folder(memories: Iterator[dict[str, Any]], folder: Path) -> int:
    """Writes a Markdown file for each memory below a folder that is new or empty; how many.

    They are written beside it and put in place all at once, so that a folder of that name is a whole one.
    Raises: InputError; OSError.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"{folder} is not an empty folder. Name a new one: existing files are never overwritten.")
    target = folder.resolve()
    if target == Path.cwd():
        # A shell that stands in a folder which is replaced sees nothing of the new one.
        raise InputError(f"{folder} is the folder that you are in. Name a new one below it.")
    target.parent.mkdir(parents=True, exist_ok=True)
    number = 0
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}.") as beside:
        partial = Path(beside) / "partial"
        for memory in memories:
            path = partial / file_name(memory)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(as_markdown(memory), encoding="utf-8", newline="\n")
            number += 1
        if number:
            put_in_place(partial, target)
    return number


def put_in_place(partial: Path, target: Path) -> None:
    """Makes a finished folder the one of that name, in the place of nothing or of an empty one, whose mode it keeps.

    Raises: InputError if that cannot be replaced, because it is a mount point or no longer empty; OSError.
    """
    if target.exists():
        shutil.copymode(target, partial)
    try:
        partial.rename(target)
    except OSError as error:
        if not target.exists():
            raise
        raise InputError(f"{target} cannot be replaced: {error.strerror}. Name a new folder.") from error


def write_file(parts: Iterator[str], path: Path) -> None:
    """Writes a text to a new file, readable by its owner alone. Raises: InputError if something is there; OSError."""
    if path.exists():
        raise InputError(f"There is something at {path} already. Name a new file, or move that one away.")
    handle, partial = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.writelines(parts)
        Path(partial).rename(path)
    finally:
        Path(partial).unlink(missing_ok=True)


def harmless(text: str) -> str:
    """Text without the control characters that a terminal obeys; line breaks and tabs stay."""
    return "".join(c if c in "\n\t" or unicodedata.category(c) != "Cc" else " " for c in text)
