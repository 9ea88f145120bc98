"""Texts so plain that no rule finds anything in them: short everyday words, none of those beside which a secret stands.

In: a text. Out: yes or no. Invariant: in a text that is plain `engine.take_out` finds nothing, so it may be left alone;
tests/redact/test_plain.py proves that from each rule. Many prompts are plain, and a hook need not load the rules then.
"""

from __future__ import annotations

CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ ,.?!'-")

LONGEST_WORD = 13
"""A longer word is looked at as one made by chance (`runs.SHORTEST`)."""

TELLING = (
    "pass", "pw", "key", "token", "secret", "auth", "login", "bearer", "identified", "net user", "seed", "recovery",
    "mnemonic", "backup", "wiederherstellung", "mdp", "clave", "senha", "parola", "wachtwoord", "haslo", "kodeord",
    "adgangskod", "kennwort", "psk", "credential", "http-basic", "xox", "xapp-", " -",
)  # fmt: skip
"""Words and parts of words beside which secrets stand; a command's option is one."""


def is_plain(text: str) -> bool:
    """Whether a text is so plain that nothing can be found in it. Capitals begin a word, apostrophes stand in one."""
    if not CHARACTERS.issuperset(text):
        return False
    folded = text.lower()
    if any(each in folded for each in TELLING):
        return False
    if any(len(word) > LONGEST_WORD or word[1:] != word[1:].lower() for word in text.split()):
        return False
    return all(piece.strip() for piece in text.split("'")[1:-1])
