"""Passages are taken out of texts that copy them, and nothing else is."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_db.text.scrubbing import FORGOTTEN, LEAST, Passages, Phrases, cell_repeats, flattened, scrubbed_cell

RULE = "The staging database of the harbour office is on host quarry-7, port 5544, and only Sam may restart it."

words = st.lists(st.text("abcdefgh", min_size=1, max_size=9), min_size=1, max_size=60).map(" ".join)


def test_a_whole_passage_goes_however_its_lines_are_broken() -> None:
    passages = Passages([RULE])
    broken = "first\n  " + RULE.replace(" ", "\n\t", 5) + "\nlast"
    assert passages.scrub(broken) == f"first\n  {FORGOTTEN}\nlast"


def test_what_shares_a_phrase_is_reported_and_stays() -> None:
    passages, phrases = Passages([RULE]), Phrases([RULE])
    text = f"- {RULE[:70]}…"
    assert passages.scrub(text) == text and phrases.shared_by(text) and phrases.shared_by(f"x {RULE[21:80].upper()}")
    assert not phrases.shared_by(f"{RULE[: LEAST - 1]}# and so on")
    assert Phrases(["We use npm here."]).shared_by("do we use npm here?")


def test_a_short_passage_goes_where_all_of_it_stands() -> None:
    passages = Passages(["host quarry-7"])
    assert passages.scrub("ssh to host  quarry-7, or host quarry-8") == f"ssh to {FORGOTTEN}, or host quarry-8"
    assert not Passages(["ok", "  ", FORGOTTEN])


def test_a_part_of_other_words_or_numbers_is_no_copy() -> None:
    passages = Passages(["port 543"])
    assert passages.scrub("port 5433, airport 543, port 543.") == f"port 5433, airport 543, {FORGOTTEN}."
    assert Passages(["port 543"], is_bounded=False).scrub("port 5433") == f"{FORGOTTEN}3"
    assert Passages(["港は五番です"]).scrub("今日港は五番です。") == f"今日{FORGOTTEN}。"


def test_a_passage_that_is_too_short_to_be_sought_is_found_as_a_whole() -> None:
    passages = Passages(["run the tests"], least_within=LEAST)
    assert passages.scrub("please run the tests") == "please run the tests"
    assert passages.scrub(" run the\ntests ") == f" {FORGOTTEN} "


def test_a_copy_in_json_goes_and_the_json_stays() -> None:
    said = 'He said "never\npush on a Friday" and left the room.'
    passages = Passages([said])
    for cell in (json.dumps({"a": [said, 1]}), json.dumps([said.replace("\n", "\n  ")])):
        assert cell_repeats(passages, cell)
        assert "Friday" not in scrubbed_cell(passages, cell) and json.loads(scrubbed_cell(passages, cell))
    fenced = f"```json\n{json.dumps({'text': said})}\n```"
    assert passages.scrub(fenced) == f'```json\n{{"text": "{FORGOTTEN}"}}\n```'


def test_the_digits_of_a_computed_number_are_no_copy() -> None:
    passages = Passages(["6364"], is_bounded=False)
    computed = json.dumps({"known_words": {"oven": 0.5363642551}, "memories": 6364})
    assert cell_repeats(passages, computed) and not cell_repeats(passages, computed, numbers_are_ours=True)
    said = json.dumps({"words": {"6364": 0.5363642551}})
    assert cell_repeats(passages, said, numbers_are_ours=True)
    assert json.loads(scrubbed_cell(passages, said, numbers_are_ours=True)) == {"words": {FORGOTTEN: 0.5363642551}}
    assert json.loads(scrubbed_cell(passages, json.dumps({"pin": 6364, "on": True}))) == {"pin": FORGOTTEN, "on": True}


@given(words, words, words)
@pytest.mark.slow
def test_any_copy_is_found_and_the_rest_is_kept(before: str, passage: str, after: str) -> None:
    passages = Passages([passage])
    scrubbed = passages.scrub(f"{before} # {passage} # {after}")
    if len(passage) >= 4:
        assert f" {FORGOTTEN} " in scrubbed and not passages.repeats(scrubbed)
    assert scrubbed.startswith(before[:1]) or before[:1] in passage


@given(words, st.integers(0, 200), st.integers(LEAST, 120))
def test_every_shared_stretch_is_reported(passage: str, start: int, length: int) -> None:
    part = passage[start : start + length].strip()
    if len(part) >= LEAST:
        assert Phrases([passage]).shared_by(f"x1 {part} 2x")


@given(st.text(), words)
def test_a_text_that_holds_no_copy_comes_back_as_it_was(text: str, passage: str) -> None:
    passages = Passages([passage])
    if not passages.repeats(text):
        assert passages.scrub(text) == text


@given(st.text(alphabet=" \n\tab"))
def test_places_lead_back(text: str) -> None:
    flat, places = flattened(text)
    assert flat == " ".join(text.split()) and len(places) == len(flat)
    assert all(text[place] == character or character == " " for character, place in zip(flat, places, strict=True))
