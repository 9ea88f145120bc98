"""What a setting is, and how a text becomes its value.

In: a setting and a text, as a person typed it. Out: a value of the setting's type. Invariant: knows of no single
setting.
"""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from memory_db.errors import InputError
from memory_db.redact.clean import clean
from memory_db.store.abstainer_weights import SHIPPED, weights_in
from memory_db.store.keeping import OFF, keep_in

Value = str | int | float | bool
Kind = Literal["text", "integer", "number", "boolean", "timezone", "profile", "weights", "keep"]


TRUE_WORDS = ("true", "yes", "on", "1")
FALSE_WORDS = ("false", "no", "off", "0")

LOCAL = "local"
"""The zone of the machine that asks, whichever that is."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One thing that may be set. `minimum` and `maximum` are for numbers and include themselves."""

    name: str
    default: Value
    kind: Kind
    help: str
    minimum: int | None = None
    maximum: int | None = None
    choices: tuple[str, ...] = ()


def read(db: sqlite3.Connection, setting: Setting, text: str) -> Value:
    """A text as the setting's value. Raises: InputError."""
    cleaned = text.strip()
    if clean(cleaned)[0] != cleaned:
        raise InputError(f"The value for {setting.name} looks like a secret, which no setting holds. Give another.")
    value = READERS[setting.kind](db, setting, cleaned)
    if setting.choices and value not in setting.choices:
        raise InputError(f"{setting.name} cannot be {cleaned!r}. It is one of: {', '.join(setting.choices)}.")
    return value


def read_text(db: sqlite3.Connection, setting: Setting, text: str) -> str:
    """One line that is not empty. Raises: InputError."""
    if not text or not text.isprintable():
        raise InputError(f"{setting.name} cannot be {text!r}. Give one line of text, such as {setting.default!r}.")
    return text


def read_integer(db: sqlite3.Connection, setting: Setting, text: str) -> int:
    """A whole number within the setting's bounds. Raises: InputError."""
    try:
        value = int(text)
    except ValueError:
        value = None
    minimum = setting.minimum if setting.minimum is not None else value
    maximum = setting.maximum if setting.maximum is not None else value
    if value is None or minimum is None or maximum is None or not minimum <= value <= maximum:
        bounds = f" from {setting.minimum} to {setting.maximum}" if setting.minimum is not None else ""
        raise InputError(f"{setting.name} cannot be {text[:80]!r}. Give a whole number{bounds}.")
    return value


def read_number(db: sqlite3.Connection, setting: Setting, text: str) -> float:
    """A number within the setting's bounds. Raises: InputError."""
    minimum, maximum = setting.minimum, setting.maximum
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if math.isfinite(value) and (minimum is None or minimum <= value) and (maximum is None or value <= maximum):
        return value
    bounds = f" from {minimum} to {maximum}" if minimum is not None and maximum is not None else ""
    raise InputError(f"{setting.name} cannot be {text[:80]!r}. Give a number{bounds}.")


def read_boolean(db: sqlite3.Connection, setting: Setting, text: str) -> bool:
    """true or false, in any of the usual words. Raises: InputError."""
    word = text.lower()
    if word not in TRUE_WORDS + FALSE_WORDS:
        raise InputError(f"{setting.name} cannot be {text[:80]!r}. Give true or false.")
    return word in TRUE_WORDS


def read_timezone(db: sqlite3.Connection, setting: Setting, text: str) -> str:
    """The name of a zone that this machine knows, or that it is the machine's own. Raises: InputError."""
    try:
        return text if text == LOCAL else ZoneInfo(text).key
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise InputError(
            f"{setting.name} cannot be {text[:80]!r}. Give a zone's name, such as UTC or Europe/Berlin, or local."
        ) from error


def read_profile(db: sqlite3.Connection, setting: Setting, text: str) -> str:
    """The name of a profile that the file has. Raises: InputError."""
    names = [row["name"] for row in db.execute("select distinct name from profiles order by name")]
    if text not in names:
        raise InputError(f"{setting.name} cannot be {text[:80]!r}. There are the profiles: {', '.join(names)}.")
    return text


def read_weights(db: sqlite3.Connection, setting: Setting, text: str) -> str:
    """The weights of an abstainer as JSON, or the word for those of the package. Raises: InputError."""
    if text != SHIPPED and weights_in(text) is None:
        way = "or let `memory-db profile tune --abstain --save` set it"
        raise InputError(f"{setting.name} cannot be {text[:80]!r}. Give {SHIPPED}, {way}.")
    return text


def read_keep(db: sqlite3.Connection, setting: Setting, text: str) -> str:
    """How many copies are kept, or that none are made. Raises: InputError."""
    return OFF if text == OFF else keep_in(text, f"{setting.name} cannot be").text


READERS: dict[Kind, Callable[[sqlite3.Connection, Setting, str], Value]] = {
    "text": read_text,
    "integer": read_integer,
    "number": read_number,
    "boolean": read_boolean,
    "timezone": read_timezone,
    "profile": read_profile,
    "weights": read_weights,
    "keep": read_keep,
}
"""How a text becomes a value, by kind of setting."""
