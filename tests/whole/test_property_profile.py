"""Every property test runs by one profile, which no busy machine can fail."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

TESTS = Path(__file__).parents[1]


def test_no_clock_fails_a_property_test() -> None:
    assert settings.default is not None
    assert settings.default.deadline is None
    assert HealthCheck.too_slow in settings.default.suppress_health_check


@pytest.mark.slow
@pytest.mark.parametrize(("ci", "derandomize"), [("true", True), ("", False), (None, False)])
def test_examples_are_the_same_each_time_in_ci_alone(ci: str | None, derandomize: bool) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "CI"}
    if ci is not None:
        environment["CI"] = ci
    result = subprocess.run(
        [sys.executable, "-c", "import conftest, hypothesis; s = hypothesis.settings.default; "
         "print(s.derandomize, s.deadline)"],
        cwd=TESTS, env=environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert result.stdout == f"{derandomize} None\n"


def test_no_test_repeats_the_profile() -> None:
    said = re.compile(r"settings\([^)]*\bdeadline=|HealthCheck\.(too_slow|function_scoped_fixture)")
    tests = [path for path in TESTS.rglob("test_*.py") if path != Path(__file__)]
    assert [path.name for path in tests if said.search(path.read_text("utf-8"))] == []
