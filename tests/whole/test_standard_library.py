"""What a hook loads needs the standard library alone."""

import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]

MODULES = (
    "errors",
    "evaluation.holdouts",
    "feedback.citations",
    "hooks.background",
    "hooks.clock",
    "hooks.command_rules",
    "hooks.end",
    "hooks.log",
    "hooks.pauses",
    "hooks.prompt",
    "hooks.run",
    "hooks.skip",
    "hooks.start",
    "hooks.tool",
    "hooks.trouble",
    "hooks.warm",
    "index.signatures",
    "knowledge.belonging",
    "knowledge.evidence",
    "knowledge.graph.entities",
    "knowledge.graph.proximity",
    "knowledge.succession",
    "knowledge.suppressions",
    "models.daily_budget",
    "recall.brief.log",
    "recall.brief.placement",
    "recall.brief.procedures",
    "recall.brief.render",
    "recall.brief.roles",
    "recall.brief.select",
    "recall.brief.session_start",
    "recall.brief.start_lines",
    "recall.complete",
    "recall.measures.conditions",
    "recall.filters",
    "recall.gather",
    "recall.hits",
    "recall.measure",
    "recall.profiles",
    "recall.question",
    "recall.read",
    "recall.scoring",
    "recall.search",
    "recall.similarity",
    "records",
    "redact.clean",
    "store.connection",
    "store.dates",
    "store.jobs",
    "store.money",
    "store.presets",
    "store.spool_line",
    "text.names.citations",
    "text.names.entities",
    "text.names.literals",
    "text.normalise",
    "text.commands.asking",
    "text.commands.lines",
    "text.commands.purposes",
    "text.commands.shell",
    "text.spelling",
    "text.static_vectors",
    "text.terms",
    "text.wording",
)


@pytest.mark.parametrize("module", MODULES)
@pytest.mark.slow
def test_imports_in_a_bare_interpreter(module: str, tmp_path: Path) -> None:
    program = (
        f"import sys; sys.path.insert(0, {str(REPOSITORY)!r}); import memory_db.{module}; "
        "print([name for name in ('numpy', 'click', 'sqlite_utils', 'llm', 'yaml') if name in sys.modules])"
    )
    ended = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "[]\n", "")


def test_a_bare_interpreter_sees_no_packages(tmp_path: Path) -> None:
    """Else the test above would prove nothing."""
    ended = subprocess.run(
        [sys.executable, "-I", "-S", "-c", "import numpy"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert "ModuleNotFoundError" in ended.stderr
