"""Where the files of the pages lie: at the top of a clone, or inside the installed package.

Out: paths of the plugins, the metadata and the notebooks; what the metadata says. Invariant: a clone uses its own
files; a wheel carries the same ones (`shelf`, see pyproject.toml), so there is one source of each.
"""

from __future__ import annotations

from copy import deepcopy
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

CLONE = Path(__file__).resolve().parents[3]
"""The folder above the package: the top of a clone, or wherever packages are installed."""

PACKAGED = Path(__file__).resolve().parents[2] / "shelf"
"""Where a wheel has them."""

SHELF = PACKAGED if PACKAGED.is_dir() else CLONE
PLUGINS = SHELF / "plugins"
METADATA = SHELF / "metadata.yml"
NOTEBOOKS = SHELF / "notebooks"

DATABASE = "memory"
"""What metadata.yml calls the database; Datasette names a database after its file."""

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""By libyaml where PyYAML was built with it: a tenth of the quarter of a second that each start would wait."""


def described(path: Path = METADATA) -> dict[str, Any]:
    """What metadata.yml says now, for the caller to change."""
    return deepcopy(parsed(path.read_text("utf-8")))


@lru_cache(maxsize=2)
def parsed(text: str) -> dict[str, Any]:
    """A text as YAML: a server that starts asks for the same one several times."""
    found: dict[str, Any] = yaml.load(text, Loader=LOADER)
    return found
