"""Which colour a thing has, wherever it is drawn: kinds of memories, projects, scopes, kinds of edges and of entities.

In: a name, or the projects of the file. Out: the end of a class of the style sheet: `fill-words-0` fills, in light
and in dark. Invariant: a kind has one colour on all pages; a colour never says what no word beside it says.
"""

from __future__ import annotations

from collections.abc import Iterable

KINDS = {
    "decision": "words-0", "convention": "words-1", "structure": "words-3", "domain": "trust-2",
    "environment": "trust-0", "quirk": "time-3", "fix": "time-1", "failure": "meaning-2", "issue": "meaning-0",
    "correction": "place-2", "preference": "place-0", "behaviour": "place-1", "pattern": "sort-2",
    "episode": "sort-0",
}  # fmt: skip
"""Kinds of memories in the order in which they are stacked: what is akin stands together in one hue."""

PROJECTS = (
    "words-0", "meaning-0", "trust-0", "place-0", "time-1", "words-3", "meaning-2", "trust-2", "place-2",
)  # fmt: skip
"""Colours of the projects that have most memories; the others share `OTHERS`."""

OTHERS = "sort-0"
EVERYWHERE = "sort-2"
"""What holds in every project."""

SCOPES = {"project": "words-0", "user": "place-0"}

EDGES = {
    "same_topic": "words-0", "supports": "trust-0", "depends_on": "meaning-0", "mentions": "time-3",
    "same_session": "sort-0", "supersedes": "other-0", "contradicts": "bad", "names": "place-0",
}  # fmt: skip
"""Kinds of edges; `names` is what leads from a memory to an entity. `bad` is the colour of warnings."""


def of_kind(kind: str) -> str:
    """The colour of a kind of memory, grey for one that is not known."""
    return KINDS.get(kind, OTHERS)


def of_edge(kind: str) -> str:
    """The colour of a kind of edge, grey for one that is not known."""
    return EDGES.get(kind, OTHERS)


def of_projects(project_ids: Iterable[int]) -> dict[int, str]:
    """A colour for each of the projects, by the order of their ids; past the palette all are `OTHERS`."""
    ordered = sorted(project_ids)
    return {each: PROJECTS[place] if place < len(PROJECTS) else OTHERS for place, each in enumerate(ordered)}
