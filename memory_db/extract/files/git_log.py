"""How a project writes its commits, where a clear share of them agrees.

In: subjects and trailers of the latest commits. Out: `FileFact`s, with counts as their note. Pure. Invariants: nothing
is said of fewer commits than FEWEST; counts are no part of a fact's text, so that the next commit does not change it;
who wrote a commit is never looked at.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memory_db.extract.files.facts import FileFact
from memory_db.extract.files.prose_words import VERBS
from memory_db.text.languages import language_of

PATH = "git log"

FEWEST = 20
"""Commits from which on a share says something. Source: ours; 16 of 20 is .8 +- .18 at 95 %."""

CLEAR_SHARE = 0.8
"""The share of commits from which on it is a convention. Source: ours: one commit in five may be somebody's slip."""

MOST_COMMITS = 400
"""The latest commits that are looked at: how a project wrote years ago binds nobody."""

CONVENTIONAL = re.compile(
    r"^(?P<type>feat|fix|docs?|chore|refactor|perf|tests?|build|ci|style|revert)(?:\((?P<scope>[\w./ -]+)\))?!?: \S"
)
TICKET = re.compile(r"^\[?(?P<key>[A-Z][A-Z0-9]{1,9})-\d+\]?[:\s]")
PREFIXED = re.compile(r"^(?P<prefix>[\w./-]+): \S")
TRAILER = re.compile(r"^(?P<key>[A-Z][A-Za-z]+(?:-[A-Za-z]+)+|Fixes|Closes|Refs|Issue|Ticket): \S")

LANGUAGES = {
    "de": "German", "fr": "French", "es": "Spanish", "pt": "Portuguese", "it": "Italian", "nl": "Dutch",
    "ru": "Russian", "pl": "Polish", "zh": "Chinese", "ja": "Japanese", "ko": "Korean",
}  # fmt: skip

PAST = re.compile(r"^[A-Z]?[a-z]+(?:ed|pt)$|^(?:Made|Wrote|Took|Built|Split|Ran|made|wrote|took|built|ran)$")
THIRD = re.compile(r"^[A-Za-z][a-z]{2,}(?<!s)(?<!u)(?<!i)s$")
SHORT_VERBS = frozenset(
    """
    add allow answer ask avoid bring build bump change check clean create cut delete deprecate disable do document
    drop enable ensure expose extract find fix give handle hear hide hold ignore implement improve include
    initialize introduce join keep lead let link load log make merge migrate move name note only parse pass pin
    prefer prepare print raise read reduce refactor release remove rename replace require reset restore return reuse
    revert rework rewrite run save say send set show simplify skip sort speed split start stop store support switch
    take teach tell test tidy try turn update upgrade use validate wait warn wire write
    """.split()
)


ORDERS = VERBS | SHORT_VERBS


@dataclass(slots=True, frozen=True)
class Commit:
    """The subject of a commit, and the keys of its trailers."""

    subject: str
    trailers: tuple[str, ...] = ()


def commits_of(log: str) -> list[Commit]:
    """Commits from the text of `git log -z` with subject and body, the latest first."""
    found = []
    for record in log.split("\0"):
        lines = record.strip("\n").split("\n")
        if lines[0].strip():
            trailers = [match["key"] for line in lines[1:] if (match := TRAILER.match(line))]
            found.append(Commit(lines[0].strip(), tuple(dict.fromkeys(trailers))))
    return found


def commit_facts(commits: Sequence[Commit]) -> Iterator[FileFact]:
    """What a clear share of commits agrees on."""
    commits = [each for each in commits if not re.match(r"(?i)(?:merge|revert \")", each.subject)][:MOST_COMMITS]
    if len(commits) < FEWEST:
        return
    yield from form_facts(commits)
    yield from wording_facts(commits)
    counted = Counter(key for each in commits for key in each.trailers)
    for key, number in sorted(counted.items()):
        if number >= CLEAR_SHARE * len(commits):
            example = next(each.subject for each in commits if key in each.trailers)
            yield fact(f"Commits carry the trailer `{key}:`.", f"Trailer {key}", number, commits, example)


def form_facts(commits: Sequence[Commit]) -> Iterator[FileFact]:
    """What stands before the words of a subject."""
    conventional = [(each, match) for each in commits if (match := CONVENTIONAL.match(each.subject))]
    tickets = [(each, match["key"]) for each in commits if (match := TICKET.match(each.subject))]
    if clear(conventional, commits):
        scoped = [match["scope"] for _, match in conventional if match["scope"]]
        kind = "`type(scope): subject`" if len(scoped) >= CLEAR_SHARE * len(conventional) else "`type: subject`"
        text = f"Commit subjects follow Conventional Commits: {kind}, such as `feat`, `fix`, `docs`, `chore`."
        yield fact(text, "Conventional commits", len(conventional), commits, conventional[0][0].subject)
    elif clear(tickets, commits):
        key = Counter(key for _, key in tickets).most_common(1)[0][0]
        text = f"A commit subject begins with its ticket, such as `{key}-123`."
        yield fact(text, "Tickets in commit subjects", len(tickets), commits, tickets[0][0].subject)
    else:
        prefixed = [each for each in commits if PREFIXED.match(each.subject)]
        if clear(prefixed, commits):
            text = "A commit subject begins with the part that it changes and a colon."
            yield fact(text, "Prefix of commit subjects", len(prefixed), commits, prefixed[0].subject)


def wording_facts(commits: Sequence[Commit]) -> Iterator[FileFact]:
    """The language and the tense of subjects."""
    words = [(each, words_of(each.subject)) for each in commits]
    languages = Counter(language_of(" ".join(own)) for _, own in words)
    language, number = languages.most_common(1)[0]
    if language in LANGUAGES and number >= CLEAR_SHARE * len(commits):
        text = f"Commit messages are in {LANGUAGES[language]}."
        yield fact(text, "Language of commit messages", number, commits, commits[0].subject)
    if language is not None:
        return
    first = [(each, own[0]) for each, own in words if own]
    past = [each for each, word in first if PAST.match(word)]
    present = [each for each, word in first if word.lower() in ORDERS]
    third = [each for each, word in first if THIRD.match(word) and word.lower()[:-1].removesuffix("e") in STEMS]
    ways = (
        (present, 'in the imperative ("Add", not "Added")'),
        (past, 'in the past tense ("Added", not "Add")'),
        (third, 'in the third person ("Adds", not "Add")'),
    )
    for own, way in ways:
        if clear(own, commits):
            yield fact(f"Commit subjects are {way}.", "Tense of commit subjects", len(own), commits, own[0].subject)


STEMS = frozenset(verb.removesuffix("e") for verb in ORDERS)


def words_of(subject: str) -> list[str]:
    """The words of a subject behind its prefix."""
    rest = re.sub(r"^(?:\[?[A-Z][A-Z0-9]+-\d+\]?:?\s*|[\w./-]+(?:\([^)]*\))?!?:\s+)", "", subject)
    return re.findall(r"[^\W\d_]+", rest)


def clear(some: Sequence[object], all_of: Sequence[object]) -> bool:
    """Whether some are a clear share of all."""
    return len(some) >= CLEAR_SHARE * len(all_of)


def fact(text: str, title: str, number: int, commits: Sequence[Commit], example: str) -> FileFact:
    """A convention of commits as a fact, with how many agree."""
    return FileFact(
        PATH, 0, example, text, "convention", "commits", title=title, condition="when you commit",
        keys=("git", "commit message"), note=f"{number} of the latest {len(commits)} commits",
    )  # fmt: skip
