"""How a finding is written down: text, title, scope, keys, paths, tags, importance.

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
    r"ah|oof|good|nice|great|perfect|lovely|yep|yeah|works|fyi|psa|please|sorry|for the record|"
    r"for (?:future )?reference|heads[- ]up|one more thing|again|important|"
    r"reminder|before i forget(?: it)?)\s*"
    r"[,.:;!–—-]+\s+|(?:kk?|lol|haha|hah|ffs|yep|yup|also|actually|and|but|btw|oh|ah|hm+|ugh|oof|(?:please "
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

USER_CUES = frozenset({"I like", "how I work", "how to talk to me", "ask me first", "everywhere I work"})
"""Cues of knowledge about the user, wherever they work."""

PROJECT_CUES = frozenset(
    {"in this project", "we do", "our", "lives in", "people here", "business", "part of the system"}
)
"""Cues that tie a sentence to the project it was said in."""

PERSONAL_KINDS = frozenset({"preference", "behaviour", "correction"})
"""Kinds that may be about the user; the others are about what is worked on."""

IMPORTANCE = {"correction": 4, "decision": 4, "preference": 4, "behaviour": 2, "issue": 3}
ORDINARY_IMPORTANCE = 3
STRESSED = frozenset({"told before", "remember", "not allowed", "ask me first"})
"""Cues that raise the importance by one."""


ANGER = re.compile(
    r"\bhow (?:often|many times) (?:do|did|must|should|will|have|has|am|are|can)\b[^.?!]*[.?!]*|"
    r"[,;(]?\s*\b(?:come on|for (?:god|heaven|christ|fuck)'?s sake|wtf|"
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
    r"(?:(?:(?:since|from|of) )?(?:just now|last night|yesterday(?!')|"
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
    text = WHEN_SAID.sub("", ANGER.sub("", ORDERED_LAST.sub("", quote)))
    text = text if text == quote else re.sub(r"\s+([,.;!?])(?=\s|$)", r"\1", text)
    text = re.sub(r"!{2,}", "!", text).strip(" ,;")
    return text if re.search(r"\w", text) else quote


def tidied(quote: str) -> str:
    """A quote as a text that stands alone: no opener, one line, a full stop."""
    text = " ".join(quote.replace("\x00", " ").split())
    text = OPENERS.sub("", text, count=1) or text
    text = text[:TEXT_CHARACTERS].rstrip(" ,;:-–—")
    if text[:1].islower() and not IDENTIFIER.match(text):
        text = text[0].upper() + text[1:]
    return text if text[-1:] in ".!?…)" else text + "."


EVERYWHERE = re.compile(
    r"\b(?:all|any|every|each) our (?:projects|repos|code)\b|\b(?:anything|everything|whatever) you write\b"
    r"(?! (?:in|into|to|on) (?:there|it|that|this)\b| (?:there|here)\b)|"
    r"\b(?:all|any|every|each)(?: of)? (?:my|of my) (?:\w+ )?(?:projects?|repos?|repositor(?:y|ies)|code|things|"
    r"machines|work|charts?|apps?|"
    r"stuff|laptops|boxes)\b|\bin (?:every|each|any) (?:project|repo)\b|\beverywhere i\b|\bwherever i\b|"
    r"\b(?:in|on) (?:all )?my (?:other )?(?:things|projects|repos|repositories|machines)|\bother (?:projects|repos|"
    r"repositories) of mine\b|\b(?:all|every|any|"
    r"each) [\w ]{1,20}?\bi "
    r"(?:look at|write|make|work|have|own|touch|build)\b|\bin general,? i\b|\bi (?:always|never|generally) .{1,40}"
    r"(?:everywhere|anywhere)\b|\bon all machines\b|\bfor (?:every|any|all) \w+ (?:project|repo)s?\b|"
    r"\bnone of my (?:\w+ )?(?:projects|repos|repositories|apps|machines)\b|\b(?:here|this)(?:,)? (?:and|or)(?: in)? "
    r"(?:everywhere|anywhere|any other (?:code|project|repo|repository))\b|\beverywhere else\b|"
    r"\bwherever (?:you|we) (?:work|write|help|are|do|go)\b|\b(?:here|this),? (?:and|or)(?: in)? (?:whatever|"
    r"wherever)\b|"
    r"\bnot here and not in any\b|\b(?:what|which)ever (?:project |repo |repository |code )?i (?:work on|write|"
    r"touch|build|do|am in|'m in)\b|"
    r"\b(?:all|any|every|each)(?: other)? (?:projects?|repos?|repositor(?:y|ies)) of mine\b|"
    r"\b(?:goes|holds|counts|applies|same) (?:for|in|to) (?:all|any|every|each)(?: other)? (?:projects?|repos?)\b|"
    r"\bnot (?:just|only) (?:in |for |on )?(?:this|here)\b|\bno matter (?:which|what) (?:project|repo)|"
    r"\bwhatever the project\b|\bindependent of the project\b|\bi \w+ "
    r"[^,;.]{1,40} for (?:everything|anything)\b|"
    r"\b(?:it|that|this) holds everywhere\b|"
    r"\b(?:everything|anything|nothing|whatever)(?: else)?(?: that)? i (?:do|own|write|make|build|run|have|maintain|"
    r"touch|"
    r"work on)\b(?! (?:here|there|with (?:it|this|that))\b)",
    re.IGNORECASE,
)
"""How somebody says that a thing holds wherever they work."""

SPEAKS_OF_ME = re.compile(
    r"(?:^|[,;:.!] ?|[–—-] |\b(?:and|but|since|because|as|please) )(?:\w+ )?"
    r"(?:i|i'm|i've|my [\w ]{1,20}(?:is|are))\b(?!'ll| will)"
    r"|\b(?:push(?:es|ing)?|commits?|merges?|deploys?|tags?|releases?) (?:is|are|stays?|i (?:do|make)) ?\b"
    r"|\b(?:for|with|tell|show|ask|give|answer|write) me\b|\bmine\b",
    re.IGNORECASE,
)
"""A clause whose subject is the user, or which says what the agent does for them."""

MY_WAY = re.compile(
    r"\bi (?:always |usually |generally |only |never |also )?(?:write|keep|word|phrase|name|make|format) (?:my |all |"
    r"the )?(?:commits|commit (?:messages?|msgs?|subjects?|titles?)|messages of commits|pull requests|prs)\b",
    re.IGNORECASE,
)
"""How somebody tells their way of doing what each project has: "I write commit messages like ..."."""

MY_STAGING = re.compile(
    r"\bnever (?:use )?(?:git )?add (?:-a\b|--all\b|\.(?!\w))|\bstage (?:the )?(?:files |them |things )?(?:by name|"
    r"one by one)\b|"
    r"\bno (?:git )?add -a\b",
    re.IGNORECASE,
)
"""How somebody wants files to be staged, which is a habit of theirs: "never add -A"."""

NOT_HERE = re.compile(
    r"\b(?:so|then|therefore) i(?:'d| would)? (?:prefer|rather)\b|"
    r"\bi (?:don't |do not |dont )?(?:want|need) (?:to|a|an|the|it|that|this|them)\b(?!.*\b(?:ever|any|in general)\b)"
    r"|\bi (?:\w+ ){1,2}(?:this|that|these|those) "
    r"(?!(?:myself|alone|is|was|way|in|on|at|for|with|from|by|to|and|or|all|when|if|because)\b)\w+"
    r"|\b(?:got|gets|is|was) \w+ than i\b|\bi(?:'ll| will)\b",
    re.IGNORECASE,
)
"""What the user wants of one thing at hand: "I don't want a dependency for that"."""

ONLY_SCOPE = re.compile(
    r"^\W*(?:(?:and|but|so|also) )?(?:(?:that|it|this|same) (?:holds|goes|counts|applies) |same )?(?:in|for|across) "
    r"(?:all|any|every|each)(?: of)?(?: (?:my|our|the|other))* (?:projects?|repos?|repositor(?:y|ies)|codebases?)"
    r"(?: of (?:mine|ours)| (?:i|we) have)?\W*$",
    re.IGNORECASE,
)
"""A sentence that says where a rule holds, and no rule: "in every repo of mine"."""

DESCRIBES = re.compile(r"^(?:[\w ,']{1,30}[.!] )?there (?:is|are|was|were)\b", re.IGNORECASE)
"""How somebody tells what there is, which is no wish for how the agent is to work."""

OF_ONE_THING = re.compile(
    r"\bi (?:(?!(?:like|love|hate|prefer)\b)\w+ ){1,4}(?:it|them)\b(?=.*\bmyself\b)|"
    r"\bi (?:only |just |still )?(?:(?:have|need|had) to|must) (?:\w+ ){1,3}(?:it|them)\b|"
    r"(?:^|[,.;:] )(?:and |but )?(?:the|that|this) (?!(?:push|commit|merg|review|deploy|releas|tag|branch|pull|"
    r"final|last)\w*)"
    r"(?:[\w-]+ ){1,5}(?:is|are|stays?) mine\b|"
    r"^(?:please )?the (?!(?:answers?|repl(?:y|ies)|commits?|messages?|tests?|code|diffs?|summar(?:y|ies)|comments?|"
    r"docstrings?|names?|functions?|branch(?:es)?|plans?|explanations?|first|last|rest)\b)"
    r"[\w-]+(?: (?:and|or) the [\w-]+)? (?:should|must|shall|has to|"
    r"have to|"
    r"may|can)\b",
    re.IGNORECASE,
)
"""What the user does with one thing at hand, or keeps of it: "I merge into it myself", "the pressing of the button is
mine"."""

STATING_CUES = frozenset({"states a fact", "needs"})
"""Cues of a sentence that says how something is, rather than how the agent is to work."""


OF_THE_PROJECT = re.compile(
    r"\b(?:we|us|our|ours|he|she|him|his|her|(?:half|most|some|many) of them|people|customers?|"
    r"production|prod|pull requests?|reviewers?|colleagues?|the team|here|"
    r"wir|uns|unsere?\w?|nous|notre|nosotros|nuestr\w+|nós|noss\w+|noi|nostr\w+|nasz\w*|нас|наш\w*|мы)\b"
    r"|我们|他们|私たち|우리",
    re.IGNORECASE,
)
"""Words by which what somebody wants is of this project, its people and what runs there."""


def scope_of(finding: ProseFinding, *, has_project: bool) -> str:
    """Whether the finding is about the user or about the project it was said in."""
    cues = set(finding.cues)
    if not has_project or EVERYWHERE.search(finding.quote):
        return "user"
    is_my_way = MY_WAY.search(finding.quote) or MY_STAGING.search(finding.quote)
    if is_my_way and not OF_THE_PROJECT.search(finding.quote):
        return "user"
    if finding.kind not in PERSONAL_KINDS:
        return "project"
    if any(each.search(finding.quote) for each in (OF_THE_PROJECT, OF_ONE_THING, DESCRIBES)):
        return "project"
    if NOT_HERE.search(finding.quote) or (cues & STATING_CUES and not SPEAKS_OF_ME.search(finding.quote)):
        return "project"
    about_user = len(cues & USER_CUES) * 2 + (finding.kind != "correction")
    about_project = len(cues & PROJECT_CUES) + ("technical token" in cues)
    return "user" if about_user > about_project else "project"


def importance_of(finding: ProseFinding) -> int:
    """From 1 to 5, by kind, and one more where it is stressed."""
    return min(5, IMPORTANCE.get(finding.kind, ORDINARY_IMPORTANCE) + bool(STRESSED & set(finding.cues)))


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
