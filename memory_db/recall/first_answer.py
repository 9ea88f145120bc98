"""The answer itself, made of rows: what holds, what held until when, or that nothing is known.

    a ready question that fits | the sessions of a time | the change and its dates | the newest memory that answers
    | nothing, and what is near

In: an answer with its hits. Out: a `FirstAnswer`: clauses, each with the numbers of its footnotes, and the quotes that
these stand for. Invariants: reads only; each clause is the text of a memory or an entry, word for word, and has a quote
behind it; where the abstainer finds that the hits are unlikely to answer, nothing is said but that.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from memory_db.recall.brief.abstain import is_unanswered, weigh
from memory_db.recall.brief.exchange import PROMPTS
from memory_db.recall.brief.placement import Placement
from memory_db.recall.brief.select import Answer
from memory_db.recall.evidence_of_hit import LEAST
from memory_db.recall.search import Semantic
from memory_db.records import dataclass, field
from memory_db.redact.clean import find_injection
from memory_db.store.connection import id_list
from memory_db.store.dates import Window, parse_utc, utc_text
from memory_db.store.periods import DAY, midnight
from memory_db.text.one_line import cut
from memory_db.text.question_forms import ReadyQuestion, asks_what_was_done, asks_when, ready_question
from memory_db.text.questions import asks, asks_for_something, asks_for_value, has_value

READY, CHANGE, MEMORY, NOTHING, SESSIONS = "ready", "change", "memory", "nothing", "sessions"
"""What an answer is made of."""

AMONG_FIRST, MAY_HAVE_CHANGED = 2, 4
"""Hits, the first by rank, among which the newest memory is the answer, and among which one that changed is looked for.

Source: on the labelled questions of the sample the clause was an answer for 65 of 106 with the first hit alone, 68 of
110 with two, 60 of 111 with four. The second is ours.
"""

AMONG_VALUES = 4
"""Hits, the first by rank, among which one with a value is the answer to a question for one. Source: ours."""

NEARLY_AS_GOOD = 0.9
"""The share of the best score that a newer memory needs to be the answer in its place. Source: as above; .75 to 1 are
within one question of it."""

ENOUGH = 0.75
"""The share of the most evidence that a memory needs to be the answer in the place of what was only said.

Source: on the labelled questions of the sample the clause was an answer for 67 of 102 from .65 to .75, 66 without this,
and with .8.
"""

LEAST_CHANCE = 0.5
"""How likely the hits must be to answer, for what was only said to be the answer.

Source: on the labelled questions of the sample, of 38 entries that were the answer 10 of the 18 wrong ones were below,
and 1 of the 20 right ones; of what was kept as a memory it takes as many right ones as wrong.
"""

MOST_STEPS = 8
"""Steps of a change that are told, the last ones."""

STATING = ("prompt", "reply", "summary", "document")
"""Kinds of entries that state something."""

QUOTE_CHARACTERS, NEAREST_CHARACTERS, MOST_NEAREST = 400, 140, 3


@dataclass(slots=True, frozen=True)
class Footnote:
    """What a clause rests on: a quote, when it was said, and where: the uids of the memory, the entry, the session."""

    number: int
    quote: str
    said_at: str
    memory_uid: str | None
    entry_uid: str | None
    session_uid: str | None


@dataclass(slots=True, frozen=True)
class Clause:
    """One statement, word for word; `since` and `until` say when it held (None: it still does, or nobody knows).

    `what` is "held", "holds", "said", "contradicted" or "near"; `notes` are numbers of footnotes. `item` of what is
    contradicted is what waits for it in review, such as x4.
    """

    what: str
    text: str
    uid: str
    since: str | None
    until: str | None
    notes: tuple[int, ...]
    item: str | None = None


@dataclass(slots=True)
class FirstAnswer:
    """What answers a question before its hits; `ready` names the ready question that does, for `sort` "ready".

    For "sessions", what was done on some days, `sessions` are theirs, the first begun first, and nothing is claimed;
    where there is none, `nearest` are the last before those days and the first after them.
    """

    sort: str
    clauses: list[Clause] = field(default_factory=list)
    footnotes: list[Footnote] = field(default_factory=list)
    ready: ReadyQuestion | None = None
    chance: float | None = None
    sessions: list[dict[str, Any]] = field(default_factory=list)
    nearest: list[dict[str, Any]] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """The answer as JSON has it."""
        ready = {"name": self.ready.name, "parameters": dict(self.ready.parameters)} if self.ready else None
        return {
            "sort": self.sort,
            "clauses": [{name: getattr(each, name) for name in Clause.__slots__} for each in self.clauses],
            "footnotes": [{name: getattr(each, name) for name in Footnote.__slots__} for each in self.footnotes],
            "ready": ready,
            "chance": self.chance,
            "sessions": list(self.sessions),
            "nearest": list(self.nearest),
        }  # fmt: skip


def first_answer(db: sqlite3.Connection, answer: Answer, semantic: Semantic | None = None) -> FirstAnswer:
    """What answers a question; `semantic` helps to tell whether its hits do. Raises: ModelError."""
    if ready := ready_question(answer.question.query):
        return FirstAnswer(READY, ready=ready)
    window = answer.question.window
    if window and window.event is None and asks_what_was_done(answer.question.query):
        found = sessions_of(db, window, answer.question.project_id)
        nearest = [] if found else sessions_beside(db, window, answer.question.project_id)
        return FirstAnswer(SESSIONS, sessions=found, nearest=nearest)
    if answer.recalled.verdict is None:
        weigh(db, answer.recalled, answer.placed, semantic)
    verdict = answer.recalled.verdict
    chance = round(verdict.chance, 3) if verdict else None
    fit = [hit for hit in answer.hits if is_told(hit) and not asked_before(hit, answer.question.query)]
    first = [hit for hit in fit if hit.evidence >= LEAST and not is_unanswered(answer.recalled, hit)]
    made = FirstAnswer(NOTHING, chance=chance)
    told = [hit for hit in fit[:AMONG_FIRST] if hit in first]
    if asks_for_value(answer.question.query):
        told = [hit for hit in fit[:AMONG_VALUES] if hit in first and has_value(hit.text)] or told
    is_only_said = all(hit.type == "entry" for hit in told)
    if not told or (is_only_said and chance is not None and chance < LEAST_CHANCE):
        for hit in sorted(fit, key=lambda hit: -hit.evidence)[:MOST_NEAREST]:
            add(db, made, "near", hit, cut(hit.text, NEAREST_CHARACTERS))
        return made
    best = newest(told) or next(hit for hit in told if hit.type == "entry")
    may_have_changed = [hit for hit in fit[:MAY_HAVE_CHANGED] if hit in first and hit.type == "memory"]
    is_now = answer.question.filters.as_of is None
    steps = change_of(db, may_have_changed) if is_now and asks_when(answer.question.query) else []
    if steps and (len(steps) > 1 or best.type == "memory" or opposed(db, [steps[0]["id"]])):
        made.sort = CHANGE
        for step in steps[-MOST_STEPS:]:
            add_row(db, made, "held" if step["valid_to"] else "holds", step)
        add_opposed(db, made, [step["id"] for step in steps])
        return made
    made.sort = MEMORY
    add(db, made, "said" if best.type == "entry" else "held" if best.valid_to else "holds", best, best.text)
    if best.type == "memory" and is_now:
        add_opposed(db, made, memory_ids(db, [best]))
    return made


def is_told(hit: Placement) -> bool:
    """Whether a hit may be said to a person as an answer: it is shown, states something, and gives an agent no orders.

    Commands and their results state nothing by themselves, and a question is no answer; nor is what somebody asked an
    agent for.
    """
    if hit.rank is None or not hit.text.strip() or find_injection(hit.text):
        return False
    if hit.type == "memory":
        return True
    if hit.kind not in STATING or hit.text.rstrip().endswith("?"):
        return False
    return hit.kind not in PROMPTS or not ("?" in hit.text or asks(hit.text) or asks_for_something(hit.text))


def asked_before(hit: Placement, query: str) -> bool:
    """Whether a hit is a prompt that is the question itself, word for word: it answers nothing."""
    return hit.type == "entry" and hit.kind in PROMPTS and bare(hit.text) == bare(query)


def bare(text: str) -> str:
    """A text on one line, in small letters, without the marks around it."""
    return " ".join(text.split()).casefold().strip(" ?!.,:;…\"'“”‘’")


def newest(told: Sequence[Placement]) -> Placement | None:
    """Of the memories that answer nearly as well as the best, the one said last; None where what was only said brings
    far more evidence than any."""
    memories = [hit for hit in told if hit.type == "memory"]
    if not memories or max(hit.evidence for hit in memories) < ENOUGH * max(hit.evidence for hit in told):
        return None
    least = NEARLY_AS_GOOD * max(hit.score for hit in memories)
    return max((hit for hit in memories if hit.score >= least), key=lambda hit: (hit.valid_to is None, hit.created_at))


# ----------------------------------------------------------- what was done

MOST_SESSIONS = 20
"""Sessions of some days that are listed; the page of sessions has them all."""

WORKED = """
select s.uid, s.title, p.name as project, w.began_at, w.prompts,
    (select substr(e.text, 1, 160) from entries e where e.session_id = s.id and e.kind = 'prompt'
        and e.created_at >= :start order by e.created_at, e.id limit 1) as first_prompt
from (
    select session_id, min(created_at) as began_at, sum(kind = 'prompt') as prompts from entries
    where created_at >= :start and created_at < :end and is_sidechain = 0 group by session_id
) w
join sessions s on s.id = w.session_id and s.parent_session_id is null and s.agent is null
left join projects p on p.id = s.project_id
where :project is null or s.project_id = :project
order by w.began_at, s.id limit :most
"""


def sessions_of(db: sqlite3.Connection, window: Window, project_id: int | None) -> list[dict[str, Any]]:
    """The sessions in which something was said in a time, those of subagents left out."""
    values = {"start": window.start or "", "end": window.end or "9999", "project": project_id, "most": MOST_SESSIONS}
    return [dict(row) for row in db.execute(WORKED, values)]


BESIDE = """
select {furthest}((select e.created_at from entries e where e.session_id = s.id and e.is_sidechain = 0
    and {condition} limit 1)) as moment
from sessions s
where s.parent_session_id is null and s.agent is null and (:project is null or s.project_id = :project)
"""

LAST_BEFORE = BESIDE.format(furthest="max", condition="e.created_at < :start order by e.created_at desc")
FIRST_AFTER = BESIDE.format(furthest="min", condition="e.created_at >= :end order by e.created_at")
"""A moment of the sessions beside a time: an index answers for each session, however long it is."""


def sessions_beside(db: sqlite3.Connection, window: Window, project_id: int | None) -> list[dict[str, Any]]:
    """The last session before a time and the first after it, each as of the day on which it is nearest."""
    values = {"start": window.start or "", "end": window.end or "9999", "project": project_id}
    found: list[dict[str, Any]] = []
    for sql, place in ((LAST_BEFORE, -1), (FIRST_AFTER, 0)):
        moment = db.execute(sql, values).fetchone()["moment"]
        if moment is not None:
            start = midnight(parse_utc(moment))
            near = Window(utc_text(start), utc_text(start + DAY))
            found += sessions_of(db, near, project_id)[place:][:1]
    return found


# ------------------------------------------------------------- what changed

CHAIN = """
with recursive before(id) as (
    select :id union select e.to_memory_id from before b
    join edges e on e.from_memory_id = b.id and e.kind = 'supersedes' and e.ended_at is null
), after(id) as (
    select :id union select e.from_memory_id from after a
    join edges e on e.to_memory_id = a.id and e.kind = 'supersedes' and e.ended_at is null
)
select id, uid, text, valid_from, valid_to from memories
where id in (select id from before union select id from after) and status in ('active', 'superseded')
order by valid_from, id
"""
"""All that a memory replaced and that replaced it, in the order in which it held."""

OPPOSED = """
select m.id as memory_id, m.uid, m.text, m.valid_from, m.valid_to,
    (select item from review_queue where item = 'x' || c.id) as item
from contradictions c join memories m on m.id in (c.memory_id, c.other_memory_id) and m.status = 'active'
join memories o on o.id in (c.memory_id, c.other_memory_id) and o.id <> m.id and o.status = 'active'
where c.state = 'open' and (c.memory_id in ({ids}) or c.other_memory_id in ({ids})) and m.id not in ({ids})
group by m.id order by m.valid_from limit 3
"""
"""What says the opposite of memories, where nobody has decided; `item` is what waits for it in review."""


def change_of(db: sqlite3.Connection, memories: Sequence[Placement]) -> list[dict[str, Any]]:
    """The steps of the first of these memories that changed, oldest first; of the first one alone where none did.

    A contradiction that nobody settled is a change too, told beside the one step that there is.
    """
    chains = []
    for number in memory_ids(db, memories):
        steps = [dict(row) for row in db.execute(CHAIN, {"id": number}) if not find_injection(row["text"])]
        if len(steps) > 1 or (steps and opposed(db, [number])):
            return steps
        chains.append(steps)
    return next((steps for steps in chains if steps), [])


def memory_ids(db: sqlite3.Connection, memories: Iterable[Placement]) -> list[int]:
    """The rows of memories, in their order; of those that were not forgotten meanwhile."""
    sql = "select memory_id from memory_versions where id = ?"
    return [int(row["memory_id"]) for hit in memories for row in db.execute(sql, [hit.memory_version_id])]


def opposed(db: sqlite3.Connection, ids: Sequence[int]) -> list[sqlite3.Row]:
    """The memories that contradict these, where it is open."""
    return db.execute(OPPOSED.format(ids=id_list(ids))).fetchall()


def add_opposed(db: sqlite3.Connection, made: FirstAnswer, ids: Sequence[int]) -> None:
    """Adds what contradicts these memories as clauses of their own."""
    for row in opposed(db, ids):
        if not find_injection(row["text"]):
            add_row(db, made, "contradicted", {**dict(row), "id": row["memory_id"]}, item=row["item"])


# ---------------------------------------------------------- clauses and quotes

QUOTES = """
select s.quote, s.created_at, e.uid as entry_uid, t.uid as session_uid
from memory_sources s left join entries e on e.id = s.entry_id left join sessions t on t.id = e.session_id
where s.memory_id = ? order by s.created_at desc, s.id desc limit 1
"""

ENTRY = "select e.uid, t.uid as session_uid from entries e join sessions t on t.id = e.session_id where e.id = ?"


def add(db: sqlite3.Connection, made: FirstAnswer, what: str, hit: Placement, text: str) -> None:
    """Adds a hit as a clause with its footnote; nothing of one that was forgotten since it was found."""
    if hit.type == "memory":
        for number in memory_ids(db, [hit]):
            step = {"id": number, "uid": hit.uid, "text": text, "valid_from": hit.created_at, "valid_to": hit.valid_to}
            add_row(db, made, what, step)
        return
    for entry in db.execute(ENTRY, [hit.entry_id]).fetchall():
        quote, number = cut(hit.text, QUOTE_CHARACTERS), len(made.footnotes) + 1
        made.footnotes.append(Footnote(number, quote, hit.created_at, None, hit.uid, entry["session_uid"]))
        made.clauses.append(Clause(what, cut(text, QUOTE_CHARACTERS), hit.uid, hit.created_at, None, (number,)))


def add_row(
    db: sqlite3.Connection, made: FirstAnswer, what: str, memory: Mapping[str, Any], *, item: str | None = None
) -> None:
    """Adds a memory as a clause; its footnote is its last quote, or the memory itself where a person added it."""
    row = db.execute(QUOTES, [memory["id"]]).fetchone()
    quote, at = (row["quote"], row["created_at"]) if row else (memory["text"], memory["valid_from"])
    note = Footnote(
        len(made.footnotes) + 1, cut(quote, QUOTE_CHARACTERS), at, memory["uid"],
        row["entry_uid"] if row else None, row["session_uid"] if row else None,
    )  # fmt: skip
    made.footnotes.append(note)
    made.clauses.append(
        Clause(
            what, cut(memory["text"], QUOTE_CHARACTERS), memory["uid"], memory["valid_from"], memory["valid_to"],
            (note.number,), item,
        )
    )  # fmt: skip
