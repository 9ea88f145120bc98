"""What is reached by another address by now: "they joined the two servers, now it's build.acme.example/ci".

In: two texts. Out: the new address and the old one; None where the later text gives no new one for the same thing.
Invariant: pure, and linear in the length of the texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from memory_db.text.attribute_values import TELLS_NO_CHANGE, settings_of
from memory_db.text.moved import flat
from memory_db.text.statements import CHANGING, KNOWN_TEXTS, answered

SUFFIXES = (
    r"(?!(?:ya?ml|json|py|pyi|[jt]sx?|mjs|rs|rb|java|kt|swift|sql|sh|toml|ini|cfg|env|lock|md|rst|txt|csv|html?|css|scss"
    r"|xml|proto|tf|hcl|parquet|ipynb|zip|gz|log|png|svg|pdf)\b)"
)
"""How files end, which are no hosts."""

ADDRESS = re.compile(
    r"(?<![\w.@-])(?P<host>[a-z0-9][\w-]{0,62}(?:\.[\w-]{1,63}){1,8}"
    rf"\.{SUFFIXES}[a-z]{{2,24}}|[a-z0-9][\w-]{{1,62}}\.(?:com|net|org|eu|io|dev|cloud|app|example|local|internal|lan))"
    r"(?![\w-]|\.\w|\()(?::(?P<port>\d{2,5})\b)?(?P<page>/[\w./%~-]*\w)?"
)
"""A host with its port and path, in a text in lower case."""

RENEWS = re.compile(
    r"\b(?:re?named|relocated|joined|merged|consolidated|retired|decommissioned|died|shut down|switched off|instead"
    r"|is (?:gone|dead|over)|redirects?|(?:new|old) (?:address|host|hostname|url|link|name|domain|server|port|one|box)"
    r"|goes by|is called|has (?:a|its) new)\b"
)
"""Words of a change of address, besides those of any change."""

BESIDES = re.compile(
    r"\b(?:too|also|as well|another|second|additional(?:ly)?|besides|mirror\w*|copy|backup|for (?:now|today)"
    r"|temporar\w+|meanwhile|e\.g|for (?:example|instance))\b"
)
"""An address that stands beside the other one, or for a time."""

SENTENCE = re.compile(r"(?<=[.!?;])\s+")

ENVIRONMENTS = {
    "stg": "staging", "stage": "staging", "staging": "staging", "prod": "production", "production": "production",
    "live": "production", "dev": "development", "test": "test", "qa": "test", "uat": "test", "pre": "staging",
    "preprod": "staging", "sandbox": "sandbox", "demo": "demo",
}  # fmt: skip
"""Where a host stands, by a part of its name."""

ANY_HOST = frozenset("www api app web docs static cdn db git ci mail smtp ftp test staging stage stg prod dev".split())
"""First parts of names that hosts of many things have."""

MOST_OF_ADDRESS = 12
"""Words of the longest text that says of an address little else than whose it is. Source: ours."""


@dataclass(slots=True, frozen=True)
class Moved:
    """An address in the place of another one; `is_all` where the earlier text says little else."""

    new: str
    old: str
    is_all: bool


@dataclass(slots=True, frozen=True)
class Address:
    """An address and the sentence that names it."""

    host: str
    port: str
    page: str
    sentence: str

    @property
    def whole(self) -> str:
        """The address as it is written."""
        return self.host + (f":{self.port}" if self.port else "") + self.page

    @property
    def label(self) -> str:
        """The first part of its name, without the number of one of several."""
        return re.sub(r"-?\d+$", "", self.host.partition(".")[0])

    @property
    def domain(self) -> str:
        """What somebody has registered: the host's last two parts, or three."""
        is_shared = re.search(r"\.(?:co|com|org|net|ac|gov|edu)\.[a-z]{2}$", self.host) is not None
        return ".".join(self.host.split(".")[-3 if is_shared else -2 :])

    @property
    def places(self) -> frozenset[str]:
        """Where it stands, by its name and path."""
        parts = re.split(r"[.\-/_]", self.host + self.page)
        return frozenset(ENVIRONMENTS[part] for part in parts if part in ENVIRONMENTS)


@lru_cache(maxsize=KNOWN_TEXTS)
def addresses(text: str) -> tuple[Address, ...]:
    """The addresses of a text on one line in lower case."""
    return tuple(
        Address(match["host"], match["port"] or "", match["page"] or "", sentence)
        for sentence in SENTENCE.split(text)
        for match in ADDRESS.finditer(sentence)
    )


def tells_new_address(text: str) -> bool:
    """Whether a text says of one address that it is the new one of something, in so many words."""
    said = flat(answered(text)[1])
    if TELLS_NO_CHANGE.search(said) or not (CHANGING.search(said) or RENEWS.search(said)):
        return False
    found = addresses(said)
    return bool(found) and all(BESIDES.search(each.sentence) is None for each in found)


def new_address(later: str, earlier: str) -> Moved | None:
    """The address that a later text gives for what an earlier one gave another address."""
    if not tells_new_address(later):
        return None
    before, said = answered(flat(later))
    known = answered(flat(earlier))[1]
    reached_before = frozenset(each.host for each in addresses(before))
    olds = addresses(known)
    for new in addresses(said):
        if any(each.whole == new.whole for each in olds):
            return None
        for old in olds:
            if is_named_too(old, said, new) or clash(new, old):
                continue
            if old.host in reached_before or is_same_thing(new, old, ADDRESS.sub(" ", said)):
                is_all = len(SENTENCE.split(known)) == 1 and len(known.split()) <= MOST_OF_ADDRESS
                return Moved(new.whole, old.whole, is_all)
    return None


def is_named_too(old: Address, said: str, new: Address) -> bool:
    """Whether a later text names the earlier address itself, and not as over."""
    if new.host == old.host:
        return not new.port or not old.port or new.port == old.port
    named: Iterator[str] = (each.sentence for each in addresses(said) if each.host == old.host)
    return any(CHANGING.search(sentence) is None and RENEWS.search(sentence) is None for sentence in named)


def clash(new: Address, old: Address) -> bool:
    """Whether two addresses are of different places, as staging and production are."""
    return bool(new.places and old.places) and new.places.isdisjoint(old.places)


def is_same_thing(new: Address, old: Address, said: str) -> bool:
    """Whether two addresses lead to the same: one host, one name, or one owner and a word that both sentences have.

    A name is one where both stand in a place of the same sort, or what is `said` besides has it: "ci was renamed".
    """
    if new.host == old.host:
        return True
    is_one_owner = new.domain == old.domain
    is_one_name = new.label == old.label and len(new.label) > 2
    is_placed = bool(new.places) == bool(old.places) or re.search(rf"\b{re.escape(new.label)}\b", said) is not None
    if is_one_name and is_placed and (is_one_owner or new.label not in ANY_HOST):
        return True
    names = frozenset(re.split(r"[.\-/_:]", f"{new.whole}.{old.whole}"))
    shared = settings_of(new.sentence).subject & settings_of(old.sentence).subject
    return (is_one_owner or is_one_name) and bool(shared - names)
