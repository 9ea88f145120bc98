"""What was settled in the conversation that a prompt is about.

Where one is clearly meant (see `meant_conversation`), its memories are told though the prompt does not meet each of
them, behind the words in which the agent summed them up, if it did. Where a later session went on with it, what that
came to is told, and what it left as it was. In: the placed hits of a recall. Out: the same, some more with a rank.
Invariants: no score changes; of what is shown goes only what the prompt or the recap says as well; only what was
considered is told; every rule of a brief holds for what comes.

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
from memory_db.recall.brief.log import as_said_here
from memory_db.recall.brief.meant_conversation import Conversation, conversation_meant, later_parts, said_near
from memory_db.recall.brief.procedures import is_told
from memory_db.recall.brief.recap import Spoken, recap_in
from memory_db.recall.brief.render import LED, UNLOGGED, brief_around, estimated_tokens
from memory_db.recall.brief.repeated import repeats
from memory_db.recall.brief.roles import SETTLED, UNCONFIRMED, TokenBudget
from memory_db.recall.brief.same_saying import numbers, says_of
from memory_db.recall.brief.taken_up import over_since
from memory_db.recall.brief.trust import typed_of
from memory_db.store.connection import id_list, tuples
from memory_db.text.one_line import one_line

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from memory_db.recall.brief.placement import Placement
    from memory_db.recall.brief.roles import BriefLine
    from memory_db.recall.brief.select import Selector
    from memory_db.recall.search import Recalled

MOST_LINES, MOST_IF_FAINT = 6, 4
"""Lines that are told of a conversation at most, and where it is meant less clearly than one of a long session must.

Source: a reader's verdicts on briefs for the tasks that `meant_conversation` names, cold and warm: of 45 lines of noise
in briefs of four lines and more 21 stand behind the fourth, of 25 useful ones six.
"""

TOKENS = 400
"""Tokens of what is told of it at most; half as many later in a session, which has its task.

Source: ours; the chats of SDE-bench settle three to eleven things, in 250 to 900 tokens.
"""

OF_RECAP = 0.6
"""Share of a memory's distinctive words from which on the words that sum it up tell it. Source: ours."""

OF_NUMBERS = 0.3
"""The same for one that is over and of which they have a number. Source: ours; what changes is a value mostly."""

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

RESULTS = """
select e.text from session_entries s join entries e on e.id = s.entry_id
where s.session_id = :session and s.position between :first and :last and e.kind = 'tool_result'
"""

MADE_OF = """
select v.id from memory_versions v join memory_sources q on q.memory_id = v.memory_id where q.entry_id in ({ids})
"""


def tell_conversation(recalled: Recalled, placed: Sequence[Placement], selector: Selector) -> None:
    """Shows what was settled in the conversation that the prompt is about, behind what is shown already.

    The prompt is one that tells a matter.
    """
    db = selector.db
    meant = conversation_meant(db, recalled, placed)
    if meant is None:
        return
    parts = [meant, *later_parts(db, recalled.question, meant)]
    said = [said_near(db, part) for part in parts]
    rows = [row for each in said for row in each]
    made = {row[0] for row in tuples(db, MADE_OF.format(ids=id_list(row[0] for row in rows)), ())}
    summed_up = recap_of(db, recalled, placed, said, parts)
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


def recap_of(
    db: sqlite3.Connection,
    recalled: Recalled,
    placed: Sequence[Placement],
    said: Sequence[Sequence[tuple[int, str, str]]],
    parts: Sequence[Conversation],
) -> Placement | None:
    """The reply that sums the conversation up, with those words as its line; None where nobody did.

    Nor is one told that says again what a tool said, or what is over since. Where it was not considered, the best entry
    of its session stands for it, as any does for its exchange.
    """
    rows = [row for each in said for row in each]
    typed = typed_of(db, (entry for entry, kind, _ in rows if kind in PROMPTS))
    spoken = [Spoken(entry, kind in PROMPTS, own_words(kind, text, typed.get(entry))) for entry, kind, text in rows]
    found = recap_in(spoken, recalled.question.query)
    results = (row[0] for part in parts for row in tuples(db, RESULTS, part.bounds()))
    if found is None or repeats(found.text, results):
        return None
    if any(repeats_over(found.text, text) for text in over_since(db, (row[0] for row in rows), found.entry_id)):
        return None
    ids = next(own for each in said if found.entry_id in (own := {row[0] for row in each}))
    free = [hit for hit in placed if hit.entry_id in ids and hit.rank is None and (hit.left_out_reason or "") in SOFT]
    hit = min(free, key=lambda hit: (hit.entry_id != found.entry_id, hit.position), default=None)
    if hit is not None:
        fill_in(db, [hit])
        hit.line, hit.entry_ids = found.text, frozenset([found.entry_id])
    return hit


def repeats_over(told: str, over: str) -> bool:
    """Whether words that sum up say what a memory says that is over: most of it, or a number of it and a part."""
    own = LED.sub("", over)
    return says_of(told, own) >= (OF_NUMBERS if numbers(own) & numbers(told) else OF_RECAP)


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
    """Whether a memory says no more than the prompt, which tells the same trouble, or than the words that sum it up.

    One that answers those words quotes them, and is a yes.
    """
    own = LED.sub("", hit.text)
    if told and told in one_line(hit.text):
        return True
    return says_of(query, own) >= ECHO or says_of(told, own) >= OF_RECAP


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
