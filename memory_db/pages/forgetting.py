"""Forgetting from a page: a memory, a session, an entry or words, told first and done once its uid was typed.

In: a path, what sort of thing it is, its uid or the words, the fields of a form or of a JSON body. Out: a dict for the
answer. Invariants: the page, a program and the command line go the same way; nothing is forgotten unless the uid or the
words were typed again, or the beginning of it that the page names, and the answer names no word of what was.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

from memory_db.errors import InputError, NotFoundError
from memory_db.knowledge.memories import get_memory
from memory_db.pages.draw.filters import plural
from memory_db.pages.forms import Fields, check_known, first, flag, note_dry_run
from memory_db.store.connection import connect
from memory_db.text.scrubbing import SHORTEST, flat_text
from memory_db.upkeep.exports import MEMORIES
from memory_db.upkeep.forget import proofs
from memory_db.upkeep.forget import run as forget
from memory_db.upkeep.forget import target as forgetting
from memory_db.upkeep.forget.capitals import Otherwise, in_any_capitals, said_otherwise
from memory_db.upkeep.forget.exported import DO
from memory_db.upkeep.forget.preview import preview
from memory_db.upkeep.forget.target import SAYS_IT, ForgetTarget, around

MEMORY, SESSION, ENTRY, WORDS = "memory", "session", "entry", "words"

ADDRESS = {
    MEMORY: "/-/memory/memories/{}", SESSION: "/-/memory/sessions/{}", ENTRY: "/-/memory/entries/{}",
    WORDS: "/-/memory/words", "recall": "/-/memory/recalls/{}",
}  # fmt: skip
"""Where the page of a thing is; that of words is the same for all of them, for an address is kept in many places."""

AFTER = "/-/memory/memories"
"""Where a form leads once a memory is gone; a session and an entry keep their place."""

ABOUT = {
    SESSION: "select uid, coalesce(nullif(title, ''), uid) as text, uid as session from sessions where uid = ?",
    ENTRY: "select e.uid, e.text, s.uid as session from entries e join sessions s on s.id = e.session_id"
           " where e.uid = ?",
}  # fmt: skip

SHORT = 8
"""Characters of a uid, or of words, that are enough to confirm with: the page names it, so no two can be meant."""


def thing(db: sqlite3.Connection, sort: str, uid: str, *, any_capitals: bool = False) -> dict[str, Any]:
    """What is to be forgotten: its sort, uid, text and address, what `confirm` must have (`typed`), and where to go
    `after`; words, which have no uid, are named by themselves. Raises: NotFoundError."""
    if sort == WORDS:
        words = flat_text(uid)
        typed = words[:SHORT].strip()
        return {"sort": sort, "uid": "", "text": words, "any_capitals": any_capitals, "address": ADDRESS[sort],
                "typed": typed, "after": ADDRESS[sort]}  # fmt: skip
    if sort == MEMORY:
        text, after = get_memory(db, uid)["text"], AFTER
    else:
        row = db.execute(ABOUT[sort], [uid]).fetchone()
        if row is None:
            raise NotFoundError(f"No {sort} {uid[:80]!r}.")
        text, after = row["text"], ADDRESS[SESSION].format(quote(row["session"], safe=""))
    address = ADDRESS[sort].format(quote(uid, safe=""))
    typed = uid if sort == MEMORY else uid[:SHORT]
    return {"sort": sort, "uid": uid, "text": text, "address": address, "typed": typed, "after": after}


def target_of(db: sqlite3.Connection, about: dict[str, Any], *, even_unsaid: bool = False) -> ForgetTarget:
    """What goes with a thing; no words are told of in what is raised, which the log keeps.

    Raises: NotFoundError, InputError.
    """
    if about["sort"] != WORDS:
        return forgetting.by_uid(db, about["uid"])
    written = in_any_capitals(db, about["text"]) if about["any_capitals"] else ()
    try:
        return forgetting.by_words(db, about["text"], written=written, even_unsaid=even_unsaid)
    except NotFoundError as error:
        raise NotFoundError("These words stand in no entry and no memory. Nothing was changed.") from error
    except InputError as error:
        raise InputError(
            f"These words cannot be forgotten: {SHORTEST} characters at least say what is meant."
        ) from error


def forget_preview(
    db: sqlite3.Connection, path: Path, sort: str, uid: str, *, any_capitals: bool = False
) -> dict[str, Any]:
    """What forgetting it would take: what happens to each memory and entry, rows by table, texts by place; `staying`
    has what says nearly the same and would stay, with how many texts `staying_places` has, and `is_held` whether
    anything of memory-db's holds it.

    Raises: NotFoundError, InputError.
    """
    about = thing(db, sort, uid, any_capitals=any_capitals)
    target = target_of(db, about, even_unsaid=True)
    seen = preview(db, path, target)
    values = seen.as_dict()
    is_held = any(values[name] for name in HELD)
    if sort == WORDS and not (is_held or seen.outside or seen.sharing):
        raise NotFoundError(
            "These words stand nowhere: in no entry, no memory, no copy of the file, no export and no transcript."
        )
    other = said_otherwise(db, about["text"], seen.fates) if sort == WORDS and not any_capitals else None
    stays = staying(db, seen.sharing, other)
    return {
        "thing": about,
        **({"memory": get_memory(db, uid)} if sort == MEMORY else {}),
        **values,
        "fates": with_places(db, values["fates"]),
        "is_held": is_held,
        "has_cleanable_exports": any(DO[MEMORIES] in line for line in seen.exports),
        "staying": with_places(db, stays),
        "staying_places": other.places if other else {},
        "kept_without": kept_without(seen.rows),
    }


HELD = ("fates", "rows", "places", "copies", "exports")
"""What of a preview is memory-db's own and would change."""

MOST_STAYING = 30
"""What stays is told one by one up to so many of each sort; the uids of all are in `sharing`."""

SAID_BY = {
    "memory": "select uid, text from memories where uid in (select value from json_each(?)) order by id",
    "entry": "select uid, text from entries where uid in (select value from json_each(?)) order by id",
    "recall": "select uid, query from recalls where uid in (select value from json_each(?)) order by id",
}

ENTRY_PLACES = """
select e.uid, e.created_at as at, coalesce(nullif(s.title, ''), s.uid) as session
from entries e join sessions s on s.id = e.session_id where e.uid in (select value from json_each(?))
"""


def staying(db: sqlite3.Connection, sharing: dict[str, list[str]], other: Otherwise | None) -> list[dict[str, Any]]:
    """What would stay although it says nearly the same: sort, uid, why, its text from shortly before that on, and
    whether it has the words in other capitals: so does all that would go if these were included."""
    fates = other.fates if other else []
    found = [
        {"sort": fate.sort, "uid": fate.uid, "why": in_other_capitals(fate.why), "text": fate.text, "is_same": True}
        for fate in fates
    ]
    named = {fate.uid for fate in fates}
    for sort, uids in sharing.items():
        rest = [uid for uid in uids if uid not in named][:MOST_STAYING]
        for uid, said in db.execute(SAID_BY[sort], [json.dumps(rest)]):
            is_same = other is not None and other.target.passages.repeats(said)
            why = in_other_capitals("says it") if is_same else "only a phrase is the same"
            text = around(other.target, said) if other else flat_text(said)
            found.append({"sort": sort, "uid": uid, "why": why, "text": text, "is_same": is_same})
    return found


def in_other_capitals(why: str) -> str:
    """Why something would lose words if other capitals were included, as why it keeps them."""
    plain = "says it" if why == SAYS_IT["text"] else why
    return plain.replace("says it", "says it in other capitals", 1)


def with_places(db: sqlite3.Connection, found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Things that go or stay, each with its `address`; an entry with when (`at`) and in which `session` it was said."""
    entries = json.dumps([each["uid"] for each in found if each["sort"] == ENTRY])
    said = {row["uid"]: {"at": row["at"], "session": row["session"]} for row in db.execute(ENTRY_PLACES, [entries])}
    return [
        {**each, **said.get(each["uid"], {}), "address": ADDRESS[each["sort"]].format(quote(each["uid"], safe=""))}
        for each in found
    ]


def kept_without(rows: Iterable[str]) -> dict[str, str]:
    """Of tables, those whose rows are emptied and stay, with what these lose."""
    return {table: forget.KEPT_WITHOUT[table] for table in rows if table in forget.KEPT_WITHOUT}


def words_preview(db: sqlite3.Connection, path: Path, fields: Fields) -> dict[str, Any]:
    """What forgetting the words of field `words` would take, with `any_capitals` however they are written; without
    `words` `thing` is None.

    Field `memory`, `session` or `entry` names what the visitor comes `from`. Raises: NotFoundError, InputError.
    """
    check_known(fields, ("words", "any_capitals", *FROM))
    words = first(fields, "words")
    sort = next((each for each in FROM if first(fields, each)), None)
    came_from = thing(db, sort, first(fields, sort)) if sort else None
    if not words:
        return {"thing": None, "from": came_from}
    seen = forget_preview(db, path, WORDS, words, any_capitals=says_yes(fields, "any_capitals"))
    return {**seen, "from": came_from}


FROM = (MEMORY, SESSION, ENTRY)
"""What the page for words may be reached from."""


def forget_words(path: Path, fields: Fields, *, now: datetime) -> dict[str, Any]:
    """Forgets the words of field `words` as `forget_thing` forgets a thing. Raises: as that."""
    if not (words := first(fields, "words")):
        raise InputError("Nothing was forgotten: give what is to go as words.")
    return forget_thing(path, WORDS, words, {name: fields[name] for name in fields if name != "words"}, now=now)


def forget_thing(path: Path, sort: str, uid: str, fields: Fields, *, now: datetime) -> dict[str, Any]:
    """Forgets it for good, if field `confirm` has its uid, or the beginning of it that the page names; gives what went
    and what was looked through.

    Field `any_capitals` takes words however they are written, `backups` deletes the copies of the file that hold it
    too, `exports` takes it out of exports that are as they were written. `left`,
    `locked`, `copies` and `exports` have what still does.
    With `dry_run` nothing goes, and what `forget_preview` tells is the answer.
    Raises: InputError, NotFoundError, DatabaseFileError, sqlite3.Error.
    """
    check_known(fields, ("confirm", "backups", "exports", "dry_run", *["any_capitals"] * (sort == WORDS)))
    any_capitals = says_yes(fields, "any_capitals")
    if flag(fields, "dry_run"):
        with closing(connect(path)) as db:
            seen = forget_preview(db, path, sort, uid, any_capitals=any_capitals)
        about = seen["thing"]
        said, there = note_dry_run(would_go(sort, about["uid"], seen), True), f"{about['address']}/forget"
        return {"ok": True, "uid": about["uid"], "dry_run": True, **seen, "said": said, "there": there}
    with closing(connect(path, write=True)) as db:
        about = thing(db, sort, uid, any_capitals=any_capitals)
        check_confirmed(about, first(fields, "confirm"))
        backups, exports = says_yes(fields, "backups"), says_yes(fields, "exports")
        target = target_of(db, about, even_unsaid=backups or exports)
        done = forget.forget(db, path, target, now=now, with_copies=backups, with_exports=exports)
        searched = db.execute("pragma page_count").fetchone()[0] * db.execute("pragma page_size").fetchone()[0]
        proofs.keep(db, path, target, done, now=now)
    return told(about, done, searched)


def check_confirmed(about: dict[str, Any], given: str) -> None:
    """Raises: InputError where neither the whole was given nor its beginning that the page names."""
    if given in (about["uid"] or about["text"], about["typed"]):
        return
    asked = f"the words, or their first {SHORT} characters," if about["sort"] == WORDS else about["typed"]
    raise InputError(f"Nothing was forgotten: it cannot be undone, so {asked} has to be given again as confirm.")


def told(about: dict[str, Any], done: forget.Forgotten, searched: int) -> dict[str, Any]:
    """What went and what was looked through, without a word of it; `there` keeps it."""
    counts = {name: len(getattr(done, name)) for name in ("left", "locked", "copies", "exports", "outside")}
    return {
        "ok": done.is_gone,
        "uid": about["uid"],
        "sort": about["sort"],
        "dry_run": False,
        "rows": dict(sorted(done.rows.items())),
        "kept_without": kept_without(sorted(done.rows)),
        "repetitions": dict(sorted(done.repetitions.items())),
        "fates": [{"uid": each.uid, "sort": each.sort, "what": each.what, "why": each.why} for each in done.fates],
        "passages": done.passages,
        "bytes_searched": searched,
        "left": done.left,
        "locked": done.locked,
        "copies": done.copies,
        "deleted_copies": done.deleted_copies,
        "new_copy": done.new_copy,
        "exports": done.exports,
        "cleaned_exports": done.cleaned_exports,
        "sharing": done.sharing,
        "outside": done.outside,
        "run_id": done.run_id,
        "said": proof_line(named(about["sort"], about["uid"]), counts, done.passages, searched),
        "flash": "",
        "there": f"/-/memory/forgotten?run={done.run_id}",
    }


def named(sort: str, uid: str) -> str:
    """A thing in a line; of words none are said."""
    return "the words" if sort == WORDS else f"{sort} {uid}"


def says_yes(fields: Fields, name: str) -> bool:
    """Whether a field is yes; left out it is no. Raises: InputError."""
    said = first(fields, name)
    if said not in ("", "yes"):
        raise InputError(f"Nothing was forgotten: {name} is {said[:40]!r}. Give yes, or leave it out.")
    return said == "yes"


def would_go(sort: str, uid: str, seen: dict[str, Any]) -> str:
    """What forgetting would do, in a line."""
    others = len(set(seen["memories"]) - {uid})
    more = f" with {plural(others, 'other memory', 'other memories')}" if others else ""
    return f"Would forget {named(sort, uid)}{more} for good."


def proof_line(what: str, counts: Mapping[str, int], passages: int, searched: int) -> str:
    """The proof in a line, or what still holds it and what to do; `counts` has how many places of each sort do."""
    if counts["left"]:
        return (
            f"Forgot {what}, but it is STILL FOUND in {plural(counts['left'], 'place')}. Close what has the file"
            " open, then run `memory-db memory forget --finish`."
        )
    if counts["locked"] or counts["copies"] or counts["exports"]:
        holding = [
            f"{plural(counts['locked'], 'locked memory', 'locked memories')}, to be forgotten by name"
            * bool(counts["locked"]),
            f"{plural(counts['copies'], 'copy', 'copies')} of the file, to be deleted" * bool(counts["copies"]),
            f"{plural(counts['exports'], 'export', 'exports')}, named below" * bool(counts["exports"]),
        ]
        return f"Forgot {what}, but it is STILL HELD by {' and '.join(filter(None, holding))}."
    outside = (
        f" {plural(counts['outside'], 'file')} that memory-db does not change may still contain it, named below."
    ) * bool(counts["outside"])
    return (
        f"Forgot {what}: looked for {plural(passages, 'passage')} in every row, in all {searched:,} bytes"
        f" of the file and in its copies, none is left.{outside}"
    )
