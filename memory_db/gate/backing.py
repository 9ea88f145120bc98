"""What stands behind the agent's word: the user's next word, a rerun that passed, an edit that stayed, a tool's output.

In: a candidate whose quote an agent or a tool said. Out: `Backing`, the surest there is, or None; and whether the user
took a statement back in the very next message. Invariant: reads only; nothing that the user turned down is backed.
"""

from __future__ import annotations

import re
import sqlite3
from dataclasses import dataclass

from memory_db.text.statements import CURLY, reading, share, stems

ACCEPTED_WEIGHT, RERUN_WEIGHT, EDIT_WEIGHT, OUTPUT_WEIGHT = 0.5, 0.5, 0.3, 0.3
"""Weight of the user's yes, of a command that passes where it had failed, of an edit that stays, and of a tool's output
that has the words. Source: ours; below a statement of the user (1), at or above an agent's own word (0.3)."""

NEAR_ACTIONS = 12
"""Actions before and after a statement that may back it."""

LEAST_PRINTED = 0.5
"""Share of a statement's distinctive words that a tool's output must have, and at least LEAST_WORDS of them."""

LEAST_WORDS = 2

OUTPUT_CHARACTERS = 20_000

ACCEPTS = re.compile(
    r"^\W*(?:a+h+|oh|ok|okay|hm+|well|so)?[\s,.!]*(?:yes|yep|yeah|yup|right|exactly|correct|perfect|good|great"
    r"|nice|cool|thanks?"
    r"|thx|ty|lovely|excellent|awesome|brilliant|makes sense|that's it|thats it|that was it|that explains"
    r"|got it|agreed|"
    r"sure|ok|okay|k|fine|keep it|do it|do that|go ahead|go|ship it|commit|merge|love it|lgtm|works|sounds good|fair|"
    r"true|indeed|please do|both|the (?:first|second|latter|former))\b"
)
"""How a message begins that takes what was said."""

REJECTS = re.compile(
    r"^\W*(?:ok |okay |hm+,? |well,? |but )?(?:no|nope|nah|wrong|stop|not (?:true|right|quite|really|that)"
    r"|that's (?:not|wrong)"
    r"|thats (?:not|wrong)|isn't|it's not|its not|undo|revert|don't|dont|wait)\b(?! (?:problem|worries|need))"
)
"""How a message begins that turns it down."""

TAKES_BACK = re.compile(
    r"^\W*(?:ok |okay |hm+,? |well,? |ah,? |oh,? |actually,? |wait,? |no,? |nah,? )*(?:never ?mind|scratch that"
    r"|forget (?:it|that|what i)"
    r"|drop (?:it|that)|on second thoughts?|ignore (?:that|what i)|i take that back|just kidding|kidding|jk"
    r"|was joking|"
    r"changed my mind)\b"
)
"""How a message begins that takes the writer's own last one back."""

PLACE = "select position from session_entries where session_id = ? and entry_id = ?"

NEXT_PROMPT = """
select e.id, e.uid, e.text from session_entries se join entries e on e.id = se.entry_id
where se.session_id = ? and se.position > ? and e.kind = 'prompt' and e.role = 'user' and e.is_sidechain = 0
order by se.position limit 1
"""

AROUND = """
select a.tool, coalesce(a.target, '') as target, a.is_error, se.position, r.id as result_id, r.uid as result_uid,
    coalesce(r.text, a.excerpt, '') as output
from session_entries se join actions a on a.entry_id = se.entry_id left join entries r on r.id = a.result_entry_id
where se.session_id = :session and se.position {side} :position order by se.position {order} limit {most}
"""
BEFORE = AROUND.format(side="<", order="desc", most=NEAR_ACTIONS)
AFTER = AROUND.format(side=">", order="asc", most=NEAR_ACTIONS)

EDITS = ("Edit", "Write", "MultiEdit", "NotebookEdit", "apply_patch", "edit_file", "write_file")


@dataclass(slots=True, frozen=True)
class Backing:
    """Why an agent's word is believed: in words, what it weighs, and the entry that it rests on."""

    reason: str
    weight: float
    entry_id: int
    entry_uid: str


def backing_of(db: sqlite3.Connection, candidate: sqlite3.Row) -> Backing | None:
    """The surest thing that backs what an agent or a tool said. `candidate` is a row of CANDIDATE."""
    session, entry = candidate["session_id"], candidate["entry_id"]
    place = db.execute(PLACE, [session, entry]).fetchone()
    if place is None:
        return None
    following = db.execute(NEXT_PROMPT, [session, place["position"]]).fetchone()
    opening = opening_of(following["text"]) if following else ""
    if REJECTS.match(opening) or TAKES_BACK.match(opening):
        return None
    if following and ACCEPTS.match(opening):
        return Backing("the user's next word takes it", ACCEPTED_WEIGHT, following["id"], following["uid"])
    asked = {"session": session, "position": place["position"]}
    before, after = db.execute(BEFORE, asked).fetchall(), db.execute(AFTER, asked).fetchall()
    return rerun(before, after) or printed(candidate, [*before, *after]) or edited(candidate, [*after, *before])


def is_taken_back(db: sqlite3.Connection, candidate: sqlite3.Row) -> bool:
    """Whether the user took back what they said in the message that follows."""
    place = db.execute(PLACE, [candidate["session_id"], candidate["entry_id"]]).fetchone()
    following = db.execute(NEXT_PROMPT, [candidate["session_id"], place["position"]]).fetchone() if place else None
    return following is not None and TAKES_BACK.match(opening_of(following["text"])) is not None


def opening_of(text: str) -> str:
    """The beginning of a message in lower case."""
    return " ".join(text[:200].translate(CURLY).casefold().split())


def rerun(before: list[sqlite3.Row], after: list[sqlite3.Row]) -> Backing | None:
    """A command that had failed and passes, near the statement."""
    ordered = [*reversed(before), *after]
    failed: set[tuple[str, str]] = set()
    for action in ordered:
        key = (action["tool"], action["target"])
        if action["is_error"]:
            failed.add(key)
        elif key in failed and action["is_error"] == 0 and action["result_id"] is not None:
            return Backing("a rerun passed", RERUN_WEIGHT, action["result_id"], action["result_uid"])
    return None


def printed(candidate: sqlite3.Row, actions: list[sqlite3.Row]) -> Backing | None:
    """A tool's output that has the distinctive words of the statement."""
    said = reading(candidate["text"]).terms
    for action in actions:
        if action["result_id"] is None or action["result_id"] == candidate["entry_id"]:
            continue
        output = reading_of_output(action["output"])
        if len(said & output) >= LEAST_WORDS and share(said, output) >= LEAST_PRINTED:
            return Backing("a tool's output has it", OUTPUT_WEIGHT, action["result_id"], action["result_uid"])
    return None


def reading_of_output(text: str) -> frozenset[str]:
    """The distinctive words and values of an output, read in portions."""
    portions = (text[start : start + 2_000] for start in range(0, min(len(text), OUTPUT_CHARACTERS), 2_000))
    return frozenset().union(*(frozenset(stems(portion.casefold())) for portion in portions))


def edited(candidate: sqlite3.Row, actions: list[sqlite3.Row]) -> Backing | None:
    """An edit near the statement that was not turned down."""
    for action in actions:
        if action["tool"] in EDITS and action["is_error"] == 0 and action["result_id"] is not None:
            return Backing("an edit that followed stayed", EDIT_WEIGHT, action["result_id"], action["result_uid"])
    return None
