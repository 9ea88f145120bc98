"""What somebody wants forgotten: which rows that is, and which passages must not be found any more.

In: the uid of a memory, an entry or a session, the name of a project, a time, a finding, or words. Out: a
`ForgetTarget`. Nothing is changed. Invariants: besides what was named go exact copies of it and what was made from it
alone; a locked memory only goes by its own uid; what would go, lose a passage or stay is told of each memory, with the
reason.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from memory_db.errors import InputError, NotFoundError
from memory_db.gate.apply import CONTEXT_CHARACTERS
from memory_db.store.connection import id_list
from memory_db.text.scrubbing import FORGOTTEN, LEAST, SHORTEST, Passages, cell_repeats, flat_text
from memory_db.transcripts.projects import project_named

OF_MEMORY: dict[str, tuple[str, ...]] = {
    "memories": ("title", "text", "keys", "context", "condition"),
    "memory_versions": ("title", "text", "keys", "context", "condition"),
    "memory_sources": ("quote",),
    "memory_paths": ("path",),
    "tags": ("tag",),
    "removed_parts": ("value",),
    "suppressions": ("pattern", "reason"),
    "command_rules": ("pattern",),
}
"""What a memory says, by table: of a locked one nothing of it is touched."""

FORGETS, REDACTS, KEEPS = "forgotten", "text redacted", "kept"
"""What can happen to a memory or an entry."""

IN_CONTEXT = "its context says it: what stands around its quote, not its own words"

SAYS_IT = {
    "text": "says it among other words", "title": "its title says it", "version": "an earlier version says it",
    "keys": "what it is found by says it",
    "context": IN_CONTEXT, "condition": "its condition says it", "quote": "its quote says it",
    "path": "its path says it", "tag": "its tag says it", "value": "a part taken out of it says it",
    "pattern": "a pattern of it says it", "reason": "a reason given for it says it",
}  # fmt: skip
"""Why a memory loses words, by what of it says them; the first that does is told."""

LOCKED = "but locked"
"""How a reason says that a lock kept a memory."""

OWN_TEXTS = "select text from memory_versions where memory_id in ({ids})"

QUOTES = "select quote from memory_sources where memory_id in ({ids})"

RESTING = """
select s.memory_id as id, sum(s.entry_id in ({ids})) as on_it, sum(s.entry_id is null or s.entry_id not in ({ids})) as on_others
from memory_sources s group by s.memory_id having on_it > 0
"""  # noqa: E501
"""Memories that rest on some entries, and whether on anything else."""


NEAR = """
select v.id, v.memory_id, v.context, m.uid, m.lock_level from memory_versions v join memories m on m.id = v.memory_id
where v.context <> '' and v.memory_id in (select s.memory_id from memory_sources s join entries e on e.id = s.entry_id
    where e.session_id in (select session_id from entries where id in ({ids})))
"""
"""Versions of memories that were read from the sessions of some entries, with their contexts."""


@dataclass(frozen=True, slots=True)
class Fate:
    """What happens to a memory or an entry, and why; `text` is what it says, or what of it says the words."""

    uid: str
    sort: str
    what: str
    why: str
    text: str


@dataclass
class ForgetTarget:
    """What is to be forgotten.

    `texts` are its own words; `quotes` the words that a memory was read from, which go from where it was read.
    `is_everywhere`: exact copies of its words go too, as for a memory or for words. Of an entry, a session or a project
    goes what was made of it: another session that says the same has said it by itself.
    `source_ids` are the entries it was read from, `saying_ids` others that hold a copy; `contexts` the contexts of
    other memories, by the id of the version, without what those entries lose.
    `fates` has why, by id, for memories that go, that lose a passage and that are kept; `saying` the text in which one
    that is not named by its own says it. `locked_ids` are kept for their lock although they say it.
    """

    what: str
    memory_ids: set[int] = field(default_factory=set)
    entry_ids: set[int] = field(default_factory=set)
    session_ids: set[int] = field(default_factory=set)
    texts: set[str] = field(default_factory=set)
    quotes: set[str] = field(default_factory=set)
    source_ids: set[int] = field(default_factory=set)
    saying_ids: set[int] = field(default_factory=set)
    redacted_ids: set[int] = field(default_factory=set)
    locked_ids: set[int] = field(default_factory=set)
    fates: dict[int, tuple[str, str]] = field(default_factory=dict)
    saying: dict[int, str] = field(default_factory=dict)
    contexts: dict[int, str] = field(default_factory=dict)
    is_everywhere: bool = False
    is_words: bool = False

    @cached_property
    def passages(self) -> Passages:
        """Its own words, of which no copy may be found any more."""
        least = SHORTEST if self.is_everywhere else LEAST
        return Passages(self.texts, least_within=least, is_bounded=not self.is_words)

    @cached_property
    def quoted(self) -> Passages:
        """Its own words and those it was read from, which go together from where it was read.

        Of an entry, a session or a project there are none but its own.
        """
        if not self.is_everywhere:
            return self.passages
        return Passages(self.texts | self.quotes, is_bounded=not self.is_words)


def by_uid(db: sqlite3.Connection, uid: str) -> ForgetTarget:
    """What a uid names: a memory, an entry, or a session with its entries. Raises: NotFoundError."""
    if found := one(db, "select id from memories where uid = ?", uid):
        target = ForgetTarget(
            f"memory {uid}", memory_ids={found}, is_everywhere=True, fates={found: (FORGETS, "named")}
        )
    elif found := one(db, "select id from entries where uid = ?", uid):
        target = ForgetTarget(f"entry {uid}", entry_ids={found})
    elif found := one(db, "select id from sessions where uid = ?", uid):
        target = ForgetTarget(f"session {uid}", session_ids={found})
    else:
        raise NotFoundError(f"No memory, entry or session {uid[:80]!r}. `memory-db recall` shows uids in brackets.")
    return completed(db, target)


def by_project(db: sqlite3.Connection, name: str) -> ForgetTarget:
    """Every session and memory of a project, but locked memories. Raises: NotFoundError."""
    project_id = project_named(db, name)
    target = ForgetTarget(
        f"project {name}", session_ids=ids(db, "select id from sessions where project_id = ?", project_id)
    )
    add_memories(db, target, ids(db, "select id from memories where project_id = ?", project_id), "of the project")
    return completed(db, target)


def by_span(db: sqlite3.Connection, since: str | None, before: str | None, project: str | None = None) -> ForgetTarget:
    """Everything said from one moment on and before another, in all projects or one; sessions that lie in it whole.

    Raises: NotFoundError where nothing was said then, or for no project of that name.
    """
    values = {"since": since, "before": before, "project": project_named(db, project) if project else None}
    found = {int(row[0]) for row in db.execute(SAID_BETWEEN, values)}
    span = " ".join(filter(None, [f"from {since}" if since else "", f"before {before}" if before else ""]))
    of_project = f" in project {project}" if project else ""
    if not found:
        raise NotFoundError(f"Nothing was said {span}{of_project}. Nothing was changed.")
    target = ForgetTarget(f"what was said {span}{of_project}", entry_ids=found)
    target.session_ids = ids(db, WITHIN.format(ids=id_list(found)))
    return completed(db, target)


SAID_BETWEEN = """
select e.id from entries e join sessions s on s.id = e.session_id
where e.created_at is not null and (:since is null or e.created_at >= :since)
    and (:before is null or e.created_at < :before) and (:project is null or s.project_id = :project)
"""

WITHIN = """
select x.session_id from session_entries x group by x.session_id
having sum(x.entry_id not in ({ids})) = 0
"""
"""Sessions all of whose entries are among some."""


def by_finding(db: sqlite3.Connection, number: int) -> ForgetTarget:
    """The memory or entry that a row of `scan_findings` is about. Raises: NotFoundError."""
    row = db.execute("select rule, place, entry_id, memory_id from scan_findings where id = ?", [number]).fetchone()
    if row is None:
        raise NotFoundError(f"No finding {number}. The table scan_findings lists them.")
    if row["memory_id"] is not None:
        return by_uid(db, str(db.execute("select uid from memories where id = ?", [row["memory_id"]]).fetchone()[0]))
    if row["entry_id"] is not None:
        return by_uid(db, str(db.execute("select uid from entries where id = ?", [row["entry_id"]]).fetchone()[0]))
    raise NotFoundError(f"Finding {number} ({row['rule']}) is in {row['place']}, of which no words are kept.")


def by_words(
    db: sqlite3.Connection, text: str, *, written: Iterable[str] = (), even_unsaid: bool = False
) -> ForgetTarget:
    """Words wherever they stand, also as they are `written` otherwise; `even_unsaid`: also where only files beside this
    one may still have them.

    Raises: InputError, NotFoundError.
    """
    words = flat_text(text)
    if len(words) < SHORTEST or FORGOTTEN in words:
        raise InputError(f"{words!r} cannot be forgotten: {SHORTEST} characters at least say what is meant.")
    what = f"the words {words[:40]!r}"
    target = completed(db, ForgetTarget(what, texts={words, *written}, is_everywhere=True, is_words=True))
    if not (target.fates or target.saying_ids or even_unsaid):
        raise NotFoundError(f"The words {words[:40]!r} stand in no entry and no memory. Nothing was changed.")
    return target


def completed(db: sqlite3.Connection, target: ForgetTarget) -> ForgetTarget:
    """The target with the rows that go with it, and with the words of all of them."""
    if target.session_ids:
        among = f"session_id in ({id_list(target.session_ids)})"
        target.entry_ids |= ids(db, f"select entry_id from session_entries where {among}")
        target.entry_ids |= ids(db, f"select id from entries where {among}")
    if target.entry_ids:
        add_resting(db, target)
        target.texts |= texts(db, f"select text from entries where id in ({id_list(target.entry_ids)})")
    target.texts |= texts(db, OWN_TEXTS.format(ids=id_list(target.memory_ids)))
    if target.is_everywhere:
        add_copies(db, target)
        named = id_list(target.memory_ids)
        target.quotes |= texts(db, QUOTES.format(ids=named))
        target.source_ids |= ids(db, f"select entry_id from memory_sources where memory_id in ({named})")
        said = db.execute("select id, text from entries")
        target.saying_ids |= {row["id"] for row in said if target.passages.repeats(row["text"])} - target.source_ids
    add_contexts(db, target)
    return target


def add_memories(db: sqlite3.Connection, target: ForgetTarget, memory_ids: Iterable[int], why: str) -> None:
    """Lets memories go with the target, but for locked ones, which are kept with the reason."""
    new = sorted(set(memory_ids) - target.memory_ids)
    for row in db.execute(f"select id, uid, lock_level from memories where id in ({id_list(new)})").fetchall():
        if row["lock_level"] == "none":
            target.memory_ids.add(row["id"])
            target.fates[row["id"]] = (FORGETS, why)
        else:
            keep_locked(target, row["id"], row["uid"], why)


def keep_locked(target: ForgetTarget, memory_id: int, uid: str, why: str) -> None:
    """Notes that a memory would go or lose words, if it were not locked."""
    target.locked_ids.add(memory_id)
    target.fates[memory_id] = (KEEPS, f"{why}, {LOCKED}: `memory-db memory forget {uid}` if it has to go too")


def add_resting(db: sqlite3.Connection, target: ForgetTarget) -> None:
    """Memories that rest on the target's entries: those that rest on nothing else go with it."""
    found = db.execute(RESTING.format(ids=id_list(target.entry_ids))).fetchall()
    add_memories(db, target, [row["id"] for row in found if not row["on_others"]], "made from it alone")
    for row in found:
        target.fates.setdefault(row["id"], (KEEPS, "rests on something else too"))


def add_copies(db: sqlite3.Connection, target: ForgetTarget) -> None:
    """Memories that hold a copy of the target's words: those that are nothing else go with it."""
    named = set(target.memory_ids)
    saying: dict[int, dict[str, str]] = {}
    for memory_id, where, text in words_of_memories(db):
        if memory_id not in named and cell_repeats(target.passages, text):
            saying.setdefault(memory_id, {}).setdefault(where, text)
    rows = db.execute(f"select id, uid, text, lock_level from memories where id in ({id_list(saying)})").fetchall()
    for row in rows:
        if target.passages.equals(row["text"]):
            add_memories(db, target, [row["id"]], "an exact copy")
        elif is_nothing_else(target.passages, row["text"]):
            add_memories(db, target, [row["id"]], "says nothing else")
        elif row["lock_level"] != "none":
            keep_locked(target, row["id"], row["uid"], "says it too")
        else:
            target.redacted_ids.add(row["id"])
            where = min(saying[row["id"]], key=list(SAYS_IT).index)
            target.fates[row["id"]] = (REDACTS, SAYS_IT[where])
            target.saying[row["id"]] = saying[row["id"]][where]


def is_nothing_else(passages: Passages, text: str) -> bool:
    """Whether a text without the passages has no word and no number left."""
    return passages.repeats(text) and not any(map(str.isalnum, passages.scrub(text).replace(FORGOTTEN, "")))


def add_contexts(db: sqlite3.Connection, target: ForgetTarget) -> None:
    """Contexts of other memories that are the beginnings of entries which lose words: they lose the same."""
    losing = id_list(target.entry_ids | target.source_ids | target.saying_ids)
    lines: dict[str, str] = {}
    for row in db.execute(f"select id, text from entries where id in ({losing})"):
        new = FORGOTTEN if row["id"] in target.entry_ids else flat_text(target.quoted.scrub(row["text"]))
        old = flat_text(row["text"])[:CONTEXT_CHARACTERS]
        if old and old != new[:CONTEXT_CHARACTERS]:
            lines[old] = new[:CONTEXT_CHARACTERS]
    for row in db.execute(NEAR.format(ids=losing)).fetchall():
        if row["memory_id"] in target.memory_ids:
            continue
        new = "\n".join(lines.get(line, line) for line in row["context"].split("\n"))
        if new == row["context"]:
            continue
        if row["lock_level"] != "none":
            keep_locked(target, row["memory_id"], row["uid"], "its context says it")
        else:
            target.contexts[row["id"]] = new
            target.redacted_ids.add(row["memory_id"])
            if target.fates.get(row["memory_id"], (KEEPS,))[0] == KEEPS:
                target.fates[row["memory_id"]] = (REDACTS, IN_CONTEXT)
                target.saying[row["memory_id"]] = next(line for line in row["context"].split("\n") if line in lines)


def words_of_memories(db: sqlite3.Connection) -> Iterator[tuple[int, str, str]]:
    """All that memories say, each text with the id of its memory and where of `SAYS_IT` it stands."""
    for table, columns in OF_MEMORY.items():
        owner = "id" if table == "memories" else "memory_id"
        for column in columns:
            where = "version" if table == "memory_versions" and column != "context" else column
            for row in db.execute(f"select {owner}, {column} from {table}"):
                yield int(row[0]), where, row[1]


def fates_of(db: sqlite3.Connection, target: ForgetTarget) -> list[Fate]:
    """What happens to each memory that is concerned, in the order of what happens, and to the entries that are named
    or hold a copy."""
    order = (FORGETS, REDACTS, KEEPS)
    rows = db.execute(
        f"select id, uid, text from memories where id in ({id_list(target.fates)}) order by id"
    ).fetchall()
    fates = [
        Fate(row["uid"], "memory", *target.fates[row["id"]], around(target, target.saying.get(row["id"], row["text"])))
        for row in rows
    ]
    fates.sort(key=lambda fate: order.index(fate.what))
    return [*fates, *entry_fates(db, target)]


def entry_fates(db: sqlite3.Connection, target: ForgetTarget) -> Iterator[Fate]:
    """What happens to entries: those named keep their place without words, others lose the copy."""
    for row in db.execute(f"select uid, text from entries where id in ({id_list(target.entry_ids)}) order by id"):
        yield Fate(row["uid"], "entry", FORGETS, "named", flat_text(row["text"]))
    others = (target.source_ids | target.saying_ids) - target.entry_ids if target.is_everywhere else set()
    for row in db.execute(f"select id, uid, text from entries where id in ({id_list(others)}) order by id"):
        if target.quoted.repeats(row["text"]):
            why = "it was read from here" if row["id"] in target.source_ids else "says it"
            yield Fate(row["uid"], "entry", REDACTS, why, around(target, row["text"]))


BEFORE = 40
"""Characters that are shown before the words: what stands left of them in a line of a table."""


def around(target: ForgetTarget, text: str) -> str:
    """A text on one line, begun shortly before the words where it says them late."""
    flat = flat_text(text)
    return text_from(flat, min((start for start, _ in target.quoted.spans(flat)), default=0))


def text_from(flat: str, start: int) -> str:
    """A text on one line from a word shortly before a place on; whole if the place is near its beginning."""
    if start <= 2 * BEFORE:
        return flat
    return f"…{flat[flat.find(' ', start - BEFORE, start) + 1 or start - BEFORE :]}"


def one(db: sqlite3.Connection, sql: str, *values: object) -> int | None:
    """An id, or None."""
    row = db.execute(sql, values).fetchone()
    return int(row[0]) if row else None


def ids(db: sqlite3.Connection, sql: str, *values: object) -> set[int]:
    """The ids that a query gives."""
    return {int(row[0]) for row in db.execute(sql, values) if row[0] is not None}


def texts(db: sqlite3.Connection, sql: str) -> set[str]:
    """The texts that a query gives."""
    return {str(row[0]) for row in db.execute(sql) if row[0]}
