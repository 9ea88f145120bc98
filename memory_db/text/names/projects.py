"""How a text names a project other than its own: by a path, by its name, or by what both have.

In: a text, and names and paths of projects. Out: the literal by which it names one; names of data files and hosts in
it. Pure: no database, no clock; linear in the length of the text.

A hook loads this: the standard library alone.
"""

from __future__ import annotations

from memory_db.records import later

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from collections.abc import Iterable

SHORTEST_PART, SHORTEST_REST = 4, 3
"""Letters of the shortest part of a name by which it is called, and of what is left of a name that is written as one.
Source: ours; shorter parts, such as `app` and `web`, are of many names."""

SHORTEST_NAME = 4
"""Letters of the shortest name that means a project. Source: ours; shorter ones are words."""

ORDINARY = frozenset(
    "admin backend client code common core data demo docs example frontend home infra main mobile notes project scripts"
    " server shared site test tests tools website work".split()
)
"""Names that mean a project only beside a word that says so: they are what many projects have. Source: ours."""

WORD_LIKE = r"(?<![\w-]){}(?![\w-])"
"""A name that is no part of a longer one: `kiln` does not stand in `kiln-ops`."""

WITHIN_PATH = r"(?:[\w.~-]*/)+{}(?:/[\w.-]+)+"
"""A name that is a folder of a path which goes on: `/opt/kiln/kiln/store.py`, `../kiln/store.py`."""

SHARED = later(
    r"(?<![\w/.@-])(?:[\w.-]+/)*(?P<file>[a-z0-9][\w-]{2,40}\.(?:db|sqlite3?|csv|tsv|jsonl|parquet|xlsx|sock|proto"
    r"|bin|dat))(?![\w.-])"
    r"|(?<![\w/.@-])(?P<host>[a-z][a-z0-9-]{1,40}(?:\.[a-z0-9-]{2,40}){0,3}\.(?:example|internal|local|lan|corp|home"
    r"|intra|test))(?![\w-])"
)
"""Files that hold data, and hosts of one's own: what belongs to few projects and is read by more than one."""

ORDINARY_FILES = frozenset(
    "data.csv data.db database.db db.sqlite db.sqlite3 example.csv input.csv output.csv test.csv test.db test.sqlite"
    " sample.csv app.db dev.db local.db results.csv out.csv cache.db".split()
)
"""Names that the data files of any project have. Source: ours."""


def name_in_text(name: str, text: str) -> str:
    """The name as it stands in a text as a word, or nothing; both in lower case."""
    if name not in text:
        return ""
    import re  # noqa: PLC0415  # start-up: few prompts name a project

    found = re.search(WORD_LIKE.format(re.escape(name)), text)
    return found[0] if found else ""


PARTED = later(r"[^a-z0-9]+")


def parts_of(name: str) -> frozenset[str]:
    """The words that a name in lower case is made of, where it is parted: `door-ctl`, `meter_jobs`."""
    return frozenset(each for each in PARTED.split(name) if len(each) >= SHORTEST_PART and each != name)


def is_called(word: str, name: str) -> bool:
    """Whether a project is called by a word that is a part of its name: "the door" of `doorctl`, "the feed" of
    `busfeed`. An ordinary word calls none."""
    if len(word) < SHORTEST_PART or word in ORDINARY or word == name:
        return False
    if parts := parts_of(name):
        return word in parts
    if len(name) < len(word) + SHORTEST_REST:
        return False
    return name.endswith(word) or (name.startswith(word) and not is_ending(word, name.removeprefix(word)))


def is_ending(word: str, rest: str) -> bool:
    """Whether what follows a word makes only another form of it: "plan" is no part of `planner`."""
    return rest in ENDINGS or rest[0] == word[-1]


ENDINGS = frozenset("ing ings ers ion ions ment ments able ness less ster ized".split())
"""What makes another form of a word. Source: ours."""


SPOKEN = later(
    r"\b(?:the|our|my|its|this|that) (?:(?:new|old|whole|little|other|actual|real) )?(?P<said>[a-z][a-z0-9]{3,30})"
    r"(?:'s\b|\b(?!['’-]))(?: (?P<sort>repo|repository|project|codebase))?"
)
"""A thing that is spoken of, and whether it is said to be a project."""


def things_spoken_of(text: str) -> dict[str, bool]:
    """The things that a text in lower case speaks of as known, each with whether it says that it is a project."""
    found: dict[str, bool] = {}
    for match in SPOKEN.finditer(text):
        found[match["said"]] = found.get(match["said"], False) or match["sort"] is not None
    return found


OWN_HOST = later(
    r"(?:(?<=://)|(?<![\w/@.-]))(?P<label>[a-z][a-z0-9]{3,40})(?:\.[a-z0-9-]{2,40}){0,2}"
    r"\.(?:internal|local|lan|corp|home|intra)(?![\w-]|\.\w)"
)
"""A host of one's own; what it is called comes first."""


def host_called_so(name: str, text: str) -> str:
    """A host of one's own in a text in lower case that is called by a project's name or by a part of it, or nothing."""
    if not any(mark in text for mark in OWN_MARKS):
        return ""
    for match in OWN_HOST.finditer(text):
        if match["label"] == name or is_called(match["label"], name):
            return match[0]
    return ""


OWN_MARKS = (".internal", ".local", ".lan", ".corp", ".home", ".intra")
"""One of these stands in each of them."""


def path_in_text(name: str, folders: Iterable[str], text: str) -> str:
    """The path in a text that leads into a project: its own folder, or one of its name that goes on; in lower case."""
    there, is_named = [folder for folder in folders if folder in text], f"/{name}/" in text
    if not there and not is_named:
        return ""
    import re  # noqa: PLC0415  # start-up: as in `name_in_text`

    for folder in there:
        if found := re.search(rf"{re.escape(folder)}(?![\w-])(?:/[\w.-]+)*", text):
            return found[0]
    if not is_named:
        return ""
    found = re.search(WITHIN_PATH.format(re.escape(name)), text)
    return found[0] if found else ""


def shared_names(text: str) -> set[str]:
    """Names of data files and of hosts of one's own that a text in lower case has."""
    found = {match["file"] or match["host"] for match in SHARED.finditer(text)}
    return found - ORDINARY_FILES
