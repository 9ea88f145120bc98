"""Several waiting items decided at once, shown beforehand and undone as a whole.

In: items of the review queue and one action. Out: what each came to, in words made of the rows that changed; a row of
`review_batches`. Invariants: a dry run does all of it and rolls it back, so that what is shown is what would happen;
an item is decided wholly or left with the reason; undoing leaves what changed since, and says so.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from functools import partial
from typing import Any

from memory_db.errors import ConflictError, InputError, NotFoundError
from memory_db.gate import revert as reverting
from memory_db.gate.apply import write
from memory_db.gate.contradictions import pairs as contradictions
from memory_db.gate.review import edits
from memory_db.gate.review import junk_actions as junk_retiring
from memory_db.gate.review import queue as review
from memory_db.gate.review.describe import described
from memory_db.gate.review.undone import held_back_by
from memory_db.knowledge import proposals
from memory_db.knowledge.succession import PERSON
from memory_db.redact.clean import clean
from memory_db.store.connection import select_in, transaction
from memory_db.store.dates import utc_text
from memory_db.text.names.citations import UID

EDIT = "edit"
"""What a batch is called that changed memories beside their words, see `edits`."""

ACTIONS = ("accept", "decline", *contradictions.RESOLUTIONS)
"""What can be decided: the first two on candidates and proposals, the others on contradictions."""

MOST_ITEMS = 200
"""Items that are decided at once. Source: ours: a person reads the list of what would happen."""

CHANGES = "changes"
"""What stands for every replacement and every rewording that waits."""

WAITING_CHANGES = """
select 'c' || c.id as item from candidates c
join decisions d on d.id = (select max(id) from decisions where candidate_id = c.id)
join memories m on m.id = d.memory_id
where d.action = 'propose' and json_extract(d.effects, '$.would') in ('supersede', 'merge')
    and json_extract(d.effects, '$.waits_for') = 'a person' and (:uid is null or m.uid = :uid)
order by c.created_at, c.uid
"""

LATEST = "select id, action, items, decided_by, decided_at, undone_at from review_batches order by id desc limit ?"


@dataclass(slots=True, frozen=True)
class ItemOutcome:
    """What became of one item: `did` in a word, `told` what changed, or `left` why nothing did.

    `decision` is the number of the decision on a candidate; `memory` the uid that it ended in; `effects` as they are
    kept to be taken back. `held_back` says why an item that was undone does not wait.
    """

    item: str
    did: str = ""
    memory: str | None = None
    decision: int | None = None
    told: tuple[str, ...] = ()
    left: str = ""
    effects: dict[str, Any] = field(default_factory=dict)
    held_back: str = ""


@dataclass(slots=True, frozen=True)
class ReviewBatch:
    """What was decided at once; `number` is None for a dry run, and where nothing could be decided."""

    number: int | None
    action: str
    outcomes: tuple[ItemOutcome, ...]

    @property
    def done(self) -> list[ItemOutcome]:
        """The items that were decided."""
        return [each for each in self.outcomes if not each.left]


class DryRun(Exception):  # noqa: N818  # nothing went wrong
    """Rolls a dry run back, however it ends."""


def decide(
    db: sqlite3.Connection, items: Sequence[str], action: str, *, note: str = "", by: str = PERSON, now: datetime,
    is_dry_run: bool = False,
) -> ReviewBatch:  # fmt: skip
    """Decides on items one after the other, as one batch; `by` is who is noted for the batch.

    Raises: InputError for another action, for no item or too many, for a note that no contradiction takes.
    """
    names = in_order(db, check(named(db, items), action, note))
    each = partial(decide_one, db, action=action, note=note, now=now)
    return together(db, names, each, action, by=by, now=now, is_dry_run=is_dry_run)


def together(
    db: sqlite3.Connection, names: Sequence[str], each: Callable[..., ItemOutcome], action: str, *, by: str,
    now: datetime, is_dry_run: bool,
) -> ReviewBatch:  # fmt: skip
    """Does the same with each of the items, as one batch that is kept for undo; a dry run is rolled back."""
    outcomes: list[ItemOutcome] = []
    number = None
    try:
        with transaction(db):
            outcomes += [each(name) for name in names]
            if is_dry_run:
                raise DryRun
            done = [outcome for outcome in outcomes if not outcome.left]
            if done:
                number = keep(db, action, done, by=by, now=now)
    except DryRun:
        pass
    return ReviewBatch(number, action, tuple(outcomes))


def named(db: sqlite3.Connection, items: Sequence[str]) -> list[str]:
    """The items, where `changes` stands for every change that waits, and a uid for those of that memory.

    Raises: InputError where none waits.
    """
    names: list[str] = []
    for item in items:
        name = item.strip().lower()
        if name != CHANGES and not UID.fullmatch(name):
            names.append(name)
            continue
        found = db.execute(WAITING_CHANGES, {"uid": None if name == CHANGES else name}).fetchall()
        if not found:
            what = "No change" if name == CHANGES else f"No change of {name}"
            raise InputError(f"{what} waits. `memory-db review` lists what does.")
        names += [row["item"] for row in found][:MOST_ITEMS]
    return names


def in_order(db: sqlite3.Connection, names: Sequence[str]) -> list[str]:
    """The names, the candidates among them in the order in which they were said: a later one goes by an earlier one."""
    numbers = [int(name[1:]) for name in names if review.ITEM.fullmatch(name) and name[0] == "c"]
    rows = select_in(db, "select id, created_at, uid from candidates where id", numbers)
    places = {f"c{row['id']}": (row["created_at"], row["uid"]) for row in rows}
    ordered = iter(sorted((name for name in names if name in places), key=lambda name: places[name]))
    return [next(ordered) if name in places else name for name in names]


def check(items: Sequence[str], action: str, note: str) -> list[str]:
    """The names of the items, each once. Raises: InputError."""
    if action not in ACTIONS:
        raise InputError(f"No action {action[:40]!r}. There are: {', '.join(ACTIONS)}.")
    if note and action not in contradictions.RESOLUTIONS:
        raise InputError(f"A note is kept with a contradiction alone, not with {action}. Leave it out.")
    names = list(dict.fromkeys(item.strip().lower() for item in items))
    if not 1 <= len(names) <= MOST_ITEMS:
        raise InputError(f"{len(names):,} items are named. Name 1 to {MOST_ITEMS} at once, such as c12, p3 or x4.")
    return names


def decide_one(db: sqlite3.Connection, name: str, action: str, *, note: str, now: datetime) -> ItemOutcome:
    """Decides on one item, or says why it is left. Within a transaction of the caller."""
    db.execute("savepoint item")
    try:
        outcome = act(db, name, action, note, now)
    except InputError as trouble:  # a NotFoundError and a ConflictError are ones
        db.execute("rollback to item")
        outcome = ItemOutcome(name, left=str(trouble))
    db.execute("release item")
    return outcome


def act(db: sqlite3.Connection, name: str, action: str, note: str, now: datetime) -> ItemOutcome:
    """What an action does to one item. Raises: InputError, NotFoundError, ConflictError."""
    if action == "accept":
        done = review.accept(db, name, now=now)
        changes = described(db, done["effects"])
        return ItemOutcome(name, done["action"], done["memory"], done.get("decision"), changes, effects=done["effects"])
    if action == "decline":
        review.decline(db, name, now=now)
        item = review.item_of(name)
        number = review.last_decision(db, item.number)["id"] if item.letter == "c" else None
        return ItemOutcome(name, "declined", None, number, ("nothing that is known changes",))
    effects = review.resolve(db, name, action, note=note, now=now)
    return ItemOutcome(name, action, told=described(db, effects), effects=effects)


def edit(
    db: sqlite3.Connection, uids: Sequence[str], change: edits.Edit, *, by: str = PERSON, now: datetime,
    is_dry_run: bool = False,
) -> ReviewBatch:  # fmt: skip
    """Changes memories one after the other, as one batch; what does not fit is left with the reason.

    Raises: InputError for a change that no memory can have, for no memory or too many.
    """
    names = list(dict.fromkeys(uid.strip().lower() for uid in uids))
    if not 1 <= len(names) <= MOST_ITEMS:
        raise InputError(f"{len(names):,} memories are named. Name 1 to {MOST_ITEMS} at once.")
    edits.check(db, change)
    each = partial(edit_one, db, change=change, now=now)
    return together(db, names, each, EDIT, by=by, now=now, is_dry_run=is_dry_run)


def edit_one(db: sqlite3.Connection, uid: str, change: edits.Edit, now: datetime) -> ItemOutcome:
    """Changes one memory, or says why it is left. Within a transaction of the caller."""
    db.execute("savepoint item")
    try:
        changed = edits.carry_out(db, uid, change, now=now)
        outcome = ItemOutcome(uid, "changed", uid, told=tuple(edits.told(db, changed)), effects=changed)
    except InputError as trouble:
        db.execute("rollback to item")
        outcome = ItemOutcome(uid, left=str(trouble))
    db.execute("release item")
    return outcome


def keep(db: sqlite3.Connection, action: str, done: Sequence[ItemOutcome], *, by: str, now: datetime) -> int:
    """Writes a batch; its number."""
    items = [
        {"item": each.item, "did": each.did, "decision": each.decision, "undone": False}
        | (each.effects if action == EDIT else {})
        for each in done
    ]
    cursor = db.execute(
        "insert into review_batches (action, items, decided_by, decided_at) values (?, ?, ?, ?)",
        [action, json.dumps(items), clean(by)[0], utc_text(now)],
    )
    return int(cursor.lastrowid or 0)


# ----------------------------------------------------------------- taking back


def undo(db: sqlite3.Connection, number: int, *, now: datetime) -> list[ItemOutcome]:
    """Takes a batch back, the last item first, so that its items wait again; what came of each.

    What was decided again or changed since is left; a second time only that is tried again.
    Raises: NotFoundError; ConflictError where all of it is undone already.
    """
    with transaction(db):
        row = db.execute("select * from review_batches where id = ?", [number]).fetchone()
        if row is None:
            raise NotFoundError(f"There is no batch {number}. `memory-db review lately` lists them.")
        if row["undone_at"]:
            raise ConflictError(f"Batch {number} is undone already. There is nothing left to take back.")
        items = json.loads(row["items"])
        outcomes = []
        for entry in reversed(items):
            if not entry["undone"]:
                outcomes.append(undo_one(db, entry, row["decided_at"], now))
                entry["undone"] = not outcomes[-1].left
        done_at = utc_text(now) if all(entry["undone"] for entry in items) else None
        db.execute("update review_batches set items = ?, undone_at = ? where id = ?",
                   [json.dumps(items), done_at, number])  # fmt: skip
    return outcomes


def undo_one(db: sqlite3.Connection, entry: dict[str, Any], decided_at: str, now: datetime) -> ItemOutcome:
    """Takes the decision on one item back, or says why it stays. Within a transaction of the caller."""
    name = entry["item"]
    db.execute("savepoint item")
    try:
        if "before" in entry:
            outcome = ItemOutcome(name, "as before", told=tuple(edits.put_back(db, name, entry, now=now)))
        else:
            changes = wait_again(db, name, entry["decision"], decided_at, now)
            held_back = held_back_by(db, name)
            did = "taken back" if held_back else "waits again"
            outcome = ItemOutcome(name, did, told=tuple(changes) or ("no memory had changed",), held_back=held_back)
    except InputError as trouble:
        db.execute("rollback to item")
        outcome = ItemOutcome(name, left=str(trouble))
    db.execute("release item")
    return outcome


def wait_again(db: sqlite3.Connection, name: str, decision: int | None, decided_at: str, now: datetime) -> list[str]:
    """Lets an item wait as before a decision; a line for each thing that was undone.

    Raises: NotFoundError; ConflictError where it was decided again, or where what was changed has changed since.
    """
    item = review.item_of(name)
    if item.letter == "c":
        return candidate_again(db, item.number, decision or 0, now)
    table, column = ("proposals", "decided_at") if item.letter == "p" else ("contradictions", "resolved_at")
    row = db.execute(f"select {column} from {table} where id = ?", [item.number]).fetchone()
    if row is None:
        raise NotFoundError(f"{name} is gone: it was forgotten.")
    if row[0] != decided_at:
        if row[0]:
            raise ConflictError(f"{name} was decided again since. See it first: `memory-db review show {name}`.")
        raise ConflictError(f"{name} is open again already. There is nothing to undo; `memory-db review` lists it.")
    if item.letter == "p":
        return proposals.reopen(db, item.number, now=now)
    return contradictions.reopen(db, item.number, by=PERSON, now=now)


def candidate_again(db: sqlite3.Connection, number: int, decision: int, now: datetime) -> list[str]:
    """Lets a candidate wait as before a decision: the decision is reverted, and what it waited with is said again."""
    review.candidate_row(db, number)
    last = review.last_decision(db, number)
    if last["id"] != decision:
        see = f"See it first: `memory-db review show c{number}`."
        raise ConflictError(f"c{number} was decided again since (decision {last['id']}). {see}")
    is_declined = last["action"] == "reject"
    changes = [] if is_declined else reverting.revert(db, decision, now=now)
    before = db.execute(
        "select * from decisions where candidate_id = ? and id < ? order by id desc limit 1", [number, decision]
    ).fetchone()
    if before is not None and before["action"] in review.PENDING:
        write(
            db, number, before["action"], before["memory_id"], before["reason"], json.loads(before["effects"]),
            by=PERSON, now=now, reverts_id=decision if is_declined else None,
        )  # fmt: skip
    return changes


def lately(db: sqlite3.Connection, most: int = 20) -> list[dict[str, Any]]:
    """The latest batches, the newest first, those of `memory-db memory junk` among them.

    Each: `batch` (a number, or the name of one of junk), action, decided_by, decided_at, `items` with did and undone,
    `memories` retired as junk, undone_at.
    """
    found: list[dict[str, Any]] = [
        {"batch": str(row["id"]), **dict(row), "items": json.loads(row["items"]), "memories": None}
        for row in db.execute(LATEST, [most])
    ]
    found += [
        {"batch": row["batch"], "action": "retire junk", "items": [], "decided_by": PERSON,
         "decided_at": row["retired_at"], "undone_at": None, "memories": row["memories"]}
        for row in junk_retiring.batches(db)
    ]  # fmt: skip
    return sorted(found, key=lambda each: str(each["decided_at"]), reverse=True)[:most]


def undo_named(db: sqlite3.Connection, name: str, *, now: datetime) -> list[ItemOutcome]:
    """Takes a batch back by its name: a number, or that of a batch of junk. Raises: NotFoundError, ConflictError."""
    name = name.strip()
    if name.isascii() and name.isdigit() and len(name) < 19:
        return undo(db, int(name), now=now)
    undone = junk_retiring.undo(db, name, now=now)
    return [ItemOutcome(uid, "restored") for uid in undone.restored] + [
        ItemOutcome(uid, left=why) for uid, why in undone.left
    ]


def as_dicts(outcomes: Sequence[ItemOutcome]) -> list[dict[str, Any]]:
    """Outcomes as plain data; what is empty is left out."""
    return [{name: value for name, value in asdict(each).items() if value} for each in outcomes]
