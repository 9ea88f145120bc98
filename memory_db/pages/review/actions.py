"""What a person decides on the review page, one item or many: shown beforehand, done, undone.

In: a path, the fields of a form or of a JSON body. Out: plain dicts for the answer. Invariants: the page, a program and
the command line go the same way; a preview is the decision itself, done and rolled back.
"""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from memory_db.errors import InputError
from memory_db.gate import preview as gate_preview
from memory_db.gate.review import batches as review_batches
from memory_db.gate.review import queue as review
from memory_db.gate.review.batches import ItemOutcome, ReviewBatch
from memory_db.index import build as index
from memory_db.pages.cache import pooled
from memory_db.pages.draw.filters import plural
from memory_db.pages.forms import Fields, bring_index_up_to_date, changing, check_known, first, flag, note_dry_run
from memory_db.pages.review.items import in_words, resolved_in_words, texts_of, title
from memory_db.pages.review.queue import FILTERS, items_of
from memory_db.store.connection import connect

HERE = "/-/memory/review"

NOTE_CHARACTERS = 500

DECIDE_FIELDS = (
    "items", "item", "action", "note", "note-*", *review_batches.ACTIONS, "all", *FILTERS, "page", "next", "dry_run",
)  # fmt: skip

UNDO_FIELDS = ("batch", *FILTERS, "page", "next", "to", "dry_run")

OWN_LIST = re.compile(r"/-/memory/memories(?:\?(?:(?![#\\])[!-~])*)?", re.ASCII)
"""Where undoing may lead back to: a list with a button for it. Nothing else, so no link leads to another site."""

NAMES = {
    "accept": "accepted", "decline": "declined", "first": "kept the first", "second": "kept the second",
    "both": "both hold", "neither": "neither holds",
}  # fmt: skip
"""What was decided, in words, by the action."""

LEFT_TOLD = 3
"""Items that were left whose reasons the line after a decision tells."""


def decide(path: Path, fields: Fields, *, by: str, now: datetime) -> dict[str, Any]:
    """Decides on items; what became of each.

    Fields: `items` (or `item`) with `action` and perhaps `note`, or a button of one item such as `accept=c12`, with
    the note in `note-c12`; `dry_run` does it and rolls it back. Raises: InputError where nothing could be decided.
    """
    check_known(fields, DECIDE_FIELDS)
    items, action, note = asked_for(fields)
    is_dry_run = flag(fields, "dry_run")
    with closing(connect(path, write=True)) as db:
        items = items or items_of(db, fields, now)
        batch = review_batches.decide(db, items, action, note=note, by=by, now=now, is_dry_run=is_dry_run)
        if not batch.done and not is_dry_run:
            raise InputError(batch.outcomes[0].left)
        if not is_dry_run:
            index.run(db, now=now, entries=False)
        flash = flash_of(db, batch)
    done = "" if batch.number is None else f"done={batch.number}"
    said = note_dry_run(describe_batch(batch), is_dry_run)
    return {
        "ok": True, "batch": batch.number, "action": action, "dry_run": is_dry_run,
        "items": review_batches.as_dicts(batch.outcomes), "said": said, "there": back_to(fields, done), "flash": flash,
    }  # fmt: skip


def asked_for(fields: Fields) -> tuple[list[str], str, str]:
    """The items of a pressed button, if one was, the action and the note. Raises: InputError."""
    pressed = [(name, item) for name in review_batches.ACTIONS for item in fields.get(name, ())]
    if len(pressed) > 1:
        raise InputError(f"{len(pressed)} buttons were pressed at once. Press one.")
    items, action = ([pressed[0][1]], pressed[0][0]) if pressed else ([], first(fields, "action"))
    if not action:
        raise InputError(f"No action given. Give one of: {', '.join(review_batches.ACTIONS)}.")
    note = first(fields, f"note-{items[0]}") if items else first(fields, "note")
    if len(note) > NOTE_CHARACTERS:
        raise InputError(f"A note of {len(note):,} characters is too long. Give at most {NOTE_CHARACTERS}.")
    return items, action, note


def preview(path: Path, fields: Fields, *, now: datetime) -> dict[str, Any]:
    """What an action would do to each of some items, exactly: it is done and rolled back.

    Fields as for `decide`, or `all` with the filters of the page. One candidate comes with the memories `near` it.
    Raises: InputError, NotFoundError, ModelError.
    """
    items, action, note = asked_for(fields)
    with closing(connect(path, write=True)) as db:
        meant = items or items_of(db, fields, now)
        if not meant:
            raise InputError("Nothing is selected. Select items on the review page, or choose all.")
        taken = meant[: review_batches.MOST_ITEMS]
        batch = review_batches.decide(db, taken, action, note=note, now=now, is_dry_run=True)
        texts = texts_of(db, [each.item for each in batch.outcomes if is_known(each)])
        near = near_of(db, batch.outcomes[0]) if len(batch.outcomes) == 1 else None
        shown = [each | lines_of(db, each) for each in review_batches.as_dicts(batch.outcomes)]
    outcomes = [each | {"text": texts.get(each["item"], "")} for each in shown]
    kept = {name: first(fields, name) for name in FILTERS if first(fields, name)}
    return {
        "action": action,
        "note": note,
        "items": outcomes,
        "doing": [each for each in outcomes if "left" not in each],
        "leaving": [each for each in outcomes if "left" in each],
        "more": len(meant) - len(taken),
        "near": near,
        "kept": kept,
        "back": urlencode(kept),
    }


def lines_of(db: sqlite3.Connection, outcome: dict[str, Any]) -> dict[str, list[str]]:
    """What would change, or why it would not, as `lines` with the words of memories in the place of their uids."""
    return {"lines": in_words(db, *outcome.get("told", ()), *filter(None, [outcome.get("left")]))}


def near_of(db: sqlite3.Connection, outcome: ItemOutcome) -> list[dict[str, Any]] | None:
    """The memories near a candidate, with both similarities and the relation to each; None for what is no candidate."""
    if not is_known(outcome) or outcome.item[0] != "c":
        return None
    row = db.execute(
        "select text, kind, scope, project_id, created_at from candidates where id = ?", [int(outcome.item[1:])]
    ).fetchone()
    if row is None:
        return None
    found = gate_preview.preview(
        db, row["text"], kind=row["kind"], scope=row["scope"], project_id=row["project_id"], said_at=row["created_at"]
    )
    return [gate_preview.near_data(near) for near in found.near]


def is_known(outcome: ItemOutcome) -> bool:
    """Whether an outcome names an item by its letter and number."""
    return review.ITEM.fullmatch(outcome.item) is not None


def undo(path: Path, fields: Fields, *, now: datetime) -> dict[str, Any]:
    """Takes a batch back, named by field `batch`; what came of each item. With `dry_run` it is done and taken back.

    Raises: NotFoundError; ConflictError where it is undone; InputError where all of it changed since.
    """
    check_known(fields, UNDO_FIELDS)
    dry_run, name = flag(fields, "dry_run"), first(fields, "batch")
    if (to := first(fields, "to")) and not OWN_LIST.fullmatch(to):
        raise InputError(f"to {to[:60]!r} is no list with such a button. Leave it out, to go to the review.")
    if not name:
        raise InputError("Undo which batch? Give its number in the field batch.")
    with changing(path, dry_run=dry_run) as db:
        outcomes = review_batches.undo_named(db, name, now=now)
    bring_index_up_to_date(path, now, dry_run=dry_run)
    done = [each for each in outcomes if not each.left]
    if not done:
        raise InputError(outcomes[0].left if outcomes else "Nothing was left to undo.")
    said = f"Undone: {plural(len(done), 'item')}." + describe_left([each for each in outcomes if each.left])
    said += "".join(f" {each.item} {each.held_back}." for each in done if each.held_back)
    with pooled(path) as db:
        if len(done) == 1 and (text := texts_of(db, [done[0].item]).get(done[0].item)):
            said_to_eyes = said.replace(plural(1, "item"), f"{done[0].item} {title(text)}", 1)
        else:
            said_to_eyes = said
        (flash,) = in_words(db, note_dry_run(said_to_eyes, dry_run))
    there = first(fields, "to") or back_to({"next": [done[0].item], **fields}, "undone=1")
    return {
        "ok": True, "batch": name, "items": review_batches.as_dicts(outcomes), "dry_run": dry_run,
        "said": note_dry_run(said, dry_run), "there": there, "flash": flash,
    }  # fmt: skip


def describe_batch(batch: ReviewBatch) -> str:
    """What a batch came to, in a line."""
    done = batch.done
    if len(done) == 1:
        line = f"{done[0].item} {NAMES[batch.action]}: {'; '.join(done[0].told)}."
    else:
        line = f"{plural(len(done), 'item')}: {NAMES[batch.action]}."
    return line + describe_left([each for each in batch.outcomes if each.left])


def flash_of(db: sqlite3.Connection, batch: ReviewBatch) -> str:
    """What a batch came to, in a line for the eyes."""
    done = batch.done
    if len(done) != 1 or done[0].item[0] != "x":
        return in_words(db, describe_batch(batch))[0]
    told = resolved_in_words(db, review.item_of(done[0].item).number, batch.action)
    alone = replace(batch, outcomes=tuple(replace(each, told=(told,)) if not each.left else each
                                          for each in batch.outcomes))  # fmt: skip
    return in_words(db, describe_batch(alone))[0]


def describe_left(left: list[ItemOutcome]) -> str:
    """What was left and why, for the first few."""
    if not left:
        return ""
    more = f" and {len(left) - LEFT_TOLD} more" if len(left) > LEFT_TOLD else ""
    return f" Left: {' '.join(each.left for each in left[:LEFT_TOLD])}{more}"


def back_to(fields: Fields, done: str) -> str:
    """The page that a form came from, with its filters and the item to go on with."""
    kept = {name: first(fields, name) for name in (*FILTERS, "page") if first(fields, name)}
    query = "&".join(part for part in (urlencode(kept), done) if part)
    anchor = quote(first(fields, "next"), safe="")
    return HERE + (f"?{query}" if query else "") + (f"#{anchor}" if anchor else "")
