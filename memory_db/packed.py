"""The modules that a hook loads, read from one file in the place of a hundred and twenty.

To look for a module, to open it and to read it costs a cold process as much as to run it. So `hooks.pack` writes what
its interpreter makes of all of them into one file beside the compiled modules, and `hook.py` reads that first.

In: that file. Out: modules as the import system makes them, and patterns that need not be compiled. Invariants: a pack
of another interpreter or folder, one of which any module has changed since, or a damaged one is as good as none; what
it does not hold is imported as ever.
"""

from __future__ import annotations

import _sre  # type: ignore[import-not-found]
import marshal
import os
import sys
from _frozen_importlib import ModuleSpec
from _frozen_importlib_external import ExtensionFileLoader, SourceFileLoader

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import CodeType, ModuleType
    from typing import Any, BinaryIO

PATH = os.path.join(os.path.dirname(__file__), "__pycache__", f"hook.{sys.implementation.cache_tag}.pack")
"""Beside the compiled modules, which whoever may write here could change as well."""

MADE_BY = f"{sys.version} {__file__}"
"""Which interpreter and which folder a pack is of: it names modules by their full paths."""

DAMAGES = (OSError, ValueError, EOFError, TypeError, LookupError)
"""What comes of reading a pack that is missing, cut off or no pack at all."""

LENGTH_BYTES = 4

PART_BYTES = 100_000
"""How long parts of it are, about: larger ones would be read to memory that nothing had before, which is slower."""


class Pack:
    """An open pack, as one more finder of the import system. Its parts are read when something of them is needed."""

    def __init__(self, file: BinaryIO, places: dict[str, int], starts: list[int]) -> None:
        self.file, self.begin, self.places, self.starts = file, file.tell(), places, starts
        self.modules: dict[str, tuple[str, bool, CodeType | None]] = {}
        self.patterns: dict[tuple[str, int], tuple[int, int]] | None = None

    def part(self, begin: int, end: int) -> Any:
        """What lies between two places behind the head of the file. Raises: one of `DAMAGES`."""
        self.file.seek(self.begin + begin)
        return marshal.loads(self.file.read(end - begin))

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Where a module comes from, or None for one that is not in the pack."""
        place = self.places.pop(name, None)
        if place is None:
            return None
        try:
            if name not in self.modules:
                self.modules |= self.part(self.starts[place], self.starts[place + 1])
            origin, is_package, code = self.modules.pop(name)
        except DAMAGES:
            return None
        loader = PackedLoader(name, origin, code) if code else ExtensionFileLoader(name, origin)
        spec = ModuleSpec(name, loader, origin=origin, is_package=is_package)
        spec.has_location = True
        spec.cached = PATH  # else it would be worked out
        if is_package:
            spec.submodule_search_locations = [os.path.dirname(origin)]
        return spec

    def pattern(self, source: str, flags: int) -> Any:
        """A pattern, compiled when the pack was made; None for one that is not in it."""
        try:
            if self.patterns is None:
                self.patterns = self.part(self.starts[-2], self.starts[-1])
            place = self.patterns.get((source, flags))
            if place is None:
                return None
            made_flags, code, *groups = self.part(self.starts[-1] + place[0], self.starts[-1] + place[1])
        except DAMAGES:
            return None
        return _sre.compile(source, made_flags, code, *groups)


class PackedLoader(SourceFileLoader):
    """Loads one module, whose code is there already; all else is that of a module in a file."""

    def __init__(self, name: str, path: str, code: CodeType) -> None:
        self.name, self.path, self.code = name, path, code

    def get_code(self, fullname: str) -> CodeType:
        """The module's code."""
        return self.code


def use() -> None:
    """Has this process take its modules from the pack, if there is one that holds what the files hold."""
    global PACK, IS_LACKING  # one of each process
    IS_LACKING = True
    try:
        file = open(PATH, "rb", buffering=PART_BYTES)  # noqa: SIM115  # open until the process ends
        made_by, looks, places, starts = marshal.loads(file.read(int.from_bytes(file.read(LENGTH_BYTES))))
        if made_by != MADE_BY or any(look_of(look[0]) != look for look in looks):
            return
    except DAMAGES:
        return
    PACK, IS_LACKING = Pack(file, places, starts), False
    sys.meta_path.insert(0, PACK)


def look_of(path: str) -> tuple[str, int, int, int]:
    """By what a file is known to be as it was: an upgrade may give it the time that it had. Raises: OSError."""
    found = os.stat(path)
    return path, found.st_mtime_ns, found.st_size, found.st_ino


def pattern(source: str, flags: int) -> Any:
    """A compiled pattern: that of the pack, or compiled now."""
    made = PACK.pattern(source, flags) if PACK else None
    if made is not None:
        return made
    import re  # noqa: PLC0415  # start-up: with a pack next to nothing is compiled

    return re.compile(source, flags)


PACK: Pack | None = None
"""The one that this process reads."""

IS_LACKING = False
"""Whether this process would have read one, and there is none that holds what the files hold."""
