"""The shipped profiles: weights for the signals of `scoring`, ours and those of four other systems.

Invariant: the weights of a preset are 0 or more and sum to 1.
"""

from __future__ import annotations

from memory_db.records import dataclass, field


@dataclass(slots=True, frozen=True)
class Preset:
    """A shipped profile: weights that sum to 1, and what they are for."""

    weights: dict[str, float]
    description: str
    source: str
    leaves_out: str | None = None
    threshold: float = field(default=0.0)


PRESETS: dict[str, Preset] = {
    "default": Preset(
        weights={
            "keyword": 0.02,
            "context_keyword": 0.13,
            "session_keyword": 0.03,
            "semantic": 0.09,
            "context_semantic": 0.03,
            "session_semantic": 0.01,
            "interaction": 0.15,
            "context_interaction": 0.02,
            "session_interaction": 0.09,
            "literal": 0.03,
            "entity": 0.01,
            "condition": 0.02,
            "time_window": 0.09,
            "recency": 0.01,
            "usage": 0.02,
            "importance": 0.01,
            "confidence": 0.01,
            "scope": 0.09,
            "path": 0.01,
            "association": 0.11,
            "lock": 0.01,
            "memory": 0.01,
        },
        description="What the command line, the pages and the reader use unless told otherwise",
        source=(
            "the mean of two fits, of answers against all other hits and of pairs of them: questions of developers, of"
            " the sample history, of public chats together; what those cannot tell (condition, path, lock) has a little"
            " by hand"
        ),
    ),
    "hook": Preset(
        weights={
            "keyword": 0.02,
            "context_keyword": 0.17,
            "session_keyword": 0.02,
            "static_semantic": 0.22,
            "static_interaction": 0.05,
            "static_context_semantic": 0.04,
            "static_session_semantic": 0.03,
            "static_session_interaction": 0.10,
            "literal": 0.02,
            "condition": 0.02,
            "known_words": 0.02,
            "recency": 0.01,
            "usage": 0.01,
            "importance": 0.01,
            "confidence": 0.01,
            "scope": 0.11,
            "path": 0.01,
            "association": 0.11,
            "lock": 0.01,
            "memory": 0.01,
        },
        description="For a process that must answer at once and loads no model",
        source=(
            "as default, on what a hook finds; what those cannot tell (condition, path, lock, known_words) has a little"
            " by hand"
        ),
        leaves_out="the full embedding; dates named in the question",
        threshold=0.2,
    ),
    "keyword_only": Preset(
        weights={"keyword": 1.0},
        description="Plain full-text search, the baseline that a profile has to beat",
        source="bm25 of SQLite's FTS5",
    ),
    "memem": Preset(
        weights={"keyword": 0.50, "recency_memem": 0.15, "usage_memem": 0.15, "importance": 0.20},
        description="memem's documented formula: 50 full text, 15 recency, 15 access, 20 importance",
        source="memem's README",
        leaves_out="rank fusion with k = 60, the pool's min-max scaling, diversity (MMR), layers",
    ),
    "memlayer": Preset(
        weights={"semantic": 0.70, "recency_memlayer": 0.20, "importance": 0.10},
        description="MemLayer's documented formula: 70 cosine, 20 recency with a 30-day half-life, 10 importance",
        source="MemLayer's README",
        leaves_out="the threshold of 0.65, the adaptive number of results, second hops",
    ),
    "claude_memory": Preset(
        weights={"keyword": 0.70, "semantic": 0.30},
        description="claude-memory's documented hybrid search: 0.7 keyword and 0.3 semantic",
        source="claude-memory's README",
        leaves_out="Postgres' own ranking of words, the least similarity of 0.3, the cache",
    ),
    "agentmemory": Preset(
        weights={
            "keyword": 0.20,
            "type_agentmemory": 0.20,
            "source_agentmemory": 0.15,
            "lock": 0.15,
            "confidence": 0.20,
            "recency_agentmemory": 0.10,
        },
        description="agentmemory's factors (type, source, lock, confidence, recency) as a sum",
        source="agentmemory's README and type tables; the shares are ours, its product has none",
        leaves_out="the product form, the random draw, the boost of fresh corrections, propagation",
    ),
}
