"""Places of SQL are plain (`?`) or named (`:memory`), never numbered."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]

FOLDERS = ("memory_db", "bench", "plugins", "tests", "notebooks")

NUMBERED = re.compile(r"(?<![^\s(,=<>|+*/-])\?(?:[1-9]\d*|\{\})(?![\w{])")
"""A place with a number, or with one that an f-string fills in."""

MAY_BE = re.compile(r"\?(?<![^\s(,=<>|+*/\"'-]\?)[1-9{]")
"""The same, sought before a file is read as Python, which takes longer. A pattern with a plain beginning is fast."""

SQL_WORD = re.compile(r"\b(?:select|values|where|from|insert|update|delete|set|join|limit)\b", re.IGNORECASE)

ADVICE = (
    "sqlite3 takes a list for numbered places no more from Python 3.14 on, and warns from 3.12 on."
    " Name the places (:memory) and pass a dict, or write a plain ? for each value."
)


def flat(node: ast.AST) -> str:
    """The text of a string; `{}` and the strings within stand for what an f-string fills in."""
    if isinstance(node, ast.JoinedStr):
        return "".join(flat(part) for part in node.values)
    if isinstance(node, ast.FormattedValue):
        within = [flat(each) for each in ast.walk(node.value) if isinstance(each, ast.JoinedStr)]
        return " ".join(within) or "{}"
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def strings(text: str, suffix: str) -> Iterator[tuple[int, str]]:
    """The strings of a Python file with their lines; of another file all of it."""
    if suffix != ".py":
        yield 1, text
        return
    nodes = list(ast.walk(ast.parse(text)))
    parts = {part for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in nodes:
        if isinstance(node, ast.Constant | ast.JoinedStr) and node not in parts:
            yield node.lineno, flat(node)


def numbered_places(text: str, suffix: str = ".py") -> list[str]:
    """What stands in the SQL of a file with a number, with the line where its statement begins."""
    if not MAY_BE.search(text):
        return []
    found = {
        (line, place[0])
        for line, string in strings(text, suffix)
        if SQL_WORD.search(string)
        for place in NUMBERED.finditer(string)
    }
    return [f"{line}: {place}" for line, place in sorted(found)]


def test_no_place_of_sql_has_a_number() -> None:
    files = [
        path
        for folder in FOLDERS
        for path in sorted((REPOSITORY / folder).rglob("*"))
        if path.suffix in (".py", ".sql", ".yml") and path.is_file()
    ]
    assert {path.suffix for path in files} >= {".py", ".sql"}
    found = [
        f"{path.relative_to(REPOSITORY)}:{place}"
        for path in files
        for place in numbered_places(path.read_text("utf-8"), path.suffix)
    ]
    assert not found, "\n".join([ADVICE, *found])


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ('db.execute("select id from memories where uid = $1", [uid])', 1),
        ('db.execute("select $1, iif($2 = 1, 2, 3)" " where $12 in (id)", row)', 3),
        ('SQL = f"""\n{HEAD} where id in (select value from json_each($1))"""', 1),
        ("SQL = f\"insert into hits select {', '.join(f'${n}' for n in range(1, 9))}\"", 1),
        ('SQL = f"select {COLUMN} from hits where id = $ and rank = :rank"', 0),
        ('re.compile(r"where (is|are)$1 from \\\\$2")', 0),
        ('link = f"{path}${query}"', 0),
        ('"""Said: was it $1?"""', 0),
    ],
)
def test_a_numbered_place_is_found_in_sql_alone(source: str, count: int) -> None:
    assert len(numbered_places(source.replace("$", "?"))) == count


def test_a_numbered_place_is_found_in_a_file_of_sql() -> None:
    assert numbered_places("create view v as\nselect id from memories where id = $1".replace("$", "?"), ".sql")
