"""What happened once, how somebody takes it, and how a check ended, which are no knowledge."""

from __future__ import annotations

import pytest

from memory_db.extract.rules.error_fixes import error_fixes, is_slip
from memory_db.extract.rules.happenings import happened
from tests.extract.test_agents_words import found
from tests.extract.test_exchange_unit import kept, rows
from tests.extract.test_run_on import BEGUN


@pytest.mark.parametrize(
    "said",
    [
        "order 8841 is there two times, and the potter sent it only once",
        "the cable of sensor 17 sits at exactly 900 degrees since it was cleaned",
        "a customer rang and her vase is three times in the basket",
        "the licence of the glaze scanner ran out on sunday",
        "i'm slightly surprised about the shelf plan of the big oven",
        "explains the heat in the back room",
        "4,20 becomes 4,00. and four cents would become nothing",
        "2.3.0 has been out for a month",
        "the trace is logs/oven.txt",
        "probably the shelf job, it holds the lock while we fire",
        "i need tools/shelf.py: it prints the plan in one column",
        "the apprentice wants to see the next firing on the page",
        "the lease of the clay mixer expired at midnight",
        "there's a complaint from the fair about a cracked bowl",
        "we got another complaint, the lids don't fit",
        "i have a picture of it, but the flash ate everything",
        "the till of the shop is short by 12 since saturday",
        "i write half of my labels in dialect i know, i know",
        "i should have my brush taken away",
        "the lady next to me in the train paints a cup",
        "the order of the shelves is somehow drunk",
        "the colours look kind of weird on the page",
        "two of the moulds are in the locked room, what's the move",
        "half of the labels stick and the others fall off, any ideas",
        "second: the shelf after drying",
    ],
)
def test_what_happened_once_is_not_kept(said: str) -> None:
    assert happened(said)
    assert kept(*BEGUN, ("user", f"so much for that. {said}")) == []


@pytest.mark.parametrize(
    "said",
    [
        "order 8841 showed it: we must never print a label twice",
        "a customer rang because of it, so no longer print the price on the label",
        "i'm surprised that nobody told you, the shelf plan always comes from ada",
        "2.3.0 has been out for a month, from monday on we release from main",
        "the apprentice wants to see it everywhere: prices in cents",
        "glazes are stored by their cone",
        "we keep records 10 years",
        "the container runs as user 1000",
        "the log is in /var/log/kiln/oven.log",
        "python 3.12 is live on the shop's box, 3.11 on the other",
        "second: amounts are stored in cents",
        "the worker died on large files",
        "1.005 becomes 1.01, we round half up",
        "no globals, pass the kiln along. and the cone is a string! 04 is hot, 4 is cold, 0402 was a kiln once",
        "order 8841 is there two times. don't print a label for what is there",
        "keep the label apart from the cone, otherwise order 8841 is printed twice",
        "an entry expires at midnight",
        "complaints go to ada",
        "pictures are stored in shots/",
        "the scale is off by default",
        "i know the shop's address by heart",
        "i should have my name on each label",
        "the shelf next to us is for glazes",
        "the plan is broken down by week",
        "what's the price is printed on the label",
        "third: the shelf is for glazes",
        "next: the oven goes to 900",
        "a label may look weird on purpose",
    ],
)
def test_what_makes_a_rule_of_it_keeps_it(said: str) -> None:
    assert not happened(said)


@pytest.mark.parametrize(
    "line",
    [
        "expected 4 shelves, got 3",
        "invalid type: string 'cone', expected a number",
        "PASS=12 ERROR=2",
        "FAIL oven/shelf [build failed]",
        "shelves 40 plan 38 rest 2",
    ],
)
def test_how_a_check_ended_is_no_fix(line: str) -> None:
    assert is_slip(line, [])


def test_an_error_that_names_what_is_wrong_is_one() -> None:
    assert not is_slip("RuntimeError: Oven got Plate of another kiln", [])
    assert not is_slip("fire.py:12: memory of the plan exceeded", [])
    assert not is_slip("TypeError: expected str, bytes or os.PathLike object, not NoneType", [])
    assert not is_slip("Segmentation fault (core dumped)", [])
    assert not is_slip("KILN_URL must be set", [])


@pytest.mark.parametrize(("script", "fixes"), [("fire.py", 1), ("tmp_fire.py", 0), ("fire.py > /tmp/fire.log", 1)])
def test_a_script_that_nobody_keeps_gives_no_fix(script: str, fixes: int) -> None:
    run = f"python {script}"
    edit = ("edit", "kiln.py", "LIMIT = 1", "LIMIT = 2")
    _, actions = rows([("user", "fire"), ("bash", run, "fails\nKeyError: 'cone'"), edit, ("bash", run, "ok")])
    assert len(list(error_fixes(actions))) == fixes


def test_a_report_that_all_passes_tells_only_what_holds_in_general() -> None:
    made = "`ovens.py` silently ignores plates without a number."
    assert found("keep the plan", f"{made} All tests pass.", "great") == []
    reply = "Any new kiln needs `make seed` once, because the plan comes from its config. All 12 tests pass."
    assert found("keep the plan", reply, "great") != []
    assert found("keep the plan", made, "great") != []
    assert found("keep the plan", f"{made} Everything is passed through `sanitize`.", "great") != []


def test_talk_around_which_nothing_was_done_needs_more_signs() -> None:
    said = "somebody sat there with the wet plates of the big oven, the whole afternoon"
    begun = (("user", "hello, could you look at the ovens?"), ("say", "All four are idle."))
    assert kept(*begun, ("user", said)) == []
    assert kept(*begun, ("user", "we fire the big oven only at night, it draws too much")) != []
