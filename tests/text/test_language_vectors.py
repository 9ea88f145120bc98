"""What texts of one language share by static vectors is taken off a question, and nothing else."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_db.recall.similarity import question_vector
from memory_db.text import static_vectors
from memory_db.text.language_vectors import SHARED, made, shared_by, without_language
from memory_db.text.languages import STOP_WORDS

QUESTIONS = {
    "de": (
        "Wie groß darf der Verbindungspool der Datenbank sein?",
        "Der Pool für die Datenbank hat höchstens zwanzig Verbindungen.",
        "Screenshots für das Handbuch werden immer mit dem hellen Thema gemacht.",
    ),
    "fr": (
        "Quelle est la taille maximale du pool de connexions à la base ?",
        "Le pool de la base de données a vingt connexions au plus.",
        "Les captures d'écran du manuel sont toujours faites avec le thème clair.",
    ),
    "es": (
        "¿Cuál es el tamaño máximo del pool de conexiones de la base?",
        "El pool de la base de datos tiene como máximo veinte conexiones.",
        "Las capturas de pantalla del manual se hacen siempre con el tema claro.",
    ),
}
"""By language a question, a text that answers it, and one of something else."""


def cosine(one: bytes, other: bytes) -> float:
    return static_vectors.cosines(static_vectors.numbers(one), [other])[0]


def test_the_table_is_what_the_function_words_make() -> None:
    expected = {language: vector for language in STOP_WORDS if (vector := made(language))}
    assert {language: bytes(n % 256 for n in shared_by(language) or ()) for language in SHARED} == expected


@pytest.mark.parametrize("language", sorted(QUESTIONS))
def test_a_text_of_something_else_is_not_near_for_its_language_alone(language: str) -> None:
    question, answer, other = QUESTIONS[language]
    plain = static_vectors.text_vector(question)
    asked = question_vector(question)
    near, far = (static_vectors.text_vector(each) for each in (answer, other))
    assert plain and asked and near and far
    assert cosine(plain, far) > 0.35  # what made any two texts of a language alike
    assert cosine(asked, far) < 0.2
    assert cosine(asked, near) > cosine(asked, far) + 0.1


def test_english_is_left_as_it_is() -> None:
    vector = static_vectors.text_vector("how large may the connection pool be")
    assert vector
    assert without_language(vector, None) == without_language(vector, "zh") == vector


@given(st.text(st.characters(max_codepoint=0x17F), max_size=200), st.sampled_from(sorted(SHARED)))
def test_what_is_left_has_nothing_of_the_language_and_its_full_length(text: str, language: str) -> None:
    vector = static_vectors.text_vector(text)
    if not vector:
        return
    left = static_vectors.numbers(without_language(vector, language))
    assert abs(math.hypot(*left) - static_vectors.SCALE) < 8  # each number is rounded
    shared = bytes(n % 256 for n in shared_by(language) or ())
    nearly_all = cosine(vector, shared) > 0.99
    assert nearly_all or abs(cosine(bytes(n % 256 for n in left), shared)) < 0.1
