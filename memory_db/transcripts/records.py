"""The common shapes that every reader gives, and the cleaning that all of them share.

In: values of any JSON type. Out: sessions, entries, actions, results, calls
and problems, ready to be stored. Invariant: a text in one of these shapes has
passed `redact`; an id in one of them holds no secret and can be encoded.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Self

from memory_db.redact.clean import Finding, clean
from memory_db.store.dates import utc_text
from memory_db.text.one_line import cut

if TYPE_CHECKING:
    from memory_db.text.provenance import Span

INPUT_CHARACTERS = 20_000
"""How much of a tool's input is kept, as JSON."""

STRING_CHARACTERS = 2_000
"""How much of each text is kept in a tool's input that is longer than that."""

EXCERPT_CHARACTERS = 300
"""How much is kept of a line that cannot be read."""

LARGEST_COUNT = 100_000_000
"""Counts beyond this are not counts.

Source: a hundred times what the largest windows of today hold; so that what a call costs stays a 64-bit integer of
nanocents at every price that may be set.
"""

MISSHAPEN = (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, RecursionError)
"""What a reader meets where a value has a shape that nobody foresaw: a problem of that line, and of no other."""

BLANK = "blank"
"""What `Item.skipped` says of a line in which nothing stands."""

PLAIN_ID = re.compile(
    r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?:msg|req|toolu|srvtoolu)_[0-9A-Za-z]{8,64}|[0-9a-f]{6,64}"
)
"""Ids that need no scan: a UUID, one of the API's own, or a hexadecimal hash."""

Findings = list[tuple[str, Finding]]
"""What redaction found, each with the field it was found in."""


@dataclass(slots=True)
class Stored:
    """How far a reader came, or what it knows by then: kept in `sources.cursor` between two runs."""

    def text(self) -> str:
        """The values as they are stored."""
        return json.dumps(asdict(self))

    @classmethod
    def of(cls, text: str | None) -> Self:
        """What was stored, or the values before everything."""
        return cls(**json.loads(text)) if text else cls()


@dataclass(slots=True, frozen=True)
class Action:
    """A tool call: `input` is redacted JSON, `target` the file, command or address it is about."""

    uid: str
    tool: str
    target: str | None
    input: str


@dataclass(slots=True, frozen=True)
class ActionResult:
    """What came of the action of that uid."""

    action_uid: str
    is_error: bool
    excerpt: str


@dataclass(slots=True, frozen=True)
class ApiCall:
    """The usage of one answer of a model, in tokens."""

    message_uid: str
    request_uid: str
    model: str
    input_tokens: int
    output_tokens: int
    cache_write_5m_tokens: int
    cache_write_1h_tokens: int
    cache_read_tokens: int
    service_tier: str | None


@dataclass(slots=True)
class Session:
    """What is said of a session; None is 'not said here'. A `title` wins over a `prompt_title`.

    `follows_uid` is the session that stands before it in the same file: it
    counts as continued only where this session was not known before.
    """

    uid: str
    parent_uid: str | None = None
    continued_from_uid: str | None = None
    follows_uid: str | None = None
    agent: str | None = None
    title: str | None = None
    prompt_title: str | None = None
    cwd: str | None = None
    git_branch: str | None = None
    agent_version: str | None = None


@dataclass(slots=True)
class Entry:
    """One message or tool event; `position` grows along the session. `spans` may be told later: None until then."""

    uid: str
    session_uid: str
    role: str
    kind: str
    text: str
    created_at: str
    position: int
    parent_uid: str | None = None
    is_sidechain: bool = False
    model: str | None = None
    image_count: int = 0
    actions: list[Action] = field(default_factory=list)
    results: list[ActionResult] = field(default_factory=list)
    api_call: ApiCall | None = None
    findings: Findings = field(default_factory=list)
    spans: list[Span] | None = None


@dataclass(slots=True, frozen=True)
class Problem:
    """Something on a line that could not be understood, or not fully."""

    line: int
    reason: str
    excerpt: str | None = None
    findings: tuple[Finding, ...] = ()


@dataclass(slots=True)
class Item:
    """What one line (or one message of an export) gave: at most one entry, else why there is none.

    `skipped` names the type of a record that is passed over; with neither entry nor
    `skipped` the line is unreadable and `problems` says why.
    """

    line: int
    entry: Entry | None = None
    sessions: list[Session] = field(default_factory=list)
    skipped: str | None = None
    problems: list[Problem] = field(default_factory=list)
    findings: Findings = field(default_factory=list)

    def pass_over(self, type_name: str) -> None:
        """Makes it a record of a type that is counted, and nothing more."""
        self.entry, self.skipped, self.problems = None, type_name, []

    def not_kept(self, reason: str) -> None:
        """Makes it a line that is not understood, of which nothing but the reason is kept."""
        self.entry = None
        self.problems.append(Problem(self.line, reason))


def cleaned(value: object, field_name: str, findings: Findings) -> str:
    """A text without secrets and injected blocks; what was found is added to `findings`. Anything but text is ""."""
    if not isinstance(value, str) or not value:
        return ""
    text, found = clean(value)
    findings.extend((field_name, finding) for finding in found)
    return text


def bounded_json(safe: object, limit: int) -> str:
    """A cleaned value as JSON of at most about `limit` characters: long texts in it are cut first, then the whole."""
    text = json_text(safe)
    if len(text) > limit:
        text = json_text(shortened(safe))
    if len(text) > limit:
        text = json_text({"truncated": text[:limit], "characters": len(text)})
    return text


def shortened(value: Any) -> Any:
    """A JSON value in which each long text is cut, with a note of how much is missing."""
    if isinstance(value, str):
        more = len(value) - STRING_CHARACTERS
        return value if more <= 0 else f"{value[:STRING_CHARACTERS]}… [{more} more characters]"
    if isinstance(value, list):
        return [shortened(part) for part in value]
    if isinstance(value, dict):
        return {key: shortened(part) for key, part in value.items()}
    return value


COMPACT = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def json_text(value: object) -> str:
    """Compact JSON; numbers that JSON has no word for become null."""
    try:
        return COMPACT.encode(value)
    except ValueError:
        return COMPACT.encode(json.loads(json.dumps(value), parse_constant=lambda _: None))


@lru_cache(maxsize=4096)
def short_clean(value: str, limit: int = 1000) -> str:
    """A short text that comes back line after line (a folder, a branch, a model), cleaned once."""
    return clean(value)[0].strip()[:limit]


def named(value: object) -> str | None:
    """A short cleaned text, or None where there is none."""
    return (short_clean(value) or None) if isinstance(value, str) and value else None


def identifier(value: object) -> str | None:
    """An id as it may be stored: itself, or its hash where it holds what redaction would remove. None for no id."""
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)[:64]
    if not isinstance(value, str) or not value:
        return None
    if PLAIN_ID.fullmatch(value):
        return value
    return value if len(value) <= 200 and short_clean(value) == value else digest(value.encode("utf-8", "replace"))


def digest(*parts: bytes) -> str:
    """32 hexadecimal characters that follow from the parts."""
    return sha256(b"\x00".join(parts)).hexdigest()[:32]


def count(value: object, largest: int = LARGEST_COUNT) -> int:
    """A number of tokens: what is not a sensible one is 0."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        return 0
    return value if 0 <= value <= largest else 0


AS_KEPT = re.compile(r"\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):\d\d:\d\d\.\d{3}Z", re.ASCII)
"""A time that is written as the file keeps it, as Claude Code writes it."""


def moment(value: object) -> str | None:
    """A time as the file keeps it, from ISO text or seconds or milliseconds since 1970; None where it is neither."""
    try:
        if isinstance(value, str):
            when = datetime.fromisoformat(value.strip())
            if AS_KEPT.fullmatch(value):
                return value
            return utc_text(when if when.tzinfo else when.replace(tzinfo=UTC))
        if isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
            return utc_text(datetime.fromtimestamp(value / 1000 if value > 1e11 else value, UTC))
    except (ValueError, OverflowError, OSError):
        return None
    return None


def one_line(text: str, limit: int) -> str:
    """A text on one line of at most `limit` characters."""
    flat = " ".join(text[: 4 * limit].split())
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"


def title_line(text: str, limit: int) -> str:
    """The beginning of a text as a title of at most `limit` characters: whole sentences, else whole words."""
    return cut(text[: 4 * limit], limit)


ESCAPE = re.compile(r"\\+(?:u([0-9a-fA-F]{4})|/)")
"""A character written as JSON may write it, however often it was escaped."""


def unescaped(text: str) -> str:
    """A text with JSON's `\\uXXXX` and `\\/` resolved, but for NUL and surrogates, which could not be stored."""
    return ESCAPE.sub(lambda match: resolved(match[0], int(match[1] or "2f", 16)), text)


def resolved(escape: str, code: int) -> str:
    """The character that an escape stands for, or the escape where that could not be stored."""
    return escape if code == 0 or 0xD800 <= code <= 0xDFFF else chr(code)


def misshapen(line: int, error: Exception, raw: str = "") -> Problem:
    """The problem that one of MISSHAPEN is: the kind of the error, whose words may quote the line."""
    too_deep = isinstance(error, RecursionError)
    return problem(line, "nested too deeply" if too_deep else f"not understood: {type(error).__name__}", raw)


def problem(line: int, reason: str, raw: str = "") -> Problem:
    """A problem with the cleaned beginning of what caused it.

    The text is cleaned before it is cut, in a window long enough for any key
    that begins within the excerpt. Where escapes hide a secret there is no excerpt.
    """
    window = raw[: 60 * EXCERPT_CHARACTERS]
    excerpt, found = clean(window)
    plain, hidden = clean(unescaped(window))
    if plain != unescaped(excerpt):
        excerpt, found = "", hidden
    return Problem(line, reason, excerpt[:EXCERPT_CHARACTERS] or None, tuple(found))
