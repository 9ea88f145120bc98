"""Which earlier conversation a prompt is about, and where its matter went on.

    together(conversation) = the sum of the three best evidences of what was said in it, each entry once

A report of trouble, or a task, resembles the words with which an earlier conversation began, and seldom the decisions
that it came to: single lines cannot tell that these are wanted, the conversation as a whole can. A later session that
said otherwise goes on with it: both are one matter. In: the placed hits of a recall. Out: the conversation that is
clearly meant, or none; its later parts; what was said in a part. Reads only.

A hook loads this: the standard library alone.
"""

from __future__ import annotations

import sqlite3

from memory_db.recall.brief.brought import is_later
from memory_db.recall.brief.exchange import PROMPTS
from memory_db.recall.brief.leaning import is_same
from memory_db.recall.brief.taken_up import taken_up
from memory_db.recall.evidence_of_hit import LEAST, LEAST_WITH_MODEL, STRONG
from memory_db.records import dataclass, replace
from memory_db.store.connection import id_list, tuples
from memory_db.store.findable import findable

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memory_db.recall.brief.placement import Placement
    from memory_db.recall.search import Question, Recalled

FIRST_HITS = 20
"""Hits by score that tell which conversation is meant: as many as a hook logs, so that its log can be read again."""

BEST = 3
"""Entries of a conversation that speak for it. Source: ours; one alone may be a likeness by chance."""


@dataclass(slots=True, frozen=True)
class Needed:
    """How many times the least evidence a conversation brings together at least: beside others, of which it brings so
    many times as much as the next, and where no other stands beside it, as in a file of a day or two."""

    together: float
    clearly: float
    alone: float


OF_SHORT, OF_LONG = Needed(2.8, 1.15, 3.5), Needed(7.0, 2.0, 8.0)
"""What that is of a session with few prompts, which is about one matter, and of any other, which is about several.

Source: SDE-bench's 17 reports, each among 24 chats of its project: the chat that it is about brings 3.2 to 11.5 times
the least evidence and 1.2 to 7 times as much as the next. Of 20 long tasks by a writer who had not seen the code, 12
hang on one of 16 chats, which brings 2.2 to 7.4 times: six of them pass, and one of the eight that hang on none. In the
long sessions of `python -m bench days` four prompts were told 20 lines of a conversation that brought 4.2 to 5.9 times
the least evidence and 1.3 to 1.9 times as much as the next: no reader wanted any.
"""

NOT_FAINT = Needed(3.5, 1.25, 5.5)
"""From where on the conversation of a short session is meant clearly. Source: as above."""

FEW_PROMPTS = 10
"""Prompts of such a session at most. Source: as above; SDE-bench's chats have up to nine, lived days 10 to 25."""

MOST_BESIDE = 3
"""Conversations next to the nearest one that may be of its matter. Source: ours; one of them decides."""

NEAR, NEAR_PROMPTS = 60, 8
"""Entries before and after the best one that count as its conversation, and prompts from one of the best to what was
settled; a session may have had many. Source: ours; of what the chats above settle all stands so near."""

PLACES = """
select e.id, e.session_id, s.position from entries e
join session_entries s on s.entry_id = e.id and s.session_id = e.session_id where e.id in ({ids})
"""

SAID = f"""
select e.id, e.kind, e.text from session_entries s join entries e on e.id = s.entry_id
where s.session_id = :session and s.position between :first and :last and e.kind in ('prompt', 'queue', 'reply')
    and {findable("e")}
order by s.position
"""

PROMPTS_OF = """
select 1 from session_entries s join entries e on e.id = s.entry_id
where s.session_id = :session and e.kind in ('prompt', 'queue') limit :most
"""


@dataclass(slots=True, frozen=True)
class Conversation:
    """A part of a session around the entry nearest to a question: its best entries, and the evidence that each brings.

    Where it is one matter with others, theirs too, as far as they are among the best.
    """

    session_id: int
    middle: int
    best: frozenset[int]
    evidences: tuple[float, ...]
    is_faint: bool = False

    @property
    def together(self) -> float:
        """What its best entries bring together."""
        return sum(self.evidences)

    def bounds(self) -> dict[str, int]:
        """Its session, and from where to where it goes there."""
        return {"session": self.session_id, "first": self.middle - NEAR, "last": self.middle + NEAR}


def conversation_meant(db: sqlite3.Connection, recalled: Recalled, placed: Sequence[Placement]) -> Conversation | None:
    """The conversation that a prompt is clearly about, of other sessions than the one that asks; None without one."""
    question = recalled.question
    first = [hit for hit in placed if hit.position <= FIRST_HITS and hit.evidence and speaks(question, hit)]
    ids = {entry: hit.evidence for hit in sorted(first, key=lambda hit: hit.evidence) for entry in entries_of(hit)}
    if not ids:
        return None
    found: dict[int, list[tuple[float, int, int]]] = {}
    for entry, session_id, position in tuples(db, PLACES.format(ids=id_list(ids)), ()):
        if session_id != question.session_id:
            found.setdefault(session_id, []).append((ids[entry], position, entry))
    each = sorted((part_of(session_id, said) for session_id, said in found.items()), key=lambda part: -part.together)
    if not each:
        return None
    each = joined(db, question, each)
    least = LEAST_WITH_MODEL if recalled.semantic_model else LEAST
    least *= STRONG if is_later(question) else 1.0
    needed = OF_SHORT if has_few_prompts(db, each[0].session_id) else OF_LONG
    beside = each[1].together if len(each) > 1 else None
    if each[0].together < bar_of(needed, least, beside):
        return None
    return replace(each[0], is_faint=each[0].together < bar_of(NOT_FAINT, least, beside))


def joined(db: sqlite3.Connection, question: Question, each: Sequence[Conversation]) -> list[Conversation]:
    """The same conversations, of which the first and those next to it that are of its matter are one: the earliest."""
    first, others = each[0], list(each[1:])
    for other in each[1 : 1 + MOST_BESIDE]:
        for earlier, later in ((first, other), (other, first)):
            if takes_up(db, question, later, earlier):
                best = sorted((*first.evidences, *other.evidences), reverse=True)[:BEST]
                first = replace(earlier, evidences=tuple(best))
                others.remove(other)
                break
    return [first, *others]


def takes_up(db: sqlite3.Connection, question: Question, later: Conversation, earlier: Conversation) -> bool:
    """Whether a conversation said otherwise what another one had come to."""
    return any(part.session_id == later.session_id for part in later_parts(db, question, earlier))


def bar_of(needed: Needed, least: float, beside: float | None) -> float:
    """What a conversation brings together at least beside the next one, if there is one."""
    return needed.alone * least if beside is None else max(needed.together * least, needed.clearly * beside)


def has_few_prompts(db: sqlite3.Connection, session_id: int) -> bool:
    """Whether a session is short, so that it is about one matter."""
    return len(tuples(db, PROMPTS_OF, {"session": session_id, "most": FEW_PROMPTS + 1})) <= FEW_PROMPTS


def speaks(question: Question, hit: Placement) -> bool:
    """Whether a hit may say which conversation is meant: it holds here and is not the prompt itself, said earlier."""
    return hit.features.holds_here() and not (hit.type == "entry" and is_same(hit.text, question.query))


def entries_of(hit: Placement) -> Iterable[int]:
    """The entry that a hit is, or those that a memory was made from."""
    return hit.source_entry_ids if hit.entry_id is None else (hit.entry_id,)


def part_of(session_id: int, said: Sequence[tuple[float, int, int]]) -> Conversation:
    """The part of a session around what brings most, by evidence, position and id of the entries in it."""
    middle = max(said)[1]
    best = sorted((each for each in said if abs(each[1] - middle) <= NEAR), reverse=True)[:BEST]
    return Conversation(session_id, middle, frozenset(each[2] for each in best), tuple(each[0] for each in best))


def later_parts(db: sqlite3.Connection, question: Question, meant: Conversation) -> list[Conversation]:
    """The parts of later sessions that said otherwise what it had come to, the oldest first."""
    if question.filters.as_of is not None:
        return []
    later = taken_up(db, meant.bounds(), question.session_id)
    return [Conversation(each.session_id, each.position, each.entries, ()) for each in later]


def said_near(db: sqlite3.Connection, meant: Conversation) -> list[tuple[int, str, str]]:
    """Prompts and replies of a conversation, by id, kind and text, a few prompts around the best of them."""
    rows: list[tuple[int, str, str]] = tuples(db, SAID, meant.bounds())
    turns, turn = [], 0
    for _, kind, _ in rows:
        turn += kind in PROMPTS
        turns.append(turn)
    best = [turn for (entry, _, _), turn in zip(rows, turns, strict=True) if entry in meant.best]
    return [row for row, turn in zip(rows, turns, strict=True) if any(abs(turn - at) <= NEAR_PROMPTS for at in best)]
