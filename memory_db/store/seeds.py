"""Rows that every file begins with, and that a person may edit: kinds of knowledge, of evidence and of edges, tiers.

Out: `SEEDS`, rows by table. Invariant: opening a file adds the rows that it lacks and changes none that it has.
"""

from __future__ import annotations

from typing import NamedTuple


class Kind(NamedTuple):
    """A sort of knowledge, with what is believed of it before any evidence."""

    name: str
    description: str
    prior_alpha: float
    prior_beta: float
    half_life_days: float


KINDS = (
    Kind("decision", "A choice that was made, with its reason", 5, 1, 365),
    Kind("convention", "How things are done in this project", 5, 1, 365),
    Kind("fix", "What went wrong and what cured it", 4, 1, 180),
    Kind("preference", "How the user wants things done", 7, 1, 365),
    Kind("correction", "What the user told the agent to do otherwise", 9, 0.5, 365),
    Kind("issue", "A known problem that is still there", 3, 1, 60),
    Kind("environment", "Versions, ports, hosts, commands, tools", 3, 1, 120),
    Kind("structure", "Where things are and which invariants hold", 3, 1, 180),
    Kind("failure", "An approach that did not work", 3, 1, 180),
    Kind("quirk", "Unexpected behaviour of something we use", 3, 1, 180),
    Kind("domain", "What a word or rule of the business means", 3, 1, 365),
    Kind("behaviour", "How the user works", 2, 1, 180),
    Kind("pattern", "Something that keeps happening", 2, 1, 90),
    Kind("episode", "What one session was about", 2, 1, 30),
)
"""Kinds, with Beta priors and half-lives in days.

Source: priors follow agentmemory's classes (requirement and correction 9/0.5,
preference 7/1, decision 5/1, fact 3/1, assumption 2/1). Its half-lives of 14
to 168 days made plain facts unreachable within weeks; ours are longer, and
recency only ever carries a small weight. Edit the rows of `kinds` to change them.
"""


class Tier(NamedTuple):
    """How a memory came to be known, and the share of its kind's prior that this is worth."""

    name: str
    description: str
    prior_factor: float


class EvidenceKind(NamedTuple):
    """A sort of evidence, with what one of it counts."""

    name: str
    description: str
    direction: str
    weight: float


class EdgeKind(NamedTuple):
    """A way in which one memory stands to another, with the share of feedback that goes along it."""

    name: str
    description: str
    spread: float


Seed = Kind | Tier | EvidenceKind | EdgeKind

TIERS = (
    Tier("explicit", "Added, confirmed or locked by the user", 1.0),
    Tier("signals", "Said by the user in a session", 0.8),
    Tier("inferred", "Said or concluded by the agent or a model", 0.35),
)
"""Source: claude-memory holds the three at .95, .80 and .65; for a decision (5 to 1) these factors give .83, .80 and
.64. agentmemory multiplies what an agent said by .2.
"""

EVIDENCE_KINDS = (
    EvidenceKind("stated", "It was said when the memory was made", "for", 1.0),
    EvidenceKind("repeated", "It was said again", "for", 1.0),
    EvidenceKind("confirmed", "A person says that it holds", "for", 1.0),
    EvidenceKind(
        "backed", "What followed bore it out: a rerun passed, an edit stayed, the user went on with it", "for", 0.5
    ),
    EvidenceKind("used", "The agent did what it says", "for", 0.5),
    EvidenceKind("cited", "A reply named it", "for", 0.25),
    EvidenceKind("ignored", "It was shown where it mattered, and nothing was made of it", "against", 0.1),
    EvidenceKind("weak", "It was shown and was of little help", "against", 0.6),
    EvidenceKind("doubted", "A model that read the conversation would not keep it", "against", 1.0),
    EvidenceKind("contradicted", "Something else that is known speaks against it", "against", 1.0),
    EvidenceKind("wrong", "It was shown and did harm, or a person says that it does not hold", "against", 2.0),
)
"""Source: agentmemory counts confirmed +1, used +.5, ignored -.1, weak -.6 and harmful -2; the rest is ours."""

EDGE_KINDS = (
    EdgeKind("supports", "The first gives a reason for the second", 0.8),
    EdgeKind("depends_on", "The first holds only if the second does", 0.7),
    EdgeKind("same_topic", "Both are about the same", 0.5),
    EdgeKind("mentions", "The first names the second", 0.3),
    EdgeKind("same_session", "Both were said in one session", 0.1),
    EdgeKind("supersedes", "The first replaces the second", 0.0),
    EdgeKind("contradicts", "They cannot both hold", -0.5),
)
"""Source: agentmemory spreads 1, .8, .7, .5 and .3 by kind of edge, and -.5 along contradictions; the order of kinds is
ours, and what supersedes learns nothing from what it replaced.
"""

SEEDS: dict[str, tuple[Seed, ...]] = {
    "kinds": KINDS,
    "tiers": TIERS,
    "evidence_kinds": EVIDENCE_KINDS,
    "edge_kinds": EDGE_KINDS,
}
"""Rows by table; each has a `name`, which is the table's key."""
