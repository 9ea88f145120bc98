"""The time zone in which a person's words are read: the setting, or else that of this machine.

In: the file. Out: a zone. Surfaces ask here and pass it on; nothing that scores looks at a machine.
"""

from __future__ import annotations

import sqlite3
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import tzlocal

from memory_db.store import settings


def user_zone(db: sqlite3.Connection) -> ZoneInfo:
    """The zone that the file's setting names; for `local`, this machine's, and UTC where it does not tell.

    Raises: InputError if the setting holds what it does not accept.
    """
    name = settings.get_text(db, "timezone")
    try:
        return ZoneInfo(name if name != settings.LOCAL else tzlocal.get_localzone_name() or "UTC")
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return ZoneInfo("UTC")
