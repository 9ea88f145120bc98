"""Why a recall showed a hit, in one sentence: what it shares with the prompt, where it belongs, what it had to bring.

In: a hit as it was logged, and what was logged with its recall. Out: a sentence in plain words; texts in it are the
file's and not made harmless yet. Invariants: reads only; each clause says what a logged number or the hit's own text
says, and where none says anything, so does the sentence.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

from memory_db.index.grams import stands_in
from memory_db.recall.brief import standing
from memory_db.recall.brief.conversation import OF_CONVERSATION
from memory_db.recall.explain.reasons import evidence_needed, holds_here, is_rule, made_of, stays_because
from memory_db.text.one_line import cut
from memory_db.text.statements import stem

WORD = re.compile(r"\w+")

MOST_WORDS = 5
"""Words of a prompt that a sentence names. Source: ours; a pasted log has fifty."""

LEAST_LED = 0.1
"""The share of earlier prompts that must lead to a hit for that to be a reason. Source: ours; a hundredth is chance."""

LEAST_TOLD = 0.005
"""Likeness in meaning that is told: less would read as 0.00."""

LONGEST_NAME = 40
"""Characters of a project's name that a sentence shows. Source: ours; real ones have twenty."""

BY_RULE = ("", "score", "locked", "open contradiction", "successor of what was met")
"""Logged reasons that a sentence says in its own words, or that say nothing beyond it; what was looked up has its
own clause ("found by ...")."""

AS_IT_BEGAN = {
    "locked": "you locked it",
    "locked by evidence": "evidence locked it",
    "corrected lately": "it set something right within the last week",
    "preference, explicit": "it is a preference that you confirmed, locked or added",
    "preference, signals": "it is a preference that you said",
    "preference, inferred": "it is a preference that was inferred",
    "open contradiction": "another memory contradicts it, and nobody has decided which holds",
    "recent": "it is among the newest decisions and episodes",
    "often cited": "agents cite it often",
}
"""Logged reasons of a session's start, in words."""

LAYERS = {
    "importance of 5": "its importance is 5, the most",
    "importance of 4": "its importance is 4",
    "set by hand": "you chose its layer",
    "locked by the user": "you locked it",
    "locked by evidence": "evidence locked it",
    "holds in every project": "it holds in every project",
    "over the cap": "it is important, though others are before it",
}
"""Reasons of the view `layers`, in words."""


def why_shown(db: sqlite3.Connection, asked: Mapping[str, Any], hit: Mapping[str, Any]) -> str:
    """Why a hit was shown: one sentence.

    `asked` has the recall's `query`, `features`, `context`, and `project`, the name of the one it was asked in; `hit`
    has `features`, `signals`, `kind`, `text`, `project`, `shown_reason` and the row of the full text that it is in.
    """
    if not asked["query"].strip():
        return f"Shown as the session began, because {as_it_began(hit['shown_reason'])}; it {where(asked, hit)}."
    has_model = bool(asked.get("semantic_model"))
    clauses = [shared(db, asked, hit), where(asked, hit), *filter(None, [enough(asked, hit)])]
    if why := stays_because(hit["features"], has_model=has_model):
        clauses.append(f"need not score more than the rest, for {why}")
    return f"Shown because it {'; '.join(clauses)}."


def as_it_began(reason: str) -> str:
    """Why a line stands in the brief of a session's start."""
    reason, cut_off, _ = reason.partition("; no room in full")
    layer, _, why = reason.partition(": ")
    if layer.startswith("layer ") and why:
        told = "told first" if layer == "layer 0" else "told where there is room"
        words = f"{LAYERS.get(why, why)} ({layer}: {told})"
    else:
        words = AS_IT_BEGAN.get(reason, "of the rest it scores best")
    return f"{words}, by its title alone, as its text found no room" if cut_off else words


def what_was_asked(context: Mapping[str, Any]) -> str:
    """What the words of a recall are called: a prompt where nobody asked memory, else a question."""
    return "prompt" if context.get("is_unasked") else "question"


# ---------------------------------------------------------- what it shares


def shared(db: sqlite3.Connection, asked: Mapping[str, Any], hit: Mapping[str, Any]) -> str:
    """What a hit has in common with the prompt: words, meaning, files, names, earlier prompts."""
    features, signals = hit["features"], hit["signals"]
    prompt, found = what_was_asked(asked["context"]), []
    words = words_met(db, asked["features"], hit)
    own = words if hit["type"] == "entry" else [
        word for word in words if any(stands_as(form, hit["text"]) for form in forms_of(asked["features"], word))
    ]  # fmt: skip
    beside = [word for word in words if word not in own]
    if own:
        found.append(f"has {quoted(with_decimals(own, asked['query'], hit['text']), hit['text'])} of the {prompt}")
    if beside:
        whose = "" if own else f" of the {prompt}"
        found.append(f"has {quoted(beside)}{whose} in its keys or in what was said around it")
    if (path := signals.get("path", 0.0)) > 0:
        found.append("names a file in play" if path >= 1 else "names a file beside one in play")
    if signals.get("entity", 0.0) > 0:
        found.append(f"names the same file, command, package, symbol or host as the {prompt}")
    elif not words and signals.get("literal", 0.0) > 0:
        found.append(f"has a name of the {prompt} to the letter")
    if signals.get("condition", 0.0) > 0:
        found.append(f"is for the task that the {prompt} is about")
    if signals.get("association", 0.0) >= LEAST_LED:
        found.append(f"is about a file, command or name that work on {prompt}s like this one came to before")
    if signals.get("graph", 0.0) > 0:
        found.append("is tied to what this session or its files had in play")
    if signals.get("time_window", 0.0) >= 1:
        found.append(f"is of the time that the {prompt} names")
    if features.get("lock_level") == "user":
        found.append("is locked by you")
    cosine = max((features[name] for name in ("cosine", "static_cosine") if features.get(name) is not None), default=0)
    if cosine >= LEAST_TOLD:
        found.append(f"is like the {prompt} in meaning ({cosine:.2f}, where 1 is the same)")
    if hit["shown_reason"] == OF_CONVERSATION:
        found.insert(0, f"was said in the conversation that the {prompt} is about")
    elif hit["shown_reason"] not in BY_RULE:
        found.append(f"was {hit['shown_reason']}" if hit["shown_reason"].startswith("found by ") else "was looked up")
    if not words:
        found.append(f"shares no word with the {prompt}" if found else "scored best, though it shares no word with it")
    return joined(found)


def words_met(db: sqlite3.Connection, asked: Mapping[str, Any], hit: Mapping[str, Any]) -> list[str]:
    """The words of the prompt that stand in a hit or around it, in one of their forms, the rarest first."""
    table, number = ("memory_fts", hit["memory_version_id"]) if hit["type"] == "memory" else (
        "entry_fts", hit["entry_id"])  # fmt: skip
    worth = asked.get("worth") or {}
    found = []
    for term in sorted(asked.get("terms") or (), key=lambda term: -worth.get(term, 0.0)):
        if any(stands_in(db, table, form, [number]) for form in forms_of(asked, term)):
            found.append(term)
            if len(found) == MOST_WORDS:
                break
    return found


def forms_of(asked: Mapping[str, Any], term: str) -> tuple[str, ...]:
    """A word of a question, and what was asked for beside or instead of it."""
    variants, corrected = (asked.get(name) or {} for name in ("variants", "corrected"))
    return (term, *variants.get(term, ()), *filter(None, [corrected.get(term)]))


# ---------------------------------------------------------- where it belongs


def where(asked: Mapping[str, Any], hit: Mapping[str, Any]) -> str:
    """Which project a hit belongs to, and why one of another project was let in."""
    features, project = hit["features"], cut(hit["project"] or "no project", LONGEST_NAME)
    prompt = what_was_asked(asked["context"])
    if features.get("user_scope"):
        return "holds in every project"
    if features.get("same_project"):
        if features.get("meant_project"):
            return f"is of {project}, which the {prompt} names"
        return f"is of {project}, where it was asked"
    if features.get("linked_project"):
        return f"is of {project}, which is linked to {cut(asked['project'] or 'this project', LONGEST_NAME)}"
    if features.get("meant_project"):
        return f"is of another project and was let in because the words of the {prompt} point to project {project}"
    if features.get("sister_project"):
        return (
            f"is of the sister project {project} (`select reason from sister_projects` says why), and was let in"
            f" because the {prompt} asks for something or speaks of that project, and its own has nothing as near"
        )
    if features.get("same_project") is None:
        return f"is of {project}, and all projects were asked"
    return f"is of another project, {project}, and this way of asking is told of all projects"


# ------------------------------------------------------- what it had to bring


def enough(asked: Mapping[str, Any], hit: Mapping[str, Any]) -> str:
    """What a line for a model had to bring by itself, what it brought and of what; nothing where a person asked."""
    context, features = asked["context"], hit["features"]
    evidence, least = features.get("evidence"), evidence_needed(context, features, hit["kind"])
    if evidence is None or least is None or evidence <= 0:
        return ""
    if not holds_here(features):
        whose = "a memory of a sister project" if features.get("sister_project") else "a memory of another project"
    elif is_rule(features, hit["kind"]):
        whose = f"a {hit['kind']}, which binds the agent,"
    else:
        whose = "a line told with a prompt" if context.get("is_unasked") else "a line for a model"
    if evidence < least:
        lead = features.get("lead") or 0.0
        far_out = lead >= min(standing.FAR_OUT, standing.FAR_OUT_WITH_MODEL)
        return f"brings little evidence of its own, and scores {lead:.3f} more than the tenth best" if far_out else ""
    made = made_of(asked["features"], features)
    return f"brings {evidence:.2f} of evidence of its own{made}, where {whose} needs {least:.2f}"


def quoted(words: Sequence[str], text: str = "") -> str:
    """Words in quotes; a stem (`verbind*`) as the beginning that it is, another form as the text has it."""
    marked = joined([as_met(word.removesuffix("*"), text) for word in words])
    return f"the word{'s' if len(words) > 1 else ''} {marked}"


DECIMAL = re.compile(r"\d+(?:\.\d+)+")
"""A number or version that full text cuts in parts, such as 3.14."""


def with_decimals(words: Sequence[str], query: str, text: str) -> list[str]:
    """Words of a question, with the parts of a number such as 3.14 as that number, where the text has it too."""
    left = list(words)
    for number in dict.fromkeys(DECIMAL.findall(query)):
        parts = [part for part in dict.fromkeys(number.split(".")) if part in left]
        if parts and re.search(rf"(?<![\d.]){re.escape(number)}(?!\d)", text):
            left[min(map(left.index, parts))] = number
            left = [word for word in left if word not in parts]
    return left


def as_met(word: str, text: str) -> str:
    """A word of a question in quotes, with the form in which a text has it where that is another one."""
    form = stands_as(word, text)
    return f"“{word}” (as “{form}”)" if form not in ("", word.casefold()) else f"“{word}”"


def stands_as(word: str, text: str) -> str:
    """The form in which a text has a word of a question; empty where it has none."""
    wanted = word.removesuffix("*").casefold()
    there = {each.casefold(): None for each in WORD.findall(text)}
    if wanted in there:
        return wanted
    if word.endswith("*"):
        return next((each for each in there if each.startswith(wanted)), "")
    return next((each for each in there if stem(each) == stem(wanted)), "")


def joined(parts: Sequence[str]) -> str:
    """Parts as one list in words."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}" if parts else ""
