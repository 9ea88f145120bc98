"""What plain working days hold: rules that an answer must not swallow, and words of one moment that are no rule."""

from __future__ import annotations

import pytest

from memory_db.extract.rules.messages import ENGLISH, matching
from memory_db.extract.rules.prose import ProseFinding
from memory_db.extract.rules.replies import read_reply
from memory_db.extract.rules.where import scope_of
from tests.extract.test_exchange_unit import kept, talk

BEGUN = (("user", "hello, could you look at the ovens?"), ("bash", "make status", "ok"), ("say", "All four are idle."))


def test_a_rule_stays_though_the_agent_left_something_out_and_the_user_says_right() -> None:
    found = kept(
        *BEGUN,
        ("bash", "make fire", "fails"),
        ("user", "stop. never fire the ovens yourself, not even the small one. i want to see the plan first"),
        ("say", "Understood, I write the plan. I left out a second one as the other folders have none."),
        ("user", "right, we only keep one. go on"),
    )
    assert any(text.startswith("Never fire the ovens yourself") for text in found)


def test_what_is_taken_back_by_its_matter_is_kept_with_what_holds_instead() -> None:
    found = kept(
        *BEGUN,
        ("user", "looks good. and you know what, forget what i said about the ovens, you can fire the small ones "
         "yourself, it only slows us down"),
    )  # fmt: skip
    assert found == ["Forget what i said about the ovens, you can fire the small ones yourself, it only slows us down."]


@pytest.mark.parametrize(
    "said",
    [
        "commit as KL-440, push and tag v2.8.1",
        "two commits please, glazes are KL-429, the kilns KL-431",
        "the new dial in its own commit please",
        "the log is in ~/Downloads/kiln-nov.log",
        "kubectl logs deploy/kiln --since=10m | grep -c 'too hot'",
        "not on staging, not here",
        "everywhere, not only here, so that we don't have both",
    ],
)
def test_what_is_of_the_moment_or_names_no_matter_is_not_kept(said: str) -> None:
    assert kept(*BEGUN, ("user", said)) == []


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("every commit has the ticket in front, KL-440: and so on", "Every commit has the ticket in front, KL-440: and "
         "so on."),
        ("generated code in its own commit", "Generated code in its own commit."),
        ("separate commits for glazes and kilns", "Separate commits for glazes and kilns."),
        ("two commits at most in a pull request", "Two commits at most in a pull request."),
        ("the kiln writes its log to /tmp/kiln.log", "The kiln writes its log to /tmp/kiln.log."),
        ("the health check is curl -s localhost:8091/health | jq .status",
         "The health check is curl -s localhost:8091/health | jq .status."),
        ("never push a tag like v2.8.1 without me", "Never push a tag like v2.8.1 without me."),
        ("the deal here is every bug gets its test, i broke it three times lol", "The deal here is every bug gets its "
         "test."),
        ("throw kilnjs out and take ovenjs, the server has it. everywhere, not only here, so that we don't have both",
         "Throw kilnjs out and take ovenjs, the server has it. everywhere, not only here, so that we don't have both."),
    ],
)  # fmt: skip
def test_what_only_looks_so_is_kept(said: str, text: str) -> None:
    assert kept(*BEGUN, ("user", said)) == [text]


def test_what_is_wanted_of_one_thing_is_of_its_project() -> None:
    quote = "and the merge should raise if something is left over, i'd rather have a dead job"
    finding = ProseFinding(0, len(quote), quote, "preference", "I like", 4, ("I like",))
    assert scope_of(finding, has_project=True) == "project"


@pytest.mark.parametrize(
    ("said", "is_talk"),
    [("no bare reply.send please", False), ("summary() is slow", False), ("short replies please", True)],
)
def test_a_name_in_code_is_no_word_about_how_to_talk(said: str, is_talk: bool) -> None:
    cues = {cue.name for cue in matching(ENGLISH.cues, said, "user", False)}
    assert ("how to talk to me" in cues) == is_talk


def test_an_option_that_was_offered_is_no_finding() -> None:
    offered = (
        "Two ways:\n\nA. Keep it in one pass, each page its own query. Memory is flat, the `timeout` of 60 s stays.\n"
        "B. Answer at once with a job id, and the worker writes the file.\n\nB is more work."
    )
    turns = (("user", "a large export fails"), ("bash", "make it", "fails"), ("edit", "a.py", "1", "2"),
             ("bash", "make it", "ok"), ("say", offered), ("user", "B, and go on"))  # fmt: skip
    found = [finding.quote for word in talk(*BEGUN, *turns).agent_words for finding in read_reply(word)]
    assert not any(quote.startswith(("A.", "B. A")) for quote in found)


def test_an_answer_may_be_of_places_alone() -> None:
    asked = (*BEGUN[:2], ("say", "Should I run the load tests on prod too?"))
    assert any("Never on prod" in text for text in kept(*asked, ("user", "never on prod")))


@pytest.mark.parametrize(
    "reply",
    [
        "Sure, but dropping the old key would break the shop, so I have not done it.",
        "Okay, though that is not ours to flip, I'd rather not.",
    ],
)
def test_who_objects_after_all_is_taken_at_their_word(reply: str) -> None:
    said = ("user", "please always drop the old key after each import")
    assert not kept(*BEGUN, said, ("say", reply), ("user", "good point, leave it then"))
