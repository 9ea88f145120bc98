"""Unfolded views: each character knows its place, what is folded is found, and nothing else changes."""

from __future__ import annotations

import base64
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_db.redact.clean import redact
from memory_db.redact.clean_json import clean_json
from memory_db.redact.runs import is_uuid, long_runs, looks_random
from memory_db.redact.unfold import views
from tests.support.redact_cases import ALNUM, HEX, UUID, chars
from tests.support.redact_tokens import FOLDS, beside_names, is_gone, prefixed

TOKEN = prefixed(1)["github"]
PIECES = st.sampled_from([
    "a", "Z9", "%41", "%zz", "\\u0041", "\\x41", "\\/", "&#45;", "&amp;", "\u200b", "\uff21", "а", "\x1b[31m", '"', "'",
    '" + "', "'\n  '", "\n", "\\\n", "    ", "=", base64.b64encode(b"hello there, my dear friend").decode(), TOKEN,
    TOKEN[:20], TOKEN[20:], "password=", "[redacted:x]",
])  # fmt: skip
TEXTS = st.lists(st.one_of(PIECES, st.text(max_size=6)), max_size=14).map("".join)


@given(TEXTS)
def test_each_character_of_a_view_stands_for_a_part_of_the_text(text: str) -> None:
    for view in views(text, long_runs(text)):
        assert len(view.text) == len(view.starts) == len(view.ends)
        assert all(0 <= start < end <= len(text) for start, end in zip(view.starts, view.ends, strict=True))
        assert view.starts == sorted(view.starts)


@given(TEXTS)
def test_redacting_folded_texts_again_changes_nothing(text: str) -> None:
    once, findings = redact(text)
    assert redact(once) == (once, [])
    assert findings or once == text


@given(st.sampled_from(sorted(FOLDS)), st.text(max_size=30))
def test_what_stands_around_a_folded_token_stays(name: str, around: str) -> None:
    folded = FOLDS[name](TOKEN)
    result, findings = redact(f"{around} use\t{folded}\tor not")
    assert findings and is_gone(TOKEN, folded, result)
    assert result.endswith("or not")


# What is wrapped in base64 is folded twice by itself.
@pytest.mark.parametrize("fold", [fold for fold in FOLDS if "wrapped" not in fold])  # that is two
def test_two_folds_on_top_of_each_other(fold: str) -> None:
    inner = FOLDS[fold](TOKEN)
    outer = base64.b64encode(inner.encode()).decode() if inner.isascii() else FOLDS["HTML entities"](TOKEN)
    assert outer not in redact(f"use {outer} now")[0]


@pytest.mark.parametrize("text", [
    "the last of it is a configuration\nconfiguration is what follows in the next line of this text",
    f"ends with the token {TOKEN[:9]}\nunfinished business",
    "https://example.com/?q=hello%20world%2Fagain", "she said \\u0022hello\\u0022 &amp; left",
    base64.b64encode(b"just a sentence that somebody encoded for fun").decode(),
    'print("a long text that " + "goes on and on")', "Привет, мир: это просто текст без секретов",
    "Ｈｅｌｌｏ　Ｗｏｒｌｄ",
    "\x1b[32mpassed\x1b[0m in 0.3s", f"{chars(HEX, 40)}\n{chars(HEX, 40, 2)}\n{chars(HEX, 40, 3)}",
])  # fmt: skip
def test_folded_texts_without_a_secret_stay(text: str) -> None:
    assert redact(text) == (text, [])


def test_a_line_after_a_whole_token_stays() -> None:
    for following in ("configuration", "another_line_of_text", "Something else"):
        result, _ = redact(f"{TOKEN}\n{following}")
        assert result.endswith(f"]\n{following}")


def test_a_token_looks_random_and_names_do_not() -> None:
    chance = random.Random(3)
    tokens = ["".join(chance.choice(ALNUM) for _ in range(32)) for _ in range(500)]
    assert sum(map(looks_random, tokens)) >= 480
    for name in ("getUserAccountTokenById2", "LayoutLMv2PreTrainedModel", "src/token/session/handler_v2", "a" * 30):
        assert not looks_random(name)
    assert is_uuid(UUID) and not looks_random(UUID)


def test_a_json_value_is_read_with_its_key() -> None:
    vendor, secret = beside_names(1)["datadog-access-token"]
    value = {f"{vendor}ApiKey": secret, "cache": secret, "smtp_pass": "harbor" + "4417", "name": "harbor4417"}
    result, findings = clean_json(value)
    assert secret not in result[f"{vendor}ApiKey"] and "harbor" not in result["smtp_pass"]
    assert result["cache"] == secret and result["name"] == "harbor4417" and len(findings) == 2
    assert clean_json(result) == (result, [])


@pytest.mark.slow
@pytest.mark.parametrize("piece", [
    "%41", "\\u0041", "&#45;", "\u200b", "\uff21", "аa", "\x1b[31m", '" + "', 'a" "', "a\nb", "abcdefgh\n",
    "aaaaaaaaaaaa1",
    "key ", "key=", "pass is ", "login a/", "use a as ", "seed phrase: ", "abandon ", "mysql -p", "echo a | ",
    "discord ", "YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXo=", "machine a login b password ", "name: key value: ", "?key=",
])  # fmt: skip
def test_a_megabyte_of_one_folded_piece_passes(piece: str) -> None:
    result, _ = redact(piece * (1_000_000 // len(piece)))
    assert redact(result) == (result, [])
