"""Rules of two parts: what a sentence leaves to the one beside it is told with it, or not at all."""

from __future__ import annotations

import pytest

from memory_db.extract.rules.messages import read_message
from memory_db.extract.rules.replies import read_reply
from memory_db.extract.rules.run import text_found
from memory_db.extract.rules.where import scope_of
from tests.extract.test_exchange_unit import kept, talk
from tests.extract.test_run_on import BEGUN


@pytest.mark.parametrize(
    ("said", "text"),
    [
        (
            "oh! right, put a seal there and all four closed. so thats it, the lids are delivered without one. "
            "make the checklist cope",
            "Put a seal there and all four closed. so thats it, the lids are delivered without one. make the checklist "
            "cope.",
        ),
        (
            "now the test plates are in the shop window. real ones are 40 euros each!",
            "Now the test plates are in the shop window. real ones are 40 euros each!",
        ),
        (
            "theres no scale in the glaze room, its all buckets. every recipe has to be in spoons",
            "Theres no scale in the glaze room, its all buckets. every recipe has to be in spoons.",
        ),
        (
            "I would like whole degrees instead of the decimals, since the potters read them from afar. "
            "Degrees only, no unit.",
            "I would like whole degrees instead of the decimals, since the potters read them from afar. "
            "Degrees only, no unit.",
        ),
        (
            "Ada called a moment ago. Her shop takes every second plate now, so the list must say which ones are free.",
            "Ada's shop takes every second plate now, so the list must say which ones are free.",
        ),
        ("A second shelf then, but not today. Show me the ovens.", "A second shelf then, but not today."),
        ("no script of the kiln may run git add . again", "No script of the kiln may run git add . again."),
    ],
)  # fmt: skip
def test_a_sentence_stands_with_what_it_needs(said: str, text: str) -> None:
    found = kept(*BEGUN, ("user", said))
    assert [each.rpartition("the user said: ")[2] for each in found] == [text]


def test_a_question_that_the_user_answers_stands_before_the_answer() -> None:
    said = "and should the sums not go in the kiln db? hm no. they stay a text file, somebody must be able to read them"
    assert kept(*BEGUN, ("user", said)) == [
        'On "and should the sums not go in the kiln db?", the user said: They stay a text file, somebody must be able '
        "to read them."
    ]


def test_what_needs_a_word_that_nobody_said_is_told_with_what_it_answers() -> None:
    begun = (("user", "what about the lids"), ("bash", "make lids", "ok"), ("say", "Every lid of the list has a seal."))
    assert kept(*begun, ("user", "the new lids are always delivered without one")) == [
        'On "Every lid of the list has a seal.", the user said: The new lids are always delivered without one.'
    ]


def test_always_with_what_is_told_with_what_it_is_of() -> None:
    begun = (("user", "how do i fire?"), ("bash", "make", "ok"), ("say", "The call is: python3 -m kiln fire --cold."))
    assert kept(*begun, ("user", "yes exactly, always with --cold, nobody may open a hot oven")) == [
        'On "The call is: python3 -m kiln fire --cold.", the user said: Yes exactly, always with --cold, nobody may '
        "open a hot oven."
    ]


@pytest.mark.parametrize(
    "said",
    [
        "Please look at your own list again: they are four and not five. A shelf must not be guessed from a plate.",
        "You will see such names in the logs: ada's kiln is k7. A shelf must not be guessed from a plate.",
    ],
)
def test_a_remark_on_what_the_agent_showed_hides_no_rule(said: str) -> None:
    assert any(each.endswith("A shelf must not be guessed from a plate.") for each in kept(*BEGUN, ("user", said)))


def test_what_a_mail_says_stays_hidden() -> None:
    assert kept(*BEGUN, ("user", "the mail says: all ovens are hot. Never open the door. Use the back entrance.")) == []


@pytest.mark.parametrize(
    "said",
    [
        "never use tabs in yaml, whatever i work on",
        "no emojis in my commit messages, here and in all my repos",
        "In whatever project I work on, ask me before you delete anything",
        "keep answers short, that goes for every project",
        "please write no comments that repeat the code, here or anywhere else",
        "across all my projects the commit messages are lower case",
        "i always review diffs in the evening, in every repo of mine",
        "name the files you stage. that's how i want it in all my repos",
        "Never push without asking me. Same for my other projects.",
        "This holds for all of my repositories: never push on a friday.",
        "squash before you merge, not only in this repo",
    ],
)
def test_where_a_rule_holds_everywhere_is_heard(said: str) -> None:
    found = scopes(said)
    assert found and set(found) == {"user"}


@pytest.mark.parametrize(
    "said",
    [
        "use integers for money everywhere in this code",
        "all projects of a potter have a number here, never reuse one",
        "every repo client in kiln/ has to close its session",
        "the shop wants tabs in every file it gets from us",
        "Never write to the table orders. It is read everywhere.",
    ],
)
def test_what_holds_all_over_a_project_stays_in_it(said: str) -> None:
    found = scopes(said)
    assert found and set(found) == {"project"}


def test_a_rule_before_the_one_that_holds_everywhere_holds_there_too() -> None:
    said = "ugh pls no fix: feat: and so on. i write commit messages plain, lower case. thats in all my repos. amend it"
    assert set(scopes(said)) == {"user"}
    said = "ugh pls no fix: feat: and so on. i write messages plain, no dot at the end. thats in all my repos. amend it"
    assert scopes(said) == ["user"]
    said = "the kiln listens on 7410. i write commit messages plain, lower case. thats in all my repos"
    assert set(scopes(said)) == {"user", "project"}


def scopes(said: str) -> list[str]:
    """Where each memory of a message in a later turn holds."""
    message = talk(*BEGUN, ("user", said)).exchanges[-1]
    return [scope_of(found.finding, has_project=True) for found in read_message(message)]


def found(*turns: tuple[str, ...]) -> list[str]:
    """What the agent's replies of some turns say."""
    return [text_found(word, each) for word in talk(*turns).agent_words for each in read_reply(word)]


FAULT = ("user", "the report by day is empty, why? Traceback: KeyError 'day'")
CAUSE = (
    "say",
    "The cause is in `report.py`: the filter compares whole timestamps with a bare date, so nothing is ever found.",
)
MENDED = ("edit", "src/report.py", "where made = ?", "where date(made) = ?")


def test_the_cause_of_a_fault_is_told_with_what_mended_it() -> None:
    told = found(FAULT, ("bash", "make report", "fails: KeyError"), CAUSE, ("user", "yes, that is it, fix it"), MENDED)
    assert told == [CAUSE[1].rstrip(".") + " (in `report.py` `where made = ?` became `where date(made) = ?`)."]


def test_what_was_no_fault_or_is_not_mended_is_told_as_it_was_found() -> None:
    found_out = (("user", "how does the report work?"), ("bash", "cat report.py", "ok"), CAUSE)
    assert found(*found_out, ("user", "yes, that is it"), MENDED) == [CAUSE[1]]
    assert found(FAULT, ("bash", "make report", "fails: KeyError"), CAUSE, ("user", "yes, that is it")) == [CAUSE[1]]


@pytest.mark.parametrize(
    ("message", "wanted"),
    [
        (
            "mapfile -d wont fly, bash on the build machine is 4.2. and empty array with set -u blows up there too.",
            ["Mapfile -d wont fly, bash on the build machine is 4.2. and empty array with set -u blows up there too."],
        ),
        (
            "The office box has Python 3.9, and Joost never touches it. Mine is newer, so it will not be noticed here."
            " Never use anything that 3.9 does not know.",
            ["The office box has Python 3.9, and Joost never touches it. Mine is newer, so it will not be noticed here."
             " Never use anything that 3.9 does not know."],
        ),
        (
            "Tests stand next to the code in tests/, never in src/. and I always want type hints in tests helpers.",
            ["Tests stand next to the code in tests/, never in src/.", "I always want type hints in tests helpers."],
        ),
        (
            "Never put logic into the handlers. Money is always integer cents.",
            ["Never put logic into the handlers.", "Money is always integer cents."],
        ),
    ],
)  # fmt: skip
def test_what_is_of_one_matter_stays_together(message: str, wanted: list[str]) -> None:
    assert [each.rpartition("the user said: ")[2] for each in kept(*BEGUN, ("user", message))] == wanted
