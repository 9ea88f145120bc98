"""Packages that only some commands need: whether they are there, and what to install where they are not."""

from __future__ import annotations

from collections.abc import Sequence

from memory_db.errors import InputError
from memory_db.extras import EXTRAS, how_to_install, missing_of


def require(extra: str, modules: Sequence[str] = ()) -> None:
    """Returns where the packages of an extra are installed, or those of its modules that are named.

    Raises: InputError, with what to install.
    """
    if missing := missing_of(modules or EXTRAS[extra]):
        raise InputError(f"This needs {', '.join(missing)}. Install with: {how_to_install(extra)}")
