"""What a hook loads needs the standard library alone."""

import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent

MODULES = (
    "errors",
    "scoring",
    "presets",
    "hits",
    "redact",
    "connection",
    "recall",
    "brief",
    "brief_log",
    "brief_roles",
    "brief_text",
    "terms",
    "pool",
    "literals",
    "wording",
    "spelling",
    "conditions",
    "dates",
    "static_vectors",
    "signatures",
    "startup",
    "succession",
    "suppressions",
    "graph",
    "entity_names",
    "entities",
    "beliefs",
    "feedback_stop",
    "holdouts",
    "transcripts.links",
    "hooks",
    "start_block",
    "jobs",
    "background",
    "hook_clock",
    "hook_log",
    "hook_prompt",
    "hook_skips",
    "hook_spool",
    "hook_start",
    "hook_end",
    "hook_tool",
    "command_forms",
    "command_rules",
    "pauses",
    "money",
    "spending",
)


@pytest.mark.parametrize("module", MODULES)
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
