"""Long tokens made by chance, beside a telling word or the name of a vendor.

In: a text and its long runs. Out: places with the name of the kind. Invariants: a token is looked at alone with what
stands at most `BEFORE` characters before and `BEHIND` behind it; hashes, UUIDs and ids stay where no word says that
they are a key.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from itertools import pairwise

from memory_db.records import later
from memory_db.redact.checks import decodes_to_text, is_placeholder
from memory_db.redact.runs import entropy, is_hex, is_uuid, looks_random
from memory_db.redact.vendors import NEARBY

LONG_TOKEN = "long-token"

BEFORE, BEHIND = 48, 32
"""Characters before and behind a token in which a word counts."""

LEAST, MOST = 20, 200
"""Characters of a token that a telling word makes a secret; a longer one is a file or a picture."""

TELLING = frozenset(
    "apikey apitoken auth authtoken bearer cred creds credential credentials hmac jwt key license passphrase passwd"
    " password passwort kennwort private pwd salt schlüssel secret secretkey sas token webhook zugangsdaten geheimnis"
    " wif wallet cookie sessionid".split()
)
"""Words beside which a long token is a secret. The plural of token is a measure of texts."""

TELLING_OF_HASHES = TELLING - {"cookie", "license", "salt", "webhook", "key"} | {"api", "hex"}
"""Words beside which even hexadecimal digits are a secret."""

HASHES = frozenset(
    "commit commits sha hash hashes digest checksum checksums integrity etag md revision rev blob tree merge head index"
    " resolved cache fingerprint thumbprint uuid guid trace span image layer docker content cherry parent public ssh"
    " file asset version build id ids pubkey certificate uses base64 png svg font woff".split()
)
"""Words beside which hexadecimal digits are a hash, and a long token an id."""

PUBLIC = frozenset("public pubkey ssh integrity resolved png svg jpeg gif woff font image certificate sha".split())
"""Words beside which no token is a secret by its look."""

_OWN_IDS = later(
    r"(?:msg|req|toolu|srvtoolu|call|chatcmpl|resp|run|thread|asst|file|evt|cus|sub|prod|price|item|user|org|proj|sess"
    r"|pk|sha\d+|h1|iVBOR|AAAA)[_:/-]?.*", re.S)
_WORD = later(r"[A-ZÄÖÜ]?[a-zäöüß]+|[A-ZÄÖÜ]+(?![a-zäöüß])|[A-Z]+")
_MARKER_PART = later(r"\A[a-z0-9:-]*\]|\[redacted:[a-z0-9-]*\]?|\[[a-z]*\Z")
_PLAIN_PART = later(r"[a-z]{3,}(?:[-_.][a-z0-9]+)*")
_JOINED = later(r"sha\d*[:-]|@|data:|base64,|h1:|#|\$[\w$]*|[\w-]+/")


def dense_spans(text: str, runs: list[tuple[int, int]]) -> Iterator[tuple[int, int, str]]:
    """Start, end and name of each long token that stands beside a telling word or its vendor's name."""
    for start, end in runs:
        if end - start > MOST + 100 or not any(map(str.isdigit, text[start:end])):
            continue
        before = text[max(0, start - BEFORE) : start]
        words = words_of(before, text[end : end + BEHIND].split("\n", 1)[0])
        yield from _of_vendors(text, start, end, words)
        while end < len(text) and text[end] in "=~" and end - start < MOST:
            end += 1
        if _is_secret(text[start:end], before, words):
            yield start, end, LONG_TOKEN


def words_of(before: str, behind: str) -> set[str]:
    """The words around a token in small letters, those that stand in names too; neighbours as one word as well."""
    around = f"{before} {behind}"
    if "redacted:" in around or before.find("]") >= 0:
        around = _MARKER_PART.sub(" ", around)
    pieces = [each.lower() for each in _WORD.findall(around)]
    return {*pieces, *(one + other for one, other in pairwise(pieces))}


def _is_secret(token: str, before: str, words: set[str]) -> bool:
    bare = token.rstrip("=~")
    if not LEAST <= len(bare) <= MOST or TELLING.isdisjoint(words) or not PUBLIC.isdisjoint(words):
        return False
    if is_path(bare) or is_uuid(bare) or is_placeholder(token) or _OWN_IDS.fullmatch(bare) or _is_joined(before):
        return False
    if is_hex(bare) and (TELLING_OF_HASHES.isdisjoint(words) or not HASHES.isdisjoint(words)):
        return False
    return looks_random(bare) and not decodes_to_text(token)


def is_path(token: str) -> bool:
    """Whether a text with slashes is a path: two of its parts are written in words, which no chance writes."""
    return token.count("/") >= 2 and sum(bool(_PLAIN_PART.fullmatch(part)) for part in token.split("/")) >= 2


def _is_joined(before: str) -> bool:
    """Whether something stands right before a token that makes it a part of an address, a picture or a hash."""
    last = before.rsplit(None, 1)[-1] if before and not before[-1].isspace() else " "
    if last.endswith(("h1:", "@", "#")) or ("://" in last and "?" not in last and "=" not in last):
        return True
    return bool(_JOINED.search(last[-24:])) and last[-1] not in "=:\"'(?&"


# --- kinds that ask for a vendor's name -----------------------------------------------------------------------------


@cache
def _vendors() -> dict[str, list[tuple[str, re.Pattern[str], float]]]:
    """The kinds of each vendor, by its name in small letters."""
    kinds: dict[str, list[tuple[str, re.Pattern[str], float]]] = defaultdict(list)
    for name, vendors, pattern, least in NEARBY:
        bounded = re.compile(f"(?<![A-Za-z0-9_.-])(?:{pattern})(?![A-Za-z0-9_-])", re.I)
        for vendor in vendors:
            kinds[vendor].append((name, bounded, least))
    return dict(kinds)


VENDOR_NAMES = frozenset(vendor for _, vendors, _, _ in NEARBY for vendor in vendors)


def _of_vendors(text: str, start: int, end: int, words: set[str]) -> Iterator[tuple[int, int, str]]:
    for vendor in words & VENDOR_NAMES:
        for name, pattern, least in _vendors()[vendor]:
            match = pattern.search(text, max(0, start - 24), end + 160)
            if match and match.end() > start and _is_of_vendor(text, match, least, words):
                yield *match.span(), name


_ASSIGNED = later(r"(?:=|:|=>|>|\||,|\([\"'])[\s\"'`\\]{0,6}\Z")


def _is_of_vendor(text: str, match: re.Match[str], least: float, words: set[str]) -> bool:
    token = match[0]
    before = text[max(0, match.start() - BEFORE) : match.start()]
    if before.endswith("@") or not any(map(str.isdigit, token)) or entropy(token) < least or is_placeholder(token):
        return False
    is_like_hash = is_hex(token) or is_uuid(token)
    is_named_hash = not HASHES.isdisjoint(words - {"id", "ids", "file"})
    if is_like_hash and (is_named_hash or before.endswith(("sha256:", "/", "#"))):
        return False
    if is_uuid(token) or len(token) < 20:
        return bool(_ASSIGNED.search(before)) or not TELLING.isdisjoint(words) or not {"id", "api"}.isdisjoint(words)
    return entropy(token) >= 2.5
