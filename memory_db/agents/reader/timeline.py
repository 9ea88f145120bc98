"""What `timeline` tells a model: moments as lines, each with the uid and the price of reading it whole.

In: a client, an open file, and what is asked. Out: lines, and the recall to log where the question was in words.
Invariant: a moment of a project that was not asked for is left out and counted.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from memory_db.agents.reader.access import ALWAYS, SETTING, AccessScope, may_read, place_of, readable_projects
from memory_db.agents.reader.client import Client
from memory_db.agents.reader.texts import cut, readable
from memory_db.errors import InputError
from memory_db.recall.brief.select import Answer
from memory_db.recall.checkpoints import read_start
from memory_db.recall.explain import timeline
from memory_db.recall.explain.timeline import Moment
from memory_db.recall.question_dates import read_window
from memory_db.recall.search import Filters, Question
from memory_db.store import settings
from memory_db.store.settings import user_zone

LINE_CHARACTERS = 110
"""How much of a text stands in a line. Source: some 25 lines, which a memory with its surroundings has, fit a page."""


@dataclass(slots=True, frozen=True)
class TimelineRequest:
    """What a timeline is asked of: a uid or a topic or words that name a time; two dates; a project."""

    about: str
    since: str
    before: str
    project: str


def lines_of(client: Client, db: sqlite3.Connection, asked: TimelineRequest) -> tuple[Answer | None, list[str]]:
    """The lines of a timeline, and the recall that brought them, if they are of a topic.

    Raises: InputError, NotFoundError, QueryError.
    """
    if not (asked.about or asked.since or asked.before):
        raise InputError("timeline was asked of nothing. Give about (a uid or a topic), or since and before (dates).")
    if asked.about and timeline.is_uid(db, asked.about):
        may_read(db, client.folder, asked.about)
        return None, around_lines(client, db, asked)
    place = place_of(db, client.folder, asked.project)
    now, zone = client.clock(), user_zone(db)
    since, before = (read_start(text, now=now, zone=zone) if text else None for text in (asked.since, asked.before))
    if asked.about:
        window = read_window(asked.about, now, zone)
        if window is None or window.words.casefold() != asked.about.casefold():
            return topic_lines(client, db, asked, place, since, before)
        since, before = window.start or since, window.end or before
    found = timeline.of_span(
        db, since or timeline.BEGINNING, before or timeline.END, project_id=place.project_id, everywhere=not place.only
    )
    bounds = [f"since {since[:10]}" if since else "", f"before {before[:10]}" if before else ""]
    head = f"What happened {' '.join(filter(None, bounds))}, newest first:"
    more = f"Only the newest {len(found)}: an earlier `before` shows older ones." * (
        len(found) >= timeline.MOST_MOMENTS
    )
    return None, [head, *moment_lines(found, place.only), more or ending(found), *filter(None, [place.note])]


def around_lines(client: Client, db: sqlite3.Connection, asked: TimelineRequest) -> list[str]:
    """What stands around a uid, oldest first, without what is of a third project."""
    found = timeline.around(db, asked.about)
    place = place_of(db, client.folder, "")
    if settings.get_text(db, SETTING) != ALWAYS and place.only:
        home = db.execute(
            "select project_id from memories where uid = :uid union all select s.project_id from entries e"
            " join sessions s on s.id = e.session_id where e.uid = :uid"
            " union all select project_id from sessions where uid = :uid",
            {"uid": asked.about},
        ).fetchone()
        allowed = readable_projects(db, [place.project_id, home["project_id"]])
        kept = [each for each in found if each.project in allowed]
    else:
        kept = found
    left = f"{len(found) - len(kept)} of other projects left out." if len(found) > len(kept) else ""
    return [f"Around [{asked.about}], oldest first:", *moment_lines(kept, True), ending(kept), *filter(None, [left])]


def topic_lines(
    client: Client,
    db: sqlite3.Connection,
    asked: TimelineRequest,
    place: AccessScope,
    since: str | None,
    before: str | None,
) -> tuple[Answer, list[str]]:
    """The best hits for a topic in time, newest first, with what they replaced.

    Raises: QueryError, InputError, NotFoundError.
    """
    question = Question(
        query=asked.about,
        profile=settings.get_text(db, "default_profile"),
        project_id=place.project_id,
        filters=Filters(only_project=place.only, since=since, before=before),
        session_uid=client.session_uid,
        limit=timeline.TOPIC_HITS,
    )
    answer, notes = client.ask(db, question)
    found = timeline.of_hits(db, answer.shown)
    if not found:
        return answer, [f"Nothing on this topic ({answer.considered_count} considered). Ask with other words.", *notes]
    counts = f"{len(answer.shown)} of {answer.considered_count} considered"
    head = f"On {answer.question.query[:80]!r}, newest first ({counts}):"
    return answer, [head, *moment_lines(found, place.only), ending(found), *filter(None, [place.note, *notes])]


def moment_lines(found: list[Moment], only: bool) -> list[str]:
    """Moments as lines; with their project where several are told of."""
    return [moment_line(moment, not only) for moment in found]


def moment_line(moment: Moment, with_project: bool) -> str:
    """One moment: when, uid, what it is, its beginning, what became of it, and what reading it costs."""
    where = f", {moment.project or 'any project'}" if with_project else ""
    price = f"{moment.tokens} tokens" if moment.tokens else ""
    facts = "; ".join(part for part in (readable(moment.note, moment.uid), price) if part)
    mark = "> " if moment.is_centre else "- "
    text = readable(cut(moment.text, LINE_CHARACTERS), moment.uid)
    return f"{mark}{moment.at[:16].replace('T', ' ')} [{moment.uid}] {moment.kind}{where}: {text}" + (
        f" ({facts})" if facts else ""
    )


def ending(found: list[Moment]) -> str:
    """What to do next."""
    return "get(uids) gives whole texts." if found else "Nothing happened in this time. Widen it, or ask a topic."
