"""Judgements from a page or a program: fields in, what was noted as plain data out.

In: a path, the fields of a form or of a JSON body, who sent them. Out: a dict for the answer. Invariant: a page and a
program go the same way; what cannot be used is refused in one line and changes nothing.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

from memory_db.errors import InputError
from memory_db.evaluation import judgements as labelling
from memory_db.pages.asking import project_id
from memory_db.pages.draw.filters import plural
from memory_db.pages.fields import Fields, check_known, first, flag
from memory_db.pages.rehearsing import changing, told

VERDICTS: dict[str, int | None] = {"relevant": 1, "not_relevant": 0, "undo": None}
"""Fields that name hits (`memory:UID` or `entry:UID`), and what each says of them."""

JUDGE_FIELDS = ("recall", "q", "project", *VERDICTS, "dry_run")

GATHER_FIELDS = ("name", "recall", "unjudged", "dry_run")

MOST_VERDICTS = 200
"""Hits that one request judges at most; a page has fewer."""


def judge(path: Path, fields: Fields, *, judged_by: str, now: datetime) -> dict[str, Any]:
    """Notes verdicts on hits of a recall (or of a question in words); gives what is judged of it by now.

    Fields: `recall` (number or uid), or `q` and `project`; and any of `relevant`, `not_relevant`, `undo`;
    `dry_run`.
    Raises: InputError, NotFoundError, DatabaseFileError.
    """
    check_known(fields, JUDGE_FIELDS)
    dry_run, verdicts = flag(fields, "dry_run"), verdicts_in(fields)
    with changing(path, dry_run=dry_run) as db:
        asked = asked_by(db, fields, now=now)
        counts = labelling.judge_hits(db, asked, verdicts, judged_by=judged_by, now=now)
        known = labelling.verdicts_on(db, asked.query, asked.project_id)
    hits = [{"hit": f"{kind}:{uid}", **asdict(verdict)} for (kind, uid), verdict in sorted(known.items())]
    return {
        "ok": True,
        "recall": asked.recall_id,
        "query": asked.query,
        "query_set": labelling.OWN_SET,
        **counts,
        "hits": hits,
        "dry_run": dry_run,
        "said": told(f"{plural(len(verdicts), 'hit')} judged.", dry_run),
        "there": f"/-/memory/recalls/{asked.recall_id}{anchor(verdicts)}" if asked.recall_id else "/-/memory/recalls",
    }


def verdicts_in(fields: Fields) -> dict[labelling.Item, int | None]:
    """The hits that a request names, with what it says of each. Raises: InputError."""
    named = [(hit, relevance) for name, relevance in VERDICTS.items() for hit in fields.get(name, ())]
    if not 1 <= len(named) <= MOST_VERDICTS:
        raise InputError(
            f"{len(named)} hits are named. Name 1 to {MOST_VERDICTS} as memory:UID or entry:UID in relevant,"
            " not_relevant or undo."
        )
    verdicts: dict[labelling.Item, int | None] = {}
    for hit, relevance in named:
        kind, _, uid = hit.partition(":")
        if verdicts.setdefault((kind, uid), relevance) != relevance:
            raise InputError(f"Two things are said of {hit[:80]!r}. Say one.")
    return verdicts


def asked_by(db: sqlite3.Connection, fields: Fields, *, now: datetime) -> labelling.Asked:
    """The question that a request is about. Raises: InputError, NotFoundError."""
    if key := first(fields, "recall"):
        return labelling.asked_in(db, key)
    return labelling.asked_now(first(fields, "q"), project_id(db, first(fields, "project")), now=now)


def gather(path: Path, fields: Fields, *, now: datetime) -> dict[str, Any]:
    """Makes a query set of recalls; gives its name, counts, a line for people, and where to look at it.

    Fields: `name`, `recall` (numbers or uids), and `unjudged` as `negative` to keep recalls without a verdict as
    questions that nothing answers; `dry_run`. Raises: InputError, NotFoundError, DatabaseFileError.
    """
    check_known(fields, GATHER_FIELDS)
    dry_run, name = flag(fields, "dry_run"), first(fields, "name")
    keep = first(fields, "unjudged") == labelling.NEGATIVE
    with changing(path, dry_run=dry_run) as db:
        counts = labelling.gather(db, name, list(fields.get("recall", ())), keep_unjudged=keep, now=now)
    there = f"/-/memory/compare?set={quote(name)}" if counts["queries"] and not dry_run else "/-/memory/recalls"
    line = told(said(name, counts), dry_run)
    return {"ok": True, "query_set": name, **counts, "dry_run": dry_run, "said": line, "there": there}


def said(name: str, counts: dict[str, int]) -> str:
    """What became of the selected recalls, in a line."""
    waits = (
        f"Left out for want of a judgement: {plural(counts['waiting'], 'question')}. Judge the hits, then make the set"
        " again."
    )
    if not counts["queries"]:
        return f"No set was made. {waits}"
    line = (
        f"Query set {name}: {plural(counts['queries'], 'question')}, {plural(counts['judgements'], 'judgement')},"
        f" {counts['negatives']} without an answer."
    )
    return f"{line} {waits}" if counts["waiting"] else line


def anchor(verdicts: Iterable[labelling.Item]) -> str:
    """Where on a page the first of some hits stands."""
    kind, uid = next(iter(verdicts))
    return "#" + quote(f"{kind}-{uid}", safe="")
