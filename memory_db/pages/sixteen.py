"""Sixteen questions that users of memory systems ask and nobody answers, each with where it is answered here.

In: a path. Out: for each question its page, ready questions, notebook, and a figure of the user's own file. Invariants:
the table is the one place of them, for the page and for notebook 10; a share has its 95 % interval; a figure that
would take long is kept until somebody writes to the file.
"""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memory_db.pages.cache import cached
from memory_db.pages.kept.dead_links import dead, dead_on
from memory_db.pages.kept.junk import junk, junk_on
from memory_db.pages.kept.obeyed import obeyed, obeyed_on
from memory_db.pages.table_marks import Since
from memory_db.store.money import dollars

COUNT, SHARE, MONEY = "count", "share", "money"
"""What a figure is: a number of things, a part of a whole, nanocents."""

NOTEBOOK = "10_sixteen_questions"
"""The notebook that has a cell for each."""

JUNK = "02_which_memories_are_junk"
TUNE = "03_tune_recall_weights"
COSTS = "05_what_does_memory_cost_and_save"
PRESETS = "06_compare_the_presets"
REPLAY = "07_what_would_have_changed"
WORTH = "08_is_it_worth_it"
AGENTS = "09_which_agent_which_model"
"""Notebooks that go deeper."""


Numbers = Sequence[int]
"""A number, and of a share the whole as well."""


@dataclass(frozen=True, slots=True)
class Counting:
    """How a figure is counted where one query a visit would take long: what is kept is made, and led on."""

    make: Callable[[sqlite3.Connection], Any]
    onward: Callable[[sqlite3.Connection, Any, Since], Any]
    numbers: Callable[[Any], Numbers]


def counted_by(sql: str) -> Counting:
    """A figure that one query gives."""
    return Counting(lambda db: tuple(db.execute(sql).fetchone()), lambda *_: None, tuple)


def summed(sql: str, table: str) -> Counting:
    """A figure that adds up over a table which rows are only added to; `{since}` in the query is a condition."""

    def onward(db: sqlite3.Connection, before: Numbers, since: Since) -> Numbers | None:
        if since.changed() != {table}:
            return None
        more = db.execute(sql.format(since=f"id > {since.last(table)}")).fetchone()
        return [one + other for one, other in zip(before, more, strict=True)]

    return Counting(lambda db: tuple(db.execute(sql.format(since="true")).fetchone()), onward, tuple)


HOOKS_SILENT = "select coalesce(sum(abstained), 0), count(*) from recalls where surface = 'hook' and {since}"


@dataclass(frozen=True, slots=True)
class UserQuestion:
    """One question: where it is answered, and the figure that begins the answer.

    `counted` gives a number, and of a share the whole as well; `words` says what is counted, `one` the same of one
    thing. `notebooks` go deeper than the cell of notebook 10.
    """

    key: str
    question: str
    page: str
    page_name: str
    queries: tuple[str, ...]
    notebooks: tuple[str, ...]
    figure: str
    counted: str | Counting
    words: str
    one: str = ""


QUESTIONS = (
    UserQuestion(
        "C1", "Why was this recalled, and why not that?", "/-/memory/recalls", "Recalls",
        ("why_was_this_recalled", "what_was_left_out"), (TUNE, REPLAY), COUNT,
        "select count(*) from recalls", "recalls can be explained", "recall can be explained",
    ),
    UserQuestion(
        "C2", "How good is recall on my own questions?", "/-/memory/compare", "Compare",
        ("which_profile_answers_best", "what_would_other_profiles_give"), (TUNE, PRESETS, REPLAY), COUNT,
        "select count(distinct labelled_query_id) from judgements", "questions have labels to measure by",
        "question has labels to measure by",
    ),
    UserQuestion(
        "C3", "Do the thresholds fit my file?", "/-/memory/health", "Health", ("which_thresholds_hold",), (JUNK, TUNE),
        COUNT, "select count(*) from likeness_thresholds",
        "thresholds of likeness were fitted on this file",
        "threshold of likeness was fitted on this file",
    ),
    UserQuestion(
        "C4", "Is nothing shown when nothing fits?", "/-/memory/recalls", "Recalls",
        ("when_was_nothing_shown", "which_tokens_were_wasted"), (TUNE,), SHARE,
        summed(HOOKS_SILENT, "recalls"),
        "prompts that hooks asked got no brief",
    ),
    UserQuestion(
        "C5", "How much of it is junk, and what made it?", "/-/memory/review", "Review",
        ("which_memories_are_junk", "where_does_junk_come_from"), (JUNK,), SHARE,
        Counting(junk, junk_on, lambda found: (len(found.found), found.active)),
        "memories look like junk",
    ),
    UserQuestion(
        "C6", "What waits for me, and how long?", "/-/memory/review", "Review", ("what_waits_for_me",), (), COUNT,
        "select coalesce(sum(waiting), 0) from review_waiting", "decisions wait", "decision waits",
    ),
    UserQuestion(
        "C7", "What does each source cost?", "/-/memory/economics", "Economics",
        ("what_does_each_source_cost", "what_did_memory_save"), (COSTS, AGENTS), MONEY,
        "select coalesce(sum(cost_nanocents), 0) from"
        " (select cost_nanocents from call_costs union all select cost_nanocents from model_call_costs)",
        "were spent by agents and by memory's own calls",
    ),
    UserQuestion(
        "C8", "Which transcripts will be gone before they are read?", "/-/memory/health", "Health",
        ("which_transcripts_are_at_risk", "what_could_not_be_read"), (), SHARE,
        "select (select count(*) from at_risk_transcripts), (select count(*) from sources)",
        "transcripts are older than 25 days and not read to the end",
    ),
    UserQuestion(
        "C9", "Do hooks hold up the prompt?", "/-/memory/health", "Health", ("how_fast_are_hooks",), (), SHARE,
        "select coalesce(sum(duration_ms > 300), 0), count(*) from hook_runs where hook = 'user-prompt'",
        "prompts waited longer than 300 ms",
    ),
    UserQuestion(
        "C10", "What is stale, and what contradicts what?", "/-/memory/review?sort=contradiction", "Review",
        ("what_contradicts_what", "which_memories_are_stale", "what_was_true_on_this_day"), (), COUNT,
        "select count(*) from contradictions where state = 'open'", "contradictions are open", "contradiction is open",
    ),
    UserQuestion(
        "C11", "Is memory obeyed, and does it help at all?", "/-/memory/recalls", "Recalls",
        ("is_memory_obeyed", "does_memory_help"), (WORTH,), SHARE,
        Counting(obeyed, obeyed_on, lambda found: (len(found.obeyed), len(found.shown))),
        "showings of a memory in a session were obeyed",
    ),
    UserQuestion(
        "C12", "Are secrets in it?", "/-/memory/health", "Health", ("what_was_redacted",), (), COUNT,
        "select count(*) from scan_findings", "secrets and injected blocks were taken out",
        "secret or injected block was taken out",
    ),
    UserQuestion(
        "C13", "Is what I deleted gone, everywhere?", "/-/memory/health", "Health",
        ("is_anything_out_of_step", "what_has_lost_its_sources"), (), COUNT,
        Counting(dead, dead_on, lambda found: (len(found),)),
        "rows lead to something that is gone", "row leads to something that is gone",
    ),
    UserQuestion(
        "C14", "Is everything in its right project?", "/-/memory/projects", "Projects",
        ("which_folders_are_which_project",), (), SHARE,
        "select (select count(distinct project_id) from project_aliases), (select count(*) from projects)",
        "projects have more than one folder",
    ),
    UserQuestion(
        "C15", "Is the file ever locked?", "/-/memory/health", "Health", ("did_hooks_meet_a_busy_file",), (), SHARE,
        "select coalesce(sum(spool is not null), 0), count(*) from hook_runs",
        "hook runs were noted beside the file, for it was busy",
    ),
    UserQuestion(
        "C16", "Can I take it with me?", "/-/memory/health", "Health", ("what_would_an_export_hold",), (), COUNT,
        "select count(*) from memories", "memories would be in an export", "memory would be in an export",
    ),
)  # fmt: skip
"""In the order of the catalogue of what users ask for."""


def sixteen(path: Path) -> dict[str, Any]:
    """Every question with its places and its figure: `number`, of a share `total`, `share`, `low` and `high`."""
    return {"questions": [placed(path, each) for each in QUESTIONS], "notebook": NOTEBOOK}


def placed(path: Path, each: UserQuestion) -> dict[str, Any]:
    """One question as the page has it."""
    counting = counting_of(each)
    found = cached(path, ("figure", each.key), counting.make, by_table=True, onward=counting.onward)
    figure = in_words(each, counting.numbers(found))
    return {
        "key": each.key, "question": each.question, "page": each.page, "page_name": each.page_name,
        "queries": list(each.queries), "notebooks": [NOTEBOOK, *each.notebooks], **figure,
    }  # fmt: skip


def figure_of(db: sqlite3.Connection, each: UserQuestion) -> dict[str, Any]:
    """The figure of a question, and in words."""
    counting = counting_of(each)
    return in_words(each, counting.numbers(counting.make(db)))


def counting_of(each: UserQuestion) -> Counting:
    """How the figure of a question is counted."""
    return counted_by(each.counted) if isinstance(each.counted, str) else each.counted


def in_words(each: UserQuestion, row: Numbers) -> dict[str, Any]:
    """A figure by its numbers, and in words."""
    number = int(row[0])
    if each.figure == MONEY:
        return {"number": number, "said": f"{dollars(number, 2)} {each.words}"}
    if each.figure == COUNT:
        return {"number": number, "said": f"{number:,} {each.one if number == 1 else each.words}"}
    total = int(row[1])
    if not total:
        return {"number": 0, "total": 0, "said": f"Nothing yet: 0 {each.words}"}
    low, high = wilson(number, total)
    said = f"{number:,} of {total:,} {each.words}: {number / total:.0%} (95 % interval {low:.0%} to {high:.0%})"
    return {"number": number, "total": total, "share": number / total, "low": low, "high": high, "said": said}


Z = 1.96
"""Standard errors of a 95 % interval."""


def wilson(part: int, total: int) -> tuple[float, float]:
    """The 95 % interval of a share, which stays within 0 and 1 however few there are.

    Source: Wilson 1927, Probable Inference, the Law of Succession, and Statistical Inference.
    """
    share, square = part / total, Z * Z / total
    middle, half = share + square / 2, Z * math.sqrt(share * (1 - share) / total + square / (4 * total))
    return max(0.0, (middle - half) / (1 + square)), min(1.0, (middle + half) / (1 + square))
