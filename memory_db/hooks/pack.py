"""Writes the file from which a hook reads its modules at once: `python -I -S memory_db/hooks/pack.py`.

In: nothing; it loads what a prompt's hook loads. Out: the file at `packed.PATH`, made whole or not at all. Whoever
installs the hooks runs it, and a session's first hook where there is none or a module has changed. Invariants: the
file holds nothing that cannot be made again; where it cannot be written hooks are slower, and all else is the same.

It is a process of its own, as a hook is, so that it loads what a hook loads and nothing else.
"""

from __future__ import annotations

import sys

AT_START = frozenset(sys.modules)
"""What an interpreter has loaded before the first line of a hook."""

import gc
import marshal
import os
from _frozen_importlib_external import ExtensionFileLoader, SourceFileLoader
from itertools import accumulate

if __name__ == "__main__":
    sys.path[0] = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from memory_db import packed

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from types import CodeType, ModuleType
    from typing import Any

LOADED = (
    "datetime",
    "memory_db.hooks.run",
    "memory_db.hooks.prompt",
    "memory_db.hooks.log",
    "memory_db.recall.brief.abstain",
    "memory_db.recall.brief.standing",
)
"""What leads to all that a prompt's hook loads: what `hook.py` loads, and what a usual prompt comes to."""

BEFORE = ("memory_db", packed.__name__)
"""What a hook loads to read the pack."""


def write() -> None:
    """Writes the pack of this interpreter and this folder. Raises: OSError where it cannot be written."""
    for name in LOADED:
        __import__(name)
    parts: list[bytes] = []
    places: dict[str, int] = {}
    looks: list[tuple[str, int, int, int]] = []
    waiting: dict[str, tuple[str, bool, CodeType | None]] = {}
    for name, module in list(sys.modules.items()):
        if path := "" if name in AT_START or name in BEFORE else file_of(module):
            looks.append(packed.look_of(path))  # before it is read: what changes meanwhile is noticed
            waiting[name] = (path, hasattr(module, "__path__"), code_of(path))
            places[name] = len(parts)
            if len(data := marshal.dumps(waiting)) > packed.PART_BYTES:
                parts.append(data)
                waiting = {}
    parts.append(marshal.dumps(waiting))
    put(laid_out(places, looks, parts, patterns()))


def code_of(path: str) -> CodeType | None:
    """The code of a file, without what only tracebacks and readers need; None of a module in C, which has none."""
    if not path.endswith(".py"):
        return None
    with open(path, "rb") as file:
        return bare(compile(file.read(), path, "exec", dont_inherit=True, optimize=2))


def bare(code: CodeType) -> CodeType:
    """Code without its table of lines, which is as long as the code: nothing of a hook shows a traceback."""
    inner = tuple(bare(each) if isinstance(each, type(code)) else each for each in code.co_consts)
    return code.replace(co_consts=inner, co_linetable=b"")


def laid_out(
    places: dict[str, int],
    looks: list[tuple[str, int, int, int]],
    parts: list[bytes],
    made: dict[tuple[str, int], bytes],
) -> bytes:
    """The whole pack: the head, the parts, the places of patterns, and the patterns."""
    index, begin = {}, 0
    for key, data in made.items():
        index[key] = (begin, begin := begin + len(data))
    parts = [*parts, marshal.dumps(index)]
    starts = [0, *accumulate(map(len, parts))]
    head = marshal.dumps((packed.MADE_BY, looks, places, starts))
    return b"".join((len(head).to_bytes(packed.LENGTH_BYTES), head, *parts, *made.values()))


def put(data: bytes) -> None:
    """Writes the file, whole or not at all. Raises: OSError."""
    unfinished = f"{packed.PATH}.{os.getpid()}"
    os.makedirs(os.path.dirname(unfinished), exist_ok=True)
    try:
        with open(unfinished, "wb") as file:
            file.write(data)
        os.replace(unfinished, packed.PATH)
    finally:
        if os.path.exists(unfinished):
            os.unlink(unfinished)


def file_of(module: ModuleType) -> str:
    """The file that a module is read from; '' for one that is built in or frozen."""
    is_of_file = isinstance(module.__loader__, (SourceFileLoader, ExtensionFileLoader))
    return (module.__file__ or "") if is_of_file else ""


def patterns() -> dict[tuple[str, int], bytes]:
    """What the compiler of patterns makes of each that waits to be used, by pattern and flags."""
    __import__("re._compiler")  # only now, for a hook loads neither it nor `re`
    compiler: Any = sys.modules["re._compiler"]
    waiting: Any = sys.modules["memory_db.records"].later
    made: dict[tuple[str, int], bytes] = {}
    own = compiler._sre

    class Noted:
        """The compiler's last step, with what it was given."""

        def __getattr__(self, name: str) -> Any:
            return getattr(own, name)

        def compile(self, source: str, flags: int, code: list[int], *groups: Any) -> Any:
            self.given = marshal.dumps((int(flags), list(map(int, code)), *groups))
            return own.compile(source, flags, code, *groups)

    noted = compiler._sre = Noted()
    try:
        for each in gc.get_objects():
            if isinstance(each, waiting):
                compiler.compile(each.pattern, int(each.flags))
                made[each.pattern, int(each.flags)] = noted.given
    finally:
        compiler._sre = own
    return made


if __name__ == "__main__":
    write()
