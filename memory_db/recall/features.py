"""The raw numbers that signals are made of: those of a question and those of one hit.

`measure` makes them, `scoring` reads them, and both are logged with a recall, so that it can be scored again.
A hook loads this.
"""

from __future__ import annotations

from collections.abc import Mapping

from memory_db.records import dataclass, field

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from typing import Any


@dataclass(slots=True, frozen=True)
class QueryFeatures:
    """What belongs to the question alone.

    `best_bm25_*` is the bm25 that a perfect text could reach for these terms (see `ceilings`), for full text over
    memories and over entries. `window_days` is how long the time lasts that the question names: None where it names
    none, or one with an open end. `known_words` is the share of its terms that the file has (see `ceilings`).
    `literals`, `variants` and `corrected` say what was asked for besides the terms: see `literals` and `wording`.
    `worth` is the idf of each term, in that full text where it is rarest.
    `alike_prompts` is how much like it earlier prompts are, all together (see `measures.association`).
    `is_young` says that the file has so few texts that idf says little.
    """

    terms: tuple[str, ...]
    best_bm25_memories: float
    best_bm25_entries: float
    window_days: float | None = None
    known_words: float = 0.0
    literals: tuple[str, ...] = ()
    variants: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    corrected: Mapping[str, str] = field(default_factory=dict)
    worth: Mapping[str, float] = field(default_factory=dict)
    alike_prompts: float = 0.0
    is_young: bool = False


@dataclass(slots=True)
class HitFeatures:
    """The raw numbers of one hit. None means that it does not apply or is not known.

    bm25 values are positive, higher is better (FTS5 gives them negated);
    cosines run from -1 to 1; counts are of evidence and recalls so far.
    `meant_project`: the question is about its project, where the asker does not work. `sister_project`: that belongs
    together with the asker's, and a prompt asks for something. `gives_value`: it gives a value of a sort that a prompt
    asks for, such as a limit or an address.
    `outdated_*` are the best of the outdated memories that this one replaced, where they met the question.
    `association` is how much of what earlier prompts came to leads here, `association_prompts` are the entries behind
    it, the weightiest first. `found_by` says what alone brought a hit that neither words nor meaning did.
    """

    is_memory: bool
    kind: str
    age_days: float
    half_life_days: float
    bm25: float = 0.0
    context_bm25: float = 0.0
    session_keyword: float = 0.0
    cosine: float | None = None
    context_cosine: float | None = None
    session_cosine: float | None = None
    interaction: float | None = None
    context_interaction: float | None = None
    session_interaction: float | None = None
    static_cosine: float | None = None
    static_context_cosine: float | None = None
    static_session_cosine: float | None = None
    static_interaction: float | None = None
    static_session_interaction: float | None = None
    condition_bm25: float | None = None
    condition_cosine: float | None = None
    outdated_bm25: float | None = None
    outdated_cosine: float | None = None
    same_project: bool | None = None
    user_scope: bool = False
    linked_project: bool | None = None
    meant_project: bool | None = None
    sister_project: bool | None = None
    gives_value: bool | None = None
    path_match: float = 0.0
    literal_share: float | None = None
    entity_share: float | None = None
    edge_strength: float | None = None
    importance: int | None = None
    alpha: float | None = None
    beta: float | None = None
    days_outside_window: float | None = None
    times_shown: int = 0
    times_used: int = 0
    lock_level: str = "none"
    stated_by_user: bool = False
    association: float | None = None
    association_prompts: tuple[int, ...] | None = None
    found_by: str | None = None

    def holds_here(self) -> bool:
        """Whether it is of no other project than the asker's, of the user, or of a project that is linked to it."""
        return self.same_project is not False or self.user_scope or self.linked_project is True

    def is_for_it(self) -> bool:
        """Whether it is a memory for the very act that the question is about: see `measures.conditions`."""
        return (self.condition_cosine or 0.0) >= 1.0

    def is_of_named(self) -> bool:
        """Whether it is what is known of another project than the asker's, which the question names."""
        return bool(self.is_memory and self.meant_project and self.same_project)

    def as_dict(self) -> dict[str, object]:
        """The features as they are logged, without those that say nothing."""
        return {name: value for name in self.__slots__ if (value := getattr(self, name)) is not None}


def logged_as(record: type, values: Mapping[str, object]) -> dict[str, Any]:
    """Of logged numbers those that the record has by now; lists as tuples."""
    slots: tuple[str, ...] = record.__slots__  # type: ignore[attr-defined]
    return {name: tuple(value) if isinstance(value, list) else value for name, value in values.items() if name in slots}
