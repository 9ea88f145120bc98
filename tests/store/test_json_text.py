"""JSON without what `json` loads for it: the same values, the same texts, the same errors."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_db.store import json_text

REPOSITORY = Path(__file__).parents[2]

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)

WRONG = ["", "  ", "{", '{"a" 1}', "[1,]", "1 2", "nul", '"a', '"\n"', "\ufeff{}", "{'a': 1}", '{"a": 1} x']


@given(VALUES, st.booleans(), st.booleans())
def test_texts_and_values_are_those_of_json(value: Any, ascii_only: bool, sorts: bool) -> None:
    text = json_text.dumps(value, ensure_ascii=ascii_only, sort_keys=sorts)
    assert text == json.dumps(value, ensure_ascii=ascii_only, sort_keys=sorts)
    assert json_text.loads(text) == json.loads(text)
    assert json_text.loads(f" \n{text}\t ") == value


@given(st.text(alphabet='[]{}",:0123456789.eE+-nulltrefas \n\\'))
def test_any_text_is_read_as_json_reads_it(text: str) -> None:
    assert outcome(json_text.loads, text) == outcome(json.loads, text)


@pytest.mark.parametrize("text", WRONG)
def test_what_is_wrong_is_said_in_the_words_of_json(text: str) -> None:
    with pytest.raises(json.JSONDecodeError) as said:
        json_text.loads(text)
    assert str(said.value) == outcome(json.loads, text)


@pytest.mark.parametrize("text", WRONG)
def test_the_same_is_said_by_a_process_that_has_not_loaded_json(text: str) -> None:
    program = (
        f"import sys; sys.path.insert(0, {str(REPOSITORY)!r})\nfrom memory_db.store import json_text\n"
        f"assert 'json' not in sys.modules\ntry: json_text.loads({text!r})\nexcept ValueError as error: print(error)"
    )
    command = [sys.executable, "-I", "-S", "-X", "utf8", "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == f"{outcome(json.loads, text)}\n"


@pytest.mark.parametrize("text", ["NaN", "-Infinity", "[1e400]", b'{"a": 1}'])
def test_odd_values(text: Any) -> None:
    assert repr(json_text.loads(text)) == repr(json.loads(text))
    assert json_text.dumps(json_text.loads(text)) == json.dumps(json.loads(text))


def test_what_is_no_json_is_refused() -> None:
    with pytest.raises(TypeError, match="Object of type set is not JSON serializable"):
        json_text.dumps([{1}])


def outcome(read: Any, text: str) -> str:
    try:
        return repr(read(text))
    except ValueError as error:
        return str(error)
