"""What an agent was shown of a project's files, and limits that tools named: candidates that wait for a person.

In: sessions with actions that were not looked through. Out: rows of `candidates`, and how far each session was read.
Invariants: a candidate's quote is a slice of the result's text; a fact is one candidate, however often it was shown and
whether or not its repository was asked for; a limit that nothing backs waits as well.
"""

from __future__ import annotations

import posixpath
import re
import shlex
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from memory_db.extract.files.ci import WORKFLOW
from memory_db.extract.files.facts import BACKED, SHOWN, FileFact
from memory_db.extract.files.limits import Limit, limits_in_error, limits_in_file
from memory_db.extract.files.repository import NAMES, VERSION, facts_in
from memory_db.extract.rules.run import INSERT_CANDIDATE, METHOD, REMEMBER_PROGRESS
from memory_db.store.connection import transaction
from memory_db.store.dates import utc_text
from memory_db.text.commands.lines import parts_of
from memory_db.text.scrubbing import FORGOTTEN

PROGRESS = "files"
"""The method by which `extraction_progress` tells how far sessions were looked through for files."""

NUMBERED = re.compile(r"^\s*(\d+)(?:→|\t)(.*)$")
READING = ("Read", "View", "read_file")
RUNNING = ("Bash",)
EDITING = ("Edit", "Write", "MultiEdit", "NotebookEdit")
UNKNOWN_PLACE = re.compile(r"[$`*?]|(?:^|/)-(?:/|$)")
"""Of a path: what only the shell that ran the command knows, such as a variable, or the folder before (`cd -`)."""

REQUESTS = re.compile(r"\b(?:curl|http|https|xh|wget|gh api|aws|gcloud|az|kubectl|psql|redis-cli|grpcurl)\b")
"""Commands that ask a service, whose answer may be an error though they succeed."""

NOT_LIMITS = ("WebFetch", "WebSearch", "Task", "Agent", *EDITING)
"""Tools whose results are somebody else's page or report, and no answer to what was tried."""

TO_READ = """
select s.id, s.project_id, p.canonical_path, count(*) as entry_count
from sessions s join projects p on p.id = s.project_id
join session_entries se on se.session_id = s.id
left join extraction_progress done on done.session_id = s.id and done.method = :method
where s.format not in ('repository', 'text')
group by s.id
having done.session_id is null or done.version <> :version or done.entry_count <> count(*)
order by s.id
"""

ACTIONS = """
select a.id, a.tool, coalesce(a.target, '') as target, a.input, coalesce(a.is_error, 0) as is_error, r.id as entry_id,
    r.text as result, r.created_at, r.session_id
from session_entries se
join actions a on a.entry_id = se.entry_id
join entries r on r.id = a.result_entry_id
where se.session_id = ? and r.kind <> 'other'
order by se.position, a.id
"""

ROOTS = """
select canonical_path from projects where id = :project
union all select path from project_aliases where project_id = :project
"""


@dataclass(slots=True, frozen=True)
class ShownFact:
    """A fact with the result that showed it, and whether what followed backs it."""

    fact: FileFact
    result: sqlite3.Row
    is_backed: bool = False


def extract(db: sqlite3.Connection, *, now: datetime) -> int:
    """Looks through the results of sessions that have new ones; how many candidates are new."""
    waiting = db.execute(TO_READ, {"method": PROGRESS, "version": VERSION}).fetchall()
    run_id: int | None = None
    total = 0
    for session in waiting:
        shown = list(facts_of_session(db, session))
        with transaction(db):
            if shown and run_id is None:
                run_id = db.execute(
                    "insert into extraction_runs (method, version, started_at) values (?, ?, ?)",
                    [METHOD, f"shown {VERSION}", utc_text(now)],
                ).lastrowid
            added = sum(keep(db, session, each, int(run_id or 0)) for each in shown)
            db.execute(
                REMEMBER_PROGRESS, [session["id"], PROGRESS, VERSION, session["entry_count"], run_id if shown else None]
            )
            if run_id is not None:
                total += added
                db.execute(
                    "update extraction_runs set sessions_read = sessions_read + 1, entries_read = entries_read + ?,"
                    " candidates_found = ?, finished_at = ? where id = ?",
                    [session["entry_count"], total, utc_text(now), run_id],
                )
    return total


def keep(db: sqlite3.Connection, session: sqlite3.Row, shown: ShownFact, run_id: int) -> int:
    """Stores one candidate; 0 where it was shown before, or its repository asked for, or it was forgotten."""
    fact, result = shown.fact, shown.result
    if is_forgotten(db, fact.uid_in(session["canonical_path"])):
        return 0
    rule = f"{BACKED if shown.is_backed else SHOWN}{fact.sort}"
    values = fact.columns(session["canonical_path"]) | {
        "run_id": run_id, "entry_id": result["entry_id"], "session_id": result["session_id"],
        "project_id": session["project_id"], "rule": rule, "created_at": result["created_at"],
    }  # fmt: skip
    return db.execute(INSERT_CANDIDATE, values).rowcount


def entry_uid(uid: str) -> str:
    """The uid of the entry that holds the quote of a fact whose repository was asked for, by the fact's."""
    return uid[:32]


def is_forgotten(db: sqlite3.Connection, uid: str) -> bool:
    """Whether a person had a fact forgotten: its entry keeps its place with nothing said."""
    row = db.execute("select text from entries where uid = ?", [entry_uid(uid)]).fetchone()
    return row is not None and FORGOTTEN in row["text"]


def facts_of_session(db: sqlite3.Connection, session: sqlite3.Row) -> Iterator[ShownFact]:
    """What the results of one session show, in order; changes nothing."""
    roots = [row[0] for row in db.execute(ROOTS, {"project": session["project_id"]})]
    actions = db.execute(ACTIONS, [session["id"]]).fetchall()
    for position, action in enumerate(actions):
        path = None if action["is_error"] else within(shown_file(action["tool"], action["target"]), roots)
        if path is not None:
            text = file_text(action["result"])
            name = path.rpartition("/")[2]
            if NAMES.fullmatch(name) or WORKFLOW.match(path) or path.startswith((".cursor/", ".github/copilot")):
                for fact in facts_in(text, path):
                    yield from quoted(fact, action)
            for limit in limits_in_file(text, path):
                fact = FileFact(path, limit.line, limit.quote, limit.text, "environment", "limit", paths=(path,))
                yield from quoted(fact, action)
        elif is_answer(action):
            for limit in limits_in_error(action["result"], subject(action), is_error=bool(action["is_error"])):
                fact = FileFact("error", 0, limit.quote, limit.text, "environment", "limit", title=title_of(limit))
                for each in quoted(fact, action):
                    yield replace(each, is_backed=is_backed(limit, action, actions[position + 1 :]))


def is_answer(action: sqlite3.Row) -> bool:
    """Whether a result is the answer to something that was tried: an error, or what a request got back."""
    if action["tool"] in NOT_LIMITS:
        return False
    return bool(action["is_error"]) or (action["tool"] in RUNNING and REQUESTS.search(action["target"]) is not None)


def quoted(fact: FileFact, action: sqlite3.Row) -> Iterator[ShownFact]:
    """A fact whose quote is a slice of the result; its first line alone where numbers of lines stand between."""
    quote = fact.quote if fact.quote in action["result"] else fact.quote.split("\n")[0].strip()
    if quote and quote in action["result"]:
        yield ShownFact(replace(fact, quote=quote), action)


def title_of(limit: Limit) -> str:
    """A short title of a limit that was met."""
    head, _, said = limit.text.partition(": ")
    return f"{head[:40]} ({said[:30].rsplit(' ', 1)[0]})" if len(limit.text) > 60 else limit.text.rstrip(".")


def shown_file(tool: str, target: str) -> str:
    """The file that an action shows as a whole or in part; '' for none, or where nobody knows which."""
    if tool in READING:
        return target
    if tool not in RUNNING:
        return ""
    folder, files = "", []
    for part in parts_of(target):
        if part.words and part.words[0] == "cd":
            given = [word for word in part.plain[1:] if word != "--"] or ["~"]
            folder = posixpath.join(folder, given[-1])
        elif part.words:
            is_shown = part.plain[0] in ("cat", "bat") and len(part.plain) == 2
            files.append(posixpath.join(folder, part.plain[1]) if is_shown else "")
    return files[0] if len(files) == 1 and not UNKNOWN_PLACE.search(files[0]) else ""


def within(path: str, roots: Sequence[str]) -> str | None:
    """A path as seen from the project; None where it leads elsewhere, or there is none."""
    if not path:
        return None
    path = posixpath.normpath(path)
    for root in roots:
        if path.startswith(f"{root}/"):
            return path[len(root) + 1 :]
    return None if path.startswith(("/", "~", "..", "$")) else path


def file_text(result: str) -> str:
    """What stands in a file, from the result that shows it with the numbers of its lines, each on its line."""
    lines = result.split("\n")
    first = NUMBERED.match(lines[0])
    if first is None:
        return result
    kept: list[str] = [""] * (min(int(first[1]), 100_000) - 1)
    for line in lines:
        found = NUMBERED.match(line)
        if found is None:
            break
        kept.append(found[2])
    return "\n".join(kept)


def subject(action: sqlite3.Row) -> str:
    """The command that met an error, without what it was given; the tool where there was none."""
    if action["tool"] not in RUNNING:
        return f"the tool {action['tool']}"
    host = re.search(r"https?://([\w.-]+)", action["target"])
    if host:
        return host[1]
    words = words_of(action["target"])
    return f"`{' '.join(words[:2])}`" if words else "a command"


def words_of(command: str) -> list[str]:
    """The first words of a command that name it."""
    try:
        words = shlex.split(command.split("\n")[0])
    except ValueError:
        words = command.split()
    return [word for word in words if re.fullmatch(r"[\w./:-]+", word) and not word.startswith("-")][:2]


def is_backed(limit: Limit, action: sqlite3.Row, later: Sequence[sqlite3.Row]) -> bool:
    """Whether an edit that names the number follows, or the same command succeeds after an edit."""
    edited = False
    for each in later:
        if each["tool"] in EDITING and not each["is_error"]:
            edited = True
            if limit.number and re.search(rf"(?<![\d.]){re.escape(limit.number)}(?![\d.])", each["input"]):
                return True
        elif edited and each["tool"] == action["tool"] and each["target"] == action["target"]:
            return not each["is_error"]
    return False
