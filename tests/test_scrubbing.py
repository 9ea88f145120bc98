"""Passages are taken out of texts that repeat them, and nothing else is."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memory_db.scrubbing import FORGOTTEN, LEAST, Passages, flattened

RULE = "The staging database of the harbour office is on host quarry-7, port 5544, and only Sam may restart it."

words = st.lists(st.text("abcdefgh", min_size=1, max_size=9), min_size=1, max_size=60).map(" ".join)


def test_a_whole_passage_goes_however_its_lines_are_broken() -> None:
    passages = Passages([RULE])
    broken = "first\n  " + RULE.replace(" ", "\n\t", 5) + "\nlast"
    assert passages.scrub(broken) == f"first\n  {FORGOTTEN}\nlast"


def test_what_was_cut_off_goes_as_far_as_it_reaches() -> None:
    passages = Passages([RULE])
    assert passages.scrub(f"- [m1] {RULE[:70]}…") == f"- [m1] {FORGOTTEN}…"
    assert passages.scrub(f"… {RULE[21:80]} …") == f"… {FORGOTTEN} …"


def test_less_than_that_stays() -> None:
    passages = Passages([RULE])
    text = f"{RULE[: LEAST - 1]}# and so on"
    assert passages.scrub(text) == text and not passages.repeats(text)


def test_a_short_passage_goes_where_all_of_it_stands() -> None:
    passages = Passages(["host quarry-7"])
    assert passages.scrub("ssh to host  quarry-7, or host quarry-8") == f"ssh to {FORGOTTEN}, or host quarry-8"
    assert not Passages(["ok", "  ", FORGOTTEN])


@given(words, words, words)
def test_any_long_stretch_is_found_and_the_rest_is_kept(before: str, passage: str, after: str) -> None:
    passages = Passages([passage])
    text = f"{before} # {passage} # {after}"
    scrubbed = passages.scrub(text)
    if len(passage) >= 4:
        assert passage not in scrubbed and FORGOTTEN in scrubbed
        assert not passages.repeats(scrubbed)
    assert scrubbed.startswith(before[:1]) or before[:1] in passage


@given(words, st.integers(0, 200), st.integers(LEAST, 120))
def test_every_stretch_of_a_passage_is_found(passage: str, start: int, length: int) -> None:
    part = passage[start : start + length].strip()
    if len(part) >= LEAST:
        assert Passages([passage]).scrub(f"x1 {part} 2x") == f"x1 {FORGOTTEN} 2x"


@given(st.text(), words)
def test_a_text_that_repeats_nothing_comes_back_as_it_was(text: str, passage: str) -> None:
    passages = Passages([passage])
    if not passages.repeats(text):
        assert passages.scrub(text) == text


@given(st.text(alphabet=" \n\tab"))
def test_places_lead_back(text: str) -> None:
    flat, places = flattened(text)
    assert flat == " ".join(text.split()) and len(places) == len(flat)
    assert all(text[place] == character or character == " " for character, place in zip(flat, places, strict=True))
