"""Cues of other languages: complete tables, the message's own language, and a rule and a task in each."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench import cues
from memory_db.errors import InputError
from memory_db.extract.rules import language_cues
from memory_db.extract.rules.language_cues import DOUBT_SIGNS, LANGUAGES, SIGNS, VETO_SIGNS, tables_of
from memory_db.extract.rules.prose import ENGLISH, read_prose, tables_of_all
from memory_db.text.sentences import split

RULES = {
    "de": "Ab jetzt bitte keine Mocks in den Integrationstests.",
    "es": "A partir de ahora nada de mocks en los tests de integración.",
    "fr": "Désormais pas de mocks dans les tests d'intégration.",
    "it": "D'ora in poi niente mock nei test di integrazione.",
    "ja": "今後は結合テストでモックを使わないでください。",
    "ko": "앞으로 통합 테스트에서 mock은 쓰지 마세요.",
    "pl": "Od teraz żadnych mocków w testach integracyjnych, bo nic nie sprawdzają.",
    "pt": "A partir de agora não use mocks nos testes de integração.",
    "ru": "Отныне никаких моков в интеграционных тестах.",
    "zh": "以后集成测试里一律不要用 mock。",
}
QUESTIONS = {
    "de": "Warum benutzen wir hier eigentlich immer noch Mocks?",
    "es": "¿Por qué seguimos usando siempre mocks aquí?",
    "fr": "Pourquoi est-ce qu'on utilise toujours des mocks ici ?",
    "it": "Perché usiamo sempre i mock qui?",
    "ja": "なぜここでは必ずモックを使うのですか？",
    "ko": "왜 여기서는 항상 mock을 쓰나요?",
    "pl": "Dlaczego zawsze używamy tutaj mocków?",
    "pt": "Por que a gente sempre usa mocks aqui?",
    "ru": "Почему мы здесь всегда используем моки?",
    "zh": "为什么这里总是用 mock 呢？",
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_table_has_all_cues(language: str) -> None:
    tables = tables_of(language)
    assert {cue.name for cue in tables.cues} == {*SIGNS, "technical token"}
    assert {cue.name for cue in tables.vetoes} == set(VETO_SIGNS)
    assert {cue.name for cue in tables.doubts} == set(DOUBT_SIGNS)


def test_a_name_that_means_nothing_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "languages").mkdir()
    (tmp_path / "languages" / "xx.yaml").write_text("rember: '^x'\n", "utf-8")
    monkeypatch.setattr(language_cues, "files", lambda _: tmp_path)
    with pytest.raises(InputError, match=r"'rember', which means nothing; use a name of language_cues.py"):
        tables_of.__wrapped__("xx")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_rule_is_kept_and_a_question_is_not(language: str) -> None:
    found = read_prose(RULES[language], role="user", after_action=False)
    assert [each.quote for each in found] == [RULES[language]]
    assert read_prose(QUESTIONS[language], role="user", after_action=True) == []


def test_each_sentence_is_read_in_its_own_language() -> None:
    text = "Always squash before you merge. Ab jetzt bitte keine Mocks in den Integrationstests."
    tables = tables_of_all(split(text))
    assert tables == [ENGLISH, tables_of("de")]
    assert read_prose("Never push to main without a review.", role="user", after_action=False)[0].kind == "convention"


def test_what_somebody_else_said_is_not_kept() -> None:
    assert read_prose("der chef schreibt: „ab sofort wird freitags nicht mehr deployed“", role="user",
                      after_action=False) == []  # fmt: skip


def test_the_labelled_messages_are_whole() -> None:
    assert cues.languages() == sorted(LANGUAGES)
    for language in LANGUAGES:
        read = [each for half in cues.HALVES for each in cues.messages(language, half)]
        assert len({each["id"] for each in read}) == 40
        assert sum(each["keep"] for each in read) == 20
        assert all((each["kind"] is None) is not each["keep"] for each in read), json.dumps(read[0])


@given(st.text(max_size=400), st.sampled_from(["user", "assistant"]), st.booleans())
def test_any_text_is_read(text: str, role: str, after_action: bool) -> None:
    for found in read_prose(text, role=role, after_action=after_action):
        assert text[found.start : found.end] == found.quote


@pytest.mark.parametrize(
    "said",
    [
        "auf welchem port lauscht der ofen und wo hängt der drucker, ich vergess das jedes mal",
        "auf den tellern steht statt grün immer grÃ¼n, hast ne idee",
        "brutto() in ofen/preis.py rundet falsch, aus 1,50 muss 1,61 werden",
    ],
)
def test_german_questions_and_reports_of_faults_are_no_rules(said: str) -> None:
    assert read_prose(said, role="user", after_action=False) == []


@pytest.mark.parametrize(
    "said",
    [
        "attends 20 min, la crèche m'appelle, ma fille a encore de la fièvre. je déteste les lundis",
        "dis, convertis-moi 4,86 m en pieds, c'est pour un client au téléphone",
    ],
)
def test_french_small_talk_is_no_rule(said: str) -> None:
    assert read_prose(said, role="user", after_action=False) == []
