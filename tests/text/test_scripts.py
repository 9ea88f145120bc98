"""Pairs of characters: what is asked of a text is among its own, whatever it holds."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_db.text.scripts import (
    IN_OTHER_SCRIPT,
    asked_grams,
    grams,
    has_unspaced,
    is_gram,
    mostly_another_script,
    spaced,
)
from memory_db.text.static_vectors import text_vector
from memory_db.text.terms import match_term, query_terms

LETTERS = st.sampled_from(
    "データベース設定変更をする値は鍵々数据库连接池的了데이터베이스를ผู้ใช้ｻｰﾊﾞＡＰＩabcDocker 5433 .,_-、。「」\n"
)
TEXTS = st.one_of(st.text(LETTERS, max_size=60), st.text(max_size=60))

TOKENIZED = "fts5(text, tokenize=\"porter unicode61 remove_diacritics 2 categories 'L* N* M* Co'\")"
"""As the migration makes it."""


@given(TEXTS)
@pytest.mark.slow
def test_pairs_of_pairs_are_the_same_pairs(text: str) -> None:
    once, twice = (set(filter(is_gram, made.split())) for made in (grams(text), grams(grams(text))))
    assert once == twice


@given(TEXTS)
def test_only_texts_with_such_characters_have_pairs(text: str) -> None:
    assert has_unspaced(text) or grams(text) == ""


@given(TEXTS)
def test_what_is_asked_of_a_text_full_text_finds_in_it(text: str) -> None:
    asked = asked_grams(text)
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute(f"create virtual table pairs using {TOKENIZED}")
        db.execute("insert into pairs values (?)", [grams(text)])
        for gram in asked:
            assert db.execute("select 1 from pairs where pairs match ?", [match_term(gram)]).fetchone(), gram


@given(st.text(st.characters(max_codepoint=0x24F), max_size=60))
def test_latin_letters_have_none(text: str) -> None:
    assert grams(text) == "" and asked_grams(text) == [] and spaced(text) == text


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("数据库", "数据 据库"),
        ("その値", "その の値 値"),
        ("Dockerの設定", "docker の設 設 設定"),
        ("使用 docker 部署", "使用 部署"),
        ("ｻｰﾊﾞとＡＰＩ", "サー ーバ バと api"),
        ("ＡＰＩ と 値", "api と 値"),
        ("plain words", ""),
    ],
)
def test_what_is_kept(text: str, kept: str) -> None:
    assert grams(text) == kept


@pytest.mark.parametrize(
    ("query", "asked"),
    [
        ("設定を変える", ["設定", "変*"]),
        ("その値はどこ", ["値*"]),
        ("スキーマとデータベースサーバ", ["スキーマ", "デー", "ータ", "タベ", "ベー", "ース", "スサ", "サー", "ーバ"]),
        ("どうしてですか", ["どう", "うし", "して", "てで", "です", "すか"]),
        ("数据库的连接怎么配置", ["数据", "据库", "连接", "配置"]),
        ("连接池的值", ["连接", "接池", "的值"]),
        ("배포를 어떻게 하나요", ["배포"]),
    ],
)
def test_what_is_asked(query: str, asked: list[str]) -> None:
    assert asked_grams(query) == asked and all(map(is_gram, asked))


def test_words_of_code_within_such_writing_are_asked_as_words() -> None:
    assert query_terms("Dockerのbuildを速くしたい") == ("docker", "build", "速*")


@given(TEXTS)
def test_sql_says_of_a_script_what_python_says(text: str) -> None:
    if "\0" in text:
        return  # SQLite's length ends there
    with closing(sqlite3.connect(":memory:")) as db:
        sql = f"select {IN_OTHER_SCRIPT.format('text')} from (select ? as text)"
        assert bool(db.execute(sql, [text]).fetchone()[0]) == mostly_another_script(text)


def test_what_is_mostly_in_another_script_has_no_vector() -> None:
    assert text_vector("数据库连接池上限设为二十") is None
    assert text_vector("Миграции запускаются вручную") is None
    assert text_vector("the build fails with 超时 since Monday") is not None
    assert text_vector("Größe der Übersetzung – später ändern…") is not None


@pytest.mark.parametrize("term", ['"', 'a" OR "b', 'x" > <y', 'x" >*', "it's*", "a*b"])
def test_no_term_is_syntax(term: str) -> None:
    """What is read back from a file may hold anything."""
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute("create virtual table texts using fts5(text)")
        assert db.execute("select 1 from texts where texts match ?", [match_term(term)]).fetchall() == []
