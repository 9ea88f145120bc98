"""Static vectors of many texts at once, as they are made one by one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_db.index.static_many import AT_ONCE, vectors_and_signs, vectors_of
from memory_db.text.static_vectors import text_vector
from memory_db.text.word_signs import packed

WORDS = ["invoice", "Zahlung", "late-fee", "JavaScript", "unitTestRun", "xqzzv", "the", "5433", "東京", "Привет", "\n"]


@given(st.lists(st.lists(st.sampled_from(WORDS) | st.text(max_size=12), max_size=30).map(" ".join), max_size=8))
@pytest.mark.slow
def test_many_texts_give_what_each_gives_alone(texts: list[str]) -> None:
    assert vectors_and_signs(texts) == [(text_vector(text) or b"", packed(text)) for text in texts]


def test_texts_of_several_portions_stay_in_their_order() -> None:
    texts = [f"invoice {number} of the customer" for number in range(AT_ONCE + 3)]
    assert vectors_of(texts) == [text_vector(text) for text in texts]
