"""Tokens of every kind that redaction knows by letters of its own or a vendor's name, and ways to fold a text."""

import base64
import random
import re
import re._constants as sre
import re._parser as parser
import string
from collections.abc import Callable, Iterable

from memory_db.redact.runs import entropy
from memory_db.redact.vendors import NEARBY, VENDORS
from tests.support.redact_cases import TOKENS

PRINTABLE = [chr(code) for code in range(33, 127)]


def from_pattern(pattern: str, chance: random.Random, fold: bool = False) -> str:
    """A text that a pattern matches as a whole, made by chance; looks around it are not obeyed."""
    return _made(parser.parse(pattern, re.I if fold else 0), chance)


def _made(parsed: Iterable[tuple[object, object]], chance: random.Random) -> str:
    return "".join(_one(kind, value, chance) for kind, value in parsed)


def _one(kind: object, value: object, chance: random.Random) -> str:
    if kind is sre.LITERAL:
        return chr(value)
    if kind is sre.IN:
        return chance.choice([each for each in PRINTABLE if _is_in(each, value)])
    if kind is sre.ANY:
        return chance.choice(string.ascii_letters)
    if kind in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
        least, most, inner = value
        return "".join(_made(inner, chance) for _ in range(chance.randint(least, min(most, least + 8))))
    if kind is sre.SUBPATTERN:
        return _made(value[3], chance)
    if kind is sre.BRANCH:
        return _made(chance.choice(value[1]), chance)
    return ""  # a place, or a look around it


def _is_in(character: str, allowed: list[tuple[object, object]]) -> bool:
    found = False
    for kind, value in allowed:
        if kind is sre.NEGATE:
            return not _is_in(character, allowed[1:])
        if kind is sre.LITERAL:
            found |= character == chr(value)
        elif kind is sre.RANGE:
            found |= value[0] <= ord(character) <= value[1]
        elif value is sre.CATEGORY_WORD:
            found |= character.isalnum() or character == "_"
        elif value is sre.CATEGORY_DIGIT:
            found |= character.isdigit()
        elif value is sre.CATEGORY_NOT_SPACE:
            found = True
    return found


def drawn(pattern: str, least: float, chance: random.Random, fold: bool = False) -> str:
    """A token as its vendor makes it: by chance, with the entropy that its kind asks for."""
    for _ in range(1_000):
        secret = from_pattern(pattern, chance, fold)
        if entropy(secret) >= least:
            return secret
    raise AssertionError(f"no token of {pattern} has {least} bits a character")


def prefixed(seed: int) -> dict[str, str]:
    """A token of each kind that begins with letters of its own."""
    chance = random.Random(seed)
    ours = {name: secret for name, (_, secret) in TOKENS.items() if "\n" not in secret and "\\n" not in secret}
    fixed = {"aws-amazon-bedrock-api-key-short-lived"}  # a text that is always the same
    return ours | {name: drawn(pattern, least, chance) for name, _, pattern, _, least in VENDORS if name not in fixed}


def beside_names(seed: int) -> dict[str, tuple[str, str]]:
    """A vendor's name and a token of it, for each kind that asks for the name."""
    chance = random.Random(seed)
    return {
        name: (vendors[0], drawn(pattern.split("(?:[\\x60")[0], least, chance, True))
        for name, vendors, pattern, least in NEARBY
    }


CARRIERS = {
    "shell": "export SERVICE_KEY={}", "env": 'KEY="{}"', "json": '{{"key": "{}", "n": 1}}',
    "yaml": "- value: {}\n- other",
    "prose": "please use {} for now", "German": "bitte {} verwenden.", "diff": "+{}", "log": "10:02 INFO sent {} ok",
    "code": "connect('{}')", "address": "https://example.com/x/{}?a=1",
}  # fmt: skip
"""Where a token stands. Doubled brackets are single ones once formatted."""

ALIKE = str.maketrans("aeopcxyiABEHKMOPCTX", "аеорсхуіАВЕНКМОРСТХ")


def halves(text: str) -> tuple[str, str]:
    return text[: len(text) * 2 // 3], text[len(text) * 2 // 3 :]


FOLDS: dict[str, Callable[[str], str]] = {
    "base64": lambda s: base64.b64encode(f"key is {s}".encode()).decode(),
    "base64, wrapped": lambda s: base64.encodebytes(f"the key of the service is {s} and more".encode()).decode(),
    "base64, for addresses": lambda s: base64.urlsafe_b64encode(s.encode()).decode().rstrip("="),
    "URL escapes": lambda s: "".join(f"%{ord(c):02X}" if n % 3 == 1 or not c.isalnum() else c for n, c in enumerate(s)),
    "JSON escapes": lambda s: "".join(f"\\u{ord(c):04x}" if n % 4 == 1 else c for n, c in enumerate(s)),
    "hex escapes": lambda s: "".join(f"\\x{ord(c):02x}" for c in s),
    "HTML entities": lambda s: "".join(f"&#{ord(c)};" if n % 5 == 2 or not c.isalnum() else c for n, c in enumerate(s)),
    "split line": lambda s: "\n".join(halves(s)),
    "split line, indented": lambda s: "\n    ".join(halves(s)),
    "split line, backslash": lambda s: "\\\n".join(halves(s)),
    "joined by plus": lambda s: '"' + '" + "'.join(halves(s)) + '"',
    "joined over lines": lambda s: "'" + "' +\n    '".join(halves(s)) + "'",
    "joined by standing together": lambda s: '("' + '"\n "'.join(halves(s)) + '")',
    "joined by dot": lambda s: "'" + "' . '".join(halves(s)) + "'",
    "zero width": lambda s: "\u200b".join(s),
    "soft hyphens": lambda s: "\u00ad".join(halves(s)),
    "full width": lambda s: "".join(chr(ord(c) + 0xFEE0) if c.isalnum() else c for c in s),
    "look-alikes": lambda s: s.translate(ALIKE),
    "ANSI colours": lambda s: "\x1b[31m" + "\x1b[0m\x1b[1m".join(halves(s)) + "\x1b[0m",
}
"""Ways in which a token is folded."""


def is_gone(secret: str, folded: str, cleaned: str) -> bool:
    """Whether neither the token nor half of it is left."""
    first, second = halves(secret)
    return secret not in cleaned and folded not in cleaned and (first not in cleaned or second not in cleaned)
