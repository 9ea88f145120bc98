"""Fixtures: one moment, and real files; and the profile of property tests."""

from __future__ import annotations

import os
import shutil
import sqlite3
import sys
import time
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from filelock import FileLock
from hypothesis import HealthCheck, settings

from memory_db.extract.model.prompts import Prompt, load_prompt
from memory_db.redact import wanted
from memory_db.sample.file import ensure_sample
from memory_db.store.schema import open_database
from memory_db.transcripts.projects import make_project

# Of every property test: nothing that a busy machine makes slower fails it, its examples share the fixtures of the
# test, and in CI they are the same each time.
settings.register_profile(
    "memory-db",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    derandomize=bool(os.environ.get("CI")),
    print_blob=True,
)
settings.load_profile("memory-db")

# Tests start hundreds of processes: what one of them has compiled the next shall find, workers too.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

NOW = datetime(2026, 11, 1, 12, 0, tzinfo=UTC)

LONGEST = (
    "docs/test_contributing.py", "fleet/test_fleet_recall.py", "fleet/test_fleet_tables.py", "whole/test_kill.py",
    "whole/test_kill_pipeline.py", "whole/test_soak.py", "pages/test_accessibility.py",
)  # fmt: skip
"""Files of the longest tests. They come last, so that a run whose time is limited has run all others."""

STARTED = time.monotonic()

NOT_BEGUN = "not begun: the time of this run was over"


class ClosedAtLast(sqlite3.Connection):
    """A connection that is closed when nobody holds it any more."""

    def __del__(self) -> None:
        self.close()


def pytest_configure() -> None:
    """Closes what Datasette opens in memory and leaves open: from Python 3.13 on a warning of that fails a test."""
    connect = sqlite3.connect

    def closing_datasettes(*where: object, **how: object) -> sqlite3.Connection:
        opener = sys._getframe(1).f_globals.get("__name__", "")
        if opener.startswith("datasette."):
            how.setdefault("factory", ClosedAtLast)
            how["check_same_thread"] = False  # whoever lets go of it last closes it
        return connect(*where, **how)  # type: ignore[arg-type]

    if sys.version_info >= (3, 13):
        sqlite3.connect = closing_datasettes  # type: ignore[assignment]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--minutes", type=float, help="begin no test later than this; what is left is skipped and named")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: item.path.as_posix().endswith(LONGEST))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    minutes = item.config.getoption("minutes")
    if minutes is not None and time.monotonic() - STARTED > minutes * 60:
        pytest.skip(NOT_BEGUN)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Names the files of which tests were not begun."""
    left = Counter(
        report.nodeid.partition("::")[0]
        for report in terminalreporter.getreports("skipped")
        if isinstance(report.longrepr, tuple) and NOT_BEGUN in report.longrepr[2]
    )
    if left:
        terminalreporter.section(f"{left.total()} tests were not begun: the time of this run was over", yellow=True)
        for path, count in sorted(left.items()):
            terminalreporter.line(f"{count:5} of {path}")


@pytest.fixture
def now() -> datetime:
    return NOW


@pytest.fixture
def db_path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.fixture(scope="session")
def empty_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file without rows, made once: making it takes longer than most tests."""
    path = tmp_path_factory.mktemp("empty") / "memory.db"
    open_database(path, now=NOW).close()
    return path


@pytest.fixture
def db(db_path: Path, empty_file: Path) -> Iterator[sqlite3.Connection]:
    shutil.copy(empty_file, db_path)
    connection = open_database(db_path, now=NOW)
    yield connection
    connection.close()


@pytest.fixture
def prompt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Prompt:
    """The prompt that sessions are read with, as it ships."""
    monkeypatch.setenv("LLM_USER_PATH", str(tmp_path / "llm"))
    return load_prompt("extract")


@pytest.fixture
def project_path() -> str:
    """Where `project` is, where a module has no fixture of this name."""
    return "/home/d/quay"


@pytest.fixture
def project(db: sqlite3.Connection, project_path: str, now: datetime) -> int:
    """A project of the file."""
    return make_project(db, project_path, None, now)


@pytest.fixture(scope="session")
def sample_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample history, run through the whole pipeline once for all tests. Copy it before changing it.

    Of several workers the first makes it, and each has a copy. A test that runs tests in a process of its own names
    one that is made in SAMPLE_MADE.
    """
    own = tmp_path_factory.getbasetemp()
    shared = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    made = Path(os.environ.get("SAMPLE_MADE", shared / "sample-made"))
    with FileLock(shared / "sample.lock"):
        name = ensure_sample(made, now=NOW).name if not made.exists() else next(made.glob("*.db")).name
    return Path(shutil.copytree(made, tmp_path_factory.mktemp("sample") / "copy")) / name


@pytest.fixture
def sample_path(sample_file: Path, tmp_path: Path) -> Path:
    """A copy of the sample's file that a test may change."""
    return Path(shutil.copy(sample_file, tmp_path / "sample.db"))


@pytest.fixture
def sample_db(sample_path: Path) -> Iterator[sqlite3.Connection]:
    """A connection to a copy of the sample's file."""
    connection = open_database(sample_path, now=NOW)
    yield connection
    connection.close()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home folder, and no database named by the surroundings."""
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.delenv("MEMORY_DB", raising=False)
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def sample(sample_path: Path, home: Path) -> Path:
    """A copy of the sample's file, with a home folder of its own."""
    return sample_path


@pytest.fixture(autouse=True)
def nobody_asks_for_personal_data() -> Iterator[None]:
    """What the file of one test asks for does not count in the next."""
    yield
    wanted.ask_no_more()
