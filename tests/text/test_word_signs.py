"""Words of a question met one by one by static word vectors."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_db.text.static_vectors import SIGN_BYTES, word_signs
from memory_db.text.word_signs import LIKENESSES, MOST_WORDS, asked_words, likenesses, met_words, packed


def worth(word: str) -> float:
    return 2.0 if word == "database" else 1.0


def test_a_word_has_its_signs_once_and_stop_words_none() -> None:
    assert packed("the port of the port") == word_signs("port")
    assert packed("of the") == b""
    assert len(packed(" ".join(f"word{number}x port{number}" for number in range(200)))) == MOST_WORDS * SIGN_BYTES


def test_a_text_that_has_the_words_meets_a_question_in_full() -> None:
    asked = asked_words("database port", worth)
    assert likenesses(asked, [(7, packed("the port is 5433 for that database"))]) == {7: pytest.approx(1.0)}


def test_what_is_alike_in_meaning_meets_more_than_what_is_not() -> None:
    asked = asked_words("thermometer chip", worth)
    met = likenesses(asked, [(1, packed("the temperature sensor answers")), (2, packed("invoices are due on monday"))])
    assert met[1] > 2 * met[2]


def test_a_word_counts_by_what_it_is_worth() -> None:
    asked = asked_words("database port", worth)
    met = likenesses(asked, [(1, packed("database")), (2, packed("port"))])
    assert met[1] > met[2]
    assert [share for _, _, share in asked] == [pytest.approx(2 / 3), pytest.approx(1 / 3)]


def test_each_word_is_met_by_the_best_of_several_texts() -> None:
    met = met_words(asked_words("database port", worth), [packed("database"), packed("port")])
    assert met == {"database": 1.0, "port": 1.0}
    assert met_words(asked_words("database", worth), []) == {}


def test_other_scripts_and_unknown_words_have_none() -> None:
    assert packed("データベースのポートは5433です") == b""
    assert asked_words("", worth) == []
    assert likenesses([], [(1, packed("port"))]) == {}
    assert likenesses(asked_words("port", worth), [(1, b"")]) == {}


def test_likeness_falls_from_one_to_nothing_at_half_the_signs() -> None:
    assert LIKENESSES[0] == 1.0
    assert list(LIKENESSES) == sorted(LIKENESSES, reverse=True)
    assert LIKENESSES[len(LIKENESSES) // 2] == pytest.approx(0.0, abs=1e-12)


@given(st.text(max_size=200), st.text(max_size=200))
def test_a_likeness_is_from_0_to_1_and_knows_no_order_of_words(question: str, text: str) -> None:
    asked = asked_words(question, worth)
    for value in likenesses(asked, [(1, packed(text))]).values():
        assert 0.0 <= value <= 1.0 + 1e-9
    shuffled = " ".join(reversed(text.split()))
    if text.isascii() and len(packed(text)) == len(packed(shuffled)) < MOST_WORDS * SIGN_BYTES:
        assert likenesses(asked, [(1, packed(text))]) == likenesses(asked, [(1, packed(shuffled))])
