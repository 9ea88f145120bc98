"""Which project a question is about: the one that it names, and those whose own words it uses.

In: a question's text and terms, and the project that the asker works in. Out: the project that is named by its name, a
path, its remote or a name that it had; and other projects that the words point to, as far as the file tells. Invariant:
nothing is asked that takes longer in a larger file: of frequent words none is looked at.

A hook loads this: the standard library alone.
"""

from __future__ import annotations

import math
import sqlite3
from functools import partial

from memory_db.records import dataclass
from memory_db.store.connection import rows_there, tuples
from memory_db.text.names.projects import ORDINARY, SHORTEST_NAME, is_called, things_spoken_of
from memory_db.text.terms import WORD, match_term

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

BESIDE = frozenset(("project", "projects", "repo", "repository", "codebase"))
"""Words that make a name of the word beside them."""

COUNTING = frozenset(
    "one two three four five six ten the all any many some more few each every his her their our my your next last "
    "new old no these those future past".split()
)
"""Words before a thing that is counted or told of, and no name."""

SERVING = frozenset("service services api app side backend frontend server database db queue worker".split())
"""What a project has or is, behind its name."""

SHORTEST_PART, SHORTEST_REST = 5, 3
"""Letters of the shortest part of a name that means it, and of what is left of a name written as one. Source: ours."""

MOST_TERMS = 16
"""Terms of a question that are looked at. Source: ours; it bounds what a hook waits for."""

MOST_TEXTS = 100
"""A word that more texts have tells no project. Source: ours; each text takes a microsecond."""

FEWEST_TERMS = 2
"""Words that must point to a project: one alone may stand there by chance."""

FEWEST_UNASKED = 3
"""The same where nothing of other projects is told unless the words ask for it: what two words say, such as "deploy to
staging", is said in every project. Source: ours."""

BACKGROUND = 20.0
"""How many texts' worth of the whole file is added to each project, so that one rare word does not decide.

Source: Zhai and Lafferty 2004, smoothing by a Dirichlet prior; with 5 more questions are sent elsewhere wrongly.
"""

MOST_A_TERM = 2.0
"""How much one word counts at most, in natural logarithm. Source: ours; twice that lets two words decide."""

LEAST_LOG_ODDS = 3.0
"""From where on the words point elsewhere, in natural logarithm: twenty times as likely there as here.

Source: `python -m bench other_project`: of the developer set's questions 4 % are sent elsewhere at home and 69 % from
another project, of the sample's 7 % and 68 %.
"""


@dataclass(slots=True, frozen=True)
class Named:
    """A project that a text names, and the words of its name there; none for a path."""

    project_id: int
    words: tuple[str, ...] = ()


PLACES = """
select p.id, p.name, p.canonical_path, p.git_remote from projects p
union all select project_id, '', path, null from project_aliases where reason not in ('moved', 'user')
union all select project_id, replace(path, rtrim(path, replace(path, '/', '')), ''), path, null
    from project_aliases where reason in ('moved', 'user')
"""
"""Each name, path and remote of a project. What a project was called before it moved is a name of it; the folder of a
worktree, or one below the project, is none."""


def named_in(db: sqlite3.Connection, text: str, home: int | None) -> Named | None:
    """The project of a file that a text names."""
    return named_among(tuples(db, PLACES, ()), text, home)


def named_among(rows: Iterable[tuple[int, str, str, str | None]], text: str, home: int | None) -> Named | None:
    """The project that a text names: by a path, else by its remote, else by the longest name; home where it is too.

    `rows` are (project, name, path, remote), as `PLACES` gives them.
    """
    plain = text.casefold()
    words: list[str] = WORD.findall(plain)
    found: list[tuple[int, int, bool, Named]] = []
    rows = list(rows)
    own = [name for project_id, name, *_ in rows if project_id == home]
    at_home = frozenset(word for name in own for word in WORD.findall(name.casefold()))
    for project_id, name, path, remote in sorted(rows, key=lambda row: (-len(row[1]), row[0] != home)):
        if "/" in plain:
            place = next((each for each in places(path, remote) if stands_in(each, plain)), "")
            if place:
                found.append((1, len(place), project_id == home, Named(project_id)))
        if parts := name_in(name, words, frozenset() if project_id == home else at_home):
            words = without(parts, words)  # what stands within it names no project with a shorter name
            found.append(
                (0, len(name) if project_id != home else len(plain), project_id == home, Named(project_id, parts))
            )
    return max(found, key=lambda each: each[:3], default=(0, 0, False, None))[3]


def without(parts: Sequence[str], words: Sequence[str]) -> list[str]:
    """The words of a text with a gap wherever these stand in order."""
    left = list(words)
    for start in range(len(left) - len(parts) + 1):
        if tuple(left[start : start + len(parts)]) == tuple(parts):
            left[start : start + len(parts)] = [""] * len(parts)
    return left


def places(path: str, remote: str | None) -> Iterable[str]:
    """A path, and a remote whole and by its owner and name, in lower case."""
    yield path.casefold()
    if remote:
        yield remote.casefold()
        yield "/".join(remote.casefold().split("/")[-2:])


def stands_in(place: str, text: str) -> bool:
    """Whether a path or remote stands in a text, itself or as the beginning of a longer path."""
    start = text.find(place)
    after = text[start + len(place) : start + len(place) + 1]
    before = text[start - 1 : start] if start > 0 else ""
    return start >= 0 and place.count("/") > 0 and not (after.isalnum() or after in ("-", "_")) and not before.isalnum()


def name_in(name: str, words: Sequence[str], at_home: frozenset[str] = frozenset()) -> tuple[str, ...]:
    """The words of a project's name where they stand in a text, in order; else none.

    One word of the asker's own project's name may be the thing that both are about: "three bookings" means no
    `bookings` in `bookings-web`, "the bookings api" does.
    """
    parts = tuple(WORD.findall(name.casefold()))
    for start in range(len(words) - len(parts) + 1 if parts else 0):
        if tuple(words[start : start + len(parts)]) == parts:
            before, after = words[max(0, start - 1) : start], words[start + len(parts) : start + len(parts) + 1]
            beside = {*before, *after}
            is_thing = len(parts) == 1 and parts[0] in at_home and not COUNTING.isdisjoint(before)
            is_said = not is_thing or not SERVING.isdisjoint(after)
            is_name = len("".join(parts)) >= SHORTEST_NAME and name.casefold() not in ORDINARY
            if beside & BESIDE or (is_said and is_name):
                return parts
    return ()


# ------------------------------------------------------------- what belongs together with it

SISTERS = """
select other_project_id from project_mentions where project_id = :home
union select project_id from project_mentions where other_project_id = :home
"""


def sisters_of(db: sqlite3.Connection, home: int) -> frozenset[int]:
    """The projects of which a session names this one, or is named by one of it; see `index.mentions`."""
    return frozenset(row[0] for row in rows_there(db, SISTERS, {"home": home}))


FEWEST_OF_THING, TIMES_AS_MANY = 3, 3
"""Texts of a sister that have the word for a thing which a prompt speaks of, and how many times as many as here, so
that the thing is known to belong there. Source: ours."""


def sisters_spoken_of(db: sqlite3.Connection, home: int, sisters: frozenset[int], text: str) -> frozenset[int]:
    """The sisters that a text speaks of: by a part of their names ("when the new door software comes in"), or by a
    thing that is spoken of there much more than here ("the same limit as in the report")."""
    said = text.casefold()
    words = frozenset(WORD.findall(said))
    names = ((project, name.casefold()) for project, name, _, _ in tuples(db, PLACES, ()) if project in sisters)
    found = {project for project, name in names if any(is_called(word, name) for word in words)}
    for thing in things_spoken_of(said):
        if found == sisters:
            break
        counted = projects_with(db, thing)
        least = max(FEWEST_OF_THING, TIMES_AS_MANY * counted.get(home, 0))
        found |= {project for project in sisters if counted.get(project, 0) >= least}
    return frozenset(found)


# ------------------------------------------------------------- by a part of its name


def named_by_part(
    rows: Iterable[tuple[int, str, str, str | None]],
    text: str,
    home: int | None,
    having: Callable[[str], Mapping[int | None, int]],
) -> Named | None:
    """The one other project of whose name a text has a part that is said there, and nowhere at home.

    "The meter import" is of `meterjobs`. `rows` are as `PLACES` gives them, `having` counts the texts of each project
    that have a word.
    """
    rows = list(rows)
    own = " ".join(name.casefold() for project, name, _, _ in rows if project == home)
    others = [(project, name.casefold()) for project, name, _, _ in rows if project != home and name]
    for word in dict.fromkeys(WORD.findall(text.casefold())):
        stem = word.removesuffix("s")
        if len(stem) < SHORTEST_PART or word in ORDINARY or stem in ORDINARY or stem in own:
            continue
        found = {project for project, name in others if is_part(stem, name)}
        counted = having(word) if len(found) == 1 else {}
        if counted.get(meant := next(iter(found), 0), 0) and not counted.get(home, 0):
            return Named(meant, (word,))
    return None


def part_named_in(db: sqlite3.Connection, text: str, home: int | None) -> Named | None:
    """The same of a file; nothing where nobody says where they work."""
    return named_by_part(tuples(db, PLACES, ()), text, home, partial(projects_with, db)) if home is not None else None


def is_part(word: str, name: str) -> bool:
    """Whether a word is one of several that a name is made of, parted or written as one."""
    parts = WORD.findall(name.replace("_", " "))
    if len(parts) > 1:
        return any(word == part.removesuffix("s") for part in parts)
    is_longer = len(name) >= len(word) + SHORTEST_REST
    return is_longer and (name.startswith(word) or name.removesuffix("s").endswith(word))


# ------------------------------------------------------------- by its own words

OF_MEMORIES = """
select v.project_id from memory_fts f cross join memory_versions v on v.id = f.rowid
where memory_fts match ? and v.recorded_to is null limit ?
"""

OF_ENTRIES = """
select s.project_id from entry_fts f cross join entries e on e.id = f.rowid join sessions s on s.id = e.session_id
where entry_fts match ? limit ?
"""

MEMORIES = "select project_id, count(*) from memories group by project_id"

SESSIONS = "select project_id, count(*) from sessions group by project_id"

ENTRIES = "select count(*) from entry_fts_docsize"


def pointed_to(
    db: sqlite3.Connection, home: int | None, terms: Sequence[str], fewest: int = FEWEST_TERMS
) -> frozenset[int]:
    """The projects but the asker's that so many words point to: by how much likelier each is there than here."""
    if home is None or len(terms) < fewest:
        return frozenset()
    return pointed_among(home, terms, fewest, texts_of(db), partial(projects_with, db))


def pointed_among(
    home: int,
    terms: Sequence[str],
    fewest: int,
    texts: Mapping[int | None, float],
    having: Callable[[str], Mapping[int | None, int]],
) -> frozenset[int]:
    """The same by how many texts each project has, and how many of each have a word."""
    others = [project for project in texts if project not in (None, home)]
    if not others:
        return frozenset()
    everything = sum(texts.values())
    odds, pointing = dict.fromkeys(others, 0.0), dict.fromkeys(others, 0)
    for term in terms[:MOST_TERMS]:
        counted = having(term)
        if not counted:
            continue
        share = sum(counted.values()) / everything
        here = likelihood(counted.get(home, 0), texts.get(home, 0.0), share)
        for project in others:
            more = math.log(likelihood(counted.get(project, 0), texts[project], share) / here)
            odds[project] += max(-MOST_A_TERM, min(MOST_A_TERM, more))
            pointing[project] += more > 0.5
    meant = [each for each in others if odds[each] >= LEAST_LOG_ODDS and pointing[each] >= fewest]
    best = max((odds[each] for each in meant), default=0.0)
    return frozenset(each for each in meant if each is not None and odds[each] >= best - 1.0)


def likelihood(count: int, texts: float, share: float) -> float:
    """The share of a project's texts that have a word, smoothed by the share in the file."""
    return (count + BACKGROUND * share) / (texts + BACKGROUND)


def texts_of(db: sqlite3.Connection) -> Mapping[int | None, float]:
    """About how many memories and entries each project has; entries as its share of the sessions."""
    return shared_out(dict(tuples(db, MEMORIES, ())), dict(tuples(db, SESSIONS, ())), db.execute(ENTRIES).fetchone()[0])


def shared_out(
    memories: Mapping[int | None, int], sessions: Mapping[int | None, int], entries: int
) -> Mapping[int | None, float]:
    """The texts of each project: its memories, and entries as its share of the sessions."""
    found: dict[int | None, float] = dict(memories)
    each = entries / max(1, sum(sessions.values()))
    for project, count in sessions.items():
        found[project] = found.get(project, 0.0) + each * count
    return found


def projects_with(db: sqlite3.Connection, term: str) -> Mapping[int | None, int]:
    """How many texts of each project have a word; nothing of a word that many have."""
    found: dict[int | None, int] = {}
    for sql in (OF_MEMORIES, OF_ENTRIES):
        rows = tuples(db, sql, [match_term(term), MOST_TEXTS])
        if len(rows) == MOST_TEXTS:
            return {}
        for (project,) in rows:
            found[project] = found.get(project, 0) + 1
    return found
