"""Which project a question is about: by its name, a path, its remote, an earlier name, or its own words."""

from __future__ import annotations

import sqlite3
from datetime import datetime

import pytest

from memory_db.index import build as index
from memory_db.knowledge.memories import add_memory
from memory_db.pages.recalls import why as explained
from memory_db.recall.brief.select import ask
from memory_db.recall.evidence_of_hit import LEAST, STRONG
from memory_db.recall.meant import named_in, part_named_in, pointed_to
from memory_db.recall.search import Filters, Question
from memory_db.records import replace
from memory_db.text.terms import query_terms
from memory_db.transcripts.projects import resolve_project

OF_GARDEN = (
    "The greenhouse sensors report soil moisture every ten minutes.",
    "Soil moisture below a third opens the irrigation valve.",
    "The irrigation valve closes when the greenhouse humidity rises.",
    "Greenhouse humidity is logged beside soil moisture.",
)
OF_SHOP = (
    "Prices are stored in cents.",
    "The checkout asks for a billing address.",
    "Orders are exported as CSV at midnight.",
    "A refund needs two approvals.",
)


@pytest.fixture
def projects(db: sqlite3.Connection, now: datetime) -> dict[str, int]:
    """Two projects with memories that share no word."""
    found = {
        "garden": resolve_project(db, "/home/ada/garden", "https://git.example.com/ada/garden.git", now=now),
        "shop": resolve_project(db, "/home/ada/shop", now=now),
    }
    db.execute(
        "insert into project_aliases (project_id, path, reason, created_at) values (?, ?, 'moved', ?)",
        [found["garden"], "/home/ada/old/orchard", now.isoformat()],
    )
    for name, texts in (("garden", OF_GARDEN), ("shop", OF_SHOP)):
        for text in (f"{text} Seen {times} times." for text in texts for times in range(2, 9)):
            add_memory(db, text=text, kind="convention", scope="project", project_id=found[name], now=now,
                       origin="user", changed_by="user", reason="said")  # fmt: skip
    index.run(db, now=now)
    return found


@pytest.mark.parametrize(
    "text",
    [
        "in garden, how often do sensors report",
        "how does the Garden repo test",
        "what is in /home/ada/garden/src/main.py",
        "clone git.example.com/ada/garden please",
        "is ada/garden public",
        "what did orchard use for this",
    ],
)
def test_a_project_is_named_by_name_path_remote_or_earlier_name(
    db: sqlite3.Connection, projects: dict[str, int], text: str
) -> None:
    named = named_in(db, text, projects["shop"])
    assert named and named.project_id == projects["garden"]


@pytest.mark.parametrize("text", ["we are gardening", "/home/ada/gardens/x", "what did old use", "run the tests"])
def test_what_only_looks_like_a_name_names_nothing(db: sqlite3.Connection, projects: dict[str, int], text: str) -> None:
    assert named_in(db, text, projects["shop"]) is None


def test_where_the_own_project_is_named_too_it_is_meant(db: sqlite3.Connection, projects: dict[str, int]) -> None:
    named = named_in(db, "does garden do it like the shop", projects["shop"])
    assert named and named.project_id == projects["shop"]


def test_a_name_within_a_longer_one_is_not_named(
    db: sqlite3.Connection, projects: dict[str, int], now: datetime
) -> None:
    ops = resolve_project(db, "/home/ada/shop-ops", now=now)
    for home in (projects["shop"], ops, None):
        named = named_in(db, "in shop-ops, why did the rollback take the first release", home)
        assert named and named.project_id == ops and named.words == ("shop", "ops")
    for text in ("what does the shop ask for", "is it in shop-ops or in the shop"):
        named = named_in(db, text, projects["shop"])
        assert named and named.project_id == projects["shop"], text


def test_an_ordinary_word_is_a_name_only_beside_a_word_that_says_so(db: sqlite3.Connection, now: datetime) -> None:
    server = resolve_project(db, "/home/ada/server", now=now)
    assert named_in(db, "restart the server", None) is None
    named = named_in(db, "how does the server project log", None)
    assert named and named.project_id == server


def test_a_part_of_a_name_means_it_where_only_that_project_says_it(
    db: sqlite3.Connection, projects: dict[str, int], now: datetime
) -> None:
    jobs = resolve_project(db, "/home/ada/meterjobs", now=now)
    site = resolve_project(db, "/home/ada/figures-site", now=now)
    for project, text in ((jobs, "The meter import runs at night."), (site, "Figures are drawn by make."),
                          (projects["shop"], "Prices have no figures behind the comma.")):  # fmt: skip
        add_memory(db, text=text, kind="convention", scope="project", project_id=project, now=now,
                   origin="user", changed_by="user", reason="said")  # fmt: skip
    index.run(db, now=now)
    named = part_named_in(db, "at what time does the meter import run", projects["shop"])
    assert named and named.project_id == jobs and named.words == ("meter",)
    assert part_named_in(db, "at what time does the meter import run", None) is None
    assert part_named_in(db, "which meteors are there", projects["shop"]) is None
    assert part_named_in(db, "how are the figures drawn", projects["shop"]) is None, "the shop has figures too"
    in_garden = part_named_in(db, "how are the figures drawn", projects["garden"])
    assert in_garden and in_garden.project_id == site


def test_the_end_of_a_name_written_as_one_means_it_too(
    db: sqlite3.Connection, projects: dict[str, int], now: datetime
) -> None:
    rates = resolve_project(db, "/home/ada/ratesheet", now=now)
    add_memory(db, text="Each sheet is rounded half up.", kind="convention", scope="project", project_id=rates, now=now,
               origin="user", changed_by="user", reason="said")  # fmt: skip
    index.run(db, now=now)
    named = part_named_in(db, "how does the tool for price sheets round", projects["shop"])
    assert named and named.project_id == rates


def test_words_that_only_another_project_has_point_to_it(db: sqlite3.Connection, projects: dict[str, int]) -> None:
    asked = query_terms("when does the irrigation valve open for low soil moisture")
    assert pointed_to(db, projects["shop"], asked) == {projects["garden"]}
    assert pointed_to(db, projects["garden"], asked) == frozenset()
    assert pointed_to(db, None, asked) == frozenset()


@pytest.mark.parametrize("text", ["irrigation", "which prices do we store for the valve", "format the dates", "thanks"])
def test_a_single_word_or_unknown_ones_point_nowhere(
    db: sqlite3.Connection, projects: dict[str, int], text: str
) -> None:
    assert pointed_to(db, projects["shop"], query_terms(text)) == frozenset()


def asked_from_shop(projects: dict[str, int], query: str) -> Question:
    filters = Filters(other_projects=False)
    return Question(query, profile="hook", project_id=projects["shop"], filters=filters, least_evidence=0.2)


def test_a_brief_tells_of_the_project_that_is_meant_and_says_so(
    db: sqlite3.Connection, projects: dict[str, int], now: datetime
) -> None:
    for query in ("when does the irrigation valve open for low soil moisture", "in garden, what opens the valve"):
        answer = ask(db, asked_from_shop(projects, query), surface="test", now=now)
        assert "irrigation valve" in answer.text
        assert all("garden, " in line for line in answer.text.splitlines() if "irrigation valve" in line), answer.text
        why = next(hit["why"] for hit in explained(db, str(answer.recall_uid))["hits"] if hit["project"] == "garden")
        assert ("the words of the question point to project garden" in why) == (not query.startswith("in garden")), why
        assert ("which the question names" in why) == query.startswith("in garden"), why


def test_who_names_a_project_late_in_a_session_is_told_the_best_of_it_alone(
    db: sqlite3.Connection, projects: dict[str, int], now: datetime
) -> None:
    asked = replace(
        asked_from_shop(projects, "orders pile up. how does garden write down what its sensors say?"),
        is_unasked=True, least_evidence=LEAST * STRONG, least_for_rules=LEAST, limit=3, threshold=0.0,
    )  # fmt: skip
    answer = ask(db, asked, surface="test", now=now)
    assert answer.shown and {hit.project for hit in answer.shown} == {"garden"}
    assert answer.shown[0].evidence < LEAST * STRONG, "strong evidence is told anyway"
    assert ask(db, replace(asked, query=asked.query.replace("garden", "it")), surface="test", now=now).abstained


def test_what_is_said_in_passing_points_a_hook_to_no_other_project(
    db: sqlite3.Connection, projects: dict[str, int], now: datetime
) -> None:
    told = "the irrigation valve opens for low soil moisture"
    for query, expected in ((f"when is it that {told}", {"garden"}), (f"so {told}, fine by me", set())):
        answer = ask(db, replace(asked_from_shop(projects, query), is_unasked=True), surface="test", now=now)
        assert {hit.project for hit in answer.shown} & {"garden"} == expected, query


def test_a_brief_tells_nothing_of_a_project_that_nothing_points_to(
    db: sqlite3.Connection, projects: dict[str, int], now: datetime
) -> None:
    for query in ("is every price logged in cents", "add a valve for refunds", "export orders every ten minutes"):
        answer = ask(db, asked_from_shop(projects, query), surface="test", now=now)
        assert {hit.project for hit in answer.shown} <= {"shop"}, query


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("show the next three bookings instead of one", ""),
        ("the bookings api is down, why", "bookings"),
        ("which port does bookings listen on", "bookings"),
        ("compare with bookings", "bookings"),
        ("all bookings of the week in a table", ""),
    ],
)
def test_a_word_of_ones_own_projects_name_means_no_other_by_chance(
    db: sqlite3.Connection, now: datetime, text: str, name: str
) -> None:
    home = resolve_project(db, "/home/ada/bookings-web", now=now)
    other = resolve_project(db, "/home/ada/bookings", now=now)
    named = named_in(db, text, home)
    assert (named.project_id if named else None) == (other if name else None)
