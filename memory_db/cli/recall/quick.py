"""A plain `memory-db recall QUESTION`, answered without the libraries of the command line: they take longer than it.

In: the arguments of the command line. Out: whether they were answered here. Invariant: what is printed and logged is
what the command itself prints and logs. Where anything is asked for that is not plain (another option, a time, a model,
a setting, an error), nothing is done here, and the command does it. The standard library alone.
"""

from __future__ import annotations

import os
import re
import sqlite3
import sys
from datetime import UTC, datetime

from memory_db.errors import MemoryDBError

TYPE_CHECKING = False  # as in typing, which need not be loaded
if TYPE_CHECKING:
    from memory_db.recall.brief.select import Answer

SURFACE, PROFILE, LIMIT = "cli", "default", 10
"""As the command and the settings have them where nobody set anything."""

USUAL_FILE = "~/.memory-db/memory.db"

OF_TIME = frozenset(
    """january february march april may june july august september october november december jan feb mar apr jun jul
    aug sep sept oct nov dec monday tuesday wednesday thursday friday saturday sunday yesterday today tonight ago last
    past previous this before after since until when once""".split()
)
"""Words without one of which, and without a number, no question names a time or measures it by an event."""

SETTINGS = "select name, value from settings where name in ('embedding_model', 'default_profile', 'recall_limit')"

TABLES = "select count(*) from sqlite_master where name in ('collections', 'embeddings')"

EMBEDDED = """
select 1 from collections c where c.name in ('memories/' || c.model, 'entries/' || c.model)
and exists (select 1 from embeddings e where e.collection_id = c.id) limit 1
"""

PROJECT_HERE = """
select id from projects where canonical_path = :path
union all select project_id from project_aliases where path = :path limit 1
"""

PROJECTS = """
select 1 from (select canonical_path as path from projects union all select path from project_aliases)
where path in (select value from json_each(?)) limit 1
"""


def answered(arguments: list[str]) -> bool:
    """Answers what these arguments ask, if that is a plain recall that needs no model; else says that it did not."""
    given = question_and_file(arguments)
    if given is None or names_a_time(given[0]):
        return False
    try:
        if answer_from(*given, now=datetime.now(UTC)):
            return True
    except (MemoryDBError, sqlite3.Error, OSError, ValueError):
        pass  # the command says in its own words what the matter is
    return False


def question_and_file(arguments: list[str]) -> tuple[str, str] | None:
    """The question of a plain recall and its file; None where it is not plain."""
    words, path = [], os.environ.get("MEMORY_DB") or USUAL_FILE
    left = iter(arguments)
    for each in left:
        if each in ("-d", "--database"):
            path = next(left, "")
        elif each.startswith("-"):
            return None
        else:
            words.append(each)
    if len(words) != 2 or words[0] != "recall" or not path:
        return None
    is_text = not any("\ud800" <= letter <= "\udfff" for letter in words[1] + path)
    return (words[1], os.path.expanduser(path)) if is_text else None


def names_a_time(question: str) -> bool:
    """Whether a question may name a time, which takes a library to read."""
    words = re.findall(r"[a-z]+", question.lower())
    return not OF_TIME.isdisjoint(words) or any(map(str.isdigit, question))


def answer_from(question: str, path: str, *, now: datetime) -> bool:
    """Prints the answer of a file and logs it; False, and nothing done, where the command itself has to ask.

    Raises: MemoryDBError, sqlite3.Error, OSError, before anything is printed.
    """
    from memory_db.recall.brief.log import name_recall  # noqa: PLC0415  # start-up: only once it is a plain recall
    from memory_db.recall.brief.select import ask  # noqa: PLC0415  # start-up: as above
    from memory_db.recall.search import Filters, Question  # noqa: PLC0415  # start-up: as above
    from memory_db.store.connection import SCHEMA_VERSION, connect_to_answer  # noqa: PLC0415  # start-up: as above

    db, version = connect_to_answer(path)
    try:
        if version != SCHEMA_VERSION or not is_plain(db):
            return False
        asked = Question(question, profile=PROFILE, project_id=project_here(db), filters=Filters(), limit=LIMIT)
        answer = ask(db, asked, surface=SURFACE, now=now, semantic=None, log=False)
        name_recall(db, answer, now=now)
        has_reader = printed(answer)
        log(db, path, answer, now)
    finally:
        db.close()
    if not has_reader:
        sys.exit(1)
    return True


def is_plain(db: sqlite3.Connection) -> bool:
    """Whether a file has no setting and no vectors of a model that a recall would go by."""
    there = dict(map(tuple, db.execute(SETTINGS)))
    return (there.pop("embedding_model", "") == '"none"' or not has_vectors(db)) and not there


def has_vectors(db: sqlite3.Connection) -> bool:
    """Whether a model has embedded anything of a file."""
    return db.execute(TABLES).fetchone()[0] == 2 and db.execute(EMBEDDED).fetchone() is not None


def project_here(db: sqlite3.Connection) -> int | None:
    """The known project that this folder belongs to; nothing more is loaded where it is one itself, or none can be."""
    import json  # noqa: PLC0415  # start-up: as above

    from memory_db.redact.clean import clean  # noqa: PLC0415  # start-up: as above

    folder = os.getcwd()
    stands_so = clean(folder)[0].strip() == folder
    if stands_so and (here := db.execute(PROJECT_HERE, {"path": folder}).fetchone()):
        return int(here[0])
    folders = [folder]
    while (above := os.path.dirname(folders[-1])) != folders[-1]:
        folders.append(above)
    is_nowhere = not any(os.path.exists(os.path.join(each, ".git")) for each in folders)
    if is_nowhere and stands_so and not db.execute(PROJECTS, [json.dumps(folders)]).fetchone():
        return None
    from pathlib import Path  # noqa: PLC0415  # start-up: as above

    from memory_db.transcripts.projects import known_project  # noqa: PLC0415  # start-up: as above

    return known_project(db, Path.cwd())


def printed(answer: Answer) -> bool:
    """Prints an answer; whether somebody still reads it."""
    from memory_db.cli.recall.lines import answer_lines, how_to_explain  # noqa: PLC0415  # start-up: as above

    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]  # as the command line does
    try:
        sys.stdout.write("".join(f"{line}\n" for line in answer_lines(answer)))
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader of our output has gone: there is nobody left to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return False
    print(how_to_explain(answer), file=sys.stderr)
    return True


def log(db: sqlite3.Connection, path: str, answer: Answer, now: datetime) -> None:
    """Logs an answer on the connection that read it, in half the time; where that fails, as any command does."""
    from memory_db.recall.brief.log import log_recall  # noqa: PLC0415  # start-up: as above
    from memory_db.store.connection import LOG_BUSY_MS  # noqa: PLC0415  # start-up: as above

    try:
        db.execute("pragma query_only = off")
        db.execute(f"pragma busy_timeout = {LOG_BUSY_MS}")
        log_recall(db, answer, surface=SURFACE, now=now)
        why = None
    except (MemoryDBError, sqlite3.Error) as error:
        why = error
    folder, name = os.path.split(os.path.abspath(path))
    if why is None and not any(each.startswith(f"{name}.spool") for each in os.listdir(folder)):
        return
    from pathlib import Path  # noqa: PLC0415  # start-up: as above

    from memory_db.recall.brief.answer_log import log_answer, take_in_now  # noqa: PLC0415  # start-up: as above

    if why is not None and (said := log_answer(Path(path), answer, surface=SURFACE, now=now)):
        print(f"This recall was not logged: {said}", file=sys.stderr)
    take_in_now(Path(path), now=now)
