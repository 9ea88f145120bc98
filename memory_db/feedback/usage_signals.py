"""What a session's story says came of each memory that was shown in it: near-verbatim use, verdicts, repetition.

In: the events of a session. Out: signs, each with the entry it was read from and how strong it is; those that move a
belief and, apart from them, weak ones that do not. Invariant: pure; only what followed a showing is a sign of it, and
where it is not plain which memory was meant there is only a weak sign or none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from memory_db.extract.rules.error_fixes import LOOKS_ONLY
from memory_db.feedback.story import Known, SessionEvent
from memory_db.text.names.citations import uids_in
from memory_db.text.statements import Reading, reading, share
from memory_db.text.verbatim import (
    SHORT_RUN,
    WordRun,
    adds,
    grams,
    is_distinctive,
    is_doubted,
    is_near_verbatim,
    longest_run,
    spaced,
    words_of,
)
from memory_db.text.verdicts import Verdict, corrects, insists, verdicts, without_opening

STRENGTHS = {
    "named": 1.0, "known": 0.75, "that": 0.75, "clause": 0.5, "words": 0.5, "command": 1.0, "written": 1.0,
    "said": 0.5, "corrected": 1.0,
}  # fmt: skip
"""Share of a kind's weight by how plainly a sign means its memory.

Source: ours; a person's own verdict by uid counts whole, what is read out of words half to three quarters.
"""

FEWEST_SHARED = 3
"""Distinctive words that a verdict or a correction shares with the memory that it means."""

MOST_OF_IT = 0.6
"""Share of a memory's distinctive words that are said again where it is repeated or ended."""

NEARLY_ALL = 0.75
"""The same for a correction that does not say that it was said before."""

MARGIN = 2
"""Words by which the meant memory leads before the next one."""

FEWEST_OVERLAP = 2
"""Shared words that are a weak label. Source: agentmemory's overlap with the next prompt."""

Common = Callable[[tuple[str, ...]], bool]
"""Whether a literal is said in many sessions, so that using it proves nothing."""


@dataclass(slots=True, frozen=True)
class UsageSignal:
    """One thing that came of a memory: `kind` as evidence has it, or a weak label's where `is_weak`."""

    kind: str
    memory_id: int
    recall_id: int
    entry_id: int
    entry_uid: str
    at: str
    strength: float
    way: str
    is_weak: bool = False


@dataclass(slots=True)
class SessionReader:
    """What is known while a session is read from its start."""

    is_common: Common
    shown: dict[int, Known] = field(default_factory=dict)
    heard: set[int] = field(default_factory=set)  # shown before something that the agent said or did
    fresh: dict[int, Known] = field(default_factory=dict)  # shown since the agent last spoke
    answered: dict[int, Known] = field(default_factory=dict)  # shown before what it said since the last prompt
    texts: list[str] = field(default_factory=list)  # words that stood somewhere already
    asked: set[str] = field(default_factory=set)  # words of prompts
    used: set[int] = field(default_factory=set)
    recent: set[int] = field(default_factory=set)  # what the agent named or repeated since the last prompt
    replies: list[SessionEvent] = field(default_factory=list)  # since the last prompt
    signals: list[UsageSignal] = field(default_factory=list)

    def add(
        self,
        kind: str,
        memory: Known,
        event: SessionEvent,
        way: str,
        *,
        strength: float | None = None,
        is_weak: bool = False,
    ) -> None:
        """Notes a sign."""
        strength = STRENGTHS[way] if strength is None else strength
        self.signals.append(
            UsageSignal(kind, memory.memory_id, memory.recall_id, event.entry_id, event.entry_uid, event.at,
                 round(strength, 3), way, is_weak)
        )  # fmt: skip

    def heard_ones(self) -> list[Known]:
        """The memories that the agent could have known when it last spoke."""
        return [self.shown[memory_id] for memory_id in self.heard]


def usage_signals_of(events: Iterable[SessionEvent], is_common: Common) -> list[UsageSignal]:
    """Everything that a session tells of the memories shown in it."""
    reader = SessionReader(is_common)
    for event in events:
        if event.what == "shown":
            for memory in event.shown:
                reader.shown[memory.memory_id] = memory  # of the newest recall that showed it
                reader.fresh[memory.memory_id] = memory
        elif event.what == "prompt":
            read_prompt(reader, event)
        elif event.what in ("reply", "action"):
            read_agent(reader, event)
        else:
            note(reader, words_of(event.text))
    overlap(reader, None)
    return reader.signals


def note(reader: SessionReader, words: list[str]) -> None:
    """Words that now stood somewhere: repeating them is no use of memory."""
    reader.texts.append(spaced(words))


# ------------------------------------------------------------------ the agent


def read_agent(reader: SessionReader, event: SessionEvent) -> None:
    """What a reply or an action has of the memories shown before it."""
    words = words_of(event.text)
    if event.before:
        note(reader, words_of(event.before))
    named = set(uids_in(event.text)) if event.what == "reply" else set()
    looks_on = event.is_command and LOOKS_ONLY.match(event.text.strip()) is not None
    said, runs = spaced(words), set(grams(words))
    for memory in reader.shown.values():
        if memory.uid in named:
            reader.recent.add(memory.memory_id)
        elif not looks_on:
            if event.what == "action":
                use_literals(reader, memory, event, said)
            if not event.is_command and not runs.isdisjoint(memory.starts):
                use_words(reader, memory, event, words)
    reader.heard.update(reader.shown)
    reader.answered |= reader.fresh
    reader.fresh.clear()
    if event.what == "reply":
        reader.replies.append(event)
    note(reader, words)


def use_literals(reader: SessionReader, memory: Known, event: SessionEvent, said: str) -> None:
    """Whether an action has a name or command that a memory tells to use, and that stood nowhere before."""
    used = [literal for literal in memory.to_use if is_new(reader, literal, said)]
    if used and memory.memory_id not in reader.used:
        way = "command" if event.is_command else "written"
        note_use(reader, memory, event, way, is_weak=all(reader.is_common(literal) for literal in used))
    elif any(is_new(reader, literal, said) for literal in memory.to_leave):
        reader.add("broken", memory, event, way="command", strength=0.5, is_weak=True)


def use_words(reader: SessionReader, memory: Known, event: SessionEvent, words: list[str]) -> None:
    """Whether a text says what a memory says, in its own words, which stood nowhere before."""
    run = longest_run(memory.words, words, memory.starts)
    if run is None or not is_near_verbatim(run, memory.words):
        return
    if is_known(reader, run) or is_doubted(event.text, run) or not adds(run, reader.asked):
        return
    reader.recent.add(memory.memory_id)
    if memory.memory_id not in reader.used:
        note_use(reader, memory, event, "said" if event.what == "reply" else "written")


def note_use(reader: SessionReader, memory: Known, event: SessionEvent, way: str, *, is_weak: bool = False) -> None:
    """Notes that a memory was used, once a session."""
    if is_weak:
        reader.add("literal", memory, event, way, strength=0.5, is_weak=True)
        return
    reader.used.add(memory.memory_id)
    reader.add("used", memory, event, way)


def is_new(reader: SessionReader, literal: tuple[str, ...], said: str) -> bool:
    """Whether a literal stands in these words and stood nowhere in the session before."""
    wanted = spaced(literal)
    return wanted in said and not any(wanted in text for text in reader.texts)


def is_known(reader: SessionReader, run: WordRun) -> bool:
    """Whether a part of a run, as long as it takes to find one, stood somewhere before."""
    parts = [spaced(part) for part in grams(run.words)]
    return any(part in text for text in reader.texts for part in parts)


# ------------------------------------------------------------------- the user


def read_prompt(reader: SessionReader, event: SessionEvent) -> None:
    """What a prompt says of the memories that the agent had been shown when it last spoke."""
    if reader.heard:
        judged = {memory_id for each in verdicts(event.text) for memory_id in judge(reader, each, event)}
        repeat(reader, event, judged)
    overlap(reader, event)
    words = words_of(event.text)
    reader.asked.update(words)
    reader.recent.clear()
    reader.replies.clear()
    reader.answered.clear()
    note(reader, words)


def judge(reader: SessionReader, verdict: Verdict, event: SessionEvent) -> list[int]:
    """Counts a verdict for the memory that it means; the memories it is about, also where that is unsure."""
    heard = reader.heard_ones()
    if verdict.way == "named":
        meant, way = [memory for memory in heard if memory.uid == verdict.uid], "named"
    elif verdict.way == "clause":
        meant, way = over(verdict, heard), "clause"
    else:
        meant, way = pointed_at(reader, verdict, event, heard)
    is_plain = len(meant) == 1 and verdict.is_sure and way != ""
    for memory in meant[:1] if is_plain else meant:
        if is_plain:
            reader.add(verdict.kind, memory, event, way)
        elif verdict.kind == "wrong":
            reader.add("doubted", memory, event, "words", is_weak=True)
        else:
            reader.add("agreed", memory, event, "words", is_weak=True)
    return [memory.memory_id for memory in meant]


def pointed_at(
    reader: SessionReader, verdict: Verdict, event: SessionEvent, heard: list[Known]
) -> tuple[list[Known], str]:
    """What 'that' means: the one memory that the last reply went by, else the one whose words the prompt shares.

    The way is empty where that is not plain enough to move a belief.
    """
    recent = [memory for memory in heard if memory.memory_id in reader.recent]
    alike = by_words(reading(event.text), heard)
    if len(recent) == 1:
        is_shared = bool(alike) and alike[0].memory_id == recent[0].memory_id
        plain = verdict.way in ("known", "that") or (verdict.kind == "wrong" and is_shared)
        return recent, (verdict.way if verdict.way in ("known", "that") else "words") if plain else ""
    if alike and verdict.way != "bare":
        return alike, "words"
    return recent if verdict.way != "bare" else [], ""


def by_words(said: Reading, heard: list[Known]) -> list[Known]:
    """The one memory whose distinctive words a prompt shares, well before the next; none where it is not plain."""
    counts = sorted(((len(said.terms & memory.claim.terms), memory) for memory in heard), key=lambda pair: -pair[0])
    if not counts or counts[0][0] < FEWEST_SHARED:
        return []
    best, memory = counts[0]
    is_apart = len(counts) == 1 or best - counts[1][0] >= MARGIN
    return [memory] if is_apart and share(memory.claim.terms, said.terms) >= 0.5 else []


def over(verdict: Verdict, heard: list[Known]) -> list[Known]:
    """The one memory that a sentence says is over in its own words; one that says itself what is over is none."""
    said = reading(verdict.sentence)
    return [
        memory
        for memory in by_words(said, heard)
        if not denies_nearest(memory.claim, said) and share(memory.claim.terms, said.terms) >= MOST_OF_IT
    ]


def denies_nearest(claim: Reading, said: Reading) -> bool:
    """Whether the clause of a memory that shares most with a text says that something is not so."""
    shared = ((len(clause.terms & said.terms), clause.is_negative) for clause in claim.clauses)
    return max(shared, default=(0, False))[1]


def repeat(reader: SessionReader, event: SessionEvent, judged: set[int]) -> None:
    """Whether a prompt corrects the agent with what a memory shown before had said."""
    if not corrects(event.text):
        return
    said, words = reading(without_opening(event.text)), words_of(event.text)
    wanted = MOST_OF_IT if insists(event.text) else NEARLY_ALL
    for memory in reader.heard_ones():
        if memory.memory_id not in judged and says_again(memory, said, words, wanted):
            reader.add("repeated", memory, event, "corrected")


def says_again(memory: Known, said: Reading, words: list[str], wanted: float) -> bool:
    """Whether a text says what a memory says: by its distinctive words or those of one of its claims, or by most of it
    to the letter."""
    run = longest_run(memory.words, words, memory.starts)
    if run is not None and len(run.words) >= max(SHORT_RUN, MOST_OF_IT * len(memory.words)):
        return True
    claims = (memory.claim.terms, *(clause.terms for clause in memory.claim.clauses))
    is_most = any(len(terms & said.terms) >= max(FEWEST_SHARED, wanted * len(terms)) for terms in claims)
    return is_most and same_side(memory.claim, said)


def same_side(one: Reading, other: Reading) -> bool:
    """Whether two texts with the same words say no together, or neither: by the clauses that share most."""
    best = max(
        ((len(a.terms & b.terms), a.is_negative == b.is_negative) for a in one.clauses for b in other.clauses),
        default=(0, False),
    )
    return best[1]


def overlap(reader: SessionReader, event: SessionEvent | None) -> None:
    """Weak labels: words that a memory shares with what came next and not with what was asked."""
    said = {word for reply in reader.replies for word in words_of(reply.text) if is_distinctive(word)}
    asked = {word for word in words_of(event.text) if is_distinctive(word)} if event else set()
    for memory in reader.answered.values():
        own = {word for word in memory.words if is_distinctive(word)} - set(words_of(memory.query))
        for kind, words, last in (
            ("reply_overlap", said, reader.replies[-1] if reader.replies else None),
            ("prompt_overlap", asked, event),
        ):
            common = own & words
            if last is not None and len(common) >= FEWEST_OVERLAP:
                reader.add(kind, memory, last, "words", strength=len(common) / len(own), is_weak=True)
