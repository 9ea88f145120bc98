"""What is asked: its words, by whom and for what, of what alone, and with how much effort.

In: what a surface knows of a question. Out: a `Question`, checked; and what the log keeps of it, which can be asked
again. Invariant: the log knows every field by its own name, whichever record it stands in here.

A hook loads this: the standard library alone.
"""

from __future__ import annotations

from memory_db.errors import InputError
from memory_db.records import dataclass, replace
from memory_db.redact.clean import Finding, clean
from memory_db.store.dates import Window, normal_utc

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

SCOPES = ("memories", "entries", "all")

MOST_HITS = 300
"""The highest limit that a question may have."""

ENTRY_POOL_SIZE = 100
"""Entries that full text brings, or as many as a question wants hits where that is more.

Source: on two conversations of LoCoMo (390 questions, default profile) recall at 10 is .801 with 300, 200, 150 and 100,
at 5 .721 with 300 and .724 with 100, for three quarters of the time.
"""

NEAREST_BY_VECTORS = 100
"""Memories and entries each that static word vectors bring into a pool.

Source: on the sample's questions a pool with 150 holds .95 of the answers, with 100 .93, with 75 .89; the full model's
75 hold .98. More takes time at every prompt.
"""

MEMORY_POOL_SIZE = 100
"""Memories that full text brings. They are fewer and shorter than entries, and each costs more to look up."""


@dataclass(frozen=True, slots=True)
class Filters:
    """What of the file is asked.

    With `only_project` nothing of projects is considered but the asker's own, without `other_projects` nothing of them
    is shown. Times are ISO-8601; `as_of` asks the file as it was recorded then.
    """

    only_project: bool = False
    other_projects: bool = True
    since: str | None = None
    before: str | None = None
    as_of: str | None = None
    kinds: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Effort:
    """How much may be looked at.

    What must be quick asks for the rarest `most_terms` of its words only; `most_memories` and `most_entries` are how
    many full text brings. Where a memory has the share `entries_below` of what the question's words are worth, entries
    are not asked at all; `most_blocks` of the newest entries are looked through by similarity (all unless given).
    """

    most_terms: int | None = None
    most_memories: int = MEMORY_POOL_SIZE
    most_entries: int = ENTRY_POOL_SIZE
    most_blocks: int | None = None
    entries_below: float | None = None

    @property
    def is_full(self) -> bool:
        """Whether every word is asked for: then dates are read, spelling is corrected and every signal is measured."""
        return self.most_terms is None

    @property
    def most_near_entries(self) -> int:
        """How many entries static word vectors bring; of what must be quick half as many as full text does."""
        return NEAREST_BY_VECTORS if self.is_full else min(NEAREST_BY_VECTORS, self.most_entries // 2)


FULL_EFFORT = Effort()
"""For whoever can wait for an answer."""

HOOK_EFFORT = Effort(most_terms=8, most_memories=150, most_entries=60, most_blocks=4, entries_below=0.5)
"""For a hook, which every prompt waits for.

The rarest 8 words: full text takes time for each text that has one. 150 memories; similarity brings half as many more.
60 entries; neighbours of the best third and similarity bring about as many more; on the sample's labelled questions
.660 of the answers are among the first six hits with 60, .656 with 300. 4 blocks of 16,384 entries: in a file of any
size at one cost. Entries, ten times as many, are not asked where a memory has half of what the words are worth: so are
7% of the sample's questions; then .764 of all have an answer among the first six hits, .780 where entries are always
asked, .591 where never.
"""

FIRST_LIMIT = 4
"""Hits in the first brief of a session that nobody asked for.

Source: the first half of `python -m bench brief_quality`, cold and warm: a fifth of the lines at the first four ranks
are useful, of 42 at the two behind them two.
"""

FIRST_BUDGET_TOKENS = 800
"""Tokens of such a brief at most: half for those hits, half for what was settled in the conversation that the prompt is
about, if there is one (see `brief.conversation`). Source: as above, and as there."""

EVERYTHING = Filters()


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, by whom, for what.

    `project_id` is where the asker works. `session_uid` is the agent's own name of the session that asks, which may not
    be imported yet: what was pushed into it before is not pushed again. `window` is the time that the words name, read
    by whoever asks (`question_dates.with_window`): it takes more than a hook may load. `paths` are files in play.
    `threshold` is the least score of a hit that a model may be shown (see `brief.abstain`), `least_evidence` what a hit
    must bring by itself (see `evidence_of_hit`), and `least_for_rules` what one must that binds the agent; None where a
    person asks. `is_unasked` says that a hook asks, and nobody else. `session_bytes` is how long the session's
    transcript is, as far as the asker knows.
    """

    query: str
    scope: str = "all"
    profile: str = "default"
    project_id: int | None = None
    session_id: int | None = None
    session_uid: str | None = None
    window: Window | None = None
    paths: tuple[str, ...] = ()
    limit: int = 10
    budget_tokens: int | None = None
    threshold: float | None = None
    least_evidence: float | None = None
    least_for_rules: float | None = None
    is_unasked: bool = False
    session_bytes: int | None = None
    filters: Filters = EVERYTHING
    effort: Effort = FULL_EFFORT

    @property
    def is_for_model(self) -> bool:
        """Whether a model reads the answer: then a line must earn its place."""
        return self.least_evidence is not None

    @property
    def asks_past(self) -> bool:
        """Whether it asks for what held before a moment: then what was replaced since may be told."""
        return bool(self.filters.before or (self.window and self.window.end))

    def context(self) -> dict[str, object]:
        """What else was asked than the words, as it is logged: what is not given is left out."""
        values: dict[str, object] = {}
        for name in LOGGED:
            value = getattr(self.part_with(name), name)
            if value not in (None, (), False):
                values[name] = value
        values |= {} if self.filters.other_projects else {"other_projects": False}
        return values | ({"window": self.window.as_dict()} if self.window else {})

    def part_with(self, name: str) -> Question | Filters | Effort:
        """The record in which a logged field stands."""
        if name in Filters.__slots__:
            return self.filters
        return self.effort if name in Effort.__slots__ else self


LOGGED = (
    "only_project", "since", "before", "kinds", "tags", "paths", "limit", "budget_tokens", "most_terms",
    "most_memories", "most_entries", "most_blocks", "entries_below", "threshold",
    "least_evidence", "least_for_rules", "is_unasked", "session_bytes",
)  # fmt: skip
"""Fields of `recalls.context`; other parts of a question have a column of their own."""


def question_of(query: str, values: Mapping[str, Any]) -> Question:
    """The question that a log or a form describes: its fields by name, those of its filters and effort among them."""
    given: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
    if isinstance(given.get("window"), dict):
        given["window"] = Window(**given["window"])
    filters = {name: given.pop(name) for name in Filters.__slots__ if name in given}
    effort = {name: given.pop(name) for name in Effort.__slots__ if name in given}
    return Question(query, filters=Filters(**filters), effort=Effort(**effort), **given)


def checked(question: Question) -> Question:
    """The question with its times in the file's form.

    Raises: InputError.
    """
    if question.scope not in SCOPES:
        raise InputError(f"No scope {question.scope!r}. There are: {', '.join(SCOPES)}.")
    if not 1 <= question.limit <= MOST_HITS:
        raise InputError(f"A limit of {question.limit} cannot be used. Give one from 1 to {MOST_HITS}.")
    if question.budget_tokens is not None and question.budget_tokens < 1:
        raise InputError(f"A budget of {question.budget_tokens} tokens cannot be used. Give 1 or more.")
    filters, window = question.filters, question.window
    since, before, as_of = (each and normal_utc(each) for each in (filters.since, filters.before, filters.as_of))
    if window:
        start, end = (each and normal_utc(each) for each in (window.start, window.end))
        window = replace(window, start=start, end=end)
    effort = replace(question.effort, most_entries=max(question.effort.most_entries, question.limit))
    filters = replace(filters, since=since, before=before, as_of=as_of)
    return replace(question, filters=filters, window=window, effort=effort)


def redacted(question: Question) -> tuple[Question, list[Finding]]:
    """The question without what must not be kept, and what that was."""
    query, findings = clean(question.query)
    filters = question.filters
    kinds, tags, paths = (
        tuple(clean(text)[0] for text in texts) for texts in (filters.kinds, filters.tags, question.paths)
    )
    return replace(question, query=query, paths=paths, filters=replace(filters, kinds=kinds, tags=tags)), findings
