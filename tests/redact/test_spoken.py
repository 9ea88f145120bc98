"""Passwords that sentences tell in other languages, and sentences about passwords that tell none."""

from __future__ import annotations

import random

import pytest

from memory_db.redact.clean import redact
from tests.support.redact_shapes import value

TOLD = (
    "le mot de passe de la base de staging est {}",
    "le mdp du wifi: {} pour les invités",
    "Le mot de passe est maintenant {}, ne le partage pas.",
    "la contraseña del servidor de pruebas es {}",
    "La clave de postgres ahora es {}.",
    "contraseña: {}",
    "a senha do banco de dados é {}",
    "a senha do ambiente de homologação agora é '{}'",
    "la parola d'ordine del router è {}",
    "la password del database è {}",
    "het wachtwoord van de staging-server is {}",
    "hasło do bazy to {}",
    "Hasło administratora brzmi {}!",
    "пароль от тестовой базы: {}",
    "пароль от базы теперь {}",
    "Пароль — {}",
    "lösenordet till databasen är {}",
    "passordet er {}",
    "数据库密码是{}，别外传",
    "測試機的密碼是 {}",
    "密码：{}",
    "密码改成{}了",
    "データベースのパスワードは{}です",
    "パスワード：{}",
    "데이터베이스 비밀번호는 {}입니다",
    "비밀번호: {}",
)

INNOCENT = (
    "le mot de passe est dans le coffre de l'équipe",
    "le mot de passe de la base est obligatoire",
    "la clave es leer el registro antes de reiniciar",
    "la contraseña es obligatoria desde la versión 2.3.1",
    "a senha é guardada com bcrypt",
    "la password è obbligatoria per tutti",
    "het wachtwoord is verplicht sinds release 2026.10",
    "hasło jest w sejfie zespołu",
    "hasło to pole wymagane",
    "пароль хранится в vault",
    "пароль: обязательное поле",
    "lösenordet är obligatoriskt",
    "密码是必填的",
    "密码字段的长度是 64 个字符",
    "パスワードは必須です",
    "パスワードは .env に書かないでください",
    "비밀번호는 필수입니다",
    "密码是 password_hash 字段",
)


@pytest.mark.parametrize("sentence", TOLD)
def test_a_password_that_is_told_is_taken_out(sentence: str) -> None:
    for number in range(20):
        secret = value("p", random.Random(number))
        cleaned = redact(sentence.format(secret))[0]
        assert secret not in cleaned and sentence[:3] == cleaned[:3], cleaned


@pytest.mark.parametrize("sentence", INNOCENT)
def test_a_sentence_about_passwords_stays(sentence: str) -> None:
    assert redact(sentence) == (sentence, [])


@pytest.mark.parametrize(
    "sentence",
    [
        "password is {}", "the passphrase for the vault is {}.", "The staging password is '{}', keep it quiet.",
        "Das Passwort ist jetzt {}", "the wifi password was {} until monday",
    ],
)  # fmt: skip
@pytest.mark.parametrize("words", ["correct-horse-battery", "tulip_window_cargo", "Otter-Lamp-Gravel-Noon"])
def test_words_that_are_joined_to_a_password_are_taken_out(sentence: str, words: str) -> None:
    assert redact(sentence.format(words))[0] == sentence.format("[redacted:password]")


@pytest.mark.parametrize(
    "sentence",
    [
        "the password is end-to-end encrypted", "The password is case-sensitive.", "the password is my-app-secret",
        "the password is not-yet-set", "the password is project-wide-default.", "The passphrase is one-time-only.",
        "the password is three-words-long", "the password is correct-horse-style text", "password is db_password_prod",
        "The password is read-only.", "the password is vendor-supplied-default", "the password is upper-case-only.",
    ],
)  # fmt: skip
def test_what_says_how_a_password_is_stays(sentence: str) -> None:
    assert redact(sentence)[0] == sentence
