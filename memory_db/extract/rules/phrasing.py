"""How a finding is written down: text, title, keys, paths, tags, importance.

In: a finding and what surrounds it. Out: the fields of a candidate. Invariant:
pure; the quote is left as it is, only `text` is tidied.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from memory_db.extract.rules.politeness import said_plainly
from memory_db.extract.rules.prose import ProseFinding
from memory_db.text.terms import PATH, STOP_WORDS

MOST_KEYS = 8
MOST_PATHS = 10
MOST_TAGS = 4
TEXT_CHARACTERS = 1_000

OPENERS = re.compile(
    r"^(?:(?:no,? wait|hm+,? no|no,? no|no|nope|nah|wrong|hey|wait|hold on|ugh|argh|hm+|"
    r"stop|actually|also|and|but|btw|by the way|oh|ok|"
    r"okay|well|right|"
    r"ah|oof|looks good|you know what|good|nice|great|perfect|lovely|yep|yeah|works|fyi|psa|please|sorry|"
    r"for the record|forget it(?=, (?:the|our|we) )|"
    r"for (?:future )?reference|heads[- ]up|one more thing|again|important|"
    r"reminder|(?:one|a) general matter|for next time|before i forget(?: it)?)\s*"
    r"[,.:;!–—-]+\s+|(?:one|two|three|first|second|third):\s+|(?:kk?|lol|haha|hah|ffs|yep|yup|also|actually|and|but|"
    r"btw|oh|ah|hm+|ugh|oof|(?:please "
    r")?(?:remember|note|keep in mind)(?: that| to|"
    r"[:,]))\s+)+",
    re.IGNORECASE,
)
"""Words that open a sentence and say nothing once it stands alone."""

IDENTIFIER = re.compile(
    r"\b(?:[a-z0-9]+_[a-z0-9_]+|[a-z]+[A-Z]\w+|[A-Z][a-z]+[A-Z]\w+|[A-Z][A-Z0-9_]{3,})\b|(?<!\w)--[a-z][\w-]+|"
    r"\b[\w-]+(?:\.[\w-]+)+\b|:\d{4,5}\b"
)
CODE = re.compile(r"`([^`\n]{2,60})`")
WORD = re.compile(r"[A-Za-z][\w-]+")

ALIASES = {
    "db": "database",
    "database": "db",
    "k8s": "kubernetes",
    "prod": "production",
    "production": "prod",
    "repo": "repository",
    "config": "configuration",
    "deps": "dependencies",
    "dependency": "package",
    "auth": "authentication",
    "docs": "documentation",
    "ci": "continuous integration",
    "pr": "pull request",
    "prs": "pull requests",
    "js": "javascript",
    "ts": "typescript",
    "env": "environment",
    "pip": "python packages",
    "uv": "python packages",
    "npm": "node packages",
    "pnpm": "node packages",
    "yarn": "node packages",
    "pytest": "tests",
    "mock": "test double",
    "mocks": "test doubles",
    "commit": "git",
    "rebase": "git",
    "squash": "git",
    "branch": "git",
    "tz": "timezone",
    "timezone": "time zone",
    "utc": "time zone",
    "perf": "performance",
    "migration": "schema change",
    "migrations": "schema changes",
    "deploy": "release",
    "release": "deploy",
    "creds": "credentials",
    "lint": "code style",
    "ruff": "linter",
    "eslint": "linter",
    "mypy": "type checker",
    "postgres": "database",
    "sqlite": "database",
}
"""Another word by which the same thing may be asked for."""

TAGS = (
    ("testing", r"\b(?:tests?|pytest|jest|vitest|fixtures?|mocks?|coverage|flaky|e2e)\b"),
    ("git", r"\b(?:git|commits?|branch(?:es)?|rebase|squash|merge|pull requests?|prs?|push(?:ing)?)\b"),
    ("database",
        r"\b(?:databases?|db|sql|sqlite|postgres\w*|mysql|migrations?|schema|tables?|columns?|index(?:es)?)\b"
        ),
    ("deployment",
        r"\b(?:deploy\w*|staging|production|prod|release\w*|rollback|docker\w*|containers?|kubernetes|k8s|"
        r"terraform)\b"
        ),
    ("dependencies", r"\b(?:pip|uv|npm|pnpm|yarn|poetry|cargo|dependenc\w+|packages?|lock ?file|requirements)\b"),
    ("style",
        r"\b(?:naming|names?|formatting|format|lint\w*|ruff|eslint|prettier|docstrings?|comments?|indent\w*|tabs|"
        r"spaces|type hints)\b"
        ),
    ("security", r"\b(?:secrets?|credentials?|passwords?|tokens?|api keys?|auth\w*|permissions?|encrypt\w+)\b"),
    ("api", r"\b(?:api|endpoints?|webhooks?|rest|graphql|openapi|http|json)\b"),
    ("frontend", r"\b(?:css|html|react|vue|svelte|frontend|components?|buttons?|browser)\b"),
    ("documentation", r"\b(?:docs?|documentation|readme|changelog)\b"),
    ("time", r"\b(?:utc|time ?zones?|timestamps?|dates?|datetime)\b"),
    ("money", r"\b(?:cents|prices?|currency|vat|tax|invoices?|amounts?|payments?)\b"),
    ("communication", r"\b(?:answers?|repl(?:y|ies)|summar\w+|explanations?|emojis?|concise|brief|verbose)\b"),
)  # fmt: skip
"""Topics, each with the words that show it."""

IMPORTANCE = {"correction": 4, "decision": 4, "preference": 4, "behaviour": 2, "issue": 3}
ORDINARY_IMPORTANCE = 3

IMPORTANCE_OF_TOLD = 2
"""How much matters what is only told of how something is.

Source: the seen half of bench/data/sessions: of such statements 40 of 82 are of use and can be read alone, of those
that order, forbid, decide or ask 132 of 186, of answers to the agent 97 of 116.
"""

STRESSED = frozenset({"told before", "remember", "not allowed", "ask me first"})
"""Cues that raise the importance by one."""


ANGER = re.compile(
    r"\bhow (?:often|many times) (?:do|did|must|should|will|have|has|am|are|can)\b[^.?!]*[.?!]*|"
    r"[,;(]?\s*\b(?:come on(?=[,.!?;:]|$)|for (?:god|heaven|christ|fuck)'?s sake|wtf|"
    r"omg|ffs|damn(?: it)?|you had one job|are you kidding(?: me)?|seriously|jesus|argh+|ugh+)\b[!?.]*|"
    r"\bi(?:'ve| have)? (?:already )?told you (?:so |that |this |it )?(?:before|already|twice|again|"
    r"a hundred times|last time|"
    r"the other day|yesterday)"
    r"\b[,.!:]*|\bthat(?:'s| is) the (?:second|third|fourth|fifth) time\b[^.!?]*[.!?]*",
    re.IGNORECASE,
)
"""Words that only tell how somebody felt."""

WHEN_SAID = re.compile(
    r",?\s*\b(?<!\bas )(?<!\bthan )(?<!\blike )(?<!\buntil )(?<!\btill )(?<!\bbefore )(?<!\bfor )"
    r"(?:(?:(?:since|from|of) )?(?:just now|last night|yesterday(?!')(?: (?:morning|noon|afternoon|evening|night))?|"
    r"this (?:morning|afternoon|evening)|earlier "
    r"today)|a minute ago|(?<=, )(?:[\w-]+ ){1,3}this (?:time|once)(?=,)|btw|lol|thx|haha|pls)\b",
    re.IGNORECASE,
)
"""Relative times that tell when it was said and nothing else, and words of no meaning."""


ORDERED_LAST = re.compile(
    r"[,;] (?:so |and |but |then )?(?:(?:can|could|would|will) you\b[^,.;:!?]{3,60}|please \w+ (?:it|this|that|them)"
    r"(?: \w+){0,3})\W*$",
    re.IGNORECASE,
)
"""What is to be done now, at the end of what holds: "every script quotes its names, can you bring it in line"."""


def standing(quote: str) -> str:
    """A quote without anger and without times that mean something only on the day it was said."""
    quote = re.sub(
        r"^\s*(?:commit|push|ship it)(?: it| that| this)?[,.] (?!(?:in|with|as|by|without|under|only)\b)(?=\w)",
        "",
        quote,
        flags=re.IGNORECASE,
    )
    quote = said_plainly(quote)
    text = WHEN_SAID.sub(parting, ANGER.sub("", ORDERED_LAST.sub("", quote)))
    text = text if text == quote else re.sub(r"\s+([,.;!?])(?=\s|$)", r"\1", text)
    text = re.sub(r"!{2,}", "!", text).strip(" ,;")
    return text if re.search(r"\w", text) else quote


def parting(moment: re.Match[str]) -> str:
    """What stays of a moment that is left out: the comma before it, where a word goes on behind it."""
    goes_on = moment[0].startswith(",") and re.match(r" \w", moment.string[moment.end() :]) is not None
    return "," if goes_on else ""


def tidied(quote: str) -> str:
    """A quote as a text that stands alone: no opener, one line, a full stop."""
    text = " ".join(quote.replace("\x00", " ").split())
    text = OPENERS.sub("", text, count=1) or text
    text = text[:TEXT_CHARACTERS].rstrip(" ,;:-–—")
    if text[:1].islower() and not IDENTIFIER.match(text):
        text = text[0].upper() + text[1:]
    return text if text[-1:] in ".!?…)" else text + "."


def stated(quote: str) -> str:
    """A quote as it stands within a text: without what is of its day, tidied."""
    return tidied(standing(quote))


def importance_of(finding: ProseFinding, *, is_told: bool = False) -> int:
    """From 1 to 5, by kind, and one more where it is stressed; `is_told` says that it only tells how something is."""
    ordinary = IMPORTANCE_OF_TOLD if is_told else IMPORTANCE.get(finding.kind, ORDINARY_IMPORTANCE)
    return min(5, ordinary + bool(STRESSED & set(finding.cues)))


def keys_of(text: str, kind: str, around: Iterable[str] = ()) -> list[str]:
    """Words by which the finding should be found: exact names, then what is salient, then what is not in the text."""
    exact = [*CODE.findall(text), *PATH.findall(text), *IDENTIFIER.findall(text)]
    exact = [name for name in exact if name not in LOUD]
    words = [
        word.lower() for word in WORD.findall(text) if word.lower() not in STOP_WORDS and word.lower() not in EMPTY
    ]
    derived = [ALIASES[word] for word in words if word in ALIASES]
    salient = words[:4] if kind in ("correction", "preference") else []
    return distinct([*exact[:4], *salient, *derived[:2], *around])[:MOST_KEYS]


LOUD = frozenset(
    {"FAILED", "ERROR", "WARNING", "FATAL", "NEVER", "ALWAYS", "ONLY", "DONT", "STOP", "PLEASE", "HTTP", "JSON"}
)
"""Words in capitals that name nothing."""

EMPTY = frozenset(
    [
        "don",
        "always",
        "never",
        "stop",
        "instead",
        "prefer",
        "please",
        "keep",
        "put",
        "want",
        "like",
        "told",
        "again",
        "make",
        "sure",
        "thing",
        "things",
        "way",
        "actually",
        "rather",
        "need",
        "needs",
        "doesn",
        "isn",
        "won",
        "didn",
        "can",
    ]
)
"""Words of telling somebody off, which say nothing of what it is about."""


def paths_of(text: str, root: str | None) -> list[str]:
    """Files and folders named, each once; those in the project as seen from its root."""
    return distinct(within(path.rstrip("."), root) for path in PATH.findall(text))[:MOST_PATHS]


def within(path: str, root: str | None) -> str:
    """A path as seen from the project's root, where it is below it."""
    return path.removeprefix(root.rstrip("/") + "/") if root else path


def tags_of(text: str) -> list[str]:
    """The topics that a text touches."""
    lower = text.lower()
    return [tag for tag, pattern in TAGS if re.search(pattern, lower)][:MOST_TAGS]


def distinct(items: Iterable[str]) -> list[str]:
    """Items without repetition (whatever their case) and without emptiness, in order."""
    seen: dict[str, str] = {}
    for item in items:
        stripped = item.strip()
        if stripped:
            seen.setdefault(stripped.casefold(), stripped)
    return list(seen.values())
