"""Weights from a page or a program kept as a profile: fields in, what was saved as plain data out.

In: a path, the fields of a form or of a JSON body, who sent them, the moment. Out: a dict for the answer. Invariants: a
name that is taken gets a new version only where the sender says so; what cannot be used is refused in one line and
changes nothing.
"""

from __future__ import annotations

import sqlite3
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from memory_db.errors import InputError
from memory_db.pages import weights
from memory_db.pages.asking import QUESTION_FIELDS
from memory_db.pages.draw.filters import visible
from memory_db.pages.fields import Fields, check_known, first, flag
from memory_db.pages.rehearsing import changing, told
from memory_db.recall import profiles
from memory_db.recall.search import Profile, load_profile
from memory_db.store import settings

ABOUT = ("q", "project", "scope")
"""Fields of the question that the weights were tried on: the page that compares asks it again."""


SAVE_FIELDS = ("name", "based_on", "w.*", "threshold", "new_version", "dry_run", "recall", *QUESTION_FIELDS)


def save(path: Path, fields: Fields, *, saved_by: str, now: datetime) -> dict[str, Any]:
    """Saves weights as a profile; gives `name`, `version`, `profile` (both, as a link names it), its weights and
    threshold, and `there`: where its effect can be seen beside the profile that it was made from.

    Fields: `name`, `based_on` (a profile, perhaps with its version), `w.SIGNAL`, `threshold`, `new_version` where the
    name may be taken, `dry_run`, and `recall` or a question with its project.
    Raises: InputError, NotFoundError, DatabaseFileError.
    """
    check_known(fields, SAVE_FIELDS)
    dry_run, name = flag(fields, "dry_run"), first(fields, "name")
    with changing(path, dry_run=dry_run) as db:
        base = load_profile(db, first(fields, "based_on") or settings.get_text(db, "default_profile"))
        own = weights.tried(fields, base) or weights.Tried(base.weights, base.threshold)
        refuse_taken(db, name, is_version=bool(first(fields, "new_version")))
        version = profiles.save_profile(
            db, name, own.weights, threshold=own.threshold, now=now, fitted_on="nothing: set by hand on a page",
            description=f"Made on the page by {saved_by}, from {base.name} {base.version}",
        )  # fmt: skip
        saved = load_profile(db, f"{name}@{version}")
    called = f"{saved.name}@{saved.version}"
    return {
        "ok": True,
        "name": saved.name,
        "version": saved.version,
        "profile": called,
        "based_on": f"{base.name}@{base.version}",
        "weights": dict(saved.weights),
        "threshold": saved.threshold,
        "dry_run": dry_run,
        "said": told(f"Profile {visible(name)} {version} is saved. What uses it: {used_by(saved)}.", dry_run),
        "there": "/-/memory/compare" + ("" if dry_run else "?" + urlencode(effect(fields, base, called))),
    }


def refuse_taken(db: sqlite3.Connection, name: str, *, is_version: bool) -> None:
    """Raises: InputError for no name, and for one that a profile has unless a new version of it is meant."""
    if not name:
        raise InputError("A profile needs a name. Use letters, digits, - and _.")
    if not is_version and db.execute("select 1 from profiles where name = ?", [name]).fetchone():
        raise InputError(
            f"There is a profile {visible(name)[:60]!r} already. Choose another name, or a new version of it."
        )


def used_by(saved: Profile) -> str:
    """Who asks by a profile, in a few words."""
    return {"hook": "the hook, from the next prompt on", "default": "whoever asks without naming a profile"}.get(
        saved.name, f"whoever names it; `memory-db settings default_profile {saved.name}` makes it the one for all"
    )


def effect(fields: Fields, base: Profile, called: str) -> list[tuple[str, str]]:
    """The fields of the page that compares: the same recall or question, the old profile and the new one."""
    recall = first(fields, "recall")
    about = [("recall", recall)] if recall else [(each, first(fields, each)) for each in ABOUT]
    compared = dict.fromkeys((f"{base.name}@{base.version}", called))
    return [(name, value) for name, value in about if value] + [("profile", each) for each in compared]
