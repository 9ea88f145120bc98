"""Cues of other languages than English: the same names, with what they look like there.

In: the text of a message. Out: the cues that are looked for in its sentences. Invariants: a name means the same in
every language, and so do its points and its kind; a language is a table of patterns beside this module, and no code.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib.resources import files
from typing import NamedTuple

import yaml

from memory_db.errors import InputError
from memory_db.extract.rules.patterns import Cue, Cues, cue
from memory_db.text.languages import language_of, likely_language

LANGUAGES = ("de", "es", "fr", "it", "ja", "ko", "pl", "pt", "ru", "zh")
"""Languages with a table of cues, by their two letters."""


class Sign(NamedTuple):
    """What a cue means in any of these languages: see `Cue`."""

    kind: str | None
    points: int
    description: str
    votes: int = 0
    after_action: bool = False
    roles: str = "u"


SIGNS: Mapping[str, Sign] = {
    "opens with no": Sign("correction", 2, "The sentence rejects what was just done", 2, after_action=True),
    "told before": Sign("correction", 3, "It was said before", 3),
    "stop doing": Sign("correction", 2, "A habit of the agent is to end", 2),
    "not like that": Sign("correction", 2, "What was done is not how it is done", 2, after_action=True),
    "you did": Sign("correction", 2, "It names what the agent did", 2, after_action=True),
    "forbids": Sign("convention", 2, "It forbids something", 1),
    "remember": Sign(None, 3, "It asks to be kept"),
    "by the way": Sign(None, 2, "It is told beside the task"),
    "from now on": Sign("convention", 3, "It holds beyond today", 2),
    "always or never": Sign("convention", 2, "It holds every time", 1),
    "must": Sign("convention", 1, "An obligation", 1),
    "not allowed": Sign("convention", 2, "A prohibition", 2),
    "whenever": Sign("convention", 1, "It says when it holds", 1),
    "use this": Sign("convention", 1, "It tells what to take", 1),
    "instead of": Sign("convention", 1, "This and not that", 0),
    "prefer": Sign("preference", 2, "What the user likes", 3),
    "decided": Sign("decision", 3, "It was decided", 4),
    "we use": Sign("convention", 1, "How it is done here", 1),
    "runs on": Sign("environment", 2, "Where something runs or lies", 2),
    "cause or cure": Sign("fix", 3, "What was wrong, or what helped", 3, roles="ua"),
    "did not work": Sign("failure", 2, "It was tried in vain", 3, roles="ua"),
    "tried": Sign("failure", 2, "It was tried, given up or is over", 3),
    "states how it is": Sign(None, 1, "A statement about how things are"),
    "everywhere I work": Sign("preference", 3, "It holds in all projects", 2),
    "reason": Sign(None, 1, "It gives a reason", roles="ua"),
}
"""What speaks for keeping a sentence. Source: points as of the English cues of the same meaning, and
`python -m bench cues`."""

VETO_SIGNS: Mapping[str, Sign] = {
    "question": Sign(None, -9, "A question", roles="ua"),
    "request": Sign(None, -9, "A request", roles="ua"),
    "what if": Sign(None, -9, "It only supposes", roles="ua"),
    "turn of speech": Sign(None, -9, "A turn of speech, or irony", roles="ua"),
}
"""What ends the matter."""

DOUBT_SIGNS: Mapping[str, Sign] = {
    "one-off task": Sign(None, -3, "A thing to do now"),
    "points at something": Sign(None, -3, "It points at one thing in front of us"),
    "for now": Sign(None, -2, "It holds for this moment", roles="ua"),
}
"""What takes points away."""


TECHNICAL = cue(
    "technical token", None, 1,
    r"`|(?<![\w/])[\w.-]+/[\w./-]+|\w+_\w+|(?<!\w)--?[a-z][\w-]+|\b[\w-]+\.(?:py|ts|js|json|ya?ml|toml|sql|md|sh|go|"
    r"rs|env)\b|\bv?\d+(?:\.\d+)+\b|\b\d{2,}\b|[a-z]+\(\)",
    "It names something to the letter",
)  # fmt: skip
"""The one cue that looks alike in every language."""


NO_PROSE = re.compile(r"(?<!\S)\S*[-/\\_.`]\w\S*|(?<![^\W_])[a-zA-Z](?![^\W_])")
"""Flags, paths, names of files and single letters: `-m` is no French."""


class Tables(NamedTuple):
    """The cues of one language: what speaks for a sentence, what ends the matter, and what speaks against it."""

    cues: Cues
    vetoes: Cues
    doubts: Cues


KNOWN_SENTENCES = 128
"""Sentences whose language and spelling are remembered: each is asked about many times in turn."""


@cache
def tables_of(language: str) -> Tables:
    """The cues of a language. Raises: InputError where its table has a name that means nothing."""
    name = f"{language}.yaml"
    read = yaml.safe_load((files("memory_db.extract.rules") / "languages" / name).read_text("utf-8"))
    unknown = set(read) - SIGNS.keys() - VETO_SIGNS.keys() - DOUBT_SIGNS.keys()
    if unknown:
        raise InputError(f"{name} has a cue {min(unknown)!r}, which means nothing; use a name of language_cues.py")
    cues, vetoes, doubts = (
        tuple(made(name, signs[name], read[name]) for name in signs if name in read)
        for signs in (SIGNS, VETO_SIGNS, DOUBT_SIGNS)
    )
    return Tables(Cues((*cues, TECHNICAL)), Cues(vetoes), Cues(doubts))


def made(name: str, sign: Sign, pattern: str) -> Cue:
    """A cue from what it means and what it looks like."""
    return cue(name, sign.kind, sign.points, pattern, sign.description, votes=sign.votes, after=sign.after_action,
               roles=sign.roles)  # fmt: skip


@lru_cache(maxsize=KNOWN_SENTENCES)
def tables_for(text: str, *, is_sure: bool = False) -> Tables | None:
    """The cues for a message in another language than English; None for English, and where nothing tells it.

    With `is_sure` one function word of another language is not enough.
    """
    words = NO_PROSE.sub(" ", text)
    language = language_of(words) if is_sure else likely_language(words)
    return tables_of(language) if language in LANGUAGES else None
