"""The last word on what looks like a secret: whether a value is written out, and whether a checksum agrees.

Enters a match of a rule and the value it would replace; leaves yes or no.
Invariant: an answer depends on the text alone.
"""

from __future__ import annotations

import json
import re
from binascii import a2b_base64
from collections.abc import Callable

from memory_db.records import later
from memory_db.redact.runs import entropy as entropy
from memory_db.redact.runs import is_hex, is_uuid, looks_random

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
_NOT_PRINTED = dict.fromkeys(map(ord, "\n\r\t\x1b\u00ad\u200b\u200c\u200d\u2060\ufeff"))
_URL_SAFE = str.maketrans("-_", "+/")


def is_placeholder(value: str) -> bool:
    """Whether a value stands for another one: a variable, a blank to fill in, the name of a type."""
    return bool(_BLANK.fullmatch(value) or _BLANK_INSIDE.search(value))


def is_literal(name: str, value: str, *, quoted: bool, shell: bool = False) -> bool:
    """Whether a value given to `name` is a secret written out, and not code, a placeholder, a path or a word."""
    if len(value) < 4 or is_placeholder(value) or _HASH.fullmatch(value) or _PATH.fullmatch(value):
        return False
    digits = sum(character.isdigit() for character in value)
    if name.lower().lstrip("-").startswith(("passw", "pwd", "passphrase", "sshpass")):
        return _is_password(value, digits, quoted, shell)
    if len(value) < 8 or digits == len(value) or _CODE_NAME.fullmatch(value) or (
        len(value) < 20 and _WORDS.fullmatch(value)
    ):
        return False
    if _IDENTIFIER.fullmatch(value):
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
    if is_placeholder(value):
        return False
    return not _WORDS.fullmatch(value) or (len(value) >= 20 and value.lower() != value != value.upper())


def _strong(_match: re.Match[str], value: str) -> bool:
    """Letters and digits, with a sign or both cases: nobody writes so but for a password."""
    return is_strong(value)


def _typed(_match: re.Match[str], value: str) -> bool:
    """What may be a password where a sentence says that one follows."""
    return is_typed(value)


def _passphrase(match: re.Match[str], value: str) -> bool:
    """Three words or more in one, none of which says how a password is or where it is kept, at the end of a clause."""
    words = re.split(r"[-_.]", value)
    is_written_so = value == value.lower() or all(map(str.istitle, words))
    if not (3 <= len(words) <= 10 and is_written_so and all(len(word) > 2 and word.isalpha() for word in words)):
        return False
    is_one = len(set(re.findall(r"[-_.]", value))) == 1
    return is_one and _OF_PASSWORDS.isdisjoint(value.lower().replace("_", "-").replace(".", "-").split("-")) and bool(
        _CLAUSE_ENDS.match(match.string, match.end())
    )


def _argument(_match: re.Match[str], value: str) -> bool:
    """What a command is given as a password: anything but a blank, a variable, an option or a path."""
    return len(value) > 2 and value[0] not in "-/~" and not _is_aside(value) and not _OF_SENTENCE.fullmatch(value)


_PASSWORD_NAME = later(r"pass|pwd?(?![a-z])|psk|kennwort", re.I)
_BEFORE_NAME = later(r"[A-Za-z0-9_.-]*\Z")


def _whole_name(match: re.Match[str]) -> str:
    """The name under which a value stands, with what comes before its last part."""
    found = _BEFORE_NAME.search(match.string[max(0, match.start("key") - 40) : match.start("key")])
    return (found[0] if found else "") + match["key"]


def _named(match: re.Match[str], value: str) -> bool:
    """A value under a name that may be that of a secret: made by chance, or typed as only a password is."""
    name, key = _whole_name(match), match["key"]
    rest = name[: len(name) - len(key)]
    if rest and rest[-1].isalpha() and not (rest[-1].islower() and key[0].isupper()):
        return False  # the end of another word, as in bypass
    is_verdict = key == "PASS" and not rest and ":" in match[0][4:7]  # of a test
    if is_verdict or "public" in name.lower() or _is_aside(value) or is_uuid(value):
        return False
    if _PASSWORD_NAME.search(name):
        if _ENV_KEY.fullmatch(name) and "=" in match[0]:
            return len(value) > 3
        return is_typed(value)
    if key.lower() == "pin":
        return value.isdigit() and 4 <= len(value) <= 8
    if key.lower() in ("key", "auth", "access") and not rest:
        return False
    if is_hex(value):
        return len(value) >= 24 and not _HASH_NAME.search(name)
    if _IDENTIFIER.fullmatch(value) or decoded_text(value):
        return False
    if _ENV_KEY.fullmatch(name) and "=" in match[0]:
        return len(value) >= 8 and (looks_random(value) or is_strong(value))
    return len(value) >= 12 and (looks_random(value) or is_strong(value))


def _token(_match: re.Match[str], value: str) -> bool:
    """A value that looks made by chance, and is no UUID, blank or piece of code."""
    return not _is_aside(value) and not _IDENTIFIER.fullmatch(value) and looks_random(value)


def _query(match: re.Match[str], value: str) -> bool:
    """A value of an address or a form under a telling name."""
    before = match.string[max(0, match.start() - 30) : match.start()]
    is_code = re.search(r"[(){};]", value) or _IDENTIFIER.fullmatch(value)
    if not _IN_QUERY.search(before) or is_code or _is_aside(value) or is_uuid(value):
        return False
    if match["key"].lower().startswith(("pass", "pwd")):
        return is_typed(value)
    return len(value) >= 12 and looks_random(value)


def _one_time(match: re.Match[str], value: str) -> bool:
    """Six to eight digits in a sentence that speaks of a code to be typed in."""
    around = match.string[max(0, match.start() - 60) : match.end() + 30].lower()
    return bool(_SECOND_FACTOR.search(around))


def _seed(_match: re.Match[str], value: str) -> bool:
    return len(value.split()) in (12, 15, 18, 21, 24) and len(set(value.split())) > 6


_IDENTIFIER = later(r"[A-Za-z]*\d{0,3}(?:[._:/ -]+(?:[A-Za-z]+\d{0,2}|[vV]?\d{1,3})(?![A-Za-z]))+[.:!?]?|[A-Za-z]+\d?")
"""What is put together from words and small numbers, as names in code are."""
_IN_QUERY = later(r"[?&;](?:[\w.-]{0,24}[\w.-])?\Z|-d [\"']?\w{0,20}\Z")
_SECOND_FACTOR = later(r"otp|2fa|mfa|two-factor|second factor|verif|one-time|sms|bestätigung|einmal|authenticator")
_HASH_NAME = later(r"cache|hash|commit|sha|digest|etag|build|version|index|sort|primary|foreign|public|query|id_", re.I)
_ENV_KEY = later(r"[A-Z][A-Z0-9_]*")
_TECHNICAL = later(
    r"(?:sha|aes|rsa|rs|es|ps|hs|base|utf|md|ed|x|p|h|ipv|oauth|win|u?int|float|python|py|ec|s|argon|scrypt|pbkdf|bcrypt"
    r"|blake|http|tls|ssl|v|ubuntu|debian|node|java|php|ruby|vue|web|mp|iso|rfc|cve|utc|localhost|port|line|step|part|test"
    r"|user|item|level|phase|rev|build|issue|pr|q)[-_.:]?\d+\w{0,6}", re.I)
_ADDRESS = later(r"[\w.-]+:\d{1,5}|v?\d+(?:[.:-]\d+)+\w*|[\w.-]+\.[a-z]{2,5}(?:[/:].*)?|[\w.+-]+@[\w.-]+", re.I)
_OF_SENTENCE = later(
    r"(?:options?|arguments?|flags?|parameters?|is|are|can|and|or|with|from|file|when|if|which|for|to|in)[.,:;]?")
_CLAUSE_ENDS = later(
    r"[\"'`*)]{0,2}(?:[.,;:!?)]|\s*\Z|\s*\n|\s+(?:and|but|for|on|in|at|so|until|since|please|und|aber|für)\b)")
_OF_PASSWORDS = frozenset(
    "and any app application base based before bit case change changed char character characters client code config"
    " created database default defined derived dev different due empty encoded encrypted end env environment"
    " example file for format free from generated hash hashed here host less local long main managed master missing"
    " name never new not old one only password per plain prod production project protected provided random read ready"
    " required role root rotated safe same secret sensitive server service set shared single site specific staging"
    " stored strong supplied system temporary test text the token time upper use user value vault weak web wide write"
    " wrong yet you your".split()
)
"""Words of names and of adjectives by which something is said of a password. Source: ours."""
_HEX_NUMBER = later(r"0x[0-9a-fA-F]{1,16}[uUlL]{0,3}")
_NUMBER = later(r"[\d.,:%/-]+[a-z]{0,8}|#?\d+", re.I)


def _is_aside(value: str) -> bool:
    """A blank, a variable, a path, a hash named as one, a piece of code."""
    return bool(
        is_placeholder(value) or _PATH.fullmatch(value) or _HASH.fullmatch(value) or _CODE_NAME.fullmatch(value)
        or MARKER.search(value) or _HEX_NUMBER.fullmatch(value) or "//" in value
    )


def is_typed(value: str) -> bool:
    """Whether a word of a sentence reads as a password: it has digits or signs in it that no other word has."""
    if len(value) < 6 or _is_aside(value) or is_uuid(value) or _TECHNICAL.fullmatch(value):
        return False
    is_name = re.search(r"[-_]", value) and _IDENTIFIER.fullmatch(value)
    if is_name or _ADDRESS.fullmatch(value) or _NUMBER.fullmatch(value):
        return False
    letters, digits = sum(map(str.isalpha, value)), sum(map(str.isdigit, value))
    signs = sum(each in "!#$%^&*?+=@~" for each in value)
    return letters > 1 and (digits > 1 or signs > 1 or (digits > 0 and (signs > 0 or value.lower() != value)))


def is_strong(value: str) -> bool:
    """Whether a text reads as a password or a token wherever it stands: digits within, and signs or both cases."""
    if not 8 <= len(value) <= 200 or not is_typed(value) or _IDENTIFIER.fullmatch(value):
        return False
    has_signs = bool(re.search(r"\w[!#$%^&*?+=@~]+\w", value)) and not re.search(r"[()\[\]{}=;]", value)
    return any(map(str.isdigit, value)) and (has_signs or looks_random(value))


def decoded_text(token: str) -> str:
    """What a token says in base64, where that is a text of at least twelve characters; else nothing."""
    bare = token.rstrip("=").translate(_URL_SAFE)
    for end in (64, len(bare)):  # of a picture a few bytes suffice
        cut = bare[:end]
        cut = cut[: len(cut) - (len(cut) % 4 == 1)]
        try:
            text = a2b_base64(cut + "=" * (-len(cut) % 4)).decode("ascii" if end == 64 else "utf-8", "strict")
        except ValueError:
            return ""
        if len(text) < 12 or not text.translate(_NOT_PRINTED).isprintable():
            return ""
    return text


def decodes_to_text(token: str) -> bool:
    """Whether a token is a text in base64."""
    return bool(decoded_text(token))


CHECKS: dict[str, Callable[[re.Match[str], str], bool]] = {
    "": lambda match, value: True,
    "argument": _argument,
    "aws_id": lambda match, value: value.startswith("AKIA") or _has_digit(match, value),
    "card": _card,
    "credential": _credential,
    "discord": lambda match, value: _has_digit(match, value) and _is_mixed(value[8:]),
    "has_digit": _has_digit,
    "iban": _iban,
    "jwt": _jwt,
    "key_body": lambda match, value: bool(_KEY_BODY.search(value, value.index("-----", 5) + 5)),
    "literal": _literal,
    "passphrase": _passphrase,
    "mixed": lambda match, value: _is_mixed(value),
    "named": _named,
    "one_time": _one_time,
    "query": _query,
    "seed": _seed,
    "strong": _strong,
    "token": _token,
    "typed": _typed,
    "url_password": lambda match, value: not re.fullmatch(r"[${<%*].*|\.{3}|…|x+|.*\$\{.*|.*\{\{.*", value, re.I),
}
