"""Prompts that need no recall are told from those that do; in doubt a prompt is asked."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_db.hooks.skip import (
    ACKNOWLEDGED,
    COMMAND,
    EMPTY,
    NOTICE,
    NOTICES,
    POINTS_BACK,
    SHORT_REPLY,
    goes_on,
    skipped,
    without_notices,
)
from memory_db.recall.brief.leaning import asks_of_turn_before
from memory_db.text.acknowledging import ACKNOWLEDGING
from memory_db.text.terms import query_terms


@pytest.mark.parametrize(
    "prompt",
    ["ok", "OK, thanks!", "yes please", "go on", "Yes.", "lgtm", "sounds good, do it", "👍 great", "danke, weiter!",
     "ja, bitte", "oui, merci beaucoup", "d'accord", "sí, gracias", "va bene, grazie", "да, спасибо", "好的。", "继续",
     "ありがとうございます", "네, 감사합니다", "perfect, continue", "great, that works. that's all for this afternoon",
     "good, done for today", "thx, enough for today"],
)  # fmt: skip
def test_acknowledgements_are_skipped(prompt: str) -> None:
    assert skipped(prompt) == ACKNOWLEDGED


@pytest.mark.parametrize("prompt", ["/clear", "/mem:recall ports", "/compact keep the tests", "/my_cmd-2"])
def test_slash_commands_are_skipped(prompt: str) -> None:
    assert skipped(prompt) == COMMAND


@pytest.mark.parametrize("prompt", ["yes, webhook then", "no, redis", "ja, webhook bitte"])
def test_a_short_reply_is_read_with_the_turn_before_it_alone(prompt: str) -> None:
    assert skipped(prompt) == SHORT_REPLY


@pytest.mark.parametrize(
    "prompt",
    ["/usr/bin/env is missing", "/ what is this", "/etc/hosts", "/1", "deploy it", "ok, use pnpm",
     "thanks, now run the tests", "no, port 5433", "# Plan", "continue with the migration",
     "weiter mit api", "<div> is not closed"],
)  # fmt: skip
def test_what_says_something_is_asked(prompt: str) -> None:
    assert skipped(without_notices(prompt)) == ""


@pytest.mark.parametrize(
    "prompt", ["and what was it before that", "what is this?", "yes but why?", "do not do that again", "who are they?"]
)
def test_what_only_points_back_is_no_question_of_its_own(prompt: str) -> None:
    assert skipped(prompt) == POINTS_BACK


@pytest.mark.parametrize(
    ("prompt", "leans"),
    [("who wanted that", True), ("and the two before it?", True), ("ok and the command that makes it?", True),
     ("deploy it", False), ("can you push it?", False), ("which port does it use", False),
     ("and then production?", False), ("what does `--force` do to it?", False)],
)  # fmt: skip
def test_a_question_that_says_by_a_pronoun_alone_what_it_is_about(prompt: str, leans: bool) -> None:
    assert asks_of_turn_before(prompt) == leans


def test_nothing_and_interruptions_are_skipped() -> None:
    assert skipped("") == EMPTY
    assert skipped("[Request interrupted by user for tool use]") == NOTICE


@pytest.mark.parametrize("name", NOTICES)
def test_notices_of_the_client_are_taken_off(name: str) -> None:
    notice = f"<{name}>words of the client, and a port</{name}>"
    assert without_notices(notice) == ""
    assert without_notices(f"{notice}\n\nwhich port?") == "which port?"
    assert without_notices(f"which port?\n{notice}{notice}") == "which port?"
    assert without_notices(f"<{name}>never closed, which port?") == ""
    assert without_notices(f"what does <{name}> mean?") == f"what does <{name}> mean?"
    assert without_notices(f"<{name}x>which port?") == f"<{name}x>which port?"


@given(st.text(max_size=300))
def test_any_text_is_read(prompt: str) -> None:
    text = without_notices(prompt)
    assert text in prompt and without_notices(text) == text
    assert skipped(text) in (EMPTY, NOTICE, COMMAND, ACKNOWLEDGED, POINTS_BACK, SHORT_REPLY, "")


@given(st.lists(st.sampled_from(sorted(ACKNOWLEDGING)), min_size=1, max_size=8), st.sampled_from(["", ".", "!", " :)"]))
def test_acknowledging_words_in_any_order_are_one(words: list[str], end: str) -> None:
    assert skipped(", ".join(words) + end) in (ACKNOWLEDGED, "")
    assert skipped(" ".join([*words, "postgres"]) + end) in (SHORT_REPLY, "")
    assert skipped(" ".join([*words, "postgres", "port"]) + end) == ""


def stays(prompt: str, last: str) -> bool:
    return goes_on(prompt, query_terms(prompt), last, query_terms(last))


def test_the_same_topic_goes_on() -> None:
    last = "how do we deploy the billing service to staging with deploy.sh, does E4021 matter?"
    assert stays("and how do we deploy billing to staging again?", last)
    assert stays("deploy.sh to staging, really?", last)
    assert stays("is E4021 of staging new or flaky?", last) is False  # half of its words are new
    assert stays("deploy billing to staging with rollout.sh", last) is False
    assert stays("deploy billing to staging, E4022", last) is False
    assert stays("deploy billing to staging with `--force`", last) is False
    assert stays("which port does the database listen on?", last) is False
    assert goes_on("deploy", ("deploy",), "", ()) is False


@pytest.mark.parametrize("prompt", ["yes, the first one", "the second", "b please", "option 2", "number 3 please"])
def test_a_pick_of_what_was_offered_is_a_short_reply(prompt: str) -> None:
    assert skipped(prompt) == SHORT_REPLY


@pytest.mark.parametrize("prompt", ["the first release", "which one comes first?", "use the second port"])
def test_a_prompt_with_a_word_of_its_own_is_no_pick(prompt: str) -> None:
    assert skipped(prompt) != SHORT_REPLY
