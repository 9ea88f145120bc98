"""Settings: what may be set, with type, bounds and default; one row for each that was changed.

In: a name and a text, as a person typed it. Out: a value of the setting's
type. Invariant: a row of `settings` holds JSON that its setting accepts, and
a setting without a row has its default.
"""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from memory_db.errors import InputError
from memory_db.redact import personal
from memory_db.redact.clean import clean
from memory_db.store.abstainer_weights import SHIPPED, weights_in
from memory_db.store.connection import ask_for_personal, transaction
from memory_db.store.dates import utc_text
from memory_db.store.setting_table import AGENT_PROGRAMS as AGENT_PROGRAMS
from memory_db.store.setting_table import BY_NAME as BY_NAME
from memory_db.store.setting_table import LOCAL as LOCAL
from memory_db.store.setting_table import SETTINGS as SETTINGS
from memory_db.store.setting_table import Kind
from memory_db.store.setting_table import Setting as Setting
from memory_db.store.setting_table import Value as Value

TRUE_WORDS = ("true", "yes", "on", "1")
FALSE_WORDS = ("false", "no", "off", "0")


@dataclass(frozen=True, slots=True)
class Current:
    """A setting as it stands in one file; `changed_at` is None while it has its default."""

    setting: Setting
    value: Value
    changed_at: str | None


SCAN_AGAIN = "delete from scan_progress where place like 'texts of %' or place = 'file'"
"""What is stored is due to be scanned, as after new rules."""


def get(db: sqlite3.Connection, name: str) -> Value:
    """The value of a setting, in its own type.

    Raises: InputError if there is no such setting, or its row holds what it does not accept.
    """
    setting = find(name)
    row = db.execute("select value from settings where name = ?", [name]).fetchone()
    return setting.default if row is None else stored_value(db, setting, row["value"])


def get_text(db: sqlite3.Connection, name: str) -> str:
    """The value of a setting as text. Raises: InputError."""
    return str(get(db, name))


def get_integer(db: sqlite3.Connection, name: str) -> int:
    """The value of an integer or boolean setting. Raises: InputError; ValueError for a setting of text."""
    return int(get(db, name))


def get_number(db: sqlite3.Connection, name: str) -> float:
    """The value of a setting that is a number. Raises: InputError; ValueError for a setting of text."""
    return float(get(db, name))


def put(db: sqlite3.Connection, name: str, text: str, *, now: datetime) -> Value:
    """Sets a setting from text and gives the value it now has; the same value again writes nothing.

    Raises: InputError if there is no such setting, or it does not accept the text.
    """
    setting = find(name)
    value = read(db, setting, text)
    with transaction(db):
        db.execute(
            "insert into settings (name, value, changed_at) values (?, ?, ?)"
            " on conflict (name) do update set value = excluded.value, changed_at = excluded.changed_at"
            " where value <> excluded.value",
            [name, json.dumps(value), utc_text(now)],
        )
        if name == personal.SETTING and value and db.execute("select changes()").fetchone()[0]:
            db.execute(SCAN_AGAIN)
    if name == personal.SETTING:
        ask_for_personal(db)
    return value


def all_settings(db: sqlite3.Connection) -> list[Current]:
    """Every setting with its value, in the order of `SETTINGS`.

    Raises: InputError if a row holds what its setting does not accept.
    """
    rows = {row["name"]: row for row in db.execute("select name, value, changed_at from settings")}
    return [
        Current(setting, stored_value(db, setting, row["value"]), row["changed_at"])
        if (row := rows.get(setting.name))
        else Current(setting, setting.default, None)
        for setting in SETTINGS
    ]


def find(name: str) -> Setting:
    """The setting of that name. Raises: InputError."""
    setting = BY_NAME.get(name)
    if setting is None:
        raise InputError(f"There is no setting {name!r}. There are: {', '.join(BY_NAME)}.")
    return setting


def stored_value(db: sqlite3.Connection, setting: Setting, stored: str) -> Value:
    """What a row says, which somebody may have edited by hand. Raises: InputError."""
    try:
        value = json.loads(stored)
    except ValueError:
        value = None
    if type(value) is not type(setting.default):
        raise InputError(
            f"Setting {setting.name} holds {stored!r}, which is not a JSON {setting.kind}. "
            f"Set it again: `memory-db settings {setting.name} {setting.default}`."
        )
    return read(db, setting, str(value))


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


READERS: dict[Kind, Callable[[sqlite3.Connection, Setting, str], Value]] = {
    "text": read_text,
    "integer": read_integer,
    "number": read_number,
    "boolean": read_boolean,
    "timezone": read_timezone,
    "profile": read_profile,
    "weights": read_weights,
}
"""How a text becomes a value, by kind of setting."""


def user_zone(db: sqlite3.Connection) -> ZoneInfo:
    """The zone in which a person's words are read: for `local` this machine's, and UTC where it does not tell.

    Raises: InputError if the setting holds what it does not accept.
    """
    import tzlocal  # noqa: PLC0415  # start-up: few commands read dates in words

    name = get_text(db, "timezone")
    try:
        return ZoneInfo(name if name != LOCAL else tzlocal.get_localzone_name() or "UTC")
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return ZoneInfo("UTC")
