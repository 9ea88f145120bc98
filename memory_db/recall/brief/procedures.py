"""How something is done here, where a question asks for it or a session begins: lines that stand before all hits.

In: a question with its project. Out: `ProcedureLine`: what is said, its price, and why. Nothing is written here; `log`
writes it with the recall. Invariants: only a question that asks how, or says that it shall be done now, is answered;
a procedure of another project is never shown to an agent, and to a person who asks from no project with its name; nor
is a command that steers an agent; no prompt of a session is answered with the same line as an earlier one.
"""

from __future__ import annotations

import sqlite3
from datetime import datetime

from memory_db.recall.brief.log import COMPACTED, PUSHED
from memory_db.recall.brief.render import UNLOGGED, brief_around, estimated_tokens, inert
from memory_db.records import dataclass, later
from memory_db.redact.clean import find_injection
from memory_db.store.connection import rows_there
from memory_db.store.dates import parse_utc
from memory_db.store.json_text import loads
from memory_db.text.commands.asking import asked_for
from memory_db.text.places import served_in
from memory_db.text.terms import WORD

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from memory_db.recall.search import Question

MOST_TOLD = 2
"""Procedures in one answer: "run the linter and the tests" asks for two."""

AT_A_SHELL, MOST_EVERYWHERE = "cli", 4
"""Who asks a person's question from wherever they are, and how many procedures of all projects that is told."""

WORKED = """
select p.id, p.name from procedures w join projects p on p.id = w.project_id
group by p.id order by max(w.last_success_at) desc limit 20
"""
"""Projects in which something is known to be done, the one where it was done last first."""

FAILING_STREAK = 3
"""Failures in a row from which on a command is not shown as working; the view `project_procedures` has it too."""

FAMILIAR = frozenset(
    """
    a all an and app apply build check code command commands database deploy do docs for format how in install it lint
    linter make migrate migration migrations my new now on our please project release run server services start suite
    test tests the this to up we what whole you your
    """.split()
)
"""Words of such questions that single out no command."""

USUAL_SHARE = 0.12
"""The part of a session's first brief that says how things are usually done. Source: ours; it holds six commands."""

OFTEN_ENOUGH = 2
"""Successes from which on a command is how something is done, and not what was tried once. Source: ours."""

USUAL_PURPOSES = (
    "install", "services", "run", "test", "lint", "format", "typecheck", "build", "new-migration", "migrate", "add",
)  # fmt: skip
"""What a session may begin with, in this order. What reaches others, as a deployment does, is told when asked for."""

LONGEST_USUAL = 100
"""Characters of a command up to which it stands in that line."""

USUAL = """
select uid, purpose, command, successes, failures, last_success_at from procedures
where project_id = ? and successes >= ? and failures_since < ? and length(command) <= ?
order by recent_uses desc, last_success_at desc, id
"""

MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()

KNOWN = """
select id, uid, purpose, command, successes, failures, failures_since, last_success_at, preceded_by, preceded_count,
    failed_before
from procedures where project_id = ? and purpose = ?
order by failures_since >= 3, recent_uses desc, last_success_at desc, id limit 50
"""

TOLD_EARLIER = f"""
select p.uid from recalls r join recall_procedures p on p.recall_id = r.id
where r.session_uid = :session and r.query <> '' and r.surface in ({", ".join(f"'{name}'" for name in PUSHED)})
    and r.asked_at >= {COMPACTED}
"""
"""What prompts of a session were answered with. What it began with says the command alone."""

LOGGED = "select text from recall_procedures where recall_id = ? order by id"


@dataclass(slots=True, frozen=True)
class ProcedureLine:
    """A procedure in an answer: its line, what that costs in tokens, and which words of the question asked for it."""

    uid: str
    purpose: str
    command: str
    text: str
    tokens: int
    reason: str


def procedure_lines(
    db: sqlite3.Connection, question: Question, surface: str, moment: datetime
) -> tuple[ProcedureLine, ...]:
    """The procedures that a question asks for, one for each purpose, as far as the budget has room; mostly none."""
    filters = question.filters
    if question.scope != "all" or filters.as_of or filters.kinds or filters.tags:
        return ()
    if question.project_id is not None:
        found = lines_in(db, question.query, question.project_id, moment)
    elif surface == AT_A_SHELL:
        found = [line for row in rows_there(db, WORKED, []) for line in lines_in(
            db, question.query, row["id"], moment, where=f"in {row['name']}: ")][:MOST_EVERYWHERE]  # fmt: skip
    else:
        return ()
    if found and question.session_uid and surface in PUSHED:
        earlier = {row[0] for row in rows_there(db, TOLD_EARLIER, {"session": question.session_uid})}
        found = [each for each in found if each.uid not in earlier]
    return tuple(within_budget(found, question.budget_tokens))


def lines_in(
    db: sqlite3.Connection, query: str, project_id: int, moment: datetime, where: str = ""
) -> list[ProcedureLine]:
    """The procedures of a project that a question asks for, each line behind `where`."""
    found: list[ProcedureLine] = []
    for purpose, words in list(asked_for(query).items())[:MOST_TOLD]:
        rows = rows_there(db, KNOWN, [project_id, purpose])
        for row in sorted(rows, key=lambda row: -named_by(query, row["command"])):
            text = where + line_of(row, moment)
            if not is_elsewhere(query, row["command"]) and not find_injection(text):
                tokens, reason = estimated_tokens(f"{text}\n"), f"asks how to {purpose}: {words}"
                found.append(ProcedureLine(row["uid"], purpose, row["command"], text, tokens, reason))
                break
    return found


def usual_lines(db: sqlite3.Connection, project_id: int, budget: int) -> tuple[ProcedureLine, ...]:
    """How things are usually done in a project, one command for each purpose, those used most lately, within their
    share of a brief's tokens."""
    from memory_db.text.commands.purposes import PURPOSES  # noqa: PLC0415  # start-up: a prompt is not told of these

    found: dict[str, ProcedureLine] = {}
    room = int(budget * USUAL_SHARE)
    for row in rows_there(db, USUAL, [project_id, OFTEN_ENOUGH, FAILING_STREAK, LONGEST_USUAL]):
        purpose = row["purpose"]
        if purpose in found or purpose not in USUAL_PURPOSES:
            continue
        text = inert(f"{PURPOSES[purpose]}: {quoted(row['command'])}")
        tokens = estimated_tokens(f"{text}; ")
        if tokens <= room and not find_injection(text):
            room -= tokens
            reason = f"how to {PURPOSES[purpose]} here: succeeded {times(row['successes'])}"
            found[purpose] = ProcedureLine(row["uid"], purpose, row["command"], text, tokens, reason)
    return tuple(found[purpose] for purpose in USUAL_PURPOSES if purpose in found)


def usual_line(lines: Iterable[ProcedureLine]) -> str:
    """They on one line."""
    return "; ".join(each.text for each in lines)


def facts_of(line: ProcedureLine) -> str:
    """What a line says besides its command: how it went, what came before, what failed."""
    return line.text.partition(f"{quoted(line.command)} (")[2].removesuffix(f") [{line.uid}]")


def within_budget(found: Iterable[ProcedureLine], budget: int | None) -> Iterable[ProcedureLine]:
    """Those that fit into an empty brief of that many tokens, the first ones first."""
    lines: list[str] = []
    for each in found:
        if budget is None or estimated_tokens(brief_around([*lines, each.text], UNLOGGED) + "\n") <= budget:
            lines.append(each.text)
            yield each


def named_by(query: str, command: str) -> int:
    """How many distinctive words of a question stand in a command: "on staging" means the one that names staging."""
    asked = set(WORD.findall(query.casefold())) - FAMILIAR
    return len(asked.intersection(WORD.findall(command.casefold())))


def is_elsewhere(query: str, command: str) -> bool:
    """Whether a question names a place, and a command another one: "push it to production", and `just ship staging`."""
    asked, done = served_in(query), served_in(command)
    return bool(asked and done) and asked.isdisjoint(done)


def line_of(row: Mapping[str, Any], moment: datetime) -> str:
    """A procedure on one line: the command, how it went, what came before, what failed, and its uid."""
    since, successes = row["failures_since"], times(row["successes"])
    last = f"last {day_text(row['last_success_at'], moment)}"
    if since >= FAILING_STREAK:
        facts = [f"failed the last {since} times", f"succeeded {successes} before, {last}"]
    else:
        facts = [f"succeeded {successes}, {last}" + (f", failed {times(since)} since" if since else "")]
    if row["preceded_by"]:
        often = (
            "" if row["preceded_count"] == row["successes"] else f" in {row['preceded_count']} of {row['successes']}"
        )
        facts.append(f"right before{often}: {quoted(row['preceded_by'])}")
    failed = [quoted(each["command"]) for each in loads(row["failed_before"])]
    if failed:
        facts.append(f"{', '.join(failed)} failed")
    return inert(f"{quoted(row['command'])} ({'; '.join(facts)}) [{row['uid']}]")


def quoted(command: str) -> str:
    """A command on one line, word for word."""
    text = " ".join(command.split())
    return f"`` {text} ``" if "`" in text else f"`{text}`"


COMMAND_OF_FILE = later(r"To [a-z][^`]{2,60}: (`[^`]+`)")
"""How a memory says what a file of the project calls a command."""


def is_told(text: str, lines: Iterable[str]) -> bool:
    """Whether a memory says of a command what it is for that one of these lines of procedures says with its uses."""
    found = COMMAND_OF_FILE.match(text) if text.startswith("To ") else None
    return found is not None and any(line.startswith(f"{found[1]} (") for line in lines)


def times(number: int) -> str:
    """A count in words: `once`, `twice`, `4 times`."""
    return ("never", "once", "twice")[number] if number < 3 else f"{number} times"


def day_text(at: str, moment: datetime) -> str:
    """A day, with its year where that is another one."""
    day = parse_utc(at)
    year = "" if day.year == moment.year else f" {day.year}"
    return f"{day.day} {MONTHS[day.month - 1]}{year}"


def shown_lines(db: sqlite3.Connection, recall_id: int) -> tuple[str, ...]:
    """The lines of procedures that a logged recall showed."""
    return tuple(row[0] for row in rows_there(db, LOGGED, [recall_id]))
