"""Commands that a locked memory forbids an agent, or lets it ask a person for.

In: a memory that a person locked, a pattern, ask or deny; later the text of a command. Out: rows of `command_rules`,
and which rule speaks. Invariants: only what a person locked rules, and only while it holds and is locked; only a person
makes or ends a rule; a rule that denies goes before one that asks.

A pattern is a shell's: `*` any text, `?` a character, `[ab]` one of these. It is compared with each simple command in a
text (`command_forms`), whole or up to a blank: `git push --force` also means `git push --force origin`.
"""

from __future__ import annotations

import sqlite3
from datetime import datetime
from fnmatch import fnmatchcase

from memory_db.errors import InputError, NotFoundError
from memory_db.knowledge.belonging import holds_in
from memory_db.knowledge.succession import PERSON, memory_row
from memory_db.recall.brief.render import inert
from memory_db.records import dataclass
from memory_db.redact.clean import clean, find_injection
from memory_db.store.connection import rows_there, transaction
from memory_db.store.dates import utc_text
from memory_db.text.commands.shell import command_forms

DECISIONS = ("deny", "ask")
"""What a rule can say, the stronger first."""

PATTERN_CHARACTERS = 200

REASON_CHARACTERS = 400
"""How much of a memory's text stands in the reason that an agent reads."""

IN_FORCE = f"""
select r.id, r.pattern, r.decision, m.uid, m.text, m.scope, m.project_id
from command_rules r join memories m on m.id = r.memory_id
where r.ended_at is null and m.status = 'active' and m.lock_level = 'user'
    and {holds_in("m")}
order by r.decision = 'ask', r.id
"""

LISTED = """
select r.id, m.uid, r.pattern, r.decision, p.name as project, r.created_by, r.created_at, r.ended_at,
    r.ended_at is null and m.status = 'active' and m.lock_level = 'user' as is_in_force, m.title
from command_rules r join memories m on m.id = r.memory_id left join projects p on p.id = m.project_id
order by r.ended_at is not null, r.id
"""

LAPSED = f"select * from ({LISTED}) where ended_at is null and not is_in_force"


@dataclass(slots=True, frozen=True)
class RuleMatch:
    """Which rule speaks about a command: its number, what it says, its pattern, and the memory that it comes from."""

    rule_id: int
    decision: str
    pattern: str
    memory_uid: str
    text: str
    command: str

    def reason(self) -> str:
        """Why, for the agent and the person, on one line: the memory's uid and words, unless these steer an agent."""
        said = inert(" ".join(self.text.split()))
        said = said if len(said) <= REASON_CHARACTERS else said[: REASON_CHARACTERS - 1].rstrip() + "…"
        verb = "forbids" if self.decision == "deny" else "wants a person asked for"
        why = f"Memory {self.memory_uid}, locked by the user, {verb} `{self.pattern}`"
        return why if find_injection(self.text) else f"{why}: {said}"


def verdict_on(db: sqlite3.Connection, command: str, project_id: int | None) -> RuleMatch | None:
    """The rule that speaks about a command in a project, the strongest; None where none does."""
    rules = rows_there(db, IN_FORCE, {"project_id": project_id})
    if not rules:
        return None
    forms = command_forms(command)
    for rule in rules:
        for form in forms:
            if is_meant(rule["pattern"], form):
                return RuleMatch(rule["id"], rule["decision"], rule["pattern"], rule["uid"], rule["text"], form)
    return None


def is_meant(pattern: str, form: str) -> bool:
    """Whether a pattern means a simple command: the whole of it, or its beginning up to a blank."""
    return fnmatchcase(form, pattern) or fnmatchcase(form, f"{pattern} *")


def add_rule(db: sqlite3.Connection, uid: str, pattern: str, *, decision: str, by: str, now: datetime) -> int:
    """Makes a locked memory rule on commands; the number of the rule, that of one which says the same already.

    Raises: NotFoundError; InputError for a memory that no person locked, and for a pattern that is none.
    """
    if by != PERSON or decision not in DECISIONS:
        raise InputError("Only a person makes a rule, to deny or to ask: `memory-db hook rule add UID PATTERN --deny`.")
    wanted = checked_pattern(pattern)
    with transaction(db):
        row = memory_row(db, uid)
        if row["status"] != "active":
            raise InputError(f"Memory {uid} is {row['status']}. A rule comes from one that holds.")
        if row["lock_level"] != "user":
            raise InputError(f"Memory {uid} is not locked by you. First `memory-db memory lock {uid}`.")
        same = db.execute(
            "select id from command_rules where memory_id = ? and pattern = ? and decision = ? and ended_at is null",
            [row["id"], wanted, decision],
        ).fetchone()
        if same is not None:
            return int(same["id"])
        made = db.execute(
            "insert into command_rules (memory_id, pattern, decision, created_by, created_at) values (?, ?, ?, ?, ?)",
            [row["id"], wanted, decision, by, utc_text(now)],
        )
    return int(made.lastrowid or 0)


def checked_pattern(pattern: str) -> str:
    """A pattern with one blank between its words. Raises: InputError."""
    wanted = " ".join(pattern.split())
    if clean(wanted)[0] != wanted:
        raise InputError("The pattern looks like a secret, which no rule holds. Give one without it.")
    if not wanted.isprintable() or len(wanted) > PATTERN_CHARACTERS:
        raise InputError(
            f"A pattern has one line and {PATTERN_CHARACTERS} characters at most, such as 'git push --force'."
        )
    if not any(character.isalnum() for character in wanted):
        raise InputError(f"The pattern {wanted!r} would mean every command. Name one, such as 'git push --force*'.")
    return wanted


def end_rule(db: sqlite3.Connection, rule_id: int, *, now: datetime) -> bool:
    """Ends a rule; False where it had ended already. Raises: NotFoundError."""
    with transaction(db):
        ended = db.execute(
            "update command_rules set ended_at = ? where id = ? and ended_at is null", [utc_text(now), rule_id]
        ).rowcount
        if not ended and db.execute("select 1 from command_rules where id = ?", [rule_id]).fetchone() is None:
            raise NotFoundError(f"There is no rule {rule_id}. `memory-db hook rule list` lists them.")
    return ended > 0


def lapsed_rules(db: sqlite3.Connection, uid: str | None = None) -> list[dict[str, object]]:
    """Rules, of a memory or all, that nobody ended and that no longer hold: it was unlocked, or is out of use."""
    return [dict(row) for row in rows_there(db, f"{LAPSED} and (:uid is null or uid = :uid)", {"uid": uid})]


def list_rules(db: sqlite3.Connection) -> list[dict[str, object]]:
    """All rules, those that have not ended first; `is_in_force` says whether the memory still holds and is locked."""
    return [dict(row) for row in db.execute(LISTED)]
