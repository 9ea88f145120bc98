"""What may stand behind a secret: a sign that ends its sentence or quotation changes nothing of what is taken out."""

from __future__ import annotations

import random
import re

import pytest

from memory_db.redact import wanted
from memory_db.redact.clean import redact
from tests.redact.test_personal import FOUND
from tests.redact.test_spoken import TOLD
from tests.support.redact_cases import IN_CONTEXT, TOKENS
from tests.support.redact_shapes import SHAPES, value

ENDS = (".", ",", ";", ":", "!", "?", ")", "]", '"', "'", "`", "**", "”", "»", ".)", '."', "?!", "—", "。", ". Go on.")

CODES = ("The vault PIN is {}", "PIN: {}", "pin={}", "card_pin: {}", "my otp is {}", "the verification code is {}",
         "Der Bestätigungscode lautet {}", "TAN: {}", "my code is {}")  # fmt: skip

LAST_LINE = "PuTTY-User-Key-File-2: ssh-rsa\nPrivate-Lines: 1\n" + "aB3" * 20


def made(kind: str, line: str) -> str:
    return line.replace("@@", value(kind, random.Random(3)))


TEXTS = (
    *(f"it is {secret}" for _, secret in TOKENS.values()),
    *(text for text, _, _ in IN_CONTEXT),
    *(made(kind, line) for _, kind, line in SHAPES),
    *(line.format(value("p", random.Random(3))) for line in TOLD),
    *(line.format(code) for line in CODES for code in ("4711", "471122", "471 122")),
    *(text for _, text, _ in FOUND),
    LAST_LINE,
)

MARK = re.compile(r"\[redacted:[a-z0-9-]+\]")


def last_secret(text: str) -> tuple[str, str] | None:
    """What stands before and in the one secret with which a text ends; None for another text."""
    cleaned = redact(text)[0]
    marks = list(MARK.finditer(cleaned))
    if len(marks) != 1 or marks[0].end() != len(cleaned) or not text.startswith(cleaned[: marks[0].start()]):
        return None
    return text[: marks[0].start()], text[marks[0].start() :]


@pytest.fixture
def everything_asked() -> None:
    wanted.ask("a file", True)


@pytest.mark.parametrize("end", ENDS)
def test_a_secret_that_ends_a_sentence_is_taken_out_as_without_its_sign(end: str, everything_asked: None) -> None:
    found = [(text, last) for text in TEXTS if (last := last_secret(text))]
    assert len(found) > 180
    for text, (before, secret) in found:
        cleaned = redact(f"{text}{end}")[0]
        assert cleaned.startswith(before) and secret[:-1] not in cleaned, cleaned


LONGER = ("the pin is 4711.5", "code is 123456:2", "pin is 4711/22", "otp is 4711-22", "pin: 47110815x")


@pytest.mark.parametrize("text", LONGER)
def test_a_longer_number_is_no_code(text: str) -> None:
    assert redact(text) == (text, [])


def test_what_stays_does_so_at_the_end_of_a_sentence() -> None:
    for text in ("the key is user_id", "token: abcdefgh", "secret=hello", "it is hashed with bcrypt", "PIN: 47"):
        for end in ("", *ENDS):
            assert redact(f"{text}{end}") == (f"{text}{end}", []), end


def test_dots_in_a_row_stand_for_what_is_left_out() -> None:
    assert redact('api_key = "sk-..."')[1] == redact("password: my...")[1] == []
