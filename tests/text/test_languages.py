"""The language of a text, and how full text is asked for its words."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_db.text.languages import ENDINGS, SHORTEST_STEM, language_of, stem, term_of
from memory_db.text.terms import match_any, query_terms

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Wie wird die Verbindung zur Datenbank geprüft?", "de"),
        ("Comment lancer le serveur pour développer ?", "fr"),
        ("¿Dónde se guarda la clave?", "es"),
        ("Onde devo guardar a chave secreta?", "pt"),
        ("In che lingua devo scrivere un commento?", "it"),
        ("Hoe wordt de verbinding met de server gemaakt?", "nl"),
        ("Как запустить миграцию?", "ru"),
        ("画面のテストを追加したい", "ja"),
        ("数据库连接", "zh"),
        ("배포해도 되나요", "ko"),
        ("ผู้ใช้", "th"),
        ("How do I run the tests?", None),
        ("docker compose up", None),
        ("the die in the test is a de facto standard", None),
        ("", None),
    ],
)
def test_the_language_of_a_text(text: str, language: str | None) -> None:
    assert language_of(text) == language


def test_no_question_of_a_developer_in_english_is_taken_for_another_language() -> None:
    folder = ROOT / "bench" / "data" / "developer"
    for name, key in (("corpus", "text"), ("queries", "query")):
        for line in (folder / f"{name}.jsonl").read_text("utf-8").splitlines():
            assert language_of(json.loads(line)[key]) is None


@given(st.sampled_from(sorted(ENDINGS)), st.text(st.characters(categories=["Ll"]), max_size=30))
@pytest.mark.slow
def test_a_stem_begins_its_word_and_is_not_too_short(language: str, word: str) -> None:
    found = stem(word, language)
    assert word.startswith(found) and len(found) >= min(len(word), SHORTEST_STEM)
    assert term_of(word, language) in (word, f"{found}*") and term_of(word, None) == word


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("Wie prüfe ich die Verbindungen?", "Eine Verbindung wird alle fünf Minuten geprüft."),
        ("Wo ist die Datenbank?", "Datenbankserver: db1"),
        ("Est-ce qu'on chiffre un fichier ?", "Les fichiers sont chiffrés."),
        ("¿Cuántos reintentos hacemos?", "Se reintenta tres veces."),
        ("Onde ficam os relatórios?", "O relatório fica no bucket."),
        ("Chi deve approvare il rilascio?", "I rilasci si fanno di martedì."),
        ("Как обновить миграцию?", "Миграции запускаются вручную."),
    ],
)
def test_forms_of_a_word_find_each_other(query: str, text: str) -> None:
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute("create virtual table texts using fts5(text, tokenize='porter unicode61 remove_diacritics 2')")
        db.execute("insert into texts values (?)", [text])
        assert db.execute("select 1 from texts where texts match ?", [match_any(query_terms(query))]).fetchone()


def test_english_is_asked_as_it_is() -> None:
    assert query_terms("How do we roll back the migrations?") == ("roll", "back", "migrations")
