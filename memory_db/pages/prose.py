"""An answer in prose: what is remembered on a question, sent to a model, its citations as footnotes.

In: a question's fields; for the answer a model of llm. Out: a dict for the template and for JSON: what it may cost, or
what came. Invariants: nobody is asked before the cost was told on the page with the button; the answer is stored as
`memory-db ask` stores it; a footnote leads to what the model was shown, and a name that it made up to nothing.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from memory_db.agents.llm import ask as conversing
from memory_db.agents.llm.ask import Asking, ModelRequest
from memory_db.errors import InputError, ModelError, NotFoundError
from memory_db.index.semantic import find_semantic
from memory_db.models.calls import find_model
from memory_db.models.consent import refuse_without_consent
from memory_db.pages.cache import pooled
from memory_db.pages.draw.filters import usd
from memory_db.pages.forms import Fields, check_known, first, flag, note_dry_run
from memory_db.pages.kept.corpus import KeptCorpus
from memory_db.recall.brief.render import short_uid
from memory_db.recall.first_answer import FirstAnswer, add
from memory_db.store import settings
from memory_db.store.connection import connect
from memory_db.transcripts.projects import project_named

FIELDS = ("q", "project", "model", "dry_run")

CITED = re.compile(r"\[([A-Za-z0-9_-]{6,40})\]")
"""How a model names a line of its brief."""


def preview(path: Path, fields: Fields, *, now: datetime) -> dict[str, Any]:
    """What would be sent, to whom and for how much; nothing is written, and nobody asked.

    Raises: InputError.
    """
    query = first(fields, "q")
    data: dict[str, Any] = {
        "q": query,
        "project": first(fields, "project"),
        "model": "",
        "request_sent": None,
        "why": "",
    }
    data |= {"answer": None}
    if not query.strip():
        return data
    with pooled(path) as db:
        try:
            asking = asking_of(db, fields, now)
            refuse_without_consent(db, str(asking.model.model_id))
            sent = conversing.model_request(
                db, asking, now=now, semantic=find_semantic(db).index, corpus=KeptCorpus(db, path)
            )
        except (ModelError, NotFoundError) as error:
            return data | {"why": str(error)}
    return data | {"model": str(asking.model.model_id), "request_sent": told(sent)}


def answer(path: Path, fields: Fields, *, clock: Callable[[], datetime]) -> dict[str, Any]:
    """Asks the model, and gives its prose in parts with footnotes; with `dry_run` nobody is asked, and `said` tells
    what that would cost.

    Raises: InputError, NotFoundError, ModelError.
    """
    check_known(fields, FIELDS)
    query = first(fields, "q")
    if not query.strip():
        raise InputError("No question. Send one as q.")
    if flag(fields, "dry_run"):
        data = preview(path, fields, now=clock())
        there = "/-/memory/prose?" + urlencode({"q": query, "project": data["project"], "model": data["model"]})
        return {**data, "ok": True, "dry_run": True, "said": note_dry_run(cost_of(data), True), "there": there}
    with closing(connect(path, write=True)) as db:
        asking = asking_of(db, fields, clock())
        came = conversing.ask(db, asking, lambda piece: None, clock=clock, semantic=find_semantic(db).index)
        if came.streamed.error:
            raise ModelError(
                f"{asking.model.model_id} gave no whole answer: {came.streamed.error}."
                f" The question is kept in session {came.session_uid}."
            )
        parts, notes = with_footnotes(db, came.streamed.text, came.request)
    return {
        "q": query, "project": first(fields, "project"), "model": str(asking.model.model_id), "why": "",
        "request_sent": told(came.request),
        "answer": {
            "text": came.streamed.text, "parts": parts, "footnotes": notes, "session_uid": came.session_uid,
            "recall_uid": came.recall_uid, "cost_nanocents": came.cost_nanocents,
            "input_tokens": came.called.input_tokens, "output_tokens": came.called.output_tokens,
        },
    }  # fmt: skip


def asking_of(db: sqlite3.Connection, fields: Fields, now: datetime) -> Asking:
    """What is asked of the model that was named, or else of llm's default. Raises: InputError, NotFoundError."""
    query, project = first(fields, "q"), first(fields, "project")
    from llm import get_default_model  # noqa: PLC0415  # start-up: llm and its plugins take a second

    model = find_model(first(fields, "model") or str(get_default_model()))  # type: ignore[no-untyped-call]
    return Asking(
        query, model, conversing.new_conversation(db, query, None, now=now),
        profile=settings.get_text(db, "default_profile"), project_id=project_named(db, project) if project else None,
        options=conversing.checked_options(model, {}),
    )  # fmt: skip


def cost_of(data: dict[str, Any]) -> str:
    """What asking would cost, or why nobody can be asked, in a sentence."""
    sent = data["request_sent"]
    if sent is None:
        return str(data["why"])
    cost = "at a price that is not known" if sent["cost_nanocents"] is None else usd(sent["cost_nanocents"])
    return f"{data['model']} would be sent {sent['input_tokens']:,} tokens, {cost}."


def told(sent: ModelRequest) -> dict[str, Any]:
    """What of a request is told on the page."""
    return {
        "brief": sent.brief, "input_tokens": sent.input_tokens, "output_tokens": sent.output_tokens,
        "cost_nanocents": sent.cost_nanocents,
    }  # fmt: skip


def with_footnotes(
    db: sqlite3.Connection, text: str, sent: ModelRequest
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """An answer in parts, each a `text` and the number of the `note` after it (None: no citation), and the notes."""
    shown = sent.answer.shown if sent.answer else []
    hits = {name: hit for hit in shown for name in (hit.uid, short_uid(hit))}
    made, numbers = FirstAnswer("prose"), dict[str, int]()
    parts: list[dict[str, Any]] = []
    place = 0
    for found in CITED.finditer(text):
        hit = hits.get(found[1])
        if hit is None:
            continue
        if hit.uid not in numbers:
            add(db, made, "said", hit, hit.text)
            numbers[hit.uid] = len(made.footnotes)
        parts.append({"text": text[place : found.start()].rstrip(" "), "note": numbers[hit.uid]})
        place = found.end()
    if text[place:]:
        parts.append({"text": text[place:], "note": None})
    return parts, made.as_dict()["footnotes"]
