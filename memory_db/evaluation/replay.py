"""What would have changed: past briefs, as other weights would have chosen them from their logged hits.

In: a connection that reads, a profile, from when until when. Out: a `Replayed`: figures with 95 % intervals, and each
brief that changes with the lines that would have gone and come. One path: the command line, the page that compares and
a notebook all call `replay`. Invariants: nothing is asked again and nothing is written; a brief is compared with what
its own weights give by the same rules, so that only weights differ, and the figure `as_logged` says how many of those
are what the log says was shown; the same rows give the same numbers.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

import numpy as np

from memory_db.errors import InputError
from memory_db.evaluation.metrics import DRAWS, SEED, Progress
from memory_db.recall.brief.placement import Placement
from memory_db.recall.explain.reweighted import PAST_BRIEFS, LoggedBrief, read_log, reweighted
from memory_db.recall.search import Profile
from memory_db.store.dates import utc_text

SURFACES = ("hook", "mcp", "brief", "ask", "llm")
"""Surfaces whose briefs answer words and are read by a model; a session's start answers none."""

MOST_BRIEFS = 10_000
"""Briefs that are looked at, the newest: some minutes of work."""

FEWEST = 5
"""Units that an interval takes. Source: ours; fewer resampled say nothing."""

FEWEST_SESSIONS = 10
"""Sessions from which on whole sessions are resampled, for briefs of one session are alike; of fewer, single briefs.

Source: ours, as in `uplift`.
"""

BRIEFS = f"""
r.surface in (select value from json_each(:surfaces)) and r.asked_at >= :since and r.asked_at < :until
    and trim(r.query) <> '' order by r.asked_at desc, r.id desc limit {MOST_BRIEFS + 1}
"""

SIGNS = """
select v.id as version_id, e.kind from evidence e
join memory_versions v on v.memory_id = e.memory_id
where e.recall_id = ? and e.withdrawn_at is null
"""

WAS_READ = "select 1 from entries where session_id = ? and role = 'assistant' and created_at >= ? limit 1"

OF_USE, WRONG = ("cited", "used", "confirmed"), ("wrong", "contradicted", "repeated")
"""Kinds of evidence that say a shown line was of use, or that it was wrong or not obeyed."""

KNOWN = """
select k.memory_id, k.session_uid, k.said_at from known_but_not_shown k
where k.said_at >= :since and k.said_at < :until order by k.said_at, k.memory_id
"""

VERSIONS = "select id, memory_id from memory_versions where id in (select value from json_each(?))"

FIGURES: Mapping[str, str] = {
    "changed": "briefs with other lines",
    "silenced": "briefs that fall silent",
    "spoken": "silent briefs that speak",
    "lines": "lines a brief, more or less",
    "tokens": "tokens of lines a brief, more or less",
    "ignored_gone": "ignored lines that go",
    "useful_gone": "cited, used or confirmed lines that go",
    "wrong_gone": "wrong or not obeyed lines that go",
    "known_come": "what you had to repeat, that comes",
    "as_logged": "given again by their own weights",
}
"""Each figure by name, with what it is. All but `lines` and `tokens` are shares from 0 to 1."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A mean or a share of `of` units with its 95 % interval; None where nothing is there, or too few for an interval.

    `count` is how many units are in it: of a share those counted, of a difference its sum.
    """

    value: float | None
    low: float | None
    high: float | None
    count: float
    of: int


@dataclass(frozen=True, slots=True)
class LineMoved:
    """A line that would have gone or come: `type` (memory or entry), `uid`, and what came of it where it was shown.

    `sign` is useful, wrong, ignored or unknown for a line that goes; known where the user had to repeat it later.
    """

    type: str
    uid: str
    sign: str = ""


@dataclass(frozen=True, slots=True)
class ChangedBrief:
    """A brief whose lines would have been others: lines it had and would have had, those that go, those that come."""

    recall_uid: str
    asked_at: str
    lines_before: int
    lines_after: int
    gone: tuple[LineMoved, ...]
    come: tuple[LineMoved, ...]


@dataclass(slots=True)
class Replayed:
    """What came out. `briefs` were compared; `left_out` counts the others by reason; `resampled` says of what intervals
    are: sessions or briefs. `changes` has every changed brief, the newest first."""

    profile: str
    profile_version: int
    since: str
    until: str
    briefs: int
    sessions: int
    resampled: str
    left_out: dict[str, int] = field(default_factory=dict)
    figures: dict[str, Figure] = field(default_factory=dict)
    changes: list[ChangedBrief] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """Everything by name, ready for JSON."""
        return asdict(self)


@dataclass(slots=True)
class Compared:
    """One brief: what each side shows, and what its units add to the figures: (counted, of) by figure."""

    session: str
    changed: ChangedBrief | None
    units: dict[str, tuple[float, int]]
    come: frozenset[int]
    asked_at: str


def replay(
    db: sqlite3.Connection, profile: Profile, *, since: datetime, until: datetime, progress: Progress | None = None
) -> Replayed:
    """What would have changed in the briefs from `since` until before `until`, had a profile chosen their lines.

    `profile` is what `load_profile(db, "default")` gives. Looks at every brief that answered a prompt or a question and
    was read by a model; each is judged by itself, with what its session had really read before. Takes some ten
    milliseconds a brief. The connection may be read-only.

    Raises: InputError where the span ends before it begins.
    Source: percentiles of 2,000 resamplings (the bootstrap of Efron), ratios as sums over sums.
    """
    if until <= since:
        raise InputError(f"The span ends at {utc_text(until)}, not after it begins. Give a later end.")
    span = {"since": utc_text(since), "until": utc_text(until)}
    surfaces = '["' + '", "'.join(SURFACES) + '"]'
    rows = db.execute(PAST_BRIEFS.format(which=BRIEFS), {**span, "surfaces": surfaces}).fetchall()
    left_out: Counter[str] = Counter({f"older than the newest {MOST_BRIEFS:,}": 1} if len(rows) > MOST_BRIEFS else {})
    known = known_not_shown(db, span)
    found: list[Compared] = []
    for number, row in enumerate(rows[:MOST_BRIEFS], start=1):
        brief = read_log(db, row)
        if reason := why_not_compared(row, brief):
            left_out[reason] += 1
        else:
            found.append(compared(db, row, brief, profile, known))
        if progress:
            progress("briefs replayed", number, min(len(rows), MOST_BRIEFS))
    units = [(each.session, each.units) for each in found]
    units += known_units(db, found, known)
    sessions = len({session for session, _ in units})
    by_session = sessions >= FEWEST_SESSIONS
    return Replayed(
        profile.name, profile.version, span["since"], span["until"], len(found), len({each.session for each in found}),
        "sessions" if by_session else "briefs", dict(left_out),
        {name: figure(name, units, by_session=by_session) for name in FIGURES},
        [each.changed for each in found if each.changed],
    )  # fmt: skip


def why_not_compared(row: sqlite3.Row, brief: LoggedBrief) -> str:
    """Why a brief cannot be looked at, or nothing."""
    if row["considered_count"] and not any(hit.rank is None for hit in brief.hits):
        shown = sum(hit.rank is not None for hit in brief.hits)
        if row["considered_count"] > shown:
            return "the hits that it did not show have aged out"
    return ""


def compared(
    db: sqlite3.Connection, row: sqlite3.Row, brief: LoggedBrief, profile: Profile,
    known: Mapping[str, Sequence[tuple[int, str]]],
) -> Compared:  # fmt: skip
    """One brief under its own weights and under the profile's."""
    before = [hit for hit in reweighted(db, brief, brief.profile) if hit.rank is not None]
    after = [hit for hit in reweighted(db, brief, profile) if hit.rank is not None]
    was, would = ({key_of(hit): hit for hit in hits} for hits in (before, after))
    logged = {hit.key for hit in brief.hits if hit.rank is not None}
    signs = signs_of(db, row)
    session = str(row["session_uid"] or row["session_id"] or row["uid"])
    gone = [hit for key, hit in was.items() if key not in would]
    come = [hit for key, hit in would.items() if key not in was]
    memories = memory_ids(db, come)
    later = {memory for memory, said_at in known.get(session, ()) if said_at >= row["asked_at"]}
    units: dict[str, tuple[float, int]] = {
        "changed": (float(bool(gone or come)), 1),
        "silenced": (float(not would), 1) if was else (0.0, 0),
        "spoken": (float(bool(would)), 1) if not was else (0.0, 0),
        "lines": (float(len(would) - len(was)), 1),
        "tokens": (float(tokens_of(after) - tokens_of(before)), 1),
        "as_logged": (float(set(was) == logged), 1),
    }
    for name, sign in (("ignored_gone", "ignored"), ("useful_gone", "useful"), ("wrong_gone", "wrong")):
        shown = [hit for key, hit in was.items() if key in logged and sign_of(hit, signs) == sign]
        units[name] = (float(sum(key_of(hit) not in would for hit in shown)), len(shown))
    changed = None
    if gone or come:
        changed = ChangedBrief(
            row["uid"], row["asked_at"], len(was), len(would),
            tuple(LineMoved(hit.type, hit.uid, sign_of(hit, signs) if key_of(hit) in logged else "") for hit in gone),
            tuple(LineMoved(hit.type, hit.uid, "known" if memories.get(hit.memory_version_id) in later else "")
                  for hit in come),
        )  # fmt: skip
    return Compared(session, changed, units, frozenset(memories.values()), row["asked_at"])


def key_of(hit: Placement) -> tuple[int | None, int | None]:
    """What a hit is, whatever its score."""
    return hit.memory_version_id, hit.entry_id


def tokens_of(hits: Iterable[Placement]) -> int:
    """What the lines of hits take."""
    return sum(hit.shown_tokens or 0 for hit in hits)


def memory_ids(db: sqlite3.Connection, hits: Iterable[Placement]) -> dict[int | None, int]:
    """The memory of each version among hits."""
    versions = [hit.memory_version_id for hit in hits if hit.memory_version_id is not None]
    return {row[0]: row[1] for row in db.execute(VERSIONS, [f"[{', '.join(map(str, versions))}]"])}


def signs_of(db: sqlite3.Connection, row: sqlite3.Row) -> dict[int, str] | None:
    """What came of the versions that a recall showed; None where no reply of its session is in the file yet."""
    session_id = row["session_id"]
    if session_id is None and row["session_uid"]:
        found = db.execute("select id from sessions where uid = ?", [row["session_uid"]]).fetchone()
        session_id = found[0] if found else None
    if session_id is None or not db.execute(WAS_READ, [session_id, row["asked_at"]]).fetchone():
        return None
    signs: dict[int, str] = {}
    for version_id, kind in db.execute(SIGNS, [row["id"]]):
        sign = "wrong" if kind in WRONG else "useful" if kind in OF_USE else ""
        if sign and signs.get(version_id) != "wrong":
            signs[version_id] = sign
    return signs


def sign_of(hit: Placement, signs: Mapping[int, str] | None) -> str:
    """What came of a shown line: of an entry nothing tells, and nothing before the reply was read."""
    if signs is None or hit.memory_version_id is None:
        return "unknown"
    return signs.get(hit.memory_version_id, "ignored")


# ---------------------------------------------------------- known, and not shown


def known_not_shown(db: sqlite3.Connection, span: Mapping[str, str]) -> dict[str, list[tuple[int, str]]]:
    """What the user had to repeat in the span though memory knew it: memory and moment, by session."""
    found: dict[str, list[tuple[int, str]]] = {}
    for row in db.execute(KNOWN, span):
        found.setdefault(row["session_uid"], []).append((row["memory_id"], row["said_at"]))
    return found


def known_units(
    db: sqlite3.Connection, found: Sequence[Compared], known: Mapping[str, Sequence[tuple[int, str]]]
) -> list[tuple[str, dict[str, tuple[float, int]]]]:
    """For each of those whether a brief of its session, before it was said again, would have had it."""
    came: dict[str, list[tuple[int, str]]] = {}
    for each in found:
        came.setdefault(each.session, []).extend((memory, each.asked_at) for memory in each.come)
    return [
        (session, {"known_come": (float(any(memory == told and asked_at <= said_at
                                            for told, asked_at in came.get(session, ()))), 1)})
        for session, repeated in known.items() for memory, said_at in repeated
    ]  # fmt: skip


# ------------------------------------------------------------------ the figures


def figure(name: str, units: Sequence[tuple[str, Mapping[str, tuple[float, int]]]], *, by_session: bool) -> Figure:
    """A figure of all units, resampled by session or one by one."""
    counted = [(session, *values[name]) for session, values in units if values.get(name, (0.0, 0))[1]]
    if by_session:
        sums: dict[str, tuple[float, int]] = {}
        for session, count, of in counted:
            before = sums.get(session, (0.0, 0))
            sums[session] = (before[0] + count, before[1] + of)
        pairs = list(sums.values())
    else:
        pairs = [(count, of) for _, count, of in counted]
    count, total = sum(pair[0] for pair in pairs), sum(pair[1] for pair in pairs)
    if not total:
        return Figure(None, None, None, 0, 0)
    low, high = interval(pairs)
    return Figure(count / total, low, high, count, total)


def interval(pairs: Sequence[tuple[float, int]]) -> tuple[float | None, float | None]:
    """The middle 95 % of a ratio of sums over resampled units; None where there are too few."""
    if len(pairs) < FEWEST:
        return None, None
    counts, totals = (np.array([pair[place] for pair in pairs], dtype=float) for place in (0, 1))
    rng = np.random.default_rng(SEED)
    ratios = np.empty(DRAWS)
    for draw in range(DRAWS):  # one at a time: all at once would take memory by the gigabyte for a long history
        picked = rng.integers(0, len(pairs), size=len(pairs))
        ratios[draw] = counts[picked].sum() / totals[picked].sum()
    low, high = (float(each) for each in np.quantile(ratios, [0.025, 0.975]))
    return low, high
