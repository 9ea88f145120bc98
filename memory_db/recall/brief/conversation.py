"""The conversation that a prompt is about, and what was settled in it.

    together(conversation) = the sum of the three best evidences of what was said in it, each entry once

A report of trouble, or a task, resembles the words with which an earlier conversation began, and seldom the decisions
that it came to: single lines cannot tell that these are wanted, the conversation as a whole can. Where one is clearly
meant, its memories are told though the prompt does not meet each of them, behind the words in which the agent summed
them up, if it did. In: the placed hits of a recall. Out: the same, some more with a rank. Invariants: no score changes;
of what is shown goes only what the prompt or the recap says as well; only what was considered is told; every rule of a
brief holds for what comes.

A hook loads this: the standard library alone.
"""

from __future__ import annotations

import sqlite3

from memory_db.recall.brief.allowed import (
    BEHIND_BEST_LINE,
    BELOW_THRESHOLD,
    CONVERSATION_SAYS,
    FAR_BEHIND_BEST,
    LEFT_ALONE,
    LITTLE_EVIDENCE,
    MEMORY_ANSWERS,
    NO_ANSWER,
    NO_BETTER,
    NOT_BROUGHT,
    NOTHING_ASKED,
    OVER_BUDGET,
    OVER_LIMIT,
    PROCEDURE_SAYS,
    SAID_HERE,
    Rules,
)  # fmt: skip
from memory_db.recall.brief.brought import is_later
from memory_db.recall.brief.exchange import PROMPTS, own_words
from memory_db.recall.brief.fill import fill_in
from memory_db.recall.brief.leaning import is_same
from memory_db.recall.brief.log import as_said_here
from memory_db.recall.brief.procedures import is_told
from memory_db.recall.brief.recap import Spoken, recap_in
from memory_db.recall.brief.render import LED, UNLOGGED, brief_around, estimated_tokens
from memory_db.recall.brief.repeated import repeats
from memory_db.recall.brief.roles import SETTLED, UNCONFIRMED, TokenBudget
from memory_db.recall.brief.same_saying import subject
from memory_db.recall.brief.trust import typed_of
from memory_db.recall.evidence_of_hit import LEAST, LEAST_WITH_MODEL, STRONG
from memory_db.records import dataclass, replace
from memory_db.store.connection import id_list, tuples
from memory_db.store.findable import findable

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from memory_db.recall.brief.placement import Placement
    from memory_db.recall.brief.roles import BriefLine
    from memory_db.recall.brief.select import Selector
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

NEAR, NEAR_PROMPTS = 60, 8
"""Entries before and after the best one that count as its conversation, and prompts from one of the best to what was
settled; a session may have had many. Source: ours; of what the chats above settle all stands so near."""

MOST_LINES, MOST_IF_FAINT = 6, 4
"""Lines that are told of a conversation at most, and where it is meant less clearly than one of a long session must.

Source: a reader's verdicts on the briefs of those tasks, cold and warm: of 45 lines of noise in briefs of four lines
and more 21 stand behind the fourth, of 25 useful ones six.
"""

TOKENS = 400
"""Tokens of what is told of it at most; half as many later in a session, which has its task.

Source: ours; the chats above settle three to eleven things, in 250 to 900 tokens.
"""

OF_RECAP = 0.6
"""Share of a memory's distinctive words from which on the words that sum it up tell it. Source: ours."""

ECHO = 0.7
"""Share of a memory's distinctive words from which on the prompt says them already: the trouble told, not its answer.
Source: ours."""

SOFT = frozenset({
    BEHIND_BEST_LINE, BELOW_THRESHOLD, FAR_BEHIND_BEST, LITTLE_EVIDENCE, MEMORY_ANSWERS, NO_ANSWER, NO_BETTER,
    NOT_BROUGHT, NOTHING_ASKED, OVER_BUDGET, OVER_LIMIT,
})  # fmt: skip
"""Reasons against a line by itself that do not hold for what a conversation came to."""

OF_CONVERSATION = "of the conversation that the prompt is about"
"""Why it is shown."""

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

RESULTS = """
select e.text from session_entries s join entries e on e.id = s.entry_id
where s.session_id = :session and s.position between :first and :last and e.kind = 'tool_result'
"""

OUTDATED = """
select m.text from memories m join memory_sources q on q.memory_id = m.id
where q.entry_id in ({ids}) and m.status = 'superseded'
"""

PROMPTS_OF = """
select 1 from session_entries s join entries e on e.id = s.entry_id
where s.session_id = :session and e.kind in ('prompt', 'queue') limit :most
"""

MADE_OF = """
select v.id from memory_versions v join memory_sources q on q.memory_id = v.memory_id where q.entry_id in ({ids})
"""


@dataclass(slots=True, frozen=True)
class Conversation:
    """A part of a session around the entry nearest to a question: its best entries, and what they bring together."""

    session_id: int
    middle: int
    best: frozenset[int]
    together: float
    is_faint: bool = False

    def bounds(self) -> dict[str, int]:
        """Its session, and from where to where it goes there."""
        return {"session": self.session_id, "first": self.middle - NEAR, "last": self.middle + NEAR}


def tell_conversation(recalled: Recalled, placed: Sequence[Placement], selector: Selector) -> None:
    """Shows what was settled in the conversation that the prompt is about, behind what is shown already.

    The prompt is one that tells a matter.
    """
    db = selector.db
    meant = conversation_meant(db, recalled, placed)
    if meant is None:
        return
    rows = said_near(db, meant)
    made = {row[0] for row in tuples(db, MADE_OF.format(ids=id_list(row[0] for row in rows)), ())}
    summed_up = recap_of(db, recalled, placed, rows, meant)
    told = summed_up.line if summed_up else ""
    rules, room, lines = rules_beside(selector, placed), Room(selector, placed, meant), []
    for hit in [*filter(None, [summed_up]), *settled(db, recalled, placed, made)]:
        if (hit is not summed_up and is_said_by("", told, hit)) or reason_against(selector, rules, hit):
            continue
        role, hit.role = hit.role, SETTLED
        if room.takes(selector.line(hit)):
            rules.remember(hit)
            lines.append(hit)
        else:
            hit.role = role
    if lines:
        arrange(recalled, placed, made, lines, told)


class Room:
    """What is left for a conversation: of the brief's budget and limit, and of its own.

    A prompt's brief holds few lines: there the limit is for what is met.
    """

    def __init__(self, selector: Selector, placed: Sequence[Placement], meant: Conversation) -> None:
        question, shown = selector.question, [hit for hit in placed if hit.rank is not None]
        frame = estimated_tokens(brief_around(selector.before, UNLOGGED) + "\n")
        self.budget = TokenBudget(question.budget_tokens, frame)
        for hit in shown:
            self.budget.pay(hit.role, hit.shown_tokens or 0)
        most = MOST_IF_FAINT if meant.is_faint else MOST_LINES
        self.lines = most if question.is_unasked else min(most, question.limit - len(shown))
        self.tokens = TOKENS // 2 if is_later(question) else TOKENS

    def takes(self, line: BriefLine) -> bool:
        """Whether a line fits; then it is paid for."""
        if self.lines <= 0 or line.tokens > self.tokens or not self.budget.has_room(line.role, line.tokens):
            return False
        self.budget.pay(line.role, line.tokens)
        self.lines, self.tokens = self.lines - 1, self.tokens - line.tokens
        return True


def arrange(
    recalled: Recalled, placed: Sequence[Placement], made: Collection[int], lines: Sequence[Placement], told: str
) -> None:
    """Gives ranks to what is shown and what comes, by score.

    What was shown of it stays beside the rest, unless it says no more than the prompt or those words.
    """
    shown = []
    for hit in sorted((hit for hit in placed if hit.rank is not None), key=lambda hit: hit.rank or 0):
        is_of_it = hit.memory_version_id in made and hit.role != UNCONFIRMED
        if is_of_it and hit.features.lock_level == "none" and is_said_by(recalled.question.query, told, hit):
            hit.rank, hit.shown_reason, hit.left_out_reason = None, "", CONVERSATION_SAYS
        else:
            hit.role = SETTLED if is_of_it else hit.role
            shown.append(hit)
    for hit in lines:
        hit.left_out_reason, hit.shown_reason = None, OF_CONVERSATION
    for rank, hit in enumerate(sorted((*shown, *lines), key=lambda hit: hit.position), start=1):
        hit.rank = rank


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
    least = LEAST_WITH_MODEL if recalled.semantic_model else LEAST
    least *= STRONG if is_later(question) else 1.0
    needed = OF_SHORT if has_few_prompts(db, each[0].session_id) else OF_LONG
    beside = each[1].together if len(each) > 1 else None
    if each[0].together < bar_of(needed, least, beside):
        return None
    return replace(each[0], is_faint=each[0].together < bar_of(NOT_FAINT, least, beside))


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
    return Conversation(session_id, middle, frozenset(each[2] for each in best), sum(each[0] for each in best))


def said_near(db: sqlite3.Connection, meant: Conversation) -> list[tuple[int, str, str]]:
    """Prompts and replies of a conversation, by id, kind and text, a few prompts around the best of them."""
    rows: list[tuple[int, str, str]] = tuples(db, SAID, meant.bounds())
    turns, turn = [], 0
    for _, kind, _ in rows:
        turn += kind in PROMPTS
        turns.append(turn)
    best = [turn for (entry, _, _), turn in zip(rows, turns, strict=True) if entry in meant.best]
    return [row for row, turn in zip(rows, turns, strict=True) if any(abs(turn - at) <= NEAR_PROMPTS for at in best)]


def recap_of(
    db: sqlite3.Connection,
    recalled: Recalled,
    placed: Sequence[Placement],
    rows: Sequence[tuple[int, str, str]],
    meant: Conversation,
) -> Placement | None:
    """The reply that sums the conversation up, with those words as its line; None where nobody did.

    Nor is one told that says again what a tool said, or what was replaced since. Where it was not considered, the best
    entry of its conversation stands for it, as any does for its exchange.
    """
    ids = {entry for entry, _, _ in rows}
    typed = typed_of(db, (entry for entry, kind, _ in rows if kind in PROMPTS))
    spoken = [Spoken(entry, kind in PROMPTS, own_words(kind, text, typed.get(entry))) for entry, kind, text in rows]
    found = recap_in(spoken, recalled.question.query)
    if found is None or repeats(found.text, (row[0] for row in tuples(db, RESULTS, meant.bounds()))):
        return None
    outdated = tuples(db, OUTDATED.format(ids=id_list(ids)), ())
    if any(says_of(found.text, LED.sub("", text)) >= OF_RECAP for (text,) in outdated):
        return None
    free = [hit for hit in placed if hit.entry_id in ids and hit.rank is None and (hit.left_out_reason or "") in SOFT]
    hit = min(free, key=lambda hit: (hit.entry_id != found.entry_id, hit.position), default=None)
    if hit is not None:
        fill_in(db, [hit])
        hit.line, hit.entry_ids = found.text, frozenset([found.entry_id])
    return hit


def settled(
    db: sqlite3.Connection, recalled: Recalled, placed: Sequence[Placement], made: Collection[int]
) -> list[Placement]:
    """The user's memories of the conversation that are not shown, best first, but those that say the prompt again.

    What holds in every project is no part of its matter.
    """
    waiting = [
        hit for hit in placed
        if hit.memory_version_id in made and hit.rank is None and (hit.left_out_reason or "") in SOFT
        and hit.features.holds_here() and not hit.features.user_scope
    ]  # fmt: skip
    fill_in(db, [hit for hit in waiting if not hit.uid], recalled.question.filters.as_of)
    query = recalled.question.query
    own = [hit for hit in waiting if hit.is_trusted and not is_said_by(query, "", hit)]
    return sorted(own, key=lambda hit: hit.position)


def is_said_by(query: str, told: str, hit: Placement) -> bool:
    """Whether a memory says no more than the prompt, which tells the same trouble, or than the words that sum it up."""
    own = LED.sub("", hit.text)
    return says_of(query, own) >= ECHO or says_of(told, own) >= OF_RECAP


def says_of(told: str, text: str) -> float:
    """The share of a text's distinctive words that another one has."""
    words = subject(text)
    return len(words & subject(told)) / len(words) if words and told else 0.0


def rules_beside(selector: Selector, placed: Sequence[Placement]) -> Rules:
    """The rules of a brief that has shown what it shows now, and no more."""
    own = selector.rules
    rules = Rules(own.question, own.earlier, own.asked, own.telling)
    for hit in placed:
        if hit.rank is not None:
            rules.remember(hit)
    return rules


def reason_against(selector: Selector, rules: Rules, hit: Placement) -> str:
    """Why a line must not be shown whatever its conversation, or nothing."""
    if selector.left_alone.has(hit):
        return LEFT_ALONE
    if is_told(hit.text, selector.before):
        return PROCEDURE_SAYS
    said = as_said_here(selector.db, selector.question, hit, selector.moment)
    if said is not None:
        return SAID_HERE
    return rules.reason_against(hit) or rules.repeats(hit)
