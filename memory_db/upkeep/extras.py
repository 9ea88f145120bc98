"""The extras of the package: what each is for, and by which modules it is known to be installed."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec

DISTRIBUTION = "memory-db"
"""What pip calls this package."""

EXTRAS: dict[str, tuple[str, ...]] = {
    "serve": ("datasette_mcp", "mcp"),
    "notebooks": ("jupyterlab", "pandas", "altair"),
    "local": ("llm_embed_onnx", "xllamacpp"),
    "encrypted": ("cryptography", "keyring"),
    "fleet": ("dask", "distributed", "fsspec", "pyarrow", "duckdb"),
}
"""The modules that an extra brings for commands."""

PURPOSE = {
    "serve": "memory over HTTP for other agents",
    "notebooks": "the notebooks",
    "local": "models that run on this machine",
    "encrypted": "encrypted copies and exports",
    "fleet": "questions to many files at once",
}
"""What each is for."""


def missing_of(modules: Sequence[str]) -> list[str]:
    """The modules that are not installed."""
    return [name for name in modules if find_spec(name) is None]


def how_to_install(extra: str) -> str:
    """The command that installs an extra."""
    return f'pip install "{DISTRIBUTION}[{extra}]"'
