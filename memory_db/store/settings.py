"""Settings: what may be set, with type, bounds and default; one row for each that was changed.

In: a name and a text, as a person typed it. Out: a value of the setting's
type. Invariant: a row of `settings` holds JSON that its setting accepts, and
a setting without a row has its default.
"""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from memory_db.errors import InputError
from memory_db.redact import wanted
from memory_db.store.abstainer_weights import SHIPPED
from memory_db.store.connection import ask_for_personal, transaction
from memory_db.store.dates import utc_text
from memory_db.store.setting import LOCAL, Setting, Value, read

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
        1_500,
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
        "prompt_briefs",
        "every",
        "text",
        "Prompts that are told memories: every, first (of a session; later ones the rules they meet), tool (none)",
        choices=("every", "first", "tool"),
    ),
    Setting(
        "pre_tool_use",
        True,
        "boolean",
        "Before a tool is used, show memories on its file and obey rules on commands, where that hook is installed",
    ),
    Setting(
        "backup_keep",
        "3d,4w",
        "keep",
        "Copies that the worker, who makes one a day, keeps: the newest of so many days, weeks, months, years; or off",
    ),
    Setting("backup_encrypt", False, "boolean", "Encrypt copies of the file, which wants a key (`memory-db file key`)"),
    Setting(
        "encryption_key_file",
        "none",
        "text",
        "File of mode 0600 with the key; none: the system's keyring, or, where there is none, a file beside this one",
    ),
    Setting(
        wanted.SETTING,
        False,
        "boolean",
        "Take personal data out of texts as secrets are: mail addresses, phone numbers and national ids",
    ),
    Setting("timezone", LOCAL, "timezone", "Zone in which dates in questions are read; local is this machine's"),
)
"""Every setting, in the order it is listed.

Source: 2,000 tokens is what agentmemory gives a search; ten hits of about 200 tokens fill it; 800 is what MemLayer
gives a question. The days and the limit are ours: half a year of hits suffices to fit weights on. Five changes a run is
what memem allows its miner. Four weeks of copies: as long as Claude Code keeps transcripts, so that a copy and these
together have everything; no longer, for a copy also keeps what was forgotten since.
"""

BY_NAME = {setting.name: setting for setting in SETTINGS}


@dataclass(frozen=True, slots=True)
class Current:
    """A setting as it stands in one file; `changed_at` is None while it has its default."""

    setting: Setting
    value: Value
    changed_at: str | None


SCAN_AGAIN = "delete from scan_progress where place like 'texts of %' or place = 'file'"
"""What is stored is due to be scanned, as after new rules."""


def get(db: sqlite3.Connection, name: str) -> Value:
    """The value of a setting, in its own type.

    Raises: InputError if there is no such setting, or its row holds what it does not accept.
    """
    setting = find(name)
    row = db.execute("select value from settings where name = ?", [name]).fetchone()
    return setting.default if row is None else stored_value(db, setting, row["value"])


def get_text(db: sqlite3.Connection, name: str) -> str:
    """The value of a setting as text. Raises: InputError."""
    return str(get(db, name))


def get_integer(db: sqlite3.Connection, name: str) -> int:
    """The value of an integer or boolean setting. Raises: InputError; ValueError for a setting of text."""
    return int(get(db, name))


def get_number(db: sqlite3.Connection, name: str) -> float:
    """The value of a setting that is a number. Raises: InputError; ValueError for a setting of text."""
    return float(get(db, name))


def put(db: sqlite3.Connection, name: str, text: str, *, now: datetime) -> Value:
    """Sets a setting from text and gives the value it now has; the same value again writes nothing.

    Raises: InputError if there is no such setting, or it does not accept the text.
    """
    setting = find(name)
    value = read(db, setting, text)
    with transaction(db):
        db.execute(
            "insert into settings (name, value, changed_at) values (?, ?, ?)"
            " on conflict (name) do update set value = excluded.value, changed_at = excluded.changed_at"
            " where value <> excluded.value",
            [name, json.dumps(value), utc_text(now)],
        )
        if name == wanted.SETTING and value and db.execute("select changes()").fetchone()[0]:
            db.execute(SCAN_AGAIN)
    if name == wanted.SETTING:
        ask_for_personal(db)
    return value


def all_settings(db: sqlite3.Connection) -> list[Current]:
    """Every setting with its value, in the order of `SETTINGS`.

    Raises: InputError if a row holds what its setting does not accept.
    """
    rows = {row["name"]: row for row in db.execute("select name, value, changed_at from settings")}
    return [
        Current(setting, stored_value(db, setting, row["value"]), row["changed_at"])
        if (row := rows.get(setting.name))
        else Current(setting, setting.default, None)
        for setting in SETTINGS
    ]


def find(name: str) -> Setting:
    """The setting of that name. Raises: InputError."""
    setting = BY_NAME.get(name)
    if setting is None:
        raise InputError(f"There is no setting {name!r}. There are: {', '.join(BY_NAME)}.")
    return setting


def stored_value(db: sqlite3.Connection, setting: Setting, stored: str) -> Value:
    """What a row says, which somebody may have edited by hand. Raises: InputError."""
    try:
        value = json.loads(stored)
    except ValueError:
        value = None
    if type(value) is not type(setting.default):
        raise InputError(
            f"Setting {setting.name} holds {stored!r}, which is not a JSON {setting.kind}. "
            f"Set it again: `memory-db settings {setting.name} {setting.default}`."
        )
    return read(db, setting, str(value))


def user_zone(db: sqlite3.Connection) -> ZoneInfo:
    """The zone in which a person's words are read: for `local` this machine's, and UTC where it does not tell.

    Raises: InputError if the setting holds what it does not accept.
    """
    return zone_named(get_text(db, "timezone"))


def zone_named(name: str) -> ZoneInfo:
    """A time zone by its name: for `local` this machine's, and UTC where there is none of that name."""
    import tzlocal  # noqa: PLC0415  # start-up: few commands read dates in words

    try:
        return ZoneInfo(name if name != LOCAL else tzlocal.get_localzone_name() or "UTC")
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return ZoneInfo("UTC")
