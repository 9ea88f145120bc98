"""What is written about the project is true: generated parts, links, commands, SQL, names, version."""

from __future__ import annotations

import ast
import os
import re
import shlex
import sqlite3
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import click
import generate
import pytest
from click.testing import CliRunner

from bench.__main__ import BENCHES, DATA_BENCHES
from memory_db import __version__
from memory_db.cli import cli
from memory_db.recall import scoring
from memory_db.redact.attacks import INJECTED_TAGS, INJECTIONS
from memory_db.redact.engine import TAKEN_OUT
from memory_db.store import presets, settings

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
PAGES = [README, *sorted((ROOT / "docs").glob("*.md"))]
WRITTEN = [*PAGES, *(ROOT / name for name in ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"))]
PACKAGE = sorted((ROOT / "memory_db").rglob("*.py"))
MODULES = [*PACKAGE, *sorted((ROOT / "plugins").glob("*.py")), *sorted((ROOT / "bench").glob("*.py"))]

MOST_LINES = 400


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def tracked_files() -> list[Path]:
    """Every text file that git has or would take."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True
    )
    if listed.returncode:
        pytest.skip("not a git clone")
    paths = [ROOT / name.decode() for name in listed.stdout.split(b"\0") if name]
    return [path for path in paths if path.is_file() and b"\0" not in path.read_bytes()[:8192]]


def fenced(path: Path, language: str) -> list[str]:
    """The blocks of a page in one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", path.read_text("utf-8"), re.M | re.S)


def commands_of(group: click.Group, path: str) -> Iterator[tuple[str, click.Command]]:
    """Every command with its full name."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield f"{path} {name}", command
        if isinstance(command, click.Group):
            yield from commands_of(command, f"{path} {name}")


# ----------------------------------------------------------- generated parts


@pytest.mark.slow
def test_generated_parts_are_up_to_date() -> None:
    command = [sys.executable, "-m", "cogapp", "-I", "docs/tools", "--check", *map(name_of, PAGES)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, f"Run `make docs`.\n{done.stdout}{done.stderr}"


def test_recall_page_has_every_signal_with_its_weight() -> None:
    text = (ROOT / "docs/recall.md").read_text("utf-8")
    for name in scoring.SIGNALS:
        weight = presets.PRESETS["default"].weights.get(name, 0)
        assert f"| `{name}` | {weight} | " in text


def test_recall_page_has_every_profile_and_signal() -> None:
    text = (ROOT / "docs/recall.md").read_text("utf-8")
    for name in (*presets.PRESETS, *scoring.SIGNALS):
        assert f"`{name}`" in text
    for preset in presets.PRESETS.values():
        assert preset.leaves_out is None or preset.leaves_out in text


def test_commands_page_has_every_command_and_option() -> None:
    text = (ROOT / "docs/cli.md").read_text("utf-8")
    for name, command in commands_of(cli, "memory-db"):
        assert f"Usage: {name} [OPTIONS]" in text
        for parameter in command.params:
            for option in parameter.opts if isinstance(parameter, click.Option) else ():
                assert option in text, f"{name} {option}"


@pytest.mark.slow
def test_printed_help_is_what_a_terminal_shows() -> None:
    shown = subprocess.run(
        [sys.executable, "-m", "memory_db", "recall", "--help"],
        env={**os.environ, "COLUMNS": "80"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert shown.stdout.partition("\n")[2].strip() in generate.command_reference()


def test_settings_page_has_every_setting_with_its_default() -> None:
    text = (ROOT / "docs/settings.md").read_text("utf-8")
    for each in settings.SETTINGS:
        assert f"| `{each.name}` | `{each.default}` | {each.help} |" in text


def test_schema_page_has_every_table_view_and_column(db: sqlite3.Connection) -> None:
    text = (ROOT / "docs/schema.md").read_text("utf-8")
    parts = dict(re.findall(r"^### (\w+)$(.*?)(?=^#{2,3} |\Z)", text, re.M | re.S))
    rows = db.execute(
        "select name from sqlite_master where type in ('table', 'view') and name not like '%\\_fts\\_%' escape '\\'"
        " and name not like 'sqlite%'"
    )
    names = {row["name"] for row in rows}
    assert names - set(parts) <= {"schema_objects"}, "described in metadata.yml?"
    assert set(parts) <= names
    for name, part in parts.items():
        columns = [row["name"] for row in db.execute("select name from pragma_table_info(?)", [name])]
        assert re.findall(r"^\| `(\w+)` \|", part, re.M) == columns, name


def test_importing_page_has_every_rule_and_tag() -> None:
    text = (ROOT / "docs/importing.md").read_text("utf-8")
    for name in (*(name for name, _ in TAKEN_OUT), *(rule.name for rule in INJECTIONS)):
        assert f"| `{name}` |" in text
    for tag in INJECTED_TAGS:
        assert f"| `<{tag}>` |" in text


def test_tables_survive_pipes_and_line_breaks() -> None:
    assert generate.table(("A", "B"), [("x|y", "one\ntwo"), (None, 3)]) == (
        "\n| A | B |\n| --- | --- |\n| x\\|y | one two |\n|  | 3 |\n\n"
    )


@pytest.mark.slow
def test_generated_parts_are_the_same_at_every_call() -> None:
    assert generate.schema_page() == generate.schema_page()
    assert generate.command_reference() == generate.command_reference()


# ------------------------------------------------------ links, commands, SQL


def prose(page: Path) -> str:
    """A page without its blocks of code."""
    return re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.M | re.S)


def anchors(page: Path) -> set[str]:
    """Where a link may lead within a page: its headings, as GitHub and the site name them."""
    headings = re.findall(r"^#+ (.+)$", prose(page), re.M)
    return {re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", WRITTEN, ids=name_of)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        path, _, anchor = target.partition("#")
        if path.startswith("https://"):
            continue
        there = page.parent / path if path else page
        assert there.exists(), target
        assert not anchor or anchor in anchors(there), target


def test_readme_is_short_and_leads_on() -> None:
    text = README.read_text("utf-8")
    assert len(text.splitlines()) <= 200
    assert len(re.findall(r"!\[", text)) == 1, "one picture"
    for page in ("index", "getting-started", "cli", "settings", "recall", "architecture"):
        assert f"](docs/{page}.md)" in text


def test_index_leads_to_every_page_once() -> None:
    text = (ROOT / "docs/index.md").read_text("utf-8")
    named = re.findall(r"^- \[[^]]+\]\(([\w-]+\.md)\)", text, re.M)
    assert sorted(named) == sorted(path.name for path in (ROOT / "docs").glob("*.md") if path.name != "index.md")


def test_architecture_page_names_every_room() -> None:
    text = (ROOT / "docs/architecture.md").read_text("utf-8")
    rooms, _, where = text.partition("## Where is ...?")
    for path in (ROOT / "memory_db").iterdir():
        if (path / "__init__.py").exists() or (path.suffix == ".py" and not path.name.startswith("__")):
            name = f"{path.name}{'/' if path.is_dir() else ''}"
            assert f"[{name}](../memory_db/{name})" in rooms, name
    for place in ("scoring.py", "migrations/", "views/", "plugins/", "notebooks/", "settings.py", "metadata.yml"):
        assert place in where


def test_make_targets_that_are_named_exist() -> None:
    targets = set(re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text("utf-8"), re.M))
    for page in PAGES:
        named = re.findall(r"(?:`|^)make ([a-z0-9-]+)", page.read_text("utf-8"), re.M)
        assert set(named) <= targets, page.name


def shell_lines(page: Path) -> list[str]:
    """The commands of ours that a page shows, but for those that need a model."""
    lines = [line for block in fenced(page, "sh") for line in block.splitlines()]
    return [line for line in lines if line.startswith("memory-db ") and "-m MODEL" not in line]


@pytest.mark.parametrize("page", [README, ROOT / "docs/getting-started.md"], ids=name_of)
@pytest.mark.slow
def test_commands_that_are_shown_run(
    page: Path, sample_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("MEMORY_DB", str(sample_path))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    lines = shell_lines(page)
    assert len(lines) >= 5
    for line in lines:
        done = CliRunner().invoke(cli, shlex.split(line, comments=True)[1:], prog_name="memory-db")
        assert done.exit_code == 0, f"{line}\n{done.output}"
        assert done.output.strip(), line


@pytest.mark.parametrize("page", [ROOT / "docs/getting-started.md", ROOT / "docs/recall.md"], ids=name_of)
def test_sql_runs_in_any_sqlite(page: Path, sample_path: Path) -> None:
    asked = CliRunner().invoke(cli, ["-d", str(sample_path), "recall", "how do we run the migrations"])
    assert asked.exit_code == 0
    plain = sqlite3.connect(sample_path)
    statements = [part for block in fenced(page, "sql") for part in block.split(";\n") if part.strip()]
    assert len(statements) >= 3
    for statement in statements:
        rows = plain.execute(statement).fetchall()
        assert rows, statement
        if "abs(score - logged_score)" in statement:
            assert rows == [(0,)]
    plain.close()


def test_measurements_that_are_named_exist() -> None:
    named = [name for page in PAGES for name in re.findall(r"-m bench (\w+)", page.read_text("utf-8"))]
    assert set(named) == {*BENCHES, *DATA_BENCHES}


# ------------------------------------------------------------------ versions


def test_version_is_one_everywhere() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    versions = re.findall(r"^## \[?(\d+\.\d+\.\d+)\]? - \d{4}-\d{2}-\d{2}$", changelog, re.M)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert versions[0] == __version__ == project["version"]
    assert versions == sorted(versions, key=lambda text: tuple(map(int, text.split("."))), reverse=True)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_version_history_is_in_the_changelog_alone(page: Path) -> None:
    # An example shows what is remembered, and commands in it name versions of other things.
    text = re.sub(r"^```\w*\n.*?^```", "", page.read_text("utf-8"), flags=re.M | re.S).replace("127.0.0.1", "")
    assert not re.search(r"\bv\d+\.\d+\b|what's new|new in version|since version|release notes", text, re.I)
    assert __version__ not in text


# -------------------------------------------------------- habits of the house

FORBIDDEN = {
    "a machine's path": r"(?<![\w~])/wo" r"rk/|(?<![\w~])/ro" r"ot/|/tm" r"p/w/|\.\./sha" r"red",
    "an issue or a session of work": r"\biss" r"ue #?\d+\b|\bsess" r"ion #\d+\b|\biss" r"ues show\b",
    "a package registry": r"\bpy" r"pi\.org|pythonho" r"sted|crates\.i" r"o\b|proxy\.golang\.or" r"g",
    "a tool of other people's houses": r"find_re" r"pos\b|find_str" r"ing\b|str_repl" r"ace_based",
}
"""What no file of the project may say. The words are split here, so that this file does not say them either."""


@pytest.mark.slow
def test_no_file_says_what_none_should() -> None:
    found = []
    for path in tracked_files():
        text = path.read_text("utf-8", errors="replace")
        for what, pattern in FORBIDDEN.items():
            found += [f"{name_of(path)}: {what}: {match[0]!r}" for match in re.finditer(pattern, text)]
    assert found == []


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_modules_and_public_names_say_what_they_are(path: Path) -> None:
    tree = ast.parse(path.read_text("utf-8"))
    assert ast.get_docstring(tree), "no module docstring"
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            assert ast.get_docstring(node), node.name


@pytest.mark.parametrize("path", PACKAGE, ids=name_of)
def test_modules_are_short(path: Path) -> None:
    lines = len(path.read_text("utf-8").splitlines())
    assert lines <= MOST_LINES, f"{lines} lines; split it by what it does"
