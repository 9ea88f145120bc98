"""Why a past recall did not show something, in plain words: what its signals cost it, or what kept it out.

In: a recall, and the uid of a memory or an entry, or words that name some. Out: a plain dict for the command line, a
page and JSON alike. Invariants: what the log has is read from the log; what it has not is computed again, and
`recomputed` says so; a difference is weight times signal of the one, less weight times signal of the other.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping
from typing import Any

from memory_db.errors import NotFoundError, QueryError
from memory_db.recall.brief import allowed
from memory_db.recall.brief.log import weighed
from memory_db.recall.explain import reasons
from memory_db.recall.explain.asked_again import Again, Missed, look_again
from memory_db.recall.explain.why import HITS, find_missed, find_recall, logged_hit
from memory_db.recall.filters import day
from memory_db.recall.search import Semantic
from memory_db.text.one_line import cut
from memory_db.text.terms import match_term, query_terms

MOST_CHOICES = 10
"""Memories and entries that words offer to choose from."""

TITLE_CHARACTERS = 120

LAST_SHOWN = HITS.replace("where h.recall_id = ?", "where h.recall_id = ? and h.rank is not null").replace(
    "h.rank is null, h.rank, h.position", "h.rank desc limit 1"
)
"""The shown hit with the lowest rank: the one whose place would have been taken."""

FIRST_SHOWN = HITS.replace("where h.recall_id = ?", "where h.recall_id = ? and h.rank = 1")
"""The hit that was shown first: the one that a hit which was shown too stands behind."""

BEST_SHOWN = "select max(logged_score), count(*) from hits where recall_id = ? and rank is not null"

ABOUT = {
    "memory": "select m.uid, m.title, m.text, m.kind, m.status, p.name as project from memories m"
              " left join projects p on p.id = m.project_id where m.id = ?",
    "entry": "select e.uid, e.role as title, e.text, e.kind, 'said' as status, p.name as project from entries e"
             " join sessions s on s.id = e.session_id left join projects p on p.id = s.project_id where e.id = ?",
}  # fmt: skip

OF_MEMORIES = (
    "select v.memory_id from {0} f cross join memory_versions v on v.id = f.rowid"
    " where {0} match ? and v.recorded_to is null order by f.rank limit ?"
)

OF_ENTRIES = "select rowid from {0} where {0} match ? order by rank limit ?"

LOGGED_MEMORIES = (
    "select v.memory_id from hits h join memory_versions v on v.id = h.memory_version_id where h.recall_id = ?"
    " and exists (select 1 from {0} where {0} match ? and rowid = v.id) order by h.position limit ?"
)

LOGGED_ENTRIES = (
    "select h.entry_id from hits h where h.recall_id = ? and h.entry_id is not null"
    " and exists (select 1 from {0} where {0} match ? and rowid = h.entry_id) order by h.position limit ?"
)

TEXTS = (
    ("memory", "memory_fts", OF_MEMORIES, LOGGED_MEMORIES), ("memory", "memory_gram_fts", OF_MEMORIES, LOGGED_MEMORIES),
    ("entry", "entry_fts", OF_ENTRIES, LOGGED_ENTRIES), ("entry", "entry_gram_fts", OF_ENTRIES, LOGGED_ENTRIES),
)  # fmt: skip
"""Full texts that words are looked for in: what each is of, and how it is asked, in all and in what a recall logged."""


def why_not(
    db: sqlite3.Connection, recall_name: str, name: str, *, semantic: Callable[[], Semantic | None] = lambda: None
) -> dict[str, Any]:
    """Why something was not shown: `outcome` in a word, `said` in sentences, `differences` to the last shown hit.

    Of what was shown after others, the same with the hit that was shown first. `beside` is the hit it is compared with.
    Where `name` is neither a uid nor the beginning of one, `choices` has what its words meet. `needed` is the score
    that it would have needed more. `semantic` opens the full model, if what is not logged has to be asked again.
    Raises: NotFoundError.
    """
    row = find_recall(db, recall_name)
    missed = find_missed(db, name)
    answer: dict[str, Any] = {
        "recall": row["uid"], "recall_id": row["id"], "query": row["query"], "asked_at": row["asked_at"],
        "profile": f"{row['profile']}@{row['version']}", "asked_for": name.strip(),
    }  # fmt: skip
    if missed is None:
        offered = [choice(db, row["id"], each) for each in entitled(db, name)] or choices(db, row["id"], name)
        if len(offered) > 1:
            return answer | {"outcome": "choose", "choices": offered}
        missed = Missed(offered[0]["type"], offered[0]["id"], offered[0]["uid"])
    answer["about"] = about(db, missed)
    hit = logged_hit(db, row["id"], missed)
    if hit is not None:
        return answer | from_log(db, row, hit)
    again = look_again(db, row, missed, semantic() if row["semantic_model"] else None)
    return answer | computed(db, row, again)


def about(db: sqlite3.Connection, missed: Missed) -> dict[str, Any]:
    """What is asked after, as far as an answer names it."""
    found = dict(db.execute(ABOUT[missed.type], [missed.id]).fetchone())
    text = " ".join(found.pop("text").split())
    title = text if missed.type == "entry" or len(text) <= TITLE_CHARACTERS else found["title"]
    return found | {"type": missed.type, "id": missed.id, "title": cut(title, TITLE_CHARACTERS)}


def from_log(db: sqlite3.Connection, row: sqlite3.Row, hit: sqlite3.Row) -> dict[str, Any]:
    """The answer for a hit that was logged."""
    found = {
        "recomputed": False, "how": "", "rank": hit["rank"], "position": hit["position"], "score": hit["score"],
        "reason": hit["left_out_reason"],
    }  # fmt: skip
    if hit["rank"]:
        return found | beside_first(db, row, hit)
    features, signals = json.loads(hit["features"]), json.loads(hit["signals"])
    made = compared(db, row, hit["left_out_reason"], hit["score"], features, signals)
    place = f"at place {hit['position']:,} of {row['considered_count']:,} by score"
    said = [f"It was {place}, and left out: {hit['left_out_reason']}.", *made["said"][1:]]
    return found | made | {"said": said}


def computed(db: sqlite3.Connection, row: sqlite3.Row, again: Again) -> dict[str, Any]:
    """The answer for what was not logged."""
    hit = again.hit
    how = f"This recall kept no numbers of it. What follows was {again.how}." if again.how else ""
    found: dict[str, Any] = {
        "recomputed": True, "how": how, "rank": None, "position": hit.position if hit else None,
        "score": hit.score if hit else None, "reason": hit.left_out_reason if hit else None,
    }  # fmt: skip
    sentence = again.sentence[0].upper() + again.sentence[1:] + "."
    if hit is None or hit.left_out_reason is None:
        return found | {
            "outcome": again.outcome,
            "said": [sentence],
            "needed": None,
            "differences": [],
            "beside": None,
        }
    made = compared(db, row, hit.left_out_reason, hit.score, hit.features.as_dict() | weighed(hit), hit.signals)
    return found | made | {"said": [sentence, *made["said"][1:]]}


def compared(
    db: sqlite3.Connection, row: sqlite3.Row, reason: str, score: float, features: Mapping[str, Any],
    signals: Mapping[str, float],
) -> dict[str, Any]:  # fmt: skip
    """Why it was left out, beside the last hit that was shown: what it would have needed, and where that was lost."""
    weights: dict[str, float] = json.loads(row["weights"])
    threshold = db.execute("select threshold from profiles where id = ?", [row["profile_id"]]).fetchone()[0]
    context = json.loads(row["context"])
    threshold = max(threshold, context.get("threshold", 0.0))
    last = db.execute(LAST_SHOWN, [row["id"]]).fetchone()
    best, shown = db.execute(BEST_SHOWN, [row["id"]]).fetchone()
    of = reasons.Compared(score, features, context, threshold, bool(row["semantic_model"]), best, shown,
                          json.loads(row["features"]))  # fmt: skip
    said = [f"It was considered and left out: {reason}.", *filter(None, [reasons.told(reason, of)])]
    if last is None and reason == allowed.OVER_LIMIT:
        said.append("None of those was shown in the end: each has a reason of its own.")
    aim = threshold if reason == allowed.BELOW_THRESHOLD or last is None else last["score"]
    by_score = reason == allowed.BELOW_THRESHOLD or (
        reason == allowed.OVER_LIMIT and not reasons.comes_after_memories(of)
    )
    needed = aim - score if by_score and aim > score else None
    if needed is not None:
        place = "the threshold" if aim == threshold else f"the hit at rank {last['rank']}, the last one shown"
        said.append(f"It would have needed {needed:.3f} more to reach {place}.")
    elif last is not None:
        said.append(beside_last(reason, score, last, has_model=of.has_model))
    other = json.loads(last["signals"]) if last is not None else None
    return {
        "outcome": "left_out",
        "said": said,
        "needed": needed,
        "differences": differences(weights, signals, other),
        "beside": None if last is None else compared_with(last),
    }


def beside_first(db: sqlite3.Connection, row: sqlite3.Row, hit: sqlite3.Row) -> dict[str, Any]:
    """How a hit that was shown stands to the one that was shown first; the brief of a session's start has no such
    order, for nothing was asked."""
    said = [f"It was shown, at rank {hit['rank']} of {shown_count(db, row)}."]
    answer: dict[str, Any] = {"outcome": "shown", "said": said, "needed": None, "differences": [], "beside": None}
    first = db.execute(FIRST_SHOWN, [row["id"]]).fetchone() if hit["rank"] > 1 and row["query"].strip() else None
    if first is None:
        return answer
    more = first["score"] - hit["score"]
    if more > 0:
        said.append(f"The hit at rank 1 scores {first['score']:.3f}, it {hit['score']:.3f}: {more:.3f} less.")
    else:
        said.append(f"Its score of {hit['score']:.3f} is no less than that of rank 1, {first['score']:.3f}; "
                    "that was not the reason.")  # fmt: skip
    found = differences(json.loads(row["weights"]), json.loads(hit["signals"]), json.loads(first["signals"]))
    return answer | {"differences": found, "beside": compared_with(first)}


def compared_with(shown: sqlite3.Row) -> dict[str, Any]:
    """A shown hit that another one is compared with."""
    return {
        "uid": shown["uid"], "rank": shown["rank"], "score": shown["score"],
        "type": "memory" if shown["memory_version_id"] else "entry", "title": cut(shown["text"], TITLE_CHARACTERS),
    }  # fmt: skip


def beside_last(reason: str, score: float, last: sqlite3.Row, *, has_model: bool) -> str:
    """How the score of a hit that was left out stands to that of the last one shown, and why that one is shown."""
    if score < last["score"]:
        return f"The last hit shown scored {last['score']:.3f}, it {score:.3f}; that was not the reason."
    if reason not in reasons.BY_LEAD:
        return "Its score was not the reason."
    said = f"Rank {last['rank']} scores less, {last['score']:.3f}"
    why = reasons.stays_because(json.loads(last["features"]), has_model=has_model)
    return f"{said}, and is shown because {why}: such a line need not stand out." if why else f"{said}."


def differences(
    weights: Mapping[str, float], signals: Mapping[str, float], other: Mapping[str, float] | None
) -> list[dict[str, Any]]:
    """What each signal cost it against another hit, dearest first; without another, against the most it can give."""
    found = []
    for signal, weight in weights.items():
        value = signals.get(signal, 0.0)
        against = 1.0 if other is None else other.get(signal, 0.0)
        cost = weight * (against - value)
        if abs(cost) > 1e-9:
            found.append({"signal": signal, "weight": weight, "value": value, "other_value": against, "cost": cost})
    return sorted(found, key=lambda each: (-each["cost"], each["signal"]))


def shown_count(db: sqlite3.Connection, row: sqlite3.Row) -> int:
    """How many hits a recall showed."""
    return int(db.execute("select count(*) from hits where recall_id = ? and rank > 0", [row["id"]]).fetchone()[0])


ENTITLED = """
select id, uid from memories where :said <> ''
    and (rtrim(title, '….! ') = :said collate nocase or rtrim(text, '….! ') = :said collate nocase) order by id
"""


def entitled(db: sqlite3.Connection, name: str) -> list[Missed]:
    """The memories whose whole title or text that is."""
    said = " ".join(name.split()).rstrip("….! ")
    return [Missed("memory", row["id"], row["uid"]) for row in db.execute(ENTITLED, {"said": said})]


def choices(db: sqlite3.Connection, recall_id: int, words: str) -> list[dict[str, Any]]:
    """Memories and entries that words meet, each with what became of it in the recall as far as that is logged.

    Those of its log come first, then memories; at least half of the rest is left to entries where there are as many.
    Raises: NotFoundError where they meet nothing.
    """
    try:
        terms = query_terms(words)
    except QueryError as error:
        raise NotFoundError(f"No memory or entry {words.strip()[:60]!r}. Give a uid, or words that it says.") from error
    for joined in (" AND ", " OR "):
        match = joined.join(map(match_term, terms))
        logged: dict[tuple[str, int], None] = {}
        others: dict[str, dict[tuple[str, int], None]] = {"memory": {}, "entry": {}}
        for sort, table, every, in_log in TEXTS:
            logged |= {
                (sort, row[0]): None for row in db.execute(in_log.format(table), [recall_id, match, MOST_CHOICES])
            }
            others[sort] |= {(sort, row[0]): None for row in db.execute(every.format(table), [match, MOST_CHOICES])}
        room = MOST_CHOICES - len(logged)
        memories, entries = ([each for each in found if each not in logged] for found in others.values())
        kept = max(room - len(entries), (room + 1) // 2, 0)
        found = [*logged, *memories[:kept], *entries][:MOST_CHOICES]
        if found:
            return [choice(db, recall_id, Missed(sort, number, "")) for sort, number in found]
    raise NotFoundError(f"No memory and no entry says {words.strip()[:60]!r}. Give other words, or a uid.")


def choice(db: sqlite3.Connection, recall_id: int, missed: Missed) -> dict[str, Any]:
    """One thing to choose."""
    hit = logged_hit(db, recall_id, missed)
    became = "not logged" if hit is None else f"shown at {hit['rank']}" if hit["rank"] else hit["left_out_reason"]
    return about(db, missed) | {"became": became}


def describe_why_not(answer: dict[str, Any]) -> list[str]:
    """The answer as lines for a terminal; texts from the file are not made harmless yet."""
    if answer["outcome"] == "choose":
        first = f"Which one? `memory-db why {answer['recall']} --not UID`"
        return [first] + [f"{each['uid']}  {each['became']}: {each['title']}" for each in answer["choices"]]
    lines: list[str] = [f"{answer['about']['uid']}: {answer['about']['title']}"]
    lines.append(f"asked {day(answer['asked_at'])} with {answer['profile']}: {answer['query'][:TITLE_CHARACTERS]}")
    return lines + [line for line in (answer["how"], *answer["said"]) if line]
