"""The words in which an agent sums up what a user settled with it: one paragraph that tells a conversation whole.

In: the prompts and replies of a conversation in their order, of prompts what was typed. Out: the paragraph and where it
stands, or none. Pure. Invariants: what it tells was said by the user before, most of it word by word, in several
messages; words that ask for something, and addresses, are the user's own; what the user turned down next is none.

A hook loads this: the standard library alone.
"""

from __future__ import annotations

import re

from memory_db.recall.brief.same_saying import subject
from memory_db.recall.brief.trust import ADDRESS, DISGUISED, ORDERS, SPEAKS_AS_USER, asks_for
from memory_db.records import dataclass, later
from memory_db.text.one_line import one_line

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from collections.abc import Sequence

FEWEST_WORDS, MOST_CHARACTERS = 8, 680
"""Distinctive words that a paragraph has at least which tells a conversation whole, and how long it may be.

Source: ours; of the closing words in the chats of SDE-bench the shortest has nine, the longest 620 characters.
"""

FEWEST_MESSAGES, SUMMED_UP = 4, 2
"""Messages of the user of which it says something, and where the agent says that it sums up. Source: ours; a reply to
one message says again what that one said, and a report of the work may touch three."""

FEWEST_SHARED = 2
"""Words that a message had first and that a paragraph has too, to tell of it; one that has a digit is enough."""

LEAST_SAID = 0.45
"""Share of a paragraph's words that the user had said. Source: the same chats; closing words there have .5 to .9, a
report of what was built has mostly words of the program."""

SUMS_UP = later(
    r"\b(?:recap|to (?:sum up|recap)|sum(?:ming|med)? up|in (?:short|summary|sum)|summary|final(?::| (?:shape|rule|form"
    r"|version))|(?:here is|that is|so) what we (?:settled|agreed|decided)|settled:|agreed:|understood\b|the contract"
    r"|(?:definitive|final) rule|zusammengefasst|en résumé|en resumen)",
    re.IGNORECASE,
)
"""How an agent says that it sums up."""

TURNS_DOWN = later(
    r"\W*(?:no|nope|nah|not quite|not really|wrong|almost|hold on|wait|actually|hmm+|nein|non)\b", re.IGNORECASE
)
"""How a message begins that does not take what was said before it."""

CLAUSES = later(r"(?<=[.;:!?])\s+|\s[-–—]\s")

MOST_OF_CLAUSE, LEAST_OF_CLAUSE, CLAUSE_WORDS = 0.4, 0.3, 4
"""Share of the words of a clause that the user said: of one that asks for something, and of any with so many words.

Source: ours; of the 53 clauses of closing words in those chats that have as many, all have .33 and more.
"""

SPEAKS_FOR_USER = later(
    r"\b(?:the (?:user|developer|human)|you) (?:have |has |had )?(?:said|says?|wants?|wanted|decided|asked|agreed"
    r"|approved|allowed|prefers?|told|confirmed|instructed)\b",
    re.IGNORECASE,
)
"""Words that tell what the user is said to have said: their own stand in the file."""

CODE = later(r"(?ms)^[ \t]*(?:```|~~~).*?(?:^[ \t]*(?:```|~~~)[ \t]*$|\Z)")

PARAGRAPHS = later(r"\n\s*\n")


@dataclass(slots=True, frozen=True)
class Spoken:
    """A prompt or a reply: its entry, whether the user said it, and its words."""

    entry_id: int
    is_users: bool
    text: str


@dataclass(slots=True, frozen=True)
class Recap:
    """A paragraph of a reply that tells what was settled; `messages` is of how many of the user's it tells."""

    entry_id: int
    text: str
    messages: int


def recap_in(spoken: Sequence[Spoken], asked: str = "") -> Recap | None:
    """What tells a conversation whole, the last of those that tell of most; words of `asked` count for nothing."""
    known, users = set(subject(asked)), ""
    firsts: list[frozenset[str]] = []
    best, most = None, (False, 0)
    for place, each in enumerate(spoken):
        if each.is_users:
            firsts.append(subject(each.text) - known)
            known |= firsts[-1]
            users += f"\n{each.text}"
        elif len(firsts) > 1 and not is_turned_down(spoken, place):
            for paragraph in paragraphs(each.text):
                messages = told_of(paragraph, firsts)
                rank = (sums_up(paragraph), messages)
                if messages and rank >= most and may_stand(paragraph, users):
                    best, most = Recap(each.entry_id, paragraph, messages), rank
    return best


def is_turned_down(spoken: Sequence[Spoken], place: int) -> bool:
    """Whether the next thing that the user says does not take a reply."""
    following = next((each for each in spoken[place + 1 :] if each.is_users), None)
    return following is not None and TURNS_DOWN.match(following.text) is not None


def paragraphs(text: str) -> list[str]:
    """The paragraphs of a reply that have a length to be told, each on one line, without code."""
    found = (one_line(each) for each in PARAGRAPHS.split(CODE.sub("\n\n", text)))
    return [each for each in found if len(each) <= MOST_CHARACTERS]


def told_of(paragraph: str, firsts: Sequence[frozenset[str]]) -> int:
    """Of how many of the user's messages a paragraph tells, by words that each was the first to say; 0 for too few."""
    words = subject(paragraph)
    said = frozenset().union(*firsts)
    if len(words) < FEWEST_WORDS or len(words & said) < LEAST_SAID * len(words):
        return 0
    shared = [words & first for first in firsts]
    messages = sum(len(each) >= FEWEST_SHARED or any(map(has_digit, each)) for each in shared)
    return messages if messages >= (SUMMED_UP if sums_up(paragraph) else FEWEST_MESSAGES) else 0


def has_digit(word: str) -> bool:
    """Whether a word has a digit."""
    return any(map(str.isdigit, word))


def sums_up(paragraph: str) -> bool:
    """Whether a paragraph says that it sums up."""
    return SUMS_UP.search(paragraph) is not None


def may_stand(paragraph: str, users: str) -> bool:
    """Whether an agent may be shown it: of each clause the user said some, of one that asks for something most, and of
    addresses all."""
    reason = asks_for(paragraph, by_agent=True)
    said, known = users.casefold(), subject(users)
    if reason in (SPEAKS_AS_USER, DISGUISED) or SPEAKS_FOR_USER.search(paragraph):
        return False
    if any(each[0].casefold() not in said for each in ADDRESS.finditer(paragraph)):
        return False
    for clause in CLAUSES.split(paragraph):
        words = subject(clause)
        asks = bool(reason) and ORDERS.search(clause) is not None and not is_head(clause)
        least = MOST_OF_CLAUSE if asks else LEAST_OF_CLAUSE if len(words) >= CLAUSE_WORDS else 0.0
        if len(words & known) < least * len(words):
            return False
    return True


def is_head(clause: str) -> bool:
    """Whether a clause only says that the agent sums up: "Recap of the policy:"."""
    return clause.endswith(":") and sums_up(clause)
