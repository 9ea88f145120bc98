"""Documents rendered from memories: a playbook for each project, and a portrait of the user.

In: the file. Out: Markdown in which every line names the memory that it says, and rows of `portraits` and
`portrait_sources`. Invariants: the text follows from the memories alone; what is inferred stands apart and is called
so; what steers an agent never gets in; what contradicts something else is told as open, not as a fact.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from memory_db.models.tokens import count_tokens
from memory_db.redact.clean import clean, find_injection
from memory_db.store.connection import transaction
from memory_db.store.dates import utc_text

PLAYBOOK, USER = "playbook", "user"

BUDGET_TOKENS = 1_500
"""Tokens that a document takes at most. Source: memem caps a profile at 2,500 characters, about 600 tokens, of one
model's prose; ours names its memories, and a project has more to say than one page of a person."""

FEWEST_MEMORIES = 5
"""Memories from which a playbook is worth making. Source: memem's playbooks."""

LINE_CHARACTERS = 300
"""How much of one memory stands in a line; its uid gives the rest."""

INERT = re.compile(r"<(?=!--|/?memory-)", re.I)
"""What could begin a comment or a mark of ours, and so end our block or hide what follows from a reader."""

UID = re.compile(r"\[(m[0-9a-f]{8,64})\]")
"""How a line names its memory."""

INFERRED = "Inferred from what the agent said or did; nobody confirmed it:"

TOLD = {"explicit": "explicit", "signals": "said", "inferred": "inferred"}
"""What a reader is told of a tier."""

SECTIONS: dict[str, tuple[str, ...]] = {
    "Constraints": (),
    "Decisions": ("decision",),
    "Conventions": ("convention", "correction", "pattern"),
    "Commands and environment": ("environment", "structure", "domain"),
    "Fixes and failures": ("fix", "failure", "quirk", "issue"),
    "Preferences": ("preference", "behaviour"),
}
"""Headings with the kinds under each, in order; constraints are what is locked, of whatever kind."""

OPEN = "Open contradictions"

MEMORIES = """
select m.id, m.uid, m.kind, m.text, m.lock_level, m.importance, date(m.valid_from) as day, v.id as version_id,
    b.tier, b.confidence, coalesce(l.layer, 2) as layer,
    exists (select 1 from contradictions c where c.state = 'open' and c.memory_id = m.id)
        or exists (select 1 from contradictions c where c.state = 'open' and c.other_memory_id = m.id) as is_contested
from memories m
join memory_versions v on v.memory_id = m.id and v.recorded_to is null
join beliefs b on b.memory_id = m.id
left join layers l on l.memory_id = m.id
where m.status = 'active' and m.kind <> 'episode'
    and iif(:project is null, m.scope = 'user', m.scope = 'project' and m.project_id = :project)
order by m.id
"""

CONTRADICTIONS = """
select m.uid, o.uid as other_uid, v.id as version_id, w.id as other_version_id, c.quote, c.other_quote
from contradictions c join memories m on m.id = c.memory_id join memories o on o.id = c.other_memory_id
join memory_versions v on v.memory_id = m.id and v.recorded_to is null
join memory_versions w on w.memory_id = o.id and w.recorded_to is null
where c.state = 'open' and m.status = 'active' and o.status = 'active'
    and iif(:project is null, 'user' in (m.scope, o.scope), :project in (m.project_id, o.project_id))
order by c.found_at, m.uid, o.uid
"""


@dataclass(slots=True, frozen=True)
class PortraitLine:
    """One line of a document: where it stands, what it says, and the versions that it is made from."""

    section: str
    is_inferred: bool
    text: str
    version_ids: tuple[int, ...]


@dataclass(slots=True, frozen=True)
class Portrait:
    """A document with what it was made from. `memories` is how many there are, `left_out` how many did not fit,
    `steering` how many were kept out because they would give an agent orders. `text` is empty where there are too few.
    """

    kind: str
    project_id: int | None
    name: str
    text: str
    tokens: int
    version_ids: tuple[int, ...]
    memories: int
    left_out: int
    steering: int

    def why_empty(self) -> str:
        """Why there is no document, in a line."""
        if self.kind == USER:
            return "Nothing is known of the user yet that holds in every project."
        kept = f"{self.memories} {'memory' if self.memories == 1 else 'memories'}"
        return f"Project {self.name} has {kept}; a playbook is made from {FEWEST_MEMORIES} or more."


def render(db: sqlite3.Connection, project_id: int | None, *, budget_tokens: int = BUDGET_TOKENS) -> Portrait:
    """The document of a project, or of the user where it is None, as the memories are now. Nothing is written."""
    given = {"project": project_id}
    rows = db.execute(MEMORIES, given).fetchall()
    name = "the user"
    if project_id is not None:
        name = shown_name(str(db.execute("select name from projects where id = ?", [project_id]).fetchone()[0]))
    kind = USER if project_id is None else PLAYBOOK
    safe = [row for row in rows if not find_injection(row["text"])]
    settled = [row for row in safe if is_locked(row) or not row["is_contested"]]
    lines = [*map(memory_line, sorted(settled, key=order)), *contradiction_lines(db, given)]
    steering = len(rows) - len(safe)
    if not rows or (kind == PLAYBOOK and len(safe) < FEWEST_MEMORIES):
        return Portrait(kind, project_id, name, "", 0, (), len(safe), 0, steering)
    title = f"# {'About the user' if kind == USER else f'Playbook of {name}'}"
    kept, left_out = fitting(title, lines, budget_tokens)
    text = document(title, kept, left_out)
    ids = tuple(dict.fromkeys(each for line in kept for each in line.version_ids))
    return Portrait(kind, project_id, name, text, count_tokens(text), ids, len(safe), left_out, steering)


def shown_name(name: str) -> str:
    """A project's name as it may stand in a document: a folder can be called anything."""
    cleaned = shortened(clean(name)[0], LINE_CHARACTERS // 5)
    return "a project" if find_injection(cleaned) else cleaned


def is_locked(row: sqlite3.Row) -> bool:
    """Whether a memory is a constraint."""
    return bool(row["lock_level"] != "none")


def order(row: sqlite3.Row) -> tuple[object, ...]:
    """What comes first: the locked, the nearer layer, the better known, the surer, the more important, the newer."""
    newest_first = [-ord(character) for character in row["day"] or ""]
    tier = tuple(TOLD).index(row["tier"])
    locked = row["lock_level"] != "user", row["lock_level"] == "none"
    return (*locked, row["layer"], tier, -round(row["confidence"], 3), -row["importance"], newest_first, row["uid"])


def memory_line(row: sqlite3.Row) -> PortraitLine:
    """One memory as its line."""
    section = next((name for name, kinds in SECTIONS.items() if row["kind"] in kinds), "Conventions")
    notes = [TOLD[row["tier"]]] if section == "Preferences" and row["tier"] != "inferred" else []
    notes += ["contested, see below"] if row["is_contested"] else []
    note = f" ({', '.join(notes)})" if notes else ""
    place = "Constraints" if is_locked(row) else section
    text = f"- {shortened(row['text'])}{note} [{row['uid']}]"
    return PortraitLine(place, row["tier"] == "inferred", text, (row["version_id"],))


def contradiction_lines(db: sqlite3.Connection, given: dict[str, int | None]) -> Iterable[PortraitLine]:
    """Pairs that cannot both hold and on which nobody decided, each as a line."""
    for row in db.execute(CONTRADICTIONS, given):
        quotes = [row["quote"], row["other_quote"]]
        if not any(map(find_injection, quotes)):
            one, other = (shortened(quote, LINE_CHARACTERS // 2) for quote in quotes)
            text = f'- "{one}" [{row["uid"]}] against "{other}" [{row["other_uid"]}]'
            yield PortraitLine(OPEN, False, text, (row["version_id"], row["other_version_id"]))


def shortened(text: str, length: int = LINE_CHARACTERS) -> str:
    """A text on one line that opens no tag or comment, cut with an ellipsis."""
    flat = inert(" ".join(text.split()))
    return flat if len(flat) <= length else flat[: length - 1].rstrip() + "…"


def inert(text: str) -> str:
    """A text that can neither end our block nor hide anything in it, nor name another memory than its own."""
    return UID.sub(r"(\1)", INERT.sub("‹", text)).replace("-->", "--›")


def fitting(title: str, lines: Sequence[PortraitLine], budget_tokens: int) -> tuple[list[PortraitLine], int]:
    """The lines that fit the budget, contradictions first and then in order, and how many do not."""
    wanted = sorted(lines, key=lambda line: line.section != OPEN)
    kept: list[PortraitLine] = []
    spent = count_tokens(document(title, [], len(lines)))
    opened: set[tuple[str, bool]] = set()
    for line in wanted:
        heading = f"\n## {line.section}\n\n" if not {(line.section, True), (line.section, False)} & opened else ""
        apart = f"\n{INFERRED}\n\n" if line.is_inferred and (line.section, True) not in opened else ""
        cost = count_tokens(f"{heading}{apart}{line.text}\n") + 1
        if spent + cost <= budget_tokens:
            spent += cost
            kept.append(line)
            opened.add((line.section, line.is_inferred))
    return kept, len(lines) - len(kept)


def document(title: str, lines: Sequence[PortraitLine], left_out: int) -> str:
    """Lines under their headings."""
    parts = [title, ""]
    for section in (*SECTIONS, OPEN):
        sure = [line.text for line in lines if line.section == section and not line.is_inferred]
        inferred = [line.text for line in lines if line.section == section and line.is_inferred]
        if sure or inferred:
            parts += [f"## {section}", ""]
        if section == OPEN and sure:
            parts += ["Not decided; ask before relying on either:", ""]
        parts += [*sure, ""] if sure else []
        parts += [INFERRED, "", *inferred, ""] if inferred else []
    if left_out:
        parts.append(f"{left_out} more in memory: `memory-db recall` finds them.")
    return "\n".join(parts).rstrip() + "\n"


# ------------------------------------------------------------------------ keeping


def keep(db: sqlite3.Connection, portrait: Portrait, *, by: str, now: datetime, model: str | None = None) -> int | None:
    """Stores a document with its sources; its number, or that of the newest where it says the same and is not stale.

    An empty one is not stored: None.
    """
    if not portrait.text:
        return None
    with transaction(db):
        newest = db.execute(
            "select p.id, p.text, s.is_stale from portraits p join portrait_states s on s.portrait_id = p.id"
            " where p.kind = ? and p.project_id is ?",
            [portrait.kind, portrait.project_id],
        ).fetchone()
        if newest and newest["text"] == portrait.text and not newest["is_stale"]:
            return int(newest["id"])
        cursor = db.execute(
            "insert into portraits (kind, project_id, text, tokens, model, created_by, created_at)"
            " values (?, ?, ?, ?, ?, ?, ?)",
            [portrait.kind, portrait.project_id, portrait.text, portrait.tokens, model, clean(by)[0], utc_text(now)],
        )
        portrait_id = int(cursor.lastrowid or 0)
        db.executemany(
            "insert into portrait_sources (portrait_id, memory_version_id, position) values (?, ?, ?)",
            [(portrait_id, version_id, place) for place, version_id in enumerate(portrait.version_ids, start=1)],
        )
    return portrait_id


def states(db: sqlite3.Connection) -> list[dict[str, object]]:
    """The newest document of each project and of the user, with whether and why it is stale."""
    return [dict(row) for row in db.execute("select * from portrait_states order by kind desc, project, portrait_id")]


def uids_in(text: str) -> set[str]:
    """The memories that a document names."""
    return set(UID.findall(text))
