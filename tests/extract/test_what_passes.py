"""What somebody says that is over with the day: questions, errands, orders for this once, lead-ins, how it stands now;
and rules of the same shape, which stay."""

from __future__ import annotations

import pytest

from tests.extract.test_exchange_unit import kept
from tests.extract.test_run_on import BEGUN


@pytest.mark.parametrize(
    "said",
    [
        "how long do we store the glaze photos, is that written down anywhere",
        "how many did the potter order, the list of may is gone",
        "whats cone_table for, do we even read it",
        "what's the second relay good for",
        "remind me who has to release a firing before it runs, and at what hour",
        "look up who keeps the key of the kiln shed",
        "tell me who ordered the white plates",
        "a customer cracked a plate in transit last friday. honestly, when the box is sealed does the label show it",
        "the lamp over shelf two hums, is it the ballast or the tube",
        "the scale shows grams in the morning, did we switch that",
    ],
)
def test_a_question_in_other_words_is_no_memory(said: str) -> None:
    assert kept(*BEGUN, ("user", said)) == []


@pytest.mark.parametrize(
    "said",
    [
        "start the sim and tell me in 3 lines what comes out, haven't touched it since august",
        "go through the log and give me in two sentences why oven four stopped",
        "for the open day put 'DEMO' on the display, only for today, i take it off myself after",
        "print the prices in bold, just this once",
        "use the old glaze list, only for this week, i change it back tomorrow",
        "the report goes to both boxes for tonight only",
        "got this by mail, read it and weep",
        "just got this letter from the council, enjoy",
        "fwd from the glaze supplier",
        "this just came in from the potter, look at the third line",
        "look what the landlord sent",
        "i tell you a bit about the kiln shed so you break nothing",
        "just so you don't wonder about the gap at noon",
    ],
)
def test_an_order_for_this_once_or_a_lead_in_is_no_memory(said: str) -> None:
    assert kept(*BEGUN, ("user", said)) == []


@pytest.mark.parametrize(
    "said",
    [
        "ok i must collect the parcel from the post office",
        "i have to fetch my daughter from school, later",
        "i'll buy a new plug for the lamp, back soon",
        "now i need to water the plants of my aunt",
        "i have to drop off the van at the garage",
        "i should finish the tax thing for the kiln shop, talk later",
        "thanks for the glaze import, works with the new scale as well, the potter wrote a poem in one field",
        "the kiln's been stuck at 600 for all programs, our wiring is fine",
        "oven two is still offline since the storm and nobody is there",
        "the photo folder is getting full of old plates",
        "the firing logs are growing huge in the archive",
        "the supplier page has been down for two hours",
    ],
)
def test_errands_and_how_it_stands_now_are_no_memories(said: str) -> None:
    assert kept(*BEGUN, ("user", said)) == []


@pytest.mark.parametrize(
    "said",
    [
        "run the sim before you tell me that it works",
        "always tell me in 2 lines what you changed",
        "after every firing tell me in one line what the oven used, never more",
        "what's left on the shelf for friday stays in the queue, never delete it",
        "never ask who ordered a plate, the shop keeps that secret",
        "how long a plate cools is always in minutes here",
        "when the door is open the oven never starts, that is by law",
        "i have to sign every release of the firmware myself, you never tag one",
        "i always collect the glaze orders on mondays, so the list must be ready by ten",
        "just so you know: firings are only allowed on mondays from now on",
        "the display always shows 'DEMO' in the showroom, not only for today",
        "mails that came in from the council are never deleted, we must keep them ten years",
        "thanks, the import works, but never write into the glaze table, we only read it",
        "an oven that is still stuck on 600 after an hour must be switched off by hand",
        "the archive must never be cleaned while it is growing, the writer has no lock",
        "the tests only pass with the lamp off, so always unplug it",
        "a longer soak doesn't help against cracks, tried it twice, did that with clay from both suppliers",
    ],
)
def test_a_rule_of_the_same_shape_is_kept(said: str) -> None:
    assert len(kept(*BEGUN, ("user", said))) == 1
