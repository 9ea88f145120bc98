"""Words that look like a question, a joke, a guess or trouble and are none: the statement around them is kept; the real
ones still end the matter."""

from __future__ import annotations

import pytest

from memory_db.extract.rules.messages import ENGLISH, matching
from memory_db.extract.rules.prose import spelt_out
from memory_db.gate.rules import HEDGED
from tests.extract.test_exchange_unit import Turn, kept

BEGUN: tuple[Turn, ...] = (("user", "hello"), ("say", "Hello."))


def told(said: str) -> str:
    """What is kept of a message, as one text in lower case."""
    return " ".join(kept(*BEGUN, ("user", said), ("say", "All right."))).lower()


def vetoed(said: str) -> bool:
    """Whether something ends the matter for a sentence."""
    return any(matching(ENGLISH.vetoes, spelt_out(said), "user", False))


@pytest.mark.parametrize(
    "said",
    [
        "Should you need the raw frames: they lie in /srv/raw on cap3.lab.example.",
        "Should it ever fail, the standby is db2.example on port 5544.",
        "should anyone ask for the key, it lies in vault/ops",
        "Should you run it on the arm box, the cache sits in /var/cache/arm.",
        "should that break again, the old dump is in /srv/dumps/old",
        "should somebody complain about the colours, they are set in theme/base.css",
        "beta.example is half the students' box, they deploy there and then wonder who broke it",
        "The testers use seats.example too, they wonder why it has only 4 rows there.",
        "Forget it, the scanners run on Python 3.8.",
        "forget it, our proxy only allows port 443",
    ],
)
def test_a_condition_and_what_others_wonder_are_no_question(said: str) -> None:
    assert not vetoed(said)
    assert told(said)


@pytest.mark.parametrize(
    "said",
    [
        "should you commit it, or me",
        "should it run daily or weekly",
        "should we take the first one, what do you think",
        "should i restart it, or is that bad",
        "i wonder why it is slow on port 8400",
        "forget it",
        "forget about that, please",
        "ok forget it, i do it myself",
        "wish me luck, the demo is at three",
        "i get this on my laptop",
        "i got the following",
    ],
)
def test_a_question_and_a_passing_word_still_are(said: str) -> None:
    assert vetoed(said)


@pytest.mark.parametrize(
    "said",
    [
        "Would you put the diff above the text henceforth?",
        "Could you name the branch after the ticket from now on?",
        "can you henceforth write the units behind each number?",
        "Would you please sign the tags from here on?",
        "Will you leave the old lines as comments in future?",
        "could you in future list the files that you touched?",
    ],
)
def test_what_is_asked_for_from_now_on_is_kept_as_a_rule(said: str) -> None:
    text = told(said)
    assert text and "?" not in text and not text.startswith(("would", "could", "can", "will"))


@pytest.mark.parametrize(
    "said",
    [
        "would you say that it will hold in future?",
        "can you tell me which port it has from now on?",
        "could you put the diff above the text?",
        "would you mind the gap?",
        "do you think it lasts from now on?",
    ],
)
def test_what_is_asked_for_once_is_not(said: str) -> None:
    assert told(said) == ""


@pytest.mark.parametrize("said", ["No maybe, it is yes or no.", "There is no maybe in the form.", "No maybe on slips."])
def test_no_maybe_is_no_doubt(said: str) -> None:
    assert HEDGED.search(said) is None


@pytest.mark.parametrize("said", ["Maybe we use yes or no.", "It is maybe the cache.", "Well, maybe next year."])
def test_maybe_is(said: str) -> None:
    assert HEDGED.search(said)


@pytest.mark.parametrize(
    "said", ["Rosa gave up the newsletter, Ciro has it", "Hugo gives up the roster, ask Lia", "Mo gave up his seat"]
)
def test_who_gives_up_a_duty_is_no_failure(said: str) -> None:
    assert "did not work" not in {cue.name for cue in matching(ENGLISH.cues, spelt_out(said), "user", False)}


@pytest.mark.parametrize("said", ["we tried redis and gave up", "i gave up on webpack", "the importer gave up"])
def test_an_attempt_that_was_given_up_is(said: str) -> None:
    assert "did not work" in {cue.name for cue in matching(ENGLISH.cues, spelt_out(said), "user", False)}


@pytest.mark.parametrize(
    "said",
    [
        "The readings of the weir come in late and we drop them. look into it",
        "mails arrive in late and we lose some. can you fix the queue",
        "orders come in late and we count them twice. find out why",
    ],
)
def test_trouble_that_is_told_with_its_task_is_no_rule(said: str) -> None:
    assert kept(("user", said), ("edit", "queue.py", "a = 1", "a = 2"), ("say", "Fixed.")) == []


@pytest.mark.parametrize(
    "said",
    [
        "the lab rents its clock out. since yesterday Ute reviews the samples, and the lid of box 4 does not open",
        "Ole is ill. since monday Ina drives, with the trike, and the ramp is too short",
    ],
)
def test_who_does_it_since_when_is_no_fault_that_an_edit_mends(said: str) -> None:
    talk: tuple[Turn, ...] = (*BEGUN, ("user", said), ("edit", "a.py", "a = 1", "a = 2"), ("bash", "make", "ok"))
    text = " ".join(kept(*talk, ("say", "Done."), ("user", "good, thanks"))).lower()
    assert "ute reviews" in text or "ina drives" in text


def test_a_rule_behind_another_stands_alone() -> None:
    found = kept(*BEGUN, ("user", "Group by district. Also leave out the recaps in your answers, i read the diff."))
    assert any(text.startswith("Leave out the recaps") for text in found)


def test_what_is_set_does_not_swallow_what_comes_behind_its_task() -> None:
    said = (
        "the port raised us to 90 a minute. drop the sleep accordingly. and weekly is no longer "
        "enough, finance needs it each day"
    )
    assert len(kept(*BEGUN, ("edit", "a.py", "a = 1", "a = 2"), ("say", "Done."), ("user", said))) == 2
