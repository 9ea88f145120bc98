"""Every setting: its name, default, kind and bounds. Data only; `settings.py` reads and changes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from memory_db.redact.personal import SETTING as PERSONAL
from memory_db.store.abstainer_weights import SHIPPED

Value = str | int | float | bool
Kind = Literal["text", "integer", "number", "boolean", "timezone", "profile", "weights"]

LOCAL = "local"
"""The zone of the machine that asks, whichever that is."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One thing that may be set. `minimum` and `maximum` are for numbers and include themselves."""

    name: str
    default: Value
    kind: Kind
    help: str
    minimum: int | None = None
    maximum: int | None = None
    choices: tuple[str, ...] = ()


AGENT_PROGRAMS = {"claude": "Anthropic by Claude Code", "codex": "OpenAI by Codex", "gemini": "Google by Gemini CLI"}
"""To whom the programs of agents send what they are asked, each off until a person allows it."""

SETTINGS = (
    Setting(
        "embedding_model",
        "minilm-int8",
        "text",
        "Model of the full embeddings: minilm-int8 works offline, any other that `llm embed-models` lists, or none",
    ),
    Setting("embed_entries", True, "boolean", "Embed entries too, not only memories"),
    Setting(
        "interaction",
        True,
        "boolean",
        "Keep a bit of each number of the built-in model's tokens, and compare questions with texts token by token",
    ),
    Setting(
        "warm_hook",
        True,
        "boolean",
        "Answer prompts with the full model where an MCP reader of this user runs, which keeps it loaded",
    ),
    Setting("hits_days", 180, "integer", "Days that a hit nobody judged is kept in the log", minimum=1, maximum=36_500),
    Setting("default_profile", "default", "profile", "Profile of weights used where none is named"),
    Setting(
        "abstainer", SHIPPED, "weights", "Weights that decide when memory keeps silent: shipped, or your own as JSON"
    ),
    Setting("recall_limit", 10, "integer", "Hits shown where no limit is named", minimum=1, maximum=200),
    Setting(
        "brief_budget_tokens",
        2_000,
        "integer",
        "Tokens that a brief may take where no budget is named",
        minimum=50,
        maximum=200_000,
    ),
    Setting(
        "start_budget_tokens",
        600,
        "integer",
        "Tokens that the brief at the beginning of a session may take",
        minimum=100,
        maximum=20_000,
    ),
    Setting(
        "ask_budget_tokens",
        800,
        "integer",
        "Tokens that a brief may take in a question to a model, of `ask` and of llm",
        minimum=50,
        maximum=200_000,
    ),
    Setting(
        "model_extraction",
        "off",
        "text",
        "Which sessions a model reads without being asked: off, new (begun after this was set) or all",
        choices=("off", "new", "all"),
    ),
    Setting("extraction_model", "none", "text", "Model that reads them, by its name in `llm models`, or none"),
    Setting(
        "model_budget_cents",
        100,
        "integer",
        "US cents that calls of models may cost in a day (UTC), whoever asks for them",
        minimum=0,
        maximum=1_000_000,
    ),
    Setting("model_timeout_s", 300, "integer", "Seconds that a model may take to answer", minimum=5, maximum=3_600),
    *(
        Setting(f"allow_{name}_cli", False, "boolean", f"Whether sessions may be sent to {way}'s own program")
        for name, way in AGENT_PROGRAMS.items()
    ),
    Setting("suggest_models", True, "boolean", "Say once, after `run`, that an agent's program could read sessions"),
    Setting(
        "daily_cost_cents",
        0,
        "integer",
        "US cents that agents may cost in a day (UTC) before doctor, `cost` and a new session warn; 0 for no budget",
        minimum=0,
        maximum=100_000_000,
    ),
    Setting(
        "gate_vectors",
        "static",
        "text",
        "Vectors by which the gate finds neighbours: static (word vectors), or full (the embedding model, much slower)",
        choices=("static", "full"),
    ),
    Setting(
        "gate_duplicate_likeness",
        0.0,
        "number",
        "Cosine from which on two texts may be the same and wait for a person; 0 is fitted on this file",
        minimum=0,
        maximum=1,
    ),
    Setting(
        "gate_related_likeness",
        0.0,
        "number",
        "Cosine from which on two texts are about the same; 0 is fitted on this file",
        minimum=0,
        maximum=1,
    ),
    Setting(
        "gate_most_destructive",
        5,
        "integer",
        "Memories that the gate may replace or rewrite for a session of a run; more wait for a person",
        minimum=0,
        maximum=100_000,
    ),
    Setting(
        "layer_0_cap",
        20,
        "integer",
        "Memories of a project (and of the user) that may stand in layer 0, always shown",
        minimum=0,
        maximum=1_000,
    ),
    Setting(
        "holdout_share",
        0.0,
        "number",
        "Share of sessions, by lot, that are shown no memory but locked ones, to measure whether it helps; 0 is off",
        minimum=0,
        maximum=1,
    ),
    Setting(
        "mcp_other_projects",
        "named",
        "text",
        "When MCP shows an agent memories of projects other than its folder's: never, named (it named one), always",
        choices=("never", "named", "always"),
    ),
    Setting(
        "mcp_proposals_a_day",
        20,
        "integer",
        "Changes that agents may propose over MCP in 24 hours, where that is allowed (`mcp --write`)",
        minimum=0,
        maximum=10_000,
    ),
    Setting(
        "pre_tool_use",
        True,
        "boolean",
        "Before a tool is used, show memories on its file and obey rules on commands, where that hook is installed",
    ),
    Setting(
        PERSONAL,
        False,
        "boolean",
        "Take personal data out of texts as secrets are: mail addresses, phone numbers and national ids",
    ),
    Setting("timezone", LOCAL, "timezone", "Zone in which dates in questions are read; local is this machine's"),
)
"""Every setting, in the order it is listed.

Source: 2,000 tokens is what agentmemory gives a search; ten hits of about 200 tokens fill it; 800 is what MemLayer
gives a question. The days and the limit are ours: half a year of hits suffices to fit weights on. Five changes a run is
what memem allows its miner.
"""

BY_NAME = {setting.name: setting for setting in SETTINGS}
