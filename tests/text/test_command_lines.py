"""A shell's line, taken apart as it was typed."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_db.text.commands.lines import parts_of, told_anyway, unquoted


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("cd x && uv run pytest -q 2>&1 | tail", [("cd x", "&&"), ("uv run pytest -q", "|"), ("tail", "")]),
        ("npm run dev > log.txt 2>&1 &", [("npm run dev", "&")]),
        ("(cd a && make test) || true", [("cd a", "&&"), ("make test", "||"), ("true", "")]),
        ("a; b\nc", [("a", ";"), ("b", ";"), ("c", "")]),
        ('go build -X "v=$(git describe --tags)" .', [('go build -X "v=$(git describe --tags)" .', "")]),
        ("git commit -m 'a; b && c'  # done", [("git commit -m 'a; b && c'", "")]),
        ("cat > x.py <<'END'\nimport os; x && y\nEND\npython x.py", [("cat", ";"), ("python x.py", "")]),
        ("for i in 1 2; do pytest; done", [("for i in 1 2", ";"), ("pytest", ";")]),
        ("A=1 B='x y' make all", [("A=1 B='x y' make all", "")]),
        ("make \\\n  test", [("make test", "")]),
        ("echo 'no end", []),
        ("", []),
    ],
)  # fmt: skip
def test_a_line_is_cut_where_a_shell_cuts_it(line: str, parts: list[tuple[str, str]]) -> None:
    assert [(part.text, part.after) for part in parts_of(line)] == parts


@given(st.lists(st.text(min_size=1), min_size=1, max_size=6))
def test_quoted_words_come_back_whole(words: list[str]) -> None:
    words = [f"w{word}" for word in words if "\0" not in word and "\r" not in word] or ["w"]
    line = shlex.join(words)
    if "<<" in line or "\\\n" in line:
        return
    (part,) = parts_of(line)
    assert list(part.plain) == words


@given(st.text(alphabet="ab '\"$()`&|;<>\\\n#=-2./{}", max_size=60))
def test_no_line_is_too_odd(line: str) -> None:
    for part in parts_of(line):
        assert part.words and all(part.words)
        assert part.after in ("", "&&", "||", "|", ";", "&")


def test_what_only_starts_a_command_is_left_out() -> None:
    assert told_anyway(("timeout", "60", "uv", "run", "pytest")) == ("uv", "run", "pytest")
    assert told_anyway(("time", "make")) == ("make",)
    assert told_anyway(("make", "time")) == ("make", "time")
    assert unquoted("a\\ b\"c d\"'e'") == "a bc de"
