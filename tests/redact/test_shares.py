"""The share of secrets that is caught, by kind, and of innocent strings that are not: the three targets.

`pytest -s tests/redact/test_shares.py` prints all shares.
"""

from __future__ import annotations

import random
from collections import defaultdict

import pytest

from memory_db.redact.clean import redact
from tests.support.redact_innocent import INNOCENT, innocent
from tests.support.redact_shapes import CARRIERS, SHAPES, value
from tests.support.redact_tokens import CARRIERS as TOKEN_CARRIERS
from tests.support.redact_tokens import FOLDS, beside_names, is_gone, prefixed

LEAST_PREFIXED, LEAST_EVERYDAY, MOST_INNOCENT = 0.95, 0.85, 0.01

BESIDE = {
    "env": "{upper}_API_KEY={secret}", "prose": "the {name} token is {secret} ok", "yaml": "{name}:\n  key: {secret}\n",
    "json": '{{"{name}_key": "{secret}"}}', "code": 'const {name}Token = "{secret}"',
    "call": '{name}Client("{secret}")',
}  # fmt: skip
"""How a vendor's name and its token stand together."""


class Shares:
    """What was caught of what was tried, by kind."""

    def __init__(self) -> None:
        self.caught: dict[str, int] = defaultdict(int)
        self.tried: dict[str, int] = defaultdict(int)

    def count(self, kind: str, is_caught: bool) -> None:
        self.caught[kind] += is_caught
        self.tried[kind] += 1

    def of(self, kind: str) -> float:
        return self.caught[kind] / self.tried[kind]

    def all(self) -> float:
        return sum(self.caught.values()) / sum(self.tried.values())

    def print(self, title: str) -> None:
        print(f"\n{title}: {self.all():.1%} of {sum(self.tried.values()):,}")
        for kind in self.tried:
            print(f"  {kind:30} {self.of(kind):7.1%} of {self.tried[kind]:,}")


def test_tokens_with_letters_of_their_own_in_every_carrier() -> None:
    shares = Shares()
    for secret in prefixed(1).values():
        for carrier, around in TOKEN_CARRIERS.items():
            shares.count(carrier, secret not in redact(around.format(secret))[0])
    shares.print("Tokens with letters of their own")
    assert all(shares.of(carrier) >= LEAST_PREFIXED for carrier in TOKEN_CARRIERS)


@pytest.mark.slow
def test_folded_tokens_in_every_way_of_folding() -> None:
    shares = Shares()
    for secret in prefixed(2).values():
        for name, fold in FOLDS.items():
            folded = fold(secret)
            shares.count(name, is_gone(secret, folded, redact(f"please use {folded} for now")[0]))
    shares.print("Folded tokens")
    assert all(shares.of(fold) >= LEAST_PREFIXED for fold in FOLDS)


@pytest.mark.slow
def test_tokens_beside_their_vendors_name() -> None:
    shares = Shares()
    for name, secret in beside_names(3).values():
        for carrier, around in BESIDE.items():
            text = around.format(name=name, upper=name.upper(), secret=secret)
            shares.count(carrier, secret not in redact(text)[0])
    shares.print("Tokens beside their vendor's name")
    assert all(shares.of(carrier) >= LEAST_PREFIXED for carrier in BESIDE)


def everyday(is_held_out: bool) -> Shares:
    shares = Shares()
    for number, (group, kind, shape) in enumerate(SHAPES):
        if (number % 3 == 2) is not is_held_out:
            continue
        for at, carrier in enumerate(CARRIERS):
            secret = value(kind, random.Random(number * 100 + at))
            cleaned = redact(carrier.replace("{}", shape.replace("@@", secret)))[0]
            is_caught = not all(word in cleaned for word in secret.split()) if " " in secret else secret not in cleaned
            shares.count(group, is_caught)
    return shares


@pytest.mark.parametrize("is_held_out", [False, True], ids=["written for", "held out"])
def test_everyday_shapes(is_held_out: bool) -> None:
    assert len(SHAPES) >= 200 and all("@@" in shape for _, _, shape in SHAPES)
    shares = everyday(is_held_out)
    shares.print(f"Everyday shapes, {'held out' if is_held_out else 'written for'}")
    assert shares.all() >= LEAST_EVERYDAY


def test_innocent_strings_stay() -> None:
    assert len(INNOCENT) >= 30
    changed = Shares()
    for kind, text in innocent(1_000):
        changed.count(kind, redact(text)[0] != text)
    print(f"\nInnocent strings changed: {changed.all():.1%} of 1,000 of {len(INNOCENT)} kinds")
    assert changed.all() < MOST_INNOCENT
    assert not [kind for kind in INNOCENT if changed.of(kind) >= 0.5], "a kind of string that never is a secret"
