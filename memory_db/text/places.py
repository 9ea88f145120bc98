"""Where something holds or is done: production, staging, a developer's machine, an operating system.

A hook loads this: the standard library alone.
"""

from __future__ import annotations

from memory_db.text.terms import WORD

PLACES = {
    "test": "test", "tests": "test", "testing": "test", "production": "production", "prod": "production",
    "live": "production", "staging": "staging", "stage": "staging", "preprod": "staging", "ci": "ci", "pipeline": "ci",
    "dev": "development", "development": "development", "local": "development", "locally": "development",
    "laptop": "development", "windows": "windows", "linux": "linux", "mac": "mac", "macos": "mac",
    "android": "android", "ios": "ios", "preview": "preview", "sandbox": "sandbox", "demo": "demo", "qa": "qa",
}  # fmt: skip
"""Words for where something holds, when they stand after a preposition or before a thing."""

SERVED = frozenset(("production", "staging", "development"))
"""Places to which something is deployed: a command for one is no answer for another."""


def served_in(text: str) -> frozenset[str]:
    """The places to which something is deployed that a text names."""
    return SERVED & {PLACES.get(word) for word in WORD.findall(text.casefold())}
