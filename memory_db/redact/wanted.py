"""Whether any file wants personal data taken out of texts.

In: files and their setting. Out: yes or no, for the process. The rules are those of `personal.py`.
"""

from __future__ import annotations

SETTING = "redact_personal"
"""The setting of a file that asks for it."""

_asking: set[str] = set()
"""Files that ask. Texts are cleaned before it is known into which file they go: one of those open suffices."""


def ask(path: str, is_wanted: bool) -> None:
    """Notes whether a file, which was opened or whose setting was changed, wants personal data taken out."""
    (_asking.add if is_wanted else _asking.discard)(path)


def ask_no_more() -> None:
    """Forgets every file that asked."""
    _asking.clear()


def is_on() -> bool:
    """Whether personal data is taken out in this process."""
    return bool(_asking)
