"""One table of docs/benchmarks.md: which measurement it shows, and what is said of it.

In: nothing. Out: `Section`. Invariant: no number stands in a text here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(slots=True, frozen=True)
class Section:
    """One table: the measurement's name, what it tells, and sentences with places for figures.

    A sentence stands on the page where all its figures are there. `data` says whether the measurement takes a folder of
    public data: not at all, if there is one, or always. One that takes `sizes`
    (options of the command line) runs long, and only where it is named.
    """

    name: str
    title: str
    meaning: str
    sentences: tuple[str, ...] = ()
    data: Literal["none", "if there", "always"] = "none"
    picture: str | None = None
    sizes: tuple[str, ...] = ()

    @property
    def command(self) -> str:
        """What measures it again."""
        return f".venv/bin/python -m bench {self.name}{'' if self.data == 'none' else ' --data DIR'}"
