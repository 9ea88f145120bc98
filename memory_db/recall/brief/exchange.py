"""What is read of an entry: the exchange that it stands in, on one line.

    a question with its answer, a command with its result, an act that was turned down with its correction

In: an entry among the hits, and the question. Out: an `Exchange`: the text of the line, the entries that it is made of,
and why it may not be shown, if so. Invariants: reads only, one session, a few entries around the hit; nothing is told
that says nothing by itself, and nothing that rested on what no longer holds; of a prompt what the user typed, and of
everybody else nothing that asks for something.

A hook loads this: the standard library alone.
"""

from __future__ import annotations

import re
import sqlite3

from memory_db.recall.brief.allowed import (
    BARE_CALL,
    REJECTED,
    RESTS_ON,
    SAID_ALONE,
    SAID_EARLIER,
    SAYS_NOTHING,
    TOOLS_WORDS,
    UNANSWERED,
)
from memory_db.recall.brief.leaning import is_same, leans
from memory_db.recall.brief.repeated import repeats
from memory_db.recall.brief.trust import OTHERS_WORDS, asks_for, told_by_tool, typed_of
from memory_db.records import dataclass, later
from memory_db.store.connection import id_list
from memory_db.store.findable import findable
from memory_db.text import told
from memory_db.text.acknowledging import says_something
from memory_db.text.excerpt import paragraph_count
from memory_db.text.names.citations import uids_in
from memory_db.text.one_line import cut, one_line
from memory_db.text.questions import is_question
from memory_db.text.terms import PATH

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memory_db.recall.brief.placement import Placement

REACH = 16
"""Entries before and after a hit in which the rest of its exchange is looked for. Source: ours; in the sample all but
three replies of a turn lie so near."""

SAID_CHARACTERS, EXCHANGE_CHARACTERS = 140, 360
"""How much stands there of what was asked, and of an exchange in all."""

QUOTED_CHARACTERS = 60
"""Characters of a quote by which it is found in a line, which may end within it."""

TURNED_DOWN = later(r"doesn't want to (?:proceed|take this action)|request interrupted by user", re.IGNORECASE)
"""What a client writes where the user did not let an agent act. Source: transcripts of Claude Code."""

THE_USER_SAID = later(r"the user said:\s*(.+)", re.IGNORECASE | re.DOTALL)

NUMBER = later(r"\b\d[\w.%]*")
"""Counts and durations, which a result without other words tells in vain."""

PROMPTS, REPLIES = ("prompt", "queue"), ("reply", "thinking")

ALONE = ("summary", "document", "attachment")
"""Kinds of entries that stand for themselves."""

OF_OTHERS = ("document", "attachment")
"""Those of them that neither the user nor the agent wrote."""

WHERE_NOBODY_ASKED = (SAID_ALONE, TOOLS_WORDS)
"""Reasons that hold only where nobody asked: who asks reads it."""

AROUND = f"""
select e.id, e.role, e.kind, e.text, e.id = :entry as is_hit
from session_entries own join session_entries near on near.session_id = own.session_id
    and near.position between own.position - {REACH} and own.position + {REACH}
join entries e on e.id = near.entry_id
where own.entry_id = :entry and own.session_id = (select session_id from entries where id = :entry)
    and {findable("e")}
order by near.position
"""

ACTIONS = "select entry_id, result_entry_id, tool from actions where entry_id in ({ids})"

OUTDATED_SOURCES = """
select m.uid, q.quote, not exists (select 1 from memory_sources o join memories n on n.id = o.memory_id
        where o.entry_id = q.entry_id and n.status = 'active') as is_all,
    exists (select 1 from memory_sources o join memories n on n.id = o.memory_id
        where o.entry_id = q.entry_id and o.quote = q.quote and n.status = 'active') as is_held
from memory_sources q join memories m on m.id = q.memory_id
where q.entry_id in ({ids}) and m.status = 'superseded' order by q.id
"""

OUTDATED_NAMED = "select uid from memories where status <> 'active' and uid in ({marks}) limit 1"


@dataclass(slots=True, frozen=True)
class Exchange:
    """What is read of an entry: `text` on a line, the entries in it, and why it may not be shown, or nothing."""

    text: str
    entry_ids: frozenset[int]
    reason: str = ""


@dataclass(slots=True, frozen=True)
class Turn:
    """An entry of a session, as far as a line tells of it: of a prompt what was typed. `is_mixed`: more stood there."""

    id: int
    kind: str
    text: str
    is_hit: bool
    is_mixed: bool = False


def turns_around(db: sqlite3.Connection, entry_id: int) -> list[Turn]:
    """The entries around one, in the order of their session."""
    rows = db.execute(AROUND, {"entry": entry_id}).fetchall()
    typed = typed_of(db, (row["id"] for row in rows if row["kind"] in PROMPTS))
    turns = []
    for row in rows:
        text = own_words(row["kind"], row["text"], slices := typed.get(row["id"]))
        is_mixed = slices is not None or text != row["text"]
        turns.append(Turn(row["id"], row["kind"], text, bool(row["is_hit"]), is_mixed))
    return turns


def own_words(kind: str, text: str, slices: Sequence[tuple[int, int]] | None) -> str:
    """Of a prompt what the user typed, as far as that is known: of several paragraphs nothing tells which is theirs."""
    if slices is None:
        return "" if kind in PROMPTS and paragraph_count(text) > 1 else text
    return " … ".join(text[start:stop].strip() for start, stop in slices)


def exchange_of(db: sqlite3.Connection, hit: Placement, asked: str, *, is_past: bool) -> Exchange:
    """The exchange of an entry; `asked` is the question's text, `is_past` says that it asks for what held earlier."""
    around = turns_around(db, hit.entry_id or 0)
    here = next((place for place, each in enumerate(around) if each.is_hit), None)
    if here is None or hit.kind in ALONE:
        return spoken_alone(hit, asked)
    start = next((place for place in range(here, -1, -1) if around[place].kind in PROMPTS), here)
    end = next((place for place in range(here + 1, len(around)) if around[place].kind in PROMPTS), len(around))
    found = TELLERS.get(hit.kind, told_nothing)(db, around, (start, here, end), asked)
    if found.reason in ("", *WHERE_NOBODY_ASKED) and not is_past and (uid := rests_on(db, found, around)):
        return Exchange(found.text, found.entry_ids, RESTS_ON.format(uid))
    return found


def spoken_alone(hit: Placement, asked: str) -> Exchange:
    """An entry of no session, or one that stands for itself."""
    own = frozenset([hit.entry_id or 0])
    if hit.kind in PROMPTS and is_same(hit.text, asked):
        return Exchange("", own, SAID_EARLIER)
    if hit.kind in OF_OTHERS:
        return Exchange("", own, OTHERS_WORDS)
    if hit.kind in ALONE and (reason := asks_for(hit.text)):
        return Exchange("", own, reason)
    if not says_something(hit.text):
        return Exchange("", own, SAYS_NOTHING)
    return Exchange(cut(hit.text, EXCHANGE_CHARACTERS), own, TOOLS_WORDS if hit.kind in ALONE else "")


def told_nothing(db: sqlite3.Connection, around: Sequence[Turn], places: tuple[int, int, int], asked: str) -> Exchange:
    """A notice of the client and the like."""
    return Exchange("", frozenset([around[places[1]].id]), SAYS_NOTHING)


def told_prompt(db: sqlite3.Connection, around: Sequence[Turn], places: tuple[int, int, int], asked: str) -> Exchange:
    """What was said, with the last reply that says something before the next prompt.

    Of a prompt that tells what somebody else wants or says, the reply alone is told.
    """
    _, here, end = places
    said = around[here]
    doubt = told.of_others(said.text)
    if doubt == told.ASKED_ABOUT:
        return Exchange("", frozenset([said.id]), OTHERS_WORDS)
    reply = None if said.is_mixed else reply_in(around, here + 1, end)
    ids = frozenset(each.id for each in (said, reply) if each)
    if is_same(said.text, asked):
        return Exchange(joined(said.text, reply.text), ids) if reply else Exchange("", ids, SAID_EARLIER)
    if leans(said.text) or (reply is None and not says_something(said.text)):
        return Exchange("", ids, SAYS_NOTHING)
    if reply is None and is_question(said.text):
        return Exchange("", ids, UNANSWERED)
    if reply is None and doubt:
        return Exchange("", ids, OTHERS_WORDS)
    if reply is None:
        return Exchange(cut(said.text, EXCHANGE_CHARACTERS), ids, SAID_ALONE)
    return Exchange(cut(reply.text, EXCHANGE_CHARACTERS) if doubt else joined(said.text, reply.text), ids)


def reply_in(around: Sequence[Turn], start: int, end: int) -> Turn | None:
    """The last reply that says something, unless it asks for something or repeats what a tool said."""
    places = [at for at in range(start, end) if around[at].kind == "reply" and says_something(around[at].text)]
    return around[places[-1]] if places and not of_others(around, places[-1]) else None


def of_others(around: Sequence[Turn], place: int) -> str:
    """Why a reply may not be the agent's own: it asks for something, or says again what a tool said before it."""
    reply = around[place]
    if reason := asks_for(reply.text, by_agent=True):
        return reason
    results = (each.text for each in around[:place] if each.kind == "tool_result")
    return OTHERS_WORDS if repeats(reply.text, results) else ""


def told_reply(db: sqlite3.Connection, around: Sequence[Turn], places: tuple[int, int, int], asked: str) -> Exchange:
    """A reply, with what it answers."""
    start, here, _ = places
    reply, said = around[here], around[start] if around[start].kind in PROMPTS else None
    ids = frozenset(each.id for each in (said, reply) if each)
    if not says_something(reply.text):
        return Exchange("", ids, SAYS_NOTHING)
    if reason := OTHERS_WORDS if said is not None and said.is_mixed else of_others(around, here):
        return Exchange("", ids, reason)
    if said is None or leans(said.text) or told.of_others(said.text):
        return Exchange(cut(reply.text, EXCHANGE_CHARACTERS), ids)
    return Exchange(joined(said.text, reply.text), ids)


def told_action(db: sqlite3.Connection, around: Sequence[Turn], places: tuple[int, int, int], asked: str) -> Exchange:
    """A call with its result, whichever of both was found; one that the user turned down with what they said to it."""
    _, here, _ = places
    by_id = {each.id: each for each in around}
    calls = {each.id for each in around if each.kind == "tool_call"}
    rows = db.execute(ACTIONS.format(ids=id_list(calls))).fetchall() if calls else []
    pairs, tools = {row[0]: row[1] for row in rows}, {row[1]: row[2] for row in rows}
    hit = around[here]
    call: Turn | None
    result: Turn | None
    if hit.kind == "tool_call":
        call, result = hit, by_id.get(pairs.get(hit.id) or 0)
    else:
        call, result = next((by_id[own] for own, other in pairs.items() if other == hit.id), None), hit
    ids = frozenset(each.id for each in (call, result) if each)
    if result is not None and TURNED_DOWN.search(result.text):
        return turned_down(call, result, around, ids)
    if result is None or not says_something(NUMBER.sub(" ", PATH.sub(" ", result.text))):
        return Exchange("", ids, BARE_CALL)
    if reason := told_by_tool(tools.get(result.id) or "", result.text):
        return Exchange("", ids, reason)
    return Exchange(joined_call(call.text if call else "", result.text), ids, TOOLS_WORDS)


def turned_down(call: Turn | None, result: Turn, around: Sequence[Turn], ids: frozenset[int]) -> Exchange:
    """An act that the user did not allow: with the words that they sent back, or said next."""
    told = THE_USER_SAID.search(result.text)
    words, place = told.group(1) if told else "", next(n for n, each in enumerate(around) if each.id == result.id)
    if not words:
        following = next((each for each in around[place + 1 :] if each.kind in (*PROMPTS, "reply")), None)
        if following is not None and following.kind in PROMPTS:
            words, ids = following.text, ids | {following.id}
    if not says_something(words):
        return Exchange("", ids, REJECTED)
    act = f"`{one_line(call.text)[:SAID_CHARACTERS]}` " if call else ""
    return Exchange(f"{act}was turned down by the user: {cut(words, EXCHANGE_CHARACTERS - SAID_CHARACTERS)}", ids)


TELLERS: dict[str, Callable[..., Exchange]] = {
    **dict.fromkeys(PROMPTS, told_prompt),
    **dict.fromkeys(REPLIES, told_reply),
    "tool_call": told_action,
    "tool_result": told_action,
}


def rests_on(db: sqlite3.Connection, found: Exchange, around: Sequence[Turn]) -> str:
    """A memory that no longer holds and that an exchange names or quotes, or was made from alone; empty without one."""
    texts = [each.text for each in around if each.id in found.entry_ids]
    if named := uids_in(" ".join(texts)):
        sql = OUTDATED_NAMED.format(marks=", ".join("?" * len(named)))
        if row := db.execute(sql, named).fetchone():
            return str(row["uid"])
    for row in db.execute(OUTDATED_SOURCES.format(ids=id_list(found.entry_ids))):
        is_quoted = not row["is_held"] and one_line(row["quote"])[:QUOTED_CHARACTERS] in found.text
        if row["is_all"] or is_quoted:
            return str(row["uid"])
    return ""


def joined(said: str, reply: str) -> str:
    """What was said and what came of it, on one line."""
    first = cut(said, SAID_CHARACTERS)
    return f'"{first}" → "{cut(reply, max(EXCHANGE_CHARACTERS - len(first), SAID_CHARACTERS))}"'


def joined_call(call: str, result: str) -> str:
    """A command and its result, on one line."""
    first = one_line(call)[:SAID_CHARACTERS]
    told = cut(result, EXCHANGE_CHARACTERS - len(first))
    return f"`{first}` → {told}" if first else told
