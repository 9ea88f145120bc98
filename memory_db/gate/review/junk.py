"""Memories that are of no use, each with the reason in numbers: echoes, duplicates, never shown, always ignored.

In: the file. Out: `JunkFinding`s, and how many of them each prompt, rule and run has brought. Invariants: nothing is
written; a memory has one finding, the gravest; what the view `junk_candidates` sees is the same here.
"""

from __future__ import annotations

import re
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from memory_db.gate.review.junk_clusters import Cluster, clusters
from memory_db.index.neighbours import Vectors
from memory_db.store.dates import parse_utc
from memory_db.text.normalise import normalised

KINDS = ("echo", "duplicate", "ignored", "never_shown")
"""Kinds of junk, the gravest first."""

FEWEST_WORDS = 4
"""Words of the shortest text that counts as an echo: a shorter one stands somewhere by chance."""

BRIEF_LINE = re.compile(r"^- \[(\w+)\] (.*) \([^()]*(?:\([^()]*\)[^()]*)*\)$", re.M)
"""A line of a brief: the uid, the text, and what is said of it in brackets."""

SENTENCE_END = re.compile(r"(?<=[.!?;])\s+|\n+")

ORIGINS = """
select m.id as memory_id, m.uid, m.kind, m.title, m.text, p.name as project, g.method, g.version, g.model, g.rule,
    g.extraction_run_id, g.is_protected, g.first_said_at, g.is_said_by_user
from memories m join memory_origins g on g.memory_id = m.id left join projects p on p.id = m.project_id
where m.status = 'active' order by m.id
"""

SHOWN = "select uid, asked_at, shown_text from recalls where shown_text <> '' order by asked_at, id"


@dataclass(slots=True, frozen=True)
class JunkFinding:
    """One memory that is of no use. `number` is what the kind counts: hours between being shown and being said again,
    cosine with what it repeats, times shown, times considered. `kept` is the memory that says the same, for a
    duplicate. `is_protected`: locked, or the user's explicit word, which nothing here retires.
    """

    junk: str
    memory_id: int
    uid: str
    kind: str
    title: str
    project: str | None
    reason: str
    number: float
    method: str
    version: str
    model: str
    rule: str
    is_protected: bool
    kept: str | None = None


def find(
    db: sqlite3.Connection,
    kinds: Collection[str] = KINDS,
    *,
    version: str | None = None,
    vectors: Vectors | None = None,
) -> list[JunkFinding]:
    """What is of no use, the gravest kind first, then by number; at most one finding a memory.

    `version` keeps what one version of a prompt or of the rules has brought.
    Raises: ModelError; InputError for a setting that holds what it does not accept.
    """
    origins = {row["memory_id"]: row for row in db.execute(ORIGINS)}
    found: dict[int, JunkFinding] = {}
    for each in all_findings(db, kinds, origins, vectors):
        known = found.get(each.memory_id)
        if known is None or KINDS.index(each.junk) < KINDS.index(known.junk):
            found[each.memory_id] = each
    wanted = [each for each in found.values() if version in (None, each.version)]
    return sorted(wanted, key=lambda each: (KINDS.index(each.junk), -each.number, each.memory_id))


def all_findings(
    db: sqlite3.Connection, kinds: Collection[str], origins: dict[int, sqlite3.Row], vectors: Vectors | None
) -> Iterator[JunkFinding]:
    """Every finding of some kinds, in no order."""
    if "echo" in kinds:
        yield from echoes(db, origins.values())
    if "duplicate" in kinds:
        for cluster in clusters(db, vectors):
            yield from repeated(cluster, origins)
    for row in db.execute("select memory_id, junk, reason, number from junk_candidates"):
        if row["junk"] in kinds:
            yield finding(origins[row["memory_id"]], row["junk"], row["reason"], row["number"])


def finding(row: sqlite3.Row, junk: str, reason: str, number: float, kept: str | None = None) -> JunkFinding:
    """A finding about a memory."""
    return JunkFinding(
        junk, row["memory_id"], row["uid"], row["kind"], row["title"], row["project"], reason, number, row["method"],
        row["version"], row["model"], row["rule"], bool(row["is_protected"]), kept,
    )  # fmt: skip


def echoes(db: sqlite3.Connection, rows: Iterable[sqlite3.Row]) -> Iterator[JunkFinding]:
    """Memories whose words a brief had shown before they were first said, and which no user said.

    What the user says after reading a brief is the user's own word, and counts.
    """
    shown = first_shown(db)
    for row in rows:
        if row["first_said_at"] is None or row["is_said_by_user"]:
            continue
        recall, shown_at, uid = shown.get(normalised(row["text"]), ("", "9999", ""))
        if shown_at < row["first_said_at"] and uid != row["uid"]:
            hours = (parse_utc(row["first_said_at"]) - parse_utc(shown_at)).total_seconds() / 3600
            yield finding(row, "echo", f"said {hours:.1f} hours after recall {recall} had shown these words", hours)


def first_shown(db: sqlite3.Connection) -> dict[str, tuple[str, str, str]]:
    """Each text that a brief showed, and each of its sentences: the first recall, when, and the uid of what it was."""
    seen: set[str] = set()
    found: dict[str, tuple[str, str, str]] = {}
    for recall in db.execute(SHOWN):
        for uid, text in BRIEF_LINE.findall(recall["shown_text"]):
            if text in seen:
                continue
            seen.add(text)
            for part in (text, *SENTENCE_END.split(text)):
                said = normalised(part)
                if len(said.split()) >= FEWEST_WORDS:
                    found.setdefault(said, (recall["uid"], recall["asked_at"], uid))
    return found


def repeated(cluster: Cluster, origins: dict[int, sqlite3.Row]) -> Iterator[JunkFinding]:
    """All of a cluster but the one that is kept."""
    kept = origins[cluster.kept]["uid"]
    for one in cluster.others:
        pairs = [pair for pair in cluster.pairs if one in (pair.memory_id, pair.other_id)]
        best = max(pairs, key=lambda pair: (cluster.kept in (pair.memory_id, pair.other_id), pair.cosine))
        other = best.other_id if best.memory_id == one else best.memory_id
        way = "" if other == cluster.kept else f" by way of {origins[other]['uid']}"
        reason = f"says the same as {kept}{way}: cosine {best.cosine:.2f}, {best.words:.0%} of the words"
        yield finding(origins[one], "duplicate", reason, best.cosine, kept)


def by_origin(db: sqlite3.Connection, findings: Iterable[JunkFinding]) -> list[dict[str, Any]]:
    """How many memories each prompt, rule and run has brought, and how many of them are junk, most junk first.

    Rows: method, version, model, rule, memories, junk, share and the number of each kind.
    """
    kept: Counter[tuple[str, str, str, str]] = Counter()
    for row in db.execute(ORIGINS):
        kept[(row["method"], row["version"], row["model"], row["rule"])] += 1
    counts: dict[tuple[str, str, str, str], Counter[str]] = defaultdict(Counter)
    for each in findings:
        counts[(each.method, each.version, each.model, each.rule)][each.junk] += 1
    names = ("method", "version", "model", "rule")
    rows = [
        dict(zip(names, origin, strict=True))
        | {"memories": number, "junk": counts[origin].total(), "share": round(counts[origin].total() / number, 3)}
        | {kind: counts[origin][kind] for kind in KINDS}
        for origin, number in kept.items()
    ]
    return sorted(rows, key=lambda row: (-row["junk"], -row["memories"], *(row[name] for name in names)))
