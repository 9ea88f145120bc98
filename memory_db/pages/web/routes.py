"""The table of our pages: where each is, what reads it, what it changes, who may.

Out: `ROUTES`. Invariants: a page is a row here and nowhere else; the first row whose path fits is the one that answers.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from memory_db.errors import NotFoundError
from memory_db.pages import (
    ask,
    compare,
    corrections,
    economics,
    evaluations,
    forgetting,
    forgotten,
    home,
    periods,
    preferences,
    projects,
    prose,
    recalls,
    session,
    settings,
    sixteen,
    timeline,
)
from memory_db.pages.api import reading as api
from memory_db.pages.api import writing as api_writing
from memory_db.pages.behind import behind
from memory_db.pages.cache import pooled
from memory_db.pages.forms import QUESTION_FIELDS, check_known, first, flag
from memory_db.pages.graph import page as graph
from memory_db.pages.health import actions as health_actions
from memory_db.pages.health import page as health
from memory_db.pages.lists import bulk, tables
from memory_db.pages.lists import memories as memory_list
from memory_db.pages.lists import recalls as recall_list
from memory_db.pages.lists import sessions as session_list
from memory_db.pages.lists.facets import ON_A_PAGE
from memory_db.pages.live import actions as live_actions
from memory_db.pages.live import page as live
from memory_db.pages.memory import actions as memory_actions
from memory_db.pages.memory import page as memory
from memory_db.pages.review import actions as review_actions
from memory_db.pages.review import queue as review
from memory_db.pages.web import api_tokens, events, file_tables, in_notebook, respond, shipped_notebooks
from memory_db.pages.web.ready import ready_rows
from memory_db.pages.web.views import PEOPLE, READERS, WRITERS, Route, Visit, of_file
from memory_db.pages.weights import save

MOST_EXCHANGE_BYTES = 4_000_000
"""Of an exchange that is taken in: the longest that `memory-db import exchange` takes."""

SENT_TO_RECALL = (*QUESTION_FIELDS, "as", "w.*", "threshold", "dry_run")
"""What a program may send; in an address further fields are passed over, as in that of any page."""

TRANSCRIPTS = Path("~/.claude/projects")
"""Where Claude Code keeps transcripts; `transcripts` of the plugin's settings names other folders."""


def explore(visit: Visit) -> dict[str, Any]:
    """The explorer. Only a signed-in visitor's question is logged, and not when another site sent the visitor."""
    if visit.method == "POST":
        check_known(visit.fields, SENT_TO_RECALL)
    log = visit.actor is not None and visit.is_from_here and not (visit.is_copy or flag(visit.fields, "dry_run"))
    data = ask.explore(visit.path, visit.fields, now=visit.now, log=log)
    if data["first"] and (asked := data["first"]["ready"]):
        with pooled(visit.path) as db:
            data["first"]["ready"] = ready_rows(db, asked["name"], asked["parameters"])
    return data


def brief(visit: Visit) -> dict[str, Any]:
    """A brief; what a signed-in program asks by POST is logged."""
    log = visit.method == "POST" and visit.actor is not None
    return api.brief(visit.path, visit.fields, now=visit.now, log=log)


def browse_memories(visit: Visit) -> dict[str, Any]:
    """The list of memories; a program that names no limit is given as few as ever."""
    usual = api.LISTED if visit.is_json else ON_A_PAGE
    return memory_list.memories(visit.path, visit.fields, now=visit.now, usual=usual)


def add_memory(visit: Visit) -> dict[str, Any]:
    """One more memory; what keeps a token's list to its project is no field of one."""
    fields = {name: values for name, values in visit.fields.items() if name != "facets"}
    return api_writing.add(visit.path, fields, by=str(visit.actor), now=visit.now)


def look_at_health(visit: Visit) -> dict[str, Any]:
    """The health page, which looks into the folders of transcripts."""
    return health.health(visit.path, visit.fields, visit.now, transcripts=folders_of(visit))


def folders_of(visit: Visit) -> list[Path]:
    """Where transcripts lie."""
    return [Path(each).expanduser() for each in visit.settings.get("transcripts") or [TRANSCRIPTS]]


def follow_live(visit: Visit) -> dict[str, Any]:
    """What running agents are told."""
    with pooled(visit.path) as db:
        return live.live(db, folders_of(visit), visit.now)


def sql_behind(visit: Visit) -> dict[str, Any]:
    """The queries of the page of the field `of`, a path with what it asks; else of home.

    Raises: NotFoundError, InputError.
    """
    of = first(visit.fields, "of") or "/"
    path, _, query = of.partition("?")
    for route in ROUTES:
        found = re.match(route.pattern, path)
        is_told = route.template and route.has_sql and route.readers == READERS
        if found is not None and route.read is not None and is_told:
            fields = parse_qs(query, keep_blank_values=True)
            if route.has_period:
                fields = {periods.FIELD: list(visit.fields.get(periods.FIELD, [])), **fields}
            again = replace(visit, fields=fields, parts=found.groupdict(), method="GET", is_json=False, actor=None)
            return {"of": of, "about": route.about, **behind(partial(route.read, again))}
    raise NotFoundError(f"{path[:80]!r} is no page whose SQL can be told. Give the address of one, such as /.")


def forgets(path: str, sort: str, what: str) -> Route:
    """The page that forgets a thing."""
    return Route(
        f"{path}/forget", f"What forgetting {what} would take; by POST forgets it",
        of_file(lambda db, v: forgetting.forget_preview(db, v.path, sort, v["uid"])),
        lambda v: forgetting.forget_thing(v.path, sort, v["uid"], v.fields, now=v.now), template="memory_forget.html",
    )  # fmt: skip


ROUTES: tuple[Route, ...] = (
    Route(
        "/-/memory/sql", "The queries that a page is made of, each to be run again", sql_behind,
        template="memory_behind.html", has_period=True, has_sql=False,
    ),
    Route(
        "/-/memory/tables", "Tables and views of the file by what they are about",
        lambda v: file_tables.tables(v.path), template="memory_tables.html",
    ),
    Route("/", "The home page", lambda v: home.home(v.path, v.fields, v.now), template="memory_home.html",
          has_period=True),
    Route("/-/memory", "The home page", lambda v: home.home(v.path, v.fields, v.now), template="memory_home.html",
          has_period=True),
    # Paths for programs come before that of a memory's page, which would take `retire` for a uid.
    Route("/-/memory/stats.json", "How much there is", lambda v: api.stats(v.path)),
    Route(
        "/-/memory/questions", "Sixteen questions that users ask, each with a figure of this file and where it leads",
        lambda v: sixteen.sixteen(v.path), template="memory_questions.html",
    ),
    Route(
        "/-/memory/questions.csv", "The sixteen questions, for whoever is signed in",
        download=lambda v: tables.questions(v.path), content_types=tables.FORMS,
    ),
    Route(
        "/-/memory/corrections", "What was corrected, the most often given first, with where",
        lambda v: corrections.corrections(v.path, v.now), template="memory_corrections.html",
    ),
    Route(
        "/-/memory/notebooks", "The notebooks that come with the package", lambda v: shipped_notebooks.shelf(),
        template="memory_notebooks.html", has_sql=False,
    ),
    Route(
        "/-/memory/notebooks/UID", "A notebook, by its name", lambda v: shipped_notebooks.notebook(v["uid"]),
        template="memory_notebook.html", has_sql=False,
    ),
    Route(
        "/-/memory/notebooks/UID.ipynb", "A notebook to run on this file, for whoever is signed in",
        download=lambda v: shipped_notebooks.on_this_file(v["uid"], v.path, v.origin),
        content_types=in_notebook.FORMS,
    ),
    Route(
        "/-/memory/projects", "Projects, with what each holds and costs",
        of_file(lambda db, v: projects.projects(db, v.path)), template="memory_projects.html",
    ),
    Route(
        "/-/memory/projects/ID", "A project, by its number or name",
        of_file(lambda db, v: projects.project(db, v.path, v["key"])), template="memory_project.html",
    ),
    Route(
        "/-/memory/projects/ID/ACTION", "Does something about a project",
        write=lambda v: projects.act(v.path, v["key"], v["action"], v.fields, by=str(v.actor), now=v.now),
    ),
    Route("/-/memory/tags.json", "Tags of memories", lambda v: api.tags(v.path, v.fields)),
    Route("/-/memory/memories", "Memories to browse; by POST one more", browse_memories, add_memory,
          template="memory_memories.html", of_one_project={"user": [], "facets": ["0"]}),
    Route(
        "/-/memory/memories.csv", "The memories of a list, for whoever is signed in",
        download=lambda v: tables.memories(v.path, v.fields, now=v.now), content_types=tables.FORMS,
    ),
    Route(
        "/-/memory/memories/edit", "Changes many memories beside their words",
        write=lambda v: bulk.edit(v.path, v.fields, by=str(v.actor), now=v.now),
    ),
    Route(
        "/-/memory/memories/edit/preview", "What a change of many would do; it takes the write lock for a moment",
        lambda v: bulk.preview(v.path, v.fields, now=v.now), template="memory_edit_preview.html", readers=WRITERS,
    ),
    Route(
        "/-/memory/sessions", "Sessions to browse", lambda v: session_list.sessions(v.path, v.fields, now=v.now),
        template="memory_sessions.html",
    ),
    Route(
        "/-/memory/sessions.csv", "The sessions of a list, for whoever is signed in",
        download=lambda v: tables.sessions(v.path, v.fields, now=v.now), content_types=tables.FORMS,
    ),
    Route(
        "/-/memory/recalls.csv", "The recalls of a period or a session, for whoever is signed in",
        download=lambda v: tables.recalls(v.path, v.fields, now=v.now), content_types=tables.FORMS,
    ),
    Route(
        "/-/memory/projects.csv", "The projects, for whoever is signed in",
        download=lambda v: tables.projects(v.path), content_types=tables.FORMS,
    ),
    Route(
        "/-/memory/review.csv", "What waits for a decision, for whoever is signed in",
        download=lambda v: tables.review(v.path, v.fields, now=v.now), content_types=tables.FORMS,
    ),
    Route(
        "/-/memory/preferences.csv", "The preferences, for whoever is signed in",
        download=lambda v: tables.preferences(v.path, v.fields, now=v.now), content_types=tables.FORMS,
    ),
    Route(
        "/-/memory/memories/retire.json", "Retires many memories",
        write=lambda v: api_writing.retire_together(v.path, v.fields, by=str(v.actor), now=v.now),
    ),
    Route(
        "/-/memory/memories/restore.json", "Restores many memories",
        write=lambda v: api_writing.restore_together(v.path, v.fields, by=str(v.actor), now=v.now),
    ),
    Route(
        "/-/memory/memories/UID/related.json", "Memories like one",
        lambda v: api.related(v.path, v["uid"], v.fields, now=v.now),
    ),
    Route("/-/memory/brief.json", "A brief", brief, asks=True, of_one_project={}),
    Route(
        "/-/memory/forget.json", "What a description is about, to be forgotten",
        lambda v: api.to_forget(v.path, v.fields, now=v.now),
    ),
    Route(
        "/-/memory/capture.json", "Takes in an exchange",
        write=lambda v: api_writing.capture(v.path, v.fields, now=v.now), most_bytes=MOST_EXCHANGE_BYTES,
    ),
    Route("/-/memory/recall", "Ask, and see every number behind the answer", explore, template="memory_recall.html",
          asks=True, of_one_project={"only_project": ["1"], "as": []}),
    Route(
        "/-/memory/recall.ipynb", "A question as a notebook, for whoever is signed in",
        download=lambda v: in_notebook.asked(v.path, v.fields, v.origin), content_types=in_notebook.FORMS,
    ),
    Route(
        "/-/memory/prose", "What a model would be asked and what that costs; by POST asks it",
        lambda v: prose.preview(v.path, v.fields, now=v.now),
        lambda v: prose.answer(v.path, v.fields, clock=respond.clock),
        template="memory_prose.html", done="memory_prose.html",
    ),
    Route(
        "/-/memory/recalls", "The latest recalls", of_file(lambda db, v: recall_list.listed(db, v.fields, v.now)),
        template="memory_recalls.html", has_period=True,
    ),
    Route(
        "/-/memory/recalls/ID", "Why a recall gave what it gave",
        lambda v: recalls.why_page(v.path, v["key"], first(v.fields, "not"), v.now), template="memory_why.html",
    ),
    Route(
        "/-/memory/compare", "One question under several profiles",
        lambda v: compare.compare(v.path, v.fields, now=v.now, waits=v.is_json), template="memory_compare.html",
        has_period=True,
    ),
    Route(
        "/-/memory/compare/measure", "Has a worker measure profiles on a query set or on past briefs",
        write=lambda v: compare.measure(v.path, v.fields, now=v.now),
    ),
    Route(
        "/-/memory/judge", "Judges hits",
        write=lambda v: evaluations.judge(v.path, v.fields, judged_by=str(v.actor), now=v.now),
    ),
    Route(
        "/-/memory/query-sets", "Makes a query set of recalls",
        write=lambda v: evaluations.gather(v.path, v.fields, now=v.now),
    ),
    Route(
        "/-/memory/profiles", "Saves weights as a profile",
        write=lambda v: save(v.path, v.fields, saved_by=str(v.actor), now=v.now),
    ),
    Route(
        "/-/memory/memories/UID", "A memory", of_file(lambda db, v: memory.memory(db, v["uid"], v.fields, v.now)),
        template="memory_memory.html",
    ),
    forgets("/-/memory/memories/UID", forgetting.MEMORY, "a memory"),
    forgets("/-/memory/sessions/SESSION", forgetting.SESSION, "a session"),
    forgets("/-/memory/entries/UID", forgetting.ENTRY, "an entry"),
    Route("/-/memory/forgotten", "What was forgotten, with the proof of each",
          of_file(lambda db, v: forgotten.forgotten(db, v.fields)), template="memory_forgotten.html"),
    Route(
        "/-/memory/words", "What forgetting words would take, wherever they stand; they are sent by POST",
        of_file(lambda db, v: forgetting.words_preview(db, v.path, v.fields)), template="memory_words.html",
        asks=True, readers=WRITERS, has_sql=False,
    ),
    Route("/-/memory/words/forget", "Forgets words, wherever they stand",
          write=lambda v: forgetting.forget_words(v.path, v.fields, now=v.now)),
    Route(
        "/-/memory/memories/UID/ACTION", "Does something about a memory",
        write=lambda v: memory_actions.act(v.path, v["uid"], v["action"], v.fields, by=str(v.actor), now=v.now),
    ),
    Route(
        "/-/memory/sessions/SESSION", "A session", of_file(lambda db, v: session.session(db, v["uid"], v.fields)),
        template="memory_session.html",
    ),
    Route(
        "/-/memory/entries/UID", "An entry, in its session",
        of_file(lambda db, v: session.around_entry(db, v["uid"])), template="memory_session.html",
    ),
    Route(
        "/-/memory/live", "What running agents are told, and what comes of it", follow_live,
        template="memory_live.html", stream=events.follow,
    ),
    Route(
        "/-/memory/live/NAME", "Does something about what a running agent was told",
        write=lambda v: live_actions.act(v.path, v["name"], v.fields, by=str(v.actor), now=v.now),
    ),
    Route(
        "/-/memory/review", "What waits for a decision; by POST decides",
        of_file(lambda db, v: review.queue(db, v.fields, v.now)),
        lambda v: review_actions.decide(v.path, v.fields, by=str(v.actor), now=v.now), template="memory_review.html",
    ),
    Route(
        "/-/memory/review/preview", "What a decision would do; it takes the write lock for a moment",
        lambda v: review_actions.preview(v.path, v.fields, now=v.now), template="memory_review_preview.html",
        readers=WRITERS,
    ),
    Route(
        "/-/memory/review/undo", "Undoes a decision",
        write=lambda v: review_actions.undo(v.path, v.fields, now=v.now),
    ),
    Route(
        "/-/memory/preferences", "Preferences, in three tiers",
        of_file(lambda db, v: preferences.preferences(db, v.fields, v.now)), template="memory_preferences.html",
    ),
    Route(
        "/-/memory/timeline", "Memories over time", of_file(lambda db, v: timeline.timeline(db, v.fields)),
        template="memory_timeline.html",
    ),
    Route(
        "/-/memory/graph", "The whole graph", of_file(lambda db, v: graph.overview(db, v.path, v.fields)),
        template="memory_graph.html",
    ),
    Route(
        "/-/memory/graph/memory/UID", "The graph around a memory",
        of_file(lambda db, v: graph.around_memory(db, v["uid"], v.fields)), template="memory_graph_around.html",
    ),
    Route(
        "/-/memory/graph/entity/ENTITY", "The graph around an entity",
        of_file(lambda db, v: graph.around_entity(db, v["id"], v.fields)), template="memory_graph_around.html",
    ),
    Route(
        "/-/memory/economics", "What agents and memory cost, and what memory saved",
        lambda v: economics.economics(v.path, v.fields, now=v.now), template="memory_economics.html",
        has_period=True,
    ),
    Route(
        "/-/memory/health", "How well the file does; the status is 503 where it does not work", look_at_health,
        template="memory_health.html", status_of=health.http_status, has_period=True,
    ),
    Route(
        "/-/memory/health/NAME", "Does something about the file",
        write=lambda v: health_actions.operate(v.path, v["name"], v.fields, v.now),
        done="memory_check.html", done_after="check",
    ),
    Route(
        "/-/memory/export.FORM", "Memories as a file to keep, for whoever is signed in",
        download=lambda v: health_actions.exported(v.path, v["form"], v.fields), content_types=health_actions.FORMS,
    ),
    Route(
        "/-/memory/settings", "Settings; by POST changes one", of_file(lambda db, v: settings.listed(db)),
        lambda v: settings.change(v.path, v.fields, v.now), template="memory_settings.html",
    ),
    Route(
        "/-/memory/tokens", "Tokens for programs", lambda v: api_tokens.listed(v.path, now=v.now),
        template="memory_tokens.html", readers=PEOPLE,
    ),
    Route(
        "/-/memory/tokens/add", "Makes a token", write=lambda v: api_tokens.add(v.path, v.fields, now=v.now),
        done="memory_tokens.html", readers=PEOPLE,
    ),
    Route(
        "/-/memory/tokens/revoke", "Revokes a token",
        write=lambda v: api_tokens.revoke(v.path, v.fields, now=v.now), readers=PEOPLE,
    ),
)  # fmt: skip
