"""What a text names: files, commands, packages, symbols of code, hosts.

In: any text. Out: (kind, name) with how often each is named. Invariants: pure; a name is in its normal form, so that
what is written in two ways is one entity; a stretch of text is one thing, whatever else it looks like.
"""

from __future__ import annotations

from functools import lru_cache

from memory_db.records import later
from memory_db.text.names.entity_lexicon import (
    ALIASES,
    CODE_WORDS,
    FILE_ENDINGS,
    LIBRARIES_LIKE_FILES,
    NO_PACKAGES,
    NO_SYMBOLS,
    PACKAGES,
    SUBCOMMANDS,
    TOOLS,
)
from memory_db.text.names.literals import NAMED, is_plain
from memory_db.text.static_vectors import is_word
from memory_db.text.terms import MAX_QUERY_CHARACTERS, PATH, STOP_WORDS

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterable, Iterator

    Match = re.Match[str]

Entity = tuple[str, str]
"""A kind, and a name in its normal form."""

LONGEST_NAME = 120
"""Characters; what is longer is data, no name."""

KNOWN_NAMES = 4_000
"""Names whose normal forms are remembered: the same files and commands are named all day."""

TAKEN = " \N{BROKEN BAR} "
"""What stands in a text for what was found already."""

URL = later(
    r"\b(?:https?|wss?|ftp|postgres(?:ql)?(?:\+\w+)?|redis|amqp|mysql)://(?:[^\s/@`'\"<>]*@)?"
    r"([\w.-]+(?::\d+)?)[^\s`'\")>]*"
)
HOST = later(
    r"(?<![\w@/.-])(?:localhost(?::\d{2,5})?|\d{1,3}(?:\.\d{1,3}){3}(?::\d{2,5})?"
    r"|(?:[a-z0-9](?:[\w-]*[a-z0-9])?\.)+(?:com|org|net|edu|gov|eu|de|uk|nl|fr|ch|dk|io)(?::\d{2,5})?"
    r"|(?:[a-z0-9](?:[\w-]*[a-z0-9])?\.){2,}(?:dev|app|cloud|ai|local|internal|lan|corp|test|example|at|svc|run)"
    r"(?::\d{2,5})?)(?![\w(-]|\.\w)"
)
"""A machine, by name or number; what may as well be code has to have three parts."""

PINNED = later(r"(?<![\w@/.-])([A-Za-z][\w.-]*\w)(?:\[[\w,-]+\])?(?:==|>=|~=|\^)v?\d")
SCOPED = later(r"(?<![\w/.@-])@[a-z][\w-]*/[a-z][\w.-]*[a-z0-9]\b")
FAMILY = later(
    r"(?<![\w/.@-])(?:pytest|django|flask|datasette|eslint|eslint-plugin|rollup-plugin|vite-plugin|llm|sqlalchemy"
    r"|mypy|sphinx|mkdocs|opentelemetry|apache-airflow-providers)-[a-z][\w-]*[a-z0-9](?![\w(/]|\.\w)"
)
"""Add-ons, which carry the name of what they belong to."""
IMPORTED = later(r"\bfrom ([a-z_]\w*)(?:\.\w+)* import\b|`import ([a-z_]\w*)")
LIBRARY = later(r"(?<![\w/.@$#-])[A-Za-z][A-Za-z0-9]+(?:\.js)?(?![\w/(=-]|\.\w)")
CALLED = later(r"(?<![\w.])[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*\(\)")
TOOL = later(rf"(?<![\w/.@$-])({'|'.join(sorted(TOOLS, reverse=True))})\b((?: [a-z][\w:-]*){{0,2}})(?![\w(=/-]|\.\w)")

LIBRARIES = PACKAGES | LIBRARIES_LIKE_FILES
ROUTES = ("api", "v1", "v2", "v3", "graphql")
TOP_FOLDERS = ("home", "users", "root", "etc", "usr", "var", "opt", "tmp", "srv", "mnt", "dev", "workspace")
CUT = ("*", ">", "}", "$")
"""What stands before the rest of a path that has a part to be filled in."""

TAKES_NAMES = ("install", "add", "uninstall", "remove", "i", "get")
"""What is told a program before names of packages."""

TICKED = later(r"`([^`\n]{2,400})`")
INSTALLED = later(
    r"^(?:sudo )?(?:(?:uv |python3? -m )?pip3?|uv|poetry|npm|pnpm|yarn|cargo|brew|apt(?:-get)?|gem|go|dnf|conda)"
    r" (?:install|add|uninstall|remove|i|get|tool install)\s+(.*)$"
)
PART_OF_LINE = later(r"\s*(?:&&|\|\||[;|])\s*")
REQUIREMENT = later(r"@?[A-Za-z][\w.-]*(?:/[A-Za-z][\w.-]*)?")
PROGRAM = later(r"(?:\./)?[a-z][\w-]*(?:\.(?:py|sh))?")
ARGUMENT = later(r"[a-z][a-z0-9]*(?:[-:_][a-z][a-z0-9]*)*")
OPTION = later(r"--?[a-zA-Z]")
DOTTED_WORD = later(r"[a-z]+\.[A-Z]?[a-z]+")


def entities_in(text: str) -> dict[Entity, int]:
    """What a text names, with how often."""
    left = text[:MAX_QUERY_CHARACTERS]
    found: dict[Entity, int] = {}

    def note(entities: Iterable[Entity]) -> bool:
        known = [(kind, named) for kind, name in entities if (named := normal_name(kind, name))]
        for entity in known:
            found[entity] = found.get(entity, 0) + 1
        return bool(known)

    for ticked in TICKED.findall(left):
        note(entity for line in PART_OF_LINE.split(ticked) for entity in commands(line))
    for pattern, read, needed in FINDERS:
        if not stands_one(needed, left) or (pattern is LIBRARY and not names_library(left)):
            continue
        if pattern is NAMED and is_plain(left):
            continue
        left = without(left, pattern, lambda match, read=read: note(read(match)))  # type: ignore[misc]
    return found


def stands_one(needed: Iterable[str], text: str) -> bool:
    """Whether one of these stands in a text; a loop, for a hundred of them are asked of every text."""
    for each in needed:  # noqa: SIM110  # `any` takes twice as long
        if each in text:
            return True
    return False


def without(text: str, pattern: re.Pattern[str], taken: Callable[[Match], bool]) -> str:
    """A text with a mark in the place of each match that was taken."""
    return pattern.sub(lambda match: TAKEN if taken(match) else match.group(), text)


@lru_cache(maxsize=KNOWN_NAMES)
def normal_name(kind: str, name: str) -> str:
    """A name as all ways of writing it become one: small letters, no quotes, no `./`, no slash or dot at its end."""
    plain = " ".join(name.casefold().split()).strip("`'\"“”‘’")
    plain = plain.rstrip(".,;:!?/").removeprefix("./").removesuffix("()")
    if kind == "package":
        plain = ALIASES.get(plain, plain)
    return plain if 1 < len(plain) <= LONGEST_NAME else ""


# ------------------------------------------------------------- what a line of a shell says


def commands(line: str) -> Iterator[Entity]:
    """The command that a line between backticks is, with its first words, and what it installs."""
    words = [word for word in line.split() if "=" not in word or word.startswith("-")] or [""]
    if words[0] in ("sudo", "env", "time", "exec"):
        words = words[1:] or [""]
    first = words[0]
    if not PROGRAM.fullmatch(first) or first.removeprefix("./") in CODE_WORDS:
        return
    following = words[1] if len(words) > 1 else ""
    is_tool = first in TOOLS
    if not is_tool and not (ARGUMENT.fullmatch(following) or OPTION.match(following)):
        return
    if not is_tool and (first in STOP_WORDS or following in STOP_WORDS or following in CODE_WORDS):
        return
    yield from phrases(first, leading_arguments(words[1:]))
    installed = INSTALLED.match(" ".join(words))
    for word in installed[1].split() if installed else ():
        name = REQUIREMENT.match(word.strip("\"'"))
        if name and word[0] != "-" and not name.group().startswith("."):
            yield "package", name.group()


def leading_arguments(words: list[str]) -> list[str]:
    """The words after a program until the first that is no plain one; at most two."""
    plain: list[str] = []
    for word in words[:2]:
        if not ARGUMENT.fullmatch(word) or word in STOP_WORDS or (plain and plain[-1] in TAKES_NAMES):
            break
        plain.append(word)
    return plain


def phrases(program: str, arguments: list[str]) -> Iterator[Entity]:
    """A program alone where it is a known one, and with each of the words that follow it: git, git push."""
    program = program.removeprefix("./")
    program = ALIASES.get(program, program)
    if program in TOOLS or not arguments:
        yield "command", program
    for end in range(1, len(arguments) + 1):
        yield "command", " ".join((program, *arguments[:end]))


def tool(match: Match) -> Iterator[Entity]:
    """A known program in running text, with what it is told if that is something that one tells programs."""
    arguments = match[2].split()
    words = arguments[:1] if arguments and arguments[0] in SUBCOMMANDS else []
    if words and arguments[1:] and arguments[1] in SUBCOMMANDS:
        words = arguments
    yield from phrases(match[1], words)


# ------------------------------------------------------------------- what else is named


def host(match: Match) -> list[Entity]:
    """The machine of an address, or one that is named as such."""
    name = match[1] if match.lastindex else match.group()
    parts = name.partition(":")[0].split(".")
    is_number = all(part.isdigit() for part in parts)
    if is_number and not all(int(part) < 256 for part in parts):
        return []
    return [("host", name)] if len(parts) > 1 or name.startswith("localhost") else []


def package(match: Match) -> list[Entity]:
    """What is written as only packages are."""
    name = next((group for group in match.groups() if group), match.group())
    return [] if name in NO_PACKAGES else [("package", name)]


def library(match: Match) -> list[Entity]:
    """A library or service whose name is known."""
    name = match.group().casefold()
    return [("package", name)] if name in LIBRARIES else []


def names_library(text: str) -> bool:
    """Whether any word of a text is the name of a library: most texts have none, and many words."""
    return not LIBRARIES.isdisjoint(map(str.casefold, LIBRARY.findall(text)))


def file(match: Match) -> list[Entity]:
    """A file or folder; a route of a web service is none."""
    path = match.group()
    if match.string[match.end() : match.end() + 1].isalnum() or match.string[match.start() - 1 : match.start()] in CUT:
        return []  # a part of something longer
    first = path.lstrip("~./").split("/")[0].casefold()
    is_route = path.startswith("/") and (first in ROUTES or "." not in path.split("/")[-1])
    return [] if is_route and first not in TOP_FOLDERS else [("file", path)]


def symbol(match: Match) -> list[Entity]:
    """A name of code: with an underscore, humps, a dot or brackets, or that of an error."""
    name = match.group()
    plain = name.removesuffix("()")
    folded = plain.casefold()
    if not plain or name[0] in "-#" or plain[0].isdigit() or " " in plain or folded in NO_SYMBOLS:
        return []
    if "." in plain:
        if folded.rpartition(".")[2] in FILE_ENDINGS:
            return [("file", name)]
        is_code = plain != name or any("_" in part or part[1:] != part[1:].lower() for part in plain.split("."))
        known = DOTTED_WORD.fullmatch(plain) and plain.split(".")[0] not in STOP_WORDS
        return [("symbol", name)] if is_code or known else []
    if name != plain or "_" in plain.strip("_"):
        return [("symbol", name)]
    if plain.endswith(("Error", "Exception")):
        return [("symbol", name)]
    has_hump = plain[1:] != plain[1:].lower() and plain != plain.upper() and plain.isalnum()
    if not has_hump and not plain.startswith(("SIG", "ECONN", "ENO", "EADDR", "ERR")):
        return []
    return [] if is_word(folded) or len(plain) < 4 else [("symbol", name)]


FINDERS: tuple[tuple[re.Pattern[str], Callable[[Match], Iterable[Entity]], tuple[str, ...]], ...] = (
    (URL, host, ("://",)),
    (HOST, host, ("localhost", ".")),
    (SCOPED, package, ("@",)),
    (PINNED, package, ("=", "^")),
    (FAMILY, package, ("-",)),
    (IMPORTED, package, ("import",)),
    (LIBRARY, library, ("",)),
    (PATH, file, ("/", ".")),
    (CALLED, symbol, ("()",)),
    (NAMED, symbol, ("",)),
    (TOOL, tool, tuple(TOOLS)),
)
"""Patterns in their order: what one finds is not looked at by those after it.

With each what a text has, one or the other, in which it finds anything.
"""
