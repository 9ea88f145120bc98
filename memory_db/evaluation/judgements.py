"""Labels by hand: what a person says of the hits of a question they asked, and query sets made of past recalls.

In: a recall or a question, and verdicts on its hits. Out: rows of `query_sets`, `labelled_queries` and `judgements`,
the same that `query_sets` loads from files, so `evaluate` and `tuning` read them alike.

Invariant: a question asked twice in the same project is one labelled question, in every set that holds it, with one
verdict on each hit. Taking back the last verdict on a question removes the question, which would pass for a negative
one.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from memory_db.errors import InputError, NotFoundError
from memory_db.evaluation.query_sets import SAMPLE_SET, add_query, add_query_set, judge
from memory_db.redact.clean import clean
from memory_db.store.connection import transaction
from memory_db.store.dates import utc_text

OWN_SET = "own"
"""The query set that takes every judgement made by hand."""

OWN_DESCRIPTION = "Questions whose hits were judged by hand, on the pages or by a program of yours"

GATHERED_DESCRIPTION = "Past recalls that were put together by hand"

RESERVED = (OWN_SET, SAMPLE_SET)
"""Sets that fill themselves: no recalls are gathered into them."""

NAME_CHARACTERS = 60
"""Longest name of a query set. Source: ours, the same as that of a profile."""

STYLES = {"hook": "prompt"}
"""How a question is put, by the surface that it was asked through; `question` for all others."""

NEGATIVE = "negative"
"""The style of a question that nothing in the file answers."""

CITATION = "citation"
"""Who judged, where an answer cited or used what a recall had shown."""

TABLES = {"memory": "memories", "entry": "entries"}

Item = tuple[str, str]
"""(`memory` or `entry`, its uid)."""


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question that somebody asked: its words as they are stored, where, when, and the recall that logged it."""

    query: str
    project_id: int | None
    style: str
    asked_at: str
    recall_id: int | None = None

    @property
    def uid(self) -> str:
        """Its name in every query set: the same for the same words in the same project."""
        return "asked-" + hashlib.sha256(f"{self.project_id}|{self.query}".encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class RelevanceJudgement:
    """Whether something answers a question (1 or 0), by whom, and whether it was said by hand of this question."""

    relevance: int
    judged_by: str
    by_hand: bool


# ------------------------------------------------------------------- questions


def asked_in(db: sqlite3.Connection, key: str) -> AskedQuestion:
    """The question of a logged recall, by its number or uid. Raises: NotFoundError."""
    row = db.execute(
        "select id, query, project_id, surface, asked_at from recalls where ? in (uid, cast(id as text))", [key]
    ).fetchone()
    if row is None:
        raise NotFoundError(f"No recall {key[:80]!r}. The latest ones are listed at /-/memory/recalls.")
    style = STYLES.get(row["surface"], "question")
    return AskedQuestion(row["query"], row["project_id"], style, row["asked_at"], row["id"])


def asked_now(query: str, project_id: int | None, *, now: datetime) -> AskedQuestion:
    """A question that no recall has logged. Raises: InputError if it is empty."""
    text = clean(query)[0]
    if not text.strip():
        raise InputError("No question to judge for. Give the recall that asked it, or the question itself.")
    return AskedQuestion(text, project_id, "question", utc_text(now))


# ---------------------------------------------------------------------- verdicts


def judge_hits(
    db: sqlite3.Connection, asked: AskedQuestion, verdicts: Mapping[Item, int | None], *, judged_by: str, now: datetime
) -> dict[str, int]:
    """Notes what answers a question (1), what does not (0), and what is taken back (None).

    It goes to the query set `own`, and to every other set that holds the question. Gives counts of hits judged and
    taken back. Raises: NotFoundError for a hit that is not in the file; then nothing is noted.
    """
    counts = Counter(judged=0, taken_back=0)
    with transaction(db):
        ids = {item: item_id(db, item) for item in verdicts}
        if any(relevance is not None for relevance in verdicts.values()):
            add_asked(db, add_query_set(db, OWN_SET, description=OWN_DESCRIPTION, now=now), asked)
        queries = [row[0] for row in db.execute("select id from labelled_queries where uid = ?", [asked.uid])]
        for item, relevance in verdicts.items():
            for query_id in queries:
                if relevance is None:
                    take_back(db, query_id, item[0], ids[item])
                else:
                    judge(db, query_id, item[0], ids[item], relevance, judged_by=judged_by, now=now)
            counts["taken_back" if relevance is None else "judged"] += 1
        set_styles(db, asked)
    return dict(counts)


def add_asked(db: sqlite3.Connection, query_set_id: int, asked: AskedQuestion) -> int:
    """The id of a question in a set, made if it is new; it names the latest recall that asked it."""
    query_id = add_query(db, query_set_id, asked.uid, asked.query, asked.project_id, asked.style, asked.asked_at)
    db.execute(
        "update labelled_queries set recall_id = ? where id = ? and recall_id is not ?",
        [asked.recall_id, query_id, asked.recall_id],
    )
    return query_id


def take_back(db: sqlite3.Connection, query_id: int, kind: str, identifier: int) -> None:
    """Removes a verdict, and the question with its last one."""
    gone = db.execute(f"delete from judgements where labelled_query_id = ? and {kind}_id = ?", [query_id, identifier])
    if gone.rowcount:
        db.execute(
            "delete from labelled_queries where id = :labelled_query"
            " and not exists (select 1 from judgements where labelled_query_id = :labelled_query)",
            {"labelled_query": query_id},
        )


def set_styles(db: sqlite3.Connection, asked: AskedQuestion) -> None:
    """A question that was kept as one without an answer is so no more once something answers it."""
    db.execute(
        "update labelled_queries set style = ? where uid = ? and style = ?"
        " and exists (select 1 from judgements j where j.labelled_query_id = labelled_queries.id and j.relevance = 1)",
        [asked.style, asked.uid, NEGATIVE],
    )


def item_id(db: sqlite3.Connection, item: Item) -> int:
    """The id of a memory or an entry. Raises: InputError, NotFoundError."""
    kind, uid = item
    if kind not in TABLES:
        raise InputError(f"{kind[:40]!r} cannot be judged. Name a hit as memory:UID or entry:UID.")
    row = db.execute(f"select id from {TABLES[kind]} where uid = ?", [uid]).fetchone()
    if row is None:
        raise NotFoundError(f"No {kind} {uid[:80]!r}. `memory-db recall` prints the uid of each hit.")
    return int(row[0])


VERDICTS = """
select iif(j.memory_id is null, 'entry', 'memory') as kind, coalesce(m.uid, e.uid) as uid, j.relevance, j.judged_by,
    q.uid = :own_uid as by_hand
from labelled_queries q
join judgements j on j.labelled_query_id = q.id
left join memories m on m.id = j.memory_id
left join entries e on e.id = j.entry_id
where q.query = :query and q.project_id is :project
order by by_hand
"""


def verdicts_on(db: sqlite3.Connection, query: str, project_id: int | None) -> dict[Item, RelevanceJudgement]:
    """What was said of the hits of a question so far, in any set; what was said by hand goes before the rest."""
    uid = AskedQuestion(query, project_id, "", "").uid
    return {
        (row["kind"], row["uid"]): RelevanceJudgement(row["relevance"], row["judged_by"], bool(row["by_hand"]))
        for row in db.execute(VERDICTS, {"query": query, "project": project_id, "own_uid": uid})
    }


# ------------------------------------------------------------- sets of recalls


CARRIED = """
select j.memory_id, j.entry_id, j.relevance, j.judged_by, j.judged_at
from judgements j
join labelled_queries q on q.id = j.labelled_query_id
join query_sets s on s.id = q.query_set_id
where s.name = :query_set and q.uid = :own_uid
union all
select v.memory_id, null, 1, :judged_by, max(v.created_at)
from evidence v
where v.recall_id = :recall and v.kind in ('cited', 'used') and v.direction = 'for' and v.withdrawn_at is null
group by v.memory_id
"""


def gather(
    db: sqlite3.Connection, name: str, keys: Sequence[str], *, keep_unjudged: bool = False, now: datetime
) -> dict[str, int]:
    """Puts the questions of past recalls into a query set, with what is known to answer them.

    Verdicts by hand are carried over, and what an answer cited counts as one. A recall about which nothing is known
    waits: it is counted and left out, unless `keep_unjudged` says that nothing answers such questions. Gathering the
    same again adds only what is new. Gives counts of queries, judgements, negatives and waiting.

    Raises: InputError for a name that cannot be used or no recalls; NotFoundError for a recall that is not there.
    """
    check_name(name)
    if not keys:
        raise InputError("No recalls were selected. Select those whose questions belong to the set.")
    counts = Counter(queries=0, judgements=0, negatives=0, waiting=0)
    with transaction(db):
        # Older recalls first: of the same question the latest is kept.
        in_order = sorted((asked_in(db, key) for key in keys), key=lambda asked: asked.recall_id or 0)
        questions = {asked.uid: asked for asked in in_order}
        carried = {
            uid: db.execute(
                CARRIED, {"query_set": OWN_SET, "own_uid": uid, "judged_by": CITATION, "recall": asked.recall_id}
            ).fetchall()
            for uid, asked in questions.items()
        }
        kept = {uid: asked for uid, asked in questions.items() if carried[uid] or keep_unjudged}
        counts["waiting"] = len(questions) - len(kept)
        query_set_id = add_query_set(db, name, description=GATHERED_DESCRIPTION, now=now) if kept else 0
        for uid, asked in kept.items():
            query_id = add_asked(db, query_set_id, asked)
            counts["queries"] += 1
            counts["judgements"] += carry_over(db, query_id, carried[uid])
            counts["negatives"] += not any(row["relevance"] for row in carried[uid])
            if not carried[uid]:
                db.execute("update labelled_queries set style = ? where id = ?", [NEGATIVE, query_id])
    return dict(counts)


def carry_over(db: sqlite3.Connection, query_id: int, rows: Iterable[sqlite3.Row]) -> int:
    """Copies verdicts to a question that has none on those hits yet; gives how many it knows in the end."""
    db.executemany(
        "insert or ignore into judgements (labelled_query_id, memory_id, entry_id, relevance, judged_by, judged_at)"
        " values (?, ?, ?, ?, ?, ?)",
        [[query_id, *tuple(row)] for row in rows],
    )
    return int(db.execute("select count(*) from judgements where labelled_query_id = ?", [query_id]).fetchone()[0])


def check_name(name: str) -> None:
    """Raises: InputError for a name that a query set cannot have."""
    if name in RESERVED:
        raise InputError(f"The query set {name!r} fills itself. Choose another name.")
    if clean(name)[0] != name:
        raise InputError("The name of the query set looks like a secret. Choose another one.")
    if len(name) > NAME_CHARACTERS or not name.replace("_", "").replace("-", "").isalnum():
        raise InputError(
            f"A query set cannot be called {name[:NAME_CHARACTERS]!r}."
            f" Use letters, digits, - and _, at most {NAME_CHARACTERS}."
        )
