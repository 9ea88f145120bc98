"""What is known: kinds of knowledge, and the rows of memories.

In: texts with their kind, scope and source. Out: rows of `memories`, whose
triggers keep every version. Invariant: a memory's uid follows from its scope,
project and first text, so a rerun makes the same one.
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
