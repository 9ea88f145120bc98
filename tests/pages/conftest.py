"""Everything in this folder has the mark `pages`, by which it is run on the next line of Datasette too."""

from __future__ import annotations

from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark them before any is selected."""
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.pages)
