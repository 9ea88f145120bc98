"""What an exchange settles leaves nothing to keep: verdicts, jokes, own steps, things built, faults mended, lessons."""

from __future__ import annotations

import pytest

from memory_db.extract.rules.replies import read_reply
from memory_db.extract.rules.run import text_found
from tests.extract.test_exchange_unit import Turn, kept, talk
from tests.extract.test_polite_rules import DONE
from tests.extract.test_run_on import BEGUN


@pytest.mark.parametrize(
    "said",
    [
        "much worse list :) plates.bak is in it, and the lock file, urgh",
        "i hadn't said fire. but fine, i'd have said it",
        "off it goes then",
        "nah i'll just fetch them, she is next door",
        "i'll call her, she sits next door",
        "the label thing reads that as a plate, great fun.",
        "new toy: plate commands.",
        "last job: the list for ada",
    ],
)
def test_a_verdict_a_joke_and_an_own_step_are_nothing_to_keep(said: str) -> None:
    assert kept(*BEGUN, ("user", said)) == []


def test_a_complaint_that_stands_is_kept() -> None:
    assert len(kept(*BEGUN, ("user", "i hadn't said fire. never light an oven before i say so"))) == 1
    assert len(kept(*BEGUN, ("user", "a much better way than the list is the label, always use that"))) == 1


WRITTEN: tuple[Turn, ...] = (
    ("edit", "kiln/talk.py", "", "def answer(line):"),
    ("say", "It is there."),
    ("user", "good"),
)


def test_what_is_built_stands_in_the_code() -> None:
    said = "a function that gets the line and returns what to answer. /who lists who is in, /fire 20 lights it"
    assert kept(*DONE, ("user", said), *WRITTEN) == []
    rule = "a command that changes a plate must never run without --yes"
    assert len(kept(*DONE, ("user", rule), *WRITTEN)) == 1


def found(request: str, then: str, *turns: Turn) -> list[str]:
    """The texts of an agent's last reply."""
    (word,) = talk(("user", request), *turns, ("user", then)).agent_words
    return [text_found(word, each) for each in read_reply(word)]


IN_PLACE: Turn = ("bash", "sed -i 's/from bins/from shelves/' page.py && make test", "ok")


@pytest.mark.parametrize(
    ("request_", "reply"),
    [
        (
            "read it from the new table",
            "The page reads from `shelves` now, the test counts it there, and `bins` stands nowhere any more.",
        ),
        (
            "put type hints on ovens.py and plates.py",
            "Both have hints, written with typing.Optional so that they load on the 3.8 of the kiln pc.",
        ),
        (
            "and what happens with a plate that is broken?",
            "It crashed: such a plate has no weight or glaze, and the page formatted None.",
        ),
    ],
)
def test_a_report_of_what_a_command_changed_in_place_is_nothing_to_keep(request_: str, reply: str) -> None:
    assert [text for text in found(request_, "great, exactly", IN_PLACE, ("say", reply)) if text] == []


@pytest.mark.parametrize(
    ("request_", "reply"),
    [
        (
            "does cone 6 really mean 1222 degrees? general question, i just want to sound clever",
            "Cone 6 bends at 1222 degrees because the mix of its oxides melts there, whatever the oven is.",
        ),
        (
            "git question: how do i see who changed one function?",
            "`git log -L :fire:kiln/ovens.py` needs the function between the colons, otherwise it takes line numbers.",
        ),
    ],
)
def test_what_anybody_may_know_is_no_memory(request_: str, reply: str) -> None:
    assert found(request_, "ah, makes sense, thanks", ("bash", "git log", "ok"), ("say", reply)) == []


def test_a_value_that_a_command_sets_in_place_is_kept() -> None:
    said = "the alarm has gone off too late for ada, who was away for three weeks, hence i'd like it at 45 days"
    set_: Turn = ("bash", "sed -i 's/= 21$/= 45/' kiln/alarm.ini", "ok")
    (text,) = kept(*DONE, ("user", said), set_, ("say", "It is 45 days."), ("user", "good"))
    assert "45 days" in text
