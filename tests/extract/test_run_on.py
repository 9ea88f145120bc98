"""Sentences that say several things at once, statements without a cue, and what an agent explains before an edit."""

from __future__ import annotations

import pytest

from memory_db.extract.rules.backing import EDIT, backing_of
from memory_db.extract.rules.replies import read_reply
from memory_db.extract.rules.run_on import may_be_cut, runs
from memory_db.text.sentences import split
from tests.extract.test_exchange_unit import kept, talk

BEGUN = (("user", "hello, could you look at the ovens?"), ("bash", "make status", "ok"), ("say", "All four are idle."))


def only(text: str) -> str:
    """The one memory of a message in a later turn."""
    found = kept(*BEGUN, ("user", text))
    assert len(found) == 1, found
    return found[0]


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("restart it please, and the kiln controller answers on 7410", "The kiln controller answers on 7410."),
        (
            "and no rush, glaze day is friday now, thursday clashed with the market",
            "Glaze day is friday now, thursday clashed with the market.",
        ),
        (
            "The supplier of the clay has been renamed, it's Tonwerk Lindau, so could you change the labels?",
            "The supplier of the clay has been renamed, it's Tonwerk Lindau.",
        ),
    ],
)
def test_a_task_or_a_question_costs_only_its_own_clause(said: str, text: str) -> None:
    assert only(said) == text


@pytest.mark.parametrize(
    "said",
    [
        "What if the kiln answered on 7410, would the logger still find it?",  # supposes all of it
        "I'll restart it in a moment, the fuse is in the drawer",  # what somebody does next
        "never mind, I found the fuse myself",
        "Is 7410 still the port, or has there been another?",  # asks from the first word on
        "lol there is one who writes that all ovens are set to 7410, and I let every apprentice do the same",
        "takes me ages to find this, where is the template?",
    ],
)
def test_what_is_of_the_whole_sentence_stays_of_the_whole(said: str) -> None:
    assert not kept(*BEGUN, ("user", said))


def test_runs_are_slices_that_can_stand_alone() -> None:
    text = "fire it please, the shelf holds nine bowls, which is plenty, and nobody opens it before noon"
    (sentence,) = split(text)
    found = list(runs(sentence))
    assert found and all(text[each.start : each.end] == each.text for each in found)
    assert not any(each.text.startswith("which") for each in found)
    assert [len(each.text) for each in found[:2]] == sorted((len(each.text) for each in found[:2]), reverse=True)
    assert not may_be_cut(sentence, set(), set())  # nothing speaks against any clause


def test_a_statement_needs_no_cue_once_work_is_under_way() -> None:
    assert only("Bowls of the second firing have the mark K2 on the foot") == (
        "Bowls of the second firing have the mark K2 on the foot."
    )
    assert not kept(("user", "Bowls of the second firing have the mark K2 on the foot"))  # a first message tells tasks


def test_a_label_says_of_what_a_rule_is() -> None:
    assert (
        only("Commits: kiln number first, then what was changed")
        == "Commits: kiln number first, then what was changed."
    )


def test_a_person_is_named_where_the_message_names_one() -> None:
    said = "We met Aurelia at the fair.\n\nShe's our glaze chemist, and every new recipe goes past her first."
    assert only(said) == "Aurelia's our glaze chemist, and every new recipe goes past her first."


def test_a_time_of_day_is_known_in_a_schedule() -> None:
    edit = ("edit", "cron.yaml", 'at: "0 3 * * *"', 'at: "30 5 * * *"')
    found = kept(*BEGUN, ("user", "The firing at 03:00 wakes the neighbours. Move it to 05:30 please."), edit)
    assert any("30 5 * * *" in text for text in found), found


EXPLAINED = (
    "The logger opens the port of the controller twice, so the second reader gets an empty frame from `read_frame`."
)


def test_what_an_agent_explains_before_an_edit_is_kept() -> None:
    before = (("user", "the log has holes, look into it"), ("bash", "make log", "fails: frame is empty"))
    edit = ("edit", "logger.py", "port = open_port()", "frame = shared.read_frame()")
    word = talk(*before, ("say", EXPLAINED), edit).agent_words[0]
    backing = backing_of(word)
    assert backing is not None and backing.kind == EDIT
    assert [(found.quote, found.kind) for found in read_reply(word)] == [(EXPLAINED, "fix")]


def test_an_edit_after_the_users_next_words_backs_it_too() -> None:
    before = (("user", "the log has holes, look into it"), ("bash", "make log", "ok"))
    edit = ("edit", "logger.py", "port = open_port()", "frame = shared.read_frame()")
    word = talk(*before, ("say", EXPLAINED), ("user", "go on"), edit).agent_words[0]
    assert [found.quote for found in read_reply(word)] == [EXPLAINED]
    unbacked = talk(*before, ("say", EXPLAINED), ("user", "go on")).agent_words[0]
    assert not read_reply(unbacked)
    rejected = talk(*before, ("say", EXPLAINED), ("user", "no, that's wrong"), edit).agent_words[0]
    assert not read_reply(rejected)


@pytest.mark.parametrize(
    "said",
    [
        "From now on the logger always opens `read_frame` with tonwerk-proxy, as you wish.",  # takes something on
        "C'est noté, désormais je lis toujours `read_frame` avec tonwerk-proxy, comme vous le voulez.",
        "The logger could open the port once and hand `read_frame` to both of the readers.",  # a plan
        "With `read_frame` there are 14 rows missing of the log of this run at the moment.",  # the outcome of one run
    ],
)
def test_plans_vows_and_outcomes_explain_nothing(said: str) -> None:
    before = (("user", "the log has holes, look into it"), ("bash", "make log", "fails: frame is empty"))
    edit = ("edit", "logger.py", "port = open_port()", "frame = shared.read_frame()")
    assert not read_reply(talk(*before, ("say", said), edit).agent_words[0])


def test_a_german_date_ends_no_sentence() -> None:
    assert [each.text for each in split("Der Brand kommt am 26.10. zweimal. Danach nie.")] == [
        "Der Brand kommt am 26.10. zweimal.", "Danach nie.",
    ]  # fmt: skip
