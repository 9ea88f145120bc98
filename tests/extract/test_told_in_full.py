"""A rule is kept with its reason and with what is to be done instead, and without what stands beside it."""

from __future__ import annotations

import pytest

from tests.extract.test_exchange_unit import kept
from tests.extract.test_polite_rules import DONE


@pytest.mark.parametrize(
    "said",
    [
        "The guests are danish here. what they get on paper has to be danish and without jargon.",
        "Please do not run a plain `make fill` here. Without SHOP_DB it fills build/shop.db, and Marit's screen reads "
        "that. Please set SHOP_DB to scratch/shop.db for everything that we try.",
        "Never call the fuse box from here. otherwise the whole house is dark and nobody can fire a plate.",
        "No more bullet points. a customer reads it. I want plain text instead.",
        "A small plate is 0.25 kg and it takes 0.2, others are cut, which looks random. make them grams as ints.",
        "The shop's disk fetches the folder every night at 4:10, so the copy has to be done before, it is at 3:40, "
        "keep that in mind if we ever touch it.",
        "Mr Okoro gets the file by mail each evening and opens it in a spreadsheet. Therefore the separator has to "
        "stay a semicolon.",
        "The regional office reads the list on a small screen, so please keep every line below 60 characters.",
        "If a single weight is wrong, the correction belongs in overrides.csv.",
    ],
)
def test_what_goes_with_a_rule_is_one_memory(said: str) -> None:
    (text,) = kept(*DONE, ("user", said))
    assert text.endswith(said)


def test_a_rule_of_its_own_is_no_reason_of_the_answer_before_it() -> None:
    asked = ("say", "`web.py` still calls the old `weight()`; shall the answer carry `plate_grams` instead?")
    said = "yes plate_grams in the answer. but no walrus pls, the shop pc is on python 3.7 and dies on import with it"
    texts = kept(("user", "ints please"), ("edit", "w.py", "a", "b"), asked, ("user", said))
    assert "No walrus, the shop pc is on python 3.7 and dies on import with it." in texts
    assert not any("walrus" in text and "plate_grams" in text for text in texts)


def test_what_somebody_else_wants_is_another_matter() -> None:
    said = (
        "the plates are weighed in grams, never in pounds. and ada (our treasurer) wants the grams on the bill always"
    )
    assert len(kept(*DONE, ("user", said))) == 2


def test_what_somebody_just_heard_is_what_they_say() -> None:
    said = "oh and ada just wrote: since march they pay by card, so no cash rounding any more, exact cents please"
    (text,) = kept(*DONE, ("user", said))
    assert "exact cents" in text
    assert (
        kept(*DONE, ("user", "translate this mail: since march they pay by card, so no cash rounding any more")) == []
    )


@pytest.mark.parametrize("said", ["what they want is not my problem", "what do they get to read, german or danish?"])
def test_a_question_and_a_sigh_are_none(said: str) -> None:
    assert kept(*DONE, ("user", said)) == []


def test_a_value_that_an_edit_took_up_is_no_mended_fault() -> None:
    said = "7 is too many for that little disk, make it 4"
    followed = (("edit", "rotate.sh", "keep=7", "keep=4"), ("bash", "make test", "ok"), ("say", "It keeps 4 now."))
    assert kept(*DONE, ("user", said), *followed, ("user", "good, next the page")) != []
