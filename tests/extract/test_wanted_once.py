"""Material that is handed over, texts and measurements that are wanted once, and approvals of the day are no memories;
what is said beside them is."""

from __future__ import annotations

import pytest

from tests.extract.test_carried_out import EDITED
from tests.extract.test_exchange_unit import kept
from tests.extract.test_polite_rules import DONE
from tests.extract.test_run_on import BEGUN


@pytest.mark.parametrize(
    "said",
    [
        "i paste you the log of oven two, i have not read all of it, it is long",
        "I'm pasting the output of the night job below, I only skimmed it.",
        "here is the mail of the glaze supplier, i never read those to the end",
        "below is the whole trace, most of it is always the same",
        "sending you the screenshot, i usually don't look at those",
        "half of it is outdated and the other half is wishful thinking",
        "most of that is wrong anyway, he never asked us. delete the paragraph.",
        "just a number, i don't want a page for it",
        "only the count please, i don't need a chart for that",
        "put a print in ovens.py for me so i can watch the first firing, don't commit that",
        "add a sleep there so that i see it blink, and never push that",
        "the boss said yes, ticket KLN-41. same as oven two, the big one, prepare the order",
        "accounting gave their ok, so open the pull request for the staging oven",
        "in production it was 0.41 in may and 0.44 in june. mine is 0.51, so we can go",
        "but before, i want that you look if the curve of staging is not a disaster",
        "second, a new list. i want stg_plates and then fct_firings",
    ],
)
def test_what_is_handed_over_or_wanted_once_is_no_memory(said: str) -> None:
    assert kept(*BEGUN, ("user", said), *EDITED) == []


@pytest.mark.parametrize(
    "said",
    [
        "i paste logs without the timestamps, so never complain that they are missing",
        "half of the ovens are on the old firmware, never flash those",
        "just numbers in the weekly report, i don't want prose in any of them",
        "don't commit the prints, ever, the shop reads our log",
        "in production it is always 41 degrees when the door is open",
        "i want tests for every parser",
    ],
)
def test_a_rule_that_sounds_like_it_is_kept(said: str) -> None:
    assert len(kept(*BEGUN, ("user", said), *EDITED)) == 1


@pytest.mark.parametrize(
    "said",
    [
        "yes two lines, in german, that they have the plates on friday. it's Ilse, we are friends so first names",
        "yes, in english, short, and with the invoice number",
        "please, three sentences, plain language, no greeting",
    ],
)
def test_how_one_text_is_to_be_is_no_memory(said: str) -> None:
    assert kept(*BEGUN, ("say", "It fires again. Shall I write the answer to the shop?"), ("user", said)) == []


def test_who_writes_texts_is_kept() -> None:
    asked = ("say", "Planned. Shall I post the comment for the shop?")
    assert kept(*BEGUN, asked, ("user", "no, i do the comments for the shop"))


def test_how_all_texts_are_to_be_is_kept() -> None:
    asked = ("say", "It fires again. Shall I write the answer to the shop?")
    (found,) = kept(*BEGUN, asked, ("user", "yes, and whatever goes to the shop is in german, always"))
    assert "whatever goes to the shop is in german" in found


@pytest.mark.parametrize(
    "said",
    [
        "the glaze list needs a second page on staging, for the audits. a4, same header as the first.",
        "plates get a `fired_at timestamptz`, null means not yet. the list skips those which wait.",
    ],
)
def test_a_feature_that_is_built_at_once_is_no_memory(said: str) -> None:
    built = (("edit", "plates.py", "a = 1", "fired_at timestamptz, page = 2"), ("say", "Added."), ("user", "good"))
    assert kept(*DONE, ("user", said), *built) == []


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            "docstrings in numpy style please, this one with the colons i can't read. in any repo of mine.",
            "numpy style",
        ),
        ("tables with a header row please, those lists nobody can read. that goes for all my projects.", "header row"),
    ],
)
def test_what_holds_everywhere_is_kept_with_what_it_is(said: str, told: str) -> None:
    (found,) = kept(*DONE, ("user", said), *EDITED)
    assert told in found


def test_a_limit_is_kept_with_what_follows_from_it() -> None:
    told = "the shared ovens have a limit of 900 degrees. firings are booked by day, book always by day"
    found = kept(*BEGUN, ("bash", "make fire", "fails"), ("user", told), ("bash", "make fire", "ok"))
    assert "900 degrees" in " ".join(found)
