"""The server of these tests, and their mark `pages`, by which they are run on the next line of Datasette too."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.in_process import served

HERE = Path(__file__).parent


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark them before any is selected."""
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.pages)


@pytest.fixture
def served_file(sample_path: Path) -> Path:
    """The file that `server` serves: the sample, where a module has no fixture of this name."""
    return sample_path


@pytest.fixture
async def server(served_file: Path) -> AsyncIterator[Any]:
    """A Datasette in this process on that file, with a visitor who is signed in."""
    async with served(served_file) as datasette:
        yield datasette


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """A browser that the tests of a module share; none of them may be async, for its loop runs meanwhile."""
    from tests.support import browsing  # skips what imports it where there is no playwright

    with browsing.shared() as browser:
        yield browser
