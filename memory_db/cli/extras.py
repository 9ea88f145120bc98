"""Packages that only some commands need: whether they are there, and what to install where they are not."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec

from memory_db.errors import InputError

DISTRIBUTION = "memory-db"
"""What pip calls this package."""

EXTRAS = {
    "notebooks": ("jupyterlab", "pandas", "altair"),
    "fleet": ("dask", "distributed", "fsspec", "pyarrow", "duckdb"),
}
"""The modules that an extra of the package brings for commands."""


def require(extra: str, modules: Sequence[str] = ()) -> None:
    """Returns where the packages of an extra are installed, or those of its modules that are named.

    Raises: InputError, with what to install.
    """
    missing = [name for name in modules or EXTRAS[extra] if find_spec(name) is None]
    if missing:
        raise InputError(f'This needs {", ".join(missing)}. Install with: pip install "{DISTRIBUTION}[{extra}]"')
