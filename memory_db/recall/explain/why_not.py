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
from memory_db.knowledge.suppressions import SUPPRESSED
from memory_db.recall.brief import allowed, trust
from memory_db.recall.explain.asked_again import Again, Missed, look_again
from memory_db.recall.explain.why import HITS, find_missed, find_recall, logged_hit
from memory_db.recall.filters import day
from memory_db.recall.search import Semantic
from memory_db.text.terms import match_term, query_terms

MOST_CHOICES = 10
"""Memories, or entries where no memory is met, that words offer to choose from."""

TITLE_CHARACTERS = 120

LAST_SHOWN = HITS.replace("where h.recall_id = ?", "where h.recall_id = ? and h.rank is not null").replace(
    "h.rank is null, h.rank, h.position", "h.rank desc limit 1"
)
"""The shown hit with the lowest rank: the one whose place would have been taken."""

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

MATCHING = (
    ("memory", OF_MEMORIES.format("memory_fts")), ("memory", OF_MEMORIES.format("memory_gram_fts")),
    ("entry", OF_ENTRIES.format("entry_fts")), ("entry", OF_ENTRIES.format("entry_gram_fts")),
)  # fmt: skip

MEANS = {
    allowed.OVER_LIMIT: "All {limit} places were taken by hits that come before it.",
    allowed.BELOW_THRESHOLD: "Its score of {score:.3f} is below {threshold:.3f}, under which nothing is shown.",
    allowed.FOREIGN: "The file has hardly any word of the question and nothing similar: a model is shown nothing.",
    allowed.OVER_BUDGET: "It did not fit into what was left of the brief's tokens.",
    allowed.OTHER_PROJECT: "It belongs to another project, and this surface shows nothing of others.",
    allowed.NO_TEXT: "There is no text in it to show, such as of a result that was empty.",
    allowed.SHOWN_EARLIER: "The session had read it already: it was shown earlier.",
    allowed.SAME_TEXT: "Another hit says the same, and ranked higher.",
    allowed.SOURCE_OF: "A memory made from it ranked higher, and says the same in fewer words.",
    allowed.LITTLE_EVIDENCE: "By itself it has too little to do with the question, whatever lifts its score.",
    allowed.NO_ANSWER: "By their evidence, words and meaning together the first hits are unlikely to answer.",
    allowed.FAR_BEHIND_BEST: "Others bring more than twice as much that belongs to the question itself.",
    allowed.NO_BETTER: "The tenth hit scores nearly as much: what all of them have, such as the project, is no answer.",
    allowed.BEHIND_BEST_LINE: "Another line scores so much more that this one would add nothing.",
    allowed.MEMORY_ANSWERS: "A memory brings no less, or a procedure says how: both go before what was only said.",
    allowed.PROCEDURE_SAYS: "The first line says the same command, and how often it succeeded.",
    allowed.OLDER: "Two memories contradict each other; the newer one is shown until you decide: `memory-db review`.",
    allowed.SAME_SAYING: "Another memory says the same in other words, and one line is enough.",
    allowed.SAME_EXCHANGE: "The line of another hit has the same question and answer, or command and result.",
    allowed.SAYS_NOTHING: "It has no words of its own, such as an acknowledgement.",
    allowed.BARE_CALL: "It is a tool call whose result says nothing, or such a result.",
    allowed.REJECTED: "The user did not let the agent do this, and said no more about it.",
    allowed.SAID_EARLIER: "It is the prompt itself, as it was said before, and no answer to it was found.",
    allowed.UNANSWERED: "It asks something, and what was answered is not beside it.",
    allowed.SAID_ALONE: "Nobody answered it and nothing came of it: what is worth knowing in it is a memory.",
    allowed.TOOLS_WORDS: "A tool said it, or a summary: it is told to who asks, and not with a prompt.",
    trust.GIVES_ORDERS: "It asks something of an agent, and the user neither said nor confirmed it.",
    trust.NAMES_ADDRESS: "It names an address, and the user neither said nor confirmed it.",
    trust.NAMES_COMMAND: "It names a command, and nobody ran it here.",
    trust.DISGUISED: "Words in it mix letters that look alike, as somebody does who hides what they say.",
    trust.SPEAKS_AS_USER: "It tells what the user is said to have said; their own words would be a memory.",
    trust.OTHERS_WORDS: "A file, a page, another agent or another program said it, or it was pasted.",
    allowed.NOT_CONFIRMED: "A session begins with what the user said or confirmed, and nothing else.",
    allowed.RESTS_ON: "It comes from a memory that another one has replaced since, or names it.",
    allowed.STEERS: "Its text gives an agent orders, so it is never put before one.",
    SUPPRESSED: "A person said that it must not be recalled for such questions.",
}
"""What each reason for leaving out means, by its words up to what is filled in."""
MEANS["foreign to the question"] = MEANS[allowed.FOREIGN]  # as logs of earlier versions have it


def why_not(
    db: sqlite3.Connection, recall_name: str, name: str, *, semantic: Callable[[], Semantic | None] = lambda: None
) -> dict[str, Any]:
    """Why something was not shown: `outcome` in a word, `said` in sentences, `differences` to the last shown hit.

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
        return answer | {"outcome": "choose", "choices": choices(db, row["id"], name)}
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
    return found | {"type": missed.type, "id": missed.id, "title": title[:TITLE_CHARACTERS]}


def from_log(db: sqlite3.Connection, row: sqlite3.Row, hit: sqlite3.Row) -> dict[str, Any]:
    """The answer for a hit that was logged."""
    found = {
        "recomputed": False, "how": "", "rank": hit["rank"], "position": hit["position"], "score": hit["score"],
        "reason": hit["left_out_reason"],
    }  # fmt: skip
    if hit["rank"]:
        said = [f"It was shown, at rank {hit['rank']} of {shown_count(db, row)}."]
        return found | {"outcome": "shown", "said": said, "needed": None, "differences": [], "last_shown": None}
    return found | compared(db, row, hit["left_out_reason"], hit["score"], json.loads(hit["signals"]))


def computed(db: sqlite3.Connection, row: sqlite3.Row, again: Again) -> dict[str, Any]:
    """The answer for what was not logged."""
    hit = again.hit
    how = f"The log has no row of it. What follows was {again.how}." if again.how else ""
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
            "last_shown": None,
        }
    made = compared(db, row, hit.left_out_reason, hit.score, hit.signals)
    return found | made | {"said": [sentence, *made["said"][1:]]}


def compared(
    db: sqlite3.Connection, row: sqlite3.Row, reason: str, score: float, signals: Mapping[str, float]
) -> dict[str, Any]:
    """Why it was left out, beside the last hit that was shown: what it would have needed, and where that was lost."""
    weights: dict[str, float] = json.loads(row["weights"])
    threshold = db.execute("select threshold from profiles where id = ?", [row["profile_id"]]).fetchone()[0]
    context = json.loads(row["context"])
    limit, threshold = context.get("limit", 0), max(threshold, context.get("threshold", 0.0))
    last = db.execute(LAST_SHOWN, [row["id"]]).fetchone()
    said = [f"It was considered and left out: {reason}."]
    known = next((words for start, words in MEANS.items() if reason.startswith(start.partition("{")[0])), "")
    if known:
        said.append(known.format(limit=limit, score=score, threshold=threshold))
    if last is None and reason == allowed.OVER_LIMIT:
        said.append("None of those was shown in the end: each has a reason of its own.")
    aim = threshold if reason == allowed.BELOW_THRESHOLD or last is None else last["score"]
    needed = aim - score if reason in (allowed.OVER_LIMIT, allowed.BELOW_THRESHOLD) and aim > score else None
    if needed is not None:
        place = "the threshold" if aim == threshold else f"the hit at rank {last['rank']}, the last one shown"
        said.append(f"It would have needed {needed:.3f} more to reach {place}.")
    elif last is not None:
        said.append("Its score was not the reason." if score >= last["score"] else
                    f"The last hit shown scored {last['score']:.3f}, it {score:.3f}.")  # fmt: skip
    other = json.loads(last["signals"]) if last is not None else None
    return {
        "outcome": "left_out",
        "said": said,
        "needed": needed,
        "differences": differences(weights, signals, other),
        "last_shown": None if last is None else {
            "uid": last["uid"], "rank": last["rank"], "score": last["score"],
            "type": "memory" if last["memory_version_id"] else "entry",
            "title": " ".join(last["text"].split())[:TITLE_CHARACTERS],
        },
    }  # fmt: skip


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


def choices(db: sqlite3.Connection, recall_id: int, words: str) -> list[dict[str, Any]]:
    """Memories that words meet, else entries, each with what became of it in the recall as far as that is logged.

    Raises: NotFoundError where they meet nothing.
    """
    try:
        terms = query_terms(words)
    except QueryError as error:
        raise NotFoundError(f"No memory or entry {words.strip()[:60]!r}. Give a uid, or words that it says.") from error
    for joined in (" AND ", " OR "):
        match = joined.join(map(match_term, terms))
        for sort, sql in MATCHING:
            found = [Missed(sort, row[0], "") for row in db.execute(sql, [match, MOST_CHOICES])]
            if found:
                return [choice(db, recall_id, each) for each in found]
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
