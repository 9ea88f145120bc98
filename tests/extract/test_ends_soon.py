"""What ends soon by its own words, or is not settled yet, is not kept; a rule with such words in it is."""

from __future__ import annotations

import pytest

from memory_db.extract.rules.ends_soon import ends_soon
from tests.extract.test_exchange_unit import kept
from tests.extract.test_run_on import BEGUN


@pytest.mark.parametrize(
    "said",
    [
        "the kiln server is off, olga cleans it. so don't send anything to kiln.example till i say so",
        "fire it at 900, just for this one, it is only for the photo",
        "the glaze list is wrong but ida types it in again, needs like 20 minutes, i'll tell you when",
        "use the spare oven until then and leave everything in out/",
        "oven two at 80 % since 10:15. we have nobody there",
        "lass die alten Listen jetzt mal so, die Frau Brandt macht das heute nachmittag",
        "mientras tanto usa el horno pequeño, luego volvemos al grande",
    ],
)
def test_what_ends_soon_is_not_kept(said: str) -> None:
    assert kept(*BEGUN, ("user", said)) == []


@pytest.mark.parametrize(
    "said",
    [
        "dunno. i like the blue glaze, ida likes the green one, we'll toss a coin",
        "whichever is quicker, we always need both anyway",
        "keine ahnung, das muss immer der Jochen wissen",
        "i bet on the thermostat, it is always the thermostat",
        "not yet, we have to sleep over it",
    ],
)
def test_what_is_not_settled_is_not_kept(said: str) -> None:
    asked = ("say", "The kiln can be fired by the timer or by the thermostat. Which one do you want?")
    assert kept(*BEGUN, asked, ("user", said)) == []


@pytest.mark.parametrize(
    "said",
    [
        "must be the new fan from tuesday, or the belt",
        "just so we can show both in the round",
        "hmm now the lamp is always on and the fan never stops",
        "last friday we fired at 900, then ida lowered it, then it turned out the plates were wrong",
        "Rename fireAt to startAt in src/kiln please, all 6 places, nothing else.",
        "from now on the plates are paid in cheese. no joking, take yours",
    ],
)
def test_a_guess_a_story_a_task_and_a_joke_are_not_kept(said: str) -> None:
    assert kept(*BEGUN, ("user", said)) == []


@pytest.mark.parametrize(
    "said",
    [
        "Never open a kiln right now or later before it is below 60 degrees.",
        "every firing takes 40 minutes, so the timer must not be below that",
        "You must ask me first before you start a firing.",
        "the night firing runs from ten till about 3:15, put the backup at 3:40 every night",
    ],
)
def test_a_rule_with_such_words_stays(said: str) -> None:
    assert not ends_soon(said)
    assert kept(*BEGUN, ("user", said)) != []


@pytest.mark.parametrize(
    "said",
    [
        "ok now the firings are on tuesdays, never on fridays",
        "oh, now the kiln api listens on port 9443 instead of 8443",
        "The spare kiln is always off on weekends.",
        "the backup disk is never there before 6 in the morning, we always mount it by hand",
        "no idea who wrote it, the limit is 50 and the customer pays for more",
        "on the kiln box we always had to run make stop, then make fire, then make status",
        "whatever you do, never push to main",
        "with the cache the kiln build is done in 5 minutes, we run it without on the ci box",
    ],
)
def test_what_only_begins_like_it_stays(said: str) -> None:
    assert kept(*BEGUN, ("user", said)) != []
