"""The words of a question: what is asked of the full text.

In: any text. Out: terms as FTS5's unicode61 tokenizer would cut them, without
the words that say nothing, and a MATCH expression that no input can break.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from memory_db.errors import QueryError
from memory_db.records import later
from memory_db.text.languages import language_of, telling_terms
from memory_db.text.scripts import asked_grams, is_gram, phrase, spaced

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

MAX_QUERY_CHARACTERS = 50_000
"""A longer question is refused: it is a document, not a question."""

MAX_TERMS = 48
"""Distinct terms asked at once; of a pasted log the first ones are taken."""

WORD = later(r"[^\W_]+")
"""A token as unicode61 cuts it: letters and digits; underscores, dots and hyphens part words."""

PATH = later(
    r"(?<![\w:/])(?:~|\.{1,2})?(?:/[\w.@-]+){2,}/?"  # /absolute/path, ~/path, ./path
    r"|(?<![\w:/.])(?!\w/(?![\w.@-]))(?:[\w.@-]+/)+(?:[\w.@-]+\.\w{1,5}|(?=[\s.,;:`)]|$))"  # a/b.ext, folder/, not w/
    r"|(?<![\w/])\.?[\w-]+(?:\.[\w-]+)*\.(?:py|pyi|js|jsx|ts|tsx|mjs|go|rs|rb|java|kt|swift|c|h|cpp|cs|php|sql|sh"
    r"|ya?ml|json|toml|ini|cfg|env|lock|md|rst|txt|csv|css|scss|html|vue|svelte|tf|proto|xml|ipynb)\b"
    r"|(?<![\w/])\.(?:env|nvmrc|netrc|gitignore|dockerignore)\b"
)
"""A file or folder named in running text."""

STOP_WORDS = frozenset(
    """a about after again all also am an and any are as at be because been before being below between both but by
    can could did do does doing done down during each else ever every few for from further get gets getting give got
    had has have having he her here hers him his how i if in into is it its itself just know let like ll made make me
    might more most much must my myself no nor not now of off ok on once only or other our ours out over own please
    re really s same say see shall she should so some still such t tell than that the their theirs them then there
    these they this those through to too under until up us use used using ve very want was way we well were what when
    where which while who whom why will with would yes you your yours""".split()
)
"""English words that say nothing of what a question is about.

Source: our own list of function words. Dropping such words and asking for any of the rest raises the share of
evidence in the top ten on public chat data from .56 to .61 (`make bench` measures it again).
"""


def query_terms(query: str) -> tuple[str, ...]:
    """The distinctive words of a question, lower case, each once, in order.

    Of other languages than English stems (`verbind*`), of writing without spaces pairs of characters; see `languages`
    and `scripts`. Where every word is a stop word, those are taken: a poor question still gets an answer.
    Raises: QueryError when there is no word, or far too much text.
    """
    if len(query) > MAX_QUERY_CHARACTERS:
        raise QueryError(
            f"The question has {len(query):,} characters, at most {MAX_QUERY_CHARACTERS:,} can be asked. "
            "Ask with its distinctive lines only."
        )
    grams = asked_grams(query)
    words = [word for word in dict.fromkeys(WORD.findall(spaced(query).casefold())) if not (grams and is_gram(word))]
    if not words and not grams:
        raise QueryError(f"There is no word in the question {query.strip()[:40]!r}. Ask with a few words.")
    distinctive = [word for word in words if word not in STOP_WORDS]
    if language := language_of(query):
        distinctive = list(dict.fromkeys(telling_terms(distinctive, language).values()))
    return tuple([*distinctive, *grams] or words)[:MAX_TERMS]


def match_term(term: str) -> str:
    """An FTS5 expression for texts with this term, quoted: it cannot be syntax. `verbind*` meets what begins so."""
    is_beginning = term.endswith("*")
    words = (term[:-1] if is_beginning else phrase(term)).replace('"', '""')
    return f'"{words}"*' if is_beginning else f'"{words}"'


def match_any(terms: tuple[str, ...]) -> str:
    """An FTS5 expression for texts with any of these terms; of none, no text."""
    return " OR ".join(map(match_term, terms)) or '""'


def paths_in(text: str) -> tuple[str, ...]:
    """Paths and file names named in a text, each once."""
    if "." not in text and "/" not in text:
        return ()
    return tuple(dict.fromkeys(PATH.findall(text[:MAX_QUERY_CHARACTERS])))[:20]


def path_similarity(one: str, other: str) -> float:
    """How near two paths are: 1 for the same file, a half for the same folder or the same name elsewhere, else 0.

    A relative path is the same as an absolute one that ends in it.
    """
    if ends_alike(one, other):
        return 1.0
    folder, _, name = one.rpartition("/")
    other_folder, _, other_name = other.rpartition("/")
    is_near = name == other_name or (folder and other_folder and ends_alike(folder, other_folder))
    return 0.5 if is_near else 0.0


def ends_alike(one: str, other: str) -> bool:
    """Whether one path is the other, or its last parts."""
    short, long = sorted((one.removeprefix("./").strip("/"), other.removeprefix("./").strip("/")), key=len)
    return short == long or (short != "" and long.endswith("/" + short))


def path_matches(rows: Iterable[Sequence[Any]], paths: tuple[str, ...]) -> dict[int, float]:
    """For each id of (id, path) rows, how well a path of its own meets the files in play: 0, a half or 1."""
    best: dict[int, float] = {}
    for identifier, path in rows:
        for wanted in paths if path else ():
            similarity = path_similarity(path, wanted)
            if similarity > best.get(identifier, 0.0):
                best[identifier] = similarity
    return best


def idf(document_count: int, documents_with_term: int) -> float:
    """How distinctive a term is, as FTS5 counts it. Source: SQLite's documentation of bm25 in FTS5."""
    ratio = (document_count - documents_with_term + 0.5) / (documents_with_term + 0.5)
    return max(math.log(ratio), 1e-6) if ratio > 0 else 1e-6
