"""The last word on what looks like a secret: whether a value is written out, and whether a checksum agrees.

Enters a match of a rule and the value it would replace; leaves yes or no.
Invariant: an answer depends on the text alone.
"""

from __future__ import annotations

import json
import re
from binascii import a2b_base64
from collections.abc import Callable
from math import log2

from memory_db.records import later

MARKER = later(r"\[redacted:[a-z0-9-]+\]")
# A value that stands for another one: a variable, a blank to fill in, the name of a type or of the field itself.
_BLANK = later(
    r"[$%{<*#@].*|[x._0-]+|(?:your|my|the|some)[-_].*|null|nil|none|true|false|undefined|str|string|text|bytes|object"
    r"|any|number|boolean|bool|int|required|optional|hidden|input|field|passw(?:or)?d|passphrase|pass|pwd|secret|token"
    r"|key|api_?key|value|test|todo|tbd|n/a|unset|empty|default|incorrect|invalid|missing|bearer", re.I | re.S)
_BLANK_INSIDE = later(
    r"[$#]\{|\$\(|\{\{|\.\.\.|…|<[a-z _-]+>|\*\*\*|•|x{5}|example|placeholder|change[-_]?me|replace[-_]?me|dummy"
    r"|redacted|goes[-_]here|process\.env|os\.environ|getenv", re.I)
_CODE_NAME = later(r"[A-Za-z_]\w*(?:(?:\.|->|::|\?\.)[A-Za-z_]\w*)+")
_WORDS = later(r"[A-Za-z]+(?:[._:/ -][A-Za-z]+)*[.:!?]?")
_PATH = later(
    r"(?:~|\.{1,2})?/[\w.@~ -]+(?:/.*)?|[A-Za-z]:\\.*|(?:https?|file)://.*"
    r"|[\w./-]+\.(?:pem|key|crt|json|ya?ml|txt|env|py|ts|js|md)", re.S)
_HASH = later(r"(?:sha\d+|md5|bcrypt|argon2\w*)[-:$].*", re.S | re.I)
_ENV_NAME = later(r"(?:^|[^a-z])[A-Z][A-Z0-9_]*=$")
_OWN_NAME = later(r"(?:new|old)?_?pass\w*|pwd\w*|\w*passw(?:or)?d\w*", re.I)
_KEY_BODY = later(r"[A-Za-z0-9+/=]{24}")
_URL_SAFE = str.maketrans("-_", "+/")


def _is_placeholder(value: str) -> bool:
    return bool(_BLANK.fullmatch(value) or _BLANK_INSIDE.search(value))


def is_literal(name: str, value: str, *, quoted: bool, shell: bool = False) -> bool:
    """Whether a value given to `name` is a secret written out, and not code, a placeholder, a path or a word."""
    if len(value) < 4 or _is_placeholder(value) or _HASH.fullmatch(value) or _PATH.fullmatch(value):
        return False
    digits = sum(character.isdigit() for character in value)
    if name.lower().lstrip("-").startswith(("passw", "pwd", "passphrase", "sshpass")):
        return _is_password(value, digits, quoted, shell)
    if len(value) < 8 or digits == len(value) or _CODE_NAME.fullmatch(value) or (
        len(value) < 20 and _WORDS.fullmatch(value)
    ):
        return False
    if quoted or shell:
        return bool(digits) or (len(value) >= 20 and not _WORDS.fullmatch(value)) or _is_mixed(value)
    return len(value) >= 12 and digits >= 3 and not re.fullmatch(r"[a-z]+(?:[_-][a-z]+)*[_-]?\d*", value)


def _is_password(value: str, digits: int, quoted: bool, shell: bool) -> bool:
    if quoted:
        is_word = _WORDS.fullmatch(value) and not (len(value) >= 6 and value.islower() and value.isalpha())
        return not (_CODE_NAME.fullmatch(value) or is_word)
    if shell:
        return True
    if len(value) < 6 or _CODE_NAME.fullmatch(value) or _OWN_NAME.fullmatch(value):
        return False
    symbols = sum(not character.isalnum() and character not in "_.-:/" for character in value[:-1])
    return bool(digits) or symbols > 0


def _is_mixed(value: str) -> bool:
    """Upper and lower case and a digit in at least twelve characters: hardly a word."""
    return len(value) >= 12 and value != value.lower() and value != value.upper() and any(map(str.isdigit, value))


def _literal(match: re.Match[str], value: str) -> bool:
    if match["quoted"] is not None:
        return is_literal(match["key"], value, quoted=True)
    before = match.string[max(0, match.start() - 60) : match.start("bare")]
    shell = match["key"].startswith(("--", "sshpass")) or bool(_ENV_NAME.search(before))
    return is_literal(match["key"], value, quoted=False, shell=shell)


def _jwt(_match: re.Match[str], value: str) -> bool:
    header, *rest = value.split(".")
    try:
        return isinstance(json.loads(a2b_base64(header.translate(_URL_SAFE) + "=" * (-len(header) % 4))), dict)
    except ValueError:
        return len(rest) > 1 and len(value) >= 60 and rest[0].startswith("eyJ")


def _card(match: re.Match[str], value: str) -> bool:
    digits = re.sub(r"\D", "", value)
    issuer = re.fullmatch(
        r"4\d{15}|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}"
        r"|(?:6011|65\d\d|64[4-9]\d|35[2-8]\d)\d{12}", digits)
    if not issuer or len(set(digits)) < 2:
        return False
    if match["gap"] is None and value == digits:  # a bare number is often a row's id
        before = match.string[max(0, match.start() - 16) : match.start()]
        if re.search(r"(?i)(?:id|seq|offset|time|stamp|ns|us)[\"']?\s{0,3}[:= ]\s{0,3}[\"']?$", before):
            return False
    doubled = [int(digit) * (1 + place % 2) for place, digit in enumerate(reversed(digits))]
    return sum(number - 9 if number > 9 else number for number in doubled) % 10 == 0


def _iban(_match: re.Match[str], value: str) -> bool:
    account = value.replace(" ", "").upper()
    return account.isascii() and int("".join(str(int(c, 36)) for c in account[4:] + account[:4])) % 97 == 1


def _has_digit(_match: re.Match[str], value: str) -> bool:
    return any(map(str.isdigit, value))


def _credential(_match: re.Match[str], value: str) -> bool:
    if _is_placeholder(value):
        return False
    return not _WORDS.fullmatch(value) or (len(value) >= 20 and value.lower() != value != value.upper())


def entropy(value: str) -> float:
    """Bits a character by how often each stands in it. Source: Shannon 1948; gitleaks measures so."""
    shares = [value.count(each) / len(value) for each in set(value)]
    return -sum(share * log2(share) for share in shares)


CHECKS: dict[str, Callable[[re.Match[str], str], bool]] = {
    "": lambda match, value: True,
    "aws_id": lambda match, value: value.startswith("AKIA") or _has_digit(match, value),
    "card": _card,
    "credential": _credential,
    "discord": lambda match, value: _has_digit(match, value) and _is_mixed(value[8:]),
    "has_digit": _has_digit,
    "iban": _iban,
    "jwt": _jwt,
    "key_body": lambda match, value: bool(_KEY_BODY.search(value, value.index("-----", 5) + 5)),
    "literal": _literal,
    "mixed": lambda match, value: _is_mixed(value),
    "url_password": lambda match, value: not re.fullmatch(r"[${<%*].*|\.{3}|…|x+|.*\$\{.*|.*\{\{.*", value, re.I),
}
