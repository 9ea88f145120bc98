"""Procedures, from what agents ran."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_db.knowledge.procedure_steps import FAILED, SUCCEEDED, UNKNOWN, Ran, steps_of
from memory_db.knowledge.procedures import Procedure, procedures_of
from memory_db.store.dates import utc_text

ROOT = "/home/sam/code/tidepool"

BEGAN = datetime(2026, 9, 1, 9, tzinfo=UTC)


def ran(*lines: str | tuple[str, bool] | tuple[str, bool, str], session: int = 1, day: int = 0) -> list[Ran]:
    """Lines that were run one after the other; each a text, or with whether it failed, and what it told."""
    found = []
    for number, line in enumerate(lines):
        command, is_error, excerpt = (*line, False, "")[:3] if isinstance(line, str) else (*line, "")[:3]
        if isinstance(line, str):
            command, is_error, excerpt = line, False, ""
        at = utc_text(BEGAN + timedelta(days=day, minutes=number))
        found.append(Ran(1000 * session + 10 * day + number, session, command, is_error, excerpt, at))
    return found


def made(runs: list[Ran]) -> dict[str, Procedure]:
    """The first procedure of each purpose that these runs give."""
    found: dict[str, Procedure] = {}
    for each in sorted(procedures_of(steps_of(runs, [ROOT])), key=lambda each: -each.recent_uses):
        found.setdefault(each.purpose, each)
    return found


def outcomes(line: str, *, is_error: bool = False, excerpt: str = "") -> list[tuple[str, str]]:
    """The purposes on a line, each with what came of its command."""
    return [(step.form.purpose, step.outcome) for step in steps_of(ran((line, is_error, excerpt)), [ROOT])]


@pytest.mark.parametrize(
    ("line", "came"),
    [
        ("uv run pytest -q", [("test", SUCCEEDED)]),
        ("cd web && npm test", [("test", SUCCEEDED)]),
        ("docker compose up -d && uv run pytest -q", [("services", SUCCEEDED), ("test", SUCCEEDED)]),
        ("uv run pytest -q; uv run ruff check", [("test", UNKNOWN), ("lint", SUCCEEDED)]),
        ("uv run pytest -q || true", [("test", UNKNOWN)]),
        ("uv run pytest -q | tail -3", [("test", SUCCEEDED)]),
        ("npm run dev &", [("run", SUCCEEDED)]),
        ("npm run build &", [("build", UNKNOWN)]),
        ("cd /elsewhere && make test", []),
        ("echo 'uv run pytest", []),
    ],
)
def test_what_succeeded_on_a_line_that_did(line: str, came: list[tuple[str, str]]) -> None:
    assert outcomes(line) == came


@pytest.mark.parametrize(
    ("line", "came"),
    [
        ("cd web && npm test", [("test", FAILED)]),
        ("docker compose up -d && uv run pytest -q", [("services", UNKNOWN), ("test", UNKNOWN)]),
        ("uv run pytest -q; ls x", [("test", UNKNOWN)]),
        ("uv run pytest -q; uv run ruff check", [("test", UNKNOWN), ("lint", FAILED)]),
    ],
)
def test_what_failed_on_a_line_that_did(line: str, came: list[tuple[str, str]]) -> None:
    assert outcomes(line, is_error=True) == came


def test_a_pipe_does_not_hide_a_failure() -> None:
    line = "uv run pytest -q 2>&1 | tail -2"
    assert outcomes(line, excerpt="FAILED tests/x.py\n1 failed, 3 passed") == [("test", FAILED)]
    assert outcomes(line, excerpt="4 passed, 0 errors") == [("test", SUCCEEDED)]


@pytest.mark.parametrize("excerpt", ["Ran 0 tests in 0.000s\n\nOK", "no tests ran in 0.01s", "collected 0 items"])
def test_a_run_that_found_no_test_counts_for_nothing(excerpt: str) -> None:
    assert outcomes("python3 -m unittest -q", excerpt=excerpt) == [("test", UNKNOWN)]
    assert outcomes("python3 -m unittest -q", excerpt="Ran 10 tests in 0.1s\n\nOK") == [("test", SUCCEEDED)]
    assert outcomes("go test ./...", excerpt="?  a/b [no test files]\nok  a/c 0.1s") == [("test", SUCCEEDED)]
    assert outcomes("cargo test", excerpt="test result: ok. 4 passed\nrunning 0 tests") == [("test", SUCCEEDED)]


def test_what_was_refused_was_not_run() -> None:
    refused = "The user doesn't want to proceed with this tool use."
    assert outcomes("terraform apply", is_error=True, excerpt=refused) == []


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("uv run pytest -q tests/test_a.py::test_b -k 'x and y' --count 20", "uv run pytest -q"),
        ("go test ./internal/logs/...", "go test ./..."),
        ("npx vitest run src/chart", "npx vitest run"),
        ("npm test -- src/x.test.ts", "npm test"),
        ("ruff check memory_db/a.py", "ruff check"),
        ("mypy memory_db", "mypy memory_db"),
        ('alembic revision -m "add x"', 'alembic revision -m "<message>"'),
        ("pnpm add d3 d3-scale", "pnpm add <package>"),
        ("git tag -a v1.2.3 && ls", "git tag -a <version>"),
        ("timeout 90 uv run pytest -q 2>/dev/null", "uv run pytest -q"),
        (f"cd {ROOT}/web && npm test", "cd web && npm test"),
        (f"cd {ROOT} && make test", "make test"),
        ("export PATH=/opt/go/bin:$PATH && go build ./cmd", "export PATH=/opt/go/bin:$PATH && go build ./cmd"),
        ("CGO_ENABLED=0 go build ./cmd", "CGO_ENABLED=0 go build ./cmd"),
    ],
)
def test_the_general_form_is_what_is_shown(line: str, shown: str) -> None:
    (step,) = steps_of(ran(line), [ROOT])
    assert step.form.shown == shown


def test_the_form_used_most_is_shown_and_of_two_the_last() -> None:
    runs = ran("uv run pytest", "uv run pytest -q", "uv run pytest -q", "uv run pytest -x tests/test_a.py")
    assert (made(runs)["test"].command, made(runs)["test"].successes) == ("uv run pytest -q", 4)
    assert made(ran("uv run pytest", "uv run pytest -q"))["test"].command == "uv run pytest -q"
    assert made(ran("uv run pytest -v tests/test_a.py"))["test"].command == "uv run pytest -v"


def test_a_new_tool_goes_before_the_one_that_it_replaced() -> None:
    old = [each for day in range(4) for each in ran("npm test", session=day + 1, day=day)]
    new = [each for day in (60, 61) for each in ran("pnpm test", session=day, day=day)]
    assert made([*old, *new])["test"].command == "pnpm test"


def test_what_never_succeeded_is_no_procedure() -> None:
    assert made(ran(("make deploy", True), ("make test", True))) == {}


def test_failures_since_the_last_success_are_counted() -> None:
    procedure = made(ran(("make deploy", True), "make deploy", ("make deploy", True), ("make deploy", True)))["deploy"]
    assert (procedure.successes, procedure.failures, procedure.failures_since) == (1, 3, 2)


def test_what_usually_comes_before_is_kept() -> None:
    runs = [
        *ran("docker compose up -d", "ls", "make migrate", session=1),
        *ran("docker compose up -d && make migrate", session=2, day=1),
        *ran("make test", "make migrate", session=3, day=2),
    ]
    procedure = made(runs)["migrate"]
    assert (procedure.preceded_by, procedure.preceded_count) == ("docker compose up -d", 2)
    assert made(ran("make test", "make migrate"))["migrate"].preceded_by is None  # once is chance
    assert made([*ran("make lint"), *ran("make migrate", session=2)])["migrate"].preceded_by is None


def test_what_failed_before_is_kept_as_long_as_it_did_not_succeed_since() -> None:
    runs = ran(("npm install x", True, "ERESOLVE"), "pnpm add x")
    (failed,) = made(runs)["add"].failed_before
    assert (failed["command"], failed["times"]) == ("npm install <package>", 1)
    assert made([*runs, *ran("npm install y", session=2, day=1)])["add"].failed_before == []
    wrong = made(ran(("npm test", True, "1 failed"), "pnpm test"))["test"]
    assert wrong.failed_before == []  # the tests failed, not the command
    wrong = made(ran(("npm test", True, 'npm error Missing script: "test"'), "pnpm test"))["test"]
    assert [each["command"] for each in wrong.failed_before] == ["npm test"]


def test_what_was_redacted_is_not_shown() -> None:
    runs = ran("TOKEN=[redacted:token] npm publish", "make release TOKEN=[forgotten]")
    assert made(runs) == {}


LINES = st.sampled_from(
    ["uv run pytest -q", "uv run pytest a.py", "docker compose up -d && make migrate", "make migrate; ls", "npm i x",
     "pnpm add x", "cd web && npm test | tail", "git push origin v1.0", "alembic upgrade head", "echo x"]
)  # fmt: skip


@given(st.lists(st.tuples(LINES, st.booleans(), st.integers(1, 3), st.integers(0, 40)), max_size=25))
@pytest.mark.slow
def test_procedures_agree_with_what_they_rest_on(runs: list[tuple[str, bool, int, int]]) -> None:
    ordered = sorted(runs, key=lambda each: (each[2], each[3]))
    lines = [
        Ran(number, session, line, is_error, "", utc_text(BEGAN + timedelta(days=day, minutes=number)))
        for number, (line, is_error, session, day) in enumerate(ordered)
    ]
    found = procedures_of(steps_of(lines, [ROOT]))
    assert found == procedures_of(steps_of(lines, [ROOT]))
    assert len({(each.purpose, each.normal_form) for each in found}) == len(found)
    for each in found:
        came = [outcome for *_, outcome in each.actions]
        assert each.successes == came.count(SUCCEEDED) > 0
        assert each.failures == came.count(FAILED) >= each.failures_since
        assert 0 < each.recent_uses <= each.successes
        assert each.preceded_count <= each.successes
        assert each.first_success_at <= each.last_success_at <= each.last_used_at
        json.dumps(each.failed_before)
