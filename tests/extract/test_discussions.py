"""Discussions: somebody thinks aloud with an agent that does nothing, and what is kept of it all the same."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
import yaml

from memory_db.extract.rules.discussion import is_discussion
from memory_db.sample.build import write_history
from memory_db.store.dates import parse_utc
from memory_db.store.schema import open_database
from memory_db.upkeep import pipeline
from tests.extract.test_exchange_unit import Turn, kept, talk
from tests.extract.test_run_on import BEGUN

NOW = parse_utc("2026-10-02T09:00:00Z")

CHAT: tuple[Turn, ...] = (
    ("user", "Hey, I was reading `sowing.py` over lunch and it got me thinking about trays. Are odd sizes possible?"),
    ("say", "They are, since the first import. A tray has rows and columns, and the planner multiplies them."),
    ("user", "Got it, that makes sense. So it was mostly about the layout of the greenhouse then."),
    ("say", "Right. The germination table came later. It is keyed by species and read once per run."),
)
"""A discussion of how something works."""

NOTED: Turn = ("say", "That is a fair way to see it.")

DECIDING: tuple[Turn, ...] = (
    ("user", "The seed counts in the plan are too low for half of the beds."),
    ("say", "The planner counts trays and not cells. Should I multiply by the cells of the supplier?"),
)
"""The same people at work."""


@pytest.mark.parametrize(
    "said",
    [
        "I vaguely recall there was an issue with `frost.py` and leap years, from an old ticket.",
        "I remember that the calendar had its own parser. It was a beast to keep running on Python 3.6.",
        "I noticed the beds in `plan.py` are stored as tuples. My hunch is that they were lists at first.",
        "Gotcha. So the lookup is basically a guard for species that the lab does not know.",
        "I see, so the light table is mostly for the winter crops, and the rest is read from the supplier's file.",
        "So essentially, keeping the readers apart is what makes the import in `lots.py` testable on its own.",
        "Good call on the iterator, helps with memory too.",
        "Fair enough, a dict is a sensible choice there. It's a clean trade-off.",
        "Good to know how that came about.",
        "Clear column names always pay off. It's easy to overlook a unit when it's in nobody's name.",
        "I can draft a ticket with a small sketch of the new reader and its tests.",
        "I'll put together a branch for `test_frost.py`. It will mostly be leap years. No changes to the code.",
        "The `light` commit was really about winter crops, and then `a81f0c2` made the reader a module of its own.",
        "Speaking of which, we have been moving the other readers to iterators too, like `4c11e9d` did.",
        "That makes me think we should add a test for empty beds, `test_empty_bed` or something like it.",
        "We decided on iterators back when the box had 512 MB, if I recall. It feels a bit dated, but it works.",
        "True, the planner needs the supplier's file for that. It is a subtle detail of the `cells` column.",
        "I'm leaning towards a wrapper in `plan.py`, and the old functions would just call it.",
    ],
)
def test_talk_in_a_discussion_is_no_memory(said: str) -> None:
    assert kept(*CHAT, ("user", said), NOTED) == []


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("We always squash before merging.", "We always squash before merging."),
        ("No, per tray is wrong; seeds are billed in packets of 20, rounded up.",
         "Per tray is wrong; seeds are billed in packets of 20, rounded up."),
        ("No. Trays are counted by cell, not by row.", "Trays are counted by cell, not by row."),
        ("Makes sense. From now on every export is written in UTF-8 with a BOM.",
         "From now on every export is written in UTF-8 with a BOM."),
        ("Never touch the germination table by hand, the lab signs it off.",
         "Never touch the germination table by hand, the lab signs it off."),
        ("Interesting. We decided on ISO weeks for the plan because of the Dutch growers.",
         "We decided on ISO weeks for the plan because of the Dutch growers."),
        ("A bed may hold at most 40 trays.", "A bed may hold at most 40 trays."),
        ("Good point, but we never deploy on Fridays, in no season.",
         "Good point, but we never deploy on Fridays, in no season."),
        ("Interesting, though nobody may edit the frost table by hand because the lab signs it.",
         "Interesting, though nobody may edit the frost table by hand because the lab signs it."),
        ("The planner listens on port 8412.", "The planner listens on port 8412."),
        ("I forgot about that. We agreed with the lab on 90 days, so older samples are dropped in the nightly job.",
         "We agreed with the lab on 90 days, so older samples are dropped in the nightly job."),
        ("Agreed, thanks for explaining. Please don't rename the columns, the lab's scripts read them by name.",
         "Please don't rename the columns, the lab's scripts read them by name."),
        ("Only Ines releases the calendar.", "Only Ines releases the calendar."),
        ("Prices are net of tax.", "Prices are net of tax."),
    ],
)  # fmt: skip
def test_what_orders_decides_limits_or_sets_right_is_kept_of_it(said: str, text: str) -> None:
    assert kept(*CHAT, ("user", said), NOTED) == [text]


def test_what_sets_the_agent_right_may_stand_behind_a_first_word() -> None:
    said = "I see. No, that is not how billing works: a started packet counts as a full packet."
    assert len(kept(*CHAT, ("user", said), NOTED)) == 1


def test_an_answer_is_kept_where_the_agent_asked_what_to_do() -> None:
    asks: Turn = ("say", "Should I round the packets up or down?")
    assert kept(*CHAT, asks, ("user", "Up, to whole packets."), NOTED) != []
    wonders: Turn = ("say", "Which version are you on?")
    assert kept(*CHAT, wonders, ("user", "Python 3.9. I'm on main, so it should be in."), NOTED) == []


@pytest.mark.parametrize(
    "said",
    ["The cells come from the supplier's file.", "The light table is only read in winter, from `light.csv`."],
)
def test_facts_are_kept_of_a_session_that_is_no_discussion(said: str) -> None:
    assert kept(*DECIDING, ("user", said), NOTED) != []


def test_a_session_in_which_the_agent_did_something_is_no_discussion() -> None:
    assert talk(*CHAT).is_discussed
    assert not talk(*CHAT, ("edit", "plan.py", "a", "b")).is_discussed
    changed = talk(*CHAT, ("bash", "make seeds", "ok"))
    assert not any(exchange.is_discussed for exchange in changed.exchanges)


def test_who_only_looked_something_up_still_discusses() -> None:
    looked = talk(*CHAT[:1], ("bash", "cat sowing.py", "rows = 4"), *CHAT[1:])
    assert all(exchange.is_discussed for exchange in looked.exchanges)
    assert not looked.is_discussed  # what the agent found is judged as ever


@pytest.mark.parametrize(
    ("messages", "replies", "expected"),
    [
        ([], [], False),
        (["I wonder why.", "I see, that makes sense."], [], False),
        (["I wonder why.", "I see, that makes sense."], ["Since spring."], True),
        (["I wonder why.", "I see, that makes sense."], ["Since spring:\n```\nrows = 4\n```"], False),
        (["I wonder why."], ["Since spring."], False),
        (["Round it up.", "No, down.", "Drop the column.", "I see.", "Use ISO weeks."], ["Done."], False),
        (["ok", "thanks", "I wonder why.", "yes", "Makes sense, I had guessed so."], ["Since spring."], True),
        (["Ich frage mich, warum das so ist.", "Gut zu wissen, danke."], ["Seit Mai."], True),
        (["Je me demande pourquoi.", "Bon à savoir."], ["Depuis mai."], True),
        (["Me pregunto por qué.", "Tiene sentido, gracias."], ["Desde mayo."], True),
    ],
)
def test_a_discussion_is_told_by_how_its_messages_sound(
    messages: list[str], replies: list[str], expected: bool
) -> None:
    assert is_discussion([("", each) for each in messages], replies) is expected


@pytest.mark.parametrize(
    "said",
    [
        "I vaguely recall an old ticket about the oven list and its order.",
        "it reminds me of the kiln log that we had in the shop",
        "I was just poking around in `ovens.py` and the plates.",
        "it makes me wonder about the plates in the config file",
        "I'm just curious about the cache of the oven list.",
        "my hunch is that the cache is stale in the glaze report",
        "it feels like the parser of the firing log is a wrapper around the old module",
        "Got it, so the glaze list is a view of the oven table.",
        "In other words, the glaze list is a view of the oven table.",
        "good catch on the order of the glazes",
        "it's always nice to see the history of the glaze list",
        "good to know, the glaze list is fine",
        "thanks for walking me through the config of the ovens",
        "I'll open a ticket for the config of the ovens.",
        "the commit was really about the config of the ovens",
    ],
)
def test_thinking_aloud_is_no_memory_at_work_either(said: str) -> None:
    assert kept(*BEGUN, ("user", said)) == []


@pytest.mark.parametrize(
    "said",
    [
        "I was looking at the ovens: number three is always fired last because it leaks",
        "got it, so from now on the glaze list is sorted by oven",
        "good to know: the kiln report needs `LANG=C` to be set",
        "I'll open the tickets for ovens myself, never do that for me",
        "I recall that we never fire cone 10 in oven two",
        "good call, always with --cold in this repo",
        "my guess is wrong every time, so always ask me before you fire",
    ],
)
def test_a_rule_or_a_reason_within_it_is_kept(said: str) -> None:
    assert kept(*BEGUN, ("user", said)) != []


def test_who_decides_as_often_as_they_think_aloud_does_not_only_discuss() -> None:
    talks = [("", "I was wondering about the beds."), ("", "I see, that explains the trays."), ("", "Interesting.")]
    told = [("", "No, trays are counted by cell."), ("", "Never round down."), ("Should I log it?", "Once per run.")]
    assert is_discussion([*talks, told[0]], ["It is."])
    assert not is_discussion([*talks, *told], ["It is."])


EXPLAINED: Turn = (
    "say",
    "The firing curve lives in the oven table. The report depends on it and reads it once per night.",
)


def test_what_was_just_explained_and_is_said_again_is_nothing_new() -> None:
    again = "Right, so the firing curve lives in the oven table and the report depends on it."
    assert kept(*BEGUN[:2], EXPLAINED, ("user", again)) == []
    assert kept(*BEGUN, ("user", again)) != []
    more = "Right, so the firing curve lives in the oven table, and the report must never write there."
    assert kept(*BEGUN[:2], EXPLAINED, ("user", more)) != []


@pytest.mark.parametrize(
    "said",
    [
        "Verstehe, also liegt die Brennkurve in der Tabelle der Öfen.",
        "Ich frage mich, ob die Kurve immer in der Tabelle der Öfen liegt.",
        "Je vois, donc la courbe est dans la table des fours.",
        "Je me demande si la courbe est toujours dans la table des fours.",
        "Ya veo, así que la curva está en la tabla de los hornos.",
        "Me pregunto si la curva siempre está en la tabla de los hornos.",
    ],
)
def test_talk_in_other_languages_is_no_memory(said: str) -> None:
    assert kept(*CHAT, ("user", said), NOTED) == []


@pytest.mark.parametrize(
    "said",
    [
        "Ab jetzt bitte keine Glasuren mehr aus der alten Liste nehmen.",
        "Désormais, jamais de courbe écrite à la main dans la table des fours.",
        "A partir de ahora nunca escribas la curva a mano en la tabla.",
    ],
)
def test_a_rule_in_other_languages_is_kept_of_a_discussion(said: str) -> None:
    assert kept(*CHAT, ("user", said), NOTED) != []


def test_what_the_agent_tells_in_a_discussion_is_no_finding(tmp_path: Path) -> None:
    turns: list[dict[str, str]] = [
        {"user" if sort == "user" else "say": said[0]}
        for sort, *said in (*CHAT, ("user", "Interesting, and why is it read once?"))
    ]
    turns.append({"say": "We decided against a cache because the lab replaces the file at night, on port 8412."})
    turns.append({"user": "Good point, thanks for explaining."})
    for name, said in (("discussed", turns), ("at-work", [*turns, {"bash": "make seeds", "out": "ok"}])):
        assert (agents_findings(tmp_path / name, said) > 0) is (name == "at-work")


def agents_findings(folder: Path, turns: list[dict[str, str]]) -> int:
    """How many candidates the rules make of what an agent said in one session."""
    folder.mkdir()
    dialogue = folder / "one.yaml"
    session = {"cwd": "/home/kim/work/beds", "branch": "main", "version": "2.1.330", "model": "opus"}
    began = datetime(2026, 10, 1, 9, tzinfo=UTC)
    dialogue.write_text(yaml.safe_dump(session | {"start": began, "turns": turns}), "utf-8")
    write_history(folder / "history", [dialogue])
    with closing(open_database(folder / "memory.db", now=NOW)) as db:
        pipeline.run(db, [folder / "history"], now=NOW)
        return count_of_agent(db)


def count_of_agent(db: sqlite3.Connection) -> int:
    sql = "select count(*) from candidates c join entries e on e.id = c.entry_id where e.role = 'assistant'"
    return int(db.execute(sql).fetchone()[0])


def test_one_word_of_talk_beside_it_loses_no_fact_at_work() -> None:
    said = "The winter beds are in `lots.csv`, the summer beds in `beds.csv`. I never noticed before."
    assert kept(*DECIDING, ("user", said), NOTED) != []
    talked = "I was looking at the winter beds again. They seem to be in `lots.csv`. It makes me wonder why."
    assert kept(*DECIDING, ("user", talked), NOTED) == []


def test_a_choice_that_begins_with_ok_so_is_no_restating() -> None:
    chosen = ("edit", "ovens.conf", "#limit =", "limit = 1G")
    assert kept(*BEGUN, ("user", "ok so the journal it is, cap it at 1 GB"), chosen) != []


@pytest.mark.parametrize(
    "said",
    [
        "ok i write the labels for the trays now",
        "I'll ask the gardener about the seed list after lunch.",
        "thanks, i'll check the greenhouse door and then i water",
        "worst case. the pump stops in the night and the trays dry out",
        "so somebody who buys three trays at noon pays two trays and gets one",
    ],
)
def test_what_somebody_goes_to_do_and_an_example_are_not_kept(said: str) -> None:
    assert kept(*BEGUN, NOTED, ("user", said)) == []


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("I always write the labels myself, from now on too.", "write the labels myself"),
        ("Who buys three trays must get one for nothing.", "must get one"),
        ("I do the seed orders, never you.", "seed orders"),
    ],
)
def test_a_rule_in_such_words_is_kept(said: str, words: str) -> None:
    (text,) = kept(*BEGUN, NOTED, ("user", said))
    assert words in text
