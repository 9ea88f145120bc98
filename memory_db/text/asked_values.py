"""What sort of value a prompt asks for in whatever words, and whether a text gives one: "how strict are we?" asks for a
limit, which "12 percent, signed and all" gives; "what do I send her, the address?" for a port or a host.

In: a prompt, a text. Out: the sorts that are asked for, and whether the text gives a value of one. Pure, linear in the
length of the texts; a pattern is compiled only where a prompt has a word of it.

A hook loads this: the standard library alone.
"""

from __future__ import annotations

from memory_db.records import DOTALL, IGNORECASE, later, marked
from memory_db.text.questions import clauses_that_ask

REASON, OF_FAULTS = "reason", ("fix", "quirk", "failure")
"""The sort of which a memory of these kinds is one whatever its words: it tells what was wrong."""

READ_CHARACTERS = 2_000
"""How much of a text is read."""

WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
UNIT = r"(?:seconds?|secs?|minutes?|mins?|hours?|days?|nights?|weeks?|months?|years?|ms|s|h)"
COUNTED = r"(?:\d+|two|three|four|five|six|seven|eight|ten|twelve|thirty|sixty|ninety)"
HOW_STRICT = ("strict", "tight", "tolerant", "lenient", "picky", "generous", "fussy", "precise", "exact")
HOW_MUCH = ("much", "many", "far", "big", "large", "long", "high", "low", "small")
MOST = ("most", "least", "longest", "largest", "biggest", "smallest", "highest", "lowest", "oldest", "newest")
VERSIONED = ("version", "release", "python", "node", "java", "sqlite", "postgres", "php", "ruby", "go", "compiler")

SORTS = (
    ("address", marked(
        r"\b(?:address|urls?|links?|ports?|hosts?|hostname|curl)\b"
        r"|\b(?:which|what) (?:box|machine|server|computer)\b"
        r"|\b(?:box|machine|server)\b.*\bwhich one\b|\bwhich one\b.*\b(?:box|machine|server)\b"
        r"|\bwhere (?:do|does|can|is|are|did)\b.*\b(?:page|site|preview|dashboard|app|service|server|listen|run)s?\b",
        IGNORECASE,
        marks=(
            "address", "url", "link", "port", "host", "curl", " box", " machine", " server", " computer", "which one",
            "where do", "where can", "where is", "where are", "where did",
        ),
    ), later(
        r"\bports?\b\D{0,30}\d{2,5}\b|:\d{4,5}\b|https?://|\blocalhost\b"
        r"|\b[a-z][\w-]*(?:\.[\w-]+)*\.(?:example|local|lan|internal|corp|home|com|org|net|io|dev|de)\b"
        r"|\b(?:on|to|is|at|use|and) \d{4,5}\b",
        IGNORECASE,
    )),
    ("limit", marked(
        rf"\bhow (?:{'|'.join(HOW_STRICT)})\b"
        rf"|\bthe (?:{'|'.join(MOST)})\b"
        r"|\bhow \w+ (?:may|can|must)\b"
        r"|\b(?:limits?|thresholds?|cut-?offs?|tolerances?|maximum|minimum)\b"
        rf"|\bhow (?:{'|'.join(HOW_MUCH)})\b.*\b(?:allowed|accept|may|ok|okay|too|still|"
        r"at most|fits?)\b",
        IGNORECASE,
        marks=(
            *[f"how {each}" for each in (*HOW_STRICT, *HOW_MUCH)], *[f"the {each}" for each in MOST], " may", " can",
            " must", "limit", "threshold", "cutoff", "cut-off", "tolerance", "maximum", "minimum",
        ),
    ), later(
        r"(?=.*\d)(?:.*\b(?:limit|threshold|cut-?off|tolerance|maximum|minimum|max|min|tight(?:er)?|strict(?:er)?"
        r"|at most|at least|no more than|up to|above|below|percent|holds|fits?)\b|.*\d ?%)"
        r"|.*\b(?:no|never|not) (?:more|less|longer|later|older|fewer) than\b",
        IGNORECASE | DOTALL,
    )),
    ("person", marked(
        r"^\W*(?:\w+\W+){0,2}(?:who|whose|whom)\b|\bwho (?:do|does|can|should|has|owns|is|was|maintains)\b|\bwhose\b",
        IGNORECASE,
        marks=("who",),
    ), later(
        r"\b(?:belongs? to|owned by|owns?|ask|maintain(?:s|ed)|responsible|exports?|brings?|carries|puts?|rolls?)\b"
        r"|\b(?:is|are|that's|it's|thats|its) [\w-]+(?:'s|s'|’s|s’)(?![\w])",
        IGNORECASE,
    )),
    ("day", marked(
        rf"^\W*(?:\w+\W+){{0,2}}when\b|\b(?:which|what|on which) (?:day|{WEEKDAY}|date|night|morning|evening)s?\b"
        r"|\b(?:how soon|by when|earliest|until when)\b|\bdays? (?:on which|when|that)\b",
        IGNORECASE,
        marks=("when", "day", " date", " night", " morning", " evening", "how soon", "earliest"),
    ), later(
        rf"(?<!since )(?<!last )\b{WEEKDAY}\b|\bevery (?:day|night|morning|evening|week|month|quarter)\b"
        r"|\b(?:[01]?\d|2[0-3]):[0-5]\d\b|\bat \d{1,2} ?(?:am\b|pm\b|o'clock|in the (?:morning|afternoon|evening))"
        r"|\b(?:daily|nightly|weekly|monthly)\b|\b(?:first|second|last) (?:\w+ )?day\b",
        IGNORECASE,
    )),
    ("duration", marked(
        r"\b(?:for )?how long\b|\bhow far back\b|\b(?:do|did|will) we (?:keep|lose|store)\b"
        r"|\bstill (?:in there|kept|there)\b|\bhow often\b",
        IGNORECASE,
        marks=(
            "how long", "how far back", "how often", "we keep", "we lose", "we store", "still in there", "still kept",
            "still there",
        ),
    ), later(rf"\b{COUNTED} {UNIT}\b|\bevery {UNIT}\b|\b(?:so|keep|for) \d+ not \d+\b", IGNORECASE)),
    (REASON, marked(
        r"^\W*(?:\w+\W+){0,3}why\b|\bwhy (?:do|does|did|is|are|was|were|can|have|has|not|the|we|i|there)\b|\bhow come\b"
        r"|\b(?:reason|cause)s?\b|\bwhat (?:was|is) (?:it|that|this) (?:really |again )?(?:that|about)\b"
        r"|\bwhere (?:do|did|does)\b.*\bcome from\b|\bwhat (?:made|makes|caused|causes)\b",
        IGNORECASE,
        marks=("why", "how come", "reason", "cause", "what was ", "what is ", "come from", "what made", "what makes"),
    ), later(
        r"\b(?:because|cause[sd]?|reasons?|due to|hence|therefore)\b|\bisn't worth\b",
        IGNORECASE,
    )),
    ("version", marked(
        rf"\b(?:which|what) (?:{'|'.join(VERSIONED)})\b|\bhow (?:old|new) is\b",
        IGNORECASE,
        marks=(*[f"which {each}" for each in VERSIONED], *[f"what {each}" for each in VERSIONED], "how old", "how new"),
    ), later(
        r"\b(?:python|node|java|sqlite|postgres(?:ql)?|php|ruby|go|gcc|version|v)\b\D{0,12}\d+(?:\.\d+)*\b",
        IGNORECASE,
    )),
)  # fmt: skip
"""Sorts of values, how somebody asks for one, and how a text gives one. Source: ours, from what developers asked on
days that readers wrote, and from what the memories said that answered."""


def sorts_asked(prompt: str) -> tuple[str, ...]:
    """The sorts of values that the clauses of a prompt ask for which are questions."""
    asking = " . ".join(clauses_that_ask(prompt[:READ_CHARACTERS]))
    return tuple(sort for sort, asked, _ in SORTS if asked.search(asking)) if asking else ()


def gives(text: str, sorts: tuple[str, ...], kind: str = "") -> bool:
    """Whether a text gives a value of any of these sorts; `kind` is that of the memory whose text it is."""
    if REASON in sorts and kind in OF_FAULTS:
        return True
    said = text[:READ_CHARACTERS]
    return any(given.search(said) for sort, _, given in SORTS if sort in sorts)
