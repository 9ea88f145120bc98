"""What stands at the ends of a memory and is no part of it, and what sounds like it and is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_db.extract.rules.riders import without_riders

RULE = "Glaze codes come out of the shelf list, nobody types them by hand."


@pytest.mark.parametrize(
    "rider",
    [
        "Run it again.",
        "now fix the label printer",
        "commit and push please",
        "so do now the postcards for the fair",
        "and a small test for it",
        "changelog as well",
        "update the docs too please",
        "plus one unit test",
        "then go on",
        "continue",
        "can you look why",
        "could you please sort that out",
        "what do you think?",
        "ok?",
        "so back to work",
        "ok, back to the topic",
        "moving on",
        "rerun the suite and show me the diff",
        "check it please",
        "with docs as well please",
        "now bake me the cake list",
    ],
)
def test_a_task_of_the_moment_is_left_out(rider: str) -> None:
    assert without_riders(f"{RULE} {rider}") == RULE


@pytest.mark.parametrize(
    "rider",
    [
        "thanks a lot",
        "Thank you for your patience!",
        "pffff",
        "what a day.",
        "who the hell came up with that",
        "why on earth would anybody do that",
        "my bad",
        "oh well.",
        "typical.",
        "poor guy",
        "haha",
        "don't ask me why",
        "god knows how",
        "lesson learned",
        "sorry for the novel",
        "it happens.",
        "What a circus.",
        "lucky us!",
        "believe it or not",
        "end of rant",
        "that's all for today, the bus comes",
        "i'm off to the pool",
        "i'll be away from 4 to 5, taking my aunt to the fair",
        "this heat also, the workshop is an oven today",
        "my cholesterol report is due",
        "wish me luck",
        "gotta run, see you",
        "later, not today please",
        "no rush",
        "whenever you have time",
    ],
)
def test_thanks_a_groan_and_a_goodbye_are_left_out(rider: str) -> None:
    assert without_riders(f"{RULE} {rider}") == RULE


@pytest.mark.parametrize(
    "rider",
    [
        "my sister had her wedding meanwhile",
        "my old dog ate the printout",
        "Greta almost murdered me",
        "it's a girl!",
        "there was cake",
        "her kids are ill again",
        "i feel sick",
        "Jan became a father",
        "and Udo has bought a boat",
        "my grandma sends her love",
        "we lost a whole firing to that in spring",
        "last winter the old oven was cold for two weeks",
        "We had that once and the whole guild laughed about it",
        "i spent a sunday on it last month",
        "somebody deleted half of it the other day",
        "two years ago they shot the big kiln with it",
        "in march we broke forty plates that way",
        "I burnt my fingers on it at one point",
        "had it in may, a dark week",
        "one of us got bitten by it last year",
    ],
)
def test_private_life_and_old_stories_are_left_out(rider: str) -> None:
    assert without_riders(f"{RULE} {rider}") == RULE


@pytest.mark.parametrize(
    "opening",
    [
        "so: ",
        "Back. ",
        "second one. ",
        "Whatever. ",
        "next: ",
        "While we're at it, ",
        "while you're in there: ",
        "other thing: ",
        "before i forget: ",
        "Totally different topic: ",
        "for your information, ",
        "On the other hand ... ",
        "last one, and i'm off: ",
        "Good morning! ",
        "speaking of which: ",
        "Thirdly, ",
        "anyway: ",
        "fair enough. ",
        "We had a wild fire in here last week. ",
        "I was on the phone. ",
        "my son has a fever. ",
        "thanks, perfect. ",
        "so ",
    ],
)
def test_an_opening_that_points_back_is_left_out(opening: str) -> None:
    assert without_riders(opening + RULE[0].lower() + RULE[1:]) == RULE


@pytest.mark.parametrize(
    "ending",
    [
        ", as you can imagine",
        ", god knows why",
        ", just the one line, i hope",
        ", thanks",
        " - plus a test",
        ", and a test please",
        ", believe it or not",
        ", and go on",
        ", touch wood",
        ", sorry",
        ", only one word, i think",
    ],
)
def test_the_same_at_the_end_of_a_sentence(ending: str) -> None:
    assert without_riders(f"{RULE[:-1]}{ending}.") == RULE


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (
            "Ida is away until june (a boy, and everybody is well), Piet does the glazes.",
            "Ida is away until june, Piet does the glazes.",
        ),
        ("The old oven (don't ask) stays at 900 degrees.", "The old oven stays at 900 degrees."),
        (
            'Asked "How many plates per box?", the user said: twelve. thanks!',
            'Asked "How many plates per box?", the user said: twelve.',
        ),
        (
            'On "It is fired twice.", the user said: No, once. we had that in autumn and lost a shelf of cups.',
            'On "It is fired twice.", the user said: No, once.',
        ),
        (
            "Fire it at 900. back to work (in `oven.toml` `top = 950` became `top = 900`).",
            "Fire it at 900 (in `oven.toml` `top = 950` became `top = 900`).",
        ),
    ],
)
def test_frames_edits_and_brackets(text: str, left: str) -> None:
    assert without_riders(text) == left


@pytest.mark.parametrize(
    "text",
    [
        f"{RULE} Check it with make glaze before you commit.",
        f"{RULE} Never push it.",
        f"{RULE} You can push.",
        f"{RULE} Test both.",
        f"{RULE} Never again.",
        f"{RULE} No comment.",
        f"{RULE} Must go to the vault.",
        f"{RULE} Mistake, make that nine.",
        f"{RULE} One second.",
        f"{RULE} All night.",
        f"{RULE} I'm off on mondays.",
        f"{RULE} I'm away until june.",
        f"{RULE} Off to the barn with it.",
        f"{RULE} Could you check that every time?",
        f"{RULE} A member brings her children.",
        f"{RULE} Commit when green.",
        "Each glaze in a commit of its own. with a test.",
        "Every fix alone. and a test too.",
        f"{RULE} Run the tests with make kiln.",
        f"{RULE} Only Ida tests it.",
        f"{RULE} Docs go in a folder of their own.",
        f"{RULE} A test per glaze too, always.",
        f"{RULE} Write tests for each glaze.",
        f"{RULE} Use it.",
        f"{RULE} Now we use the new one.",
        f"{RULE} Now Ida does it.",
        f"{RULE} Back to the old oven.",
        f"{RULE} What a customer sees is in Dutch.",
        f"{RULE} I like short answers.",
        f"{RULE} Can you keep the answers short from now on?",
        f"{RULE} Next week it moves to the barn.",
        f"{RULE} We moved to the barn last spring.",
        f"{RULE} Last year we agreed on two colours.",
        f"{RULE} We lost the old list in march, the new one is in the barn.",
        f"{RULE} Ida left us in may.",
        f"{RULE} We had a new oven last week.",
        f"{RULE} The dog tag of a pot is its number.",
        f"{RULE} Kids pay half.",
        f"{RULE} A birthday is stored as day and month.",
        f"{RULE} That's all a reader may see.",
        f"{RULE} Not today's list but the one of the day before.",
        f"{RULE} One line per glaze.",
        f"{RULE} Sorry goes out by mail.",
        f"{RULE} Their doctor decides that.",
        "First, stop the fan, then open the oven door slowly.",
        "Next year the barn gets a second oven.",
        "So far the barn has one oven.",
        "So that the glaze dries, the barn door stays open.",
        "Second firings go to the barn.",
        "Back up the list on mondays, to the barn.",
        "While the oven is hot, nobody opens the barn.",
        "Before I forget to sign it, nothing leaves the barn.",
        "Anyway is the name of our label printer.",
        "Right angles only on the big plates.",
        "Plates are counted twice, and a test fires alone.",
        'Asked "Two or three?", the user said: Back to three.',
        'Asked "May I push?", the user said: no.',
        "The box (my number is 0611) is in the barn.",
        "Thanks is what the last page says.",
        "",
        "ok",
    ],
)
def test_what_says_something_stays(text: str) -> None:
    assert without_riders(text) == text


@given(st.text(max_size=200))
def test_any_text_is_read(text: str) -> None:
    left = without_riders(text)
    assert len(left) <= len(text)
    assert left or not text
