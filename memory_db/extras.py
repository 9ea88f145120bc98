"""The extras of the package: what each is for, by which modules it is known to be installed, and how it is installed.

The name of the distribution stands here, and in `pyproject.toml`, which makes it so. The standard library alone.
"""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

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

INSTALLERS = {"uv-receipt.toml": "uv tool install --force", "pipx_metadata.json": "pipx install --force"}
"""Who made an environment, by the file that they leave in it: there pip may be missing. Source: uv's and pipx's own."""


def missing_of(modules: Sequence[str]) -> list[str]:
    """The modules that are not installed."""
    return [name for name in modules if find_spec(name) is None]


def how_to_install(extra: str) -> str:
    """The command that installs an extra, from where the package came and by what made its environment."""
    by = next((name for file, name in INSTALLERS.items() if Path(sys.prefix, file).exists()), "pip install")
    return f"{by} {requirement(extra, origin())}"


def requirement(extra: str, where: dict[str, object]) -> str:
    """What is asked for: the package by its name, or by the file or folder that it was installed from."""
    address, name = where.get("url"), f"{DISTRIBUTION}[{extra}]"
    if not isinstance(address, str) or not address:
        return f'"{name}"'
    is_editable = isinstance(folder := where.get("dir_info"), dict) and folder.get("editable") is True
    if is_editable and address.startswith("file:"):
        return f"-e {shlex.quote(path_of(address) + f'[{extra}]')}"
    by = f"{versions['vcs']}+" if isinstance(versions := where.get("vcs_info"), dict) and "vcs" in versions else ""
    return shlex.quote(f"{name} @ {by}{address}")


def path_of(address: str) -> str:
    """The path that a `file:` address names."""
    return url2pathname(urlsplit(address).path)


def origin() -> dict[str, object]:
    """Where the installed package came from, as its installer wrote it down; empty where it came by its name."""
    try:
        found = json.loads(distribution(DISTRIBUTION).read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
